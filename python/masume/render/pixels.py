"""Boards as arrays of pixels, for videos: cells, units and scores, without a library for pictures."""

from __future__ import annotations

import functools
import struct
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .canvas import CELL, EDGE, HEXAGON, LIFT, SMALL, Frame, Grid, Scene, Shape, foot_of, things
from .drawing import draw_seen
from .raster import rasterize

LINE = 20  # height of a player's scores
SCALE = 2  # height and width of a dot of the letters
PLAYERS = ((0, 114, 178), (230, 159, 0), (0, 158, 115), (204, 121, 167))
LIGHT = ((140, 195, 232), (249, 214, 138), (138, 217, 193), (236, 201, 221))
DARK = ((10, 74, 117), (138, 90, 0), (0, 87, 63), (124, 60, 98))
TONES = {"paper": (251, 250, 245), "ink": (20, 23, 28), "yellow": (246, 213, 74), "red": (209, 73, 91),
         "green": (63, 155, 79), "orange": (228, 87, 46), "blue": (74, 163, 223)}  # fmt: skip
PAPER, INK, GROUND, GRID, PALE = (255, 255, 255), (20, 23, 28), (250, 248, 243), (220, 214, 202), (109, 112, 121)
SHAPES = {"block": (74, 79, 89), "water": (223, 234, 240), "zone": (225, 238, 228), "unknown": (201, 199, 194)}
GLYPHS = {"item": (246, 224, 75), "food": (246, 224, 75), "rock": (154, 149, 140), "shallows": (138, 109, 47),
          "wave": (43, 92, 128), "mist": (160, 163, 170)}  # fmt: skip
# the rows of each letter, three dots a row, as five octal digits
DOTS = """
0=75557 1=26227 2=71747 3=71717 4=55711 5=74717 6=74757 7=71111 8=75757 9=75717 A=25755 B=65656 C=34443
D=65556 E=74647 F=74644 G=34553 H=55755 I=72227 J=11152 K=55655 L=44447 M=57755 N=65555 O=25552 P=65644
Q=25563 R=65655 S=34216 T=72222 U=55557 V=55552 W=55775 X=55255 Y=55222 Z=71247 -=00700 ?=71202 .=00002 /=11244
"""
LETTERS = {pair[0]: pair[2:] for pair in DOTS.split()}


def png(picture: NDArray[np.uint8]) -> bytes:
    """Return a picture, uint8[height, width, 3], as a PNG file."""
    height, width, _colours = picture.shape
    rows = np.pad(picture.reshape(height, 3 * width), ((0, 0), (1, 0)))  # each row begins with its filter: none

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    parts = chunk(b"IHDR", head), chunk(b"IDAT", zlib.compress(rows.tobytes(), 9)), chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def pixels(state: Any, player: int | None = None) -> NDArray[np.uint8]:
    """Return a position as a picture: the board, its units, and a line of scores for each player.

    Parameters
    ----------
    state : State
        The position; it is not changed.
    player : int, optional
        Show only what this player sees, in games of imperfect information. None: everything.

    Returns
    -------
    uint8[height, width, 3]
        Red, green and blue. All positions of a game have the same size, with an even height and width.

    Raises
    ------
    ValueError
        If the game has no such player, or no pictures.
    """
    scene, frame = draw_seen(state, player)
    if not frame.cells:
        raise ValueError(f"state: {scene.title} has no pictures")
    grid = Grid(scene)
    width, height = grid.size
    lines = LINE * len(scene.players)
    picture = np.full((height + lines + EDGE & ~1, max(width, 8 * CELL) + 1 & ~1, 3), PAPER, np.uint8)
    there = things(scene, frame)
    for cell in range(len(grid.spots)):
        _draw_cell(picture, scene, grid, frame, cell, cell not in there)
    for cell, (name, player) in there.items():
        is_small = cell in frame.notes
        x, y = grid.centres[cell]
        draw_shape(picture, scene.shapes[name], player, x, y - LIFT * is_small, SMALL if is_small else 1)
        if is_small:
            _write(picture, frame.notes[cell], x, y + 11, INK)
    for tile in scene.tiles:
        if tile.shape == "hatch":
            for cell, line in grid.fence([cell for cell, mark in enumerate(frame.cells) if mark == tile.mark]):
                colours, cover = rasterize(((line, None),), PLAYERS[tile.player], 1.0)
                _lay(picture, colours, cover, *grid.centres[cell])
    seats: dict[int, list[int]] = {}
    for unit, cell in enumerate(frame.places):
        if cell >= 0:
            seats.setdefault(cell, []).append(unit)
    for cell, units in seats.items():
        side = int(np.ceil(np.sqrt(len(units))))
        step = 30 // side
        for k, unit in enumerate(units):
            row, column = divmod(k, side)
            x, y = grid.centres[cell]
            x, y = x + step * column - step * (side - 1) // 2, y + step * row - step * (side - 1) // 2
            _draw_unit(picture, scene, frame, unit, x, y, side)
    for seat, scores in enumerate(frame.scores):
        y = height + LINE * seat + LINE // 2
        _disc(picture, EDGE + 6, y, 6, PLAYERS[seat])
        words = [scene.players[seat], *("?" if score is None else str(score) for score in scores)]
        _write(picture, "  ".join(words), EDGE + 20, y, INK, left=True)
    return picture


def _draw_cell(picture: NDArray[np.uint8], scene: Scene, grid: Grid, frame: Frame, cell: int, is_free: bool) -> None:
    tile = next(tile for tile in scene.tiles if tile.mark == frame.cells[cell])
    if tile.shape == "void":
        return
    x, y = grid.centres[cell]
    colour: tuple[int, ...] = SHAPES.get(tile.shape, GROUND)
    if tile.player >= 0:
        share = {"solid": 1.0, "wall": 0.55, "plot": 0.55, "hatch": 0.3}.get(tile.shape, 0.0)
        colour = _mix(PLAYERS[tile.player], GROUND, share)
    area = _hexagon if grid.shapes is HEXAGON else _square
    area(picture, x, y, 0, GRID)
    area(picture, x, y, 1, colour)
    if tile.glyph == "hole":
        _disc(picture, x, y, 10, INK)
    elif tile.glyph and tile.glyph not in scene.shapes:
        _disc(picture, x, y, 7, GLYPHS[tile.glyph])
    label = frame.notes.get(cell, str(scene.values[cell]) if scene.values else "")
    if label and is_free and cell not in frame.places:
        rows = label.split("\n")
        for k, row in enumerate(rows):
            _write(picture, row, x, y + 12 * k - 6 * (len(rows) - 1), PAPER if tile.shape == "solid" else PALE)


def _draw_unit(picture: NDArray[np.uint8], scene: Scene, frame: Frame, unit: int, x: int, y: int, side: int) -> None:
    piece, is_faint = scene.units[unit], unit in frame.faint
    ink, paper = (PALE, GRID) if is_faint else (INK, PAPER)
    if shape := frame.looks.get(unit, piece.shape):
        foot = foot_of(scene, frame, unit)
        is_small = bool(foot) or frame.places[unit] in frame.notes
        size = (SMALL if is_small else 1) / side
        draw_shape(picture, scene.shapes[shape], piece.player, x, y - LIFT // side * is_small, size, is_faint)
        if foot and side == 1:
            _write(picture, foot.split()[0], x, y + 11, ink)
        return
    radius = 12.5 / side
    _disc(picture, x, y, radius, ink)
    _disc(picture, x, y, radius - 1.5, PLAYERS[piece.player] if piece.player >= 0 else PALE)
    _disc(picture, x, y, radius - 4, paper)
    if radius > 8:
        _write(picture, piece.name, x, y, ink)


def draw_shape(
    picture: NDArray[np.uint8], shape: Shape, player: int, x: int, y: int, size: float, is_faint: bool = False
) -> None:
    own = {"own": PLAYERS[player], "light": LIGHT[player], "dark": DARK[player]} if player >= 0 else {}
    paths = tuple((commands, TONES.get(tone, own.get(tone))) for tone, commands in shape.paths)
    colours, cover = rasterize(paths, INK, size)
    _lay(picture, colours, cover * (0.6 if is_faint else 1), x, y)


def _lay(picture: NDArray[np.uint8], colours: NDArray[np.float32], cover: NDArray[np.float32], x: int, y: int) -> None:
    """Lay colours over the picture around a point, where they cover it."""
    reach = len(cover) // 2
    part = picture[y - reach : y + reach, x - reach : x + reach]
    part[:] = np.rint(cover * colours + (1 - cover) * part)


def _mix(one: tuple[int, ...], other: tuple[int, ...], share: float) -> tuple[int, ...]:
    return tuple(round(share * a + (1 - share) * b) for a, b in zip(one, other, strict=True))


def _square(picture: NDArray[np.uint8], x: int, y: int, inset: int, colour: tuple[int, ...]) -> None:
    half = CELL // 2
    picture[y - half + inset : y + half - inset, x - half + inset : x + half - inset] = colour


def _hexagon(picture: NDArray[np.uint8], x: int, y: int, inset: int, colour: tuple[int, ...]) -> None:
    for row in range(-18 + inset, 19 - inset):
        half = min(CELL // 2 - inset, int((19 - inset - abs(row)) * 1.6))
        picture[y + row, x - half : x + half] = colour


def _disc(picture: NDArray[np.uint8], x: int, y: int, radius: float, colour: tuple[int, ...]) -> None:
    mask = _disc_mask(radius)
    reach = len(mask) // 2
    picture[y - reach : y + reach + 1, x - reach : x + reach + 1][mask] = colour


@functools.lru_cache(256)
def _disc_mask(radius: float) -> NDArray[np.bool_]:
    reach = int(radius) + 1
    down, right = np.ogrid[-reach : reach + 1, -reach : reach + 1]
    return np.asarray(down * down + right * right <= radius * radius)


def _write(
    picture: NDArray[np.uint8], words: str, x: int, y: int, colour: tuple[int, ...], *, left: bool = False
) -> None:
    """Write letters, digits and signs in the middle of a place, or to the right of it; others are left blank."""
    dot = SCALE if left or len(words) <= 3 else 1
    mask = _word_mask(words.upper(), dot)
    y, x = y - 5 * dot // 2, x if left else max(0, x - mask.shape[1] // 2)
    part = picture[y : y + len(mask), x : x + mask.shape[1]]
    part[mask[:, : part.shape[1]]] = colour


@functools.lru_cache(1024)
def _word_mask(words: str, dot: int) -> NDArray[np.bool_]:
    """Return bool[5 * dot, 4 * dot * letters]."""
    rows = [
        [int(LETTERS.get(letter, "00000")[row]) >> bit & 1 for letter in words for bit in (2, 1, 0, 3)]
        for row in range(5)
    ]
    return np.kron(np.array(rows, np.bool_), np.ones((dot, dot), np.bool_))
