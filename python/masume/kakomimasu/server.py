"""The match server that Kakomimasu's clients connect to, over HTTP. [section 14]

What is answered is `api.py`'s; this is the wire, the clock and the files.
"""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import json
import math
import socket
import time
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import uvicorn
from starlette.requests import Request as HttpRequest
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from .. import __version__
from ..config import integer
from ..errors import ConfigError
from ..files import write_atomic
from .accounts import User
from .api import Api
from .boards import Board
from .hall import Hall, Match, Refusal, Stage
from .requests import Request
from .streams import Watch

STREAM = "/v1/matches/stream"
MAX_BODY = 1 << 20  # bytes
MAX_STREAMS, MAX_WAITING = 256, 1000  # and the messages that a stream may be behind
KEEP_ALIVE_S = 10.0
LINGER_S = 1.0  # after the last match, for whoever has not seen its end yet
MAX_CONNECTIONS = 2000
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


Waiting = asyncio.Queue[dict[str, Any] | None]
"""What a stream is still to be sent; None ends it."""


class _Uvicorn(uvicorn.Server):
    """Uvicorn, which lets go of whoever would listen for ever before it waits for everybody to leave."""

    def __init__(self, config: uvicorn.Config, let_go: Callable[[], None]) -> None:
        super().__init__(config)
        self._let_go = let_go

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """What uvicorn does at the end."""
        self._let_go()
        await super().shutdown(sockets)


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
        self.hall = Hall(boards, fields, open_boards, users, seed, self._told, self._ended)
        self._api = Api(self.hall, __version__, settings.is_open)
        self._streams: dict[Watch, Waiting] = {}
        self._is_changed = asyncio.Event()
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
        try:
            family = socket.getaddrinfo(self._settings.host, None, type=socket.SOCK_STREAM)[0][0]
            self._socket = socket.create_server((self._settings.host, self._settings.port), family=family)
        except OSError as error:
            raise ConfigError(f"port: {self._settings.host}:{self._settings.port}: {error.strerror}") from None

    async def serve(self) -> None:
        """Serve until as many matches are over as are wanted, or until Ctrl-C (KeyboardInterrupt)."""
        if self._socket is None:
            self.listen()
        assert self._socket is not None
        config = uvicorn.Config(
            self._answer, interface="asgi3", log_config=None, access_log=False, lifespan="off", ws="none",
            http="h11", server_header=False, proxy_headers=False,
            limit_concurrency=MAX_CONNECTIONS, timeout_graceful_shutdown=1,
        )  # fmt: skip
        self._uvicorn = _Uvicorn(config, self._end_streams)
        self._say(f"serving on http://{self._settings.host}:{self.port}")
        timer = asyncio.create_task(self._run())
        timer.add_done_callback(lambda _: self.stop())
        try:
            await self._uvicorn.serve([self._socket])
        finally:
            timer.cancel()
            await asyncio.wait([timer])
        if not timer.cancelled():
            timer.result()  # raises what went wrong in it

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
                await asyncio.wait_for(self._is_changed.wait(), None if left == math.inf else max(0.0, left))
            self.hall.advance(self._clock())
        await asyncio.sleep(LINGER_S)

    def _end_streams(self) -> None:
        for watch, waiting in list(self._streams.items()):
            self._send(watch, waiting, None)

    # -- what the hall says ------------------------------------------------------------------------

    def _told(self, match: Match) -> None:
        """A match has changed: tell the streams, and look when time changes it."""
        self._is_changed.set()
        for watch, waiting in list(self._streams.items()):
            message = watch.told(match)
            if message is not None:
                self._send(watch, waiting, message)
        if match.stage is Stage.OVER:
            self.played.append(match)
        if match.status == "ready":
            names = ", ".join(seat.id for seat in match.seats)
            self._say(f"{match.id}: on {match.board.name}, between {names}")

    def _send(self, watch: Watch, waiting: Waiting, message: dict[str, Any] | None) -> None:
        try:
            waiting.put_nowait(message)
        except asyncio.QueueFull:  # nobody reads any more
            self._streams.pop(watch, None)

    def _ended(self, match: Match) -> None:
        """The last turn is resolved: keep the match. [section 13]"""
        scores = ", ".join(f"{seat.id} {sum(side['point'].values())}" for seat, side in match.scored())
        path = self._settings.folder / f"{match.id}.json"
        try:
            write_atomic(path, json.dumps(match.to_json()).encode())
        except OSError as error:  # a full disk stops no match
            self._say(f"{match.id}: {scores}\n{path}: {error.strerror}")
        else:
            self._say(f"{match.id}: {scores}\nreplay: {path}")

    # -- the wire ----------------------------------------------------------------------------------

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """An ASGI application: every request. [section 14.1]"""
        http = HttpRequest(scope, receive)
        try:
            response = await self._response(http)
        except Refusal as refusal:
            response = _refused(refusal)
        except Exception as error:  # told to the client and to people; the server goes on
            self._say(f"{http.method} {http.scope['path']}: {type(error).__name__}: {error}")
            response = _refused(Refusal(0, str(error), 500))
        response.headers.update(CORS)
        await response(scope, receive, send)

    async def _response(self, http: HttpRequest) -> Response:
        if http.method == "OPTIONS":
            headers = {"Access-Control-Allow-Methods": "GET,POST,DELETE,PATCH"}
            wanted = http.headers.get("access-control-request-headers")
            return Response(
                status_code=204, headers=headers | ({"Access-Control-Allow-Headers": wanted} if wanted else {})
            )
        body = await _body(http)
        now = self._clock()
        self.hall.advance(now)
        request = Request(http.method, http.scope["path"], http.query_params, http.headers, body, now)
        if (request.method, request.path) == ("GET", STREAM):
            return StreamingResponse(self._stream(request), media_type="text/event-stream")
        return _json(self._api.answer(request))

    def _stream(self, request: Request) -> AsyncIterator[bytes]:
        """The events of a stream; Refusal before the first of them."""
        user = self.hall.accounts.with_token(request.token)
        watch = Watch(request.query, None if user is None else user.id)
        if len(self._streams) >= MAX_STREAMS:
            raise Refusal(0, "too many streams", 500)
        waiting: Waiting = asyncio.Queue(MAX_WAITING)
        waiting.put_nowait(watch.first(self.hall.matches.values()))
        self._streams[watch] = waiting
        return self._events(watch, waiting)

    async def _events(self, watch: Watch, waiting: Waiting) -> AsyncIterator[bytes]:
        try:
            while watch in self._streams:
                try:
                    message = await asyncio.wait_for(waiting.get(), KEEP_ALIVE_S)
                except TimeoutError:
                    yield b": keep-alive\n\n"
                else:
                    if message is None:
                        break
                    yield f"event: message\ndata: {json.dumps(message)}\n\n".encode()
        finally:
            self._streams.pop(watch, None)


async def _body(http: HttpRequest) -> bytes:
    """All of the body; Refusal of one that is too long."""
    found = bytearray()
    async for part in http.stream():
        found += part
        if len(found) > MAX_BODY:
            raise Refusal(6)
    return bytes(found)


def _json(value: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """An answer in one line of ASCII: whatever strings came in go out whole."""
    return Response(json.dumps(value, separators=(",", ":")), status, headers, "application/json")


def _refused(refusal: Refusal) -> Response:
    content = {"message": str(refusal), "errorCode": refusal.code}
    headers = {"WWW-Authenticate": 'Bearer realm="token_required"'} if refusal.status == 401 else None
    return _json(content, refusal.status, headers)
