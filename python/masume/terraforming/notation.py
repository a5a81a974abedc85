"""Text boards, commands and codes: a position <-> text, an action <-> its command and its exact code.

A text board has a row for each y from the top, in each a token for each x from the left, separated by blanks; rows
end at a line end or at a `/` between blanks. `.` is wasteland, `#` a hole; `a7` is territory of player 0 with 7 robots
(`b`, `c`: players 1 and 2), `#b3` a hole of player 1, `AF12` a base of player 0 with building F. `+k` adds a bonus of
k, `/k` says that k robots may no longer move. Before the board may stand rows `player`, `ply` and `phase`::

    player 1
    ply 5
    phase move
     AI5 a3
    .  #b2/2  .
     .  BI0

A command is `move X Y DIR AMOUNT`, `build X Y WORD` or `finish`. [section 14.5]
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import NotationError
from . import hexes
from .buildings import BUILDABLE, FACTORY, LETTERS, words
from .hexes import Cell

if TYPE_CHECKING:
    from .config import Config

PLAYERS = "abc"
NOBODY = -1
CHOOSE, MOVE, BUILT, PRE = range(4)
PHASES = ("choose", "move", "built", "pre")
FINISHED = "finished"

FINISH = 0  # the exact code and the RL code [section 6.4]
PER_AMOUNT = 65536  # exact code = index + PER_AMOUNT * amount
BUCKETS = 4

_TOKEN = re.compile(r"(#?)([abc])|([ABC])([A-Z])", re.ASCII)
_COUNTS = re.compile(r"([0-9]{1,9})?(?:\+([0-9]{1,9}))?(?:/([0-9]{1,9}))?", re.ASCII)
_NUMBER = re.compile(r"([+-]?)0*([0-9]{1,10})", re.ASCII)
BLANKS = "".join(map(chr, range(0x21)))  # what is trimmed [TF-R45]


# -- text boards ------------------------------------------------------------------------------------


def parse(config: Config, text: str) -> dict[str, Any]:
    """The variables of the position that a text board shows. [section 3.4]

    Raises NotationError with line and column where the text is none of this config's boards; whether the position
    keeps the invariants is the State's to say.
    """
    radius, variables = read(text, config.ruleset)
    if radius != config.radius:
        raise NotationError(f"{2 * config.radius + 1} rows are wanted, not {2 * radius + 1}", len(text.splitlines()), 1)
    return variables


def read(text: str, ruleset: str) -> tuple[int, dict[str, Any]]:
    """(radius, variables) of a text board of any size; NotationError where it is none."""
    header: dict[str, str | int] = {}
    board: list[list[tuple[str, int, int]]] = []
    for row in _rows(text):
        key, line, column = row[0]
        if key not in ("player", "ply", "phase"):
            board.append(row)
            continue
        if board or key in header:
            raise NotationError(f"{key}: it stands {'twice' if key in header else 'below the board'}", line, column)
        if len(row) != 2:
            raise NotationError(f"{key}: one value is wanted, not {len(row) - 1}", line, column)
        header[key] = _header(key, *row[1])
    end = max(1, len(text.splitlines()))
    radius = len(board) // 2
    if len(board) % 2 == 0 or not hexes.RADII[0] <= radius <= hexes.RADII[1]:
        raise NotationError(f"an odd number of rows from 3 to 21 is wanted, not {len(board)}", end, 1)
    found: dict[Cell, dict[str, Any]] = {}
    for tokens, places in zip(board, hexes.rows(radius), strict=True):
        if len(tokens) != len(places):
            raise NotationError(f"{len(places)} cells are wanted, not {len(tokens)}", *tokens[0][1:])
        for token, place in zip(tokens, places, strict=True):
            found[place] = _cell(*token, LETTERS[: len(words(ruleset))])
    ply = header.get("ply", 0)
    phase = header.get("phase", "choose" if ply else "pre")
    columns = {name: [found[place][name] for place in hexes.cells(radius)] for name in found[0, 0]}
    return radius, columns | {
        "player": header.get("player", 0),
        "ply": ply,
        "phase": CHOOSE if phase == FINISHED else PHASES.index(str(phase)),
        "finished": phase == FINISHED,
    }


def _rows(text: str) -> list[list[tuple[str, int, int]]]:
    """The (token, line, column) of each row that is not empty."""
    rows = []
    for number, line in enumerate(text.splitlines(), 1):
        row: list[tuple[str, int, int]] = []
        for match in re.finditer(r"\S+", line):
            if match[0] == "/":
                rows.append(row)
                row = []
            else:
                row.append((match[0], number, match.start() + 1))
        rows.append(row)
    return [row for row in rows if row]


def _header(key: str, value: str, line: int, column: int) -> str | int:
    if key == "phase":
        if value not in (*PHASES, FINISHED):
            raise NotationError(f"phase: {value!r} is none of {', '.join((*PHASES, FINISHED))}", line, column)
        return value
    if not re.fullmatch(r"[0-9]{1,9}", value, re.ASCII):
        raise NotationError(f"{key}: {value!r} is no number", line, column)
    return int(value)


def _cell(token: str, line: int, column: int, letters: str) -> dict[str, Any]:
    """The variables of the cell that a token shows; letters[code] are those of the ruleset."""
    nobodys = token in (".", "#")
    kind = None if nobodys else _TOKEN.match(token)
    counts = _COUNTS.fullmatch(token, kind.end()) if kind else None
    if not nobodys and (kind is None or counts is None):
        raise NotationError(f"{token!r} is no cell", line, column)
    if kind is None or counts is None:
        owner, building, is_hole, numbers = NOBODY, 0, token == "#", [0, 0, 0]
    else:
        owner = PLAYERS.index((kind[2] or kind[3]).lower())
        building = letters.find(kind[4]) if kind[4] else 0
        is_hole, numbers = bool(kind[1]), [int(count or 0) for count in counts.groups()]
    if building < 0:
        raise NotationError(f"{token!r}: {kind and kind[4]} is none of the buildings {letters[1:]}", line, column)
    robots, bonus, moved = numbers
    return {
        "owner": owner,
        "robots": robots,
        "moved": moved,
        "hole": is_hole,
        "building": building,
        "bonus": bonus,
    }


def to_text(variables: Mapping[str, Any]) -> str:
    """The text board of a position (`State.to_dict`), header and all: what `parse` reads."""
    phase = FINISHED if variables["finished"] else PHASES[variables["phase"]]
    header = [f"player {variables['player']}", f"ply {variables['ply']}", f"phase {phase}"]
    return "\n".join([*header, *board(variables)])


def board(variables: Mapping[str, Any]) -> list[str]:
    """The rows of a text board, in columns and each half a cell from the last."""
    radius = hexes.radius_of(len(variables["owner"]))
    index = hexes.indices(radius)
    drawn = [[token(variables, index[cell]) for cell in row] for row in hexes.rows(radius)]
    half = max(len(one) for row in drawn for one in row) // 2 + 1
    lines = []
    for y, row in enumerate(drawn, -radius):
        lines.append((" " * (half * abs(y)) + "".join(one.ljust(2 * half) for one in row)).rstrip())
    return lines


def token(variables: Mapping[str, Any], index: int) -> str:
    """What a text board shows of a cell."""
    owner, building = variables["owner"][index], variables["building"][index]
    hole = "#" if variables["hole"][index] else ""
    if owner == NOBODY:
        return hole or "."
    name = PLAYERS[owner].upper() + LETTERS[building] if building else hole + PLAYERS[owner]
    bonus, moved = variables["bonus"][index], variables["moved"][index]
    return f"{name}{variables['robots'][index]}" + (f"+{bonus}" if bonus else "") + (f"/{moved}" if moved else "")


# -- commands ---------------------------------------------------------------------------------------


class Move(NamedTuple):
    """`amount` robots of `cell` step in `direction`."""

    cell: Cell
    direction: int
    amount: int


class Build(NamedTuple):
    """The building of this code on `cell`."""

    cell: Cell
    building: int


Command = Move | Build | str
"""A command: a Move, a Build, or the words "finish" and "reset"."""


def read_command(ruleset: str, line: str) -> Command:
    """The command that a line is, legal or not; NotationError where it is malformed. [section 14.5] [TF-R33]"""
    content = line.strip(BLANKS)
    parts = [part for part in content.split(" ") if part]
    if content == "finish" or (content == "reset" and ruleset == "contest"):
        return content
    if parts[:1] == ["move"] and len(parts) == 5:
        if parts[3] not in hexes.DIRECTIONS:
            raise NotationError(f"{parts[3]!r} is none of the directions {' '.join(hexes.DIRECTIONS)}")
        return Move((_int32(parts[1]), _int32(parts[2])), hexes.DIRECTIONS.index(parts[3]), _int32(parts[4]))
    if parts[:1] == ["build"] and len(parts) == 4:
        return Build((_int32(parts[1]), _int32(parts[2])), _building(ruleset, parts[3]))
    raise NotationError(f"{line!r:.60} is no command: move X Y DIR AMOUNT, build X Y WORD or finish")


def _int32(text: str) -> int:
    match = _NUMBER.fullmatch(text)
    if not match or not -(2**31) <= int(match[1] + match[2]) < 2**31:
        raise NotationError(f"{text!r} is no number of 32 bits")
    return int(match[1] + match[2])


def _building(ruleset: str, word: str) -> int:
    """The code of the one buildable word that begins so."""
    meant = [building for building in BUILDABLE[ruleset] if building.word.startswith(word)]
    if len(meant) != 1:
        several = f"may be {' or '.join(one.word for one in meant)}" if meant else "is no building that can be built"
        raise NotationError(f"{word!r} {several}")
    return meant[0].code


def action_of(config: Config, command: Command) -> int | None:
    """The exact code of a command, None where it has none: reset, a cell off the board, an amount below 0."""
    if isinstance(command, str):
        return FINISH if command == "finish" else None
    number = hexes.indices(config.radius).get(command.cell)
    if number is None:
        return None
    if isinstance(command, Build):
        return 1 + 6 * config.num_cells + len(BUILDABLE[config.ruleset]) * number + command.building - FACTORY
    return 1 + 6 * number + command.direction + PER_AMOUNT * command.amount if command.amount >= 0 else None


def command_of(config: Config, action: int) -> Command | None:
    """The command of an exact code, None where it stands for no action. [section 6.4]"""
    amount, index = divmod(action, PER_AMOUNT)
    kinds = len(BUILDABLE[config.ruleset])
    moves = 6 * config.num_cells
    if amount < 0 or index > moves + kinds * config.num_cells:
        return None
    if 1 <= index <= moves:
        number, direction = divmod(index - 1, 6)
        return Move(hexes.cells(config.radius)[number], direction, amount)
    if amount:
        return None
    if index == FINISH:
        return "finish"
    number, kind = divmod(index - 1 - moves, kinds)
    return Build(hexes.cells(config.radius)[number], FACTORY + kind)


def action_to_text(config: Config, action: int) -> str:
    """The command of an exact code; ValueError for one that stands for no action."""
    command = command_of(config, action)
    if command is None:
        raise ValueError(f"action: {action} stands for none")
    if isinstance(command, str):
        return command
    place = f"{command.cell[0]} {command.cell[1]}"
    if isinstance(command, Build):
        return f"build {place} {words(config.ruleset)[command.building]}"
    return f"move {place} {hexes.DIRECTIONS[command.direction]} {command.amount}"


def text_to_action(config: Config, text: str) -> int:
    """The exact code of a command, legal or not; NotationError for a text that is none or has no code."""
    command = read_command(config.ruleset, text)
    action = action_of(config, command)
    if action is None:
        raise NotationError(f"{text!r} is no action: a cell of the board and an amount of at least 0 are wanted")
    return action
