"""Beam: beam search for games whose players decide several slots at once."""

from __future__ import annotations

import dataclasses
import threading
import time

import numpy as np
from numpy.typing import NDArray

from ..core._state import State
from ..core.config import integer, real
from ..core.rng import Rng
from ..errors import ConfigError, GameOverError
from ..game import Game
from ._beam import Layers
from ._ending import Ending
from .forest import claim
from .mcts import MAX_MS, MAX_SIMULATIONS

MAX_DEPTH = 256
MAX_WIDTH = 65536


@dataclasses.dataclass(frozen=True)
class Plan:
    """Result of a beam search.

    Attributes
    ----------
    actions : list of int
        The action of each slot now.
    codes : ndarray of int32
        int32[turns, slots], the codes of all turns ahead; for the other players, the game's fallbacks.
    gain : float
        Points by which the player's lead is expected to grow by the plan; later points are discounted.
    simulations : int
        Turns played, in both worlds.
    seconds : float
        Duration of the search.
    is_done : bool
        Whether the search ended because no single slot can do better in layers of `widest` nodes.
    was_interrupted : bool
        Whether Ctrl-C ended the search.
    value : float or None
        Value of the game left, if it was solved: the expected result, -1..1, plus up to 0.02 for the lead. None: it was
        not solved.
    simulations_per_s : float
        Simulations per second.
    """

    actions: list[int]
    codes: NDArray[np.int32]
    gain: float
    simulations: int
    seconds: float
    is_done: bool
    was_interrupted: bool
    value: float | None = None

    @property
    def simulations_per_s(self) -> float:
        """Simulations per second."""
        return self.simulations / self.seconds

    def _repr_html_(self) -> str:
        from ..render import notebook

        facts = {
            "actions": self.actions,
            "gain": self.gain,
            "turns ahead": len(self.codes),
            "simulations": self.simulations,
            "seconds": self.seconds,
        }
        return notebook.draw_card("Beam search", facts)


class Beam:
    """Beam search for one game of perfect information whose players decide at once.

    The search plans several turns of all slots of a player. It frees one slot after the other while the others keep to
    the plan, and keeps the codes with which the player's lead in points grows most, `width` nodes per layer. After a
    round in which no slot improved, it doubles the width of the layers; it goes on until the budget ends. A plan counts
    by the mean of two worlds: in one the other players play the game's fallback all the time, in the other by the
    game's first policy, if it has one. The plan is never worse than to play the fallback too, or than the initial plan.
    Points are those of the table's forecast, or the scores in a game without one.

    In the last one to three turns of a game of two players, a search that is done solves the game left with the rest of
    its budget, if that is expected to suffice: it finds what each player can be sure of, whatever the other does. The
    codes of the first turn are then drawn from that strategy, and the gain of the plan may be less. What counts is the
    result, and of equal results the lead.

    Give either `simulations` or `ms`.

    Parameters
    ----------
    game : Game
        The game.
    simulations : int, optional
        Turns played per search, 1..10**9.
    ms : int, optional
        Milliseconds per search, 1..86400000.
    depth : int, optional
        Turns ahead, 1..256. Default 8.
    width, widest : int, optional
        Initial and maximum number of nodes per layer, 1..65536. Defaults 8 and 256.
    discount : float, optional
        Weight of a point that is gained one turn later, 0..1. Default 0.8.
    policy_share : float, optional
        Weight of the world in which the others play by the policy, 0..1. Default 0.5. In a game without policies it is
        not used.

    Attributes
    ----------
    game : Game
        The game.
    simulations : int
        Turns played per search; 0 if `ms` is used.
    ms : float
        Milliseconds per search; 0 if `simulations` is used.
    depth, width, widest : int
        Turns ahead, and initial and maximum number of nodes per layer.
    discount : float
        Weight of a point that is gained one turn later.
    policy_share : float
        Weight of the world in which the others play by the policy.

    Raises
    ------
    ConfigError
        If an argument is bad; the message names it.

    Examples
    --------
    >>> import masume
    >>> game = masume.load("kakomimasu", width=8, height=8, n_agents=3, total_turns=20)
    >>> state, beam = game.new_state(), Beam(game, simulations=20_000)
    >>> plan = beam.search(state, player=0)
    >>> state.apply(plan.actions)
    >>> plan = beam.search(state, player=0, last=plan)
    """

    def __init__(
        self,
        game: Game,
        *,
        simulations: int | None = None,
        ms: int | None = None,
        depth: int = 8,
        width: int = 8,
        widest: int = 256,
        discount: float = 0.8,
        policy_share: float = 0.5,
    ) -> None:
        if (simulations is None) == (ms is None):
            raise ConfigError("simulations: expected simulations or ms, and not both")
        if not (game.is_simultaneous and game.is_perfect_information):
            raise ConfigError(f"game: expected simultaneous decisions and perfect information, got {game.name}")
        self.game = game
        self.simulations = 0 if simulations is None else integer("simulations", simulations, 1, MAX_SIMULATIONS)
        self.ms: float = 0 if ms is None else integer("ms", ms, 1, MAX_MS)
        self.widest = integer("widest", widest, 1, MAX_WIDTH)
        self.width = integer("width", width, 1, self.widest)
        self.depth = integer("depth", depth, 1, MAX_DEPTH)
        self.discount = real("discount", discount, 0, 1)
        self.policy_share = real("policy_share", policy_share, 0, 1)
        self._layers = Layers(game, self.depth, self.width, self.widest, self.discount, self.policy_share)
        self._ending = Ending(game) if game.num_players == 2 else None
        self._is_free = threading.Lock()

    def search(self, state: State, player: int, seed: int = 0, last: Plan | None = None) -> Plan:
        """Search a position and return the best plan found.

        Ctrl-C ends the search early: the result is what was found so far, with `was_interrupted` set.

        Parameters
        ----------
        state : State
            The position; it is not changed.
        player : int
            The player to plan for.
        seed : int, optional
            Seed of the order in which slots are freed, and of what is drawn from a mixed strategy, 0..2**64-1.
            Default 0.
        last : Plan, optional
            The plan of the previous turn; the search starts from its remaining turns.

        Returns
        -------
        Plan
            The result.

        Raises
        ------
        GameOverError
            If the game is over.
        ConfigError
            If the state belongs to another game, or the seed is out of range.
        ValueError
            If the player has nothing to decide, or `last` is a plan of another game.
        RuntimeError
            If another search of this object is running.
        """
        seed = integer("seed", seed, 0, 2**64 - 1)
        if state.game != self.game:
            raise ConfigError(f"state: expected one of {self.game!r}, got one of {state.game!r}")
        slots = state.slots.tolist()
        if not slots:
            raise GameOverError("the game is over: there is nothing to search")
        if player not in slots:
            raise ValueError(f"player: {player} has nothing to decide here")
        codes = np.empty((0, self.game.num_slots), np.int32) if last is None else last.codes[1:]
        if codes.shape[1:] != (self.game.num_slots,):
            raise ValueError(f"last: expected a plan of {self.game.num_slots} slots, got {codes.shape[1:]}")
        with claim(self._is_free, "search: another search is running; use a separate Beam in each thread"):
            layers = self._layers
            layers.set_root(state, player, seed, np.ascontiguousarray(codes, np.int32))
            seconds = layers.run(self.simulations, self.ms / 1000)
            plan = Plan(
                actions=[],
                codes=layers.codes(),
                gain=layers.gain,
                simulations=layers.simulations,
                seconds=seconds,
                is_done=layers.is_done,
                was_interrupted=layers.was_interrupted,
            )
            if plan.is_done and self._ending is not None:
                plan = self._end(plan, self._ending, state, player, seed)
            first = plan.codes[0, : len(slots)].tolist()
            return dataclasses.replace(plan, actions=[state.decode(code) for code in first])

    def _end(self, plan: Plan, ending: Ending, state: State, player: int, seed: int) -> Plan:
        """Return the plan with the first turn of the solved game, if the rest of the budget suffices to solve it."""
        left_s = self.ms / 1000 - plan.seconds if self.ms else 0
        left = self.simulations - plan.simulations if self.simulations else int(left_s * plan.simulations_per_s)
        if left <= 0:
            return plan
        began = time.perf_counter()
        strategy = ending.run(state, player, left, left_s)
        simulations, seconds = plan.simulations + ending.simulations, plan.seconds + time.perf_counter() - began
        plan = dataclasses.replace(
            plan, simulations=simulations, seconds=seconds, was_interrupted=ending.was_interrupted
        )
        if strategy is None:
            return plan
        drawn = int(np.searchsorted(np.cumsum(strategy[1][:-1]), (Rng(seed).next() >> 11) / 2**53, "right"))
        own = state.slots == player
        codes = plan.codes.copy()
        codes[0, : len(own)][own] = strategy[0][drawn, : len(own)][own]
        self._layers.set_root(state, player, seed, codes)
        return dataclasses.replace(plan, codes=self._layers.codes(), gain=self._layers.gain, value=ending.value)
