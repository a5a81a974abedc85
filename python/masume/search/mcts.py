"""MCTS: Monte Carlo tree search for any game of the function table."""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core._planes import Form
from ..core._state import State
from ..core.config import choice, integer, real
from ..core.planes import MASKS
from ..errors import ConfigError, ConfigTypeError, GameOverError
from ..game import Game
from ._mcts import Forest
from .forest import TreeBatch, claim

Evaluator = Callable[[Mapping[str, NDArray[Any]], NDArray[np.int8]], tuple[Any, Any]]
"""Function (observations, players) -> (priors, values).

observations : {field: array[k, *shape]}, each the view of the player to move; array[k, num_players, *shape], all
views, if players decide at once. players : int8[k], the player to move, -1 if all decide at once.
priors : [k, num_slots, num_actions] (or [k, num_actions] with one slot), at least 0, with any sum; entries of illegal
codes are ignored. values : [k, num_players], the expected results, in -1..1.

An evaluator may declare what it receives by attributes: observe (names of fields, "masks" among them for
uint8[k, num_slots, num_actions], 1 for legal codes), dtype and crop (the form of the planes, as `Batch` has it).
Without them it receives those of "planes" and "scalars" that the game has, whole and in float32.
"""

MAX_SIMULATIONS = 1_000_000_000
MAX_MS = 86_400_000
LEAVES, MAX_LEAVES = 16, 65536


@dataclasses.dataclass(frozen=True)
class Bandit:
    """Statistics of one slot of the root.

    Attributes
    ----------
    player : int
        The player who decides the slot.
    actions : ndarray of int64
        int64[n], the actions that were tried, in mask order.
    visits : ndarray of int64
        int64[n], simulations of each action.
    values : ndarray of float64
        float64[n], the player's mean result after each action.
    policy : ndarray of float64
        float64[n], with sum 1: the share of the visits, the average strategy of regret matching, or the priors if the
        evaluator saw only the root.
    drawn : int or None
        The action that sequential halving has come to; None without it.
    best : int
        `drawn`, or else the action tried most often; of equal ones that with the higher value, then the first.
    """

    player: int
    actions: NDArray[np.int64]
    visits: NDArray[np.int64]
    values: NDArray[np.float64]
    policy: NDArray[np.float64]
    drawn: int | None = None

    @property
    def best(self) -> int:
        """`drawn`, or else the action tried most often; of equal ones that with the higher value, then the first."""
        return int(self.actions[self._best])

    @property
    def _best(self) -> int:
        if self.drawn is not None:
            return int((self.actions == self.drawn).argmax())
        most = (self.policy == self.policy.max()).nonzero()[0]
        return int(most[self.values[most].argmax()])


@dataclasses.dataclass(frozen=True)
class Result:
    """Result of a search.

    Attributes
    ----------
    actions : list
        The best action of each slot; empty if the search was interrupted before it had one.
    slots : list of Bandit
        Statistics of each slot.
    line : list
        The expected actions of the next plies, the best first; in games of several slots, a list of actions per ply.
    value : ndarray of float64
        float64[players], the mean results of the players who decide at the root. NaN for the other players, and if
        nothing was played beyond the root.
    simulations : int
        Simulations in the trees, including those of earlier searches of the same position.
    new_simulations : int
        Simulations of this search.
    nodes : int
        Nodes in the trees.
    memory_bytes : int
        Size of the trees.
    seconds : float
        Duration of the search.
    is_full : bool
        Whether memory ran out, so that the trees stopped growing.
    was_interrupted : bool
        Whether Ctrl-C ended the search.
    simulations_per_s : float
        Simulations per second in this search.
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
        """Simulations per second in this search."""
        return self.new_simulations / self.seconds

    def _repr_html_(self) -> str:
        from ..render import notebook

        facts = {
            "actions": self.actions,
            "value": self.value.tolist(),
            "simulations": self.simulations,
            "nodes": self.nodes,
            "seconds": self.seconds,
        }
        slots = [
            notebook.draw_choices(
                slot.actions.tolist(),
                visits=slot.visits.tolist(),
                value=slot.values.tolist(),
                policy=slot.policy.tolist(),
            )
            for slot in self.slots
        ]
        return notebook.draw_card("Monte Carlo tree search", facts, *slots)


def read_form(game: Game, evaluator: object, told: Mapping[str, Any]) -> tuple[tuple[str, ...], Form]:
    """Return the fields that an evaluator receives, and the form of their planes.

    told : what is told instead of the attributes observe, dtype and crop of the evaluator. ConfigError if the game has
    no such field or form.
    """
    how = {name: told.get(name, getattr(evaluator, name, None)) for name in ("observe", "dtype", "crop")}
    form = Form(game, how["dtype"] or "float32", how["crop"])
    usual = [name for name in ("planes", "scalars") if name in form.spec]
    observe = usual if how["observe"] is None else how["observe"]
    return tuple(choice("observe", name, (*form.spec, MASKS)) for name in observe), form


class MCTS:
    """Monte Carlo tree search for one game.

    Give either `simulations` or `ms`.

    Parameters
    ----------
    game : Game
        The game.
    simulations : int, optional
        Simulations per position and search, 1..10**9.
    ms : int, optional
        Milliseconds per search, 1..86400000.
    threads : int, optional
        Trees that are searched at once and joined at the root, 1..256. The result depends on this number, but not on
        the machine. Default 1.
    exploration : float, optional
        Weight of the confidence bounds relative to the values, 0..10**6. Default 0.7.
    policy : str, optional
        Policy of the playouts, one of `game.policies`. Unless it is "random", the choice of `prior` gets half of the
        prior of each bandit, and in games of imperfect information the other players follow `policy` inside the tree
        too.
    prior : str, optional
        Policy that a bandit begins with, one of `game.policies`. It is asked once for each node, so it may cost more
        than one that plays playouts. None (default): `policy`.
    horizon : int, optional
        Plies of a playout, 0..1000000; 0: play to the end. Default 0.
    score_scale : float, optional
        Lead in points that counts as 0.76 of a win if a playout is cut off, and with a weight of `lead_share` if it is
        not; 0..10**12. 0: use results alone, which requires a horizon of 0. Default 0.
    lead_share : float, optional
        Share of the lead in the value of a game that has ended, 0..1; the rest is the result. Default 0.5.
    per_sample : int, optional
        Simulations that begin with the same sample in games of imperfect information, 1..1000000. More than one where
        samples cost more than playouts. Default 1.
    wide, widening : float, optional
        A bandit visited n times tries at most ``wide * n ** widening`` actions; 1..10**9 and 0..1. Defaults 24 and 0.3.
    selection : str, optional
        "ucb" (default), or "regret": regret matching, for games whose players decide at once.
    noise : float, optional
        Share of the draws of regret matching that are uniform, 0..1. Default 0.1.
    considered : int, optional
        Actions of each slot among which sequential halving at the root divides the simulations: those of the highest
        prior with Gumbel noise, so that the action is drawn from a policy that the values have improved (Gumbel
        AlphaZero). It needs `simulations`, one thread, and an evaluator or `forest`; 1..65536. 0 (default): the root
        chooses by the same bounds as every other position.
    trust : float, optional
        Weight of the values against prior and noise in the halving, 0..100. Default 0.1.
    evaluator : callable, optional
        Evaluates leaves instead of playouts, or beside them (`Evaluator`).
    leaves : int, optional
        Leaves per call of the evaluator, 1..65536. Default 16.
    playout_share : float, optional
        Share of a playout in the value of a leaf, 0..1; the evaluator's value has the rest. Default 0: no playouts.
    observe : sequence of str, optional
        Observation fields that the evaluator receives; "masks": the legal codes. None: those that it declares
        (`Evaluator`), else those of "planes" and "scalars" that the game has.
    dtype : str, optional
        Form of the planes, one of those of `Batch`. None: the one that the evaluator declares, else "float32".
    crop : int, (int, int) or "seen", optional
        Odd numbers of rows and columns, 1..63: the evaluator receives only this part of the planes around the viewer,
        as `Batch` writes it. None: what the evaluator declares, else everything.
    memory_mb : int, optional
        Memory of all trees together in MB, 1..1000000; each tree needs some dozens of kB. Once it is used up, the trees
        stop growing. Default 256.

    Attributes
    ----------
    game : Game
        The game.
    simulations : int
        Simulations per position and search; 0 if `ms` is used.
    ms : float
        Milliseconds per search; 0 if `simulations` is used.
    threads : int
        Trees that are searched at once.
    evaluator : callable or None
        Evaluates leaves instead of playouts.
    leaves : int
        Leaves per call of the evaluator.
    observe : tuple of str
        Observation fields that the evaluator receives.
    dtype : str
        Form of the planes that it receives.
    crop : (int, int), "seen" or None
        Rows and columns of the part of the planes that it receives; None: everything.
    memory_mb : int
        Memory of all trees together in MB.

    Raises
    ------
    ConfigError
        If an argument is bad; the message names it.

    Examples
    --------
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
        prior: str | None = None,
        horizon: int = 0,
        score_scale: float = 0.0,
        lead_share: float = 0.5,
        per_sample: int = 1,
        wide: float = 24.0,
        widening: float = 0.3,
        selection: str = "ucb",
        noise: float = 0.1,
        considered: int = 0,
        trust: float = 0.1,
        evaluator: Evaluator | None = None,
        leaves: int = LEAVES,
        playout_share: float = 0.0,
        observe: Sequence[str] | None = None,
        dtype: str | None = None,
        crop: int | tuple[int, int] | str | None = None,
        memory_mb: int = 256,
    ) -> None:
        if (simulations is None) == (ms is None):
            raise ConfigError("simulations: expected simulations or ms, and not both")
        self.game = game
        self.simulations = 0 if simulations is None else integer("simulations", simulations, 1, MAX_SIMULATIONS)
        self.ms: float = 0 if ms is None else integer("ms", ms, 1, MAX_MS)
        self.threads = integer("threads", threads, 1, 256)
        is_matching = choice("selection", selection, ("ucb", "regret")) == "regret"
        if is_matching and not (game.is_simultaneous and game.is_perfect_information):
            raise ConfigError("selection: regret matching needs simultaneous decisions and perfect information")
        if evaluator is not None and not callable(evaluator):
            raise ConfigTypeError(f"evaluator: expected a function, got {evaluator!r}")
        if evaluator is not None and is_matching:
            raise ConfigError("evaluator: expected None with regret matching, which uses no priors")
        if integer("considered", considered, 0, 65536) and (simulations is None or threads != 1):
            raise ConfigError("considered: expected 0 without simulations, or with several threads")
        if real("playout_share", playout_share, 0, 1) and evaluator is None:
            raise ConfigError(f"playout_share: expected 0 without an evaluator, got {playout_share}")
        if not game.is_perfect_information and not game.has_samples:
            raise ConfigError(f"game: {game.name} hides things and has no resample")
        self.evaluator = evaluator
        self.leaves = integer("leaves", leaves, 1, MAX_LEAVES)
        form_options = {"observe": observe, "dtype": dtype, "crop": crop}
        self.observe, form = read_form(
            game, evaluator, {name: one for name, one in form_options.items() if one is not None}
        )
        self.dtype, self.crop = form.dtype, form.crop
        self._settings: dict[str, Any] = {
            "exploration": real("exploration", exploration, 0, 1e6),
            "wide": real("wide", wide, 1, 1e9),
            "widening": real("widening", widening, 0, 1),
            "scale": real("score_scale", score_scale, 0, 1e12),
            "lead_share": real("lead_share", lead_share, 0, 1),
            "per_sample": integer("per_sample", per_sample, 1, 1_000_000),
            "policy": game.policies.index(choice("policy", policy, game.policies)),
            "prior": game.policies.index(choice("prior", policy if prior is None else prior, game.policies)),
            "horizon": integer("horizon", horizon, 0, 1_000_000),
            "regret": is_matching,
            "noise": real("noise", noise, 0, 1),
            "considered": considered,
            "trust": real("trust", trust, 0, 100),
            "playout_share": playout_share,
        }
        if prior is not None and policy == "random":
            raise ConfigError("prior: expected None with random playouts, which trust no policy")
        if horizon and not score_scale:
            raise ConfigError("score_scale: expected a number above 0 with a horizon, got 0")
        self.memory_mb = integer("memory_mb", memory_mb, 1, 1_000_000)
        self._forest = self._grow(1, 0 if evaluator is None else self.leaves)
        self._is_free = threading.Lock()

    def _grow(self, roots: int, leaves: int, *more: str) -> Forest:
        """Return trees. leaves : for a call of the evaluator. more : fields beside `observe`."""
        limit = self.memory_mb * 2**20 // (roots * self.threads)
        game = self.game.public  # a sample would reveal a hidden map
        return Forest(
            game,
            roots,
            self.threads,
            limit,
            leaves=leaves,
            observe=tuple(dict.fromkeys((*self.observe, *more))),
            dtype=self.dtype,
            crop=self.crop,
            **self._settings,
        )

    def forest(self, n: int) -> TreeBatch:
        """Return n trees whose leaves you evaluate: a batched search for a training loop of your own.

        The trees divide `memory_mb`. The evaluator is not asked; `leaves` has no effect.

        Parameters
        ----------
        n : int
            Number of trees, 1..65536.

        Returns
        -------
        TreeBatch
            Trees without positions.

        Raises
        ------
        ConfigError
            If the search is by time, has several threads or regret matching, or the memory does not suffice.
        """
        if not self.simulations or self.threads != 1 or self._settings["regret"]:
            raise ConfigError("forest: expected simulations, one thread and selection='ucb'")
        count = integer("n", n, 1, MAX_LEAVES)
        considered = self._settings["considered"] > 0
        trees = self._grow(count, count, MASKS)
        return TreeBatch(self.game, trees, count, self.simulations, self.observe, considered)

    def search(self, state: State, player: int | None = None, seed: int = 0) -> Result:
        """Search a position and return the best actions found.

        In games of perfect information, a search reuses what an earlier one found below `state`. In games of imperfect
        information it uses only samples of what `player` has seen. Ctrl-C ends the search early: the result is what was
        found so far, with `was_interrupted` set.

        Parameters
        ----------
        state : State
            The position; it is not changed.
        player : int, optional
            The player to search for. None: the player to move.
        seed : int, optional
            Seed of all random numbers, 0..2**64-1. Default 0.

        Returns
        -------
        Result
            The result.

        Raises
        ------
        GameOverError
            If the game is over.
        ConfigError
            If the state belongs to another game, or the seed is out of range.
        ValueError
            If the player has nothing to decide.
        RuntimeError
            If another search of this object is running, in another thread or in the one that calls the evaluator.

        Notes
        -----
        An exception of the evaluator ends the search and is not caught.
        """
        with claim(self._is_free, "search: another search is running; use a separate MCTS in each thread"):
            return self._run(self._forest, [state], player, seed)[0]

    def search_many(self, states: Sequence[State], seed: int = 0) -> list[Result]:
        """Search several positions at once, each in its own trees; a call of the evaluator gets leaves of all of them.

        Parameters
        ----------
        states : sequence of State
            The positions; they are not changed.
        seed : int, optional
            Seed of all random numbers, 0..2**64-1. Default 0.

        Returns
        -------
        list of Result
            One result per position. Errors are those of `search`.
        """
        if not states:
            return []
        return self._run(self._grow_many(states), states, None, seed)

    def explore_many(self, states: Sequence[State], seed: int = 0) -> Forest:
        """Search several positions at once and return their trees, a place for each: `Forest.improve` reads them.

        The arguments and errors are those of `search_many`; at least one position. After Ctrl-C the trees hold what was
        found so far, and `was_interrupted` is set.
        """
        forest = self._grow_many(states)
        self._explore(forest, states, None, seed)
        return forest

    def _grow_many(self, states: Sequence[State]) -> Forest:
        return self._grow(len(states), 0 if self.evaluator is None else self.leaves)

    def _run(self, forest: Forest, states: Sequence[State], player: int | None, seed: int) -> list[Result]:
        before, seconds = self._explore(forest, states, player, seed)
        return [self._result(forest, place, state, before[place], seconds) for place, state in enumerate(states)]

    def _explore(
        self, forest: Forest, states: Sequence[State], player: int | None, seed: int
    ) -> tuple[list[int], float]:
        """Search positions; return the simulations in each place's trees before, and the seconds."""
        seed = integer("seed", seed, 0, 2**64 - 1)
        if self.evaluator is None and self._settings["considered"]:
            raise ConfigError("considered: expected 0 without an evaluator")
        for place, state in enumerate(states):
            if state.game.public != self.game.public:
                raise ConfigError(f"state: expected one of {self.game!r}, got one of {state.game!r}")
            slots = state.slots.tolist()
            if not slots:
                raise GameOverError("the game is over: there is nothing to search")
            mover = slots[0] if player is None else player
            if mover not in slots:
                raise ValueError(f"player: {player} has nothing to decide here")
            forest.set_root(place, state, mover, seed + place & 2**64 - 1)
        before = [forest.sizes(place)[0] for place in range(len(states))]
        return before, forest.run(self.simulations, self.ms / 1000, self.evaluator)

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
            drawn = None if slot["drawn"] < 0 else state.decode(slot["drawn"])
            bandits.append(Bandit(slot["player"], actions, slot["visits"], slot["values"], policy, drawn))
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
        """Return the codes of plies as actions."""
        state = state.clone()
        line: list[Any] = []
        for codes in plies:
            actions = [state.decode(code) for code in codes]
            line.append(actions if self.game.num_slots > 1 else actions[0])
            state.apply(line[-1])
        return line
