"""The HTTP match server for Kakomimasu's clients. [section 14]

This module handles the wire, the clock and the files. uvicorn reads the requests, `api.py` answers them, and
`masume.http` limits the number of connections, their time and their memory.
"""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import math
import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from email.utils import formatdate
from pathlib import Path
from typing import Any, cast
from urllib.parse import parse_qsl

from ...core.extras import extra
from ...core.files import write_atomic
from ...core.language import translate as _
from ...core.shapes import Int, Maybe, check_fields, field
from ...errors import ConfigError, ExtraError
from ...http.connections import BODY_S, MAX_BODY, BodyError, Connection, Receive, Send, read_body
from ...http.front import Front
from ...http.limits import Buckets, Network
from ...http.server import LOOK_S, MAX_CONNECTIONS, Scope, rare_collections
from ...http.server import Server as HttpServer
from ..boards import Board
from ..protocol import to_line
from . import saved
from .accounts import User
from .api import OPERATIONS, Api
from .hall import Hall, NotYet, Phase, Refusal, ServedMatch
from .requests import Answer, Request
from .streams import Stream, Streams

STREAM = "/v1/matches/stream"
STEPS = 20  # steps of matches before a request is answered
BURST_S = 10  # seconds' worth of requests that an address may send at once, if their rate is limited
LINGER_S = 1.0  # after the last match, for clients that have not seen its end yet
HOLD_S = 25.0  # that a request waits for a match before it is refused; clients give up after 30 s or more


@dataclasses.dataclass(frozen=True)
class Settings:
    """Settings of a server.

    Attributes
    ----------
    port : int
        Port, 0..65535; 0 selects a free one.
    host : str
        Address to listen on.
    games : int or None
        Number of matches after which the server ends, 1..1000000; None: no end.
    is_open : bool
        Whether anybody may create an account. [KM-R29]
    folder : Path
        Folder for the Game JSON of each finished match.
    cors : str or None
        Origin whose pages may read the answers, "*" for all.
    state : Path or None
        Folder that keeps accounts and matches between two runs.
    max_connections : int
        Maximum number of connections, 1..1000000; lower if the system does not allow it.
    allow : tuple of networks
        Networks from which connections are accepted; empty: all.
    rate : float or None
        Requests per second that an address may send in the long run, > 0; `BURST_S` seconds' worth at once.
    base : str
        Path below which it is known, as `names` and `proxies` in `Front`.
    names : sequence of str
        Names under which a proxy serves it.
    proxies : sequence of str
        Addresses and networks of proxies.
    is_inner : bool
        Whether it is a part of another command: that takes the signals, keeps and tells the results, and has the page.
    """

    port: int = field(8880, Int(0, 65535))
    host: str = "127.0.0.1"
    games: int | None = field(None, Maybe(Int(1, 1_000_000)))
    is_open: bool = False
    folder: Path = Path("replays")
    cors: str | None = None
    state: Path | None = None
    max_connections: int = field(MAX_CONNECTIONS, Int(1, 1_000_000))
    allow: tuple[Network, ...] = ()
    rate: float | None = None
    base: str = ""
    names: Sequence[str] = ()
    proxies: Sequence[str] = ()
    is_inner: bool = False

    def __post_init__(self) -> None:
        check_fields(self)
        if self.rate is not None and not 0 < self.rate < math.inf:
            raise ConfigError(f"rate: expected a number > 0, got {self.rate!r}")


class Clock:
    """Clock in Unix seconds that never jumps: it reads the system time once and adds the elapsed time."""

    def __init__(self, wall: Callable[[], float] = time.time, passed: Callable[[], float] = time.monotonic) -> None:
        self._passed = passed
        self._anchor = wall() - passed()

    def __call__(self) -> float:
        return self._anchor + self._passed()


class Server:
    """HTTP server of any number of simultaneous matches.

    Parameters
    ----------
    settings : Settings
        Settings of the server.
    boards, fields, open_boards, users, seed
        As in `Hall`.
    say : callable, optional
        Called with each line of news for people.
    clock : callable, optional
        Returns the time in Unix seconds.

    Attributes
    ----------
    is_up : asyncio.Event
        Set when it serves.
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
        self._front = Front(
            settings.host, settings.port, settings.base, settings.names, settings.proxies,
            "masume serve kakomimasu --host 0.0.0.0",
        )  # fmt: skip
        self._front.reserve(one.path for one in OPERATIONS)
        self.hall = Hall(boards, fields, open_boards, users, seed, self._note_change, self._note_end)
        self._api = Api(self.hall, os.environ.get("VERSION", "local"), settings.is_open, self._front.base)
        self._streams = Streams()
        self._shown = None if settings.is_inner else _shown(settings.folder, self._front)
        self.is_up, self._is_changed = asyncio.Event(), asyncio.Event()
        self._news: asyncio.Queue[str | ServedMatch | None] = asyncio.Queue()  # None ends the reports
        self._tasks: list[asyncio.Task[None]] = []
        self._http = HttpServer(
            self._answer, self._front, self._end, settings.max_connections, settings.allow, is_inner=settings.is_inner
        )  # fmt: skip
        rate = settings.rate
        self._rates = None if rate is None else Buckets(max(1, math.ceil(BURST_S * rate)), 1 / rate)
        self._date = (0, b"")
        self._num_played = 0
        self.played: list[ServedMatch] = []  # filled only if `settings.games` is given

    # -- the port ----------------------------------------------------------------------------------

    @property
    def port(self) -> int:
        """Number of the port; if the system chooses it, it is known after `listen`."""
        return self._front.port

    def now(self) -> float:
        """Return the time by the clock of the matches, in Unix seconds."""
        return self._clock()

    def listen(self) -> None:
        """Listen on the port; raise ConfigError if it is not available."""
        self._front.listen()

    async def serve(self) -> None:
        """Serve until `settings.games` matches are over, or until Ctrl-C (KeyboardInterrupt) or SIGTERM."""
        self.listen()
        if self._settings.state is not None:
            count = saved.restore(self._settings.state, self.hall, self._clock())
            if count:
                self._say(_("{count} matches go on").format(count=count))
        with rare_collections():
            await self._serve()

    async def _serve(self) -> None:
        address = self._front.address
        self._say(_("serving on {address}").format(address=address))
        if self._front.is_behind:
            self._say(_("it listens on {address}").format(address=self._front.listens))
        if self._shown is not None:
            host = address + self._shown.host_path
            self._say(_("host: {address} (who opens this sees and controls every match)").format(address=host))
        await self._http.serve()
        for task in self._tasks:
            if not task.cancelled():
                task.result()  # raises the exception of the task

    def stop(self) -> None:
        """End the server soon, also before it serves; callable from any thread."""
        self._http.stop()

    async def _live(self, receive: Receive, send: Send) -> None:
        """Run the ASGI lifespan: it ends after the last connection, before Ctrl-C is raised."""
        await receive()
        async with contextlib.nullcontext() if self._shown is None else self._shown.page.running():
            await self._live_on(receive, send)
        await send({"type": "lifespan.shutdown.complete"})

    async def _live_on(self, receive: Receive, send: Send) -> None:
        self._tasks = [asyncio.create_task(self._run()), asyncio.create_task(self._report())]
        for task in self._tasks:
            task.add_done_callback(lambda _: self.stop())
        await send({"type": "lifespan.startup.complete"})
        self.is_up.set()
        await receive()
        self._tasks[0].cancel()
        self._news.put_nowait(None)
        await asyncio.wait(self._tasks)
        if self._settings.state is not None:
            try:
                saved.save(self._settings.state, self.hall, self._clock())
            except OSError as error:
                self._say(f"state: {error}")

    def _end(self) -> None:
        """End the streams, which would never end by themselves."""
        self._streams.end()
        if self._shown is not None:
            self._shown.page.end()

    async def _run(self) -> None:
        """Advance the matches in time until `settings.games` are over."""
        while self._settings.games is None or self._num_played < self._settings.games:
            self._is_changed.clear()
            left = min(self.hall.moment - self._clock(), LOOK_S)
            if left > 0:
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._is_changed.wait(), left)
            while not self.hall.advance(self._clock(), STEPS):
                await asyncio.sleep(0)
        await asyncio.sleep(LINGER_S)

    # -- called by the hall ------------------------------------------------------------------------

    def _note_change(self, match: ServedMatch) -> None:
        """Notify the streams of a changed match, and update the time of the next step."""
        self._is_changed.set()
        self._streams.tell(match)
        if self._shown is not None:
            self._shown.note(match)
        if match.is_gone:
            return
        if match.phase is Phase.OVER:
            self._num_played += 1
            if self._settings.games is not None:
                self.played.append(match)
        if match.status == "ready" and not self._settings.is_inner:
            names = ", ".join(repr(entrant.label) for entrant in match.entrants)
            self._news.put_nowait(f"{match.id}: on {match.board.name}, between {names}")

    def _note_end(self, match: ServedMatch) -> None:
        """Queue a match whose last turn is resolved for saving."""
        if not self._settings.is_inner:
            self._news.put_nowait(match)

    async def _report(self) -> None:
        """Print news and save finished matches outside the event loop: disks and terminals may be slow."""
        while (news := await self._news.get()) is not None:
            if isinstance(news, ServedMatch):
                await asyncio.to_thread(self._keep, *self._record(news))
            else:
                await asyncio.to_thread(self._say, news)

    def _record(self, match: ServedMatch) -> tuple[str, Path, bytes]:
        """Return the news of a finished match, its file and the content of the file. [section 13]"""
        scores = ", ".join(f"{entrant.label!r} {sum(side['point'].values())}" for entrant, side in match.pair_sides())
        return f"{match.id}: {scores}", self._settings.folder / f"{match.id}.json", match.line

    def _keep(self, news: str, path: Path, line: bytes) -> None:
        try:
            write_atomic(path, line)
        except OSError as error:  # a full disk must not stop a match
            self._say(f"{news}\n{path}: {error.strerror}")
        else:
            self._say(f"{news}\n{_('replay: {path}').format(path=path)}")

    # -- the wire ----------------------------------------------------------------------------------

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer every request, as an ASGI application. [section 14.1]"""
        if scope["type"] == "lifespan":
            await self._live(receive, send)
            return
        connection = scope["connection"]
        try:
            if self._shown is not None and (self._shown.page.serves(scope["path"]) or _is_lost(scope)):
                await self._shown.page(dict(scope), cast(Any, receive), cast(Any, send))
            else:
                await self._respond(scope, connection, receive, send)
        except _Gone:
            connection.abort()

    async def _respond(self, scope: Scope, connection: Connection, receive: Receive, send: Send) -> None:
        method, path = scope["method"], scope["raw_path"].decode("ascii", "replace")
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        answer, is_read, origin = Answer(b""), False, None
        try:
            if self._rates is not None:
                now = self._clock()
                bucket = self._rates.find(connection.address, now)
                if not bucket.take(now):
                    raise Refusal(0, "too many requests", 429, bucket.wait_s(now))
            body = await _body(headers, receive)
            is_read = True
            query = dict(parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True))
            request = Request(method, path, query, headers, body, self._clock(), connection.address, connection.known)
            if self._settings.cors in ("*", headers.get("origin")) and self._api.needs_session(request):
                origin = headers.get("origin")
            if method == "OPTIONS" and self._settings.cors is not None:
                answer = Answer(b"", 204, _preflight(headers))
            elif (method, path) == ("GET", STREAM):
                stream = self._open(request)
            else:
                answer = await self._find_answer(request, connection)
        except Refusal as refusal:
            answer = _refuse(refusal)
        except _Gone:
            raise
        except Exception as error:  # reported to the client and to people; the server goes on
            self._news.put_nowait(f"{method} {path}: {type(error).__name__}: {error}")
            answer = _refuse(Refusal(0, str(error), 500))
        if answer.status == 200 and (method, path) == ("GET", STREAM):
            await self._stream(stream, connection, send)
            return
        extra = dict(answer.headers)
        if answer.status != 204:
            extra = {"Content-Type": "application/json", "Content-Length": str(len(answer.body)), **extra}
        if not is_read:
            extra["Connection"] = "close"
        await self._start(send, answer.status, extra, origin)
        await send({"type": "http.response.body", "body": answer.body})

    async def _find_answer(self, request: Request, connection: Connection) -> Answer:
        """Return the answer, which a client may have to wait for while it stays connected; raise Refusal."""
        until = time.monotonic() + HOLD_S
        while True:
            try:
                return self._api.answer(request)
            except NotYet:
                if time.monotonic() >= until or self._http.is_ending:
                    raise
            await asyncio.sleep(LOOK_S)
            if self._http.connections.find(connection.peer) is not connection:
                raise _Gone
            request = request._replace(at=self._clock())

    async def _start(self, send: Send, status: int, extra: Mapping[str, str], origin: str | None = None) -> None:
        """Send the head of an answer; a page of `origin` may read it together with its cookies. [section 14.12]"""
        headers = [(name.encode(), value.encode("latin-1")) for name, value in extra.items()]
        if self._settings.cors is not None:
            allowed = self._settings.cors if origin is None else origin
            headers += [
                (b"Access-Control-Allow-Origin", allowed.encode("latin-1")),
                (b"Access-Control-Expose-Headers", b"Date"),
            ]
            if origin is not None:
                headers.append((b"Access-Control-Allow-Credentials", b"true"))
            if allowed != "*":
                headers.append((b"Vary", b"Origin"))
        now = math.floor(self._clock())
        if self._date[0] != now:
            self._date = now, formatdate(now, usegmt=True).encode()
        headers.append((b"Date", self._date[1]))
        await send({"type": "http.response.start", "status": status, "headers": headers})

    def _open(self, request: Request) -> Stream:
        """Return the requested stream; raise Refusal if it is invalid."""
        user = self.hall.accounts.with_token(request.token)
        self.hall.advance(request.at)
        viewer = None if user is None else user.id
        return self._streams.open(request.query, viewer, self.hall.matches, request.address)

    async def _stream(self, stream: Stream, connection: Connection, send: Send) -> None:
        """Send the messages of a stream until it or the connection ends."""
        connection.on_lost = stream.end
        try:
            await self._start(send, 200, {"Content-Type": "text/event-stream"})
            async for part in stream.events():
                await send({"type": "http.response.body", "body": part, "more_body": True})
            await send({"type": "http.response.body", "body": b""})
        finally:
            stream.end()


def _is_lost(scope: Scope) -> bool:
    """Return whether a person's browser asks for an address that the API does not have: the page answers with words."""
    accepted = next((value for name, value in scope["headers"] if name == b"accept"), b"")
    is_ours = scope["path"].split("/")[1] in {"api", *(one.path.split("/")[1] for one in OPERATIONS)}
    return scope["method"] == "GET" and b"text/html" in accepted and not is_ours


def _shown(folder: Path, front: Front) -> Any:
    """Return the page for people; None if its packages are not installed, which no client needs."""
    try:
        extra("starlette", "web")
    except ExtraError:
        return None
    from .shown import Shown

    return Shown("kakomimasu", folder, front)


class _Gone(Exception):  # noqa: N818 - no fault of anybody
    """The client has left or must be disconnected."""


def _preflight(headers: Mapping[str, str]) -> dict[str, str]:
    wanted = headers.get("access-control-request-headers")
    found = {"Access-Control-Allow-Methods": "GET,POST,DELETE,PATCH"}
    return found | ({"Access-Control-Allow-Headers": wanted} if wanted else {})


async def _body(headers: Mapping[str, str], receive: Receive) -> bytes:
    """Return the whole body; raise Refusal if it is too long or does not arrive in time."""
    length = headers.get("content-length", "0")
    if "transfer-encoding" not in headers and not length.strip("0"):
        return b""
    if not length.isdecimal() or len(length) > 9 or int(length) > MAX_BODY:
        raise Refusal(6)
    try:
        async with asyncio.timeout(BODY_S):
            body = await read_body(receive)
    except BodyError:
        raise Refusal(6) from None
    except TimeoutError:
        raise Refusal(0, "the body does not come", 500) from None
    if body is None:
        raise _Gone
    return body


def _refuse(refusal: Refusal) -> Answer:
    extra = {}
    if refusal.status == 401:
        extra["WWW-Authenticate"] = 'Bearer realm="token_required"'
    if refusal.wait_s is not None:
        extra["Retry-After"] = str(math.ceil(refusal.wait_s))
    return Answer(to_line({"message": str(refusal), "errorCode": refusal.code}), refusal.status, extra)
