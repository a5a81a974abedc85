"""Files that are whole or not there: written beside their place, then moved into it."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import stat
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from ..errors import ConfigError
from . import system

TEMPORARY = re.compile(r"\.(.+)\.\d+-\d+\.tmp")
"""The name of a temporary file of `write_atomic`, and in it that of the file it was to become."""


def write_atomic(path: str | os.PathLike[str], data: bytes) -> None:
    """Write a file so that whoever looks, even after a power cut, finds the old one or the new one, never a part.

    A link is followed: the file that it leads to is replaced, and the link stays. The temporary file is
    `.NAME.PID-THREAD.tmp` beside the file; it stays only if the process is killed. OSError, which names `path`, for
    a folder, a device or anything else that is not a regular file too.
    """
    path = Path(path)
    with _temporary(path) as (file, target):
        file.write(data)
        file.flush()
        system.sync_file(file.fileno())
        file.close()  # an open file cannot be moved everywhere
        Path(file.name).replace(target)
        system.sync_folder(target.parent)  # the new name itself


def append(path: str | os.PathLike[str], data: bytes) -> None:
    """Add to the end of a file, and to the disk; a power cut or a full disk may leave a part. OSError names `path`."""
    with _named(Path(path)), Path(path).open("ab") as file:
        file.write(data)
        file.flush()
        system.sync_file(file.fileno())


def make_folder(path: str | os.PathLike[str], mode: int = 0o777) -> Path:
    """The folder, made (with this mode) with those above it where it is not there; OSError names `path`."""
    path = Path(path)
    try:
        path.mkdir(mode, parents=True, exist_ok=True)
    except FileExistsError:
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(path)) from None
    return path


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Lock the folder of a run, which is made if need be, while the block runs; ConfigError if another run has it.

    The system lets go of the lock of a process that is killed.
    """
    make_folder(folder)
    try:
        lock = system.lock_folder(folder)
    except BlockingIOError:
        raise ConfigError(f"out: {folder} is in use by another run") from None
    try:
        yield
    finally:
        os.close(lock)


def remove_temporary(folder: Path, is_ours: Callable[[str], object]) -> None:
    """Remove what `write_atomic` left in a folder when its process was killed, of files whose name `is_ours`."""
    if not folder.is_dir():
        return
    for path in list(folder.iterdir()):
        found = TEMPORARY.fullmatch(path.name)
        if found and is_ours(found[1]) and path.is_file() and not path.is_symlink():
            path.unlink()


def read_regular(path: Path) -> bytes:
    """Return the bytes of a file of a run; OSError if it is no regular file: a pipe in its place would never end."""
    with _named(path):
        _check_regular(path)
        return path.read_bytes()


def check_writable(path: str | os.PathLike[str]) -> None:
    """OSError if `write_atomic` could not write there: for before the work whose result is to be written."""
    with _temporary(Path(path)):
        pass


@contextlib.contextmanager
def _temporary(path: Path) -> Iterator[tuple[BinaryIO, Path]]:
    """Open a new file beside the file that `path` leads to, and yield both; remove it at the end if it is still there.

    What goes wrong names `path`.
    """
    with _named(path):
        with contextlib.suppress(FileNotFoundError):  # then it is made
            _check_regular(path)
        target = Path(os.path.realpath(path))
        temporary = target.parent / f".{target.name}.{os.getpid()}-{threading.get_ident()}.tmp"
        try:
            temporary.unlink(missing_ok=True)  # of a process with this number that was killed
            with temporary.open("xb") as file:
                yield file, target
        finally:
            temporary.unlink(missing_ok=True)  # after it is closed: an open file cannot be removed everywhere


def _check_regular(path: Path) -> None:
    mode = path.stat().st_mode
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "Not a regular file")


@contextlib.contextmanager
def _named(path: Path) -> Iterator[None]:
    """Make an OSError of the block name `path`."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error
