"""Lessons on the page: how one begins, its hint, and its solution.

Neither hint nor solution is sent before somebody asks for it. A lesson that is shown is a match that is over: its
solution was played when it was asked for.
"""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import Response

from ..core.language import translate as _
from ..errors import ConfigError
from ..http.limits import Turns
from ..http.openapi import Operation, ref
from ..play import lessons
from ..play.lessons import Attempt, Lesson
from ..referee.clock import TimeControl
from ..render.drawing import drawing_of
from .guard import forget, remember
from .holding import Holding
from .match import Match, Playback
from .playing import MAX_NAME
from .requests import bad_input, find_match, read_body, read_text, to_json, viewer_of

if TYPE_CHECKING:
    from .viewer import Viewer


class Teaching:
    """The requests of those who take lessons.

    Parameters
    ----------
    holding : Holding
        The matches.
    searches : Turns
        Those of the searches of the page; opponents of a solution may be one.
    """

    def __init__(self, holding: Holding, searches: Turns) -> None:
        self._holding, self._searches = holding, searches

    def operations(self) -> list[Operation]:
        """Return the addresses."""
        return [
            Operation("POST", "/api/lesson", self._begin, "Begin a lesson", ref("Id"), ref("NewLesson")),
            Operation("POST", "/api/lesson/show", self._show, "See a solution", ref("Id"), ref("NewLesson")),
            Operation("POST", "/api/m/{id}/clue", self._clue, "Get the hint of a lesson", ref("Clue"), ref("Nothing")),
        ]

    async def _begin(self, request: Request) -> Response:
        """Begin a lesson."""
        body, viewer = await read_body(request), viewer_of(request)
        with bad_input():
            attempt, left = _read_attempt(body), self._find_left(viewer, body)
            lesson, game = attempt.lesson, attempt.game
            name = read_text(body, "name", "").strip()[:MAX_NAME] or _("player")
            seats = _names_of(attempt)
            seats[lesson.side] = "me"
            names = [name if player == lesson.side else "" for player in range(game.num_players)]
            recipe = {"game": game.name, "lesson": lesson.name}
            control = TimeControl()
            match = self._holding.play(game, seats, names, lesson.seed, control, recipe, viewer.share, attempt)
        return self._hand_over(viewer, match, left)

    async def _show(self, request: Request) -> Response:
        """Play the solution of a lesson, and return the match, which is over."""
        body, viewer = await read_body(request), viewer_of(request)
        with bad_input():
            attempt, left = _read_attempt(body), self._find_left(viewer, body)
        game, lesson = attempt.game, attempt.lesson
        async with self._searches.turn(viewer.share):
            moves = await asyncio.to_thread(_solution, game.name, lesson.name)
        match = Match(game, lesson.seed, _names_of(attempt), Playback(), attempt=attempt)
        match.is_shown = True
        match.recipe = {"game": game.name, "lesson": lesson.name}
        match.make_seat(lesson.side, match.names[lesson.side]).sit_down("")
        match.advance(moves, match.names, match.left_ms)
        match.finish_lesson()
        self._holding.gallery.add(match)
        return self._hand_over(viewer, match, left)

    def _find_left(self, viewer: Viewer, body: Mapping[str, Any]) -> Match | None:
        """Return the lesson of this browser that the new one takes the place of; None: none."""
        match = self._holding.gallery.found.get(read_text(body, "instead", ""))
        return match if match is not None and match.attempt is not None and viewer.seats_of(match) else None

    def _hand_over(self, viewer: Viewer, match: Match, left: Match | None) -> Response:
        """Return the answer that tells of a match and gives the browser its seat; end the one that is left."""
        answer = to_json({"id": match.id})
        remember(viewer, answer, match.id, ".".join(seat.token for seat in match.seats.values()))
        if left is not None and left.id in self._holding.gallery.found:
            self._holding.leave(left)
            forget(viewer, answer, left.id)
        return answer

    async def _clue(self, request: Request) -> Response:
        """Return the hint of a lesson."""
        await read_body(request)
        match, viewer = find_match(request, self._holding), viewer_of(request)
        viewer.seat_of(match)
        with bad_input():
            lesson = _lesson_of(match)
        return to_json({"text": _(lesson.hint)})


def _lesson_of(match: Match) -> Lesson:
    """Return the lesson of a match; ConfigError if it is none."""
    if match.attempt is None:
        raise ConfigError(_("this match is no lesson"))
    return match.attempt.lesson


def _read_attempt(body: Mapping[str, Any]) -> Attempt:
    """Return the lesson that is asked for, at its beginning; ConfigError if there is none."""
    game = read_text(body, "game")
    lesson = lessons.find_lesson(game, read_text(body, "lesson"))
    return Attempt(lesson, lessons.game_of(game, lesson))


def _names_of(attempt: Attempt) -> list[str]:
    """Return what the players of a lesson are called."""
    state = attempt.steps[0].state
    return [_(name) for name in drawing_of(state).scene(state).players]


@functools.lru_cache(maxsize=256)
def _solution(game: str, name: str) -> list[Any]:
    """Return the moves of the solution of a lesson, with those of its opponents."""
    lesson = lessons.find_lesson(game, name)
    return [step.move for step in lessons.solve(lesson, lessons.game_of(game, lesson)).steps[1:]]
