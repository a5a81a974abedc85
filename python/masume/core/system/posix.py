"""Linux and macOS. The alternatives for what macOS lacks are at the end of this file."""

from __future__ import annotations

import sys

assert sys.platform != "win32"

import contextlib
import fcntl
import functools
import os
import shutil
import signal
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO, TYPE_CHECKING, TypeVar

from ...errors import ConfigError
from .bounds import OPTIONS, Bounds

if TYPE_CHECKING:  # slow imports are made where they are used: `import masume` does not need them
    import asyncio
    import socket
    import subprocess
    from concurrent.futures import Future

T = TypeVar("T")

MAX_WORKERS = 1024
"""Maximum number of processes in a pool."""
KEPT = (
    "PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "TMPDIR", "TZ", "LANG", "LANGUAGE", "LC_*",
)  # fmt: skip
"""Variables that every program receives; `*` matches any rest of a name."""
ADDRESS_OF = 0xC0206921 if sys.platform == "darwin" else 0x8915
"""SIOCGIFADDR, the request of an interface's address."""
COMPOUND = ";&|<>()`\n"  # characters that show that a command may be more than one program


def load_average() -> float | None:
    """Return the average number of runnable processes in the last minute."""
    return os.getloadavg()[0]


def list_addresses() -> list[str]:
    """Return the IPv4 addresses of the machine's interfaces, one of each, in no certain order."""
    import socket

    found = []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        for _number, name in socket.if_nameindex():
            with contextlib.suppress(OSError):  # the interface has no address
                answer = fcntl.ioctl(probe.fileno(), ADDRESS_OF, os.fsencode(name)[:15].ljust(256, b"\0"))
                found.append(socket.inet_ntoa(answer[20:24]))
    return found


def allow_files(wanted: int) -> int:
    """Raise the limit of open files and connections of the process to `wanted`; return the resulting limit."""
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        with contextlib.suppress(OSError, ValueError):  # macOS allows less than it reports
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return wanted if soft == resource.RLIM_INFINITY else soft


def prepare_terminal() -> None:
    """Do nothing: every terminal understands escape sequences."""


def sync_folder(path: Path) -> None:
    """Flush the names in a folder to the disk."""
    folder = os.open(path, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def lock_folder(path: Path) -> int:
    """Lock a folder until the file descriptor is closed; BlockingIOError if another process holds the lock."""
    folder = os.open(path, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(folder)
        raise
    return folder


def claim_port(found: socket.socket) -> None:
    """Let a socket use a port whose last connections are still closing."""
    import socket

    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)


def wait_for_one(futures: Iterable[Future[T]]) -> tuple[set[Future[T]], set[Future[T]]]:
    """Return (done, not done) as soon as at least one is done; Ctrl-C ends the waiting."""
    from concurrent.futures import FIRST_COMPLETED, wait

    return wait(futures, return_when=FIRST_COMPLETED)


@contextlib.contextmanager
def on_terminate(loop: asyncio.AbstractEventLoop, call: Callable[[], object]) -> Iterator[None]:
    """Call this in a running loop if the process receives SIGTERM during the block."""
    loop.add_signal_handler(signal.SIGTERM, call)
    try:
        yield
    finally:
        loop.remove_signal_handler(signal.SIGTERM)  # a closing loop cannot handle a signal


if sys.platform == "linux":
    from . import sealing, supervisor

    class Program:
        """Shell command with everything that it starts, run below a supervisor (supervisor.py).

        environment : its variables. pid : of the process, and of its group and session. stdin, stdout, stderr : our
        ends of its pipes, in the form that asyncio's loops accept.
        """

        def __init__(self, command: str, bounds: Bounds, environment: Mapping[str, str]) -> None:
            with contextlib.ExitStack() as own_ends, contextlib.ExitStack() as program_ends:
                own_ends.enter_context(private_memory())
                (self._status, status), (control, held) = os.pipe(), os.pipe()
                for stack, pipe in (
                    (own_ends, self._status),
                    (program_ends, status),
                    (program_ends, control),
                    (own_ends, held),
                ):
                    stack.callback(os.close, pipe)
                sealed = 2 * bounds.is_sealed  # bubblewrap's own processes
                limits = (bounds.memory_mb or 0, bounds.cpu_s or 0, bounds.procs + sealed if bounds.procs else 0)
                orders = [str(control), str(status), ",".join(map(str, limits))]
                run = [*sealing.seal(bounds, command, environment.get("PATH")), "/bin/sh", "-c", _script(command)]
                self._popen = _popen(
                    [sys.executable, "-I", "-S", supervisor.__file__, *orders, *run],
                    environment,
                    pass_fds=(control, status),
                )
                self._until_reaped = own_ends.pop_all()
            os.set_blocking(self._status, False)
            self.stdin, self.stdout, self.stderr = _pipes(self._popen)
            self._told = b""
            self._is_cut = False
            self._hides = bounds.files_under is not None
            self.beyond: str | None = None

        def _look(self) -> list[int]:
            """Return what the supervisor has reported: the program's number, then its exit code.

            `beyond` becomes the limit that the program was beyond.
            """
            while not self._is_cut:
                try:
                    found = os.read(self._status, 256)
                except BlockingIOError:
                    break
                self._told += found
                self._is_cut = not found
            lines = self._told.split(b"\n")[:-1]
            self.beyond = next((line[1:].decode() for line in lines if line.startswith(b"!")), self.beyond)
            return [int(line) for line in lines if not line.startswith(b"!")]

        @property
        def is_started(self) -> bool:
            """Return whether the supervisor has started the program, or has failed to."""
            return bool(self._look()) or self._is_cut

        @property
        def pid(self) -> int:
            """Process number of the program; the supervisor's if it failed to start the program."""
            return (self._look() or [self._popen.pid])[0]

        def ending(self) -> str | None:
            """Return how the program ended; None while it runs."""
            told = self._look()
            if len(told) > 1:
                unseen = f": {sealing.UNSEEN}" if self._hides and told[1] in sealing.NOT_RUN else ""
                return describe(told[1]) + unseen
            return "the end of its supervisor" if self._is_cut else None

        def kill(self) -> None:
            """Kill the program and every process that it has started, in any group or session."""
            if self._popen.returncode is not None:
                return
            if not self.is_started:
                self._popen.kill()  # this also ends a program that is just being started
                return
            self._popen.send_signal(signal.SIGCONT)  # a stopped supervisor could not report the end
            supervisor.kill_tree(self._popen.pid)

        def reap(self) -> None:
            """Release a program that has been killed."""
            self._look()
            self._is_cut = True
            self._popen.kill()
            self._popen.wait()
            self._until_reaped.close()

else:

    class Program:
        """Shell command that runs in a new process group.

        environment : its variables. pid : of the process, and of its group. stdin, stdout, stderr : our ends of its
        pipes, in the form that asyncio's loops accept.
        """

        is_started = True
        beyond: str | None = None

        def __init__(self, command: str, bounds: Bounds, environment: Mapping[str, str]) -> None:
            check_bounds(bounds)
            self._popen = _popen(["/bin/sh", "-c", _script(command)], environment)
            self.pid = self._popen.pid
            self.stdin, self.stdout, self.stderr = _pipes(self._popen)

        def reap(self) -> None:
            """Release a process that has ended."""
            self._popen.wait(0)

        def ending(self) -> str | None:
            """Return how the program ended, and kill the rest of its group; None while it runs.

            Without `os.waitid`, the end is detected only by reaping. After that, the group's number may be reused as
            soon as the group is empty. So the rest is killed immediately, and never again.
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
            with contextlib.suppress(ProcessLookupError, PermissionError):  # empty; macOS: only zombies are left
                os.killpg(self.pid, signal.SIGKILL)


def _script(command: str) -> str:
    """Return the shell script for a command; the shell replaces itself by a single program."""
    first = command.strip().partition(" ")[0]
    if set(COMPOUND) & set(command) or "=" in first or first == "exec":
        return command
    return f"exec {command}"  # otherwise the shell stays, hides how the program ends, and keeps its pipes


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
    """Counter of the users of this process who need its memory private."""

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
    """Keep programs of the same user from reading this process's memory and environment during the block (Linux).

    Meanwhile the process leaves no core dump, no debugger can attach, and its own files in /proc belong to root.
    """
    return _shield


def describe(code: int) -> str:
    """Return in words how a process ended."""
    return f"exit code {code}" if code >= 0 else f"signal {-code} ({signal.strsignal(-code)})"


if sys.platform == "linux":

    def count_cpus() -> int:
        """Return the number of processors that this process may use."""
        return len(os.sched_getaffinity(0))

    @functools.cache
    def check_bounds(bounds: Bounds) -> None:
        """Raise ConfigError, which names the option, if these limits cannot be kept here."""
        import subprocess

        if not bounds.is_sealed:
            return
        option = "no-network" if not bounds.network else "files-under"
        if bounds.files_under is not None and not os.path.isdir(bounds.files_under):  # noqa: PTH112
            raise ConfigError(f"files-under: {bounds.files_under}: no such folder")
        if shutil.which("bwrap") is None:
            raise ConfigError(f"{option}: it needs bubblewrap, and there is no bwrap (apt-get install bubblewrap)")
        nothing = [*sealing.seal(bounds), "/bin/sh", "-c", ":"]
        tried = subprocess.run(nothing, capture_output=True, text=True, check=False)
        if tried.returncode:
            why = tried.stderr.strip().partition("\n")[0] or describe(tried.returncode)
            raise ConfigError(f"{option}: bubblewrap does not work here: {why}")

    def sync_file(file: int) -> None:
        """Flush a file to the disk."""
        os.fsync(file)

else:

    def count_cpus() -> int:
        """Return the number of processors."""
        return os.cpu_count() or 1

    def check_bounds(bounds: Bounds) -> None:
        """Raise ConfigError, which names the option, if there is any limit: macOS has no such limits."""
        for option, limit in zip(OPTIONS, bounds, strict=True):
            if limit not in (None, True):
                raise ConfigError(f"{option}: only Linux can limit this for a program and all that it starts")

    def sync_file(file: int) -> None:
        """Flush a file to the disk; macOS's fsync may leave it in the disk's cache."""
        try:
            fcntl.fcntl(file, fcntl.F_FULLFSYNC)
        except OSError:  # the file system has no such call
            os.fsync(file)
