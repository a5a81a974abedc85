"""The page over HTTP: an ASGI application. docs/decisions/0018-page.md describes the wire."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import AsyncGenerator
from typing import Any, cast

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from ..core.language import translate as _
from ..http.front import Front
from ..http.limits import FullError, Turns
from ..http.openapi import describe, ref
from ..render import escape_text
from .contest import ContestBoard
from .exhibitions import Exhibitions
from .facts import Facts
from .gallery import Gallery
from .guard import Access, Guard, refuse
from .holding import Holding
from .inviting import Inviting
from .jobs import Jobs, remove_left
from .lobby import Lobby
from .loops import Loops
from .making import Making
from .match import report
from .organising import contest_operations
from .pages import Pages
from .playing import Playing
from .requests import to_json, viewer_of
from .schemas import SCHEMAS
from .streams import Streams
from .teaching import Teaching
from .values import Values
from .watching import Watching

PATHS = (
    "/contest", "/wall", "/hall/", "/m/", "/play/", "/learn/", "/make/", "/static/", "/api/", "/j/", "/host/",
)  # fmt: skip
MAX_SEARCHES = 2  # at the same time, for hints and values
MAX_WAITING = 32  # searches that are made or wait
WAIT_S = 5.0  # until somebody for whose search there was no room asks again


class Page:
    """The application.

    Parameters
    ----------
    gallery : Gallery
        What is shown.
    front : Front
        Where it is reached.
    access : Access, optional
        Who may reach it, and what it shows to whom.
    game : str, optional
        The one game that is offered; None: all.
    contest : ContestBoard, optional
        The contest that is held.
    """

    def __init__(
        self,
        gallery: Gallery,
        front: Front,
        access: Access | None = None,
        game: str | None = None,
        contest: ContestBoard | None = None,
    ) -> None:
        access = access or Access()
        searches = Turns(MAX_SEARCHES, MAX_WAITING, WAIT_S)
        facts = Facts()
        self.asked_at = float("-inf")  # seconds of time.monotonic
        self.streams, self.holding, self.jobs = Streams(), Holding(gallery), Jobs()
        self.values = Values(searches)
        watching = Watching(self.holding, self.streams, facts, self.values)
        parts = (
            Pages(self.holding, access, watching, self.streams.boot, game, contest is not None),
            Lobby(self.holding, self.streams, facts),
            watching,
            Playing(self.holding, searches),
            Teaching(self.holding, searches),
            Inviting(self.holding, front),
            Exhibitions(self.holding, contest is not None),
            Loops(),
            Making(self.jobs),
        )
        operations = [*contest_operations(contest), *(one for part in parts for one in part.operations())]

        async def document(request: Request) -> Response:
            base, refusal = viewer_of(request).base, ref("Refusal")
            return to_json(describe("masume's page", "/api", base, operations, refusal, {"schemas": SCHEMAS}))

        app = Starlette(
            routes=[
                *(Route(one.path, cast(Any, one.handler), methods=[one.method]) for one in operations),
                Route("/api/openapi.json", document),
            ],
            exception_handlers={HTTPException: _explain, FullError: _put_off, Exception: _own_up},
        )
        self._guard = Guard(app, front, access)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        self.asked_at = time.monotonic()
        await self._guard(scope, receive, send)

    @staticmethod
    def serves(path: str) -> bool:
        """Return whether a path belongs to the page."""
        return path == "/" or path.startswith(PATHS)

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncGenerator[None, None]:
        """Serve within the block, where the matches of an earlier run go on; then end all that runs here."""
        remove_left()
        for trouble in self.holding.resume():
            print(escape_text(trouble), file=sys.stderr)
        try:
            yield
        finally:
            self.streams.end()
            try:
                await self.jobs.close()
            finally:
                await self.holding.close()


async def _explain(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    text = error.detail
    if text == "Not Found":  # Starlette's words
        text = _("there is nothing at this address")
    elif text == "Method Not Allowed":
        text = _("this address does not take this method")
    answer = refuse(request, error.status_code, "http", text)
    answer.headers.update(error.headers or {})
    return answer


async def _put_off(request: Request, error: Exception) -> Response:
    assert isinstance(error, FullError)
    answer = refuse(request, 503, "full", str(error))
    answer.headers["Retry-After"] = str(error.wait_s)
    return answer


async def _own_up(request: Request, error: Exception) -> Response:
    if not isinstance(error, ClientDisconnect):
        report(error)
    return refuse(request, 500, "server", f"internal server error: {type(error).__name__}")
