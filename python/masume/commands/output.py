"""How commands print: tables, boards, JSON."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from typing import Any

from .. import render


def table(rows: Iterable[Iterable[Any]], head: Sequence[str] = ()) -> str:
    """Rows as aligned plain text; columns of numbers to the right, with commas."""
    cells = [list(row) for row in rows]
    numeric = [all(type(row[k]) in (int, float) for row in cells) for k in range(len(cells[0]))]
    lines = [[f"{cell:,}" if right else str(cell) for cell, right in zip(row, numeric, strict=True)] for row in cells]
    lines = [list(head), *lines] if head else lines
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]

    def align(line: list[str]) -> str:
        columns = zip(line, widths, numeric, strict=True)
        return "  ".join(cell.rjust(width) if right else cell.ljust(width) for cell, width, right in columns).rstrip()

    return "\n".join(map(align, lines))


def format_count(number: int, noun: str) -> str:
    """The number and what it is of: 1 game, 2,000 games."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def print_board(state: Any, player: int | None = None) -> None:
    """Print a board, in colours where the terminal wants them."""
    print(render.text(state, player, color=render.wants_color(sys.stdout)), end="\n\n")


def print_json(value: Any) -> None:
    """Print one JSON value."""
    print(json.dumps(value, indent=2))
