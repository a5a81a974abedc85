"""Programs belong to a contest: copied, known by their SHA-256, taken along, and noticed when they change."""

import asyncio
import hashlib
import os
import shlex
import shutil
import sys
from pathlib import Path

import pytest

import masume
from masume.contest import programs
from masume.contest.desk import Desk
from masume.contest.events import Played
from masume.contest.exchange import read_zip, write_zip
from masume.contest.kept import Contest
from shell import run, run_json

BOT = Path(__file__).parents[1] / "json_bot.py"
PYTHON = shlex.quote(sys.executable)
posix = pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A folder with a bot in a file, and one in a folder with a file of its own."""
    home = tmp_path / "the organiser's"
    (home / "bots" / "ann").mkdir(parents=True)
    shutil.copy(BOT, home / "bots" / "bob.py")
    shutil.copy(BOT, home / "bots" / "ann" / "mind.py")
    (home / "bots" / "ann" / "__main__.py").write_text("import mind\n")
    monkeypatch.chdir(home)
    return home


def make(capsys, folder, *agents):
    arguments = ("--game", "chaser", "--maps", "duel", "--format", "league", "--seed", "1", "--agents", *agents)
    code, told, error = run(capsys, "contest", "new", folder, *arguments)
    assert (code, error) == (0, ""), error
    return told


def test_programs_are_copied_and_play_on_another_machine(home, capsys):
    make(
        capsys, "cup", f"Ann=cmd:{PYTHON} bots/ann good", f"Bob=cmd:cd bots && {PYTHON} 'bots/bob.py' good", "C=greedy"
    )
    contest = Contest("cup")
    ann, bob, other = contest.state.entries.values()
    assert ann.play.startswith(f"cmd:{PYTHON} {{here}}/programs/1-{ann.sha256[:12]}/ann ")
    assert "{here}/programs/2-" in bob.play
    assert (other.play, other.sha256) == ("greedy", "")
    shutil.rmtree(home / "bots")  # what was handed in is kept
    (home / "bots").mkdir()
    assert run(capsys, "contest", "run", "cup", "--auto")[0] == 0
    played = [line.event for line in Contest("cup").journal.lines if isinstance(line.event, Played)]
    assert [one.programs for one in played] == [
        [contest.state.entries[number].sha256 for number in one.entries] for one in played
    ]
    assert not any(fault for one in played for game in one.games for fault in game.faults)
    write_zip(Path("cup"), "cup.zip")
    shutil.rmtree("cup")
    read_zip(Path("cup.zip"), Path("laptop"))
    asyncio.run(Desk(Contest("laptop"), lambda _line: None).do("undo"))
    assert run(capsys, "contest", "run", "laptop", "--auto")[0] == 0
    again = [line.event for line in Contest("laptop").journal.lines if isinstance(line.event, Played)]
    assert again[-1].programs == played[-1].programs


def test_a_digest_is_that_of_names_modes_and_content(home):
    play, digest = programs.adopt(Path("cup"), 3, "cmd:python3 bots/bob.py good")
    mode = b"x" if os.access("bots/bob.py", os.X_OK) and os.name == "posix" else b"-"
    data = BOT.read_bytes()
    assert digest == hashlib.sha256(b"bob.py\0" + mode + f"{len(data)}\0".encode() + data).hexdigest()
    assert play == f"cmd:python3 {{here}}/programs/3-{digest[:12]}/bob.py good"
    assert programs.adopt(Path("cup"), 3, "cmd:python3 bots/bob.py good") == (play, digest)
    assert programs.locate(Path("cup"), play) == (
        f"cmd:python3 {shlex.quote(str(home / 'cup'))}/programs/3-{digest[:12]}/bob.py good"
    )
    assert programs.adopt(Path("cup"), 3, play) == (play, digest)  # it is there


@pytest.mark.parametrize(
    "play", ["greedy", "port:2009", "tcp:7000", "cmd:python3 -c 'print(1)'", "py:bots.bob:Bot", ""]
)
def test_what_names_no_file_stays_as_it_is(home, play):
    assert programs.adopt(Path("cup"), 1, play) == (play, "")
    assert not (home / "cup").exists()


def test_a_changed_program_is_noticed(home, capsys):
    make(capsys, "cup", f"Ann=cmd:{PYTHON} bots/bob.py good", "B=random")
    contest = Contest("cup")
    entry = contest.state.entries[1]
    (home / "cup" / "programs" / f"1-{entry.sha256[:12]}" / "bob.py").write_text("raise SystemExit\n")
    told = run(capsys, "contest", "run", "cup", "--auto")[1]
    assert "Ann: its files in cup/programs have changed since they were handed in" in told.replace(os.sep, "/")
    (line,) = [line for line in Contest("cup").journal.lines if isinstance(line.event, Played)]
    assert line.event.programs[0] not in ("", entry.sha256)


def test_a_desk_copies_what_is_handed_in_and_refuses_what_cannot_be_started(home, capsys):
    make(capsys, "cup", "Ann=", "B=random")
    contest, said = Contest("cup"), []
    desk = Desk(contest, said.append)
    assert asyncio.run(desk.do(f"hand Ann cmd:{PYTHON} bots/bob.py good"))
    assert contest.state.entries[1].sha256
    for line in ("hand Ann cmd:./nothing", "late Cid=cmd:./nothing"):
        assert not asyncio.run(desk.do(line))
        assert said[-1] == "nothing was handed in"
        assert "cannot be started here" in "\n".join(said)
    assert len(contest.state.entries) == 2
    assert Contest("cup").state.entries == contest.state.entries


def test_entries_of_an_edited_plan_are_told_to_be_elsewhere(home, capsys):
    make(capsys, "cup", "Ann=", "B=random")
    path = home / "cup" / "contest.toml"
    path.write_text(path.read_text().replace('play = ""', f'play = "cmd:{PYTHON} bots/bob.py good"'))
    told = run(capsys, "contest", "run", "cup", "--auto")[1]
    assert "Ann: its files are not in the contest's folder: `hand 1 PROGRAM` copies them there" in told


def test_journals_from_before_have_no_digests(home, capsys):
    make(capsys, "cup", "A=greedy", "B=random")
    contest = Contest("cup")
    asyncio.run(Desk(contest, lambda _line: None).do("auto"))
    lines = [line.to_json() for line in contest.journal.lines]
    for line in lines:
        line.pop("programs", None)
    assert [type(contest.journal.lines[0]).from_json(line).event.__class__ for line in lines] == [
        line.event.__class__ for line in contest.journal.lines
    ]


@posix
def test_links_and_large_folders_are_refused(home, monkeypatch):
    (home / "bots" / "ann" / "weights").symlink_to("/etc/passwd")
    with pytest.raises(masume.ConfigError, match=r"ann/weights: expected files and folders, no links"):
        programs.adopt(Path("cup"), 1, "cmd:python3 bots/ann")
    (home / "bots" / "ann" / "weights").unlink()
    monkeypatch.setattr(programs, "MAX_FILES", 1)
    with pytest.raises(masume.ConfigError, match=r"bots/ann: expected at most 1 files of 64 MiB in all"):
        programs.adopt(Path("cup"), 1, "cmd:python3 bots/ann")
    assert [path.name for path in (home / "cup" / "programs").iterdir()] == []


@posix
def test_what_can_be_run_can_be_run_after_the_zip(home, capsys):
    (home / "bots" / "bob.py").chmod(0o755)
    make(capsys, "cup", "A=greedy", "B=random")
    play, digest = programs.adopt(Path("cup"), 1, "cmd:bots/bob.py good")
    write_zip(Path("cup"), "cup.zip")
    read_zip(Path("cup.zip"), Path("laptop"))
    assert programs.digest_of(Path("laptop"), play) == digest
    assert run_json(capsys, "contest", "show", "laptop")["entries"][0]["name"] == "A"
