"""Net: an agent that plays by what an evaluator, such as a network, says of many positions at once."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..agent import Thought, View, position_of
from ..core.config import integer
from ..core.extras import call_named
from ..core.rng import Rng
from ..errors import ConfigError
from .agent import read_thought
from .mcts import MAX_SIMULATIONS, MCTS, Evaluator

if TYPE_CHECKING:
    from ..game import Game

Weights = list[tuple[list[int], list[float]]]


class NetAgent:
    """An agent on an evaluator: MODULE:ATTR, called without arguments, makes one (`masume.search.Evaluator`).

    It plays each action as often as its policy says: the priors of what is legal, or with MODULE:ATTR:SIMULATIONS the
    visits of a search with the evaluator at its leaves. In self-play the evaluator sees many games at once.
    ConfigError where there is no such function.
    """

    def __init__(self, told: str, game: Game) -> None:
        self.name = f"net:{told}"
        where, _, budget = told.rpartition(":")
        if budget.isascii() and budget.isdigit():
            simulations: int | None = integer("agents: net", int(budget[:12]), 1, MAX_SIMULATIONS)
        else:
            where, simulations = told, None
        self._evaluator: Evaluator = call_named(self.name, where)
        if not callable(self._evaluator):
            raise ConfigError(f"agents: {self.name}: {self._evaluator!r} is no function")
        self._simulations = simulations
        self._search: MCTS | None = None
        self._rng = Rng(0)
        self.thought: Thought | None = None

    def start(self, game: Game, player: int, seed: int) -> None:
        """All chance of `act` comes from `seed`."""
        self._rng = Rng(seed)
        self._search = self.thought = None

    def act(self, view: View) -> Any:
        """The actions for one position."""
        ((actions, self.thought),) = self.act_many([view], [self._rng.next()])
        return actions

    def act_many(self, views: Sequence[View], seeds: Sequence[int]) -> list[tuple[Any, Thought]]:
        """Actions and thought for each position; ValueError for an evaluator's answer of another shape."""
        thoughts = self._priors(views) if self._simulations is None else self._search_all(views, seeds[0])
        answers = []
        for view, thought, seed in zip(views, thoughts, seeds, strict=True):
            rng = Rng(seed)
            chosen = [_draw(actions, weights, rng) for actions, weights in thought.policy]
            answers.append((chosen if view.game.num_slots > 1 else chosen[0], thought))
        return answers

    def _search_all(self, views: Sequence[View], seed: int) -> list[Thought]:
        if self._search is None:  # over the game that is played, whose samples it gets
            game = position_of(views[0]).game
            self._search = MCTS(game, simulations=self._simulations, evaluator=self._evaluator)
        found = self._search.search_many([position_of(view) for view in views], seed)
        if any(result.was_interrupted for result in found):
            raise KeyboardInterrupt
        return [read_thought(result, view.player) for result, view in zip(found, views, strict=True)]

    def _priors(self, views: Sequence[View]) -> list[Thought]:
        game = views[0].game
        players = np.array([view.player for view in views], np.int8)
        priors, values = self._evaluator(
            _observe(views), np.full_like(players, -1) if game.is_simultaneous else players
        )
        shape = (len(views), game.num_slots, game.num_actions)
        priors = np.asarray(priors, np.float64).reshape(shape)
        values = np.asarray(values, np.float64).reshape(len(views), game.num_players)
        thoughts = []
        for k, view in enumerate(views):
            policy: Weights = []
            for slot in view.slots:
                legal = np.flatnonzero(view.legal_mask(slot))
                weights = priors[k, slot, legal]
                if not (np.isfinite(weights).all() and (weights >= 0).all()):
                    raise ValueError("priors: finite numbers of 0 or more are wanted")
                total = weights.sum()
                share = weights / total if total > 0 else np.full(len(legal), 1 / len(legal))
                policy.append((view.legal_actions(slot).tolist(), share.tolist()))
            value = float(values[k, view.player])
            if not math.isfinite(value):
                raise ValueError(f"values: {value} is no number")
            thoughts.append(Thought(policy, value))
        return thoughts

    def close(self) -> None:
        """Let the trees go."""
        self._search = None


def _observe(views: Sequence[View]) -> Mapping[str, NDArray[Any]]:
    """What an evaluator gets of these positions; where all players decide at once, it gets all their views."""
    game = views[0].game
    names = [name for name in ("planes", "scalars") if name in game.observation_spec]
    if game.is_simultaneous:
        every = [[position_of(view).observation(player) for player in range(game.num_players)] for view in views]
        return {name: np.array([[one[name] for one in seen] for seen in every]) for name in names}
    seen = [view.observation() for view in views]
    return {name: np.array([one[name] for one in seen]) for name in names}


def _draw(actions: Sequence[int], weights: Sequence[float], rng: Rng) -> int:
    """An action, drawn as often as its weight says."""
    point = rng.next() / 2**64
    for action, weight in zip(actions, weights, strict=True):
        point -= weight
        if point < 0:
            return action
    return next(action for action, weight in zip(reversed(actions), reversed(weights), strict=True) if weight > 0)
