"""Games of agents, one or several at once: ask the agents, apply the answers, attribute errors to agents."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Generator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..agent import Agent, Thought, View
from ..agents.asking import AgentErrors, Answer, Query, ask_many
from ..agents.make import is_program, make_agent
from ..core._state import State
from ..core.rng import Rng, stream
from ..errors import AgentError
from ..game import Game
from ..records.replay import Blame as Fault
from ..records.replay import Replay
from ..results import reason_of


class PlayedGame(NamedTuple):
    """A game that agents have played: its last state and, for each ply, the player, the actions and the time.

    players : the player to move, -1 if all decide at once. actions : one per slot, -1 for a slot that did not decide.
    ms : a number; one per player if all decide at once (None: the player had nothing to decide). notes : the
    agents' thoughts at each ply.
    """

    state: State
    players: list[int]
    actions: list[list[int]]
    ms: list[Any]
    notes: list[Note]

    def to_replay(self, seed: int, names: Sequence[str], fault: AgentError | None = None) -> Replay:
        """Return the game as a replay; `fault` is what ended it before its end."""
        game = self.state.game
        moves: Sequence[Any] = self.actions if game.num_slots > 1 else [row[0] for row in self.actions]
        returns, scores = self.state.returns().tolist(), self.state.scores().tolist()
        reason = reason_of(self.state)
        notes: Sequence[Fault] = ()
        if fault is not None and fault.player is not None:
            reason, notes = fault.cause, (Fault(fault.player, len(moves), fault.cause, fault.detail, fault.log),)
        return Replay(game, seed, list(names), moves, returns, scores, self.ms, reason, notes=notes)

    def _repr_html_(self) -> str:
        from ..render import notebook

        game = self.state.game
        facts: dict[str, object] = {
            "plies": len(self.actions),
            "scores": self.state.scores().tolist(),
            "returns": self.state.returns().tolist(),
        }
        reason = reason_of(self.state)
        facts |= {} if reason is None else {"reason": reason}
        return notebook.draw_card(f"Game of {game.name}", facts, notebook.draw_position(self.state))


class Note:
    """The thoughts of all agents about a ply.

    value : one per player, NaN for an agent that reported none. policy : (slot, code, weight), by slot.
    """

    def __init__(self, num_players: int) -> None:
        self.value = [float("nan")] * num_players
        self.policy: list[tuple[int, int, float]] = []

    def add(self, state: State, player: int, slots: Sequence[int], thought: Thought) -> None:
        """Add a player's thought about the slots that it decides in this position."""
        self.value[player] = float(thought.value)
        for slot, (actions, weights) in zip(slots, thought.policy, strict=True):
            codes = (state.encode(action) for action in actions)
            entries = zip(codes, weights, strict=True)
            self.policy += [(slot, code, float(weight)) for code, weight in entries if code >= 0]


def begin(game: Game, seed: int, moves: Sequence[Any] = ()) -> PlayedGame:
    """Return a game that has begun at `new_state(seed)` with these moves, which nobody is timed for.

    moves : as in a Replay, without forfeits. Raises IllegalActionError if one is not allowed.
    """
    played = PlayedGame(game.new_state(seed), [], [], [], [])
    for move in moves:
        played.players.append(-1 if game.is_simultaneous else played.state.current_player)
        played.state.apply(move)
        played.actions.append(list(move) if game.num_slots > 1 else [move])
        played.ms.append([None] * game.num_players if game.is_simultaneous else 0.0)
        played.notes.append(Note(game.num_players))
    return played


def play_game(
    game: Game,
    agents: Sequence[Agent],
    seed: int,
    watch: Callable[[State], None] | None = None,
    played: PlayedGame | None = None,
) -> PlayedGame:
    """Play one game from `new_state(seed)` to its end.

    Parameters
    ----------
    game : Game
        The game.
    agents : sequence of Agent
        agents[p] plays seat p and starts from stream(seed, p).
    seed : int
        Seed of the start.
    watch : callable, optional
        Called with the first position and after each ply; it must not change the state.
    played : PlayedGame, optional
        What has been played of the game (`begin`); it is gone on with, and shows how far the game came if an exception
        ends it.

    Returns
    -------
    PlayedGame
        The game; `PlayedGame.to_replay` turns it into a Replay.

    Raises
    ------
    AgentError
        If an agent raises, or answers with an action that it may not play.
    """
    for player, agent in enumerate(agents):
        with AgentErrors(agent, where_of(player, seed, 0), player):
            agent.start(game.public, player, stream(seed, player))
    course = _course(game, agents, seed, watch, played)
    answer = None
    while True:
        try:
            question = course.send(answer)
        except StopIteration as end:
            ended: PlayedGame = end.value
            return ended
        (answer,) = ask_many(agents[question.view.player], [question])


def play_games(
    game: Game, agents: Sequence[Sequence[Agent]], seeds: Sequence[int], tick: Callable[[int], None]
) -> list[PlayedGame]:
    """Play the games of these seeds side by side; agents that have `act_many` are asked about many games at once.

    agents : agents[p] is a list of the agents of seat p: one for all games if it has `act_many`, else one per game. The
    same agent may sit in several seats. tick : called during play with the number of games that have ended since the
    last call. Everything else is as in `play_game`.
    """
    seated = [[members[0] if len(members) == 1 else members[k] for members in agents] for k in range(len(seeds))]
    ended_games: dict[int, PlayedGame] = {}
    courses = []
    for seats, seed in zip(seated, seeds, strict=True):
        for player, agent in enumerate(seats):
            with AgentErrors(agent, where_of(player, seed, 0), player):
                agent.start(game.public, player, stream(seed, player))
        courses.append(_course(game, seats, seed, None))
    answers: dict[int, Answer | None] = dict.fromkeys(range(len(seeds)))
    while answers:
        asked: dict[int, list[tuple[int, Query]]] = {}  # by agent
        ended = len(ended_games)
        for k, answer in answers.items():
            try:
                question = courses[k].send(answer)
            except StopIteration as end:
                ended_games[k] = end.value
            else:
                asked.setdefault(id(seated[k][question.view.player]), []).append((k, question))
        tick(len(ended_games) - ended)
        answers = {}
        for questions in asked.values():
            k, first = questions[0]
            replies = ask_many(seated[k][first.view.player], [question for _, question in questions])
            answers |= {k: answer for (k, _), answer in zip(questions, replies, strict=True)}
    return [ended_games[k] for k in range(len(seeds))]


Course = Generator[Query, Answer | None, PlayedGame]


def _course(
    game: Game,
    agents: Sequence[Agent],
    seed: int,
    watch: Callable[[State], None] | None,
    played: PlayedGame | None = None,
) -> Course:
    """Play a game as a generator of questions, which is sent the answers."""
    rngs = [Rng(stream(seed, player)) for player in range(game.num_players)]
    played = played or begin(game, seed)
    state = played.state
    if watch:
        watch(state)
    while deciding := state.slots.tolist():
        actions = [-1] * game.num_slots
        used: list[float | None] = [None] * game.num_players
        note = Note(game.num_players)
        for player in sorted(set(deciding)):
            slots = [slot for slot, decider in enumerate(deciding) if decider == player]
            where = where_of(player, seed, len(played.players))
            answer = yield Query(View(state, player), rngs[player], where)
            assert answer is not None
            used[player] = answer.ms
            for slot, action in zip(slots, answer.actions, strict=True):
                actions[slot] = action
            if answer.thought is not None:
                with AgentErrors(agents[player], where, player):
                    note.add(state, player, slots, answer.thought)
        state.apply(actions if game.num_slots > 1 else actions[0])
        played.players.append(-1 if game.is_simultaneous else deciding[0])
        played.actions.append(actions)
        played.ms.append(used if game.is_simultaneous else used[deciding[0]])
        played.notes.append(note)
        if watch:
            watch(state)
    return played


def where_of(player: int, seed: int, ply: int) -> str:
    """Return where an agent was asked, for `AgentErrors`."""
    return f"player {player}, game of seed {seed}, ply {ply}"


def play_programs(
    game: Game, names: Sequence[str], seeds: Sequence[int], tick: Callable[[int], None]
) -> list[PlayedGame]:
    """Play the games of these seeds between agents of which some are programs, under the game's own time control.

    names : by seat. Each program is started once and ends after the last game; if it ends during one, that is said in a
    RuntimeWarning, and the game is played again, as it has no record. tick : as in `play_games`. Raises AgentError if a
    player is at fault, or its program ends in the same game three times.
    """
    import asyncio  # here, because most runs have no programs

    return asyncio.run(_matches(game, names, seeds, tick))


async def _matches(
    game: Game, names: Sequence[str], seeds: Sequence[int], tick: Callable[[int], None]
) -> list[PlayedGame]:
    import asyncio

    from ..referee.hooks import clock_of
    from ..referee.match import MAX_STARTS, play_match
    from ..referee.seat import CLOSED, AgentSeat
    from ..referee.seats import make_seat

    control = clock_of(game)
    agents = {player: make_agent(name, game) for player, name in enumerate(names) if not is_program(name)}
    seats = [
        AgentSeat(agents[player]) if player in agents else make_seat(name, game) for player, name in enumerate(names)
    ]
    played_games = []
    try:
        for seed in seeds:
            for left in reversed(range(MAX_STARTS)):
                watcher = _Watcher(agents, tick)
                match = await play_match(game, seats, seed, control, watcher)
                if not left or not match.faults or match.faults[0].cause != CLOSED:
                    break
                player, ply, _cause, detail, log = match.faults[0]
                warning = f"{names[player]}: {where_of(player, seed, ply)}: {detail}; the game is played again"
                warnings.warn(f"{warning}\n{log}".rstrip(), RuntimeWarning, stacklevel=1)
            for player, ply, cause, detail, log in match.faults:
                where = where_of(player, seed, ply)
                raise AgentError(f"{names[player]}: {where}: {cause}: {detail}", log, player, cause, detail)
            moves: Sequence[Any] = match.replay.moves
            actions = [list(move) if game.num_slots > 1 else [move] for move in moves]
            played_games.append(
                PlayedGame(watcher.last, watcher.players, actions, list(match.replay.ms or ()), watcher.notes)
            )
            tick(1)
    finally:
        await asyncio.gather(*(seat.close() for seat in seats))
    return played_games


class _Watcher:
    """Observer of a match that records players and thoughts as `play_game` does; programs report no thoughts."""

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


def record(games: Sequence[PlayedGame], with_thoughts: bool) -> dict[str, Any]:
    """Return these games as the arrays of `_playout.record`, plus the agents' thoughts if asked (records/arrays.py)."""
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
