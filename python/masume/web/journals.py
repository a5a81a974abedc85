"""Journals: what a page needs to go on with a match after a restart, in a file that only grows.

`FOLDER/ID.jsonl` has a line for the match (game, seats, clock), one per move, and one for each change of its seats,
with their secrets, or its pace. Every line ends with a checksum; a line that a kill or a power cut left in part is
ignored. The file is removed when the match is over, and only its owner may read it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..core.files import make_folder
from ..core.language import translate as _
from ..errors import ReplayError
from ..records.reading import COUNT, INTEGER, Number, check_shape, parsing, seal, unseal
from ..records.replay import UNFINISHED, Forfeit
from ..referee.match import Begun

FOLDER = UNFINISHED
VERSION = 1
HEAD = {
    "t": str, "version": COUNT, "id": str, "game": str, "config": dict | None, "seed": INTEGER, "names": [str],
    "seats": [str], "clock": dict, "recipe": dict,
}  # fmt: skip
USED = Number(int | float, 0)
LINES: dict[str, dict[str, Any]] = {
    "move": {"t": str, "action": int | list, "ms": object},
    "forfeit": {"t": str, "player": COUNT, "cause": object},
    "now": {"t": str, "seats": {"*": (str, str, str, bool)}, "paused": bool, "delay_ms": COUNT},
}


class Journal:
    """The journal of a match that is played.

    Parameters
    ----------
    folder : Path
        The folder of the replays; journals are in its folder `unfinished`.
    name : str
        The id of the match.
    """

    def __init__(self, folder: Path, name: str) -> None:
        self._path = make_folder(folder / FOLDER, 0o700) / f"{name}.jsonl"
        self._num_moves = 0
        self._is_full = False
        self._now: Mapping[str, Any] | None = None

    def begin(self, head: Mapping[str, Any]) -> None:
        """Write the line of the match."""
        line = seal({"t": "match", "version": VERSION, **head})
        with os.fdopen(os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(line)

    def go_on(self, num_moves: int) -> None:
        """Begin after a restart with so many moves, without a last line that is not complete."""
        self._num_moves = num_moves
        with self._path.open("rb+") as file:
            file.truncate(file.read().rfind(b"\n") + 1)

    def add(self, moves: Sequence[Any], ms: Sequence[Any]) -> None:
        """Write the moves that are new."""
        lines = [
            seal({"t": "forfeit", "player": move.player, "cause": move.cause} if isinstance(move, Forfeit)
                 else {"t": "move", "action": move, "ms": used})
            for move, used in zip(moves[self._num_moves :], ms[self._num_moves :], strict=True)
        ]  # fmt: skip
        self._append(lines)
        self._num_moves = len(moves)

    def note(self, now: Mapping[str, Any]) -> None:
        """Write how the seats and the pace are now, if that has changed."""
        if now != self._now:
            self._append([seal({"t": "now", **now})])
            self._now = now

    def _append(self, lines: Sequence[bytes]) -> None:
        if not lines or self._is_full:
            return
        try:
            with self._path.open("ab") as file:
                file.write(b"".join(lines))
        except OSError as error:  # people play on; after a restart they find what was written until now
            self._is_full = True
            print(_("{path}: {error}; the match is not kept any more").format(path=self._path, error=error.strerror),
                  file=sys.stderr)  # fmt: skip

    def remove(self) -> None:
        """Remove the file: the match is over."""
        self._path.unlink(missing_ok=True)


def _times(value: Any) -> Any:
    """Return the time of a move, or those of all players; None where nobody was timed."""
    for used in value if isinstance(value, list) else [value]:
        if used is not None:
            check_shape("ms", used, USED)
    return value


def read(path: Path) -> tuple[dict[str, Any], dict[str, Any], Begun]:
    """Return the line of the match, the last state of its seats and pace, and what was played.

    Raises ReplayError if the file is damaged.
    """
    lines = path.read_bytes().split(b"\n")[:-1]  # what follows the last line end is not complete
    with parsing(str(path)):
        if not lines:
            raise ReplayError("empty")
        version = unseal(lines[0], {"version": COUNT, "*": object})["version"]
        if version != VERSION:
            raise ReplayError(f"version: expected {VERSION}, got {version!r:.60}")
        head = unseal(lines[0], HEAD)
        now: dict[str, Any] = {"seats": {}, "paused": False, "delay_ms": 0}
        moves: list[Any] = []
        ms: list[Any] = []
        for text in lines[1:]:
            kind = unseal(text, {"t": str, "*": object})["t"]
            if kind not in LINES:
                raise ReplayError(f"t: expected {', '.join(LINES)}, got {kind!r:.60}")
            line = unseal(text, LINES[kind])
            if kind == "now":
                now = line
            else:
                is_move = kind == "move"
                moves.append(line["action"] if is_move else Forfeit(line["player"], line["cause"]))
                ms.append(_times(line["ms"]) if is_move else None)
    return head, now, Begun(moves, ms)
