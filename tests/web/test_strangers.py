"""What strangers may take of the page: small versions of attacks, measured in bytes that the server keeps."""

import contextlib
import http.client
import json
import socket
import tracemalloc

import pytest

pytest.importorskip("starlette", reason="starlette is not installed")
pytest.importorskip("uvicorn", reason="uvicorn is not installed")

import masume
from masume.http import connections
from masume.http.limits import Shares
from visitors import WAIT_S, page

HEAD = b"GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\n"


@pytest.fixture
def server():
    with page(host="the-host") as found:
        yield found


def connect(server):
    return socket.create_connection(("127.0.0.1", server.port), timeout=WAIT_S)


def get(server, path, **headers):
    """Return the status, the headers and the body of an answer; of a stream only its beginning."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=WAIT_S)
    with contextlib.closing(connection):
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        is_stream = answer.getheader("content-type", "").startswith("text/event-stream")
        return answer.status, answer.headers, answer.readline() if is_stream else answer.read()


def kept_bytes(server, data):
    """Return the largest memory that a client costs which sends so much and reads nothing."""
    get(server, "/api/lobby")
    tracemalloc.start()
    try:
        with connect(server) as connection:
            connection.settimeout(1.0)
            with contextlib.suppress(OSError):
                connection.sendall(data)
            get(server, "/api/lobby")
            return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_requests_whose_answers_nobody_reads_cost_little(server):
    lobby, stream = HEAD % b"/api/lobby" + b"\r\n", HEAD % b"/api/events" + b"\r\n"
    for data in (lobby * 40_000, stream + lobby * 40_000):  # 2 MB
        assert kept_bytes(server, data) < 2_000_000


@pytest.mark.parametrize("line", [b"X: " + b"x" * 8_000_000, b"a:b\r\n" * 100_000])
def test_a_head_without_end_costs_little(server, line):
    assert kept_bytes(server, HEAD % b"/" + line) < 2_000_000


def test_silent_connections_keep_nobody_out(server, monkeypatch):
    monkeypatch.setattr(connections, "HONEST_S", 0.0)
    server._server.connections.shares = Shares(40)
    with contextlib.ExitStack() as stack:
        for _ in range(60):
            stack.enter_context(connect(server))
        for _ in range(40):  # a class behind the same address
            assert get(server, "/api/lobby")[0] == 200


def test_an_address_has_a_share_of_the_streams_and_the_host_as_many_as_it_wants(server):
    server._page.streams.shares = shares = Shares(4)
    with contextlib.ExitStack() as stack:
        for _ in range(3):
            connection = stack.enter_context(connect(server))
            connection.sendall(HEAD % b"/api/events" + b"\r\n")
            assert b" 200 " in connection.recv(100)
        status, headers, body = get(server, "/api/events", Cookie="masume-host=a-forged-one")
        assert (status, headers["Retry-After"]) == (503, "10")
        assert "too many people watch" in json.loads(body)["text"]
        assert get(server, "/api/lobby")[0] == 200
        for _ in range(3):
            assert get(server, "/api/events", Cookie="masume-host=the-host")[0] == 200
    while shares.total:
        pass
    assert get(server, "/api/events")[0] == 200


LONG = ["9" * 5000, "a" * 5000, "a" * 300 + ".js", "%00.js", "%ff.css", "%ED%A0%80.js", "..%2fapp.js", "%C2%B2", "-1"]


@pytest.mark.parametrize("name", LONG)
def test_what_is_nowhere_is_404(server, name):
    match = server.gallery.new(masume.load("nezumi"), 1, ["a", "b"]).id
    starts = [
        "/static/",
        "/static/x/",
        f"/api/m/{match}/film/",
        "/api/m/x/film/",
        "/api/m/",
        "/api/offer/",
        "/api/menu/",
        "/api/make/",
    ]
    for start in [*starts, "/api/job/"]:
        assert get(server, start + name)[0] == 404
    for query in ("view", "as", "from", "lang", "window"):
        assert get(server, f"/api/m/{match}?{query}={name}")[0] == 200
