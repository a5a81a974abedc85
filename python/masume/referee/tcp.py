"""TCP: ports that let in one program at a time, and the connections to them."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from typing import cast

from ..core import system
from ..errors import ConfigError
from .lines import CAPACITY, Flow, Inbox, Link
from .seat import CLOSED, Fault


class Connection(Flow, asyncio.Protocol, Link):
    """A connection to a program.

    peer : the other end, as HOST:PORT.
    """

    def __init__(self, capacity: int = CAPACITY) -> None:
        super().__init__()
        self.inbox, self.flow = Inbox(self._pause, capacity), self
        self.peer = ""
        self._is_draining = False
        self._lost = asyncio.get_running_loop().create_future()

    # -- what asyncio calls ------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The connection is there."""
        self._transport = cast(asyncio.Transport, transport)
        self._transport.set_write_buffer_limits(0)
        address = self._transport.get_extra_info("peername")
        self.peer = format_address(*address[:2]) if isinstance(address, tuple) else "?"  # it was gone at once

    def data_received(self, data: bytes) -> None:
        """Into the inbox, unless nobody will look any more."""
        if not self._is_draining:
            self.inbox.feed(data)

    def eof_received(self) -> bool:
        """The program sends no more, but may still be sent something."""
        self.inbox.end("the connection was closed")
        if self._is_draining:
            self._transport.abort()
        return True

    def connection_lost(self, error: Exception | None) -> None:
        """Nothing goes either way any more."""
        self.inbox.end(f"the connection was lost: {error}" if error else "the connection was closed")
        self.resume_writing()
        self._lost.set_result(None)

    # -- what seats call ---------------------------------------------------------------------------

    def _pause(self, is_full: bool) -> None:
        if is_full:
            self._transport.pause_reading()
        else:
            self._transport.resume_reading()

    def write(self, data: bytes) -> None:
        """Send the bytes at once, in one piece where the system takes them; Fault where the connection is gone."""
        if self._transport.is_closing():
            raise Fault(CLOSED, self.inbox.ended or "the connection was closed")
        self._transport.write(data)

    async def close(self, grace_s: float) -> None:
        """Send no more, throw away what still comes until the other end has closed too or `grace_s` has passed."""
        self._is_draining = True
        if self.inbox.ended is not None:
            self._transport.close()  # what was written last still goes out
        elif not self._transport.is_closing():
            with contextlib.suppress(OSError):  # the other end is gone, and asyncio has not heard of it yet
                self._transport.write_eof()
            self._transport.resume_reading()
        await asyncio.wait([self._lost], timeout=grace_s)
        self._transport.abort()
        await asyncio.wait([self._lost])


class Port:
    """A port that listens until one program has come, and again when told to.

    number : the port's; where 0 was asked for, the system's choice after the first `listen`, which then stays.
    field : what asked for it, in errors.
    """

    def __init__(self, host: str, number: int, field: str = "port") -> None:
        self.host, self.number, self._field = host, number, field
        self._socket: socket.socket | None = None

    @property
    def address(self) -> str:
        """As people write it."""
        return format_address(self.host, self.number)

    def listen(self) -> None:
        """Begin to listen; nothing where it does already. ConfigError where the port is not to be had."""
        if self._socket is not None:
            return
        self._socket = listener(self.host, self.number, self._field)
        self.number = self._socket.getsockname()[1]

    async def accept(self, capacity: int = CAPACITY, is_last: bool = True) -> Connection:
        """The first connection that comes; if it is the last, the port then refuses whoever comes later."""
        self.listen()
        assert self._socket is not None
        loop = asyncio.get_running_loop()
        accepted = None
        while accepted is None:
            try:
                accepted, _ = await loop.sock_accept(self._socket)
            except ConnectionError:
                continue  # it was gone again before it was let in
        if is_last:
            self.close()
        _, connection = await loop.connect_accepted_socket(lambda: Connection(capacity), accepted)
        return connection

    def close(self) -> None:
        """Listen no more."""
        if self._socket is not None:
            self._socket.close()
            self._socket = None


def listener(host: str, number: int, field: str = "port") -> socket.socket:
    """A socket that listens there and never blocks; ConfigError, after `field`, where the port is not to be had."""
    with contextlib.ExitStack() as stack:
        try:
            family, kind, protocol, _, address = socket.getaddrinfo(
                host, number, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
            )[0]
            found = stack.enter_context(socket.socket(family, kind, protocol))
            system.claim_port(found)
            found.bind(address)
            found.listen(1)
            found.setblocking(False)
        except (OSError, UnicodeError) as error:  # the latter of what can be no name of a host
            why = error.strerror if isinstance(error, OSError) else "no name of a host"
            raise ConfigError(f"{field}: {format_address(host, number)}: {why}") from None
        stack.pop_all()
    return found


def format_address(host: str, number: int) -> str:
    """An address as people write it."""
    return f"[{host}]:{number}" if ":" in host else f"{host}:{number}"
