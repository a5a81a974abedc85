"""Ratings: estimates from games, their intervals, and the decision to stop."""

import sys

import numpy as np
import pytest

from masume.core.rng import Rng
from masume.errors import ConfigError
from masume.play import ratings
from masume.play.ratings import RatedGame, score_interval

pytest.importorskip("choix")
pytest.importorskip("openskill")


def series(strengths, games, seed):
    """Play games of two among agents whose odds follow from their strengths (in Elo)."""
    rng = Rng(seed)
    played = []
    for n in range(games):
        i = n % len(strengths)
        j = (i + 1 + n // len(strengths) % (len(strengths) - 1)) % len(strengths)
        chance = 1 / (1 + 10 ** ((strengths[j] - strengths[i]) / 400))
        won = rng.below(10**6) < chance * 10**6
        played.append(RatedGame((i, j), (1.0, -1.0) if won else (-1.0, 1.0)))
    return played


def test_wins_count_every_pair_of_different_agents():
    table = ratings.wins([RatedGame((0, 1, 1), (1, -1, 0)), RatedGame((1, 0, 2), (0, 0, 0))], 3)
    assert table.tolist() == [[0, 2.5, 0.5], [0.5, 0, 0.5], [0.5, 0.5, 0]]


def test_ratings_find_the_strengths_that_made_the_games():
    strengths = np.array([-200.0, 0.0, 50.0, 150.0])
    inside = 0
    for seed in range(20):
        found = ratings.ratings(series(strengths, 600, seed), 4)
        inside += sum(abs(r.elo - s) <= r.interval for r, s in zip(found, strengths, strict=True))
        assert sum(r.elo for r in found) == pytest.approx(0, abs=1e-6)
        assert found[0].skill < found[3].skill
    assert 0.88 <= inside / 80 <= 1  # coverage of the 95 % intervals


def test_who_never_lost_has_a_finite_rating():
    found = ratings.ratings([RatedGame((0, 1), (1, -1))] * 10, 2)
    assert found[0].elo == pytest.approx(-found[1].elo)
    assert 100 < found[0].elo < 1000
    assert found[0].interval > 100


@pytest.mark.parametrize(("agents", "games"), [(2, 1000), (2, 10_000), (10, 300)])
def test_long_series_without_an_upset_are_rated(agents, games):
    """Each agent has won all its games against the next."""
    outcomes = [RatedGame((a, a + 1), (1, -1)) for a in range(agents - 1)]
    found = ratings.ratings(outcomes * games, agents)
    elo = [one.elo for one in found]
    assert elo == sorted(elo, reverse=True)
    assert np.isfinite([*elo, *(one.interval for one in found)]).all()


def test_more_games_make_it_surer():
    few, many = (ratings.ratings(series([0, 100], n, 1), 2)[0] for n in (50, 800))
    assert many.interval < few.interval / 3
    assert many.deviation < few.deviation


def test_score_intervals_are_those_of_wilson():
    mean, low, high = score_interval([1.0] * 8 + [0.0] * 2)
    assert (mean, low, high) == pytest.approx((0.8, 0.4902, 0.9433), abs=1e-4)
    assert score_interval([1.0] * 5)[2] == 1.0
    with pytest.raises(ValueError, match="scores: expected at least one"):
        score_interval([])


@pytest.mark.parametrize(("chance", "verdict"), [(0.75, "above"), (0.45, "below")])
def test_the_test_decides_what_is_far_from_the_bound(chance, verdict):
    decided = []
    for seed in range(40):
        rng, test = Rng(seed), ratings.Test(0.6)
        for _ in range(400):
            test.add(float(rng.below(1000) < 1000 * chance))
            if test.verdict:
                break
        decided.append(test.verdict)
    assert decided.count(verdict) >= 38


def test_the_test_waits_for_more_than_a_few_games():
    test = ratings.Test(0.5)
    for _ in range(4):
        test.add(1.0)
        assert test.verdict is None
    for _ in range(10):
        test.add(1.0)
    assert test.verdict == "above"


@pytest.mark.parametrize("bound", [0, 1, -1, 0.99, float("nan")])
def test_a_bound_is_a_score(bound):
    with pytest.raises(ConfigError, match="stop_at: "):
        ratings.Test(bound)


def test_without_the_extra_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "choix", None)
    with pytest.raises(ConfigError, match=r"^choix is not installed: pip install '\.\[rating\]' in a clone"):
        ratings.ratings([RatedGame((0, 1), (1, -1))], 2)
