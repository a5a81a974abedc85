"""Board files in the match server's format, and the nine shipped boards. [KM-53]"""

from __future__ import annotations

import dataclasses
import functools
import json
import re
import warnings
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self

from ..core.config import describe_unknown, integer, string, suggest
from ..errors import ConfigError, ConfigTypeError
from .fields import HARD_RANGES, flat_points
from .fields import seconds as checked_seconds

if TYPE_CHECKING:
    from .config import Config

REQUIRED = {"name": "name", "width": "width", "height": "height", "points": "points"}
OPTIONAL = {
    "nAgent": "n_agents",
    "nPlayer": "n_players",
    "totalTurn": "total_turns",
    "operationSec": "operation_sec",
    "transitionSec": "transition_sec",
}
OLDER = {"nagent": "nAgent", "nplayer": "nPlayer", "nturn": "totalTurn", "nTurn": "totalTurn"}
"""What the keys of the match servers before 1.0.0-beta.12 are called now."""
SECONDS = ("nsec", "nSec")  # on the same servers: from turn to turn
CONTEST_NAME = "contest-2019"
CONTEST_KEYS = {"teams", "startedAtUnixTime", "turn", "tiled", "actions"}
"""Keys of the contest of 2019 that say nothing about the board, but for the number of agents."""
KIND = "board"  # name of the argument of `load` that takes a board
_TEXT = re.compile(r"\s*(\{|\[\s*([\[\]{]|$))")


@dataclasses.dataclass(frozen=True)
class Board:
    """A board and the settings of a match on it; the defaults are those of the format, not of Config.

    Attributes
    ----------
    name : str
        Name of the board.
    width, height : int
        Size in cells, 1..30 each.
    points : tuple of int
        Points of the cells, -32768..32767 each. Pass width * height ints in row-major order, or height rows of
        width; they are kept as a flat tuple.
    n_agents : int
        Agents per player, 1..16.
    n_players : int
        Number of players, 2..4.
    total_turns : int
        Number of turns, 1..10000.
    operation_sec, transition_sec : float
        Length of a turn (> 0) and pause between two turns (>= 0) in seconds.

    Raises
    ------
    ConfigError
        If a value is bad; the message names the board and the key of the format.
    """

    name: str
    width: int
    height: int
    points: tuple[int, ...]
    n_agents: int = 4
    n_players: int = 2
    total_turns: int = 30
    operation_sec: float = 1
    transition_sec: float = 1

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            raise ConfigTypeError(f"board: name: expected a string, got {self.name!r}")
        for key, field in (REQUIRED | OPTIONAL).items():
            label, value = f"board {self.name!r}: {key}", getattr(self, field)
            if field in HARD_RANGES:
                object.__setattr__(self, field, integer(label, value, *HARD_RANGES[field]))
            elif field in ("operation_sec", "transition_sec"):
                object.__setattr__(self, field, checked_seconds(label, value, positive=field == "operation_sec"))
            elif field == "points":
                object.__setattr__(self, field, flat_points(label, value, self.width, self.height))

    @classmethod
    def from_json(cls, value: Any) -> Self:
        """Return the board of a parsed JSON object in a server's format, today's or an older one, or the contest's.

        In the contest's format the first entry of `teams` determines the number of agents (their positions are
        ignored), and the name may be missing. A warning names keys that are in none of these formats.

        Raises
        ------
        ConfigError
            If the object is no board; the message names the board and the key.
        """
        if not isinstance(value, Mapping):
            raise ConfigTypeError(f"board: expected an object, got {value!r}")
        fields = dict(value)
        known = {*REQUIRED, *OPTIONAL} | (CONTEST_KEYS if "teams" in fields else set())
        if "teams" in fields and "nAgent" not in fields:
            fields.setdefault("name", CONTEST_NAME)
            fields["nAgent"] = _contest_agents(fields["name"], fields["teams"])
        whose = f"board {fields['name']!r}" if "name" in fields else "board"
        _rename(fields, whose)
        for key in REQUIRED:
            if key not in fields:
                raise ConfigError(f"{whose}: {key}: missing")
        unknown = [f"{key!r}{suggest(str(key), known)}" for key in fields if key not in known]
        if unknown:
            warnings.warn(f"{whose}: unknown keys are left out: {', '.join(unknown)}", UserWarning, stacklevel=2)
        return cls(**{field: fields[key] for key, field in (REQUIRED | OPTIONAL).items() if key in fields})

    def to_json(self) -> dict[str, Any]:
        """Return the board as a JSON object in the server's format, with all keys of the format."""
        found = {key: getattr(self, field) for key, field in (REQUIRED | OPTIONAL).items()}
        return {**found, "points": list(self.points)}

    def config_fields(self) -> dict[str, Any]:
        """Return the fields of Config that the board supplies."""
        return {field.name: getattr(self, field.name) for field in dataclasses.fields(self) if field.name != "name"}


def _rename(found: dict[str, Any], whose: str) -> None:
    """Replace the keys of older servers by those of today. [section 4.3]"""
    for old in [key for key in (*OLDER, *SECONDS) if key in found]:
        new = OLDER.get(old, "operationSec")
        if new in found or (old in SECONDS and "transitionSec" in found):
            raise ConfigError(f"{whose}: {old}: given beside the newer key, {new if new in found else 'transitionSec'}")
        found[new] = value = found.pop(old)
        if old in SECONDS:
            checked_seconds(f"{whose}: {old}", value, positive=True)
            found["transitionSec"] = 1 if value > 1 else 0  # the pause is a part of the time
            found["operationSec"] = value - found["transitionSec"]


def _contest_agents(name: Any, teams: Any) -> int:
    """Return the length of the first team's list of agents."""
    try:
        agents = teams[0]["agents"]
    except (TypeError, LookupError):
        agents = None
    if not isinstance(agents, list):
        raise ConfigError(f"board {name!r}: teams: expected a first team with a list of agents")
    return len(agents)


def is_text(given: str) -> bool:
    """Return whether a text is the JSON of boards, and no name of a file: it begins with `{`, `[{`, `[[` or `[]`."""
    return _TEXT.match(given) is not None


def load_boards(source: Any) -> dict[str, Board]:
    """Return the boards of JSON text or of a parsed value, by name.

    Parameters
    ----------
    source : str, mapping, list or tuple
        One board, an array of boards, or a mapping from names to boards; JSON text or the parsed value.

    Returns
    -------
    dict of str to Board
        The boards in the order of the source.

    Raises
    ------
    ConfigError
        If a board is bad or two have the same name; the message names the board and the key.
    """
    if isinstance(source, str):
        try:
            source = json.loads(source)
        except (ValueError, RecursionError) as error:
            raise ConfigError(f"board: not JSON: {error}") from None
    if isinstance(source, list | tuple):
        boards = [Board.from_json(value) for value in source]
    elif not isinstance(source, Mapping):
        raise ConfigTypeError(f"board: expected JSON text, an object or an array, got {source!r}")
    elif "log" in source and ("field" in source or "gameId" in source):
        raise ConfigError("board: this is the Game JSON of a match, not a board")
    elif any(key in source and not isinstance(source[key], Mapping) for key in REQUIRED):
        boards = [Board.from_json(source)]
    else:
        boards = [_read_filed(name, value) for name, value in source.items()]
    by_name: dict[str, Board] = {}
    for board in boards:
        if board.name in by_name:
            raise ConfigError(f"board {board.name!r}: two boards have this name")
        by_name[board.name] = board
    return by_name


def load_file(path: Path) -> dict[str, Board]:
    """Return the boards of a file, by name; raise ConfigError if it contains none."""
    try:
        text = path.read_bytes().decode("utf-8-sig")  # editors may begin a file with a mark
    except UnicodeDecodeError as error:
        raise ConfigError(f"board: {path}: not UTF-8: {error}") from None
    found = load_boards(text)
    if not found:
        raise ConfigError(f"board: {path}: an empty collection")
    return found


def generate_fields(config: Config, seed: int) -> dict[str, Any]:
    """Return the fields that turn `config` into a config with the random board of `seed`. [KM-R23]

    Raises
    ------
    ConfigError
        If the points of the config are given.
    """
    if config.points is not None:
        raise ConfigError("points: already given, so that nothing is left to generate")
    return {"seed": seed}


def facts(name: str, board: Board) -> dict[str, Any]:
    """Return the fields of a board that fit in one line: all except its points."""
    values = dataclasses.asdict(board) | {"name": name}
    return {field: value for field, value in values.items() if field != "points"}


def _read_filed(name: Any, value: Any) -> Board:
    """Read the board that a mapping has under `name`."""
    if not isinstance(value, Mapping):
        raise ConfigTypeError(f"board {name!r}: expected an object, got {value!r}")
    board = Board.from_json(value)
    if board.name != name:
        raise ConfigError(f"board {name!r}: name: expected {name!r}, got {board.name!r}")
    return board


def the_board(source: Any) -> Board:
    """Return the only board of a Board, JSON text or a parsed value; raise ConfigError if there are several or none."""
    if isinstance(source, Board):
        return source
    boards = load_boards(source)
    if len(boards) != 1:
        raise ConfigError(f"board: expected one, got {len(boards)}: {', '.join(boards) or 'an empty collection'}")
    return next(iter(boards.values()))


def dump_boards(boards: Iterable[Board]) -> str:
    """Return the boards as JSON text: a mapping from names, with each row of points on a separate line."""
    return "{\n" + ",\n".join(_dump(board) for board in boards) + "\n}\n"


def _dump(board: Board) -> str:
    head = {key: value for key, value in board.to_json().items() if key != "points"}
    starts = range(0, len(board.points), board.width)
    rows = ",\n  ".join(", ".join(map(str, board.points[start : start + board.width])) for start in starts)
    whole = json.dumps({**head, "points": []}, ensure_ascii=False).removesuffix("]}") + f"\n  {rows}\n ]}}"
    return f" {json.dumps(board.name, ensure_ascii=False)}: {whole}"


@functools.cache
def load_shipped() -> Mapping[str, Board]:
    """Return the shipped boards by name, in the order of boards.json."""
    return MappingProxyType(load_boards(Path(__file__).with_name("boards.json").read_text(encoding="utf-8")))


def find_shipped(name: str) -> Board:
    """Return the shipped board of this name; raise ConfigError, which lists the names, if there is none."""
    boards = load_shipped()
    if string("board", name) not in boards:
        raise ConfigError(f"board: {describe_unknown('board', name, boards)}")
    return boards[name]
