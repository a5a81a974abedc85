"""Linux and macOS. What macOS lacks has another way at the end of this file."""

from __future__ import annotations

import sys

assert sys.platform != "win32"

import contextlib
import fcntl
import os
import signal
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:  # what takes long is imported where it is used: `import masume` has no use for it
    import asyncio
    import socket
    from concurrent.futures import Future

T = TypeVar("T")

MAX_WORKERS = 1024
"""Processes that a pool may have."""
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


class Program:
    """A command of the shell, running in a process group of its own.

    pid : of the process, and of its group. stdin, stdout, stderr : our ends of its pipes, as asyncio's loops take them.
    """

    def __init__(self, command: str, memory_mb: int | None) -> None:
        import subprocess

        if not set(COMPOUND) & set(command) and "=" not in command.strip().partition(" ")[0]:
            command = f"exec {command}"  # else the shell would stay, hide how the program ends, and hold its pipes
        if memory_mb is not None:
            command = limit_memory(command, memory_mb)
        self._popen = subprocess.Popen(
            ["/bin/sh", "-c", command], bufsize=0, start_new_session=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        self.pid = self._popen.pid
        stdin, stdout, stderr = self._popen.stdin, self._popen.stdout, self._popen.stderr
        assert stdin is not None
        assert stdout is not None
        assert stderr is not None
        self.stdin, self.stdout, self.stderr = stdin, stdout, stderr

    def reap(self) -> None:
        """Forget a process that has ended."""
        self._popen.wait(0)

    if sys.platform == "linux":

        def ending(self) -> str | None:
            """Return how the program has ended, without reaping it; None while it runs."""
            found = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            if found is None:
                return None
            return describe(found.si_status if found.si_code == os.CLD_EXITED else -found.si_status)

        def kill(self) -> None:
            """Kill the whole group; the number is still its own, because the leader is not reaped."""
            os.killpg(self.pid, signal.SIGKILL)

    else:

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
