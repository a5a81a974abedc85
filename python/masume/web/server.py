"""The server of the page: in a separate thread next to a match or another server, or alone."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from typing import Any, cast

from starlette.requests import Request

from ..game import Game
from ..http.front import Front
from ..http.server import Server
from ..records.replay import Replay
from ..referee.match import Moment
from .app import PATHS, Page
from .contest import ContestBoard
from .gallery import Gallery
from .guard import Access, is_host
from .match import LOOK_S, Match

FETCH_S = 2.0  # for what pages ask for when a match is over


class PageServer:
    """A page that runs in a thread.

    Parameters
    ----------
    gallery : Gallery
        What it shows; it belongs to the thread of the page once that runs.
    access : Access
        Who may reach it, and what it shows to whom.
    front : Front, optional
        Where it is reached; a free port of this machine by default.
    contest : ContestBoard, optional
        The contest that is held.
    """

    def __init__(
        self,
        gallery: Gallery,
        access: Access,
        front: Front | None = None,
        contest: ContestBoard | None = None,
    ) -> None:
        self.gallery, self._access, self._contest = gallery, access, contest
        self.front = front or Front()
        self.front.reserve(PATHS)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._server: Server | None = None
        self._thread: threading.Thread | None = None
        self._page: Page | None = None
        self._is_ready = threading.Event()

    @property
    def port(self) -> int:
        """Number of the port; if the system chooses it, it is known when the page listens."""
        return self.front.port

    @property
    def address(self) -> str:
        """Address of the page."""
        return f"{self.front.address}/"

    @property
    def host_link(self) -> str:
        """Address that makes a browser the host."""
        return f"{self.address}host/{self._access.host}"

    @property
    def hall_link(self) -> str:
        """Address of the wall of a hall, which sees every board."""
        return f"{self.address}hall/{self._access.hall}"

    async def serve(self) -> None:
        """Serve until `stop`, or Ctrl-C in the main thread."""
        self._loop = asyncio.get_running_loop()
        page = self._page = Page(self.gallery, self.front, self._access, contest=self._contest)
        self._server = Server(
            cast(Any, page),
            self.front,
            page.streams.end,
            is_exempt=lambda scope: is_host(Request(dict(scope)), self._access),
        )
        try:
            async with page.running():
                self._is_ready.set()
                await self._server.serve()
        finally:
            self._is_ready.set()

    def start(self) -> None:
        """Start to serve in a separate thread."""
        self.front.listen()  # whoever cannot says so here
        self._thread = threading.Thread(target=lambda: asyncio.run(self.serve()), name="masume page", daemon=True)
        self._thread.start()
        self._is_ready.wait()

    def stay(self) -> None:
        """Return when nobody watches any more, and those who did have fetched what they may step through."""
        page = self._page
        while page is not None and (page.streams.count or time.monotonic() < page.asked_at + FETCH_S):
            time.sleep(LOOK_S)

    def stop(self) -> None:
        """End the page; callable from any thread."""
        if self._server is not None:
            self._server.stop()
        if self._thread is not None:
            self._thread.join()

    def call(self, function: Callable[..., Any], *arguments: Any) -> None:
        """Run a function in the thread of the page, in the order of the calls."""
        assert self._loop is not None
        with contextlib.suppress(RuntimeError):  # the page has ended; the match goes on
            self._loop.call_soon_threadsafe(function, *arguments)

    # -- matches of other threads ------------------------------------------------------------------

    def begin(self, game: Game, seed: int, names: list[str]) -> Match:
        """Show a match that is about to begin in the calling thread."""
        match = Match(game, seed, names, self.gallery.playback)
        self.call(self.gallery.add, match)
        return match

    def follow(self, match: Match, is_live: bool = False) -> Callable[[Moment], Awaitable[None]]:
        """Return what `play_match` awaits for this match; nothing holds up one that is live."""
        return match.follower(self.call, is_live)

    def finish(self, match: Match, replay: Replay) -> None:
        """Show the result of a match."""
        self.call(match.finish, replay)


@contextlib.contextmanager
def running(server: PageServer) -> Iterator[PageServer]:
    """Run a page within the block."""
    server.start()
    try:
        yield server
    finally:
        server.stop()
