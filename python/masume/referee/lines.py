"""Lines from a program: what arrives waits in a bounded inbox until it is taken, in order and never thrown away."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from .seat import CLOSED, PROTOCOL, TIMEOUT, Fault

CAPACITY = 65_536


class Inbox:
    """Bytes that have arrived and were not taken yet.

    When more than `capacity` bytes wait, `pause(True)` is called, and `pause(False)` when there is room again; until
    then the program's own writes block, so that one that floods costs no memory.
    """

    def __init__(self, pause: Callable[[bool], None], capacity: int = CAPACITY) -> None:
        self.data = bytearray()
        self.ended: str | None = None  # why nothing more comes
        self._cause = CLOSED
        self.capacity = capacity
        self._pause, self._is_paused = pause, False
        self._waiter: asyncio.Future[None] | None = None

    def feed(self, data: bytes) -> None:
        """Bytes have arrived."""
        self.data += data
        self._regulate()
        self._wake()

    def end(self, why: str, cause: str = CLOSED) -> None:
        """Nothing more comes; the first reason stays."""
        if self.ended is None:
            self.ended, self._cause = why, cause
            self._wake()

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    def _regulate(self) -> None:
        is_full = len(self.data) > self.capacity
        if is_full != self._is_paused and self.ended is None:
            self._is_paused = is_full
            self._pause(is_full)

    async def more(self, deadline: float | None) -> None:
        """Return when something more has arrived or the end has come; TimeoutError at the deadline (loop time)."""
        if self.ended is not None:
            return
        self._waiter = asyncio.get_running_loop().create_future()
        try:
            async with asyncio.timeout_at(deadline):
                await self._waiter
        finally:
            self._waiter = None

    def take(self, count: int) -> bytes:
        """The first `count` bytes, which are gone then."""
        taken = bytes(self.data[:count])
        del self.data[:count]
        self._regulate()
        return taken

    async def line(self, max_bytes: int, deadline: float | None) -> bytes:
        """The next line without its LF; at most `max_bytes` (no more than the capacity) before it.

        Fault where the line is longer, where the deadline passes first, and at the end of the bytes, which a last line
        without LF does not put off. A line that waits already is taken even after the deadline: it may have come in
        time. Who takes many in a row must look at the clock.
        """
        searched = 0
        while True:
            end = self.data.find(b"\n", searched)
            if end > max_bytes or (end < 0 and len(self.data) > max_bytes):
                raise Fault(PROTOCOL, f"a line of more than {max_bytes} bytes: {bytes(self.data[:20])!r}...")
            if end >= 0:
                return self.take(end + 1)[:-1]
            if self.ended is not None:
                raise Fault(self._cause, self.ended)
            searched = len(self.data)
            try:
                await self.more(deadline)
            except TimeoutError:
                told = f" but {bytes(self.data[:20])!r} without LF" if self.data else ""
                raise Fault(TIMEOUT, f"no line in time{told}") from None


class Flow(asyncio.BaseProtocol):
    """Whether what was written has left: the writing half of an asyncio protocol. Its transport holds back nothing
    (`set_write_buffer_limits(0)`)."""

    def __init__(self) -> None:
        self._flushed = asyncio.Event()
        self._flushed.set()

    def pause_writing(self) -> None:
        """Bytes wait in the transport."""
        self._flushed.clear()

    def resume_writing(self) -> None:
        """All have left, or never will."""
        self._flushed.set()

    async def flush(self, deadline: float | None) -> None:
        """Return when nothing waits any more; Fault at the deadline."""
        try:
            async with asyncio.timeout_at(deadline):
                await self._flushed.wait()
        except TimeoutError:
            raise Fault(TIMEOUT, "it does not read what it is sent") from None


class Link:
    """A way to a program and back, whatever it is made of.

    inbox : what has arrived.
    """

    inbox: Inbox
    flow: Flow

    @property
    def log(self) -> str:
        """What the program has written for people, where it has a way to."""
        return ""

    def write(self, data: bytes) -> None:
        """Send the bytes without waiting for anything; Fault where the program is known to take no more."""
        raise NotImplementedError

    async def send(self, data: bytes, deadline: float | None) -> None:
        """Send the bytes and wait until the system has taken them; Fault where it has not by the deadline."""
        self.write(data)
        await self.flow.flush(deadline)
        self.write(b"")  # it has failed meanwhile, or not

    async def line(self, max_bytes: int, deadline: float | None) -> bytes:
        """The program's next line (`Inbox.line`)."""
        return await self.inbox.line(max_bytes, deadline)

    async def close(self, grace_s: float) -> None:
        """End it: the program may finish within `grace_s`, then it is cut off. Closing again does nothing."""
        raise NotImplementedError
