"""What a browser opens: the pages, their scripts and offers, and the links of the host, of the hall and of seats."""

from __future__ import annotations

import functools
from importlib import resources
from typing import TYPE_CHECKING, Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from ..core import registry
from ..core.language import LANGUAGES
from ..core.language import translate as _
from ..game import games
from ..play.menu import has_menu
from ..render.pack import constants
from .gallery import Gallery
from .guard import Access, remember
from .offers import offer, title_of
from .people import is_same
from .requests import to_json, viewer_of
from .words import index, page_words

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

    from .viewer import Viewer

STATIC = {".js": "text/javascript", ".css": "text/css"}
ADDRESSES = ("/", "/wall", "/contest", "/m/{id}", "/play/{game}", "/learn/{game}", "/make/{game}")


class Pages:
    """The requests for pages.

    Parameters
    ----------
    gallery : Gallery
        The matches, to whose seats links lead.
    access : Access
        The secrets of the host's and the hall's links.
    boot : str
        The name of this run of the page.
    game : str or None
        The one game that is offered; None: all.
    has_contest : bool
        Whether a contest is held.
    """

    def __init__(self, gallery: Gallery, access: Access, boot: str, game: str | None, has_contest: bool) -> None:
        self._gallery, self._access, self._boot, self._game = gallery, access, boot, game
        self._has_contest = has_contest

    def routes(self) -> list[Route]:
        """Return the addresses."""
        return [
            *(Route(address, self._page) for address in ADDRESSES),
            Route("/j/{token}", self._join),
            Route("/host/{token}", self._become_host),
            Route("/hall/{token}", self._become_hall),
            Route("/static/{name}", self._static),
            Route("/api/offer/{game}", self._offer),
        ]

    async def _page(self, request: Request) -> Response:
        viewer = viewer_of(request)
        return Response(index(self._data(viewer), viewer.language), media_type="text/html")

    def _data(self, viewer: Viewer) -> dict[str, Any]:
        """Return what the scripts of every page know from the start."""
        return {
            "canvas": constants(),
            "words": page_words(),
            "language": viewer.language,
            "languages": list(LANGUAGES),
            "games": [self._game] if self._game else list(games()),
            "makers": list(registry.parts("editor")),
            "menus": [name for name in games() if has_menu(name)],
            "titles": {name: title_of(name) for name in games()},
            "base": viewer.base,
            "boot": self._boot,
            "contest": self._has_contest,
            "isHost": viewer.is_host,
        }

    async def _static(self, request: Request) -> Response:
        path = _files().get(request.path_params["name"])
        if path is None:
            raise HTTPException(404, _("there is no such file"))
        kind = STATIC[path.name[path.name.rindex(".") :]]
        return Response(path.read_bytes(), media_type=kind, headers={"Cache-Control": "no-cache"})

    async def _offer(self, request: Request) -> Response:
        name = request.path_params["game"]
        if name not in games():
            raise HTTPException(404, _("there is no such game"))
        return to_json(offer(name))

    # -- links -------------------------------------------------------------------------------------

    async def _join(self, request: Request) -> Response:
        """An invitation, or the link of an owner: the page of its match, where "Sit down" takes the seat."""
        token = request.path_params["token"]
        for match in self._gallery.found.values():
            for player, seat in match.seats.items():
                if seat.opens_to(token):
                    return RedirectResponse(f"{viewer_of(request).base}/m/{match.id}?seat={player}#{token}")
        raise HTTPException(410, _("this invitation has been used, or its match is gone"))

    async def _become_host(self, request: Request) -> Response:
        if not is_same(request.path_params["token"], self._access.host):
            raise HTTPException(403, _("this is not the host's link"))
        viewer = viewer_of(request)
        answer = RedirectResponse(viewer.base + ("/contest" if self._has_contest else "/"))
        remember(viewer, answer, "host", self._access.host)
        return answer

    async def _become_hall(self, request: Request) -> Response:
        """The wall of a hall sees every board, as the people there do, and controls nothing."""
        if not is_same(request.path_params["token"], self._access.hall):
            raise HTTPException(403, "this is not the hall's link")
        viewer = viewer_of(request)
        answer = RedirectResponse(f"{viewer.base}/wall")
        remember(viewer, answer, "hall", self._access.hall)
        return answer


@functools.cache
def _files() -> dict[str, Traversable]:
    """Return the files that pages load, by name."""
    drawing, static = resources.files("masume.render"), resources.files("masume.web") / "static"
    files = [*static.iterdir(), drawing / "draw.js", drawing / "board.css"]
    return {path.name: path for path in files if path.name.endswith(tuple(STATIC))}
