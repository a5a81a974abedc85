"""Games on servers with the habits of known ones: `masume join`, the client class, and the online half of a new bot."""

import json
import subprocess
import sys

import pytest

import masume
from chaser_habits import HABITS, ChaserServer
from masume.bots import write
from masume.chaser import client, join
from masume.chaser.client import Client
from masume.chaser.maps import generate, load_shipped
from masume.chaser.told import Told
from masume.cli import main

SQUARE = "N:square\nT:{turns}\n" + "D:0,0,3,0,0,0,3,0,0\n" * 9 + "C:0,1\nH:8,7\n"
RESULTS = {True: "won", False: "lost"}


def board(size, turns, seed):
    """Return the text of a map of some size: a shipped one, a square, or a generated one."""
    name = {"15x17": "orchard", "17x15": "rooms"}.get(size)
    if size == "9x9":
        return SQUARE.format(turns=turns)
    if name is not None:
        lines = load_shipped()[name].to_text().splitlines()
        return "\n".join([line for line in lines if not line.startswith("T:")] + [f"T:{turns}"])
    width, height = map(int, size.split("x"))
    return generate(height, width, turns, 20, 50, seed).to_text()


SIZES = ("15x17", "17x15", "9x9", "21x17", "23x17")


def away(capsys, habit, size, side, seed, turns, agent="greedy", stay_s=1.0, given=()):
    """Play a game by `masume join`, and check its end."""
    server = ChaserServer(HABITS[habit], board(size, turns, seed), side, seed, stay_s=stay_s)
    command = ["join", "chaser", "127.0.0.1", str(server.port), "--side", ("cool", "hot")[side], "--agent", agent]
    code = main([*command, *given, "--seed", str(seed), "--json"])
    server.join()
    told = capsys.readouterr()
    assert code == 0, told.err
    assert server.faults == []
    (game,) = json.loads(told.out)["games"]
    without = "did not answer" in told.err  # the last method may count or not
    assert server.turns - without <= game["turns"] <= server.turns, told.err
    assert game["result"] in (None, RESULTS.get(server.won)), told.err
    return game, told.err


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("habit", HABITS)
def test_join_plays_to_the_end(capsys, habit, side):
    seed = 2 * list(HABITS).index(habit) + side
    away(capsys, habit, SIZES[seed % 3], side, seed, turns=25)


@pytest.mark.slow
@pytest.mark.parametrize("games", [8, pytest.param(100, marks=pytest.mark.nightly)])
@pytest.mark.parametrize("habit", HABITS)
def test_join_plays_many_games(capsys, habit, games):
    for seed in range(games):
        away(capsys, habit, SIZES[seed % 5], seed // 5 % 2, seed, turns=(100 if seed % 10 == 7 else 30))


@pytest.mark.parametrize("side", [0, 1])
def test_infos_that_no_position_explains_are_not_tried(capsys, monkeypatch, side):
    """After each walk the server shows the player as an opponent where it was."""
    tried, play = [], Told._play
    monkeypatch.setattr(Told, "_play", lambda *given: tried.append(given) or play(*given))
    game, _ = away(capsys, "closes", "15x17", side, 1, turns=30)
    assert len(tried) <= 2 * game["turns"]


@pytest.mark.parametrize("side", [0, 1])
def test_a_wrong_size_that_was_given_loses_no_game(capsys, side):
    """A field 15 wide and 17 high that is joined as 17 wide and 15 high, to the turn limit of another number."""
    given = ("--preset", "standard", "--set", "turn_limit=30")
    game, said = away(capsys, "late limit", "15x17", side, 0, turns=45, given=given)
    assert game["turns"] == 45
    assert "the server goes on after turn 30" in said


def test_a_method_without_an_answer_ends_the_game(capsys, monkeypatch):
    """The server stays there and says nothing more."""
    for module in (join, client):
        monkeypatch.setattr(module, "ANSWER_S", 2)
    game, said = away(capsys, "late limit, open", "9x9", 0, 0, turns=5, stay_s=60)
    assert "turn 6: the server did not answer the method: the game is over" in said
    assert game["turns"] == 5
    server = ChaserServer(HABITS["late limit, open"], board("9x9", 2, 0), 0, stay_s=60)
    with Client(server.port, "me") as me:
        for _ in range(3):
            me.get_ready()
            assert not me.is_over
            info = me.look_up()
        assert me.is_over
        assert info[0] == 0
    server.join()


def test_a_search_plays_to_the_end(capsys):
    for side in (0, 1):
        away(capsys, "late limit", "15x17", side, 1, turns=12, agent="mcts:100")


def test_the_size_is_learned(capsys):
    game, said = away(capsys, "rules", "21x17", 0, 2, turns=60)
    assert "the field is not 15 wide and 17 high, but perhaps 17 wide and 15 high" in said
    assert "the field is not 17 wide and 15 high, but perhaps 21 wide and 17 high" in said
    assert game["turns"] > 42


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("habit", HABITS)
def test_the_client_class_plays_to_the_end(habit, side):
    server = ChaserServer(HABITS[habit], board("9x9", 12, 0), side, stay_s=1.0)
    with Client(server.port, "me") as me:
        while not me.is_over:
            info = me.get_ready()
            if not me.is_over:
                (me.walk_up, me.walk_down)[info[2] == 2]() if 2 not in (info[2], info[8]) else me.look_left()
    server.join()
    assert server.faults == []


@pytest.mark.parametrize("side", [0, 1])
def test_a_new_bot_plays_to_the_end(tmp_path, side):
    write(masume.load("chaser"), "python", tmp_path / "bot")
    running = []
    for habit in HABITS:
        server = ChaserServer(HABITS[habit], board("9x9", 12, 0), side)
        command = [sys.executable, "bot.py", str(server.port), "127.0.0.1", "Kobe"]
        running.append((habit, server, subprocess.Popen(command, cwd=tmp_path / "bot", stderr=subprocess.PIPE)))
    for habit, server, bot in running:
        _, said = bot.communicate(timeout=60)
        server.join()
        assert (bot.returncode, said, server.faults) == (0, b"", []), habit
