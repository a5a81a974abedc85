"""MCTSAgent, BeamAgent and AlphaBetaAgent: agents that search before each decision."""

from __future__ import annotations

import re
from typing import Any

from ..agent import Thought, View, position_of
from ..core.rng import Rng
from ..errors import ConfigError
from ..game import Game
from .alphabeta import AlphaBeta
from .beam import Beam, Plan
from .mcts import MAX_MS, MAX_SIMULATIONS, MCTS, Result

SHARE = 0.25
"""Of what is left of a turn's budget, for its next decision: nobody knows how many there will be."""

LEAST_MS = 0.05
"""For a decision of a turn whose budget is used up; a search makes one simulation at least."""

_BUDGET = re.compile(r"([0-9]{1,12})(ms)?", re.ASCII)


def _budget(name: str, budget: str, unit: str = "simulations") -> dict[str, Any]:
    """The argument of a search that the text says: `1000` of the unit, or `50ms`; ConfigError for another text."""
    match = _BUDGET.fullmatch(budget)
    count = int(match[1]) if match else 0
    if not match or not 1 <= count <= (MAX_MS if match[2] else MAX_SIMULATIONS):
        raise ConfigError(f"agents: {name}:{budget}: a number of {unit} is wanted, or of milliseconds as in 50ms")
    return {"ms" if match[2] else unit: count}


class MCTSAgent:
    """MCTS with this budget for each decision: `1000` simulations, or `50ms`; `100ms/turn` is for a turn.

    A turn is all that a player decides until another does, where everybody sees everything; the first of its decisions
    get the most. ConfigError for another text. In games of imperfect information the search sees samples of what the
    player knows.
    """

    def __init__(self, budget: str) -> None:
        self.name = f"mcts:{budget}"
        self.thought: Thought | None = None
        self._budget = _budget("mcts", budget.removesuffix("/turn"))
        self._is_for_turns = budget.endswith("/turn")
        self._search: MCTS | None = None
        self._rng = Rng(0)

    def start(self, game: Game, player: int, seed: int) -> None:
        """Begin with empty trees; ConfigError for a turn's budget in a game without turns of open decisions."""
        if self._is_for_turns and (game.num_slots > 1 or not game.is_perfect_information):
            raise ConfigError(f"agents: {self.name}: in {game.name} a budget is for a decision")
        self._search = self.thought = None
        self._rng = Rng(seed)
        self._left = 0.0  # of the budget of the turn
        self._next: int | None = None  # the key of the position in which the turn goes on

    def act(self, view: View) -> Any:
        """The actions that were tried most often; Ctrl-C ends the game, not the search alone."""
        state = position_of(view)
        if self._search is None:  # over the game that is played, whose samples it gets
            self._search = MCTS(state.game, **read_tuning(state.game), **self._budget)
        if self._is_for_turns:
            self._ration(self._search, state.key == self._next)
        found = self._search.search(state, view.player, self._rng.next())
        if found.was_interrupted:
            raise KeyboardInterrupt
        self.thought = read_thought(found, view.player)
        mine = [slot.best for slot in found.slots if slot.player == view.player]
        if self._is_for_turns:
            self._left -= found.seconds * 1000 if self._search.ms else found.new_simulations
            following = view.state
            following.apply(mine[0])
            self._next = following.key if following.current_player == view.player else None
        return mine if view.game.num_slots > 1 else mine[0]

    def _ration(self, search: MCTS, goes_on: bool) -> None:
        """Give the next search its share of what is left of the turn's budget."""
        if not goes_on:
            (self._left,) = self._budget.values()
        if search.ms:
            search.ms = max(self._left * SHARE, LEAST_MS)
        else:
            search.simulations = max(int(self._left * SHARE), 1)

    def close(self) -> None:
        """Let the trees go."""
        self._search = None


class AlphaBetaAgent:
    """Alpha-beta search with this budget for each decision: `1000` nodes, or `5ms`.

    ConfigError for another text.
    """

    def __init__(self, budget: str) -> None:
        self.name = f"alphabeta:{budget}"
        self._budget = _budget("alphabeta", budget, "nodes")
        self._search: AlphaBeta | None = None

    def start(self, game: Game, player: int, seed: int) -> None:
        """Begin with an empty table; the seed changes nothing."""
        self._search = AlphaBeta(game, **self._budget)

    def act(self, view: View) -> int:
        """The best action that the search finds; Ctrl-C ends the game, not the search alone."""
        assert self._search is not None, "start comes first"
        found = self._search.search(position_of(view))
        if found.was_interrupted:
            raise KeyboardInterrupt
        return found.actions[0]

    def close(self) -> None:
        """Let the table go."""
        self._search = None


class BeamAgent:
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
        self._plan = self._beam.search(position_of(view), view.player, self._rng.next(), self._plan)
        if self._plan.was_interrupted:
            raise KeyboardInterrupt
        mine = [self._plan.actions[slot] for slot in view.slots]
        return mine if view.game.num_slots > 1 else mine[0]

    def close(self) -> None:
        """Let the beam go."""
        self._beam = self._plan = None


def read_thought(found: Result, player: int) -> Thought:
    """What a search tells a player: the policy of each of its slots, and its value."""
    policy = [(slot.actions.tolist(), slot.policy.tolist()) for slot in found.slots if slot.player == player]
    return Thought(policy, float(found.value[player]))


def read_tuning(game: Game) -> dict[str, Any]:
    """The arguments of MCTS that play this game best, as its package says (`agents.MCTS`)."""

    return dict(getattr(game.part("agents"), "MCTS", {}))
