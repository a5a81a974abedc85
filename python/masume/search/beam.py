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
    """Result of a beam search.

    Attributes
    ----------
    actions : list of int
        The action of each slot now.
    codes : ndarray of int32
        int32[turns, slots], the codes of all turns ahead; for the other players, the game's fallbacks.
    gain : float
        Points by which the player's lead grows if everything goes as planned; later points are discounted.
    simulations : int
        Turns played.
    seconds : float
        Duration of the search.
    is_done : bool
        Whether the search ended because no single slot can do better in layers of `widest` nodes.
    was_interrupted : bool
        Whether Ctrl-C ended the search.
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
    round in which no slot improved, it doubles the width of the layers; it goes on until the budget ends. The other
    players are assumed to play the game's fallback all the time. The plan is never worse than to do the same, or than
    the initial plan.

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
        Initial and maximum number of nodes per layer, 1..65536. Defaults 16 and 256.
    discount : float, optional
        Weight of a point that is gained one turn later, 0..1. Default 0.8.

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
        width: int = 16,
        widest: int = 256,
        discount: float = 0.8,
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
        self._layers = Layers(game, self.depth, self.width, self.widest, self.discount)
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
            Seed of the order in which slots are freed, 0..2**64-1. Default 0.
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
        if not self._is_free.acquire(blocking=False):
            raise RuntimeError("search: another search is running; use a separate Beam in each thread")
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
