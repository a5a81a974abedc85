"""The gallery: all matches that a page shows, by their ids and as a list, among them recorded games."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

from ..errors import ReplayError
from ..game import Game
from ..records import replay
from ..records.course import Praise
from ..records.reading import tell_left_out
from ..records.replay import Replay
from .listeners import Listeners
from .match import Match, Playback

MAX_FILES = 60  # of the folder that are shown, and games of one file
MAX_MATCHES = 500  # the oldest finished ones are forgotten
FORGOTTEN_S = 1800.0  # a match that nobody has looked at or played for so long is not listed
MIN_ENDINGS, RARE = 5, 5  # of at least so many games, an ending that one in RARE has is rare
RARELY = Praise("rare", 0, 3.0)
MAX_MOVES = 2**20  # of all finished ones together
NAME = re.compile(r"[A-Za-z0-9_-]{1,40}")


class Gallery:
    """All matches of a page.

    Parameters
    ----------
    playback : Playback
        Playback speed of new matches.
    folder : Path, optional
        Where finished matches are kept as replays, and where those of earlier runs are.

    Attributes
    ----------
    found : dict
        The matches by id.
    wall : dict
        The next pairing and standings, for the wall.
    listeners : Listeners
        The streams that wait for a change of the list, of a match or of the wall.
    """

    def __init__(self, playback: Playback | None = None, folder: Path | None = None) -> None:
        self.playback, self.folder = playback or Playback(), folder
        self.found: dict[str, Match] = {}
        self.wall: dict[str, Any] = {}
        self.listeners = Listeners()
        self._praised: WeakKeyDictionary[Match, list[Praise]] = WeakKeyDictionary()

    def announce(self, wall: dict[str, Any]) -> None:
        """Show the next pairing and the standings on the wall."""
        self.wall = wall
        self.listeners.wake()

    def listed(self) -> list[Match]:
        """Return the matches, the newest first: those that are played, then those that are over by their worth.

        Those that nobody has looked at or played for long are left out, and lessons.
        """
        until = time.monotonic() - FORGOTTEN_S
        newest = [match for match in reversed(self.found.values()) if not _is_forgotten(match, until)]
        return sorted(newest, key=lambda match: (match.is_over, -self.worth_of(match)))

    def praise(self, match: Match) -> list[Praise]:
        """Return what makes a finished match worth watching; nothing while it is played, or if a player failed."""
        if not match.returns or match.notes:
            return []
        if match not in self._praised:
            same = [one.reason for one in self.found.values() if one.is_over and one.game.name == match.game.name]
            is_rare = match.reason and len(same) >= MIN_ENDINGS and same.count(match.reason) * RARE <= len(same)
            self._praised[match] = [*([RARELY] if is_rare else []), *match.course.judge(match.returns)]
        return self._praised[match]

    def worth_of(self, match: Match) -> float:
        """Return how much a match is worth watching, from 0; more is better."""
        return sum(praise.worth for praise in self.praise(match))

    def add(self, match: Match) -> Match:
        """Show a match."""
        finished = [shown for shown in self.found.values() if shown.is_over]
        finished.sort(key=lambda shown: shown.attempt is None)  # lessons are forgotten before games
        num_moves = sum(len(shown.moves) for shown in finished)
        while finished and (len(self.found) >= MAX_MATCHES or num_moves > MAX_MOVES):
            oldest = finished.pop(0)
            num_moves -= len(oldest.moves)
            self.forget(oldest)
        self.found[match.id] = match
        match.on_change = self.listeners.wake
        self.listeners.wake()
        return match

    def forget(self, match: Match) -> None:
        """Show a match no longer; nothing of it stays."""
        del self.found[match.id]
        match.seats.clear()  # they refer to it, and it would stay until Python's garbage is collected

    def new(self, game: Game, seed: int, names: Sequence[str]) -> Match:
        """Show a match that is about to begin."""
        return self.add(Match(game, seed, names, self.playback))

    # -- recorded games ----------------------------------------------------------------------------

    def add_replays(self, replays: Iterable[Replay], name: str = "") -> None:
        """Show finished games; `name`, that of their file, is their id, so that links to them stay."""
        for number, record in enumerate(replays):
            known = f"{name}-{number}" if number else name
            known = known if NAME.fullmatch(known) and known not in self.found else ""
            match = Match(record.game, record.seed, record.names, Playback(), record.start, known)
            match.advance(record.moves, record.names, match.left_ms)
            match.finish(record)
            self.add(match)

    def add_folder(self) -> list[str]:
        """Show the newest games of the folder; return what is no replay there, a line for each."""
        if self.folder is None:
            return []
        troubles: list[str] = []

        def leave_out(error: ReplayError | OSError) -> None:
            troubles.append(tell_left_out(error))

        newest: list[tuple[str, list[Replay]]] = []
        for path in sorted(replay.files_of(self.folder, leave_out), key=os.path.getmtime, reverse=True):
            if len(newest) == MAX_FILES:
                break
            try:
                newest.append((path.stem, replay.load(path)[:MAX_FILES]))
            except (ReplayError, OSError) as error:
                leave_out(error)
        for name, replays in reversed(newest):
            self.add_replays(replays, name)
        return troubles


def _is_forgotten(match: Match, until: float) -> bool:
    """Return whether a match is left out of the list."""
    if match.is_over or match.attempt is not None:
        return match.attempt is not None
    return not match.listeners and max(match.listeners.left_at, match.changed_at) <= until
