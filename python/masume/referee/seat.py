"""Seats: one player's place in a match, taken by a program or an agent.

A seat turns the match's questions into messages to its program, and the program's messages into actions. A failure is
a `Fault`, which the match judges.
"""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ..agent import Agent, View, list_answer
from ..core._state import State
from ..core.trace import own_traceback
from ..errors import IllegalActionError
from ..game import Game
from .clock import TimeControl, Timer

TIMEOUT, CLOSED, PROTOCOL, ILLEGAL, FLOOD, CRASH = "timeout", "closed", "protocol", "illegal", "flood", "crash"
NOT_STARTED = "not started"
"""Causes of a fault: too late; gone or unreachable; a malformed message; an illegal action; too much output; an agent
that raised; a program that ended before the game began.
"""


BUSY_S = 10.0  # for a late agent to finish its work before the next game


class Fault(Exception):  # noqa: N818 - a pending verdict, not an error of masume
    """A player failed to answer properly.

    Attributes
    ----------
    cause : str
        One of the causes above.
    detail : str
        One line for people.
    actions : sequence of int or None
        The actions that were complete before the fault. After an illegal answer for several slots: one per slot, None
        where it is illegal.
    is_final : bool
        Whether the player is not asked again in this game.
    number : int
        Number of the player's failed decisions, including this one.
    log : str
        The traceback of an agent that raised, from its own frames on.
    """

    number = 1

    def __init__(
        self, cause: str, detail: str, *, actions: Sequence[int | None] = (), is_final: bool = True, log: str = ""
    ) -> None:
        super().__init__(f"{cause}: {detail}")
        self.log = log
        self.cause, self.detail, self.actions, self.is_final = cause, detail, actions, is_final


class GameEnd(NamedTuple):
    """The end of a game, as each seat receives it.

    Attributes
    ----------
    state : State
        The last state, nothing of which is hidden any more.
    returns : list of float
        The result of each player.
    reason : str or None
        Why the game ended, in its own words.
    faults : dict
        The final fault of each player that has one.
    """

    state: State
    returns: list[float]
    reason: str | None
    faults: dict[int, Fault]


class Seat:
    """Base class of a player's place; a subclass connects it to a program.

    All methods except `close` may raise Fault. One seat may play several games, one after the other.

    Attributes
    ----------
    name : str
        Name of the player, as far as known.
    log : str
        What the program wrote for people (stderr) in this game, bounded.
    player : int
        The player that it is in the match that is about to be played; known before `open`.
    remarks : list of str
        What had no effect in the last turn and is no fault, such as commands that were skipped; the match takes them.
    missed_starts : int
        How often in a row its program could not be started; the match counts.
    """

    name: str
    missed_starts: int = 0
    log: str = ""
    player: int = 0
    remarks: Sequence[str] = ()

    def log_so_far(self) -> str:
        """Return what the program has written for people in this game until now."""
        return self.log

    def note(self, text: str) -> None:
        """Write a line of masume's own into the program's transcript, if it has one."""

    async def open(self, game: Game, control: TimeControl) -> None:
        """Get ready for a match of this game under this time control: connect to the player, so that its name is known.

        A program that has ended is started again. Raises Fault (NOT_STARTED) if it ends at once; the match then calls
        `open` again. Raises MatchError if it cannot play the game at all, and is not to blame.
        """

    async def start(self, view: View, names: Sequence[str], seed: int) -> None:
        """Begin a game: `view` is the player's view of its start, `names` are the names of all seats.

        seed : for the chance of a built-in agent; it must not reach a program, which could derive the start from it.
        """

    async def act(self, view: View, timer: Timer) -> Sequence[int]:
        """Return the player's actions: one per slot in games with several, else one or more actions, played in turn.

        The seat restarts `timer` after asking, keeps its deadline, and stops it when it has the answer.
        """
        raise NotImplementedError

    async def tell(self, view: View) -> None:
        """Receive an action that any player played: `view.events()` is what this player learns of it."""

    async def end(self, outcome: GameEnd) -> None:
        """Receive the end of the game; for a forfeit, too, this is the first message about it."""

    async def close(self) -> None:
        """Release everything that the seat holds: no game follows. It never fails and takes seconds at most."""


class AgentSeat(Seat):
    """Seat of a built-in agent, which acts in its own thread so that a slow agent delays no other.

    A late agent is asked again when it has finished its late work, in the time of that turn. An agent that never
    finishes is abandoned with its thread, which ends with the process at the latest.
    """

    def __init__(self, agent: Agent) -> None:
        self.name = agent.name
        self._agent = agent
        self._worker = _Worker()

    async def start(self, view: View, names: Sequence[str], seed: int) -> None:
        """Start the agent; raise Fault if it has not finished the game before within BUSY_S."""
        try:
            async with asyncio.timeout(BUSY_S):
                await self._worker.idle.wait()
        except TimeoutError:
            raise Fault(TIMEOUT, f"{self.name} is busy with the game before") from None
        await self._run(self._agent.start, view.game, view.player, seed)

    async def act(self, view: View, timer: Timer) -> Sequence[int]:
        """Return the agent's answer."""
        timer.restart()
        try:
            async with asyncio.timeout_at(timer.deadline):
                await self._worker.idle.wait()
                answer = await self._run(self._agent.act, view)
        except TimeoutError:
            told = f"no action of {self.name} after {timer.stop():.0f} ms"
            raise Fault(TIMEOUT, told, is_final=False) from None
        timer.stop()
        try:
            return list_answer(answer, len(view.slots))
        except IllegalActionError as error:
            raise Fault(ILLEGAL, str(error), is_final=False) from None

    async def _run(self, function: Callable[..., Any], *arguments: Any) -> Any:
        result, error = await self._worker.run(function, *arguments)
        if error is not None:
            what = str(error).partition("\n")[0]
            detail = f"{type(error).__name__}: {what}" if what else type(error).__name__
            raise Fault(CRASH, detail, log=own_traceback(error))
        return result

    async def close(self) -> None:
        """Close the agent, unless it is still thinking."""
        if self._worker.idle.is_set():
            _, error = await self._worker.run(self._agent.close)
            if error is not None:
                self.log = f"close: {type(error).__name__}: {error}"
        self._worker.stop()


class _Worker:
    """A daemon thread that runs calls; unlike an executor's thread it never keeps the process from ending."""

    def __init__(self) -> None:
        self._calls: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self.idle = asyncio.Event()
        self.idle.set()
        threading.Thread(target=self._serve, name="masume agent", daemon=True).start()

    def _serve(self) -> None:
        while (call := self._calls.get()) is not None:
            call()

    async def run(self, function: Callable[..., Any], *arguments: Any) -> tuple[Any, BaseException | None]:
        """Call the function in the thread; return (result, None) or (None, the error it raised)."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[tuple[Any, BaseException | None]] = loop.create_future()

        def call() -> None:
            try:
                answer: tuple[Any, BaseException | None] = function(*arguments), None
            except BaseException as error:  # including SystemExit, which must end the agent, not the referee
                answer = None, error
            try:
                loop.call_soon_threadsafe(deliver, answer)
            except RuntimeError:
                return  # the loop is closed and nobody waits

        def deliver(answer: tuple[Any, BaseException | None]) -> None:
            self.idle.set()
            if not future.done():  # it is done if the wait was cancelled
                future.set_result(answer)

        self.idle.clear()
        self._calls.put(call)
        return await future

    def stop(self) -> None:
        """End the thread when its current call has finished."""
        self._calls.put(None)
