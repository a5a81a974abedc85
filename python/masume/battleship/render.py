"""What Battleship looks like: the terrain, ships by number with class and HP, mines, torpedoes, and what was told.

The flagship has an F after its HP.

A player's own view shows its ships, the terrain it knows and its own mines and torpedoes. An enemy ship is on it, pale,
where only one panel is left for it. [section 9.4]
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..render.canvas import Act, Frame, Outcome, Scene, Tile, Unit, Verb
from . import maps, notation
from .config import CLASSES, Config
from .knowledge import FLAGSHIP
from .notation import HEADINGS, REASONS

UNKNOWN = "?"
TILES = (
    Tile(maps.LETTERS[maps.SEA], "plain", -1, "sea"),
    Tile(maps.LETTERS[maps.REEF], "block", -1, "reef", "rock"),
    Tile(maps.LETTERS[maps.SHALLOWS], "water", -1, "shallows", "shallows"),
    Tile(maps.LETTERS[maps.FOG], "plain", -1, "fog", "mist"),
    Tile(maps.LETTERS[maps.WAVE], "water", -1, "high wave", "wave"),
)
GUN, TORPEDO, MOVE, MINE, LAUNCH, RETURN = range(6)  # places in VERBS
VERBS = (
    Verb("attack", "cross"),
    Verb("torpedo", "cross"),
    Verb("move", "arrow"),
    Verb("mine", "ring"),
    Verb("launch", "ring"),
    Verb("reinforce", "ring"),
)
DONE, HIT, MISSED, STOPPED, SUNK = range(5)  # places in OUTCOMES
OUTCOMES = (
    Outcome("done", ""),
    Outcome("hit", "!"),
    Outcome("missed", "~"),
    Outcome("stopped on the way", "×"),
    Outcome("sunk on the way", "†"),
)


def scene(state: Any, player: int | None = None) -> Scene:
    """The size of the map, its tiles, and all ships and torpedoes there can be. [section 3]"""
    config = _config(state)
    ships = [Unit(p, str(slot + 1)) for p in range(config.players) for slot in range(config.max_fleet)]
    torpedoes = [Unit(p, "t") for p in range(config.players) for _ in range(config.max_torpedoes)]
    return Scene(
        title=f"Battleship {config.width}×{config.height}, {config.mission}{_teams(config)}",
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
    )


def frame(state: Any, player: int | None = None) -> Frame:
    """One position, or what one player knows of it."""
    config, v = _config(state), state.to_dict()
    shown = [p for p in range(config.players) if player in (None, p)]
    places = [-1] * (config.players * (config.max_fleet + config.max_torpedoes))
    notes: dict[int, list[str]] = {}
    for p in shown:
        for slot, (cls, panel) in enumerate(zip(v["ship_cls"][p], v["ship_pos"][p], strict=True)):
            hp = v["ship_hp"][p][slot]
            if panel >= 0 and (hp > 0 or v["phase"] == 0):
                places[p * config.max_fleet + slot] = panel
                flag = "F" * bool(v["ship_flags"][p][slot] & FLAGSHIP)
                notes.setdefault(panel, []).append(CLASSES[cls] + (str(hp) if v["phase"] else "") + flag)
        for n in range(v["torp_n"][p]):
            places[config.players * config.max_fleet + p * config.max_torpedoes + n] = v["torp_pos"][p][n]
    for panel in range(config.panels):
        count = sum(v["mines"][p][panel] for p in shown)
        if count:
            notes.setdefault(panel, []).append(f"m{count}")
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
        notes={panel: " ".join(words) for panel, words in notes.items()},
        log=[describe(event) for event in _events(state, player)],
    )


def acts(_before: Any, _move: Any, after: Any, player: int | None = None) -> list[Act]:
    """The shots and moves of the last call, as far as `player` was told of them."""
    config, found = _config(after), []
    events = _events(after, player)
    for n, event in enumerate(events):
        panel = notation.panel_index(config, event["panel"]) if "panel" in event else -1
        unit = event["player"] * config.max_fleet + event["slot"] if "slot" in event and "player" in event else -1
        kind = event["kind"]
        if kind == "ATTACK":
            following = (other["kind"] for other in events[n + 1 :])
            outcome = HIT if next((word for word in following if word in ("HIT", "MISS")), "") == "HIT" else MISSED
            found.append(Act(unit, TORPEDO if event["torpedo"] else GUN, panel, outcome))
        elif kind == "MOVE" and panel >= 0:
            found.append(Act(unit, MOVE, panel, {"none": DONE, "sunk": SUNK}.get(event["stop"], STOPPED)))
        elif kind in ("MINE_LAID", "TORP_FIRED", "REINFORCED") and panel >= 0:
            verb = {"MINE_LAID": MINE, "TORP_FIRED": LAUNCH, "REINFORCED": RETURN}[kind]
            found.append(Act(unit, verb, panel, DONE))
    return found


def _config(state: Any) -> Config:
    config: Config = state.game.config if hasattr(state, "game") else state.config
    return config


def _name(player: int) -> str:
    return f"P{player}"


def _teams(config: Config) -> str:
    """Who fights whom, in a match of teams. [BS-90]"""
    if config.teams is None:
        return ""
    teams = [" ".join(_name(p) for p, side in enumerate(config.teams) if side == team) for team in (0, 1)]
    return f", {teams[0]} against {teams[1]}"


def _find_suspects(state: Any, config: Config, v: Mapping[str, Any], player: int, places: list[int]) -> set[int]:
    """Put the ships of others for which one panel is left on the board; the units they are."""
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
    """When it is, and in the end who won and why. [section 8]"""
    if v["phase"] == 0:
        return f"{_name(v['cur'])} chooses and places its fleet"
    limit = config.round_limit or config.max_rounds
    when = f"round {v['round']} of {limit}" if limit else f"round {v['round']}"
    if v["phase"] == 1:
        return f"{when}, {_name(v['cur'])} to move"
    winners = [p for p, side in enumerate(config.sides) if v["winners"] >> side & 1]
    names = ", ".join(map(_name, winners))
    is_draw = v["winners"] & (v["winners"] - 1)
    return f"end in {when}: {'draw of' if is_draw else 'won by'} {names}, {REASONS[v['reason']].replace('_', ' ')}"


# -- events in words ------------------------------------------------------------------------------------


def _events(state: Any, player: int | None) -> list[dict[str, Any]]:
    """What the last call caused; of a MOVE, which others hear otherwise than the mover, one record."""
    events: list[dict[str, Any]] = []
    for event in state.events(player):
        if not (event["kind"] == "MOVE" and events and events[-1]["kind"] == "MOVE"):
            events.append(event)
    return events


def _ship(event: Mapping[str, Any]) -> str:
    """The ship an event is about, by number and class as far as they are told."""
    owner = _name(event["player"])
    if "slot" not in event:
        return f"{owner}'s {event['cls']}" if "cls" in event else f"a ship of {owner}"
    if "cls" not in event:
        return f"{owner}'s ship {event['slot'] + 1}"
    return f"{owner}'s {event['slot'] + 1}{event['cls']}"


def _on(event: Mapping[str, Any]) -> str:
    return f" on {event['panel']}" if "panel" in event else ""


def _shot(event: Mapping[str, Any]) -> str:
    if not event["torpedo"]:
        who = _ship(event) if "slot" in event else _name(event["player"])
        return f"{who} attacks {event['panel']}"
    why = {1: ", at a mine", 2: ", at a reef"}.get(event.get("why", 0), "")
    return f"a torpedo of {_name(event['player'])} goes off on {event['panel']}{why}"


def _describe_move(event: Mapping[str, Any]) -> str:
    way = f" {event['dist']} {HEADINGS[event['dir']]}" if "dir" in event else " unseen"
    end = f" to {event['panel']}" if "panel" in event else ""
    stop = {"reef": ", but meets a reef", "wave": ", but a wave stops it", "sunk": ", but sinks"}
    return f"{_ship(event)} moves{way}{end}{stop.get(event['stop'], '')}"


def describe(event: Mapping[str, Any]) -> str:
    """An event (`notation.event_to_dict`) in words. [section 9.2]"""
    e = event
    who = _name(e["player"]) if "player" in e else ""
    plain: dict[str, Callable[[], str]] = {
        "TURN": lambda: f"round {e['round']}: {who}'s turn",
        "ATTACK": lambda: _shot(e),
        "HIT": lambda: f"{_ship(e)} is hit{_on(e)}" + (f", {e['hp']} HP left" if "hp" in e else ""),
        "MISS": lambda: f"nothing is hit{_on(e)}",
        "SPLASH": lambda: f"a splash by {_ship(e)}, near {e['panel']}",
        "SUNK": lambda: (
            f"{_ship(e)} sinks{_on(e)}" + {"mine": " by mines", "fuel": " without fuel"}.get(e["cause"], "")
        ),
        "MOVE": lambda: _describe_move(e),
        "MINE_HIT": lambda: f"{_ship(e)} touches {e['n']} mine{'s' * (e['n'] > 1)}{_on(e)}",
        "MINE_LAID": lambda: f"{who} lays a mine{_on(e)}",
        "MINE_LOST": lambda: f"{who} loses {e['n']} mine{'s' * (e['n'] > 1)}{_on(e)}",
        "MINE_SWEPT": lambda: f"a mine is swept{_on(e)}",
        "TORP_FIRED": lambda: f"{who} fires a torpedo" + (f" at {e['panel']}" if "panel" in e else ""),
        "TORP_MOVE": lambda: f"a torpedo of {who} is{_on(e)}",
        "SURFACED": lambda: f"{_ship(e)} surfaces",
        "DIVED": lambda: f"{_ship(e)} dives",
        "STEALTH": lambda: f"{_ship(e)} is {'hidden' if e['on'] else 'no longer hidden'} by fog",
        "FUEL_OUT": lambda: f"{_ship(e)} is out of fuel",
        "REFUEL": lambda: f"{_ship(e)} gives {e['n']} FP to ship {e['target'] + 1}",
        "REINFORCED": lambda: f"{_ship(e)} is back{_on(e)}",
        "FLAG_CHANGED": lambda: f"{who} changes its flagship" + (f" to ship {e['slot'] + 1}" if "slot" in e else ""),
        "TERRAIN": lambda: f"{who} finds {maps.NAMES[e['terrain']]}{_on(e)}",
        "STATUS": lambda: f"{_ship(e)} is{_on(e)} with {e['hp']} HP, {e['fp']} FP, {e['aux']} Aux",
        "PASS": lambda: f"{who} passes",
        "DEFEATED": lambda: f"{who} is defeated ({e['cause']})",
        "OUT": lambda: f"{who} is out ({e['cause']})",
        "GAME_OVER": lambda: f"the game is over: {e['reason'].replace('_', ' ')}",
        "START": lambda: f"the order is {', '.join(map(_name, e['order']))}",
        "SETUP": lambda: f"{_ship(e)} starts{_on(e)}" + ", the flagship" * e["flagship"],
    }
    return plain[e["kind"]]()
