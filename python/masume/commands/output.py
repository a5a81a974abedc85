"""Output of commands: tables, boards, JSON."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from typing import Any

from .. import render
from ..core.language import translate as _
from ..core.language import width_of


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


def indent(log: str) -> str:
    """Return what a program wrote, such as a traceback, indented and safe for a terminal."""
    return "\n".join(f"    | {render.escape_text(line.expandtabs())}" for line in log.split("\n"))


def format_games(number: int) -> str:
    """Return a number of games as text: 1 game, 2,000 games."""
    return _("1 game") if number == 1 else _("{number} games").format(number=f"{number:,}")


def print_board(state: Any, player: int | None = None) -> None:
    """Print a board, in colours if the terminal supports them."""
    print(render.text(state, player, color=render.wants_color(sys.stdout)), end="\n\n")


def print_json(value: Any) -> None:
    """Print one JSON value."""
    print(json.dumps(value, indent=2))
