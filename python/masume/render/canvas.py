"""The data every picture is drawn from, and the shapes it is drawn with.

A game's `render` module turns its states into a Scene (what stays the same through a game), Frames (what changes)
and Acts (what was tried between two frames), and knows nothing of text, SVG or HTML. The drawers of this package
know nothing of games. A cell is a number, row * width + column; where it lies on the page is said by `corner` here
and by its twin in page.js, and nowhere else.
"""

from __future__ import annotations

import dataclasses
import importlib
from collections.abc import Sequence
from typing import Any, Protocol

CELL = 32  # side of a cell, in SVG units
MARGIN = 22  # left of and above the cells, for their numbers
EDGE = 8  # right of and below them

# A tile of each player, as path commands inside a cell: the shape says what the colour says
SOLID = (
    "m1 1h30v30h-30z",
    "m9 1h14a8 8 0 0 1 8 8v14a8 8 0 0 1-8 8h-14a8 8 0 0 1-8-8v-14a8 8 0 0 1 8-8z",
    "m8 1h16l7 7v16l-7 7h-16l-7-7v-16z",
    "m6 1h20v5h5v20h-5v5h-20v-5h-5v-20h5z",
)
HATCH = (
    "m0 16l16-16m-16 32l32-32m-16 32l16-16",
    "m16 0l16 16m-32-16l32 32m-32-16l16 16",
    "m8 0v32m16-32v32",
    "m8 8h0m16 0h0m-16 16h0m16 0h0",
)
SQUARE = "h32v32h-32z"


@dataclasses.dataclass(frozen=True)
class Tile:
    """What a cell can be. `mark` is its letter in `Frame.cells` and in text boards; `shape`: plain, solid or hatch."""

    mark: str
    shape: str
    player: int
    name: str


@dataclasses.dataclass(frozen=True)
class Unit:
    """A piece of a player, drawn as a disc with its name."""

    player: int
    name: str


@dataclasses.dataclass(frozen=True)
class Verb:
    """What a unit can try. `shape` is how it is drawn: none, arrow (it goes there), ring or cross (on the target)."""

    name: str
    shape: str


@dataclasses.dataclass(frozen=True)
class Outcome:
    """What can become of a try. `badge` is one letter drawn on the target where it failed, empty where it did not."""

    name: str
    badge: str


@dataclasses.dataclass(frozen=True)
class Scene:
    """What stays the same through a game.

    title : the game and its size. players : their letters. tiles : the first is what most cells are.
    values : a number to write on each cell, or none at all. score_names : the first is what decides.
    """

    title: str
    width: int
    height: int
    players: Sequence[str]
    score_names: Sequence[str]
    tiles: Sequence[Tile] = ()
    values: Sequence[int] = ()
    units: Sequence[Unit] = ()
    verbs: Sequence[Verb] = ()
    outcomes: Sequence[Outcome] = ()


@dataclasses.dataclass(frozen=True)
class Frame:
    """What is seen of one position.

    caption : when it is. scores : `[player][score_names]`. cells : a mark for each cell.
    places : the cell of each unit, -1 where it is on none. text : what is shown in place of a board without cells.
    """

    caption: str
    scores: Sequence[Sequence[int]]
    cells: str = ""
    places: Sequence[int] = ()
    text: str = ""


@dataclasses.dataclass(frozen=True)
class Act:
    """What one unit tried: places in `Scene.units`, `verbs` and `outcomes`, and the cell aimed at, -1 for none."""

    unit: int
    verb: int
    target: int
    outcome: int


class Drawing(Protocol):
    """What a game's `render` module offers."""

    def scene(self, state: Any) -> Scene:
        """What stays the same through the game of `state`."""

    def frame(self, state: Any) -> Frame:
        """What is seen of `state`."""

    def acts(self, before: Any, move: Any, after: Any) -> Sequence[Act]:
        """What the units tried in `move`, which led from the state `before` to the state `after`."""


def drawing_of(state: Any) -> Drawing:
    """The drawing of the state's game; `plain` for a plug-in, which has none of its own.

    state : an engine's or a reference's; neither is changed.
    """
    if hasattr(state, "game"):
        package = state.game.package.__name__ if state.game.package else None
    else:
        package = type(state).__module__.rpartition(".")[0]
    drawing: Any = importlib.import_module(f"{package}.render" if package else "masume.render.plain")
    return drawing  # type: ignore[no-any-return]


def corner(scene: Scene, cell: int) -> tuple[int, int]:
    """(x, y) of the cell's upper left corner, in SVG units."""
    row, column = divmod(cell, scene.width)
    return MARGIN + CELL * column, MARGIN + CELL * row


def size(scene: Scene) -> tuple[int, int]:
    """(width, height) of the board with its numbers, in SVG units."""
    return MARGIN + CELL * scene.width + EDGE, MARGIN + CELL * scene.height + EDGE
