"""The page under load: matches of people, viewers, and hostile clients.

    python benches/page_people.py --matches 100 --viewers 500 --hostile 1000 --seconds 60

The server, the people with the viewers, and the hostile connections each run in their own process; people and viewers
have addresses of their own. A person plays CHaser against `safe`, about one move a second, and a new game after each
end. The time of a move is that from its request to the frame that shows it, the time of a request that to its answer.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter

from kakomimasu_load import FILES, cost
from masume.core import system

HOST = "127.0.0.1"
HEAD = "{} {} HTTP/1.1\r\nHost: {}\r\nOrigin: http://{}\r\nCookie: {}\r\nContent-Type: application/json\r\n"
LENGTH = re.compile(rb"content-length: *(\d+)", re.IGNORECASE)
COOKIE = re.compile(rb"set-cookie: *([^;\r]+)", re.IGNORECASE)
PAUSE_S = 1.0  # between two moves
RECIPE = {"game": "chaser", "seats": ["me", "safe"], "start": "", "variant": "", "clock": "none", "name": "Ann"}


class Browser:
    """A person's browser: requests on one connection, the stream of a match on another.

    number : of its address. times : of its requests and moves, by kind, in seconds. failures : likewise, their number.
    """

    def __init__(self, port, number, times, failures):
        self._address = f"127.0.{1 + number // 250}.{1 + number % 250}"
        self._port, self._times, self._failures = port, times, failures
        self._cookie, self._streams = "", []
        self._reader = self._writer = None

    def _head(self, method, path):
        name = f"{HOST}:{self._port}"
        return HEAD.format(method, path, name, name, self._cookie)

    async def _connect(self):
        return await asyncio.open_connection(HOST, self._port, limit=1 << 22, local_addr=(self._address, 0))

    async def ask(self, path, body):
        """Return the answer to a POST."""
        data, begun = json.dumps(body).encode(), time.perf_counter()
        if self._writer is None:
            self._reader, self._writer = await self._connect()
        self._writer.write(f"{self._head('POST', path)}Content-Length: {len(data)}\r\n\r\n".encode() + data)
        head = await self._reader.readuntil(b"\r\n\r\n")
        answer = json.loads(await self._reader.readexactly(int(LENGTH.search(head)[1])))
        self._times.setdefault(path.rpartition("/")[2], []).append(time.perf_counter() - begun)
        if head[9:12] != b"200":
            raise ValueError(f"{head[9:12].decode()} {answer}")
        for cookie in COOKIE.findall(head):
            self._cookie = cookie.decode()
        return answer

    async def events(self, match):
        """Yield the events of a match: (kind, data)."""
        reader, writer = await self._connect()
        writer.write(f"{self._head('GET', f'/api/m/{match}/events')}\r\n".encode())
        kind = ""
        try:
            while line := await reader.readline():
                name, _, value = line.decode().rstrip("\n").partition(": ")
                if name == "event":
                    kind = value
                elif name == "data":
                    yield kind, json.loads(value)
        finally:
            writer.close()

    async def play(self, rng):
        """Play one game."""
        match = (await self.ask("/api/play", RECIPE))["id"]
        sent = None
        async for kind, data in self.events(match):
            if kind == "frame" and sent is not None:
                self._times.setdefault("move", []).append(time.perf_counter() - sent)
                sent = None
            elif kind == "ask" and data:
                await asyncio.sleep(PAUSE_S * (0.5 + rng.random()))
                moves = [
                    (group["slots"][0], group["codes"][n] if group["codes"] else group["base"] + target)
                    for group in data[0]["legal"]
                    for n, target in enumerate(group["to"])
                ]
                sent = time.perf_counter()
                body = {"ask": data[0]["id"], "nonce": str(rng.random()), "steps": [["do", *rng.choice(moves)]]}
                await self.ask(f"/api/m/{match}/act", body)
            elif kind == "end":
                return

    async def play_on(self, rng):
        """Play games until it is cancelled; a failure is counted, and the next game begins after a pause."""
        await asyncio.sleep(5 * rng.random())
        while True:
            try:
                await self.play(rng)
            except (OSError, ValueError, asyncio.IncompleteReadError) as error:
                self._failures[f"{type(error).__name__}: {error}"[:100]] += 1
                self._writer = None
                await asyncio.sleep(PAUSE_S)

    async def view(self, rng):
        """Watch the lobby, and come and go."""
        while True:
            await asyncio.sleep(5 * rng.random())
            try:
                reader, writer = await self._connect()
                writer.write(f"{self._head('GET', '/api/events')}\r\n".encode())
                async with asyncio.timeout(5 + 20 * rng.random()):
                    while line := await reader.readline():
                        if line.startswith(b"data"):
                            self._times.setdefault("lobby", []).append(0.0)
                self._failures["a viewer's stream ended"] += 1
            except TimeoutError:
                writer.close()
            except OSError as error:
                self._failures[f"viewer: {type(error).__name__}"] += 1


async def load(port, arguments, times, failures):
    """Let people and viewers do what they do for some seconds."""
    tasks = []
    for number in range(arguments.matches + arguments.viewers):
        browser, rng = Browser(port, number, times, failures), random.Random(number)
        doing = browser.play_on(rng) if number < arguments.matches else browser.view(rng)
        tasks.append(asyncio.create_task(doing))
    await asyncio.sleep(arguments.seconds)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def measure(arguments):
    """Run the load and return the results."""
    system.allow_files(FILES)
    times, failures = {}, Counter()
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "masume", "serve", "--port", "0", "--out", folder]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True) as server:
            port = int(re.search(r":(\d+)", server.stdout.readline().partition("//")[2])[1])
            attack = [sys.executable, __file__.replace("page_people", "kakomimasu_load"), "--attack", str(port)]
            with subprocess.Popen(
                [*attack, "--hostile", str(arguments.hostile)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL, text=True, start_new_session=True,
            ) as hostile:  # fmt: skip
                asyncio.run(load(port, arguments, times, failures))
                costs = {"server": cost(server.pid), "hostile connections": cost(hostile.pid)}
                attacks = json.loads(hostile.communicate()[0] or "{}")
            server.terminate()
            server.stdout.read()
    found = {
        "matches": arguments.matches, "viewers": arguments.viewers, "hostile": arguments.hostile,
        "load_average": round(os.getloadavg()[0], 1), "costs": costs, "attacks": attacks, "failures": dict(failures),
        "lists of the lobby": len(times.pop("lobby", [])),
    }  # fmt: skip
    for kind, all_times in sorted(times.items()):
        all_times.sort()
        found[kind] = {"count": len(all_times)}
        for part in (0.5, 0.99):
            found[kind][f"p{100 * part:g} ms"] = round(1000 * all_times[int(part * len(all_times))], 1)
    return found


def main():
    """Print the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--matches", type=int, default=100)
    parser.add_argument("--viewers", type=int, default=500)
    parser.add_argument("--hostile", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=60)
    print(json.dumps(measure(parser.parse_args()), indent=1))


if __name__ == "__main__":
    main()
