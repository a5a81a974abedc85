"""The page over HTTP: an ASGI application. docs/decisions/0018-page.md describes the wire.

Every answer is made for one viewer. A browser shows who it is by cookies: the host's, and one for each seat that it
has taken.
"""

from __future__ import annotations

import asyncio
import bisect
import contextlib
import dataclasses
import ipaddress
import secrets
import sys
import time
from collections.abc import AsyncGenerator, Collection, Hashable, Iterator
from importlib import resources
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import RedirectResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from ..agent import View
from ..agents.asking import close_agent
from ..agents.make import make_agent
from ..core import registry
from ..core.language import LANGUAGES, speaking
from ..core.language import translate as _
from ..errors import ConfigError
from ..game import games
from ..play.menu import has_menu
from ..referee.clock import TimeControl
from ..render import escape_text
from ..render.canvas import TOGETHER
from . import values
from .contest import ContestBoard
from .films import Film, draw, to_bytes
from .jobs import Jobs
from .making import Making
from .matches import Bell, Match, Matches, report
from .offers import HINT, game_of, offer, title_of
from .people import PersonSeat, Question
from .requests import MAX_BODY, bad_input, language_of, read_body, read_number, read_steps, read_text, to_json
from .words import index, page_words

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
PATHS = (
    "/contest", "/hall/", "/m/", "/play/", "/learn/", "/make/", "/static/", "/api/", "/j/", "/host/",
)  # fmt: skip
BEHIND = 64  # frames after which a viewer gets a whole one
KEEP_ALIVE_S = 10.0
STALL_S = 60.0  # a viewer that takes nothing for so long is left
MAX_STREAMS = 1000
MAX_LISTED = 60  # matches that are listed; the others have links
MAX_HINTS = 2  # searches at the same time
MAX_WAITING = 16  # hints that wait for their turn
LOBBY_S = 0.3  # shortest time between two messages about the lobby
MAX_SEED = 2**32 - 1
MAX_NAME = 40
COOKIE_S = 30 * 86400
BEAT = b"event: beat\ndata: {}\n\n"  # tells a page that the connection stands
STATIC = {".js": "text/javascript", ".css": "text/css"}


class Guard:
    """Middleware that refuses what no browser on one of our pages sends, and adds the headers of every answer.

    hosts : names under which the page may be reached; None: any numeric address, too.
    """

    def __init__(self, app: ASGIApp, hosts: Collection[str], is_open: bool) -> None:
        self._app, self._hosts, self._is_open = app, hosts, is_open

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope)
        host = request.headers.get("host", "")
        name = host.rpartition(":")[0] if host.rpartition(":")[2].isdigit() else host
        if not self._knows(name.strip("[]")):
            await _refuse(421, "host", f"{name[:80]!r} is not a name of this server")(scope, receive, send)
            return
        if request.method == "POST":
            if request.headers.get("origin") not in (f"http://{host}", f"https://{host}"):
                await _refuse(403, "origin", "only pages of this server may send this")(scope, receive, send)
                return
            if request.headers.get("content-type", "").partition(";")[0] != "application/json":
                await _refuse(415, "type", "expected application/json")(scope, receive, send)
                return

        watch = _Watch()

        async def send_safe(message: Any) -> None:
            if message["type"] == "http.response.start":
                known = {name.lower() for name, _ in message["headers"]}
                message["headers"] += [
                    (name.lower().encode(), value.encode())
                    for name, value in HEADERS.items()
                    if name.lower().encode() not in known
                ]
            watch.since = watch.now()
            await send(message)
            watch.since = None

        with speaking(language_of(request)), watch.ending():
            async with watch.limit:
                await self._app(scope, receive, send_safe)

    def _knows(self, name: str) -> bool:
        if name.lower() in self._hosts:
            return True
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return self._is_open  # an address is not a name that an attacker can point here


class _Watch:
    """Ends a request whose client takes nothing for STALL_S, with one timer for all pieces of its answer.

    since : seconds of the loop's clock when the piece that is being sent was begun; None: nothing is being sent.
    """

    def __init__(self) -> None:
        loop = asyncio.get_running_loop()
        self.now, self._call_at = loop.time, loop.call_at
        self.since: float | None = None
        self.limit = asyncio.timeout(None)

    @contextlib.contextmanager
    def ending(self) -> Iterator[None]:
        """Watch within the block; end it quietly when the client is left."""
        self._timer = self._call_at(self.now() + STALL_S, self._look)
        try:
            yield
        except TimeoutError:
            if not self.limit.expired():
                raise
        finally:
            self._timer.cancel()

    def _look(self) -> None:
        due = (self.now() if self.since is None else self.since) + STALL_S
        if due <= self.now():
            self.limit.reschedule(due)
        else:
            self._timer = self._call_at(due, self._look)


def _refuse(status: int, field: str, text: str) -> Response:
    return Response(to_bytes({"error": field, "text": text}), status, media_type="application/json")


@dataclasses.dataclass
class Settings:
    """Settings of a page.

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
    hosts : collection of str
        Names under which the page may be reached.
    is_open : bool
        Whether it may also be reached by any numeric address of this machine.
    game : str or None
        The one game that is offered; None: all.
    contest : ContestBoard or None
        The contest that is held.
    """

    host: str = dataclasses.field(default_factory=lambda: secrets.token_urlsafe(16))
    hall: str = dataclasses.field(default_factory=lambda: secrets.token_urlsafe(16))
    shows_all: bool = False
    is_dark: bool = False
    hosts: Collection[str] = ("127.0.0.1", "localhost", "::1")
    is_open: bool = False
    game: str | None = None
    contest: ContestBoard | None = None


class Page:
    """The application.

    Parameters
    ----------
    matches : Matches
        What is shown.
    settings : Settings, optional
        Settings of the page.
    """

    def __init__(self, matches: Matches, settings: Settings | None = None) -> None:
        self.matches, self.settings = matches, settings or Settings()
        self.boot = secrets.token_hex(4)
        self.num_streams = 0
        self._bells: set[Bell] = set()  # of all streams
        self.asked_at = float("-inf")  # seconds of time.monotonic
        self._is_ending = False
        self._hints = asyncio.Semaphore(MAX_HINTS)
        self._num_hints = 0
        self._valuing: dict[str, asyncio.Task[None]] = {}
        post = ["POST"]
        self.jobs = Jobs()
        self._app = Starlette(
            routes=[
                *Making(self.jobs).routes(),
                *(Route(f"/{kind}/{{game}}", self._page) for kind in ("learn", "make")),
                Route("/", self._page),
                Route("/play/{game}", self._page),
                Route("/m/{id}", self._page),
                Route("/wall", self._page),
                Route("/contest", self._page),
                Route("/api/contest", self._contest),
                Route("/api/contest/do", self._tell_desk, methods=post),
                Route("/j/{token}", self._join),
                Route("/host/{token}", self._become_host),
                Route("/hall/{token}", self._become_hall),
                Route("/static/{name}", self._static),
                Route("/api/lobby", self._lobby),
                Route("/api/events", self._lobby_events),
                Route("/api/offer/{game}", self._offer),
                Route("/api/play", self._play, methods=post),
                Route("/api/m/{id}", self._match),
                Route("/api/m/{id}/film/{piece:int}", self._piece),
                Route("/api/m/{id}/events", self._events),
                Route("/api/m/{id}/sit", self._sit, methods=post),
                Route("/api/m/{id}/take", self._take, methods=post),
                Route("/api/m/{id}/draft", self._draft, methods=post),
                Route("/api/m/{id}/act", self._act, methods=post),
                Route("/api/m/{id}/hint", self._hint, methods=post),
                Route("/api/m/{id}/values", self._values, methods=post),
                Route("/api/m/{id}/host", self._press, methods=post),
            ],
            exception_handlers={HTTPException: _explain, Exception: _own_up},
        )
        self._guarded = Guard(self._app, self.settings.hosts, self.settings.is_open)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        self.asked_at = time.monotonic()
        await self._guarded(scope, receive, send)

    @staticmethod
    def serves(path: str) -> bool:
        """Return whether a path belongs to the page."""
        return path in ("/", "/wall") or path.startswith(PATHS)

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncGenerator[None, None]:
        """Serve within the block, where the matches of an earlier run go on; then end all that runs here."""
        for trouble in self.matches.resume():
            print(escape_text(trouble), file=sys.stderr)
        try:
            yield
        finally:
            self.end()
            await self.jobs.close()
            await self.matches.close()

    def end(self) -> None:
        """End all streams, which would never end by themselves."""
        self._is_ending = True
        self.matches.listeners.wake()
        for match in self.matches.found.values():
            match.listeners.wake()

    # -- pages -------------------------------------------------------------------------------------

    async def _page(self, request: Request) -> Response:
        language = language_of(request)
        with speaking(language):
            data = {
                "canvas": _constants(),
                "words": page_words(),
                "language": language,
                "languages": list(LANGUAGES),
                "games": [self.settings.game] if self.settings.game else list(games()),
                "makers": list(registry.parts("editor")),
                "menus": [name for name in games() if has_menu(name)],
                "titles": {name: title_of(name) for name in games()},
                "boot": self.boot,
                "contest": self.settings.contest is not None,
                "isHost": self._is_host(request),
            }
            return Response(index(data, language), media_type="text/html")

    async def _static(self, request: Request) -> Response:
        name = request.path_params["name"]
        kind = next((kind for suffix, kind in STATIC.items() if name.endswith(suffix)), None)
        for package, folder in (("masume.web", "static"), ("masume.render", ".")):
            path = resources.files(package) / folder / name
            if kind and "/" not in name and path.is_file() and (folder != "." or name in ("draw.js", "board.css")):
                return Response(path.read_bytes(), media_type=kind, headers={"Cache-Control": "no-cache"})
        raise HTTPException(404, _("there is no such file"))

    async def _join(self, request: Request) -> Response:
        """An invitation, or the link of an owner: the page of its match, where "Sit down" takes the seat."""
        token = request.path_params["token"]
        for match in self.matches.found.values():
            for player, seat in match.seats.items():
                if _opens(seat, token):
                    return RedirectResponse(f"/m/{match.id}?seat={player}#{token}")
        raise HTTPException(410, _("this invitation has been used, or its match is gone"))

    async def _become_host(self, request: Request) -> Response:
        if not _same(request.path_params["token"], self.settings.host):
            raise HTTPException(403, _("this is not the host's link"))
        answer = RedirectResponse("/" if self.settings.contest is None else "/contest")
        _set_cookie(answer, "masume-host", self.settings.host)
        return answer

    async def _become_hall(self, request: Request) -> Response:
        """The wall of a hall sees every board, as the people there do, and controls nothing."""
        if not _same(request.path_params["token"], self.settings.hall):
            raise HTTPException(403, "this is not the hall's link")
        answer = RedirectResponse("/wall")
        _set_cookie(answer, "masume-hall", self.settings.hall)
        return answer

    # -- who asks ----------------------------------------------------------------------------------

    def _is_host(self, request: Request) -> bool:
        return _same(request.cookies.get("masume-host", ""), self.settings.host)

    def _oversees(self, request: Request) -> bool:
        """Return whether this is the host, or the wall of the hall."""
        hall = _same(request.cookies.get("masume-hall", ""), self.settings.hall)
        return hall or self._is_host(request)

    def _find(self, request: Request) -> Match:
        match = self.matches.found.get(request.path_params["id"])
        if match is None:
            raise HTTPException(404, _("there is no such match"))
        return match

    def _owned(self, request: Request, match: Match) -> list[int]:
        """Return the players whose seats this browser has."""
        token = request.cookies.get(f"masume-{match.id}", "")
        mine = token.split(".")
        return [
            player for player, seat in match.seats.items()
            if any(_same(seat.token, one) for one in mine)
        ]  # fmt: skip

    def _seat(self, request: Request, match: Match) -> tuple[int, PersonSeat]:
        owned = self._owned(request, match)
        wanted = request.query_params.get("as", "")
        player = int(wanted) if wanted.isdecimal() and len(wanted) < 3 else owned[0] if owned else -1
        if player not in owned:
            raise HTTPException(403, _("this seat is not yours"))
        seat = match.seats[player]
        if seat.window not in ("", request.query_params.get("window", "")):
            raise HTTPException(409, _("this seat is played in another window"))
        return player, seat

    def _is_dark(self, match: Match) -> bool:
        """Return whether spectators see what the players together have seen; never if people play, who may watch."""
        knows = getattr(match.game.part("render"), "SEEN_TOGETHER", False)
        return bool(self.settings.is_dark and match.hides and not match.seats and knows)

    def _viewer(self, request: Request, match: Match) -> int | None:
        """Return the player whose eyes the request may and wants to use; None: everything.

        Raises HTTPException if it may see nothing.
        """
        wanted = request.query_params.get("view", "")
        owned = self._owned(request, match)
        is_free = not match.hides or self.settings.shows_all or (self._oversees(request) and not owned)
        if self._is_dark(match) and not self._oversees(request):
            return TOGETHER
        if wanted.isdecimal() and len(wanted) < 3 and int(wanted) < match.game.num_players:
            if is_free or int(wanted) in owned:
                return int(wanted)
        elif wanted == "all":
            if is_free:
                return None
        elif owned and match.hides:
            return owned[0]
        elif is_free:
            return None
        raise HTTPException(403, _("this game hides things: its board is shown when it is over"))

    # -- the lobby ---------------------------------------------------------------------------------

    def _summary(self, request: Request) -> dict[str, Any]:
        language = language_of(request)
        found = self.matches.listed()
        listed = [match.facts(language) | {"mine": self._owned(request, match)} for match in found[:MAX_LISTED]]
        return {"matches": listed, "all": len(found), "wall": self.matches.wall}

    async def _lobby(self, request: Request) -> Response:
        return to_json(self._summary(request))

    async def _lobby_events(self, request: Request) -> Response:
        async def events() -> AsyncGenerator[bytes, None]:
            with self.matches.listeners.hearing() as changed, self._beating(changed):
                while not self._is_ending:
                    changed.clear()
                    yield _event("lobby", self._summary(request))
                    await asyncio.sleep(LOBBY_S)
                    while not await self._wait(changed):
                        yield BEAT

        return self._stream(events())

    async def _contest(self, request: Request) -> Response:
        board = self.settings.contest
        if board is None:
            raise HTTPException(404, "there is no contest")
        return to_json(board.facts(language_of(request), self._is_host(request)))

    async def _tell_desk(self, request: Request) -> Response:
        """Pass the organiser's line to the desk."""
        body, board = await read_body(request), self.settings.contest
        if board is None or not self._is_host(request):
            raise HTTPException(403, "only the organiser may do this")
        line = read_text(body, "line")
        why = board.refusal(line)
        if why is not None:
            raise HTTPException(422, why)
        board.ask(line)
        return to_json({})

    async def _offer(self, request: Request) -> Response:
        name = request.path_params["game"]
        if name not in games():
            raise HTTPException(404, _("there is no such game"))
        with speaking(language_of(request)):
            return to_json(offer(name))

    async def _play(self, request: Request) -> Response:
        """Begin a match against agents or other people."""
        body = await read_body(request)
        with speaking(language_of(request)), bad_input():
            text = read_text(body, "text", "", MAX_BODY)
            game = game_of(read_text(body, "game"), read_text(body, "start", ""), read_text(body, "variant", ""), text)
            seats = body.get("seats")
            if not isinstance(seats, list) or len(seats) != game.num_players:
                raise ConfigError(f"seats: expected a list of {game.num_players}")
            levels = offer(game.name)["levels"]
            for seat in seats:
                if seat not in ("me", "guest", *levels):
                    raise ConfigError(f"seats: expected me, guest or one of {', '.join(levels)}, got {seat!r:.60}")
            if "me" not in seats and "guest" not in seats:
                raise ConfigError("seats: expected a person in one of them")
            clock = TimeControl.parse(read_text(body, "clock", "none"))
            seed = body.get("seed", secrets.randbelow(MAX_SEED))
            if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed <= MAX_SEED:
                raise ConfigError(f"seed: expected 0..{MAX_SEED}, got {seed!r:.60}")
            me = read_text(body, "name", "").strip()[:MAX_NAME] or _("you")
            names = [me if seat == "me" else _("guest") if seat == "guest" else "" for seat in seats]
            known = ("game", "start", "variant", "text", "seats", "clock", "name")
            recipe = {key: body[key] for key in known if key in body}
            match = self.matches.play(game, seats, names, seed, clock, recipe)
        tokens = []
        for player, seat in match.seats.items():
            if seats[player] == "me":
                tokens.append(seat.token)
        answer = to_json({"id": match.id})
        _set_cookie(answer, f"masume-{match.id}", ".".join(tokens))
        return answer

    # -- a match -----------------------------------------------------------------------------------

    def _facts(self, request: Request, match: Match) -> dict[str, Any]:
        owned = self._owned(request, match)
        is_host = self._is_host(request)
        is_free = not match.hides or self.settings.shows_all or (self._oversees(request) and not owned)
        facts = match.facts(language_of(request)) | {
            "noted": match.noted(language_of(request)),
            "mine": owned,
            "views": ["all", *range(len(match.names))] if not match.game.is_perfect_information and is_free else [],
            "hosting": is_host or bool(owned),
            "recipe": match.recipe if owned else None,
        }
        if owned:
            facts["invitations"] = {
                str(player): f"/j/{seat.invitation}" for player, seat in match.seats.items() if not seat.is_taken
            }
            facts["links"] = {str(player): f"/j/{match.seats[player].token}" for player in owned}
            window = request.query_params.get("window", "")
            facts["away"] = [player for player in owned if match.seats[player].window not in ("", window)]
        return facts

    async def _match(self, request: Request) -> Response:
        match = self._find(request)
        facts = self._facts(request, match)
        try:
            viewer = self._viewer(request, match)
        except HTTPException as error:
            return to_json({"match": facts, "hidden": error.detail})
        film = await match.film(viewer, language_of(request))
        head = to_bytes({"match": facts, "scene": film.scene, "view": viewer, "count": len(film.frames)})
        return Response(head[:-1] + b',"frame":' + film.whole() + b"}", media_type="application/json")

    async def _piece(self, request: Request) -> Response:
        match = self._find(request)
        film = await match.film(self._viewer(request, match), language_of(request))
        return Response(film.piece(request.path_params["piece"]), media_type="application/json")

    async def _events(self, request: Request) -> Response:
        match = self._find(request)
        try:
            viewer, is_blind = self._viewer(request, match), False
        except HTTPException:
            viewer, is_blind = None, True
        language = language_of(request)
        film = None if is_blind else await match.film(viewer, language)
        last = request.headers.get("last-event-id") or request.query_params.get("from", "")
        boot, _, number = last.partition(".")
        known = number.isdecimal() and len(number) < 9 and boot == self.boot
        sent = int(number) + 1 if known and film and int(number) < len(film.frames) else -1
        return self._stream(self._tell(request, match, viewer, film, sent, language))

    async def _tell(
        self, request: Request, match: Match, viewer: int | None, film: Film | None, sent: int, language: str
    ) -> AsyncGenerator[bytes, None]:
        """Yield the events of a match for one viewer."""
        seats = {player: match.seats[player] for player in self._owned(request, match)}
        facts, asked = b"", None
        audience = None if seats else (language, self._is_host(request))
        window = request.query_params.get("window", "")
        with match.watching() as changed, self._beating(changed):
            while not self._is_ending:
                changed.clear()
                parts = []
                if film is not None:
                    film = await match.film(viewer, language)
                    count = len(film.frames)
                    if sent < 0 or count - sent > BEHIND:
                        parts.append(self._frame(count - 1, film.whole()))
                    elif sent < count:
                        parts.append(self._events_of(film, sent, count))
                    sent = count
                now = self._news(request, match, audience)
                if now != facts:  # else it would count what this viewer does not notice
                    facts = now
                    parts.append(facts)
                open_ = [
                    (player, seat.question) for player, seat in seats.items()
                    if seat.question is not None and seat.window in ("", window)
                ]  # fmt: skip
                versions = [(player, question.number, question.version) for player, question in open_]
                if versions != asked:
                    asked = versions
                    parts.append(_event("ask", [_ask(question, language) for _player, question in open_]))
                is_end = match.is_over and (film is None or sent == len(film.frames)) and not changed.is_set()
                if is_end:
                    parts.append(_event("end", {}))
                if parts:
                    yield b"".join(parts)
                if is_end:
                    return
                while not await self._wait(changed):
                    yield BEAT

    def _news(self, request: Request, match: Match, audience: Hashable) -> bytes:
        """Return the event of a match, made once for an audience: viewers who are told the same; None: one viewer."""
        version, news = match.news.get(audience, (-1, b""))
        if audience is None or version != match.version:
            news = _event("match", self._facts(request, match))
            if audience is not None:
                match.news[audience] = match.version, news
        return news

    def _stream(self, events: AsyncGenerator[bytes, None]) -> Response:
        if self.num_streams >= MAX_STREAMS:
            raise HTTPException(503, _("too many people watch: try again later"))

        return _Stream(self, events)

    def _events_of(self, film: Film, first: int, count: int) -> bytes:
        """Return the events of frames `first` to `count` - 1, made once for all streams that have come so far."""
        if film.told[:2] != (first, count):
            frames = [self._frame(number, film.frames[number]) for number in range(first, count)]
            film.told = first, count, b"".join(frames)
        return film.told[2]

    def _frame(self, number: int, data: bytes) -> bytes:
        return b"event: frame\nid: %s.%d\ndata: %s\n\n" % (self.boot.encode(), number, data)

    @contextlib.contextmanager
    def _beating(self, bell: Bell) -> Iterator[None]:
        """Ring a bell every KEEP_ALIVE_S within the block, if nothing else does."""
        self._bells.add(bell)
        if len(self._bells) == 1:
            self._timer = asyncio.get_running_loop().call_later(KEEP_ALIVE_S, self._beat)
        try:
            yield
        finally:
            self._bells.discard(bell)
            if not self._bells:
                self._timer.cancel()

    def _beat(self) -> None:
        for bell in self._bells:
            bell.beat()
        self._timer = asyncio.get_running_loop().call_later(KEEP_ALIVE_S, self._beat)

    async def _wait(self, changed: Bell) -> bool:
        """Return True at a change and at the end of the page; False at a beat."""
        await changed.wait()
        if changed.is_beat:
            changed.clear()
        return changed.is_set()

    # -- people ------------------------------------------------------------------------------------

    async def _sit(self, request: Request) -> Response:
        """Take the seat of an invitation."""
        match, body = self._find(request), await read_body(request)
        token = read_text(body, "token", "")
        for player, seat in match.seats.items():
            if _opens(seat, token):
                if not seat.is_taken:
                    with bad_input():
                        match.sit(player, read_text(body, "name", "").strip()[:MAX_NAME])
                answer = to_json({"id": match.id})
                old = request.cookies.get(f"masume-{match.id}", "").split(".")
                tokens = dict.fromkeys(filter(None, [*old, seat.token]))  # each once: it may sit down again and again
                _set_cookie(answer, f"masume-{match.id}", ".".join(tokens))
                return answer
        raise HTTPException(410, _("this invitation has been used"))

    async def _take(self, request: Request) -> Response:
        """Let the page that asks play its browser's seats: the one opened last."""
        match, body = self._find(request), await read_body(request)
        window = read_text(body, "window")
        if not 8 <= len(window) <= 64:
            raise HTTPException(422, "window: expected 8..64 characters")
        for player in self._owned(request, match):
            match.seats[player].take(window)
        return to_json({})

    async def _draft(self, request: Request) -> Response:
        match, body = self._find(request), await read_body(request)
        player, seat = self._seat(request, match)
        with bad_input():
            question = seat.draft(read_number(body, "ask"), read_steps(body))
        return self._drafted(player, question, language_of(request))

    def _drafted(self, player: int, question: Question, language: str) -> Response:
        head = to_bytes(_ask(question, language))
        frame = draw(question.draft.state, player, language)
        return Response(b'{"ask":' + head + b',"frame":' + frame + b"}", media_type="application/json")

    async def _act(self, request: Request) -> Response:
        match, body = self._find(request), await read_body(request)
        _player, seat = self._seat(request, match)
        nonce = read_text(body, "nonce")
        if seat.answered is not None and seat.answered[0] == nonce:
            return to_json(seat.answered[1])
        with bad_input():
            seat.play(read_number(body, "ask"), read_steps(body), nonce)
        assert seat.answered is not None
        return to_json(seat.answered[1])

    async def _hint(self, request: Request) -> Response:
        """Return what a search of a second would do, as actions of the open question."""
        match, body = self._find(request), await read_body(request)
        player, seat = self._seat(request, match)
        question = seat.question
        if question is None or question.number != read_number(body, "ask"):
            raise HTTPException(409, _("this question is no longer open"))
        view = question.draft.view()
        if view is None:
            raise HTTPException(409, _("the turn is complete"))
        if seat.is_thinking or self._num_hints >= MAX_WAITING:
            raise HTTPException(429, _("a hint is already on its way"))
        seat.is_thinking = True
        self._num_hints += 1
        try:
            async with self._hints:
                answer = await asyncio.to_thread(_search, view, player)
        finally:
            seat.is_thinking = False
            self._num_hints -= 1
        actions = [int(action) for action in answer] if match.game.num_slots > 1 else [int(answer)]
        return to_json({"slots": view.slots, "actions": actions})

    async def _values(self, request: Request) -> Response:
        """Return what a search says of a finished game: [frame, value for player 0] of up to MOST positions."""
        match = self._find(request)
        await read_body(request)
        if not match.is_over or match.game.num_players != 2:
            raise HTTPException(409, _("a search looks at games of two that are over"))
        film = await match.film(self._viewer(request, match), language_of(request))
        task = self._valuing.get(match.id)
        if task is None and not match.values:
            if len(self._valuing) >= MAX_WAITING:
                raise HTTPException(429, _("too much is being searched: try again later"))
            task = self._valuing[match.id] = asyncio.create_task(self._evaluate(match))
            task.add_done_callback(lambda _task: self._valuing.pop(match.id, None))
        if task is not None:
            await asyncio.shield(task)  # it goes on for others if this browser leaves
        frames = [[bisect.bisect_right(film.plies, ply) - 1, value] for ply, value in match.values.items()]
        return to_json({"values": frames})

    async def _evaluate(self, match: Match) -> None:
        found = {}
        for ply, state in values.states_of(match):
            async with self._hints:
                value = await asyncio.to_thread(values.value_of, state, ply)
            if value is not None:
                found[ply] = value
        match.values = found

    async def _press(self, request: Request) -> Response:
        match, body = self._find(request), await read_body(request)
        if not self._is_host(request) and not self._owned(request, match):
            raise HTTPException(403, _("only the host and the players may do this"))
        delay = body.get("delay_ms")
        if delay is not None and (isinstance(delay, bool) or not isinstance(delay, int) or not 0 <= delay <= 60_000):
            raise HTTPException(422, "delay_ms: expected 0..60000")
        with bad_input():
            match.press(read_text(body, "do"), None if delay is None else delay / 1000)
        return to_json({})


# -- parts ---------------------------------------------------------------------------------------------


class _Stream(StreamingResponse):
    """A stream that is counted, and ends with its connection, not when it is collected as garbage."""

    def __init__(self, page: Page, events: AsyncGenerator[bytes, None]) -> None:
        super().__init__(events, media_type="text/event-stream")
        self._page, self._events = page, events

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async with contextlib.aclosing(self._events):
            await super().__call__(scope, receive, send)

    async def stream_response(self, send: Send) -> None:
        """Send the events; a mistake of ours is told, else the page would connect again and again."""
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        self._page.num_streams += 1
        is_more = True
        try:
            while is_more:
                try:
                    event = await anext(self._events)
                except StopAsyncIteration:
                    event, is_more = b"", False
                except Exception as error:
                    report(error)
                    event, is_more = _event("broken", {"text": f"{type(error).__name__}"}), False
                await send({"type": "http.response.body", "body": event, "more_body": is_more})
        finally:
            self._page.num_streams -= 1


def _same(secret: str, given: str) -> bool:
    """Return whether a secret was given, in a time that tells nothing of it."""
    return secrets.compare_digest(secret.encode(), given.encode(errors="replace"))


def _opens(seat: PersonSeat, token: str) -> bool:
    """Return whether a token lets a browser have a seat: the invitation until somebody sits, then the owner's own."""
    return _same(seat.token if seat.is_taken else seat.invitation, token)


def _search(view: View, player: int) -> Any:
    """Return what a search of a second would do."""
    agent = make_agent(HINT, view.game)
    try:
        agent.start(view.game, player, secrets.randbelow(MAX_SEED))
        return agent.act(view)
    finally:
        close_agent(agent)


def _ask(question: Question, language: str) -> dict[str, Any]:
    found = question.draft.to_dict(language)
    told = {"left_ms": question.left_ms, "held": question.is_paused, "version": question.version}
    return {"id": question.number} | told | found


def _constants() -> dict[str, Any]:
    from ..render.pack import constants

    return constants()


def _event(kind: str, data: Any) -> bytes:
    return b"event: %s\ndata: %s\n\n" % (kind.encode(), to_bytes(data))


def _set_cookie(answer: Response, name: str, value: str) -> None:
    answer.set_cookie(name, value, max_age=COOKIE_S, httponly=True, samesite="lax", path="/")


async def _explain(_request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return _refuse(error.status_code, "http", error.detail)


async def _own_up(_request: Request, error: Exception) -> Response:
    if not isinstance(error, ClientDisconnect):
        report(error)
    return _refuse(500, "server", f"internal server error: {type(error).__name__}")
