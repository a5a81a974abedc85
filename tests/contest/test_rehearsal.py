"""`masume contest check`: what does not start is found before the evening; the sheet has every pairing."""

import html
import re
import socket
import sys
from pathlib import Path

import pytest

from masume.contest import rehearsal
from masume.contest.desk import Pauses
from masume.contest.kept import Contest
from shell import run, run_json

BOT = f"cmd:{sys.executable} {Path(__file__).parents[1] / 'json_bot.py'}"


def make(capsys, folder, *agents, kind="league"):
    arguments = ("--game", "chaser", "--maps", "duel", "spiral", "--format", kind, "--seed", "1", "--agents", *agents)
    code, _told, error = run(capsys, "contest", "new", folder, *arguments)
    assert (code, error) == (0, "")


def fail(capsys, folder):
    with pytest.raises(SystemExit) as ended:
        run(capsys, "contest", "check", folder)
    assert ended.value.code == 1
    return capsys.readouterr().out


def test_every_entry_is_tried_and_faults_are_named(tmp_path, capsys):
    cup = tmp_path / "cup"
    make(capsys, cup, "Ann=greedy", f"Bob={BOT} good", f"Cid={BOT} garbage", "Dan=", "Eve=port:2009", f"Fay={BOT} exit")
    told = fail(capsys, cup)
    assert re.search(r"1  Ann: plays \([0-9.]+ s a game\)\n", told)
    assert re.search(r"2  Bob: plays \([0-9.]+ s a game\)\n", told)
    assert re.search(r"3  Cid: failed .*: move 1: illegal: bad_json", told)
    assert "4  Dan: failed: no program yet" in told
    assert "5  Eve: not checked: it connects by itself" in told
    assert re.search(r"6  Fay: failed", told)
    assert "maps: duel, spiral" in told
    assert "league: 15 matches, 2 games each" in told
    assert not Contest(cup).journal.lines  # nothing has begun


def test_a_contest_that_is_fine_says_so(tmp_path, capsys):
    cup = tmp_path / "cup"
    make(capsys, cup, "Ann=greedy", f"Bob={BOT} good", kind="groups")
    found = run_json(capsys, "contest", "check", cup)
    assert [one["verdict"] for one in found["entries"]] == ["plays", "plays"]
    assert (found["ports"], found["matches"]) == ([], {"groups": 1, "bracket": 1})
    assert found["minutes"] >= 2 * 17 / 60


def test_a_port_that_is_taken_is_named(tmp_path, capsys):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        make(capsys, tmp_path / "cup", "A=greedy", f"B=port:{port}")
        told = fail(capsys, tmp_path / "cup")
    assert re.search(rf"port: .*{port}", told)


def test_a_long_game_is_stopped(tmp_path, capsys, monkeypatch):
    make(capsys, tmp_path / "cup", f"A={BOT} slow", "B=greedy")
    monkeypatch.setattr(rehearsal, "SHORT_S", 0.3)
    found = run_json(capsys, "contest", "check", tmp_path / "cup")
    assert found["entries"][0] | {"name": ""} == {
        "number": 1, "name": "", "verdict": "plays", "detail": "its game was stopped in the middle", "seconds": 0.3,
    }  # fmt: skip


def test_a_client_that_never_connects_has_failed(tmp_path, capsys, monkeypatch):
    sleeper = f"client:{sys.executable} -c 'import time; time.sleep(60 + 0 * {{port}})'"
    make(capsys, tmp_path / "cup", f"A={sleeper}", "B=greedy")
    monkeypatch.setattr(rehearsal, "SHORT_S", 1.0)
    assert "1  A: failed: it has not moved within 1 seconds" in fail(capsys, tmp_path / "cup")


@pytest.mark.parametrize(
    ("kind", "matches"),
    [("single", {"bracket": 8}), ("groups", {"groups": 12, "bracket": 4}), ("league", {"league": 28})],
)
def test_matches_are_counted_and_the_time_follows(tmp_path, capsys, kind, matches):
    make(capsys, tmp_path / "cup", *(f"{name}=greedy" for name in "ABCDEFGH"), kind=kind)
    contest = Contest(tmp_path / "cup")
    assert dict(rehearsal.count_matches(contest)) == matches
    findings = [rehearsal.Finding(entry, "plays", "", 3.0) for entry in contest.state.entries.values()]
    assert rehearsal.estimate(contest, findings, Pauses(6, 5, 6)) == sum(matches.values()) * (2 * 2 * 3 + 17)


def test_the_sheet_has_every_pairing_its_seats_and_room(tmp_path, capsys):
    names = ["<Ann>", "B & C", "名前"]
    make(capsys, tmp_path / "cup", *(f"{name}=greedy" for name in names), kind="groups")
    path = tmp_path / "cup.html"
    assert run(capsys, "contest", "check", tmp_path / "cup", "--sheet", path)[0] == 0
    text = path.read_text("utf-8")
    for name in names:
        assert text.count(f"COOL: {html.escape(name)}") == 2
    assert "<Ann>" not in text
    assert text.count('<td class="blank">') == 3 + 3 * 2 + 4  # present; result and winner; the final
    code, _told, error = run(capsys, "contest", "check", tmp_path / "cup", "--sheet", tmp_path / "no" / "cup.html")
    assert code != 0
    assert "cup.html" in error
