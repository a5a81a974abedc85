"""Courses: what the scores of a game say of it."""

import pytest

from masume.core import registry
from masume.records import replay
from masume.records.course import Course


def judge(returns, *scores):
    course = Course(len(returns))
    for one in scores:
        course.take(one)
    return [(praise.kind, praise.number) for praise in course.judge(returns)]


WIN = [1.0, -1.0]


@pytest.mark.parametrize(
    ("returns", "scores", "expected"),
    [
        (WIN, [(0, 0), (50, 0), (100, 10)], []),
        (WIN, [(0, 0), (50, 40), (100, 95)], [("close", 5)]),
        (WIN, [(0, 0), (50, 40), (100, 94)], []),
        (WIN, [(0, 0), (3, 2)], [("close", 1)]),
        (WIN, [(0, 0), (4, 2)], []),
        (WIN, [(0, 0), (9, 20), (10, 20)], [("fewer", 0)]),
        (WIN, [(0, 0), (0, 30), (100, 30)], [("back", 30)]),
        (WIN, [(0, 0), (0, 25), (100, 30)], []),
        ([0.0, 0.0], [(0, 0), (4, 0), (4, 4)], [("draw", 0)]),
        ([0.0, 0.0], [(0, 0), (0, 0)], []),  # nothing happened
        (WIN, [(0, 0), (10, 0), (10, 20), (30, 20), (90, 20)], [("leads", 2)]),
        (WIN, [(0, 0), (10, 0), (10, 10), (20, 10), (90, 10)], []),  # nobody led between
        ([-1.0, -1.0, 1.0], [(0, 0, 0), (16, 12, 17)], [("close", 1)]),
        ([1.0, 1.0, -1.0, -1.0], [(0, 0, 0, 0), (30, 50, 10, 9)], []),  # a team
    ],
)
def test_a_game_is_praised_for_what_its_scores_show(returns, scores, expected):
    assert judge(returns, *scores) == expected


def test_negative_scores_count_by_their_size():
    assert judge(WIN, (0, 0), (-40, 40), (-2, 2), (2, -2)) == [("back", 80)]


def test_the_most_important_comes_first():
    course = Course(2)
    for scores in [(0, 0), (1, 0), (1, 2), (3, 2), (3, 4), (5, 4)]:
        course.take(scores)
    worths = [praise.worth for praise in course.judge(WIN)]
    assert worths == sorted(worths, reverse=True)
    assert len(worths) > 1


@pytest.mark.parametrize("name", sorted(registry.recorded()))
def test_the_games_that_ship_are_worth_watching(name):
    one = replay.load(registry.recorded()[name])[0]
    course = Course(one.game.num_players)
    for state in one.states():
        course.take(state.scores().tolist())
    assert course.judge(one.returns)
