"""Text boards, action texts, and the names of phases and results.

A text board has `height` rows of `width` marks: `#` wall, `C` the cat, `M` a mouse that has not moved this turn, `m`
a mouse that has moved, a digit for that many mg of food, `$` for 10 mg of food or more, `Z` a zone cell without food,
`.` floor. A piece hides what is below it. Walls, zone and amounts must be those of the stage.

The rows are followed by lines `key: value`: `phase:`, `turn:`, `captured:`, `food:` (sum eaten, mg), `cost:` (sum
paid, mg), `react:` (the cell of an arrival that awaits the cat's decision, and the phase it comes from), `under:` (the
food left under the cat, mg) and `result:`. Defaults of missing lines: phase PLACE, numbers 0, no arrival, no food
under the cat, no result. Blank lines and blanks at both ends of a line are ignored::

    M..7
    Z.C$
    phase: REACT
    turn: 3
    food: 12
    cost: 5
    react: 1,2 MOVE
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ..core.board import KeyValue, read_board
from ..errors import NotationError
from .config import Config
from .stages import Stage

PLAYERS = ("cat", "mice")
CAT, MICE = range(2)
PHASES = ("PLACE", "CAT1", "CAT2", "ADD", "MOVE", "REACT", "OVER")
PLACE, CAT1, CAT2, ADD, MOVE, REACT, OVER = range(7)
RESULTS = ("NONE", "SURROUND", "CAPTURES", "TURNS")
NONE, SURROUND, CAPTURES, TURNS = range(4)

DIRECTIONS = "NESW"
PUT = RETIRE = 4
"""Action kind 4 of a cell, after the directions 0..3: put a mouse there, or retire the mouse on it."""
SIGNS = f"-{DIRECTIONS}!"
"""The actions without a cell, from id 5 * N on: pass, the four steps of the cat, capture. [section 6]"""

UNMOVED, MOVED = 1, 2  # mice [section 3]

_CELL = re.compile(r"([0-9]{1,4}),([0-9]{1,4})([NESW+X])")
_REACT = re.compile(rf"([0-9]{{1,4}}),([0-9]{{1,4}})\s+({'|'.join((PHASES[PLACE], PHASES[ADD], PHASES[MOVE]))})")
_COUNT = re.compile(r"[0-9]{1,18}")
_COUNTS = {"turn": "t", "captured": "captured", "food": "food_sum", "cost": "cost_sum", "under": "under"}
_WORDS = {"phase": PHASES, "result": RESULTS}
_KEYS = ("phase", *_COUNTS, "react", "result")


# -- actions ----------------------------------------------------------------------------------------


def action_to_text(config: Config, phase: int, action: int) -> str:
    """Return the text of an action in a phase. [section 6]

    Parameters
    ----------
    config : Config
    phase : int
        Index into `PHASES`; it decides between `r,c+` and `r,cX`, which share an id.
    action : int
        Action id, 0..5 * N + 5 with N = height * width; it need not be legal.

    Returns
    -------
    str
        For example `"3,1N"`, `"2,0+"`, `"-"` or `"!"`.

    Raises
    ------
    ValueError
        If the id is out of range.
    """
    stage = config.start_stage
    cells = stage.height * stage.width
    if not 0 <= action < 5 * cells + 6:
        raise ValueError(f"action: expected 0..{5 * cells + 5}, got {action}")
    cell, kind = divmod(action, 5)
    if cell < cells:
        put = "+" if phase in (PLACE, ADD) else "X"
        return f"{cell // stage.width},{cell % stage.width}{(DIRECTIONS + put)[kind]}"
    return SIGNS[action - 5 * cells]


def text_to_action(config: Config, phase: int, text: str) -> int:
    """Return the id of an action text; the inverse of `action_to_text`. [section 6]

    Parameters
    ----------
    config : Config
    phase : int
        Index into `PHASES`. `r,c+` is valid in PLACE and ADD only, `r,cX` in MOVE only.
    text : str
        Action text; blanks at both ends are ignored.

    Returns
    -------
    int
        Action id, 0..5 * N + 5. It need not be legal.

    Raises
    ------
    NotationError
        If the text is not an action of this phase, or its cell is off the board.
    """
    stage = config.start_stage
    told = text.strip()
    if len(told) == 1 and told in SIGNS:
        return 5 * stage.height * stage.width + SIGNS.index(told)
    match = _CELL.fullmatch(told)
    if not match:
        raise NotationError(f"expected one of - N E S W ! or row,column with one of N E S W + X, got {text!r}")
    row, column, what = int(match[1]), int(match[2]), match[3]
    if row >= stage.height or column >= stage.width:
        raise NotationError(f"{text!r}: {row},{column} is not on the board of {stage.width}x{stage.height} cells")
    if (what == "+" and phase not in (PLACE, ADD)) or (what == "X" and phase != MOVE):
        raise NotationError(f"expected an action of the phase {PHASES[phase]}, got {text!r}")
    kind = DIRECTIONS.find(what) if what in DIRECTIONS else PUT if what == "+" else RETIRE
    return 5 * (row * stage.width + column) + kind


# -- boards -----------------------------------------------------------------------------------------


def _food_mark(amount: int) -> str:
    return str(amount) if amount < 10 else "$"


def board(config: Config, variables: Mapping[str, Any]) -> list[str]:
    """Return the rows of a text board, top row first."""
    stage = config.start_stage
    marks = []
    for cell, (wall, zone, food, mouse) in enumerate(
        zip(stage.wall, stage.zone, variables["food"], variables["mouse"], strict=True)
    ):
        if cell == variables["cat"]:
            marks.append("C")
        elif mouse:
            marks.append(" Mm"[mouse])
        else:
            marks.append("#" if wall else _food_mark(food) if food else "Z" if zone else ".")
    return ["".join(marks[start : start + stage.width]) for start in range(0, len(marks), stage.width)]


def to_text(config: Config, variables: Mapping[str, Any]) -> str:
    """Return the text board of a position given as `State.to_dict`; `parse` reads it."""
    width = config.start_stage.width
    lines = [*board(config, variables), f"phase: {PHASES[variables['phase']]}", f"turn: {variables['t']}"]
    told = {**variables, "under": variables["food"][variables["cat"]]}
    lines += [f"{key}: {told[name]}" for key, name in _COUNTS.items() if key != "turn" and told[name]]
    if variables["react_cell"] >= 0:
        row, column = divmod(variables["react_cell"], width)
        lines.append(f"react: {row},{column} {PHASES[variables['react_from']]}")
    if variables["result"]:
        lines.append(f"result: {RESULTS[variables['result']]}")
    return "\n".join(lines)


def parse(config: Config, text: str) -> dict[str, Any]:
    """Read a text board into the variables of section 3.

    Parameters
    ----------
    config : Config
    text : str
        Text board, as described in the module docstring.

    Returns
    -------
    dict
        The variables of section 3 under their names, as in `State.to_dict`. The invariants are not checked here;
        `State.from_dict` checks them.

    Raises
    ------
    NotationError
        If the text is not a board of this config; the error names line and column.
    """
    stage = config.start_stage

    def check(cell: int, mark: str, line: int, column: int) -> None:
        _check_mark(stage, cell, mark, line, column)

    board = read_board(text, stage.width, stage.height, check, "cells")
    marks, end = board.letters, board.end
    entries = {key: _read(stage, entry) for key, entry in board.by_key().items()}
    if marks.count("C") != 1:
        raise NotationError(f"expected one C, got {marks.count('C')}", end, 1)
    cat = marks.index("C")
    food = [amount if mark.isdigit() or mark == "$" else 0 for mark, amount in zip(marks, stage.food, strict=True)]
    food[cat] = entries.get("under", 0)
    react_cell, react_from = entries.get("react", (-1, 0))
    return {
        "phase": entries.get("phase", PLACE),
        "t": entries.get("turn", 0),
        "cat": cat,
        "mouse": [{"M": UNMOVED, "m": MOVED}.get(mark, 0) for mark in marks],
        "food": food,
        "captured": entries.get("captured", 0),
        "food_sum": entries.get("food", 0),
        "cost_sum": entries.get("cost", 0),
        "react_cell": react_cell,
        "react_from": react_from,
        "result": entries.get("result", NONE),
    }


def _check_mark(stage: Stage, cell: int, mark: str, line: int, column: int) -> None:
    """Check that a mark is known and agrees with the stage."""
    amount = stage.food[cell]
    if mark in "CMm":
        fits = not stage.wall[cell]
    elif mark == "#":
        fits = bool(stage.wall[cell])
    elif mark == "Z":
        fits = bool(stage.zone[cell])
    elif mark == ".":
        fits = not stage.wall[cell] and not stage.zone[cell]
    elif mark in "123456789$":
        fits = amount > 0 and mark == _food_mark(amount)
    else:
        raise NotationError(f"expected one of the marks # C M m 1..9 $ Z ., got {mark!r}", line, column)
    if not fits:
        raise NotationError(f"{mark!r} differs from the stage", line, column)


def _read(stage: Stage, entry: KeyValue) -> Any:
    """Return the value of a line: a number, or (cell, phase) for `react`."""
    key, rest, line, column = entry
    if key in _COUNTS:
        if _COUNT.fullmatch(rest):
            return int(rest)
        wanted = "a count"
    elif key in _WORDS:
        if rest in _WORDS[key]:
            return _WORDS[key].index(rest)
        wanted = f"one of {', '.join(_WORDS[key])}"
    elif key == "react":
        match = _REACT.fullmatch(rest)
        if match and int(match[1]) < stage.height and int(match[2]) < stage.width:
            return int(match[1]) * stage.width + int(match[2]), PHASES.index(match[3])
        wanted = f"row,column on the board and one of {', '.join((PHASES[PLACE], PHASES[ADD], PHASES[MOVE]))}"
    else:
        raise NotationError(f"expected one of {', '.join(_KEYS)}, got {key!r}", line, column - len(key) - 1)
    raise NotationError(f"{key}: expected {wanted}, got {rest!r}", line, column)
