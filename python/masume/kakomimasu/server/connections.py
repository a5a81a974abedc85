"""The connections of a server: how many there may be, and how long each may take for what it does.

uvicorn parses the requests. Here its protocol is wrapped, by the methods of `asyncio.Protocol` alone, in one that sees
what comes and goes: every connection always has a time by which it has to be done with something, or is closed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, cast

from .limits import Shares, network

HEAD_S = 10.0  # for the head of a request to be whole, counted from its first byte, or from the connection's beginning
BODY_S = 10.0  # for the body then
SEND_S = 20.0  # for a client to take what it is sent
KEPT_S = 30.0  # for the next request of a connection: more than a turn takes on any board that is shipped
LATE_S = 0.1  # of a sweep that is no delay
HONEST_S = 1.0  # that a head takes which is not meant to take long
MAX_HEAD = 65_536  # bytes of the head of a request
Peer = tuple[str, int]


class Connection(asyncio.Protocol):
    """A connection, around the protocol that reads its requests.

    address : what limits count. known : the seats whose code it has shown. on_lost : called when it is gone.
    deadline : when it is closed; since : when it began to do what it does; both by the clock of `Connections`.
    """

    def __init__(self, connections: Connections, inner: asyncio.Protocol) -> None:
        self._connections, self._inner = connections, inner
        self.address, self.peer = "", ("", 0)
        self.known: set[tuple[str, int]] = set()
        self.on_lost: Callable[[], None] | None = None
        self.deadline, self.since = float("inf"), 0.0
        self.is_busy = self._is_in = False
        self._head = 0  # bytes that came while no request was being answered

    # -- what asyncio calls ------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Let the connection in, or close it at once."""
        self.transport = cast(asyncio.Transport, transport)
        self.peer = _peer(self.transport.get_extra_info("peername"))
        self.address = network(self.peer[0])
        if not self._connections.admit(self):
            self.transport.abort()
            return
        self._is_in = True
        self.deadline = self._connections.time() + HEAD_S
        self._out = _Joined(self.transport)
        self._inner.connection_made(cast(asyncio.BaseTransport, self._out))

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        if not self._is_in:
            return
        self._connections.forget(self)
        self._inner.connection_lost(exc)
        if self.on_lost is not None:
            self.on_lost()

    def data_received(self, data: bytes) -> None:
        """Pass on what has come, unless it is a head without end."""
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
        """Pass on that nothing more comes."""
        return self._inner.eof_received() if self._is_in else False

    def pause_writing(self) -> None:
        """Pass on that the client is slow."""
        self._inner.pause_writing()

    def resume_writing(self) -> None:
        """Pass on that the client has caught up."""
        self._inner.resume_writing()

    # -- what the application calls ----------------------------------------------------------------

    def begin(self) -> None:
        """Note that the head of a request is whole."""
        self.is_busy, self._head, self.deadline = True, 0, float("inf")
        self._connections.note(self)

    def end(self) -> None:
        """Note that the request is answered."""
        self.is_busy, self.on_lost = False, None
        self.deadline = self._connections.time() + KEPT_S
        self._connections.note(self, is_kept=True)

    def hold(self) -> None:
        """Send nothing until `flush`: one call of the system is for all that is written in between."""
        self._out.is_held = True

    def flush(self) -> None:
        """Send what was held."""
        self._out.flush()

    def limit(self, seconds: float) -> None:
        """Close the connection after so many seconds, unless something else is said before."""
        self.deadline = self._connections.time() + seconds

    def abort(self) -> None:
        """Close the connection now; what was still to be sent is lost."""
        self.transport.abort()


class _Joined:
    """A transport that can hold what is written for a moment; all else is the transport's."""

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport, self._held = transport, b""
        self.is_held = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        """Send the bytes, or hold them; nothing where the connection is gone, of which asyncio would warn each time."""
        if self.is_held:
            self._held += data
        elif not self._transport.is_closing():
            self._transport.write(data)

    def flush(self) -> None:
        """Send what is held, and hold no more."""
        self.is_held = False
        if self._held:
            held, self._held = self._held, b""
            self.write(held)

    def close(self) -> None:
        """Close the connection when all is sent."""
        self.flush()
        self._transport.close()


class Connections:
    """All connections of a server.

    limit : how many there may be. time : the clock of the deadlines.

    When there are as many as there may be, or of one address, a new one takes the place of another: of the one whose
    head takes longest, if that is more than honest ones take; else of the one that has been kept longest for a next
    request, of the address that has most. Whoever is being answered gives way to nobody.
    """

    def __init__(self, limit: int, time: Callable[[], float]) -> None:
        self.shares, self.time = Shares(limit), time
        self._all: dict[Peer, Connection] = {}
        self._heads: dict[str, dict[Connection, None]] = {}  # whose head is to come, by address, the oldest first
        self._kept: dict[str, dict[Connection, None]] = {}  # of whom nothing has come since the last answer, likewise

    def __len__(self) -> int:
        return len(self._all)

    def admit(self, connection: Connection) -> bool:
        """Count a new connection; False where there is no room for it."""
        address = connection.address
        if not connection.peer[1]:  # it was gone at once
            return False
        old = self._all.get(connection.peer)
        if old is not None:  # it is gone, and the system has told of the new one first
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
        """Count a connection no more."""
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
        """Note that a connection has begun to wait, or to be answered."""
        if self._all.get(connection.peer) is not connection:
            return
        self._stop_waiting(connection)
        connection.since = self.time()
        if not connection.is_busy:
            waiting = self._kept if is_kept else self._heads
            waiting.setdefault(connection.address, {})[connection] = None

    def find(self, peer: Any) -> Connection | None:
        """Return the connection from this end, as ASGI names it; None where it is gone."""
        return self._all.get(_peer(peer))

    def sweep(self, expected: float | None = None) -> None:
        """Close every connection that has taken too long.

        expected : when this was to be called. As much as it is late, the server was busy or the machine was: what has
        come in that time is not read yet, so everybody has that much longer.
        """
        now = self.time()
        late = 0.0 if expected is None else now - expected
        if late > LATE_S:
            for connection in self._all.values():
                connection.deadline += late
        for connection in [one for one in self._all.values() if one.deadline <= now]:
            connection.abort()

    def abort(self) -> None:
        """Close all."""
        for connection in list(self._all.values()):
            connection.abort()


def _of(waiting: dict[str, dict[Connection, None]], addresses: list[str] | None) -> list[dict[Connection, None]]:
    return list(waiting.values()) if addresses is None else [waiting[one] for one in addresses if one in waiting]


def _peer(found: Any) -> Peer:
    return (str(found[0]), int(found[1])) if found else ("", 0)
