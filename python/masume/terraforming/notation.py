"""Text boards, commands and exact codes: conversion between positions or actions and text.

A text board has a row for each y, from the top, and in each row a token for each x, from the left, separated by
blanks. Rows end at a line end or at a `/` between blanks. `.` is wasteland, `#` a hole, `a7` territory of player 0
with 7 robots (`b`, `c`: players 1 and 2), `#b3` a hole owned by player 1 with 3 robots, `AF12` a base of player 0 with
building F and 12 robots. A suffix `+k` gives a bonus of k; `/k` means that k of the robots may no longer move. The
optional rows `player`, `ply` and `phase` precede the board::

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
BLANKS = "".join(map(chr, range(0x21)))  # characters trimmed from lines and names [TF-R45]


# -- text boards ------------------------------------------------------------------------------------


def parse(config: Config, text: str) -> dict[str, Any]:
    """Read a text board into the variables of its position. [section 3.4]

    Parameters
    ----------
    config : Config
        Its ruleset and radius must be those of the board.
    text : str
        Text board, as described in the module docstring.

    Returns
    -------
    dict
        The variables of section 3.2, as in `State.to_dict`. The invariants are not checked here; `State.from_dict`
        checks them.

    Raises
    ------
    NotationError
        If the text is not a board of this config; the error names line and column.
    """
    radius, variables = read(text, config.ruleset)
    if radius != config.radius:
        raise NotationError(f"expected {2 * config.radius + 1} rows, got {2 * radius + 1}", len(text.splitlines()), 1)
    return variables


def read(text: str, ruleset: str) -> tuple[int, dict[str, Any]]:
    """Return (radius, variables) of a text board of any size; raise NotationError if the text is not one."""
    header: dict[str, str | int] = {}
    board: list[list[tuple[str, int, int]]] = []
    for row in _rows(text):
        key, line, column = row[0]
        if key not in ("player", "ply", "phase"):
            board.append(row)
            continue
        if board or key in header:
            raise NotationError(
                f"{key}: {'given twice' if key in header else 'expected above the board'}", line, column
            )
        if len(row) != 2:
            raise NotationError(f"{key}: expected one value, got {len(row) - 1}", line, column)
        header[key] = _header(key, *row[1])
    end = max(1, len(text.splitlines()))
    radius = len(board) // 2
    if len(board) % 2 == 0 or not hexes.RADII[0] <= radius <= hexes.RADII[1]:
        raise NotationError(f"expected an odd number of rows from 3 to 21, got {len(board)}", end, 1)
    cells: dict[Cell, dict[str, Any]] = {}
    for tokens, places in zip(board, hexes.rows(radius), strict=True):
        if len(tokens) != len(places):
            raise NotationError(f"expected {len(places)} cells, got {len(tokens)}", *tokens[0][1:])
        for token, place in zip(tokens, places, strict=True):
            cells[place] = _cell(*token, LETTERS[: len(words(ruleset))])
    ply = header.get("ply", 0)
    phase = header.get("phase", "choose" if ply else "pre")
    columns = {name: [cells[place][name] for place in hexes.cells(radius)] for name in cells[0, 0]}
    return radius, columns | {
        "player": header.get("player", 0),
        "ply": ply,
        "phase": CHOOSE if phase == FINISHED else PHASES.index(str(phase)),
        "finished": phase == FINISHED,
    }


def _rows(text: str) -> list[list[tuple[str, int, int]]]:
    """Return the (token, line, column) of each row that is not empty."""
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
            raise NotationError(f"phase: expected one of {', '.join((*PHASES, FINISHED))}, got {value!r}", line, column)
        return value
    if not re.fullmatch(r"[0-9]{1,9}", value, re.ASCII):
        raise NotationError(f"{key}: expected a number, got {value!r}", line, column)
    return int(value)


def _cell(token: str, line: int, column: int, letters: str) -> dict[str, Any]:
    """Return the variables of the cell that a token shows; letters[code] is the letter of a building."""
    nobodys = token in (".", "#")
    kind = None if nobodys else _TOKEN.match(token)
    counts = _COUNTS.fullmatch(token, kind.end()) if kind else None
    if not nobodys and (kind is None or counts is None):
        raise NotationError(f"expected a cell, got {token!r}", line, column)
    if kind is None or counts is None:
        owner, building, is_hole, numbers = NOBODY, 0, token == "#", [0, 0, 0]
    else:
        owner = PLAYERS.index((kind[2] or kind[3]).lower())
        building = letters.find(kind[4]) if kind[4] else 0
        is_hole, numbers = bool(kind[1]), [int(count or 0) for count in counts.groups()]
    if building < 0:
        raise NotationError(
            f"{token!r}: expected one of the buildings {letters[1:]}, got {kind and kind[4]}", line, column
        )
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
    """Return the text board of a position (`State.to_dict`), with its three header rows; `parse` reads it."""
    phase = FINISHED if variables["finished"] else PHASES[variables["phase"]]
    header = [f"player {variables['player']}", f"ply {variables['ply']}", f"phase {phase}"]
    return "\n".join([*header, *board(variables)])


def board(variables: Mapping[str, Any]) -> list[str]:
    """Return the rows of a text board, aligned in columns, each row shifted by half a cell."""
    radius = hexes.radius_of(len(variables["owner"]))
    index = hexes.indices(radius)
    drawn = [[token(variables, index[cell]) for cell in row] for row in hexes.rows(radius)]
    half = max(len(one) for row in drawn for one in row) // 2 + 1
    lines = []
    for y, row in enumerate(drawn, -radius):
        lines.append((" " * (half * abs(y)) + "".join(one.ljust(2 * half) for one in row)).rstrip())
    return lines


def token(variables: Mapping[str, Any], index: int) -> str:
    """Return the token of a cell on a text board."""
    owner, building = variables["owner"][index], variables["building"][index]
    hole = "#" if variables["hole"][index] else ""
    if owner == NOBODY:
        return hole or "."
    name = PLAYERS[owner].upper() + LETTERS[building] if building else hole + PLAYERS[owner]
    bonus, moved = variables["bonus"][index], variables["moved"][index]
    return f"{name}{variables['robots'][index]}" + (f"+{bonus}" if bonus else "") + (f"/{moved}" if moved else "")


# -- commands ---------------------------------------------------------------------------------------


class Move(NamedTuple):
    """A command: `amount` robots of `cell` go one step in `direction`."""

    cell: Cell
    direction: int
    amount: int


class Build(NamedTuple):
    """A command: build the building of this code on `cell`."""

    cell: Cell
    building: int


Command = Move | Build | str
"""A command: a Move, a Build, "finish" or "reset"."""


def read_command(ruleset: str, line: str) -> Command:
    """Return the command on a line, legal or not. [section 14.5] [TF-R33]

    Parameters
    ----------
    ruleset : str
        It decides the words of buildings; "contest" also has `reset`.
    line : str
        A line of a program; blanks and control characters at both ends are ignored.

    Returns
    -------
    Move, Build or str
        The words "finish" and "reset" are returned as they are.

    Raises
    ------
    NotationError
        If the line is malformed.
    """
    content = line.strip(BLANKS)
    parts = [part for part in content.split(" ") if part]
    if content == "finish" or (content == "reset" and ruleset == "contest"):
        return content
    if parts[:1] == ["move"] and len(parts) == 5:
        if parts[3] not in hexes.DIRECTIONS:
            raise NotationError(f"expected one of the directions {' '.join(hexes.DIRECTIONS)}, got {parts[3]!r}")
        return Move((_int32(parts[1]), _int32(parts[2])), hexes.DIRECTIONS.index(parts[3]), _int32(parts[4]))
    if parts[:1] == ["build"] and len(parts) == 4:
        return Build((_int32(parts[1]), _int32(parts[2])), _building(ruleset, parts[3]))
    raise NotationError(f"expected move X Y DIR AMOUNT, build X Y WORD or finish, got {line!r:.60}")


def _int32(text: str) -> int:
    match = _NUMBER.fullmatch(text)
    if not match or not -(2**31) <= int(match[1] + match[2]) < 2**31:
        raise NotationError(f"expected a number of 32 bits, got {text!r}")
    return int(match[1] + match[2])


def _building(ruleset: str, word: str) -> int:
    """Return the code of the one buildable word with this prefix."""
    meant = [building for building in BUILDABLE[ruleset] if building.word.startswith(word)]
    if len(meant) != 1:
        several = f"may be {' or '.join(one.word for one in meant)}" if meant else "is not a building that can be built"
        raise NotationError(f"{word!r} {several}")
    return meant[0].code


def action_of(config: Config, command: Command) -> int | None:
    """Return the exact code of a command, or None if it has none: reset, a cell off the board, an amount below 0."""
    if isinstance(command, str):
        return FINISH if command == "finish" else None
    number = hexes.indices(config.radius).get(command.cell)
    if number is None:
        return None
    if isinstance(command, Build):
        return 1 + 6 * config.num_cells + len(BUILDABLE[config.ruleset]) * number + command.building - FACTORY
    return 1 + 6 * number + command.direction + PER_AMOUNT * command.amount if command.amount >= 0 else None


def command_of(config: Config, action: int) -> Command | None:
    """Return the command of an exact code, or None if the code is not an action. [section 6.4]"""
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
    """Return the command of an exact code as text; raise ValueError if the code is not an action."""
    command = command_of(config, action)
    if command is None:
        raise ValueError(f"action: {action} is not an action on this board")
    if isinstance(command, str):
        return command
    place = f"{command.cell[0]} {command.cell[1]}"
    if isinstance(command, Build):
        return f"build {place} {words(config.ruleset)[command.building]}"
    return f"move {place} {hexes.DIRECTIONS[command.direction]} {command.amount}"


def text_to_action(config: Config, text: str) -> int:
    """Return the exact code of a command, legal or not. [section 6.4]

    Raises
    ------
    NotationError
        If the text is malformed or its command has no code.
    """
    command = read_command(config.ruleset, text)
    action = action_of(config, command)
    if action is None:
        raise NotationError(f"expected a cell of the board and an amount of at least 0, got {text!r}")
    return action
