"""The text that programs exchange over stdin and stdout: state blocks and the lines of a turn. [section 14]

This module does no input or output, reads no clock and decides no rule: the referee and the State do.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ..errors import NotationError, StateError
from . import hexes, notation
from .buildings import BONUSES, BRIDGE, NONE, PARK, PIT, PLAZA, PUBLIC, PUBLIC_BONUS, words
from .hexes import Cell
from .notation import CHOOSE, NOBODY, PRE, Build, Command, Move

if TYPE_CHECKING:
    from .config import Config

NAMELESS = "nanashi"
MAX_NAME = 20  # characters
NAME_MS = 5000  # for the name [TF-R41]
TURN_MS = 1000  # for each turn [TF-R34]
ALLOWANCE_MS = 5000  # for all overruns of a game together
MAX_LINES = 100_000  # per turn; further lines are skipped until finish
MAX_TOLD, MAX_SHOWN = 20, 60  # skipped lines of a turn that are explained, and their characters that are shown

_NUMBER = re.compile(r"-?[0-9]{1,10}", re.ASCII)


def name_of(line: str) -> str:
    """Return the name in a program's first line: trimmed, cut to 20 characters, never empty. [14.4] [TF-R45]"""
    return line.strip(notation.BLANKS)[:MAX_NAME] or NAMELESS


# -- state blocks -----------------------------------------------------------------------------------


def block(config: Config, variables: Mapping[str, Any], player: int) -> str:
    """Return the state block of a position as `player` receives it. [14.3]

    Parameters
    ----------
    config : Config
    variables : dict
        The position, as `State.to_dict` returns it.
    player : int
        0..2.

    Returns
    -------
    str
        Lines from START to EOS, each ended by LF.
    """
    radius = config.radius
    named = words(config.ruleset)
    lines = ["START"]
    lines.append(f"{(variables['ply'] + 2) // 3} {config.max_turns} {player}")
    lines.append(f"{radius + 1} {config.num_cells}")
    columns = zip(
        hexes.cells(radius),
        *(variables[name] for name in ("owner", "robots", "hole", "building")),
        _material(radius, variables),
        strict=True,
    )
    for (x, y), owner, robots, is_hole, building, material in columns:
        word = "hole" if is_hole else named[building]
        lines.append(f"{x} {y} {owner} {robots} {material} {_landform(owner, is_hole, building)} {word}")
    return "".join(line + "\n" for line in [*lines, "EOS"])


def name_block(config: Config, variables: Mapping[str, Any], player: int) -> str:
    """Return the block that asks `player` for its name, given the position in the first turn of the game. [14.1]"""
    return block(config, {**variables, "ply": 0, "robots": [0] * len(variables["robots"])}, player)


def blocks(states: Iterable[Any]) -> Iterator[str]:
    """Yield the state block of each turn, as its player received it.

    Parameters
    ----------
    states : iterable of State
        The positions of a game, as `Replay.states()` yields them.
    """
    for state in states:
        if state.phase == CHOOSE and not state.is_terminal():
            yield block(state.game.config, state.to_dict(), state.player)


def parse_block(config: Config, text: str, bonuses: Mapping[Cell, int] | None = None) -> dict[str, Any]:
    """Read a state block into the variables of its position. [section 4.3]

    Parameters
    ----------
    config : Config
        Its ruleset, radius and max_turns must be those of the block.
    text : str
        State block, START to EOS.
    bonuses : dict of (x, y) to int, optional
        Extra points of towns, 0..40; default 0. A block does not contain them. [TF-R39]

    Returns
    -------
    dict
        The variables of section 3.2, as in `State.to_dict`. The invariants are not checked here; `State.from_dict`
        checks them.

    Raises
    ------
    NotationError
        If the text is not a block of this config; the error names line and column.
    StateError
        If a bonus is out of range or not on a town, or the material column is wrong.
    """
    radius, max_turns, variables = read_block(config.ruleset, text, bonuses)
    if radius != config.radius:
        raise NotationError(f"expected side length {config.radius + 1}, got {radius + 1}", 3, 1)
    if max_turns != config.max_turns:
        raise NotationError(f"expected {config.max_turns} turns, got {max_turns}", 2, 1)
    return variables


def read_block(ruleset: str, text: str, bonuses: Mapping[Cell, int] | None = None) -> tuple[int, int, dict[str, Any]]:
    """Return (radius, max_turns, variables) of a state block of any size; raise as `parse_block` does."""
    lines = [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")]
    if lines[0] != "START":
        raise NotationError(f"expected START, got {lines[0]!r}", 1, 1)
    turn, max_turns, player = _numbers(lines, 2, 3)
    if not 0 <= turn <= max_turns:
        raise NotationError(f"turn: expected 0..{max_turns}, got {turn}", 2, 1)
    if not 0 <= player <= 2:
        raise NotationError(f"player: expected 0..2, got {player}", 2, 1)
    side, num_cells = _numbers(lines, 3, 2)
    radius = side - 1
    if not hexes.RADII[0] <= radius <= hexes.RADII[1] or num_cells != len(hexes.cells(radius)):
        raise NotationError(f"no board has {num_cells} cells and side length {side}", 3, 1)
    if lines[3 + num_cells :] != ["EOS"]:
        raise NotationError(f"expected EOS after {num_cells} cells", min(len(lines), 4 + num_cells), 1)
    variables, material = _read_cells(ruleset, radius, lines)
    for cell, bonus in (bonuses or {}).items():
        index = hexes.indices(radius).get(cell, -1)
        if index < 0 or (ruleset, variables["building"][index]) != ("contest", PLAZA):
            raise StateError(f"bonuses: {cell} is not a town")
        if isinstance(bonus, bool) or not isinstance(bonus, int) or not BONUSES[0] <= bonus <= BONUSES[1]:
            raise StateError(f"bonuses: expected {BONUSES[0]}..{BONUSES[1]}, got {bonus!r} for {cell}")
        variables["bonus"][index] = bonus
    for index, derived in enumerate(_material(radius, variables)):
        if material[index] != derived:
            raise StateError(f"material: {material[index]} on {hexes.cells(radius)[index]}, where it is {derived}")
    variables["player"] = player if turn else 0
    variables["ply"] = 3 * (turn - 1) + player + 1 if turn else 0
    variables["phase"] = CHOOSE if turn else PRE
    variables["finished"] = False
    return radius, max_turns, variables


def _read_cells(ruleset: str, radius: int, lines: list[str]) -> tuple[dict[str, Any], list[int]]:
    """Return the variables of all cells and the material column, both in index order."""
    index, named = hexes.indices(radius), words(ruleset)
    count = len(index)
    variables: dict[str, Any] = {
        name: [0] * count for name in ("owner", "robots", "moved", "hole", "building", "bonus")
    }
    material = [0] * count
    seen: set[Cell] = set()
    for number in range(4, 4 + count):
        x, y, owner, robots, its_material, landform, word = _words(lines, number, 5, 2)
        cell = (x, y)
        if cell not in index or cell in seen:
            raise NotationError(
                f"cell {x} {y} {'is given twice' if cell in seen else 'is not on the board'}", number, 1
            )
        seen.add(cell)
        is_hole = word == "hole"
        if not is_hole and word not in named:
            raise NotationError(f"object: expected one of hole, {', '.join(named)}, got {word!r}", number, 1)
        if not -1 <= owner <= 2 or robots < 0:
            raise NotationError(f"expected an owner in -1..2 and robots >= 0, got {owner} and {robots}", number, 1)
        building = NONE if is_hole else named.index(word)
        if landform != _landform(owner, is_hole, building):
            wanted = _landform(owner, is_hole, building)
            raise NotationError(f"landform: expected {wanted}, got {landform!r}", number, 1)
        values = (owner, robots, 0, is_hole, building, PUBLIC_BONUS if building == PUBLIC else 0)
        for name, value in zip(variables, values, strict=True):
            variables[name][index[cell]] = value
        material[index[cell]] = its_material
    return variables, material


def _words(lines: list[str], number: int, num_numbers: int, num_words: int) -> list[Any]:
    """Return the numbers and words of a line; line numbers count from 1."""
    if number > len(lines):
        raise NotationError("the block ends here", len(lines), 1)
    parts: list[Any] = lines[number - 1].split(" ")
    if len(parts) != num_numbers + num_words:
        raise NotationError(f"expected {num_numbers + num_words} words, got {len(parts)}", number, 1)
    column = 1
    for k in range(num_numbers):
        text = parts[k]
        if not _NUMBER.fullmatch(text):
            raise NotationError(f"expected a number, got {text!r}", number, column)
        parts[k] = int(text)
        column += len(text) + 1
    return parts


def _numbers(lines: list[str], number: int, count: int) -> list[int]:
    return _words(lines, number, count, 0)


def _landform(owner: int, is_hole: bool, building: int) -> str:
    if is_hole:
        return "hole"
    if owner == NOBODY:
        return "wasteland"
    return "base" if building else "settlement"


def _material(radius: int, variables: Mapping[str, Any]) -> list[int]:
    """Return the material of each cell for its owner. [section 3.3]"""
    owner, hole, building = variables["owner"], variables["hole"], variables["building"]
    index = hexes.indices(radius)
    found = []
    for n, cell in enumerate(hexes.cells(radius)):
        around = [index[side] for side in hexes.neighbours(cell) if side in index]
        pits = sum(building[m] == PIT and owner[m] == owner[n] for m in around)
        found.append(0 if owner[n] == NOBODY or hole[n] or building[n] else 1 + pits)
    return found


# -- the lines of a turn ----------------------------------------------------------------------------


class Turn:
    """A turn that a program plays line by line. [14.5]

    Attributes
    ----------
    state : State
        The position after the lines so far; a clone of the State passed in.
    actions : list of int
        Exact codes that led to `state`. These codes and then FINISH are the turn, whatever else the program wrote.
    num_lines : int
        Number of lines so far; after MAX_LINES only `finish` is recognized. [14.6]
    num_skipped : int
        Number of lines so far that had no effect.
    """

    def __init__(self, config: Config, state: Any) -> None:
        self.config = config
        self.start = state
        self.state = state.clone()
        self.actions: list[int] = []
        self.num_lines = self.num_skipped = 0
        self._skipped: list[tuple[str, str | Any]] = []  # a line, and why, or the position in which it is illegal

    def take(self, line: str) -> str:
        """Process one line and return its verdict.

        Returns
        -------
        str
            "ok", "illegal", "bad" (malformed), "skipped" (too many lines) or "finish", which ends the turn. "bad" and
            "skipped" lines have no effect.
        """
        verdict, why = self._take(line)
        if verdict not in ("ok", "finish"):
            self.num_skipped += 1
            if len(self._skipped) < MAX_TOLD:
                self._skipped.append((line.strip(notation.BLANKS)[:MAX_SHOWN], why))
        return verdict

    def remarks(self, why_illegal: Callable[[Config, Any, str], str]) -> list[str]:
        """Return a line for people about each of the first 20 skipped lines, with the reason, and how many follow.

        why_illegal : tells why a command is illegal in a position (`stdio.why_illegal`).
        """
        found = [
            f"{line!r}: {why if isinstance(why, str) else why_illegal(self.config, why, line)}"
            for line, why in self._skipped
        ]
        more = self.num_skipped - len(found)
        return [*found, f"{more} more lines"] if more else found

    def _take(self, line: str) -> tuple[str, str | Any]:
        """Process one line; return its verdict, and why it was skipped, or the position in which it is illegal."""
        self.num_lines += 1
        if self.num_lines > MAX_LINES and line.strip(notation.BLANKS) != "finish":
            return "skipped", f"more than {MAX_LINES} lines in this turn"
        try:
            command = notation.read_command(self.config.ruleset, line)
        except NotationError as error:
            return "bad", str(error)  # [TF-R33]
        if command == "finish":
            return "finish", ""
        if command == "reset":  # [TF-R35]
            self.state = self.start.clone()
            self.actions = []
            return "ok", ""
        action = notation.action_of(self.config, command)
        if action is None:
            action = self._forbidden(command)
        if not self.state.attempt(action):
            return "illegal", self.state.clone() if len(self._skipped) < MAX_TOLD else ""
        self.actions.append(action)
        return "ok", ""

    def _forbidden(self, command: Command) -> int:
        """Return the code of an illegal command of the same kind, for a command that has no code.

        Moving no robot is always illegal; so is a bridge without a hole or another building on one. [M2] [B6]
        """
        first = hexes.cells(self.config.radius)[0]
        forbidden: Command = Move(first, 0, 0)
        if isinstance(command, Build):
            forbidden = Build(first, PARK if self.state.to_dict()["hole"][0] else BRIDGE)
        found = notation.action_of(self.config, forbidden)
        assert found is not None
        return found
