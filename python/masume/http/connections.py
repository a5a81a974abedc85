"""Limits on the number of connections of a server, and on the time and the memory that each may take.

uvicorn parses the requests. This module wraps its protocol, through the methods of `asyncio.Protocol` only, in one
that sees all traffic. Every connection always has a deadline for its current step, after which it is closed. The
parser gets the next request when the last one is answered, and the parts of a body when the application asks for them.
What a client sends before waits here, up to a limit; the rest stays with the system, and so with the client.

Who has had an answer and sends the next request is served at once. All else waits in lines, of which each turn of the
event loop serves the first ones: new connections; requests that were sent before the last answer, and bodies beyond
their first part; connections that are lost. So players wait for a few of these, however many strangers send.
"""

from __future__ import annotations

import asyncio
import math
import re
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Any, cast

from .limits import Network, Shares, is_allowed, network

HEAD_S = 10.0  # for the whole head of a request, from its first byte or from the start of the connection
BODY_S = 10.0  # for the body after the head
SEND_S = 20.0  # for a client to read the data sent to it
KEPT_S = 30.0  # until the next request of a connection: more than a turn takes on any shipped board
LATE_S = 0.1  # a sweep later than this counts as delayed
HONEST_S = 1.0  # longest time for the head of a well-behaved client
MAX_HEAD = 32_768  # bytes of the head of a request
MAX_BODY = 40_960  # bytes of a body, for applications: with what else a connection takes that makes 64 kB
MAX_LINES = 256  # of the head of a request: each costs more than its bytes
MAX_TOGETHER = 32_000_000  # bytes of the requests of all connections
PART = 1 << 14  # bytes that are read at once; that wait before no more is read; of a request outside the line
BODY_PART = 1 << 12  # bytes of a body that the parser gets at once: both it and the application hold them
PIECE = 1 << 16  # bytes sent at once; the client must have read the previous piece
TURN_S = 0.004  # length of a turn of the loop from which on more are served in it
LOST_AT_ONCE = 4  # lost connections that the application hears of in one turn of the loop
METHODS = (b"GET", b"HEAD", b"POST", b"PUT", b"PATCH", b"DELETE", b"OPTIONS")
METHOD = re.compile(rb"[\r\n]*([!#$%&'*+.^_`|~0-9A-Za-z-]+) ")
NOT_IMPLEMENTED = b"HTTP/1.1 501 Not Implemented\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
BLANK_LINE = re.compile(rb"\n\r?\n")
Peer = tuple[str, int]
Message = Mapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]


class BodyError(Exception):
    """A body has more than MAX_BODY bytes."""


async def read_body(receive: Receive) -> bytes | None:
    """Return the whole body of a request; None if its client has left. Raises BodyError.

    Its parts stay as they are until all are there: one that grows would leave holes in the memory of the process.
    """
    parts, size, is_more = [], 0, True
    while is_more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if size > MAX_BODY:
            raise BodyError
        is_more = message.get("more_body", False)
    return b"".join(parts)


class Connection(asyncio.BufferedProtocol):
    """A connection that wraps the protocol that reads its requests.

    Attributes
    ----------
    address : str
        Address for limits.
    peer : (str, int)
        Host and port of the client.
    known : set
        What the application remembers of the client while it is connected.
    on_lost : callable or None
        Called when the connection is lost. An event stream is cancelled if there is none.
    deadline : float
        Time at which the connection is closed, in seconds of the clock of `Connections`.
    since : float
        Start of its current step, by the same clock.
    size : int
        Bytes of the current request and of those that wait for it.
    is_exempt : bool
        Whether it counts in no share.
    is_forwarded : bool
        Whether a proxy has it, and each request may be another client's.
    """

    def __init__(self, connections: Connections, inner: asyncio.Protocol) -> None:
        self._connections, self._inner = connections, inner
        self.address, self.peer = "", ("", 0)
        self.known: set[Any] = set()
        self.on_lost: Callable[[], Any] | None = None
        self.deadline, self.since = float("inf"), 0.0
        self.is_busy = self.is_exempt = self.is_forwarded = self._is_in = self._is_lost = False
        self.is_due = self.is_known = False  # whether it waits for its turn; whether it has had an answer
        self._is_passed = self._is_wanted = False  # whether a head has been passed on; whether a body is asked for
        self._is_queued = False  # whether the current request was sent before the last answer
        self._queue = bytearray()  # what the parser has not got yet
        self._left_s = 0.0  # from its turn to its deadline
        self._passed = self._lines = 0  # bytes of the current request that it has got, and lines of its head
        self._left: int | None = 0  # bytes of the body that it has not got yet; None: unknown

    @property
    def size(self) -> int:
        return self._passed + len(self._queue)

    @property
    def line(self) -> str:
        """The line in which it waits."""
        return "lost" if self._is_lost else "more" if self.is_busy or self.is_known else "new"

    @property
    def counted(self) -> tuple[str, bool]:
        """The address for which it counts, and whether it is exempt."""
        return self.address, self.is_exempt

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
        self._clear()
        self._is_lost, self.is_due = True, False
        self._connections.line_up(self)

    def get_buffer(self, sizehint: int) -> memoryview:
        """Return where the system writes what it has received: one buffer for all, as it is copied at once."""
        return self._connections.buffer

    def buffer_updated(self, nbytes: int) -> None:
        """Queue received data, and pass on what the parser may have now."""
        if not self._is_in:
            return
        self._queue += self._connections.buffer[:nbytes]
        if len(self._queue) >= PART:
            self.transport.pause_reading()
        if self._connections.weigh(nbytes):
            self._line_up()
        elif self.size > PART:
            self.abort()
        else:
            self._connections.shrink()

    def _line_up(self) -> None:
        """Pass on a part of the queue at once, or when it is its turn."""
        if not self._is_open:
            return
        if self._passed < PART and (self.is_busy or (self.is_known and not self._is_queued)):
            self.pass_on()
        else:
            if not (self._passed or self.is_due):  # in the line the server is late, not the client
                self._left_s, self.deadline = self.deadline - self._connections.time(), math.inf
            self._connections.line_up(self)

    @property
    def _is_open(self) -> bool:
        """Whether the parser may have more now."""
        if self.is_busy:
            return bool(self._queue) and self._is_wanted and self._left != 0
        return bool(self._queue) and not self._is_passed

    def take_turn(self) -> None:
        """Pass on a part of the queue, or that the connection is lost."""
        if not self._is_lost:
            self.is_due = False
            if self.deadline == math.inf and not self.is_busy:
                self.limit(self._left_s)
            self.pass_on()
            return
        if not self.is_due:  # it waited in another line, too
            return
        self.is_due = False
        self._inner.connection_lost(None)  # after an error uvicorn's timer would keep it for an hour
        if self.on_lost is not None:
            self.on_lost()

    def pass_on(self) -> None:
        """Pass on a part of the queue with at most one end of a head; close the connection if a head does not end."""
        if self.transport.is_closing():
            self._clear()
        if not self._is_open:
            return
        is_rest = not self.is_busy and bool(self._left)  # of a body that the application has not read
        count, self._is_passed = self._count_allowed()
        part = bytes(self._queue[:count])
        del self._queue[:count]
        is_first = not self._passed
        if is_rest:
            self._connections.weigh(-count)
        else:
            self._passed += count
        if not self.is_busy and not is_rest:
            method = METHOD.match(part)
            if is_first and method is not None and method[1] not in METHODS:
                self._refuse()
                return
            if is_first:
                self.deadline = min(self.deadline, self._connections.time() + HEAD_S)
                self._connections.note(self)
            self._lines += part.count(b"\n")
            if self._passed > MAX_HEAD + 1 or self._lines > MAX_LINES:
                self.transport.abort()
                return
        self._inner.data_received(part)
        if len(self._queue) < PART:
            self.transport.resume_reading()
        self._line_up()

    def _refuse(self) -> None:
        """Answer a method that no server of masume knows, before the parsers, which treat some of them each its way."""
        self._clear()
        self.transport.write(NOT_IMPLEMENTED)
        self.transport.close()

    def _clear(self) -> None:
        """Forget what has been received."""
        self._connections.weigh(-self.size)
        self._passed = 0
        self._queue.clear()

    def _count_allowed(self) -> tuple[int, bool]:
        """Return the number of bytes of the queue that the parser may have now, and whether they end a head."""
        most = min(len(self._queue), BODY_PART) if self.is_busy else len(self._queue)
        if self._left:
            most = min(most, self._left)
            self._left -= most
            return most, False
        blank = None if self.is_busy else BLANK_LINE.search(self._queue)
        if blank is None:
            return most, False
        return blank.end(), bool(self._passed or self._queue[: blank.end()].strip())

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

    def begin(self, headers: Iterable[tuple[bytes, bytes]] = ()) -> None:
        """Note that the head of a request is complete; `headers` are those of ASGI."""
        values = dict(headers)
        length = values.get(b"content-length", b"0")
        is_known = b"transfer-encoding" not in values and length.isdigit() and len(length) < 20
        self._left = int(length) if is_known else None
        self.is_busy, self._is_passed = True, False
        self.deadline = math.inf if self._left == 0 else self._connections.time() + BODY_S + HONEST_S
        self._connections.note(self)

    async def receive(self, receive: Receive) -> Message:
        """Return the next message of ASGI's `receive`, for which the parser gets more of the body."""
        self._is_wanted = True
        self._line_up()
        try:
            message = await receive()
        finally:
            self._is_wanted = False
        if self._left != 0 and not message.get("more_body", False):
            self._left, self.deadline = 0, math.inf
        return message

    async def send(self, send: Send, message: Message) -> None:
        """Send a message of ASGI in pieces, each of which has a deadline; the head goes with the first of them."""
        self.limit(SEND_S)
        if message["type"] == "http.response.start":
            self._out.is_held = True
            is_stream = any(value.startswith(b"text/event-stream") for _, value in message["headers"])
            if is_stream:
                message = {**message, "headers": [*message["headers"], (b"x-accel-buffering", b"no")]}  # for nginx
                self.on_lost = self.on_lost or cast("asyncio.Task[Any]", asyncio.current_task()).cancel
            await send(message)
        else:
            body = message.get("body", b"")
            last = max(0, len(body) - 1) // PIECE * PIECE
            for first in range(0, last, PIECE):
                await send({"type": message["type"], "body": body[first : first + PIECE], "more_body": True})
                self._out.flush()
                self.limit(SEND_S)
            await send({**message, "body": body[last:]})
            self._out.flush()
        self.deadline = math.inf

    def end(self) -> None:
        """Note that the request is answered."""
        self.is_busy, self.is_known, self.on_lost = False, True, None
        self._connections.weigh(-self._passed)
        self._passed = self._lines = 0
        self._is_queued = bool(self._queue)
        if self.is_forwarded and not self._connections.count(self, network(self.peer[0])):
            self.transport.close()
        self.deadline = self._connections.time() + KEPT_S
        self._connections.note(self, is_kept=True)
        self._line_up()

    def limit(self, seconds: float) -> None:
        """Set the deadline to `seconds` from now."""
        self.deadline = self._connections.time() + seconds

    def abort(self) -> None:
        """Close the connection now; unsent data is lost."""
        self._clear()
        self.transport.abort()


class _Joined:
    """A transport that can hold written data, and whose reading only `Connection` pauses; the rest is passed on."""

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport, self._held = transport, b""
        self.is_held = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def pause_reading(self) -> None:
        """Do nothing: the parser gets no more than it may have."""

    resume_reading = pause_reading

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


class _Line:
    """Connections that wait for their turn, `count` in each turn of the event loop, and as many for each TURN_S of it.

    So a busy server, whose turns are long, serves as many a second as another. If `is_patient`, it then rests for as
    long as that turn took: so what it passes on takes half of the time at most.
    """

    def __init__(self, time: Callable[[], float], count: int = 1, is_patient: bool = False) -> None:
        self._time, self._count, self._is_patient = time, count, is_patient
        self._waiting: deque[Connection] = deque()
        self._is_resting = False

    def join(self, connection: Connection) -> None:
        """Let a connection wait for its turn."""
        self._waiting.append(connection)
        if not self._is_resting:
            self._is_resting = True
            asyncio.get_running_loop().call_soon(self.serve)

    def serve(self, turn_s: float = 0.0) -> None:
        """Let the first ones take their turns, if there are any; turn_s : how long the last turn of the loop was."""
        self._is_resting = bool(self._waiting)
        if self._is_resting:
            asyncio.get_running_loop().call_soon(self._rest, self._time())
            for _ in range(min(self._count * (1 + int(turn_s / TURN_S)), len(self._waiting))):
                self._waiting.popleft().take_turn()

    def _rest(self, begun: float) -> None:
        turn_s = self._time() - begun
        if self._is_patient:
            asyncio.get_running_loop().call_later(turn_s, self.serve, turn_s)
        else:
            self.serve(turn_s)


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
        self.buffer = memoryview(bytearray(PART))
        self._bytes = 0  # of the requests of all
        self.lines = {"new": _Line(time), "more": _Line(time, is_patient=True), "lost": _Line(time, LOST_AT_ONCE)}

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

    def count(self, connection: Connection, address: str, is_exempt: bool = False) -> bool:
        """Count a connection for an address from now on; return False if that has its share already.

        One that is exempt counts in no share, and gives way to none.
        """
        if self._all.get(connection.peer) is not connection or (address, is_exempt) == connection.counted:
            return True
        if not is_exempt and self.shares.has_share(address):
            return False
        self._drop(connection)
        connection.address, connection.is_exempt = address, is_exempt
        self._all[connection.peer] = connection
        if not is_exempt:
            self.shares.take(address)
        return True

    def _drop(self, connection: Connection) -> None:
        del self._all[connection.peer]
        if not connection.is_exempt:
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
        if not connection.is_busy and not connection.is_exempt:
            waiting = self._kept if is_kept else self._heads
            waiting.setdefault(connection.address, {})[connection] = None

    def line_up(self, connection: Connection) -> None:
        """Let a connection take its turn when it comes."""
        if not connection.is_due:
            connection.is_due = True
            self.lines[connection.line].join(connection)

    def weigh(self, change: int) -> bool:
        """Count bytes of requests; return whether there is room for those of all."""
        self._bytes += change
        return self._bytes <= MAX_TOGETHER

    def shrink(self) -> None:
        """Close the largest connections, until an eighth of the room is free."""
        for connection in sorted(self._all.values(), key=lambda one: -one.size):
            connection.abort()
            if self._bytes <= MAX_TOGETHER * 7 // 8:
                break

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
        late_ones = [one for one in self._all.values() if one.deadline <= now]
        for connection in late_ones:
            connection.abort()

    def abort(self) -> None:
        """Close all connections."""
        for connection in list(self._all.values()):
            connection.abort()


def _of(waiting: dict[str, dict[Connection, None]], addresses: list[str] | None) -> list[dict[Connection, None]]:
    return list(waiting.values()) if addresses is None else [waiting[one] for one in addresses if one in waiting]


def _peer(found: Any) -> Peer:
    return (str(found[0]), int(found[1])) if found else ("", 0)
