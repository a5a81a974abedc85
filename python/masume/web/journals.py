"""Journals: what a page needs to go on with a match after a restart, in a file that only grows.

`FOLDER/ID.jsonl` has a line for the match (game, seats, clock), one for each answer of a person, before it is
acknowledged, one per move, and one for each change of its seats, with their secrets, or its pace. Every line ends with
a checksum. The file is removed when the match is over, and only its owner may read it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ..core import shapes
from ..core._state import State
from ..core.files import make_folder
from ..core.growing import GrowingFile
from ..core.shapes import COUNT, INTEGER, Number
from ..errors import ReplayError
from ..records.reading import parsing, seal, unseal
from ..records.replay import UNFINISHED, Forfeit
from ..referee.match import Interrupted

FOLDER = UNFINISHED
VERSION = 2  # in version 1 there were no answers
SYNC_S = 0.5
HEAD = {
    "t": str, "version": COUNT, "id": str, "game": str, "config": dict | None, "seed": INTEGER, "names": [str],
    "seats": [str], "clock": dict, "recipe": dict,
}  # fmt: skip
USED = Number(int | float, 0)
LINES: dict[str, dict[str, Any]] = {
    "move": {"t": str, "action": int | list, "ms": object},
    "forfeit": {"t": str, "player": COUNT, "cause": object},
    "answer": {"t": str, "player": COUNT, "at": COUNT, "ask": COUNT, "actions": [INTEGER], "ms": USED, "nonce": str},
    "now": {"t": str, "seats": {"*": (str, str, str, bool)}, "paused": bool, "delay_ms": COUNT},
}


class Journal:
    """The journal of a match that is played.

    Its methods raise OSError if a line cannot be written; then the file is as before. A line is safe from a kill when
    they return, and from a power cut when `syncer` has had its turn.

    Parameters
    ----------
    folder : Path
        The folder of the replays; journals are in its folder `unfinished`.
    name : str
        The id of the match.
    syncer : Syncer
        Brings it to the disk.
    on_trouble : callable
        Called with the OSError if it cannot be brought to the disk.
    """

    def __init__(self, folder: Path, name: str, syncer: Syncer, on_trouble: Callable[[OSError], None]) -> None:
        path = make_folder(folder / FOLDER, 0o700) / f"{name}.jsonl"
        self._file = GrowingFile(path, 0o600, is_synced=False)
        self._syncer, self.on_trouble = syncer, on_trouble
        self._num_moves = 0
        self._now: Mapping[str, Any] | None = None
        self.is_gone = False  # or another Journal has its file

    @property
    def path(self) -> Path:
        """The file."""
        return self._file.path

    def begin(self, head: Mapping[str, Any], now: Mapping[str, Any]) -> None:
        """Write the line of the match, and how its seats and its pace are."""
        self._append({"t": "match", "version": VERSION, **head}, {"t": "now", **now})
        self._now = now

    def go_on(self, num_moves: int, now: Mapping[str, Any]) -> None:
        """Begin after a restart with so many moves, and with these seats and this pace."""
        self._num_moves, self._now = num_moves, now

    def answer(self, player: int, at: int, ask: int, actions: Sequence[int], ms: float, nonce: str) -> None:
        """Write what a person has answered after `at` moves to question `ask`, before it is played."""
        self._append(
            {"t": "answer", "player": player, "at": at, "ask": ask, "actions": actions, "ms": ms, "nonce": nonce}
        )

    def add(self, moves: Sequence[Any], ms: Sequence[Any]) -> None:
        """Write the moves that are new."""
        self._append(*(
            {"t": "forfeit", "player": move.player, "cause": move.cause} if isinstance(move, Forfeit)
            else {"t": "move", "action": move, "ms": used}
            for move, used in zip(moves[self._num_moves :], ms[self._num_moves :], strict=True)
        ))  # fmt: skip
        self._num_moves = len(moves)

    def note(self, now: Mapping[str, Any]) -> None:
        """Write how the seats and the pace are now, if that has changed."""
        if now != self._now:
            self._append({"t": "now", **now})
            self._now = now

    def _append(self, *lines: Mapping[str, Any]) -> None:
        if lines:
            self._file.append(b"".join(seal(dict(line)) for line in lines))
            self._syncer.add(self)

    def try_again(self) -> None:
        """Write how the seats and the pace are once more, and bring all to the disk: raises OSError if that fails."""
        if self._now is not None:
            self._file.append(seal({"t": "now", **self._now}))
        self.sync()

    def sync(self) -> None:
        """Bring it to the disk, unless it is gone."""
        try:
            self._file.sync()
        except FileNotFoundError:
            if not self.is_gone:
                raise

    def remove(self) -> None:
        """Remove the file: the match is over."""
        self.is_gone = True
        self.path.unlink(missing_ok=True)


class Syncer:
    """Brings journals to the disk, all that have grown together, in a thread: a power cut loses at most a second."""

    def __init__(self) -> None:
        self._grown: set[Journal] = set()
        self._task: asyncio.Task[None] | None = None

    def add(self, journal: Journal) -> None:
        """Note that a journal has grown."""
        self._grown.add(journal)
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(self._run())

    async def _run(self) -> None:
        while self._grown:
            await asyncio.sleep(SYNC_S)
            await self.sync()

    async def sync(self) -> None:
        """Bring to the disk what has grown until now."""
        grown, self._grown = self._grown, set()
        for journal, error in await asyncio.to_thread(_sync, grown):
            journal.on_trouble(error)


def _sync(journals: Iterable[Journal]) -> list[tuple[Journal, OSError]]:
    """Bring these to the disk; return those that failed."""
    failed = []
    for journal in journals:
        try:
            journal.sync()
        except OSError as error:
            failed.append((journal, error))
    return failed


class Given(NamedTuple):
    """An answer that was acknowledged before a restart and has not been played: its actions and its milliseconds."""

    actions: list[int]
    ms: float


class Kept(NamedTuple):
    """What a journal says: the line of the match, the last state of its seats and pace, what was played, and the last
    answer of each person.
    """

    head: dict[str, Any]
    now: dict[str, Any]
    begun: Interrupted
    answers: dict[int, dict[str, Any]]


def _times(value: Any) -> Any:
    """Return the time of a move, or those of all players; None where nobody was timed."""
    for used in value if isinstance(value, list) else [value]:
        if used is not None:
            shapes.read("ms", used, USED, ReplayError)
    return value


def read(path: Path) -> Kept:
    """Return what a journal says; raise ReplayError if it is damaged."""
    lines = GrowingFile(path).read_lines()
    with parsing(str(path)):
        if not lines:
            raise ReplayError("empty")
        version = unseal(lines[0], {"version": COUNT, "*": object})["version"]
        if not 1 <= version <= VERSION:
            raise ReplayError(f"version: expected 1..{VERSION}, got {version!r:.60}")
        head = unseal(lines[0], HEAD)
        now: dict[str, Any] = {"seats": {}, "paused": False, "delay_ms": 0}
        moves: list[Any] = []
        ms: list[Any] = []
        answers: dict[int, dict[str, Any]] = {}
        for text in lines[1:]:
            kind = unseal(text, {"t": str, "*": object})["t"]
            if kind not in LINES:
                raise ReplayError(f"t: expected {', '.join(LINES)}, got {kind!r:.60}")
            line = unseal(text, LINES[kind])
            if kind == "now":
                now = line
            elif kind == "answer":
                answers[line["player"]] = line
            else:
                is_move = kind == "move"
                moves.append(line["action"] if is_move else Forfeit(line["player"], line["cause"]))
                ms.append(_times(line["ms"]) if is_move else None)
    return Kept(head, now, Interrupted(moves, ms), answers)


def rest_of(answer: Mapping[str, Any], begun: Interrupted, state: State) -> Given | None:
    """Return what of a line "answer" has not been played in a state after the moves; None if nothing is left."""
    played = list(begun.moves[answer["at"] :])
    if state.is_terminal() or len(begun.moves) < answer["at"]:
        return None
    if state.current_player < 0:  # all decide at once
        return None if played else Given(answer["actions"], answer["ms"])
    rest = answer["actions"][len(played) :]
    if state.current_player != answer["player"] or not rest or answer["actions"][: len(played)] != played:
        return None
    return Given(rest, 0.0 if played else answer["ms"])
