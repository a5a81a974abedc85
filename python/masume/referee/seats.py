"""make_seat: from the text that names a player to its seat, be it an agent or a program."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ..core.config import integer
from ..errors import ConfigError
from ..play.agents import make_agent
from .hooks import hook
from .jsonlines import CAPACITY, Connect, JsonSeat
from .lines import Link
from .process import Child
from .seat import AgentSeat, Seat
from .tcp import Port

if TYPE_CHECKING:
    from ..game import Game

HOST = "127.0.0.1"


def make_seat(spec: str, game: Game, retries: int = 0, say: Callable[[str], None] = lambda _: None) -> Seat:
    """The seat that `spec` names; nothing is started and nobody is waited for before the first match.

    cmd:COMMAND is a program that speaks the game's own protocol over stdin and stdout where it has one, else JSON
    lines; json:COMMAND one that speaks JSON lines; tcp:PORT one that connects to this port of this machine and speaks
    JSON lines. Everything else is an agent (`make_agent`).

    retries : see JsonSeat. say : called with a line for people when a program is waited for.
    ConfigError for what is none of these.
    """
    kind, _, rest = spec.partition(":")
    program = hook(game, "program") if kind == "cmd" and rest.strip() else None
    if program is not None:
        seat: Seat = program(rest)
        return seat
    connect = connector(spec, say)
    return AgentSeat(make_agent(spec, game)) if connect is None else JsonSeat(spec, connect, retries)


def connector(spec: str, say: Callable[[str], None]) -> Connect | None:
    """What brings the JSON-lines program that `spec` names; None where it names no program.

    ConfigError for a program that cannot be.
    """
    kind, _, rest = spec.partition(":")
    if kind in ("cmd", "json"):
        if not rest.strip() or "\0" in rest:
            raise ConfigError(f"agents: {spec!r}: a command is wanted after {kind}:")
        return lambda: Child.start(rest, capacity=CAPACITY)
    if kind != "tcp":
        return None
    if not (rest.isascii() and rest.isdigit()):
        raise ConfigError(f"agents: {spec!r}: the number of a port is wanted after tcp:")
    port = Port(HOST, integer("agents: tcp", int(rest[:9]), 0, 65535), f"agents: {spec}")

    async def connect() -> Link:
        port.listen()
        say(f"waiting for a bot on {port.address}")
        try:
            return await port.accept(CAPACITY)
        finally:
            port.close()

    return connect
