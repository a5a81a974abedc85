"""AlphaBeta: iterative deepening for two-player games in which both see everything."""

from __future__ import annotations

import dataclasses
import threading
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core._state import State
from ..core.config import integer
from ..errors import ConfigError, GameOverError
from ..game import Game
from ._alphabeta import Ladder

MAX_NODES = 1_000_000_000
MAX_MS = 86_400_000
ENTRY_BYTES = 24


@dataclasses.dataclass(frozen=True)
class Line:
    """What an alpha-beta search found.

    actions : the best, alone in a list. line : the actions that both are expected to play, the best first, as far as
    the table of positions knows them. value : float64[2], the results where they are certain, NaN where not. lead :
    the points by which the player to move is expected to lead at the end. depth : plies that were searched to the end.
    is_whole : all that can follow was seen. nodes : positions visited. memory_bytes : of the table. seconds : the
    search took. was_interrupted : Ctrl-C ended it.
    """

    actions: list[int]
    line: list[Any]
    value: NDArray[np.float64]
    lead: float
    depth: int
    is_whole: bool
    nodes: int
    memory_bytes: int
    seconds: float
    was_interrupted: bool

    @property
    def nodes_per_s(self) -> float:
        """Positions of this search by its seconds."""
        return self.nodes / self.seconds


class AlphaBeta:
    """Alpha-beta search for one game of two players, decided one after the other, without secrets and chance.

    What one player gets is taken for what the other loses: a result counts before points, and points are those of the
    table's forecast where the search stops before the end, or the scores of a game without one.

    nodes or ms : how long each search is, one of the two: 1..10**9 positions, or milliseconds; the first ply is always
    searched. With nodes the result is the same for the same searches in the same order.
    memory_mb : of the table of positions, which is kept from search to search, 1..1000000.

    ConfigError names the argument.

    >>> import masume
    >>> game = masume.load("nezumi", stage="garden")
    >>> state, search = game.new_state(), AlphaBeta(game, nodes=1000)
    >>> state.apply(search.search(state).actions[0])
    """

    def __init__(self, game: Game, *, nodes: int | None = None, ms: int | None = None, memory_mb: int = 16) -> None:
        if (nodes is None) == (ms is None):
            raise ConfigError("nodes: either nodes or ms is wanted")
        if game.num_players != 2:
            raise ConfigError(f"game: {game.name} has {game.num_players} players, two are wanted")
        if game.is_simultaneous or game.num_slots != 1:
            raise ConfigError(f"game: {game.name} has several decisions at once")
        if not game.is_perfect_information:
            raise ConfigError(f"game: {game.name} hides things")
        self.game = game
        self.nodes = 0 if nodes is None else integer("nodes", nodes, 1, MAX_NODES)
        self.ms: float = 0 if ms is None else integer("ms", ms, 1, MAX_MS)
        self.memory_mb = integer("memory_mb", memory_mb, 1, 1_000_000)
        self._entries = 2 ** ((self.memory_mb * 2**20 // ENTRY_BYTES).bit_length() - 1)
        self._ladder = Ladder(game, self._entries)
        self._is_free = threading.Lock()

    def search(self, state: State) -> Line:
        """The best action that the budget finds in `state`, which is not changed.

        GameOverError at the end. RuntimeError while another search of this object is under way.
        Ctrl-C ends the search: `was_interrupted` is then True, and the rest is what was found so far.
        """
        if not self._is_free.acquire(blocking=False):
            raise RuntimeError("search: another one is under way; each thread needs an AlphaBeta of its own")
        try:
            return self._run(state)
        finally:
            self._is_free.release()

    def _run(self, state: State) -> Line:
        if state.game != self.game:
            raise ConfigError(f"state: it is one of {state.game!r}, not of {self.game!r}")
        if state.is_terminal():
            raise GameOverError("the game is over: there is nothing to search")
        mover = state.current_player
        code, result, lead, codes, nodes, seconds = self._ladder.run(state, self.nodes, self.ms / 1000)
        value = np.full(2, np.nan)
        if result is not None:
            value[mover], value[1 - mover] = result, -result
        return Line(
            actions=[state.decode(code)],
            line=self._actions(state, codes),
            value=value,
            lead=lead,
            depth=self._ladder.depth,
            is_whole=self._ladder.is_whole,
            nodes=nodes,
            memory_bytes=self._entries * ENTRY_BYTES,
            seconds=seconds,
            was_interrupted=self._ladder.was_interrupted,
        )

    def _actions(self, state: State, codes: list[int]) -> list[int]:
        """Codes of a line as actions."""
        state = state.clone()
        actions = []
        for code in codes:
            actions.append(state.decode(code))
            state.apply(actions[-1])
        return actions
