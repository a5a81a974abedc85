"""Clocks: the time that a turn may take, and the time left after it."""

import time

import pytest

from masume.errors import ConfigError, ConfigTypeError
from masume.referee.clock import Clock, TimeControl


def after(clock, player, *turns):
    """Return `left_ms` before each turn of that length, and after the last."""
    told = []
    for used in turns:
        clock.start(player)
        told.append(clock.left_ms(player))
        clock.charge(player, used)
    return [*told, clock.left_ms(player)]


def test_without_limits_nothing_runs():
    clock = Clock(TimeControl(), 2)
    assert after(clock, 0, 10**6) == [None, None]
    assert clock.start(0).deadline is None


def test_a_limit_for_each_move_is_there_anew():
    assert after(Clock(TimeControl(move_ms=100), 2), 1, 99, 100, 5000) == [100, 100, 100, 100]


def test_what_a_turn_takes_beyond_its_own_time_is_taken_from_the_main_time():
    """Terraforming's allowance: 1,000 ms per turn and 5,000 ms in all. [TF 14.6]"""
    clock = Clock(TimeControl(main_ms=5000, move_ms=1000), 3)
    assert after(clock, 0, 900, 1000, 3000, 4001) == [6000, 6000, 6000, 4000, 1000]
    assert clock.left_ms(1) == 6000


def test_a_floor_is_refilled_at_the_start_of_each_turn():
    """The battleship's main time with the one-minute floor. [BS 14.4]"""
    clock = Clock(TimeControl(main_ms=100_000, floor_ms=60_000), 2)
    assert after(clock, 0, 30_000, 20_000, 59_999, 60_001) == [100_000, 70_000, 60_000, 60_000, 60_000]


def test_an_increment_is_added_after_a_turn_in_time():
    clock = Clock(TimeControl(main_ms=1000, inc_ms=50), 2)
    assert after(clock, 0, 100, 951, 0) == [1000, 950, 0, 50]


def test_a_timer_measures_from_its_restart_until_it_is_stopped():
    clock = Clock(TimeControl(main_ms=60_000), 1)
    timer = clock.start(0)
    first = timer.deadline
    time.sleep(0.02)
    timer.restart()
    assert timer.deadline - first >= 0.02
    assert timer.deadline - time.monotonic() <= 60
    used = timer.stop()
    assert timer.stop() == used
    assert clock.left_ms(0) == int(60_000 - used)  # charged once
    assert not timer.is_late


def test_a_stopped_timer_knows_that_it_was_late():
    timer = Clock(TimeControl(move_ms=1), 1).start(0)
    time.sleep(0.002)
    assert not timer.is_late
    timer.stop()
    assert timer.is_late


@pytest.mark.parametrize(
    ("text", "fields", "told"),
    [
        ("none", {}, {"mode": "none"}),
        ("move=1000", {"move_ms": 1000}, {"mode": "per_move", "move_ms": 1000}),
        (
            "main=1200000,floor=60000",
            {"main_ms": 1_200_000, "floor_ms": 60_000},
            {"mode": "floor", "main_ms": 1_200_000, "floor_ms": 60_000},
        ),
        (
            "move=1,main=2,inc=3",
            {"move_ms": 1, "main_ms": 2, "inc_ms": 3},
            {"mode": "floor", "main_ms": 2, "floor_ms": 0, "inc_ms": 3, "move_ms": 1},
        ),
    ],
)
def test_a_time_control_as_text_and_as_programs_are_told(text, fields, told):
    control = TimeControl.parse(text)
    assert control == TimeControl(**fields)
    assert control.to_dict() == told


NO_CLOCK = "clock: expected none, or main=, move=, inc= and floor= separated by commas, got "


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", NO_CLOCK), ("move", NO_CLOCK), ("moves=1", NO_CLOCK), ("move=1,move=2", NO_CLOCK),
        ("move=-1", "clock: expected a number of milliseconds, got 'move=-1'"),
        ("move=1.5", "clock: expected a number of milliseconds, got 'move=1.5'"),
        ("move=", "clock: expected a number of milliseconds, got 'move='"),
        ("move=9999999999", "move_ms: expected 0..1000000000, got 9999999999"),
        ("inc=5", "inc_ms: expected 0 without main_ms, got 5"),
        ("move=5,floor=1", "floor_ms: expected 0 without main_ms, got 1"),
        ("main=0", "main_ms: expected main_ms, move_ms or floor_ms above 0"),
    ],
)  # fmt: skip
def test_a_text_that_is_no_time_control_is_refused(text, message):
    with pytest.raises(ConfigError) as caught:
        TimeControl.parse(text)
    assert str(caught.value).startswith(message)


def test_a_time_is_an_int():
    with pytest.raises(ConfigTypeError, match=r"^move_ms: expected an int, got True"):
        TimeControl(move_ms=True)
