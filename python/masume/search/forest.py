"""TreeBatch: trees of many positions, whose leaves the caller evaluates."""

from __future__ import annotations

import contextlib
import dataclasses
import threading
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core._state import State
from ..core.config import integer
from ..core.planes import MASKS
from ..errors import ConfigError, GameOverError
from ..game import Game
from ._mcts import Forest

LEAST = -30.0  # of logits, below the greatest of the legal codes: no legal code has a prior of 0


class Leaves(NamedTuple):
    """Positions that a network is asked about.

    Attributes
    ----------
    observations : dict
        {field: array[k, *shape]}, each the view of the player to move; array[k, num_players, *shape], all views, if
        players decide at once.
    players : ndarray of int8
        int8[k], the player to move; -1 if all decide at once.
    masks : ndarray of uint8
        uint8[k, num_slots, num_actions], 1 for the legal codes. No row is empty but those of slots that decide nothing.
    trees : ndarray of int32
        int32[k], the tree of each position, ascending.
    """

    observations: dict[str, NDArray[Any]]
    players: NDArray[np.int8]
    masks: NDArray[np.uint8]
    trees: NDArray[np.int32]


@contextlib.contextmanager
def claim(lock: threading.Lock, message: str) -> Iterator[None]:
    """Hold a lock for the block; raise RuntimeError with this message if somebody else holds it."""
    if not lock.acquire(blocking=False):
        raise RuntimeError(message)
    try:
        yield
    finally:
        lock.release()


class TreeBatch:
    """Trees of many positions that are searched side by side; `MCTS.forest` makes it.

    Set a root in each tree, `collect` leaves and `answer` until `collect` returns None; then `improve` (with sequential
    halving) or `visits` tells what was found. Each tree waits for one leaf at a time, so its result does not depend on
    the others: it is that of `MCTS(leaves=1).search` with the same seed and answers.

    Attributes
    ----------
    game : Game
        The game.
    n : int
        Number of trees.

    Raises
    ------
    RuntimeError
        By any method that is called while another thread is in one.

    Examples
    --------
    >>> import masume
    >>> from masume.search import MCTS
    >>> game = masume.load("nezumi", stage="siege")
    >>> batch = game.batch(4, seed=1)
    >>> forest = MCTS(game, simulations=16, considered=4).forest(4)
    >>> for i in range(4):
    ...     kept = forest.set_root(i, batch.state(i), seed=i)
    >>> def network(leaves):
    ...     return np.zeros(leaves.masks.shape, np.float32), np.zeros((len(leaves.players), 2), np.float32)
    >>> while (leaves := forest.collect()) is not None:
    ...     logits, values = network(leaves)
    ...     forest.answer(logits=logits, values=values)
    >>> logits, values = network(forest.roots())
    >>> codes, policies = forest.improve(logits=logits, values=values)
    >>> codes.shape, policies.shape
    ((4, 1), (4, 1, 286))
    """

    def __init__(
        self, game: Game, trees: Forest, n: int, simulations: int, observe: tuple[str, ...], halves: bool
    ) -> None:
        self.game, self.n = game, n
        self._trees, self._simulations, self._observe, self._halves = trees, simulations, observe, halves
        self._owners = np.full((n, game.num_slots), -1)
        self._masks = np.zeros((n, game.num_slots, game.num_actions), np.uint8)  # of the roots
        self._waiting: NDArray[np.uint8] | None = None  # masks of the leaves
        self._is_searched = False  # no simulations are left
        self._lock = threading.Lock()

    def _claim(self, name: str) -> contextlib.AbstractContextManager[None]:
        return claim(self._lock, f"{name}: the forest is used in another thread")

    def set_root(self, tree: int, state: State, seed: int = 0, player: int | None = None) -> int:
        """Set the position that a tree searches; return the simulations that the tree has kept.

        Where nothing is hidden and `considered` is 0, a tree keeps what it has found below the position. Where
        something is hidden, the search uses only samples of what `player` has seen.

        Parameters
        ----------
        tree : int
            The tree, 0..n-1.
        state : State
            The position, which is not changed: any State of the game, also `batch.state(i)`.
        seed : int, optional
            Seed of the tree's random numbers, 0..2**64-1, unless it is kept. Default 0.
        player : int, optional
            The player to search for. None: the (first) player to move.

        Raises
        ------
        ConfigError
            If the state belongs to another game, or the tree or seed is out of range.
        GameOverError
            If the game is over.
        ValueError
            If the player has nothing to decide.
        RuntimeError
            If leaves wait for their answers.
        """
        with self._claim("set_root"):
            tree = integer("tree", tree, 0, self.n - 1)
            seed = integer("seed", seed, 0, 2**64 - 1)
            if not isinstance(state, State) or state.game.public != self.game.public:
                raise ConfigError(f"state: expected a State of {self.game!r}, got {_describe(state, self.game)}")
            slots = state.slots.tolist()
            if not slots:
                raise GameOverError(f"state: the game of tree {tree} is over: there is nothing to search")
            mover = slots[0] if player is None else player
            if mover not in slots:
                raise ValueError(f"player: expected one of {sorted(set(slots))}, who decide here, got {player!r}")
            self._is_searched = False
            simulations = self._trees.set_root(tree, state, mover, seed)
            self._trees.grant(tree, self._simulations)
            self._owners[tree] = slots + [-1] * (self.game.num_slots - len(slots))
            for slot in range(self.game.num_slots):
                state.legal_mask(slot, out=self._masks[tree, slot])
            return simulations

    def collect(self) -> Leaves | None:
        """Return a leaf of each tree that has simulations left; None when all trees are searched.

        Simulations that end in a position that is over, or where memory is used up, need no answer and are counted.

        Returns
        -------
        Leaves or None
            The leaves, in new arrays, in the order of their trees.

        Raises
        ------
        ValueError
            If a tree has no root, or a position has no samples.
        RuntimeError
            If leaves wait for their answers.
        """
        with self._claim("collect"):
            found = self._trees.collect()
            if found is None:
                self._is_searched = True
                return None
            leaves = self._read(found[0], found[1], found[2])
            self._waiting = leaves.masks
            return leaves

    def answer(self, priors: Any = None, values: Any = None, *, logits: Any = None) -> None:
        """Give the trees what a network answers about the leaves of the last `collect`.

        Arrays may be of any kind that NumPy reads, also tensors on the CPU without gradients. After an error the leaves
        go on waiting.

        Parameters
        ----------
        priors : array of float, shape (k, num_slots, num_actions)
            At least 0, with any sum. With one slot its axis may be left out.
        values : array of float, shape (k, num_players)
            The expected results of all players, in -1..1.
        logits : array of float, shape (k, num_slots, num_actions)
            In the place of priors: their logarithms. Those of illegal codes are ignored, and may be infinite.

        Raises
        ------
        ValueError
            If an array has another shape, a number is not finite or a value is not in -1..1, or unless there is one of
            priors and logits.
        RuntimeError
            If no leaves wait for an answer.
        """
        with self._claim("answer"):
            if self._waiting is None:
                raise RuntimeError("answer: no leaves wait for an answer; call collect first")
            if logits is not None and priors is None:
                priors = np.exp(_read_logits(logits, self._waiting))
            elif priors is None or logits is not None:
                raise ValueError("priors, logits: expected one of them")
            self._trees.answer(_to_array("priors", priors), _read_values(values, len(self._waiting), self.game))
            self._waiting = None

    def roots(self) -> Leaves:
        """Return the positions of all roots, as `collect` returns leaves: what a network learns from.

        ValueError if a tree has no root.
        """
        with self._claim("roots"):
            observations, players = self._trees.observe_roots()
            return self._read(observations, players, np.arange(self.n, dtype=np.int32))

    def improve(self, *, logits: Any, values: Any) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the code that sequential halving has drawn for each slot, and the policies that a network learns.

        A policy is softmax(logits + trust * (50 + most visits) * value) over the legal codes, where codes that were not
        tried have the mixed value of the position (completed action values, Gumbel AlphaZero).

        Parameters
        ----------
        logits : array of float, shape (n, num_slots, num_actions)
            The network's, of `roots`, as in `answer`.
        values : array of float, shape (n, num_players)
            The network's, of `roots`.

        Returns
        -------
        codes : ndarray of int64
            int64[n, num_slots]; -1 for a slot that decides nothing.
        policies : ndarray of float64
            float64[n, num_slots, num_actions], probabilities; 0 for illegal codes.

        Raises
        ------
        ValueError
            If an array has another shape, a number is not finite or a value is not in -1..1, a tree has no root, or
            `considered` is 0.
        RuntimeError
            Before `collect` has returned None: with simulations left, nothing is drawn yet.
        """
        with self._claim("improve"):
            if not self._halves:
                raise ValueError("improve: expected a search with considered above 0; visits tells what others found")
            if not self._is_searched:
                raise RuntimeError("improve: simulations are left; collect and answer until collect returns None")
            own = _read_values(values, self.n, self.game)
            of_slots = np.take_along_axis(own, np.maximum(self._owners, 0), axis=1)
            found = np.where(self._masks != 0, _read_logits(logits, self._masks), np.float32(0))
            codes, policies = self._trees.improve(found, of_slots)
            return codes, np.maximum(policies, 0)

    def visits(self) -> NDArray[np.int64]:
        """Return int64[n, num_slots, num_actions], how often each code of the roots was tried."""
        with self._claim("visits"):
            found = np.zeros((self.n, self.game.num_slots, self.game.num_actions), np.int64)
            for tree in range(self.n):
                for slot, bandit in enumerate(self._trees.slots(tree)):
                    found[tree, slot, bandit["codes"]] = bandit["visits"]
            return found

    def _read(
        self, observations: dict[str, NDArray[Any]], players: NDArray[np.int8], trees: NDArray[np.int32]
    ) -> Leaves:
        masks = observations[MASKS]
        shown = {name: array for name, array in observations.items() if name in self._observe}
        return Leaves(shown, players, masks, trees)


def _to_array(name: str, told: Any) -> NDArray[np.float32]:
    """Return a network's answer as float32; ValueError naming it otherwise."""
    try:
        return np.asarray(told, np.float32)
    except (TypeError, ValueError, RuntimeError) as error:  # RuntimeError: a tensor with gradients
        raise ValueError(f"{name}: expected an array of numbers: {error}") from None


def _read_logits(told: Any, masks: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Return logits less the greatest of the legal codes, not below LEAST; -inf for illegal codes."""
    logits = _to_array("logits", told)
    if logits.ndim == 2 and masks.shape[1] == 1:
        logits = logits[:, None]
    if logits.shape != masks.shape:
        raise ValueError(f"logits: expected float32{list(masks.shape)}, got {list(logits.shape)}")
    legal = masks != 0
    if not np.isfinite(logits[legal]).all():
        raise ValueError("logits: not all of legal codes are finite")
    found = np.where(legal, logits, np.float32(-np.inf))
    highest = found.max(axis=-1, keepdims=True)
    found -= np.where(np.isfinite(highest), highest, np.float32(0))  # a slot that decides nothing has no legal code
    return np.where(legal, np.maximum(found, np.float32(LEAST)), np.float32(-np.inf))


def _read_values(told: Any, count: int, game: Game) -> NDArray[np.float32]:
    """Return values as float32; ValueError unless they have the shape and are in -1..1."""
    if told is None:
        raise ValueError(f"values: expected float32{[count, game.num_players]}, got None")
    values = _to_array("values", told)
    if values.shape != (count, game.num_players):
        raise ValueError(f"values: expected float32{[count, game.num_players]}, got {list(values.shape)}")
    wrong = ~(np.abs(values) <= 1)
    if wrong.any():
        raise ValueError(f"values: expected numbers in -1..1, got {values[wrong][0]}")
    return values


def _describe(state: Any, game: Game) -> str:
    """Return what a state is that does not belong to a game, with the fields of the configs that differ."""
    other = getattr(state, "game", None)
    if not isinstance(other, Game) or other.name != game.name or game.config is None or other.config is None:
        return repr(state if other is None else other)
    mine: Any = game.public.config
    its = other.public.config
    names = [field.name for field in dataclasses.fields(mine) if getattr(mine, field.name) != getattr(its, field.name)]
    return f"one of {other!r}, which differs in {', '.join(names)}"
