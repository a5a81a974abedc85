"""MCTS: Monte Carlo tree search for any game of the function table."""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core._state import State
from ..core.config import choice, integer, real
from ..errors import ConfigError, ConfigTypeError, GameOverError
from ..game import Game
from ._mcts import Forest

Evaluator = Callable[[Mapping[str, NDArray[Any]], NDArray[np.int8]], tuple[Any, Any]]
"""(observations, players) -> (priors, values).

observations : {field: [k, *shape]}, each the view of the player to move; where players decide at once
[k, num_players, *shape], all views. players : int8[k], who is to move, -1 all at once.
priors : [k, num_slots, num_actions] (or [k, num_actions] with one slot), at least 0, of any sum; what is not legal
does not count. values : [k, num_players], the results expected, in -1..1.
"""

MAX_SIMULATIONS = 1_000_000_000
MAX_MS = 86_400_000


@dataclasses.dataclass(frozen=True)
class Bandit:
    """What was learned of one slot of the root.

    player : who decides it. actions : int64[n], those tried, in mask order. visits : int64[n]. values : float64[n],
    the mean result of the player after each. policy : float64[n], of sum 1: the share of the visits, the average
    strategy of regret matching, or the priors where an evaluator saw the root alone.
    """

    player: int
    actions: NDArray[np.int64]
    visits: NDArray[np.int64]
    values: NDArray[np.float64]
    policy: NDArray[np.float64]

    @property
    def best(self) -> int:
        """The action tried most often, of equals the one with the higher value, then the first."""
        return int(self.actions[self._best])

    @property
    def _best(self) -> int:
        most = np.flatnonzero(self.policy == self.policy.max())
        return int(most[self.values[most].argmax()])


@dataclasses.dataclass(frozen=True)
class Result:
    """What a search found.

    actions : the best of each slot, none if it was interrupted before there was any. slots : a Bandit for each.
    line : the actions of the plies expected, the best first, a list of one action a slot where there are several.
    value : float64[players], the mean results at the root of those who decide there, NaN for the others and where
    nothing was played beyond the root. simulations : that the trees have seen, earlier ones of the same position
    included. new_simulations : of this search. nodes : in the trees. memory_bytes : of the trees. seconds : the search
    took. is_full : memory ran out, so that the trees grew no further. was_interrupted : Ctrl-C ended it.
    """

    actions: list[int]
    slots: list[Bandit]
    line: list[Any]
    value: NDArray[np.float64]
    simulations: int
    new_simulations: int
    nodes: int
    memory_bytes: int
    seconds: float
    is_full: bool
    was_interrupted: bool

    @property
    def simulations_per_s(self) -> float:
        """Simulations of this search by its seconds."""
        return self.new_simulations / self.seconds


class MCTS:
    """Monte Carlo tree search for one game.

    simulations or ms : how long each search is, one of the two: 1..10**9 simulations of each position, or milliseconds.
    threads : trees searched at once and joined at the root, 1..256; the result depends on it, never on the machine.
    exploration : weight of the bounds against the values, >= 0. policy : who plays a simulation to its end, one of
    `game.policies`; unless it is random, what it does gets half of the prior of a bandit, and where things are hidden
    it plays the others in the tree too. horizon : plies of a playout, 0 to the end.
    score_scale : points of a lead that count for 0.76 of a win where a playout is cut off, and with half the weight
    where it is not; 0: results alone (the horizon is then 0).
    wide, widening : a bandit visited n times tries at most wide * n ** widening actions.
    selection : "ucb", or "regret" (regret matching; players decide at once), `noise` of whose draws are uniform.
    evaluator : values leaves in the place of playouts, `leaves` of them at once; `observe` names the fields it gets.
    memory_mb : of all trees together, each of which needs some dozens of kB; used up, they grow no further.

    ConfigError names the argument.

    >>> import masume
    >>> game = masume.load("kakomimasu", width=5, height=5, n_agents=1, total_turns=9)
    >>> state, search = game.new_state(), MCTS(game, simulations=1000)
    >>> state.apply(search.search(state).actions)
    """

    def __init__(
        self,
        game: Game,
        *,
        simulations: int | None = None,
        ms: int | None = None,
        threads: int = 1,
        exploration: float = 0.7,
        policy: str = "random",
        horizon: int = 0,
        score_scale: float = 0.0,
        wide: float = 24.0,
        widening: float = 0.3,
        selection: str = "ucb",
        noise: float = 0.1,
        evaluator: Evaluator | None = None,
        leaves: int = 16,
        observe: Sequence[str] | None = None,
        memory_mb: int = 256,
    ) -> None:
        if (simulations is None) == (ms is None):
            raise ConfigError("simulations: either simulations or ms is wanted")
        self.game = game
        self.simulations = 0 if simulations is None else integer("simulations", simulations, 1, MAX_SIMULATIONS)
        self.ms: float = 0 if ms is None else integer("ms", ms, 1, MAX_MS)
        self.threads = integer("threads", threads, 1, 256)
        is_matching = choice("selection", selection, ("ucb", "regret")) == "regret"
        if is_matching and not (game.is_simultaneous and game.is_perfect_information):
            raise ConfigError("selection: regret matching is for games whose players decide at once and see everything")
        if evaluator is not None and not callable(evaluator):
            raise ConfigTypeError(f"evaluator: a function is wanted, not {evaluator!r}")
        if evaluator is not None and is_matching:
            raise ConfigError("evaluator: regret matching has no use for priors")
        if not game.is_perfect_information and not game.has_samples:
            raise ConfigError(f"game: {game.name} hides things and has no resample")
        self.evaluator = evaluator
        self.leaves = integer("leaves", leaves, 1, 65536)
        spec = game.observation_spec
        wanted = [name for name in ("planes", "scalars") if name in spec] if observe is None else observe
        self.observe = tuple(choice("observe", name, spec) for name in wanted)
        self._settings: dict[str, Any] = {
            "exploration": real("exploration", exploration, 0, 1e6),
            "wide": real("wide", wide, 1, 1e9),
            "widening": real("widening", widening, 0, 1),
            "scale": real("score_scale", score_scale, 0, 1e12),
            "policy": game.policies.index(choice("policy", policy, game.policies)),
            "horizon": integer("horizon", horizon, 0, 1_000_000),
            "regret": is_matching,
            "noise": real("noise", noise, 0, 1),
        }
        if horizon and not score_scale:
            raise ConfigError("score_scale: a horizon needs one")
        self.memory_mb = integer("memory_mb", memory_mb, 1, 1_000_000)
        self._forest = self._grow(1)
        self._is_free = threading.Lock()

    def _grow(self, roots: int) -> Forest:
        limit = self.memory_mb * 2**20 // (roots * self.threads)
        leaves = 0 if self.evaluator is None else self.leaves
        game = self.game.public  # a hidden map would be met where a sample of a setup is played on
        return Forest(game, roots, self.threads, limit, leaves=leaves, observe=self.observe, **self._settings)

    def search(self, state: State, player: int | None = None, seed: int = 0) -> Result:
        """The best actions that the budget finds in `state` for `player` (None: who is to move).

        seed : where all chance comes from, 0..2**64-1. What an earlier search found below `state` is used again
        where the game hides nothing. `state` is not changed; in games of imperfect information the search
        looks at nothing of it but samples of what `player` has seen.

        GameOverError at the end, ValueError for a player without a decision, and what the evaluator raises.
        Ctrl-C ends the search: `was_interrupted` is then True, and the rest is what was found so far.
        RuntimeError while another search of this object is under way, a thread's or the one that asks the evaluator.
        """
        if not self._is_free.acquire(blocking=False):
            raise RuntimeError("search: another one is under way; each thread needs an MCTS of its own")
        try:
            return self._run(self._forest, [state], player, seed)[0]
        finally:
            self._is_free.release()

    def search_many(self, states: Sequence[State], seed: int = 0) -> list[Result]:
        """`search` of several positions at once, each with its own trees: an evaluator sees leaves of them all."""
        if not states:
            return []
        return self._run(self._grow(len(states)), states, None, seed)

    def _run(self, forest: Forest, states: Sequence[State], player: int | None, seed: int) -> list[Result]:
        seed = integer("seed", seed, 0, 2**64 - 1)
        for place, state in enumerate(states):
            if state.game.public != self.game.public:
                raise ConfigError(f"state: it is one of {state.game!r}, not of {self.game!r}")
            slots = state.slots.tolist()
            if not slots:
                raise GameOverError("the game is over: there is nothing to search")
            mover = slots[0] if player is None else player
            if mover not in slots:
                raise ValueError(f"player: {player} has nothing to decide here")
            forest.set_root(place, state, mover, seed + place & 2**64 - 1)
        before = [forest.sizes(place)[0] for place in range(len(states))]
        seconds = forest.run(self.simulations, self.ms / 1000, self.evaluator)
        return [self._result(forest, place, state, before[place], seconds) for place, state in enumerate(states)]

    def _result(self, forest: Forest, place: int, state: State, before: int, seconds: float) -> Result:
        simulations, nodes, size, is_full = forest.sizes(place)
        bandits = []
        value = np.full(self.game.num_players, np.nan)
        codes = []
        for slot in forest.slots(place):
            actions = slot["codes"].astype(np.int64)
            if self.game.has_exact_actions:
                actions[:] = [state.decode(code) for code in actions.tolist()]
            policy = slot["weights"] / slot["weights"].sum()
            bandits.append(Bandit(slot["player"], actions, slot["visits"], slot["values"], policy))
            codes.append(int(slot["codes"][bandits[-1]._best]))
            visits = slot["visits"].sum()
            if visits:
                value[slot["player"]] = (slot["values"] * slot["visits"]).sum() / visits
        return Result(
            actions=[state.decode(code) for code in codes],
            slots=bandits,
            line=self._line(state, forest.line(place, codes)) if codes else [],
            value=value,
            simulations=simulations,
            new_simulations=simulations - before,
            nodes=nodes,
            memory_bytes=size,
            seconds=seconds,
            is_full=is_full,
            was_interrupted=forest.was_interrupted,
        )

    def _line(self, state: State, plies: list[list[int]]) -> list[Any]:
        """The codes of plies as actions."""
        state = state.clone()
        line: list[Any] = []
        for codes in plies:
            actions = [state.decode(code) for code in codes]
            line.append(actions if self.game.num_slots > 1 else actions[0])
            state.apply(line[-1])
        return line
