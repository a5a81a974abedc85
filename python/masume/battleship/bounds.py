"""Bounds of observations, for spaces of environments."""

from __future__ import annotations

from typing import Any

import numpy as np

from .config import Config

MINES = 15  # the plane of the own mines, in quarters
COUNT = 10_000  # rounds, reinforcements, changes of the flagship and passes do not reach it


def observation_bounds(config: Config) -> dict[str, tuple[Any, Any]]:
    """Return the least and the greatest value of fields of the observation; the others have those of their dtype."""
    planes = np.ones((26, 1, 1))
    planes[MINES] = 255 / 4
    seats, ships = config.players, config.max_fleet
    low = [0, -COUNT, 0, 0, 0] + seats * [0] + seats * ([0, 0] + ships * ([0] * 7 + [-1]))
    high = [COUNT] * 5 + seats * [1] + seats * ([1, 1] + ships * [1] * 8)
    return {"planes": (0, planes), "scalars": (low, high), "suspects": (0, 1)}
