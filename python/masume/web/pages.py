"""What a browser opens: the pages, their scripts and offers, and the links of the host, of the hall and of seats."""

from __future__ import annotations

import contextlib
import functools
import gzip
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from ..core import registry
from ..core.language import LANGUAGES
from ..core.language import translate as _
from ..game import games
from ..http.openapi import Operation, ref
from ..play.menu import has_menu
from ..render.pack import constants
from .files import STATIC, links, pack, read_files
from .guard import Access, remember
from .holding import Holding
from .offers import invite, offer, title_of
from .people import is_same
from .requests import find_game, find_match, to_answer, to_json, viewer_of
from .viewer import Viewer
from .watching import Watching
from .words import index, page_words

FOREVER = "public, max-age=31536000, immutable"
PAGES = {
    "/": "lobby.js", "/wall": "wall.js", "/contest": "contest.js", "/m/{id}": "match.js", "/play/{game}": "setup.js",
    "/learn/{game}": "learn.js", "/make/{game}": "make.js",
}  # fmt: skip
"""Their addresses, and what app.js imports there."""


class Pages:
    """The requests for pages.

    Parameters
    ----------
    holding : Holding
        The matches, to whose seats links lead.
    access : Access
        The secrets of the host's and the hall's links.
    watching : Watching
        What a match shows to whom.
    boot : str
        The name of this run of the page.
    game : str or None
        The one game that is offered; None: all.
    has_contest : bool
        Whether a contest is held.
    """

    def __init__(
        self, holding: Holding, access: Access, watching: Watching, boot: str, game: str | None, has_contest: bool
    ) -> None:
        self._holding, self._access, self._watching, self._boot = holding, access, watching, boot
        self._game, self._has_contest = game, has_contest

    def operations(self) -> list[Operation]:
        """Return the addresses."""
        scripts = PAGES | ({"/wall": PAGES["/contest"]} if self._has_contest else {})
        return [
            *(Operation("GET", address, functools.partial(self._page, script)) for address, script in scripts.items()),
            Operation("GET", "/j/{token}", self._join),
            Operation("GET", "/host/{token}", self._become_host),
            Operation("GET", "/hall/{token}", self._become_hall),
            Operation("GET", "/static/{version}/{name}", self._static),
            Operation("GET", "/api/offer/{game}", self._offer, "See what may be chosen", ref("Offer")),
        ]

    async def _page(self, script: str, request: Request) -> Response:
        """Return the page with this script; that of a match also has what its script would ask for first."""
        viewer, first = viewer_of(request), b"null"
        if script == PAGES["/"] and "wall" in request.query_params:
            script = PAGES["/contest" if self._has_contest else "/wall"]
        if "id" in request.path_params:
            match = find_match(request, self._holding)
            with contextlib.suppress(HTTPException):  # the script asks again, and shows the words
                first = await self._watching.meet(match, viewer)
        if "game" in request.path_params:
            find_game(request)
        files = links(viewer.base, script)
        text = index(self._data(viewer, script), first.decode(), files, viewer.language).encode()
        # who has no secret is told none: an attacker can learn nothing from the number of bytes
        return to_answer(request, text, "text/html", gzip.compress(text, 6) if viewer.is_anybody else None)

    def _data(self, viewer: Viewer, script: str) -> dict[str, Any]:
        """Return what the scripts of every page know from the start."""
        offered = [self._game] if self._game else list(games())
        return {
            "canvas": constants(),
            "words": page_words(),
            "language": viewer.language,
            "languages": list(LANGUAGES),
            "games": offered,
            "makers": list(registry.parts("editor")),
            "menus": [name for name in games() if has_menu(name)],
            "titles": {name: _(title_of(name)) for name in games()},
            "invites": {name: invite(name) for name in offered} if script in (PAGES["/"], PAGES["/wall"]) else {},
            "base": viewer.base,
            "boot": self._boot,
            "contest": self._has_contest,
            "isHost": viewer.is_host,
        }

    async def _static(self, request: Request) -> Response:
        version, files = read_files()
        name = request.path_params["name"]
        if name not in files or request.path_params["version"] != version:
            raise HTTPException(404, _("there is no such file"))
        answer = to_answer(request, files[name], STATIC[name.rpartition(".")[2]], pack(name))
        answer.headers["Cache-Control"] = FOREVER
        return answer

    async def _offer(self, request: Request) -> Response:
        return to_json(offer(find_game(request)))

    # -- links -------------------------------------------------------------------------------------

    async def _join(self, request: Request) -> Response:
        """An invitation, or the link of an owner: the page of its match, where "Sit down" takes the seat."""
        token = request.path_params["token"]
        found = self._holding.find_seat(token)
        if found is None:
            raise HTTPException(410, _("this invitation has been used, or its match is gone"))
        name, player = found
        return RedirectResponse(f"{viewer_of(request).base}/m/{name}?seat={player}#{token}")

    async def _become_host(self, request: Request) -> Response:
        if not is_same(request.path_params["token"], self._access.host):
            raise HTTPException(403, _("this is not the host's link: the terminal shows the one that holds now"))
        viewer = viewer_of(request)
        answer = RedirectResponse(viewer.base + ("/contest" if self._has_contest else "/"))
        remember(viewer, answer, "host", self._access.host)
        return answer

    async def _become_hall(self, request: Request) -> Response:
        """The wall of a hall sees every board, as the people there do, and controls nothing."""
        if not is_same(request.path_params["token"], self._access.hall):
            raise HTTPException(403, _("this is not the hall's link: the terminal shows the one that holds now"))
        viewer = viewer_of(request)
        answer = RedirectResponse(f"{viewer.base}/wall")
        remember(viewer, answer, "hall", self._access.hall)
        return answer
