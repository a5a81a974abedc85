"""JSON lines: whole games over stdin and stdout and over TCP, every message and error, and programs that misbehave."""

import asyncio
import shlex
import sys
from pathlib import Path

import pytest

import masume
from masume.referee import match
from masume.referee.seats import make_seat

HERE = Path(__file__).parent
BOT = f"{shlex.quote(sys.executable)} {shlex.quote(str(HERE.parent / 'examples' / 'bots' / 'random_bot.py'))}"
SMALL = {
    "battleship": {"preset": "classic"},
    "chaser": {"turn_limit": 9},
    "kakomimasu": {"width": 5, "height": 4, "n_agents": 2, "total_turns": 6},
    "terraforming": {"radius": 2, "max_turns": 5},
}


def played(game, specs, seed=3, control=None, retries=0, count=1, said=None):
    """The records of so many matches between these."""

    async def run():
        seats = [make_seat(spec, game, retries, (said or []).append) for spec in specs]
        try:
            return [await match.play(game, seats, seed, control) for _ in range(count)]
        finally:
            await asyncio.gather(*(seat.close() for seat in seats))

    return asyncio.run(run())


@pytest.mark.parametrize("name", masume.games())
def test_every_game_is_played_to_the_end(name):
    game = masume.load(name, **SMALL.get(name, {}))
    specs = [f"json:{BOT}", *["random"] * (game.num_players - 1)]
    for record in played(game, specs, count=2):
        assert record.faults == []
        assert record.replay.names[0] == "random bot"
        assert [*record.replay.states()][-1].is_terminal()
