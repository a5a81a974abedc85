"""Output of commands: tables, boards, JSON."""

from __future__ import annotations

import json
import sys
from typing import Any

from .. import render
from ..core.language import translate as _


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
