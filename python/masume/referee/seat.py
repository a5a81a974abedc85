"""Seats: one player's place at a match, behind which a program or an agent sits.

A seat turns the match's questions into messages of its program and the program's messages into actions. What goes
wrong on the way is a `Fault`, which the match judges.
"""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ..agent import Agent, View
from .clock import TimeControl, Timer

if TYPE_CHECKING:
    from ..core._state import State
    from ..game import Game

TIMEOUT, CLOSED, PROTOCOL, ILLEGAL, FLOOD, CRASH = "timeout", "closed", "protocol", "illegal", "flood", "crash"
"""What a fault may be: too late; gone or not to be reached; a message that is none; an action that is not allowed; more
output than there may be; an agent that raised."""


BUSY_S = 10.0  # for an agent that was late to come to an end with what it does, before another game


class Fault(Exception):  # noqa: N818 - a verdict under way, no error of ours
    """A player failed to give what was wanted.

    cause : one of the words above. detail : for people, one line. actions : what was complete before the fault; of an
    illegal answer for several slots one for each, None where it was illegal. is_final : whether the player is asked
    nothing more in this game. number : of the player's decisions that went wrong, this one included.
    """

    number = 1

    def __init__(self, cause: str, detail: str, *, actions: Sequence[int | None] = (), is_final: bool = True) -> None:
        super().__init__(f"{cause}: {detail}")
        self.cause, self.detail, self.actions, self.is_final = cause, detail, actions, is_final


class Outcome(NamedTuple):
    """The end of a game, as each seat is told it.

    state : the last one; nothing of it is hidden any more. returns : the result of each player. reason : in the game's
    own words, None where it has none. faults : the final fault of each player who had one.
    """

    state: State
    returns: list[float]
    reason: str | None
    faults: dict[int, Fault]


class Seat:
    """A player's place; a subclass gives it a program.

    name : of the player, as known so far. log : what the program wrote for people (stderr), bounded. All methods but
    `close` may raise Fault. One seat may play several games, one after the other.
    """

    name: str
    log: str = ""

    async def open(self, game: Game, control: TimeControl) -> None:
        """Be there for a match of this game under this time control: whoever the seat waits for has come, and its
        name is known. MatchError where it cannot play the game at all, and is not to blame.
        """

    async def start(self, view: View, names: Sequence[str], seed: int) -> None:
        """A game begins: `view` is what the player may know of its start, `names` are those of all seats.

        seed : for the chance of a built-in agent; it must not reach a program, which could work back from it.
        """

    async def act(self, view: View, timer: Timer) -> Sequence[int]:
        """The player's actions: in turn, as many as it takes at once, at least one; one for each of its slots where
        the game has several.

        The seat restarts `timer` when it has asked, keeps its deadline, and stops it when it has the answer.
        """
        raise NotImplementedError

    async def tell(self, view: View) -> None:
        """An action was played, by whomever: `view.events()` is what the player learns of it."""

    async def end(self, outcome: Outcome) -> None:
        """The game is over; of a forfeit, too, this is the first that a seat hears."""

    async def close(self) -> None:
        """No game follows: everything the seat holds is let go. It never fails and takes seconds at most."""


class AgentSeat(Seat):
    """A built-in agent, which acts in a thread of its own so that a slow one stops nobody else.

    An agent that is late is asked again when it has come to an end with what it was late with, in the time of that
    turn; one that never does is left behind with its thread, which ends with the process at the latest.
    """

    def __init__(self, agent: Agent) -> None:
        self.name = agent.name
        self._agent = agent
        self._worker = _Worker()

    async def start(self, view: View, names: Sequence[str], seed: int) -> None:
        """Start the agent; Fault where it has not come to an end with the game before in BUSY_S."""
        try:
            async with asyncio.timeout(BUSY_S):
                await self._worker.idle.wait()
        except TimeoutError:
            raise Fault(TIMEOUT, f"{self.name} is busy with the game before") from None
        await self._run(self._agent.start, view.game, view.player, seed)

    async def act(self, view: View, timer: Timer) -> Sequence[int]:
        """What the agent answers."""
        timer.restart()
        try:
            async with asyncio.timeout_at(timer.deadline):
                await self._worker.idle.wait()
                answer = await self._run(self._agent.act, view)
        except TimeoutError:
            told = f"no action of {self.name} after {timer.stop():.0f} ms"
            raise Fault(TIMEOUT, told, is_final=False) from None
        timer.stop()
        if view.game.num_slots == 1:
            return [answer]
        try:
            return list(answer)
        except TypeError:
            raise Fault(ILLEGAL, f"{answer!r:.60} is no list of actions", is_final=False) from None

    async def _run(self, function: Callable[..., Any], *arguments: Any) -> Any:
        result, error = await self._worker.run(function, *arguments)
        if error is not None:
            what = str(error).partition("\n")[0]
            raise Fault(CRASH, f"{type(error).__name__}: {what}" if what else type(error).__name__)
        return result

    async def close(self) -> None:
        """Close the agent, unless it is still thinking."""
        if self._worker.idle.is_set():
            _, error = await self._worker.run(self._agent.close)
            if error is not None:
                self.log = f"close: {type(error).__name__}: {error}"
        self._worker.stop()


class _Worker:
    """One daemon thread that calls what it is given; unlike an executor's it never keeps the process from ending."""

    def __init__(self) -> None:
        self._calls: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self.idle = asyncio.Event()
        self.idle.set()
        threading.Thread(target=self._serve, name="masume agent", daemon=True).start()

    def _serve(self) -> None:
        while (call := self._calls.get()) is not None:
            call()

    async def run(self, function: Callable[..., Any], *arguments: Any) -> tuple[Any, BaseException | None]:
        """(result, None) or (None, what the function raised)."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[tuple[Any, BaseException | None]] = loop.create_future()

        def call() -> None:
            try:
                answer: tuple[Any, BaseException | None] = function(*arguments), None
            except BaseException as error:  # SystemExit too: it is the agent's end, not the referee's
                answer = None, error
            try:
                loop.call_soon_threadsafe(deliver, answer)
            except RuntimeError:
                return  # the loop is closed: nobody waits any more

        def deliver(answer: tuple[Any, BaseException | None]) -> None:
            self.idle.set()
            if not future.done():  # it is when the waiting was given up
                future.set_result(answer)

        self.idle.clear()
        self._calls.put(call)
        return await future

    def stop(self) -> None:
        """End the thread when it has finished what it does."""
        self._calls.put(None)
