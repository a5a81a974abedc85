"""Programs as child processes: lines over their stdin and stdout, limits, and an end that leaves nothing behind.

When a program is closed whatever it has started is killed. On Linux that is the tree below a supervisor, in whatever
session or group its processes are; on Windows it is a job, which nothing can leave; on macOS a process group, which a
process leaves that makes a session of its own (docs/decisions/0017-programs.md).

A program has the variables that it needs, not masume's environment (core/environment.py).
"""

from __future__ import annotations

import asyncio
import dataclasses
import time
from typing import cast

from ..core import environment, system
from ..core.config import integer
from .lines import CAPACITY, Flow, Inbox, Link
from .seat import CLOSED, FLOOD, Fault

POLL_S = 0.01
LAST_WORDS_S = 0.2  # for a program whose output has ended to end itself, so that its exit code can be told
KILLED_S = 5.0


@dataclasses.dataclass(frozen=True)
class Limits:
    """What a program may use.

    memory_mb : address space of each of its processes, in MiB (on Windows, what each has committed); None: no limit,
    and macOS knows none. output_mb : of all that it writes to stdout, in MiB. log_kb : of the end of its stderr that is
    kept, in KiB. Time is the clock's matter.
    """

    memory_mb: int | None = 8192
    output_mb: int = 256
    log_kb: int = 64

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if value is not None or field.name != "memory_mb":
                integer(field.name, value, 1, 2**30)


class Child(Link):
    """A running program; made by `start`."""

    def __init__(self, process: system.Program, limits: Limits, capacity: int) -> None:
        self._process = process
        self._stdin, self._stdout = _Stdin(), _Stdout(limits.output_mb << 20, capacity)
        self._stderr = _Stderr(limits.log_kb << 10)
        self.inbox, self.flow = self._stdout.inbox, self._stdin
        self._is_closed = False

    @classmethod
    async def start(cls, command: str, limits: Limits | None = None, capacity: int = CAPACITY) -> Child:
        """Run a command of the shell; one that cannot be run is a program that ends at once."""
        limits = limits or Limits()
        process = system.Program(command, limits.memory_mb, environment.of_programs())
        child = cls(process, limits, capacity)
        loop = asyncio.get_running_loop()
        try:
            while not process.is_started:  # its clock may run from here on
                await asyncio.sleep(POLL_S)
            await loop.connect_write_pipe(lambda: child._stdin, process.stdin)
            await loop.connect_read_pipe(lambda: child._stdout, process.stdout)
            await loop.connect_read_pipe(lambda: child._stderr, process.stderr)
        except BaseException:  # cancelled, for one
            await child.close(0)
            raise
        return child

    @property
    def pid(self) -> int:
        """The number of the process, and of its group."""
        return self._process.pid

    @property
    def log(self) -> str:
        """The end of what the program has written to stderr."""
        return self._stderr.text

    def write(self, data: bytes) -> None:
        """Send the bytes without waiting; Fault where the program has closed its stdin."""
        self._stdin.write(data)

    async def line(self, max_bytes: int, deadline: float | None) -> bytes:
        """The program's next line (`Inbox.line`); a Fault at the end says how the program ended."""
        try:
            return await self.inbox.line(max_bytes, deadline)
        except Fault as fault:
            if fault.cause == CLOSED and await self._has_ended(LAST_WORDS_S):
                raise Fault(CLOSED, f"the program ended with {self._process.ending()}") from None
            raise

    async def close(self, grace_s: float) -> None:
        """Close the program's stdin, wait up to `grace_s` for it to end, then kill it with all that it has started."""
        if self._is_closed:
            return
        self._is_closed = True
        self._stdin.close()
        try:
            await self._has_ended(grace_s)
        finally:  # also when the waiting is cut short
            self._process.kill()
            await self._has_ended(KILLED_S)
            self._process.reap()
            await asyncio.wait([self._stderr.ended], timeout=LAST_WORDS_S)  # what it said last is still in the pipe
            for end in (self._stdin, self._stdout, self._stderr):
                end.abort()
            for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
                pipe.close()

    async def _has_ended(self, seconds: float) -> bool:
        """Whether the program ends within that time."""
        deadline = time.monotonic() + seconds
        while self._process.ending() is None:
            if time.monotonic() >= deadline:
                return False
            await asyncio.sleep(POLL_S)
        return True


class _Stdin(Flow):
    """The end of the pipe through which a program is sent what it reads."""

    _transport: asyncio.WriteTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.WriteTransport, transport)
        self._transport.set_write_buffer_limits(0)

    def connection_lost(self, error: Exception | None) -> None:
        self._transport = None
        self.resume_writing()

    def write(self, data: bytes) -> None:
        if self._transport is None or self._transport.is_closing():
            raise Fault(CLOSED, "the program has closed its input")
        self._transport.write(data)

    def close(self) -> None:
        """Let the program see the end when it has read what is on its way."""
        if self._transport is not None:
            self._transport.close()

    def abort(self) -> None:
        if self._transport is not None:
            self._transport.abort()


class _Stdout(asyncio.Protocol):
    """The end of the pipe out of which comes what a program writes; `max_bytes` in all."""

    _transport: asyncio.ReadTransport | None = None

    def __init__(self, max_bytes: int, capacity: int) -> None:
        self.inbox = Inbox(self._pause, capacity)
        self._max_bytes = self._left = max_bytes

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.ReadTransport, transport)

    def data_received(self, data: bytes) -> None:
        self._left -= len(data)
        if self._left >= 0:
            self.inbox.feed(data)
        else:
            self.inbox.end(f"more than {self._max_bytes >> 20} MiB of output", FLOOD)
            self.abort()

    def connection_lost(self, error: Exception | None) -> None:
        self.inbox.end("the program has closed its output")

    def _pause(self, is_full: bool) -> None:
        assert self._transport is not None
        if is_full:
            self._transport.pause_reading()
        else:
            self._transport.resume_reading()

    def abort(self) -> None:
        if self._transport is not None:
            self._transport.close()


class _Stderr(asyncio.Protocol):
    """The end of the pipe out of which comes what a program logs; the last `max_bytes` of it are kept."""

    _transport: asyncio.ReadTransport | None = None

    def __init__(self, max_bytes: int) -> None:
        self.ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._max_bytes, self._data = max_bytes, bytearray()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.ReadTransport, transport)

    def data_received(self, data: bytes) -> None:
        self._data += data
        del self._data[: -self._max_bytes]

    def connection_lost(self, error: Exception | None) -> None:
        self.ended.set_result(None)

    @property
    def text(self) -> str:
        return self._data.decode(errors="replace")

    def abort(self) -> None:
        if self._transport is not None:
            self._transport.close()
