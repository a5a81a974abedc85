"""Linux and macOS. What macOS lacks has another way at the end of this file."""

from __future__ import annotations

import sys

assert sys.platform != "win32"

import contextlib
import fcntl
import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO, TYPE_CHECKING, TypeVar

if TYPE_CHECKING:  # what takes long is imported where it is used: `import masume` has no use for it
    import asyncio
    import socket
    import subprocess
    from concurrent.futures import Future

T = TypeVar("T")

MAX_WORKERS = 1024
"""Processes that a pool may have."""
KEPT = (
    "PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "TMPDIR", "TZ", "LANG", "LANGUAGE", "LC_*",
)  # fmt: skip
"""Variables that every program is started with; `*` stands for the rest of a name."""
COMPOUND = ";&|<>()`\n"  # signs that a command may be more than one program


def load_average() -> float | None:
    """Return how many processes wanted to run in the last minute."""
    return os.getloadavg()[0]


def allow_files(wanted: int) -> int:
    """Let the process have so many files and connections open; return how many it may have."""
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        with contextlib.suppress(OSError, ValueError):  # macOS allows less than it says
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return wanted if soft == resource.RLIM_INFINITY else soft


def prepare_terminal() -> None:
    """Do nothing: every terminal understands escape sequences."""


def sync_folder(path: Path) -> None:
    """Write the names in a folder to the disk."""
    folder = os.open(path, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def lock_folder(path: Path) -> int:
    """Lock a folder; the lock lasts until the file descriptor is closed. BlockingIOError where another has it."""
    folder = os.open(path, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(folder)
        raise
    return folder


def claim_port(found: socket.socket) -> None:
    """Let a socket have a port whose last connections are still closing."""
    import socket

    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)


def wait_for_one(futures: Iterable[Future[T]]) -> tuple[set[Future[T]], set[Future[T]]]:
    """Return (done, not done) when at least one is done; Ctrl-C ends the waiting."""
    from concurrent.futures import FIRST_COMPLETED, wait

    return wait(futures, return_when=FIRST_COMPLETED)


@contextlib.contextmanager
def on_terminate(loop: asyncio.AbstractEventLoop, call: Callable[[], object]) -> Iterator[None]:
    """Call this in a running loop when the process is told to end while the block runs."""
    loop.add_signal_handler(signal.SIGTERM, call)
    try:
        yield
    finally:
        loop.remove_signal_handler(signal.SIGTERM)  # a loop that closes is no place for a signal to arrive


if sys.platform == "linux":
    from . import supervisor

    class Program:
        """A command of the shell, below a supervisor (supervisor.py), with all that it starts.

        environment : its variables. pid : of the process, and of its group and session. stdin, stdout, stderr : our
        ends of its pipes, as asyncio's loops take them.
        """

        def __init__(self, command: str, memory_mb: int | None, environment: Mapping[str, str]) -> None:
            with contextlib.ExitStack() as mine, contextlib.ExitStack() as its:
                mine.enter_context(private_memory())
                (self._status, status), (control, held) = os.pipe(), os.pipe()
                for stack, pipe in ((mine, self._status), (its, status), (its, control), (mine, held)):
                    stack.callback(os.close, pipe)
                ends = [str(control), str(status)]
                self._popen = _popen(
                    [sys.executable, "-I", "-S", supervisor.__file__, *ends, _script(command, memory_mb)],
                    environment,
                    pass_fds=(control, status),
                )
                self._until_reaped = mine.pop_all()
            os.set_blocking(self._status, False)
            self.stdin, self.stdout, self.stderr = _pipes(self._popen)
            self._told = b""
            self._is_cut = False

        def _look(self) -> list[int]:
            """What the supervisor has told: the program's number, and how it ended."""
            while not self._is_cut:
                try:
                    found = os.read(self._status, 64)
                except BlockingIOError:
                    break
                self._told += found
                self._is_cut = not found
            return [int(line) for line in self._told.split(b"\n")[:-1]]

        @property
        def is_started(self) -> bool:
            """Whether the supervisor has started the program, or has failed to."""
            return bool(self._look()) or self._is_cut

        @property
        def pid(self) -> int:
            """The number of the program; the supervisor's where that has failed."""
            return (self._look() or [self._popen.pid])[0]

        def ending(self) -> str | None:
            """Return how the program has ended; None while it runs."""
            told = self._look()
            if len(told) > 1:
                return describe(told[1])
            return "the end of its supervisor" if self._is_cut else None

        def kill(self) -> None:
            """Kill the program and whatever it has started, wherever that has moved."""
            if self._popen.returncode is not None:
                return
            if not self.is_started:
                self._popen.kill()  # and the program with it, which may be on its way
                return
            self._popen.send_signal(signal.SIGCONT)  # else a supervisor that was stopped could not tell of the end
            supervisor.kill_tree(self._popen.pid)

        def reap(self) -> None:
            """Forget a program that has been killed."""
            self._look()
            self._is_cut = True
            self._popen.kill()
            self._popen.wait()
            self._until_reaped.close()

else:

    class Program:
        """A command of the shell, running in a process group of its own.

        environment : its variables. pid : of the process, and of its group. stdin, stdout, stderr : our ends of its
        pipes, as asyncio's loops take them.
        """

        is_started = True

        def __init__(self, command: str, memory_mb: int | None, environment: Mapping[str, str]) -> None:
            self._popen = _popen(["/bin/sh", "-c", _script(command, memory_mb)], environment)
            self.pid = self._popen.pid
            self.stdin, self.stdout, self.stderr = _pipes(self._popen)

        def reap(self) -> None:
            """Forget a process that has ended."""
            self._popen.wait(0)

        def ending(self) -> str | None:
            """Return how the program has ended, and kill the rest of its group; None while it runs.

            Without `os.waitid` one learns of the end only by reaping, after which the group's number may be given to
            another as soon as the group is empty. So the rest is killed at once, and never again.
            """
            is_known = self._popen.returncode is not None
            code = self._popen.poll()
            if code is None:
                return None
            if not is_known:
                self._kill_group()
            return describe(code)

        def kill(self) -> None:
            """Kill the whole group, unless that was done when its leader ended."""
            if self._popen.returncode is None:
                self._kill_group()

        def _kill_group(self) -> None:
            with contextlib.suppress(ProcessLookupError, PermissionError):  # empty; macOS: nothing but zombies
                os.killpg(self.pid, signal.SIGKILL)


def _script(command: str, memory_mb: int | None) -> str:
    """What the shell is to run, so that it does not stay beside a single program."""
    if not set(COMPOUND) & set(command) and "=" not in command.strip().partition(" ")[0]:
        command = f"exec {command}"  # else the shell would stay, hide how the program ends, and hold its pipes
    return command if memory_mb is None else limit_memory(command, memory_mb)


def _popen(
    command: list[str], environment: Mapping[str, str], pass_fds: tuple[int, ...] = ()
) -> subprocess.Popen[bytes]:
    import subprocess

    return subprocess.Popen(
        command, bufsize=0, start_new_session=True, env=dict(environment), pass_fds=pass_fds,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


def _pipes(popen: subprocess.Popen[bytes]) -> tuple[IO[bytes], IO[bytes], IO[bytes]]:
    assert popen.stdin is not None
    assert popen.stdout is not None
    assert popen.stderr is not None
    return popen.stdin, popen.stdout, popen.stderr


PR_SET_DUMPABLE = 4


class _Shield:
    """Who of this process wants its memory private, and how many they are."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._count = 0

    def __enter__(self) -> None:
        with self._lock:
            self._count += 1
            if self._count == 1:
                self._set(0)

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._count -= 1
            if self._count == 0:
                self._set(1)

    def _set(self, is_dumpable: int) -> None:
        if sys.platform == "linux":
            import ctypes

            ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, is_dumpable, 0, 0, 0)


_shield = _Shield()


def private_memory() -> contextlib.AbstractContextManager[None]:
    """Keep programs of the same user from reading this process's memory and environment while the block runs (Linux).

    It leaves no core dump meanwhile, no debugger can attach, and its own files in /proc are root's.
    """
    return _shield


def describe(code: int) -> str:
    """Return in words how a process has ended."""
    return f"exit code {code}" if code >= 0 else f"signal {-code} ({signal.strsignal(-code)})"


if sys.platform == "linux":

    def count_cpus() -> int:
        """Return how many processors this process may use."""
        return len(os.sched_getaffinity(0))

    def limit_memory(command: str, memory_mb: int) -> str:
        """Return the command whose shell first limits its own address space, before there is anything else."""
        return f"ulimit -v {memory_mb << 10}\n{command}"

    def sync_file(file: int) -> None:
        """Write a file to the disk itself."""
        os.fsync(file)

else:

    def count_cpus() -> int:
        """Return how many processors there are."""
        return os.cpu_count() or 1

    def limit_memory(command: str, _memory_mb: int) -> str:
        """Return the command as it is: macOS does not limit a process's address space."""
        return command

    def sync_file(file: int) -> None:
        """Write a file to the disk itself; macOS's fsync may leave it in the disk's cache."""
        try:
            fcntl.fcntl(file, fcntl.F_FULLFSYNC)
        except OSError:  # a file system that has no such call
            os.fsync(file)
