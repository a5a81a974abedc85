"""Boards as SVG: one standalone picture of a position.

`board`, `piece`, `units`, `tags` and `plain` have twins of the same names in draw.js, for the interactive pages;
tests/browser checks that both write the same.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Iterator
from html import escape
from importlib import resources
from typing import Any

from ..core.language import translate as _
from ..core.language import width_of
from .canvas import BRICKS, EDGE, GLYPHS, LIFT, MARGIN, SMALL, SQUARE, Frame, Grid, Scene, Shape, foot_of, things
from .drawing import draw_seen

LINE = 20  # height of a line of text
LETTER = 9  # approximate width of a letter of the captions
WORDS = 48  # letters of a caption that fit above the smallest board
FOOT = 23  # from a small piece to its letters
MINUS, NEWLINE = "\N{MINUS SIGN}", "\n"


def svg(state: Any, player: int | None = None) -> str:
    """Return a position as a standalone SVG document: caption, board and scores.

    Parameters
    ----------
    state : State
        The position; it is not changed.
    player : int, optional
        Show only what this player sees, in games of imperfect information. None: everything.

    Returns
    -------
    str
        The same text for the same state on every machine. Its colours follow the reader's preference for light or dark.

    Raises
    ------
    ValueError
        If the game has no such player.
    """
    scene, frame = draw_seen(state, player)
    if frame.cells:
        grid = Grid(scene)
        width, height = grid.size
        layers = {
            "board": board(scene, grid, frame),
            "units": units(scene, grid, frame),
            "tags": tags(scene, grid, frame),
        }
        picture = "".join(f'<g class="{name}">{inside}</g>' for name, inside in layers.items() if inside)
    else:
        lines = frame.text.split("\n")
        width, height = 16 + 8 * max(map(width_of, lines)), EDGE + LINE * len(lines)
        picture = f'<g class="board">{plain(lines)}</g>'
    caption = f"{scene.title}, {frame.caption}"
    described = _describe(scene, frame)
    room = max(width - MARGIN - EDGE, LETTER * max(WORDS, *map(width_of, described)))
    above = textwrap.wrap(caption, room // LETTER * len(caption) // width_of(caption))
    width = max(width, MARGIN + LETTER * max(map(width_of, [*above, *described])) + EDGE)
    summary = "; ".join(f"{who} {_number(scores[0])}" for who, scores in zip(scene.players, frame.scores, strict=True))
    top = LINE * len(above) + EDGE
    bottom = top + height
    total = bottom + LINE * len(scene.players) + EDGE
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="masume" role="img" viewBox="0 0 {width} {total}" '
        f'width="{width}" height="{total}">'
        f"<title>{escape(f'{caption}: {summary}')}</title>"
        f"<style>{style()}</style>"
        f'<rect class="paper" width="{width}" height="{total}"/>'
        f"{''.join(_captions(above))}"
        f'<g transform="translate(0 {top})">{picture}</g>'
        f'<g class="scores">{_scores(described, bottom + EDGE)}</g></svg>'
    )


def style() -> str:
    """Return the style sheet of boards, which pages need too."""
    return (resources.files(__package__) / "board.css").read_text("utf-8")


def board(scene: Scene, grid: Grid, frame: Frame) -> str:
    """Return the cells with their labels, as the inside of a group."""
    cells = range(len(grid.spots))
    parts = []

    def path(kind: str, shape: str, where: Iterable[int]) -> None:
        if commands := "".join(f"M{grid.centres[cell][0]} {grid.centres[cell][1]}{shape}" for cell in where):
            parts.append(f'<path class="{kind}" d="{commands}"/>')

    low = {cell for cell, value in enumerate(scene.values) if value < 0}
    voids = {tile.mark for tile in scene.tiles if tile.shape == "void"}
    path("ground", grid.shapes["cell"], (cell for cell in cells if frame.cells[cell] not in voids))
    path("low", grid.shapes["cell"], sorted(low))
    for tile in scene.tiles:
        where = [cell for cell in cells if frame.cells[cell] == tile.mark]
        if tile.shape == "solid":
            path(f"solid p{tile.player}", grid.shapes["solid"][tile.player], where)
        elif tile.shape in ("wall", "plot"):
            path(f"plot p{tile.player}", grid.shapes["solid"][tile.player], where)
            if tile.shape == "wall":
                path(f"bricks p{tile.player}", BRICKS, where)
        elif tile.shape == "hatch":
            path(f"tint p{tile.player}", grid.shapes["cell"], where)
            path(f"hatch p{tile.player}", grid.shapes["hatch"][tile.player], where)
            fence = ((grid.centres[cell], line) for cell, line in grid.fence(where))
            if lines := "".join(f"M{x} {y}{line}" for (x, y), line in fence):
                parts.append(f'<path class="fence p{tile.player}" d="{lines}"/>')
        elif tile.shape not in ("plain", "void"):
            path(tile.shape, grid.shapes["cell"], where)
        if tile.glyph and tile.glyph not in scene.shapes:
            path(f"glyph {tile.glyph}", GLYPHS[tile.glyph], where)
    for cell, (name, player) in things(scene, frame).items():
        x, y = grid.centres[cell]
        parts.append(piece(scene.shapes[name], player, x, y, cell in frame.notes))
    labels = [_number(value) for value in scene.values] or [""] * len(cells)
    tagged = _tag(scene, frame)
    for cell, note in frame.notes.items():
        labels[cell] = "" if cell in tagged else note
    taken = set(frame.places)
    for tile in scene.tiles:
        for is_low in (False, True):
            texts = ""
            for cell in cells:
                if frame.cells[cell] == tile.mark and cell not in taken and labels[cell].startswith(MINUS) == is_low:
                    texts += _label(labels[cell], *grid.centres[cell])
            if texts:
                on = f" on{tile.player}" if tile.shape == "solid" else ""
                parts.append(f'<g class="value {tile.shape}-value{on}{" low-value" * is_low}">{texts}</g>')
    beside = (f'<text x="{x}" y="{y + 4}">{escape(name)}</text>' for _, (x, y), name in [*grid.columns, *grid.rows])
    parts.append(f'<g class="axis">{"".join(beside)}</g>')
    return "".join(parts)


def _label(label: str, x: int, y: int) -> str:
    """Return a label of one or two lines for the middle of a cell, smaller the longer they are."""
    if not label:
        return ""
    lines = label.split("\n")
    tops, full = ([y + 5], 3) if len(lines) == 1 else ([y - 2, y + 11], 2)
    placed = zip(lines, tops, strict=True)
    return "".join(f'<text{_size(line, full)} x="{x}" y="{top}">{escape(line)}</text>' for line, top in placed)


def _size(line: str, full: int) -> str:
    """Return the class of a line in a place with room for `full` letters."""
    return "" if len(line) <= full else ' class="small"' if len(line) <= 1.6 * full else ' class="tiny"'


def _tag(scene: Scene, frame: Frame) -> list[int]:
    """Return the cells whose note is at their lower edge, because a unit or thing is above it."""
    glyphs = {tile.mark for tile in scene.tiles if tile.glyph}
    above = {*frame.places, *frame.glyphs}
    return [cell for cell in sorted(frame.notes) if cell in above or frame.cells[cell] in glyphs]


def piece(
    shape: Shape, player: int, x: int, y: int, is_small: bool, side: int = 1, is_faint: bool = False, foot: str = ""
) -> str:
    """Return a shape in a group, in the colours of a player (-1: none).

    x, y : the middle of its place. is_small : whether it leaves room for letters below. side : pieces in a row of its
    cell. foot : the letters below.
    """
    kind = f"piece{f' p{player}' * (player >= 0)}{' faint' * is_faint}"
    size = (SMALL if is_small else 1) / side
    scale = "" if size == 1 else f" scale({size:.2f})"
    whole = "".join(f"M0 0{commands}" for _tone, commands in shape.paths)
    paths = "".join(f'<path class="{tone}" d="M0 0{commands}"/>' for tone, commands in shape.paths)
    below = f'<text{_size(foot, 3)} y="{FOOT}">{escape(foot)}</text>' if foot else ""
    return (
        f'<g class="{kind}" transform="translate({x} {y - LIFT // side * is_small}){scale}">'
        f'<path class="aura" d="{whole}"/>{paths}{below}</g>'
    )


def units(scene: Scene, grid: Grid, frame: Frame) -> str:
    """Return the units on the board, as the inside of a group; units that share a cell are smaller."""
    parts = []
    on: dict[int, int] = {}  # number of units drawn so far, by cell
    for n, (unit, cell) in enumerate(zip(scene.units, frame.places, strict=True)):
        if cell < 0:
            continue
        x, y = grid.centres[cell]
        side = math.ceil(math.sqrt(frame.places.count(cell)))
        row, column = divmod(on.get(cell, 0), side)
        on[cell] = on.get(cell, 0) + 1
        step = 30 // side
        x += step * column - step * (side - 1) // 2
        y += step * row - step * (side - 1) // 2
        is_faint = n in frame.faint
        if shape := frame.looks.get(n, unit.shape):
            foot = foot_of(scene, frame, n)
            is_small = bool(foot) or cell in frame.notes
            parts.append(piece(scene.shapes[shape], unit.player, x, y, is_small, side, is_faint, foot))
            continue
        scale = "" if side == 1 else f" scale({1 / side:.2f})"
        parts.append(
            f'<g class="unit{f" p{unit.player}" * (unit.player >= 0)}{" faint" * is_faint}" '
            f'transform="translate({x} {y}){scale}"><circle r="12.5"/><circle class="rim" r="10"/>'
            f'<text{_size(unit.name, 2)} y="4">{escape(unit.name)}</text></g>'
        )
    return "".join(parts)


def tags(scene: Scene, grid: Grid, frame: Frame) -> str:
    """Return the notes on cells with a unit or a glyph, as the inside of a group."""
    parts = []
    for cell in _tag(scene, frame):
        x, y = grid.centres[cell]
        parts.append(f'<text x="{x}" y="{y + 15}">{escape(frame.notes[cell].replace(NEWLINE, " "))}</text>')
    return "".join(parts)


def plain(lines: Iterable[str]) -> str:
    """Return lines of text, as the inside of a group."""
    return "".join(f'<text class="line" x="8" y="{LINE * n}">{escape(line)}</text>' for n, line in enumerate(lines, 1))


def _captions(lines: Iterable[str]) -> Iterator[str]:
    """Yield the lines of the caption above the board."""
    for n, line in enumerate(lines, 1):
        yield f'<text class="caption" x="{MARGIN}" y="{LINE * n + 2}">{escape(line)}</text>'


def _describe(scene: Scene, frame: Frame) -> list[str]:
    """Return a line for each player with all scores."""
    lines = []
    for who, scores in zip(scene.players, frame.scores, strict=True):
        parts = (f"{_(name)} {_number(score)}" for name, score in zip(scene.score_names, scores, strict=True))
        lines.append(f"{who}: {', '.join(parts)}")
    return lines


def _scores(told: Iterable[str], top: int) -> str:
    return "".join(
        f'<path class="solid p{player}" transform="translate({MARGIN + 8} {top + LINE * player}) scale(.5)" '
        f'd="M0 0{SQUARE["solid"][player]}"/>'
        f'<text x="{MARGIN + 24}" y="{top + LINE * player + 5}">{escape(line)}</text>'
        for player, line in enumerate(told)
    )


def _number(value: int | None) -> str:
    """Return the number with a true minus sign, which is wider than a hyphen; a question mark for None."""
    return "?" if value is None else str(value).replace("-", MINUS)
