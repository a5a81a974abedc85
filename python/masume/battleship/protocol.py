"""Functions that the referee calls for the game, and the messages of the course protocol. [section 13] [section 14]

The course protocol is the protocol between the clients and the server of a programming course: preset `submarine`, one
message per line, in two dialects. This module does not read or write streams, look at clocks or decide rules.
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


# -- functions for the referee ----------------------------------------------------------------------


def penalty(state: Any, player: int, fault: Any) -> Forfeit | list[int]:
    """Return the penalty for a fault of a player: it loses the game. [BS-R51] [BS-R52] [14.3]

    Only the player to move can forfeit, and only in play. A player who fails while others decide forfeits in its next
    turn; during setup, the lowest legal action is played for it until its first turn. [section 6.1] [BS-R63]

    Parameters
    ----------
    state : State
        Current position.
    player : int
        Player at fault.
    fault : masume.referee.seat.Fault
        The fault; it becomes final.

    Returns
    -------
    Forfeit or list of int
        A forfeit for "illegal" or "timeout", the action to play in setup, or [] if the player is not to move.
    """
    fault.is_final = True
    if player != state.current_player:
        return []
    if state.phase == SETUP:
        return [int(state.legal_actions()[0])]
    return Forfeit(player, "illegal" if fault.cause == ILLEGAL else "timeout")


def reason(state: Any) -> str:
    """Return the reason of the end by its name in section 3.2."""
    return REASONS[state.reason]


def phase(state: Any) -> str:
    """Return the phase of the game: "setup" before the first turn, then "play". [14.2]"""
    return "setup" if state.phase == SETUP else "play"


def clock(config: Config) -> TimeControl:
    """Return the time control: main time per player, and minimum time per turn. [BS-23] [14.4]"""
    return TimeControl(main_ms=1000 * config.time_main_s, floor_ms=1000 * config.time_floor_s)


# -- the course protocol ----------------------------------------------------------------------------


class Dialect(NamedTuple):
    """One of the two dialects of the course protocol.

    Attributes
    ----------
    greeting : str
        First line that the server sends.
    has_map : bool
        Whether clients send a name and receive the map.
    observation, opponent : str
        Keys in messages.
    draw : str
        Last message of a drawn game.
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
"""Letters of the slots 0..2: Battleship, Destroyer, Submarine."""
YOUR_TURN, WAITING, WIN, LOSE = "your turn", "waiting", "you win", "you lose"


def is_spoken(config: Config) -> bool:
    """Return whether the protocol supports the config: preset `submarine` with any size, map, rounds and times."""
    free = ("width", "height", maps.KIND, "max_rounds")
    given = {name: getattr(config, name) for name in free if getattr(config, name)}
    given |= {name: getattr(config, name) for name in ("time_main_s", "time_floor_s")}
    return Config.make("submarine", **given) == config


def line(message: str | Mapping[str, Any]) -> bytes:
    """Return a fixed text or an object as one line of bytes."""
    text = message if isinstance(message, str) else json.dumps(message, separators=(",", ":"))
    return text.encode() + b"\n"


def position(config: Config, panel: int) -> list[int]:
    """Return [x, y] of a panel, y downward."""
    y, x = divmod(panel, config.width)
    return [x, y]


def rocks(config: Config) -> list[list[int]]:
    """Return [x, y] of each reef of the map."""
    codes = [] if config.terrain_map is None else maps.codes(config.terrain_map)
    return [position(config, panel) for panel, code in enumerate(codes) if code == maps.REEF]


def map_message(config: Config) -> dict[str, Any]:
    """Return the message with the map; clients answer with the places of their ships."""
    return {"height": config.height, "width": config.width, "rock": rocks(config)}


def observation(state: Any, player: int, dialect: Dialect) -> dict[str, Any]:
    """Return the message with the living ships: the player's with HP and position, its opponent's with HP."""
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
    """Return the message to a player about the action with these events; {} for its own move.

    Parameters
    ----------
    config : Config
        Config of the game.
    events : iterable of mapping
        Events of one call (`State.events(player)`).
    player : int
        Player who receives the message.
    """
    message: dict[str, Any] = {}
    for event in events:
        kind = event["kind"]
        if kind == "ATTACK":
            message = {"attacked": {"position": position(config, notation.panel_index(config, event["panel"]))}}
        elif kind == "HIT":
            message["attacked"]["hit"] = SHIPS[event["slot"]]
        elif kind == "SPLASH":
            message["attacked"].setdefault("near", []).append(SHIPS[event["slot"]])
        elif kind == "MOVE" and event["player"] != player:
            dx, dy = STEPS[2 * event["dir"]]
            message = {"moved": {"ship": SHIPS[event["slot"]], "distance": [dx * event["dist"], dy * event["dist"]]}}
    if "attacked" in message:
        message["attacked"].setdefault("near", [])
    return {"result": message} if message else {}


def read_places(config: Config, text: str) -> list[int]:
    """Return the actions that place the ships by a client's first object.

    Parameters
    ----------
    config : Config
        Config of the game.
    text : str
        JSON object with [x, y] for each ship letter `w`, `c` and `s`.

    Raises
    ------
    NotationError
        If the text is not such an object.
    """
    message = _object(text)
    return [
        notation.encode(config, Action(PLACE, where=_panel(config, message.get(ship), ship))) for ship in SHIPS
    ]  # fmt: skip


def read_action(state: Any, text: str) -> int:
    """Return the legal action of a client's object; the first ship that can attack does so. [section 13]

    Parameters
    ----------
    state : State
        Position with the client to move.
    text : str
        JSON object with the key `attack` or `move`.

    Raises
    ------
    NotationError
        If the text is not such an object, or the action is not legal.
    """
    config = state.game.config
    message = _object(text)
    attack, move = message.get("attack"), message.get("move")
    if isinstance(attack, dict) and move is None:
        kind, slot, target = ATTACK, None, _panel(config, attack.get("to"), "to")
    elif isinstance(move, dict) and attack is None and move.get("ship") in tuple(SHIPS):
        kind, slot, target = MOVE, SHIPS.index(move["ship"]), _panel(config, move.get("to"), "to")
    else:
        raise NotationError(f"expected an attack or a move of w, c or s, got {text!r:.80}")
    places = state.to_dict()["ship_pos"][state.current_player]
    for code in state.legal_actions().tolist():
        action = notation.decode(config, code)
        if action.kind == kind and slot in (None, action.slot) and target_of(config, action, places) == target:
            return int(code)
    raise NotationError(f"{text!r:.80} is not allowed now")


def target_of(config: Config, action: Action, places: list[int]) -> int:
    """Return the target of an attack, or the destination of a move."""
    is_move = action.kind == MOVE
    dx, dy = STEPS[2 * action.where if is_move else action.where]
    return places[action.slot] + (dy * config.width + dx) * (action.distance if is_move else 1)


def _object(text: str) -> dict[str, Any]:
    try:
        message = json.loads(text)
    except (ValueError, RecursionError):
        message = None
    if not isinstance(message, dict):
        raise NotationError(f"{text!r:.80} is not a JSON object")
    return message


def _panel(config: Config, given: Any, name: str) -> int:
    if isinstance(given, list) and len(given) == 2 and all(type(value) is int for value in given):
        x, y = given
        if 0 <= x < config.width and 0 <= y < config.height:
            return int(y * config.width + x)
    raise NotationError(f"{name}: expected [x, y] on the map, got {given!r:.60}")
