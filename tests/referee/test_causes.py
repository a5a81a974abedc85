"""Why a bot failed: what its author sees in play, match, self-play and arena, in replays and on pages."""

import contextlib
import json
import shlex
import socket
import sys
import threading
import time

import pytest

import masume
from masume import cli, render
from masume.chaser.client import Client
from masume.core.trace import own_traceback
from masume.records import replay
from masume.records.replay import Blame, Replay
from masume.terraforming import blocks
from masume.terraforming.blocks import MAX_TOLD, Turn
from masume.terraforming.stdio import why_illegal
from masume.web.facts import list_notes
from masume.web.films import Film
from masume.web.match import Match, Playback
from shell import run, run_json

BOTS = """
import random

class Fine:
    name = "fine"

    def start(self, game, player, seed):
        self.asked = 0

    def act(self, view):
        self.asked += 1
        return self.choose(view)

    def choose(self, view):
        return int(view.legal_actions()[-1])

    def close(self):
        pass

class Raises(Fine):
    name = "raises"

    def choose(self, view):
        if self.asked == 2:
            return {}["a key"]
        return super().choose(view)

class Exits(Fine):
    def choose(self, view):
        raise SystemExit("enough")

class Inner(Fine):
    def choose(self, view):
        view.legal_actions("no slot")

class AtStart(Fine):
    def __init__(self):
        raise OSError(2, "No such file", "weights.bin")
"""
DIES = """
import sys
for line in sys.stdin:
    if '"hello"' in line:
        print('{"t":"hello","version":1,"name":"dies","accept":["chaser"]}', flush=True)
    elif '"setup"' in line:
        print('{"t":"ready","match":"m1"}', flush=True)
    elif '"act"' in line:
        print("thinking\\x1b[2J", file=sys.stderr)
        raise RuntimeError("out of ideas")
"""
STDIO = """
import sys
name = "skips\\n"
for line in sys.stdin:
    if line == "EOS\\n":
        print(name or "fly\\nmove 0 0 r 1\\nmove 99 0 r 1\\nfinish\\n", end="", flush=True)
        name = ""
"""
DUEL = ("chaser", "--map", "duel")


@pytest.fixture
def bots(tmp_path, monkeypatch):
    """A folder with bots; a function that returns the command of a program in it."""
    for name, text in {"causes": BOTS, "dies": DIES, "stdio": STDIO}.items():
        (tmp_path / f"{name}.py").write_text(text)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    yield lambda name: f"{shlex.quote(sys.executable)} {name}.py"
    sys.modules.pop("causes", None)


TRACEBACK = ["in choose", 'return {}["a key"]', "KeyError: 'a key'"]


@pytest.mark.parametrize("command", ["play", "selfplay"])
def test_a_traceback_shows_the_frames_of_the_agent(capsys, bots, command):
    code, _, told = run(capsys, command, *DUEL, "--agents", "py:causes:Raises", "safe")
    assert code == 1
    assert "masume: raises: player 0" in told
    for text in TRACEBACK:
        assert text in told
    assert "    | Traceback (most recent call last):\n" in told
    assert "masume/play" not in told


def test_match_shows_a_traceback_and_the_end_of_stderr(capsys, bots):
    command = f"json:{bots('dies')}"
    code, output, _ = run(capsys, "match", *DUEL, "--agents", command, "py:causes:Raises", "--games", 2)
    assert code == 0
    assert "closed: the program ended with exit code 1\n    | thinking\\x1b[2J\n    | Traceback" in output
    assert "    | RuntimeError: out of ideas\n" in output
    code, output, _ = run(capsys, "match", *DUEL, "--agents", "py:causes:Raises", "safe")
    assert all(f"{text}\n" in output for text in TRACEBACK)


def test_arena_tells_the_causes_below_the_table(capsys, bots, tmp_path):
    pytest.importorskip("openskill")
    out = tmp_path / "arena"
    arguments = ("arena", *DUEL, "--agents", "py:causes:Raises", "safe", "--games", 2, "--jobs", 1, "--out", out)
    code, output, _ = run(capsys, *arguments)
    assert code == 0
    assert "py:causes:Raises: crash, 2 times; in move " in output
    assert all(f"{text}\n" in output for text in TRACEBACK)
    (fault, *_) = json.loads((out / "games.jsonl").read_text().splitlines()[1].partition("\t")[0])["games"][0]["faults"]
    assert fault[:3] == [0, "crash", "KeyError: 'a key'"]
    assert "in choose" in fault[4]
    assert "in choose" in (out / "arena.html").read_text()


def test_an_agent_that_cannot_be_made_shows_where(capsys, bots):
    code, _, told = run(capsys, "play", *DUEL, "--agents", "py:causes:AtStart", "safe")
    assert (code, "line" in told, "weights.bin" in told, "import_module" in told) == (1, True, True, False)


def test_only_the_own_frames_are_in_a_traceback(bots):
    import causes

    game = masume.load("chaser")
    agent = causes.Inner()
    agent.start(game, 0, 0)
    with pytest.raises(ValueError, match="expected an int") as caught:
        agent.act(masume.View(game.new_state(0), 0))
    told = own_traceback(caught.value)
    assert told.count("  File ") == told.count("causes.py")
    assert "in choose" in told
    with pytest.raises(SyntaxError) as caught:
        compile("def f(:", "bot.py", "exec")
    assert 'File "bot.py", line 1' in own_traceback(caught.value)
    with pytest.raises(ValueError, match="xxx") as caught:
        exec(compile("raise ValueError('x' * 20_000)", "bot.py", "exec"))
    assert 'File "bot.py", line 1' in own_traceback(caught.value)
    assert len(own_traceback(caught.value)) < 5000
    assert own_traceback(ValueError("of masume alone")) == ""


def test_a_replay_keeps_the_causes(capsys, bots, tmp_path):
    out = tmp_path / "games.jsonl"
    run(capsys, "match", *DUEL, "--agents", "py:causes:Raises", "safe", "--out", out)
    (one,) = replay.load(out)
    (note,) = one.notes
    assert note[:4] == (0, note.ply, "crash", "KeyError: 'a key'")
    assert "in choose" in note.log
    _, output, _ = run(capsys, "view", out)
    assert output.index("COOL to move") < output.index("    | KeyError: 'a key'") < output.rindex("CHaser")
    assert run_json(capsys, "view", out)["replays"][0]["notes"] == [note._asdict()]
    page = render.page([one], title="x")
    data = json.loads(page.partition('id="data">')[2].partition("</script>")[0])
    assert data["games"][0]["noted"] == [list(note)]
    assert "noted" not in json.loads(
        render.page([Replay(one.game, one.seed, one.names, [], [0.0, 0.0], [0, 0])], title="x")
        .partition('id="data">')[2].partition("</script>")[0]
    )["games"][0]  # fmt: skip


@pytest.mark.parametrize(
    "wrong",
    [{"player": 2}, {"player": -1}, {"ply": 99}, {"cause": 3}, {"log": None}, {"detail": []}, {"ply": True}],
    ids=str,
)
def test_a_damaged_note_is_told(bots, tmp_path, wrong):
    game = masume.load("chaser", map="duel")
    state = game.new_state(0)
    one = Replay(game, 0, ["a", "b"], [], state.returns().tolist(), state.scores().tolist())
    one.notes = [Blame(0, 0, "crash", "x")]
    *lines, last = one.to_lines()
    last = json.loads(last)
    last["notes"][0] |= wrong
    (tmp_path / "x.jsonl").write_text("\n".join([*lines, json.dumps(last)]) + "\n")
    with pytest.raises(masume.ReplayError):
        replay.load(tmp_path / "x.jsonl")


def test_the_page_of_a_match_moves_to_the_position():
    """A note is told after the end; frames say how many moves came before, except to those who do not see all."""
    game = masume.load("chaser", map="duel")
    match = Match(game, 0, ["a", "b"], Playback())
    match.advance([8, 8], ["a", "b"], [None, None])
    assert list_notes(match, "en") == []
    one = Replay(game, 0, ["a", "b"], match.moves, [0.0, 0.0], [0, 0], notes=[Blame(1, 1, "skipped", "x", "secret")])
    match.finish(one)
    assert list_notes(match, "en") == [[1, 1, "skipped", "x"]]
    assert match.notes == list(one.notes)
    film, hidden = Film(game.new_state(0), None, "en"), Film(game.new_state(0), 0, "en")
    for its in (film, hidden):
        its.follow([8, 8], 9)
    assert [json.loads(frame)["ply"] for frame in film.frames] == [0, 1, 2]
    assert not any("ply" in json.loads(frame) for frame in hidden.frames)


# -- Terraforming's stdio -----------------------------------------------------------------------------


def test_skipped_commands_are_told_with_the_reason(capsys, bots, tmp_path):
    out = tmp_path / "games.jsonl"
    short = ("match", "terraforming", "--set", "max_turns=2")
    code, output, _ = run(capsys, *short, "--agents", f"cmd:{bots('stdio')}", "random", "random", "--out", out)
    assert code == 0
    assert "  player 0, move 1: skipped: 'move 99 0 r 1': the board has no cell 99 0\n" in output
    assert "  player 0, move 1: skipped: 'move 0 0 r 1': the cell is not yours [M5]\n" in output
    assert "  player 0: 1 more of these\n" in output
    (one,) = replay.load(out)
    assert [note.cause for note in one.notes] == ["skipped"] * 6
    with pytest.raises(SystemExit, match="1"):
        run(capsys, *short, "--check", f"cmd:{bots('stdio')}")
    output = capsys.readouterr().out
    assert output.count("passed") == output.count("FAILED") == 3
    assert "player 2: skipped: move " in output


def test_of_many_skipped_lines_the_first_are_explained(monkeypatch):
    monkeypatch.setattr(blocks, "MAX_LINES", 50)
    game = masume.load("terraforming")
    turn = Turn(game.config, game.new_state(0))
    for _ in range(53):
        turn.take("fly")
    told = turn.remarks(why_illegal)
    assert len(told) == MAX_TOLD + 1
    assert told[0].startswith("'fly': expected move X Y DIR AMOUNT")
    assert told[-1] == f"{53 - MAX_TOLD} more lines"


# -- clients of servers ---------------------------------------------------------------------------------


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as found:
        return found.getsockname()[1]


def outcome_of(capsys, arguments, client):
    """Return the exit code and output of `masume serve ... --check`, while `client(k)` is called for both sides."""
    errors = []

    def play():
        try:
            for k in range(2):
                client(k)
        except Exception as error:
            errors.append(error)

    thread = threading.Thread(target=play, daemon=True)
    thread.start()
    try:
        code = cli.main(["serve", *arguments, "--check", "--no-page"])
    except SystemExit as end:
        code = end.code
    thread.join(60)
    assert not errors
    return code, capsys.readouterr().out


@pytest.mark.parametrize("is_good", [True, False])
def test_a_client_of_chasers_server_is_tested_from_both_sides(capsys, tmp_path, monkeypatch, is_good):
    monkeypatch.chdir(tmp_path)
    ports = free_port(), free_port()

    def client(k):
        with Client(ports[k], "bot", wait_s=60) as found, contextlib.suppress(ConnectionError):
            while not found.is_over:
                found.get_ready()
                if not found.is_over:
                    found.search_up() if is_good else found._play("fly")

    arguments = ["chaser", "--map", "duel", "--cool-port", str(ports[0]), "--hot-port", str(ports[1])]
    code, output = outcome_of(capsys, arguments, client)
    assert code == (0 if is_good else 1)
    assert output.count("passed " if is_good else "FAILED ") == 2
    assert "player 1: 'bot'" in output or "expected a method, got 'fly'" in output
    assert not list(tmp_path.glob("replays/*"))


def test_a_client_of_the_course_server_is_tested_from_both_sides(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    port = free_port()

    def client(_):
        end = time.monotonic() + 60
        while True:
            try:
                connection = socket.create_connection(("127.0.0.1", port))
                break
            except ConnectionRefusedError:
                assert time.monotonic() < end
                time.sleep(0.05)
        with connection:
            connection.sendall(b"course bot\nno places\n")
            while connection.recv(4096):
                pass

    code, output = outcome_of(capsys, ["battleship", "--port", str(port)], client)
    assert code == 1
    assert output.count("FAILED ") == 2
    assert "player 0: move " in output
    assert "player 1: move " in output
