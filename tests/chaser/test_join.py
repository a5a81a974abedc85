"""A client that plays on a server of others: what it knows, and whole games over loopback. [sections 9, 14]"""

import asyncio
import json
import signal
import socket
import subprocess
import sys
import threading

import numpy as np
import pytest

import masume
from masume.agent import View
from masume.agents.make import make_agent
from masume.chaser.server import Server, Settings
from masume.chaser.told import Told
from masume.cli import main
from masume.referee.match import play_match
from masume.referee.seats import make_seat

NEVER = 60  # a time-out that must not happen
ISLANDS = "T:12\nD:0,0,0,0,3\nD:0,2,0,3,0\nD:0,0,0,0,0\nD:3,0,2,0,0\nC:0,0\nH:4,3"  # not symmetric


def info_of(state, player, event):
    return [one["info"] for one in state.events(player) if one["event"] == event][-1]


def follow(game, seed, names):
    """Play a game; before each decision compare what a client in the seat knows with the player's own view."""
    state, agents, told = game.new_state(seed), [], [Told(game, 0), Told(game, 1)]
    for player, name in enumerate(names):
        agents.append(make_agent(name, game))
        agents[-1].start(game.public, player, seed)
    while not state.is_terminal():
        player = state.current_player
        told[player].ready(info_of(state, player, "ready"))
        mine, its = View(state, player), told[player].view()
        assert its.information_state() == mine.information_state()
        assert its.events() == mine.events()
        seen = its.observation()
        for name, array in mine.observation().items():
            np.testing.assert_array_equal(seen[name], array)
        assert its.resample(state.half) == mine.resample(state.half)
        action = int(agents[player].act(mine))
        state.apply(action)
        if not state.is_terminal():
            told[player].played(action, info_of(state, player, "method"))
    return told


@pytest.mark.parametrize("names", [("greedy", "greedy"), ("safe", "forager"), ("random", "greedy")])
def test_a_client_knows_just_what_the_player_knows(names):
    for seed in range(2):
        told = follow(masume.load("chaser", "contest", turn_limit=25), seed, names)
        assert all(one.is_mirrored for one in told)


def test_a_client_knows_just_what_the_player_knows_on_a_map_of_any_shape():
    for seed in range(4):
        told = follow(masume.load("chaser", map=ISLANDS), seed, ("greedy", "safe"))
        assert not any(one.is_mirrored for one in told)


def test_a_field_that_is_not_symmetric():
    told = Told(masume.load("chaser"), 0)
    told.ready("1333303333")  # a generated field has no item so near
    assert not told.is_mirrored
    told.played(1, "1330200333")  # an item to the right: the cell left behind is a block
    told.ready("1330200333")
    view = told.view()
    assert view.information_state() == "C|R1333303333|Awr|M1330200333|R1330200333"
    assert view.observation()["scalars"].tolist()[3] == 1
    assert not (view.resample(1).cells != view.resample(2).cells).all()


def test_infos_that_no_field_explains_are_forgotten():
    told = Told(masume.load("chaser"), 0)
    told.ready("1000000000")
    told.played(7, "1000000000")  # looked down
    told.ready("1333303333")
    assert told.has_forgotten
    assert told.view().observation()["ready"].tolist() == [3, 3, 3, 3, 0, 3, 3, 3, 3]
    told.played(0, "1333303323")  # and goes on from there
    told.ready("1333303323")
    assert not told.has_forgotten
    assert told.items == 1
    assert told.view().resample(1).half == 4


def test_a_player_that_should_have_lost_has_no_position():
    told = Told(masume.load("chaser"), 1)
    told.ready("1222202222")
    assert not told.is_possible
    told.played(8, "1000000000")
    told.ready("1000000000")
    assert told.is_possible
    assert told.view().resample(1).half == 3


def test_a_field_of_another_size_is_learned():
    """Seventeen columns are seen to be in the field."""
    for sizes, learned in (([], (17, 24)), ([(15, 17), (17, 21)], (15, 17))):
        told = Told(masume.load("chaser", "contest"), 0, sizes)
        told.ready("1200200200")
        for _ in range(15):
            told.played(1, "1000000000")
            told.ready("1000000000")
        assert told.belief[:2] == learned
        assert told.is_mirrored == bool(sizes)
        assert told.view().game.config.width == learned[1]


def test_the_turn_limit_is_learned():
    told = Told(masume.load("chaser", "contest", turn_limit=2), 0)
    for turn in range(5):
        told.ready("1000000000")
        told.played(4 + turn % 4, "1000000000")
    assert told.game.config.turn_limit == 8
    assert told.is_mirrored


# -- over loopback ----------------------------------------------------------------------------------


def serve(game, seed, commands):
    """Play a game between joined clients; return its record and their exit codes."""
    server = Server(game, Settings(cool_port=0, hot_port=0, timeout_s=NEVER))
    server.listen()
    found, codes = [], {}
    playing = threading.Thread(target=lambda: found.append(asyncio.run(server.play(seed))), daemon=True)
    playing.start()
    clients = [
        threading.Thread(
            target=lambda side=side, port=port: codes.update(
                {side: main(["join", "chaser", "127.0.0.1", str(port), "--side", side, *commands[side]])}
            ),
            daemon=True,
        )
        for side, port in zip(("cool", "hot"), server.ports, strict=True)
    ]
    for thread in (*clients, playing):
        if thread is not playing:
            thread.start()
    for thread in (*clients, playing):
        thread.join(NEVER)
        assert not thread.is_alive()
    return found[0], codes


def test_agents_play_over_a_server_as_in_a_match(tmp_path, capsys):
    fields = ["--preset", "contest", "--set", "turn_limit=15", "--seed", "5"]
    agents = {"cool": "mcts:60", "hot": "greedy"}
    names = {"cool": "ほげ", "hot": "b"}
    commands = {
        side: [
            *fields,
            "--agent",
            agent,
            "--name",
            names[side],
            "--encoding",
            "shift_jis",
            "--log",
            str(tmp_path / side),
        ]
        for side, agent in agents.items()
    }
    game = masume.load("chaser", "contest", turn_limit=15)
    record, codes = serve(game, 5, commands)
    assert codes == {"cool": 0, "hot": 0}
    assert record.replay.names == ["ほげ", "b"]
    assert record.faults == []
    same = asyncio.run(play_match(game, [make_seat(agent, game) for agent in agents.values()], 5))
    assert record.replay.moves == same.replay.moves
    log = (tmp_path / "cool").read_text("cp932")
    assert "> ほげ" in log
    assert "< @" in log
    assert "turns 15" in capsys.readouterr().out


def talk(*parts):
    """Return a port on which a server sends these parts, each after the client has sent a line, and then waits."""
    listener = socket.create_server(("127.0.0.1", 0))

    def run():
        with listener, listener.accept()[0] as client:
            stream = client.makefile("rb")
            for part in parts:
                if part is None:
                    # What the client still has to say is read: a socket closed with unread bytes resets the connection.
                    client.shutdown(socket.SHUT_WR)
                    break
                stream.readline()
                client.sendall(part)
            stream.read()

    threading.Thread(target=run, daemon=True).start()
    return str(listener.getsockname()[1])


@pytest.mark.parametrize(
    ("parts", "told"),
    [
        ((b"@\r\n", None), "the connection was closed"),
        ((b"@", b"100000000x"), "expected an info of ten digits, got '100000000x'"),
        ((b"HTTP/1.1 400\r\n",), "the server says: HTTP/1.1 400"),
        ((b"@",), "nothing from the server for 1.0 s"),
    ],
)
def test_a_server_that_ends_or_says_what_it_should_not(parts, told, capsys):
    command = ["join", "chaser", "127.0.0.1", talk(*parts), "--agent", "greedy", "--silence", "1"]
    assert main(command) == 1
    assert told in capsys.readouterr().err


def test_no_server_and_bad_arguments(capsys):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = str(listener.getsockname()[1])
    assert main(["join", "chaser", "127.0.0.1", port, "--agent", "greedy", "--wait", "0"]) == 1
    assert f"127.0.0.1:{port}: no server answers" in capsys.readouterr().err
    assert main(["join", "chaser", "127.0.0.1", "70000", "--agent", "greedy"]) == 1
    assert "port: expected 1..65535, got 70000" in capsys.readouterr().err
    assert main(["join", "chaser", "127.0.0.1", port, "--agent", "gredy"]) == 1
    assert "did you mean" in capsys.readouterr().err


def test_the_end_of_a_game_is_reported_as_far_as_the_infos_show_it(capsys):
    port = talk(b"@\r\n", b"1010000000", b"0020000000\r\n")  # greedy puts a block on the opponent above
    assert main(["join", "chaser", "127.0.0.1", port, "--agent", "greedy", "--json"]) == 0
    (game,) = json.loads(capsys.readouterr().out)["games"]
    assert game == {"player": "COOL", "name": "masume", "result": "won", "turns": 1, "items": 0}


@pytest.mark.skipif(sys.platform == "win32", reason="no Ctrl-C for one process")
def test_ctrl_c_leaves(tmp_path):
    port = talk(b"@")
    command = [sys.executable, "-m", "masume", "join", "chaser", "127.0.0.1", port, "--side", "cool"]
    command += ["--log", str(tmp_path / "log")]
    with subprocess.Popen([*command, "--agent", "greedy"], stderr=subprocess.PIPE, text=True) as process:
        while not (tmp_path / "log").exists() or "> gr" not in (tmp_path / "log").read_text():
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=NEVER)
    assert process.returncode == 130
    assert told == "masume: interrupted\n"
