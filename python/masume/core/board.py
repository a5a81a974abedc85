"""Read a text board: rows of one letter per cell, and lines `key: value`; surrounding blanks are ignored."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import NamedTuple

from ..errors import NotationError


class KeyValue(NamedTuple):
    """Line `key: value`, its number, and the column after the colon."""

    key: str
    value: str
    line: int
    column: int


class Text(NamedTuple):
    """Text board: its letters row by row, its other lines in order, and the number of the last line."""

    letters: str
    entries: list[KeyValue]
    end: int

    def by_key(self) -> dict[str, KeyValue]:
        """Return the entries by key, with stripped values; NotationError for a key that occurs twice."""
        found: dict[str, KeyValue] = {}
        for entry in self.entries:
            if entry.key in found:
                raise NotationError(f"{entry.key}: given twice", entry.line, entry.column - len(entry.key) - 1)
            found[entry.key] = entry._replace(value=entry.value.strip())
        return found


def read_board(text: str, width: int, height: int, check: Callable[[int, str, int, int], None], what: str) -> Text:
    """Read a board of `height` rows of `width` letters.

    check : called for each cell, row by row, with its index, letter, line and column; raises NotationError.
    what : name of the letters in messages, such as "cells".

    Raise NotationError with line and column for a different number of rows or another width.
    """
    letters = ""
    entries: list[KeyValue] = []
    lines = text.splitlines()
    for number, line in enumerate(lines, 1):
        content = line.strip()
        start = line.find(content) + 1
        key, colon, value = content.partition(":")
        if colon:
            entries.append(KeyValue(key, value, number, start + len(key) + 1))
        elif content:
            if len(letters) == height * width:
                raise NotationError(f"{content!r}: the {height} rows end above", number, start)
            if len(content) != width:
                raise NotationError(f"{content!r}: expected {width} {what}, got {len(content)}", number, start)
            for n, letter in enumerate(content):
                check(len(letters) + n, letter, number, start + n)
            letters += content
    end = max(1, len(lines))
    if len(letters) < height * width:
        raise NotationError(f"expected {height} rows, got {len(letters) // width}", end, 1)
    return Text(letters, entries, end)


def one_of(known: Collection[str], what: str) -> Callable[[int, str, int, int], None]:
    """Return a `check` for `read_board` that accepts only these letters."""

    def check(_place: int, letter: str, line: int, column: int) -> None:
        if letter not in known:
            raise NotationError(f"expected one of the {what} {' '.join(known)}, got {letter!r}", line, column)

    return check
