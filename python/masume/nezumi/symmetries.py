"""Symmetries of a stage: the turns that leave its walls, zone, food and the cat's start where they are."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.symmetry import Symmetry, list_turns
from .stages import STEPS


def list_symmetries(game: Any, rows: int, columns: int) -> list[Symmetry]:
    """Return the symmetries of the game's stage (`masume.core.symmetry`)."""
    stage, found = game.config.start_stage, []
    count = rows * columns
    for turn in list_turns(rows, columns):
        cells = turn.cells
        is_kept = all(
            (np.array(content)[cells] == np.array(content)).all() for content in (stage.wall, stage.zone, stage.food)
        )
        if not is_kept or turn.cell(stage.cat) != stage.cat:
            continue
        directions = turn.directions(STEPS)
        codes = [5 * int(cell) + kind for cell in cells for kind in (*directions, 4)]
        codes += [5 * count, *(5 * count + 1 + direction for direction in directions), 5 * count + 5]
        found.append(Symmetry(cells, np.array(codes, np.int64)))
    return found
