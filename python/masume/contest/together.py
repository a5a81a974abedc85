"""Matches side by side, without a hall: an entry is in one at a time, and results come in the order of the plan."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence

from ..errors import MatchError
from ..pairings.tables import BOT, Fixture
from ..referee.clients import Venue
from ..referee.match import Record
from .events import Played
from .kept import Contest
from .runner import SIDE, hold_match
from .state import State
from .steps import PlayMatch

Keep = Callable[[Played, Sequence[Record]], bool]
"""Keeps what was played; returns whether more matches may begin."""


async def play_together(
    contest: Contest, jobs: int, say: Callable[[str], None], venue: Venue | None, keep: Keep
) -> None:
    """Play the next matches, up to `jobs` at a time, until a decision is needed, none is left, or `keep` says so.

    What is played is kept in the order in which the matches began, whichever ends first. If one cannot be held, those
    that run are played to their end and kept, and the error of the first is raised.

    Raises
    ------
    MatchError
        If a match cannot be held and nobody is to blame.
    """
    running: dict[str, asyncio.Task[tuple[list[Record], Played]]] = {}
    fixtures: dict[str, Fixture] = {}
    goes_on, failed = True, list[MatchError]()
    try:
        while True:
            for match in _free(contest.state, fixtures) if goes_on else ():
                if len(running) == jobs:
                    break
                fixtures[match.id] = match
                running[match.id] = asyncio.create_task(hold_match(contest, match, say, venue=venue))
            if not running:
                break
            await asyncio.wait(running.values(), return_when=asyncio.FIRST_COMPLETED)
            while running and (first := next(iter(running))) and running[first].done():
                task = running.pop(first)
                del fixtures[first]
                try:
                    records, played = task.result()
                except MatchError as error:
                    failed.append(error)
                else:
                    goes_on = keep(played, records) and goes_on
                goes_on = goes_on and not failed
    finally:
        for task in running.values():
            task.cancel()
        await asyncio.gather(*running.values(), return_exceptions=True)
    if failed:
        raise failed[0]


def _free(state: State, running: Mapping[str, Fixture]) -> Iterator[Fixture]:
    """Yield the matches that may begin beside those that run, in the order of the plan."""
    if state.stage is None or not isinstance(state.step(), PlayMatch):
        return
    busy = {entry for match in running.values() for entry in match.entries} - {BOT}
    has_sides = any(_takes_sides(state, match) for match in running.values())
    for match in state.waiting(state.stage):
        if match.id in running or match.id in state.played or not match.is_known or state.missing(match):
            continue
        is_free = not busy.intersection(match.entries) and not (has_sides and _takes_sides(state, match))
        busy.update(entry for entry in match.entries if entry != BOT)  # their later matches wait for this one
        if is_free:
            has_sides = has_sides or _takes_sides(state, match)
            yield match


def _takes_sides(state: State, match: Fixture) -> bool:
    """Return whether a client of the match connects to the ports of the sides, which all such matches share."""
    return any(entry != BOT and state.entries[entry].play == f"port:{SIDE}" for entry in match.entries)
