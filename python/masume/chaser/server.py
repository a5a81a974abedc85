"""The server that CHaser's clients connect to: two ports, one game at a time.

Sections 14.1 to 14.6 of the rules. The match itself is the referee's; this is its side of the wire.
"""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import math
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ..agent import View
from ..core.config import boolean, integer
from ..errors import ConfigError, ConfigTypeError, MatchError
from ..play.agents import close_agent, make_agent
from ..referee import match
from ..referee.clock import Timer
from ..referee.match import Record
from ..referee.seat import CLOSED, PROTOCOL, TIMEOUT, AgentSeat, Fault, Outcome, Seat
from ..referee.tcp import Connection, Port
from .maps import PLAYERS
from .protocol import (
    BLANK_LINES,
    COOL_PORT,
    END_MARK,
    GET_READY,
    HOT_PORT,
    LINE_BYTES,
    METHODS,
    NAME_BYTES,
    TURN,
    clean_name,
    message,
)

if TYPE_CHECKING:
    from ..core._state import State
    from ..game import Game

NAME_GRACE_S = 0.2
LINGER_S = 1.0


@dataclasses.dataclass(frozen=True)
class Settings:
    """How to serve: section 2's fields of the referee.

    cool_port, hot_port : 0..65535, 0 for one that is free. [CH-39] [CH-40] [CH-R33]
    timeout_s : 0.05..600, of each awaited line. [CH-R31]
    connect_timeout_s : None, or more than 0: how long two named clients are waited for. [CH-R33]
    name_max_chars : None, or 1 and more: of a name as it is shown. [CH-R29]
    strict_crlf : whether the clients' lines must end with CR LF. [CH-R30]
    """

    cool_port: int = COOL_PORT
    hot_port: int = HOT_PORT
    host: str = "127.0.0.1"
    timeout_s: float = 5.0
    connect_timeout_s: float | None = None
    name_max_chars: int | None = 4
    strict_crlf: bool = False

    def __post_init__(self) -> None:
        for name in ("cool_port", "hot_port"):
            integer(name, getattr(self, name), 0, 65535)
        if not isinstance(self.host, str):
            raise ConfigTypeError(f"host: a string is wanted, not {self.host!r}")
        _seconds("timeout_s", self.timeout_s, 0.05, 600)
        if self.connect_timeout_s is not None:
            _seconds("connect_timeout_s", self.connect_timeout_s, math.ulp(0.0), math.inf)
        if self.name_max_chars is not None:
            integer("name_max_chars", self.name_max_chars, 1, NAME_BYTES)
        boolean("strict_crlf", self.strict_crlf)
        if self.cool_port == self.hot_port != 0:
            raise ConfigError(f"hot_port: {self.hot_port} is the cool_port")


def _seconds(name: str, value: Any, low: float, high: float) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ConfigTypeError(f"{name}: a number is wanted, not {value!r}")
    if not low <= value <= high:
        raise ConfigError(f"{name}: {value} is not in {low:g}..{high:g}")


class ClientSeat(Seat):
    """A client's place in one game. [section 14.3]"""

    def __init__(self, connection: Connection, player: int, name: str, settings: Settings) -> None:
        self.name = name
        self._connection, self._player, self._settings = connection, player, settings

    async def act(self, view: View, timer: Timer) -> list[int]:
        """Steps 1 to 4 of a turn: the method that the client calls. [CH-42] [CH-R26]"""
        timer.restart()
        self._send(TURN)
        line = await self._line()
        if line != GET_READY:  # CH-43
            raise Fault(PROTOCOL, f"gr is wanted, not {_quote(line)}")
        (ready,) = (event["info"] for event in view.events() if event["event"] == "ready")
        self._send(ready.encode())  # CH-44
        line = await self._line()
        if line not in METHODS:  # CH-45, CH-R24, CH-R25
            raise Fault(PROTOCOL, f"a method is wanted, not {_quote(line)}")
        timer.stop()
        return [METHODS[line]]

    async def tell(self, view: View) -> None:
        """Steps 5 and 6 for the player whose turn it is; the other is sent nothing. [CH-46] [CH-47] [CH-R34]"""
        for event in view.events():
            if event["event"] == "method":
                self._send(event["info"].encode())
                if event["info"][0] == "1":
                    line = await self._line()
                    if line != END_MARK:
                        raise Fault(PROTOCOL, f"# is wanted, not {_quote(line)}")

    async def end(self, outcome: Outcome) -> None:
        """One info that begins with 0 for whoever has had none yet; what clients answer to it no longer matters.

        [CH-48] [CH-49] [CH-R17] [CH-R27] [section 14.5]
        """
        last = outcome.state.events(self._player)[-1]
        if last["event"] == "method":
            await self._skip_line()
            return
        with contextlib.suppress(Fault):  # a socket that is gone is told nothing
            if self._player not in outcome.faults:
                self._send(TURN)
                await self._skip_line()
            self._send(last["info"].encode())

    async def close(self) -> None:
        """Close the connection gracefully."""
        await self._connection.close(LINGER_S)

    def _send(self, content: bytes) -> None:
        self._connection.write(message(content))

    async def _line(self) -> bytes:
        """The next line that is not blank, from now within the timeout. [section 14.6]"""
        deadline = time.monotonic() + self._settings.timeout_s
        for _ in range(BLANK_LINES + 1):
            line = await self._connection.line(LINE_BYTES, deadline)
            if self._settings.strict_crlf and not line.endswith(b"\r"):  # CH-R30
                raise Fault(PROTOCOL, f"{_quote(line)} ends without CR")
            content = line.rstrip(b"\r")
            if content:
                return content
        raise Fault(PROTOCOL, f"more than {BLANK_LINES} blank lines")

    async def _skip_line(self) -> None:
        with contextlib.suppress(Fault):
            await self._line()


def _quote(line: bytes) -> str:
    return repr(line)[1:]


class Server:
    """Serves games one after the other, each to clients that connect anew.

    agents : for COOL's and HOT's port the agent that plays instead of a client, by its name, None for a client.
    say : called with a line whenever there is news for people.

    Contestant 0 is whoever comes to `cool_port`, contestant 1 whoever comes to `hot_port`, or the agents there.
    """

    def __init__(
        self,
        game: Game,
        settings: Settings,
        agents: Sequence[str | None] = (None, None),
        say: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._game, self._settings, self._say = game, settings, say
        self._agents = agents
        for spec in agents:
            if spec is not None:
                close_agent(make_agent(spec, game))  # an unknown name is an error now, not in the first game
        self._ports = [
            Port(settings.host, settings.cool_port, "cool_port"),
            Port(settings.host, settings.hot_port, "hot_port"),
        ]

    @property
    def ports(self) -> tuple[int, int]:
        """The numbers of both ports; one that the system chooses is known after `listen`."""
        return self._ports[0].number, self._ports[1].number

    def listen(self) -> None:
        """Listen on the ports of all clients; ConfigError where one is not to be had. [CH-39] [CH-40]"""
        try:
            for port, agent in zip(self._ports, self._agents, strict=True):
                if agent is None:
                    port.listen()
        except ConfigError:
            self.close()
            raise

    def close(self) -> None:
        """Listen no more."""
        for port in self._ports:
            port.close()

    async def play(self, seed: int, is_swapped: bool = False, watch: Callable[[State], None] | None = None) -> Record:
        """One game: wait for the clients, play, close their connections.

        is_swapped : contestant 0 plays HOT. watch : as in `referee.match.play_match`.
        MatchError where nobody comes in `connect_timeout_s`: a game without a result. [CH-R33]
        """
        async with contextlib.AsyncExitStack() as stack:
            stack.callback(self.close)
            self.listen()
            order = [1, 0] if is_swapped else [0, 1]  # of contestants, by the side they play
            lobbies = [
                _Lobby(self._ports[who], side, self._settings, self._say) if self._agents[who] is None else None
                for side, who in enumerate(order)
            ]
            await self._gather([lobby for lobby in lobbies if lobby is not None], stack)
            seats: list[Seat] = []
            for lobby, who in zip(lobbies, order, strict=True):
                agent = self._agents[who]
                if lobby is not None:
                    seats.append(lobby.seat())
                elif agent is not None:
                    seats.append(AgentSeat(make_agent(agent, self._game)))
            try:
                return await match.play_match(self._game, seats, seed, watch=watch)
            finally:
                await asyncio.gather(*(seat.close() for seat in seats))

    async def _gather(self, lobbies: list[_Lobby], stack: contextlib.AsyncExitStack) -> None:
        """Return when a client with a name waits in every lobby. [section 14.1]"""
        for lobby in lobbies:
            stack.push_async_callback(lobby.close)
        tasks = [asyncio.create_task(lobby.serve()) for lobby in lobbies]
        try:
            async with asyncio.timeout(self._settings.connect_timeout_s):
                while not all(lobby.is_ready.is_set() for lobby in lobbies):
                    for lobby in lobbies:
                        await lobby.is_ready.wait()
        except TimeoutError:
            missing = " and ".join(PLAYERS[lobby.side] for lobby in lobbies if not lobby.is_ready.is_set())
            raise MatchError(f"no {missing} after {self._settings.connect_timeout_s:g} s: no result") from None
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)


class _Lobby:
    """Where the client of one side is waited for. [section 14.1]"""

    def __init__(self, port: Port, side: int, settings: Settings, say: Callable[[str], None]) -> None:
        self.side = side
        self.is_ready = asyncio.Event()
        self._port, self._settings, self._say = port, settings, say
        self._connection: Connection | None = None
        self._name = ""

    async def serve(self) -> None:
        """Let one client in, and another whenever it leaves before the game, until this is cancelled."""
        side = PLAYERS[self.side]
        while True:
            self._port.listen()
            self._say(f"{side}: waiting on {self._port.address}")
            self._connection = connection = await self._port.accept()
            try:
                full = await self._read_name(connection)
            except Fault as fault:
                self._say(f"{side}: {connection.peer} left without a name: {fault.detail}")
            else:
                self._name = full[: self._settings.name_max_chars] or side  # CH-41, CH-R29
                self._say(f"{side}: {self._name} ({full}) from {connection.peer}")
                self.is_ready.set()
                while connection.inbox.ended is None:
                    await connection.inbox.more(None)
                self.is_ready.clear()
                self._say(f"{side}: {self._name} left before the game")
            await connection.close(0)
            self._connection = None

    async def _read_name(self, connection: Connection) -> str:
        """The full name: up to the first LF, or what has come by 0.2 s after its first byte. [section 14.4]"""
        inbox = connection.inbox
        deadline = time.monotonic() + self._settings.timeout_s
        is_begun = False
        while inbox.ended is None and b"\n" not in inbox.data[:NAME_BYTES] and len(inbox.data) < NAME_BYTES:
            if inbox.data and not is_begun:
                is_begun = True
                deadline = time.monotonic() + NAME_GRACE_S
            try:
                await inbox.more(deadline)
            except TimeoutError:
                if is_begun:
                    break
                raise Fault(TIMEOUT, "no name in time") from None
        if inbox.ended is not None:
            raise Fault(CLOSED, inbox.ended)
        end = inbox.data.find(b"\n", 0, NAME_BYTES)
        taken = inbox.take(NAME_BYTES if end < 0 else end + 1)
        return clean_name(taken.removesuffix(b"\n"))

    def seat(self) -> ClientSeat:
        """The seat of the client that waits, which is the seat's to close from now on."""
        assert self._connection is not None
        connection, self._connection = self._connection, None
        return ClientSeat(connection, self.side, self._name, self._settings)

    async def close(self) -> None:
        """Cut off who waits."""
        if self._connection is not None:
            await self._connection.close(0)
