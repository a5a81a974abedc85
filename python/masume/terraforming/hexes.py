"""The board of hexagonal cells: coordinates, order, directions, distance and rotation. [TF-3] [TF-R1] [TF-R2]

A cell is (x, y) in axial coordinates with the origin at the centre. On screen, x grows to the right, and y downward
and half a cell to the right. Cells are numbered by x, then y.
"""

from __future__ import annotations

import functools

Cell = tuple[int, int]

RADII = (1, 10)
STEPS = ((1, 0), (1, -1), (0, 1), (-1, 0), (0, -1), (-1, 1))
"""(dx, dy) of direction 0..5."""
DIRECTIONS = ("r", "ur", "dr", "l", "ul", "dl")
ROTATED = (5, 2, 3, 1, 0, 4)
"""Image of directions 0..5 under a rotation of the board by 120 degrees."""


@functools.cache
def cells(radius: int) -> tuple[Cell, ...]:
    """Return the 3R(R + 1) + 1 cells of the board of this radius, in index order."""
    return tuple(
        (x, y)
        for x in range(-radius, radius + 1)
        for y in range(max(-radius, -x - radius), min(radius, radius - x) + 1)
    )


@functools.cache
def indices(radius: int) -> dict[Cell, int]:
    """Return the index of each cell of the board."""
    return {cell: index for index, cell in enumerate(cells(radius))}


def distance(one: Cell, other: Cell) -> int:
    """Return the number of steps between two cells."""
    dx, dy = other[0] - one[0], other[1] - one[1]
    return max(abs(dx), abs(dy), abs(dx + dy))


def ahead(cell: Cell, direction: int, steps: int = 1) -> Cell:
    """Return the cell `steps` steps away; it may be off the board."""
    dx, dy = STEPS[direction]
    return cell[0] + steps * dx, cell[1] + steps * dy


def neighbours(cell: Cell) -> list[Cell]:
    """Return the six cells around a cell, by direction; they may be off the board."""
    return [ahead(cell, direction) for direction in range(6)]


def rotate(cell: Cell, turns: int = 1) -> Cell:
    """Return the cell rotated by `turns` times 120 degrees, clockwise on screen: rot120, rot240."""
    x, y = cell
    for _ in range(turns % 3):
        x, y = -(x + y), x
    return x, y


@functools.cache
def third(radius: int) -> tuple[Cell, ...]:
    """Return T0 in scan order; T0, its two rotations and the centre make up the board. [TF-R5]"""
    return tuple((x, y) for y in range(radius + 1) for x in range(1 - y, radius - y + 1))


def rows(radius: int) -> list[list[Cell]]:
    """Return the cells as they are drawn: rows from the top, each from the left."""
    return [[cell for cell in cells(radius) if cell[1] == y] for y in range(-radius, radius + 1)]


def radius_of(num_cells: int) -> int:
    """Return the radius of a board with this number of cells; raise ValueError if no board has it."""
    for radius in range(RADII[0], RADII[1] + 1):
        if len(cells(radius)) == num_cells:
            return radius
    raise ValueError(f"num_cells: no board has {num_cells} cells")
