"""Sessions of browsers: a cookie identifies an account in three requests. [section 14.12]"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from .hall import Refusal
from .requests import SESSION, Answer, Request

if TYPE_CHECKING:
    from .accounts import User
    from .api import Api

LENGTH_S = 90 * 86_400  # of a session
MAX_SESSIONS = 16  # that an account may be created with
PATHS = ("/v1/users/me", "/v1/users/me/token")
"""Paths of the requests that a session identifies."""


def user_of(api: Api, request: Request) -> User | None:
    """Return the account of the request's session, or None."""
    return api.hall.accounts.with_session(request.session, request.at)


def sign_out(api: Api, request: Request) -> Any:
    """Answer GET /v1/oauth/signout: end the session, send the browser to another page of this server."""
    session = request.session
    if session is None or user_of(api, request) is None:
        raise Refusal(4)
    api.hall.accounts.sign_out(session)
    wanted = (request.query.get("success_url", ""), request.headers.get("referer", ""))
    target = next((url for url in wanted if _is_ours(url, request.headers.get("host", ""))), f"{api.base}/")
    return Answer(b"", 302, {"Location": target, "Set-Cookie": f"{SESSION}=; Max-Age=0; Path=/"})


def _is_ours(url: str, host: str) -> bool:
    """Return whether a URL leads to this server: a redirection elsewhere would help those who imitate it."""
    if not url.isascii() or not url.isprintable() or "\\" in url or " " in url:
        return False
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    if parts.scheme or parts.netloc:
        return parts.scheme in ("http", "https") and parts.netloc == host
    return url.startswith("/") and not url.startswith("//")
