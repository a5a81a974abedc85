"""The CHaser server: games of 100 turns against two clients in separate processes, over loopback.

A game is 1,200 messages in sequence. On two cores shared with eight other jobs it took 27 to 33 ms (30 games a second
and more; the gate is 10), of which the server computes for 16 ms: half of that is the system's `send`, which hands
the message to the waiting client, a third is asyncio, and the engine is negligible. The rest is the clients.
"""

import asyncio
import json
import subprocess
import sys
from pathlib import Path

import pytest

import masume
from masume.chaser.server import Server, Settings

CLIENT = """
import socket, sys, time
while True:
    try:
        link = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
    except OSError:
        time.sleep(0.001)
        continue
    link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    link.sendall(b"bot\\r\\n")
    while link.recv(3):
        link.sendall(b"gr\\r\\n")
        if link.recv(12)[:1] != b"1":
            break
        link.sendall(b"su\\r\\n")
        info = link.recv(12)
        link.sendall(b"#\\r\\n")
        if info[:1] != b"1":
            break
    link.close()
"""
GAMES = 10


def test_served_games(benchmark):
    async def play():
        return [await server.play(seed) for seed in range(GAMES)]

    server = Server(masume.load("chaser"), Settings(cool_port=0, hot_port=0))
    server.listen()
    clients = [subprocess.Popen([sys.executable, "-c", CLIENT, str(port)]) for port in server.ports]
    try:
        records = asyncio.run(play())  # check the answer first
        assert [len(record.replay.moves) for record in records] == [200] * GAMES
        assert all(record.faults == [] for record in records)
        benchmark.group = f"chaser: served games, {GAMES} a call"
        benchmark.pedantic(lambda: asyncio.run(play()), rounds=5)
        if benchmark.stats:  # None under --benchmark-disable
            benchmark.extra_info["games_per_s"] = GAMES / benchmark.stats.stats.median
    finally:
        for client in clients:
            client.kill()
            client.wait()


def test_loaded_kakomimasu_server(benchmark):
    """Load the Kakomimasu server with 1,000 matches, 1,000 spectators and 2,000 hostile connections (half a minute)."""
    pytest.importorskip("uvicorn")
    if benchmark.disabled:
        pytest.skip("it is for the figures alone")
    command = [sys.executable, str(Path(__file__).with_name("kakomimasu_load.py")), "--turns", "2"]
    benchmark.group = "kakomimasu: a loaded server"
    found = json.loads(benchmark.pedantic(lambda: subprocess.check_output(command), rounds=1))
    benchmark.extra_info.update(found)
    assert not [failure for failure in found["failures"] if "105" not in failure]  # clients that are late receive this
