"""Windows: pipes that its event loop accepts, and job objects, which end a program with everything it started."""

from __future__ import annotations

import sys

assert sys.platform == "win32"

import contextlib
import ctypes
import msvcrt
import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from ...errors import ConfigError
from .bounds import OPTIONS, Bounds

if TYPE_CHECKING:  # slow imports are made where they are used: `import masume` does not need them
    import asyncio
    import socket
    from asyncio import windows_utils
    from concurrent.futures import Future

T = TypeVar("T")

MAX_WORKERS = 61
"""Maximum number of processes in a pool: Windows waits for 64 handles at once, and Python needs three."""
KEPT = (
    "PATH", "PATHEXT", "COMSPEC", "SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "TEMP", "TMP", "OS", "USERNAME", "USERPROFILE",
    "HOMEDRIVE", "HOMEPATH", "APPDATA", "LOCALAPPDATA", "ALLUSERSPROFILE", "PROGRAMDATA", "PROGRAMFILES*",
    "PROGRAMW6432", "COMMONPROGRAM*", "NUMBER_OF_PROCESSORS", "PROCESSOR_*", "TZ", "LANG", "LC_*",
)  # fmt: skip
"""Variables that every program receives; `*` matches any rest of a name."""
COMPOUND = "&|<>()^%\n"  # characters that show that a command is more than a program and its arguments
WAIT_S = 0.2  # between two checks for Ctrl-C, which does not interrupt a wait for a lock

CREATE_SUSPENDED = 0x4
PROCESS_TERMINATE, PROCESS_SET_QUOTA, THREAD_SUSPEND_RESUME = 0x1, 0x100, 0x2
TH32CS_SNAPTHREAD = 0x4
JOB_OBJECT_EXTENDED_LIMIT_INFORMATION = 9
JOB_OBJECT_LIMIT_JOB_MEMORY, JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE = 0x200, 0x2000
STD_OUTPUT_HANDLE, ENABLE_VIRTUAL_TERMINAL_PROCESSING = -11, 0x4
INVALID_HANDLE = ctypes.c_void_p(-1).value
HANDLE, BOOL, DWORD = ctypes.c_void_p, ctypes.c_int, ctypes.c_uint32
FAILED = 0xFFFF_FFFF  # DWORD(-1), returned by ResumeThread


def count_cpus() -> int:
    """Return the number of processors."""
    return os.cpu_count() or 1


def allow_files(wanted: int) -> int:
    """Return `wanted`: the connections of a process are not limited."""
    return wanted


def list_addresses() -> list[str]:
    """Return the IPv4 addresses of the machine's interfaces, in no certain order."""
    import socket

    try:
        return socket.gethostbyname_ex(socket.gethostname())[2]
    except OSError:  # nobody knows the machine's name
        return []


def load_average() -> float | None:
    """Return None: Windows does not count runnable processes."""
    return None


def sync_file(file: int) -> None:
    """Flush a file to the disk."""
    os.fsync(file)


def sync_folder(path: Path) -> None:
    """Do nothing: a folder cannot be opened, and NTFS keeps a journal of its names."""


def lock_folder(path: Path) -> int:
    """Lock a folder by its file `.lock` until the descriptor is closed; BlockingIOError if another process has it."""
    file = os.open(path / ".lock", os.O_RDWR | os.O_CREAT)
    try:
        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
    except PermissionError as error:
        os.close(file)
        raise BlockingIOError(error.errno, error.strerror) from None
    return file


def claim_port(found: socket.socket) -> None:
    """Use a port exclusively: with SO_REUSEADDR another program could also listen on it."""
    import socket

    found.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)


def wait_for_one(futures: Iterable[Future[T]]) -> tuple[set[Future[T]], set[Future[T]]]:
    """Return (done, not done) as soon as at least one is done; Ctrl-C ends the waiting."""
    from concurrent.futures import FIRST_COMPLETED, wait

    futures = list(futures)
    while True:
        found = wait(futures, WAIT_S, FIRST_COMPLETED)
        if found.done:
            return found


def on_terminate(
    _loop: asyncio.AbstractEventLoop, _call: Callable[[], object]
) -> contextlib.AbstractContextManager[None]:
    """Do nothing: a process is not notified before it is ended; the jobs of its programs end with it."""
    return contextlib.nullcontext()


def private_memory() -> contextlib.AbstractContextManager[None]:
    """Do nothing: Windows has no such setting of a process."""
    return contextlib.nullcontext()


def start(command: str, environment: Mapping[str, str]) -> windows_utils.Popen[bytes]:
    """Start a command, suspended; without a shell if possible, since a shell would stay and keep the pipes open."""
    import subprocess
    from asyncio import windows_utils

    options: dict[str, Any] = {
        "env": dict(environment), "bufsize": 0, "creationflags": CREATE_SUSPENDED | subprocess.CREATE_NEW_PROCESS_GROUP,
        "stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE,
    }  # fmt: skip
    if not set(COMPOUND) & set(command):
        with contextlib.suppress(OSError):  # not a program, but a script or a shell command
            return windows_utils.Popen(command, **options)
    return windows_utils.Popen(command, shell=True, **options)


def check_bounds(bounds: Bounds) -> None:
    """Raise ConfigError, which names the option, if these limits cannot be kept here."""
    for option, limit in zip(OPTIONS[1:], bounds[1:], strict=True):
        if limit not in (None, True):
            raise ConfigError(f"{option}: only Linux can limit this for a program and all that it starts")


class Program:
    """Shell command that runs in a new job, with a limit of memory for the whole job.

    environment : its variables. pid : of its first process.
    stdin, stdout, stderr : our ends of its pipes, in the form that asyncio's loops accept.
    """

    is_started = True
    beyond: str | None = None

    def __init__(self, command: str, bounds: Bounds, environment: Mapping[str, str]) -> None:
        check_bounds(bounds)
        self._job = JobObject(bounds.memory_mb)
        try:
            self._popen = start(command, environment)
        except BaseException:
            self._job.close()
            raise
        self.pid = self._popen.pid
        stdin, stdout, stderr = self._popen.stdin, self._popen.stdout, self._popen.stderr
        assert stdin is not None
        assert stdout is not None
        assert stderr is not None
        self.stdin, self.stdout, self.stderr = stdin, stdout, stderr
        try:
            self._job.add(self.pid)  # before it runs, so that what it starts is in the job too
            resume(self.pid)
        except BaseException:
            self._popen.kill()
            self._popen.wait()
            self._job.close()
            for pipe in (self.stdin, self.stdout, self.stderr):
                pipe.close()
            raise

    def ending(self) -> str | None:
        """Return how the program ended; None while it runs."""
        code = self._popen.poll()
        if code is None:
            return None
        return f"exit code {code}" if code < 0x8000_0000 else f"exit code 0x{code:08X}"  # an NTSTATUS code

    def kill(self) -> None:
        """Kill all processes of the job."""
        self._job.terminate()

    def reap(self) -> None:
        """Release a process that has ended."""
        try:
            self._popen.wait(0)
        finally:
            self._job.close()


# -- the Win32 API ----------------------------------------------------------------------------------


class BasicLimits(ctypes.Structure):
    """JOBOBJECT_BASIC_LIMIT_INFORMATION."""

    _fields_ = (
        ("PerProcessUserTimeLimit", ctypes.c_longlong),
        ("PerJobUserTimeLimit", ctypes.c_longlong),
        ("LimitFlags", DWORD),
        ("MinimumWorkingSetSize", ctypes.c_size_t),
        ("MaximumWorkingSetSize", ctypes.c_size_t),
        ("ActiveProcessLimit", DWORD),
        ("Affinity", ctypes.c_size_t),
        ("PriorityClass", DWORD),
        ("SchedulingClass", DWORD),
    )


class ExtendedLimits(ctypes.Structure):
    """JOBOBJECT_EXTENDED_LIMIT_INFORMATION."""

    _fields_ = (
        ("BasicLimitInformation", BasicLimits),
        ("IoInfo", ctypes.c_ulonglong * 6),  # IO_COUNTERS
        ("ProcessMemoryLimit", ctypes.c_size_t),
        ("JobMemoryLimit", ctypes.c_size_t),
        ("PeakProcessMemoryUsed", ctypes.c_size_t),
        ("PeakJobMemoryUsed", ctypes.c_size_t),
    )


class ThreadEntry(ctypes.Structure):
    """THREADENTRY32."""

    _fields_ = (
        ("dwSize", DWORD),
        ("cntUsage", DWORD),
        ("th32ThreadID", DWORD),
        ("th32OwnerProcessID", DWORD),
        ("tpBasePri", ctypes.c_int32),
        ("tpDeltaPri", ctypes.c_int32),
        ("dwFlags", DWORD),
    )


KERNEL = ctypes.WinDLL("kernel32", use_last_error=True)
SIGNATURES = {
    "AssignProcessToJobObject": (BOOL, HANDLE, HANDLE),
    "CloseHandle": (BOOL, HANDLE),
    "CreateJobObjectW": (HANDLE, ctypes.c_void_p, ctypes.c_wchar_p),
    "CreateToolhelp32Snapshot": (HANDLE, DWORD, DWORD),
    "GetConsoleMode": (BOOL, HANDLE, ctypes.POINTER(DWORD)),
    "GetStdHandle": (HANDLE, DWORD),
    "OpenProcess": (HANDLE, DWORD, BOOL, DWORD),
    "OpenThread": (HANDLE, DWORD, BOOL, DWORD),
    "ResumeThread": (DWORD, HANDLE),
    "SetConsoleMode": (BOOL, HANDLE, DWORD),
    "SetInformationJobObject": (BOOL, HANDLE, ctypes.c_int, ctypes.c_void_p, DWORD),
    "TerminateJobObject": (BOOL, HANDLE, ctypes.c_uint),
    "Thread32First": (BOOL, HANDLE, ctypes.POINTER(ThreadEntry)),
    "Thread32Next": (BOOL, HANDLE, ctypes.POINTER(ThreadEntry)),
}
for _name, (_result, *_arguments) in SIGNATURES.items():
    _function = getattr(KERNEL, _name)
    _function.restype, _function.argtypes = _result, _arguments


def check(value: int | None) -> int:
    """Return the value that a system function returned; raise OSError if it signals a failure."""
    if not value or value == INVALID_HANDLE:
        raise ctypes.WinError(ctypes.get_last_error())
    return value


class JobObject:
    """Job object: a group of processes, and all that they start, which end together, at the latest with masume.

    memory_mb : limit of the committed memory of all of them together.
    """

    def __init__(self, memory_mb: int | None) -> None:
        self._handle: int | None = check(KERNEL.CreateJobObjectW(None, None))
        limits = ExtendedLimits()
        limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
        if memory_mb is not None:
            limits.BasicLimitInformation.LimitFlags |= JOB_OBJECT_LIMIT_JOB_MEMORY
            limits.JobMemoryLimit = memory_mb << 20
        try:
            check(
                KERNEL.SetInformationJobObject(
                    self._handle, JOB_OBJECT_EXTENDED_LIMIT_INFORMATION, ctypes.byref(limits), ctypes.sizeof(limits)
                )
            )
        except OSError:
            self.close()
            raise

    def add(self, pid: int) -> None:
        """Put a process into the job."""
        process = check(KERNEL.OpenProcess(PROCESS_SET_QUOTA | PROCESS_TERMINATE, False, pid))
        try:
            check(KERNEL.AssignProcessToJobObject(self._handle, process))
        finally:
            KERNEL.CloseHandle(process)

    def terminate(self) -> None:
        """End its processes; they cannot prevent it."""
        check(KERNEL.TerminateJobObject(self._handle, 1))

    def close(self) -> None:
        """Release the job, which ends everything that still runs in it."""
        if self._handle is not None:
            KERNEL.CloseHandle(self._handle)
            self._handle = None


def resume(pid: int) -> None:
    """Resume a process that was started suspended: it has one thread, whose handle `subprocess` has closed."""
    snapshot = check(KERNEL.CreateToolhelp32Snapshot(TH32CS_SNAPTHREAD, 0))
    try:
        entry = ThreadEntry(dwSize=ctypes.sizeof(ThreadEntry))
        check(KERNEL.Thread32First(snapshot, ctypes.byref(entry)))
        while entry.th32OwnerProcessID != pid:
            check(KERNEL.Thread32Next(snapshot, ctypes.byref(entry)))
    finally:
        KERNEL.CloseHandle(snapshot)
    thread = check(KERNEL.OpenThread(THREAD_SUSPEND_RESUME, False, entry.th32ThreadID))
    try:
        if KERNEL.ResumeThread(thread) == FAILED:
            raise ctypes.WinError(ctypes.get_last_error())
    finally:
        KERNEL.CloseHandle(thread)


def prepare_terminal() -> None:
    """Make the console understand escape sequences, which is not the default everywhere."""
    output = KERNEL.GetStdHandle(STD_OUTPUT_HANDLE)
    mode = DWORD()
    if KERNEL.GetConsoleMode(output, ctypes.byref(mode)):  # otherwise it is a file or a pipe
        KERNEL.SetConsoleMode(output, mode.value | ENABLE_VIRTUAL_TERMINAL_PROCESSING)
