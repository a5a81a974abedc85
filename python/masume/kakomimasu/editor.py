"""The editor of boards: points of cells, board files as sheets, and likely mistakes."""

from __future__ import annotations

from typing import Any

from ..core.language import translate as _
from ..render.sheet import BALANCE, Brush, Editor, Field, Finding, Sheet
from .boards import Board, dump_boards, the_board
from .fields import HARD_RANGES, POINT_RANGE

SECONDS = {"operation_sec": (0.1, 3600.0), "transition_sec": (0.0, 3600.0)}
KEPT = ("n_agents", "n_players", "total_turns", *SECONDS)
DESK = Editor(
    suffix=".json",
    sizes=(HARD_RANGES["width"], HARD_RANGES["height"]),
    size=(10, 10),
    brushes=(Brush("0", "points"),),
    fields=(
        Field("name", "Name", None, 60, "mine"),
        Field("n_agents", "agents", *HARD_RANGES["n_agents"], 3),
        Field("n_players", "players", *HARD_RANGES["n_players"], 2),
        Field("total_turns", "turns", *HARD_RANGES["total_turns"], 30),
        Field("operation_sec", "seconds of a turn", *SECONDS["operation_sec"], 3.0),
        Field("transition_sec", "seconds between turns", *SECONDS["transition_sec"], 1.0),
    ),
    numbers=POINT_RANGE,
    symmetry="both",
)
TASKS = (BALANCE,)


def parse(text: str) -> Board:
    """Return the one board of a file."""
    return the_board(text)


def sheet_of(board: Board) -> Sheet:
    """Return the sheet of a board."""
    fields = {"name": board.name, **{field: getattr(board, field) for field in KEPT}}
    return Sheet((board.width, board.height), board.points, fields)


def write(sheet: Sheet) -> str:
    """Return a board file."""
    points = tuple(int(value) for value in sheet.cells)
    kept: dict[str, Any] = {field: sheet.fields[field] for field in KEPT}
    width, height = sheet.size
    return dump_boards([Board(str(sheet.fields["name"]), width, height, points, **kept)])


def findings(board: Board) -> list[Finding]:
    """Return likely mistakes of a valid board: nothing to win, or no room."""
    found = []
    if not any(board.points):
        found.append(Finding(_("Every cell counts 0: nothing can be won.")))
    elif max(board.points) <= 0:
        found.append(Finding(_("No cell counts more than 0: walls are worth nothing.")))
    cells = board.width * board.height
    if 2 * board.n_agents * board.n_players > cells:
        found.append(Finding(_("The agents fill half of the board: there is little room to close a ring.")))
    return found
