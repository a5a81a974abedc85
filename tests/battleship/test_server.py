"""The course protocol, byte by byte over loopback: both dialects, whole games, misbehaving clients. [section 13]"""

import asyncio
import contextlib
import json
from typing import ClassVar

import pytest

import masume
from masume.battleship.protocol import is_spoken, position
from masume.battleship.server import MAX_WAITING, Server, Settings
from masume.referee.clock import TimeControl

PLACES = ({"w": [0, 0], "c": [2, 2], "s": [4, 4]}, {"w": [0, 1], "c": [1, 1], "s": [4, 0]})
GREETING = "This is a submarine_py server.  Tell me your name.\n"
MAP = '{"height":5,"width":5,"rock":[]}\n'


class Client:
    """Client that writes the given lines and compares the lines it reads; `serve` closes all clients."""

    all: ClassVar = []

    def __init__(self, reader, writer):
        self.reader, self.writer = reader, writer
        self.all.append(self)

    @classmethod
    async def connect(cls, server, *written):
        client = cls(*await asyncio.open_connection("127.0.0.1", server.port))
        for message in written:
            client.write(message)
        return client

    def write(self, message):
        text = message if isinstance(message, str) else json.dumps(message)
        self.writer.write(text.encode() + b"\n")

    async def reads(self, *lines):
        for line in lines:
            found = (await asyncio.wait_for(self.reader.readline(), 60)).decode()
            wanted = line if isinstance(line, str) else json.dumps(line, separators=(",", ":")) + "\n"
            assert found == wanted

    async def hear_line(self):
        return await asyncio.wait_for(self.reader.readline(), 60)

    async def hear(self):
        return json.loads(await self.hear_line())

    async def ends(self):
        assert await asyncio.wait_for(self.reader.read(), 60) == b""


def serve(talk, dialect="new", agents=(None, None), said=None, options=None, **fields):
    """Return the record of a game with the clients of `talk(server)`."""
    (record,) = serve_games(talk, 1, Settings(port=0, dialect=dialect), agents, said, options, **fields)
    return record


def serve_games(talk, count, settings, agents=(None, None), said=None, options=None, **fields):
    """Return the records of several games with the clients of `talk(server)`."""
    game = masume.load("battleship", "submarine", **fields)

    async def run_talk(server):
        try:
            await talk(server)
        finally:
            for client in Client.all:
                client.writer.close()
                with contextlib.suppress(ConnectionError):
                    await client.writer.wait_closed()
            Client.all.clear()

    async def run():
        server = Server(game, settings, agents, (said if said is not None else []).append, **(options or {}))
        server.listen()

        async def play():
            return [await server.play(1) for _ in range(count)]

        async with asyncio.TaskGroup() as group:  # an error on either side ends both
            playing = group.create_task(play())
            group.create_task(run_talk(server))
        return playing.result()

    return asyncio.run(run())


async def two(server, places=PLACES):
    """Return two clients of the new dialect that have placed their ships; the first is to move."""
    clients = []
    for name in ("ann", "ボブ"):
        clients.append(await Client.connect(server, name))
        await clients[-1].reads(GREETING)
    for client, its in zip(clients, places, strict=True):
        await client.reads(MAP)
        client.write(its)
    await clients[0].reads("your turn\n")
    await clients[1].reads("waiting\n")
    return clients


def ships(places, hp):
    return {ship: {"hp": left, "position": places[ship]} for ship, left in zip("wcs", hp, strict=True) if left}


def observation_of(mine, my_hp, its_hp, keys=("observation", "opponent")):
    its = {ship: {"hp": left} for ship, left in zip("wcs", its_hp, strict=True) if left}
    return {keys[0]: {"me": ships(mine, my_hp), keys[1]: its}}


def test_a_game_from_the_greeting_to_the_last_word():
    async def talk(server):
        ann, bob = await two(server)
        ann.write({"attack": {"to": [0, 1]}})
        hit = {"result": {"attacked": {"position": [0, 1], "hit": "w", "near": ["c"]}}}
        await ann.reads(hit | observation_of(PLACES[0], (3, 2, 1), (2, 2, 1)), "waiting\n")
        await bob.reads(hit | observation_of(PLACES[1], (2, 2, 1), (3, 2, 1)), "your turn\n")
        bob.write({"move": {"ship": "s", "to": [4, 3]}})
        moved = {"result": {"moved": {"ship": "s", "distance": [0, 3]}}}
        there = PLACES[1] | {"s": [4, 3]}
        await ann.reads(moved | observation_of(PLACES[0], (3, 2, 1), (2, 2, 1)), "your turn\n")
        await bob.reads(observation_of(there, (2, 2, 1), (3, 2, 1)), "waiting\n")
        ann.write({"attack": {"to": [4, 3]}})
        sunk = {"result": {"attacked": {"position": [4, 3], "hit": "s", "near": []}}}
        await ann.reads(sunk | observation_of(PLACES[0], (3, 2, 1), (2, 2, 0)), "waiting\n")
        await bob.reads(sunk | observation_of(there, (2, 2, 0), (3, 2, 1)), "your turn\n")
        for n, left in enumerate((1, 0)):
            bob.write({"attack": {"to": [2, 2]}})
            struck = {"result": {"attacked": {"position": [2, 2], "hit": "c", "near": []}}}
            await bob.reads(struck | observation_of(there, (2 - n, 2, 0), (3, left, 1)), "waiting\n")
            await ann.reads(struck | observation_of(PLACES[0], (3, left, 1), (2 - n, 2, 0)), "your turn\n")
            ann.write({"attack": {"to": [0, 1]}})
            await ann.reads(hit | observation_of(PLACES[0], (3, left, 1), (1 - n, 2, 0)), "waiting\n")
            await bob.reads(hit | observation_of(there, (1 - n, 2, 0), (3, left, 1)), "your turn\n")
        for n in range(2):  # bob's cruiser is at [1, 1], next to ann's battleship
            bob.write({"move": {"ship": "c", "to": [1 + n % 2, 0]} if n == 0 else {"ship": "c", "to": [1, 1]}})
            its = there | {"c": [1, 0] if n == 0 else [1, 1]}
            moved = {"result": {"moved": {"ship": "c", "distance": [0, -1 if n == 0 else 1]}}}
            await bob.reads(observation_of(its, (0, 2 - n, 0), (3, 0, 1)), "waiting\n")
            await ann.reads(moved | observation_of(PLACES[0], (3, 0, 1), (0, 2 - n, 0)), "your turn\n")
            ann.write({"attack": {"to": its["c"]}})
            last = {"result": {"attacked": {"position": its["c"], "hit": "c", "near": []}}}
            end = {0: ("waiting\n", "your turn\n"), 1: ("you win\n", "you lose\n")}[n]
            outcome = [{}, {}] if n == 0 else [{"outcome": True}, {"outcome": False}]
            await ann.reads(last | observation_of(PLACES[0], (3, 0, 1), (0, 1 - n, 0)) | outcome[0], end[0])
            await bob.reads(last | observation_of(its, (0, 1 - n, 0), (3, 0, 1)) | outcome[1], end[1])
        await ann.ends()
        await bob.ends()

    record = serve(talk)
    assert (record.replay.names, record.replay.returns, record.replay.reason) == (["ann", "ボブ"], [1, -1], "victory")
    assert record.faults == []
    record.replay.to_lines()


@pytest.mark.parametrize(
    "answer",
    [
        {"attack": {"to": [4, 2]}},
        {"attack": {"to": [5, 0]}},
        {"attack": {"to": [0, True]}},
        {"attack": {}},
        {"move": {"ship": "w", "to": [1, 1]}},
        {"move": {"ship": "x", "to": [0, 1]}},
        {"move": {"ship": ["w"], "to": [0, 1]}},
        {"move": {"ship": "w", "to": [0, 0]}},
        {"attack": {"to": [0, 1]}, "move": {"ship": "w", "to": [0, 1]}},
        {},
        [],
        "fire!",
        "[" * 3000,
    ],
    ids=lambda answer: json.dumps(answer)[:40],
)
def test_an_illegal_action_loses_at_once(answer):
    async def talk(server):
        ann, bob = await two(server)
        ann.write(answer)
        await ann.reads(
            {"result": False} | observation_of(PLACES[0], (3, 2, 1), (3, 2, 1)) | {"outcome": False}, "you lose\n"
        )
        await bob.reads(observation_of(PLACES[1], (3, 2, 1), (3, 2, 1)) | {"outcome": True}, "you win\n")
        await ann.ends()
        await bob.ends()

    record = serve(talk)
    assert record.replay.returns == [-1, 1]
    assert [fault[:3] for fault in record.faults] == [(0, 6, "illegal")]


@pytest.mark.parametrize("places", [{"w": [0, 0], "c": [0, 0], "s": [1, 1]}, {"w": [0, 0], "c": [5, 5]}, "no"])
def test_ships_that_cannot_stand_there_lose_the_game(places):
    """No forfeit happens during setup: it follows in the first turn. [section 6.1]"""

    async def talk(server):
        clients = [await Client.connect(server, "x") for _ in range(2)]
        for client, its in zip(clients, (PLACES[0], places), strict=True):
            await client.reads(GREETING, MAP)
            client.write(its)
        ann, bob = clients
        await ann.reads("your turn\n")
        ann.write({"move": {"ship": "w", "to": [0, 3]}})
        assert (await ann.hear())["observation"]["me"]["w"]["position"] == [0, 3]
        await ann.reads("waiting\n")
        assert (await ann.hear())["outcome"] is True
        await ann.reads("you win\n")
        await bob.reads({"result": False, "outcome": False}, "you lose\n")

    record = serve(talk)
    assert record.replay.returns == [1, -1]
    assert record.faults[0].cause == "illegal"


def test_who_leaves_has_lost():
    async def talk(server):
        ann, bob = await two(server)
        ann.writer.close()
        await bob.reads(observation_of(PLACES[1], (3, 2, 1), (3, 2, 1)) | {"outcome": True}, "you win\n")

    record = serve(talk)
    assert [fault[:3] for fault in record.faults] == [(0, 6, "closed")]


def test_who_leaves_before_the_game_is_replaced():
    said = []

    async def talk(server):
        early = await Client.connect(server)
        await early.reads(GREETING)
        early.writer.close()
        await early.writer.wait_closed()
        while not any(one.endswith("has connected") for one in said):
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.1)
        ann, bob = await two(server)
        ann.write("resign")
        await ann.hear()
        await bob.hear()

    serve(talk, said=said)
    assert sum(one.endswith("has left before the game") for one in said) == 1
    assert sum(one.endswith("has connected") for one in said) == 3


@pytest.mark.parametrize("dialect", ["new", "old"])
def test_connections_that_say_nothing_take_no_seat(dialect):
    """The oldest of them give way to new ones; those that speak play in the order of connecting."""
    said = []

    async def talk(server):
        idle = []
        for _ in range(2 * MAX_WAITING):  # each is accepted before the next: the system keeps few of them
            idle.append(await Client.connect(server))
            await idle[-1].reads(GREETING if dialect == "new" else "you are connected. please send me initial state.\n")
        for client in idle[:MAX_WAITING]:
            await client.ends()
        ann = await Client.connect(server)
        bob = await Client.connect(server, "bob" if dialect == "new" else PLACES[1])
        ann.write("ann" if dialect == "new" else PLACES[0])
        for client, its in ((ann, PLACES[0]), (bob, PLACES[1])):
            await client.hear_line()
            if dialect == "new":
                await client.reads(MAP)
                client.write(its)
        await ann.reads("your turn\n")
        ann.write("resign")
        await ann.hear()
        await bob.reads("waiting\n")
        for client in idle[MAX_WAITING:]:
            await client.ends()

    record = serve(talk, dialect, said=said)
    assert record.replay.returns == [-1, 1]
    assert sum(one.endswith("has said nothing") for one in said) >= MAX_WAITING


def test_a_name_does_not_keep_a_seat_waiting(monkeypatch):
    monkeypatch.setattr("masume.battleship.server.NAME_S", 1)

    async def talk(server):
        silent = await Client.connect(server)
        await silent.reads(GREETING)
        await silent.ends()
        monkeypatch.setattr("masume.battleship.server.NAME_S", 60)
        long = await Client.connect(server, "x" * 5000)
        await long.reads(GREETING)
        await long.ends()
        ann, _ = await two(server)
        ann.write("resign")

    assert serve(talk).replay.returns == [-1, 1]


def test_names_may_be_shift_jis():
    async def talk(server):
        clients = []
        for name in ("アン".encode("cp932"), "\x1bボブ\u202e".encode()):
            clients.append(await Client.connect(server))
            clients[-1].writer.write(name + b"\r\n")
            await clients[-1].reads(GREETING)
        for client, its in zip(clients, PLACES, strict=True):
            await client.reads(MAP)
            client.write(its)
        await clients[0].reads("your turn\n")
        clients[0].write("resign")
        await clients[1].reads("waiting\n")

    assert serve(talk).replay.names == ["アン", "ボブ"]


def test_the_time_of_a_client_is_an_option():
    for options, fields in ({"control": TimeControl(move_ms=1000)}, {}), ({}, {"time_main_s": 1, "time_floor_s": 0}):

        async def silent(server):
            ann, bob = await two(server)
            assert (await bob.hear())["outcome"] is True
            assert (await ann.hear())["outcome"] is False

        record = serve(silent, options=options, **fields)
        assert record.replay.returns == [-1, 1]
        assert [fault.cause for fault in record.faults] == ["timeout"]


def test_the_old_dialect():
    async def talk(server):
        ann, bob = [await Client.connect(server) for _ in range(2)]
        for client, its in ((ann, PLACES[0]), (bob, PLACES[1])):
            await client.reads("you are connected. please send me initial state.\n")
            client.write(its)
        await ann.reads("your turn\n")
        await bob.reads("waiting\n")
        keys = ("condition", "enemy")
        for n in range(2):
            mover, other = ((ann, bob), (bob, ann))[n]
            mover.write({"move": {"ship": "w", "to": [4, n]}})
            moved = {"result": {"moved": {"ship": "w", "distance": [4, 0]}}}
            draw = ("even\n", "even\n") if n else ("waiting\n", "your turn\n")
            mine = [places | {"w": [4, k] if k <= n else places["w"]} for k, places in enumerate(PLACES)]
            mine[1]["s"] = [4, 0]
            its = mine if n == 0 else mine[::-1]
            await mover.reads(observation_of(its[0], (3, 2, 1), (3, 2, 1), keys), draw[0])
            await other.reads(moved | observation_of(its[1], (3, 2, 1), (3, 2, 1), keys), draw[1])
        await ann.ends()
        await bob.ends()

    record = serve(talk, "old", max_rounds=1)
    assert (record.replay.returns, record.replay.reason) == ([0, 0], "max_rounds")


def test_the_map_is_told_and_rocks_are_in_the_way():
    async def talk(server):
        ann, bob = [await Client.connect(server, "x") for _ in range(2)]
        for client in (ann, bob):
            await client.reads(GREETING, '{"height":3,"width":4,"rock":[[1,0],[3,2]]}\n')
            client.write({"w": [0, 0], "c": [0, 1], "s": [0, 2]})
        await ann.reads("your turn\n")
        ann.write({"attack": {"to": [1, 0]}})
        assert (await ann.hear())["outcome"] is False

    assert serve(talk, terrain_map=".#../..../...#").replay.returns == [-1, 1]


def test_an_agent_may_play_in_the_place_of_a_client():
    async def talk(server):
        bob = await Client.connect(server)
        bob.write("bob")
        await bob.reads(GREETING, MAP)
        bob.write(PLACES[1])
        while (word := (await asyncio.wait_for(bob.reader.readline(), 60)).decode()) == "waiting\n":
            await bob.hear()
            if await asyncio.wait_for(bob.reader.readline(), 60) != b"your turn\n":
                return
            bob.write("x")
            await bob.hear()
        assert word == "you lose\n"

    assert serve(talk, agents=("random", None)).replay.names == ["random", "bob"]


async def let_ann_lose(ann, bob):
    """Play a game, beginning with the places, that ann loses by an illegal action."""
    for client, its in zip((ann, bob), PLACES, strict=True):
        client.write(its)
    await ann.reads("your turn\n")
    await bob.reads("waiting\n")
    ann.write("nothing")
    assert (await ann.hear())["outcome"] is False
    assert (await bob.hear())["outcome"] is True
    await ann.reads("you lose.\n")
    await bob.reads("you win.\n")


@pytest.mark.parametrize("dialect", ["new", "old"])
def test_a_loop_is_played_on_one_connection(dialect):
    """Its last messages end with a full stop; new clients connect after it."""
    asked = {"new": MAP, "old": "you are connected. please send me initial state.\n"}[dialect]

    async def talk(server):
        for names in (("ann", "bob"), ("cid", "dan")):
            server.listen()
            clients = [await Client.connect(server) for _ in names]
            for client, name in zip(clients, names, strict=True):
                if dialect == "new":
                    await client.reads(GREETING)
                    client.write(name)
            for _ in range(3):
                for client in clients:
                    await client.reads(asked)
                await let_ann_lose(*clients)
            for client in clients:
                await client.ends()

    records = serve_games(talk, 6, Settings(port=0, dialect=dialect, loop=3))
    assert [record.replay.returns for record in records] == [[-1, 1]] * 6
    if dialect == "new":
        assert [record.replay.names[0] for record in records] == ["ann"] * 3 + ["cid"] * 3


def test_who_leaves_a_loop_has_lost_the_rest_of_it():
    async def talk(server):
        clients = [await Client.connect(server, name) for name in ("ann", "bob")]
        for client in clients:
            await client.reads(GREETING, MAP)
        await let_ann_lose(*clients)
        ann, bob = clients
        bob.writer.close()
        for _ in range(2):
            await ann.reads(MAP)
            ann.write(PLACES[0])
            await ann.reads("your turn\n")
            ann.write({"attack": {"to": [0, 1]}})
            assert "result" in await ann.hear()
            await ann.reads("waiting\n")
            assert (await ann.hear())["outcome"] is True
            await ann.reads("you win.\n")
        await ann.ends()

    records = serve_games(talk, 3, Settings(port=0, loop=3))
    assert [record.replay.returns for record in records] == [[-1, 1], [1, -1], [1, -1]]
    assert [record.faults[0].cause for record in records[1:]] == ["closed"] * 2


def test_only_what_the_protocol_can_tell_is_served():
    assert is_spoken(masume.load("battleship", "submarine", width=7, max_rounds=9).config)
    for preset, fields in (("standard", {}), ("classic", {}), ("submarine", {"public_hp": False})):
        game = masume.load("battleship", preset, **fields)
        assert not is_spoken(game.config)
        with pytest.raises(masume.ConfigError, match="preset: only submarine is served"):
            Server(game, Settings())
    reefs = masume.load("battleship", "submarine", terrain_map=".#../..../...#")
    assert position(reefs.config, 6) == [2, 1]
    with pytest.raises(masume.ConfigError, match="dialect: old has no words for the reefs"):
        Server(reefs, Settings(dialect="old"))
    with pytest.raises(masume.ConfigError, match="dialect: expected one of new, old, got 'loud'"):
        Settings(dialect="loud")
    with pytest.raises(masume.ConfigError, match="loop: expected"):
        Settings(loop=-1)
