"""Beam: beam search for games whose players decide several slots at once."""

from __future__ import annotations

import dataclasses
import threading

import numpy as np
from numpy.typing import NDArray

from ..core._state import State
from ..core.config import integer, real
from ..errors import ConfigError, GameOverError
from ..game import Game
from ._beam import Layers
from .mcts import MAX_MS, MAX_SIMULATIONS

MAX_DEPTH = 256
MAX_WIDTH = 65536


@dataclasses.dataclass(frozen=True)
class Plan:
    """What a beam search found.

    actions : of each slot now. codes : int32[turns, slots], those of all turns ahead; the other players' are the game's
    fallback. gain : points that the player's lead grows by, later ones discounted, if all goes as planned.
    simulations : turns played. seconds : the search took. is_done : it ended because no slot alone can do better in
    layers of `widest` nodes. was_interrupted : Ctrl-C ended it.
    """

    actions: list[int]
    codes: NDArray[np.int32]
    gain: float
    simulations: int
    seconds: float
    is_done: bool
    was_interrupted: bool

    @property
    def simulations_per_s(self) -> float:
        """Simulations by seconds."""
        return self.simulations / self.seconds


class Beam:
    """Beam search for one game of perfect information whose players decide at once.

    It plans some turns of all slots of a player. One slot after the other is freed while the rest keep to the plan, and
    the codes with which the player's lead in points grows most are kept, `width` nodes a layer; then again, in layers
    twice as wide whenever no slot has found anything, until the budget ends. The other players are taken to do the
    game's fallback all the time. The plan is never worse than to do so oneself, or than the one that it began with.

    simulations or ms : how long each search is, one of the two: at most 1..10**9 simulations, each a turn played, or
    milliseconds. depth : turns ahead, 1..256. width, widest : nodes of a layer at first and at most, 1..65536.
    discount : what a point gained a turn later counts, 0..1.

    ConfigError names the argument.

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
        width: int = 16,
        widest: int = 256,
        discount: float = 0.8,
    ) -> None:
        if (simulations is None) == (ms is None):
            raise ConfigError("simulations: either simulations or ms is wanted")
        if not (game.is_simultaneous and game.is_perfect_information):
            raise ConfigError(f"game: a beam is for players who decide at once and see everything, not {game.name}")
        self.game = game
        self.simulations = 0 if simulations is None else integer("simulations", simulations, 1, MAX_SIMULATIONS)
        self.ms = 0 if ms is None else integer("ms", ms, 1, MAX_MS)
        self.widest = integer("widest", widest, 1, MAX_WIDTH)
        self.width = integer("width", width, 1, self.widest)
        self.depth = integer("depth", depth, 1, MAX_DEPTH)
        self.discount = real("discount", discount, 0, 1)
        self._layers = Layers(game, self.depth, self.width, self.widest, self.discount)
        self._is_free = threading.Lock()

    def search(self, state: State, player: int, seed: int = 0, last: Plan | None = None) -> Plan:
        """The best plan that the budget finds in `state` for `player`.

        seed : of the order in which slots are freed, 0..2**64-1. last : the plan of the turn before, with the rest of
        which the search begins. `state` is not changed.

        GameOverError at the end, ValueError for a player without a decision or a plan of another game. Ctrl-C ends the
        search: `was_interrupted` is then True, and the plan is what was found so far. RuntimeError while
        another search of this object is under way.
        """
        seed = integer("seed", seed, 0, 2**64 - 1)
        if state.game != self.game:
            raise ConfigError(f"state: it is one of {state.game!r}, not of {self.game!r}")
        slots = state.slots.tolist()
        if not slots:
            raise GameOverError("the game is over: there is nothing to search")
        if player not in slots:
            raise ValueError(f"player: {player} has nothing to decide here")
        codes = np.empty((0, self.game.num_slots), np.int32) if last is None else last.codes[1:]
        if codes.shape[1:] != (self.game.num_slots,):
            raise ValueError(f"last: a plan of {self.game.num_slots} slots is wanted, not of {codes.shape[1:]}")
        if not self._is_free.acquire(blocking=False):
            raise RuntimeError("search: another one is under way; each thread needs a Beam of its own")
        try:
            layers = self._layers
            layers.set_root(state, player, seed, np.ascontiguousarray(codes, np.int32))
            seconds = layers.run(self.simulations, self.ms / 1000)
            codes = layers.codes()
            return Plan(
                actions=[state.decode(code) for code in codes[0, : len(slots)].tolist()],
                codes=codes,
                gain=layers.gain,
                simulations=layers.simulations,
                seconds=seconds,
                is_done=layers.is_done,
                was_interrupted=layers.was_interrupted,
            )
        finally:
            self._is_free.release()
