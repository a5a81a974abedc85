"""Files that only grow, line by line: what was appended stays, whatever happens while more is written.

A kill, a power cut or a full disk may leave a part of a line at the end. It does not count: readers leave it out, and
every append removes it before it writes.
"""

from __future__ import annotations

import contextlib
import errno
import os
import threading
from io import FileIO
from pathlib import Path

from . import system
from .files import naming, read_regular, write_atomic


def split_lines(data: bytes) -> list[bytes]:
    """Return the lines that count in the bytes of such a file, without their ends."""
    return data.split(b"\n")[:-1]


class GrowingFile:
    """A file of lines, to which one process appends.

    Errors are OSErrors that name `path`; after one the file has the lines that it had before.

    Parameters
    ----------
    path : path-like
        The file; the first append creates it if there is none.
    mode : int, optional
        Its permissions when it is created, before the umask.
    is_synced : bool, optional
        Whether an append is on the disk when it returns. If not, a kill loses nothing of it, and a power cut nothing
        that `sync` has written since.
    """

    def __init__(self, path: str | os.PathLike[str], mode: int = 0o666, *, is_synced: bool = True) -> None:
        self.path, self._mode, self._is_synced = Path(path), mode, is_synced
        self._size: int | None = None  # bytes of the lines that count; None: not known yet
        self._unsynced = b""  # the end of them, which a power cut might take
        self._is_new = False  # whether a power cut might take the file's name
        self._is_doubtful = False  # whether bringing the end to the disk has failed
        self._lock = threading.Lock()

    def read_lines(self) -> list[bytes]:
        """Return the lines that count, without their ends."""
        return split_lines(read_regular(self.path))

    def replace(self, lines: bytes) -> None:
        """Replace the whole file by these lines, or leave it as it was."""
        with self._lock:
            self._replace(lines)

    def append(self, lines: bytes) -> None:
        """Append complete lines, all or none."""
        with self._lock:
            if self._size is None and not self.path.exists():
                self._replace(lines)
                return
            with naming(self.path), self.path.open("r+b", buffering=0) as file:
                size = self._mend(file)
                try:
                    _write(file, size, lines)
                    if self._is_synced:
                        system.sync_file(file.fileno())
                except OSError:
                    with contextlib.suppress(OSError):  # else the next append removes the part
                        file.truncate(size)
                    raise
            self._size = size + len(lines)
            if not self._is_synced:
                self._unsynced += lines

    def mend(self) -> None:
        """Remove a part of a line at the end, as every append does."""
        with self._lock, naming(self.path), self.path.open("r+b", buffering=0) as file:
            self._mend(file)

    def sync(self) -> None:
        """Bring to the disk what was appended; another thread may append meanwhile."""
        with self._lock:
            lines, is_new = self._unsynced, self._is_new
            start = (self._size or 0) - len(lines)
        if not lines:
            return
        with naming(self.path), self.path.open("r+b", buffering=0) as file:
            if self._is_doubtful:  # a system that could not write them may have forgotten them
                _write(file, start, lines)
            self._is_doubtful = True
            system.sync_file(file.fileno())
            if is_new:
                system.sync_folder(self.path.parent)
        with self._lock:
            self._is_doubtful = self._is_new = False
            self._unsynced = self._unsynced[len(lines) :]

    def _replace(self, lines: bytes) -> None:
        write_atomic(self.path, lines, self._mode, is_synced=self._is_synced)
        self._size = len(lines)
        if not self._is_synced:
            self._unsynced, self._is_new = lines, True

    def _mend(self, file: FileIO) -> int:
        """Remove what does not count; return the size of the rest."""
        end = file.seek(0, os.SEEK_END)
        if self._size is None:
            file.seek(0)
            self._size = file.read().rfind(b"\n") + 1
        if end < self._size:
            raise OSError(errno.EIO, "The file has become shorter")
        if end > self._size:
            file.truncate(self._size)
        return self._size


def _write(file: FileIO, start: int, data: bytes) -> None:
    """Write all of the data, of which a system may take a part at a time."""
    file.seek(start)
    view = memoryview(data)
    while view:
        view = view[file.write(view) :]
