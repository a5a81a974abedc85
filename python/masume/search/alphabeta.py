"""AlphaBeta: iterative deepening for two-player games of perfect information."""

from __future__ import annotations

import dataclasses
import math
import threading
import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core._state import State
from ..core.config import integer
from ..errors import ConfigError, GameOverError
from ..game import Game
from ._alphabeta import Ladder
from ._solve import Prover
from .forest import claim

MAX_NODES = 1_000_000_000
MAX_MS = 86_400_000
ENTRY_BYTES = 24

PROOF_SHARE = 0.95
"""Share of a search's budget that a proof may use; what it has found helps the proofs of the next decisions."""

PROOF_BITS = 2
"""A proof is tried if it is expected to visit at most 2 ** PROOF_BITS times as many positions as fit in its budget."""

NODES_A_MS = 3000
"""Positions that a proof visits in a millisecond, roughly."""

VISITS_A_STATE = 2
"""Visits of a proof for each position that it keeps, roughly."""

STATE_BYTES = 56
"""Bytes that a proof keeps for a position in addition to the state."""

LEAST_S = 0.0001
"""Time for the search if a proof has used all of it."""


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
        Plies that were searched completely; the length of `line` if the value was proven.
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


class _Endgame:
    """Finds the exact value of positions near the end, in games whose package has SUMS and UPSETS.

    Two tables are kept for a game. In one only points count. In the other an end by which the player of UPSETS wins
    whatever the points counts more than all points. If the opponent wins by the second, no such end can be forced, and
    its points are exact. If the player has 0 points or more by the first, it wins by points, and they are exact.
    """

    def __init__(self, state: State, memory_bytes: int) -> None:
        package: Any = state.game.package
        fields: Any = state.game.state_dtype.fields
        places = [(fields[name][1], fields[name][0].itemsize) for name in package.SUMS]
        self._room = room = memory_bytes // (state.game.state_dtype.itemsize + STATE_BYTES)
        self._sign = 1 if package.UPSETS == 0 else -1
        self._by_points = Prover(state, room, places, False)
        self._by_upsets = Prover(state, room, places, True)
        self._expects_points = False  # whether the player of UPSETS is expected to win by points
        self.visits = 0
        self.is_exact = False

    def missing_bits(self, state: State, nodes: int, seconds: float) -> float:
        """Return the logarithm, base 2, of how many times the budget a proof is expected to need."""
        budget = min(nodes or NODES_A_MS * 1000 * seconds, VISITS_A_STATE * self._room)
        return self._by_upsets.measure(state) / 2 - math.log2(budget)

    def find(self, state: State, nodes: int, seconds: float) -> list[int] | None:
        """Return the actions of a perfect game; None if the position is too large, or the budget does not suffice.

        `is_exact` tells whether the points are certain too, and not only the result.
        """
        self.visits = 0
        if self.missing_bits(state, nodes, seconds) > PROOF_BITS:
            return None
        end = time.perf_counter() + seconds
        upset = None
        for by_points in (self._expects_points, not self._expects_points):
            left = max(end - time.perf_counter(), 0.0) if seconds else 0.0
            if (nodes and self.visits >= nodes) or (seconds and not left):
                break
            prover = self._by_points if by_points else self._by_upsets
            proof = prover.prove(state, nodes - self.visits if nodes else 0, left)
            self.visits += prover.visits
            if proof is None:
                break
            value = self._sign * proof[0]
            self.is_exact = (value >= 0) == by_points
            if self.is_exact:
                self._expects_points = by_points
                return proof[1]
            if not by_points:
                upset = proof[1]
        return upset


class AlphaBeta:
    """Alpha-beta search for one game of two players who decide in turn, without hidden information or chance.

    The search assumes that one player's gain is the other's loss. The result counts before the points. If the search
    stops before the end of the game, the points are those of the table's forecast, or the scores in a game without one.
    Near the end of a game whose package names what its points consist of (Nezumi), most of the budget goes into a proof
    of the exact value.

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
        Size of the table of positions in MB, 1..1000000; the table is kept from search to search. Default 16. Each
        of the two tables of proofs may become as large.

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
        self._endgame: _Endgame | None = None
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
        with claim(self._is_free, "search: another search is running; use a separate AlphaBeta in each thread"):
            return self._run(state)

    def _run(self, state: State) -> Line:
        if state.game != self.game:
            raise ConfigError(f"state: expected one of {self.game!r}, got one of {state.game!r}")
        if state.is_terminal():
            raise GameOverError("the game is over: there is nothing to search")
        began = time.perf_counter()
        line, visits, was_interrupted = None, 0, False
        if hasattr(self.game.package, "UPSETS"):
            self._endgame = self._endgame or _Endgame(state, self.memory_mb * 2**20)
            try:
                line = self._endgame.find(state, *self._proof_budget())
            except KeyboardInterrupt:
                was_interrupted = True
            visits = self._endgame.visits
            if line is not None and self._endgame.is_exact:
                return self._proven(state, line, self._endgame, time.perf_counter() - began)
        mover = state.current_player
        if was_interrupted:
            nodes, seconds = 1, 0.0
        else:
            nodes = max(self.nodes - visits, 1) if self.nodes else 0
            seconds = max(self.ms / 1000 - (time.perf_counter() - began), LEAST_S) if self.ms else 0.0
        code, result, lead, codes, nodes, _ = self._ladder.run(state, nodes, seconds)
        if line is not None and self._endgame is not None and result is None:
            return self._proven(state, line, self._endgame, time.perf_counter() - began)
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
            nodes=nodes + visits,
            memory_bytes=self._entries * ENTRY_BYTES,
            seconds=time.perf_counter() - began,
            was_interrupted=was_interrupted or self._ladder.was_interrupted,
        )

    def missing_bits(self, state: State) -> float:
        """Estimate how far a position is from a proof.

        Parameters
        ----------
        state : State
            A position of a game whose package has SUMS and UPSETS.

        Returns
        -------
        float
            The logarithm, base 2, of how many times the budget a proof is expected to need; below 0 if it suffices.
        """
        self._endgame = self._endgame or _Endgame(state, self.memory_mb * 2**20)
        return self._endgame.missing_bits(state, *self._proof_budget())

    def _proof_budget(self) -> tuple[int, float]:
        """Return the nodes and the seconds that a proof may take; 0: no bound."""
        return max(int(self.nodes * PROOF_SHARE), 1) if self.nodes else 0, self.ms * PROOF_SHARE / 1000

    def _proven(self, state: State, line: list[int], endgame: _Endgame, seconds: float) -> Line:
        """Return the result of a proof."""
        end = state.clone()
        for action in line:
            end.apply(action)
        scores = end.scores()
        return Line(
            actions=line[:1],
            line=line,
            value=np.array(end.returns(), np.float64),
            lead=float(scores[state.current_player] - scores[1 - state.current_player]),
            depth=len(line),
            is_whole=endgame.is_exact,
            nodes=endgame.visits,
            memory_bytes=self._entries * ENTRY_BYTES,
            seconds=seconds,
            was_interrupted=False,
        )

    def _actions(self, state: State, codes: list[int]) -> list[int]:
        """Return the codes of a line as actions."""
        state = state.clone()
        actions = []
        for code in codes:
            actions.append(state.decode(code))
            state.apply(actions[-1])
        return actions
