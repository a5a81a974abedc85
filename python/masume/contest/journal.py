"""The journal of a contest: a file that only grows, one sealed line for each thing that happened.

The state of a contest is a pure function of its lines. Each line has its number and a checksum, and reaches the disk
before the next thing happens; a part of a line at the end does not count. Anything else that does not fit is an error:
nothing is guessed.
"""

from __future__ import annotations

import os
from pathlib import Path

from ..core.growing import GrowingFile
from ..errors import ReplayError
from ..records.reading import parsing, seal, unseal
from .events import Event, JournalLine

FILE = "journal.jsonl"


class EventLog:
    """The journal in a folder.

    Parameters
    ----------
    folder : path-like
        The folder of the contest.

    Attributes
    ----------
    lines : list of JournalLine
        What happened, in order; event n has the number n.

    Raises
    ------
    ReplayError
        If a line is damaged; the message gives its number.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.path = Path(folder) / FILE
        self._file = GrowingFile(self.path)
        self.lines: list[JournalLine] = []
        if not self.path.exists():
            return
        for number, text in enumerate(self._file.read_lines(), 1):
            with parsing(f"{self.path}:{number}"):
                line = JournalLine.from_json(unseal(text, {"*": object}))
                if line.n != len(self.lines):
                    raise ReplayError(f"n: expected {len(self.lines)}, got {line.n}")
            self.lines.append(line)

    def add(self, event: Event, at: float) -> JournalLine:
        """Write an event, with its number and its time in seconds; it is on the disk when this returns.

        Raises OSError, which names the file; then nothing has happened.
        """
        line = JournalLine(len(self.lines), round(at, 3), event)
        data = line.to_json()
        JournalLine.from_json(data)  # what is written can be read
        self._file.append(seal(data))
        self.lines.append(line)
        return line
