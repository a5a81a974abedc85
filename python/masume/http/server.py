"""uvicorn among strangers: it reads the requests, and every connection has limits."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import socket
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, cast

import uvicorn

from ..core import system
from .connections import Connection, Connections, Receive, Send
from .front import Front
from .limits import Network, is_allowed, network

MAX_CONNECTIONS = 8192
AT_ONCE, QUEUE = 2, 1024  # connections accepted before requests are read again; connections that the system queues
FILES = 64  # open files that a server needs in addition to its connections
LOOK_S = 0.1  # interval of the checks for passed deadlines and for the end of the server
LEAVE_S = 1.0  # at the end, for clients that are still being answered
CANCEL_S = 3  # at the end, for the application
OURS_S = 3600  # keep-alive time of uvicorn; `connections.py` closes idle connections sooner
RETRY_S = b"10"  # until somebody who found no room tries again
COLLECT = (10_000, 50, 10)  # for gc.set_threshold
Scope = Mapping[str, Any]


class Server:
    """Server of an ASGI application.

    Parameters
    ----------
    app : callable
        The application. The scope of a request has its Connection, as "connection"; its client, its scheme and its path
        are those before the proxies of the front.
    front : Front
        Where it listens, and what is before it.
    end : callable, optional
        Called when the server is to end, for answers that never end by themselves.
    max_connections : int
        Maximum number of connections; lower if the system does not allow it.
    allow : sequence of networks, optional
        Networks from which connections are accepted; empty: all.
    is_exempt : callable, optional
        Whether a request, an ASGI scope, shows that its connection counts in no share.
    is_inner : bool
        Whether another part of the program takes the signals.

    Attributes
    ----------
    connections : Connections
        Its connections.
    """

    def __init__(
        self,
        app: Callable[[Scope, Receive, Send], Any],
        front: Front,
        end: Callable[[], None] = lambda: None,
        max_connections: int = MAX_CONNECTIONS,
        allow: Sequence[Network] = (),
        is_exempt: Callable[[Scope], bool] = lambda _: False,
        is_inner: bool = False,
    ) -> None:
        self._app, self._front, self._end, self._is_exempt, self._allow = app, front, end, is_exempt, allow
        self._is_stopped = False
        files = system.allow_files(max_connections + FILES)
        self.connections = Connections(
            max(1, min(max_connections, files - FILES)), time.monotonic, (*allow, *(front.proxies if allow else ()))
        )
        config = uvicorn.Config(
            cast(Any, self._answer), interface="asgi3", log_config=None, access_log=False, lifespan="on", ws="none",
            http=cast(Any, self._connect), server_header=False, date_header=False, proxy_headers=False,
            timeout_keep_alive=OURS_S, timeout_graceful_shutdown=CANCEL_S, backlog=AT_ONCE, log_level="critical",
        )  # fmt: skip
        self._uvicorn = _Inner(config) if is_inner else uvicorn.Server(config)
        self._reader = uvicorn.Config(config.app, http="auto", log_config=None)

    @property
    def is_ending(self) -> bool:
        """Whether the server is to end."""
        return self._is_stopped or self._uvicorn.should_exit

    def stop(self) -> None:
        """End the server soon, also before it serves; callable from any thread."""
        self._is_stopped = True

    async def serve(self) -> None:
        """Serve until `stop`, or until Ctrl-C (KeyboardInterrupt) or SIGTERM."""
        listening = self._front.listen()
        self._reader.load()
        watch = asyncio.create_task(self._watch(listening))
        try:
            await self._uvicorn.serve([listening])
        finally:
            watch.cancel()

    def _connect(self, **given: Any) -> Connection:
        make = cast(Callable[..., asyncio.Protocol], self._reader.http_protocol_class)
        return Connection(self.connections, make(**given))

    async def _watch(self, listening: socket.socket) -> None:
        """Close the connections that take too long or too much; close all at the end."""
        expected, is_listening = time.monotonic(), False
        while not self._uvicorn.should_exit:
            if self._uvicorn.started and self._is_stopped:  # sooner, uvicorn 0.30 would not end the lifespan
                self._uvicorn.should_exit = True
                break
            if self._uvicorn.started and not is_listening:
                listening.listen(QUEUE)  # asyncio uses one number for both
                is_listening = True
            self.connections.sweep(expected)
            expected = time.monotonic() + LOOK_S
            await asyncio.sleep(LOOK_S)
        self._end()
        await asyncio.sleep(LEAVE_S)
        while True:
            self.connections.abort()
            await asyncio.sleep(LOOK_S)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer every request, as an ASGI application."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        connection = self.connections.find(scope["client"])
        if connection is None:  # closed meanwhile
            return
        connection.begin(scope["headers"])
        try:
            receive, send = partial(connection.receive, receive), partial(connection.send, send)
            scope = {**scope, "asgi": {**scope["asgi"], "spec_version": "2.4"}, "connection": connection}
            refusal = self._enter(scope, connection)
            if refusal is None:
                await self._app(scope, receive, send)
            else:
                await send({"type": "http.response.start", "status": refusal[0], "headers": [refusal[1]]})
                await send({"type": "http.response.body"})
        finally:
            connection.end()

    def _enter(self, scope: dict[str, Any], connection: Connection) -> tuple[int, tuple[bytes, bytes]] | None:
        """Note who sends a request, and what for; return the status and a header if the application may not have it."""
        client, scope["scheme"] = self._front.client_of(connection.peer[0], scope["headers"])
        if self._front.is_proxy(connection.peer[0]):
            connection.is_forwarded, connection.known = True, set()
            scope["client"] = client, 0
            if self._allow and not is_allowed(client, self._allow):
                return 403, (b"content-length", b"0")
        is_exempt = connection.is_exempt or self._is_exempt(scope)
        if not self.connections.count(connection, network(client), is_exempt):
            return 503, (b"retry-after", RETRY_S)
        if not self._front.enter(scope):
            query = scope["query_string"]
            return 308, (b"location", scope["raw_path"] + b"/" + (b"?" + query if query else b""))
        return None


@contextlib.contextmanager
def rare_collections() -> Iterator[None]:
    """Make Python's cyclic garbage collection rare within the block, for a program that only serves.

    Each looks at all that stays: 80 ms for what the page imports, up to 1.6 s for a thousand matches.
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


class _Inner(uvicorn.Server):
    """uvicorn as a part of another command, which takes the signals."""

    def capture_signals(self) -> contextlib.AbstractContextManager[None]:  # type: ignore[override]
        return contextlib.nullcontext()
