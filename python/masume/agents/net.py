"""NetAgent: an agent that asks an evaluator, such as a neural network, about many positions at once."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..agent import Thought, View, ViewError, position_of
from ..core.extras import call_named
from ..core.planes import MASKS
from ..core.rng import Rng
from ..errors import ConfigError
from ..game import Game
from ..nets.network import Network, find_shipped
from ..search.mcts import LEAVES, MAX_LEAVES, MCTS, Evaluator, read_form
from .searching import MCTSAgent, read_thought, read_tuning

Weights = list[tuple[list[int], list[float]]]

_NUMBER = re.compile(r"[0-9]{1,12}", re.ASCII)


def make_net_agent(spec: str, game: Game) -> NetAgent | MCTSAgent:
    """Make the agent net:TOLD.

    Parameters
    ----------
    spec : str
        MODULE:ATTR, which is called without arguments and makes an evaluator (`masume.search.Evaluator`); or the folder
        of a run of training, a file of weights (`masume.nets.network.Network`), or the name of a network that masume
        ships for the game (`networks_of`). After it may come :BUDGET, as `MCTSAgent` has it, or :BUDGET:LEAVES, the
        leaves per call of the evaluator.
    game : Game
        The game.

    Returns
    -------
    NetAgent or MCTSAgent
        Without a budget, or with a number of simulations, a NetAgent. With a time or a budget of turns an MCTSAgent,
        which plays the action that it tried most often, of one position at a time.

    Raises
    ------
    ConfigError
        If there is no such function or network, the network is one of another game or config, or the budget is bad.
    ReplayError
        If the file of the network is damaged.
    """
    name = f"net:{spec}"
    where, path, budget = _split(spec, game)
    evaluator: Any = call_named(name, where) if path is None else Network.load(path, game)
    if not callable(evaluator):
        raise ConfigError(f"agents: {name}: expected a function, got {evaluator!r}")
    leaves = 0
    if len(budget) > 1:
        leaves = int(budget[1]) if _NUMBER.fullmatch(budget[1]) else 0
        if not 1 <= leaves <= MAX_LEAVES:
            raise ConfigError(f"agents: {name}: leaves: expected 1..{MAX_LEAVES}, got {budget[1]}")
    if not budget:
        return NetAgent(evaluator, name)
    agent = MCTSAgent(budget[0], f"net:{where}", _arguments(evaluator, leaves))  # checks the budget
    if _NUMBER.fullmatch(budget[0]):
        return NetAgent(evaluator, name, int(budget[0]), leaves)
    agent.name = name
    return agent


class NetAgent:
    """Agent that plays by an evaluator, and can be asked about many positions at once.

    It draws each action with the probability in its policy: the priors of the legal actions, or the visits of a search
    with the evaluator at its leaves. By a `Network` it plays the action with the highest probability.

    Parameters
    ----------
    evaluator : Evaluator
        A `Network` or another evaluator.
    name : str, optional
        Name of the agent. Default "net".
    simulations : int, optional
        Simulations of each decision. None: it plays by the priors.
    together : int, optional
        Leaves per call of the evaluator, and positions that it is best asked about at once; 0: 16 leaves, and any
        number of positions. Default 0.

    Attributes
    ----------
    name : str
        Name of the agent, such as "net:MODULE:ATTR" or "net:run:64".
    thought : Thought or None
        The agent's evaluation at the last `act`.
    together : int
        Positions that it is best asked about at once; 0: any number.
    """

    def __init__(
        self, evaluator: Evaluator, name: str = "net", simulations: int | None = None, together: int = 0
    ) -> None:
        self.name, self.together = name, together
        self._evaluator, self._simulations = evaluator, simulations
        self._arguments = _arguments(evaluator, together)
        self._search: MCTS | None = None
        self._rng = Rng(0)
        self.thought: Thought | None = None

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"_search": None}  # its trees are made for each decision

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
        is_trained = isinstance(self._evaluator, Network)
        answers = []
        for view, thought, seed in zip(views, thoughts, seeds, strict=True):
            rng = Rng(seed)
            chosen = [
                actions[int(np.argmax(weights))] if is_trained else _draw(actions, weights, rng)
                for actions, weights in thought.policy
            ]
            answers.append((chosen if view.game.num_slots > 1 else chosen[0], thought))
        return answers

    def _search_all(self, views: Sequence[View], seed: int) -> list[Thought]:
        if self._search is None:  # with the full game, whose samples it receives
            game = position_of(views[0]).game
            self._search = MCTS(game, simulations=self._simulations, **self._arguments)
        found = self._search.search_many([position_of(view) for view in views], seed)
        if any(result.was_interrupted for result in found):
            raise KeyboardInterrupt
        return [read_thought(result, view.player) for result, view in zip(found, views, strict=True)]

    def _priors(self, views: Sequence[View]) -> list[Thought]:
        game = views[0].game
        players = np.array([view.player for view in views], np.int8)
        movers = np.full_like(players, -1) if game.is_simultaneous else players
        answer: Any = self._evaluator(self._observe(views), movers)
        if not isinstance(answer, tuple | list) or len(answer) != 2:
            raise ValueError(f"expected (priors, values), got {answer!r:.60}")
        priors = _shaped("priors", answer[0], (len(views), game.num_slots, game.num_actions))
        values = _shaped("values", answer[1], (len(views), game.num_players))
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
        observe, form = read_form(game, self._evaluator, {})

        def look(view: View, player: int) -> dict[str, NDArray[Any]]:
            return position_of(view).observation(player, dtype=form.dtype, crop=form.crop)

        def read_masks(view: View) -> list[NDArray[np.uint8]]:
            return [position_of(view).legal_mask(slot) for slot in range(game.num_slots)]

        if game.is_simultaneous:
            every = [[look(view, player) for player in range(game.num_players)] for view in views]
            fields = {name: np.array([[one[name] for one in seen] for seen in every]) for name in form.spec}
        else:
            seen = [look(view, view.player) for view in views]
            fields = {name: np.array([one[name] for one in seen]) for name in form.spec}
        return {name: np.array([read_masks(view) for view in views]) if name == MASKS else fields[name]
                for name in observe}  # fmt: skip

    def close(self) -> None:
        """Release the trees."""
        self._search = None


def _split(told: str, game: Game) -> tuple[str, Path | None, list[str]]:
    """Return the text before a budget, the file or folder of the network that it names, and up to two texts after it.

    No path: the text is MODULE:ATTR. ConfigError if it is neither.
    """
    shipped = find_shipped(game)
    for count in range(3):
        where, *budget = told.rsplit(":", count) if count else [told]
        if Path(where).exists() or where in shipped:
            return where, Path(where) if Path(where).exists() else shipped[where], budget
    module, *budget = told.split(":")
    if not budget or len(budget) > 3 or not budget[0].isidentifier():
        raise ConfigError(f"agents: net:{told}: expected MODULE:ATTR or the folder of a run after net:")
    return f"{module}:{budget[0]}", None, budget[1:]


def _arguments(evaluator: Evaluator, leaves: int) -> dict[str, Any]:
    """Return the arguments of an `MCTS` with an evaluator. leaves : for a call; 0: as many as usual."""
    how = arguments_of(evaluator) if isinstance(evaluator, Network) else {}
    return how | {"evaluator": evaluator, "leaves": leaves or LEAVES}


def arguments_of(network: Network) -> dict[str, Any]:
    """Return how an `MCTS` is to show leaves to a network; if playouts have a share, also how they are to be played."""
    tuning = read_tuning(network.game) if network.playouts else {}
    return tuning | {"observe": network.observe, "crop": network.crop, "playout_share": network.playouts}


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
