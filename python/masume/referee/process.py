"""Programs as child processes: lines over stdin and stdout, limits, and a clean end.

Closing a program kills every process that it has started. On Linux these are the tree below a supervisor, in any
session or group; on Windows a job, which no process can leave; on macOS a process group, which a process leaves by
creating its own session (docs/decisions/0017-programs.md).

A program receives the environment variables that it needs, not all of masume's (core/environment.py).
"""

from __future__ import annotations

import asyncio
import dataclasses
import json
import os
import sys
import time
from typing import cast

from ..core import environment, system
from ..core.shapes import Int, Maybe, check_fields, field
from ..errors import ConfigError
from .lines import CAPACITY, Flow, Inbox, Link
from .seat import CLOSED, FLOOD, Fault
from .transcript import SAID, SENT, STDERR, Transcript

POLL_S = 0.01
LAST_WORDS_S = 0.2  # for a program to exit after the end of its output, so that its exit code can be reported
KILLED_S = 5.0


@dataclasses.dataclass(frozen=True)
class Limits:
    """Limits of a program, with everything that it starts; its time for a move is limited by the clock.

    The first five are kept on Linux, `memory_mb` also on Windows; a program that is beyond one is ended. Memory,
    processors and processes are looked at 20 times a second.

    Parameters
    ----------
    memory_mb : int, optional
        Resident memory, in MiB (on Windows committed memory). None: no limit.
    cpu_s : int, optional
        Seconds of processors. None: no limit.
    procs : int, optional
        Processes at the same time. None: no limit.
    network : bool, optional
        Whether it may use the network. False needs bubblewrap.
    files_under : str, optional
        The only folder in which it may write files, besides a private /tmp, which shows of the real one the
        working folder and the folders of what the command names. None: no limit. It needs bubblewrap.
    output_mb : int, optional
        Total output to stdout, in MiB.
    log_kb : int, optional
        Kept end of its stderr, in KiB.

    Raises
    ------
    ConfigError
        If a number is not in 1..2**30, or a limit cannot be kept on this machine.
    """

    memory_mb: int | None = field(None, Maybe(Int(1, 2**30)))
    cpu_s: int | None = field(None, Maybe(Int(1, 2**30)))
    procs: int | None = field(None, Maybe(Int(1, 2**30)))
    network: bool = True
    files_under: str | None = None
    output_mb: int = field(256, Int(1, 2**30))
    log_kb: int = field(64, Int(1, 2**30))

    def __post_init__(self) -> None:
        check_fields(self)
        system.check_bounds(self.bounds)

    @property
    def bounds(self) -> system.Bounds:
        """The limits that the system keeps."""
        return system.Bounds(self.memory_mb, self.cpu_s, self.procs, self.network, self.files_under)

    @classmethod
    def of_environment(cls) -> Limits:
        """Return the limits of the variable MASUME_LIMITS, a JSON object with any of these fields; else the defaults.

        Raises ConfigError if the variable is malformed.
        """
        text = os.environ.get(environment.LIMITS) or "{}"
        try:
            return cls(**json.loads(text))
        except (TypeError, ValueError) as error:
            raise ConfigError(f"{environment.LIMITS}: {error}") from None


class Child(Link):
    """A running program; `start` makes one."""

    def __init__(
        self, process: system.Program, limits: Limits, capacity: int, transcript: Transcript | None = None
    ) -> None:
        self._process = process
        self.transcript = transcript
        self._stdin, self._stdout = _Stdin(), _Stdout(limits.output_mb << 20, capacity, transcript)
        self._stderr = _Stderr(limits.log_kb << 10, transcript)
        self.inbox, self.flow = self._stdout.inbox, self._stdin
        self._is_closed = False

    @classmethod
    async def start(cls, command: str, limits: Limits | None = None, capacity: int = CAPACITY) -> Child:
        """Run a shell command; if it cannot be run, it counts as a program that ends at once.

        limits : None: those of the variable MASUME_LIMITS.
        """
        if getattr(sys, "frozen", False):
            raise ConfigError("agents: a frozen program starts no programs, as it has no Python to guard them")
        limits = limits or Limits.of_environment()
        transcript = Transcript.of_environment(command)
        process = system.Program(command, limits.bounds, environment.of_programs())
        child = cls(process, limits, capacity, transcript)
        loop = asyncio.get_running_loop()
        try:
            while not process.is_started:  # the program's clock may run only after this
                await asyncio.sleep(POLL_S)
            await loop.connect_write_pipe(lambda: child._stdin, process.stdin)
            await loop.connect_read_pipe(lambda: child._stdout, process.stdout)
            await loop.connect_read_pipe(lambda: child._stderr, process.stderr)
        except BaseException:  # including cancellation
            await child.close(0)
            raise
        return child

    @property
    def pid(self) -> int:
        """The id of the process and of its group."""
        return self._process.pid

    @property
    def log(self) -> str:
        """The end of what the program has written to stderr since the last `begin_log`."""
        return self._stderr.text

    def begin_log(self) -> None:
        """Begin the log anew, for another game."""
        self._stderr.clear()

    async def explain(self, fault: Fault) -> Fault:
        """Return the fault of a program that has ended with how it ended, and wait for what it said about that."""
        if fault.cause != CLOSED or not await self.has_ended(LAST_WORDS_S):
            return fault
        await asyncio.wait([self._stderr.ended], timeout=LAST_WORDS_S)  # why it ended may be still in the pipe
        return Fault(CLOSED, self.beyond or f"the program ended with {self._process.ending()}")

    @property
    def is_missing(self) -> bool:
        """Whether the shell could not run the command: it was not found, or may not be executed."""
        return self._process.ending() in ("exit code 126", "exit code 127")

    @property
    def beyond(self) -> str | None:
        """That the program was ended because it was beyond a limit, and which; None if it was not."""
        return None if self._process.beyond is None else f"the program was ended: {self._process.beyond}"

    def write(self, data: bytes) -> None:
        """Send the bytes without waiting; raise Fault if the program has closed its stdin."""
        self._stdin.write(data)
        if self.transcript is not None:
            self.transcript.add(SENT, data)

    async def line(self, max_bytes: int, deadline: float | None) -> bytes:
        """Return the program's next line (`Inbox.line`); a Fault at the end says how the program ended."""
        try:
            return await self.inbox.line(max_bytes, deadline)
        except Fault as fault:
            raise await self.explain(fault) from None

    async def send(self, data: bytes, deadline: float | None) -> None:
        """Send the bytes (`Link.send`); a Fault at the end says how the program ended."""
        try:
            await super().send(data, deadline)
        except Fault as fault:
            raise await self.explain(fault) from None

    async def skip(self) -> None:
        """Discard what the program writes to stdout, until it ends."""
        while self.inbox.ended is None:
            await self.inbox.more(None)
            self.inbox.take(len(self.inbox.data))

    async def close(self, grace_s: float) -> None:
        """Close the program's stdin, wait up to `grace_s` for it to exit, then kill it and all its child processes."""
        if self._is_closed:
            return
        self._is_closed = True
        self._stdin.close()
        try:
            await self.has_ended(grace_s)
        finally:  # also if the wait is cancelled
            self._process.kill()
            await self.has_ended(KILLED_S)
            self._process.reap()
            await asyncio.wait([self._stderr.ended], timeout=LAST_WORDS_S)  # its last output is still in the pipe
            self.note(f"it ended with {self._process.ending()}")
            if self.transcript is not None:
                self.transcript.close()
            for end in (self._stdin, self._stdout, self._stderr):
                end.abort()
            for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
                pipe.close()

    async def has_ended(self, seconds: float) -> bool:
        """Return whether the program ends within that time."""
        deadline = time.monotonic() + seconds
        while self._process.ending() is None:
            if time.monotonic() >= deadline:
                return False
            await asyncio.sleep(POLL_S)
        return True


class _Stdin(Flow):
    """The writing end of a program's stdin."""

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
        """Close the pipe; the program reads what is under way, then the end."""
        if self._transport is not None:
            self._transport.close()

    def abort(self) -> None:
        if self._transport is not None:
            self._transport.abort()


class _Output(asyncio.Protocol):
    """The reading end of an output of a program, which the transcript marks so."""

    _transport: asyncio.ReadTransport | None = None

    def __init__(self, mark: bytes, transcript: Transcript | None) -> None:
        self._mark, self._transcript = mark, transcript

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.ReadTransport, transport)

    def data_received(self, data: bytes) -> None:
        if self._transcript is not None:
            self._transcript.add(self._mark, data)
        self.take(data)

    def take(self, data: bytes) -> None:
        """Take in what the program has written."""
        raise NotImplementedError

    def abort(self) -> None:
        if self._transport is not None:
            self._transport.close()


class _Stdout(_Output):
    """The reading end of a program's stdout, of at most `max_bytes` in all."""

    def __init__(self, max_bytes: int, capacity: int, transcript: Transcript | None) -> None:
        super().__init__(SAID, transcript)
        self.inbox = Inbox(self._pause, capacity)
        self._max_bytes = self._left = max_bytes

    def take(self, data: bytes) -> None:
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


class _Stderr(_Output):
    """The reading end of a program's stderr; the last `max_bytes` are kept."""

    def __init__(self, max_bytes: int, transcript: Transcript | None) -> None:
        super().__init__(STDERR, transcript)
        self.ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._max_bytes, self._data = max_bytes, bytearray()

    def take(self, data: bytes) -> None:
        self._data += data
        del self._data[: -self._max_bytes]

    def connection_lost(self, error: Exception | None) -> None:
        self.ended.set_result(None)

    @property
    def text(self) -> str:
        return self._data.decode(errors="replace")

    def clear(self) -> None:
        self._data.clear()
