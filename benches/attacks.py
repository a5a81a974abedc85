"""Memory and answers of a server while a stranger attacks it.

    python benches/attacks.py page
    python benches/attacks.py kakomimasu pipelined resets

Each attack meets a server of its own, in a process of its own. The table shows the memory of that process before the
attack, at its peak, and after all connections were closed, then the honest requests meanwhile: the longest time, the
99th percentile, and that as a multiple of the same for CALM_S before the attack. The aim is at most 2, and 200 MB.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
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
PATHS = {"page": "/api/lobby", "kakomimasu": "/version"}
FILES = 10_000
CALM_S = 10.0  # before an attack
ASK_S = 0.05  # between two honest requests
REST_S = 3.0  # from the end of an attack to the last figure
WAIT_S = 60.0  # longest time for an honest request
SEND_S = 15.0  # longest time for a connection to send its data


def serve() -> None:
    """Serve a page until the input ends; print its port."""
    from masume.web.gallery import Gallery
    from masume.web.guard import Access
    from masume.web.server import PageServer, running

    with running(PageServer(Gallery(), Access())) as server:
        print(f"http://{HOST}:{server.port}", flush=True)
        sys.stdin.read()


@contextlib.contextmanager
def started(kind: str) -> Iterator[tuple[int, int]]:
    """Yield the process id and the port of a server."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, __file__, kind, "--serve"]
        if kind == "kakomimasu":
            command = [sys.executable, "-m", "masume", "serve", kind, "--port", "0", "--out", folder]
        with subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        ) as child:
            assert child.stdout is not None
            port = int(child.stdout.readline().rpartition(":")[2])
            yield child.pid, port
            child.kill()


def memory_mb(pid: int, key: str) -> float:
    """Return the memory of a process in MB: VmRSS now, VmHWM at its peak."""
    text = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    found = re.search(rf"{key}:\s+(\d+)", text)
    assert found is not None
    return int(found[1]) / 1024


def ask(port: int, path: str) -> float:
    """Return the seconds until an honest request is answered; WAIT_S if it never is."""
    begun = time.monotonic()
    while time.monotonic() - begun < WAIT_S:
        with contextlib.suppress(OSError), socket.create_connection((HOST, port), timeout=WAIT_S) as connection:
            connection.sendall(f"GET {path} HTTP/1.1\r\nHost: {HOST}\r\nConnection: close\r\n\r\n".encode())
            if b" 200 " in connection.recv(100):
                return time.monotonic() - begun
        time.sleep(0.05)
    return WAIT_S


async def send(port: int, parts: Iterator[bytes], stay_s: float = 0.0) -> None:
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
    await asyncio.gather(*(send(port, of_megabytes(request, 3), 5) for _ in range(12)))


async def behind_a_stream(port: int, path: str) -> None:
    """Send 12 MB of requests after that of an answer without end."""
    stream = "/api/events" if path == PATHS["page"] else "/v1/matches/stream"
    request = f"GET {path} HTTP/1.1\r\nHost: {HOST}\r\n\r\n".encode()

    def parts() -> Iterator[bytes]:
        yield f"GET {stream} HTTP/1.1\r\nHost: {HOST}\r\n\r\n".encode()
        yield from of_megabytes(request, 1)

    await asyncio.gather(*(send(port, parts(), 5) for _ in range(12)))


async def head(port: int, path: str) -> None:
    """Send a header of 600 MB."""

    def parts() -> Iterator[bytes]:
        yield f"GET {path} HTTP/1.1\r\nHost: {HOST}\r\nX: ".encode()
        yield from of_megabytes(b"x", 600)

    await send(port, parts())


async def lines(port: int, path: str) -> None:
    """Keep 500 heads of 12,000 lines open."""

    def parts() -> Iterator[bytes]:
        yield f"GET {path} HTTP/1.1\r\nHost: {HOST}\r\n".encode()
        yield b"a:b\r\n" * 12_000

    await asyncio.gather(*(send(port, parts(), 5) for _ in range(500)))


async def bodies(port: int, path: str) -> None:
    """Keep 500 bodies of 60 KB open that never end."""
    target = "/api/play" if path == PATHS["page"] else "/v1/matches"
    head = f"POST {target} HTTP/1.1\r\nHost: {HOST}\r\nOrigin: http://{HOST}\r\nContent-Type: application/json\r\n"

    def parts() -> Iterator[bytes]:
        yield f"{head}Transfer-Encoding: chunked\r\n\r\n".encode()
        yield b"f000\r\n" + b"[" * 0xF000 + b"\r\n"

    await asyncio.gather(*(send(port, parts(), 5) for _ in range(500)))


async def silent(port: int, _path: str) -> None:
    """Open 1,200 connections that say nothing."""
    await asyncio.gather(*(send(port, iter(()), 20) for _ in range(1200)))


async def resets(port: int, path: str) -> None:
    """Send a request over each of 5,000 connections and reset them."""
    for _ in range(5000):
        with socket.create_connection((HOST, port)) as connection:
            connection.sendall(f"GET {path} HTTP/1.1\r\nHost: {HOST}\r\n\r\n".encode())
            await asyncio.sleep(0.001)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


ATTACKS = {
    attack.__name__: attack for attack in (pipelined, behind_a_stream, head, lines, bodies, silent, resets)
}  # fmt: skip


def p99(times: list[float]) -> float:
    """Return the 99th percentile."""
    return sorted(times)[int(0.99 * (len(times) - 1))]


def measure(kind: str, name: str) -> str:
    """Return the line of the table of one attack."""
    with started(kind) as (pid, port):
        path, times, is_over = PATHS[kind], [ask(port, PATHS[kind])], threading.Event()

        def keep_asking() -> None:
            while not is_over.wait(ASK_S):
                times.append(ask(port, path))

        honest = threading.Thread(target=keep_asking)
        honest.start()
        time.sleep(CALM_S)
        before, num_calm = memory_mb(pid, "VmRSS"), len(times)
        asyncio.run(ATTACKS[name](port, path))
        is_over.set()
        honest.join()
        calm, late = p99(times[:num_calm]), p99(times[num_calm:])
        time.sleep(REST_S)
        peak, after = memory_mb(pid, "VmHWM"), memory_mb(pid, "VmRSS")
    waits = f"{max(times[num_calm:]):12.2f} {1000 * late:7.1f} {late / calm:6.1f}"
    return f"{kind:10}  {name:15} {before:9.0f} {peak:9.0f} {after:9.0f} {waits}"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=PATHS)
    parser.add_argument("attacks", nargs="*", metavar="attack", default=list(ATTACKS), help=", ".join(ATTACKS))
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.serve:
        serve()
        return
    system.allow_files(FILES)
    print("server      attack          before MB   peak MB  after MB longest wait  p99 ms  ratio")
    for name in arguments.attacks:
        print(measure(arguments.kind, name), flush=True)


if __name__ == "__main__":
    main()
