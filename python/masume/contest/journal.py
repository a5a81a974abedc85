"""The journal of a contest: a file that only grows, one sealed line for each thing that happened.

The state of a contest is a pure function of its lines. Each line has its number and a checksum, and reaches the disk
before the next thing happens; a part of a line at the end does not count. Anything else that does not fit is an error:
nothing is guessed.
"""

from __future__ import annotations

import dataclasses
import itertools
import os
from pathlib import Path

from ..core.files import write_atomic
from ..core.growing import GrowingFile
from ..core.language import translate as _
from ..errors import ReplayError
from ..records.reading import parsing, seal, unseal
from .events import Event, JournalLine

FILE = "journal.jsonl"


@dataclasses.dataclass(frozen=True)
class Damage:
    """A journal with a damaged line.

    Attributes
    ----------
    path : Path
        The journal.
    number : int
        How many lines before it are right.
    why : str
        What is wrong with the line.
    kept : list of bytes
        The lines before it.
    lost : list of str
        What the line and those after it tell, as far as they can be read.
    """

    path: Path
    number: int
    why: str
    kept: list[bytes]
    lost: list[str]

    def cut(self) -> Path:
        """Keep the lines before the damage alone; return the file with the journal as it was, which is new."""
        names = (self.path.with_name(f"{FILE}.damaged{number or ''}") for number in itertools.count())
        old = next(name for name in names if not name.exists())
        write_atomic(old, self.path.read_bytes())
        GrowingFile(self.path).replace(b"".join(line + b"\n" for line in self.kept))
        return old


def _read(text: bytes, number: int) -> JournalLine:
    line = JournalLine.from_json(unseal(text, {"*": object}))
    if line.n != number:
        raise ReplayError(f"n: expected {number}, got {line.n}")
    return line


def _describe(text: bytes) -> str:
    """Return a line for people: its kind and what it is about; that it cannot be read otherwise."""
    try:
        data = unseal(text, {"*": object})
    except ReplayError:
        return _("cannot be read")
    about = next((data[name] for name in ("match", "name", "number", "stage") if name in data), "")
    return f"{data.get('t', '?')} {about}".strip()


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
            try:
                with parsing(f"{self.path}:{number}"):
                    self.lines.append(_read(text, len(self.lines)))
            except ReplayError as error:
                told = _("{error}. `masume contest mend {folder}` tells what would be lost, and cuts it off")
                raise ReplayError(told.format(error=error, folder=self.path.parent)) from None

    @classmethod
    def find_damage(cls, folder: str | os.PathLike[str]) -> Damage | None:
        """Return the first line of a journal that is damaged, and what comes after it; None if all is well."""
        path = Path(folder) / FILE
        texts = GrowingFile(path).read_lines()
        for n, text in enumerate(texts):
            try:
                with parsing(f"{path}:{n + 1}"):
                    _read(text, n)
            except ReplayError as error:
                return Damage(path, n, str(error), texts[:n], [_describe(one) for one in texts[n:]])
        return None

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
