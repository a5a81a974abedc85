"""The start of the day."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest

import masume
from masume.starts import daily, find_boards, named_starts, starts_of

GAMES = [name for name in masume.games() if starts_of(name)]


@pytest.mark.parametrize("name", GAMES)
def test_every_start_comes_once_before_one_comes_again(name):
    starts = starts_of(name)
    names = sorted(named_starts(starts))
    first = date.fromordinal(739_000 // len(names) * len(names))
    for turn in range(3):
        days = [first + timedelta(days=turn * len(names) + day) for day in range(len(names))]
        assert sorted(daily(starts, day) for day in days) == names
    assert daily(starts, first) == daily(starts, first)


def test_the_start_of_a_day_stays_what_it_is():
    assert [daily(starts_of(name), date(2027, 1, 1)) for name in ("chaser", "kakomimasu")] == ["spiral", "reef"]


def test_daily_names_the_start_of_today():
    starts = starts_of("chaser")
    before = datetime.now(UTC).date()
    found = find_boards(starts, "daily")
    days = {before, datetime.now(UTC).date()}
    assert found in [[starts.load_shipped()[daily(starts, day)]] for day in days]
