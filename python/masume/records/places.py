"""Places of a run's files: a folder of this machine, or a URL of any filesystem that pyarrow knows (extra `data`).

A URL such as `s3://BUCKET/PATH?region=..` or `gs://BUCKET/PATH` is opened by `pyarrow.fs.FileSystem.from_uri`, again
in each process that uses it. What is shown of it, in errors too, has neither its keys nor its options.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from ..core.extras import extra
from ..core.files import read_regular
from ..errors import ConfigError

URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
TEMPORARY = re.compile(r"\..+\.[0-9a-f]{32}\.tmp")
OBJECT_STORES = ("s3", "gcs", "abfs")  # an object is there when all of it has been written; there are no folders


def place_of(path: str | os.PathLike[str] | Place) -> Place:
    """Return the place that a path or a URL names; raise ConfigError or ExtraError for a URL that cannot be opened."""
    if isinstance(path, Folder | Remote):
        return path
    return Remote(str(path)) if is_url(path) else Folder(Path(path))


def is_url(path: object) -> bool:
    """Return whether a path is a URL, as text."""
    return isinstance(path, str) and URL.match(path) is not None


class Folder:
    """A folder of this machine. path : of the folder."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __str__(self) -> str:
        return str(self.path)

    def at(self, name: str) -> str:
        """Return the path of a file, for messages."""
        return str(self.path / name)

    def read(self, name: str) -> bytes:
        """Return the bytes of a file; raise OSError, which names it."""
        return read_regular(self.path / name)

    def names(self, folder: str) -> list[str]:
        """Return the names in a folder of this one, ascending, without hidden ones; none if it is missing."""
        try:
            found = [path.name for path in (self.path / folder).iterdir()]
        except (FileNotFoundError, NotADirectoryError):
            return []
        return sorted(name for name in found if not name.startswith("."))


class Remote:
    """A URL. path : its text without keys and options."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self.path = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path.rstrip('/')}"
        self._url = url
        fs, arrow = extra("pyarrow.fs", "data"), extra("pyarrow", "data")
        try:
            with self._named(""):
                self._fs, base = fs.FileSystem.from_uri(url)
        except arrow.ArrowException as error:
            what = str(error).partition("\n")[0].replace(url, self.path)
            raise ConfigError(f"{self.path}: expected a URL that pyarrow opens: {what}") from None
        self._base: str = base.rstrip("/")
        if not self._base and self._fs.type_name in OBJECT_STORES:
            raise ConfigError(f"{self.path}: expected a bucket, as in {parts.scheme}://BUCKET/PATH")

    def __reduce__(self) -> tuple[type[Remote], tuple[str]]:
        return Remote, (self._url,)

    def __str__(self) -> str:
        return self.path

    def at(self, name: str) -> str:
        """Return the URL of a file, for messages."""
        return f"{self.path}/{name}" if name else self.path

    def read(self, name: str = "") -> bytes:
        """Return the bytes of a file, of the URL itself without a name; raise OSError, which names it."""
        with self._named(name), self._fs.open_input_file(self._key(name)) as file:
            data: bytes = file.read()
        return data

    def names(self, folder: str = "") -> list[str]:
        """Return the names of the files in a folder, ascending, without hidden ones; none if it is missing."""
        return [name for name in self._list(folder, with_folders=False) if not name.startswith(".")]

    def is_empty(self) -> bool:
        """Return whether nothing is there, hidden files apart."""
        return all(name.startswith(".") for name in self._list("", with_folders=True))

    def is_file(self) -> bool:
        """Return whether the URL is that of a file."""
        with self._named(""):
            return bool(self._fs.get_file_info(self._base).is_file)

    def write(self, name: str, data: bytes) -> None:
        """Write a file so that readers find the old one or the new one, never a part; raise OSError, which names it."""
        key = self._key(name)
        with self._named(name):
            if self._fs.type_name in OBJECT_STORES:
                self._put(key, data)
                return
            folder, _, leaf = key.rpartition("/")
            temporary = f"{folder}/.{leaf}.{uuid.uuid4().hex}.tmp"
            self._fs.create_dir(folder, recursive=True)
            try:
                self._put(temporary, data)
                self._fs.move(temporary, key)
            except OSError:
                with contextlib.suppress(OSError):  # the first error is the one to tell
                    self._fs.delete_file(temporary)
                raise

    def remove_temporary(self, *folders: str) -> None:
        """Remove what killed processes have left of files in these folders."""
        if self._fs.type_name in OBJECT_STORES:
            return
        for folder in folders:
            for name in self._list(folder, with_folders=False):
                if TEMPORARY.fullmatch(name):
                    with self._named(name):
                        self._fs.delete_file(self._key(f"{folder}/{name}" if folder else name))

    def _list(self, folder: str, *, with_folders: bool) -> list[str]:
        fs = extra("pyarrow.fs", "data")
        with self._named(folder):
            found = self._fs.get_file_info(fs.FileSelector(self._key(folder), allow_not_found=True))
        return sorted(one.base_name for one in found if with_folders or one.is_file)

    def _put(self, key: str, data: bytes) -> None:
        with self._fs.open_output_stream(key, compression=None) as file:
            file.write(data)

    def _key(self, name: str) -> str:
        return f"{self._base}/{name}" if name else self._base

    @contextlib.contextmanager
    def _named(self, name: str) -> Iterator[None]:
        """Make an OSError of the block name the file."""
        try:
            yield
        except OSError as error:
            what: Any = error.strerror or str(error).partition("\n")[0]
            raise OSError(error.errno or errno.EIO, what, self.at(name)) from None


Place = Folder | Remote
