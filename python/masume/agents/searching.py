"""MCTSAgent, BeamAgent and AlphaBetaAgent: agents that search before each decision."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..agent import Thought, View, position_of
from ..core._state import State
from ..core.rng import Rng
from ..errors import ConfigError
from ..game import Game
from ..search.alphabeta import AlphaBeta, Line
from ..search.beam import Beam, Plan
from ..search.mcts import MAX_MS, MAX_SIMULATIONS, MCTS, Result

SHARE = 0.25
"""Share of the rest of a turn's budget that its next decision gets; the number of decisions is not known ahead."""

LEAST_MS = 0.05
"""Time for a decision of a turn whose budget is used up; a search always makes at least one simulation."""

CLOCK = "clock"
"""The budget of an agent that divides its time itself, by the clock of the game."""

NO_CLOCK_MS = 1000.0
"""Time for a decision by the clock if there is none."""

TURNS = 30
"""Turns over which the rest of a clock is divided; a game may have more, as each gets a share of what is left then."""

USED, RESERVE_MS = 0.75, 30.0
"""Share of a turn's time that a search uses, and milliseconds less than that: the way back takes time too."""

KEPT, KEPT_MS = 0.25, 1000.0
"""Share of a game's time, and milliseconds more than that, which are not divided but kept for the way to the agent."""

NODES_A_SIMULATION = 20
"""Nodes of alpha-beta that take as long as a simulation of MCTS, roughly."""

UPSET_BITS = 16
"""An upset is looked for if a proof is expected to need 2 ** UPSET_BITS times the budget; nearer, points are kept."""

SLICE_MS = 5
"""Length of the searches while others think; the agent's own turn waits for the end of one."""

MOST_S = 120.0
"""Longest search while others think: they may have gone."""

_BUDGET = re.compile(r"([0-9]{1,12})(ms|s)?", re.ASCII)


def _budget(name: str, budget: str, unit: str = "simulations") -> dict[str, Any]:
    """Return the search argument of a budget: `1000` of the unit, `50ms` or `2s`; ConfigError for another text."""
    if budget == CLOCK:
        return {"ms": int(NO_CLOCK_MS)}
    match = _BUDGET.fullmatch(budget)
    count = int(match[1]) * (1000 if match[2] == "s" else 1) if match else 0
    if not match or not 1 <= count <= (MAX_MS if match[2] else MAX_SIMULATIONS):
        raise ConfigError(f"agents: {name}:{budget}: expected a number of {unit}, or a time such as 50ms, 2s or clock")
    return {"ms" if match[2] else unit: count}


class TimeBudget:
    """The times of an agent's decisions in one game, by the game's clock."""

    def __init__(self) -> None:
        self._most_ms = 0.0  # of the clock, beyond what every turn has

    def share_ms(self, view: View) -> float:
        """Return the milliseconds for a decision: what each turn has, and a share of what the clock has beyond it."""
        if view.left_ms is None:
            return NO_CLOCK_MS
        each = min(view.each_ms, view.left_ms)
        beyond = view.left_ms - each
        self._most_ms = max(self._most_ms, beyond)
        wanted = each + max(0.0, beyond - KEPT * self._most_ms - KEPT_MS) / TURNS
        return max(USED * wanted - RESERVE_MS, LEAST_MS)


class _Pondering:
    """Searches in slices, in a thread, until they are stopped: while the opponent thinks."""

    def __init__(self, search_slice: Callable[[], bool]) -> None:
        self.slices = 0
        self._search_slice, self._stopped = search_slice, threading.Event()
        self._thread = threading.Thread(target=self._run, name="masume pondering", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        end = time.monotonic() + MOST_S
        while not self._stopped.is_set() and time.monotonic() < end and self._search_slice():
            self.slices += 1

    def stop(self) -> None:
        """Wait for the end of the slice."""
        self._stopped.set()
        self._thread.join()


class _PonderingAgent:
    """Base of the agents whose search can go on while others think.

    A copy has no trees and tables, which are large: it searches what its original has searched in this game, as far as
    the results depend on it, before its next decision. What was searched by time does not repeat.
    """

    pondering: _Pondering | None = None
    _past: list[tuple[Any, ...]]  # what was searched in this game, to be searched again

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"pondering": None, "_search": None}

    def _ponder(self, view: View, action: int, search: MCTS | AlphaBeta, goes_on: Callable[[State], bool]) -> None:
        """Begin to search the position after the action, if another player decides there.

        `goes_on` searches that position for one slice and returns whether another one may find more.
        """
        following = view.state
        following.apply(action)
        if following.is_terminal() or following.current_player == view.player:
            return
        unit = "simulations" if isinstance(search, MCTS) else "nodes"
        budget = getattr(search, unit), search.ms

        def search_slice() -> bool:
            setattr(search, unit, 0)
            search.ms = SLICE_MS
            try:
                return goes_on(following)
            finally:
                setattr(search, unit, budget[0])
                search.ms = budget[1]

        self.pondering = _Pondering(search_slice)

    def _stop_pondering(self) -> None:
        if self.pondering is not None:
            self.pondering.stop()
            self.pondering = None


class MCTSAgent(_PonderingAgent):
    """MCTS agent with a budget per decision: `1000` simulations, or `50ms`; `100ms/turn` is a budget per turn.

    A turn consists of the decisions that a player makes until another player decides, in games of perfect information;
    its first decisions get the largest shares. In games of imperfect information the search uses samples of what the
    player knows. `clock` divides the time of the game's clock. `/ponder` after a budget: the search goes on while
    others think, in games of perfect information whose players move in turn, and its tree is used.

    Parameters
    ----------
    budget : str
        Simulations or milliseconds, per decision or per turn, or the clock.
    kind : str, optional
        What stands before the budget in the agent's name. Default "mcts".
    arguments : mapping, optional
        Other arguments of its `MCTS`. None: those that the game's package recommends.

    Attributes
    ----------
    name : str
        Name of the agent, such as "mcts:1000".
    thought : Thought or None
        The agent's evaluation at the last `act`.
    found : Result or None
        The result of the last search.
    pondering : object or None
        The search while others think.

    Raises
    ------
    ConfigError
        If the text is not a budget.
    """

    def __init__(self, budget: str, kind: str = "mcts", arguments: Mapping[str, Any] | None = None) -> None:
        self.name = f"{kind}:{budget}"
        self.thought: Thought | None = None
        self.found: Result | None = None
        amount, *extras = budget.split("/")
        if len(set(extras)) < len(extras) or not {*extras} <= {"turn", "ponder"}:
            raise ConfigError(f"agents: {kind}:{budget}: expected /turn or /ponder after the budget")
        self._budget = _budget(kind, amount)
        self._arguments = arguments
        self._is_by_clock, self._ponders = amount == CLOCK, "ponder" in extras
        self._is_for_turns = "turn" in extras and not self._is_by_clock
        self._search: MCTS | None = None
        self._past = []
        self._rng = Rng(0)
        self._pace = TimeBudget()

    def start(self, game: Game, player: int, seed: int) -> None:
        """Start with empty trees; ConfigError for a budget per turn in a game without turns of open decisions."""
        if self._is_for_turns and (game.num_slots > 1 or not game.is_perfect_information):
            raise ConfigError(f"agents: {self.name}: in {game.name} a budget is for a decision")
        _check_pondering(self._ponders, self.name, game)
        self._stop_pondering()
        self._search = self.thought = self.found = None
        self._past = []
        self._rng = Rng(seed)
        self._pace = TimeBudget()
        self._left = 0.0  # rest of the turn's budget
        self._next: int | None = None  # the key of the position in which the turn goes on

    def act(self, view: View) -> Any:
        """Return the actions that were tried most often. Ctrl-C ends the whole game, not only the search."""
        state = position_of(view)
        self._stop_pondering()
        if self._search is None:  # with the full game, whose samples it receives
            arguments = read_tuning(state.game) if self._arguments is None else self._arguments
            self._search = MCTS(state.game, **arguments, **self._budget)
            for earlier, player, seed, simulations in self._past:
                self._search.simulations = simulations
                self._search.search(earlier, player, seed)
            self._search.simulations = self._budget.get("simulations", 0)
        if self._is_for_turns:
            self._ration(self._search, state.key == self._next)
        elif self._is_by_clock:
            self._search.ms = self._pace.share_ms(view)
        seed = self._rng.next()
        self.found = result = self._search.search(state, view.player, seed)
        if result.was_interrupted:
            raise KeyboardInterrupt
        if result.new_simulations == result.simulations:  # it began without a tree
            self._past = []
        if self._search.simulations and state.game.is_perfect_information:
            self._past.append((state.clone(), view.player, seed, self._search.simulations))
        self.thought = read_thought(result, view.player)
        actions = [slot.best for slot in result.slots if slot.player == view.player]
        if self._is_for_turns:
            self._left -= result.seconds * 1000 if self._search.ms else result.new_simulations
            following = view.state
            following.apply(actions[0])
            self._next = following.key if following.current_player == view.player else None
        if self._ponders:
            search, seed = self._search, self._rng.next()

            def goes_on(following: State) -> bool:
                more = search.search(following, None, seed)
                return not more.is_full and not more.was_interrupted and more.new_simulations > 0

            self._ponder(view, actions[0], search, goes_on)
        return actions if view.game.num_slots > 1 else actions[0]

    def _ration(self, search: MCTS, goes_on: bool) -> None:
        """Set the next search's budget to its share of what is left of the turn's budget."""
        if not goes_on:
            (self._left,) = self._budget.values()
        if search.ms:
            search.ms = max(self._left * SHARE, LEAST_MS)
        else:
            search.simulations = max(int(self._left * SHARE), 1)

    def close(self) -> None:
        """Release the trees."""
        self._stop_pondering()
        self._search = self.found = None
        self._past = []


class AlphaBetaAgent(_PonderingAgent):
    """Alpha-beta agent with a budget per decision: `1000` nodes, or `5ms`; `clock` divides the game's time.

    `/ponder` after a budget: the search goes on while the opponent thinks, and its table is used.

    If a game's package names a player who may win whatever the points (`UPSETS`; Nezumi's mice), that player first uses
    half of the budget, as long as a proof is far. If it then expects to lose by points, MCTS has the other half and
    chooses the action: alpha-beta would save points in a game that is lost all the same.

    Parameters
    ----------
    budget : str
        Nodes or milliseconds per decision, or the clock.

    Attributes
    ----------
    name : str
        Name of the agent, such as "alphabeta:1000".
    pondering : object or None
        The search while the opponent thinks.

    Raises
    ------
    ConfigError
        If the text is not a budget.
    """

    def __init__(self, budget: str) -> None:
        self.name = f"alphabeta:{budget}"
        amount, *extras = budget.split("/")
        if extras not in ([], ["ponder"]):
            raise ConfigError(f"agents: alphabeta:{budget}: expected /ponder after the budget")
        self._budget = _budget("alphabeta", amount, "nodes")
        self._is_by_clock, self._ponders = amount == CLOCK, extras == ["ponder"]
        self._search: AlphaBeta | None = None
        self._upset: MCTS | None = None
        self._past = []
        self._rng = Rng(0)
        self._pace = TimeBudget()

    def __getstate__(self) -> dict[str, Any]:
        return super().__getstate__() | {"_upset": None}

    def start(self, game: Game, player: int, seed: int) -> None:
        """Start with an empty table; the seed is used by MCTS alone, for a player who may win whatever the points."""
        self._stop_pondering()
        self._pace, self._rng = TimeBudget(), Rng(seed)
        self._search, self._past = self._prepare(game, player), []

    def _prepare(self, game: Game, player: int) -> AlphaBeta:
        """Return a search with an empty table."""
        self._upset = None
        if getattr(game.package, "UPSETS", None) == player:
            self._upset = MCTS(game, simulations=1, **read_tuning(game))
        return AlphaBeta(game, **self._budget)

    def act(self, view: View) -> int:
        """Return the best action that the search finds. Ctrl-C ends the whole game, not only the search."""
        self._stop_pondering()
        state = position_of(view)
        if self._search is None:  # of a copy
            self._search = self._prepare(view.game, view.player)
            for earlier, rng in self._past:
                self._rng.state, now = rng, self._rng.state
                self._decide(self._search, earlier)
                self._rng.state = now
        if self._is_by_clock:
            self._search.ms = self._pace.share_ms(view)
        if self._search.nodes:
            self._past.append((state.clone(), self._rng.state))
        action = self._decide(self._search, state)
        if self._ponders:
            search = self._search

            def goes_on(following: State) -> bool:
                more = search.search(following)
                return not more.was_interrupted and more.seconds >= SLICE_MS / 2000  # sooner: it sees the end

            self._ponder(view, action, search, goes_on)
        return action

    def _decide(self, search: AlphaBeta, state: State) -> int:
        if self._upset is None or search.missing_bits(state) < UPSET_BITS:
            return _first(search.search(state))
        nodes, ms = search.nodes, search.ms
        search.nodes, search.ms = (nodes + 1) // 2, ms / 2
        try:
            found = search.search(state)
            if found.was_interrupted or found.is_whole or not np.isnan(found.value).any():
                return _first(found)
            if found.lead >= 0:
                return _first(search.search(state))
        finally:
            search.nodes, search.ms = nodes, ms
        self._upset.simulations, self._upset.ms = max(nodes // 2 // NODES_A_SIMULATION, 1 if nodes else 0), ms / 2
        return _first(self._upset.search(state, seed=self._rng.next()))

    def close(self) -> None:
        """Release the table and the trees."""
        self._stop_pondering()
        self._search = self._upset = None
        self._past = []


def _first(found: Line | Result) -> int:
    """Return the action that a search found; KeyboardInterrupt if Ctrl-C ended it."""
    if found.was_interrupted:
        raise KeyboardInterrupt
    return found.actions[0]


class BeamAgent:
    """Beam search agent with a budget per decision: `1000` simulations, or `50ms`; `clock` divides the game's time.

    Parameters
    ----------
    budget : str
        Simulations or milliseconds per decision, or the clock.

    Attributes
    ----------
    name : str
        Name of the agent, such as "beam:1000".

    Raises
    ------
    ConfigError
        If the text is not a budget.
    """

    def __init__(self, budget: str) -> None:
        self.name = f"beam:{budget}"
        self._budget, self._is_by_clock = _budget("beam", budget), budget == CLOCK
        self._beam: Beam | None = None
        self._plan: Plan | None = None
        self._rng = Rng(0)
        self._pace = TimeBudget()

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"_beam": None}  # what it keeps for later is the plan

    def start(self, game: Game, player: int, seed: int) -> None:
        """Start without a plan."""
        self._beam = Beam(game, **self._budget)
        self._plan = None
        self._rng = Rng(seed)
        self._pace = TimeBudget()

    def act(self, view: View) -> Any:
        """Return the plan's actions; the plan is kept across turns. Ctrl-C ends the whole game, not only the search."""
        if self._beam is None:  # of a copy
            self._beam = Beam(view.game, **self._budget)
        if self._is_by_clock:
            self._beam.ms = self._pace.share_ms(view)
        self._plan = self._beam.search(position_of(view), view.player, self._rng.next(), self._plan)
        if self._plan.was_interrupted:
            raise KeyboardInterrupt
        actions = [self._plan.actions[slot] for slot in view.slots]
        return actions if view.game.num_slots > 1 else actions[0]

    def close(self) -> None:
        """Release the beam."""
        self._beam = self._plan = None


def _check_pondering(ponders: bool, name: str, game: Game) -> None:
    """Raise ConfigError if an agent is to search while others think, in a game where nothing of that can be kept."""
    if ponders and (game.is_simultaneous or not game.is_perfect_information):
        raise ConfigError(f"agents: {name}: in {game.name} nothing of a search is kept while others think")


def read_thought(found: Result, player: int) -> Thought:
    """Return a player's Thought from a search: the policy of each of its slots, and its value."""
    policy = [(slot.actions.tolist(), slot.policy.tolist()) for slot in found.slots if slot.player == player]
    return Thought(policy, float(found.value[player]))


def read_tuning(game: Game) -> dict[str, Any]:
    """Return the MCTS arguments that the game's package recommends (`agents.MCTS`)."""

    return dict(getattr(game.part("agents"), "MCTS", {}))
