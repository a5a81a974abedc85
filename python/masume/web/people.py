"""The seat of a person in a match: the page asks, the person drafts and plays."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Sequence
from typing import Any

from ..agent import View
from ..core.language import translate as _
from ..errors import IllegalActionError
from ..game import Game
from ..referee.clock import TimeControl, Timer
from ..referee.seat import TIMEOUT, Fault, Seat
from .drafts import Draft, Step
from .journals import Given
from .setting_up import SetUp


def is_same(secret: str, given: str) -> bool:
    """Return whether a secret was given, in a time that tells nothing of it."""
    return secrets.compare_digest(secret.encode(), given.encode(errors="replace"))


GONE_S = 4.0  # after its last page has closed, somebody has left; a page that is loaded again comes sooner


class Question:
    """An open question to a person: its number, the draft of its answer, its timer and the limit that ends it."""

    def __init__(self, number: int, view: View, timer: Timer) -> None:
        self.number, self.view, self.timer = number, view, timer
        self.draft = Draft(view)
        self.version = 0  # counts what its person must learn of
        self.is_paused = False
        self.answer: asyncio.Future[list[int]] = asyncio.get_running_loop().create_future()
        self.limit = asyncio.timeout_at(timer.deadline)

    @property
    def left_ms(self) -> int | None:
        """Milliseconds until the deadline; None without one."""
        return self.timer.left_ms

    def to_dict(self, language: str) -> dict[str, Any]:
        """Return it as plain JSON types (docs/decisions/0018-page.md)."""
        clock = {"left_ms": self.left_ms, "held": self.is_paused, "version": self.version}
        return {"id": self.number} | clock | self.draft.to_dict(language)

    def pause(self) -> None:
        """Let its time stand still."""
        if not self.is_paused and not self.limit.expired():
            self.timer.pause()
            self.limit.reschedule(None)
            self.is_paused = True
            self.version += 1

    def go_on(self) -> None:
        """Let its time run again."""
        if self.is_paused:
            self.timer.go_on()
            self.limit.reschedule(self.timer.deadline)
            self.is_paused = False
            self.version += 1


Keep = Callable[[int, Sequence[int], float, str], None]
"""Keeps an answer: the number of its question, its actions, its milliseconds, the nonce of the request. If it raises
HaltedError, nothing has happened.
"""


class PersonSeat(Seat):
    """Seat of a person who plays on the page.

    Parameters
    ----------
    name : str
        The name of the person.
    note : callable
        Called after each change that the person's page must learn of.
    keep : callable, optional
        Keeps an answer before it is played.

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
    given : Given or None
        The answer to what is asked next.
    set_up : SetUp or None
        What answers until the pieces of the person stand.
    """

    window = ""
    num_pages = 0  # of its owner that are open, or were a moment ago
    is_thinking = False  # about a hint

    def __init__(self, name: str, note: Callable[[], None], keep: Keep = lambda *_answer: None) -> None:
        self.name, self._note, self._keep = name, note, keep
        self.token, self.invitation = secrets.token_urlsafe(16), secrets.token_urlsafe(16)
        self.is_taken = False
        self.question: Question | None = None
        self.sat_down = asyncio.Event()
        self.answered: tuple[str, dict[str, Any]] | None = None  # (nonce, answer) of the last act
        self.given: Given | None = None
        self.set_up: SetUp | None = None
        self._is_paused = False
        self._number = secrets.randbits(40)  # of the last question; a restart uses none again

    def opens_to(self, token: str) -> bool:
        """Return whether a token lets a browser have it: the invitation until somebody sits, then the owner's own."""
        return is_same(self.token if self.is_taken else self.invitation, token)

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

    @property
    def is_here(self) -> bool:
        """Whether its owner has a page of it open."""
        return self.num_pages > 0

    def open_page(self) -> None:
        """Count a page of the owner that is open."""
        self.num_pages += 1
        if self.num_pages == 1:
            self._note()

    def close_page(self) -> None:
        """Count it no longer after GONE_S."""
        asyncio.get_running_loop().call_later(GONE_S, self._forget_page)

    def _forget_page(self) -> None:
        self.num_pages -= 1
        if not self.num_pages:
            self._note()

    def pause(self) -> None:
        """Let the time of what is asked, and of what will be, stand still."""
        self._is_paused = True
        if self.question is not None:
            self.question.pause()

    def go_on(self) -> None:
        """Let it run again."""
        self._is_paused = False
        if self.question is not None:
            self.question.go_on()

    async def open(self, game: Game, control: TimeControl) -> None:
        """Wait for the person."""
        await self.sat_down.wait()

    async def act(self, view: View, timer: Timer) -> Sequence[int]:
        """Return what the person plays; at the deadline, the plan as it stands."""
        if self.given is not None:
            answer, self.given = self.given, None
            timer.stop(answer.ms)
            return answer.actions
        timer.restart()
        if self.set_up is not None:
            placed = self.set_up.answer(view)
            if placed is not None:
                timer.stop()
                return placed
            self.set_up = None
        self._number += 1
        question = Question(self._number, view, timer)
        try:
            async with question.limit:
                self.question = question
                if self._is_paused:
                    question.pause()
                self._note()
                return await question.answer
        except TimeoutError:
            if question.answer.done() and not question.answer.cancelled():  # in the last moment
                return question.answer.result()
            if question.draft.is_plan and question.draft.size:
                return question.draft.answer()
            raise Fault(TIMEOUT, f"{self.name} did not answer in time", is_final=False) from None
        finally:
            timer.stop()
            self.question = None
            self._note()

    def draft(self, number: int, steps: Sequence[Step]) -> Question:
        """Change the draft of question `number` by these steps, all or none; return the question.

        Raises Stale if another question is open, IllegalActionError for an action that may not be played, and in a game
        that hides something.
        """
        question = self._open(number)
        if not question.draft.can_undo:
            raise IllegalActionError(_("in this game a choice is played at once, and nothing can be taken back"))
        question.draft = question.draft.after(steps)
        question.version += 1
        return question

    def play(self, number: int, steps: Sequence[Step], nonce: str = "") -> None:
        """Take the steps, then play the draft, once it is kept.

        Raises Stale, IllegalActionError, also for an empty turn, or HaltedError if nothing can be kept; then the draft
        is as before.
        """
        question = self._open(number)
        draft = question.draft.after(steps)
        answer, used = draft.answer(), question.timer.used_ms
        if not answer:
            raise IllegalActionError(_("nothing is decided yet"))
        self._keep(number, answer, used, nonce)
        question.draft = draft
        question.timer.stop(used)
        self.note_answer(number, nonce)
        question.answer.set_result(answer)

    def note_answer(self, number: int, nonce: str) -> None:
        """Note that this request was answered: a browser that did not hear of it asks again."""
        self.answered = nonce, {"ask": number, "played": True}

    def _open(self, number: int) -> Question:
        question = self.question
        if question is None or question.number != number or question.answer.done() or question.left_ms == 0:
            raise Stale(_("this question is no longer open"))
        return question


def tell_halt(why: str) -> str:
    """Return what people are told while nothing can be kept."""
    told = _("nothing can be written ({why}): all clocks are stopped until there is room")
    return told.format(why=why)


class HaltedError(Exception):
    """Nothing can be kept now, and all clocks stand still. why : the system's words."""

    def __init__(self, why: str) -> None:
        super().__init__(tell_halt(why))


class Stale(Exception):  # noqa: N818 - no fault of anybody
    """The question that is answered is no longer open."""
