"""Playing a match: how it begins, who sits down, drafts and moves, hints, and its pace."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from ..agent import View
from ..agents.asking import close_agent
from ..agents.make import make_agent
from ..core.language import translate as _
from ..core.shapes import Int, Maybe, read
from ..errors import ConfigError
from ..http.connections import MAX_BODY
from ..http.limits import Turns
from ..http.openapi import Operation, ref
from ..referee.clock import TimeControl
from .films import draw, to_bytes
from .guard import forget, remember
from .holding import PEOPLE, Holding
from .match import Phase
from .offers import HINT, game_of, offer
from .people import Stale
from .rematch import GO, NO, WAYS, YES, Rematch, rematch_of
from .requests import bad_input, find_match, read_body, read_number, read_steps, read_text, to_json, viewer_of

if TYPE_CHECKING:
    from .match import Match
    from .viewer import Viewer

    Body = Mapping[str, Any]

MAX_DRAFTS = 1000  # that are changed or wait
DRAFT_S = 1.0  # until somebody whose draft could not be changed tries again
MAX_SEED = 2**32 - 1
MAX_NAME = 40
RECIPE = ("game", "start", "variant", "text", "seats", "clock", "name", "ready")  # what a rematch asks for again


class Playing:
    """The requests of those who play.

    Parameters
    ----------
    holding : Holding
        The matches.
    searches : Turns
        Those of the searches of the page.
    """

    def __init__(self, holding: Holding, searches: Turns) -> None:
        self._holding, self._searches = holding, searches
        self._drafts = Turns(1, MAX_DRAFTS, DRAFT_S)

    def operations(self) -> list[Operation]:
        """Return the addresses."""
        play = Operation("POST", "/api/play", self._begin, "Begin a match", ref("Id"), ref("NewMatch"))
        return [play] + [
            Operation("POST", f"/api/m/{{id}}/{word}", self._endpoint(answer), summary, ref(found), ref(body))
            for word, answer, summary, found, body in (
                ("sit", self._sit, "Take a seat", "Id", "Sit"),
                ("name", self._rename, "Change one's name", "Nothing", "Name"),
                ("take", self._take, "Play in this window", "Nothing", "Take"),
                ("next", self._go_on, "Ask or answer what is played next", "Id", "Next"),
                ("draft", self._draft, "Plan a turn", "Drafted", "Steps"),
                ("act", self._act, "Play a turn", "Acted", "Play"),
                ("hint", self._hint, "Get a hint", "Hint", "Hinted"),
                ("host", self._press, "Start, pause or pace a match", "Nothing", "Press"),
            )
        ]

    def _endpoint(self, answer: Callable[[Match, Viewer, Body], Awaitable[Response]]) -> Any:
        """Return what answers a request about a match."""

        async def endpoint(request: Request) -> Response:
            body, viewer = await read_body(request), viewer_of(request)
            return await answer(find_match(request, self._holding), viewer, body)

        return endpoint

    async def _begin(self, request: Request) -> Response:
        """Begin a match against agents or other people."""
        body = await read_body(request)
        with bad_input():
            text = read_text(body, "text", "", MAX_BODY)
            game = game_of(read_text(body, "game"), read_text(body, "start", ""), read_text(body, "variant", ""), text)
            seats = _read_seats(body, game.num_players, offer(game.name)["levels"])
            clock = TimeControl.parse(read_text(body, "clock", "none"))
            read("ready", body.get("ready", False), bool)
            instead = self._find_own(read_text(body, "instead", ""), viewer_of(request))
            seed = read("seed", body.get("seed", secrets.randbelow(MAX_SEED)), Int(0, MAX_SEED))
            me = read_text(body, "name", "").strip()[:MAX_NAME] or _("player")
            names = [me if seat == "me" else _("guest") if seat == "guest" else "" for seat in seats]
            recipe = {key: body[key] for key in RECIPE if key in body}
            match = self._holding.play(game, seats, names, seed, clock, recipe, viewer_of(request).share)
        answer = to_json({"id": match.id})
        if instead is not None:
            self._holding.leave(instead)
            forget(viewer_of(request), answer, instead.id)
        tokens = [seat.token for player, seat in match.seats.items() if seats[player] == "me"]
        remember(viewer_of(request), answer, match.id, ".".join(tokens))
        return answer

    def _find_own(self, name: str, viewer: Viewer) -> Match | None:
        """Return a running match in which nobody but this viewer plays, in whose place another one begins; "": None."""
        if not name:
            return None
        match = self._holding.find(name, viewer.share)
        if match is None or match.is_over or not match.seats or len(viewer.seats_of(match)) < len(match.seats):
            raise HTTPException(403, _("only a match in which nobody else plays can be begun anew"))
        return match

    async def _sit(self, match: Match, viewer: Viewer, body: Body) -> Response:
        """Take the seat of an invitation."""
        token = read_text(body, "token", "")
        for player, seat in match.seats.items():
            if seat.opens_to(token):
                if not seat.is_taken:
                    with bad_input():
                        match.sit(player, read_text(body, "name", "").strip()[:MAX_NAME])
                answer = to_json({"id": match.id})
                known = filter(None, viewer.tokens.get(match.id, ()))
                tokens = dict.fromkeys([*known, seat.token])  # each once: it may sit down again and again
                remember(viewer, answer, match.id, ".".join(tokens))
                return answer
        raise HTTPException(410, _("this invitation has been used"))

    async def _take(self, match: Match, viewer: Viewer, body: Body) -> Response:
        """Let the page that asks play its browser's seats: the one opened last."""
        window = read_text(body, "window")
        if not 8 <= len(window) <= 64:
            raise HTTPException(422, "window: expected 8..64 characters")
        is_back = read("back", body.get("back", False), bool)
        for player in viewer.seats_of(match):
            if not is_back or not match.seats[player].window:
                match.seats[player].take(window)
        return to_json({})

    async def _rename(self, match: Match, viewer: Viewer, body: Body) -> Response:
        """Give the person of this browser another name, before the match begins."""
        name = read_text(body, "name").strip()[:MAX_NAME]
        player, _seat = viewer.seat_of(match)
        if match.phase is not Phase.WAITING:
            raise HTTPException(409, _("the names stand once the match has begun"))
        with bad_input():
            match.rename(player, name or _("player"))
        return to_json({})

    async def _go_on(self, match: Match, viewer: Viewer, body: Body) -> Response:
        """Ask or answer what is played next; return the id of the next match, if all have agreed."""
        players, rematch = viewer.seats_of(match), rematch_of(match)
        do, number = read_text(body, "do"), read_number(body, "number")
        if not players:
            raise HTTPException(403, _("this seat is not yours"))
        if rematch is None:
            raise HTTPException(409, _("this is asked when several people have played to the end"))
        if rematch.found and do != GO:
            raise HTTPException(409, _("the next game has begun"))
        with bad_input():
            self._answer(match, rematch, players, do, number, viewer.share)
        match.note()
        answer = to_json({"id": rematch.found})
        found = self._holding.find(rematch.found, viewer.share) if rematch.found else None
        if found is not None:
            tokens = [found.seats[rematch.seats[player]].token for player in players]
            remember(viewer, answer, found.id, ".".join(tokens))
        return answer

    def _answer(
        self, match: Match, rematch: Rematch, players: list[int], do: str, number: int, share: str | None
    ) -> None:
        if do == GO:
            return
        if do not in (YES, NO, *WAYS):
            raise ConfigError(f"do: expected {', '.join((*WAYS, YES, NO, GO))}, got {do!r:.60}")
        if number != rematch.number:
            raise Stale(_("this question is no longer open"))
        if do == YES:
            rematch.agree(players, match, self._holding, share)
        elif do == NO:
            rematch.refuse(players)
        else:
            rematch.ask(players, do, match, self._holding, share)

    @contextlib.asynccontextmanager
    async def _my_turn(self, viewer: Viewer) -> AsyncGenerator[None, None]:
        """Try steps within the block, one browser after the other, and others between."""
        async with self._drafts.turn(viewer.share):
            await asyncio.sleep(0)
            with bad_input():
                yield

    async def _draft(self, match: Match, viewer: Viewer, body: Body) -> Response:
        """Change the draft of a turn; return it, with its board."""
        player, seat = viewer.seat_of(match)
        async with self._my_turn(viewer):
            question = seat.draft(read_number(body, "ask"), read_steps(body))
        head = to_bytes(question.to_dict(viewer.language))
        frame = draw(question.draft.state, player, viewer.language)
        return Response(b'{"ask":' + head + b',"frame":' + frame + b"}", media_type="application/json")

    async def _act(self, match: Match, viewer: Viewer, body: Body) -> Response:
        """Play the draft of a turn."""
        _player, seat = viewer.seat_of(match)
        nonce = read_text(body, "nonce")
        async with self._my_turn(viewer):
            if seat.answered is None or seat.answered[0] != nonce:
                seat.play(read_number(body, "ask"), read_steps(body), nonce)
        assert seat.answered is not None
        return to_json(seat.answered[1])

    async def _hint(self, match: Match, viewer: Viewer, body: Body) -> Response:
        """Return what a search of a second would do, as actions of the open question."""
        player, seat = viewer.seat_of(match)
        question = seat.question
        if question is None or question.number != read_number(body, "ask"):
            raise HTTPException(409, _("this question is no longer open"))
        view = question.draft.view()
        if view is None:
            raise HTTPException(409, _("the turn is complete"))
        if seat.is_thinking:
            raise HTTPException(429, _("a hint is already on its way"))
        seat.is_thinking = True
        try:
            async with self._searches.turn(viewer.share):
                answer = await asyncio.to_thread(_search, view, player)
        finally:
            seat.is_thinking = False
        actions = [int(action) for action in answer] if match.game.num_slots > 1 else [int(answer)]
        return to_json({"slots": view.slots, "actions": actions})

    async def _press(self, match: Match, viewer: Viewer, body: Body) -> Response:
        """Start, pause, resume or pace a match."""
        if not viewer.may_press(match):
            raise HTTPException(403, _("only the host and the players may do this"))
        with bad_input():
            delay_ms = read("delay_ms", body.get("delay_ms"), Maybe(Int(0, 60_000)))
            match.press(read_text(body, "do"), None if delay_ms is None else delay_ms / 1000)
        return to_json({})


def _read_seats(body: Body, num_players: int, levels: list[str]) -> list[str]:
    """Return who is to sit where: "me", "guest" or the name of an agent, by player."""
    seats = body.get("seats")
    if not isinstance(seats, list) or len(seats) != num_players:
        raise ConfigError(f"seats: expected a list of {num_players}")
    for seat in seats:
        if seat not in (*PEOPLE, *levels):
            raise ConfigError(f"seats: expected me, guest or one of {', '.join(levels)}, got {seat!r:.60}")
    if not any(seat in PEOPLE for seat in seats):
        raise ConfigError("seats: expected a person in one of them")
    return seats


def _search(view: View, player: int) -> Any:
    """Return what a search of a second would do, or the agent that the game names for hints."""
    agent = make_agent(getattr(view.game.part("people"), "HINT", HINT), view.game)
    try:
        agent.start(view.game, player, secrets.randbelow(MAX_SEED))
        return agent.act(view)
    finally:
        close_agent(agent)
