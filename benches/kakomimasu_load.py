"""The Kakomimasu server under load: many matches, spectators, and hostile clients.

    python benches/kakomimasu_load.py --matches 1000 --spectators 1000 --hostile 2000 --turns 3

The server, the players with the spectators, and the hostile connections each run in their own process. Every player
sends one GET and one PATCH per turn, at a random time of its match's operation step. Times are measured from the first
byte sent to the last one received, over a persistent connection. A player's failure is counted, never retried.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from masume.core import system

HOST = "127.0.0.1"
KINDS = (
    "slow head", "slow body", "idle", "huge body", "huge head", "garbage", "half closed", "stream hoarder",
)  # fmt: skip
TURN_S = 10
PAUSE_S = 5.0  # approximate pause until a hostile connection that was ended reconnects
START_S = 6  # until a match starts whose players have joined
JOIN_S = 20.0  # period over which the players join
FILES = 20_000
HEAD = "{} {} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nAuthorization: {}\r\nContent-Length: {}\r\n\r\n"


class Client:
    """Persistent connection that sends one request after the other."""

    def __init__(self, port, tally):
        self._port, self._tally = port, tally
        self._reader = self._writer = None

    async def ask(self, method, path, body=None, authorization="x", kind="making"):
        """Return the parsed answer; None if it is not a success."""
        text = b"" if body is None else json.dumps(body).encode()
        begun = time.perf_counter()
        try:
            if self._writer is None:
                self._reader, self._writer = await asyncio.open_connection(HOST, self._port, limit=1 << 24)
            self._writer.write(HEAD.format(method, path, authorization, len(text)).encode() + text)
            head = await self._reader.readuntil(b"\r\n\r\n")
            length = int(re.search(rb"content-length: *(\d+)", head, re.IGNORECASE).group(1))
            found = await self._reader.readexactly(length)
        except (OSError, asyncio.IncompleteReadError) as error:
            self._tally.failures[f"{kind}: {type(error).__name__}"] += 1
            self.close()
            return None
        self._tally.note(kind, begun)
        if head[9:12] != b"200":
            self._tally.failures[f"{kind}: {head[9:12].decode()} {found[:80].decode()}"] += 1
            return None
        return json.loads(found)

    def close(self):
        if self._writer is not None:
            self._writer.close()
            self._writer = None


class Tally:
    """Record of the players' requests."""

    def __init__(self):
        self.times, self.failures, self.messages = {}, Counter(), 0
        self.begun = time.perf_counter()

    def note(self, kind, begun):
        """Record the time of a request; those before all matches play count separately, as matches are created then."""
        passed = time.perf_counter() - begun
        if kind != "making" and begun - self.begun < JOIN_S + START_S:
            kind += " while matches are made"
        self.times.setdefault(kind, []).append(passed)


async def play(port, number, tally, rng, seats):
    """Play one match as both players, from its creation to its end."""
    await asyncio.sleep(rng.random() * JOIN_S)
    ann, bob = Client(port, tally), Client(port, tally)
    made = await ann.ask("POST", "/v1/matches", {"boardName": "court"})
    if made is None:
        return
    path = f"/v1/matches/{made['id']}"
    joined = [await one.ask("POST", f"{path}/players", {"guestName": f"p{number}"}) for one in (ann, bob)]
    found = await bob.ask("GET", path)
    if found is None or None in joined:
        return
    seats.append(made["id"])
    begin, total = found["startedAtUnixTime"], found["totalTurn"]
    agents, width, height = found["nAgent"], found["field"]["width"], found["field"]["height"]

    async def turns(client, pic, rng):
        for turn in range(total):
            at = begin + turn * TURN_S + rng.random() * (TURN_S - 3)  # the operation step is TURN_S - 1
            await asyncio.sleep(max(0, at - time.time()))
            await client.ask("GET", path, kind="GET")
            actions = [
                {"agentId": k, "type": "PUT", "x": rng.randrange(width), "y": rng.randrange(height)}
                for k in range(agents)
            ]
            await client.ask("PATCH", f"{path}/actions", {"actions": actions}, pic, kind="PATCH")
        client.close()

    pairs = zip((ann, bob), joined, strict=True)
    await asyncio.gather(*(turns(one, seat["pic"], random.Random(seat["pic"])) for one, seat in pairs))


async def watch(port, tally, rng, seats):
    """Watch one match as a spectator."""
    await asyncio.sleep(JOIN_S * (0.5 + rng.random()))
    while not seats:
        await asyncio.sleep(1)
    try:
        reader, writer = await asyncio.open_connection(HOST, port, limit=1 << 24)
        writer.write(HEAD.format("GET", f"/v1/matches/stream?q=id:{rng.choice(seats)}", "x", 0).encode())
        while line := await reader.readline():
            tally.messages += line.startswith(b"data:")
    except OSError as error:
        tally.failures[f"stream: {type(error).__name__}"] += 1


async def attack(port, kind, counts):
    """Keep a hostile connection of one kind open, reconnecting whenever it ends."""
    while True:
        try:
            reader, writer = await asyncio.open_connection(HOST, port)
            counts[kind] += 1
            await act(kind, reader, writer)
            writer.close()
        except (OSError, asyncio.IncompleteReadError):
            pass
        await asyncio.sleep(PAUSE_S * (0.5 + random.random()))


async def act(kind, reader, writer):
    if kind == "slow head":
        writer.write(b"GET /version HTTP/1.1\r\nHost: x\r\n")
        while not reader.at_eof() and not writer.is_closing():
            writer.write(b"X: y\r\n")
            await asyncio.sleep(2)
    elif kind == "slow body":
        writer.write(HEAD.format("POST", "/v1/matches", "x", 1000).encode())
        while not reader.at_eof() and not writer.is_closing():
            writer.write(b"{")
            await asyncio.sleep(2)
    elif kind == "idle":
        writer.write(HEAD.format("GET", "/version", "x", 0).encode())
        await reader.read()
    elif kind == "huge body":
        writer.write(b"POST /v1/matches HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
        for _ in range(1000):
            writer.write(b"4000\r\n" + b"[" * 0x4000 + b"\r\n")
            await writer.drain()
    elif kind == "huge head":
        writer.write(b"GET /version HTTP/1.1\r\nHost: x\r\n")
        for _ in range(1000):
            writer.write(b"X: " + b"y" * 4000 + b"\r\n")
            await writer.drain()
    elif kind == "garbage":
        writer.write(random.randbytes(1000))
        await reader.read()
    elif kind == "half closed":
        writer.write(b"GET /version HTTP/1.1\r\nHo")
        writer.write_eof()
        await reader.read()
    else:
        writer.write(HEAD.format("GET", "/v1/matches/stream?allowNewGame=true&endIndex=50", "x", 0).encode())
        writer.transport.pause_reading()
        await asyncio.sleep(60)


async def attack_all(port, count):
    counts = Counter()
    tasks = [asyncio.create_task(attack(port, KINDS[number % len(KINDS)], counts)) for number in range(count)]
    await asyncio.to_thread(sys.stdin.read)  # until the other end is closed
    for task in tasks:
        task.cancel()
    print(json.dumps(counts))


async def play_all(port, arguments, tally):
    rng, seats = random.Random(1), []
    watching = [asyncio.create_task(watch(port, tally, rng, seats)) for _ in range(arguments.spectators)]
    await asyncio.gather(*(play(port, k, tally, random.Random(k), seats) for k in range(arguments.matches)))
    for task in watching:
        task.cancel()


def cost(pid):
    """Return a process's CPU time and its time waiting for a CPU, in seconds, and its peak memory in MB."""
    had, waited, _ = map(int, Path(f"/proc/{pid}/schedstat").read_text(encoding="ascii").split())
    text = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    most = int(re.search(r"VmHWM:\s+(\d+)", text).group(1)) // 1024
    return {"cpu_s": round(had / 1e9, 1), "waited_s": round(waited / 1e9, 1), "mb": most}


def measure(arguments):
    """Run the load and return the results."""
    system.allow_files(FILES)
    tally = Tally()
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "masume", "serve", "kakomimasu", "--port", "0", "--out", folder]
        command += ["--board", "court", "--set", f"total_turns={arguments.turns}"]
        command += ["--set", f"operation_sec={TURN_S - 1}", "--set", "transition_sec=1"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True) as server:
            port = int(server.stdout.readline().rpartition(":")[2])
            log = subprocess.Popen(["cat"], stdin=server.stdout, stdout=subprocess.DEVNULL)
            hostile = subprocess.Popen(
                [sys.executable, __file__, "--attack", str(port), "--hostile", str(arguments.hostile)],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                start_new_session=True,
            )  # fmt: skip
            begun = time.perf_counter()
            asyncio.run(play_all(port, arguments, tally))
            passed = time.perf_counter() - begun
            pids = {"server": server.pid, "players": os.getpid(), "hostile connections": hostile.pid}
            costs = {name: cost(pid) for name, pid in pids.items()}
            counts = json.loads(hostile.communicate()[0] or "{}")
            server.terminate()
            server.wait()
            log.wait()
    found = {
        "matches": arguments.matches, "spectators": arguments.spectators, "hostile": arguments.hostile,
        "seconds": round(passed, 1), "load_average": round(os.getloadavg()[0], 1), "costs": costs,
        "messages": tally.messages, "attacks": counts, "failures": dict(tally.failures),
    }  # fmt: skip
    for kind, times in sorted(tally.times.items()):
        times.sort()
        found[kind] = {"count": len(times)}
        for part in (0.5, 0.99, 0.999):
            found[kind][f"p{100 * part:g} ms"] = round(1000 * times[math.floor(part * len(times))], 1)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--matches", type=int, default=1000)
    parser.add_argument("--spectators", type=int, default=1000)
    parser.add_argument("--hostile", type=int, default=2000)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--attack", type=int, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.attack is not None:
        system.allow_files(FILES)
        asyncio.run(attack_all(arguments.attack, arguments.hostile))
    else:
        print(json.dumps(measure(arguments), indent=1))


if __name__ == "__main__":
    main()
