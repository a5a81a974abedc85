"""Lessons: short positions in which a person learns a rule by playing, with a goal that the engine checks.

A game has them in its module `lessons`, as `LESSONS`, a sequence of `Lesson` in the order in which they are taught. Its
texts are plain English and are translated where they are shown.

A goal is a function `goal(steps, side)`. It is called after every `apply`, also those of the opponents, and returns
whether the learner has reached it. `steps` is everything since the beginning, as `Step`; the first one is the position
in which the lesson begins. Most goals are made of the functions below: `happened`, `gained`, `won`, `answered` and
`all_of`.

The opponents are the name of an agent, which plays every other seat; a script, the answers of the other seat, one for
each of its decisions; or a function `reply(state, player)` that returns the answer in a position. An answer is an
action, or a list of one for each of its slots. An action is a code or its text (`State.action_to_text`). Where a script
has ended, or an answer is not legal, the seat plays `State.fallback`. Moves and solutions are written the same way; a
move of a game in which all decide at once has an action for each slot of the state, an answer of the solution one for
each slot of the learner.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from ..agent import Agent, View, list_answer, position_of
from ..agents.asking import close_agent
from ..agents.make import make_agent
from ..core import registry
from ..core._state import State
from ..core.config import describe_unknown
from ..core.rng import stream
from ..errors import ConfigError, NotationError
from ..game import Game, load

OPEN, REACHED, FAILED = "open", "reached", "failed"
"""Whether a goal has been reached: not yet, yes, no longer possible."""

Action = int | str
Answer = Action | Sequence[Action]
Reply = Callable[[State, int], Answer]


class Step(NamedTuple):
    """A move of a lesson: what was applied (None in the first step), the position after it, and its events."""

    move: Any
    state: State
    events: Sequence[Mapping[str, Any]]


Goal = Callable[[Sequence[Step], int], bool]


@dataclasses.dataclass(frozen=True)
class Lesson:
    """A lesson of a game.

    Attributes
    ----------
    name : str
        Its name in addresses: small letters, digits and "-".
    title : str
        What it is called, in a few words.
    text : str
        One sentence: what to do, and why.
    hint : str
        One sentence that helps, shown on request.
    config : mapping
        Fields for `masume.load`.
    side : int
        The player who learns.
    goal : callable
        Whether it is reached: `goal(steps, side)`.
    par : int
        The moves of the learner in the solution. A move is an `apply` in which the learner decides.
    most : int
        The moves of the learner after which, once they are answered, it has failed; at least `par`.
    solution : sequence
        The learner's answers, in order.
    clauses : tuple of str
        The clauses of the rules that it teaches, such as ("KM-48",).
    seed : int, optional
        Seed of the game. Default 0.
    position : str, optional
        Text board (`Game.parse`) in which the game starts; empty: its start for the seed. A game that hides things
        has no memory of such a position, and starts by its seed and `moves`.
    moves : sequence, optional
        What is played before the lesson begins.
    opponents : str, sequence or callable, optional
        The name of an agent that repeats, a script, or a reply. Default: an empty script.
    lost : callable, optional
        Whether the goal can no longer be reached: `lost(steps, side)`, asked after `goal`. Default: never.
    """

    name: str
    title: str
    text: str
    hint: str
    config: Mapping[str, Any]
    side: int
    goal: Goal
    par: int
    most: int
    solution: Sequence[Answer]
    clauses: tuple[str, ...]
    seed: int = 0
    position: str = ""
    moves: Sequence[Answer] = ()
    opponents: str | Sequence[Answer] | Reply = ()
    lost: Goal | None = None


# -- goals -------------------------------------------------------------------------------------------


def happened(event: str, times: int = 1, **values: Any) -> Goal:
    """Return the goal that so many events of a name, with these values, have happened since the beginning."""

    def is_reached(steps: Sequence[Step], side: int) -> bool:  # noqa: ARG001
        found = [one for step in steps for one in step.events if one["event"] == event]
        return sum(all(one.get(key) == value for key, value in values.items()) for one in found) >= times

    return is_reached


def gained(points: int) -> Goal:
    """Return the goal that the learner has at least so many points more than at the beginning."""

    def is_reached(steps: Sequence[Step], side: int) -> bool:
        first, last = (int(step.state.scores()[side]) for step in (steps[0], steps[-1]))
        return last - first >= points

    return is_reached


def won(steps: Sequence[Step], side: int) -> bool:
    """Return whether the game is over and the learner has won it."""
    state = steps[-1].state
    return state.is_terminal() and float(state.returns()[side]) > 0


def answered(goal: Goal) -> Goal:
    """Return the goal that counts only when the learner is to decide again, or the game is over."""

    def is_reached(steps: Sequence[Step], side: int) -> bool:
        return _is_asked(steps[-1].state, side) and goal(steps, side)

    return is_reached


def all_of(*goals: Goal) -> Goal:
    """Return the goal that all of these are reached."""
    return lambda steps, side: all(goal(steps, side) for goal in goals)


def _is_asked(state: State, side: int) -> bool:
    """Return whether a player is to decide, or the game is over."""
    return state.is_terminal() or side in state.slots


# -- the lessons of a game -----------------------------------------------------------------------------


def lessons_of(game: str) -> Sequence[Lesson]:
    """Return the lessons of a game in order; none if it has no module `lessons`. ConfigError for an unknown game."""
    part: Any = registry.part_of(registry.package_of(game), "lessons")
    return () if part is None else part.LESSONS


def find_lesson(game: str, name: str) -> Lesson:
    """Return a lesson by its name; ConfigError if the game has none of this name."""
    found = {lesson.name: lesson for lesson in lessons_of(game)}
    if name not in found:
        raise ConfigError(f"lesson: {describe_unknown('lesson', name, list(found))}")
    return found[name]


def game_of(game: str, lesson: Lesson) -> Game:
    """Return the game on which a lesson is played."""
    return load(game, **lesson.config)


def start_of(lesson: Lesson, game: Game) -> State:
    """Return the position before the moves of a lesson."""
    return game.parse(lesson.position) if lesson.position else game.new_state(lesson.seed)


def moves_of(lesson: Lesson, game: Game) -> list[Any]:
    """Return the moves before a lesson begins, as codes."""
    state, moves = start_of(lesson, game), []
    for move in lesson.moves:
        codes = [code_of(state, action, slot) for slot, action in enumerate(list_answer(move, len(state.slots)))]
        moves.append(codes if game.num_slots > 1 else codes[0])
        state.apply(moves[-1])
    return moves


def begin(lesson: Lesson, game: Game) -> State:
    """Return the position in which a lesson begins."""
    state = start_of(lesson, game)
    for move in moves_of(lesson, game):
        state.apply(move)
    return state


def code_of(state: State, action: Action, slot: int) -> int:
    """Return the code of an action of a lesson; NotationError if its text names none."""
    return state.text_to_action(action, slot) if isinstance(action, str) else int(action)


class Script:
    """An agent that gives the answers of a list, then the fallback; or those of a reply.

    Parameters
    ----------
    answers : sequence or callable
        Its answers, one for each decision; or `reply(state, player)`.
    num_given : int, optional
        The number of decisions that were made before. Default 0.

    Attributes
    ----------
    name : str
        "script".
    """

    name = "script"

    def __init__(self, answers: Sequence[Answer] | Reply, num_given: int = 0) -> None:
        self._answers, self._num_given = answers, num_given

    def start(self, game: Game, player: int, seed: int) -> None:
        """Do nothing."""

    def act(self, view: View) -> list[int]:
        """Return the next answer, with the fallback for each action that is not legal."""
        state, slots = position_of(view), view.slots
        wanted: Sequence[Any] = [None] * len(slots)
        if callable(self._answers):
            wanted = list_answer(self._answers(state, view.player), len(slots))
        elif self._num_given < len(self._answers):
            wanted = list_answer(self._answers[self._num_given], len(slots))
        self._num_given += 1
        return [
            _legal(view, state, action, slot) for slot, action in zip(slots, wanted, strict=True)
        ]  # fmt: skip

    def close(self) -> None:
        """Do nothing."""


def _legal(view: View, state: State, action: Action | None, slot: int) -> int:
    """Return the code of an action if it is legal, else the fallback."""
    if action is not None:
        try:
            code = code_of(state, action, slot)
        except NotationError:  # the piece that it names is elsewhere
            return state.fallback(slot)
        if view.is_legal(code, slot):
            return code
    return state.fallback(slot)


def make_opponent(lesson: Lesson, game: Game, moves: Sequence[Any] = ()) -> Agent:
    """Return the agent that plays each other seat, after these moves since the beginning."""
    if isinstance(lesson.opponents, str):
        return make_agent(lesson.opponents, game)
    state, num_given = begin(lesson, game), 0
    for move in moves:
        num_given += state.current_player != lesson.side
        state.apply(move)
    return Script(lesson.opponents, num_given)


# -- an attempt ----------------------------------------------------------------------------------------


class Attempt:
    """A lesson as far as it has been played.

    Parameters
    ----------
    lesson : Lesson
        The lesson.
    game : Game
        The game on which it is played.

    Attributes
    ----------
    lesson, game
        The arguments.
    steps : list of Step
        Everything since the beginning.
    used : int
        The moves of the learner.
    outcome : str
        OPEN, REACHED or FAILED.
    """

    def __init__(self, lesson: Lesson, game: Game) -> None:
        self.lesson, self.game = lesson, game
        self._state = begin(lesson, game)
        self.steps = [Step(None, self._state.clone(), ())]
        self.used, self.outcome = 0, OPEN

    @property
    def state(self) -> State:
        """A clone of the position."""
        return self._state.clone()

    @property
    def stars(self) -> int:
        """2 if the goal was reached within par, 1 if it was reached, else 0."""
        return 0 if self.outcome != REACHED else 2 if self.used <= self.lesson.par else 1

    def apply(self, move: Any) -> None:
        """Play a move, unless the outcome is known; raise IllegalActionError if it is not legal."""
        if self.outcome != OPEN:
            return
        lesson = self.lesson
        is_learner = lesson.side in self._state.slots
        self._state.apply(move)
        self.used += is_learner
        self.steps.append(Step(move, self._state.clone(), self._state.events()))
        if lesson.goal(self.steps, lesson.side):
            self.outcome = REACHED
        elif self._is_lost():
            self.outcome = FAILED

    def _is_lost(self) -> bool:
        """Return whether a goal that has not been reached no longer can be."""
        lesson = self.lesson
        if lesson.lost is not None and lesson.lost(self.steps, lesson.side):
            return True
        is_late = self.used >= lesson.most and _is_asked(self._state, lesson.side)
        return is_late or self._state.is_terminal()

    def fail(self) -> None:
        """Note that nothing more can be played."""
        if self.outcome == OPEN:
            self.outcome = FAILED


def play(lesson: Lesson, game: Game, learner: Agent) -> Attempt:
    """Return an attempt that an agent has played to its outcome.

    Raises
    ------
    IllegalActionError
        If an answer is not legal.
    """
    attempt = Attempt(lesson, game)
    agents = {
        player: learner if player == lesson.side else make_opponent(lesson, game) for player in range(game.num_players)
    }
    try:
        for player, agent in agents.items():
            agent.start(game.public, player, stream(lesson.seed, player))
        while attempt.outcome == OPEN:
            attempt.apply(_decide(attempt.state, agents, game))
    finally:
        for agent in agents.values():
            close_agent(agent)
    return attempt


def _decide(state: State, agents: Mapping[int, Agent], game: Game) -> Any:
    """Return the move that the agents decide in a position."""
    actions = [0] * len(state.slots)
    for player in sorted(set(state.slots.tolist())):
        view = View(state, player)
        for slot, action in zip(view.slots, list_answer(agents[player].act(view), len(view.slots)), strict=True):
            actions[slot] = int(action)
    return actions if game.num_slots > 1 else actions[0]


def solve(lesson: Lesson, game: Game, solution: Iterable[Answer] | None = None) -> Attempt:
    """Return the attempt of the lesson's solution, or of another list of answers, after which the learner waits."""
    return play(lesson, game, Script(tuple(lesson.solution if solution is None else solution)))
