"""Exhibitions: games of agents that visitors start in order to watch."""

from __future__ import annotations

import secrets
import time
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import Response

from ..core.language import translate as _
from ..http.limits import FullError
from ..http.openapi import Operation, ref
from .holding import Holding
from .match import Phase
from .offers import game_of, offer
from .requests import bad_input, read_body, read_text, to_json, viewer_of
from .viewer import HiddenError, Viewer

if TYPE_CHECKING:
    from ..game import Game
    from .match import Match

MOST = 2  # that are played at the same time
ALONE_S = 10.0  # one that nobody has watched for so long makes room for others
RETRY_S = 60.0  # until somebody for whom there was no room tries again
DELAY_S = 0.8  # between two turns
MAX_SEED = 2**32 - 1


class Exhibitions:
    """The request for a game to watch.

    Parameters
    ----------
    holding : Holding
        Where they are played.
    has_contest : bool
        Whether a contest is held here, whose programs need the machine.
    """

    def __init__(self, holding: Holding, has_contest: bool) -> None:
        self._holding, self._has_contest = holding, has_contest
        self._played: list[Match] = []

    def operations(self) -> list[Operation]:
        """Return the address."""
        return [Operation("POST", "/api/watch", self._watch, "Watch a game", ref("Id"), ref("NewShow"))]

    async def _watch(self, request: Request) -> Response:
        """Return the newest running match of a game that this viewer may watch; without one, begin one of agents."""
        body = await read_body(request)
        with bad_input():
            name = read_text(body, "game")
            game = game_of(name, "", "")
            match = self._find(name, viewer_of(request)) or self._begin(game)
        return to_json({"id": match.id})

    def _find(self, name: str, viewer: Viewer) -> Match | None:
        for match in self._holding.gallery.listed():
            is_played = match.is_open or (match.phase is Phase.RUNNING and bool(match.listeners))
            if (
                match.game.name == name
                and is_played
                and not match.is_over
                and not viewer.seats_of(match)
                and may_see(viewer, match)
            ):
                return match
        return None

    def _begin(self, game: Game) -> Match:
        """Begin a game between the two strongest levels; FullError if there is no room."""
        if self._has_contest:
            raise FullError(_("a contest is held here: games of agents are not played beside it"), RETRY_S)
        found = self._holding.gallery.found
        self._played = [match for match in self._played if match.id in found and not match.is_over]
        if len(self._played) >= MOST:
            until = time.monotonic() - ALONE_S
            left = [match for match in self._played if not match.listeners and match.listeners.left_at <= until]
            if not left:
                raise FullError(_("two games of agents are being played: watch one of them"), RETRY_S)
            self._played.remove(left[0])
            self._holding.leave(left[0])
        offered = offer(game.name)
        best = offered["levels"][-2:]
        seats = [best[-1 - player % len(best)] for player in range(game.num_players)]
        names = [offered["called"][seat][0] for seat in seats]
        match = self._holding.exhibit(game, seats, names, secrets.randbelow(MAX_SEED), DELAY_S)
        self._played.append(match)
        return match


def may_see(viewer: Viewer, match: Match) -> bool:
    """Return whether a viewer may see a board of a match now."""
    try:
        viewer.eyes_for(match)
    except HiddenError:
        return False
    return True
