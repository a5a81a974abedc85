"""Spectators of one match on the page: how long after a move each of them has its frame.

    python benches/page_load.py --spectators 500 --turns 40 --delay 250

The server with the match runs in one process, the spectators in another, each on its own connection. A delay is the
time from the moment when the page learns of a move until the frame of it has been read. The aim is a p99 below 250 ms
on two cores that do nothing else. With one of the two cores busy, 500 spectators of a 24x24 Kakomimasu board had p50
30 ms and p99 92 ms (61 and 145 ms while 11 other processes wanted the same cores); the server used 17.3 ms of processor
time a move, 35 us for each frame of each stream.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import resource
import subprocess
import sys
import time

import masume
from masume.agents.make import make_agent
from masume.core import system
from masume.play.driver import play_game
from masume.web.gallery import Gallery
from masume.web.guard import Access
from masume.web.server import PageServer, running

HOST = "127.0.0.1"
HEAD = "GET /api/m/{}/events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
FILES = 5000


def memory_mb() -> float:
    """Return the largest memory of this process so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def serve(arguments: argparse.Namespace) -> None:
    """Show a match, a move every --delay milliseconds once all spectators are there; print the time of each."""
    system.allow_files(FILES)
    game = masume.load("kakomimasu", width=24, height=24, n_agents=14, total_turns=arguments.turns, seed=1)
    moves = play_game(game, [make_agent("greedy", game) for _ in range(2)], 1).to_replay(1, ["a", "b"]).moves
    with running(PageServer(Gallery(), Access())) as server:
        match = server.begin(game, 1, ["a", "b"])
        print(json.dumps([server.port, match.id, len(moves)]), flush=True)
        while server._page.streams.count < arguments.spectators:
            time.sleep(0.05)
        before, used = memory_mb(), time.process_time()
        times = []
        for move in moves:
            time.sleep(arguments.delay / 1000)
            times.append(time.monotonic())
            server.call(match.advance, [move], ["a", "b"], [None, None])
        server.call(match.fail, "")
        server.stay()
        print(
            json.dumps({"times": times, "before": before, "after": memory_mb(), "used": time.process_time() - used}),
            flush=True,
        )


async def watch(port: int, match: str, found: list[list[float]]) -> None:
    """Read a stream to its end; add the time of each frame."""
    reader, writer = await asyncio.open_connection(HOST, port)
    writer.write(HEAD.format(match).encode())
    times: list[float] = []
    while line := await reader.readline():
        if line.startswith(b"id: "):
            times.append(time.monotonic())
        elif line == b"event: end\n":
            break
    writer.close()
    found.append(times)


async def spectate(port: int, match: str, count: int) -> list[list[float]]:
    """Return the times of the frames of so many spectators."""
    found: list[list[float]] = []
    tasks = []
    for _ in range(count):
        tasks.append(asyncio.create_task(watch(port, match, found)))
        await asyncio.sleep(0.002)
    await asyncio.gather(*tasks)
    return found


def main() -> None:
    """Print the delays."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--spectators", type=int, default=500)
    parser.add_argument("--turns", type=int, default=40)
    parser.add_argument("--delay", type=int, default=250, help="milliseconds between two moves")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.serve:
        serve(arguments)
        return
    system.allow_files(FILES)
    with subprocess.Popen([sys.executable, __file__, "--serve", *sys.argv[1:]], stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        port, match, plies = json.loads(child.stdout.readline())
        found = asyncio.run(spectate(port, match, arguments.spectators))
        told = json.loads(child.stdout.readline())
    late = [len(times) for times in found if len(times) != plies + 1]
    delays = sorted(1000 * (got - sent) for times in found for got, sent in zip(times[1:], told["times"], strict=False))
    at = [delays[min(len(delays) - 1, int(len(delays) * part))] for part in (0.5, 0.9, 0.99, 1)]
    print(
        f"{arguments.spectators} spectators, {plies} moves, {len(delays)} frames; streams that lack frames: {len(late)}"
    )
    print("delay: p50 {:.0f} ms, p90 {:.0f} ms, p99 {:.0f} ms, max {:.0f} ms".format(*at))
    each = 1e6 * told["used"] / len(delays)
    move = 1000 * told["used"] / plies
    print(f"processor time of the server: {move:.1f} ms a move, {each:.0f} us a frame and stream")
    print("processes that want one of {} processors: {:.1f}, {:.1f}, {:.1f}".format(os.cpu_count(), *os.getloadavg()))
    grown = told["after"] - told["before"]
    print(f"memory of the server: {told['before']:.0f} MB with all connected, {grown:.1f} MB more at the end")


if __name__ == "__main__":
    main()
