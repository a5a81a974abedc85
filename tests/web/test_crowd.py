"""Five hundred people watch one match: each gets every frame, and the memory of the server stays small."""

import asyncio
import json
import tracemalloc
import types

import pytest

pytest.importorskip("starlette", reason="starlette is not installed")
pytest.importorskip("uvicorn", reason="uvicorn is not installed")

from masume.agents.make import make_agent
from masume.http.front import Front
from masume.play.driver import play_game
from masume.web.app import Page
from masume.web.gallery import Gallery
from masume.web.match import Match, Playback
from masume.web.offers import game_of

SPECTATORS = 500
STUCK = 50  # of them never read
MAX_BYTES = 64_000  # for each spectator


class Spectator:
    """A stream of a page, called without a network; `is_stuck` viewers take the first piece and no more."""

    def __init__(self, is_stuck):
        self.is_stuck, self.numbers, self.ended = is_stuck, [], asyncio.Event()
        self.first = asyncio.Event()

    async def receive(self):
        await asyncio.Event().wait()

    async def send(self, message):
        for line in message.get("body", b"").split(b"\n"):
            if line.startswith(b"data: ") and b'"n":' in line:
                self.numbers.append(json.loads(line[6:])["n"])
        if message.get("body"):
            self.first.set()
            if self.is_stuck:
                await asyncio.Event().wait()


@pytest.mark.slow
def test_every_stream_gets_every_frame_in_bounded_memory():
    game = game_of("kakomimasu", "", "")
    one = play_game(game, [make_agent("random", game) for _ in range(2)], 1).to_replay(1, ["a", "b"])

    async def run():
        gallery = Gallery()
        match = gallery.add(Match(game, 1, ["a", "b"], Playback()))
        page = Page(gallery, Front())
        scope = {
            "type": "http", "method": "GET", "path": f"/api/m/{match.id}/events", "query_string": b"",
            "headers": [(b"host", b"localhost")], "asgi": {"spec_version": "2.4"},
            "scheme": "http", "root_path": "", "connection": types.SimpleNamespace(address="192.0.2.1"),
        }  # fmt: skip
        crowd = [Spectator(n < STUCK) for n in range(SPECTATORS)]
        tracemalloc.start()
        tasks = [asyncio.create_task(page(dict(scope), viewer.receive, viewer.send)) for viewer in crowd]
        for viewer in crowd:
            await viewer.first.wait()
        assert page.streams.count == SPECTATORS
        for number, move in enumerate(one.moves):
            match.advance([move], ["a", "b"], [None, None])
            while any(spectator.numbers[-1] <= number for spectator in crowd[STUCK:]):
                await asyncio.sleep(0)
        used = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        match.finish(one)
        await asyncio.gather(*tasks[STUCK:])
        assert page.streams.count == STUCK
        for task in tasks[:STUCK]:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert page.streams.count == 0
        for spectator in crowd[STUCK:]:
            assert spectator.numbers == list(range(len(one.moves) + 1))
        assert all(spectator.numbers == [0] for spectator in crowd[:STUCK])
        assert used < SPECTATORS * MAX_BYTES

    asyncio.run(run())
