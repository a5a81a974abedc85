"""`masume match` and `masume serve`: output, verdicts and replays, errors, Ctrl-C."""

import contextlib
import json
import os
import pty
import re
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from subprocess import PIPE

import pytest

from masume import cli, load
from masume.commands.serve import servers
from masume.core.rng import stream
from masume.records import replay
from shell import run, run_json

HERE = Path(__file__).parents[1]
TINY = ["--set", "width=2", "--set", "height=2", "--set", "n_agents=1", "--set", "total_turns=3"]


# -- match -------------------------------------------------------------------------------------


def test_match_plays_with_rotating_seats_and_sums_up(capsys, tmp_path):
    out = tmp_path / "games.jsonl"
    code, output, _ = run(
        capsys, "match", "chaser", "--map", "duel", "--agents", "greedy", "safe", "--games", "4", "--seed", "9",
        "--out", out,
    )  # fmt: skip
    assert code == 0
    *games, _, head, first, second = output.splitlines()
    assert len(games) == 4
    assert all(
        re.fullmatch(r"game \d: \w+ \d+, \w+ \d+: (player [01] \(\w+\)|nobody) won, [A-Z]+", row) for row in games
    )
    assert head.split() == ["name", "seats", "won", "at", "fault"]
    assert (first.split()[:2], second.split()[:2]) == (["greedy", "4"], ["safe", "4"])
    found = replay.load(out)
    assert [one.names for one in found] == [["greedy", "safe"], ["safe", "greedy"]] * 2
    assert [one.seed for one in found] == [stream(9, k) >> 1 for k in range(4)]
    assert all(one.reason and one.ms for one in found)


@pytest.mark.skipif(sys.platform == "win32", reason="a command of the shell")
def test_programs_get_no_variable_that_is_not_handed_on(capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("PLANTED_SECRET", "s3cret")
    monkeypatch.delenv("MASUME_ENV", raising=False)
    bot = f"json:env >&2; exec {sys.executable} {HERE / 'json_bot.py'} first"
    told = run_json(capsys, "match", "chaser", "--map", "duel", "--agents", bot, "greedy")["games"][0]["logs"][0]
    assert "PATH=" in told
    assert "s3cret" not in told
    more = ["--map", "duel", "--agents", bot, "greedy", "--env", "PLANTED_SECRET"]
    told = run_json(capsys, "match", "chaser", *more)["games"][0]["logs"][0]
    assert "PLANTED_SECRET=s3cret\n" in told
    assert "MASUME_ENV" not in os.environ
    more[-1] = "NOWHERE_9"
    for command in ("match", "arena", "selfplay"):
        code, _, error = run(capsys, command, "chaser", *more, "--games", "2")
        assert (code, error.splitlines()[-1]) == (1, "masume: env: NOWHERE_9: the variable is not set")


def test_match_of_one_game_has_the_seed_itself(capsys, tmp_path):
    facts = run_json(capsys, "match", "kakomimasu", *TINY, "--seed", "5", "--out", tmp_path / "one.jsonl")
    (game,) = facts["games"]
    assert (facts["agents"], game["seed"], game["plies"], game["faults"]) == (["random"], 5, 3, [])
    assert game["names"] == ["random", "random"]
    (one,) = replay.load(tmp_path / "one.jsonl")
    assert one.scores == game["scores"]


def test_match_judges_a_bad_agent_and_goes_on(capsys, monkeypatch):
    monkeypatch.syspath_prepend(str(HERE))
    facts = run_json(capsys, "match", "chaser", "--agents", "py:players:Raises", "random", "--games", "3")
    assert [game["reason"] for game in facts["games"]] == ["FOUL"] * 3
    assert [game["winners"] for game in facts["games"]] == [[1], [0], [1]]
    assert [fault["cause"] for game in facts["games"] for fault in game["faults"]] == ["crash"] * 3
    _, output, _ = run(capsys, "match", "chaser", "--agents", "py:players:Raises", "random")
    assert "  player 0, move 1: crash: KeyError: 'lost\\nits way'" in output


def test_match_gives_a_slow_agent_no_more_time_than_its_clock(capsys, monkeypatch):
    monkeypatch.syspath_prepend(str(HERE))
    facts = run_json(capsys, "match", "chaser", "--agents", "random", "py:players:Asleep", "--clock", "move=500")
    (fault,) = facts["games"][0]["faults"]
    assert (fault["player"], fault["ply"], fault["cause"]) == (1, 1, "timeout")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["match", "chaser", "--games", "0"], "masume: games: expected 1..1000000, got 0"),
        (["match", "chaser", "--clock", "fast"], "masume: clock: expected none, or main=, move=, inc="),
        (
            ["match", "chaser", "--agents", "random", "random", "random"],
            "masume: agents: expected 2, one for each",
        ),
        (["match", "chaser", "--agents", "deep"], "masume: agents: unknown agent 'deep'"),
        (["match", "chaser", "--out", "/nowhere/at.all"], "masume: /nowhere/at.all: No such file"),
        (["serve", "chaser", "--timeout", "0"], "masume: timeout_s: expected 0.05..600, got 0.0"),
        (["serve", "chaser", "--cool-port", "70000"], "masume: cool_port: expected"),
        (["serve", "chaser", "--cool-port", "0", "--hot", "deep"], "masume: agents: unknown agent 'deep'"),
        (
            ["serve", "chaser", "--host", "999.1.1.1"],
            "masume: host: expected a name or an address of this",
        ),
        (["serve", "chaser", "--out", "/dev/null/x"], "masume: /dev/null/x: Not a directory"),
        (
            ["serve", "chaser", "--cool-port", "0", "--hot-port", "0", "--connect-timeout", "0.1"],
            "masume: no COOL and HOT after 0.1 s: no result",
        ),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_an_error_is_one_line_and_exits_with_1(arguments, message, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, _, error = run(capsys, *arguments)
    assert code == 1
    assert error.count("\n") == 1
    assert error.startswith(message)


# -- serve -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", servers())
def test_help_of_every_server_has_an_example(name, capsys):
    with pytest.raises(SystemExit):
        cli.main(["serve", name, "--help"])
    text = " ".join(capsys.readouterr().out.split())
    assert f"example: {servers()[name].example}" in text
    assert cli.parser().parse_args(servers()[name].example.split()[1:]).game == name


@pytest.fixture
def serve(tmp_path):
    """Start `masume serve chaser` on free ports; kill it at the end if it still runs."""
    started = []

    def start(*arguments, **options):
        process = subprocess.Popen(
            [
                sys.executable, "-m", "masume", "serve", "chaser", "--no-page", "--cool-port", "0", "--hot-port", "0",
                "--out", str(tmp_path / "replays"), *map(str, arguments),
            ],
            **{"stdout": PIPE, "stderr": PIPE, "stdin": subprocess.DEVNULL, "text": True, **options},
        )  # fmt: skip
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


def read_port(process, side):
    """Return the port in the next line, which says that the server waits for this side."""
    line = process.stdout.readline()
    match = re.fullmatch(rf"{side}: waiting on 127\.0\.0\.1:(\d+)\n", line)
    assert match, line
    return int(match[1])


def walker(port, name):
    """Play as a client that searches upwards until the connection ends."""
    with socket.create_connection(("127.0.0.1", port), timeout=30) as link, contextlib.suppress(ConnectionError):
        file = link.makefile("rb")
        link.sendall(name + b"\r\n")
        while file.readline():
            link.sendall(b"gr\r\n")
            if file.readline()[:1] != b"1":
                break
            link.sendall(b"su\r\n")
            file.readline()
            link.sendall(b"#\r\n")
        file.close()


def test_serve_tells_who_came_and_who_won_and_keeps_replays(serve, tmp_path):
    (tmp_path / "replays").mkdir()
    (tmp_path / "replays" / "0001.jsonl").write_text("kept")
    process = serve("--map", "duel")
    ports = [read_port(process, side) for side in ("COOL", "HOT")]
    clients = [
        threading.Thread(target=walker, args=pair, daemon=True)
        for pair in zip(ports, ("ああああい\x1b[2J".encode(), b"h"), strict=True)
    ]
    for client in clients:
        client.start()
    output, error = process.communicate(timeout=60)
    assert (process.returncode, error) == (0, "")
    assert re.search(r"^COOL: ああああ \(ああああい\[2J\) from 127\.0\.0\.1:\d+$", output, re.MULTILINE)
    assert re.search(r"^HOT: h \(h\) from 127\.0\.0\.1:\d+$", output, re.MULTILINE)
    assert "CHaser 9×7, end after 60 methods" in output
    assert "game 1: ああああ 0, h 0: nobody won, SCORE\n" in output
    path = tmp_path / "replays" / "0002.jsonl"
    assert f"replay: {path}\n" in output
    (one,) = replay.load(path)
    assert (one.names, one.reason, len(one.moves)) == (["ああああ", "h"], "SCORE", 60)
    assert cli.main(["view", str(path)]) == 0
    assert (tmp_path / "replays" / "0001.jsonl").read_text() == "kept"


def test_serve_as_json_with_agents_and_sides_that_change(serve, tmp_path):
    process = serve("--cool", "greedy", "--hot", "random", "--games", "3", "--swap", "--json", "--seed", "4")
    output, error = process.communicate(timeout=60)
    assert (process.returncode, error) == (0, "")
    games = json.loads(output)["games"]
    assert [game["names"] for game in games] == [["greedy", "random"], ["random", "greedy"], ["greedy", "random"]]
    assert [game["seed"] for game in games] == [stream(4, k) >> 1 for k in range(3)]
    for game in games:
        assert replay.load(game["replay"])[0].returns == game["returns"]


def test_serve_battleship_is_of_its_preset_and_clock(capsys, tmp_path):
    facts = run_json(
        capsys, "serve", "battleship", "--first", "random", "--second", "random", "--games", "2", "--out", tmp_path
    )
    assert [game["plies"] > 6 for game in facts["games"]] == [True, True]
    (one,) = replay.load(tmp_path / "0002.jsonl")
    assert one.game == load("battleship", "submarine")
    code, _, error = run(capsys, "serve", "battleship", "--games", "5", "--loop", "2", "--out", tmp_path)
    assert (code, error) == (1, "masume: games: expected a multiple of loop, 2, got 5\n")
    code, _, error = run(capsys, "serve", "battleship", "--preset", "classic", "--out", tmp_path)
    assert (code, error.partition(",")[0]) == (1, "masume: preset: only submarine is served")


@pytest.mark.parametrize("when", ["nobody has come", "one has come", "in the game"])
def test_serve_ends_cleanly_on_ctrl_c(serve, when, tmp_path):
    process = serve("--timeout", "60")
    ports = [read_port(process, side) for side in ("COOL", "HOT")]
    count = {"nobody has come": 0, "one has come": 1, "in the game": 2}[when]
    clients = [socket.create_connection(("127.0.0.1", port), timeout=30) for port in ports[:count]]
    try:
        for client in clients:
            client.sendall(b"x\r\n")
            assert " from " in process.stdout.readline()
        if count == 2:
            assert clients[0].recv(3) == b"@\r\n"
        process.send_signal(signal.SIGINT)
        _, error = process.communicate(timeout=30)
        assert (process.returncode, error) == (130, "masume: interrupted\n")
        for client in clients:
            assert client.recv(1) == b""
    finally:
        for client in clients:
            client.close()
    for port in ports:
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", port))
    assert list((tmp_path / "replays").iterdir()) == []


def terminal(serve, *arguments, **options):
    """Run the server on its own terminal: (process, a function that reads until a text appears)."""
    ours, theirs = pty.openpty()
    process = serve(*arguments, stdout=theirs, stderr=theirs, text=False, **options)
    os.close(theirs)
    shown = b""

    def read_until(text):
        nonlocal shown
        deadline = time.monotonic() + 60
        while text not in shown:
            assert select.select([ours], [], [], max(0, deadline - time.monotonic()))[0], shown
            try:
                shown += os.read(ours, 65536)
            except OSError:  # the other end is closed
                assert text in shown, shown
        return shown

    return process, read_until, ours


def test_serve_shows_a_moving_board_on_a_terminal(serve):
    process, read_until, ours = terminal(serve, "--cool", "greedy", "--hot", "py:players:Sleepy", env=with_players())
    shown = read_until(b"replay: ").decode()
    assert process.wait(60) == 0
    os.close(ours)
    assert shown.count("\x1b[H\x1b[J") > 2  # Sleepy takes 4 ms a turn
    assert "end after" in shown.rpartition("\x1b[H\x1b[J")[2]


def test_serve_lets_a_person_play_and_ctrl_c_ends_it(serve):
    ours, theirs = pty.openpty()
    process = serve("--cool", "human", "--hot", "random", stdin=theirs, stdout=theirs, stderr=theirs, text=False)
    os.close(theirs)
    shown = b""
    while b"Type ? to see" not in shown:
        assert select.select([ours], [], [], 60)[0], shown
        shown += os.read(ours, 65536)
    process.send_signal(signal.SIGINT)
    assert process.wait(30) == 130
    while True:
        try:
            data = os.read(ours, 65536)
        except OSError:
            break
        if not data:
            break
        shown += data
    os.close(ours)
    assert b"masume: interrupted" in shown  # what the person is shown meanwhile may come after it


def with_players():
    return os.environ | {"PYTHONPATH": str(HERE)}
