"""The journal of a contest: a file that only grows, one sealed line for each thing that happened.

The state of a contest is a pure function of its lines. Each line has its number and a checksum, and reaches the disk
before the next thing happens; a part of a line at the end does not count. Anything else that does not fit is an error:
nothing is guessed.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from ..core.growing import GrowingFile
from ..errors import ReplayError
from ..play.pairing import GAME
from ..records.reading import COUNT, INTEGER, REAL, check_shape, parsing, seal, unseal

FILE = "journal.jsonl"
VERSION = 1
PLAYED = GAME | {"seats": [INTEGER], "faults": [(INTEGER, str, str, COUNT, str)], "parts": [{"*": REAL}]}
"""A game of a match: as in an arena, with entries in place of agents, and the parts of each seat's points."""
SHAPES: dict[str, dict[str, Any]] = {
    "begin": {"version": COUNT, "plan": {"*": object}},
    "entry": {"number": COUNT, "name": str, "play": str},
    "play": {"number": COUNT, "play": str},
    "absent": {"number": COUNT, "is_absent": bool},
    "draw": {"stage": COUNT, "entries": [COUNT]},
    "played": {"match": str, "entries": [INTEGER], "map": str | None, "seed": COUNT, "games": [PLAYED], "replay": str},
    "confirm": {"match": str, "winner": int | None, "why": str},
    "undo": {"of": [COUNT]},
}
"""The things that happen, and the shape of each."""


def shape_of(event: dict[str, Any]) -> dict[str, Any]:
    """Return the shape that an event must have; raise ReplayError for an unknown kind."""
    kind = event.get("t")
    if kind not in SHAPES:
        raise ReplayError(f"t: expected one of {', '.join(SHAPES)}, got {kind!r:.40}")
    return {"n": COUNT, "at": REAL, "t": str, **SHAPES[kind]}


class Journal:
    """The journal in a folder.

    Parameters
    ----------
    folder : path-like
        The folder of the contest.

    Attributes
    ----------
    events : list of dict
        What happened, in order; event n has the number n.

    Raises
    ------
    ReplayError
        If a line is damaged; the message gives its number.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.path = Path(folder) / FILE
        self._file = GrowingFile(self.path)
        self.events: list[dict[str, Any]] = []
        if not self.path.exists():
            return
        for number, line in enumerate(self._file.read_lines(), 1):
            with parsing(f"{self.path}:{number}"):
                event = unseal(line, {"*": object})
                check_shape("", event, shape_of(event))
                if event["n"] != len(self.events):
                    raise ReplayError(f"n: expected {len(self.events)}, got {event['n']}")
            self.events.append(event)

    def add(self, event: dict[str, Any], at: float) -> dict[str, Any]:
        """Write an event, with its number and its time in seconds; it is on the disk when this returns.

        Raises OSError, which names the file; then nothing has happened.
        """
        found = {"n": len(self.events), "at": round(at, 3), **event}
        check_shape("", found, shape_of(found))
        self._file.append(seal(found))
        self.events.append(found)
        return found
