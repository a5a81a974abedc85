"""Data that every picture is drawn from, and the shapes it is drawn with.

A game's `render` module turns its states into a Scene (constant during a game), Frames (one per position) and Acts
(what was tried between two frames), and knows nothing of text, SVG or HTML. The drawers of this package know nothing of
games. A cell is a number: row * width + column on a board of squares, the index in `Scene.hexes` on a board of
hexagons. Only `Grid` here and its twin in draw.js know its position on the page.

A game of imperfect information sets `Scene.hides`; its module also draws what one player knows.

What its pieces look like is data of the game, too: a `shapes` module has them as Shapes, for `Scene.shapes`. A piece
without a shape is a disc with its name.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Protocol

CELL = 32  # side of a square and width of a hexagon, in SVG units
PITCH = 28  # from a row of hexagons to the next one
MARGIN = 22  # left of and above the cells, for row and column numbers
EDGE = 8  # right of and below the cells

Spot = tuple[int, int]

# Path commands from the middle of a cell. `cell` is the whole cell and `half` half its height; `solid` and `hatch` mark
# what belongs to a player, one per player, so that shape alone tells players apart; `edges` are the half columns and
# rows to each neighbour, and the line towards it
SQUARE: dict[str, Any] = {
    "cell": "m-16-16h32v32h-32z",
    "half": 16,
    "solid": (
        "m-15-15h30v30h-30z",
        "m-7-15h14a8 8 0 0 1 8 8v14a8 8 0 0 1-8 8h-14a8 8 0 0 1-8-8v-14a8 8 0 0 1 8-8z",
        "m-8-15h16l7 7v16l-7 7h-16l-7-7v-16z",
        "m-10-15h20v5h5v20h-5v5h-20v-5h-5v-20h5z",
    ),
    "hatch": (
        "m-16 0l16-16m-16 32l32-32m-16 32l16-16",
        "m0-16l16 16m-32-16l32 32m-32-16l16 16",
        "m-8-16v32m16-32v32",
        "m-8-8h0m16 0h0m-16 16h0m16 0h0",
    ),
    "edges": ((2, 0, "m14-16v32"), (-2, 0, "m-14-16v32"), (0, 1, "m-16 14h32"), (0, -1, "m-16-14h32")),
}
HEXAGON: dict[str, Any] = {
    "cell": "m0-19l16 10v18l-16 10-16-10v-18z",
    "half": 19,
    "solid": (
        "m0-18l15 9.5v17l-15 9.5-15-9.5v-17z",
        "m-7-13.5q7-5 14 0q8 5 8 9v9q0 4-8 9q-7 5-14 0q-8-5-8-9v-9q0-4 8-9z",
        "m-5-15h10l10 6.5v17l-10 6.5h-10l-10-6.5v-17z",
        "m0-18l5 3v4h4l6 3v16l-6 3h-4v4l-5 3-5-3v-4h-4l-6-3v-16l6-3h4v-4z",
    ),
    "hatch": (
        "m-15 1l17-17m-13 27l22-22m-13 27l17-17",
        "m15 1l-17-17m13 27l-22-22m13 27l-17-17",
        "m-8-13v26m8-31v36m8-31v26",
        "m-7-7h0m14 0h0m-14 14h0m14 0h0",
    ),
    "edges": (
        (2, 0, "m14-8v16"),
        (1, 1, "m14 8l-14 8.5"),
        (-1, 1, "m0 16.5l-14-8.5"),
        (-2, 0, "m-14 8v-16"),
        (-1, -1, "m-14-8l14-8.5"),
        (1, -1, "m0-16.5l14 8.5"),
    ),
}
SMALL, LIFT = 0.78, 4  # size and height of a piece above letters
PIPS = 4  # of strength, above which it is written in digits
BRICKS = "m-16-5h32m-32 10h32m-21-21v11m11 0v10m-11 0v11"
# Path commands of neutral things on a cell
GLYPHS = {
    "item": "m0-10l9 10-9 10-9-10z",
    "food": "m0-8a8 8 0 1 1 0 16a8 8 0 1 1 0-16z",
    "hole": "m0-10a12 10 0 1 1 0 20a12 10 0 1 1 0-20z",
    "rock": "m-12 10l4-13 5-7 6 2 3 6 5 3 2 9zm9-20l1 9 6 3",
    "shallows": "m-11-5q3-5 6 0t6 0t6 0m-15 9q3-5 6 0t6 0t6 0",
    "wave": "m-12 8q7-1 9-14q2 12 8 5q0 9 7 9z",
    "mist": "m-11-7h14m4 0h4m-22 7h4m4 0h14m-22 7h10m4 0h7",
}


@dataclasses.dataclass(frozen=True)
class Tile:
    """A kind of cell.

    Attributes
    ----------
    mark : str
        Its letter in `Frame.cells` and in text boards.
    shape : str
        `solid`, `wall` (of bricks), `plot` (with an edge) or `hatch` for a cell that belongs to a player; otherwise
        `plain` (the ground), `block`, `water`, `zone`, `unknown` (to the viewer) or `void` (not part of the board, and
        not drawn).
    player : int
        The owner, -1 for none.
    name : str
        Its name in the legend.
    glyph : str
        A symbol drawn on it, one of GLYPHS or of `Scene.shapes`; empty for none.
    """

    mark: str
    shape: str
    player: int
    name: str
    glyph: str = ""


@dataclasses.dataclass(frozen=True)
class Shape:
    """How a piece, a building or a thing looks: paths over each other, within 13 units of the middle of a cell.

    Attributes
    ----------
    name : str
        What it is, in the legend.
    letter : str
        What text boards write for it; empty for units, which have names.
    paths : sequence of (str, str)
        The tone and the path commands of each part, the first one at the bottom. Tones are the player's colour (`own`),
        lighter (`light`) and darker (`dark`), `paper`, `ink`, `line` (an outline alone), and `yellow`, `red`, `green`,
        `orange` and `blue`.
    """

    name: str
    letter: str
    paths: Sequence[tuple[str, str]]


@dataclasses.dataclass(frozen=True)
class Unit:
    """A piece of a player; player -1: nobody's.

    It looks like the Shape of `Scene.shapes` that `shape` names, with the letters `foot` below it; with an empty name
    it is a disc with its name. Indistinguishable pieces are numbered in the order of their cells, anew in each frame.
    """

    player: int
    name: str
    shape: str = ""
    foot: str = ""


@dataclasses.dataclass(frozen=True)
class Verb:
    """A kind of act. `shape` is how it is drawn: none, arrow (a move), arc (a jump), ring or cross."""

    name: str
    shape: str


@dataclasses.dataclass(frozen=True)
class Outcome:
    """A result of an act. `badge` is a letter drawn on the target after a failure, empty after a success."""

    name: str
    badge: str


@dataclasses.dataclass(frozen=True)
class Scene:
    """The constant part of a game's picture.

    Attributes
    ----------
    title : str
        The game and its size.
    players : sequence of str
        Letters of the players.
    score_names : sequence of str
        Names of the scores; the first one decides the game.
    width, height : int
        Size of a board of squares.
    hexes : sequence of tuple
        Axial (x, y) of each cell of a board of hexagons; x grows to the right, y downward and half a cell to the right.
    tiles : sequence of Tile
        The first is the most common one; text boards leave it blank.
    values : sequence of int
        A number to write on each cell; empty for none.
    units : sequence of Unit
        All units that can ever be on the board.
    shapes : mapping
        The Shape of each name that units, tiles and frames use.
    verbs, outcomes : sequence
        Kinds of acts, and their results.
    columns, rows : sequence of str
        Labels of columns and rows; empty: their numbers.
    hides : bool
        Whether a player sees less than everything.
    """

    title: str
    players: Sequence[str]
    score_names: Sequence[str]
    width: int = 0
    height: int = 0
    hexes: Sequence[tuple[int, int]] = ()
    tiles: Sequence[Tile] = ()
    values: Sequence[int] = ()
    units: Sequence[Unit] = ()
    verbs: Sequence[Verb] = ()
    outcomes: Sequence[Outcome] = ()
    columns: Sequence[str] = ()
    rows: Sequence[str] = ()
    hides: bool = False
    shapes: Mapping[str, Shape] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True)
class Frame:
    """The picture of one position.

    Attributes
    ----------
    caption : str
        The time of the position, such as its turn.
    scores : sequence
        `[player][score_names]`, None for an unknown score.
    cells : str
        The mark of each cell.
    places : sequence of int
        The cell of each unit, -1 for none; several units may share a cell.
    faint : collection of int
        The units that are drawn pale: hidden from others, or in an uncertain place.
    notes : mapping
        Short texts on cells, one line or two, that replace the value.
    looks : mapping
        The names of the shapes of units whose look is not that of `Scene.units`.
    pips : mapping
        (left, at first) of units whose strength is shown, such as a ship's HP.
    glyphs : mapping
        The names of the shapes on cells, in the colours of the owner of the cell.
    log : sequence of str
        The effects of the last move, one sentence each; in a game without a log, the page lists its acts.
    text : str
        Shown in place of a board without cells.
    """

    caption: str
    scores: Sequence[Sequence[int | None]]
    cells: str = ""
    places: Sequence[int] = ()
    faint: Collection[int] = ()
    notes: Mapping[int, str] = dataclasses.field(default_factory=dict)
    log: Sequence[str] = ()
    text: str = ""
    looks: Mapping[int, str] = dataclasses.field(default_factory=dict)
    pips: Mapping[int, tuple[int, int]] = dataclasses.field(default_factory=dict)
    glyphs: Mapping[int, str] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True)
class Act:
    """An attempt by a unit (-1: none or an unseen one) at a cell (-1: none).

    Attributes
    ----------
    unit, target : int
        The unit and the target cell.
    verb, outcome : int
        Indices into `Scene.verbs` and `Scene.outcomes`.
    via : sequence of int
        Cells that the unit touches before the target, in order. Without a unit on the board the first one is where the
        act begins.
    """

    unit: int
    verb: int
    target: int
    outcome: int
    via: Sequence[int] = ()


@dataclasses.dataclass(frozen=True)
class Choice:
    """Actions that a player may play now, alike but for their targets: what a page offers to press.

    Attributes
    ----------
    codes : sequence of int
        The action for each target.
    targets : sequence of int
        The cell of each action, -1 for none.
    verb : int
        Index into `Scene.verbs`, which says how targets are shown; -1 for none.
    word : str
        What it is called; empty: the name of the verb.
    units : sequence of int
        The units of `Scene.units` of which any may do it; empty if no unit does.
    slots : sequence of int
        The slot that each of these units decides, or the one slot without a unit.
    start : int
        The cell where it begins, for what has no unit; -1 for none.
    most : sequence of int
        The largest amount for each target, in actions with an amount; empty without.
    times : int
        What an amount above 1 adds to the action, for each one more.
    notes : sequence of str
        A short text at each target, such as a price; empty for none.
    ways : sequence of str
        The direction of each action: n, ne, e, se, s, sw, w or nw; empty if they have none.
    warns : sequence of str
        What the player would lose by each action, so that the page asks twice; an empty text for nothing.
    brings : sequence of str
        What comes of each action, in words, as far as the player can know it; {amount} and {rest} stand for how many go
        and how many of those that could go stay.
    """

    codes: Sequence[int]
    targets: Sequence[int]
    verb: int = -1
    word: str = ""
    units: Sequence[int] = ()
    slots: Sequence[int] = (0,)
    start: int = -1
    most: Sequence[int] = ()
    times: int = 0
    notes: Sequence[str] = ()
    ways: Sequence[str] = ()
    warns: Sequence[str] = ()
    brings: Sequence[str] = ()


class Drawing(Protocol):
    """Interface of a game's `render` module.

    `WHOLE_TURNS`, if it is there and true: a film has one frame for each turn, not for each action. `SEEN_TOGETHER`, if
    it is there and true: `player` may be TOGETHER.

    If `Scene.hides`, each function takes an additional argument `player: int | None = None`; the picture then shows
    only what that player knows. It may be a different board.
    """

    def scene(self, state: Any) -> Scene:
        """Return the constant part of the picture of the game of `state`."""

    def frame(self, state: Any) -> Frame:
        """Return the picture of `state`."""

    def acts(self, before: Any, move: Any, after: Any) -> Sequence[Act]:
        """Return what was tried in `move`, which led from the state `before` to the state `after`."""


def things(scene: Scene, frame: Frame) -> dict[int, tuple[str, int]]:
    """Return the shape and the player (-1: none) of what stands on each cell, beside units, by the cell."""
    tiles = {tile.mark: tile for tile in scene.tiles}
    there = {cell: tiles[mark].glyph for cell, mark in enumerate(frame.cells) if tiles[mark].glyph in scene.shapes}
    there |= frame.glyphs
    return {cell: (name, tiles[frame.cells[cell]].player) for cell, name in sorted(there.items())}


def foot_of(scene: Scene, frame: Frame, unit: int) -> str:
    """Return the letters below a unit: its own, then its strength, a dot for each point that is left."""
    left, most = frame.pips.get(unit, (0, 0))
    strength = f"{left}/{most}" if most > PIPS else "●" * left + "○" * (most - left)
    return f"{scene.units[unit].foot} {strength}".strip()


TOGETHER = -1
"""A viewer who sees what the players together have seen, in games whose drawing knows it: a spectator in the dark."""


class Grid:
    """Positions, names and shapes of the cells of a scene.

    spots : (half columns, rows) from the left and from the top of each cell; a column is two halves wide. centres : (x,
    y) of each cell's middle, in SVG units. names : of the cells. shapes : SQUARE or HEXAGON. rows, columns : (spot, (x,
    y), text) of the labels: those of rows are left of the cell on that spot, those of columns on it. size : (width,
    height) of the board with labels.
    """

    def __init__(self, scene: Scene) -> None:
        self.shapes = HEXAGON if scene.hexes else SQUARE
        self._pitch = PITCH if scene.hexes else CELL
        self.rows: list[tuple[Spot, Spot, str]] = []
        self.columns: list[tuple[Spot, Spot, str]] = []
        if scene.hexes:
            self._lay_hexagons(scene.hexes)
        else:
            self._lay_squares(scene)
        self.centres = [self._centre(spot) for spot in self.spots]
        right = max([x + CELL // 2 for x, _ in self.centres] + [x + 8 for _, (x, _), _ in self.columns])
        bottom = max([y + self.shapes["half"] for _, y in self.centres] + [y + 8 for _, (_, y), _ in self.columns])
        self.size = right + EDGE, bottom + EDGE

    def fence(self, cells: Collection[int]) -> list[tuple[int, str]]:
        """Return the lines around an area: cells, and the commands of a line from the middle of each."""
        area = {self.spots[cell] for cell in cells}
        return [
            (cell, line)
            for cell in cells
            for right, down, line in self.shapes["edges"]
            if (self.spots[cell][0] + right, self.spots[cell][1] + down) not in area
        ]

    def _lay_squares(self, scene: Scene) -> None:
        columns = scene.columns or [str(column) for column in range(scene.width)]
        rows = scene.rows or [str(row) for row in range(scene.height)]
        comma = "" if columns[0].isalpha() else ","
        self.spots = [(2 * column, row) for row in range(scene.height) for column in range(scene.width)]
        self.names = [f"{column}{comma}{row}" for row in rows for column in columns]
        for n, column in enumerate(columns):
            self._write_column((2 * n, -1), column, 0, 5)
        for n, row in enumerate(rows):
            self._write_row((0, n), row)

    def _lay_hexagons(self, hexes: Sequence[tuple[int, int]]) -> None:
        left, top = min(2 * x + y for x, y in hexes), min(y for _, y in hexes)
        self.spots = [(2 * x + y - left, y - top) for x, y in hexes]
        self.names = [f"{x},{y}" for x, y in hexes]
        for y in sorted({y for _, y in hexes}):
            x = min(column for column, row in hexes if row == y)
            self._write_row((2 * x + y - left, y - top), str(y))
        for x in sorted({x for x, _ in hexes}):  # below the lower end of the cells of this x
            y = max(row for column, row in hexes if column == x) + 1
            self._write_column((2 * x + y - left, y - top), str(x), -3, -5)

    def _centre(self, spot: Spot) -> Spot:
        half, row = spot
        return MARGIN + CELL // 2 * (half + 1), MARGIN + CELL // 2 + self._pitch * row

    def _write_row(self, spot: Spot, text: str) -> None:
        x, y = self._centre(spot)
        self.rows.append((spot, (x - 27, y), text))

    def _write_column(self, spot: Spot, text: str, right: int, down: int) -> None:
        x, y = self._centre(spot)
        self.columns.append((spot, (x + right, y + down), text))
