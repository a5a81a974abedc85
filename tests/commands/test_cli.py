"""All commands: output as text and as JSON, exit codes, and errors of one line."""

import io
import json
import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import masume
from masume import cli, commands, render
from masume.chaser import maps
from masume.chaser.config import Config
from masume.commands.selfplay import DEFAULT_GAMES
from masume.core._perft import perft
from masume.core.rng import stream
from masume.kakomimasu import boards
from masume.kakomimasu.replays import to_game_json
from masume.records import replay
from masume.records.replay import Replay
from shell import run, run_json

SMALL = ["--set", "width=5", "--set", "height=4", "--set", "n_agents=2", "--set", "total_turns=6", "--set", "seed=3"]
TINY = ["--set", "width=2", "--set", "height=2", "--set", "n_agents=1", "--set", "total_turns=3"]
WIDE = ["--set", "width=10", "--set", "height=10", "--set", "n_agents=1"]  # 10,201 branches: more than a pipe takes
HERE = Path(__file__).parents[1]


def start(*arguments):
    """Start the command as a process."""
    return subprocess.Popen(
        [sys.executable, "-m", "masume", *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        stdin=subprocess.PIPE, text=True, env=os.environ | {"PYTHONPATH": str(HERE)},
    )  # fmt: skip


@pytest.fixture
def board_file(tmp_path):
    """Two shipped boards in one file."""
    path = tmp_path / "boards.json"
    picked = dict(list(boards.load_shipped().items())[:2])
    path.write_text(boards.dump_boards(picked.values()))
    return path, picked


# -- all commands -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", commands.NAMES)
def test_help_of_every_command_has_an_example(name, capsys):
    with pytest.raises(SystemExit) as caught:
        cli.main([name, "--help"])
    assert caught.value.code == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "--json" in text
    assert "--seed SEED" in text
    example = commands.command(name).example
    assert f"example: {example}" in text
    program, *arguments = shlex.split(example)
    assert (program, arguments[0]) == ("masume", name)
    cli.parser().parse_args(arguments)


def test_examples_run(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    examples = {name: shlex.split(commands.command(name).example)[1:] for name in commands.NAMES}
    seconds = examples["selfplay"].index("--seconds") + 1
    examples["selfplay"][seconds:] = ["0.05", *examples["selfplay"][seconds + 1 :], "--replays", "9"]  # for speed
    for name in ("info", "play", "perft", "selfplay", "view", "match", "stage", "new", "doctor"):
        assert run(capsys, *examples[name])[0] == 0
    # arena: test_arena.py, bench: test_bench.py, contest: tests/contest, serve: test_matches.py, join: test_join.py,
    # train: tests/learn
    names = {"info", "play", "perft", "selfplay", "view", "match", "arena", "bench", "contest", "serve", "stage", "new"}
    assert set(examples) == names | {"doctor", "join", "train"}
    assert (tmp_path / "games.html").exists()


def test_the_help_of_training_names_its_page(capsys):
    with pytest.raises(SystemExit):
        cli.main(["train", "--help"])
    assert "guide: docs/learning.md" in " ".join(capsys.readouterr().out.split())
    assert (Path(__file__).parents[2] / "docs/learning.md").exists()


@pytest.mark.parametrize(
    "arguments",
    [
        [], ["fly"], ["info", "chess"], ["play"], ["perft", "kakomimasu"], ["perft", "kakomimasu", "--depth", "x"],
        ["info", "kakomimasu", "--set", "width"], ["info", "kakomimasu", "--set", "=5"],
        ["selfplay", "all", "--games", "x"], ["serve", "nezumi"], ["serve", "chaser", "--port", "5"],
    ],
    ids=" ".join,
)  # fmt: skip
def test_bad_usage_exits_with_2(arguments, capsys):
    with pytest.raises(SystemExit) as caught:
        cli.main(arguments)
    assert caught.value.code == 2
    assert "usage: masume" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["info", "kakomimasu", "--set", "width=99"], "masume: width: expected 1..30, got 99"),
        (["info", "kakomimasu", "--set", "width=wide"], "masume: width: expected an int, got 'wide'"),
        (["info", "kakomimasu", "--set", "depth=9"], "masume: depth: no such field"),
        (["info", "kakomimasu", "--set", "game=9"], "masume: game: it cannot be given by --set here"),
        (["info", "kakomimasu", "--preset", "contest"], "masume: preset: 'contest': the game has no presets"),
        (["info", "kakomimasu", "--board", "nowhere"], "masume: board: no such file, and unknown board 'nowhere'"),
        (["info", "kakomimasu", "--board", "a:b"], "masume: board: no such file, and unknown board 'a:b'"),
        (["play", "kakomimasu", "--agents", "alphago"], "masume: agents: unknown agent 'alphago' (known: random"),
        (["play", "kakomimasu", "--agents", "random", "random", "random"], "masume: agents: expected 2, one for each"),
        (["play", "kakomimasu", "--seed", "-1"], "masume: seed: expected"),
        (["play", "kakomimasu", *TINY, "--agents", "py:players:Raises"], "masume: raises: player 0, game of seed 0, "),
        (["selfplay", "all", "--games", "0"], "masume: games: expected"),
        (["selfplay", "all", "--set", "width=5"], "masume: game: 'all' takes no config"),
        (["selfplay", "all", "--starts", "0"], "masume: starts: expected"),
        (["selfplay", "kakomimasu", "--starts", "2", "--set", "seed=1"], "masume: seed: it cannot be given by --set"),
        (["info", "kakomimasu", "--set", "width=" + "[" * 100_000], "masume: width: expected an int"),
        (["info", "nezumi", "--seed", "-1"], "masume: seed: expected"),
        (["info", "kakomimasu", "--board", sys.executable], f"masume: board: {sys.executable}: not UTF-8"),
        (["play", "kakomimasu", *TINY, "--out", "/nowhere/at.all"], "masume: /nowhere/at.all: No such file"),
        (["play", "kakomimasu", "--out", "."], "masume: .: Is a directory\n"),
        (["play", "kakomimasu", "--out", ""], "masume: .: Is a directory\n"),
        (["bench", "kakomimasu", "--compare", sys.executable], "masume: compare: not a report of `masume bench"),
        (["selfplay", "kakomimasu", "--starts", "2", "--board", "nowhere"], "masume: starts: generated ones and"),
        (["selfplay", "kakomimasu", "--starts", "2", *TINY, "--set", "points=[1,2,3,4]"], "masume: points: already"),
        (["selfplay", "chaser", "--starts", "2", "--map", "duel"], "masume: starts: generated ones and"),
        (["selfplay", "chaser", "--starts", "2", "--set", "seed=1"], "masume: seed: it cannot be given by --set"),
        (["selfplay", "chaser", "--starts", "2", "--set", "n_blocks=3"], "masume: n_blocks: 3 is odd"),
        (["selfplay", "chaser", "--starts", "2", "--seed", "-1"], "masume: seed: expected"),
        (["info", "chaser", "--map", "duel", "--set", "map=x"], "masume: map: it cannot be given by --set here"),
        (["info", "chaser", "--map", "duel", "--set", "height=9"], "masume: height: expected the map's 7, got 9"),
        (["info", "chaser", "--map", sys.executable], f"masume: map: {sys.executable}: line 1, column "),
        (["info", "chaser", "--preset", "small"], "masume: preset: unknown preset 'small' (known: standard, contest"),
        (["play", "chaser", "--seed", "-1"], "masume: seed: expected"),
        (["perft", "kakomimasu", "--depth", "65"], "masume: depth: expected 0..64, got 65"),
        (["play", "chaser", "--agents", "py:players"], "masume: agents: py:players: expected MODULE:ATTR after py:"),
        (["selfplay", "chaser", "--games", "1", "--out", __file__], f"masume: {__file__}: Not a directory"),
        (["view", "/nowhere/at.all"], "masume: /nowhere/at.all: No such file or directory"),
        (["view", str(HERE / "players.py")], f"masume: {HERE / 'players.py'}:1: not JSON"),
    ],
    ids=lambda value: " ".join(value)[:80] if isinstance(value, list) else "",
)  # fmt: skip
def test_an_error_is_one_line_and_exits_with_1(arguments, message, capsys):
    code, output, error = run(capsys, *arguments)
    assert code == 1
    assert output == "" or arguments[-1] == "py:players:Raises"
    assert error.startswith(message)
    _, *log = error.splitlines()
    assert all(line.startswith("    | ") for line in log)  # the traceback of an agent
    assert bool(log) == (arguments[-1] == "py:players:Raises")


def test_ctrl_c_exits_with_130():
    process = start("selfplay", "kakomimasu", "--agents", "py:players:Sleepy", "--seconds", "60")
    assert "games" in process.stderr.readline()
    process.send_signal(signal.SIGINT)
    _, error = process.communicate(timeout=60)
    assert process.returncode == 130
    assert error.splitlines()[-1] == "masume: interrupted"


def test_a_reader_who_has_seen_enough_is_no_error():
    process = start("perft", "kakomimasu", *WIDE, "--depth", "1", "--divide")
    assert process.stdout.readline().startswith("STAY")
    process.stdout.close()
    assert process.wait(timeout=60) == 0
    assert process.stderr.read() == ""
    process.stderr.close()
    process.stdin.close()


def test_a_terminal_that_cannot_show_a_sign_shows_the_rest():
    blind = os.environ | {"PYTHONIOENCODING": "ascii"}
    command = [sys.executable, "-m", "masume", "info", "chaser", "--map", "duel"]
    output = subprocess.run(command, env=blind, capture_output=True, check=True).stdout
    assert b"CHaser 9?7, turn 1 of 30, COOL to move" in output


def test_help_lists_all_commands_and_has_an_example(capsys):
    with pytest.raises(SystemExit):
        cli.main(["--help"])
    *_, example = (output := capsys.readouterr().out).splitlines()
    listed = [line.split()[0] for line in output.splitlines() if line.startswith("    ") and line[4] != " "]
    assert listed == list(commands.NAMES)
    assert cli.parser().parse_args(shlex.split(example)[2:])


def test_the_version_is_the_packages(capsys):
    with pytest.raises(SystemExit):
        cli.main(["--version"])
    assert capsys.readouterr().out == f"masume {masume.__version__}\n"


# -- info -------------------------------------------------------------------------------------


def test_info_lists_the_games(capsys):
    code, output, _ = run(capsys, "info")
    assert code == 0
    head, *rows = output.splitlines()
    assert head.split()[:2] == ["game", "players"]
    assert [row.split()[0] for row in rows] == list(masume.games())
    assert [facts["game"] for facts in run_json(capsys, "info")["games"]] == list(masume.games())


def test_info_shows_a_game(capsys):
    code, output, _ = run(capsys, "info", "kakomimasu", *SMALL)
    assert code == 0
    for line in ("slots        4", "actions      37", "  width              5"[2:], "planes       float32[9, 4, 5]"):
        assert any(" ".join(line.split()) in " ".join(row.split()) for row in output.splitlines()), line
    for name in boards.load_shipped():
        assert name in output
    assert "start of 6 turns" in output
    facts = run_json(capsys, "info", "kakomimasu", *SMALL)
    assert facts["config"]["total_turns"] == 6
    assert facts["observation"]["planes"] == {"dtype": "float32", "shape": [9, 4, 5]}
    assert {"random", "greedy"} <= set(facts["agents"])
    assert [board["name"] for board in facts["boards"]] == list(boards.load_shipped())


def test_a_map_is_a_name_or_a_file(capsys, tmp_path):
    shipped = maps.load_shipped()
    _, output, _ = run(capsys, "info", "chaser", "--map", "duel")
    assert "shipped maps" in output
    assert f"map {len(shipped['duel'].to_text().splitlines())} lines" in " ".join(output.split())
    facts = run_json(capsys, "info", "chaser", "--map", "duel")
    assert facts["config"]["map"] == shipped["duel"].to_text()
    assert [row["name"] for row in facts["maps"]] == list(shipped)
    (tmp_path / "own.map").write_text("N:own\nT:5\nD:0,3,0\nC:0,0\nH:2,0\n")
    assert run_json(capsys, "info", "chaser", "--map", tmp_path / "own.map")["plies"] == 10
    code, _, error = run(capsys, "info", "chaser", "--map", "nowhere")
    assert (code, error) == (1, f"masume: map: no such file, and unknown map 'nowhere' (known: {', '.join(shipped)})\n")
    (tmp_path / "own.map").write_text("D:1\n")
    code, _, error = run(capsys, "info", "chaser", "--map", tmp_path / "own.map")
    assert (code, error) == (1, f"masume: map: {tmp_path / 'own.map'}: line 1, column 1: C: missing\n")


def test_a_board_is_a_name_a_file_or_a_name_in_a_file(capsys, board_file):
    path, picked = board_file
    name, board = list(picked.items())[1]
    for given in (name, f"{path}:{name}"):
        config = run_json(capsys, "info", "kakomimasu", "--board", given)["config"]
        assert tuple(config["points"]) == board.points
        assert config["total_turns"] == board.total_turns
    single = path.with_name("one.json")
    single.write_text(json.dumps(board.to_json()))
    config = run_json(capsys, "info", "kakomimasu", "--board", single, "--set", "total_turns=7")["config"]
    assert tuple(config["points"]) == board.points
    assert config["total_turns"] == 7
    code, _, error = run(capsys, "info", "kakomimasu", "--board", path)
    assert code == 1
    assert error == "masume: board: expected one, got 2; FILE:NAME picks one of a file\n"
    code, _, error = run(capsys, "info", "kakomimasu", "--board", f"{path}:X")
    assert (code, error) == (1, f"masume: board: expected one of {', '.join(picked)}, got 'X'\n")
    single.write_text("{}")
    code, _, error = run(capsys, "info", "kakomimasu", "--board", single)
    assert (code, error) == (1, f"masume: board: {single}: an empty collection\n")


# -- play -------------------------------------------------------------------------------------


def test_play_shows_the_game_and_saves_it(capsys, tmp_path):
    path = tmp_path / "game.jsonl"
    command = ["play", "kakomimasu", *SMALL, "--agents", "random", "greedy", "--seed", 8]
    code, output, _ = run(capsys, *command, "--out", path)
    assert code == 0
    assert output.count("after turn") == 6
    assert "start of 6 turns" in output
    (saved,) = replay.load(path)
    assert (saved.seed, saved.names) == (8, ["random", "greedy"])
    rows = [line.split() for line in output.splitlines()[-2:]]
    assert rows == [
        [str(player), name, str(saved.scores[player]), f"{saved.returns[player]:+g}"]
        for player, name in enumerate(saved.names)
    ]
    assert run_json(capsys, *command) == {
        "game": "kakomimasu", "seed": 8, "names": saved.names, "returns": saved.returns, "scores": saved.scores,
        "winners": replay.winners(saved.returns), "plies": 6,
    }  # fmt: skip


def test_play_of_chaser_is_on_the_map_that_is_asked_for(capsys, tmp_path):
    seeds = {}
    for name, arguments in (
        ("default", []), ("config", ["--set", "seed=7"]), ("both", ["--set", "seed=7", "--seed", 8]),
        ("map", ["--map", "duel", "--agents", "greedy", "safe"]),
    ):  # fmt: skip
        path = tmp_path / name
        told = run_json(capsys, "play", "chaser", *arguments, "--out", path)
        (saved,) = replay.load(path)
        start = next(iter(saved.states()))
        map_given = maps.load_shipped()["duel"] if name == "map" else None
        seeds[name] = saved.seed
        assert start.to_dict() == masume.load("chaser", map=map_given).new_state(saved.seed).to_dict()
        assert told["names"] == (["greedy", "safe"] if name == "map" else ["random"] * 2)
    assert seeds == {"default": 0, "config": 7, "both": 8, "map": 0}


def test_info_and_perft_begin_with_the_seed_of_the_config(capsys):
    fields = {"height": 5, "width": 5, "n_blocks": 2, "n_items": 3, "seed": 5}
    given = [argument for field, value in fields.items() for argument in ("--set", f"{field}={value}")]
    state = masume.load("chaser", **fields).new_state()
    assert run(capsys, "info", "chaser", *given)[1].endswith(f"{render.text(state, color=False)}\n")
    assert run(capsys, "info", "chaser", *given, "--seed", 5)[1] == run(capsys, "info", "chaser", *given)[1]
    assert run_json(capsys, "perft", "chaser", *given, "--depth", 3)["sequences"] == perft(state, 3)


def test_one_agent_takes_every_seat(capsys):
    told = run_json(capsys, "play", "kakomimasu", *TINY, "--set", "n_players=3")
    assert told["names"] == ["random"] * 3


def test_play_repeats_a_game_of_selfplay(capsys, tmp_path):
    run(capsys, "selfplay", "kakomimasu", *SMALL, "--games", 3, "--seed", 5, "--out", tmp_path / "run", "--json")
    seed = int(masume.load_records(tmp_path / "run")["seed"][2])
    run(capsys, "play", "kakomimasu", *SMALL, "--seed", seed, "--out", tmp_path / "again", "--json")
    wanted = replay.load(tmp_path / "run" / "replays" / "0000.jsonl")[2]
    assert list(replay.load(tmp_path / "again")[0].moves) == list(wanted.moves)


def test_an_agent_of_ones_own_is_found_where_the_command_is_given(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [entry for entry in sys.path if entry])
    (tmp_path / "my_bot.py").write_text("from players import Random\n\nclass Bot(Random):\n    name = 'mine'\n")
    assert run_json(capsys, "play", "kakomimasu", *TINY, "--agents", "py:my_bot:Bot")["plies"] == 3


def test_a_person_can_play():
    process = start("play", "kakomimasu", *TINY, "--agents", "human", "random")
    output, error = process.communicate("PUT 0,0\nSTAY\nMOVE 1,1\n", timeout=60)
    assert (process.returncode, error) == (0, "")
    assert "You are A: player 0 of kakomimasu." in output
    assert output.count("A0") == 3 + 3  # asked three times, shown on three boards
    assert "end after turn 3" in output
    process = start("play", "kakomimasu", *TINY, "--agents", "human", "random")
    output, error = process.communicate("PUT 0,0\n", timeout=60)
    assert process.returncode == 1
    assert error == "masume: human: player 0, game of seed 0, ply 1: EOFError: the input ended before the game\n"


def test_a_person_is_asked_aside_when_stdout_is_for_json():
    process = start("play", "kakomimasu", *TINY, "--agents", "human", "random", "--json")
    output, error = process.communicate("PUT 0,0\nSTAY\nMOVE 1,1\n", timeout=60)
    assert json.loads(output)["plies"] == 3
    assert "You are A: player 0 of kakomimasu." in error
    assert error.count("A0") == 3 + 2  # asked three times, shown on two boards


def test_a_game_that_is_left_goes_on(tmp_path):
    path = tmp_path / "game.jsonl"
    command = ["play", "kakomimasu", *TINY, "--agents", "human", "random", "--out", str(path)]
    output, error = start(*command).communicate("PUT 0,0\nSTAY\nquit\n", timeout=60)
    assert f"The game is in {path}" in output
    assert error == ""
    (left,) = replay.load(path)
    assert len(left.moves) == 2
    process = start(*command[:-4], "random", "random", "--seed", "7", *command[-2:])
    error = process.communicate("", timeout=60)[1]
    assert error.startswith(f"masume: out: {path}: expected a new file, got one with a game that was left, Game(")
    output, error = start(*command).communicate("MOVE 1,1\n", timeout=60)
    assert "after 2 decisions" in output
    assert error == ""
    (whole,) = replay.load(path)
    assert list(whole.moves[:2]) == list(left.moves)
    assert len(whole.moves) == 3
    output = start(*command).communicate("quit\n", timeout=60)[0]
    assert "Going on" not in output  # that game is over: a new one begins


def test_a_game_that_the_input_ends_in_is_kept(tmp_path):
    path = tmp_path / "game.jsonl"
    process = start("play", "kakomimasu", *TINY, "--agents", "human", "random", "--out", str(path))
    error = process.communicate("PUT 0,0\n", timeout=60)[1]
    assert error.endswith("the input ended before the game\n")
    assert len(replay.load(path)[0].moves) == 1


def test_a_person_says_where_a_game_is_saved(tmp_path):
    path = tmp_path / "game.jsonl"
    process = start("play", "kakomimasu", *TINY, "--agents", "human", "random")
    output, error = process.communicate(f"PUT 0,0\nQuit\n{path}\n", timeout=60)
    assert (process.returncode, error) == (0, "")
    assert "Save the game as" in output
    assert len(replay.load(path)[0].moves) == 1


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize(("no_color", "colored"), [(None, True), ("", True), ("1", False)])
def test_a_terminal_is_shown_colors_unless_no_color_is_set(no_color, colored, monkeypatch, tmp_path):
    monkeypatch.delenv("NO_COLOR", raising=False)
    if no_color is not None:
        monkeypatch.setenv("NO_COLOR", no_color)
    path = tmp_path / "game.jsonl"
    for arguments in (
        ["play", "kakomimasu", *SMALL, "--out", str(path)], ["view", str(path)], ["info", "kakomimasu"],
        ["play", "kakomimasu", *SMALL, "--agents", "human", "random"],
    ):  # fmt: skip
        monkeypatch.setattr(sys, "stdout", Terminal())
        monkeypatch.setattr(sys, "stdin", io.StringIO("STAY\n" * 12))
        assert cli.main(arguments) == 0
        assert ("\x1b[" in sys.stdout.getvalue()) == colored, arguments


# -- selfplay ---------------------------------------------------------------------------------


def test_selfplay_prints_a_table(capsys, tmp_path):
    out = tmp_path / "run"
    command = ["selfplay", "kakomimasu", *SMALL, "--games", 20, "--agents", "greedy", "random", "--threads", 1]
    code, output, error = run(capsys, *command, "--out", out)
    assert code == 0
    assert "games/s" in error
    lines = output.splitlines()
    assert lines[0].split("  ")[0] == "game"
    for column in ("games", "moves", "moves/s", "mean length", "won by seat", "drawn"):
        assert column in lines[0]
    assert lines[1].split()[:3] == ["kakomimasu", "20", "480"]
    assert [line.split()[:2] for line in lines[4:6]] == [["greedy", "20"], ["random", "20"]]
    assert lines[-2].startswith("20 games in ")
    assert lines[-1] == f"report: {out / 'report.html'}"
    assert (out / "report.html").exists()


def test_selfplay_as_json_is_silent_otherwise(capsys):
    told = run_json(capsys, "selfplay", "kakomimasu", *SMALL, "--games", 50)
    (row,) = told["games"]
    assert (row["games"], row["moves"], row["mean_length"]) == (50, 50 * 6 * 4, 6.0)
    assert sum(row["won"]) + row["drawn"] == 50
    assert told["out"] is None


def test_selfplay_without_a_bound_plays_the_default_number(capsys):
    assert run_json(capsys, "selfplay", "kakomimasu", *TINY)["games"][0]["games"] == DEFAULT_GAMES


def test_all_plays_every_shipped_start(capsys, tmp_path):
    shipped = [
        masume.load(name, **{rooms.KIND: start})
        for name, rooms in ((name, masume.load(name).package.starts) for name in masume.games())
        for start in rooms.load_shipped().values()
    ]
    run_json(capsys, "selfplay", "all", "--games", 2 * len(shipped), "--replays", 1, "--out", tmp_path)
    records = masume.load_records(tmp_path)
    played = [json.loads(start)["config"] for start in records["configs"].tolist()]
    assert played == [game.config.to_dict() for game in shipped]
    assert records["config"].tolist() == list(range(len(shipped))) * 2


def test_selfplay_goes_through_boards_or_generated_starts(capsys, tmp_path, board_file):
    path, picked = board_file
    names = list(boards.load_shipped())

    def play(out, *arguments):
        run_json(capsys, "selfplay", "kakomimasu", *arguments, "--games", 6, "--out", tmp_path / out)
        configs = masume.load_records(tmp_path / out)["configs"].tolist()
        return [tuple(json.loads(start)["config"]["points"]) for start in configs]

    assert play("file", "--board", path) == [board.points for board in picked.values()]
    assert play("names", "--board", names[4], "--board", names[2]) == [
        boards.load_shipped()[names[4]].points, boards.load_shipped()[names[2]].points,
    ]  # fmt: skip
    generated = play("starts", *SMALL[:-2], "--starts", 3)
    assert len(set(generated)) == 3
    assert {len(points) for points in generated} == {20}
    assert play("again", *SMALL[:-2], "--starts", 3) == generated
    assert play("other", *SMALL[:-2], "--starts", 3, "--seed", 1) != generated


def test_selfplay_of_chaser_goes_through_maps_or_generated_ones(capsys, tmp_path):
    shipped = maps.load_shipped()

    def play(out, *arguments):
        """Return the maps of the configs, each game's config, and the position in which each game began."""
        run_json(capsys, "selfplay", "chaser", *arguments, "--games", 6, "--out", tmp_path / out)
        records = masume.load_records(tmp_path / out)
        configs = [json.loads(start)["config"] for start in records["configs"].tolist()]
        keys = [next(iter(one.states())).key for one in replay.load(tmp_path / out / "replays" / "0000.jsonl")]
        return [config["map"] for config in configs], records["config"].tolist(), keys

    (tmp_path / "own.map").write_text("N:own\nT:5\nD:0,3,0\nC:0,0\nH:2,0\n")
    texts, order, _ = play("named", "--map", "rooms", "--map", tmp_path / "own.map")
    assert texts == [shipped["rooms"].to_text(), maps.Map.parse((tmp_path / "own.map").read_bytes()).to_text()]
    assert order == [0, 1] * 3
    small = ["--preset", "contest", "--set", "n_items=4", "--set", "turn_limit=9"]
    texts, order, keys = play("starts", *small, "--starts", 3)
    config = Config.make("contest", n_items=4, turn_limit=9)
    assert texts == [config.start_map(stream(0, k) >> 1).to_text() for k in range(3)]
    assert order == [0, 1, 2] * 2
    assert keys[:3] == keys[3:]  # maps repeat, whatever the seed of the game
    assert len(set(keys)) == 3
    assert play("again", *small, "--starts", 3)[0] == texts
    assert not set(play("other", *small, "--starts", 3, "--seed", 1)[0]) & set(texts)
    texts, _, keys = play("own", *small)
    assert (texts, len(set(keys))) == ([None], 6)  # without --map and --starts, every game has its own map


def test_all_plays_every_game_on_generated_starts(capsys, tmp_path):
    games = ("--games", 2 * len(masume.games()), "--replays", 1)
    run_json(capsys, "selfplay", "all", "--starts", 2, *games, "--out", tmp_path)
    configs = [json.loads(start) for start in masume.load_records(tmp_path)["configs"].tolist()]
    assert [config["game"] for config in configs] == [name for name in masume.games() for _ in range(2)]
    for first, second in zip(configs[::2], configs[1::2], strict=True):
        assert first["config"] != second["config"]


# -- perft and view ---------------------------------------------------------------------------


def test_perft_counts(capsys):
    state = masume.load("kakomimasu", width=2, height=2, n_agents=1, total_turns=3).new_state()
    assert run(capsys, "perft", "kakomimasu", *TINY, "--depth", 1)[1] == "25\n"
    assert run(capsys, "perft", "kakomimasu", *TINY, "--depth", 0)[1] == "1\n"
    told = run_json(capsys, "perft", "kakomimasu", *TINY, "--depth", 2, "--divide")
    assert sum(told["divide"].values()) == told["sequences"]
    assert list(told["divide"])[:2] == ["STAY, STAY", "STAY, PUT 0,0"]
    state.apply([0, 17])
    branches = len(state.legal_actions(0)) * len(state.legal_actions(1))
    assert told["divide"]["STAY, PUT 0,0"] == branches
    output = run(capsys, "perft", "kakomimasu", *TINY, "--depth", 2, "--divide")[1].splitlines()
    assert output[-1] == str(told["sequences"])
    assert len(output) == 25 + 2


def test_view_prints_or_writes_what_was_played(capsys, tmp_path):
    run(capsys, "selfplay", "kakomimasu", *SMALL, "--games", 3, "--out", tmp_path / "run", "--json")
    path = tmp_path / "run" / "replays" / "0000.jsonl"
    code, output, _ = run(capsys, "view", path)
    assert code == 0
    assert output.count("start of 6 turns") == 3
    assert output.count("after turn") == 18
    code, output, _ = run(capsys, "view", path, "-o", tmp_path / "page.html")
    assert (code, output) == (0, f"3 games: {tmp_path / 'page.html'}\n")
    page = (tmp_path / "page.html").read_text()
    games = replay.load(path)
    assert all(str(one.seed) in page for one in games)
    told = run_json(capsys, "view", path)
    assert [one["scores"] for one in told["replays"]] == [one.scores for one in games]


def test_view_shows_what_a_player_saw(capsys, tmp_path):
    path = tmp_path / "game.jsonl"
    run_json(capsys, "play", "chaser", "--seed", 2, "--out", path)
    (one,) = replay.load(path)
    code, output, _ = run(capsys, "view", path, "--player", 1)
    assert code == 0
    boards = [render.text(state, 1) for state in one.states()]
    assert output.split("\n\n")[1:-2] == boards
    assert run(capsys, "view", path, "--player", 2) == (1, "", "masume: player: expected 0..1, got 2\n")


@pytest.mark.parametrize(
    ("game", "lines"),
    [
        ("chaser", ["75. end after 75 methods: COOL wins, ATTACK", "   COOL puts a block left"]),
        ("kakomimasu", ["30. end after turn 30: A wins", "   P0: MOVE 4,0, MOVE 5,7, MOVE 4,8"]),
        ("terraforming", ["872. end in turn 40 of 40: c wins", "   finish"]),
    ],
)
def test_view_prints_a_log_of_what_each_move_did(capsys, game, lines):
    path = Path(masume.__file__).parent / game / "recorded.jsonl"
    code, output, _ = run(capsys, "view", path, "--log")
    assert code == 0
    found = output.splitlines()
    assert found[found.index(lines[0]) + 1] == lines[1]
    assert found[2].startswith("0. ")


def test_view_prints_a_forfeit_and_the_reason_in_the_log(capsys, tmp_path):
    game = masume.load("chaser", map=maps.load_shipped()["duel"])
    state = game.new_state(0)
    state.forfeit(0, "FOUL")
    one = Replay(game, 0, ["a", "b"], [replay.Forfeit(0, "FOUL")], state.returns().tolist(), state.scores().tolist())
    one.reason = "FOUL"
    replay.save(tmp_path / "one.jsonl", [one])
    _, output, _ = run(capsys, "view", tmp_path / "one.jsonl", "--log")
    assert "reason: FOUL" in output


def test_view_reads_the_game_json_of_a_match_server(capsys, tmp_path):
    run_json(capsys, "play", "kakomimasu", *SMALL, "--seed", 2, "--out", tmp_path / "game.jsonl")
    (one,) = replay.load(tmp_path / "game.jsonl")
    path = tmp_path / "game.json"
    path.write_text(json.dumps(to_game_json(one)))
    assert run_json(capsys, "view", path)["replays"][0]["scores"] == one.scores
    assert run(capsys, "view", path, "-o", tmp_path / "game.html")[0] == 0
    assert "<html" in (tmp_path / "game.html").read_text()
    for out in (".", ""):
        assert run(capsys, "view", path, "-o", out) == (1, "", "masume: .: Is a directory\n")


def test_view_escapes_what_a_name_must_not_do_to_the_terminal(tmp_path):
    game = masume.load("kakomimasu", width=2, height=2, n_agents=1, total_turns=1)
    names = ["\ud800\x1b[2J\u202e\u2028", "甲　乙"]
    path = os.fsencode(tmp_path / "game") + b"\xff\x1b.jsonl"
    replay.save(os.fsdecode(path), [Replay(game, 0, names, [[0, 0]], [0.0, 0.0], [0, 0])])
    process = start("view", os.fsdecode(path))
    output, error = process.communicate(timeout=60)
    assert (process.returncode, error) == (0, "")
    assert output.startswith("kakomimasu: \\ud800\\x1b[2J\\u202e\\u2028, 甲　乙; seed 0\n")
    process = start("view", os.fsdecode(path), "-o", os.fsdecode(path + b".html"))
    output, error = process.communicate(timeout=60)
    assert (process.returncode, error) == (0, "")
    assert output == f"1 game: {tmp_path}/game\\udcff\\x1b.jsonl.html\n"
    process = start("view", os.fsdecode(path + b"?"))
    assert process.communicate(timeout=60) == (
        "", f"masume: {tmp_path}/game\\udcff\\x1b.jsonl?: No such file or directory\n",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("game", "option", "message"),
    [
        ("kakomimasu", "--board", "board: {}: not JSON"),
        ("chaser", "--map", "map: {}: line 1, column 1: C: missing"),
        ("nezumi", "--stage", "stage: {}: line 1, column 1: "),
        ("terraforming", "--map", "map: {}: line 1, column 1: expected an odd number"),
        ("battleship", "--map", "terrain_map: bad.start: height: expected"),
    ],
)
def test_a_start_that_is_none_names_its_file(game, option, message, tmp_path, capsys):
    path = tmp_path / "bad.start"
    path.write_text("N:x\n")
    assert cli.main(["info", game, option, str(path)]) == 1
    output, errors = capsys.readouterr()
    assert (output, errors.startswith(f"masume: {message.format(path)}")) == ("", True)
