"""Sheets: starts that are being made, and what the editor of a game offers for them.

A game whose starts people can make has a module `editor` with

- `DESK`, an Editor: sizes, brushes and fields;
- `parse(text)`: the start in the text of a file, checked as everywhere;
- `sheet_of(start)`: the Sheet that shows a start;
- `write(sheet)`: the text of a file, whether the start is valid or not;
- `spots(size)`, on a board of hexagons: the (x, y) of its cells;
- `findings(start)`: likely mistakes in a valid start, each with `text` and `cells`;
- `explain(sheet, error)`, optional: what to say of an error of `parse` in the chosen language, and the cells concerned;
- `TASKS`, optional: Tasks that take longer.

Nothing here knows a game.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from ..core.language import say
from ..core.language import translate as _
from .canvas import Shape


@dataclasses.dataclass(frozen=True)
class Brush:
    """What is put on a cell.

    Attributes
    ----------
    mark : str
        Its letter in `Sheet.cells`.
    name : str
        What it is called.
    shape, player, glyph : str, int, str
        How the cell is drawn, as in `canvas.Tile`.
    unit : str
        Name of a piece that stands on the cell; empty for none.
    cycle : str
        For a brush that must be on the board exactly once: the marks of its images in a symmetric board, in order, this
        one included. Empty: any number of cells may have it.
    look : str
        The name in `Editor.shapes` of what the piece looks like; empty: a disc with its name.
    """

    mark: str
    name: str
    shape: str = "plain"
    player: int = -1
    glyph: str = ""
    unit: str = ""
    cycle: str = ""
    look: str = ""


class Field(NamedTuple):
    """A line of a file beside its board: a number in low..high, or a text of at most `high` letters (low None).

    A number is whole unless `value`, that of a new board, is a float.
    """

    key: str
    name: str
    low: float | None
    high: float
    value: float | str


class Kinds(NamedTuple):
    """Brushes that people define, each with a letter, a name and a number.

    letters : the letters there are. name, glyph : of all such brushes. word, low, high : unit and range of the numbers.
    first : letter, name and number of those that a new board has.
    """

    letters: str
    name: str
    glyph: str
    word: str
    low: int
    high: int
    first: Sequence[tuple[str, str, int]]


class Task(NamedTuple):
    """A command line of masume that takes longer; `{file}` stands for the file, `{game}` for the game's name."""

    name: str
    arguments: Sequence[str]


BALANCE = Task(
    "Balance",
    (
        "selfplay",
        "{game}",
        "--board",
        "{file}",
        "--agents",
        "{level}",
        "--games",
        "200",
        "--seconds",
        "20",
        "--threads",
        "1",
    ),
)
"""Who wins if an agent plays itself."""


@dataclasses.dataclass(frozen=True)
class Editor:
    """What an editor offers.

    Attributes
    ----------
    suffix : str
        How names of files end.
    sizes : sequence of (int, int)
        Limits of the number of columns and of rows; one pair: of the radius of a board of hexagons.
    size : tuple of int
        The size of a new board.
    brushes : sequence of Brush
        The first is the ground.
    fields : sequence of Field
        What else is in a file.
    numbers : (int, int), optional
        Each cell has a number in this range, instead of a mark.
    kinds : Kinds, optional
        Brushes that people define.
    symmetry : str
        What a new board begins with: one of SYMMETRIES.
    letters : str
        Names of the columns, with rows counted from 1; empty: both are counted from 0.
    shapes : mapping
        The Shape of each name that brushes use.
    """

    suffix: str
    sizes: Sequence[tuple[int, int]]
    size: tuple[int, ...]
    brushes: Sequence[Brush]
    fields: Sequence[Field] = ()
    numbers: tuple[int, int] | None = None
    kinds: Kinds | None = None
    symmetry: str = "none"
    letters: str = ""
    shapes: Mapping[str, Shape] = dataclasses.field(default_factory=dict)


Desk = Editor
"""What games of other packages may still call it."""

SYMMETRIES = {
    2: {"none": "none", "columns": "left and right", "rows": "top and bottom", "both": "both axes", "point": "point"},
    1: {"none": "none", "thirds": "three thirds"},
}
"""Symmetries by the number of sizes: of boards of squares, and of hexagons."""


@dataclasses.dataclass(frozen=True)
class Sheet:
    """A start that is being made.

    Attributes
    ----------
    size : tuple of int
        Columns and rows, or the radius.
    cells : sequence of str or int
        The mark or the number of each cell.
    fields : dict of str to str, int or float
        The value of each Field.
    kinds : sequence of (str, str, int)
        Letter, name and number of each brush that people have defined.
    """

    size: tuple[int, ...]
    cells: Sequence[str | int]
    fields: Mapping[str, str | float] = dataclasses.field(default_factory=dict)
    kinds: Sequence[tuple[str, str, int]] = ()

    def rows(self) -> list[str]:
        """Return the rows of a board of squares, a letter for each cell."""
        text = "".join(map(str, self.cells))
        return [text[start : start + self.size[0]] for start in range(0, len(text), self.size[0])]


FEW = 8
"""Cells that a sentence names at most, and that are marked if a symmetry is broken there."""


class Finding(NamedTuple):
    """A likely mistake: a sentence, and the cells concerned."""

    text: str
    cells: tuple[int, ...] = ()


# -- what findings of several games need ---------------------------------------------------------------


def blank(desk: Editor, size: Sequence[int], count: int) -> Sheet:
    """Return an empty board."""
    ground: str | int = desk.brushes[0].mark if desk.numbers is None else 0
    first = desk.kinds.first if desk.kinds else ()
    return Sheet(tuple(size), [ground] * count, {field.key: field.value for field in desk.fields}, first)


def missing(desk: Editor, sheet: Sheet) -> list[str]:
    """Return the names of what must be on the board and is not."""
    return [_(brush.name) for brush in desk.brushes if brush.cycle and brush.mark not in sheet.cells]


def reached(starts: Iterable[int], near: Callable[[int], Iterable[int]]) -> set[int]:
    """Return the cells that can be reached from these, with them; `near` returns the open neighbours of a cell."""
    found = set(starts)
    edge = list(found)
    while edge:
        edge = [cell for one in edge for cell in near(one)]
        edge = list(dict.fromkeys(cell for cell in edge if cell not in found))
        found.update(edge)
    return found


def beside(cell: int, width: int, height: int) -> list[int]:
    """Return the neighbours of a cell on a board of squares."""
    row, column = divmod(cell, width)
    steps = ((row - 1, column), (row, column + 1), (row + 1, column), (row, column - 1))
    return [r * width + c for r, c in steps if 0 <= r < height and 0 <= c < width]


def uneven(values: Sequence[object], width: int) -> Finding | None:
    """Return a finding if a board of squares has no symmetry of any kind."""
    rows = [tuple(values[start : start + width]) for start in range(0, len(values), width)]
    turned = [row[::-1] for row in rows]
    if rows in (turned, rows[::-1], turned[::-1]):
        return None
    odd = tuple(cell for cell, value in enumerate(values) if value != values[len(values) - 1 - cell])
    told = _("The board is not symmetric: one side may have the better half.")
    return Finding(told, odd if len(odd) <= FEW else ())


def apart(cells: Iterable[int], places: Callable[[int], str]) -> Finding | None:
    """Return a finding about cells that nobody can get to; None for no cells."""
    lost = tuple(sorted(cells))
    if not lost:
        return None
    named = " ".join(map(places, lost[:FEW])) + (" …" if len(lost) > FEW else "")
    return Finding(say("Nobody can get to {places}.", places=named), lost)
