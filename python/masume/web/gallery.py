"""The gallery: all matches that a page shows, by their ids and as a list, among them recorded games."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from ..errors import ReplayError
from ..game import Game
from ..records import replay
from ..records.reading import tell_left_out
from ..records.replay import Replay
from .listeners import Listeners
from .match import Match, Playback

MAX_FILES = 60  # of the folder that are shown, and games of one file
MAX_MATCHES = 500  # the oldest finished ones are forgotten
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

    def announce(self, wall: dict[str, Any]) -> None:
        """Show the next pairing and the standings on the wall."""
        self.wall = wall
        self.listeners.wake()

    def listed(self) -> list[Match]:
        """Return the matches, those that are played first, then the newest first; lessons are not listed."""
        newest = [match for match in self.found.values() if match.attempt is None][::-1]
        return sorted(newest, key=lambda match: match.is_over)

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
