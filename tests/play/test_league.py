"""A league draws members by its weights and counts results."""

import pytest

import masume
from masume.play.league import League


def test_prioritised_weights_follow_the_scores():
    league = League({"a": "random", "b": "random"}, power=1)
    assert [row.weight for row in league.table()] == [0.5, 0.5]
    for result in (1.0, 1.0, 0.0, -1.0, -0.5):
        league.tell("a", result)
    first, second = league.table()
    assert first[:6] == ("a", 5, 2, 1, 2, 3.5 / 7)
    assert (second.score, second.weight) == (0.5, 0.5)
    for _ in range(5):
        league.tell("b", -1.0)
    first, second = league.table()
    assert second.weight == pytest.approx((6 / 7) / (6 / 7 + 1 / 2))
    drawn = [league.draw() for _ in range(1000)]
    assert 550 < drawn.count("b") < 710


def test_latest_uniform_and_schedules():
    members = {"a": "random", "b": "random", "c": "random"}
    league = League(members, method="latest")
    assert {league.draw() for _ in range(20)} == {"c"}
    league.add("d", "random")
    assert {league.draw() for _ in range(20)} == {"d"}
    assert {League(members, method="uniform", seed=k).draw() for k in range(40)} == set(members)

    def after_three(rows):
        return [1, 0, 0] if sum(row.games for row in rows) < 3 else [0, 1, 1]

    league = League(members, method=after_three)
    assert league.draw() == "a"
    for _ in range(3):
        league.tell("a", 0.0)
    assert league.draw() in ("b", "c")


def test_a_seed_decides_the_draws():
    draws = [[league.draw() for _ in range(30)] for league in (League({"a": "x", "b": "y"}, seed=4) for _ in range(2))]
    assert draws[0] == draws[1]


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ({}, {}, "members"), ({"a": 3}, {}, r"members\['a'\]"), ({"a": "x"}, {"method": "best"}, "method"),
        ({"a": "x"}, {"power": -1}, "power"), ({"a": "x"}, {"seed": -1}, "seed"),
    ],
)  # fmt: skip
def test_bad_arguments_are_named(arguments, options, message):
    with pytest.raises(masume.ConfigError, match=message):
        League(arguments, **options)


@pytest.mark.parametrize("weights", [[1], [-1, 2], [0, 0], [float("nan"), 1]])
def test_a_schedule_that_returns_no_weights_is_an_error(weights):
    with pytest.raises(masume.ConfigError, match="method: expected 2 weights"):
        League({"a": "x", "b": "y"}, method=lambda rows: weights).draw()


def test_bad_calls_are_named():
    league = League({"a": "x"})
    for name, result, message in (("z", 0.0, "name"), ("a", 2.0, "result")):
        with pytest.raises(masume.ConfigError, match=message):
            league.tell(name, result)
    with pytest.raises(masume.ConfigError, match="name: expected a new name"):
        league.add("a", "y")
