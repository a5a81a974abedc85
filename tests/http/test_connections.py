"""What a stranger may take of a server: an application of three lines, and clients on real connections."""

import asyncio
import collections
import contextlib
import gc
import socket
import struct
import threading
import time
import tracemalloc
import zlib

import pytest

pytest.importorskip("uvicorn", reason="uvicorn is not installed")

from masume.http import connections, server
from masume.http.connections import MAX_BODY, MAX_HEAD, MAX_LINES, PART

from .serving import Running, wait_until

GET = b"GET /%s HTTP/1.1\r\nHost: x\r\n\r\n"
POST = b"POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n"
CHUNKED = b"POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"


def checksum(body):
    return b"%d bytes: %d" % (len(body), zlib.crc32(body))


async def answer(scope, receive, send, going):
    """Answer with the path, or with the body's checksum; `wait` waits for a test; `events` never end."""
    name, body, kind = scope["path"][1:], scope["path"].encode(), b"text/plain"
    if name == "wait":
        await going.wait()
    elif name == "echo":
        body, is_more = b"", True
        while is_more:
            message = await receive()
            if message["type"] == "http.disconnect":
                return
            body += message["body"]
            is_more = message["more_body"]
        body = checksum(body)
    elif name == "events":
        kind = b"text/event-stream"
    elif name == "long":
        body = bytes(300_000)
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", kind)]})
    await send({"type": "http.response.body", "body": body, "more_body": name == "events"})
    if name == "events":
        await asyncio.Event().wait()


@pytest.fixture
def running(monkeypatch):
    monkeypatch.setattr(server, "LEAVE_S", 0.1)
    found = Running(answer, is_exempt=lambda scope: scope["path"] == "/mine")
    yield found
    found.stop()


def read(connection, wanted):
    """Return what comes, up to a text."""
    found = b""
    while wanted not in found:
        part = connection.recv(65536)
        assert part, found
        found += part
    return found


def send_all(connection, data):
    """Send as much as the other side takes within half a second; return the number of bytes."""
    connection.settimeout(0.5)
    sent = 0
    with contextlib.suppress(TimeoutError, ConnectionError):
        while sent < len(data):
            sent += connection.send(data[sent : sent + 65536])
    return sent


# -- memory ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("first", [b"wait", b"events"])
def test_requests_that_wait_for_an_answer_are_bytes_of_a_bounded_queue(running, first):
    with running.connect(GET % first) as connection:
        wait_until(lambda: running.connections and running.connections[0].is_busy)
        sent = send_all(connection, GET % b"next" * 400_000)
        assert sent < 12_000_000
        assert PART <= running.connections[0].size < 3 * PART
        assert len(running.server._uvicorn.server_state.tasks) == 1
        assert not any(getattr(one, "pipeline", ()) for one in running.server._uvicorn.server_state.connections)


def test_requests_that_were_queued_are_answered_in_their_order(running):
    with running.connect(GET % b"wait" + b"".join(GET % b"n%d" % n for n in range(5000))) as connection:
        running.go()
        found = read(connection, b"/n4999")
    places = [found.index(b"/n%d\r" % number) for number in range(4999)]
    assert places == sorted(places)


def test_an_answer_that_nobody_reads_waits_and_those_after_it_are_not_begun(running):
    with running.connect(GET % b"long" * 100) as connection:
        time.sleep(0.5)
        (state,) = running.connections
        assert state.transport.get_write_buffer_size() < 300_000
        assert state.size > 0
        total = 0
        while total < 100 * 300_000:
            total += len(connection.recv(1 << 20))


@pytest.mark.parametrize("head", [b"X: " + b"x" * (2 * MAX_HEAD), b"a:b\r\n" * (MAX_LINES + 1)])
def test_a_head_too_large_is_cut_off(running, head):
    with running.connect() as connection:
        send_all(connection, b"GET / HTTP/1.1\r\n" + head)
        with contextlib.suppress(ConnectionError):
            assert b" 200 " not in connection.recv(100)
    wait_until(lambda: not running.connections)
    assert running.server.connections._bytes == 0  # else in the end there would be room for none


def test_what_all_send_together_is_bounded_and_the_largest_go(running, monkeypatch):
    monkeypatch.setattr(connections, "MAX_TOGETHER", 50_000)
    with contextlib.ExitStack() as stack:
        small = stack.enter_context(running.connect(GET % b"wait"))
        for _ in range(10):
            stack.enter_context(running.connect(b"GET / HTTP/1.1\r\nX: " + b"x" * 10_000))
        wait_until(lambda: 1 < len(running.connections) < 7)
        running.go()
        read(small, b"/wait")


def test_a_connection_costs_at_most_64_kb(running):
    count = 100
    with contextlib.ExitStack() as stack:
        tracemalloc.start()
        try:
            before = tracemalloc.get_traced_memory()[0]
            for _ in range(count):  # a body that is as long as may be, and what is read beyond it
                connection = stack.enter_context(running.connect(POST % (MAX_BODY + 1)))
                send_all(connection, bytes(MAX_BODY))
            wait_until(lambda: sum(one._passed > MAX_BODY for one in running.connections) == count)
            assert tracemalloc.get_traced_memory()[0] - before < 64_000 * count
        finally:
            tracemalloc.stop()


KINDS = {
    "answered": GET % b"", "stream": GET % b"events", "queue": GET % b"events" + GET % b"" * 100, "half": b"GET /",
    "body": POST % 9 + b"x", "waiting": GET % b"wait",
}  # fmt: skip


@pytest.mark.parametrize("is_reset", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_connections_that_are_gone_leave_nothing_for_the_garbage_collector(running, kind, is_reset):
    def count():
        names = ("Connection", "HttpToolsProtocol", "RequestResponseCycle", "FlowControl", "H11Protocol")
        return collections.Counter(type(one).__name__ for one in gc.get_objects() if type(one).__name__ in names)

    gc.collect()
    gc.disable()
    try:
        before = count()
        for _ in range(5):
            with running.connect(KINDS[kind]) as connection:
                wait_until(lambda: (running.connections and running.connections[0].size) or kind != "half")
                if kind in ("answered", "stream", "queue"):
                    connection.recv(100)
                if is_reset:
                    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        wait_until(lambda: not running.connections)
        running.go()
        wait_until(lambda: count() == before)
    finally:
        gc.enable()


# -- bodies ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [0, 1, PART, 3 * PART + 1, 200_000])
def test_a_body_comes_whole_and_the_next_request_is_not_a_part_of_it(running, size):
    body = b"\n\r\n\n\n" * (size // 5) + b"x" * (size % 5)
    chunks = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in (body[:7], body[7:]) if part) + b"0\r\n\r\n"
    for sent in (POST % size + body, CHUNKED + chunks):
        with running.connect() as connection:
            threading.Thread(target=connection.sendall, args=(sent + GET % b"next",)).start()
            assert checksum(body) in read(connection, b"/next")


def test_a_body_that_nobody_reads_is_left_out(running):
    with running.connect(GET[:-2] % b"first" + b"Content-Length: 90000\r\n\r\n" + b"\n" * 90000 + GET % b"next") as one:
        read(one, b"/next")


def test_who_sends_no_body_is_not_waited_for(running, monkeypatch):
    monkeypatch.setattr(connections, "BODY_S", 0.0)
    monkeypatch.setattr(connections, "HONEST_S", 0.1)
    with running.connect(POST % 9 + b"x") as connection, contextlib.suppress(ConnectionError):
        assert connection.recv(100) == b""


def test_who_does_not_read_is_not_waited_for(running, monkeypatch):
    monkeypatch.setattr(connections, "SEND_S", 0.1)
    with running.connect(GET % b"long" * 100):
        wait_until(lambda: running.connections)
        wait_until(lambda: not running.connections)


# -- shares ----------------------------------------------------------------------------------------


def test_silent_connections_give_way(running, monkeypatch):
    monkeypatch.setattr(connections, "HONEST_S", 0.0)
    running.server.connections.shares.limit, running.server.connections.shares.most = 40, 30
    with contextlib.ExitStack() as stack:
        for _ in range(100):
            stack.enter_context(running.connect())
        wait_until(lambda: len(running.connections) == 30)
        for _ in range(50):  # a class behind the same address
            with running.connect(GET % b"") as honest:
                assert read(honest, b"200 OK")


def test_a_connection_that_is_exempt_counts_in_no_share_and_gives_way_to_none(running, monkeypatch):
    monkeypatch.setattr(connections, "HONEST_S", 0.0)
    running.server.connections.shares.limit = running.server.connections.shares.most = 3
    with contextlib.ExitStack() as stack:
        mine = stack.enter_context(running.connect(GET % b"mine"))
        read(mine, b"/mine")
        assert running.server.connections.shares.total == 0
        for _ in range(20):
            stack.enter_context(running.connect())
        wait_until(lambda: len(running.connections) == 4)
        mine.sendall(GET % b"mine")
        read(mine, b"/mine")
