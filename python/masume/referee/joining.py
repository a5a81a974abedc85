"""Playing on a server of others: the connection to it, and the agent that plays there.

The server is the referee, so no fault is judged here: what goes wrong is a MatchError about the server, or an
AgentError about the agent.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..agent import View
from ..agents.make import is_program
from ..agents.names import split_name
from ..core.language import say
from ..core.rng import stream
from ..errors import AgentError, IllegalActionError, MatchError
from ..game import Game
from .clock import Clock, TimeControl
from .seat import TIMEOUT, Fault
from .seats import make_seat
from .tcp import Connection, format_address
from .transcript import Transcript

RETRY_S = 0.2
GRACE_S = 1.0


def open_log(path: str | None, title: str) -> Transcript | None:
    """Return a transcript in this file, which is replaced; None without a path. Raise OSError if it is not writable."""
    if path is None:
        return None
    Path(path).unlink(missing_ok=True)
    return Transcript(Path(path), title)


class Server(Connection):
    """A connection to a server.

    Parameters
    ----------
    log : Transcript, optional
        Receives all that is sent to the server (`>`) and received from it (`<`).
    silence_s : float, optional
        Seconds without a byte after which the server counts as hanging; None: no limit.
    """

    def __init__(self, log: Transcript | None = None, silence_s: float | None = None) -> None:
        super().__init__()
        self._log, self._silence_s = log, silence_s

    @classmethod
    async def connect(
        cls, host: str, port: int, log: Transcript | None = None, wait_s: float = 0, silence_s: float | None = None
    ) -> Server:
        """Connect, and try again for `wait_s` seconds; raise MatchError if that fails."""
        loop = asyncio.get_running_loop()
        address, deadline = format_address(host, port), time.monotonic() + wait_s
        while True:
            try:
                async with asyncio.timeout(max(wait_s, 10.0)):
                    _, server = await loop.create_connection(lambda: cls(log, silence_s), host, port)
                return server
            except (OSError, UnicodeError) as error:  # an invalid host name is a UnicodeError
                if isinstance(error, ConnectionError) and time.monotonic() + RETRY_S < deadline:
                    await asyncio.sleep(RETRY_S)
                    continue
                why = (error.strerror if isinstance(error, OSError) else None) or type(error).__name__
                raise MatchError(say("{address}: no server answers: {why}", address=address, why=why)) from None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Take the new connection."""
        super().connection_made(transport)
        self.transcript = self._log

    def say(self, data: bytes) -> None:
        """Send the bytes; raise MatchError if the server has closed the connection."""
        try:
            self.write(data)
        except Fault as fault:
            raise self._lost_by(fault) from None

    async def hear(self, max_bytes: int) -> bytes:
        """Return the next line without its end; raise MatchError if the server ends or hangs."""
        try:
            return (await self.line(max_bytes, self._deadline())).rstrip(b"\r")
        except Fault as fault:
            raise self._lost_by(fault) from None

    async def take(self, count: int, skip: bytes = b"") -> bytes:
        """Return the next bytes, of which those of `skip` are ignored before the first; raise MatchError as `hear`."""
        while await self.peek() in skip:
            self.inbox.take(1)
        await self._wait_for(count)
        return self.inbox.take(count)

    async def peek(self) -> bytes:
        """Return the next byte, which is not taken; raise MatchError as `hear`."""
        await self._wait_for(1)
        return bytes(self.inbox.data[:1])

    async def _wait_for(self, count: int) -> None:
        while len(self.inbox.data) < count:
            if self.inbox.ended is not None:
                raise MatchError(say("{address}: {why}", address=self.peer, why=self.inbox.ended))
            try:
                await self.inbox.more(self._deadline())
            except TimeoutError:
                raise self._lost_by(Fault(TIMEOUT, "")) from None

    def _deadline(self) -> float | None:
        return None if self._silence_s is None else time.monotonic() + self._silence_s

    def _lost_by(self, fault: Fault) -> MatchError:
        if fault.cause == TIMEOUT:
            return MatchError(
                say("{address}: nothing from the server for {seconds} s", address=self.peer, seconds=self._silence_s)
            )
        return MatchError(say("{address}: {why}", address=self.peer, why=fault.detail))


class Guest:
    """An agent that plays a game on a server of others.

    Parameters
    ----------
    spec : str
        The agent or program (`make_seat`).
    game : Game
        The game.
    seed : int, optional
        Seed of the agent; with it the agent draws as in a match of this seed.
    control : TimeControl, optional
        The clock that the server keeps, as far as known.
    """

    def __init__(self, spec: str, game: Game, seed: int = 0, control: TimeControl | None = None) -> None:
        self.seat = make_seat(spec, game)
        self._spec, self._game, self._seed, self._control = spec, game, seed, control or TimeControl()
        self._clock = Clock(self._control, game.num_players)
        self._player = 0

    @property
    def name(self) -> str:
        """Name of the agent."""
        return self.seat.name

    async def start(self, view: View, names: Sequence[str] | None = None) -> None:
        """Begin a game in the seat of the view's player."""
        self._player = self.seat.player = view.player
        self._clock = Clock(self._control, self._game.num_players)
        names = [f"player {player}" for player in range(self._game.num_players)] if names is None else names
        try:
            await self.seat.open(self._game, self._control)
            await self.seat.start(view, names, stream(self._seed, view.player))
        except Fault as fault:
            raise self._failed(fault) from None

    async def change(self, game: Game, view: View) -> None:
        """Go on with a game of another config, of which this is the view; a program keeps what it was told first."""
        self._game = game
        if is_program(split_name(self._spec)[1]):
            return
        await self.seat.close()
        self.seat = make_seat(self._spec, game)
        self.seat.player = view.player
        try:
            await self.seat.start(view, [], stream(self._seed, view.player))
        except Fault as fault:
            raise self._failed(fault) from None

    def times(self) -> tuple[int | None, int]:
        """Return `left_ms` and `each_ms` of the view of the next turn."""
        return self._clock.left_ms(self._player), self._control.each_ms

    async def act(self, view: View, limit_ms: int | None = None) -> list[int] | None:
        """Return the actions, one for each of the view's slots; None if the agent was too late.

        Parameters
        ----------
        view : View
            What the agent may use.
        limit_ms : int, optional
            Milliseconds of this turn, in place of those of the clock.

        Returns
        -------
        list of int or None

        Raises
        ------
        AgentError
            If the agent fails or its answer is illegal.
        """
        clock = self._clock if limit_ms is None else Clock(TimeControl(move_ms=limit_ms), self._game.num_players)
        timer = clock.start(view.player)
        try:
            actions = [int(action) for action in await self.seat.act(view, timer)]
        except Fault as fault:
            if fault.cause == TIMEOUT and not fault.is_final:
                return None
            raise self._failed(fault) from None
        finally:
            timer.stop()
        slots = view.slots
        if len(actions) < len(slots):
            raise AgentError(f"{self.name}: expected {len(slots)} actions, got {len(actions)}")
        for slot, action in zip(slots, actions, strict=False):
            if not view.is_legal(action, slot):
                raise AgentError(f"{self.name}: {IllegalActionError(f'action {action} is not allowed now')}")
        return actions[: len(slots)]

    async def tell(self, view: View) -> None:
        """Report an action that was played; `view.events()` is what the player learns of it."""
        try:
            await self.seat.tell(view)
        except Fault as fault:
            raise self._failed(fault) from None

    async def close(self) -> None:
        """Release the agent."""
        await self.seat.close()

    def _failed(self, fault: Fault) -> AgentError:
        return AgentError(f"{self.name}: {fault}", fault.log or self.seat.log_so_far())


Report = dict[str, Any]
"""What a game on a server came to: `player`, `name`, `result` and facts of the game.

The result is "won", "lost" or "draw"; None if the server did not say.
"""
