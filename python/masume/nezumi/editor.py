"""The editor of stages: what may be put on a stage, and stage files as sheets."""

from __future__ import annotations

from string import ascii_lowercase

from ..core.language import translate as _
from ..errors import ConfigError, StageError
from ..render.sheet import Brush, Editor, Field, Kinds, Sheet, Task
from .shapes import SHAPES
from .stages import FIRST_LINE, LIMITS, MAX_AMOUNT, SIDES, Food, Stage
from .workbench.findings import findings as findings

FLOOR, CAT = ".", "C"
DESK = Editor(
    suffix=".stage",
    sizes=(SIDES, SIDES),
    size=(7, 7),
    brushes=(
        Brush(FLOOR, "floor"),
        Brush("#", "wall", "block"),
        Brush("Z", "zone", "zone"),
        Brush(CAT, "cat", player=0, unit=CAT, cycle=CAT, look="cat"),
    ),
    fields=(
        Field("name", "Name", None, 60, "mine"),
        Field("max_mice", "max mice", *LIMITS["max_mice"], 3),
        Field("require", "require", *LIMITS["require"], 2),
        Field("turns", "turns", *LIMITS["turns"], 12),
    ),
    kinds=Kinds(ascii_lowercase, "food", "food", "mg", 1, MAX_AMOUNT, (("a", "crumb", 5), ("b", "cheese", 13))),
    symmetry="columns",
    shapes=SHAPES,
)
TASKS = (
    Task("Exact value", ("stage", "solve", "{file}", "--max-states", "2000000")),
    Task("Balance", ("stage", "balance", "{file}", "--games", "40", "--threads", "1")),
)
FAULTS = {
    "S05": "The quota of captures is more than the stock of mice.",
    "S11": "The zone is empty.",
    "S13": "The marked cells are not connected: the cat must be able to get to the zone and to all food.",
    "S14": "Mice put into the zone would surround the cat before its first move.",
}


def parse(text: str) -> Stage:
    """Return the stage of a stage file."""
    return Stage.parse(text)


def sheet_of(stage: Stage) -> Sheet:
    """Return the sheet of a stage that a file can hold."""
    if not stage.has_text:
        raise ConfigError("stage: zone, food and the cat's start overlap: no stage file can hold it")
    fields = {"name": stage.name, **{field: getattr(stage, field) for field in LIMITS}}
    return Sheet((stage.width, stage.height), [*"".join(stage.rows)], fields, stage.foods)


def write(sheet: Sheet) -> str:
    """Return a stage file; foods that are not on the map are left out."""
    foods = [Food(*kind) for kind in sorted(sheet.kinds) if kind[0] in sheet.cells]
    lines = [FIRST_LINE, *(f"{key}: {value}".rstrip() for key, value in sheet.fields.items())]
    lines += [f"food: {food.letter} {food.kind} {food.amount}mg" for food in foods]
    return "".join(line + "\n" for line in [*lines, "map:", *sheet.rows()])


def explain(sheet: Sheet, error: Exception) -> tuple[str, list[int]]:
    """Return what to say of a fault, and its cell."""
    if not isinstance(error, StageError):
        return str(error), []
    row = error.line - 1 - (len(write(sheet).splitlines()) - sheet.size[1])
    at = [row * sheet.size[0] + error.column - 1] if error.line and row >= 0 else []
    return _(FAULTS[error.code]) if error.code in FAULTS else str(error), at
