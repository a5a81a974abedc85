"""Contests from beginning to end, over real sockets and processes, with kill -9 in between."""

import asyncio
import contextlib
import json
import random
import shutil
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import masume
from chaser_client import play
from masume.bots import LANGUAGES
from masume.bots import write as write_bot
from masume.contest import runner, words
from masume.contest.events import StageDrawn
from masume.contest.journal import FILE, EventLog
from masume.contest.kept import Contest
from masume.contest.steps import ChooseAdvancing, Over

HERE = Path(__file__).parent
BOT = HERE.parent / "json_bot.py"
WAIT_S = 300
COMMAND = [sys.executable, "-m", "masume"]


def free_ports(number):
    """Return the numbers of ports that nobody uses now, and that no system gives to clients: one would meet itself."""
    found = []
    while len(found) < number:
        port = random.randrange(12_000, 32_000)
        with socket.socket() as one, contextlib.suppress(OSError):
            one.bind(("127.0.0.1", port))
            found.append(port)
    return found


@contextlib.contextmanager
def clients(ports):
    """Keep a client on each of these ports, which plays one game after the other, for the block."""
    is_over = threading.Event()

    def serve(name, port):
        while not is_over.is_set():
            play(port, name, wait_s=WAIT_S, is_over=is_over.is_set)

    threads = [threading.Thread(target=serve, args=one, daemon=True) for one in ports.items()]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        is_over.set()
        for thread in threads:
            thread.join(WAIT_S)


def start(folder, *arguments, **keywords):
    command = [*COMMAND, "contest", "run", str(folder), *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", **keywords)


def hold_until(folder, number):
    """Hold a contest until its journal has so many lines; then kill the command."""
    path = folder / FILE
    process = start(folder, "--auto", stdin=subprocess.DEVNULL)
    deadline = time.monotonic() + WAIT_S
    while (path.read_bytes().count(b"\n") if path.exists() else 0) < number:
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.005)
    process.kill()
    process.communicate()
    assert len(EventLog(folder).lines) >= number


def hold(folder, kill_at=()):
    """Hold a contest to its end by the command line, which is killed when its journal has these numbers of lines."""
    for number in kill_at:
        hold_until(folder, number)
    while True:
        process = start(folder, "--auto", stdin=subprocess.DEVNULL)
        told, _ = process.communicate(timeout=WAIT_S)
        assert process.returncode == 0, told
        step = Contest(folder).state.step()
        if isinstance(step, Over):
            return told
        assert isinstance(step, ChooseAdvancing), told  # the organiser takes the first of those who are tied
        chosen = " ".join(map(str, step.tied[: step.places - len(step.sure)]))
        process = start(folder, stdin=subprocess.PIPE)
        told, _ = process.communicate(f"advance {chosen}\n", timeout=WAIT_S)
        assert process.returncode == 0, told


def write(folder, head, entries):
    folder.mkdir()
    text = head + "".join(f"[[entry]]\nname = '{name}'\nplay = '{play}'\n" for name, play in entries.items())
    (folder / "contest.toml").write_text(text, encoding="utf-8")
    return folder


def result_of(folder):
    return words.to_dict(Contest(folder).state)


def client_program(name):
    return f"client:{sys.executable} {HERE.parent / 'chaser_client.py'} {{port}} {{name}}"


def test_network_clients_and_programs_that_are_started_meet_agents(tmp_path):
    """A league of a client with a port, a client that masume starts, a JSON-lines program and an agent."""
    (port,) = free_ports(1)
    folder = write(
        tmp_path / "cup",
        'game = "chaser"\nformat = "league"\nmaps = ["duel"]\n',
        {
            "far": f"port:{port}",
            "部品": client_program("b"),
            "lines": f"cmd:{sys.executable} {BOT} good",
            "near": "greedy",
        },
    )
    with clients({"far": port}):
        hold(folder, kill_at=(4,))
    found = result_of(folder)
    (stage,) = found["stages"]
    assert [match["state"] for match in stage["matches"]] == ["confirmed"] * 6
    faults = [fault for match in stage["matches"] for game in match["games"] for fault in game["faults"]]
    assert faults == []
    assert {row["name"] for row in stage["rows"]} == {"far", "部品", "lines", "near"}
    assert any("a word for the log" in path.read_text() for path in (folder / "logs").iterdir())


def test_a_client_that_ends_before_it_connects_loses_and_the_contest_goes_on(tmp_path):
    ends = f"client:{sys.executable} -c 'import sys; sys.exit({{port}} and 3)'"
    folder = write(tmp_path / "cup", 'game = "chaser"\nformat = "single"\nmaps = ["duel"]\n', {"a": "greedy"})
    with (folder / "contest.toml").open("a") as file:
        file.write(f'[[entry]]\nname = "b"\nplay = """{ends}"""\n')
    told = hold(folder)
    assert "game 1: b, move 1: not started: the program ended with exit code 3 before it connected" in told
    assert result_of(folder)["stages"][0]["rows"][0]["name"] == "a"


GROUPS = """
title = "秋のカップ"
game = "chaser"
format = "groups"
maps = ["duel", "rooms", "spiral"]
[groups]
number = 3
"""


KAKOMIMASU = """
game = "kakomimasu"
format = "league"
games = 1
[set]
total_turns = 10
width = 10
height = 10
n_agents = 2
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="kill -9")
def test_an_evening_of_thirteen_clients(tmp_path):
    """Groups, then a bracket, two-game matches on three maps; killed at six commit points with the same result."""
    names = [f"team{k}" for k in range(1, 14)]
    ports = dict(zip(names, free_ports(13), strict=True))
    entries = {name: f"port:{port}" for name, port in ports.items()}
    with clients(ports):
        hold(write(tmp_path / "whole", GROUPS, entries))
        hold(write(tmp_path / "killed", GROUPS, entries), kill_at=range(2, 60, 10))
    found = result_of(tmp_path / "whole")
    assert [stage["name"] for stage in found["stages"]] == ["groups", "bracket"]
    assert [len(stage["matches"]) for stage in found["stages"]] == [10 + 6 + 6, 6]
    assert found == result_of(tmp_path / "killed")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="kill -9")
def test_a_league_of_six_programs(tmp_path):
    """Six programs over stdin and stdout, killed at every sixth commit."""
    bots = {f"bot {k}": f"cmd:{sys.executable} {BOT} good" for k in range(6)}
    head = KAKOMIMASU
    hold(write(tmp_path / "whole", head, bots))
    hold(write(tmp_path / "killed", head, bots), kill_at=range(2, 32, 6))
    found = result_of(tmp_path / "whole")
    assert len(found["stages"][0]["matches"]) == 15
    replays = [path.read_text().split("\n", 1)[0] for path in (tmp_path / "whole" / "replays").glob("*.jsonl")]
    boards = [tuple(json.loads(head)["config"]["points"]) for head in replays]
    assert len(boards) == 15
    assert sorted(boards.count(board) for board in set(boards)) == [3] * 5  # one for each round
    assert found == result_of(tmp_path / "killed")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="kill -9")
def test_an_evening_of_programs_in_six_languages(tmp_path, monkeypatch):
    """From `check` to the last sheet: eight programs, killed at every commit point, taken to another folder midway."""
    plays = []
    for n, name in enumerate([*LANGUAGES, "python", "c"]):
        folder = tmp_path / "bots" / f"{n}"
        commands = write_bot(masume.load("chaser"), name, folder)
        if commands.build:
            subprocess.run(commands.build, shell=True, cwd=folder, check=True)
        plays.append(f"T{n}=cmd:cd bots/{n} && exec {LANGUAGES[name].run}")
    monkeypatch.chdir(tmp_path)

    def masume_contest(*arguments):
        done = subprocess.run([*COMMAND, "contest", *arguments], stdout=subprocess.PIPE, encoding="utf-8", check=True)
        return done.stdout

    new = ("--game", "chaser", "--format", "groups", "--maps", "duel", "spiral", "--games", "1", "--agents", *plays)
    masume_contest("new", "cup", *new)
    told = masume_contest("check", "cup", "--sheet", "before.html")
    assert told.count(": plays (") == 8
    shutil.rmtree("bots")
    hold_until(Path("cup"), 12)
    half = EventLog(Path("cup")).lines
    masume_contest("show", "cup", "--zip", "half.zip")
    masume_contest("new", "laptop", "--from", "half.zip")
    shutil.rmtree("cup")
    hold(Path("laptop"), kill_at=range(13, 34))
    found = result_of(Path("laptop"))
    assert EventLog(Path("laptop")).lines[: len(half)] == half  # nothing confirmed is lost
    assert [len(stage["matches"]) for stage in found["stages"]] == [12, 4]
    assert not [fault for stage in found["stages"] for match in stage["matches"] for game in match["games"]
                for fault in game["faults"]]  # fmt: skip
    told = masume_contest("show", "laptop", "--csv", "results")
    assert "the starts of all 16 matches follow from the lots" in told
    masume_contest("check", "laptop", "--sheet", "after.html")
    assert Path("after.html").read_text("utf-8").count("games, ") == 16


HTTP = """
import sys
sys.path.insert(0, sys.argv.pop(1))
from kakomimasu_client import wait_for_players
from masume.http import server
from masume.kakomimasu.venue import Venue
open_ = Venue.open
async def open_patiently(venue):
    wait_for_players(venue)
    await open_(venue)
Venue.open, server.LEAVE_S = open_patiently, 0.0
from masume.__main__ import main
sys.exit(main())
"""
"""The command line with a match server whose clock waits for its clients, so that the result depends on them alone."""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="kill -9")
def test_a_league_of_four_http_clients(tmp_path, monkeypatch):
    """Four clients under their accounts; killed at every commit point with the same result."""
    pytest.importorskip("uvicorn")
    import kakomimasu_client

    monkeypatch.setitem(globals(), "COMMAND", [sys.executable, "-c", HTTP, str(HERE.parent)])
    (port,) = free_ports(1)
    accounts = [{"name": f"team{k}", "bearerToken": f"token{k}"} for k in range(1, 5)]
    entries = {one["name"]: f"user:{one['name']}" for one in accounts}
    is_over = threading.Event()

    def serve(token):
        while not is_over.is_set():
            kakomimasu_client.play(f"http://127.0.0.1:{port}", token, is_over.is_set)

    threads = [threading.Thread(target=serve, args=(one["bearerToken"],), daemon=True) for one in accounts]
    for thread in threads:
        thread.start()
    try:
        for name, kill_at in (("whole", ()), ("killed", range(1, 14))):
            head = KAKOMIMASU.replace("[set]", f"port = {port}\n[set]").replace("= 10", "= 4")
            folder = write(tmp_path / name, head, entries)
            (folder / "users.json").write_text(json.dumps(accounts))
            hold(folder, kill_at=kill_at)
    finally:
        is_over.set()
        for thread in threads:
            thread.join(WAIT_S)
    found = result_of(tmp_path / "whole")
    (stage,) = found["stages"]
    assert [match["state"] for match in stage["matches"]] == ["confirmed"] * 6
    assert not [fault for match in stage["matches"] for game in match["games"] for fault in game["faults"]]
    assert found == result_of(tmp_path / "killed")


def test_clients_on_the_ports_of_their_sides(tmp_path, monkeypatch):
    """Each team connects to the port of its side in each game; a client of another name is sent away."""
    from masume.chaser import server

    cool, hot = free_ports(2)
    monkeypatch.setattr(server, "COOL_PORT", cool)
    monkeypatch.setattr(server, "HOT_PORT", hot)
    contest = Contest(
        write(
            tmp_path / "cup",
            'game = "chaser"\nformat = "single"\nmaps = ["duel"]\ntimeout = 60\n',
            {"青": "port:side", "red": "port:side"},
        )
    )
    contest.do(StageDrawn(0, [1, 2]))
    is_over = threading.Event()

    def serve(name, ports):
        for port in ports:
            play(port, name, wait_s=WAIT_S, is_over=is_over.is_set)

    # a stranger comes to COOL's port first, and is told to go; then each team plays both sides
    whole = [("青", (cool, hot)), ("red", (hot, cool))]
    told, threads = [], [threading.Thread(target=serve, args=one, daemon=True) for one in whole]
    begun = []

    def say(line):
        told.append(line)
        if line.startswith("青: COOL: waiting on") and not begun:
            begun.append(threading.Thread(target=serve, args=("stranger", (cool,)), daemon=True))
            begun[0].start()
        elif "stranger does not play here now: 青 does" in line:
            for thread in threads:
                thread.start()

    records = asyncio.run(runner.play_match(contest, contest.state.step().match, say))
    is_over.set()
    for thread in threads + begun:
        thread.join(WAIT_S)
    assert [record.replay.names for record in records] == [["青", "red"], ["red", "青"]]
    assert [record.faults for record in records] == [[], []]
    assert sum("stranger does not play here now" in line for line in told) == 1
