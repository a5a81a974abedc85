"""Parent process of a program on Linux: `python -I -S supervisor.py CONTROL STATUS LIMITS COMMAND...`.

It is a subreaper: orphans of the program's processes become its children, in any session or group, so the tree below
it is exactly what the program has started. It runs COMMAND, writes two lines to the pipe STATUS, the program's number
and its exit code, and reaps all processes that end. It kills the tree when the other end of the pipe CONTROL is
closed, which happens however masume ends. masume itself kills the tree at the end of a match
(docs/decisions/0017-programs.md).

LIMITS are three numbers, MiB of resident memory, seconds of processors, and processes, 0 for none, of the whole tree.
If there is one, the tree is looked at every WATCH_S; if it is beyond a limit, a line `!` with the reason is written to
STATUS, and the tree is killed.

It imports nothing of masume, because it must start fast.
"""

from __future__ import annotations

import sys

assert sys.platform == "linux"

import contextlib
import os
import signal
import time
from collections.abc import Callable, Sequence

Children = Callable[[int], Sequence[int]]

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
WATCH_S = 0.05
KILL_S = 5.0
"""Time limit for a tree that grows faster than it can be killed."""


def kill_tree(root: int) -> None:
    """Kill all processes below one, until no new ones appear; those of other users cannot be killed.

    A process that has been sent SIGKILL forks no more, so nothing is left if this ends in time.
    """
    killed: set[int] = set()
    end = time.monotonic() + KILL_S
    while time.monotonic() < end:
        found = _below(root, _children) - killed or _below(root, _all_children()) - killed
        if not found:
            return
        for pid in found:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        killed |= found


def _below(root: int, children: Children) -> set[int]:
    """Return the running descendants of a process."""
    found: set[int] = set()
    waiting = [root]
    while waiting:
        new = [pid for pid in children(waiting.pop()) if pid not in found]
        found.update(new)
        waiting += new
    return {pid for pid in found if _status(pid)[0] not in "ZX"}


def _children(pid: int) -> list[int]:
    """Return the children of a process, if the kernel lists them; some may be missing while others end."""
    found: list[int] = []
    with contextlib.suppress(OSError):
        for task in os.listdir(f"/proc/{pid}/task"):  # noqa: PTH208  # importing pathlib takes long
            with open(f"/proc/{pid}/task/{task}/children", encoding="ascii") as file:  # noqa: PTH123
                found += map(int, file.read().split())
    return found


def _all_children() -> Children:
    """Return a function like `_children`, from a scan of all processes: no child is missing."""
    found: dict[int, list[int]] = {}
    for name in os.listdir("/proc"):  # noqa: PTH208
        if name.isdigit():
            found.setdefault(_status(int(name))[1], []).append(int(name))
    return lambda pid: found.get(pid, ())


class Watch:
    """Limits of the tree below a process: MiB, seconds of processors, processes; 0 for none."""

    def __init__(self, root: int, memory_mb: int, cpu_s: int, procs: int) -> None:
        self.is_idle = not (memory_mb or cpu_s or procs)
        self._root, self._memory, self._cpu_s, self._procs = root, memory_mb << 20, cpu_s, procs
        self._page, self._tick = os.sysconf("SC_PAGE_SIZE"), os.sysconf("SC_CLK_TCK")

    def beyond(self) -> str | None:
        """Return which limit the tree is beyond, for people; None if it is within all."""
        tree = _below(self._root, _children)
        if self._procs and len(tree) > self._procs:
            return f"{len(tree)} processes, more than {self._procs}"
        if self._memory and sum(map(self._resident, tree)) > self._memory:
            used = sum(map(self._share, tree))  # pages that several processes share are counted once
            if used > self._memory:
                return f"{used >> 20} MiB of memory, more than {self._memory >> 20}"
        if self._cpu_s:
            dead = os.times()  # of what the supervisor has reaped
            used_s = dead.children_user + dead.children_system + sum(map(self._busy, tree))
            if used_s > self._cpu_s:
                return f"{used_s:.1f} s of processors, more than {self._cpu_s}"
        return None

    def _resident(self, pid: int) -> int:
        return int((_read(f"/proc/{pid}/statm") or b"0 0").split()[1]) * self._page

    def _share(self, pid: int) -> int:
        """Return the resident bytes of a process, with its share of those that it shares."""
        for line in (_read(f"/proc/{pid}/smaps_rollup") or b"").split(b"\n"):
            if line.startswith(b"Pss:"):
                return int(line.split()[1]) << 10
        return self._resident(pid)

    def _busy(self, pid: int) -> float:
        """Return the processor seconds of a process and of its children that it has reaped."""
        fields = (_read(f"/proc/{pid}/stat") or b"").rpartition(b")")[2].split()
        return sum(map(int, fields[11:15])) / self._tick


def _read(path: str) -> bytes | None:
    """Return the bytes of a file; None if its process has ended or belongs to somebody else."""
    try:
        with open(path, "rb") as file:  # noqa: PTH123
            return file.read()
    except OSError:
        return None


def _status(pid: int) -> tuple[str, int]:
    """Return the state of a process and the number of its parent; X and 0 if there is no such process."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:  # noqa: PTH123
            state, parent = file.read().rpartition(b")")[2].split()[:2]
    except OSError:
        return "X", 0
    return state.decode(), int(parent)


def _prctl(option: int, value: int) -> None:
    import ctypes

    if ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def _run(command: Sequence[str], ignored: Sequence[int], parent: int) -> None:
    """Become the program: in a new session, with default signal handling, killed if its parent dies."""
    os.setsid()
    for number in (*ignored, signal.SIGPIPE, signal.SIGXFSZ, signal.SIGCHLD):
        signal.signal(number, signal.SIG_DFL)
    _prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() == parent:
        os.execv(command[0], list(command))


def main(control: int, status: int, limits: Sequence[int], command: Sequence[str]) -> None:
    import select

    ignored = [signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGUSR1, signal.SIGUSR2]
    for number in ignored:  # the program may know its parent's number
        signal.signal(number, signal.SIG_IGN)
    os.set_inheritable(control, False)
    os.set_inheritable(status, False)
    ended, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    _prctl(PR_SET_CHILD_SUBREAPER, 1)
    parent = os.getpid()
    program = os.fork()
    if program == 0:
        try:
            _run(command, ignored, parent)
        finally:
            os._exit(127)
    nothing = os.open(os.devnull, os.O_RDWR)
    for pipe in range(3):  # only the program may hold its pipes
        os.dup2(nothing, pipe)
    _tell(status, program)
    watch = Watch(parent, *limits)
    while True:
        ready = select.select([control, ended], [], [], None if watch.is_idle else WATCH_S)[0]
        if control in ready:
            kill_tree(parent)
            return
        beyond = None if watch.is_idle else watch.beyond()
        if beyond is not None:
            _tell(status, f"!{beyond}")
            kill_tree(parent)
            watch.is_idle = True
        if ended in ready:
            os.read(ended, 4096)
        with contextlib.suppress(ChildProcessError):  # all have been reaped
            while (reaped := os.waitpid(-1, os.WNOHANG))[0]:
                if reaped[0] == program:
                    _tell(status, os.waitstatus_to_exitcode(reaped[1]))


def _tell(status: int, told: object) -> None:
    with contextlib.suppress(OSError):  # masume has ended
        os.write(status, f"{told}\n".encode())


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), [int(limit) for limit in sys.argv[3].split(",")], sys.argv[4:])
