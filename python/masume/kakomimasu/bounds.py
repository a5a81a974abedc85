"""Bounds of observations, for spaces of environments."""

from __future__ import annotations

from typing import Any

import numpy as np

from .config import Config


def observation_bounds(config: Config) -> dict[str, tuple[Any, Any]]:
    """Return the least and the greatest value of fields of the observation; the others have those of their dtype."""
    players, agents, cells = config.n_players, config.n_agents, config.width * config.height
    points = config.points or (config.min_point, config.max_point)
    low, high = np.zeros((3 * players + 3, 1, 1)), np.ones((3 * players + 3, 1, 1))
    low[-2], high[-2] = min(0, *points) / 16, max(0, *points) / 16
    most = cells * max(map(abs, points)) / 256
    scalars = [0.0, 0.0] + players * [0.0, -most, 0.0, -most], [1.0, 1.0] + players * [1.0, most, most, most]
    return {"planes": (low, high), "scalars": scalars, "agent_cells": (np.full(agents, -1), cells - 1)}
