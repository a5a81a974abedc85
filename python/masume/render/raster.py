"""Shapes as pixels: path commands to lines, lines to areas, areas over each other."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

FINE = 4  # samples of a pixel in each direction
REACH = 15  # of a shape with its outline, from the middle of its cell
OUTLINE = 1.5
STEPS = 8  # lines of a curve
NUMBERS = {"m": 2, "l": 2, "h": 1, "v": 1, "q": 4, "t": 2, "a": 7, "z": 0}
TOKEN = re.compile(r"[a-z]|-?\d*\.?\d+")

Colour = tuple[int, ...]
Point = tuple[float, float]
Line = tuple[float, float, float, float]


@functools.lru_cache(512)
def rasterize(paths: Sequence[tuple[str, Colour | None]], ink: Colour, size: float) -> tuple[NDArray[np.float32], ...]:
    """Return the colours, float32[n, n, 3], and the cover, float32[n, n, 1] in 0..1, of a shape around its middle.

    paths : the commands of each part and its colour, None for an outline alone. size : of the shape, 1 as it is.
    """
    reach = int(np.ceil(REACH * size))
    places = (np.arange(2 * reach * FINE) + 0.5) / FINE - reach
    picture = np.zeros((len(places), len(places), 4), np.float32)
    for commands, colour in paths:
        lines = list(_lines(commands))
        if colour is not None:
            picture[_inside(size * np.array(list(_closed(lines))), places)] = (*colour, 1)
        picture[_near(size * np.array(lines), places, size * OUTLINE / 2)] = (*ink, 1)
    mean = picture.reshape(2 * reach, FINE, 2 * reach, FINE, 4).mean((1, 3))
    cover = mean[..., 3:]
    return mean[..., :3] / np.maximum(cover, 1 / FINE**2), cover  # the mean of the samples that are covered


def _lines(commands: str) -> Iterator[Line]:
    """Yield the lines x, y, x, y of a path of relative commands; curves become STEPS lines."""
    x = y = left = top = bend_x = bend_y = 0.0
    kind = ""
    tokens = TOKEN.findall(commands)
    while tokens:
        if tokens[0].isalpha():
            kind = tokens.pop(0)
        numbers = [float(tokens.pop(0)) for _ in range(NUMBERS[kind])]
        if kind == "m":
            x, y = x + numbers[0], y + numbers[1]
            left, top, kind = x, y, "l"
            bend_x, bend_y = x, y
            continue
        end_x, end_y = x, y
        if kind == "z":
            end_x, end_y = left, top
        elif kind == "h":
            end_x += numbers[0]
        elif kind == "v":
            end_y += numbers[0]
        else:
            end_x, end_y = x + numbers[-2], y + numbers[-1]
        if kind in "qt":
            bend_x, bend_y = (x + numbers[0], y + numbers[1]) if kind == "q" else (2 * x - bend_x, 2 * y - bend_y)
            points = [_bent((x, y), (bend_x, bend_y), (end_x, end_y), n / STEPS) for n in range(1, STEPS + 1)]
        else:
            points = _arc(x, y, end_x, end_y, numbers) if kind == "a" else [(end_x, end_y)]
            bend_x, bend_y = end_x, end_y
        for to_x, to_y in points:
            yield x, y, to_x, to_y
            x, y = to_x, to_y


def _closed(lines: Sequence[Line]) -> Iterator[Line]:
    """Yield the lines, and those that close each part of the path."""
    start = lines[0][:2]
    for line, after in zip(lines, (*lines[1:], None), strict=True):
        yield line
        if after is None or after[:2] != line[2:]:
            yield *line[2:], *start
            start = after[:2] if after else start


def _bent(start: Point, bend: Point, end: Point, share: float) -> Point:
    """Return a point of a quadratic curve."""
    x, y = (
        (1 - share) ** 2 * a + 2 * share * (1 - share) * b + share**2 * c
        for a, b, c in zip(start, bend, end, strict=True)
    )
    return x, y


def _arc(x: float, y: float, end_x: float, end_y: float, numbers: Sequence[float]) -> list[Point]:
    """Return the points of an arc of an ellipse without rotation (SVG 1.1, F.6.5)."""
    wide, tall, _turn, is_large, is_clockwise, *_ = numbers
    half_x, half_y = (x - end_x) / 2 / wide, (y - end_y) / 2 / tall
    far = half_x**2 + half_y**2
    grow = max(1.0, far**0.5)
    side = np.sqrt(max(0.0, 1 / far * grow**2 - 1)) * (-1 if bool(is_large) == bool(is_clockwise) else 1)
    centre_x, centre_y = side * half_y, -side * half_x
    start = np.arctan2(half_y - centre_y, half_x - centre_x)
    turn = (np.arctan2(-half_y - centre_y, -half_x - centre_x) - start) % (2 * np.pi)
    turn -= 0 if is_clockwise else 2 * np.pi
    angles = start + turn * np.arange(1, STEPS + 1) / STEPS
    middle_x, middle_y = (x + end_x) / 2 + centre_x * wide, (y + end_y) / 2 + centre_y * tall
    return [(middle_x + wide * grow * np.cos(at), middle_y + tall * grow * np.sin(at)) for at in angles.tolist()]


def _inside(lines: NDArray[np.float64], places: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which samples lie in the area of a path: those around which it winds."""
    winds = np.zeros((len(places), len(places)), np.int32)
    for x, y, to_x, to_y in lines:
        rows = (places >= min(y, to_y)) & (places < max(y, to_y))
        crossed = x + (places[rows] - y) * (to_x - x) / (to_y - y or 1)
        winds[rows] += np.where(places > crossed[:, None], 1 if to_y > y else -1, 0)
    return np.asarray(winds != 0)


def _near(lines: NDArray[np.float64], places: NDArray[np.float64], far: float) -> NDArray[np.bool_]:
    """Return which samples are at most `far` from a line."""
    found = np.zeros((len(places), len(places)), np.bool_)
    across, down = np.meshgrid(places, places)
    for x, y, to_x, to_y in lines:
        right, below = to_x - x, to_y - y
        share = ((across - x) * right + (down - y) * below) / (right * right + below * below or 1)
        share = share.clip(0, 1)
        found |= (across - x - share * right) ** 2 + (down - y - share * below) ** 2 <= far * far
    return found
