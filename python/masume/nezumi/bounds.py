"""Bounds of observations, for spaces of environments."""

from __future__ import annotations

from typing import Any

from .config import Config
from .reference import MAX_CHARGE


def observation_bounds(config: Config) -> dict[str, tuple[Any, Any]]:
    """Return the least and the greatest value of fields of the observation; the others have those of their dtype."""
    stage = config.start_stage
    cost = MAX_CHARGE * (stage.turns + 1) / max(1, sum(stage.food))
    high = [1.0] * 10 + [stage.max_mice, stage.require, stage.turns, 1.0, cost, 1.0]
    return {"planes": (0, 1), "scalars": (0, high)}
