"""uvicorn among strangers: it reads the requests, and every connection has limits."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, cast

import uvicorn

from ..core import system
from .connections import Connection, Connections, Receive, Send
from .limits import Network

MAX_CONNECTIONS = 8192
AT_ONCE, QUEUE = 8, 1024  # connections accepted before requests are read again; connections that the system queues
FILES = 64  # open files that a server needs in addition to its connections
LOOK_S = 0.1  # interval of the checks for passed deadlines and for the end of the server
LEAVE_S = 1.0  # at the end, for clients that are still being answered
CANCEL_S = 3  # at the end, for the application
OURS_S = 3600  # keep-alive time of uvicorn; `connections.py` closes idle connections sooner
Scope = Mapping[str, Any]


class Server:
    """Server of an ASGI application.

    Parameters
    ----------
    app : callable
        The application. It finds the connection of a request by `connections.find(scope["client"])`.
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
        end: Callable[[], None] = lambda: None,
        max_connections: int = MAX_CONNECTIONS,
        allow: Sequence[Network] = (),
        is_exempt: Callable[[Scope], bool] = lambda _: False,
        is_inner: bool = False,
    ) -> None:
        self._app, self._end, self._is_exempt = app, end, is_exempt
        self._is_stopped = False
        files = system.allow_files(max_connections + FILES)
        self.connections = Connections(max(1, min(max_connections, files - FILES)), time.monotonic, allow)
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

    async def serve(self, listening: socket.socket) -> None:
        """Serve until `stop`, or until Ctrl-C (KeyboardInterrupt) or SIGTERM."""
        self._reader.load()
        watch = asyncio.create_task(self._watch(listening))
        try:
            await self._uvicorn.serve([listening])
        finally:
            watch.cancel()

    def _connect(self, **given: Any) -> asyncio.Protocol:
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
        scope = {**scope, "asgi": {**scope["asgi"], "spec_version": "2.4"}}
        if self._is_exempt(scope):
            self.connections.exempt(connection)
        try:
            await self._app(scope, partial(connection.receive, receive), partial(connection.send, send))
        finally:
            connection.end()


class _Inner(uvicorn.Server):
    """uvicorn as a part of another command, which takes the signals."""

    def capture_signals(self) -> contextlib.AbstractContextManager[None]:  # type: ignore[override]
        return contextlib.nullcontext()
