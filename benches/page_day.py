"""A day of the page in minutes: whether its memory grows with the matches, requests and viewers that it has seen.

    python benches/page_day.py
    python benches/page_day.py --part 0.1 --trace 15

10,000 matches are begun and play themselves to their end, as a person who does not answer loses; meanwhile come 100,000
requests, and 1,000 viewers come and go. --part takes that part of each number. The aim: at the end the process of the
page has at most 5 MB more than at half-time. --trace shows, in that many lines, what has grown since half-time.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import itertools
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
import tracemalloc
from pathlib import Path
from typing import Any

from masume.core import system

HOST = "127.0.0.1"
MATCHES, REQUESTS, VIEWERS = 10_000, 100_000, 1000
AT_ONCE = 20  # matches that are played, and viewers that look, at the same time
FILES = 5000
PLAY = {"game": "nezumi", "start": "crumbs", "seats": ["me", "random"], "clock": "move=1"}


def serve(trace: int) -> None:
    """Serve a page; at each line of the input print the memory, and at the second one what has grown."""
    from masume.web.gallery import Gallery
    from masume.web.guard import Access
    from masume.web.server import PageServer, running

    before = None
    with tempfile.TemporaryDirectory() as folder, running(PageServer(Gallery(None, Path(folder)), Access())) as server:
        print(server.port, flush=True)
        for _line in sys.stdin:
            print(memory_mb(), flush=True)
            if trace and tracemalloc.is_tracing():
                after = tracemalloc.take_snapshot()
                for line in after.compare_to(before, "lineno")[:trace] if before else ():
                    print(line, file=sys.stderr)
            elif trace:
                tracemalloc.start(4)
                before = tracemalloc.take_snapshot()


def memory_mb() -> float:
    """Return the memory of this process in MB."""
    found = re.search(r"VmRSS:\s+(\d+)", Path("/proc/self/status").read_text(encoding="ascii"))
    assert found is not None
    return int(found[1]) / 1024


class Client:
    """A connection to the page."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(self, path: str, body: dict[str, Any] | None = None) -> bytes:
        """Return an answer."""
        if self._streams is None:
            self._streams = await asyncio.open_connection(HOST, self._port)
        reader, writer = self._streams
        text = b"" if body is None else json.dumps(body).encode()
        method = "GET" if body is None else "POST"
        writer.write(
            f"{method} {path} HTTP/1.1\r\nHost: {HOST}:{self._port}\r\nOrigin: http://{HOST}:{self._port}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(text)}\r\n\r\n".encode()
            + text
        )
        head = await reader.readuntil(b"\r\n\r\n")
        found = re.search(rb"content-length: (\d+)", head)
        assert found is not None, head
        return await reader.readexactly(int(found[1]))

    async def watch(self, path: str) -> None:
        """Read a stream until it ends."""
        reader, writer = await asyncio.open_connection(HOST, self._port)
        writer.write(f"GET {path} HTTP/1.1\r\nHost: {HOST}\r\n\r\n".encode())
        try:
            while await reader.readline() != b"event: end\n":
                pass
        finally:
            writer.transport.abort()

    def close(self) -> None:
        """Close it."""
        if self._streams is not None:
            self._streams[1].transport.abort()


async def live(port: int, matches: int, requests: int, viewers: int, names: list[str]) -> None:
    """Let a part of the day pass; `names` are the matches, to which new ones are added."""
    left = itertools.count()

    async def play() -> None:
        client = Client(port)
        while next(left) < matches:
            name = json.loads(await client.ask("/api/play", PLAY))["id"]
            names.append(name)
            await client.watch(f"/api/m/{name}/events")
        client.close()

    async def ask() -> None:
        for _ in range(requests // AT_ONCE // 10):
            client = Client(port)
            for _ in range(10):
                name = random.choice(names[-600:] or [""])
                path = random.choice(("/", "/api/lobby", f"/m/{name}", f"/api/m/{name}", f"/api/m/{name}/film/0"))
                await client.ask(path)
            client.close()

    async def look() -> None:
        for _ in range(viewers // AT_ONCE):
            path = random.choice(("/api/events", f"/api/m/{names[-1]}/events" if names else "/api/events"))
            with contextlib.suppress(TimeoutError, asyncio.IncompleteReadError):
                await asyncio.wait_for(Client(port).watch(path), random.uniform(0.1, 2))

    await asyncio.gather(*(work() for work in (play, ask, look) for _ in range(AT_ONCE)))


def main() -> None:
    """Print the memory of the page at its start, at half-time and at the end."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--part", type=float, default=1.0)
    parser.add_argument("--trace", type=int, default=0)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.serve:
        serve(arguments.trace)
        return
    system.allow_files(FILES)
    numbers = [round(arguments.part * number / 2) for number in (MATCHES, REQUESTS, VIEWERS)]
    command = [sys.executable, __file__, "--serve", "--trace", str(arguments.trace)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        port, names = int(child.stdout.readline()), list[str]()
        for when in ("start", "half-time", "end"):
            since = time.monotonic()
            if when != "start":
                asyncio.run(live(port, *numbers, names))
            seconds = time.monotonic() - since
            time.sleep(2)
            child.stdin.write("\n")
            child.stdin.flush()
            mb = float(child.stdout.readline())
            print(f"{when:10} {len(names):6} matches  {seconds:6.0f} s  {mb:6.1f} MB", flush=True)
        child.stdin.close()
    print("processes that want one of {} processors: {:.1f}, {:.1f}, {:.1f}".format(os.cpu_count(), *os.getloadavg()))


if __name__ == "__main__":
    main()
