"""The seat of a person in a match: the page asks, the person drafts and plays."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ..agent import View
from ..errors import ConfigError, IllegalActionError
from ..referee.clock import Timer
from ..referee.seat import TIMEOUT, Fault, Seat
from .drafts import Draft

if TYPE_CHECKING:
    from ..game import Game
    from ..referee.clock import TimeControl


class Question:
    """An open question to a person: its number, the draft of its answer, and its deadline in seconds of the loop."""

    def __init__(self, number: int, view: View, deadline: float | None) -> None:
        self.number, self.view, self.deadline = number, view, deadline
        self.draft = Draft(view)
        self.version = 0  # counts the changes of the draft
        self.answer: asyncio.Future[list[int]] = asyncio.get_running_loop().create_future()

    @property
    def left_ms(self) -> int | None:
        """Milliseconds until the deadline; None without one."""
        if self.deadline is None:
            return None
        return max(0, int(1000 * (self.deadline - asyncio.get_running_loop().time())))


class PersonSeat(Seat):
    """Seat of a person who plays on the page.

    Parameters
    ----------
    name : str
        The name of the person.
    note : callable
        Called after each change that the person's page must learn of.
    num_asked : int, optional
        Number of the last question before a restart, which is never asked again.

    Attributes
    ----------
    token : str
        The secret that makes a browser the owner of this seat; its owner may use it in another browser, too.
    invitation : str
        The secret with which somebody may sit down, once.
    is_taken : bool
        Whether a person has sat down.
    window : str
        The page of the owner that plays: the one opened last. "": any.
    question : Question or None
        What the person is asked now.
    """

    window = ""
    is_thinking = False  # about a hint

    def __init__(self, name: str, note: Callable[[], None], num_asked: int = 0) -> None:
        self.name, self._note = name, note
        self.token, self.invitation = secrets.token_urlsafe(16), secrets.token_urlsafe(16)
        self.is_taken = False
        self.question: Question | None = None
        self.sat_down = asyncio.Event()
        self.answered: tuple[str, dict[str, Any]] | None = None  # (nonce, answer) of the last act
        self._count = num_asked

    def sit_down(self, name: str) -> None:
        """Take the seat."""
        self.is_taken = True
        self.name = name or self.name
        self.sat_down.set()
        self._note()

    def take(self, window: str) -> None:
        """Let this page of the owner play, and no other."""
        self.window = window
        self._note()

    async def open(self, game: Game, control: TimeControl) -> None:
        """Wait for the person."""
        await self.sat_down.wait()

    async def act(self, view: View, timer: Timer) -> Sequence[int]:
        """Return what the person plays; at the deadline, the plan as it stands."""
        timer.restart()
        self._count += 1
        question = self.question = Question(self._count, view, timer.deadline)
        self._note()
        try:
            async with asyncio.timeout_at(timer.deadline):
                return await question.answer
        except TimeoutError:
            if question.draft.is_plan and question.draft.size:
                return question.draft.answer()
            raise Fault(TIMEOUT, f"{self.name} did not answer in time", is_final=False) from None
        finally:
            timer.stop()
            self.question = None
            self._note()

    def draft(self, number: int, steps: Sequence[tuple[str, Sequence[int]]]) -> Question:
        """Change the draft of question `number` by these steps: do, undo, redo; return the question.

        Raises Stale if another question is open, IllegalActionError for an action that may not be played.
        """
        question = self._open(number)
        for kind, values in steps:
            if kind == "do":
                slot, action = values
                question.draft.do(slot, action)
            elif kind == "undo":
                question.draft.undo()
            elif kind == "redo":
                question.draft.redo()
            else:
                raise ConfigError(f"step: expected do, undo or redo, got {kind!r}")
        question.version += 1
        return question

    def play(self, number: int, steps: Sequence[tuple[str, Sequence[int]]]) -> None:
        """Take the steps, then play the draft; raise as `draft`, or IllegalActionError for an empty turn."""
        question = self.draft(number, steps)
        answer = question.draft.answer()
        if not answer:
            raise IllegalActionError("action: nothing is decided yet")
        question.answer.set_result(answer)

    def _open(self, number: int) -> Question:
        question = self.question
        if question is None or question.number != number or question.answer.done():
            raise Stale(f"ask: {number} is no longer open")
        return question


class Stale(Exception):  # noqa: N818 - no fault of anybody
    """The question that is answered is no longer open."""
