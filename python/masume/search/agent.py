"""Searcher and Planner: agents that search before each decision."""

from __future__ import annotations

import re
from typing import Any

from ..agent import Thought, View
from ..errors import ConfigError
from ..game import Game
from ..rng import Rng
from .beam import Beam, Plan
from .mcts import MAX_MS, MAX_SIMULATIONS, MCTS, Result

_BUDGET = re.compile(r"([0-9]{1,12})(ms)?", re.ASCII)


def _budget(name: str, budget: str) -> dict[str, Any]:
    """The argument of a search that the text says: `1000` simulations, or `50ms`; ConfigError for another text."""
    match = _BUDGET.fullmatch(budget)
    count = int(match[1]) if match else 0
    if not match or not 1 <= count <= (MAX_MS if match[2] else MAX_SIMULATIONS):
        raise ConfigError(f"agents: {name}:{budget}: a number of simulations is wanted, or of milliseconds as in 50ms")
    return {"ms" if match[2] else "simulations": count}


class Searcher:
    """MCTS with this budget for each decision: `1000` simulations, or `50ms`.

    ConfigError for another text. In games of imperfect information the search sees samples of what the player knows.
    """

    def __init__(self, budget: str) -> None:
        self.name = f"mcts:{budget}"
        self.thought: Thought | None = None
        self._budget = _budget("mcts", budget)
        self._search: MCTS | None = None
        self._rng = Rng(0)

    def start(self, game: Game, player: int, seed: int) -> None:
        """Begin with empty trees."""
        self._search = self.thought = None
        self._rng = Rng(seed)

    def act(self, view: View) -> Any:
        """The actions that were tried most often; Ctrl-C ends the game, not the search alone."""
        if self._search is None:  # over the game that is played, whose samples it gets
            game = view._state.game
            self._search = MCTS(game, **tuned(game), **self._budget)
        found = self._search.search(view._state, view.player, self._rng.next())
        if found.was_interrupted:
            raise KeyboardInterrupt
        self.thought = thought_of(found, view.player)
        mine = [slot.best for slot in found.slots if slot.player == view.player]
        return mine if view.game.num_slots > 1 else mine[0]

    def close(self) -> None:
        """Let the trees go."""
        self._search = None


class Planner:
    """Beam search with this budget for each decision: `1000` simulations, or `50ms`.

    ConfigError for another text.
    """

    def __init__(self, budget: str) -> None:
        self.name = f"beam:{budget}"
        self._budget = _budget("beam", budget)
        self._beam: Beam | None = None
        self._plan: Plan | None = None
        self._rng = Rng(0)

    def start(self, game: Game, player: int, seed: int) -> None:
        """Begin without a plan."""
        self._beam = Beam(game, **self._budget)
        self._plan = None
        self._rng = Rng(seed)

    def act(self, view: View) -> Any:
        """What the plan says, which goes on from turn to turn; Ctrl-C ends the game, not the search alone."""
        assert self._beam is not None, "start comes first"
        self._plan = self._beam.search(view._state, view.player, self._rng.next(), self._plan)
        if self._plan.was_interrupted:
            raise KeyboardInterrupt
        mine = [self._plan.actions[slot] for slot in view.slots]
        return mine if view.game.num_slots > 1 else mine[0]

    def close(self) -> None:
        """Let the beam go."""
        self._beam = self._plan = None


def thought_of(found: Result, player: int) -> Thought:
    """What a search tells a player: the policy of each of its slots, and its value."""
    policy = [(slot.actions.tolist(), slot.policy.tolist()) for slot in found.slots if slot.player == player]
    return Thought(policy, float(found.value[player]))


def tuned(game: Game) -> dict[str, Any]:
    """The arguments of MCTS that play this game best, as its package says (`agents.MCTS`)."""
    from ..agent import agents_module

    return dict(getattr(agents_module(game), "MCTS", {}))
