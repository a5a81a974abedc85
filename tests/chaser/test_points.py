"""The contests' points, as their table writes them."""

from types import SimpleNamespace

import numpy as np

import masume
from masume.chaser import notation
from masume.chaser.points import exchange, official

FIELD = np.array([0, 3, 3, 3, 0, 2])  # three items are left


def state(winner, reason, items=(3, 2), turns_left=20):
    return SimpleNamespace(
        items=np.array(items), cells=FIELD, winner=winner, reason=notation.REASONS.index(reason), turns_left=turns_left
    )


def parts(*values):
    return [dict(zip(("items", "blow", "sweep"), one, strict=True)) for one in values]


def test_a_block_on_the_opponent_and_enclosing_it_are_blows():
    for reason in ("ATTACK", "TRAPPED"):
        assert official(state(0, reason)) == parts((30, 50, 18), (20, 0, 0))
        assert official(state(1, reason)) == parts((30, 0, 0), (20, 50, 18))


def test_whose_own_fault_it_was_loses_three_for_each_item():
    for reason in ("COLLISION", "CONFINED", "FOUL"):
        assert official(state(1, reason)) == parts((30, -9, 0), (20, 0, 18))


def test_more_items_win_the_sweep_and_a_draw_wins_nothing():
    assert official(state(0, "SCORE", turns_left=0)) == parts((30, 0, 18), (20, 0, 0))
    assert official(state(2, "SCORE", (2, 2), 0)) == parts((20, 0, 0), (20, 0, 0))


def test_the_exchange_contest_counts_turns_left():
    assert exchange(state(0, "ATTACK")) == [{"items": 9, "turns": 20}, {"items": 6, "turns": -20}]
    assert exchange(state(1, "FOUL")) == [{"items": 9, "turns": -20}, {"items": 6, "turns": 20}]
    assert exchange(state(2, "SCORE", (2, 2), 0)) == [{"items": 6, "turns": 0}] * 2


def test_a_played_game_is_counted():
    game = masume.load("chaser", height=4, width=6, turn_limit=30, n_blocks=0, n_items=0)
    one = game.parse(".....*\n..CH..\n......\n......\n")
    one.apply(notation.CODES.index("pr"))
    assert (one.winner, official(one)) == (0, parts((0, 50, 6), (0, 0, 0)))
    assert exchange(one) == [{"items": 0, "turns": one.turns_left}, {"items": 0, "turns": -one.turns_left}]
    other = game.parse(".....*\n..CH..\n......\n......\n")
    other.forfeit(0, "FOUL")
    assert official(other) == parts((0, 0, 0), (0, 0, 6))
