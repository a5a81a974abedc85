"""Listeners: the streams that wait for a change of a match or of the lobby, each with a bell."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Iterator


class Bell(asyncio.Event):
    """What a stream waits for: a change, or a beat, which only shows that the connection stands.

    is_beat : whether it was rung by a beat and nothing else.
    """

    is_beat = False

    def ring(self) -> None:
        """Tell of a change."""
        self.is_beat = False
        self.set()

    def beat(self) -> None:
        """Ring without a change, unless there is one."""
        if not self.is_set():
            self.is_beat = True
            self.set()


class Listeners:
    """The streams that wait for a change; its length is their number.

    left_at : seconds of time.monotonic when the last one left; at first, when this was made.
    """

    def __init__(self) -> None:
        self._bells: set[Bell] = set()
        self.left_at = time.monotonic()

    def __len__(self) -> int:
        return len(self._bells)

    def wake(self) -> None:
        """Ring the bell of each stream."""
        for bell in self._bells:
            bell.ring()

    @contextlib.contextmanager
    def hearing(self) -> Iterator[Bell]:
        """Yield a bell that rings at each change."""
        bell = Bell()
        self._bells.add(bell)
        try:
            yield bell
        finally:
            self._bells.discard(bell)
            self.left_at = time.monotonic()
