"""The match server that Kakomimasu's clients connect to, over HTTP. [section 14]

What is answered is `api.py`'s; this is the wire, the clock and the files. uvicorn reads the requests; how many
connections there may be and how long each may take is `connections.py`'s.
"""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import gc
import math
import socket
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from email.utils import formatdate
from pathlib import Path
from typing import Any, cast
from urllib.parse import parse_qsl

import uvicorn

from ... import __version__
from ...core import system
from ...core.config import integer
from ...core.files import write_atomic
from ...referee.tcp import format_address, listener
from ..boards import Board
from ..protocol import to_line
from . import saved
from .accounts import User
from .api import Api
from .connections import BODY_S, SEND_S, Connection, Connections
from .hall import Hall, Match, Phase, Refusal
from .requests import Request
from .streams import Stream, Streams

STREAM = "/v1/matches/stream"
MAX_BODY = 1 << 16  # bytes
MAX_CONNECTIONS = 8192
AT_ONCE, QUEUE = 8, 1024  # connections let in before requests are looked at again; that the system keeps until then
FILES = 64  # that a server needs beside its connections
PIECE = 1 << 16  # bytes that are sent before the client has to have taken those before
LOOK_S = 0.1  # between two looks at what nobody tells of: connections that take too long, the end of the server
STEPS = 20  # of matches, before a request is answered
COLLECT = (10_000, 50, 1000)  # for gc.set_threshold
OURS_S = 3600  # of a time that `connections.py` keeps, more exactly than uvicorn
LINGER_S = 1.0  # after the last match, for whoever has not seen its end yet
LEAVE_S = 1.0  # then, for whoever is still being answered
Scope = Mapping[str, Any]
Receive = Callable[[], Awaitable[Mapping[str, Any]]]
Send = Callable[[Mapping[str, Any]], Awaitable[None]]


@dataclasses.dataclass(frozen=True)
class Settings:
    """How to serve.

    port : 0..65535, 0 for one that is free. games : None, or after how many matches to end. is_open : whether anybody
    may make an account. [KM-R29] folder : where the Game JSON of each match goes that is over. cors : None, or the
    origin whose pages may read what is answered, "*" for all. state : None, or the folder that keeps accounts and
    matches from one start to the next. max_connections : how many there may be, if the system allows it.
    """

    port: int = 8880
    host: str = "127.0.0.1"
    games: int | None = None
    is_open: bool = False
    folder: Path = Path("replays")
    cors: str | None = None
    state: Path | None = None
    max_connections: int = MAX_CONNECTIONS

    def __post_init__(self) -> None:
        integer("port", self.port, 0, 65535)
        if self.games is not None:
            integer("games", self.games, 1, 1_000_000)
        integer("max_connections", self.max_connections, 1, 1_000_000)


class Clock:
    """Unix seconds that never jump: the system's time once, and from there on the time that has passed."""

    def __init__(self, wall: Callable[[], float] = time.time, passed: Callable[[], float] = time.monotonic) -> None:
        self._passed = passed
        self._anchor = wall() - passed()

    def __call__(self) -> float:
        return self._anchor + self._passed()


class Server:
    """Serves matches, any number at a time.

    boards, fields, open_boards, users, seed : as in `Hall`. say : called with a line whenever there is news for
    people. clock : says what time it is, in Unix seconds.
    """

    def __init__(
        self,
        settings: Settings,
        boards: Mapping[str, Board],
        fields: Mapping[str, Any],
        open_boards: Sequence[str],
        users: Iterable[User] = (),
        seed: int = 0,
        say: Callable[[str], None] = lambda _: None,
        clock: Callable[[], float] | None = None,
    ) -> None:
        self._settings, self._say, self._clock = settings, say, Clock() if clock is None else clock
        self.hall = Hall(boards, fields, open_boards, users, seed, self._note_change, self._note_end)
        self._api = Api(self.hall, __version__, settings.is_open)
        self._streams = Streams()
        self._is_changed = asyncio.Event()
        self._news: asyncio.Queue[str | Match | None] = asyncio.Queue()  # None ends it
        self._socket: socket.socket | None = None
        self._uvicorn: uvicorn.Server | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self._connections = Connections(settings.max_connections, time.monotonic)
        self._date = (0, b"")
        self._num_played = 0
        self.played: list[Match] = []  # where an end after so many is wanted

    # -- the port ----------------------------------------------------------------------------------

    @property
    def port(self) -> int:
        """The number of the port; one that the system chooses is known after `listen`."""
        return self._settings.port if self._socket is None else int(self._socket.getsockname()[1])

    def listen(self) -> None:
        """Listen; ConfigError where the port is not to be had."""
        self._socket = listener(self._settings.host, self._settings.port)

    async def serve(self) -> None:
        """Serve until as many matches are over as are wanted, or until Ctrl-C (KeyboardInterrupt) or SIGTERM."""
        if self._socket is None:
            self.listen()
        assert self._socket is not None
        wanted = self._settings.max_connections
        files = system.allow_files(wanted + FILES)
        self._connections = Connections(max(1, min(wanted, files - FILES)), time.monotonic)
        if self._settings.state is not None:
            count = saved.restore(self._settings.state, self.hall, self._clock())
            if count:
                self._say(f"{count} matches go on")
        reader = uvicorn.Config(self._answer, http="auto", log_config=None)
        reader.load()

        def connect(**given: Any) -> asyncio.Protocol:
            make = cast(Callable[..., asyncio.Protocol], reader.http_protocol_class)
            return Connection(self._connections, make(**given))

        config = uvicorn.Config(
            cast(Any, self._answer), interface="asgi3", log_config=None, access_log=False, lifespan="on", ws="none",
            http=cast(Any, connect), server_header=False, date_header=False, proxy_headers=False,
            timeout_keep_alive=OURS_S, backlog=AT_ONCE, log_level="critical",
        )  # fmt: skip
        self._uvicorn = uvicorn.Server(config)
        with _rare_collections():
            await self._serve_on(self._socket)

    async def _serve_on(self, listening: socket.socket) -> None:
        assert self._uvicorn is not None
        self._say(f"serving on http://{format_address(self._settings.host, self.port)}")
        await self._uvicorn.serve([listening])
        for task in self._tasks:
            if not task.cancelled():
                task.result()  # raises what went wrong in it

    def stop(self) -> None:
        """Serve no more, soon; from any thread."""
        if self._uvicorn is not None:
            self._uvicorn.should_exit = True

    async def _live(self, receive: Receive, send: Send) -> None:
        """Begin and end as uvicorn says: after the last connection, before Ctrl-C is told."""
        await receive()
        self._tasks = [asyncio.create_task(self._run()), asyncio.create_task(self._report())]
        watch = asyncio.create_task(self._watch())
        for task in self._tasks:
            task.add_done_callback(lambda _: self.stop())
        await send({"type": "lifespan.startup.complete"})
        await receive()
        self._tasks[0].cancel()
        watch.cancel()
        self._news.put_nowait(None)
        await asyncio.wait([*self._tasks, watch])
        if self._settings.state is not None:
            try:
                saved.save(self._settings.state, self.hall, self._clock())
            except OSError as error:
                self._say(f"state: {error}")
        await send({"type": "lifespan.shutdown.complete"})

    async def _watch(self) -> None:
        """Close the connections that take too long; at the end let go of all."""
        assert self._uvicorn is not None
        expected, is_listening = time.monotonic(), False
        while not self._uvicorn.should_exit:
            if self._uvicorn.started and not is_listening and self._socket is not None:
                self._socket.listen(QUEUE)  # asyncio has one number for both
                is_listening = True
            self._connections.sweep(expected)
            expected = time.monotonic() + LOOK_S
            await asyncio.sleep(LOOK_S)
        self._streams.end()  # which would go on for ever
        await asyncio.sleep(LEAVE_S)
        while True:
            self._connections.abort()
            await asyncio.sleep(LOOK_S)

    async def _run(self) -> None:
        """Let time pass in the matches, until as many are over as are wanted."""
        while self._settings.games is None or self._num_played < self._settings.games:
            self._is_changed.clear()
            left = min(self.hall.moment - self._clock(), LOOK_S)
            if left > 0:
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._is_changed.wait(), left)
            while not self.hall.advance(self._clock(), STEPS):
                await asyncio.sleep(0)
        await asyncio.sleep(LINGER_S)

    # -- what the hall says ------------------------------------------------------------------------

    def _note_change(self, match: Match) -> None:
        """Tell the streams of a match that has changed, and look when time changes it."""
        self._is_changed.set()
        self._streams.tell(match)
        if match.is_gone:
            return
        if match.phase is Phase.OVER:
            self._num_played += 1
            if self._settings.games is not None:
                self.played.append(match)
        if match.status == "ready":
            names = ", ".join(repr(entrant.id) for entrant in match.entrants)
            self._news.put_nowait(f"{match.id}: on {match.board.name}, between {names}")

    def _note_end(self, match: Match) -> None:
        """Keep a match whose last turn is resolved."""
        self._news.put_nowait(match)

    async def _report(self) -> None:
        """Say what is new, and keep the matches that are over, beside all play: disks and terminals may be slow."""
        while (news := await self._news.get()) is not None:
            if isinstance(news, Match):
                await asyncio.to_thread(self._keep, *self._record(news))
            else:
                await asyncio.to_thread(self._say, news)

    def _record(self, match: Match) -> tuple[str, Path, bytes]:
        """What there is to say of a match that is over, its file and what is in it. [section 13]"""
        scores = ", ".join(f"{entrant.id!r} {sum(side['point'].values())}" for entrant, side in match.pair_sides())
        return f"{match.id}: {scores}", self._settings.folder / f"{match.id}.json", match.line

    def _keep(self, news: str, path: Path, line: bytes) -> None:
        try:
            write_atomic(path, line)
        except OSError as error:  # a full disk stops no match
            self._say(f"{news}\n{path}: {error.strerror}")
        else:
            self._say(f"{news}\nreplay: {path}")

    # -- the wire ----------------------------------------------------------------------------------

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """An ASGI application: every request. [section 14.1]"""
        if scope["type"] == "lifespan":
            await self._live(receive, send)
            return
        connection = self._connections.find(scope["client"])
        if connection is None:  # it is gone
            return
        connection.begin()
        try:
            await self._respond(scope, connection, receive, send)
        except _Gone:
            connection.abort()
        finally:
            connection.end()

    async def _respond(self, scope: Scope, connection: Connection, receive: Receive, send: Send) -> None:
        method, path = scope["method"], scope["raw_path"].decode("ascii", "replace")
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        status, extra, found, is_read = 200, {}, b"", False
        try:
            body = await _body(headers, receive)
            is_read = True
            query = dict(parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True))
            request = Request(method, path, query, headers, body, self._clock(), connection.address, connection.known)
            if method == "OPTIONS" and self._settings.cors is not None:
                status, extra = 204, _preflight(headers)
            elif (method, path) == ("GET", STREAM):
                stream = self._open(request)
            else:
                found = self._api.answer(request)
        except Refusal as refusal:
            status, extra, found = _refuse(refusal)
        except _Gone:
            raise
        except Exception as error:  # told to the client and to people; the server goes on
            self._news.put_nowait(f"{method} {path}: {type(error).__name__}: {error}")
            status, extra, found = _refuse(Refusal(0, str(error), 500))
        if status == 200 and (method, path) == ("GET", STREAM):
            await self._stream(stream, connection, send)
            return
        if status != 204:
            extra = {"Content-Type": "application/json", "Content-Length": str(len(found)), **extra}
        if not is_read:
            extra["Connection"] = "close"
        await self._start(send, status, extra, connection)
        await _send_whole(found, connection, send)

    async def _start(self, send: Send, status: int, extra: Mapping[str, str], connection: Connection) -> None:
        headers = [(name.encode(), value.encode("latin-1")) for name, value in extra.items()]
        if self._settings.cors is not None:
            headers += [
                (b"Access-Control-Allow-Origin", self._settings.cors.encode()),
                (b"Access-Control-Expose-Headers", b"Date"),
            ]
            if self._settings.cors != "*":
                headers.append((b"Vary", b"Origin"))
        now = math.floor(self._clock())
        if self._date[0] != now:
            self._date = now, formatdate(now, usegmt=True).encode()
        headers.append((b"Date", self._date[1]))
        connection.limit(SEND_S)
        connection.hold()  # the head goes out with what comes next
        await send({"type": "http.response.start", "status": status, "headers": headers})

    def _open(self, request: Request) -> Stream:
        """Return the stream that is asked for; Refusal where there is none."""
        user = self.hall.accounts.with_token(request.token)
        self.hall.advance(request.at)
        viewer = None if user is None else user.id
        return self._streams.open(request.query, viewer, self.hall.matches, request.address)

    async def _stream(self, stream: Stream, connection: Connection, send: Send) -> None:
        """Send what a stream is told until it ends, or the connection."""
        connection.on_lost = stream.end
        try:
            await self._start(send, 200, {"Content-Type": "text/event-stream"}, connection)
            await _send_events(stream, connection, send)
        finally:
            stream.end()


@contextlib.contextmanager
def _rare_collections() -> Iterator[None]:
    """Let Python look rarely for objects that only know each other.

    A server of a thousand matches has a million objects that stay. To look through them was half of its work, and took
    1.6 s at once.
    """
    before = gc.get_threshold()
    gc.collect()
    gc.freeze()
    gc.set_threshold(*COLLECT)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()


class _Gone(Exception):  # noqa: N818 - no fault of anybody
    """The client has left, or is to be cut off."""


def _preflight(headers: Mapping[str, str]) -> dict[str, str]:
    wanted = headers.get("access-control-request-headers")
    found = {"Access-Control-Allow-Methods": "GET,POST,DELETE,PATCH"}
    return found | ({"Access-Control-Allow-Headers": wanted} if wanted else {})


async def _body(headers: Mapping[str, str], receive: Receive) -> bytes:
    """All of the body; Refusal of one that is too long, or does not come."""
    length = headers.get("content-length", "0")
    if "transfer-encoding" not in headers and not length.strip("0"):
        return b""
    if not length.isdecimal() or len(length) > 9 or int(length) > MAX_BODY:
        raise Refusal(6)
    found = bytearray()
    try:
        async with asyncio.timeout(BODY_S):
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise _Gone
                found += message.get("body", b"")
                if len(found) > MAX_BODY:
                    raise Refusal(6)
                if not message.get("more_body", False):
                    return bytes(found)
    except TimeoutError:
        raise Refusal(0, "the body does not come", 500) from None


async def _send_whole(found: bytes, connection: Connection, send: Send) -> None:
    for first in range(0, len(found) - PIECE, PIECE):
        connection.limit(SEND_S)
        await send({"type": "http.response.body", "body": found[first : first + PIECE], "more_body": True})
        connection.flush()
    connection.limit(SEND_S)
    rest = (len(found) - 1) // PIECE * PIECE if found else 0
    await send({"type": "http.response.body", "body": found[rest:]})
    connection.flush()


async def _send_events(stream: Stream, connection: Connection, send: Send) -> None:
    events = stream.events()
    async for part in events:
        for first in range(0, len(part), PIECE):
            connection.limit(SEND_S)
            await send({"type": "http.response.body", "body": part[first : first + PIECE], "more_body": True})
            connection.flush()
        connection.deadline = math.inf
    connection.limit(SEND_S)
    await send({"type": "http.response.body", "body": b""})


def _refuse(refusal: Refusal) -> tuple[int, dict[str, str], bytes]:
    extra = {}
    if refusal.status == 401:
        extra["WWW-Authenticate"] = 'Bearer realm="token_required"'
    if refusal.wait_s is not None:
        extra["Retry-After"] = str(math.ceil(refusal.wait_s))
    return refusal.status, extra, to_line({"message": str(refusal), "errorCode": refusal.code})
