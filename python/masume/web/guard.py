"""The guard of the page: it refuses what no browser on one of our pages sends, and says who asks.

It alone reads and writes cookies: the host's, the hall's, and one for each match in which a browser has seats.
"""

from __future__ import annotations

import dataclasses
import secrets
from typing import Any

from starlette.requests import Request, cookie_parser
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from ..core.language import LANGUAGES, speaking
from ..core.language import translate as _
from ..http.front import Front
from ..http.limits import read_address
from .films import to_bytes
from .people import is_same
from .viewer import Viewer
from .words import refusal

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}
COOKIE = "masume-"  # and "host", "hall", "lang" or the id of a match
COOKIE_S = 30 * 86400


@dataclasses.dataclass
class Access:
    """Who may reach a page, and what it shows to whom.

    Attributes
    ----------
    host : str
        The secret of the host, who sees and controls every match.
    hall : str
        The secret of the wall of a hall, which sees every match.
    shows_all : bool
        Whether everybody sees what players may not, while a game runs.
    is_dark : bool
        Whether spectators see then what the players together have seen; for games whose drawing knows it.
    """

    host: str = dataclasses.field(default_factory=lambda: secrets.token_urlsafe(16))
    hall: str = dataclasses.field(default_factory=lambda: secrets.token_urlsafe(16))
    shows_all: bool = False
    is_dark: bool = False


class Guard:
    """Middleware around the application, which finds the Viewer of each request in its scope, as "viewer".

    It also adds the headers of every answer.
    """

    def __init__(self, app: ASGIApp, front: Front, access: Access) -> None:
        self._app, self._front, self._access = app, front, access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope)
        viewer = scope["viewer"] = self._see(request)

        async def send_safe(message: Any) -> None:
            if message["type"] == "http.response.start":
                names = {name.lower() for name, _value in message["headers"]}
                message["headers"] += [
                    (name.lower().encode(), value.encode())
                    for name, value in HEADERS.items()
                    if name.lower().encode() not in names
                ]
            await send(message)

        with speaking(viewer.language):
            answer = self._refuse(request) or self._app
            await answer(scope, receive, send_safe)

    def _refuse(self, request: Request) -> Response | None:
        """Return the answer to a request that no page of this server sends; None for the others."""
        host = request.headers.get("host", "")
        if not self._front.knows(host):
            return refuse(request, 421, "host", _("{name} is not a name of this server").format(name=repr(host[:80])))
        if request.method == "POST":
            if not self._front.is_own(request.headers.get("origin", ""), host):
                return refuse(request, 403, "origin", _("only pages of this server may send this"))
            if request.headers.get("content-type", "").partition(";")[0] != "application/json":
                return refuse(request, 415, "type", _("expected application/json"))
        return None

    def _see(self, request: Request) -> Viewer:
        """Return who asks."""
        cookies, query, access = read_cookies(request), request.query_params, self._access
        view, is_ours = query.get("view", ""), is_host(request, access)
        return Viewer(
            language_of(request),
            is_host=is_ours,
            is_hall=is_same(cookies.get(f"{COOKIE}hall", ""), access.hall),
            tokens={
                name.removeprefix(COOKIE): value.split(".")
                for name, value in cookies.items()
                if name.startswith(COOKIE) and name != f"{COOKIE}lang"
            },
            window=query.get("window", ""),
            player=_read_player(query.get("as", "")),
            view="all" if view == "all" else _read_player(view),
            shows_all=access.shows_all,
            is_dark=access.is_dark,
            base=request.scope["root_path"],
            is_secure=request.scope["scheme"] == "https",
            is_here=not self._front.is_behind and _is_local(request),
            share=None if is_ours else request.scope["connection"].address,
        )


def read_cookies(request: Request) -> dict[str, str]:
    """Return the cookies by name: the first of each, which has the longest path."""
    return cookie_parser(";".join(reversed(request.headers.get("cookie", "").split(";"))))


def is_host(request: Request, access: Access) -> bool:
    """Return whether the host asks."""
    return is_same(read_cookies(request).get(f"{COOKIE}host", ""), access.host)


def _is_local(request: Request) -> bool:
    """Return whether both ends of a connection have one address, which is also that of its `Host`."""
    host = request.headers.get("host", "").rpartition(":")[0].strip("[]")
    peer = read_address(request.client.host if request.client else "")
    own = read_address((request.scope.get("server") or ("",))[0] or "")
    named = own if own is not None and own.is_loopback and host == "localhost" else read_address(host)
    return own is not None and peer == own == named


def refuse(request: Request, status: int, field: str, text: str) -> Response:
    """Return the answer to a request that is not served: a page for people, or in which field, and why."""
    if request.method in ("GET", "HEAD") and "text/html" in request.headers.get("accept", ""):
        viewer: Viewer = request.scope["viewer"]
        return Response(refusal(text, viewer.base, viewer.language), status, media_type="text/html")
    return Response(to_bytes({"error": field, "text": text}), status, media_type="application/json")


def language_of(request: Request) -> str:
    """Return the language of a request: of its address, its cookie, or the browser."""
    for wanted in (request.query_params.get("lang"), read_cookies(request).get(f"{COOKIE}lang")):
        if wanted in LANGUAGES:
            return wanted
    for part in request.headers.get("accept-language", "").split(",")[:8]:
        name = part.partition(";")[0].strip().partition("-")[0]
        if name in LANGUAGES:
            return name
    return "en"


def _read_player(text: str) -> int | None:
    """Return the number of a player in an address; None if there is none."""
    return int(text) if text.isdecimal() and len(text) < 3 else None


def forget(viewer: Viewer, answer: Response, name: str) -> None:
    """Let the browser keep a secret no longer."""
    answer.delete_cookie(f"{COOKIE}{name}", path=f"{viewer.base}/")


def remember(viewer: Viewer, answer: Response, name: str, value: str) -> None:
    """Let the browser keep a secret: of the "host", of the "hall", or of its seats in the match of this id."""
    answer.set_cookie(
        f"{COOKIE}{name}", value, max_age=COOKIE_S, httponly=True, samesite="lax", secure=viewer.is_secure,
        path=f"{viewer.base}/",
    )  # fmt: skip
