"""How boards.json, the file of the shipped boards, was made."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from masume.core.rng import Rng
from masume.kakomimasu.boards import Board

Patch = list[list[int]]


def make_boards() -> list[Board]:
    """Generate the shipped boards; `dump_boards` of them is the text of boards.json.

    The boards match the official collection in size, agents, turns, seconds, minimum and maximum point, and
    symmetry. Board k (from 1) draws its cells with a generator in state k, in row-major order. The first of the
    greatest cells is then raised to the maximum, and the first of the least cells lowered to the minimum. If
    both axes are mirrors, only a quarter of the board is drawn.
    """
    whole, halves = 1, 2
    shapes: list[tuple[str, int, int, int, int, int, int, int, Callable[..., Patch], tuple[Any, ...]]] = [
        # name, size, mirrored, minimum, maximum point, agents, turns, seconds, generator of a patch, its arguments
        ("hill", 10, halves, 1, 12, 8, 30, 1, _hill, ()),
        ("court", 10, halves, -14, 15, 3, 30, 1, _field, (86, _first)),
        ("meadow", 20, halves, -16, 16, 8, 60, 3, _field, (50, min)),
        ("heath", 20, whole, -16, 16, 8, 60, 3, _field, (62, max)),
        ("marsh", 20, whole, -16, 16, 8, 60, 3, _field, (49, max)),
        ("isle", 20, whole, -11, 16, 8, 30, 1, _islands, (1, 11)),
        ("strait", 20, whole, -15, 16, 8, 60, 2, _islands, (2, 10)),
        ("isles", 20, whole, -15, 16, 8, 60, 2, _islands, (5, 6)),
        ("reef", 20, whole, -14, 16, 8, 60, 2, _islands, (9, 4)),
    ]
    boards = []
    for k, (name, size, parts, low, high, agents, turns, seconds, ground, arguments) in enumerate(shapes, 1):
        patch = ground(Rng(k), size // parts, low, high, *arguments)
        _stretch(patch, low, high)
        if parts == halves:
            patch = _mirror(patch)
        points = tuple(point for row in patch for point in row)
        boards.append(Board(name, size, size, points, agents, total_turns=turns, operation_sec=seconds))
    return boards


def _hill(rng: Rng, size: int, low: int, high: int) -> Patch:
    """Generate a quarter of a hill, symmetric in its diagonal: low at the border, high in the middle."""
    patch = [[0] * size for _ in range(size)]
    for y in range(size):
        for x in range(y, size):
            rise = (high - low) * (x + y) // (2 * size)
            patch[y][x] = patch[x][y] = min(high, low + rise * 2 // 3 + rng.below(4))
    patch[0][0], patch[-1][-1] = low, high
    return patch


def _field(rng: Rng, size: int, low: int, high: int, positive_ratio: int, of_two: Callable[[int, int], int]) -> Patch:
    """Generate independent cells: `positive_ratio` percent are positive; `of_two` combines two draws into the size."""

    def cell() -> int:
        positive = rng.below(100) < positive_ratio
        limit = high if positive else -low
        size = of_two(rng.below(limit + 1), rng.below(limit + 1))
        return size if positive else -size

    return [[cell() for _ in range(size)] for _ in range(size)]


def _first(one: int, _: int) -> int:
    return one


def _islands(rng: Rng, size: int, low: int, high: int, count: int, reach: int) -> Patch:
    """Generate `count` islands in a low sea: land falls from its peak to a third of it at a distance of `reach`."""
    peaks = [(rng.below(size), rng.below(size)) for _ in range(count)]

    def cell(x: int, y: int) -> int:
        distance = min(max(abs(x - column), abs(y - row)) for column, row in peaks)
        if distance >= reach:
            return 2 - rng.below(3 - low)
        return min(high, high - 2 * high * distance // (3 * reach) + rng.below(7) - 3)

    return [[cell(x, y) for x in range(size)] for y in range(size)]


def _stretch(patch: Patch, low: int, high: int) -> None:
    """Raise the first of the greatest cells to `high` and lower the first of the least to `low`."""
    cells = [(point, y, x) for y, row in enumerate(patch) for x, point in enumerate(row)]
    for extreme, chosen in ((high, max(cells, key=lambda cell: cell[0])), (low, min(cells, key=lambda cell: cell[0]))):
        _, y, x = chosen
        patch[y][x] = extreme


def _mirror(patch: Patch) -> Patch:
    """Return the patch with its images in both axes."""
    upper = [row + row[::-1] for row in patch]
    return upper + upper[::-1]
