"""Opponents: the players of all seats but the learner's in a batch, which move within the step of an environment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..agent import Agent, PolicyAgent, View
from ..agents.asking import AgentErrors, Query, ask_many, close_agent
from ..agents.given import AgentLike, is_maker
from ..agents.make import make_agent
from ..batch import Batch
from ..core._state import State
from ..core.rng import Rng, stream
from ..errors import AgentError, ConfigError, IllegalActionError
from ..game import Game
from ..play.league import League
from .common import apply_codes, legal_code

Opponent = AgentLike | League
OVER = -2  # of `Batch.current_player`
NOTHING: Mapping[int, int] = MappingProxyType({})


class Opponents:
    """Who plays the other seats of a batch's games, chooses their actions and steps them.

    Policies of the game play inside the batch. Other agents are asked about a State that is played along beside their
    row, one object about all rows that wait for it if it has `act_many`.

    Parameters
    ----------
    given : str, callable, League or sequence of these
        As `opponents` of `VectorEnv`.
    batch : Batch
        The games, which keep what players have seen (`memory=True`).
    seats : ndarray of int8
        int8[n], the learner's seat in each game.

    Attributes
    ----------
    asks : bool
        Whether agents in Python may play, now or as members of a league.
    agents : list of dict
        By row, the agents in Python by seat.
    members : list of dict
        By row, the names of the leagues' members by seat.
    policies, generators : ndarray
        int8[n, players] and uint64[n, players], as `Batch.choose_actions` takes them.
    states : list of State or None
        By row, the State about which agents are asked; None where the batch plays alone.

    Raises
    ------
    ConfigError
        If `given` names no opponents of this game, or not as many as there are other seats.
    AgentError
        If an agent cannot be made.
    """

    def __init__(self, opponents: Opponent | Sequence[Opponent], batch: Batch, seats: NDArray[np.int8]) -> None:
        self._batch, self._seats = batch, seats
        self._game: Game = batch.game
        n, count = batch.size, self._game.num_players
        self._made: dict[Any, Agent] = {}
        self.casts = [_seats_of(opponents, self._game, seat) for seat in seats.tolist()]
        self.agents: list[dict[int, Agent]] = [{} for _ in range(n)]
        self.members: list[dict[int, str]] = [{} for _ in range(n)]
        self.states: list[State | None] = [None] * n
        self._rngs: list[dict[int, Rng]] = [{} for _ in range(n)]
        self._asked = np.zeros(n, np.bool_)  # rows with agents in Python
        self.policies = np.zeros((n, count), np.int8)  # by place in `game.policies`; 0, random, draws from the row
        self.generators = np.zeros((n, count), np.uint64)
        wanted = list(self.casts[0].values())
        self.has_league = any(isinstance(one, League) for one in wanted)
        self._is_random = all(isinstance(one, str) and one == "random" for one in wanted)
        try:
            for i, cast in enumerate(self.casts):
                for seat, one in cast.items():
                    if not isinstance(one, League):
                        self._seat(i, seat, one)
        except BaseException:
            self.close()
            raise
        self.asks = self.has_league or any(self.agents)
        if not self._game.is_simultaneous:
            batch._show_only(seats)

    # -- who plays ----------------------------------------------------------------------------

    def begin(self, rows: NDArray[np.bool_]) -> None:
        """Seat the players of the games that have just begun in these rows."""
        if self._is_random:
            return
        for i in np.flatnonzero(rows).tolist():
            begun = int(self._batch.seeds[i])
            for player, one in self.casts[i].items():
                if isinstance(one, League):
                    name = self.members[i][player] = one.draw()
                    self._seat(i, player, one.members[name])
                self.generators[i, player] = stream(begun, player)
            self._asked[i] = bool(self.agents[i])
            if not self.agents[i]:
                self.states[i] = None
                continue
            game = self._batch.games[self._batch.game_index[i]]
            self.states[i] = game.new_state(begun)
            for player, agent in self.agents[i].items():
                self._rngs[i][player] = Rng(stream(begun, player))
                with AgentErrors(agent, self._where(i, player)):
                    agent.start(game.public, player, stream(begun, player))

    def _seat(self, i: int, player: int, given: AgentLike) -> None:
        """Give a seat of row i to a policy of the batch, or to an agent in Python."""
        agent = self._make(given, i, player)
        self.agents[i].pop(player, None)
        if isinstance(agent, PolicyAgent):
            self.policies[i, player] = self._game.policies.index(agent.policy)
        else:
            self.policies[i, player] = 0
            self.agents[i][player] = agent

    def _make(self, given: AgentLike, i: int, player: int) -> Agent:
        """Return an agent for a seat of row i: one object for all if it has `act_many` or is a policy."""
        for key in (given, (given, i, player)):
            if key in self._made:
                return self._made[key]
        agent = self._call(given, i, player) if is_maker(given) else make_agent(given, self._game)
        is_shared = hasattr(agent, "act_many") or isinstance(agent, PolicyAgent)
        self._made[given if is_shared else (given, i, player)] = agent
        return agent

    def _call(self, given: Any, i: int, player: int) -> Agent:
        """Return the agent that a callable makes; raise AgentError if it raises, ConfigError if that is no agent."""
        member = self.members[i].get(player)
        who = f"{getattr(given, '__name__', given)!s:.60}" if member is None else f"member {member!r}"
        try:
            agent = given()
        except (Exception, SystemExit) as error:
            what = str(error).partition("\n")[0] or "no message"
            raise AgentError(f"opponents: {who}, player {player}: {type(error).__name__}: {what}") from error
        if not isinstance(agent, Agent) and callable(agent):
            agent = make_agent(agent, self._game)  # of an evaluator
        if not isinstance(agent, Agent):
            raise ConfigError(f"opponents: {who}, player {player}: {agent!r:.60} lacks name, start, act or close")
        return agent

    def tell(self, ended: NDArray[np.bool_]) -> None:
        """Tell the leagues how the games that have just ended went for the learner."""
        for i in np.flatnonzero(ended).tolist() if self.has_league else ():
            result = float(self._batch.state(i, without_memory=True).returns()[self._seats[i]])
            for player, name in self.members[i].items():
                self.casts[i][player].tell(name, result)

    def close(self) -> None:
        """Close the agents, each once: Gymnasium calls this again after a failed close."""
        while self._made:
            close_agent(self._made.popitem()[1])

    # -- what they play -----------------------------------------------------------------------

    def advance(self, rows: NDArray[np.bool_], rewards: NDArray[Any] | None = None) -> None:
        """Move in these rows until the learner is to move, and add all rewards; nothing where all move at once."""
        if self._game.is_simultaneous:
            return
        while True:
            mover = self._batch.current_player
            waiting = rows & (mover != OVER) & (mover != self._seats)
            if not waiting.any():
                return
            self.step(waiting, self.choose(waiting))
            if rewards is not None:
                np.add(rewards, self._batch.rewards, out=rewards, where=waiting[:, None])

    def choose(self, rows: NDArray[np.bool_]) -> Mapping[int, int]:
        """Write the opponents' codes for these rows into the batch's actions; return exact actions by row, if any."""
        if self._is_random:
            self._batch.sample_actions(mask=rows)
            return NOTHING
        self._batch.choose_actions(self.policies, self.generators, rows)
        exact: dict[int, int] = {}
        together: dict[int, tuple[Agent, list[tuple[int, Query]]]] = {}  # by agent
        for i, state in self._beside(rows):
            mover = state.current_player
            for player, agent in self.agents[i].items():
                if mover not in (player, -1):
                    continue
                view = View(state, player)
                if view.slots:
                    question = Query(view, self._rngs[i][player], self._where(i, player))
                    together.setdefault(id(agent), (agent, []))[1].append((i, question))
        for agent, asked in together.values():
            answers = ask_many(agent, [question for _, question in asked])
            for (i, question), answer in zip(asked, answers, strict=True):
                if self._game.has_exact_actions:
                    (exact[i],) = answer.actions
                else:
                    self._batch.actions[i, question.view.slots] = answer.actions
        return exact

    def _where(self, i: int, player: int) -> str:
        """Return who is asked in row i, for errors: the member of a league, the seat and the game."""
        member = self.members[i].get(player)
        who = "" if member is None else f"member {member!r}, "
        return f"{who}player {player}, game of seed {int(self._batch.seeds[i])}, env {i}"

    def step(self, rows: NDArray[np.bool_], exact: Mapping[int, int] = NOTHING) -> None:
        """Step these rows, by exact actions or else the batch's codes, and the States about which agents are asked."""
        batch = self._batch
        if exact:
            chosen, actions = np.zeros(batch.size, np.bool_), np.zeros(batch.size, np.int64)
            for i, action in exact.items():
                chosen[i], actions[i] = True, action
            batch.step(mask=chosen, exact=actions)
            for i, state in self._beside(chosen):
                state.apply(exact[i])
            rows = rows & ~chosen
        try:
            batch.step(mask=rows)
        except IllegalActionError:  # the games it names are unchanged, the others have moved
            self._follow(rows & ~batch._illegal)
            raise
        self._follow(rows)

    def _follow(self, rows: NDArray[np.bool_]) -> None:
        """Apply the codes that the batch has played in these rows, which replaces illegal ones."""
        for i, state in self._beside(rows):
            codes = self._batch.actions[i].tolist()
            try:
                apply_codes(state, codes)
            except ValueError:
                apply_codes(state, [legal_code(state, code, slot) for slot, code in enumerate(codes)])

    def _beside(self, rows: NDArray[np.bool_]) -> list[tuple[int, State]]:
        """Return these rows with the States that are played along beside them."""
        found = np.flatnonzero(rows & self._asked).tolist() if self.asks else ()
        return [(i, state) for i in found if (state := self.states[i]) is not None]


def _seats_of(opponents: Any, game: Game, seat: int) -> dict[int, Any]:
    """Return who plays each of the seats other than the learner's."""
    others = [player for player in range(game.num_players) if player != seat]
    is_one = isinstance(opponents, str | League | Agent) or callable(opponents)
    wanted = [opponents] * len(others) if is_one else list(opponents)
    if len(wanted) != len(others):
        raise ConfigError(f"opponents: expected {len(others)}, one for each other seat, got {len(wanted)}")
    for given in wanted:
        if not (isinstance(given, str | League | Agent) or callable(given)):
            raise ConfigError(f"opponents: expected agents, names, callables or a League, got {given!r}")
    return dict(zip(others, wanted, strict=True))
