"""Transcripts: a file for each program or client, with what it was sent, what it said, and its stderr.

The variable MASUME_LOG names their folder (`core.environment`). A line is the second since the start, a mark and the
text: `>` sent to the program, `<` said by it, `!` its stderr, `#` masume's own words. A file holds at most MAX_BYTES:
of a longer one the middle is left out, and a line says how much.
"""

from __future__ import annotations

import os
import re
import time
import warnings
from collections import deque
from pathlib import Path

from ..core import environment

MAX_BYTES = 1 << 20
MAX_PIECE = 1 << 16  # bytes of a line; a longer one is cut into pieces
SENT, SAID, STDERR, OURS = b">", b"<", b"!", b"#"


class Transcript:
    """The file of one program; what does not fit between its first and its last half is dropped.

    The last half is written by `close`: if masume is killed, only the first one is there.
    """

    def __init__(self, path: Path, title: str) -> None:
        self._path = path
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
        self._started = time.monotonic()
        self._left = self._room = MAX_BYTES // 2
        self._last: deque[bytes] = deque()
        self._dropped = 0
        self._open: dict[bytes, bytes] = {}  # the beginnings of lines that have no end yet
        self._is_closed = False
        self.add(OURS, f"{title}\n".encode(errors="replace"))

    @classmethod
    def of_environment(cls, title: str) -> Transcript | None:
        """Return a new transcript in the folder of MASUME_LOG; None if the variable is not set.

        The file is the first free one of 0001-TITLE.log, 0002-TITLE.log, ... Raises OSError if it cannot be written.
        """
        folder = environment.log_folder()
        if folder is None:
            return None
        name = re.sub(r"[^A-Za-z0-9._-]+", "-", title).strip("-")[-40:]
        number = sum(1 for _ in folder.iterdir()) + 1
        while True:
            if not any(folder.glob(f"{number:04d}-*")):
                try:
                    return cls(folder / f"{number:04d}-{name}.log", title)
                except FileExistsError:  # another process was faster
                    pass
            number += 1

    def add(self, mark: bytes, data: bytes) -> None:
        """Write the complete lines of these bytes; the rest waits for its end."""
        if self._is_closed:
            return
        *lines, rest = (self._open.pop(mark, b"") + data).split(b"\n")
        while len(rest) > MAX_PIECE:
            lines.append(rest[:MAX_PIECE])
            rest = rest[MAX_PIECE:]
        if rest:
            self._open[mark] = rest
        now = time.monotonic() - self._started
        for line in lines:
            self._write(b"%9.3f %s %s\n" % (now, mark, line))

    def say(self, text: str) -> None:
        """Write a line of masume's own."""
        self.add(OURS, f"{text}\n".encode(errors="replace"))

    def _write(self, line: bytes) -> None:
        if self._left >= len(line):
            self._left -= len(line)
            self._put(line)
            return
        self._left = 0  # a shorter line must not overtake this one
        self._last.append(line)
        self._room -= len(line)
        while self._room < 0:
            gone = self._last.popleft()
            self._room += len(gone)
            self._dropped += len(gone)

    def _put(self, data: bytes) -> None:
        try:
            os.write(self._file, data)
        except OSError as error:  # a full disk must not end a match
            warnings.warn(f"{self._path}: {error.strerror}: this log ends here", RuntimeWarning, stacklevel=2)
            self._is_closed = True
            os.close(self._file)

    def close(self) -> None:
        """Write the last half; further calls do nothing."""
        for mark in list(self._open):
            self.add(mark, b"\n")
        if self._is_closed:
            return
        if self._dropped:
            self._put(b"          # %d bytes are left out here: a log holds at most %d\n" % (self._dropped, MAX_BYTES))
        if self._last and not self._is_closed:
            self._put(b"".join(self._last))
        if not self._is_closed:
            self._is_closed = True
            os.close(self._file)
