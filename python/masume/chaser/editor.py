"""The editor of maps: what may be put on a field, map files as sheets, and likely mistakes."""

from __future__ import annotations

from ..core.language import translate as _
from ..render.sheet import BALANCE, Brush, Editor, Field, Finding, Sheet, apart, beside, reached, uneven
from .maps import BLOCK, FLOOR, ITEM, PLAYERS, SIZES, TURN_LIMITS, Map, mirror
from .shapes import SHAPES

MARKS = {FLOOR: ".", BLOCK: "#", ITEM: "*"}
VALUES = {mark: value for value, mark in MARKS.items()}
STARTS = "CH"
DESK = Editor(
    suffix=".map",
    sizes=(SIZES, SIZES),
    size=(15, 17),
    brushes=(
        Brush(MARKS[FLOOR], "floor"),
        Brush(MARKS[BLOCK], "block", "block"),
        Brush(MARKS[ITEM], "item", glyph="item"),
        *(
            Brush(
                letter, f"start of {name}", player=player, unit=letter, cycle=STARTS[player:] + STARTS[:player],
                look=name,
            )
            for player, (letter, name) in enumerate(zip(STARTS, PLAYERS, strict=True))
        ),
    ),
    fields=(Field("name", "Name", None, 60, "mine"), Field("turn_limit", "turn limit", *TURN_LIMITS, 100)),
    symmetry="point",
    shapes=SHAPES,
)  # fmt: skip
TASKS = (BALANCE,)


def parse(text: str) -> Map:
    """Return the map of a map file."""
    return Map.parse(text)


def sheet_of(its: Map) -> Sheet:
    """Return the sheet of a map."""
    cells: list[str | int] = [MARKS[value] for row in its.rows for value in row]
    for letter, (row, column) in zip(STARTS, its.starts, strict=True):
        cells[row * its.width + column] = letter
    return Sheet((its.width, its.height), cells, {"name": its.name, "turn_limit": its.turn_limit})


def write(sheet: Sheet) -> str:
    """Return a map file; a start that is not on the map has no line."""
    width, height = sheet.size
    lines = [f"N:{sheet.fields['name']}", f"T:{sheet.fields['turn_limit']}", f"S:{width},{height}"]
    lines += ["D:" + ",".join(str(VALUES.get(mark, FLOOR)) for mark in row) for row in sheet.rows()]
    cells = list(sheet.cells)
    lines += [
        f"{letter}:{cells.index(letter) % width},{cells.index(letter) // width}" for letter in STARTS if letter in cells
    ]
    return "".join(line + "\n" for line in lines)


def findings(field: Map) -> list[Finding]:
    """Return likely mistakes of a valid map: what is out of reach, uneven, or decided by the first move."""
    width, height = field.width, field.height
    values = [value for row in field.rows for value in row]
    cool, hot = (row * width + column for row, column in field.starts)

    def near(cell: int) -> list[int]:
        return [other for other in beside(cell, width, height) if values[other] != BLOCK]

    mistakes: list[Finding | None] = []
    if hot in beside(cool, width, height):
        mistakes.append(
            Finding(_("The starts are neighbours: who moves first puts a block on the other and wins."), (cool, hot))
        )
    if hot not in reached([cool], near):
        mistakes.append(Finding(_("No way leads from one player to the other."), (cool, hot)))
    if ITEM not in values:
        mistakes.append(Finding(_("There is no item: only blocks decide.")))
    floor = {cell for cell, value in enumerate(values) if value != BLOCK}
    mistakes.append(apart(floor - reached([cool, hot], near), lambda cell: f"{cell % width},{cell // width}"))
    odd = uneven(values, width)
    if odd is None and field.hot != mirror(field.cool, height, width):
        odd = Finding(_("The starts are not opposite each other."), (cool, hot))
    mistakes.append(odd)
    return [one for one in mistakes if one is not None]
