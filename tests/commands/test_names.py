"""Names are the same in Python and on the command line, and wrong ones are answered with what was meant."""

import shutil
from pathlib import Path

import pytest

import masume
from masume.errors import ConfigError
from masume.records.reading import load_fields
from masume.starts import NAMES, starts_of
from shell import run, run_json

GAMES = [name for name in masume.games() if starts_of(name)]


@pytest.mark.parametrize("name", GAMES)
def test_a_start_is_named_in_python_as_on_the_command_line(capsys, tmp_path, monkeypatch, name):
    """A shipped name, a path, FILE:NAME and `daily`; by the game's own word and by the three that every game knows."""
    starts = starts_of(name)
    preset = ["submarine"] if name == "battleship" else []
    shipped = "open" if name == "battleship" else next(iter(starts.load_shipped()))
    wanted = run_json(capsys, "info", name, "--board", shipped, *(f"--preset={one}" for one in preset))["config"]
    for word in {*NAMES, starts.KIND}:
        assert masume.load(name, *preset, **{word: shipped}).config.to_dict() == wanted
    unknown = f"^{starts.KIND}: no such file, and unknown {starts.KIND} '{shipped}x'.*did you mean"
    with pytest.raises(ConfigError, match=unknown):
        masume.load(name, *preset, board=f"{shipped}x")
    if starts.KIND != "stage":
        with pytest.raises(ConfigError, match="is given too, which means the same"):
            masume.load(name, *preset, **{starts.KIND: shipped, "stage": shipped})


def test_paths_and_one_of_a_file(tmp_path, monkeypatch):
    from masume.kakomimasu import boards

    monkeypatch.chdir(tmp_path)
    shutil.copy(Path(boards.__file__).with_name("boards.json"), "mine.json")
    names = list(boards.load_file(Path("mine.json")))
    picked = masume.load("kakomimasu", board=f"mine.json:{names[-1]}")
    assert picked == masume.load("kakomimasu", board=boards.load_file(Path("mine.json"))[names[-1]])
    assert picked == masume.load("kakomimasu", board=f"{tmp_path}/mine.json:{names[-1]}")
    with pytest.raises(ConfigError, match=f"board: expected one, got {len(names)}; FILE:NAME picks one of a file"):
        masume.load("kakomimasu", board=tmp_path / "mine.json")
    with pytest.raises(ConfigError, match="expected one of"):
        masume.load("kakomimasu", board="mine.json:nowhere")


def test_texts_of_starts_are_still_texts():
    text = "...#.../.#.~.#./..~.~../#..%..#/..~.~../.#.~.#./...#..."
    assert masume.load("battleship", terrain_map=text).config.terrain_map == text
    assert masume.load("battleship", map=text).config.terrain_map == text
    with pytest.raises(ConfigError, match=r"^board: not JSON"):
        masume.load("kakomimasu", board="{")
    with pytest.raises(ConfigError):
        masume.load("kakomimasu", board="x" * 5000)


def test_a_replay_cannot_name_a_file(tmp_path):
    """A file of records is data of strangers: a start in it is never a path."""
    (tmp_path / "secret").write_text("top secret")
    with pytest.raises(ConfigError) as caught:
        load_fields("kakomimasu", {"board": str(tmp_path / "secret")})
    assert "top" not in str(caught.value)
    assert "secret:" not in str(caught.value)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["play", "chase"], "'nezumi', 'terraforming'); did you mean 'chaser'?"),
        (["plya"], "did you mean 'play'?"),
        (["match", "chaser", "--agetns", "x"], "unrecognized arguments: --agetns x; did you mean '--agents'?"),
        (["new", "bot", "chaser", "--language", "pyton"], "did you mean 'python'?"),
        (["match", "chaser", "--agents", "cmd:./bot", "-v"], 'a command with spaces needs quotes: "cmd:./bot -v"'),
    ],
)
def test_a_wrong_word_is_answered_with_the_nearest(capsys, arguments, told):
    with pytest.raises(SystemExit) as caught:
        run(capsys, *arguments)
    assert caught.value.code == 2
    assert told in capsys.readouterr().err.splitlines()[-1]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["play", "chaser", "--agents", "gredy"], "did you mean 'greedy'?"),
        (["play", "chaser", "--agents", "bot.py"], 'a Python class is py:bot:CLASS, a program "cmd:python3 bot.py"'),
        (["match", "chaser", "--agents", "cmd:python3", "bot.py"], 'needs quotes: "cmd:python3 bot.py"'),
        (["match", "chaser", "--agents", "cmd:python3", "bot.py", "greedy"], 'needs quotes: "cmd:python3 bot.py"'),
        (["match", "chaser", "--set", "witdh=3"], "did you mean 'width'?"),
        (["match", "chaser", "--preset", "contst"], "did you mean 'contest'?"),
        (["match", "chaser", "--map", "dul"], "did you mean 'duel'?"),
    ],
)
def test_a_wrong_name_is_answered_with_what_was_meant(capsys, arguments, told):
    code, _, error = run(capsys, *arguments)
    assert code == 1
    assert told in error


def test_info_lists_the_agents_with_a_budget(capsys):
    assert {"beam:SIMULATIONS", "mcts:MSms", "greedy"} <= set(run_json(capsys, "info", "kakomimasu")["agents"])
    assert "alphabeta:NODES" in run_json(capsys, "info", "nezumi")["agents"]
    assert "beam:SIMULATIONS" not in run_json(capsys, "info", "chaser")["agents"]


@pytest.mark.parametrize("name", GAMES)
def test_sizes_are_width_before_height(name):
    starts = starts_of(name)
    for one in starts.load_shipped().items():
        keys = list(starts.facts(*one))
        assert "height" not in keys or keys.index("width") + 1 == keys.index("height")
