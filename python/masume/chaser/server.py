"""The server for CHaser's clients: two ports, one game at a time. [sections 14.1 to 14.6]

The referee conducts the match; this module connects it to the wire.
"""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import math
import time
from collections.abc import Callable, Sequence

from ..agent import Agent, View
from ..agents.asking import close_agent
from ..agents.make import make_agent
from ..core._state import State
from ..core.language import say, translate
from ..core.shapes import Int, Maybe, Real, check_fields, field
from ..errors import ConfigError, MatchError
from ..game import Game
from ..referee import clients, match
from ..referee.clock import Timer
from ..referee.lines import decode_name
from ..referee.match import Record
from ..referee.seat import CLOSED, PROTOCOL, TIMEOUT, AgentSeat, Fault, GameEnd, Seat
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
    message,
)

NAME_GRACE_S = 0.2
LINGER_S = 1.0


@dataclasses.dataclass(frozen=True)
class Settings:
    """Settings of a server: the referee's fields of section 2.

    Attributes
    ----------
    cool_port, hot_port : int
        Ports, 0..65535; 0 selects a free one. [CH-39] [CH-40] [CH-R33]
    host : str
        Address to listen on.
    timeout_s : float
        Timeout of each awaited line in seconds, 0.05..600. [CH-R31]
    connect_timeout_s : float or None
        Time to wait for two named clients in seconds, > 0; None: no limit. [CH-R33]
    name_max_chars : int or None
        Characters of a name that are shown, 1..1024; None: all. [CH-R29]
    strict_crlf : bool
        Whether the clients' lines must end with CR LF. [CH-R30]
    """

    cool_port: int = field(COOL_PORT, Int(0, 65535))
    hot_port: int = field(HOT_PORT, Int(0, 65535))
    host: str = field("127.0.0.1", str)
    timeout_s: float = field(5.0, Real(0.05, 600))
    connect_timeout_s: float | None = field(None, Maybe(Real(math.ulp(0.0), math.inf)))
    name_max_chars: int | None = field(4, Maybe(Int(1, NAME_BYTES)))
    strict_crlf: bool = False

    def __post_init__(self) -> None:
        check_fields(self)
        if self.cool_port == self.hot_port != 0:
            raise ConfigError(f"hot_port: {self.hot_port} is the cool_port")


class ClientSeat(Seat):
    """The seat of a client in one game. [section 14.3]"""

    def __init__(self, connection: Connection, player: int, name: str, settings: Settings) -> None:
        self.name = name
        self._connection, self._player, self._settings = connection, player, settings

    async def act(self, view: View, timer: Timer) -> list[int]:
        """Carry out steps 1 to 4 of a turn and return the method that the client calls. [CH-42] [CH-R26]"""
        timer.restart()
        self._send(TURN)
        line = await self._line()
        if line != GET_READY:  # CH-43
            raise Fault(PROTOCOL, f"expected gr, got {_quote(line)}")
        (ready,) = (event["info"] for event in view.events() if event["event"] == "ready")
        self._send(ready.encode())  # CH-44
        line = await self._line()
        if line not in METHODS:  # CH-45, CH-R24, CH-R25
            raise Fault(PROTOCOL, f"expected a method, got {_quote(line)}")
        timer.stop()
        return [METHODS[line]]

    async def tell(self, view: View) -> None:
        """Carry out steps 5 and 6 for the mover; nothing is sent to the other player. [CH-46] [CH-47] [CH-R34]"""
        for event in view.events():
            if event["event"] == "method":
                self._send(event["info"].encode())
                if event["info"][0] == "1":
                    line = await self._line()
                    if line != END_MARK:
                        raise Fault(PROTOCOL, f"expected #, got {_quote(line)}")

    async def end(self, outcome: GameEnd) -> None:
        """Send an info that begins with 0 if the client has had none yet; its answer no longer matters.

        [CH-48] [CH-49] [CH-R17] [CH-R27] [section 14.5]
        """
        last = outcome.state.events(self._player)[-1]
        if last["event"] == "method":
            await self._skip_line()
            return
        with contextlib.suppress(Fault):  # the socket may be gone
            if self._player not in outcome.faults:
                self._send(TURN)
                await self._skip_line()
            self._send(last["info"].encode())

    def note(self, text: str) -> None:
        """Write a line into the client's transcript."""
        self._connection.note(text)

    async def close(self) -> None:
        """Close the connection gracefully."""
        await self._connection.close(LINGER_S)

    def _send(self, content: bytes) -> None:
        self._connection.write(message(content))

    async def _line(self) -> bytes:
        """Return the next line that is not blank; the timeout starts now. [section 14.6]"""
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


class PersonSeat(AgentSeat):
    """The seat of a person at the server's terminal, who has the time of a client's line for each action. [CH-R31]"""

    def __init__(self, agent: Agent, timeout_s: float) -> None:
        super().__init__(agent)
        self._timeout_s = timeout_s

    async def act(self, view: View, timer: Timer) -> Sequence[int]:
        """Return the person's action."""
        try:
            async with asyncio.timeout(self._timeout_s):
                return await super().act(view, timer)
        except TimeoutError:
            raise Fault(TIMEOUT, f"no action after {self._timeout_s:g} s") from None


def _quote(line: bytes) -> str:
    return repr(line)[1:]


class Server:
    """Server of consecutive games; clients connect anew for each game.

    Contestant 0 is the client of `cool_port`, contestant 1 the client of `hot_port`, or the agents in their place.

    Parameters
    ----------
    game : Game
        The game.
    settings : Settings
        Settings of the server.
    agents : sequence of (str or None), optional
        For COOL's and HOT's port, the name of an agent that plays in place of a client; None for a client.
    say : callable, optional
        Called with each line of news for people.
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
                close_agent(make_agent(spec, game))  # an unknown name must fail now, not in the first game
        self._ports = [
            Port(settings.host, settings.cool_port, "cool_port"),
            Port(settings.host, settings.hot_port, "hot_port"),
        ]

    @property
    def ports(self) -> tuple[int, int]:
        """Numbers of both ports; if the system chooses one, it is known after `listen`."""
        return self._ports[0].number, self._ports[1].number

    def listen(self) -> None:
        """Listen on the ports of all clients; raise ConfigError if one is not available. [CH-39] [CH-40]"""
        try:
            for port, agent in zip(self._ports, self._agents, strict=True):
                if agent is None:
                    port.listen()
        except ConfigError:
            self.close()
            raise

    def close(self) -> None:
        """Stop listening."""
        for port in self._ports:
            port.close()

    async def play(
        self,
        seed: int,
        is_swapped: bool = False,
        watch: Callable[[State], None] | None = None,
        follow: match.Follow | None = None,
    ) -> Record:
        """Play one game: wait for the clients, play, close their connections.

        Parameters
        ----------
        seed : int
            Seed of the game.
        is_swapped : bool, optional
            Whether contestant 0 plays HOT.
        watch, follow : callable, optional
            As in `referee.match.play_match`.

        Returns
        -------
        Record
            The record of the match.

        Raises
        ------
        MatchError
            If a client is missing after `connect_timeout_s`: the game has no result. [CH-R33]
        """
        async with contextlib.AsyncExitStack() as stack:
            stack.callback(self.close)
            self.listen()
            order = [1, 0] if is_swapped else [0, 1]  # the contestant on each side
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
                    seats.append(self._make_seat(agent))
            try:
                return await match.play_match(self._game, seats, seed, watch=watch, follow=follow)
            finally:
                await asyncio.gather(*(seat.close() for seat in seats))

    def _make_seat(self, agent: str) -> Seat:
        made = make_agent(agent, self._game)
        return PersonSeat(made, self._settings.timeout_s) if agent == "human" else AgentSeat(made)

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


class PortSeat(clients.ClientSeat):
    """Seat of a client with a port of its own, or on the port of its side, in any match. [section 14.1]"""

    def __init__(self, settings: clients.ClientSettings) -> None:
        super().__init__(settings)
        its = settings.port
        numbers = (COOL_PORT, HOT_PORT) if its is None else (its,)
        self._ports = [Port(settings.host, number, "port") for number in numbers]
        self._wanted = settings.name if its is None else None

    def port(self) -> Port:
        """Return the port of the client, or the one of its side in this game."""
        return self._ports[self.player % len(self._ports)]

    async def wait(self, game: Game) -> Seat:
        """Return the seat of the next client with a name."""
        lobby_settings = Settings(timeout_s=self.settings.timeout_s, name_max_chars=None)
        lobby = _Lobby(self.port(), self.player, lobby_settings, self._say, self._wanted)
        serving = asyncio.create_task(lobby.serve())
        ready = asyncio.create_task(lobby.is_ready.wait())
        try:
            await asyncio.wait([serving, ready], return_when=asyncio.FIRST_COMPLETED)
            if not ready.done():
                await serving  # it has failed, such as for a port that is not available
        except BaseException:
            serving.cancel()
            await asyncio.gather(serving, return_exceptions=True)
            await lobby.close()
            raise
        finally:
            ready.cancel()
        serving.cancel()
        await asyncio.gather(serving, return_exceptions=True)
        return lobby.seat()

    def _say(self, line: str) -> None:
        self.settings.say(f"{self.name}: {line}")

    def stop(self) -> None:
        """Listen no more."""
        for port in self._ports:
            port.close()


class _Lobby:
    """Wait for the client of one side before a game. [section 14.1]

    wanted : the only name that is admitted; None: any.
    """

    def __init__(
        self, port: Port, side: int, settings: Settings, say: Callable[[str], None], wanted: str | None = None
    ) -> None:
        self.side = side
        self._wanted = wanted
        self.is_ready = asyncio.Event()
        self._port, self._settings, self._say = port, settings, say
        self._connection: Connection | None = None
        self._name = ""

    async def serve(self) -> None:
        """Admit a client, and the next one if it leaves before the game, until this task is cancelled."""
        side = PLAYERS[self.side]
        while True:
            self._port.listen()
            self._say(say("{side}: waiting on {address}", side=side, address=self._port.address))
            self._connection = connection = await self._port.accept()
            try:
                full = await self._read_name(connection)
                if self._wanted is not None and full.strip() != self._wanted:
                    template = translate("{name} does not play here now: {wanted} does")
                    raise Fault(PROTOCOL, template.format(name=full or "?", wanted=self._wanted))
            except Fault as fault:
                what = "{side}: {peer} left without a name: {detail}"
                if fault.cause == PROTOCOL:  # it has another name
                    what = "{side}: {peer} was sent away: {detail}"
                self._say(translate(what).format(side=side, peer=connection.peer, detail=fault.detail))
            else:
                self._name = full[: self._settings.name_max_chars] or side  # CH-41, CH-R29
                self._say(
                    translate("{side}: {name} ({full}) from {peer}").format(
                        side=side, name=self._name, full=full, peer=connection.peer
                    )
                )
                self.is_ready.set()
                while connection.inbox.ended is None:
                    await connection.inbox.more(None)
                self.is_ready.clear()
                self._say(say("{side}: {name} left before the game", side=side, name=self._name))
            await connection.close(0)
            self._connection = None

    async def _read_name(self, connection: Connection) -> str:
        """Return the full name: up to the first LF, or the bytes within 0.2 s of the first one.

        [CH-41] [section 14.4]
        """
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
        return decode_name(taken.removesuffix(b"\n"))

    def seat(self) -> ClientSeat:
        """Return the seat of the waiting client; the seat now owns the connection."""
        assert self._connection is not None
        connection, self._connection = self._connection, None
        return ClientSeat(connection, self.side, self._name, self._settings)

    async def close(self) -> None:
        """Disconnect the waiting client."""
        if self._connection is not None:
            await self._connection.close(0)
