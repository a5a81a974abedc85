"""Engine and reference of every game compared over random games, as tests/campaign.py does it at any length."""

import pytest

import campaign
import cases

CHUNKS = 15
GAMES = cases.find("campaign")


@pytest.mark.parametrize("chunk", range(CHUNKS))
@pytest.mark.parametrize("name", GAMES)
def test_random_games_are_the_same_on_engine_and_reference(name, chunk):
    """All that both say after each decision; `play` raises at the first difference."""
    game = GAMES[name]
    assert sum(map(game.play, range(chunk, game.TEST_GAMES, CHUNKS))) > 0


@pytest.mark.slow
@pytest.mark.parametrize("name", GAMES)
def test_many_random_games_are_the_same_on_engine_and_reference(name):
    last = 1_000_000 + GAMES[name].SLOW_GAMES
    assert [games for games, _ in campaign.play(name, 1_000_000, last, jobs=2)][-1] == GAMES[name].SLOW_GAMES
