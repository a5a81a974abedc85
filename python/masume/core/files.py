"""Atomic files: written under a temporary name in the same folder, then renamed."""

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

URL = re.compile("[A-Za-z][A-Za-z0-9+.-]+:/")
TEMPORARY = re.compile(r"\.(.+)\.\d+-\d+\.tmp")
"""Pattern of the name of a temporary file of `write_atomic`; it contains the name of the final file."""


def write_atomic(path: str | os.PathLike[str], data: bytes, mode: int = 0o666, *, is_synced: bool = True) -> None:
    """Write a file so that readers find the old file or the new one, never a part, even after a power cut.

    A link is followed: its target is replaced, and the link stays. The temporary file is `.NAME.PID-THREAD.tmp` in the
    same folder; it remains only if the process is killed. Raise OSError, which names `path`, also for a folder, a
    device or anything else that is not a regular file. `mode` are its permissions, before the umask. Without
    `is_synced` a power cut soon after may leave an empty file.
    """
    path = Path(path)
    with _temporary(path, mode) as (file, target):
        file.write(data)
        file.flush()
        if is_synced:
            system.sync_file(file.fileno())
        file.close()  # some systems cannot move an open file
        Path(file.name).replace(target)
        if is_synced:
            system.sync_folder(target.parent)  # writes the new name to the disk


def make_folder(path: str | os.PathLike[str], mode: int = 0o777) -> Path:
    """Return the folder, created (with this mode) together with missing parents; OSError names `path`.

    Raise ConfigError for a URL, which would become a folder named after its scheme.
    """
    path = Path(path)
    if URL.match(str(path)):
        raise ConfigError(f"out: expected a folder of this machine, got {os.fspath(path)}")
    try:
        path.mkdir(mode, parents=True, exist_ok=True)
    except FileExistsError:
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(path)) from None
    return path


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Lock the folder of a run during the block, creating it if needed; ConfigError if another run holds the lock.

    The system releases the lock of a process that is killed.
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
    """Remove temporary files of `write_atomic` that a killed process left, if `is_ours` accepts the final name."""
    if not folder.is_dir():
        return
    for path in list(folder.iterdir()):
        found = TEMPORARY.fullmatch(path.name)
        if found and is_ours(found[1]) and path.is_file() and not path.is_symlink():
            path.unlink()


def read_regular(path: Path) -> bytes:
    """Return the bytes of a file of a run; OSError if it is not a regular file: reading a pipe might never end."""
    with naming(path):
        _check_regular(path)
        return path.read_bytes()


def check_writable(path: str | os.PathLike[str]) -> None:
    """Raise OSError if `write_atomic` could not write there; call it before the work whose result is written."""
    with _temporary(Path(path)):
        pass


@contextlib.contextmanager
def _temporary(path: Path, mode: int = 0o666) -> Iterator[tuple[BinaryIO, Path]]:
    """Open a new file next to the target of `path`, and yield both; remove it at the end if it still exists.

    Errors name `path`.
    """
    with naming(path):
        with contextlib.suppress(FileNotFoundError):  # then it is created
            _check_regular(path)
        target = Path(os.path.realpath(path))
        temporary = target.parent / f".{target.name}.{os.getpid()}-{threading.get_ident()}.tmp"
        try:
            temporary.unlink(missing_ok=True)  # left by a killed process with the same number
            with open(temporary, "xb", opener=lambda name, flags: os.open(name, flags, mode)) as file:
                yield file, target
        finally:
            temporary.unlink(missing_ok=True)  # after closing: some systems cannot remove an open file


def _check_regular(path: Path) -> None:
    mode = path.stat().st_mode
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "Not a regular file")


@contextlib.contextmanager
def naming(path: Path) -> Iterator[None]:
    """Make an OSError of the block name `path`."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error
