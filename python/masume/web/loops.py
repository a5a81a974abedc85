"""Loops: a few frames of a good game of each game, which move on its card in the lobby."""

from __future__ import annotations

import asyncio
import functools
import gzip
import json
from collections.abc import Sequence
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from ..agents.make import make_agent
from ..core import registry
from ..http.openapi import Operation, ref
from ..play.driver import play_game
from ..play.menu import first_board
from ..records import replay
from ..records.replay import Replay
from .films import Film, to_bytes
from .offers import game_of
from .requests import find_game, to_answer, viewer_of

LENGTH = 12  # frames
MADE = "random"  # plays the game of which none is recorded
SEED = 1


class Loops:
    """The requests for loops, each made once in a language."""

    def operations(self) -> list[Operation]:
        """Return the address."""
        return [Operation("GET", "/api/loop/{game}", self._loop, "See a game move", ref("Loop"))]

    async def _loop(self, request: Request) -> Response:
        name, language = find_game(request), viewer_of(request).language
        data, packed = await asyncio.to_thread(loop_of, name, language)
        return to_answer(request, data, "application/json", packed)


@functools.lru_cache(maxsize=64)
def loop_of(name: str, language: str) -> tuple[bytes, bytes]:
    """Return the liveliest frames of a good game as JSON, {scene, frames}, the first whole; and the same by gzip."""
    game = recorded_game(name)
    start = next(game.states())
    film = Film(start, None, language)
    wholes, lively = [film.whole()], [0]
    for _move in game.moves:
        count = len(film.frames)
        film.follow(game.moves, 1)
        for frame in map(json.loads, film.frames[count:]):
            wholes.append(film.whole())
            lively.append(_liveliness(frame))
    length = min(LENGTH, len(wholes))
    first = max(range(len(wholes) - length + 1), key=lambda at: (sum(lively[at : at + length]), at))
    frames = [json.loads(wholes[first]), *map(json.loads, film.frames[first + 1 : first + length])]
    for frame in frames:
        frame.pop("log", None)
    data = to_bytes({"scene": film.scene, "frames": frames})
    return data, gzip.compress(data)


def _liveliness(frame: dict[str, Any]) -> int:
    """Return how much changes in a frame."""
    return len(frame.get("cells", ())) + 2 * len(frame.get("places", ())) + 4 * len(frame.get("scores", ()))


def recorded_game(name: str) -> Replay:
    """Return a good game that ships with a game, or one that chance plays on its first board."""
    path = registry.recorded().get(name)
    if path is not None:
        return replay.load(path)[0]
    board = first_board(name)
    game = game_of(name, board.start, board.variant)
    agents = [make_agent(MADE, game) for _player in range(game.num_players)]
    return play_game(game, agents, SEED).to_replay(SEED, _names(game.num_players))


def _names(count: int) -> Sequence[str]:
    return [str(player) for player in range(count)]
