"""`masume contest`: made, played by words, shown, given to others."""

import csv
import dataclasses
import hashlib
import io
import json
import sys
from pathlib import Path

import pytest

import masume
from masume.contest.kept import Contest
from shell import run, run_json

MAKE = ("--game", "chaser", "--maps", "duel", "--seed", "0", "--format")


@pytest.fixture
def typed(monkeypatch):
    """Return a function that sets what the organiser types."""
    return lambda *lines: monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in lines)))


def make(capsys, folder, kind, *agents):
    code, told, error = run(capsys, "contest", "new", folder, *MAKE, kind, "--agents", *agents)
    assert (code, error) == (0, ""), error
    return told


def hold(capsys, typed, folder, *lines):
    typed(*lines)
    code, told, error = run(capsys, "contest", "run", folder)
    assert (code, error) == (0, "")
    return told


def test_an_evening_by_the_terminal_alone(tmp_path, capsys, typed):
    cup = tmp_path / "cup"
    make(capsys, cup, "single", "A=greedy", "A=greedy", "B=safe", "C=")
    told = hold(capsys, typed, cup, "", "", "", "hand C greedy", "", "", "confirm", "undo", "quit", "next")
    assert "next: draw the bracket with 4 entries" in told
    assert "A (2) – B" in told
    assert "C plays with greedy" in told
    assert "A – C" in told
    told = hold(capsys, typed, cup, "fly", "absent 9", "undo K1.2", "undo K1.2", "absent B", "table", "auto")
    assert "fly: no such word" in told
    assert "9: no entry has this number or name" in told
    assert "the contest is over" in told
    found = run_json(capsys, "contest", "show", cup)
    assert found["step"]["kind"] == "over"
    assert {entry["name"]: entry["is_absent"] for entry in found["entries"]}["B"]
    assert [row["name"] for row in found["stages"][0]["rows"]][-1:] == ["B"]


def test_a_program_whose_path_has_a_space_is_handed_in_as_it_is_typed(tmp_path, capsys, typed):
    cup, bot = tmp_path / "cup", tmp_path / "of Kobe" / "bot.py"
    bot.parent.mkdir()
    bot.write_text("import sys\nsys.argv.append('good')\n" + (Path(__file__).parent.parent / "json_bot.py").read_text())
    make(capsys, cup, "league", "A=greedy", "B=")
    told = hold(capsys, typed, cup, f"hand B cmd:{sys.executable} '{bot}'", f"late 'D=cmd:{sys.executable} \"{bot}\"'")
    assert "B plays with cmd:" in told
    assert "D has the number 3" in told


def test_results_go_out_as_csv_and_zip_and_in_again(tmp_path, capsys, typed):
    cup, copy, sheet = tmp_path / "cup", tmp_path / "copy", tmp_path / "teams.csv"
    sheet.write_bytes("name,play\r\n部品A,greedy\r\n=1+1,safe\r\n".encode("cp932"))
    code, _told, error = run(capsys, "contest", "new", cup, *MAKE, "league", "--entries", sheet, "--agents", "X=random")
    assert (code, error) == (0, "")
    code, told, error = run(capsys, "contest", "run", cup, "--auto")
    assert (code, error) == (0, "")
    assert "the contest is over" in told
    code, _told, _error = run(capsys, "contest", "show", cup, "--csv", tmp_path / "out", "--zip", tmp_path / "cup.zip")
    assert code == 0
    rows, games = (
        list(csv.DictReader(io.StringIO((tmp_path / "out" / name).read_text("utf-8-sig"))))
        for name in ("standings.csv", "games.csv")
    )
    assert {row["name"] for row in rows} == {"X", "部品A", "'=1+1"}
    assert len(games) == 3 * 2 * 2
    assert all((cup / game["replay"]).is_file() for game in games)
    assert run(capsys, "contest", "new", copy, "--from", tmp_path / "cup.zip")[0] == 0
    assert run_json(capsys, "contest", "show", copy) == run_json(capsys, "contest", "show", cup)
    assert Contest(copy).journal.lines == Contest(cup).journal.lines


def test_lots_are_sealed_until_the_end_and_can_be_checked(tmp_path, capsys):
    cup, lots = tmp_path / "cup", tmp_path / "cup" / "lots.txt"
    arguments = ("--game", "chaser", "--maps", "duel", "--format", "league", "--agents", "A=greedy", "B=random")
    code, told, error = run(capsys, "contest", "new", cup, *arguments)
    assert (code, error) == (0, "")
    secret = lots.read_text().strip()
    sealed = hashlib.sha256(secret.encode()).hexdigest()
    assert f"SHA-256 {sealed}" in told
    assert secret not in told + (cup / "contest.toml").read_text()
    if sys.platform != "win32":
        assert lots.stat().st_mode & 0o77 == 0
    assert run_json(capsys, "contest", "show", cup)["lots"] == {
        "sealed": sealed, "secret": None, "text": f"lots: sealed, SHA-256 {sealed}",
    }  # fmt: skip
    assert run(capsys, "contest", "run", cup, "--auto")[0] == 0
    told = run(capsys, "contest", "show", cup)[1]
    assert f"drawn from {secret}, whose SHA-256 was told before: {sealed}" in told
    assert "the starts of all 1 matches follow from the lots" in told
    run(capsys, "contest", "new", tmp_path / "other", *arguments)
    other = (tmp_path / "other" / "lots.txt").read_text()
    assert other.strip() != secret
    lots.write_text(other)
    code, _told, error = run(capsys, "contest", "show", cup)
    assert (code, error.count("\n")) == (1, 1)
    assert f"lots.txt does not hold the secret of this contest, whose SHA-256 is {sealed}" in error
    lots.unlink()
    assert "lots.txt is missing" in run(capsys, "contest", "run", cup)[2]


def test_a_start_that_the_lots_did_not_draw_is_found(tmp_path, capsys):
    cup = tmp_path / "cup"
    make(capsys, cup, "league", "A=greedy", "B=random")
    run(capsys, "contest", "run", cup, "--auto")
    contest = Contest(cup)
    assert contest.check_lots() == 1
    ((name, [played]),) = contest.state.played.items()
    contest.state.played[name] = [dataclasses.replace(played, seed=7)]
    with pytest.raises(masume.ReplayError, match=f"{name}: its start is not the one that the lots drew"):
        contest.check_lots()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--game", "chess"), "game: "),
        (("--game", "chaser", "--agents", "A=nobody"), "agents: "),
        (("--game", "chaser", "--agents", "A=human"), "play: expected an agent or a program"),
        (("--game", "chaser", "--agents", "A=port:0"), "play: expected port:1..65535"),
        (("--game", "chaser", "--agents", "A=user:ann"), "has no server with accounts"),
        (("--game", "kakomimasu", "--agents", "A=user: "), "expected user: and the name of an account"),
        (("--game", "kakomimasu", "--agents", "A=client:x {port}"), "expected {token} where"),
        (("--game", "chaser", "--agents", "A=client:x"), "expected {port} where the program takes its port"),
        (("--game", "kakomimasu", "--agents", "A=port:2000"), "share the port of its server"),
        (("--game", "chaser", "--maps", "nowhere"), "map: no such file"),
        (("--game", "chaser", "--points", "mine"), "points: "),
        (("--game", "chaser", "--games", "0"), "games: expected 1..1000"),
        (("--game", "terraforming", "--format", "swiss"), "is played by 3: expected league"),
        (("--game", "chaser", "--format", "qualifier"), "qualifier.bot: expected the agent"),
        (("--game", "chaser", "--format", "qualifier", "--bot", "nobody"), "agents: "),
        ((), "game: missing"),
    ],
)
def test_a_wrong_plan_makes_no_folder(arguments, told, tmp_path, capsys):
    code, output, error = run(capsys, "contest", "new", tmp_path / "cup", *arguments)
    assert (code, output) == (1, "")
    assert told in error
    assert not (tmp_path / "cup").exists()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "game: missing"),
        ("game = ", "contest.toml"),
        ('game = "chaser"\nformat = "cup"', "format: "),
        ('game = "chaser"\nformat = "league"\nfoo = 1', "foo"),
        ('game = "chaser"\nformat = "league"\n[league]\nlegs = 0', "league.legs: expected 1..20"),
        ('game = "chaser"\nformat = "league"\n[league]\nnumber = 2', "league: "),
        ('game = "chaser"\nformat = "league"\n[[entry]]\nnames = "a"', "entry 1: "),
        ('game = "chaser"\nformat = "league"\n[[entry]]\nname = "a\\nb"', "name: "),
        ('game = "chaser"\nformat = "league"\nclock = "soon"', "clock"),
        ('game = "chaser"\nformat = "league"\nport = 8880', "port: chaser has no server for all clients"),
        ('game = "kakomimasu"\nformat = "league"\nallow = ["here"]', "allow: expected an address or a network"),
        ('game = "kakomimasu"\nformat = "league"\nallow = "here"', "allow: expected a list"),
        ('game = "kakomimasu"\nformat = "league"\nport = 70000', "port: expected 0..65535"),
        ('game = "chaser"\nformat = "league"\ntimeout = 0', "timeout: expected 0.05..600"),
    ],
)
def test_a_wrong_file_is_told(text, told, tmp_path, capsys):
    (tmp_path / "contest.toml").write_text(text)
    for task in ("run", "show"):
        code, _output, error = run(capsys, "contest", task, tmp_path)
        assert (code, told in error) == (1, True), error


def test_a_zip_cannot_write_outside(tmp_path, capsys):
    import zipfile

    for name in ("../x", "/x", "a\\..\\x", "C:x"):
        with zipfile.ZipFile(tmp_path / "bad.zip", "w") as packed:
            packed.writestr("contest.toml", "")
            packed.writestr(name, "x")
        code, _output, error = run(capsys, "contest", "new", tmp_path / "a" / "cup", "--from", tmp_path / "bad.zip")
        assert (code, "expected a path inside" in error) == (1, True), error
    (tmp_path / "bad.zip").write_bytes(b"PK")
    code, _output, error = run(capsys, "contest", "new", tmp_path / "a" / "cup", "--from", tmp_path / "bad.zip")
    assert (code, "not the zip of a contest" in error) == (1, True)


def test_tokens_of_players_are_made_once_and_not_given_away(tmp_path, capsys):
    import zipfile

    cup = tmp_path / "cup"
    code, told, _error = run(
        capsys, "contest", "new", cup, "--game", "kakomimasu", "--format", "league",
        "--agents", "Ann=user:ann", "Bob=user:bob", "C=greedy",
    )  # fmt: skip
    assert code == 0
    assert "users.json: give each team its own" in told
    tokens = (cup / "users.json").read_bytes()
    assert [one["screenName"] for one in json.loads(tokens)] == ["Ann", "Bob"]
    code, _told, _error = run(capsys, "contest", "show", cup, "--zip", tmp_path / "cup.zip")
    assert code == 0
    with zipfile.ZipFile(tmp_path / "cup.zip") as packed:
        assert packed.namelist() == ["contest.toml", "lots.txt"]


def test_two_organisers_do_not_run_one_contest(tmp_path, capsys, typed):
    from masume.core.files import locked

    make(capsys, tmp_path / "cup", "league", "A=greedy", "B=safe")
    with locked(tmp_path / "cup"):
        code, _output, error = run(capsys, "contest", "run", tmp_path / "cup")
    assert (code, "in use by another run" in error) == (1, True)


def test_a_damaged_journal_names_the_way_out_which_asks(tmp_path, capsys, typed):
    cup = tmp_path / "cup"
    make(capsys, cup, "league", "A=greedy", "B=safe", "C=random")
    hold(capsys, typed, cup, "", "", "", "", "", "", "", "quit")
    path = cup / "journal.jsonl"
    before = path.read_bytes()
    lines = before.splitlines(keepends=True)
    assert len(lines) == 6
    assert run(capsys, "contest", "mend", cup)[1] == "the journal is whole: nothing to mend\n"
    damaged = b"".join([*lines[:3], lines[3].replace(b"confirm", b"c0nfirm"), *lines[4:]])
    path.write_bytes(damaged)
    code, _told, error = run(capsys, "contest", "run", cup)
    assert (code, error.count("\n")) == (1, 1)
    assert "journal.jsonl:4: sha256: does not match the line" in error
    assert f"`masume contest mend {cup}` tells what would be lost, and cuts it off" in error
    typed("no")
    with pytest.raises(SystemExit):
        run(capsys, "contest", "mend", cup)
    told = capsys.readouterr().out
    assert "lost: line 4: cannot be read\nlost: line 5: played L1:" in told
    assert "nothing was changed" in told
    assert path.read_bytes() == damaged
    typed("yes")
    code, told, error = run(capsys, "contest", "mend", cup)
    assert (code, error) == (0, "")
    assert path.read_bytes() == b"".join(lines[:3])
    assert (cup / "journal.jsonl.damaged").read_bytes() == damaged
    assert "the contest is over" in run(capsys, "contest", "run", cup, "--auto")[1]


def test_too_few_or_too_many_who_advance_are_counted(tmp_path, capsys, typed):
    cup = tmp_path / "cup"
    make(capsys, cup, "qualifier", "A=greedy", "B=greedy", "C=greedy", "--bot", "greedy")
    path = cup / "contest.toml"
    path.write_text(path.read_text().replace("# advance = 8", "advance = 2").replace("# games = 1", "games = 1"))
    told = hold(capsys, typed, cup, "auto", "advance A", "advance A B C", "advance B C", "quit")
    assert "A, 2 B, 3 C are tied for the last 2 places" in told
    assert "1 more must advance, of 2 B, 3 C\n" in told
    assert "too many advance: 2 places are left for those who are tied\n" in told
    assert "next: play final" in told
