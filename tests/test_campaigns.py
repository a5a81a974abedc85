"""Compare engine and reference of every game over random games; tests/campaign.py does so for any number of games."""

import pytest

import campaign
import cases

CHUNKS = 15
GAMES = cases.find("campaign")


def split(chunk):
    """Return the parameter of a chunk: `make test` plays every other one of them, `make slow` the rest."""
    return pytest.param(chunk, marks=[pytest.mark.slow] if chunk % 2 else [])


@pytest.mark.parametrize("chunk", [*map(split, range(CHUNKS))])
@pytest.mark.parametrize("name", GAMES)
def test_random_games_are_the_same_on_engine_and_reference(name, chunk):
    """Compare everything that both report after each decision; `play` raises at the first difference."""
    game = GAMES[name]
    assert sum(map(game.play, range(chunk, game.TEST_GAMES, CHUNKS))) > 0


@pytest.mark.slow
@pytest.mark.parametrize("half", [0, pytest.param(1, marks=pytest.mark.nightly)])
@pytest.mark.parametrize("name", GAMES)
def test_many_random_games_are_the_same_on_engine_and_reference(name, half):
    """`make slow` plays half of SLOW_GAMES games that the test above does not, `make nightly` the other half too."""
    count = GAMES[name].SLOW_GAMES // 2
    first = 1_000_000 + half * count
    assert [games for games, _ in campaign.play(name, first, first + count, jobs=2)][-1] == count
