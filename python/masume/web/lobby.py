"""The lobby: the list of matches and what is on the wall, once or as a stream."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import Response

from ..http.openapi import TEXT, Operation, ref
from .exhibitions import may_see
from .facts import Facts, tell_praise
from .holding import Holding
from .requests import to_json, viewer_of
from .streams import BEAT, KIND, Streams, event
from .viewer import Viewer

if TYPE_CHECKING:
    from .match import Match

MAX_LISTED = 60  # matches that are listed; the others have links
PAUSE_S = 1.0  # shortest time between two messages about the lobby


class Lobby:
    """The requests of those who look for a match.

    Parameters
    ----------
    holding : Holding
        The matches.
    streams : Streams
        The streams of the page.
    facts : Facts
        What is told of a match.
    """

    def __init__(self, holding: Holding, streams: Streams, facts: Facts) -> None:
        self._holding, self._gallery, self._streams, self._facts = holding, holding.gallery, streams, facts
        self._told: dict[str, tuple[Any, bytes]] = {}

    def operations(self) -> list[Operation]:
        """Return the addresses."""
        return [
            Operation("GET", "/api/lobby", self._lobby, "List the matches", ref("Lobby")),
            Operation("GET", "/api/events", self._events, "Follow the list", TEXT, media=KIND),
        ]

    def _summary(self, viewer: Viewer) -> dict[str, Any]:
        matches = self._gallery.listed()
        if viewer.tokens:  # its own matches are never cut off
            matches.sort(key=lambda match: (match.is_over, not viewer.seats_of(match)))
        listed = [self._tell_of(match, viewer) for match in matches[:MAX_LISTED]]
        aside = self._holding.find_aside(viewer.tokens)
        return {"matches": listed, "all": len(matches), "aside": aside, "wall": self._gallery.wall}

    def _tell_of(self, match: Match, viewer: Viewer) -> dict[str, Any]:
        """Return what everybody may know of a match, and what this viewer may do with it."""
        return self._facts.of_all(match, viewer.language) | {
            "mine": viewer.seats_of(match),
            "open": may_see(viewer, match),
            "worth": round(self._gallery.worth_of(match), 2),
            "praise": tell_praise(self._gallery.praise(match), viewer.language),
        }

    def _event(self, viewer: Viewer) -> bytes:
        """Return the event of the list; it is made once for all who have no seat and read the same language."""
        if viewer.tokens:
            return event("lobby", self._summary(viewer))
        matches = self._gallery.listed()
        state = [len(matches), self._gallery.wall, *((match.id, match.version) for match in matches[:MAX_LISTED])]
        known, data = self._told.get(viewer.language, (None, b""))
        if known != state:
            data = event("lobby", self._summary(viewer))
            self._told[viewer.language] = state, data
        return data

    async def _lobby(self, request: Request) -> Response:
        return to_json(self._summary(viewer_of(request)))

    async def _events(self, request: Request) -> Response:
        return self._streams.open(request, self._tell(viewer_of(request)))

    async def _tell(self, viewer: Viewer) -> AsyncGenerator[bytes, None]:
        """Yield the list whenever it has changed."""
        with self._streams.hearing(self._gallery.listeners) as changed:
            while not self._streams.is_ending:
                changed.clear()
                told = self._event(viewer)
                yield told
                await asyncio.sleep(PAUSE_S)
                while not await self._streams.wait(changed) and self._event(viewer) == told:  # some leave it by time
                    yield BEAT
