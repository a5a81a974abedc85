"""The match server that Kakomimasu's clients connect to, over HTTP. [section 14]

What is answered is `api.py`'s; this is the wire, the clock and the files.
"""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import socket
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from email.utils import formatdate
from pathlib import Path
from typing import Any

import uvicorn
from starlette.requests import ClientDisconnect
from starlette.requests import Request as HttpRequest
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from ... import __version__
from ...core.config import integer
from ...core.files import write_atomic
from ...referee.tcp import format_address, listener
from ..boards import Board
from ..protocol import to_line
from .accounts import User
from .api import Api
from .hall import Hall, Match, Phase, Refusal
from .requests import Request
from .streams import Streams

STREAM = "/v1/matches/stream"
MAX_BODY = 1 << 20  # bytes
MAX_CONNECTIONS, BACKLOG = 800, 100  # and those let in at once: many systems let a process have 1,024 files
REQUEST_S = 10.0  # for the first request of a connection to begin, and for any to be whole
KEPT_S = 30  # for the next request of a connection: more than a turn takes on any board that is shipped
LOOK_S = 1.0  # between two looks at the clock, which somebody may set
LINGER_S = 1.0  # after the last match, for whoever has not seen its end yet
LEAVE_S = 1.0  # then, for whoever is still being answered
CORS = {"Access-Control-Allow-Origin": "*", "Access-Control-Expose-Headers": "Date"}


@dataclasses.dataclass(frozen=True)
class Settings:
    """How to serve.

    port : 0..65535, 0 for one that is free. games : None, or after how many matches to end. is_open : whether anybody
    may make an account. [KM-R29] folder : where the Game JSON of each match goes that is over.
    """

    port: int = 8880
    host: str = "127.0.0.1"
    games: int | None = None
    is_open: bool = False
    folder: Path = Path("replays")

    def __post_init__(self) -> None:
        integer("port", self.port, 0, 65535)
        if self.games is not None:
            integer("games", self.games, 1, 1_000_000)


class _Connection(H11Protocol):
    """A connection, closed where there are too many, or where no request comes on it."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # it is uvicorn's
        """It is there."""
        super().connection_made(transport)
        self._patience = self.loop.call_later(REQUEST_S, self._close_silent)
        if len(self.connections) > MAX_CONNECTIONS:
            transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """It is gone."""
        self._patience.cancel()
        super().connection_lost(exc)

    def _close_silent(self) -> None:
        if self.cycle is None:  # no request has begun, of which uvicorn's types do not know
            self.transport.abort()  # type: ignore[unreachable]


class _Uvicorn(uvicorn.Server):
    """Uvicorn, which at the end lets go of whoever would listen for ever, and then of whoever does not leave.

    let_go : does the first. finish : what there is to do when nobody is there any more, before Ctrl-C is told.
    """

    def __init__(
        self, config: uvicorn.Config, let_go: Callable[[], None], finish: Callable[[], Awaitable[None]]
    ) -> None:
        super().__init__(config)
        self._let_go, self._finish = let_go, finish

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """What uvicorn does at the end."""
        self._let_go()
        cut_off = asyncio.get_running_loop().call_later(LEAVE_S, self._cut_off)
        await super().shutdown(sockets)
        cut_off.cancel()
        await self._finish()

    def _cut_off(self) -> None:
        for connection in list(self.server_state.connections):
            connection.transport.abort()


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
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._settings, self._say, self._clock = settings, say, clock
        self.hall = Hall(boards, fields, open_boards, users, seed, self._note_change, self._note_end)
        self._api = Api(self.hall, __version__, settings.is_open)
        self._streams = Streams()
        self._is_changed = asyncio.Event()
        self._news: asyncio.Queue[str | Match | None] = asyncio.Queue()  # None ends it
        self._socket: socket.socket | None = None
        self._uvicorn: _Uvicorn | None = None
        self.played: list[Match] = []

    # -- the port ----------------------------------------------------------------------------------

    @property
    def port(self) -> int:
        """The number of the port; one that the system chooses is known after `listen`."""
        return self._settings.port if self._socket is None else int(self._socket.getsockname()[1])

    def listen(self) -> None:
        """Listen; ConfigError where the port is not to be had."""
        self._socket = listener(self._settings.host, self._settings.port)

    async def serve(self) -> None:
        """Serve until as many matches are over as are wanted, or until Ctrl-C (KeyboardInterrupt)."""
        if self._socket is None:
            self.listen()
        assert self._socket is not None
        config = uvicorn.Config(
            self._answer, interface="asgi3", log_config=None, access_log=False, lifespan="off", ws="none",
            http=_Connection, server_header=False, date_header=False, proxy_headers=False,
            timeout_keep_alive=KEPT_S, backlog=BACKLOG, log_level="error",
        )  # fmt: skip
        tasks = [asyncio.create_task(self._run()), asyncio.create_task(self._report())]

        async def finish() -> None:
            tasks[0].cancel()
            self._news.put_nowait(None)
            await asyncio.wait(tasks)

        self._uvicorn = _Uvicorn(config, self._streams.end, finish)
        self._say(f"serving on http://{format_address(self._settings.host, self.port)}")
        for task in tasks:
            task.add_done_callback(lambda _: self.stop())
        await self._uvicorn.serve([self._socket])
        for task in tasks:
            if not task.cancelled():
                task.result()  # raises what went wrong in it

    def stop(self) -> None:
        """Serve no more, soon; from any thread."""
        if self._uvicorn is not None:
            self._uvicorn.should_exit = True

    async def _run(self) -> None:
        """Let time pass in the matches, until as many are over as are wanted."""
        while self._settings.games is None or len(self.played) < self._settings.games:
            self._is_changed.clear()
            left = self.hall.moment - self._clock()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._is_changed.wait(), min(max(0.0, left), LOOK_S))
            self.hall.advance(self._clock())
        await asyncio.sleep(LINGER_S)

    # -- what the hall says ------------------------------------------------------------------------

    def _note_change(self, match: Match) -> None:
        """Tell the streams of a match that has changed, and look when time changes it."""
        self._is_changed.set()
        self._streams.tell(match)
        if match.phase is Phase.OVER:
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
            self._say(news if isinstance(news, str) else await self._keep(news))

    async def _keep(self, match: Match) -> str:
        """Write a match that is over; what there is to say of it. [section 13]"""
        scores = ", ".join(f"{entrant.id!r} {sum(side['point'].values())}" for entrant, side in match.pair_sides())
        path = self._settings.folder / f"{match.id}.json"
        try:
            await asyncio.to_thread(write_atomic, path, match.line)
        except OSError as error:  # a full disk stops no match
            return f"{match.id}: {scores}\n{path}: {error.strerror}"
        return f"{match.id}: {scores}\nreplay: {path}"

    # -- the wire ----------------------------------------------------------------------------------

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """An ASGI application: every request. [section 14.1]"""
        http = HttpRequest(scope, receive)
        try:
            response = await self._respond(http)
        except Refusal as refusal:
            response = _refuse(refusal)
        except ClientDisconnect:  # who has left needs no answer
            return
        except Exception as error:  # told to the client and to people; the server goes on
            self._news.put_nowait(f"{http.method} {_path(http)}: {type(error).__name__}: {error}")
            response = _refuse(Refusal(0, str(error), 500))
        response.headers.update(CORS | {"Date": formatdate(self._clock(), usegmt=True)})
        await response(scope, receive, send)

    async def _respond(self, http: HttpRequest) -> Response:
        if http.method == "OPTIONS":
            headers = {"Access-Control-Allow-Methods": "GET,POST,DELETE,PATCH"}
            wanted = http.headers.get("access-control-request-headers")
            return Response(
                status_code=204, headers=headers | ({"Access-Control-Allow-Headers": wanted} if wanted else {})
            )
        body = await _body(http)
        now = self._clock()
        self.hall.advance(now)
        request = Request(http.method, _path(http), http.query_params, http.headers, body, now)
        if (request.method, request.path) == ("GET", STREAM):
            user = self.hall.accounts.with_token(request.token)
            viewer = None if user is None else user.id
            events = self._streams.open(request.query, viewer, self.hall.matches.values())
            return StreamingResponse(events, headers={"Content-Type": "text/event-stream"})  # and nothing more
        return _json(self._api.answer(request))


def _path(http: HttpRequest) -> str:
    """As it was sent."""
    return str(http.scope["raw_path"].decode("ascii"))


async def _body(http: HttpRequest) -> bytes:
    """All of the body; Refusal of one that is too long, or does not come."""
    found = bytearray()
    try:
        async with asyncio.timeout(REQUEST_S):
            async for part in http.stream():
                found += part
                if len(found) > MAX_BODY:
                    raise Refusal(6)
    except TimeoutError:
        raise Refusal(0, "the body does not come", 500) from None
    return bytes(found)


def _json(line: bytes, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    return Response(line, status, headers, "application/json")


def _refuse(refusal: Refusal) -> Response:
    content = to_line({"message": str(refusal), "errorCode": refusal.code})
    headers = {"WWW-Authenticate": 'Bearer realm="token_required"'} if refusal.status == 401 else None
    return _json(content, refusal.status, headers)
