"""Server for clients of the course protocol: one port; the first client to connect moves first. [section 13]

The referee runs the match; this module handles the connections and messages.
"""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import time
from collections.abc import Callable, Sequence
from typing import Any

from ..agent import View, position_of
from ..core._state import State
from ..core.language import translate as _
from ..core.shapes import Choice, Int, check_fields, field
from ..errors import ConfigError, NotationError
from ..game import Game
from ..referee import clients, match
from ..referee.clock import TimeControl, Timer
from ..referee.lines import decode_name
from ..referee.match import Record
from ..referee.seat import ILLEGAL, Fault, GameEnd, Seat
from ..referee.seats import make_seat
from ..referee.tcp import Connection, Port
from .protocol import (
    DIALECTS,
    LOSE,
    SETUP,
    WAITING,
    WIN,
    YOUR_TURN,
    Dialect,
    clock,
    is_spoken,
    line,
    map_message,
    observation,
    read_action,
    read_places,
    result,
    rocks,
)

NAME_S = 10.0
MAX_WAITING = 64  # connections that have said nothing yet
LINGER_S = 1.0
LINE_BYTES = 4096
MAX_NAME = 64  # characters
MAX_LOOP = 1_000_000


@dataclasses.dataclass(frozen=True)
class Settings:
    """Settings of a server.

    Parameters
    ----------
    port : int
        TCP port, 0..65535; 0 for a free one.
    host : str
        Address to listen on.
    dialect : {"new", "old"}
        Dialect of the clients.
    loop : int
        For clients of the loop server: number of games played on one connection, 1..1000000; their last messages end
        with a full stop. 0 for other clients.

    Raises
    ------
    ConfigError
        If a value is invalid.
    """

    port: int = field(2000, Int(0, 65535))
    host: str = "127.0.0.1"
    dialect: str = field("new", Choice(*DIALECTS))
    loop: int = field(0, Int(0, MAX_LOOP))

    def __post_init__(self) -> None:
        check_fields(self)


class CourseSeat(Seat):
    """Seat of a client in one game or in all games of a loop. [section 13]"""

    def __init__(self, connection: Connection, player: int, settings: Settings) -> None:
        self.name = f"player {player}"
        self._connection, self._player, self._dialect = connection, player, DIALECTS[settings.dialect]
        self._stop = "." * bool(settings.loop)
        self._games = 0
        self._seen: dict[str, Any] = {}  # the last observation
        self._has_heard_end = False

    async def open(self, game: Game, control: TimeControl) -> None:
        """Step 1: in the new dialect, read the name, once per connection."""
        if self._dialect.has_map and self._games == 0:
            name = decode_name(await self._connection.line(LINE_BYTES, time.monotonic() + NAME_S))
            self.name = name.strip()[:MAX_NAME] or self.name

    async def start(self, view: View, names: Sequence[str], seed: int) -> None:
        """Step 2: ask for the places of the ships: send the map, or in the old dialect the greeting again."""
        config: Any = view.game.config
        self._games += 1
        self._seen, self._has_heard_end = {}, False
        if self._dialect.has_map:
            self._send(map_message(config))
        elif self._games > 1:
            self._send(self._dialect.greeting)

    async def act(self, view: View, timer: Timer) -> list[int]:
        """Steps 2 and 3: read the places of the ships, or the action of a turn."""
        state: Any = position_of(view)
        config: Any = view.game.config
        if state.phase != SETUP:
            self._send(YOUR_TURN)
        timer.restart()
        text = await self._line(timer.deadline)
        timer.stop()
        try:
            if state.phase == SETUP:
                return read_places(config, text)
            return [read_action(state, text)]
        except NotationError as error:
            raise Fault(ILLEGAL, str(error)) from None

    async def tell(self, view: View) -> None:
        """Step 3: send the result of an action, and `waiting` if the other player is to move."""
        state: Any = position_of(view)
        config: Any = view.game.config
        if state.phase == SETUP:
            return
        events = view.events()
        self._seen = observation(state, self._player, self._dialect)
        if not any(event["kind"] == "START" for event in events):
            self._has_heard_end = state.is_terminal()
            self._send(result(config, events, self._player) | self._seen | self._outcome(state))
        if not view.slots and not state.is_terminal():
            self._send(WAITING)

    def _outcome(self, state: Any) -> dict[str, bool]:
        value = state.returns().tolist()[self._player]
        return {"outcome": value > 0} if value else {}

    async def end(self, outcome: GameEnd) -> None:
        """Step 4: send the last message, preceded by the result if a forfeit ended the game."""
        state = outcome.state
        value = state.returns().tolist()[self._player]
        with contextlib.suppress(Fault):  # the connection may be lost
            if not self._has_heard_end:
                at_fault = {"result": False} if value < 0 else {}
                self._send(at_fault | self._seen | self._outcome(state))
            self._send((WIN if value > 0 else LOSE if value < 0 else self._dialect.draw) + self._stop)

    def note(self, text: str) -> None:
        """Write a line into the client's transcript."""
        self._connection.note(text)

    async def close(self) -> None:
        """Close the connection gracefully."""
        await self._connection.close(LINGER_S)

    def _send(self, message: str | dict[str, Any]) -> None:
        self._connection.write(line(message))

    async def _line(self, deadline: float | None) -> str:
        return (await self._connection.line(LINE_BYTES, deadline)).decode(errors="replace").rstrip("\r")


class PortSeat(clients.ClientSeat):
    """Seat of a client of the course protocol with a port of its own."""

    def __init__(self, settings: clients.ClientSettings) -> None:
        super().__init__(settings)
        if settings.port is None:
            raise ConfigError("port: the course protocol has no port of a side: give each team its own, port:NUMBER")
        self._port = Port(settings.host, settings.port)

    def port(self) -> Port:
        """Return the port of the client."""
        return self._port

    async def wait(self, game: Game) -> Seat:
        """Return the seat of the next client."""
        config: Any = game.config
        if not is_spoken(config):
            raise ConfigError("preset: only submarine is served, with any width, height, terrain_map and max_rounds")
        self._port.listen()
        self.settings.say(_("{name}: waiting on {address}").format(name=self.name, address=self._port.address))
        connection = await self._port.accept()
        its = Settings()
        connection.write(line(DIALECTS[its.dialect].greeting))
        return CourseSeat(connection, self.player, its)

    def stop(self) -> None:
        """Listen no more."""
        self._port.close()


class Server:
    """Server that plays games one after the other, each with new clients, or `Settings.loop` games with the same ones.

    Parameters
    ----------
    game : Game
        The game, preset `submarine` with any width, height, terrain_map, max_rounds, time_main_s and time_floor_s.
    settings : Settings
        Port, host, dialect and loop.
    agents : sequence of str or None, optional
        Agents that play in place of the first and the second client (`make_seat`); None for a client.
    say : callable, optional
        Called with a line of text about connections.
    control : TimeControl, optional
        Time of each player; by default that of the game's config.

    Raises
    ------
    ConfigError
        If the protocol does not support the game, or an agent is unknown.
    """

    def __init__(
        self,
        game: Game,
        settings: Settings,
        agents: Sequence[str | None] = (None, None),
        say: Callable[[str], None] = lambda _: None,
        control: TimeControl | None = None,
    ) -> None:
        config: Any = game.config
        if not is_spoken(config):
            raise ConfigError("preset: only submarine is served, with any size, map, max_rounds and times")
        if settings.dialect == "old" and rocks(config):
            raise ConfigError("dialect: old has no words for the reefs of a map")
        self._game, self._settings, self._say = game, settings, say
        self._agents, self._clock = agents, clock(config) if control is None else control
        for spec in agents:
            if spec is not None:
                make_seat(spec, game)  # report an unknown name now, not in the first game
        self._port = Port(settings.host, settings.port, queue=MAX_WAITING)
        self._seats: list[Seat] = []  # seats of the current loop
        self._left = 0  # games left in it

    @property
    def port(self) -> int:
        """Number of the port; if the system chooses it, it is known after `listen`."""
        return self._port.number

    def listen(self) -> None:
        """Listen on the port; raise ConfigError if it is not available."""
        self._port.listen()

    async def play(
        self, seed: int, watch: Callable[[State], None] | None = None, follow: match.Follow | None = None
    ) -> Record:
        """Play one game: wait for clients if none are connected; close the connections after the last game of a loop.

        Parameters
        ----------
        seed : int
            Seed of the game.
        watch, follow : callable, optional
            As in `referee.match.play_match`.

        Returns
        -------
        Record
            Record of the match.
        """
        if not self._seats:
            self._seats, self._left = await self._wait_for_clients(), max(1, self._settings.loop)
        try:
            record = await match.play_match(self._game, self._seats, seed, self._clock, watch, follow)
            self._left -= 1
        except BaseException:
            self._left = 0
            raise
        finally:
            if self._left == 0:
                seats, self._seats = self._seats, []
                await asyncio.gather(*(seat.close() for seat in seats))
        return record

    async def _wait_for_clients(self) -> list[Seat]:
        """Wait for clients and return the seats of both players."""
        connections = await self._gather()
        return [
            CourseSeat(connections.pop(0), player, self._settings)
            if spec is None
            else make_seat(spec, self._game, say=self._say)
            for player, spec in enumerate(self._agents)
        ]

    async def _gather(self) -> list[Connection]:
        """Return a live connection for each player without an agent, in the order of connecting."""
        found: list[Connection] = []
        wanted = self._agents.count(None)
        if not wanted:
            return found
        self.listen()
        self._say(_("waiting for {count} clients on {address}").format(count=wanted, address=self._port.address))
        lobby = _Lobby(self._port, DIALECTS[self._settings.dialect], self._say)
        try:
            return await lobby.gather(wanted)
        finally:
            self._port.close()


class _Lobby:
    """Connections before a game: one takes a seat once it has said its first line, in the order of connecting."""

    def __init__(self, port: Port, dialect: Dialect, say: Callable[[str], None]) -> None:
        self._port, self._dialect, self._say = port, dialect, say
        self._hearing: dict[Connection, asyncio.Task[bool]] = {}  # whether each has said a line, oldest first

    async def gather(self, wanted: int) -> list[Connection]:
        """Return `wanted` connections that have said their first line, which is still to be read; close the others."""
        ready: list[Connection] = []
        accepting = asyncio.create_task(self._port.accept(is_last=False))
        try:
            while len(ready) < wanted:
                await asyncio.wait([accepting, *self._hearing.values()], return_when=asyncio.FIRST_COMPLETED)
                if accepting.done():
                    self._admit(accepting.result())
                    accepting = asyncio.create_task(self._port.accept(is_last=False))
                ready = await self._sort_out(wanted)
            return ready
        finally:
            accepting.cancel()
            for task in self._hearing.values():
                task.cancel()
            await asyncio.gather(accepting, *self._hearing.values(), return_exceptions=True)
            await asyncio.gather(*(one.close(0) for one in self._hearing if one not in ready))

    def _admit(self, connection: Connection) -> None:
        self._say(_("{peer} has connected").format(peer=connection.peer))
        connection.write(line(self._dialect.greeting))
        self._hearing[connection] = asyncio.create_task(self._hear(connection))

    async def _hear(self, connection: Connection) -> bool:
        """Return whether the connection says a line; the new dialect's clients have `NAME_S` for it."""
        deadline = time.monotonic() + NAME_S if self._dialect.has_map else None
        inbox = connection.inbox
        while b"\n" not in inbox.data[: LINE_BYTES + 1]:
            if inbox.ended is not None or len(inbox.data) > LINE_BYTES:
                return False
            try:
                await inbox.more(deadline)
            except TimeoutError:
                return False
        return True

    async def _sort_out(self, wanted: int) -> list[Connection]:
        """Close what has left, says nothing in time or is too much; return the first `wanted` that have spoken."""
        silent = [one for one, task in self._hearing.items() if not task.done()]
        ready = []
        for connection, task in list(self._hearing.items()):
            is_gone = connection.inbox.ended is not None
            if task.done() and task.result() and not is_gone:
                ready.append(connection)
            elif is_gone or task.done() or connection in silent[:-MAX_WAITING]:
                told = _("{peer} has left before the game") if is_gone else _("{peer} has said nothing")
                self._say(told.format(peer=connection.peer))
                self._hearing.pop(connection).cancel()
                await connection.close(0)
        return ready[:wanted] if len(ready) >= wanted else []
