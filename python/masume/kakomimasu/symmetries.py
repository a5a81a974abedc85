"""Symmetries of a board: the turns that leave its points where they are."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.symmetry import Symmetry, list_turns
from .notation import DIRECTIONS, FIRST_MOVE, FIRST_PUT, FIRST_REMOVE


def list_symmetries(game: Any, rows: int, columns: int) -> list[Symmetry]:
    """Return the symmetries of the game's board (`masume.core.symmetry`)."""
    points, found = np.asarray(game.new_state().points).reshape(-1), []
    steps = [(down, right) for right, down in DIRECTIONS]
    for turn in list_turns(rows, columns):
        cells = turn.cells
        if (points[cells] != points).any():
            continue
        directions = turn.directions(steps)
        codes = [0, *(first + direction for first in (FIRST_MOVE, FIRST_REMOVE) for direction in directions)]
        found.append(Symmetry(cells, np.array([*codes, *(FIRST_PUT + cells)], np.int64)))
    return found
