"""The parent of a program on Linux, a process of its own: `python -I -S supervisor.py CONTROL STATUS COMMAND`.

It is a subreaper: whatever the program's processes leave behind becomes its child, in whatever session or group they
are, so the tree below it is all that the program has started, and nothing else. It runs COMMAND, writes two lines to
the pipe STATUS, the program's number and how it ended, reaps whatever ends, and kills the tree when the other end of
the pipe CONTROL is closed, as it is when masume ends in any way. masume itself kills the tree at the end of a match
(docs/decisions/0017-programs.md).

It imports nothing of masume's: it has to start fast.
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
KILL_S = 5.0
"""For a tree that grows faster than it can be killed."""


def kill_tree(root: int) -> None:
    """Kill all processes below one, until there are none that are new; those of other users cannot be killed.

    A process that has been sent SIGKILL forks no more, so nothing is left behind where this ends in time.
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
    """The descendants of a process that have not ended."""
    found: set[int] = set()
    waiting = [root]
    while waiting:
        new = [pid for pid in children(waiting.pop()) if pid not in found]
        found.update(new)
        waiting += new
    return {pid for pid in found if _status(pid)[0] not in "ZX"}


def _children(pid: int) -> list[int]:
    """The children of a process as the kernel lists them, where it does; some may be missing while others end."""
    found: list[int] = []
    with contextlib.suppress(OSError):
        for task in os.listdir(f"/proc/{pid}/task"):  # noqa: PTH208  # pathlib takes long to import
            with open(f"/proc/{pid}/task/{task}/children", encoding="ascii") as file:  # noqa: PTH123
                found += map(int, file.read().split())
    return found


def _all_children() -> Children:
    """A function as `_children`, from a look at all processes: none is missing."""
    found: dict[int, list[int]] = {}
    for name in os.listdir("/proc"):  # noqa: PTH208
        if name.isdigit():
            found.setdefault(_status(int(name))[1], []).append(int(name))
    return lambda pid: found.get(pid, ())


def _status(pid: int) -> tuple[str, int]:
    """The state of a process and the number of its parent; X and 0 where there is none."""
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


def _run(command: str, ignored: Sequence[int], parent: int) -> None:
    """Become the program: in a session of its own, with signals as they are for others, ended with its parent."""
    os.setsid()
    for number in (*ignored, signal.SIGPIPE, signal.SIGXFSZ, signal.SIGCHLD):
        signal.signal(number, signal.SIG_DFL)
    _prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() == parent:
        os.execv("/bin/sh", ["/bin/sh", "-c", command])


def main(control: int, status: int, command: str) -> None:
    import select

    ignored = [signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGUSR1, signal.SIGUSR2]
    for number in ignored:  # a program may know its parent
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
    for pipe in range(3):  # the program alone holds its pipes
        os.dup2(nothing, pipe)
    _tell(status, program)
    while True:
        ready = select.select([control, ended], [], [])[0]
        if control in ready:
            kill_tree(parent)
            return
        os.read(ended, 4096)
        with contextlib.suppress(ChildProcessError):  # all have been reaped
            while (found := os.waitpid(-1, os.WNOHANG))[0]:
                if found[0] == program:
                    _tell(status, os.waitstatus_to_exitcode(found[1]))


def _tell(status: int, number: int) -> None:
    with contextlib.suppress(OSError):  # masume has ended
        os.write(status, b"%d\n" % number)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
