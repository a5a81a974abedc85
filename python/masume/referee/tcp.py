"""TCP: ports that accept one program at a time, and the connections to them."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from errno import EADDRNOTAVAIL
from typing import cast

from ..core import system
from ..errors import ConfigError
from .lines import CAPACITY, Flow, Inbox, Link
from .seat import CLOSED, Fault
from .transcript import SAID, SENT, Transcript


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

    # -- called by asyncio --------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Take the new connection."""
        self._transport = cast(asyncio.Transport, transport)
        self._transport.set_write_buffer_limits(0)
        address = self._transport.get_extra_info("peername")
        self.peer = format_address(*address[:2]) if isinstance(address, tuple) else "?"  # already closed
        mine = self._transport.get_extra_info("sockname")
        port = mine[1] if isinstance(mine, tuple) else "?"
        self.transcript = Transcript.of_environment(f"client of port {port}, {self.peer}")

    def data_received(self, data: bytes) -> None:
        """Add the bytes to the inbox, unless the connection is closing."""
        if self.transcript is not None:
            self.transcript.add(SAID, data)
        if not self._is_draining:
            self.inbox.feed(data)

    def eof_received(self) -> bool:
        """Note that the program sends no more; it may still receive."""
        self.inbox.end("the connection was closed")
        if self._is_draining:
            self._transport.abort()
        return True

    def connection_lost(self, error: Exception | None) -> None:
        """Note that the connection is closed both ways."""
        self.inbox.end(f"the connection was lost: {error}" if error else "the connection was closed")
        self.resume_writing()
        self._lost.set_result(None)
        if self.transcript is not None:
            self.transcript.close()

    # -- called by seats ----------------------------------------------------------------------------

    def _pause(self, is_full: bool) -> None:
        if is_full:
            self._transport.pause_reading()
        else:
            self._transport.resume_reading()

    def write(self, data: bytes) -> None:
        """Send the bytes at once, in one piece if the system accepts them; raise Fault if the connection is closed."""
        if self._transport.is_closing():
            raise Fault(CLOSED, self.inbox.ended or "the connection was closed")
        self._transport.write(data)
        if self.transcript is not None:
            self.transcript.add(SENT, data)

    async def close(self, grace_s: float) -> None:
        """Send no more; discard input until the other end has closed too or `grace_s` has passed."""
        self._is_draining = True
        if self.inbox.ended is not None:
            self._transport.close()  # pending output is still sent
        elif not self._transport.is_closing():
            with contextlib.suppress(OSError):  # the other end is gone, which asyncio has not noticed yet
                self._transport.write_eof()
            self._transport.resume_reading()
        await asyncio.wait([self._lost], timeout=grace_s)
        self._transport.abort()
        await asyncio.wait([self._lost])


class Port:
    """A port that listens until one program has connected, and again on request.

    number : the port number; if 0 was requested, the system's choice after the first `listen`, which then stays. field
    : the name of the argument, for errors. queue : connections that the system keeps until they are accepted.
    """

    def __init__(self, host: str, number: int, field: str = "port", queue: int = 1) -> None:
        self.host, self.number, self._field, self._queue = host, number, field, queue
        self._socket: socket.socket | None = None

    @property
    def address(self) -> str:
        """The address as people write it."""
        return format_address(self.host, self.number)

    def listen(self) -> None:
        """Start listening, if it does not already; raise ConfigError if the port is unavailable."""
        if self._socket is not None:
            return
        self._socket = listener(self.host, self.number, self._field, self._queue)
        self.number = self._socket.getsockname()[1]

    async def accept(self, capacity: int = CAPACITY, is_last: bool = True) -> Connection:
        """Return the first connection; if `is_last`, the port refuses later ones."""
        self.listen()
        assert self._socket is not None
        loop = asyncio.get_running_loop()
        accepted = None
        while accepted is None:
            try:
                accepted, _ = await loop.sock_accept(self._socket)
            except ConnectionError:
                continue  # closed before it was accepted
        if is_last:
            self.close()
        _, connection = await loop.connect_accepted_socket(lambda: Connection(capacity), accepted)
        return connection

    def close(self) -> None:
        """Stop listening."""
        if self._socket is not None:
            self._socket.close()
            self._socket = None


def listener(host: str, number: int, field: str = "port", queue: int = 1) -> socket.socket:
    """Return a non-blocking listening socket; "::" means all addresses, also those of IPv4.

    field : how the error begins, a ConfigError, if the port is unavailable; queue : connections that the system keeps
    until they are accepted.
    """
    with contextlib.ExitStack() as stack:
        try:
            family, kind, protocol, _, address = socket.getaddrinfo(
                host, number, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
            )[0]
            listening = stack.enter_context(socket.socket(family, kind, protocol))
            system.claim_port(listening)
            if address[0] == "::":
                listening.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
            listening.bind(address)
            listening.listen(queue)
            listening.setblocking(False)
        except (OSError, ValueError) as error:  # ValueError for an invalid host name
            if isinstance(error, OSError) and not isinstance(error, socket.gaierror) and error.errno != EADDRNOTAVAIL:
                raise ConfigError(f"{field}: {format_address(host, number)}: {error.strerror}") from None
            raise ConfigError(f"host: expected a name or an address of this machine, got {host!r:.60}") from None
        stack.pop_all()
    return listening


def format_address(host: str, number: int) -> str:
    """Return an address as people write it."""
    return f"[{host}]:{number}" if ":" in host else f"{host}:{number}"
