"""Engine and reference compared over random games, as tests/campaign.py does it at any length."""

import pytest

import campaign
from chaser.campaign import play

CHUNKS = 15


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_random_games_are_the_same_on_engine_and_reference(chunk):
    """300 games: positions, infos, information states, observations, errors, and samples against D1 to D10."""
    for seed in range(chunk * 20, chunk * 20 + 20):
        play(seed)


@pytest.mark.slow
def test_many_random_games_are_the_same_on_engine_and_reference():
    for _ in campaign.played("chaser", 1_000_000, 1_003_000, jobs=2):
        pass
