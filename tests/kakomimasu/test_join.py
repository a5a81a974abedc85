"""A client of the match server's API that plays on a server of others. [sections 14.1 to 14.6]"""

import asyncio
import json
import random
import threading

import numpy as np
import pytest

from kakomimasu_habits import HABITS, Between
from masume.cli import main
from masume.kakomimasu.boards import Board
from masume.kakomimasu.join import read_game, read_state
from masume.kakomimasu.server import hall
from masume.kakomimasu.server.app import Server, Settings

PLAZA = Board("plaza", 6, 5, tuple(range(-10, 20)), n_agents=2, total_turns=1, operation_sec=2, transition_sec=0)
YARD = Board("yard", 6, 5, tuple(range(-10, 20)), n_agents=2, total_turns=5, operation_sec=1, transition_sec=0)
NEVER = 60  # seconds


def test_a_client_sees_just_the_position_of_the_server():
    match, rng = hall.ServedMatch(PLAZA, {"total_turns": 30, "put_on_enemy_wall": "server"}), random.Random(1)
    for name in "ab":
        match.join(hall.Entrant(name, "", name), 0)
    match.step()
    game = read_game(match.to_json(), {})
    assert game.config == match.config
    while not match.state.is_terminal():
        seen = read_state(game, json.loads(json.dumps(match.to_json())))
        assert seen == match.state
        for player in range(2):
            mine, its = match.state.observation(player), seen.observation(player)
            assert all(np.array_equal(mine[name], its[name]) for name in mine)
        turn = []
        for player in range(2):
            slots = range(2 * player, 2 * player + 2)
            texts = [match.state.action_to_text(int(rng.choice(match.state.legal_actions(k))), k) for k in slots]
            pairs = [text.replace(",", " ").split() for text in texts]
            turn.append([(k, one[0], int(one[1]), int(one[2])) for k, one in enumerate(pairs) if len(one) == 3])
        match.play(turn)
    assert read_state(game, json.loads(json.dumps(match.to_json()))) == match.state


class Table:
    """A server with the real time, in a separate thread."""

    def __init__(self, folder):
        self.server = Server(Settings(port=0, folder=folder), {"plaza": PLAZA, "yard": YARD}, {}, ["plaza"])
        self.server.listen()
        self.port = self.server.port
        self._thread = threading.Thread(target=lambda: asyncio.run(self.server.serve()))
        self._thread.start()

    def stop(self):
        self.server.stop()
        self._thread.join(NEVER)
        assert not self._thread.is_alive()


@pytest.fixture
def table(tmp_path, monkeypatch):
    monkeypatch.setattr(hall, "START_S", 1)
    found = Table(tmp_path)
    yield found
    found.stop()


def join(table, *options):
    return main(["join", "kakomimasu", f"http://127.0.0.1:{table.port}", *options])


def test_two_guests_play_a_free_match(table, tmp_path, capsys):
    log, codes = tmp_path / "log.txt", []
    other = threading.Thread(target=lambda: codes.append(join(table, "--agent", "gather", "--name", "bob")))
    other.start()
    codes.append(join(table, "--agent", "beam:200", "--name", "ann", "--log", str(log)))
    other.join(NEVER)
    assert codes == [0, 0]
    told = capsys.readouterr()
    lines = {line.partition(":")[0]: line for line in told.out.splitlines()}
    assert lines.keys() == {"ann", "bob"}
    (match,) = table.server.hall.matches.values()
    assert str(match.state.scores().tolist()) in lines["ann"]
    assert '{"actions": [{"agentId": 0, "type": "PUT"' in log.read_text()


def test_a_match_against_the_computer_of_the_server(table, capsys):
    assert join(table, "--ai", "a1", "--agent", "a2", "--json") == 0
    (game,) = json.loads(capsys.readouterr().out)["games"]
    assert (game["player"], game["name"], game["turns"] + game["missed"]) == (0, "masume", 1)
    assert game["result"] in ("won", "lost", "draw")


@pytest.mark.parametrize("habit", HABITS)
def test_a_match_goes_on_when_answers_are_lost(table, capsys, habit):
    between = Between(HABITS[habit], table.port)
    url = f"http://127.0.0.1:{between.port}"
    given = ["--ai", "a1", "--board", "yard", "--agent", "a2", "--json"]
    assert main(["join", "kakomimasu", url, *given]) == 0
    between.close()
    told = capsys.readouterr()
    (game,) = json.loads(told.out)["games"]
    (match,) = table.server.hall.matches.values()
    assert between.count > 5
    assert game["points"] == match.state.scores().tolist()
    assert game["turns"] + game["missed"] <= 5
    assert game["turns"] >= (1 if habit == "strange" else 3), told.err
    assert ("no actions: match: " in told.err) == (habit == "strange")
    value = float(match.state.returns()[0])
    assert game["result"] == ("won" if value > 0 else "lost" if value < 0 else "draw")


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--match", "x"], "100: can not find game"),
        (["--ai", "a9"], "6: invalid request"),
        (["--ai", "a1", "--board", "nowhere"], "400: invalid board name"),
        (["--ai", "a1", "--match", "x"], "ai: expected --match or --ai"),
        (["--board", "plaza"], "board: only a match against --ai"),
        (["--preset", "x"], "preset: the server defines the game"),
    ],
)
def test_what_a_server_refuses(table, options, told, capsys):
    assert join(table, "--agent", "random", *options) == 1
    assert told in capsys.readouterr().err


def test_no_server(capsys):
    assert main(["join", "kakomimasu", "127.0.0.1:1", "--agent", "random"]) == 1
    assert "http://127.0.0.1:1: no server answers" in capsys.readouterr().err
    assert main(["join", "kakomimasu", "ftp://127.0.0.1", "--agent", "random"]) == 1
    assert "url: expected an address" in capsys.readouterr().err
