"""How people play Battleship on the page: classes and places of the fleet first, then the ships in turn."""

from __future__ import annotations

from typing import Any

from ..core.language import say
from ..core.language import translate as _
from ..core.rng import Rng
from ..play.menu import Card, FirstBoard, Level, Shelf, card_of
from ..render.canvas import Choice
from . import notation
from .config import CLASSES, MISSIONS, Config
from .missions import missions
from .notation import ATTACK, FLAG, PASS, PICK, PLACE, REINFORCE, RESIGN
from .notation import MINE as LAY
from .notation import MOVE as SAIL
from .notation import TORPEDO as FIRE
from .render import GUN, LAUNCH, MINE, MOVE, RETURN, _config

LEVELS = (
    Level("random", "First steps", "acts at random"),
    Level("hunter:easy", "Beginner", "shoots where you may be, but acts at random every other turn"),
    Level("hunter", "Skilled", "shoots where you are most likely, by hits, splashes and moves"),
    Level("best:300ms", "Best", "tries where your ships could be, and plans ahead"),
)
LEVEL = "hunter:easy"
SEATS = ("P0", "P1", "P2", "P3")
STARTS = ("open", "archipelago", "atoll", "banks", "cape", "strait")
FIRST = "annihilation"  # the mission without conditions
VARIANTS: dict[str, dict[str, Any]] = {
    mission.replace("_", " "): {"mission": mission} for mission in sorted(MISSIONS, key=lambda one: one != FIRST)
}
TITLES = {name: name for name in VARIANTS} | {"flagship": "strike the flagship"}
"""What the missions are called."""
VARIANTS["rescue"] |= {"players": 4, "teams": [0, 0, 1, 1]}
STEPS = ((0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, 0))
SAILS = ((0, -1), (1, 0), (0, 1), (-1, 0))
VERB_OF = {ATTACK: GUN, SAIL: MOVE, LAY: MINE, FIRE: LAUNCH, REINFORCE: RETURN}
PAD = {"keys": "", "groups": [[[GUN], "a"], [[MOVE], "m"], [[LAUNCH], "t"], [[MINE], "i"]], "only": True, "next": True}
RANDOM = "random set-up"
SET_UP = "hunter"
"""The agent that sets up the fleet of a person who wants to begin at once."""
FIRST_BOARD = FirstBoard(
    "Find them before they find you.",
    seconds=53,
    source="21 games of hunter:easy against random, benches/page_minutes.py",
)
ABOUT = "Find and sink the other fleet. A shot tells whether it hit, or splashed near a ship."
HELP = (
    "First choose the classes of your ships, then a panel for each.",
    "Each turn one ship attacks a panel next to it, moves in a row or column, lays a mine or fires a torpedo.",
    "The other learns the direction and distance of a move, but not the ship's panel. Moves and shots cost fuel.",
    "The notebook lists every ship of the other, and shows where it may still be.",
)
GOALS = {
    "sea_control": "sink the other fleet; without an end, the score decides",
    "annihilation": "sink the other fleet",
    "flagship": "sink the other flagship and keep yours",
    "rescue": "no member of your team may lose its fleet",
    "recon": "a limit of rounds: then the score decides",
    "assault": "sink the other fleet within the limit of rounds",
    "flagship_raid": "sink the other flagship within the limit of rounds",
    "blitz": "keep your flagship; at the limit of rounds the score decides",
    "retreat": "the attacker must sink the fleet within the limit of rounds, the defender must last",
}
"""What wins each mission, in words. [section 2.3]"""
ENDINGS = {
    "victory": "the goal of the mission is reached",
    "fuel": "no ship has fuel left: the score decides",
    "stalled": "nobody acts any more: the score decides",
    "round_limit": "the rounds of the mission are over",
    "max_rounds": "the rounds are over: the score decides",
    "mutual": "nobody can reach the goal any more",
}
"""How a game ended, in words, by its reason. [section 8]"""
NAMES = ("battleship", "destroyer", "submarine", "oiler")


def pad(state: Any, player: int) -> dict[str, Any]:  # noqa: ARG001
    """Return the controls: verbs of the ships; in the set-up, a random one; in the first round, another fleet."""
    if is_setting_up(state):
        return PAD | {"random": _(RANDOM)}
    return PAD | {"change": _("Change fleet")} if state.to_dict()["round"] <= 1 else PAD


def is_setting_up(state: Any) -> bool:
    """Return whether the fleets are still being chosen and placed."""
    return bool(state.to_dict()["phase"] == 0)


def task(state: Any, player: int) -> str:
    """Return what the player is asked for, in words."""
    config, v = _config(state), state.to_dict()
    kinds = {notation.decode(config, code)[0] for code in state.legal_actions().tolist()}
    fleet, number = config.fleet_sizes[player], v["setup_i"] + 1
    if PICK in kinds:
        return say("choose the class of ship {number} of {count}", number=number, count=fleet)
    if PLACE in kinds:
        cls = v["ship_cls"][player][v["setup_i"]]
        ship = f"{_(NAMES[cls])} {number}{CLASSES[cls]}"
        return say("tap a panel for {ship} ({number} of {count})", ship=ship, number=number, count=fleet)
    if v["phase"] == 0:
        return _("choose the flagship")
    return _("one ship acts")


def notebook(state: Any, player: int) -> list[dict[str, Any]]:
    """Return what the player knows: the goal, its own ships, and of the others where each may be. [section 9.4]"""
    config, v = _config(state), state.to_dict()
    lines = [{"name": _("goal"), "text": _(GOALS[config.mission]), "cells": []}]
    if v["phase"] != 1:
        return lines
    for slot in range(config.fleet_sizes[player]):
        cls, hp = v["ship_cls"][player][slot], v["ship_hp"][player][slot]
        text = (
            say("{hp} HP, {fp} FP, {aux} Aux", hp=hp, fp=v["ship_fp"][player][slot], aux=v["ship_aux"][player][slot])
            if hp > 0
            else _("sunk")
        )
        cells = [v["ship_pos"][player][slot]] if hp > 0 else []
        lines.append({"name": f"P{player} {slot + 1}{CLASSES[cls]}", "text": text, "cells": cells})
    seat = v["order"].index(player)
    planes = iter(state.observation(player)["suspects"])
    for other in v["order"][seat + 1 :] + v["order"][:seat]:
        for slot in range(config.max_fleet):
            cells = [panel for panel, value in enumerate(next(planes).ravel().tolist()) if value]
            if slot >= config.fleet_sizes[other]:
                continue
            text = (
                say("may be on {count} panels", count=len(cells)) if len(cells) > 1
                else say("is on {panel}", panel=_name(config, cells[0])) if cells else _("sunk")
            )  # fmt: skip
            lines.append({"name": f"P{other} {slot + 1}", "text": text, "cells": cells})
    return lines


def _name(config: Config, panel: int) -> str:
    """Return the name of a panel, such as A1."""
    y, x = divmod(panel, config.width)
    return f"{chr(ord('A') + x)}{y + 1}"


def choices(state: Any, player: int) -> list[Choice]:
    """Return what the player's ships may do, by ship and verb; in the set-up, classes and places."""
    config, v = _config(state), state.to_dict()
    options: list[Choice] = []
    groups: dict[tuple[int, int], list[tuple[int, int, int]]] = {}
    places: list[tuple[int, int]] = []
    for code in state.legal_actions().tolist():
        kind, slot, where, distance = notation.decode(config, code)
        if kind == PLACE:
            places.append((code, where))
        elif kind == PICK:
            options.append(Choice([code], [-1], word=f"{CLASSES[where]}: {_(NAMES[where])}"))
        elif kind == FLAG:
            ship = f"{slot + 1}{CLASSES[v['ship_cls'][player][slot]]}"
            options.append(Choice([code], [-1], word=say("flagship: {ship}", ship=ship)))
        elif kind in (PASS, RESIGN):
            word, warning = (_("pass"), "") if kind == PASS else (_("resign"), _("the game would be lost"))
            options.append(Choice([code], [-1], word=word, warns=[warning]))
        else:
            panel = v["ship_pos"][player][slot]
            target = _target(config, kind, panel, where, distance)
            groups.setdefault((slot, kind), []).append((code, target, distance))
    if places:
        options.append(Choice([code for code, _ in places], [panel for _, panel in places], RETURN, word=_("place")))
    suspects = state.observation(player)["suspects"].sum(axis=0).ravel().tolist() if groups else []
    for (slot, kind), acts in groups.items():
        codes, targets = [code for code, _, _ in acts], [target for _, target, _ in acts]
        if kind == REINFORCE:
            options.append(Choice(codes, targets, RETURN))
            continue
        brings = [
            "; ".join(filter(None, (_seen(kind, suspects[target]), _fuel(config, v, player, slot, kind, distance))))
            for _code, target, distance in acts
        ]
        unit = player * config.max_fleet + slot
        options.append(Choice(codes, targets, VERB_OF[kind], units=[unit], brings=brings))
    return options


def _seen(kind: int, ships: int) -> str:
    """Return how many enemy ships may be on the target of a shot, as far as the player knows. [section 9.4]"""
    if kind not in (ATTACK, FIRE):
        return ""
    return say("enemy ships that may be there: {count}", count=ships) if ships else _("no enemy ship can be there")


def _fuel(config: Config, v: dict[str, Any], player: int, slot: int, kind: int, distance: int) -> str:
    """Return what a command of an own ship costs and what stays. [section 3.3]"""
    if not config.fuel:
        return ""
    cls = v["ship_cls"][player][slot]
    cost = {
        ATTACK: config.attack_cost[cls],
        SAIL: config.move_fp(cls, max(1, distance)),
        LAY: config.mine_cost,
        FIRE: config.torpedo_cost,
    }[kind]
    left = v["ship_fp"][player][slot] - cost
    text = say("costs {cost} FP, {left} left", cost=cost, left=left)
    return text + _(" if all on the way is sea") if kind == SAIL and config.terrain else text


def _target(config: Config, kind: int, panel: int, where: int, distance: int) -> int:
    """Return the panel that an action of a ship on `panel` aims at."""
    if kind in (FIRE, REINFORCE):
        return where
    right, down = SAILS[where] if kind == SAIL else STEPS[where]
    y, x = divmod(panel, config.width)
    return (y + down * max(1, distance)) * config.width + x + right * max(1, distance)


def menu() -> list[Shelf]:
    """Return the nine missions, then the terrains."""
    return [
        Shelf(
            _("Missions"),
            [
                Card(
                    _(TITLES[one.name.replace("_", " ")]),
                    variant=one.name.replace("_", " "),
                    text=one.goal,
                    note=say("time up: {result}", result=one.time_up),
                )
                for one in missions()
            ],
        ),
        Shelf(_("Terrains"), [card_of("battleship", start) for start in STARTS]),
    ]


def picture(game: Any) -> Any:
    """Return a position in which the fleets have been set up, as chance will."""
    rng = Rng(sum(map(ord, game.config.mission)))
    state = game.new_state(0)
    while state.to_dict()["phase"] == 0:
        legal = state.legal_actions().tolist()
        state.apply(legal[rng.below(len(legal))])
    return state
