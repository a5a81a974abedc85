"""The match server's Game JSON: write it from the turns of a game, read it back and verify it.

A Game JSON (section 14.4 of the rules) contains the board, every action with its result code, and the points
after each turn. Reading one replays its log; the resulting tiles, agents, points and result codes must equal
those of the JSON. [KM-52] [KM-53]
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from ..errors import ConfigError, ReplayError
from .config import Config
from .reference import State

Entry = tuple[int, str, int, int]
Turn = list[list[Entry]]
"""A turn in list form: per player a list of entries (agent, type, x, y)."""

TYPE_NUMBERS = {"PUT": 1, "STAY": 2, "MOVE": 3, "REMOVE": 4}  # the server calls STAY "NONE"
TYPES = {number: name for name, number in TYPE_NUMBERS.items()}
KEYS = {
    "id", "status", "turn", "totalTurn", "nPlayer", "nAgent", "operationSec", "transitionSec", "startedAtUnixTime",
    "field", "players", "log", "name", "reservedUsers", "type",
}  # fmt: skip
FIELD_KEYS = {"width", "height", "points", "tiles"}
NONE_RESULT = 5  # the server logs a STAY, whose result code is 0, as 5 [KM-R19]


def game_to_json(
    config: Config,
    turns: Sequence[Sequence[Sequence[Sequence[Any]]]],
    *,
    game_id: str = "00000000-0000-4000-8000-000000000000",
    names: Sequence[str] | None = None,
    started_at: int = 0,
    new_state: Callable[[Config], Any] = State.new,
) -> dict[str, Any]:
    """Return the Game JSON of a game with these turns.

    Parameters
    ----------
    config : Config
        Config of the game.
    turns : sequence
        The turns in list form. An invalid action is logged with its result code and played as STAY. Agents
        without an entry are not logged.
    game_id : str, optional
        UUID of the game.
    names : sequence of str, optional
        One name per player.
    started_at : int, optional
        Start of the game in Unix seconds.
    new_state : callable, optional
        Creates the initial state from the config.

    Returns
    -------
    dict
        The object, as plain JSON types. Its status is "ended" if all turns are given, else "gaming".

    Raises
    ------
    ValueError
        If a turn is malformed or the number of names is wrong.
    GameOverError
        If there are more turns than the game has.
    """
    if names is None:
        names = [f"player {player}" for player in range(config.n_players)]
    if len(names) != config.n_players:
        raise ValueError(f"names: expected {config.n_players}, got {names!r}")
    state = new_state(config)
    log = [log_turn(state, turn) for turn in turns]
    return {
        "id": game_id,
        "status": "ended" if state.is_terminal() else "gaming",
        "turn": state.turn,
        "totalTurn": config.total_turns,
        "nPlayer": config.n_players,
        "nAgent": config.n_agents,
        "operationSec": config.operation_sec,
        "transitionSec": config.transition_sec,
        "startedAtUnixTime": started_at,
        "field": field(config, state),
        "players": [
            {"id": name, "spec": "", "type": "guest", **shown}
            for name, shown in zip(names, sides(config, state), strict=True)
        ],
        "log": log,
        "reservedUsers": [],
        "type": "self",
    }


def to_line(value: Any) -> bytes:
    """Return a value as one line of ASCII JSON; other characters are escaped."""
    return json.dumps(value, separators=(",", ":")).encode("ascii")


def log_turn(state: Any, turn: Sequence[Sequence[Sequence[Any]]]) -> dict[str, Any]:
    """Play a turn in list form; return its log entry: result codes and the points after it. [section 14.4]"""
    codes = state.apply_lists(turn, on_illegal="fallback")
    return {
        "players": [
            {"point": point, "actions": [_log_entry(*pair) for pair in zip(entries, results, strict=True)]}
            for point, entries, results in zip(_points(state), turn, codes, strict=True)
        ]
    }


def field(config: Config, state: Any) -> dict[str, Any]:
    """Return the board: its size, and the points and owner of each cell, row-major. [section 14.4]"""
    return {
        "width": config.width,
        "height": config.height,
        "points": list(config.board_points()),
        "tiles": _tiles(state),
    }


def sides(config: Config, state: Any, cells: Sequence[Sequence[int]] | None = None) -> list[dict[str, Any]]:
    """Return the agents' positions and the points of each player. [section 14.4]

    Parameters
    ----------
    config : Config
        Config of the game.
    state : State
        The position.
    cells : sequence of sequence of int, optional
        The cell of each agent of each player, -1 if not placed; read from the state if None.
    """
    pairs = zip(_agents(config, state.to_dict()["pos"] if cells is None else cells), _points(state), strict=True)
    return [{"agents": agents, "point": point} for agents, point in pairs]


def game_from_json(
    source: Any,
    *,
    put_on_enemy_wall: str = "server",
    new_state: Callable[[Config], Any] = State.new,
) -> tuple[Config, list[Turn]]:
    """Return the config and the turns of a Game JSON after replaying and verifying its log.

    Parameters
    ----------
    source : str or mapping
        JSON text or the parsed object, of a game that has a start time.
    put_on_enemy_wall : str, optional
        The rule that the game was played by; the match server supports "server" only. [KM-R6]
    new_state : callable, optional
        Creates the initial state from the config.

    Returns
    -------
    Config
        Config of the game.
    list
        The turns in list form.

    Raises
    ------
    ReplayError
        If the JSON is malformed or its log does not replay to the values it contains. The message names the place
        and its value.
    """
    if isinstance(source, str):
        try:
            source = json.loads(source)
        except (ValueError, RecursionError) as error:
            raise ReplayError(f"game: not JSON: {error}") from None
    game = _Place("", source)
    config = _config(game, put_on_enemy_wall)
    log = game["log"].array()
    _check_head(game, config, len(log))
    state = new_state(config)
    turns: list[Turn] = []
    for entry in log:
        players = entry["players"].array(config.n_players)
        actions = [player["actions"].array() for player in players]
        turn = [[_entry(action) for action in turn_actions] for turn_actions in actions]
        replayed = log_turn(state, turn)["players"]
        for turn_actions, turn_log in zip(actions, replayed, strict=True):
            for action, logged in zip(turn_actions, turn_log["actions"], strict=True):
                action["res"].compare(logged["res"])
        _compare_points(players, state)
        turns.append(turn)
    _compare_end(game, config, state)
    _name_unknown(source)
    return config, turns


def config_from_json(source: Mapping[str, Any], put_on_enemy_wall: str = "server") -> Config:
    """Return the config of a Game JSON that has its board; raise ReplayError, which names the place, if malformed."""
    return _config(_Place("", source), put_on_enemy_wall)


def _log_entry(entry: Sequence[Any], code: int) -> dict[str, int]:
    """Return the log entry of an action with its result code."""
    agent, kind, x, y = entry
    result = NONE_RESULT if kind == "STAY" and code == 0 else code
    return {"agentId": agent, "type": TYPE_NUMBERS[kind], "x": x, "y": y, "res": result}


def _points(state: Any) -> list[dict[str, int]]:
    """Return the `point` object of each player."""
    pairs = zip(state.territory_points, state.wall_points, strict=True)
    return [{"areaPoint": int(territory), "wallPoint": int(wall)} for territory, wall in pairs]


def _tiles(state: Any) -> list[dict[str, int | None]]:
    variables = state.to_dict()
    return [tile(*owners) for owners in zip(variables["wall"], variables["area"], strict=True)]


def tile(wall: int, territory: int) -> dict[str, int | None]:
    """Return the tile of a cell from its owners (-1: nobody): type 1 for a wall, else 0; player None if neutral."""
    return {"type": int(wall >= 0), "player": wall if wall >= 0 else territory if territory >= 0 else None}


def _agents(config: Config, cells: Sequence[Sequence[int]]) -> list[list[dict[str, int]]]:
    """Return the column and row of each agent, both -1 if it is not placed."""
    return [
        [{"x": cell % config.width if cell >= 0 else -1, "y": cell // config.width} for cell in mine] for mine in cells
    ]


# -- reading ------------------------------------------------------------------------------------------


class _Place:
    """A value of a parsed JSON and its path; a failed check raises ReplayError."""

    def __init__(self, path: str, value: Any) -> None:
        self.path, self.value = path, value

    def check(self, is_so: bool, wanted: str) -> None:
        if not is_so:
            raise ReplayError(f"{self.path or 'game'}: expected {wanted}, got {self.value!r}")

    def __getitem__(self, key: str) -> _Place:
        self.check(isinstance(self.value, Mapping), "an object")
        path = f"{self.path}.{key}" if self.path else key
        if key not in self.value:
            raise ReplayError(f"{path}: missing")
        return _Place(path, self.value[key])

    def __contains__(self, key: str) -> bool:
        return key in self.value

    def array(self, length: int | None = None) -> list[_Place]:
        self.check(isinstance(self.value, list), "an array")
        self.check(length is None or len(self.value) == length, f"an array of {length}")
        return [_Place(f"{self.path}[{n}]", value) for n, value in enumerate(self.value)]

    def integer(self) -> int:
        self.check(isinstance(self.value, int) and not isinstance(self.value, bool), "an int")
        return int(self.value)

    def text(self, choices: Collection[str] | None = None) -> str:
        self.check(isinstance(self.value, str), "a string")
        self.check(choices is None or self.value in choices, f"one of {', '.join(choices or ())}")
        return str(self.value)

    def compare(self, replayed: int | None) -> None:
        if self.value is not None:
            self.integer()
        if self.value != replayed:
            raise ReplayError(f"{self.path}: expected {replayed!r}, as the moves give, got {self.value!r}")


def _config(game: _Place, put_on_enemy_wall: str) -> Config:
    field = game["field"]
    try:
        return Config(
            width=field["width"].integer(),
            height=field["height"].integer(),
            n_players=game["nPlayer"].integer(),
            n_agents=game["nAgent"].integer(),
            total_turns=game["totalTurn"].integer(),
            points=tuple(point.integer() for point in field["points"].array()),
            put_on_enemy_wall=put_on_enemy_wall,
            operation_sec=game["operationSec"].value,
            transition_sec=game["transitionSec"].value,
        )
    except ConfigError as error:
        raise ReplayError(f"game: {error}") from None


def _check_head(game: _Place, config: Config, logged: int) -> None:
    """Check the descriptive fields, the status and the turn number. [KM-R26]"""
    game["id"].text()
    game["type"].text(("normal", "self", "personal"))
    for user in game["reservedUsers"].array():
        user.text()
    if "name" in game:
        game["name"].text()
    game["startedAtUnixTime"].integer()
    game["log"].check(logged <= config.total_turns, f"an array of at most {config.total_turns}")
    ended, begun = logged == config.total_turns, logged > 0
    status = game["status"].text(("ended",) if ended else ("gaming",) if begun else ("ready", "gaming"))
    game["turn"].compare(0 if status == "ready" else min(logged + 1, config.total_turns))


def _name_unknown(source: Mapping[str, Any]) -> None:
    """Warn of the keys of a Game JSON, and of its board, that are not in the format. [section 14.4]"""
    places = (("", source, KEYS), ("field.", source["field"], FIELD_KEYS))
    told = [f"'{place}{key}'" for place, found, known in places for key in found if key not in known]
    if told:
        warnings.warn(f"game: unknown keys are left out: {', '.join(told)}", UserWarning, stacklevel=3)


def _entry(action: _Place) -> Entry:
    kind = action["type"].integer()
    action["type"].check(kind in TYPES, "1, 2, 3 or 4")
    return action["agentId"].integer(), TYPES[kind], action["x"].integer(), action["y"].integer()


def _compare_points(players: Sequence[_Place], state: Any) -> None:
    for player, points in zip(players, _points(state), strict=True):
        for key, value in points.items():
            player["point"][key].compare(value)


def _compare_end(game: _Place, config: Config, state: Any) -> None:
    """Compare tiles, agents and points with the replayed position."""
    tiles = _tiles(state)
    for tile, replayed in zip(game["field"]["tiles"].array(len(tiles)), tiles, strict=True):
        for key, value in replayed.items():
            tile[key].compare(value)
    players = game["players"].array(config.n_players)
    for player, agents in zip(players, _agents(config, state.to_dict()["pos"]), strict=True):
        player["id"].text()
        player["type"].text(("account", "guest"))
        if "spec" in player:
            player["spec"].text()
        for agent, cell in zip(player["agents"].array(config.n_agents), agents, strict=True):
            for key, value in cell.items():
                agent[key].compare(value)
    _compare_points(players, state)
