"""The start of the day: each day another of a game's shipped boards, maps or stages."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

from ..core.rng import Rng

DAILY = "daily"
"""The name that means the start of today, in UTC."""


def daily(starts: Any, day: date) -> str:
    """Return the name of the start of a day.

    Every start comes once before one comes again, in an order that changes from round to round.

    Parameters
    ----------
    starts : module
        The starts of a game (`game.package.starts`).
    day : date
        The day.

    Returns
    -------
    str
        A name that `masume.load` and `--board` know.
    """
    found: Mapping[str, Any] = getattr(starts, "load_named", starts.load_shipped)()
    names = sorted(found)
    turn, place = divmod(day.toordinal(), len(names))
    rng = Rng(turn)
    for last in range(len(names) - 1, 0, -1):
        other = rng.below(last + 1)
        names[last], names[other] = names[other], names[last]
    return names[place]
