"""What may happen to a process that writes: kill -9 between any two of its lines, and a disk without room."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from masume.core import files, growing

WRITERS = {files.__file__, growing.__file__}


def killed_everywhere(act, writers=WRITERS):
    """Yield (n, said) for n = 0, 1, ...: `act(say)` has run in a process that was killed before its nth line in a file
    of `writers`, until one runs to its end. said : how often it called `say`, before the kill.
    """
    n, code = 0, signal.SIGKILL
    while code:
        heard, told = os.pipe()
        child = os.fork()
        if not child:
            _run(act, n, told, writers)
        os.close(told)
        with os.fdopen(heard, "rb") as file:
            said = len(file.read())
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        assert code in (0, -signal.SIGKILL)
        yield n, said
        n += 1


def _run(act, n, told, writers):
    left = n

    def trace(frame, event, _argument):
        nonlocal left
        if frame.f_code.co_filename not in writers:
            return None
        if event == "line":
            left -= 1
            if left < 0:
                os.kill(os.getpid(), signal.SIGKILL)
        return trace

    try:
        sys.settrace(trace)
        act(lambda: os.write(told, b"."))
        sys.settrace(None)
        os._exit(0)
    except BaseException:
        sys.settrace(None)
        sys.excepthook(*sys.exc_info())
        os._exit(1)


@contextlib.contextmanager
def largest_file(size):
    """Let this process write no file beyond so many bytes within the block: a disk that is full there."""
    import resource

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


class FullDisk:
    """A folder on a small disk, which `fill` fills to the last byte and `free` empties again.

    It is a disk of its own where that can be mounted, as by root; elsewhere, and without a size, a process that is
    named to `fill` may write no file any more.
    """

    def __init__(self, folder, size="1m"):
        self.folder = Path(folder)
        self._process = None
        mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "none", str(self.folder)]
        self.is_mounted = size is not None and subprocess.run(mount, capture_output=True).returncode == 0

    def fill(self, process):
        """Take all room that is left."""
        if not self.is_mounted:
            self._process = process
            self._limit(0)
            return
        with (self.folder / ".filler").open("ab", buffering=0) as file, contextlib.suppress(OSError):
            while True:
                file.write(bytes(1 << 12))

    def free(self):
        """Make room again."""
        (self.folder / ".filler").unlink(missing_ok=True)
        if self._process is not None:
            self._limit(-1)

    def _limit(self, size):
        import resource

        _soft, hard = resource.prlimit(self._process, resource.RLIMIT_FSIZE)
        resource.prlimit(self._process, resource.RLIMIT_FSIZE, (size, hard))  # -1: no limit

    def close(self):
        """Take the disk away."""
        self.free()
        if self.is_mounted:
            subprocess.run(["umount", "-l", str(self.folder)], check=True)
        shutil.rmtree(self.folder, ignore_errors=True)


@contextlib.contextmanager
def full_disk(size="1m"):
    """Yield a FullDisk."""
    disk = FullDisk(tempfile.mkdtemp(prefix="masume-disk-"), size)
    try:
        yield disk
    finally:
        disk.close()
