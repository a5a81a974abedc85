"""Asking agents: `ask_many` asks one agent about many games, and names it in the error if it fails."""

from __future__ import annotations

import operator
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

from ..agent import Agent, PolicyAgent, Thought, View, ViewError, list_answer
from ..core.rng import Rng
from ..core.trace import own_traceback
from ..errors import AgentError, IllegalActionError


class AgentErrors:
    """Context manager that turns any error of the block into an AgentError, with the error as its cause.

    where : a description of the question put to the agent, for people. player : the agent's, in a game. This is a class
    because `contextlib.contextmanager` lets a StopIteration through.
    """

    def __init__(self, agent: Agent, where: str, player: int | None = None) -> None:
        self._agent, self._where, self._player = agent, where, player

    def __enter__(self) -> None:
        pass

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if isinstance(error, Exception | SystemExit):
            what = str(error).partition("\n")[0] or "no message"
            is_illegal = isinstance(error, IllegalActionError | ViewError)
            if not is_illegal:
                what = f"{type(error).__name__}: {what}"
            log = "" if isinstance(error, IllegalActionError) else own_traceback(error)
            told = f"{self._agent.name}: {self._where}: {what}"
            raise AgentError(told, log, self._player, "illegal" if is_illegal else "crash", what) from error


class Query(NamedTuple):
    """A question to an agent: what its player sees, the generator of its chance in that game, and whose fault it is.

    where : as in AgentErrors.
    """

    view: View
    rng: Rng
    where: str


class Answer(NamedTuple):
    """An agent's answer: an action for each of `view.slots`, the milliseconds that it took, and a thought or None."""

    actions: list[int]
    ms: float
    thought: Thought | None


def ask_many(agent: Agent, questions: Sequence[Query]) -> list[Answer]:
    """Ask one agent about many games: all at once if it has `act_many`, which shares the time equally.

    Raises AgentError, which says where, if the agent raises or answers with actions that are not allowed.
    """
    if not hasattr(agent, "act_many"):
        return [_ask(agent, question) for question in questions]
    before = time.perf_counter()
    seeds = [question.rng.next() for question in questions]
    try:
        replies = list(agent.act_many([question.view for question in questions], seeds))
        if len(replies) != len(questions):
            raise ValueError(f"expected {len(questions)} answers, one for each view, got {len(replies)}")
    except (Exception, SystemExit) as error:
        asked = questions[error.place if isinstance(error, ViewError) else 0]
        with AgentErrors(agent, asked.where, asked.view.player):
            raise
    ms = round(_ms(before) / len(questions), 3)
    answers = []
    for question, answer in zip(questions, replies, strict=True):
        with AgentErrors(agent, question.where, question.view.player):
            actions, thought = answer
            answers.append(Answer(_read(actions, question.view), ms, thought))
    return answers


def _ask(agent: Agent, question: Query) -> Answer:
    """Return the answer of an agent about one game."""
    with AgentErrors(agent, question.where, question.view.player):
        before = time.perf_counter()
        given = agent.act(question.view)
        ms = _ms(before)
        if isinstance(agent, PolicyAgent):  # by the game's own table
            return Answer(list_answer(given, len(question.view.slots)), ms, None)
        return Answer(_read(given, question.view), ms, getattr(agent, "thought", None))


def _read(answer: Any, view: View) -> list[int]:
    """Return an answer as one action for each slot; raise IllegalActionError if it is none, or may not be played."""
    slots = view.slots
    actions = []
    for slot, action in zip(slots, list_answer(answer, len(slots)), strict=True):
        try:
            actions.append(operator.index(action))
        except TypeError:
            raise IllegalActionError(f"action: expected an int, got {action!r:.60}") from None
        if not view.is_legal(actions[-1], slot):
            where = f" of slot {slot}" if len(slots) > 1 else ""
            raise IllegalActionError(f"action {actions[-1]}{where} is not allowed here")
    return actions


def _ms(before: float) -> float:
    return round(1000 * (time.perf_counter() - before), 3)


def close_agent(agent: Agent) -> None:
    """Close an agent; raise AgentError, which names it, if that fails."""
    with AgentErrors(agent, "close"):
        agent.close()
