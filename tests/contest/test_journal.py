"""Nothing that was confirmed is lost: the journal, cut anywhere, gives the state before, and the contest goes on."""

import asyncio
import os
import random
import shutil
import sys

import pytest

import masume
from kills import killed_everywhere, largest_file
from masume.contest import runner, words
from masume.contest.events import Attended, Confirmed, CountedGame, Entered, HandedIn, Played, StageDrawn
from masume.contest.journal import FILE, EventLog
from masume.contest.kept import Contest
from masume.contest.steps import ChooseAdvancing, ConfirmResult, DecideTie, DrawStage, Over, PlayMatch
from masume.errors import ConfigError, ReplayError

GROUPS = """
game = "chaser"
format = "groups"
maps = ["duel", "rooms"]
[groups]
number = 2
"""
ENTRY = '[[entry]]\nname = "{name}"\nplay = "{play}"\n'
SWISS = 'game = "chaser"\nformat = "swiss"\nmaps = ["duel"]\ngames = 1\n'
QUALIFIER = 'game = "chaser"\nformat = "qualifier"\nmaps = ["duel"]\n[qualifier]\nbot = "safe"\nadvance = 4\n'
SINGLE = 'game = "chaser"\nformat = "single"\nmaps = ["duel"]\n'
DOUBLE = 'game = "chaser"\nformat = "double"\nmaps = ["duel"]\n'


def make(folder, head, number):
    folder.mkdir(parents=True, exist_ok=True)
    entries = "".join(ENTRY.format(name=f"team {k}", play="greedy") for k in range(1, number + 1))
    (folder / "contest.toml").write_text(head + entries)
    return Contest(folder)


def game(seats, chance):
    first = chance.choice([0, 1, None])
    returns = [0, 0] if first is None else [1 if seat == first else -1 for seat in range(2)]
    parts = [{"items": 10 * chance.randrange(5), "blow": 0} for _ in seats]
    return CountedGame(list(seats), returns, [0, 0], 1, None, [], parts)


def events_of(contest):
    """Return what the organiser would do next, with results that depend on the match alone; None at the end."""
    step = contest.state.step()
    match step:
        case Over():
            return None
        case DrawStage():
            return StageDrawn(len(contest.state.stages), list(step.entries))
        case ChooseAdvancing():
            chosen = [*step.sure, *step.tied][: step.places]
            return StageDrawn(len(contest.state.stages), contest.state.seeds(chosen))
        case PlayMatch(match=one):
            stage = contest.state.stage
            chance = random.Random(one.id)
            map_name, seed = contest.plan.start(stage.name, one, 0)
            games = [game(order, chance) for order in contest.plan.orders(stage.name, one)]
            return Played(one.id, list(one.entries), map_name, seed, games, "")
        case ConfirmResult():
            return Confirmed(step.match.id, None, "")
        case DecideTie():
            return Confirmed(step.match.id, contest.state.lot(step.match), "lot")


def finish(contest):
    while (event := events_of(contest)) is not None:
        contest.do(event)
    return words.to_dict(contest.state)


@pytest.mark.parametrize(("head", "number"), [(GROUPS, 5), (SWISS, 5), (QUALIFIER, 5), (DOUBLE, 4)])
def test_a_contest_that_is_cut_after_any_event_ends_the_same(head, number, tmp_path):
    whole = make(tmp_path / "whole", head, number)
    result = finish(whole)
    lines = (tmp_path / "whole" / FILE).read_bytes().splitlines(keepends=True)
    assert len(lines) > 10
    for count in range(len(lines)):
        folder = tmp_path / str(count)
        make(folder, head, number)
        (folder / FILE).write_bytes(b"".join(lines[:count]))
        assert finish(Contest(folder)) == result


def test_a_journal_that_is_cut_at_any_byte_has_every_whole_line(tmp_path):
    contest = make(tmp_path / "whole", SINGLE, 2)
    finish(contest)
    data = (tmp_path / "whole" / FILE).read_bytes()
    ends = [k + 1 for k, byte in enumerate(data) if byte == ord("\n")]
    make(tmp_path / "cut", SINGLE, 2)
    path = tmp_path / "cut" / FILE
    for cut in range(len(data) + 1):
        path.write_bytes(data[:cut])
        journal = EventLog(path.parent)
        assert journal.lines == contest.journal.lines[: sum(end <= cut for end in ends)]
        if cut % 97 == 0 and cut:
            journal.add(Confirmed("final", 0, "cut"), 0)
            assert path.read_bytes().startswith(data[: max((end for end in ends if end <= cut), default=0)])
            assert EventLog(path.parent).lines == journal.lines


def test_what_is_confirmed_is_on_the_disk(tmp_path, synced):
    contest = make(tmp_path, SINGLE, 3)
    while (event := events_of(contest)) is not None:
        synced.clear()
        contest.do(event)
        assert synced[-1] == (tmp_path / FILE).stat().st_size


def test_any_other_damage_is_told(tmp_path):
    contest = make(tmp_path, GROUPS, 3)
    finish(contest)
    path = tmp_path / FILE
    data = path.read_bytes()
    first = data.index(b"\n")
    chance = random.Random(3)
    for _ in range(200):
        at = chance.randrange(first - 1)
        path.write_bytes(data[:at] + bytes([data[at] ^ 1 << chance.randrange(7)]) + data[at + 1 :])
        with pytest.raises((ReplayError, ConfigError)):
            Contest(tmp_path)
    lines = data.splitlines(keepends=True)
    path.write_bytes(b"".join([lines[0], *lines[2:]]))
    with pytest.raises(ReplayError, match=r"journal.jsonl:2: n: expected 1, got 2"):
        Contest(tmp_path)


def test_an_undo_takes_back_what_depends_on_it(tmp_path):
    contest = make(tmp_path, SINGLE, 4)
    finish(contest)
    gone = contest.depends(contest.last_of("K1.1"))
    assert {change.match for change in gone.values()} == {"K1.1", "third", "final"}
    before = words.to_dict(contest.state)
    contest.undo(contest.last_of("K1.1"))
    assert contest.state.step().match.id == "K1.1"
    assert "K1.2" in contest.state.confirmed
    again = Contest(tmp_path)
    assert words.to_dict(again.state) == words.to_dict(contest.state)
    assert finish(again) == before


def test_an_undo_in_a_league_takes_back_one_match(tmp_path):
    contest = make(tmp_path, 'game = "chaser"\nformat = "league"\nmaps = ["duel"]\n', 4)
    finish(contest)
    assert {change.match for change in contest.depends(contest.last_of("L1:1-2")).values()} == {"L1:1-2"}
    with pytest.raises(ConfigError, match="L9 has not been played"):
        contest.last_of("L9")


def test_a_tied_knockout_is_not_confirmed(tmp_path):
    contest = make(tmp_path, SINGLE, 2)
    contest.do(events_of(contest))
    event = events_of(contest)
    for one in event.games:
        one.returns, one.parts = [0, 0], [{"items": 10}, {"items": 10}]
    contest.do(event)
    assert isinstance(contest.state.step(), DecideTie)
    confirm, unexplained, unknown = (Confirmed("final", winner, "") for winner in (None, 2, 9))
    for bad, told in ((confirm, "is tied"), (unexplained, "needs a reason"), (unknown, "expected one")):
        with pytest.raises(ConfigError, match=told):
            contest.do(bad)
    contest.do(event)  # the replay is tied, too
    contest.do(Confirmed("final", 0, "both left"))
    assert contest.state.is_over
    assert [type(change) for change in Contest(tmp_path).counting.values()] == [StageDrawn, Played, Played, Confirmed]


def test_absent_and_late_entries_and_programs(tmp_path):
    contest = make(tmp_path, 'game = "chaser"\nformat = "league"\nmaps = ["duel"]\n', 3)
    contest.do(events_of(contest))
    contest.do(Attended(3, is_absent=True))
    assert [match.entries for match in contest.state.waiting(contest.state.stage)] == [(1, 2)]
    assert [row.points for row in contest.state.standings(contest.state.stage)] == [3, 3, 0]
    contest.do(Entered(4, "late", ""))
    assert len(contest.state.waiting(contest.state.stage)) == 3
    with pytest.raises(ConfigError, match="is taken"):
        contest.do(Entered(5, "late", ""))
    contest.do(Attended(3, is_absent=False))
    assert len(contest.state.waiting(contest.state.stage)) == 6
    contest.do(HandedIn(4, "safe"))
    finish(contest)
    with pytest.raises(ConfigError, match="already"):
        contest.do(Attended(3, is_absent=False))


def test_maps_are_files_of_the_folder_or_shipped_ones(tmp_path):
    from masume.chaser.maps import load_shipped

    game = masume.load("chaser", map=load_shipped()["spiral"])
    (tmp_path / "maps").mkdir()
    (tmp_path / "maps" / "ours.map").write_text(game.config.map.to_text(), encoding="utf-8")
    contest = make(tmp_path, 'game = "chaser"\nformat = "single"\nmaps = ["maps/ours.map", "duel"]\n', 2)
    assert contest.plan.game("maps/ours.map").config.map.rows == game.config.map.rows
    assert contest.plan.game("duel").config.width == 9
    (tmp_path / "maps" / "ours.map").write_text("nothing", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"ours\.map"):
        Contest(tmp_path)


def test_a_bracket_goes_on_without_an_absent_entry(tmp_path):
    contest = make(tmp_path, SINGLE, 4)
    contest.do(events_of(contest))
    contest.do(Attended(1, is_absent=True))
    finish(contest)
    places = {row.entry: row.place for row in contest.state.standings(contest.state.stage)}
    assert places[4] in (1, 2)
    with pytest.raises(ConfigError, match="matches were played since"):
        contest.do(Attended(1, is_absent=False))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_kill_9_between_every_two_writes_loses_nothing_that_was_confirmed(tmp_path):
    result = finish(make(tmp_path / "whole", SINGLE, 3))
    folder = tmp_path / "killed"

    def act(say):
        contest = Contest(folder)
        for _ in range(2):
            contest.do(events_of(contest))
            say()

    make(folder, SINGLE, 3)
    for n, said in killed_everywhere(act):
        again = Contest(folder)
        assert len(again.counting) in (said, said + 1)
        assert n % 8 or finish(again) == result
        (folder / FILE).unlink(missing_ok=True)
    assert said == 2


@pytest.mark.skipif(sys.platform == "win32", reason="no limits of this kind")
def test_a_full_disk_refuses_an_event_and_the_contest_goes_on(tmp_path):
    result = finish(make(tmp_path / "whole", SINGLE, 3))
    size = (tmp_path / "whole" / FILE).stat().st_size
    for room in range(0, size, 61):
        contest = make(tmp_path / str(room), SINGLE, 3)
        with largest_file(room), pytest.raises(OSError, match=FILE):
            finish(contest)
        assert words.to_dict(Contest(contest.folder).state) == words.to_dict(contest.state)
        assert finish(contest) == result  # the same process, when there is room
        assert words.to_dict(Contest(contest.folder).state) == result


def test_replays_of_a_real_match_are_kept(tmp_path):
    contest = make(tmp_path, SINGLE, 3)
    contest.do(events_of(contest))
    step = contest.state.step()
    records = asyncio.run(runner.play_match(contest, step.match, print))
    (event,) = contest.state.played[step.match.id]
    from masume.records import replay

    found = replay.load(tmp_path / event.replay)
    assert [one.names for one in found] == [one.replay.names for one in records]
    assert found[0].names == found[1].names[::-1]
    assert found[0].seed == found[1].seed
    shutil.copytree(tmp_path, tmp_path.parent / "copy")
    assert words.to_dict(Contest(tmp_path.parent / "copy").state) == words.to_dict(contest.state)
