"""Watching a match: its board and its film, the stream of its events, and the values of a finished game."""

from __future__ import annotations

import asyncio
import bisect
import contextlib
from collections.abc import AsyncGenerator, Iterator
from weakref import WeakKeyDictionary

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from ..core.language import translate as _
from ..http.openapi import ANY, TEXT, Operation, array, ref
from ..render.pixels import pixels, png
from .facts import Facts
from .films import Film, Films, to_bytes
from .guides import guide_of
from .holding import Holding
from .match import Match
from .requests import find_match, read_body, to_json, viewer_of
from .streams import BEAT, KIND, Streams, event
from .values import Values
from .viewer import HiddenError, Viewer

BEHIND = 64  # frames after which a viewer gets a whole one
EYES = {"view": TEXT, "as": TEXT, "lang": TEXT, "window": TEXT}  # for whom a request is
STAY = EYES | {"stay": TEXT}  # beyond the end, for those who have played each other
MAX_DIGITS = 9  # of the number of a piece


class Watching:
    """The requests of those who watch a match.

    Parameters
    ----------
    holding : Holding
        The matches.
    streams : Streams
        The streams of the page.
    facts : Facts
        What is told of a match beside its board.
    values : Values
        What a search says of a finished game.
    """

    def __init__(self, holding: Holding, streams: Streams, facts: Facts, values: Values) -> None:
        self._holding, self._streams, self._facts, self._values = holding, streams, facts, values
        self.films = Films()
        self._pictures: WeakKeyDictionary[Match, bytes] = WeakKeyDictionary()
        self._sent: WeakKeyDictionary[Film, tuple[int, int, bytes]] = WeakKeyDictionary()

    def operations(self) -> list[Operation]:
        """Return the addresses."""
        return [
            Operation("GET", "/api/m/{id}", self._match, "Look at a match", ref("Match"), query=EYES),
            Operation("GET", "/api/m/{id}/film/{piece}", self._piece, "Get frames", array(ANY), query=EYES),
            Operation("GET", "/api/m/{id}/guide", self._guide, "Get the guide of its game", ref("Guide"), query=EYES),
            Operation("GET", "/api/m/{id}/events", self._events, "Follow a match", TEXT, query=STAY, media=KIND),
            Operation("GET", "/m/{id}/picture.png", self._picture),
            Operation("POST", "/api/m/{id}/values", self._evaluate, "Search a game", ref("Values"), ref("Nothing")),
        ]

    async def meet(self, match: Match, viewer: Viewer) -> bytes:
        """Return what a viewer is told of a match at first, as JSON: the facts, and its last frame."""
        facts = self._facts.of_one(match, viewer)
        try:
            eyes = viewer.eyes_for(match)
        except HiddenError as error:
            return to_bytes({"match": facts, "hidden": error.detail})
        film = await self.films.get(match, eyes, viewer.language)
        head = to_bytes({"match": facts, "scene": film.scene, "view": eyes, "count": len(film.frames)})
        return head[:-1] + b',"frame":' + film.whole() + b"}"

    async def _match(self, request: Request) -> Response:
        data = await self.meet(find_match(request, self._holding), viewer_of(request))
        return Response(data, media_type="application/json")

    async def _guide(self, request: Request) -> Response:
        return to_json(guide_of(find_match(request, self._holding).game, viewer_of(request).language))

    async def _piece(self, request: Request) -> Response:
        match, viewer = find_match(request, self._holding), viewer_of(request)
        piece = request.path_params["piece"]
        if not piece.isdecimal() or len(piece) > MAX_DIGITS:
            raise HTTPException(404)
        film = await self.films.get(match, viewer.eyes_for(match), viewer.language)
        return Response(film.piece(int(piece)), media_type="application/json")

    async def _picture(self, request: Request) -> Response:
        """Return the last position of a finished game as a picture."""
        match = find_match(request, self._holding)
        if not match.is_over:
            raise HTTPException(409, _("a picture is made of games that are over"))
        data = self._pictures.get(match)
        if data is None:
            try:
                data = self._pictures[match] = await asyncio.to_thread(lambda: png(pixels(match.state)))
            except ValueError:
                raise HTTPException(404, _("this game has no pictures")) from None
        return Response(data, media_type="image/png")

    async def _evaluate(self, request: Request) -> Response:
        """Return what a search says of a finished game: [frame, value for player 0] of up to MOST positions."""
        match, viewer = find_match(request, self._holding), viewer_of(request)
        await read_body(request)
        if not match.is_over or match.game.num_players != 2:
            raise HTTPException(409, _("a search looks at games of two that are over"))
        film = await self.films.get(match, viewer.eyes_for(match), viewer.language)
        values = await self._values.get(match, viewer.share)
        frames = [[bisect.bisect_right(film.plies, ply) - 1, value] for ply, value in values.items()]
        return to_json({"values": frames})

    # -- the stream --------------------------------------------------------------------------------

    async def _events(self, request: Request) -> Response:
        match, viewer = find_match(request, self._holding), viewer_of(request)
        eyes, film, num_sent = None, None, -1
        with contextlib.suppress(HiddenError):
            eyes = viewer.eyes_for(match)
            film = await self.films.get(match, eyes, viewer.language)
            last = request.headers.get("last-event-id") or request.query_params.get("from", "")
            num_sent = self._count_sent(last, film)
        stays = bool(request.query_params.get("stay"))
        return self._streams.open(request, self._tell(match, viewer, eyes, film, num_sent, stays))

    async def _tell(
        self, match: Match, viewer: Viewer, eyes: int | None, film: Film | None, num_sent: int, stays: bool
    ) -> AsyncGenerator[bytes, None]:
        """Yield the events of a match for one viewer, of whose film so many frames were sent; None: it sees nothing.

        stays : whether those who have played each other are told after the end what they ask each other.
        """
        sent, asked, is_over = b"", None, False
        with self._streams.hearing(match.listeners) as changed, _present(match, viewer) as has_company:
            while not (self._streams.is_ending or match.is_aside):
                changed.clear()
                events = []
                if film is not None:
                    film = await self.films.get(match, eyes, viewer.language)
                    events.append(self._frames(film, num_sent))
                    num_sent = len(film.frames)
                facts = self._facts.event(match, viewer)
                if facts != sent:  # else it would count what this viewer does not notice
                    sent = facts
                    events.append(facts)
                questions = viewer.questions_of(match)
                versions = [(player, question.number, question.version) for player, question in questions]
                if versions != asked:
                    asked = versions
                    events.append(event("ask", [question.to_dict(viewer.language) for _player, question in questions]))
                is_end = match.is_over and (film is None or num_sent == len(film.frames)) and not changed.is_set()
                stays = stays and has_company
                if is_end and not is_over:
                    events.append(event("over" if stays else "end", {}))
                    is_over = True
                if data := b"".join(events):
                    yield data
                if is_end and not stays:
                    return
                while not await self._streams.wait(changed):
                    yield BEAT

    def _count_sent(self, last: str, film: Film) -> int:
        """Return how many frames a browser has by the id of its last event; -1 if that is of another film or run."""
        boot, _dot, number = last.partition(".")
        is_known = boot == self._streams.boot and number.isdecimal() and len(number) < 9
        return int(number) + 1 if is_known and int(number) < len(film.frames) else -1

    def _frames(self, film: Film, num_sent: int) -> bytes:
        """Return the events of the frames after so many; one whole frame for a viewer that is new or far behind."""
        count = len(film.frames)
        if num_sent < 0 or count - num_sent > BEHIND:
            return self._frame(count - 1, film.whole())
        if num_sent == count:
            return b""
        first, last, data = self._sent.get(film, (0, 0, b""))
        if (first, last) != (num_sent, count):  # else they were made for another stream
            data = b"".join(self._frame(number, film.frames[number]) for number in range(num_sent, count))
            self._sent[film] = num_sent, count, data
        return data

    def _frame(self, number: int, data: bytes) -> bytes:
        return b"event: frame\nid: %s.%d\ndata: %s\n\n" % (self._streams.boot.encode(), number, data)


@contextlib.contextmanager
def _present(match: Match, viewer: Viewer) -> Iterator[bool]:
    """Show the others of a match of several people, within the block, that a viewer is here; yield whether it plays."""
    seats = [match.seats[player] for player in viewer.seats_of(match)] if len(match.seats) > 1 else []
    for seat in seats:
        seat.open_page()
    try:
        yield bool(seats)
    finally:
        for seat in seats:
            seat.close_page()
