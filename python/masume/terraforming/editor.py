"""The editor of maps: homes and holes, text boards as sheets, and likely mistakes."""

from __future__ import annotations

from ..core.language import say
from ..core.language import translate as _
from ..render.sheet import BALANCE, Brush, Editor, Finding, Sheet, apart, reached
from . import hexes
from .buildings import HOME, LETTERS
from .hexes import Cell
from .maps import Map
from .notation import PLAYERS
from .shapes import SHAPES

WASTELAND, HOLE = ".", "#"
DESK = Editor(
    suffix=".map",
    sizes=(hexes.RADII,),
    size=(3,),
    brushes=(
        Brush(WASTELAND, "wasteland"),
        Brush(HOLE, "hole", glyph="hole"),
        *(
            Brush(
                letter, f"home of {letter}", "plot", player, unit=letter.upper(),
                cycle=PLAYERS[player:] + PLAYERS[:player], look=LETTERS[HOME],
            )
            for player, letter in enumerate(PLAYERS)
        ),
    ),
    symmetry="thirds",
    shapes=SHAPES["rulebook"],
)  # fmt: skip
TASKS = (BALANCE,)


def spots(size: tuple[int, ...]) -> tuple[Cell, ...]:
    """Return the cells of a board, in index order."""
    return tuple(hexes.cells(size[0]))


def parse(text: str) -> Map:
    """Return the map of a text board or a state block."""
    return Map.parse(text)


def sheet_of(its: Map) -> Sheet:
    """Return the sheet of a map."""
    homes = {cell: PLAYERS[player] for player, cell in enumerate(its.homes)}
    cells = [homes.get(cell, HOLE if cell in its.holes else WASTELAND) for cell in hexes.cells(its.radius)]
    return Sheet((its.radius,), cells)


def write(sheet: Sheet) -> str:
    """Return a text board."""
    (radius,) = sheet.size
    index = hexes.indices(radius)
    home = {letter: f"{letter.upper()}{LETTERS[HOME]}0" for letter in PLAYERS}
    tokens = [[home.get(str(mark), str(mark)) for mark in (sheet.cells[index[cell]] for cell in row)]
              for row in hexes.rows(radius)]  # fmt: skip
    lines = (" " * (2 * abs(y)) + "".join(token.ljust(4) for token in row) for y, row in enumerate(tokens, -radius))
    return "".join(line.rstrip() + "\n" for line in lines)


def findings(land: Map) -> list[Finding]:
    """Return likely mistakes of a valid map: not the same for all three, or cells and homes out of reach."""
    index, cells = hexes.indices(land.radius), hexes.cells(land.radius)
    dry = {index[cell] for cell in cells if cell not in land.holes}

    def near(cell: int) -> list[int]:
        return [index[other] for other in hexes.neighbours(cells[cell]) if index.get(other) in dry]

    homes = [index[home] for home in land.homes]
    parts = [reached([home], near) for home in homes]
    mistakes: list[Finding | None] = []
    alone = [home for home, part in zip(homes, parts, strict=True) if not part.issuperset(homes)]
    if alone:
        mistakes.append(Finding(_("The homes are not connected: holes part them."), tuple(alone)))
    mistakes.append(apart(dry - set().union(*parts), lambda cell: f"{cells[cell][0]},{cells[cell][1]}"))
    wasteland = len(dry) - len(homes)
    fewest = min(len(part) for part in parts) - 1
    if 2 * fewest <= wasteland:
        mistakes.append(Finding(say("A player can get to {count} of {all} cells only.", count=fewest, all=wasteland)))
    if not land.is_symmetric:
        mistakes.append(Finding(_("The three thirds differ: one player may have the better one.")))
    return [one for one in mistakes if one is not None]
