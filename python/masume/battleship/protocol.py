"""What a referee asks of the game, and the messages of the course protocol. [section 13] [section 14]

The course protocol is what clients of a programming course speak with their server: preset `submarine`, a line a
message, in two dialects. Nothing here reads or writes a stream, looks at a clock or decides a rule.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from ..errors import NotationError
from ..records.replay import Forfeit
from ..referee.clock import TimeControl
from ..referee.seat import ILLEGAL
from . import maps, notation
from .config import Config
from .notation import ATTACK, MOVE, PLACE, REASONS, Action

SETUP = 0  # the phase before play [section 3.2]
STEPS = ((0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, 0))
"""(dx, dy) of the nine directions, y downward. [section 3.1]"""


# -- what a match asks ------------------------------------------------------------------------------


def penalty(state: Any, player: int, fault: Any) -> Forfeit | list[int]:
    """Whatever a player does wrong, it has lost. [BS-R51] [BS-R52] [14.3]

    Only the player to move can forfeit, and nobody before play: one who has failed while others decide forfeits in its
    next turn, and in setup the lowest legal action is played for it until its first. [section 6.1] [BS-R63]
    """
    fault.is_final = True
    if player != state.current_player:
        return []
    if state.phase == SETUP:
        return [int(state.legal_actions()[0])]
    return Forfeit(player, "illegal" if fault.cause == ILLEGAL else "timeout")


def reason(state: Any) -> str:
    """Why the game ended, by the name of section 3.2."""
    return REASONS[state.reason]


def phase(state: Any) -> str:
    """What is decided: "setup" before the first turn, then "play". [14.2]"""
    return "setup" if state.phase == SETUP else "play"


def clock(config: Config) -> TimeControl:
    """The main time of each player, and what it has at least in each turn. [BS-23] [14.4]"""
    return TimeControl(main_ms=1000 * config.time_main_s, floor_ms=1000 * config.time_floor_s)


# -- the course protocol ----------------------------------------------------------------------------


class Dialect(NamedTuple):
    """One of the two ways to speak.

    has_map : whether clients give a name and are sent the map. observation, opponent : keys. draw : the last word.
    """

    greeting: str
    has_map: bool
    observation: str
    opponent: str
    draw: str


DIALECTS = {
    "new": Dialect("This is a submarine_py server.  Tell me your name.", True, "observation", "opponent", "draw"),
    "old": Dialect("you are connected. please send me initial state.", False, "condition", "enemy", "even"),
}
SHIPS = "wcs"
"""The letters of the slots: Battleship, Destroyer, Submarine."""
YOUR_TURN, WAITING, WIN, LOSE = "your turn", "waiting", "you win", "you lose"


def is_spoken(config: Config) -> bool:
    """Whether the protocol can tell a game of this config: it is `submarine`, but for the map and the last round."""
    free = ("width", "height", maps.KIND, "max_rounds")
    given = {name: getattr(config, name) for name in free if getattr(config, name)}
    return Config.make("submarine", **given) == config


def line(message: str | Mapping[str, Any]) -> bytes:
    """A fixed word, or an object, as a line."""
    text = message if isinstance(message, str) else json.dumps(message, separators=(",", ":"))
    return text.encode() + b"\n"


def position(config: Config, panel: int) -> list[int]:
    """[x, y] of a panel, y downward."""
    y, x = divmod(panel, config.width)
    return [x, y]


def rocks(config: Config) -> list[list[int]]:
    """[x, y] of each reef."""
    codes = [] if config.terrain_map is None else maps.codes(config.terrain_map)
    return [position(config, panel) for panel, code in enumerate(codes) if code == maps.REEF]


def map_message(config: Config) -> dict[str, Any]:
    """The map, to which a client answers with the places of its ships."""
    return {"height": config.height, "width": config.width, "rock": rocks(config)}


def observation(state: Any, player: int, dialect: Dialect) -> dict[str, Any]:
    """What a player sees of the ships: its own with HP and position, those of its opponent with HP; none sunk."""
    variables = state.to_dict()
    hp, places = variables["ship_hp"], variables["ship_pos"]
    mine = {
        ship: {"hp": hp[player][slot], "position": position(state.game.config, places[player][slot])}
        for slot, ship in enumerate(SHIPS)
        if hp[player][slot]
    }
    others = {ship: {"hp": hp[1 - player][slot]} for slot, ship in enumerate(SHIPS) if hp[1 - player][slot]}
    return {dialect.observation: {"me": mine, dialect.opponent: others}}


def result(config: Config, events: Iterable[Mapping[str, Any]], player: int) -> dict[str, Any]:
    """What a player is told of the action that caused these events (`State.events(player)`); not of its own move."""
    found: dict[str, Any] = {}
    for event in events:
        kind = event["kind"]
        if kind == "ATTACK":
            found = {"attacked": {"position": position(config, notation.panel_index(config, event["panel"]))}}
        elif kind == "HIT":
            found["attacked"]["hit"] = SHIPS[event["slot"]]
        elif kind == "SPLASH":
            found["attacked"].setdefault("near", []).append(SHIPS[event["slot"]])
        elif kind == "MOVE" and event["player"] != player:
            dx, dy = STEPS[2 * event["dir"]]
            found = {"moved": {"ship": SHIPS[event["slot"]], "distance": [dx * event["dist"], dy * event["dist"]]}}
    if "attacked" in found:
        found["attacked"].setdefault("near", [])
    return {"result": found} if found else {}


def read_places(config: Config, text: str) -> list[int]:
    """The actions that place the ships as a client's first object says; NotationError where it says no places."""
    message = _object(text)
    return [
        notation.encode(config, Action(PLACE, where=_panel(config, message.get(ship), ship))) for ship in SHIPS
    ]  # fmt: skip


def read_action(state: Any, text: str) -> int:
    """The legal action that a client's object is; an attack is of the first ship that can. [section 13]

    NotationError where it is none, or is not allowed.
    """
    config = state.game.config
    message = _object(text)
    attack, move = message.get("attack"), message.get("move")
    if isinstance(attack, dict) and move is None:
        kind, slot, target = ATTACK, None, _panel(config, attack.get("to"), "to")
    elif isinstance(move, dict) and attack is None and move.get("ship") in tuple(SHIPS):
        kind, slot, target = MOVE, SHIPS.index(move["ship"]), _panel(config, move.get("to"), "to")
    else:
        raise NotationError(f"{text!r:.80} is no attack and no move of w, c or s")
    places = state.to_dict()["ship_pos"][state.current_player]
    for code in state.legal_actions().tolist():
        action = notation.decode(config, code)
        if action.kind == kind and slot in (None, action.slot) and _target(config, action, places) == target:
            return int(code)
    raise NotationError(f"{text!r:.80} is not allowed now")


def _target(config: Config, action: Action, places: list[int]) -> int:
    """The panel that an attack hits, or a move ends on."""
    is_move = action.kind == MOVE
    dx, dy = STEPS[2 * action.where if is_move else action.where]
    return places[action.slot] + (dy * config.width + dx) * (action.distance if is_move else 1)


def _object(text: str) -> dict[str, Any]:
    try:
        message = json.loads(text)
    except (ValueError, RecursionError):
        message = None
    if not isinstance(message, dict):
        raise NotationError(f"{text!r:.80} is no JSON object")
    return message


def _panel(config: Config, given: Any, name: str) -> int:
    if isinstance(given, list) and len(given) == 2 and all(type(value) is int for value in given):
        x, y = given
        if 0 <= x < config.width and 0 <= y < config.height:
            return int(y * config.width + x)
    raise NotationError(f"{name}: [x, y] on the map is wanted, not {given!r:.60}")
