"""Symmetries of what a player sees: its planes are around itself, so that all turns of a field look alike."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.symmetry import Symmetry, list_turns
from .maps import STEPS


def list_symmetries(game: Any, rows: int, columns: int) -> list[Symmetry]:
    """Return all turns of planes of this size (`masume.core.symmetry`); the field of a turned game is turned, too.

    They hold for every field, so `game` does not matter.
    """
    del game
    found = []
    for turn in list_turns(rows, columns):
        directions = turn.directions(STEPS)
        codes = [4 * kind + direction for kind in range(4) for direction in directions]
        found.append(Symmetry(turn.cells, np.array(codes, np.int64)))
    return found
