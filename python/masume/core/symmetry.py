"""Symmetries of boards: the turns and mirrorings of a rectangle, of which a game offers those that its rules keep.

A game offers them in its module `symmetries`: `list_symmetries(game, rows, columns)` returns a Symmetry for each way to
turn planes of this size, the identity first. The same game is then played on the turned board by the turned codes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Symmetry(NamedTuple):
    """A way to turn a position.

    cells : int64[rows * columns]; cell n of a turned plane shows what cell cells[n] showed. codes : int64[num_actions];
    code c does on the turned board what codes[c] did.
    """

    cells: NDArray[np.int64]
    codes: NDArray[np.int64]


class Turn(NamedTuple):
    """A turn or a mirroring of a rectangle of cells: it says where the content of a cell and a direction come from."""

    rows: int
    columns: int
    flips_rows: bool
    flips_columns: bool
    swaps: bool

    def cell(self, cell: int) -> int:
        """Return the cell, row * columns + column, whose content is on `cell` after the turn."""
        row, column = divmod(cell, self.columns)
        row = self.rows - 1 - row if self.flips_rows else row
        column = self.columns - 1 - column if self.flips_columns else column
        return column * self.columns + row if self.swaps else row * self.columns + column

    def step(self, down: int, right: int) -> tuple[int, int]:
        """Return the rows and columns of the step that becomes this one by the turn."""
        down, right = -down if self.flips_rows else down, -right if self.flips_columns else right
        return (right, down) if self.swaps else (down, right)

    @property
    def cells(self) -> NDArray[np.int64]:
        """The cell whose content each cell gets."""
        return np.array([self.cell(cell) for cell in range(self.rows * self.columns)], np.int64)

    def directions(self, steps: Sequence[tuple[int, int]]) -> list[int]:
        """Return, for each of these (rows, columns), the number of the one that becomes it by the turn."""
        return [steps.index(self.step(*step)) for step in steps]


def list_turns(rows: int, columns: int) -> list[Turn]:
    """Return the four turns of a rectangle, or the eight of a square; the identity is the first."""
    sides = (False, True)
    return [
        Turn(rows, columns, flips_rows, flips_columns, swaps)
        for swaps in (sides if rows == columns else (False,))
        for flips_rows in sides
        for flips_columns in sides
    ]
