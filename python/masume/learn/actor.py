"""Self-play in lockstep: all games are searched at once, so that one call of the network answers all leaves.

With perfect information the search explores the position itself, with simultaneous decisions it has a bandit for each
slot, and with hidden information it explores samples of what the player knows. The network sees only a player's
observation.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..agent import Agent, View
from ..agents.asking import AgentErrors, Query, ask_many
from ..agents.make import make_agent
from ..agents.net import NetAgent, arguments_of
from ..core._state import State
from ..core.rng import Rng, stream
from ..game import Game
from ..nets.network import Network
from ..play.driver import where_of
from ..search.mcts import MCTS
from .samples import ILLEGAL, Samples

LEAVES = 4096  # at most in a call of the network
SLIPS = 0.1


class Opponent(NamedTuple):
    """A member of the pool that plays in a game: its name, the learner's seat, and the agent of each other seat."""

    name: str
    seat: int
    agents: Mapping[int, Agent]


def invite(
    game: Game, drawn: Sequence[tuple[str, int] | None], members: Mapping[str, str | Network]
) -> list[Opponent | None]:
    """Return the guest of each game. drawn : the member's name and the learner's seat; None: nobody.

    members : for each name that of an agent, or a network, which plays by its policy. A member with `act_many` is one
    object for all its games.
    """
    asked: dict[str, Agent] = {}
    opponents: list[Opponent | None] = []
    for one in drawn:
        if one is None:
            opponents.append(None)
            continue
        name, seat = one
        others = [player for player in range(game.num_players) if player != seat]
        agents = {player: asked[name] if name in asked else _make_member(members[name], game) for player in others}
        if hasattr(agents[others[0]], "act_many"):
            asked[name] = agents[others[0]]
            agents = dict.fromkeys(others, asked[name])
        opponents.append(Opponent(name, seat, agents))
    return opponents


def _make_member(member: str | Network, game: Game) -> Agent:
    return make_agent(member, game) if isinstance(member, str) else NetAgent(member)


class Harvest(NamedTuple):
    """What games gave: samples, the plies played, and for each game with a guest its name and the learner's result.

    seconds : how long the network, the other agents, and everything else in playing took.
    """

    samples: Samples
    plies: int
    met: list[tuple[str, float]]
    seconds: dict[str, float]

    @classmethod
    def join(cls, parts: Sequence[Harvest]) -> Harvest:
        """Return what several parts of an iteration gave, at least one."""
        samples = Samples.join([one.samples for one in parts])
        seconds = {name: sum(one.seconds[name] for one in parts) for name in parts[0].seconds}
        return cls(samples, sum(one.plies for one in parts), [met for one in parts for met in one.met], seconds)


class _Stopwatch:
    """Sums the time of calls by name, in seconds."""

    def __init__(self) -> None:
        self._began = time.perf_counter()
        self._seconds = {"network": 0.0, "agents": 0.0}

    def read(self) -> dict[str, float]:
        """Return the seconds by name; playing: all others since the clock was made."""
        return {"playing": time.perf_counter() - self._began - sum(self._seconds.values()), **self._seconds}

    @contextlib.contextmanager
    def over(self, name: str) -> Iterator[None]:
        """Add the time of the block to a name."""
        began = time.perf_counter()
        try:
            yield
        finally:
            self._seconds[name] += time.perf_counter() - began


class _Decisions(NamedTuple):
    """Decisions: int64[n] the game and the player, and as in `Samples` what the player saw and the policy."""

    games: np.ndarray[Any, Any]
    players: np.ndarray[Any, Any]
    seen: np.ndarray[Any, Any]
    policies: np.ndarray[Any, Any]


def play(
    network: Network,
    seeds: Sequence[int],
    guests: Sequence[Opponent | None],
    simulations: int,
    considered: int,
    scale: float,
    tick: Callable[[int], None],
) -> Harvest:
    """Play a game for each seed to its end, and return what the network is to learn from them.

    Where the config draws the board, all are played on that of the first seed (`Game.redrawn`). Each decision of the
    learner is drawn by sequential halving among `considered` codes. guests : for each game who else plays, None: the
    network plays all seats. scale : the search's trust. tick : called with the number of games that have ended since
    the last call. Raises KeyboardInterrupt for Ctrl-C.
    """
    clock, game = _Stopwatch(), network.game.redrawn(seeds[0])
    states = [game.new_state(seed) for seed in seeds]
    table = _Opponents(states, guests, seeds)

    def evaluate(observations: Any, players: Any) -> Any:
        with clock.over("network"):
            return network(observations, players)

    search = MCTS(
        game,
        simulations=simulations,
        considered=considered,
        trust=scale,
        evaluator=evaluate,
        leaves=min(len(seeds), LEAVES),
        memory_mb=max(256, len(seeds)),
        **arguments_of(network),
    )
    turns = 0

    def decide(alive: Sequence[int], codes: dict[int, np.ndarray[Any, Any]]) -> list[_Decisions]:
        nonlocal turns
        learning = [k for k in alive if _learners(states[k], guests[k])]
        rows = (
            [_decide(network, search, states, guests, learning, codes, stream(seeds[0], 2 + turns))] if learning else []
        )
        with clock.over("agents"):
            table.ask(alive, codes)
        turns += 1
        return rows

    rows, plies = _play_out(states, decide, tick)
    returns = _returns(states)
    met = [(one.name, float(returns[k][one.seat])) for k, one in enumerate(guests) if one is not None]
    return Harvest(_to_samples(network, rows, returns), plies, met, clock.read())


def teach(network: Network, seeds: Sequence[int], teacher: str, tick: Callable[[int], None]) -> Harvest:
    """Play a game for each seed in which an agent plays all seats; the network is to learn its policy.

    A share SLIPS of the agent's choices is replaced by random legal codes, so that games differ and show what to do
    after a mistake. teacher : name of the agent. The board and tick are as in `play`.
    """
    clock, game = _Stopwatch(), network.game.redrawn(seeds[0])
    states = [game.new_state(seed) for seed in seeds]
    rng = np.random.Generator(np.random.PCG64(stream(seeds[0], 1)))
    seats = range(game.num_players)
    guests = [Opponent(teacher, 0, {player: make_agent(teacher, game) for player in seats}) for _ in seeds]
    table = _Opponents(states, guests, seeds)

    def decide(alive: Sequence[int], codes: dict[int, np.ndarray[Any, Any]]) -> list[_Decisions]:
        with clock.over("agents"):
            table.ask(alive, codes)
        asked = [(k, player) for k in alive for player in _learners(states[k], None)]
        targets = np.full((len(asked), network.heads, game.num_actions), ILLEGAL, np.float16)
        for target, (k, player) in zip(targets, asked, strict=True):
            for slot in np.flatnonzero(states[k].slots == player):
                legal = np.flatnonzero(states[k].legal_mask(int(slot)))
                target[network.head[slot], legal] = SLIPS / len(legal)
                target[network.head[slot], codes[k][slot]] += 1 - SLIPS
                if rng.random() < SLIPS:
                    codes[k][slot] = legal[rng.integers(len(legal))]
        games, players = np.array(asked).T
        return [_Decisions(games, players, _look(network, states, asked).astype(np.float16), targets)]

    rows, plies = _play_out(states, decide, tick)
    return Harvest(_to_samples(network, rows, _returns(states)), plies, [], clock.read())


def _play_out(
    states: Sequence[State],
    decide: Callable[[Sequence[int], dict[int, np.ndarray[Any, Any]]], list[_Decisions]],
    tick: Callable[[int], None],
) -> tuple[list[_Decisions], int]:
    """Play games to their ends; return the rows, and the number of plies.

    decide : writes the codes of all slots of the games that go on, by their numbers, and returns rows.
    """
    rows: list[_Decisions] = []
    plies = 0
    alive = list(range(len(states)))
    while alive:
        codes = {k: np.zeros(len(states[k].slots), np.int64) for k in alive}
        rows += decide(alive, codes)
        for k in alive:
            actions = [states[k].decode(int(code)) for code in codes[k]]
            states[k].apply(actions if states[k].game.num_slots > 1 else actions[0])
        plies += len(alive)
        ended = sum(states[k].is_terminal() for k in alive)
        alive = [k for k in alive if not states[k].is_terminal()]
        tick(ended)
    return rows, plies


def _returns(states: Sequence[State]) -> np.ndarray[Any, Any]:
    """Return float16[games, players], the results."""
    return np.array([state.returns() for state in states], np.float16)


def _to_samples(network: Network, rows: Sequence[_Decisions], returns: np.ndarray[Any, Any]) -> Samples:
    """Return rows as samples, with the results of their games."""
    game = network.game
    turned = np.stack([np.roll(returns, -player, axis=1) for player in range(game.num_players)], axis=1)
    none = np.zeros(0, np.int64)
    empty = _Decisions(
        none,
        none,
        np.zeros((0, network.inputs), np.float16),
        np.zeros((0, network.heads, game.num_actions), np.float16),
    )
    games, players, seen, policies = (np.concatenate(parts) for parts in zip(empty, *rows, strict=True))
    return Samples(seen, policies, turned[games, players])


def _learners(state: State, guest: Opponent | None) -> list[int]:
    """Return the players who decide now and whom the learner plays, ascending."""
    return sorted(player for player in {*state.slots.tolist()} if guest is None or player == guest.seat)


def _look(
    network: Network, states: Sequence[State], asked: Sequence[tuple[int, int]]
) -> np.ndarray[Any, np.dtype[np.float32]]:
    """Return what the network sees of games, each with the player who looks."""
    looks = [states[k].observation(player, crop=network.crop) for k, player in asked]
    views = {name: np.array([one[name] for one in looks]) for name in network.observe}
    return network.rows(views, np.array([player for _, player in asked]))


def _decide(
    network: Network,
    search: MCTS,
    states: Sequence[State],
    guests: Sequence[Opponent | None],
    games: Sequence[int],
    codes: dict[int, np.ndarray[Any, Any]],
    seed: int,
) -> _Decisions:
    """Search these games, write the drawn codes of all slots, and return a row for each of the learner's players."""
    forest = search.explore_many([states[k] for k in games], seed)
    if forest.was_interrupted:
        raise KeyboardInterrupt
    seen = network.see(*forest.observe_roots())
    drawn, policies = forest.improve(*network.by_slot(*network.forward(seen)))
    for k, row_codes in zip(games, drawn, strict=True):
        codes[k][:] = row_codes[: len(codes[k])]
    places, players = np.array([(place, player) for place, k in enumerate(games)
                                for player in _learners(states[k], guests[k])]).T  # fmt: skip
    seats = len(seen) // len(games)
    targets = np.full((len(places), network.heads, network.game.num_actions), ILLEGAL, np.float16)
    for slot, (owner, head) in enumerate(zip(network.owner, network.head, strict=True)):
        own_rows = np.flatnonzero((players == owner) | (seats == 1))
        targets[own_rows, head] = policies[places[own_rows], slot]
    rows = seen[places * seats + (players if seats > 1 else 0)]
    return _Decisions(np.array(games)[places], players, rows.astype(np.float16), targets)


class _Opponents:
    """The guests of games, who begin them; each draws its chance in a game from the seed of that game."""

    def __init__(self, states: Sequence[State], guests: Sequence[Opponent | None], seeds: Sequence[int]) -> None:
        self._states, self._guests, self._seeds = states, guests, seeds
        self._rngs: dict[tuple[int, int], Rng] = {}
        self._plies = 0
        for k, (state, guest) in enumerate(zip(states, guests, strict=True)):
            for player, agent in () if guest is None else guest.agents.items():
                self._rngs[k, player] = Rng(stream(seeds[k], player))
                with AgentErrors(agent, self._where(k, player), player):
                    agent.start(state.game.public, player, stream(seeds[k], player))

    def _where(self, k: int, player: int) -> str:
        guest = self._guests[k]
        assert guest is not None
        return f"member {guest.name!r}, {where_of(player, self._seeds[k], self._plies)}"

    def ask(self, alive: Sequence[int], codes: dict[int, np.ndarray[Any, Any]]) -> None:
        """Write the codes of the guests' slots in these games; each agent is asked about all its games together."""
        asked: dict[int, list[tuple[int, int]]] = {}  # by agent
        for k in alive:
            guest = self._guests[k]
            if guest is not None:
                for player in sorted({*self._states[k].slots.tolist()} & guest.agents.keys()):
                    asked.setdefault(id(guest.agents[player]), []).append((k, player))
        for places in asked.values():
            k, player = places[0]
            guest = self._guests[k]
            assert guest is not None
            questions = [
                Query(View(self._states[k], player), self._rngs[k, player], self._where(k, player))
                for k, player in places
            ]
            answers = ask_many(guest.agents[player], questions)
            for (k, _), question, answer in zip(places, questions, answers, strict=True):
                for slot, action in zip(question.view.slots, answer.actions, strict=True):
                    codes[k][slot] = self._states[k].encode(action)
        self._plies += 1
