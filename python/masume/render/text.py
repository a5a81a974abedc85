"""Boards as text, for terminals and logs."""

from __future__ import annotations

import os
from typing import Any, TextIO

from .canvas import Frame, Scene, Tile, drawing_of

RESET = "\x1b[0m"
# 256-colour codes of each player: blue, orange, green, pink; what is written on them is white or black
BACKGROUND = ("\x1b[48;5;25;38;5;231m", "\x1b[48;5;214;38;5;16m", "\x1b[48;5;36;38;5;16m", "\x1b[48;5;175;38;5;16m")
FOREGROUND = ("\x1b[38;5;33m", "\x1b[38;5;214m", "\x1b[38;5;36m", "\x1b[38;5;175m")
UNIT = "\x1b[1;7m"
LOW = "\x1b[38;5;167m"


def text(state: Any, color: bool = False) -> str:
    """The board as lines of text: each cell its owner's mark and its value, or a * and the unit on it; then the scores.

    color : with ANSI colours, which add nothing that the letters do not say.

    Columns and rows are numbered from 0. The state's own `str` where the game has no drawing.
    """
    drawing = drawing_of(state)
    scene, frame = drawing.scene(state), drawing.frame(state)
    lines = [f"{scene.title}, {frame.caption}"]
    lines += _board(scene, frame, color) if frame.cells else frame.text.splitlines()
    return "\n".join(lines + _scores(scene, frame, color))


def wants_color(stream: TextIO) -> bool:
    """Whether text for the stream is to have colours: on a terminal, unless NO_COLOR is set (https://no-color.org)."""
    return stream.isatty() and not os.environ.get("NO_COLOR")


def _board(scene: Scene, frame: Frame, color: bool) -> list[str]:
    tiles = {tile.mark: tile for tile in scene.tiles}
    on = {place: unit for unit, place in zip(scene.units, frame.places, strict=True) if place >= 0}
    labels = [*map(str, scene.values), *(unit.name for unit in scene.units), str(scene.width - 1)]
    wide = max(map(len, labels))
    margin = len(str(scene.height - 1))
    lines = [" " * margin + "".join(f" {column:>{wide + 1}}" for column in range(scene.width))]
    for row in range(scene.height):
        line = f"{row:>{margin}}"
        for cell in range(row * scene.width, (row + 1) * scene.width):
            tile = tiles[frame.cells[cell]]
            value = str(scene.values[cell]) if scene.values else ""
            label = on[cell].name if cell in on else value
            mark = "*" if cell in on else " " if tile.shape == "plain" else tile.mark
            shown = f"{mark}{label:>{wide}}"
            line += " " + (_painted(shown, tile, cell in on, value.startswith("-")) if color else shown)
        lines.append(line if color else line.rstrip())
    return lines


def _painted(shown: str, tile: Tile, has_unit: bool, low: bool) -> str:
    if tile.shape == "plain":
        style = LOW if low else ""
    else:
        style = (BACKGROUND if tile.shape == "solid" else FOREGROUND)[tile.player]
    style += UNIT if has_unit else ""
    return f"{style}{shown}{RESET}" if style else shown


def _scores(scene: Scene, frame: Frame, color: bool) -> list[str]:
    rows = [["", *scene.score_names]]
    rows += [[name, *map(str, scores)] for name, scores in zip(scene.players, frame.scores, strict=True)]
    wide = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(f"{item:>{w}}" for item, w in zip(row, wide, strict=True)) for row in rows]
    if color:
        lines[1:] = [f"{FOREGROUND[player]}{line}{RESET}" for player, line in enumerate(lines[1:])]
    return lines
