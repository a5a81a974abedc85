"""Limits on the number of connections of a server, and on the time each may take.

uvicorn parses the requests. This module wraps its protocol, through the methods of `asyncio.Protocol` only, in one
that sees all traffic. Every connection always has a deadline for its current step, after which it is closed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, cast

from .limits import Network, Shares, is_allowed, network

HEAD_S = 10.0  # for the whole head of a request, from its first byte or from the start of the connection
BODY_S = 10.0  # for the body after the head
SEND_S = 20.0  # for a client to read the data sent to it
KEPT_S = 30.0  # until the next request of a connection: more than a turn takes on any shipped board
LATE_S = 0.1  # a sweep later than this counts as delayed
HONEST_S = 1.0  # longest time for the head of a well-behaved client
MAX_HEAD = 65_536  # bytes of the head of a request
Peer = tuple[str, int]


class Connection(asyncio.Protocol):
    """A connection that wraps the protocol that reads its requests.

    Attributes
    ----------
    address : str
        Address for limits.
    peer : (str, int)
        Host and port of the client.
    known : set of (str, int)
        Seats whose code was correct on this connection.
    on_lost : callable or None
        Called when the connection is lost.
    deadline : float
        Time at which the connection is closed, in seconds of the clock of `Connections`.
    since : float
        Start of its current step, by the same clock.
    """

    def __init__(self, connections: Connections, inner: asyncio.Protocol) -> None:
        self._connections, self._inner = connections, inner
        self.address, self.peer = "", ("", 0)
        self.known: set[tuple[str, int]] = set()
        self.on_lost: Callable[[], None] | None = None
        self.deadline, self.since = float("inf"), 0.0
        self.is_busy = self._is_in = False
        self._head = 0  # bytes received while no request was being answered

    # -- called by asyncio -------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Admit the connection, or close it at once."""
        self.transport = cast(asyncio.Transport, transport)
        self.peer = _peer(self.transport.get_extra_info("peername"))
        self.address = network(self.peer[0])
        if not self._connections.is_open_to(self.peer[0]) or not self._connections.admit(self):
            self.transport.abort()
            return
        self._is_in = True
        self.deadline = self._connections.time() + HEAD_S
        self._out = _Joined(self.transport)
        self._inner.connection_made(cast(asyncio.BaseTransport, self._out))

    def connection_lost(self, exc: Exception | None) -> None:
        """Remove the connection from the counts."""
        if not self._is_in:
            return
        self._connections.forget(self)
        self._inner.connection_lost(exc)
        if self.on_lost is not None:
            self.on_lost()

    def data_received(self, data: bytes) -> None:
        """Pass on received data; close the connection if a head does not end."""
        if not self._is_in:
            return
        if not self.is_busy:
            if self._head > MAX_HEAD:
                self.transport.abort()
                return
            if not self._head:
                self.deadline = min(self.deadline, self._connections.time() + HEAD_S)
                self._connections.note(self)
            self._head += len(data)
        self._inner.data_received(data)

    def eof_received(self) -> bool | None:
        """Pass on the end of the input."""
        return self._inner.eof_received() if self._is_in else False

    def pause_writing(self) -> None:
        """Pass on that the client is slow."""
        self._inner.pause_writing()

    def resume_writing(self) -> None:
        """Pass on that the client has caught up."""
        self._inner.resume_writing()

    # -- called by the application -----------------------------------------------------------------

    def begin(self) -> None:
        """Note that the head of a request is complete."""
        self.is_busy, self._head, self.deadline = True, 0, float("inf")
        self._connections.note(self)

    def end(self) -> None:
        """Note that the request is answered."""
        self.is_busy, self.on_lost = False, None
        self.deadline = self._connections.time() + KEPT_S
        self._connections.note(self, is_kept=True)

    def hold(self) -> None:
        """Hold all data until `flush`, so that one system call sends it."""
        self._out.is_held = True

    def flush(self) -> None:
        """Send the held data."""
        self._out.flush()

    def limit(self, seconds: float) -> None:
        """Set the deadline to `seconds` from now."""
        self.deadline = self._connections.time() + seconds

    def abort(self) -> None:
        """Close the connection now; unsent data is lost."""
        self.transport.abort()


class _Joined:
    """A transport that can hold written data; everything else is passed to the wrapped transport."""

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport, self._held = transport, b""
        self.is_held = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        """Send or hold the bytes; drop them if the connection is closing, as asyncio would warn each time."""
        if self.is_held:
            self._held += data
        elif not self._transport.is_closing():
            self._transport.write(data)

    def flush(self) -> None:
        """Send the held data and stop holding."""
        self.is_held = False
        if self._held:
            held, self._held = self._held, b""
            self.write(held)

    def close(self) -> None:
        """Close the connection after all data is sent."""
        self.flush()
        self._transport.close()


class Connections:
    """All connections of a server.

    Parameters
    ----------
    limit : int
        Maximum number of connections.
    time : callable
        Clock of the deadlines, in seconds.
    allow : sequence of networks, optional
        Networks from which connections are accepted; empty: all.

    Notes
    -----
    At the limit, in total or of one address, a new connection replaces another one: the one that has waited longest
    for its head, if that is longer than well-behaved clients take; otherwise, of the address with the most, the one
    that has waited longest for its next request. A connection that is being answered is never replaced.
    """

    def __init__(self, limit: int, time: Callable[[], float], allow: Sequence[Network] = ()) -> None:
        self.shares, self.time, self._allow = Shares(limit), time, allow
        self._all: dict[Peer, Connection] = {}
        self._heads: dict[str, dict[Connection, None]] = {}  # those that wait for a head, by address, oldest first
        self._kept: dict[str, dict[Connection, None]] = {}  # those that wait for a next request, likewise

    def __len__(self) -> int:
        return len(self._all)

    def is_open_to(self, host: str) -> bool:
        """Return whether connections from an address are accepted."""
        return not self._allow or is_allowed(host, self._allow)

    def admit(self, connection: Connection) -> bool:
        """Count a new connection; return False if there is no room for it."""
        address = connection.address
        if not connection.peer[1]:  # it closed at once
            return False
        old = self._all.get(connection.peer)
        if old is not None:  # it is closed, but the system reported the new one first
            self._drop(old)
            old.abort()
        if not self.shares.has_room(address):
            other = self._who_gives_way(address)
            if other is None:
                return False
            self._drop(other)
            other.abort()
        self.shares.take(address)
        self._all[connection.peer] = connection
        self.note(connection)
        return True

    def _who_gives_way(self, address: str) -> Connection | None:
        of = [address] if self.shares.has_share(address) else None
        slow = min((next(iter(found)) for found in _of(self._heads, of)), key=lambda one: one.since, default=None)
        if slow is not None and slow.since <= self.time() - HONEST_S:
            return slow
        kept = self._kept.get(self.shares.largest(address, self._kept))
        return next(iter(kept)) if kept else slow

    def forget(self, connection: Connection) -> None:
        """Stop counting a connection."""
        if self._all.get(connection.peer) is connection:
            self._drop(connection)

    def _drop(self, connection: Connection) -> None:
        del self._all[connection.peer]
        self.shares.give_back(connection.address)
        self._stop_waiting(connection)

    def _stop_waiting(self, connection: Connection) -> None:
        for waiting in (self._heads, self._kept):
            found = waiting.get(connection.address)
            if found is not None:
                found.pop(connection, None)
                if not found:
                    del waiting[connection.address]

    def note(self, connection: Connection, is_kept: bool = False) -> None:
        """Note that a connection has begun to wait, or that its request is being answered."""
        if self._all.get(connection.peer) is not connection:
            return
        self._stop_waiting(connection)
        connection.since = self.time()
        if not connection.is_busy:
            waiting = self._kept if is_kept else self._heads
            waiting.setdefault(connection.address, {})[connection] = None

    def find(self, peer: Any) -> Connection | None:
        """Return the connection of an ASGI client (host, port); None if it is gone."""
        return self._all.get(_peer(peer))

    def sweep(self, expected: float | None = None) -> None:
        """Close every connection that has passed its deadline.

        Parameters
        ----------
        expected : float, optional
            Planned time of this call. If the call is late, the server or the machine was busy and has not read the
            data that arrived meanwhile; so all deadlines move by the delay.
        """
        now = self.time()
        late = 0.0 if expected is None else now - expected
        if late > LATE_S:
            for connection in self._all.values():
                connection.deadline += late
        for connection in [one for one in self._all.values() if one.deadline <= now]:
            connection.abort()

    def abort(self) -> None:
        """Close all connections."""
        for connection in list(self._all.values()):
            connection.abort()


def _of(waiting: dict[str, dict[Connection, None]], addresses: list[str] | None) -> list[dict[Connection, None]]:
    return list(waiting.values()) if addresses is None else [waiting[one] for one in addresses if one in waiting]


def _peer(found: Any) -> Peer:
    return (str(found[0]), int(found[1])) if found else ("", 0)
