"""The server that clients of the course protocol connect to: one port, the first to come moves first. [section 13]

The match itself is the referee's; this is its side of the wire.
"""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ..agent import View, position_of
from ..core.config import choice, integer
from ..errors import ConfigError, NotationError
from ..referee import match
from ..referee.clock import TimeControl, Timer
from ..referee.match import Record
from ..referee.seat import ILLEGAL, Fault, Outcome, Seat
from ..referee.seats import make_seat
from ..referee.tcp import Connection, Port
from .protocol import (
    DIALECTS,
    LOSE,
    SETUP,
    WAITING,
    WIN,
    YOUR_TURN,
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

if TYPE_CHECKING:
    from ..core._state import State
    from ..game import Game

NAME_S = 10.0
LINGER_S = 1.0
LINE_BYTES = 4096
MAX_NAME = 64  # characters
MAX_LOOP = 1_000_000


@dataclasses.dataclass(frozen=True)
class Settings:
    """How to serve.

    port : 0..65535, 0 for one that is free. dialect : "new" or "old". loop : 0, or for clients of the loop server the
    games that are played on one connection, whose last words end with a full stop.
    """

    port: int = 2000
    host: str = "127.0.0.1"
    dialect: str = "new"
    loop: int = 0

    def __post_init__(self) -> None:
        integer("port", self.port, 0, 65535)
        choice("dialect", self.dialect, DIALECTS)
        integer("loop", self.loop, 0, MAX_LOOP)


class CourseSeat(Seat):
    """A client's place, in one game or in those of a loop. [section 13]"""

    def __init__(self, connection: Connection, player: int, settings: Settings) -> None:
        self.name = f"player {player}"
        self._connection, self._player, self._dialect = connection, player, DIALECTS[settings.dialect]
        self._stop = "." * bool(settings.loop)
        self._games = 0
        self._seen: dict[str, Any] = {}  # the last observation
        self._has_heard_end = False

    async def open(self, game: Game, control: TimeControl) -> None:
        """Step 1: read the name, in the new dialect, once on each connection."""
        if self._dialect.has_map and self._games == 0:
            name = await self._line(time.monotonic() + NAME_S)
            self.name = "".join(char for char in name if char.isprintable()).strip()[:MAX_NAME] or self.name

    async def start(self, view: View, names: Sequence[str], seed: int) -> None:
        """Step 2: send what asks for the places: in the new dialect the map, in the old one what greeted the client."""
        config: Any = view.game.config
        self._games += 1
        self._seen, self._has_heard_end = {}, False
        if self._dialect.has_map:
            self._send(map_message(config))
        elif self._games > 1:
            self._send(self._dialect.greeting)

    async def act(self, view: View, timer: Timer) -> list[int]:
        """Steps 2 and 3: read the places of the ships, or what to do in a turn."""
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
        """Step 3: what an action came to; and `waiting` when the other is to move."""
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

    async def end(self, outcome: Outcome) -> None:
        """Step 4: the last word; before it what was not told, as the game ended by a forfeit."""
        state = outcome.state
        value = state.returns().tolist()[self._player]
        with contextlib.suppress(Fault):  # a socket that is gone is told nothing
            if not self._has_heard_end:
                at_fault = {"result": False} if value < 0 else {}
                self._send(at_fault | self._seen | self._outcome(state))
            self._send((WIN if value > 0 else LOSE if value < 0 else self._dialect.draw) + self._stop)

    async def close(self) -> None:
        """Close the connection gracefully."""
        await self._connection.close(LINGER_S)

    def _send(self, message: str | dict[str, Any]) -> None:
        self._connection.write(line(message))

    async def _line(self, deadline: float | None) -> str:
        return (await self._connection.line(LINE_BYTES, deadline)).decode(errors="replace").rstrip("\r")


class Server:
    """Serves games one after the other, each to clients that connect anew, or `Settings.loop` of them to the same ones.

    agents : for the first and the second player what plays instead of a client (`make_seat`), None for a client.
    say : called with a line whenever there is news for people.
    ConfigError where the game is none that the protocol can tell.
    """

    def __init__(
        self,
        game: Game,
        settings: Settings,
        agents: Sequence[str | None] = (None, None),
        say: Callable[[str], None] = lambda _: None,
    ) -> None:
        config: Any = game.config
        if not is_spoken(config):
            raise ConfigError("preset: only submarine is served, with any width, height, terrain_map and max_rounds")
        if settings.dialect == "old" and rocks(config):
            raise ConfigError("dialect: old has no words for the reefs of a map")
        self._game, self._settings, self._say = game, settings, say
        self._agents, self._clock = agents, clock(config)
        for spec in agents:
            if spec is not None:
                make_seat(spec, game)  # an unknown name is an error now, not in the first game
        self._port = Port(settings.host, settings.port)
        self._seats: list[Seat] = []  # of a loop that is not over
        self._left = 0  # games of it

    @property
    def port(self) -> int:
        """The number of the port; one that the system chooses is known after `listen`."""
        return self._port.number

    def listen(self) -> None:
        """Listen; ConfigError where the port is not to be had."""
        self._port.listen()

    async def play(self, seed: int, watch: Callable[[State], None] | None = None) -> Record:
        """One game: wait for the clients where none are there, play, close their connections after the last of a loop.

        watch : as in `referee.match.play_match`.
        """
        if not self._seats:
            self._seats, self._left = await self._wait_for_clients(), max(1, self._settings.loop)
        try:
            record = await match.play_match(self._game, self._seats, seed, self._clock, watch)
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
        """The seats of both players, whose clients have come."""
        connections = await self._gather()
        return [
            CourseSeat(connections.pop(0), player, self._settings)
            if spec is None
            else make_seat(spec, self._game, say=self._say)
            for player, spec in enumerate(self._agents)
        ]

    async def _gather(self) -> list[Connection]:
        """A connection for each player that is no agent, all of them alive, in the order they came."""
        found: list[Connection] = []
        wanted = self._agents.count(None)
        if not wanted:
            return found
        self.listen()
        self._say(f"waiting for {wanted} clients on {self._port.address}")
        try:
            while len(found) < wanted:
                found.append(await self._port.accept(is_last=False))
                self._say(f"{found[-1].peer} has come")
                found[-1].write(line(DIALECTS[self._settings.dialect].greeting))
                for connection in [one for one in found if one.inbox.ended is not None]:
                    self._say(f"{connection.peer} has left before the game")
                    found.remove(connection)
                    await connection.close(0)
        except BaseException:  # cancelled, for one
            await asyncio.gather(*(connection.close(0) for connection in found))
            raise
        finally:
            self._port.close()
        return found
