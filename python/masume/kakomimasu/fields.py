"""Checks of the fields that configs and boards share: ranges, points, seconds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any

from ..core.config import integer
from ..errors import ConfigError, ConfigTypeError

HARD_RANGES = {
    "width": (1, 30),
    "height": (1, 30),
    "n_players": (2, 4),  # [KM-R2]
    "n_agents": (1, 16),
    "total_turns": (1, 10_000),
    "seed": (0, 2**64 - 1),
    "positive_ratio": (0, 100),
    "max_point": (0, 32_767),
    "min_point": (-32_768, -1),
}
POINT_RANGE = (-32_768, 32_767)


def flat_points(name: str, value: Any, width: int, height: int) -> tuple[int, ...]:
    """Return points as a flat row-major tuple.

    Parameters
    ----------
    name : str
        Name of the field, for errors.
    value : sequence or array
        width * height ints, or `height` rows of `width` ints, -32768..32767 each.
    width, height : int
        Size of the board in cells.

    Raises
    ------
    ConfigError
        If the length is wrong or a point is out of range.
    """
    items = _items(name, value)
    if any(map(_is_sequence, items)):
        if len(items) != height:
            raise ConfigError(f"{name}: expected {height} rows, got {len(items)}")
        rows = [_items(f"{name}[{y}]", row) for y, row in enumerate(items)]
        for y, row in enumerate(rows):
            if len(row) != width:
                raise ConfigError(f"{name}[{y}]: expected {width} values, got {len(row)}")
        items = [point for row in rows for point in row]
    elif len(items) != width * height:
        raise ConfigError(f"{name}: expected {width} * {height} values, got {len(items)}")
    return tuple(integer(f"{name}[{n}]", point, *POINT_RANGE) for n, point in enumerate(items))


def seconds(name: str, value: Any, *, positive: bool) -> float:
    """Return `value` if it is a finite number > 0 (`positive`) or >= 0; raise ConfigError otherwise."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise ConfigTypeError(f"{name}: expected a number, got {value!r}")
    number = int(value) if isinstance(value, Integral) else float(value)
    if not 0 <= number < math.inf or (positive and number == 0):
        raise ConfigError(f"{name}: expected a number {'> 0' if positive else '>= 0'}, got {number}")
    return number


def _items(name: str, value: Any) -> list[Any]:
    """Return the items of a sequence or an array."""
    if not _is_sequence(value):
        raise ConfigTypeError(f"{name}: expected a sequence of ints, got {value!r}")
    return list(value)


def _is_sequence(value: Any) -> bool:
    return (isinstance(value, Sequence) and not isinstance(value, str | bytes)) or getattr(value, "ndim", 0) > 0
