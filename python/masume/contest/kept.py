"""A contest in a folder: its journal and the state that follows from it."""

from __future__ import annotations

import copy
import os
import time
from pathlib import Path
from typing import Any

from ..errors import ConfigError, ReplayError
from .journal import VERSION, Journal
from .plan import Plan, read
from .state import Event, dependents, fold, plan_of


class Contest:
    """A contest in a folder.

    Parameters
    ----------
    folder : path-like
        The folder, with `contest.toml` and, once it has begun, `journal.jsonl`.

    Attributes
    ----------
    plan : Plan
        The plan: that of the journal if the contest has begun.
    state : State
        The state now.

    Raises
    ------
    ConfigError
        If the plan is wrong; the message names the field.
    ReplayError
        If the journal is damaged.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)
        self.journal = Journal(self.folder)
        events = self.journal.events
        self.plan: Plan = plan_of(events, self.folder) if events else read(self.folder)
        try:
            self.state, self.counting = fold(self.plan, events[1:])
        except ConfigError as error:
            raise ReplayError(f"{self.journal.path}: {error}") from None

    def begin(self) -> None:
        """Keep the plan in the journal, unless the contest has begun: later changes of `contest.toml` do not count."""
        if not self.journal.events:
            self._add({"t": "begin", "version": VERSION, "plan": dict(self.plan.data)})

    @property
    def is_changed(self) -> bool:
        """Whether `contest.toml` differs from the plan that the contest began with."""
        if not self.journal.events:
            return False
        try:
            return read(self.folder).data != self.plan.data
        except (ConfigError, OSError):
            return True

    def _add(self, event: dict[str, Any]) -> dict[str, Any]:
        return self.journal.add(event, time.time())

    def do(self, event: dict[str, Any]) -> None:
        """Take an event: it is possible, on the disk and counted when this returns, or ConfigError is raised."""
        self.begin()
        state = copy.deepcopy(self.state)
        state.apply(event)
        self.counting.append(self._add(event))
        self.state = state

    # -- taking back -----------------------------------------------------------------------------------

    def last_of(self, match: str | None = None) -> list[int]:
        """Return the numbers of the events that an undo is about: the last one, or all of a match.

        Raises ConfigError if there is nothing to undo.
        """
        if match is None:
            if not self.counting:
                raise ConfigError("undo: nothing has happened yet")
            return [self.counting[-1]["n"]]
        found = [event["n"] for event in self.counting if event.get("match") == match]
        if not found:
            raise ConfigError(f"undo: {match} has not been played")
        return found

    def depends(self, numbers: list[int]) -> list[Event]:
        """Return the events that go if these are taken back."""
        gone = set(dependents(self.plan, self.counting, numbers))
        return [event for event in self.counting if event["n"] in gone]

    def undo(self, numbers: list[int]) -> None:
        """Take back these events and what depends on them."""
        gone = dependents(self.plan, self.counting, numbers)
        event = {"t": "undo", "of": gone}
        state, counting = fold(self.plan, [*self.counting, event])
        self._add(event)
        self.state, self.counting = state, counting
