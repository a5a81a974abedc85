"""Bounds of observations, for spaces of environments."""

from __future__ import annotations

from typing import Any

from .config import Config


def observation_bounds(config: Config) -> dict[str, tuple[Any, Any]]:
    """Return the least and the greatest value of fields of the observation; the others have those of their dtype."""
    turns = config.turn_limit
    own, last = [0, 0, turns, 0, -1], [1, turns, turns, 2**31 - 1, 2**31 - 1]
    return {"planes": (0, 1), "mask": (0, 1), "last_action": (-1, 15), "scalars": (own, last)}
