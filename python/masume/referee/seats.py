"""make_seat: from the text that names a player to its seat, for agents and programs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from ..agents.given import AgentLike, GivenAgent
from ..agents.make import make_agent
from ..agents.names import split_name
from ..core.config import integer
from ..core.language import translate
from ..errors import ConfigError
from ..game import Game
from .clients import NamedSeat
from .jsonlines import CAPACITY, Connect, JsonSeat
from .lines import Link
from .process import Child
from .seat import NOT_STARTED, AgentSeat, Fault, Seat
from .tcp import Port

HOST = "127.0.0.1"
AGAIN_S = 30.0  # for a bot that has connected once to connect again


def make_seat(spec: AgentLike, game: Game, retries: int = 0, say: Callable[[str], None] = lambda _: None) -> Seat:
    """Make the seat that `spec` names; programs are started or awaited before the first match.

    Parameters
    ----------
    spec : str, Agent, class or callable
        `cmd:COMMAND`: a program that speaks the game's own protocol over stdin and stdout, or JSON lines if the game
        has none. `json:COMMAND`: a program that speaks JSON lines. `tcp:PORT`: a program that connects to this port of
        this machine (127.0.0.1) and speaks JSON lines. `NAME=` before any of these: under this name. Anything else: an
        agent as `make_agent` takes it.
    game : Game
        The game.
    retries : int, optional
        For JSON lines: how often a bad answer may be repeated in a turn (`JsonSeat`).
    say : callable, optional
        Called with a line for people when a program is awaited.

    Returns
    -------
    Seat

    Raises
    ------
    ConfigError
        If `spec` names no player of this game.
    """
    if not isinstance(spec, str) or isinstance(spec, GivenAgent):
        return AgentSeat(make_agent(spec, game))
    name, spec = split_name(spec)
    if name is not None:
        return NamedSeat(make_seat(spec, game, retries, say), name)
    kind, _, rest = spec.partition(":")
    program = game.hook("program") if kind == "cmd" and rest.strip() else None
    if program is not None:
        seat: Seat = program(rest)
        return seat
    connect = connector(spec, say)
    return AgentSeat(make_agent(spec, game)) if connect is None else JsonSeat(spec, connect, retries)


def connector(spec: str, say: Callable[[str], None]) -> Connect | None:
    """Return the function that connects to the JSON-lines program of `spec`; None if `spec` names no program.

    Raises ConfigError if the command or port is invalid.
    """
    kind, _, rest = spec.partition(":")
    if kind in ("cmd", "json"):
        if not rest.strip() or "\0" in rest:
            raise ConfigError(f"agents: {spec!r}: expected a command after {kind}:")
        return lambda: Child.start(rest, capacity=CAPACITY)
    if kind != "tcp":
        return None
    if not (rest.isascii() and rest.isdigit()):
        raise ConfigError(f"agents: {spec!r}: expected the number of a port after tcp:")
    port = Port(HOST, integer("agents: tcp", int(rest[:9]), 0, 65535), f"agents: {spec}")

    limit_s: float | None = None

    async def connect() -> Link:
        nonlocal limit_s
        port.listen()
        say(translate("waiting for a bot on {address}").format(address=port.address))
        try:
            async with asyncio.timeout(limit_s):
                return await port.accept(CAPACITY)
        except TimeoutError:
            raise Fault(NOT_STARTED, f"no bot on {port.address} after {limit_s:g} s") from None
        finally:
            limit_s = AGAIN_S
            port.close()

    return connect
