"""The values that a search gives the positions of a finished game."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, cast
from weakref import WeakKeyDictionary

from ..agent import View
from ..agents.asking import close_agent
from ..agents.make import make_agent
from ..http.limits import Turns
from ..records.replay import Forfeit, play_move

if TYPE_CHECKING:
    from ..core._state import State
    from .match import Match

SEARCH = "mcts:200"
MOST = 60  # positions of a game, evenly spread


class Values:
    """The values of finished matches, each searched once for all who ask.

    Parameters
    ----------
    turns : Turns
        Those of the searches of the page.
    """

    def __init__(self, turns: Turns) -> None:
        self._turns = turns
        self._known: WeakKeyDictionary[Match, dict[int, float]] = WeakKeyDictionary()
        self._tasks: dict[Match, asyncio.Task[None]] = {}

    def __len__(self) -> int:
        """Number of matches whose values are searched now."""
        return len(self._tasks)

    async def get(self, match: Match, share: str | None) -> dict[int, float]:
        """Return the value for player 0 by the number of moves before the position; FullError if too many ask."""
        task = self._tasks.get(match)
        if task is None and not self._known.get(match):
            self._turns.make_room(share)
            task = self._tasks[match] = asyncio.create_task(self._search(match, share))
            task.add_done_callback(lambda _task: self._tasks.pop(match, None))
        if task is not None:
            await asyncio.shield(task)  # it goes on for others if this browser leaves
        return self._known[match]

    async def _search(self, match: Match, share: str | None) -> None:
        values = {}
        async with self._turns.turn(share):
            for ply, state in states_of(match):
                value = await asyncio.to_thread(value_of, state, ply)
                if value is not None:
                    values[ply] = value
        self._known[match] = values


def plies_of(match: Match) -> list[int]:
    """Return the numbers of moves after which the positions are evaluated."""
    count = sum(not isinstance(move, Forfeit) for move in match.moves)
    return sorted({count * k // MOST for k in range(MOST)} - {count})


def states_of(match: Match) -> Iterator[tuple[int, State]]:
    """Yield those numbers of moves, each with its position."""
    state, wanted = match.first.clone(), set(plies_of(match))
    for ply, move in enumerate(match.moves):
        if ply in wanted:
            yield ply, state.clone()
        play_move(state, move, match.moves[max(0, ply - 1) : ply])


def value_of(state: State, seed: int) -> float | None:
    """Return the value of a position for player 0 of two, -1..1, as a search sees it for who is to decide.

    In a game that hides things the search sees what that player sees. None if nobody decides there.
    """
    deciding = sorted({int(player) for player in state.slots if player >= 0})
    if not deciding:
        return None
    agent = make_agent(SEARCH, state.game)
    try:
        agent.start(state.game.public, deciding[0], seed)
        agent.act(View(state, deciding[0]))
        value = float(cast(Any, agent).thought.value)
    finally:
        close_agent(agent)
    return round(value if deciding[0] == 0 else -value, 3)
