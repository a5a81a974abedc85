"""Python as if on another system: TEST_SYSTEM=darwin or win32, and this folder on PYTHONPATH.

Functions that the other system lacks are removed, and calls that it refuses are refused. What masume calls in their
place is simulated on Linux: a job is a process group, a suspended process is a stopped one. Calls of the Win32 API go
through ctypes, with the types that masume declares.
"""

import os

SYSTEM = os.environ.pop("TEST_SYSTEM", None)  # hidden from processes that the imports below may start

import asyncio
import asyncio.unix_events
import concurrent.futures.process  # noqa: F401
import contextlib
import ctypes
import errno
import fcntl
import importlib
import multiprocessing.popen_spawn_posix  # noqa: F401
import multiprocessing.resource_tracker  # noqa: F401
import resource
import shlex
import shutil
import signal
import socket
import stat
import subprocess
import sys
import types
from pathlib import Path

killpg, waitid, opened = os.killpg, os.waitid, os.open

LACKING = {
    "darwin": {os: ["sched_getaffinity", "sched_setaffinity", "waitid"]},
    "win32": {
        os: [
            "sched_getaffinity", "sched_setaffinity", "waitid", "killpg", "setsid", "getpgid", "getloadavg", "fork",
            "O_DIRECTORY", "mkfifo",
        ],
        asyncio.unix_events._UnixSelectorEventLoop: ["add_signal_handler", "remove_signal_handler"],
        socket: ["SO_REUSEADDR", "SO_REUSEPORT"],
    },
}  # fmt: skip
MODULES = {"darwin": [], "win32": ["fcntl", "resource", "termios", "tty", "pwd", "grp", "readline", "syslog"]}


# -- files ------------------------------------------------------------------------------------------


def open_no_folder(path, flags, *more, **named):
    if os.path.isdir(path) and flags & os.O_TMPFILE != os.O_TMPFILE:  # noqa: PTH112  # pytest's, not ours
        raise PermissionError(errno.EACCES, "Permission denied", path)
    return opened(path, flags, *more, **named)


def is_open(path):
    """Return whether this process has the file open."""
    for link in Path("/proc/self/fd").iterdir():
        try:
            if link.samefile(path):
                return True
        except FileNotFoundError:
            continue
    return False


def of_closed(function):
    """Return the function, restricted to files that are not open."""

    def check(path, *more, **named):
        if os.path.isfile(path) and is_open(path):  # noqa: PTH113
            raise PermissionError(errno.EACCES, "The process cannot access the file", str(path))
        return function(path, *more, **named)

    return check


def locking(file, mode, size):
    assert (mode, size) == (msvcrt.LK_NBLCK, 1)
    assert stat.S_ISREG(os.fstat(file).st_mode)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise PermissionError(errno.EACCES, "Permission denied") from None


msvcrt = types.ModuleType("msvcrt")
msvcrt.LK_NBLCK, msvcrt.locking = 2, locking


# -- pipes ------------------------------------------------------------------------------------------


class PipeHandle:
    """An overlapped pipe, the only kind that the event loop accepts."""

    def __init__(self, file):
        self.fileno, self.close = file.fileno, file.close


class Popen(subprocess.Popen):
    """asyncio's Popen; each process begins suspended, and a shell stays until the end."""

    def __init__(self, args, *, shell=False, bufsize, creationflags, env, stdin, stdout, stderr):
        assert (bufsize, creationflags) == (0, 0x4 | 0x200)
        if not shell and shutil.which(shlex.split(args)[0]) is None:
            raise FileNotFoundError(errno.ENOENT, "[WinError 2] The system cannot find the file specified")
        script = f"kill -STOP $$\n{args}\nexit $?" if shell else f"kill -STOP $$\nexec {args}"
        pipes = {"stdin": stdin, "stdout": stdout, "stderr": stderr}
        super().__init__(["/bin/sh", "-c", script], bufsize=0, start_new_session=True, env=env, **pipes)
        for name in pipes:
            setattr(self, name, PipeHandle(getattr(self, name)))


def of_handles(connect):
    async def check(loop, protocol, pipe):
        if not isinstance(pipe, PipeHandle):
            raise OSError(22, "[WinError 87] The parameter is incorrect")
        return await connect(loop, protocol, pipe)

    return check


windows_utils = types.ModuleType("asyncio.windows_utils")
windows_utils.PipeHandle, windows_utils.Popen = PipeHandle, Popen


# -- the Win32 API ----------------------------------------------------------------------------------


class Function:
    """A function of a DLL: arguments and result pass through C, with the types that masume declares."""

    restype, argtypes = ctypes.c_int, None

    def __init__(self, function):
        self.function = function

    def __call__(self, *arguments):
        assert len(arguments) == len(self.argtypes)
        return ctypes.CFUNCTYPE(self.restype, *self.argtypes)(self.function)(*arguments)


class Kernel:
    """The functions of kernel32 that masume calls."""

    def __init__(self, name, use_last_error):
        assert (name, use_last_error) == ("kernel32", True)
        self.handles = {}
        for function in vars(Kernel):
            if function[0].isupper():
                setattr(self, function, Function(getattr(self, function)))

    def handle(self, what):
        number = 0x1000 + 4 * len(self.handles)
        self.handles[number] = what
        return number

    def CreateJobObjectW(self, attributes, name):
        assert (attributes, name) == (None, None)
        return self.handle({"pids": [], "memory": 0})

    def SetInformationJobObject(self, job, kind, address, size):
        assert (kind, size) == (9, 144)  # on 64-bit Windows
        data = ctypes.string_at(address, size)
        flags, memory = int.from_bytes(data[16:20], "little"), int.from_bytes(data[120:128], "little")
        assert flags & 0x2000
        assert bool(flags & 0x200) == bool(memory)
        self.handles[job]["memory"] = memory
        return 1

    def OpenProcess(self, access, inherits, pid):
        assert (access, inherits) == (0x101, 0)
        return self.handle({"pid": pid})

    def AssignProcessToJobObject(self, job, process):
        pid, memory = self.handles[process]["pid"], self.handles[job]["memory"]
        waitid(os.P_PID, pid, os.WSTOPPED | os.WNOWAIT)
        if memory:
            resource.prlimit(pid, resource.RLIMIT_AS, (memory, memory))
        self.handles[job]["pids"].append(pid)
        return 1

    def TerminateJobObject(self, job, code):
        for pid in self.handles[job]["pids"]:
            with contextlib.suppress(ProcessLookupError):  # no process is left
                killpg(pid, signal.SIGKILL)
        return 1

    def CreateToolhelp32Snapshot(self, flags, pid):
        assert (flags, pid) == (4, 0)
        return self.handle({"threads": [int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit()]})

    def Thread32First(self, snapshot, entry):
        assert entry.contents.dwSize == 28
        return self.Thread32Next.function(snapshot, entry)

    def Thread32Next(self, snapshot, entry):
        threads = self.handles[snapshot]["threads"]
        if not threads:
            return 0
        pid = threads.pop(0)
        entry.contents.th32OwnerProcessID, entry.contents.th32ThreadID = pid, pid + 1
        return 1

    def OpenThread(self, access, inherits, thread):
        assert (access, inherits) == (2, 0)
        return self.handle({"pid": thread - 1})

    def ResumeThread(self, thread):
        os.kill(self.handles[thread]["pid"], signal.SIGCONT)
        return 1

    def CloseHandle(self, handle):
        self.handles[handle]["closed"] = True
        return 1

    def GetStdHandle(self, number):
        assert number == 0xFFFF_FFF5
        return 0

    def GetConsoleMode(self, handle, mode):
        return 0

    def SetConsoleMode(self, handle, mode):
        raise AssertionError("no console")


# -- the change -------------------------------------------------------------------------------------


def refuse_as_windows():
    os.open = open_no_folder
    os.replace, os.unlink = of_closed(os.replace), of_closed(os.unlink)
    sys.modules["msvcrt"] = msvcrt
    sys.modules["asyncio.windows_utils"] = asyncio.windows_utils = windows_utils
    loop = asyncio.SelectorEventLoop
    loop.connect_read_pipe = of_handles(loop.connect_read_pipe)
    loop.connect_write_pipe = of_handles(loop.connect_write_pipe)
    subprocess.CREATE_NEW_PROCESS_GROUP = 0x200
    socket.SO_EXCLUSIVEADDRUSE = socket.SO_KEEPALIVE
    ctypes.WinDLL = Kernel
    ctypes.get_last_error = lambda: 5
    ctypes.WinError = lambda code: OSError(code, f"WinError {code}")


def become(system):
    import masume.core.system

    if system == "win32":
        refuse_as_windows()
    else:
        fcntl.F_FULLFSYNC = 51  # Linux refuses it, as some file systems of macOS do
    for place, names in LACKING[system].items():
        for name in names:
            delattr(place, name)
    for name in MODULES[system]:
        sys.modules[name] = None
    for name in [name for name in vars(masume.core.system) if not name.startswith("__")]:
        delattr(masume.core.system, name)
    sys.modules.pop("masume.core.system.posix")
    try:
        sys.platform = system
        importlib.reload(masume.core.system)
    finally:
        sys.platform = "linux"


if SYSTEM is not None:
    become(SYSTEM)
    os.environ["TEST_SYSTEM"] = SYSTEM
