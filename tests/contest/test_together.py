"""Matches side by side: the same results as one by one, no entry twice at once, kept in order whichever ends first."""

import asyncio
import random
import sys

import pytest

from masume.contest import together, words
from masume.contest.desk import Desk
from masume.contest.events import Played
from masume.contest.kept import Contest
from masume.contest.runner import hold_match
from masume.core import system
from masume.errors import MatchError
from shell import run

LEAGUE = 'game = "chaser"\nformat = "league"\nmaps = ["duel"]\nseed = 3\n'


def make(folder, number, head=LEAGUE, play="random"):
    folder.mkdir()
    entries = "".join(f'[[entry]]\nname = "{name}"\nplay = "{play}"\n' for name in "ABCDEFGH"[:number])
    (folder / "contest.toml").write_text(head + entries)
    return Contest(folder)


def auto(contest, jobs):
    said = []
    return asyncio.run(Desk(contest, said.append, jobs=jobs).do("auto")), said


@pytest.mark.parametrize("kind", ["league", "groups", "swiss", "double"])
def test_results_are_those_of_one_after_the_other(tmp_path, kind):
    found = []
    for jobs in (1, 2, 4):
        contest = make(tmp_path / str(jobs), 8, LEAGUE.replace("league", kind))
        assert auto(contest, jobs)[0]
        again = Contest(contest.folder)
        assert words.to_dict(again.state) == words.to_dict(contest.state)
        played = {line.event.match: line.event for line in again.journal.lines if isinstance(line.event, Played)}
        found.append((words.to_dict(again.state) | {"last": None}, played))
    assert found[0] == found[1] == found[2]


@pytest.fixture
def watched(monkeypatch):
    """Every match takes a while, by chance; return lists of those that ran together, and of the order of their ends."""
    running, seen, ended = [], [], []
    chance = random.Random(4)

    async def hold(contest, match, say, venue=None):
        running.append(match)
        seen.append(list(running))
        found = await hold_match(contest, match, say, venue=venue)
        await asyncio.sleep(chance.random() / 20)
        running.remove(match)
        ended.append(match.id)
        return found

    monkeypatch.setattr(together, "hold_match", hold)
    return seen, ended


def test_no_entry_plays_twice_at_once_and_results_are_kept_in_order(tmp_path, watched):
    contest = make(tmp_path / "cup", 6)
    assert auto(contest, 3)[0]
    seen, ended = watched
    assert max(map(len, seen)) == 3
    for matches in seen:
        entries = [entry for match in matches for entry in match.entries]
        assert len(entries) == len(set(entries))
    begun = [matches[-1].id for matches in seen]
    kept = [line.event.match for line in contest.journal.lines if isinstance(line.event, Played)]
    assert kept == begun != ended
    assert len(kept) == 15


def test_clients_of_the_sides_play_one_match_at_a_time(tmp_path, watched, monkeypatch):
    contest = make(tmp_path / "cup", 6)
    monkeypatch.setattr(together, "_takes_sides", lambda _state, match: 1 in match.entries or 2 in match.entries)
    assert auto(contest, 3)[0]
    assert all(sum(1 in match.entries or 2 in match.entries for match in matches) <= 1 for matches in watched[0])


def test_a_match_that_cannot_be_held_costs_no_other(tmp_path, monkeypatch):
    contest = make(tmp_path / "cup", 6)

    async def hold(contest, match, say, venue=None):
        await asyncio.sleep(0.01)
        if match.entries == (2, 5):
            raise MatchError("B: nobody came")
        await asyncio.sleep(0.05)
        return await hold_match(contest, match, say, venue=venue)

    monkeypatch.setattr(together, "hold_match", hold)
    done, said = auto(contest, 3)
    assert not done
    assert "B: nobody came" in said
    kept = {line.event.match for line in contest.journal.lines if isinstance(line.event, Played)}
    assert kept == {"L1:1-6", "L1:3-4"}
    assert set(contest.state.confirmed) == kept


def test_stop_ends_all_that_run_and_keeps_nothing_of_them(tmp_path, monkeypatch):
    contest, said = make(tmp_path / "cup", 4), []
    desk = Desk(contest, said.append, jobs=2)

    async def hold(_contest, _match, _say, venue=None):
        desk.stop()
        await asyncio.sleep(60)

    monkeypatch.setattr(together, "hold_match", hold)
    assert not asyncio.run(desk.do("auto"))
    assert said[-1] == "the match was stopped: nothing of it is kept"
    assert not contest.state.played
    monkeypatch.undo()
    assert asyncio.run(desk.do("auto"))
    assert contest.state.is_over


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--auto", "--jobs", "3"), "jobs: expected 1..2, got 3"),
        (("--jobs", "2"), "jobs: expected 1 without --auto"),
        (("--auto", "--watch", "--jobs", "2"), r"before a hall (--watch), got 2"),
    ],
)
def test_jobs_are_at_most_half_of_the_processors(tmp_path, capsys, monkeypatch, arguments, told):
    monkeypatch.setattr(system, "count_cpus", lambda: 5)
    make(tmp_path / "cup", 4)
    code, _told, error = run(capsys, "contest", "run", tmp_path / "cup", *arguments)
    assert code != 0
    assert told in error


def test_the_command_plays_side_by_side(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(system, "count_cpus", lambda: 8)
    bot = f"cmd:{sys.executable} {__file__.rpartition('contest')[0]}json_bot.py good"
    make(tmp_path / "cup", 4, play=bot)
    code, told, error = run(capsys, "contest", "run", tmp_path / "cup", "--auto", "--jobs", "4")
    assert (code, error) == (0, "")
    assert "the contest is over" in told
