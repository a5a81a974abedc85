"""Seats of clients that connect to a port of their own, anew for each game, and of programs that masume starts as such.

A game whose own network protocol is spoken this way has a class `PortSeat`, a ClientSeat, in its module `server`. A
game whose own server plays whole matches with accounts in real time has a class `Venue` in its module `venue`.
"""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import shlex
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from ..agent import View
from ..errors import ConfigError, MatchError
from ..game import Game
from .clock import TimeControl, Timer
from .process import Child
from .seat import CLOSED, NOT_STARTED, Fault, GameEnd, Seat
from .tcp import Port

LEAVE_S = 1.0  # for a program to end after its game


@dataclasses.dataclass(frozen=True)
class ClientSettings:
    """How a client connects.

    Attributes
    ----------
    port : int or None
        Its port, 0 for a free one; None: the port that the protocol uses for its side of a game.
    host : str
        Address to listen on.
    name : str
        Name of the team. A client on the port of a side must send it, so that nobody plays for another.
    timeout_s : float
        Time limit of an answer in seconds, in protocols without clocks.
    connect_s : float or None
        Time limit of connecting in seconds; None: none.
    say : callable
        Called with a line of news for people.
    """

    port: int | None
    host: str = "127.0.0.1"
    name: str = ""
    timeout_s: float = 5.0
    connect_s: float | None = None
    say: Callable[[str], None] = lambda _: None


@dataclasses.dataclass(frozen=True)
class VenueSettings:
    """Settings of a server that plays the matches of a contest in real time.

    Attributes
    ----------
    title : str
        Name of the contest.
    users : Path
        File of the accounts.
    host : str
        Address to listen on.
    port : int or None
        Its port, 0 for a free one; None: the usual one of the game.
    allow : tuple of str
        Addresses and networks from which connections are accepted; empty: all.
    """

    title: str
    users: Path
    host: str = "127.0.0.1"
    port: int | None = None
    allow: tuple[str, ...] = ()


class Venue(Protocol):
    """A server that plays matches with accounts in real time; `Venue(settings, say)` makes it."""

    def __init__(self, settings: VenueSettings, say: Callable[[str], None]) -> None: ...

    @staticmethod
    def check(settings: VenueSettings) -> None:
        """Raise ConfigError if the settings or the file of accounts are wrong."""

    @staticmethod
    def make_accounts(path: Path, wanted: Mapping[str, str]) -> bool:
        """Add accounts and tokens that the file lacks, by name and name to show; return whether there were any."""

    async def open(self) -> None:
        """Listen; raise ConfigError if the port is not available."""

    async def close(self) -> None:
        """End the server."""

    def table(self, game: Game, seed: int) -> VenueMatch:
        """Return the table of a match of some games from one start."""


class VenueMatch(Protocol):
    """A match at a Venue: its seats, of which one at least is a client's.

    Attributes
    ----------
    game : Game
        The game by the rules of the server.
    """

    game: Game

    def control(self, control: TimeControl) -> TimeControl:
        """Return the time of those who are no clients, given that of the contest."""

    def client(self, account: str | None, settings: ClientSettings) -> ClientSeat:
        """Return the seat of a client: that of an account, or None for a new one."""

    def guest(self, seat: Seat) -> Seat:
        """Return the seat of a program or an agent, in the time of the server."""

    def close(self) -> None:
        """End the match, which may not be over."""


class OuterSeat(Seat):
    """Base class of a seat whose games another seat plays."""

    def _its(self) -> Seat:
        """Return the other seat; raise Fault if there is none now."""
        raise NotImplementedError

    async def start(self, view: View, names: Sequence[str], seed: int) -> None:
        """Begin a game."""
        await self._its().start(view, names, seed)

    async def act(self, view: View, timer: Timer) -> Sequence[int]:
        """Return the player's actions."""
        its = self._its()
        try:
            return await its.act(view, timer)
        finally:
            self.remarks, its.remarks = its.remarks, ()

    async def tell(self, view: View) -> None:
        """Report an action."""
        await self._its().tell(view)


class ClientSeat(OuterSeat):
    """Seat of a client that connects anew for each game; a subclass knows its protocol.

    `wait(game)` returns the seat of a client that has connected, for one game. `port()` returns where it may connect.
    `NEEDED` are the words in braces that a command must have.
    """

    NEEDED: tuple[str, ...] = ("port",)

    def __init__(self, settings: ClientSettings) -> None:
        self.name = settings.name
        self.settings = settings
        self._inner: Seat | None = None

    def port(self) -> Port:
        """Return the port on which the client of the next game is awaited; it may listen already."""
        raise NotImplementedError

    def words(self) -> dict[str, str]:
        """Return what a command may say in braces; the port listens from now on."""
        port = self.port()
        port.listen()
        return {"port": str(port.number), "host": port.host, "name": self.settings.name}

    async def wait(self, game: Game) -> Seat:
        """Return the seat of the next client; raise Fault if it fails before its name is known."""
        raise NotImplementedError

    def stop(self) -> None:
        """Listen no more."""
        raise NotImplementedError

    async def open(self, game: Game, control: TimeControl) -> None:
        """Wait for the client; raise MatchError if none connects in time."""
        await self._leave()
        try:
            async with asyncio.timeout(self.settings.connect_s):
                self._inner = await self.wait(game)
                await self._inner.open(game, control)
        except TimeoutError:
            where, seconds = self.port().address, self.settings.connect_s
            raise MatchError(f"{self.name}: no client on {where} after {seconds:g} s") from None
        finally:
            self.stop()

    def note(self, text: str) -> None:
        """Write a line into the client's transcript, if it has one."""
        if self._inner is not None:
            self._inner.note(text)

    def _its(self) -> Seat:
        if self._inner is None:
            raise Fault(CLOSED, "not connected")
        return self._inner

    async def end(self, outcome: GameEnd) -> None:
        """Report the end, and close the connection."""
        if self._inner is not None:
            await self._inner.end(outcome)
        await self._leave()

    async def close(self) -> None:
        """Close the connection and the port."""
        await self._leave()
        self.stop()

    async def _leave(self) -> None:
        inner, self._inner = self._inner, None
        if inner is not None:
            await inner.close()


class LaunchedSeat(OuterSeat):
    """Seat of a client that masume starts for each game, with the number of its port in the command.

    Parameters
    ----------
    client : ClientSeat
        The seat that the client connects to.
    command : str
        A shell command with the fields {port} and, if wanted, {host} and {name}, or those of the client.
    """

    def __init__(self, client: ClientSeat, command: str) -> None:
        for word in client.NEEDED:
            if f"{{{word}}}" not in command:
                raise ConfigError(f"client:{command}: expected {{{word}}} where the program takes its {word}")
        self._client, self._command = client, command
        self._child: Child | None = None
        self._reading: asyncio.Task[None] | None = None
        self.name = client.name

    def log_so_far(self) -> str:
        """Return what the program has written for people until now."""
        return self.log if self._child is None else self._child.log

    def note(self, text: str) -> None:
        """Write a line into the program's transcript, if it has one."""
        if self._child is not None:
            self._child.note(text)

    async def open(self, game: Game, control: TimeControl) -> None:
        """Start the program and wait until it has connected; raise Fault if it ends before."""
        await self._end()
        self._client.player = self.player
        command = self._command
        for name, value in self._client.words().items():
            command = command.replace(f"{{{name}}}", shlex.quote(value))
        self._child = await Child.start(command)
        opening = asyncio.create_task(self._client.open(game, control))
        self._reading = asyncio.create_task(self._child.skip())  # a full pipe would stop it
        ended = asyncio.create_task(self._has_ended())
        try:
            await asyncio.wait([opening, ended], return_when=asyncio.FIRST_COMPLETED)
            if not opening.done():
                gone = await self._child.explain(Fault(CLOSED, "the program ended"))
                raise Fault(NOT_STARTED, f"{gone.detail} before it connected")
            await opening
        finally:
            for task in (opening, ended):
                task.cancel()
            await asyncio.gather(opening, ended, return_exceptions=True)
            self._client.stop()

    async def _has_ended(self) -> None:
        assert self._child is not None
        while not await self._child.has_ended(0.0):
            await asyncio.sleep(0.05)
        await asyncio.sleep(0.5)  # its connection may be on the way

    def _its(self) -> Seat:
        return self._client

    async def end(self, outcome: GameEnd) -> None:
        """Report the end, and end the program."""
        await self._client.end(outcome)
        await self._end()

    async def close(self) -> None:
        """End the program."""
        await self._client.close()
        await self._end()

    async def _end(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            await child.close(LEAVE_S)
            self.log = child.log
        reading, self._reading = self._reading, None
        if reading is not None:
            reading.cancel()
            await asyncio.gather(reading, return_exceptions=True)


class NamedSeat(OuterSeat):
    """A seat under the name of a team.

    Parameters
    ----------
    seat : Seat
        The seat.
    name : str
        The name, which stays whatever the program calls itself.
    """

    def __init__(self, seat: Seat, name: str) -> None:
        self._seat, self.name = seat, name

    def log_so_far(self) -> str:
        """Return what the program has written for people until now."""
        return self._seat.log_so_far()

    def note(self, text: str) -> None:
        """Write a line into the program's transcript, if it has one."""
        self._seat.note(text)

    async def open(self, game: Game, control: TimeControl) -> None:
        """Get ready for a match."""
        self._seat.player = self.player
        try:
            await self._seat.open(game, control)
        finally:
            self.remarks, self._seat.remarks = self._seat.remarks, ()

    def _its(self) -> Seat:
        return self._seat

    async def end(self, outcome: GameEnd) -> None:
        """Report the end of the game."""
        await self._seat.end(outcome)
        self.log = self._seat.log

    async def close(self) -> None:
        """Release the seat."""
        with contextlib.suppress(Fault):
            await self._seat.close()
        self.log = self._seat.log
