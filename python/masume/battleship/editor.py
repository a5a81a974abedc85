"""The editor of terrain: letters of panels, text files as sheets, and likely mistakes."""

from __future__ import annotations

from ..core.config import integer
from ..core.language import translate as _
from ..render.sheet import BALANCE, Brush, Editor, Finding, Sheet, apart, beside, reached, uneven
from .maps import LETTERS, NAMES, REEF, SIZES, codes, read, rows_of

SHAPES = ("plain", "block", "water", "plain", "water")
GLYPHS = ("", "rock", "shallows", "mist", "wave")
DESK = Editor(
    suffix=".txt",
    sizes=(SIZES, SIZES),
    size=(5, 5),
    brushes=tuple(
        Brush(letter, name.replace("wave", "high wave"), shape, glyph=glyph)
        for letter, name, shape, glyph in zip(LETTERS, NAMES, SHAPES, GLYPHS, strict=True)
    ),
    symmetry="point",
    letters="ABCDEFGHI",
)
TASKS = (BALANCE,)


def parse(text: str) -> str:
    """Return the map in a text."""
    rows = rows_of(text)
    for name, size in (("width", len(rows[0])), ("height", len(rows))):
        integer(f"terrain_map: {name}", size, *SIZES)
    return read(text, len(rows[0]), len(rows))


def sheet_of(its: str) -> Sheet:
    """Return the sheet of a map."""
    rows = rows_of(its)
    return Sheet((len(rows[0]), len(rows)), [*"".join(rows)])


def write(sheet: Sheet) -> str:
    """Return a text file."""
    return "\n".join(sheet.rows()) + "\n"


def findings(terrain_map: str) -> list[Finding]:
    """Return likely mistakes of a valid map: waters that are apart, or uneven."""
    rows, terrain = rows_of(terrain_map), codes(terrain_map)
    width, height = len(rows[0]), len(rows)
    sea = {panel for panel, value in enumerate(terrain) if value != REEF}

    def near(panel: int) -> list[int]:
        return [other for other in beside(panel, width, height) if other in sea]

    mistakes: list[Finding | None] = []
    parts: list[set[int]] = []
    left = set(sea)
    while left:
        parts.append(reached([min(left)], near))
        left -= parts[-1]
    if not sea:
        mistakes.append(Finding(_("There is no water: no ship has a place.")))
    elif len(parts) > 1:
        small = set().union(*(part for part in parts if part is not max(parts, key=len)))
        cut_off = apart(small, lambda panel: f"{DESK.letters[panel % width]}{panel // width + 1}")
        assert cut_off is not None
        mistakes.append(Finding(_("Reefs part the waters: ships cannot sail from one part to another."), cut_off.cells))
    mistakes.append(uneven(terrain, width))
    return [one for one in mistakes if one is not None]
