"""Pictures of Battleship: terrain, ships by number with class and HP, mines, torpedoes, and events in words.

The view of a player shows its ships, the terrain it knows, and its mines and torpedoes. An enemy ship is drawn pale on
its panel if only one panel is possible. [section 9.4]
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..core.language import say
from ..core.language import translate as _
from ..render.canvas import Act, Frame, Outcome, Scene, Tile, Unit, Verb
from . import maps, notation
from .config import CLASSES, Config
from .knowledge import FLAGSHIP
from .notation import HEADINGS, REASONS
from .shapes import SHAPES

UNKNOWN = "?"
TILES = (
    Tile(maps.LETTERS[maps.SEA], "plain", -1, "sea"),
    Tile(maps.LETTERS[maps.REEF], "block", -1, "reef", "rock"),
    Tile(maps.LETTERS[maps.SHALLOWS], "water", -1, "shallows", "shallows"),
    Tile(maps.LETTERS[maps.FOG], "plain", -1, "fog", "mist"),
    Tile(maps.LETTERS[maps.WAVE], "water", -1, "high wave", "wave"),
)
GUN, TORPEDO, MOVE, MINE, LAUNCH, RETURN = range(6)  # indices into VERBS
VERBS = (
    Verb("attack", "cross"),
    Verb("torpedo", "cross"),
    Verb("move", "arrow"),
    Verb("mine", "ring"),
    Verb("launch", "ring"),
    Verb("reinforce", "ring"),
)
DONE, HIT, MISSED, STOPPED, SUNK = range(5)  # indices into OUTCOMES
OUTCOMES = (
    Outcome("done", ""),
    Outcome("hit", "!"),
    Outcome("missed", "~"),
    Outcome("stopped on the way", "×"),
    Outcome("sunk on the way", "†"),
)


def scene(state: Any, player: int | None = None) -> Scene:
    """Return what all pictures of a game share: map size, tiles, and possible ships and torpedoes. [section 3]"""
    config = _config(state)
    ships = [
        Unit(p, str(slot + 1), "unknown", str(slot + 1))
        for p in range(config.players)
        for slot in range(config.max_fleet)
    ]
    torpedoes = [Unit(p, "t", "torpedo") for p in range(config.players) for _ in range(config.max_torpedoes)]
    return Scene(
        title=f"{_('Battleship')} {config.width}×{config.height}, {config.mission}{_teams(config)}",
        width=config.width,
        height=config.height,
        players=tuple(map(_name, range(config.players))),
        score_names=("score", "ships"),
        tiles=TILES if player is None else (Tile(UNKNOWN, "unknown", -1, "not known"), *TILES),
        units=(*ships, *torpedoes),
        verbs=VERBS,
        outcomes=OUTCOMES,
        columns=tuple("ABCDEFGHI"[: config.width]),
        rows=tuple(str(row + 1) for row in range(config.height)),
        hides=True,
        shapes=SHAPES,
    )


def frame(state: Any, player: int | None = None) -> Frame:
    """Return the picture of a position, or of one player's knowledge of it."""
    config, v = _config(state), state.to_dict()
    shown = [p for p in range(config.players) if player in (None, p)]
    places = [-1] * (config.players * (config.max_fleet + config.max_torpedoes))
    notes, looks, pips = {}, {}, {}
    for p in shown:
        for slot, (cls, panel) in enumerate(zip(v["ship_cls"][p], v["ship_pos"][p], strict=True)):
            hp = v["ship_hp"][p][slot]
            if panel >= 0 and (hp > 0 or v["phase"] == 0):
                unit = p * config.max_fleet + slot
                places[unit] = panel
                looks[unit] = CLASSES[cls] + "F" * bool(v["ship_flags"][p][slot] & FLAGSHIP)
                if v["phase"]:
                    pips[unit] = hp, config.hp[cls]
        for n in range(v["torp_n"][p]):
            places[config.players * config.max_fleet + p * config.max_torpedoes + n] = v["torp_pos"][p][n]
    for panel in range(config.panels):
        count = sum(v["mines"][p][panel] for p in shown)
        if count:
            notes[panel] = f"m{count}"
    faint = set() if player is None else _find_suspects(state, config, v, player, places)
    over = v["phase"] == 2
    known = [player is None or v["known"][panel] >> player & 1 for panel in range(config.panels)]
    return Frame(
        caption=_caption(config, v),
        scores=[
            (int(score) if player is None or over else None, sum(hp > 0 for hp in v["ship_hp"][p]))
            for p, score in enumerate(state.scores())
        ],
        cells="".join(
            maps.LETTERS[code] if is_known else UNKNOWN for code, is_known in zip(v["terrain"], known, strict=True)
        ),
        places=tuple(places),
        faint=faint,
        notes=notes,
        looks=looks,
        pips=pips,
        log=[describe(event) for event in _events(state, player)],
    )


def acts(_before: Any, _move: Any, after: Any, player: int | None = None) -> list[Act]:
    """Return the shots and moves of the last call that `player` knows of (None: all)."""
    config, drawn = _config(after), []
    events = _events(after, player)
    for n, event in enumerate(events):
        panel = notation.panel_index(config, event["panel"]) if "panel" in event else -1
        unit = event["player"] * config.max_fleet + event["slot"] if "slot" in event and "player" in event else -1
        kind = event["kind"]
        if kind == "ATTACK":
            following = (other["kind"] for other in events[n + 1 :])
            outcome = HIT if next((word for word in following if word in ("HIT", "MISS")), "") == "HIT" else MISSED
            drawn.append(Act(unit, TORPEDO if event["torpedo"] else GUN, panel, outcome))
        elif kind == "MOVE" and panel >= 0:
            drawn.append(Act(unit, MOVE, panel, {"none": DONE, "sunk": SUNK}.get(event["stop"], STOPPED)))
        elif kind in ("MINE_LAID", "TORP_FIRED", "REINFORCED") and panel >= 0:
            verb = {"MINE_LAID": MINE, "TORP_FIRED": LAUNCH, "REINFORCED": RETURN}[kind]
            drawn.append(Act(unit, verb, panel, DONE))
    return drawn


def _config(state: Any) -> Config:
    config: Config = state.game.config if hasattr(state, "game") else state.config
    return config


def _name(player: int) -> str:
    return f"P{player}"


def _teams(config: Config) -> str:
    """Return the teams as text; empty without teams. [BS-90]"""
    if config.teams is None:
        return ""
    teams = [" ".join(_name(p) for p, side in enumerate(config.teams) if side == team) for team in (0, 1)]
    return say(", {team} against {other}", team=teams[0], other=teams[1])


def _find_suspects(state: Any, config: Config, v: Mapping[str, Any], player: int, places: list[int]) -> set[int]:
    """Write the panels of others' ships with a single candidate into `places`; return these units."""
    order = v["order"] if v["phase"] else list(range(config.players))
    seat = order.index(player)
    found = set()
    planes = iter(state.observation(player)["suspects"])
    for p in order[seat + 1 :] + order[:seat]:
        for slot in range(config.max_fleet):
            cells = [value for row in next(planes) for value in row]
            if sum(cells) == 1:
                places[p * config.max_fleet + slot] = [bool(value) for value in cells].index(True)
                found.add(p * config.max_fleet + slot)
    return found


def _caption(config: Config, v: Mapping[str, Any]) -> str:
    """Return the caption: round and player to move; at the end, the winners and the reason. [section 8]"""
    if v["phase"] == 0:
        return say("{player} chooses and places its fleet", player=_name(v["cur"]))
    limit = config.round_limit or config.max_rounds
    when = say("round {round} of {rounds}" if limit else "round {round}", round=v["round"], rounds=limit)
    if v["phase"] == 1:
        return say("{when}, {player} to move", when=when, player=_name(v["cur"]))
    winners = [p for p, side in enumerate(config.sides) if v["winners"] >> side & 1]
    names = ", ".join(map(_name, winners))
    is_draw = v["winners"] & (v["winners"] - 1)
    template = "end in {when}: draw of {players}, {reason}" if is_draw else "end in {when}: won by {players}, {reason}"
    return say(template, when=when, players=names, reason=_(REASONS[v["reason"]]).replace("_", " "))


# -- events in words ------------------------------------------------------------------------------------


def _events(state: Any, player: int | None) -> list[dict[str, Any]]:
    """Return the events of the last call, with one record per MOVE (the mover and the others have one each)."""
    events: list[dict[str, Any]] = []
    for event in state.events(player):
        if not (event["kind"] == "MOVE" and events and events[-1]["kind"] == "MOVE"):
            events.append(event)
    return events


def _ship(event: Mapping[str, Any]) -> str:
    """Return the name of an event's ship, with number and class if visible."""
    owner = _name(event["player"])
    if "slot" not in event:
        return (
            say("{player}'s {ship}", player=owner, ship=event["cls"])
            if "cls" in event
            else say("a ship of {player}", player=owner)
        )
    if "cls" not in event:
        return say("{player}'s ship {number}", player=owner, number=event["slot"] + 1)
    return say("{player}'s {ship}", player=owner, ship=f"{event['slot'] + 1}{event['cls']}")


def _on(event: Mapping[str, Any]) -> str:
    return say(" on {panel}", panel=event["panel"]) if "panel" in event else ""


def _shot(event: Mapping[str, Any]) -> str:
    if not event["torpedo"]:
        who = _ship(event) if "slot" in event else _name(event["player"])
        return say("{ship} attacks {panel}", ship=who, panel=event["panel"])
    template = {
        1: "a torpedo of {player} goes off on {panel}, at a mine",
        2: "a torpedo of {player} goes off on {panel}, at a reef",
    }.get(event.get("why", 0), "a torpedo of {player} goes off on {panel}")
    return say(template, player=_name(event["player"]), panel=event["panel"])


def _describe_move(event: Mapping[str, Any]) -> str:
    if "dir" in event:
        way = say(" {distance} {heading}", distance=event["dist"], heading=_(HEADINGS[event["dir"]]))
    else:
        way = _(" unseen")
    end = say(" to {panel}", panel=event["panel"]) if "panel" in event else ""
    stop = {"reef": ", but meets a reef", "wave": ", but a wave stops it", "sunk": ", but sinks"}
    return say("{ship} moves{way}{end}{stop}", ship=_ship(event), way=way, end=end, stop=_(stop.get(event["stop"], "")))


WORDS = {
    "TURN": "round {round}: {player}'s turn",
    "MISS": "nothing is hit{here}",
    "SPLASH": "a splash by {ship}, near {panel}",
    "MINE_LAID": "{player} lays a mine{here}",
    "MINE_SWEPT": "a mine is swept{here}",
    "TORP_MOVE": "a torpedo of {player} is{here}",
    "SURFACED": "{ship} surfaces",
    "DIVED": "{ship} dives",
    "FUEL_OUT": "{ship} is out of fuel",
    "REFUEL": "{ship} gives {n} FP to ship {other}",
    "REINFORCED": "{ship} is back{here}",
    "TERRAIN": "{player} finds {terrain}{here}",
    "STATUS": "{ship} is{here} with {hp} HP, {fp} FP, {aux} Aux",
    "PASS": "{player} passes",
    "DEFEATED": "{player} is defeated ({cause})",
    "OUT": "{player} is out ({cause})",
    "GAME_OVER": "the game is over: {reason}",
    "START": "the order is {players}",
}
"""Templates of events, by kind."""


PAIRS = {
    "HIT": ("{ship} is hit{here}", "{ship} is hit{here}, {hp} HP left"),
    "MINE_HIT": ("{ship} touches 1 mine{here}", "{ship} touches {n} mines{here}"),
    "MINE_LOST": ("{player} loses 1 mine{here}", "{player} loses {n} mines{here}"),
    "TORP_FIRED": ("{player} fires a torpedo", "{player} fires a torpedo at {panel}"),
    "STEALTH": ("{ship} is no longer hidden by fog", "{ship} is hidden by fog"),
    "FLAG_CHANGED": ("{player} changes its flagship", "{player} changes its flagship to ship {number}"),
    "SETUP": ("{ship} starts{here}", "{ship}, the flagship, starts{here}"),
}
"""Templates of events that say less or more, by kind."""
MORE = {"HIT": "hp", "TORP_FIRED": "panel", "FLAG_CHANGED": "slot", "STEALTH": "on", "SETUP": "flagship"}
"""The entry of an event that says more, if it is there and not False; of mines: several."""
SINKS = {"mine": "{ship} sinks{here} by mines", "fuel": "{ship} sinks{here} without fuel"}


def describe(event: dict[str, Any]) -> str:
    """Return an event (`notation.event_to_dict`) in words. [section 9.2]"""
    kind = event["kind"]
    if kind == "ATTACK":
        return _shot(event)
    if kind == "MOVE":
        return _describe_move(event)
    own = {"here": _on(event), "number": event.get("slot", 0) + 1, "other": event.get("target", 0) + 1}
    if "player" in event:
        own |= {"player": _name(event["player"]), "ship": _ship(event)}
    own |= {key: _(event[key]).replace("_", " ") for key in ("cause", "reason") if key in event}
    if "terrain" in event:
        own["terrain"] = _(maps.NAMES[event["terrain"]])
    if "order" in event:
        own["players"] = ", ".join(map(_name, event["order"]))
    values = event | own
    if kind == "SUNK":
        return say(SINKS.get(event["cause"], "{ship} sinks{here}"), **values)
    if kind in WORDS:
        return say(WORDS[kind], **values)
    says_more = event.get(MORE[kind], False) is not False if kind in MORE else event["n"] > 1
    return say(PAIRS[kind][says_more], **values)
