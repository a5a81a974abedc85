"""Boards as SVG: one standalone picture of a position.

What `board`, `units` and `plain` write is written once more by the functions of those names in page.js, for the pages
that play games; tests/browser holds the two equal.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from importlib import resources
from typing import Any

from .canvas import CELL, EDGE, HATCH, MARGIN, SOLID, SQUARE, Frame, Scene, corner, drawing_of, size

LINE = 20  # height of a line of text
LETTER = 9  # about the width of a letter of the captions


def svg(state: Any) -> str:
    """The position as a standalone SVG document: caption, board and scores, in light or dark as the reader prefers.

    The same state gives the same text on every machine.
    """
    drawing = drawing_of(state)
    scene, frame = drawing.scene(state), drawing.frame(state)
    if frame.cells:
        width, height = size(scene)
        picture = f'<g class="board">{board(scene, frame)}</g><g class="units">{units(scene, frame)}</g>'
    else:
        lines = frame.text.split("\n")
        width, height = 16 + 8 * max(map(len, lines)), EDGE + LINE * len(lines)
        picture = f'<g class="board">{plain(lines)}</g>'
    caption = f"{scene.title}, {frame.caption}"
    told = _told(scene, frame)
    width = max(width, MARGIN + LETTER * max(map(len, [caption, *told])) + EDGE)
    summary = "; ".join(f"{who} {_number(scores[0])}" for who, scores in zip(scene.players, frame.scores, strict=True))
    top = LINE + EDGE
    bottom = top + height
    total = bottom + LINE * len(scene.players) + EDGE
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="masume" role="img" viewBox="0 0 {width} {total}" '
        f'width="{width}" height="{total}">'
        f"<title>{escape(f'{caption}: {summary}')}</title>"
        f"<style>{style()}</style>"
        f'<rect class="paper" width="{width}" height="{total}"/>'
        f'<text class="caption" x="{MARGIN}" y="{LINE + 2}">{escape(caption)}</text>'
        f'<g transform="translate(0 {top})">{picture}</g>'
        f'<g class="scores">{_scores(told, bottom + EDGE)}</g></svg>'
    )


def style() -> str:
    """The style sheet of boards, which a page needs too."""
    return (resources.files(__package__) / "board.css").read_text("utf-8")


def board(scene: Scene, frame: Frame) -> str:
    """The cells with their numbers, as the inside of a group."""
    cells = range(scene.width * scene.height)
    right, bottom = corner(scene, len(cells) - 1)
    parts = [
        f'<rect class="ground" x="{MARGIN}" y="{MARGIN}" '
        f'width="{right + CELL - MARGIN}" height="{bottom + CELL - MARGIN}"/>'
    ]

    def path(kind: str, shape: str, where: Iterable[int]) -> None:
        corners = (corner(scene, cell) for cell in where)
        if commands := "".join(f"M{x} {y}{shape}" for x, y in corners):
            parts.append(f'<path class="{kind}" d="{commands}"/>')

    low = {cell for cell, value in enumerate(scene.values) if value < 0}
    path("low", SQUARE, sorted(low))
    path("grid", SQUARE, cells)
    for tile in scene.tiles:
        where = [cell for cell in cells if frame.cells[cell] == tile.mark]
        if tile.shape == "solid":
            path(f"solid p{tile.player}", SOLID[tile.player], where)
        elif tile.shape == "hatch":
            path(f"tint p{tile.player}", SQUARE, where)
            path(f"hatch p{tile.player}", HATCH[tile.player], where)
    taken = set(frame.places)
    if scene.values:
        for tile in scene.tiles:
            for is_low in (False, True):
                texts = ""
                for cell in cells:
                    if frame.cells[cell] == tile.mark and cell not in taken and (cell in low) == is_low:
                        x, y = corner(scene, cell)
                        texts += f'<text x="{x + 16}" y="{y + 21}">{_number(scene.values[cell])}</text>'
                if texts:
                    on = f" on{tile.player}" if tile.shape == "solid" else ""
                    parts.append(f'<g class="value {tile.shape}-value{on}{" low-value" * is_low}">{texts}</g>')
    columns = "".join(f'<text x="{MARGIN + CELL * n + 16}" y="{MARGIN - 7}">{n}</text>' for n in range(scene.width))
    rows = "".join(f'<text x="{MARGIN - 11}" y="{MARGIN + CELL * n + 20}">{n}</text>' for n in range(scene.height))
    parts.append(f'<g class="axis">{columns}{rows}</g>')
    return "".join(parts)


def units(scene: Scene, frame: Frame) -> str:
    """The units on the board, as the inside of a group."""
    parts = []
    for unit, cell in zip(scene.units, frame.places, strict=True):
        if cell >= 0:
            x, y = corner(scene, cell)
            kind = "short" if len(unit.name) < 3 else "long"
            parts.append(
                f'<g class="unit p{unit.player}"><circle cx="{x + 16}" cy="{y + 16}" r="12"/>'
                f'<text class="{kind}" x="{x + 16}" y="{y + 20}">{escape(unit.name)}</text></g>'
            )
    return "".join(parts)


def plain(lines: Iterable[str]) -> str:
    """Lines of text, as the inside of a group."""
    return "".join(f'<text class="line" x="8" y="{LINE * n}">{escape(line)}</text>' for n, line in enumerate(lines, 1))


def _told(scene: Scene, frame: Frame) -> list[str]:
    """A line for each player with all scores."""
    lines = []
    for who, scores in zip(scene.players, frame.scores, strict=True):
        parts = (f"{name} {_number(score)}" for name, score in zip(scene.score_names, scores, strict=True))
        lines.append(f"{who}: {', '.join(parts)}")
    return lines


def _scores(told: Iterable[str], top: int) -> str:
    return "".join(
        f'<path class="solid p{player}" transform="translate({MARGIN} {top + LINE * player - 8}) scale(.5)" '
        f'd="M0 0{SOLID[player]}"/>'
        f'<text x="{MARGIN + 24}" y="{top + LINE * player + 5}">{escape(line)}</text>'
        for player, line in enumerate(told)
    )


def _number(value: int) -> str:
    """The number with a true minus sign, which is wider than a hyphen."""
    return str(value).replace("-", "\N{MINUS SIGN}")
