"""Clocks: how long the players of a game may think.

One rule covers limits per move, main times, increments and floors. At the start of a turn the main time left rises to
`floor_ms` if it is lower. The turn may take `move_ms` plus all of the main time; time beyond `move_ms` is taken from
the main time, and `inc_ms` is added after the turn. Engines know no time.
"""

from __future__ import annotations

import dataclasses
import time
from typing import Any, Self

from ..core.config import integer
from ..errors import ConfigError

MAX_MS = 10**9


@dataclasses.dataclass(frozen=True)
class TimeControl:
    """Time of each player, in milliseconds; without `main_ms` and `move_ms` there is no limit.

    Parameters
    ----------
    main_ms : int, optional
        For the whole game, beyond what `move_ms` gives; 0..10**9, None for none.
    move_ms : int, optional
        For each turn; 0..10**9, None for none.
    inc_ms : int, optional
        Added to the main time after each turn; needs `main_ms`.
    floor_ms : int, optional
        The main time rises to this at the start of each turn; needs `main_ms`.

    Raises
    ------
    ConfigError
        If a value is out of range, or if a player would have no time at all.
    """

    main_ms: int | None = None
    move_ms: int | None = None
    inc_ms: int = 0
    floor_ms: int = 0

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if value is not None:
                object.__setattr__(self, field.name, integer(field.name, value, 0, MAX_MS))
        for name in ("inc_ms", "floor_ms"):
            if self.main_ms is None and getattr(self, name):
                raise ConfigError(f"{name}: expected 0 without main_ms, got {getattr(self, name)}")
        if self.is_limited and not self.move_ms and not self.main_ms and not self.floor_ms:
            raise ConfigError("main_ms: expected main_ms, move_ms or floor_ms above 0")

    @property
    def is_limited(self) -> bool:
        """Whether there is any limit."""
        return self.main_ms is not None or self.move_ms is not None

    @property
    def each_ms(self) -> int:
        """Milliseconds that every turn may take, however long the earlier ones were; 0 without a limit."""
        return (self.move_ms or 0) + max(self.floor_ms, self.inc_ms)

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse a time control.

        Parameters
        ----------
        text : str
            `none`, or keys among main, move, inc and floor with milliseconds: `main=1200000,floor=60000`, `move=1000`.

        Returns
        -------
        TimeControl

        Raises
        ------
        ConfigError
            If the text is malformed.
        """
        fields: dict[str, int] = {}
        for part in [] if text == "none" else text.split(","):
            key, equals, value = part.partition("=")
            name = f"{key}_ms"
            if not equals or name not in (field.name for field in dataclasses.fields(cls)) or name in fields:
                raise ConfigError(
                    f"clock: expected none, or main=, move=, inc= and floor= separated by commas, got {text!r}"
                )
            if not (value.isascii() and value.isdigit()):
                raise ConfigError(f"clock: expected a number of milliseconds, got {part!r}")
            fields[name] = int(value[:12])
        return cls(**fields)

    def to_dict(self) -> dict[str, Any]:
        """Return what programs receive: `mode` (none, per_move or floor) and the fields that are not 0. [BS 14.4]"""
        if not self.is_limited:
            return {"mode": "none"}
        given = {name: value for name, value in dataclasses.asdict(self).items() if value}
        if self.main_ms is None:
            return {"mode": "per_move", **given}
        return {"mode": "floor", "main_ms": self.main_ms, "floor_ms": self.floor_ms, **given}


class Clock:
    """The time that each player of one game has left."""

    def __init__(self, control: TimeControl, num_players: int) -> None:
        self.control = control
        self._left_ms = [float(control.main_ms or 0)] * num_players

    def left_ms(self, player: int) -> int | None:
        """Return the milliseconds that a turn of the player may take from now, rounded down; None without a limit."""
        return int(self._budget_ms(player)) if self.control.is_limited else None

    def _budget_ms(self, player: int) -> float:
        return max(self._left_ms[player], self.control.floor_ms) + (self.control.move_ms or 0)

    def start(self, player: int) -> Timer:
        """Return the running timer of a turn of the player."""
        self._left_ms[player] = max(self._left_ms[player], float(self.control.floor_ms))
        return Timer(self, player, self._budget_ms(player) if self.control.is_limited else None)

    def charge(self, player: int, used_ms: float) -> None:
        """Subtract a turn of `used_ms` milliseconds; a turn beyond the limit leaves no time."""
        control = self.control
        left = self._left_ms[player] - max(0.0, used_ms - (control.move_ms or 0))
        self._left_ms[player] = left + control.inc_ms if left >= 0 else 0.0


class Timer:
    """Measures one turn: from its creation, or the last restart, until it is stopped."""

    def __init__(self, clock: Clock, player: int, budget_ms: float | None) -> None:
        self.clock = clock
        self.player = player
        self._budget_ms = budget_ms
        self._used_ms: float | None = None
        self._started = time.monotonic()
        self._paused: float | None = None  # since when the time stands still

    def restart(self) -> None:
        """Measure from now, after the question was sent: sending it is not the player's time."""
        self._started = time.monotonic()

    @property
    def deadline(self) -> float | None:
        """The end of the time, in seconds of `time.monotonic` (and of asyncio's loop); None without a limit."""
        return None if self._budget_ms is None else self._started + self._budget_ms / 1000

    def pause(self) -> None:
        """Let the time stand still until `go_on`."""
        if self._paused is None:
            self._paused = time.monotonic()

    def go_on(self) -> None:
        """Let the time run again."""
        if self._paused is not None:
            self._started += time.monotonic() - self._paused
            self._paused = None

    @property
    def used_ms(self) -> float:
        """Milliseconds of the turn, until now if it has not been stopped."""
        if self._used_ms is not None:
            return self._used_ms
        return round(1000 * ((self._paused or time.monotonic()) - self._started), 3)

    @property
    def left_ms(self) -> int | None:
        """Milliseconds until the deadline, rounded down; None without a limit."""
        return None if self._budget_ms is None else max(0, int(self._budget_ms - self.used_ms))

    def stop(self, used_ms: float | None = None) -> float:
        """Stop, charge the clock and return the milliseconds of the turn; further calls change nothing.

        used_ms : what the turn took, if that was measured before.
        """
        if self._used_ms is None:
            self._used_ms = self.used_ms if used_ms is None else used_ms
            self.clock.charge(self.player, self._used_ms)
        return self._used_ms

    @property
    def is_late(self) -> bool:
        """Whether a stopped turn took longer than allowed."""
        return self._budget_ms is not None and self._used_ms is not None and self._used_ms > self._budget_ms
