"""Bounds of observations, for spaces of environments."""

from __future__ import annotations

from typing import Any

import numpy as np

from .config import Config

MOST = 2**31  # robots, material and scores have no bound in the rules, and are int32 in the engine


def observation_bounds(config: Config) -> dict[str, tuple[Any, Any]]:
    """Return the least and the greatest value of fields of the observation; the others have those of their dtype."""
    high = np.array([1] * 14 + [MOST] * 9 + [1])  # planes 14 to 22 are counts
    scalars = [1] * 4 + [MOST] * 3 + [1] * 3 + [2, config.score_limit]
    cells, grid = high[:, None], high[:, None, None]
    planes = {"planes": cells, "canonical_planes": cells, "grid": grid, "canonical_grid": grid}
    return {"scalars": (0, scalars)} | {name: (0, bound) for name, bound in planes.items()}
