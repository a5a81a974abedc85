"""Files that are whole or not there: written beside their place, then moved into it."""

from __future__ import annotations

import contextlib
import errno
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from . import system


def write_atomic(path: str | os.PathLike[str], data: bytes) -> None:
    """Write a file so that whoever looks, even after a power cut, finds the old one or the new one, never a part.

    The temporary file is `.NAME.*.tmp` in the same folder; it stays only if the process is killed. OSError names
    `path`.
    """
    path = Path(path)
    with _temporary(path) as file:
        file.write(data)
        file.flush()
        system.sync_file(file.fileno())
        file.close()  # an open file cannot be moved everywhere
        Path(file.name).replace(path)
        system.sync_folder(path.parent)  # the new name itself


def append(path: str | os.PathLike[str], data: bytes) -> None:
    """Add to the end of a file, and to the disk; a power cut or a full disk may leave a part. OSError names `path`."""
    try:
        with Path(path).open("ab") as file:
            file.write(data)
            file.flush()
            system.sync_file(file.fileno())
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error


def make_folder(path: str | os.PathLike[str], mode: int = 0o777) -> Path:
    """The folder, made (with this mode) with those above it where it is not there; OSError names `path`."""
    path = Path(path)
    try:
        path.mkdir(mode, parents=True, exist_ok=True)
    except FileExistsError:
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(path)) from None
    return path


def check_writable(path: str | os.PathLike[str]) -> None:
    """OSError if `write_atomic` could not write there: for before the work whose result is to be written."""
    with _temporary(Path(path)):
        pass


@contextlib.contextmanager
def _temporary(path: Path) -> Iterator[BinaryIO]:
    """A new file beside `path`, gone at the end if it was not moved; what goes wrong names `path`."""
    temporary = path.parent / f".{path.name}.{os.getpid()}-{threading.get_ident()}.tmp"
    try:
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        try:
            with temporary.open("wb") as file:
                yield file
        finally:
            temporary.unlink(missing_ok=True)  # after it is closed: an open file cannot be removed everywhere
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error
