"""Many short games on several servers at once, with randomly misbehaving clients; no resource may leak."""

import asyncio
import contextlib
import gc
import socket
import struct
import threading
from collections import Counter
from pathlib import Path

import pytest

import masume
from masume.chaser.notation import CODES, REASONS
from masume.chaser.server import Server, Settings
from masume.core.rng import Rng, stream
from shell import open_files

SERVERS = 20
GAMES = 25  # per server
WARM_UP = 2  # games per server before memory is measured
GOOD = 20  # answers after which a client behaves well to the end
PATIENCE_S = 2.0
NAMES = (b"bot\r\n", b"bot", b"", b"x" * 2000, b"\x82\xa0\n")
GROWTH = 16 * 2**20
JUNK = (
    b"\n",
    b"\r\n" * 12,
    b"gr",
    b"GR\r\n",
    b"\x00\xff\xfe\n",
    b"gr\r\ngr\r\n",
    b"x" * 65,
    b"x" * 2**20,
    b"#\r\n",
    b"wu \r\n",
)


def memory():
    """Return the resident bytes after a garbage collection."""
    gc.collect()
    return int(Path("/proc/self/statm").read_text(encoding="utf-8").split()[1]) * 4096


class Client:
    """Client that connects to a port repeatedly; in half of the games it misbehaves at some time."""

    def __init__(self, port, seed, is_over):
        self.port, self.is_over = port, is_over
        self.rng = Rng(seed)

    async def run(self):
        while not self.is_over.is_set():
            try:
                reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
            except OSError:
                await asyncio.sleep(0.03)
                continue
            with contextlib.suppress(OSError, EOFError):  # TimeoutError is an OSError
                await self.game(reader, writer)
            if self.rng.below(2):
                writer.close()
            else:
                self.reset(writer)

    async def game(self, reader, writer):
        """Play a game; if the drawn `left` is less than GOOD, misbehave after that many answers."""
        left = self.rng.below(2 * GOOD)
        writer.write(self.one_of(NAMES) if left < 3 else b"bot\r\n")
        answers = []
        while not self.is_over.is_set():
            if not answers:
                async with asyncio.timeout(PATIENCE_S):
                    line = await reader.readline()
                if not line or line[:1] == b"0":
                    return
                if line != b"@\r\n":
                    continue  # the method info
                method = self.one_of(CODES).encode() + b"\r\n"
                answers = [b"gr\r\n", method, b"#\r\n"]
            if left == 0:
                await self.misbehave(writer)
                return
            left -= left < GOOD
            writer.write(answers.pop(0))
            if answers:
                async with asyncio.timeout(PATIENCE_S):
                    line = await reader.readline()
                if line[:1] != b"1":
                    return

    async def misbehave(self, writer):
        kind = self.rng.below(len(JUNK) + 3)
        if kind < len(JUNK):
            writer.write(JUNK[kind])
            await asyncio.sleep(0.1 * self.rng.below(8))
        elif kind == len(JUNK):
            await asyncio.sleep(0.7)  # silence
        elif kind == len(JUNK) + 1:
            writer.write_eof()
            await asyncio.sleep(0.3)

    def reset(self, writer):
        link = writer.get_extra_info("socket")
        with contextlib.suppress(OSError):
            link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        writer.transport.abort()

    def one_of(self, things):
        return things[self.rng.below(len(things))]


async def evening(seed, num_games):
    """Play the games of one server with its two clients; return the records."""
    rng = Rng(seed)
    game = masume.load("chaser", height=7, width=7, turn_limit=5, n_blocks=4, n_items=8)
    settings = Settings(cool_port=0, hot_port=0, timeout_s=0.1 * (1 + rng.below(4)), strict_crlf=rng.below(4) == 0)
    server = Server(game, settings)
    server.listen()
    is_over = asyncio.Event()
    clients = [asyncio.create_task(Client(port, rng.next(), is_over).run()) for port in server.ports]
    records = [await server.play(stream(seed, k) >> 1, k % 2 == 1) for k in range(num_games)]
    is_over.set()
    await asyncio.wait(clients)
    for client in clients:
        client.result()
    return records


async def evenings(seed, num_games):
    found = await asyncio.gather(*(evening(stream(seed, n), num_games) for n in range(SERVERS)))
    await asyncio.sleep(0.1)  # so that the last connections are released
    assert asyncio.all_tasks() == {asyncio.current_task()}
    return [record for records in found for record in records]


@pytest.mark.slow
def test_500_games_with_clients_that_misbehave():
    asyncio.run(evenings(1, WARM_UP))
    files, threads, before = open_files(), threading.active_count(), memory()
    records = asyncio.run(evenings(2, GAMES))
    assert len(records) == SERVERS * GAMES
    assert (open_files(), threading.active_count()) == (files, threads)
    verdicts = Counter()
    for record in records:
        record.replay.to_lines()
        verdicts[record.replay.reason] += 1
        assert (record.replay.reason == "FOUL") == (len(record.faults) == 1)
    assert set(verdicts) <= set(REASONS[1:])
    assert verdicts["FOUL"] > SERVERS * GAMES // 10
    assert verdicts.total() - verdicts["FOUL"] > SERVERS * GAMES // 10
    causes = Counter(fault.cause for record in records for fault in record.faults)
    assert {"timeout", "closed", "protocol"} <= set(causes)
    del records, record
    assert memory() - before < GROWTH
