"""AlphaBeta: iterative deepening for two-player games of perfect information."""

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
    """Result of an alpha-beta search.

    Attributes
    ----------
    actions : list of int
        The best action, as a list of one.
    line : list
        The actions that both players are expected to play, the best first, as far as the table of positions reaches.
    value : ndarray of float64
        float64[2], the result of each player if it is certain, else NaN.
    lead : float
        Points by which the player to move is expected to lead at the end.
    depth : int
        Plies that were searched completely.
    is_whole : bool
        Whether the search saw everything that can follow.
    nodes : int
        Positions visited.
    memory_bytes : int
        Size of the table.
    seconds : float
        Duration of the search.
    was_interrupted : bool
        Whether Ctrl-C ended the search.
    nodes_per_s : float
        Positions per second in this search.
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
        """Positions per second in this search."""
        return self.nodes / self.seconds

    def _repr_html_(self) -> str:
        from ..render import notebook

        facts = {
            "actions": self.actions,
            "line": self.line,
            "lead": self.lead,
            "depth": self.depth,
            "searched to the end": self.is_whole,
            "nodes": self.nodes,
            "seconds": self.seconds,
        }
        return notebook.draw_card("Alpha-beta search", facts)


class AlphaBeta:
    """Alpha-beta search for one game of two players who decide in turn, without hidden information or chance.

    The search assumes that one player's gain is the other's loss. The result counts before the points. If the search
    stops before the end of the game, the points are those of the table's forecast, or the scores in a game without one.

    Give either `nodes` or `ms`. With `nodes`, the same searches in the same order return the same results.

    Parameters
    ----------
    game : Game
        The game.
    nodes : int, optional
        Positions per search, 1..10**9. The first ply is always searched completely.
    ms : int, optional
        Milliseconds per search, 1..86400000.
    memory_mb : int, optional
        Size of the table of positions in MB, 1..1000000; the table is kept from search to search. Default 16.

    Attributes
    ----------
    game : Game
        The game.
    nodes : int
        Positions per search; 0 if `ms` is used.
    ms : float
        Milliseconds per search; 0 if `nodes` is used.
    memory_mb : int
        Size of the table of positions in MB.

    Raises
    ------
    ConfigError
        If an argument is bad or the game is of another kind; the message names the argument.

    Examples
    --------
    >>> import masume
    >>> game = masume.load("nezumi", stage="garden")
    >>> state, search = game.new_state(), AlphaBeta(game, nodes=1000)
    >>> state.apply(search.search(state).actions[0])
    """

    def __init__(self, game: Game, *, nodes: int | None = None, ms: int | None = None, memory_mb: int = 16) -> None:
        if (nodes is None) == (ms is None):
            raise ConfigError("nodes: expected nodes or ms, and not both")
        if game.num_players != 2:
            raise ConfigError(f"game: expected two players, got {game.num_players} in {game.name}")
        if game.is_simultaneous or game.num_slots != 1:
            raise ConfigError(f"game: expected one decision at a time, but {game.name} has several decisions at once")
        if not game.is_perfect_information:
            raise ConfigError(f"game: expected perfect information, but {game.name} hides things")
        self.game = game
        self.nodes = 0 if nodes is None else integer("nodes", nodes, 1, MAX_NODES)
        self.ms: float = 0 if ms is None else integer("ms", ms, 1, MAX_MS)
        self.memory_mb = integer("memory_mb", memory_mb, 1, 1_000_000)
        self._entries = 2 ** ((self.memory_mb * 2**20 // ENTRY_BYTES).bit_length() - 1)
        self._ladder = Ladder(game, self._entries)
        self._is_free = threading.Lock()

    def search(self, state: State) -> Line:
        """Search a position and return the best action found.

        Ctrl-C ends the search early: the result is what was found so far, with `was_interrupted` set.

        Parameters
        ----------
        state : State
            The position; it is not changed.

        Returns
        -------
        Line
            The result.

        Raises
        ------
        GameOverError
            If the game is over.
        ConfigError
            If the state belongs to another game.
        RuntimeError
            If another search of this object is running.
        """
        if not self._is_free.acquire(blocking=False):
            raise RuntimeError("search: another search is running; use a separate AlphaBeta in each thread")
        try:
            return self._run(state)
        finally:
            self._is_free.release()

    def _run(self, state: State) -> Line:
        if state.game != self.game:
            raise ConfigError(f"state: expected one of {self.game!r}, got one of {state.game!r}")
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
        """Return the codes of a line as actions."""
        state = state.clone()
        actions = []
        for code in codes:
            actions.append(state.decode(code))
            state.apply(actions[-1])
        return actions
