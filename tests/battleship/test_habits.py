"""Games on servers with the habits of known ones: `masume join battleship`."""

import json

import pytest

from battleship_habits import HABITS, CourseServer, Habits
from masume.battleship import join
from masume.cli import main

RESULTS = {True: "won", False: "lost"}


def away(capsys, habit, side, seed, agent="hunter:easy", max_rounds=60, given=()):
    """Play a game by `masume join`, and check its end."""
    server = CourseServer(HABITS[habit], side, seed, max_rounds=max_rounds)
    command = ["join", "battleship", "127.0.0.1", str(server.port), "--agent", agent, *["--second"] * side]
    code = main([*command, *given, "--seed", str(seed), "--json"])
    server.join()
    told = capsys.readouterr()
    assert (code, server.faults) == (0, []), told.err
    (game,) = json.loads(told.out)["games"]
    assert game["turns"] == server.turns, told.err
    is_told = HABITS[habit].outcome or HABITS[habit].last_word
    expected = "draw" if server.won is None and not HABITS[habit].leaves else RESULTS.get(server.won)
    assert game["result"] == (expected if is_told else None), told.err
    return game, told.err


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("habit", HABITS)
def test_join_plays_to_the_end(capsys, habit, side):
    game, said = away(capsys, habit, side, 2 * list(HABITS).index(habit) + side)
    assert ("the server has closed the connection: the game is over" in said) == (
        habit in ("closes", "resets", "leaves")
    )
    assert ("nothing explains what the server sent" in said) == (habit == "far")
    assert ("the server says: turn of the next player" in said) == (habit == "text")
    assert (game["result"] is None) == (habit == "leaves")


@pytest.mark.slow
@pytest.mark.parametrize("games", [8, pytest.param(100, marks=pytest.mark.nightly)])
@pytest.mark.parametrize("habit", HABITS)
def test_join_plays_many_games(capsys, habit, games):
    for seed in range(games):
        away(capsys, habit, seed % 2, seed, agent=("hunter:easy", "gunner", "random")[seed % 3])


@pytest.mark.parametrize("side", [0, 1])
def test_the_server_goes_on_after_the_limit_that_was_given(capsys, side):
    game, said = away(capsys, "old", side, 3, agent="random", max_rounds=9, given=["--set", "max_rounds=4"])
    assert game["turns"] > 8
    assert "turn 8: nothing explains what the server sent; only what is seen now counts" in said


def test_a_server_that_keeps_its_last_word(capsys, monkeypatch):
    monkeypatch.setattr(join, "LAST_WORD_S", 0.2)
    monkeypatch.setitem(HABITS, "silent", Habits(last_word=False, end="open"))
    game, _ = away(capsys, "silent", 0, 1)
    assert game["result"] in ("won", "lost")
