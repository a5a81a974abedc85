"""The client library with the real server and with misbehaving servers; the bot of the tutorials."""

import asyncio
import contextlib
import re
import shlex
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import masume
from masume import cli
from masume.chaser.client import BLOCK, FLOOR, ITEM, OPPONENT, Client
from masume.chaser.notation import CODES
from masume.chaser.server import Server, Settings
from masume.errors import GameOverError

ROOT = Path(__file__).parents[2]
BOT = ROOT / "examples" / "chaser_bot.py"
MEADOW = "T:2\nD:0,0,0,0\nD:0,0,3,0\nD:0,0,0,0\nC:1,1\nH:3,2"
NAMES = [f"{kind}_{way}" for kind in ("walk", "look", "search", "put") for way in ("up", "right", "left", "down")]


@contextlib.contextmanager
def serving(text, agents=(None, None), **settings):
    """Run a server that plays one game in a thread; yield its ports and a list that will contain the record."""
    game = masume.load("chaser", map=text)
    server = Server(game, Settings(**{"cool_port": 0, "hot_port": 0, "timeout_s": 10, **settings}), agents)
    server.listen()
    records = []
    thread = threading.Thread(target=lambda: records.append(asyncio.run(server.play(0))), daemon=True)
    thread.start()
    yield server.ports, records
    thread.join(30)
    assert not thread.is_alive()


@contextlib.contextmanager
def serve_script(*sends):
    """Run a server that sends these bytes and closes; yield its port and a list of the received bytes."""
    got = []

    def serve(listener):
        link, _ = listener.accept()
        with link:
            for data in sends:
                link.sendall(data)
            link.shutdown(socket.SHUT_WR)
            with contextlib.suppress(ConnectionError):
                while data := link.recv(4096):
                    got.append(data)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=serve, args=(listener,), daemon=True)
        thread.start()
        yield listener.getsockname()[1], got
        thread.join(30)
        assert not thread.is_alive()


def test_the_session_of_14_7_by_calls():
    with serving(MEADOW) as (ports, records), Client(ports[0], "cool") as cool, Client(ports[1], "hot") as hot:
        assert cool.get_ready() == [1, 0, 0, 0, 0, 0, 3, 0, 0, 0]
        assert cool.walk_right() == [1, 0, 0, 0, 2, 0, 0, 0, 0, 1]
        assert hot.get_ready() == [1, 1, 0, 2, 0, 0, 2, 2, 2, 2]
        assert hot.walk_up() == [1, 0, 0, 2, 1, 0, 2, 0, 0, 2]
        cool.get_ready()
        assert cool.search_down() == [1, 0, 2, 2, 2, 2, 2, 2, 2, 2]
        hot.get_ready()
        assert hot.walk_up() == [0, 2, 2, 2, 0, 0, 2, 1, 0, 2]
        assert hot.is_over
        assert cool.get_ready()[0] == 0
        assert cool.is_over
        for call in (cool.get_ready, hot.put_up):
            with pytest.raises(GameOverError, match="the game is over"):
                call()
    assert records[0].replay.reason == "SCORE"
    assert records[0].faults == []


@pytest.mark.parametrize(("name", "code"), [*zip(NAMES, CODES, strict=True)])
def test_ch_45_every_call_sends_its_two_letters(name, code):
    """CH-45"""
    with serve_script(b"@\r\n1000000000\r\n1000000000\r\n") as (port, got):
        with Client(port, "チーム") as client:
            assert client.get_ready() == [1] + [0] * 9
            getattr(client, name)()
        client.close()  # no effect the second time
    assert b"".join(got) == "チーム\r\n".encode() + b"gr\r\n" + code.encode() + b"\r\n#\r\n"


@pytest.mark.parametrize("end", [b"\r\n", b"\n", b""])
def test_ch_44_line_ends_of_servers_say_nothing(end):
    """CH-44: some known servers send `@` and the ten digits without line ends. [section 14.10]"""
    said = b"@ 1000000000 1000003000 @ 1200000000 0002000000".replace(b" ", end) + end
    with serve_script(said) as (port, got), Client(port) as client:
        infos = [client.get_ready(), client.look_up(), client.get_ready(), client.walk_left()]
    assert ["".join(map(str, info)) for info in infos] == ["1000000000", "1000003000", "1200000000", "0002000000"]
    assert b"".join(got) == b"\r\ngr\r\nlu\r\n#\r\ngr\r\nwl\r\n#\r\n"


def test_who_has_lost_by_a_foul_is_told_so_by_the_next_call():
    """A server sends the last info in place of @ or of another info. [section 14.5]"""
    with serve_script(b"0000003000\r\n") as (port, _), Client(port) as client:
        assert client.get_ready()[0] == 0
        assert client.is_over
    with serve_script(b"@\r\n", b"1000003000\r\n", b"0000003000\r\n") as (port, _), Client(port) as client:
        client.get_ready()
        assert client.look_up()[0] == 0


@pytest.mark.parametrize(
    ("sends", "message"),
    [
        ([], "the server has closed the connection"),
        ([b"@\r\n"], "the server has closed the connection"),
        ([b"@\r\n", b"100\r\n"], "expected an info, got b'100'"),
        ([b"hello\r\n"], "the server has closed the connection"),
        ([b"@10000h0000"], "expected an info, got b'10000h'"),
    ],
)
def test_a_server_that_breaks_off_is_an_error(sends, message):
    with serve_script(*sends) as (port, _), Client(port) as client:
        with pytest.raises(ConnectionError, match=message):
            client.get_ready()
        assert not client.is_over


def test_a_client_waits_for_its_server():
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with pytest.raises(ConnectionRefusedError):
        Client(port, wait_s=0)

    def serve():
        with socket.create_server(("127.0.0.1", port)) as listener:
            listener.accept()[0].close()

    late = threading.Timer(0.2, serve)
    late.start()
    with Client(port, wait_s=20) as client, pytest.raises(ConnectionError):
        client.get_ready()
    late.join()


def test_the_digits_have_names():
    assert (FLOOR, OPPONENT, BLOCK, ITEM) == (0, 1, 2, 3)


def bot(port):
    return subprocess.Popen([sys.executable, BOT, str(port)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def test_the_example_bot_plays_whole_games():
    text = "T:20\nD:" + "\nD:".join(",".join("030030030"[k:] + "030030030"[:k]) for k in range(7)) + "\nC:0,0\nH:8,6"
    for agents, count in (((None, None), 2), ((None, "greedy"), 1), (("random", None), 1)):
        with serving(text, agents) as (ports, records):
            bots = [bot(port) for port, agent in zip(ports, agents, strict=True) if agent is None]
            assert len(bots) == count
            for process in bots:
                assert process.communicate(timeout=60) == (b"", None)
                assert process.returncode == 0
        (record,) = records
        assert record.faults == []
        assert record.replay.reason in ("SCORE", "CONFINED", "COLLISION", "ATTACK", "TRAPPED")
        assert [name for name in record.replay.names if name == "firs"] == ["firs"] * count


@pytest.mark.parametrize("name", ["chaser-bot.md", "chaser-bot.ja.md"])
def test_the_tutorials_show_the_bot_as_it_is(name):
    text = (ROOT / "docs" / "tutorials" / name).read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert BOT.read_text(encoding="utf-8") in blocks
    commands = [
        line for block in re.findall(r"^```\n(.*?)^```$", text, re.MULTILINE | re.DOTALL) for line in block.split("\n")
    ]
    assert "masume serve chaser --map orchard --hot safe" in commands
    for line in commands:
        if line.startswith("masume "):
            cli.parser().parse_args(shlex.split(line)[1:])
    assert len(BOT.read_text(encoding="utf-8").splitlines()) <= 32
