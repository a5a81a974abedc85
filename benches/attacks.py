"""Memory and answers of a server while strangers attack it.

    python benches/attacks.py page
    python benches/attacks.py kakomimasu pipelined resets

Each attack meets a server of its own, and is repeated for ATTACK_S. The table shows the memory of the server before
the attack, at its peak, and after all connections were closed, and the growth for each connection of the attack. Then
come the requests of two honest clients: a player keeps its connection, a newcomer connects for each request. Of both it
shows the 99th percentile, of players also as a multiple of the same in the CALM_S before the attack, of newcomers the
longest time. The aims are 64 kB a connection, 200 MB together, and a ratio of at most 2.

The server, the honest clients and the attackers are processes. With two processors or more the server runs on one of
them and the others on the rest. Run by root, the server and the honest clients are scheduled in real time, so that they
lose no time to the attackers and to what else the machine does.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import re
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from masume.core import system

HOST = "127.0.0.1"
PROCESSORS = sorted(os.sched_getaffinity(0))
SERVER, OTHERS = set(PROCESSORS[-1:]), set(PROCESSORS[:-1] or PROCESSORS)
PATHS = {"page": "/api/lobby", "kakomimasu": "/version"}
FILES = 10_000
CALM_S = 15.0  # before an attack
ATTACK_S = 15.0
ASK_S = 0.01  # between two honest requests
REST_S = 3.0  # from the end of an attack to the last figure
WAIT_S = 60.0  # longest time for an honest request
SEND_S = 15.0  # longest time for a connection to send its data
PAUSE_S = 0.5  # until an attack is repeated
STAY_S = 5.0  # that it stays after that


@contextlib.contextmanager
def started(kind: str, processors: set[int]) -> Iterator[tuple[int, int]]:
    """Yield the process id and the port of a server on these processors."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "masume", "serve", "--out", folder, "--page-port", "0"]
        if kind == "kakomimasu":
            command = [sys.executable, "-m", "masume", "serve", kind, "--port", "0", "--out", folder]
        with measured(command, processors) as child:
            assert child.stdout is not None
            address = child.stdout.readline()
            yield child.pid, int(address.rpartition(":")[2].rstrip("/\n"))
            child.kill()


@contextlib.contextmanager
def measured(command: list[str], processors: set[int]) -> Iterator[subprocess.Popen[str]]:
    """Run a process on these processors, with the highest priority if that is allowed."""
    here = os.sched_getaffinity(0)
    os.sched_setaffinity(0, processors)  # which the process inherits
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as child:  # fmt: skip
        os.sched_setaffinity(0, here)
        with contextlib.suppress(PermissionError):
            os.sched_setscheduler(child.pid, os.SCHED_RR, os.sched_param(1))
        yield child


def memory_mb(pid: int, key: str) -> float:
    """Return the memory of a process in MB: VmRSS now, VmHWM at its peak."""
    text = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    found = re.search(rf"{key}:\s+(\d+)", text)
    assert found is not None
    return int(found[1]) / 1024


class Honest(threading.Thread):
    """A client that asks every ASK_S; `is_player`: over one connection, unless that is closed."""

    def __init__(self, port: int, path: str, is_player: bool) -> None:
        super().__init__(daemon=True)
        self.times: list[tuple[float, float]] = []
        """Seconds of the clock, and until the answer."""
        self._port, self._path, self._is_player = port, path, is_player
        self._connection: socket.socket | None = None

    def run(self) -> None:
        """Ask without end."""
        while True:
            self.times.append((time.monotonic(), self._ask()))
            time.sleep(ASK_S)

    def _ask(self) -> float:
        """Return the seconds until a request is answered; WAIT_S if it never is."""
        begun = time.monotonic()
        while time.monotonic() - begun < WAIT_S:
            with contextlib.suppress(OSError):
                if self._connection is None:
                    self._connection = socket.create_connection((HOST, self._port), timeout=WAIT_S)
                self._connection.sendall(f"GET {self._path} HTTP/1.1\r\nHost: {HOST}\r\n\r\n".encode())
                is_answered = b" 200 " in self._connection.recv(65536)
                if not self._is_player:
                    self._close()
                if is_answered:
                    return time.monotonic() - begun
            self._close()
            time.sleep(0.05)
        return WAIT_S

    def _close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def ask(kind: str, port: int) -> None:
    """Be two honest clients until the input ends; print the times of the player and of the newcomer."""
    clients = [Honest(port, PATHS[kind], is_player) for is_player in (True, False)]
    for one in clients:
        one.start()
    sys.stdin.read()
    print(json.dumps([one.times for one in clients]))


async def send(port: int, parts: Iterator[bytes], stay_s: float = STAY_S) -> None:
    """Send the data over one connection that reads nothing."""
    with contextlib.suppress(OSError, TimeoutError):
        _, writer = await asyncio.open_connection(HOST, port)
        writer.transport.pause_reading()
        try:
            async with asyncio.timeout(SEND_S):
                for part in parts:
                    writer.write(part)
                    await writer.drain()
            await asyncio.sleep(stay_s)
        finally:
            writer.transport.abort()


def of_megabytes(part: bytes, count: int) -> Iterator[bytes]:
    """Yield a part of 64 KB or less until `count` MB are sent."""
    whole = part * max(1, 65536 // len(part))
    return (whole for _ in range((count << 20) // len(whole)))


async def pipelined(port: int, path: str) -> None:
    """Send 36 MB of requests over 12 connections and read no answer."""
    request = f"GET {path} HTTP/1.1\r\nHost: {HOST}\r\n\r\n".encode()
    await asyncio.gather(*(send(port, of_megabytes(request, 3)) for _ in range(12)))


async def behind_a_stream(port: int, path: str) -> None:
    """Send 12 MB of requests after that of an answer without end."""
    stream = "/api/events" if path == PATHS["page"] else "/v1/matches/stream"
    request = f"GET {path} HTTP/1.1\r\nHost: {HOST}\r\n\r\n".encode()

    def parts() -> Iterator[bytes]:
        yield f"GET {stream} HTTP/1.1\r\nHost: {HOST}\r\n\r\n".encode()
        yield from of_megabytes(request, 1)

    await asyncio.gather(*(send(port, parts()) for _ in range(12)))


async def head(port: int, path: str) -> None:
    """Send a header of 600 MB."""

    def parts() -> Iterator[bytes]:
        yield f"GET {path} HTTP/1.1\r\nHost: {HOST}\r\nX: ".encode()
        yield from of_megabytes(b"x", 600)

    await send(port, parts(), 0)


async def lines(port: int, path: str) -> None:
    """Keep 500 heads of 12,000 lines open."""

    def parts() -> Iterator[bytes]:
        yield f"GET {path} HTTP/1.1\r\nHost: {HOST}\r\n".encode()
        yield b"a:b\r\n" * 12_000

    await asyncio.gather(*(send(port, parts()) for _ in range(500)))


async def bodies(port: int, path: str, count: int = 1000) -> None:
    """Keep 1,000 bodies of 39 KB open that never end."""
    target = "/api/play" if path == PATHS["page"] else "/v1/matches"
    head = f"POST {target} HTTP/1.1\r\nHost: {HOST}\r\nOrigin: http://{HOST}\r\nContent-Type: application/json\r\n"

    def parts() -> Iterator[bytes]:
        yield f"{head}Transfer-Encoding: chunked\r\n\r\n".encode()
        yield b"9c00\r\n" + b"[" * 0x9C00 + b"\r\n"

    await asyncio.gather(*(send(port, parts()) for _ in range(count)))


async def crowd(port: int, path: str) -> None:
    """Keep 8,000 bodies of 39 KB open that never end."""
    await bodies(port, path, 8000)


async def silent(port: int, _path: str) -> None:
    """Open 1,200 connections that say nothing."""
    await asyncio.gather(*(send(port, iter(()), ATTACK_S) for _ in range(1200)))


async def resets(port: int, path: str) -> None:
    """Send a request over each of 1,000 connections and reset them."""
    for _ in range(1000):
        with socket.create_connection((HOST, port)) as connection:
            connection.sendall(f"GET {path} HTTP/1.1\r\nHost: {HOST}\r\n\r\n".encode())
            await asyncio.sleep(0.001)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


ATTACKS = {
    pipelined: 12, behind_a_stream: 12, head: 1, lines: 500, bodies: 1000, crowd: 8000, silent: 1200, resets: 1
}  # fmt: skip
"""Number of connections of each attack at the same time."""


async def attack(name: str, port: int, path: str) -> None:
    """Repeat an attack for ATTACK_S."""
    (work,) = (one for one in ATTACKS if one.__name__ == name)
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(ATTACK_S):
            while True:
                await work(port, path)
                await asyncio.sleep(PAUSE_S)


def p99(times: list[float]) -> float:
    """Return the 99th percentile in ms."""
    return 1000 * sorted(times)[int(0.99 * (len(times) - 1))]


def measure(kind: str, name: str, count: int) -> str:
    """Return the line of the table of one attack."""
    command = [sys.executable, __file__, kind, name]
    with started(kind, SERVER) as (pid, port), measured([*command, "--honest", str(port)], OTHERS) as honest:
        time.sleep(CALM_S)
        before, begun = memory_mb(pid, "VmRSS"), time.monotonic()
        subprocess.run([*command, "--attack", str(port)], check=True)
        asked = json.loads(honest.communicate()[0])
        time.sleep(REST_S)
        peak, after = memory_mb(pid, "VmHWM"), memory_mb(pid, "VmRSS")
    calm, late = (p99([one for at, one in asked[0] if (at < begun) is is_before]) for is_before in (True, False))
    new = [one for at, one in asked[1] if at >= begun]
    memory = f"{before:9.0f} {peak:7.0f} {after:8.0f} {1024 * (peak - before) / count:12.0f}"
    return f"{name:15} {memory} {late:12.1f} {late / calm:5.1f} {p99(new):14.1f} {max(new):9.2f}"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    names = {work.__name__: count for work, count in ATTACKS.items()}
    parser.add_argument("kind", choices=PATHS)
    parser.add_argument("attacks", nargs="*", metavar="attack", default=list(names), help=", ".join(names))
    parser.add_argument("--honest", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--attack", type=int, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.honest is not None:
        ask(arguments.kind, arguments.honest)
        return
    system.allow_files(FILES)
    if arguments.attack is not None:
        os.sched_setaffinity(0, OTHERS)
        asyncio.run(attack(arguments.attacks[0], arguments.attack, PATHS[arguments.kind]))
        return
    print(f"{arguments.kind}: the server on processors {SERVER}, others on {OTHERS}")
    print("attack          before MB peak MB after MB kB/connection player p99 ms ratio newcomer p99 ms longest s")
    for name in arguments.attacks:
        print(measure(arguments.kind, name, names[name]), flush=True)
    print("processes that want one of {} processors: {:.1f}, {:.1f}, {:.1f}".format(os.cpu_count(), *os.getloadavg()))


if __name__ == "__main__":
    main()
