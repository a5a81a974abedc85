"""Tables as plain text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from .language import width_of


def table(rows: Iterable[Iterable[Any]], head: Sequence[str] = ()) -> str:
    """Return rows as aligned plain text; numeric columns are right-aligned, with commas."""
    cells = [list(row) for row in rows]
    numeric = [all(type(row[k]) in (int, float) for row in cells) for k in range(len(cells[0]))]
    lines = [[f"{cell:,}" if right else str(cell) for cell, right in zip(row, numeric, strict=True)] for row in cells]
    lines = [list(head), *lines] if head else lines
    widths = [max(map(width_of, column)) for column in zip(*lines, strict=True)]

    def align(line: list[str]) -> str:
        columns = zip(line, widths, numeric, strict=True)
        padded = ((cell, " " * (width - width_of(cell)), right) for cell, width, right in columns)
        return "  ".join(space + cell if right else cell + space for cell, space, right in padded).rstrip()

    return "\n".join(map(align, lines))
