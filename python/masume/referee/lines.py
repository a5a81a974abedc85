"""Lines from a program: bytes that arrive wait in a bounded inbox, in order, until they are taken."""

from __future__ import annotations

import asyncio
import unicodedata
from collections.abc import Callable

from .seat import CLOSED, PROTOCOL, TIMEOUT, Fault
from .transcript import Transcript

CAPACITY = 65_536
BOM = b"\xef\xbb\xbf"
"""The byte-order mark that some runtimes write first, such as .NET's."""
DROPPED = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs")
"""Unicode categories that are removed from names, except the ASCII space."""


def decode_name(data: bytes) -> str:
    """Return the name in a line: UTF-8 or else CP932 (Shift_JIS), printable characters and spaces only."""
    data = data.rstrip(b"\r")
    try:
        text = data.decode()
    except UnicodeDecodeError:
        text = data.decode("cp932", errors="replace")
    return "".join(char for char in text if char == " " or unicodedata.category(char) not in DROPPED)


FLUSH = "if it writes one, its output may need a flush"


class Inbox:
    """Bytes that have arrived and were not taken yet.

    When more than `capacity` bytes wait, `pause(True)` is called, and `pause(False)` when there is room again. While
    paused the program's own writes block, so that a flood costs no memory.
    """

    def __init__(self, pause: Callable[[bool], None], capacity: int = CAPACITY) -> None:
        self.data = bytearray()
        self.ended: str | None = None  # why the bytes have ended
        self._cause = CLOSED
        self.capacity = capacity
        self._pause, self._is_paused = pause, False
        self._is_first = True
        self._waiter: asyncio.Future[None] | None = None

    def feed(self, data: bytes) -> None:
        """Add bytes that have arrived."""
        self.data += data
        self._regulate()
        self._wake()

    def end(self, why: str, cause: str = CLOSED) -> None:
        """Mark the end of the bytes; the first reason stays."""
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
        """Wait until more bytes or the end arrive; raise TimeoutError at the deadline (loop time)."""
        if self.ended is not None:
            return
        self._waiter = asyncio.get_running_loop().create_future()
        try:
            async with asyncio.timeout_at(deadline):
                await self._waiter
        finally:
            self._waiter = None

    def take(self, count: int) -> bytes:
        """Remove and return the first `count` bytes."""
        taken = bytes(self.data[:count])
        del self.data[:count]
        self._regulate()
        return taken

    async def line(self, max_bytes: int, deadline: float | None) -> bytes:
        """Return the next line without its LF, at most `max_bytes` (no more than the capacity) long.

        Raises Fault if the line is longer, at the deadline, and at the end of the bytes, even if a last line without LF
        is left. A line that waits already is returned even after the deadline: it may have arrived in time. Callers
        that take many lines in a row must check the time. A byte-order mark before the first line is left out.
        """
        limit_s = 0.0 if deadline is None else deadline - asyncio.get_running_loop().time()
        searched = 0
        while True:
            end = self.data.find(b"\n", searched)
            if end > max_bytes or (end < 0 and len(self.data) > max_bytes):
                raise Fault(PROTOCOL, f"a line of more than {max_bytes} bytes: {bytes(self.data[:20])!r}...")
            if end >= 0:
                line = self.take(end + 1)[:-1]
                is_first, self._is_first = self._is_first, False
                return line.removeprefix(BOM) if is_first else line
            if self.ended is not None:
                raise Fault(self._cause, self.ended)
            searched = len(self.data)
            try:
                await self.more(deadline)
            except TimeoutError:
                partial = f", only {bytes(self.data[:20])!r} without a line end" if self.data else ""
                raise Fault(TIMEOUT, f"no line within {max(0.0, limit_s):.3g} s{partial}; {FLUSH}") from None


class Flow(asyncio.BaseProtocol):
    """Writing half of an asyncio protocol: reports whether all written bytes have left.

    Its transport must buffer nothing (`set_write_buffer_limits(0)`).
    """

    def __init__(self) -> None:
        self._flushed = asyncio.Event()
        self._flushed.set()

    def pause_writing(self) -> None:
        """Note that bytes wait in the transport."""
        self._flushed.clear()

    def resume_writing(self) -> None:
        """Note that all bytes have left, or never will."""
        self._flushed.set()

    async def flush(self, deadline: float | None) -> None:
        """Wait until no bytes are waiting; raise Fault at the deadline."""
        try:
            async with asyncio.timeout_at(deadline):
                await self._flushed.wait()
        except TimeoutError:
            raise Fault(TIMEOUT, "it does not read its input") from None


class Link:
    """Two-way connection to a program, over pipes or TCP.

    inbox : the bytes that have arrived. transcript : where they are kept with those that are sent; None: nowhere.
    """

    inbox: Inbox
    flow: Flow
    transcript: Transcript | None = None

    @property
    def log(self) -> str:
        """Output of the program for people since the last `begin_log`, if it has a channel for that."""
        return ""

    def begin_log(self) -> None:
        """Begin the log anew, for another game."""

    async def explain(self, fault: Fault) -> Fault:
        """Return a fault that says why the connection has ended, if it has and that is known; else this one."""
        return fault

    def write(self, data: bytes) -> None:
        """Send the bytes without waiting; raise Fault if the program is known to accept no more."""
        raise NotImplementedError

    async def send(self, data: bytes, deadline: float | None) -> None:
        """Send the bytes and wait until the system has accepted them; raise Fault if it has not by the deadline."""
        self.write(data)
        await self.flow.flush(deadline)
        self.write(b"")  # raises if the connection has failed meanwhile

    async def line(self, max_bytes: int, deadline: float | None) -> bytes:
        """Return the program's next line (`Inbox.line`)."""
        return await self.inbox.line(max_bytes, deadline)

    def note(self, text: str) -> None:
        """Write a line of masume's own into the transcript, if there is one."""
        if self.transcript is not None:
            self.transcript.say(text)

    async def close(self, grace_s: float) -> None:
        """End the connection: the program may finish within `grace_s`, then it is cut off. Further calls do nothing."""
        raise NotImplementedError
