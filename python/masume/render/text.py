"""Boards as text, for terminals and logs."""

from __future__ import annotations

import os
import sys
import unicodedata
from typing import Any, TextIO

from ..core.language import translate, width_of
from .canvas import Frame, Grid, Scene, Tile
from .drawing import draw_seen

RESET = "\x1b[0m"
# 256-colour codes of each player: blue, orange, green, pink; text on them is white or black
BACKGROUND = ("\x1b[48;5;25;38;5;231m", "\x1b[48;5;214;38;5;16m", "\x1b[48;5;36;38;5;16m", "\x1b[48;5;175;38;5;16m")
FOREGROUND = ("\x1b[38;5;33m", "\x1b[38;5;214m", "\x1b[38;5;36m", "\x1b[38;5;175m")
NEUTRAL = {  # by shape and by glyph
    "block": "\x1b[48;5;240;38;5;231m",
    "unknown": "\x1b[38;5;242m",
    "zone": "\x1b[4m",
    "item": "\x1b[38;5;220m",
    "food": "\x1b[38;5;220m",
}
UNIT = "\x1b[1;7m"
LOW = "\x1b[38;5;167m"


def escape_text(told: str) -> str:
    """Return untrusted text with escapes for characters that control a terminal or cannot be encoded."""
    return "".join(
        char if unicodedata.category(char) not in ("Cc", "Cf", "Cs", "Zl", "Zp")
        else char.encode("unicode_escape").decode()
        for char in told
    )  # fmt: skip


def text(state: Any, player: int | None = None, color: bool = False) -> str:
    """Return a board as lines of text, then the scores, then the effects of the last move.

    A cell is the mark of its kind with its value or note, or a * with the units on it (a ? if all of them are hidden
    from others or in an uncertain place). Columns and rows are numbered as in the game. A state whose game has no
    drawing is shown as its `str`.

    Parameters
    ----------
    state : State
        The position; it is not changed.
    player : int, optional
        Show only what this player sees, in games of imperfect information. None: everything.
    color : bool, optional
        Add ANSI colours, which repeat what the letters say.

    Returns
    -------
    str

    Raises
    ------
    ValueError
        If the game has no such player.
    """
    scene, frame = draw_seen(state, player)
    lines = [f"{scene.title}, {frame.caption}"]
    lines += _board(scene, frame, color) if frame.cells else frame.text.splitlines()
    return "\n".join([*lines, *_scores(scene, frame, color), *frame.log])


def wants_color(stream: TextIO) -> bool:
    """Return whether text for the stream should have colours: a terminal without NO_COLOR (https://no-color.org)."""
    return stream.isatty() and not os.environ.get("NO_COLOR")


def _board(scene: Scene, frame: Frame, color: bool) -> list[str]:
    grid = Grid(scene)
    tiles = {tile.mark: tile for tile in scene.tiles}
    texts = _texts(scene, frame)
    wide = max(map(len, [*texts, *(name for _, _, name in grid.columns)]))
    wide += wide % 2 if scene.hexes else 0  # every second row of hexagons is shifted right by half a cell
    margin = max(len(name) for _, _, name in grid.rows)
    first, last, top, bottom = _extent(scene, frame, grid)
    lines: dict[int, dict[int, tuple[str, str]]] = {}  # row: {column: (text, its style)}

    def put(half: int, row: int, shown: str, style: str = "", left: int = 0) -> None:
        lines.setdefault(row, {})[margin + 1 + (half - first) * (wide + 2) // 2 - left] = shown, style

    for (half, row), _, name in grid.rows:
        if top <= row <= bottom:
            put(first + half, row, name, left=1 + len(name))
    for (half, row), _, name in grid.columns:
        if first <= half <= last:
            put(half, row, name.rjust(1 + wide))
    faint = [unit in frame.faint for unit in range(len(frame.places))]
    present = {cell for cell, is_faint in zip(frame.places, faint, strict=True) if not is_faint}
    taken = set(frame.places)
    for cell, (half, row) in enumerate(grid.spots):
        if not (first <= half <= last and top <= row <= bottom):
            continue
        tile = tiles[frame.cells[cell]]
        mark = " " if tile is scene.tiles[0] else tile.mark
        if cell in taken:
            mark = "*" if cell in present else "?"
        is_low = bool(scene.values) and scene.values[cell] < 0 and cell not in taken and cell not in frame.notes
        put(half, row, f"{mark}{texts[cell]:>{wide}}", _style(tile, cell in taken, is_low))
    return [_line(lines[row], color) for row in sorted(lines)]


def _extent(scene: Scene, frame: Frame, grid: Grid) -> tuple[int, int, int, int]:
    """Return the first and last half columns, and the top and bottom rows that are shown.

    This is the whole board, unless its edges are unknown (it has void tiles): then it is the known part with a rim of
    one cell, because a terminal is too narrow for all possible cells.
    """
    unknown = {tile.mark for tile in scene.tiles if tile.shape in ("unknown", "void")}
    is_open = any(tile.shape == "void" for tile in scene.tiles)
    known = [spot for spot, mark in zip(grid.spots, frame.cells, strict=True) if mark not in unknown]
    if not is_open or not known:
        return 0, sys.maxsize, 0, sys.maxsize
    halves, rows = zip(*known, strict=True)
    return max(0, min(halves) - 2), max(halves) + 2, max(0, min(rows) - 1), max(rows) + 1


def _texts(scene: Scene, frame: Frame) -> list[str]:
    """Return the text of each cell: its value or note, or the units on it, with the note if it has one."""
    texts = [str(value) for value in scene.values] or [""] * len(frame.cells)
    units: dict[int, list[str]] = {}
    for n, (unit, cell) in enumerate(zip(scene.units, frame.places, strict=True)):
        if cell >= 0:
            look = scene.shapes[frame.looks[n]].letter if n in frame.looks else ""
            look += str(frame.pips[n][0]) if n in frame.pips else ""
            units.setdefault(cell, []).append(f"{unit.name}:{look}" if look else unit.name)
    for cell, names in units.items():
        texts[cell] = " ".join(names)
    for cell in frame.notes.keys() | frame.glyphs.keys():
        letter = scene.shapes[frame.glyphs[cell]].letter if cell in frame.glyphs else ""
        line = f"{letter} {frame.notes.get(cell, '')}".strip().replace("\n", " ")
        texts[cell] = f"{texts[cell]}:{line}" if cell in units else line
    return texts


def _style(tile: Tile, has_unit: bool, is_low: bool) -> str:
    if tile.player >= 0:
        style = (FOREGROUND if tile.shape == "hatch" else BACKGROUND)[tile.player]
    else:
        style = NEUTRAL.get(tile.shape, "") + NEUTRAL.get(tile.glyph, "") or LOW * is_low
    return style + UNIT * has_unit


def _line(items: dict[int, tuple[str, str]], color: bool) -> str:
    line, end = "", 0
    for column, (shown, style) in sorted(items.items()):
        line += " " * (column - end) + (f"{style}{shown}{RESET}" if color and style else shown)
        end = column + len(shown)
    return line if color else line.rstrip()


def _scores(scene: Scene, frame: Frame, color: bool) -> list[str]:
    rows = [["", *map(translate, scene.score_names)]]
    for name, scores in zip(scene.players, frame.scores, strict=True):
        rows.append([name, *("?" if score is None else str(score) for score in scores)])
    wide = [max(map(width_of, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(" " * (w - width_of(item)) + item for item, w in zip(row, wide, strict=True)) for row in rows]
    if color:
        lines[1:] = [f"{FOREGROUND[player]}{line}{RESET}" for player, line in enumerate(lines[1:])]
    return lines
