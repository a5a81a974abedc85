"""NetAgent: an agent that asks an evaluator, such as a neural network, about many positions at once."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..agent import Thought, View, ViewError, position_of
from ..core.config import integer
from ..core.extras import call_named
from ..core.rng import Rng
from ..errors import ConfigError
from ..learn.network import Network, find_shipped
from .agent import read_thought
from .mcts import LEAVES, MAX_LEAVES, MAX_SIMULATIONS, MCTS, Evaluator

if TYPE_CHECKING:
    from ..game import Game

Weights = list[tuple[list[int], list[float]]]


class NetAgent:
    """Agent that plays by an evaluator. MODULE:ATTR, called without arguments, creates it (`masume.search.Evaluator`).

    The agent draws each action with the probability in its policy: the priors of the legal actions, or, with
    MODULE:ATTR:SIMULATIONS, the visits of a search with the evaluator at its leaves. In self-play the evaluator sees
    many games at once; with MODULE:ATTR:SIMULATIONS:LEAVES its calls are for this number of leaves (else for 16), and
    so many games are played at once.

    FOLDER is the folder of a run of training, a file of weights (`masume.learn.network.Network`), or the name of a
    network that masume ships for the game (`networks_of`). That agent plays the action with the highest probability.

    Parameters
    ----------
    told : str or Network
        MODULE:ATTR or FOLDER, with :SIMULATIONS or :SIMULATIONS:LEAVES; or a network, which plays by its policy.
    game : Game
        The game.

    Attributes
    ----------
    name : str
        Name of the agent, such as "net:MODULE:ATTR" or "net:run:64".
    thought : Thought or None
        The agent's evaluation at the last `act`.
    together : int
        Positions that it is best asked about at once; 0: any number.

    Raises
    ------
    ConfigError
        If there is no such function or network, or the network is one of another game or config.
    ReplayError
        If the file of the network is damaged.
    """

    def __init__(self, told: str | Network, game: Game) -> None:
        self._search: MCTS | None = None
        self._rng = Rng(0)
        self.thought: Thought | None = None
        self._evaluator: Evaluator
        self._names: Sequence[str] | None = None
        self._crop: tuple[int, int] | None = None
        self._simulations: int | None = None
        self.together = 0
        self._is_trained = False
        if isinstance(told, Network):
            self.name = "net"
            self._take(told)
            return
        self.name = f"net:{told}"
        where, *budget = _split(told)
        if budget:
            self._simulations = integer("agents: net", budget[0], 1, MAX_SIMULATIONS)
        if len(budget) > 1:
            self.together = integer("agents: net: leaves", budget[1], 1, MAX_LEAVES)
        path = Path(where) if Path(where).exists() else find_shipped(game).get(where)
        if path is not None:
            self._take(Network.load(path, game))
        elif ":" not in where:
            raise ConfigError(f"agents: {self.name}: expected MODULE:ATTR or the folder of a run after net:")
        else:
            self._evaluator = call_named(self.name, where)
        if not callable(self._evaluator):
            raise ConfigError(f"agents: {self.name}: expected a function, got {self._evaluator!r}")

    def _take(self, network: Network) -> None:
        self._evaluator, self._is_trained = network, True
        self._names, self._crop = network.observe, network.crop

    def start(self, game: Game, player: int, seed: int) -> None:
        """Start a game; all random numbers of `act` derive from `seed`."""
        self._rng = Rng(seed)
        self._search = self.thought = None

    def act(self, view: View) -> Any:
        """Return the actions for one position."""
        ((actions, self.thought),) = self.act_many([view], [self._rng.next()])
        return actions

    def act_many(self, views: Sequence[View], seeds: Sequence[int]) -> list[tuple[Any, Thought]]:
        """Return (actions, thought) for each position; ValueError if the evaluator's answer has another shape."""
        thoughts = self._priors(views) if self._simulations is None else self._search_all(views, seeds[0])
        answers = []
        for view, thought, seed in zip(views, thoughts, seeds, strict=True):
            rng = Rng(seed)
            chosen = [
                actions[int(np.argmax(weights))] if self._is_trained else _draw(actions, weights, rng)
                for actions, weights in thought.policy
            ]
            answers.append((chosen if view.game.num_slots > 1 else chosen[0], thought))
        return answers

    def _search_all(self, views: Sequence[View], seed: int) -> list[Thought]:
        if self._search is None:  # with the full game, whose samples it receives
            game = position_of(views[0]).game
            self._search = MCTS(
                game,
                simulations=self._simulations,
                evaluator=self._evaluator,
                leaves=self.together or LEAVES,
                observe=self._names,
                crop=self._crop,
            )
        found = self._search.search_many([position_of(view) for view in views], seed)
        if any(result.was_interrupted for result in found):
            raise KeyboardInterrupt
        return [read_thought(result, view.player) for result, view in zip(found, views, strict=True)]

    def _priors(self, views: Sequence[View]) -> list[Thought]:
        game = views[0].game
        players = np.array([view.player for view in views], np.int8)
        movers = np.full_like(players, -1) if game.is_simultaneous else players
        told: Any = self._evaluator(self._observe(views), movers)
        if not isinstance(told, tuple | list) or len(told) != 2:
            raise ValueError(f"expected (priors, values), got {told!r:.60}")
        priors = _shaped("priors", told[0], (len(views), game.num_slots, game.num_actions))
        values = _shaped("values", told[1], (len(views), game.num_players))
        thoughts = []
        for k, view in enumerate(views):
            policy: Weights = []
            for slot in view.slots:
                legal = np.flatnonzero(view.legal_mask(slot))
                weights = priors[k, slot, legal]
                if not (np.isfinite(weights).all() and (weights >= 0).all()):
                    raise ViewError(k, "priors: expected finite numbers of 0 or more")
                total = weights.sum()
                share = weights / total if total > 0 else np.full(len(legal), 1 / len(legal))
                policy.append((view.legal_actions(slot).tolist(), share.tolist()))
            value = float(values[k, view.player])
            if not math.isfinite(value):
                raise ViewError(k, f"values: expected a number, got {value}")
            thoughts.append(Thought(policy, value))
        return thoughts

    def _observe(self, views: Sequence[View]) -> Mapping[str, NDArray[Any]]:
        """Return the evaluator's input for these positions; if all players decide at once, it contains all views."""
        game = views[0].game
        names = self._names or [name for name in ("planes", "scalars") if name in game.observation_spec]

        def look(view: View, player: int) -> dict[str, NDArray[Any]]:
            return position_of(view).observation(player, crop=self._crop)

        if game.is_simultaneous:
            every = [[look(view, player) for player in range(game.num_players)] for view in views]
            return {name: np.array([[one[name] for one in seen] for seen in every]) for name in names}
        seen = [look(view, view.player) for view in views]
        return {name: np.array([one[name] for one in seen]) for name in names}

    def close(self) -> None:
        """Release the trees."""
        self._search = None


def _split(told: str) -> tuple[Any, ...]:
    """Return the text before up to two numbers at the end, and these numbers."""
    parts = told.rsplit(":", 2)
    first = len(parts)
    while first > 1 and parts[first - 1].isascii() and parts[first - 1].isdigit():
        first -= 1
    return ":".join(parts[:first]), *(int(number[:12]) for number in parts[first:])


def _shaped(name: str, told: Any, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Return an array of an evaluator; one slot needs no axis. Raise ValueError if the shape is another."""
    found = np.asarray(told, np.float64)
    if found.shape != shape and not (len(shape) == 3 and shape[1] == 1 and found.shape == (shape[0], shape[2])):
        raise ValueError(f"{name}: expected shape {shape}, got {found.shape}")
    return found.reshape(shape)


def _draw(actions: Sequence[int], weights: Sequence[float], rng: Rng) -> int:
    """Return a random action; the weights are the probabilities."""
    point = rng.next() / 2**64
    for action, weight in zip(actions, weights, strict=True):
        point -= weight
        if point < 0:
            return action
    return next(action for action, weight in zip(reversed(actions), reversed(weights), strict=True) if weight > 0)
