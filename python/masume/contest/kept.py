"""A contest in a folder: its journal and the state that follows from it."""

from __future__ import annotations

import copy
import os
import time
from collections.abc import Collection
from pathlib import Path

from ..errors import ConfigError, ReplayError
from .events import VERSION, Begun, Change, Confirmed, Event, JournalLine, Played, Undone
from .journal import EventLog
from .plan import ContestPlan, read
from .state import dependents, fold, plan_of, state_after


class Contest:
    """A contest in a folder.

    Parameters
    ----------
    folder : path-like
        The folder, with `contest.toml` and, once it has begun, `journal.jsonl`.

    Attributes
    ----------
    plan : ContestPlan
        The plan: that of the journal if the contest has begun.
    state : State
        The state now.
    counting : dict
        The changes that led to it, by their number in the journal.

    Raises
    ------
    ConfigError
        If the plan is wrong; the message names the field.
    ReplayError
        If the journal is damaged.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)
        self.journal = EventLog(self.folder)
        lines = self.journal.lines
        self.plan: ContestPlan = plan_of(lines[0].event, self.folder) if lines else read(self.folder)
        _ = self.plan.secret  # it is there, and the right one
        try:
            self.state, self.counting = fold(self.plan, lines[1:])
        except ConfigError as error:
            raise ReplayError(f"{self.journal.path}: {error}") from None

    def begin(self) -> None:
        """Keep the plan in the journal, unless the contest has begun: later changes of `contest.toml` do not count."""
        if not self.journal.lines:
            self._add(Begun(VERSION, dict(self.plan.data)))

    @property
    def is_changed(self) -> bool:
        """Whether `contest.toml` differs from the plan that the contest began with."""
        if not self.journal.lines:
            return False
        try:
            return read(self.folder).data != self.plan.data
        except (ConfigError, OSError):
            return True

    def _add(self, event: Event) -> JournalLine:
        return self.journal.add(event, time.time())

    def do(self, event: Change) -> None:
        """Take an event: it is possible, on the disk and counted when this returns, or ConfigError is raised."""
        self.begin()
        state = copy.deepcopy(self.state)
        state.apply(event)
        self.counting[self._add(event).n] = event
        self.state = state

    def check_lots(self) -> int:
        """Return how many matches were played; raise ReplayError unless all had the start that the lots drew."""
        for name, attempts in self.state.played.items():
            found = self.state.find(name)
            assert found is not None
            stage, match = found
            for attempt, played in enumerate(attempts):
                _map, seed = self.plan.start(stage.name, match, attempt)
                if played.seed != seed:
                    raise ReplayError(f"{self.journal.path}: {name}: its start is not the one that the lots drew")
        return len(self.state.played)

    # -- taking back -----------------------------------------------------------------------------------

    def last_of(self, match: str | None = None) -> list[int]:
        """Return the numbers of the events that an undo is about: the last one, or all of a match.

        Raises ConfigError if there is nothing to undo.
        """
        if match is None:
            if not self.counting:
                raise ConfigError("undo: nothing has happened yet")
            return [next(reversed(self.counting))]
        found = [
            number for number, change in self.counting.items()
            if isinstance(change, Played | Confirmed) and change.match == match
        ]  # fmt: skip
        if not found:
            raise ConfigError(f"undo: {match} has not been played")
        return found

    def depends(self, numbers: Collection[int]) -> dict[int, Change]:
        """Return the changes that go if these are taken back, by their numbers."""
        return {number: self.counting[number] for number in dependents(self.plan, self.counting, numbers)}

    def undo(self, numbers: Collection[int]) -> None:
        """Take back these events and what depends on them."""
        gone = dependents(self.plan, self.counting, numbers)
        counting = {number: change for number, change in self.counting.items() if number not in gone}
        state = state_after(self.plan, counting.values())
        self._add(Undone(gone))
        self.state, self.counting = state, counting
