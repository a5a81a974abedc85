"""Games of agents, one or several at once: who is asked what, what comes of it, and who is to blame for what."""

from __future__ import annotations

import operator
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..agent import Agent, Thought, View
from ..core.rng import Rng, stream
from ..errors import AgentError, IllegalActionError
from ..records.replay import Replay
from .agents import Blame, is_program, make_agent

if TYPE_CHECKING:
    from ..core._state import State
    from ..game import Game


class Played(NamedTuple):
    """A game that agents have played: its end, and for each ply who decided (-1: all), what, and how long it took.

    actions : one a slot, -1 for a slot not wanted. ms : a number, or one a player (None: had nothing to decide)
    where all decide at once. notes : what the agents thought at each ply.
    """

    state: State
    players: list[int]
    actions: list[list[int]]
    ms: list[Any]
    notes: list[Note]

    def to_replay(self, seed: int, names: Sequence[str]) -> Replay:
        """The game as a replay."""
        game = self.state.game
        moves: Sequence[Any] = self.actions if game.num_slots > 1 else [row[0] for row in self.actions]
        returns, scores = self.state.returns().tolist(), self.state.scores().tolist()
        return Replay(game, seed, list(names), moves, returns, scores, self.ms)


class Note:
    """The thoughts of all agents about a ply.

    value : one a player, NaN where it told none. policy : (slot, code, weight), by slot.
    """

    def __init__(self, num_players: int) -> None:
        self.value = [float("nan")] * num_players
        self.policy: list[tuple[int, int, float]] = []

    def add(self, state: State, player: int, slots: Sequence[int], thought: Thought) -> None:
        """Note what a player thought of the slots that it decides in this position."""
        self.value[player] = float(thought.value)
        for slot, (actions, weights) in zip(slots, thought.policy, strict=True):
            codes = (state.encode(action) for action in actions)
            entries = zip(codes, weights, strict=True)
            self.policy += [(slot, code, float(weight)) for code, weight in entries if code >= 0]


class Question(NamedTuple):
    """What an agent is asked: the actions of `player`, whose agent's chance is `rng`."""

    player: int
    view: View
    rng: Rng


class Answer(NamedTuple):
    """What it gives: the actions, milliseconds, and what it thought, if it tells."""

    actions: Any
    ms: float
    thought: Thought | None


def play_game(game: Game, agents: Sequence[Agent], seed: int, watch: Callable[[State], None] | None = None) -> Played:
    """One game from `new_state(seed)` to its end; agents[p] plays seat p and starts from stream(seed, p).

    watch : called with the first position and after each ply; it must not change the state.
    AgentError where an agent raises or answers with what it may not play.
    """
    for player, agent in enumerate(agents):
        with Blame(agent, _where(player, seed, 0)):
            agent.start(game.public, player, stream(seed, player))
    course = _course(game, agents, seed, watch)
    answer = None
    while True:
        try:
            question = course.send(answer)
        except StopIteration as end:
            played: Played = end.value
            return played
        answer = _ask(course, agents[question.player], question)


def play_games(
    game: Game, agents: Sequence[Sequence[Agent]], seeds: Sequence[int], tick: Callable[[int], None]
) -> list[Played]:
    """The games of these seeds, side by side: agents that can (`act_many`) are asked about many of them at once.

    agents : agents[p] are those of seat p: one for all games if it can be asked so, else one for each game. The same
    one may sit in several seats. tick : called as the games go, with the number of those that have ended since.
    Everything else is as in `play_game`.
    """
    at = [[one[0] if len(one) == 1 else one[k] for one in agents] for k in range(len(seeds))]
    found: dict[int, Played] = {}
    courses = []
    for seats, seed in zip(at, seeds, strict=True):
        for player, agent in enumerate(seats):
            with Blame(agent, _where(player, seed, 0)):
                agent.start(game.public, player, stream(seed, player))
        courses.append(_course(game, seats, seed, None))
    answers: dict[int, Answer | None] = dict.fromkeys(range(len(seeds)))
    while answers:
        asked: dict[Agent, list[tuple[int, Question]]] = {}
        ended = len(found)
        for k, answer in answers.items():
            try:
                question = courses[k].send(answer)
            except StopIteration as end:
                found[k] = end.value
            else:
                asked.setdefault(at[k][question.player], []).append((k, question))
        tick(len(found) - ended)
        answers = {}
        for agent, mine in asked.items():
            if hasattr(agent, "act_many"):
                answers |= _ask_at_once(agent, courses, mine)
            else:
                ((k, question),) = mine
                answers[k] = _ask(courses[k], agent, question)
    return [found[k] for k in range(len(seeds))]


Course = Generator[Question, Answer | None, Played]


def _course(game: Game, agents: Sequence[Agent], seed: int, watch: Callable[[State], None] | None) -> Course:
    """A game that asks for what it needs; what is wrong with an answer, or thrown into it, is the agent's fault."""
    state = game.new_state(seed)
    rngs = [Rng(stream(seed, player)) for player in range(game.num_players)]
    played = Played(state, [], [], [], [])
    if watch:
        watch(state)
    while deciding := state.slots.tolist():
        actions = [-1] * game.num_slots
        used: list[float | None] = [None] * game.num_players
        note = Note(game.num_players)
        for player in sorted(set(deciding)):
            slots = [slot for slot, decider in enumerate(deciding) if decider == player]
            with Blame(agents[player], _where(player, seed, len(played.players))):
                answer = yield Question(player, View(state, player), rngs[player])
                assert answer is not None
                used[player] = answer.ms
                for slot, action in zip(slots, _actions(answer.actions, game, len(slots)), strict=True):
                    actions[slot] = action
                if answer.thought is not None:
                    note.add(state, player, slots, answer.thought)
        try:
            state.apply(actions if game.num_slots > 1 else actions[0])
        except IllegalActionError:
            slot = next(slot for slot in range(len(deciding)) if actions[slot] not in state.legal_actions(slot))
            with Blame(agents[deciding[slot]], _where(deciding[slot], seed, len(played.players))):
                raise
        played.players.append(-1 if game.is_simultaneous else deciding[0])
        played.actions.append(actions)
        played.ms.append(used if game.is_simultaneous else used[deciding[0]])
        played.notes.append(note)
        if watch:
            watch(state)
    return played


def _ask(course: Course, agent: Agent, question: Question) -> Answer:
    """The answer of one agent; what it raises is thrown into the game, which knows whom to blame."""
    before = time.perf_counter()
    try:
        actions = agent.act(question.view)
        return Answer(actions, _ms(before), getattr(agent, "thought", None))
    except (Exception, SystemExit) as error:
        course.throw(error)
        raise


def _ask_at_once(
    agent: Any, courses: Sequence[Course], asked: Sequence[tuple[int, Question]]
) -> dict[int, Answer | None]:
    """The answers of an agent that is asked about several games, each with its share of the time."""
    before = time.perf_counter()
    views = [question.view for _, question in asked]
    try:
        found = agent.act_many(views, [question.rng.next() for _, question in asked])
        if len(found) != len(asked):
            raise ValueError(f"{len(asked)} answers are wanted, one for each view, not {len(found)}")
        ms = round(_ms(before) / len(asked), 3)
        return {k: Answer(actions, ms, thought) for (k, _), (actions, thought) in zip(asked, found, strict=True)}
    except (Exception, SystemExit) as error:
        courses[asked[0][0]].throw(error)
        raise


def _ms(before: float) -> float:
    return round(1000 * (time.perf_counter() - before), 3)


def _actions(answer: Any, game: Game, wanted: int) -> list[int]:
    """What an agent answered, as one int for each of its slots."""
    answers = list(answer) if game.num_slots > 1 else [answer]
    if len(answers) != wanted:
        raise ValueError(f"{wanted} actions are wanted, one for each of view.slots, not {len(answers)}")
    return [operator.index(action) for action in answers]


def _where(player: int, seed: int, ply: int) -> str:
    return f"player {player}, game of seed {seed}, ply {ply}"


def play_programs(game: Game, names: Sequence[str], seeds: Sequence[int], tick: Callable[[int], None]) -> list[Played]:
    """The games of these seeds between agents of which some are programs, on the game's own clock.

    names : by seat. Each program is started once, and ends with the last game. tick : as in `play_games`.
    AgentError where anybody is at fault.
    """
    import asyncio  # here, as what needs it: most runs have no programs

    return asyncio.run(_matches(game, names, seeds, tick))


async def _matches(game: Game, names: Sequence[str], seeds: Sequence[int], tick: Callable[[int], None]) -> list[Played]:
    import asyncio

    from ..referee.clock import TimeControl
    from ..referee.hooks import hook
    from ..referee.match import play_match
    from ..referee.seat import AgentSeat
    from ..referee.seats import make_seat

    clock = hook(game, "clock")
    control = TimeControl() if clock is None else clock(game.config)
    agents = {player: make_agent(name, game) for player, name in enumerate(names) if not is_program(name)}
    seats = [
        AgentSeat(agents[player]) if player in agents else make_seat(name, game) for player, name in enumerate(names)
    ]
    found = []
    try:
        for seed in seeds:
            watcher = _Watcher(agents, tick)
            match = await play_match(game, seats, seed, control, watcher)
            for player, ply, cause, detail in match.faults:
                raise AgentError(f"{names[player]}: player {player}, game of seed {seed}, ply {ply}: {cause}: {detail}")
            moves: Sequence[Any] = match.replay.moves
            actions = [list(move) if game.num_slots > 1 else [move] for move in moves]
            found.append(Played(watcher.last, watcher.players, actions, list(match.replay.ms or ()), watcher.notes))
            tick(1)
    finally:
        await asyncio.gather(*(seat.close() for seat in seats))
    return found


class _Watcher:
    """Sees every position of a match, and notes what `play_game` does beside the actions; programs tell no thoughts."""

    last: State

    def __init__(self, agents: Mapping[int, Agent], tick: Callable[[int], None]) -> None:
        self._agents, self._tick = agents, tick
        self.players: list[int] = []
        self.notes: list[Note] = []

    def __call__(self, state: State) -> None:
        if hasattr(self, "last"):
            deciding = self.last.slots.tolist()
            note = Note(state.game.num_players)
            for player, agent in self._agents.items():
                thought = getattr(agent, "thought", None)
                if player in deciding and thought is not None:
                    slots = [slot for slot, decider in enumerate(deciding) if decider == player]
                    note.add(self.last, player, slots, thought)
            self.players.append(-1 if state.game.is_simultaneous else deciding[0])
            self.notes.append(note)
        self.last = state.clone()
        self._tick(0)


def record(games: Sequence[Played], with_thoughts: bool) -> dict[str, Any]:
    """What `_playout.record` returns of these games, and what the agents thought (records.py)."""
    notes = [note for played in games for note in played.notes]
    part = {
        "length": np.array([len(played.players) for played in games], np.int64),
        "player": np.array([player for played in games for player in played.players], np.int8),
        "actions": np.array([row for played in games for row in played.actions], np.int64),
        "returns": np.array([played.state.returns() for played in games], np.float32),
        "scores": np.array([played.state.scores() for played in games], np.int64),
    }
    if with_thoughts:
        entries = [entry for note in notes for entry in note.policy]
        part |= {
            "value": np.array([note.value for note in notes], np.float32),
            "policy_size": np.array([len(note.policy) for note in notes], np.int32),
            "policy_slot": np.array([slot for slot, _, _ in entries], np.int8),
            "policy_code": np.array([code for _, code, _ in entries], np.int16),
            "policy_weight": np.array([weight for _, _, weight in entries], np.float32),
        }
    return part
