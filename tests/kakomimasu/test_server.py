"""The match server on the wire, with real connections and a clock set by the tests. [section 14]"""

import asyncio
import contextlib
import http.client
import json
import signal
import socket
import subprocess
import sys
import threading
import time
import tracemalloc
from pathlib import Path

import pytest

from masume import cli
from masume.http.connections import PIECE
from masume.http.limits import Shares, read_networks
from masume.kakomimasu.boards import Board
from masume.kakomimasu.server.app import MAX_BODY, Server, Settings
from masume.kakomimasu.server.hall import Hall
from masume.kakomimasu.server.streams import Streams
from masume.records import replay

DUEL = Board("duel", 3, 3, (1,) * 9, n_agents=1, total_turns=1, operation_sec=1, transition_sec=1)
JSON = {"Content-Type": "application/json"}
WAIT_S = 20
EXAMPLE = Path(__file__).parents[2] / "examples/kakomimasu_bot.py"


class Running:
    """A server in a separate thread."""

    def __init__(self, folder, clock=None, say=None, **settings):
        self.now, self.news, self.fault = 1_700_000_000.0, [], None
        settings = Settings(**{"port": 0, "folder": folder, **settings})
        self.server = Server(
            settings, {"duel": DUEL}, {}, ["duel"], say=say or self.news.append, clock=clock or (lambda: self.now)
        )
        self.server.listen()
        self.port = self.server.port
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def _serve(self):
        try:
            asyncio.run(self.server.serve())
        except BrokenPipeError as error:
            self.fault = error

    def stop(self):
        self.server.stop()
        self.wait()

    @property
    def is_alive(self):
        return self._thread.is_alive()

    def wait(self):
        self._thread.join(WAIT_S)
        assert not self.is_alive

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=WAIT_S)

    def ask(self, method, path, body=None, headers=JSON):
        with contextlib.closing(self.connect()) as connection:
            connection.request(method, path, None if body is None else json.dumps(body), headers)
            response = connection.getresponse()
            return response, response.read()

    def join(self, guest):
        return json.loads(self.ask("POST", "/v1/matches/free/players", {"guestName": guest})[1])


@pytest.fixture
def running(tmp_path):
    server = Running(tmp_path)
    yield server
    server.stop()


def events(response, count):
    """Return the next messages of a stream."""
    found = []
    while len(found) < count:
        line = response.readline()
        assert line, "the stream has ended"
        if line.startswith(b"data: "):
            found.append(json.loads(line[6:]))
    return found


def test_every_reply_says_when_and_lets_pages_of_an_origin_read_it_where_that_is_wanted(tmp_path):
    for cors in (None, "*", "https://a.example"):
        running = Running(tmp_path, cors=cors)
        for method, path, status in (("GET", "/version", 200), ("GET", "/x", 400), ("GET", "/v1/users/me", 401)):
            response, body = running.ask(method, path)
            assert (response.status, response.headers["Content-Type"]) == (status, "application/json")
            assert response.headers["Access-Control-Allow-Origin"] == cors
            assert response.headers["Access-Control-Expose-Headers"] == (cors and "Date")
            assert response.headers.get_all("Date") == ["Tue, 14 Nov 2023 22:13:20 GMT"]  # by the clock of the matches
            assert b"\n" not in body
        running.stop()
    assert response.headers["WWW-Authenticate"] == 'Bearer realm="token_required"'
    assert json.loads(body) == {"message": "unauthorized", "errorCode": 4}


def test_pages_of_an_allowed_origin_may_read_the_account_of_a_session(tmp_path):  # KS-28
    for cors, origin, allowed in (
        ("*", "https://a.example", "https://a.example"), ("*", None, "*"), (None, "https://a.example", None),
        ("https://a.example", "https://a.example", "https://a.example"),
        ("https://a.example", "https://b.example", "https://a.example"),
    ):  # fmt: skip
        running = Running(tmp_path, cors=cors, is_open=True)
        running.ask("POST", "/v1/users", {"name": "ann", "sessions": ["s-1"]})
        headers = {"Cookie": "site-session=s-1"} | ({"Origin": origin} if origin else {})
        response, body = running.ask("GET", "/v1/users/me", headers=headers)
        assert json.loads(body)["name"] == "ann"
        assert response.headers["Access-Control-Allow-Origin"] == allowed
        has = response.headers["Access-Control-Allow-Credentials"] == "true"
        assert has == (cors is not None and origin == allowed)
        bearer = {"Authorization": f"Bearer {json.loads(body)['bearerToken']}"}
        response, _ = running.ask("GET", "/v1/users/me", headers=headers | bearer)
        assert response.headers["Access-Control-Allow-Credentials"] is None
        response, _ = running.ask("GET", "/v1/oauth/signout", headers=headers)
        assert (response.status, response.headers["Location"]) == (302, "/")
        response, body = running.ask("HEAD", "/version")
        assert (response.status, body) == (200, b"")
        running.stop()


def test_a_server_with_its_own_limits(tmp_path):
    running = Running(tmp_path, rate=0.1, allow=read_networks(["127.0.0.1"]))
    assert running.ask("GET", "/version")[0].status == 200  # ten seconds' worth: one
    response, body = running.ask("GET", "/version")
    assert (response.status, response.headers["Retry-After"]) == (429, "10")
    assert json.loads(body) == {"message": "too many requests", "errorCode": 0}
    running.now += 10
    assert running.ask("GET", "/version")[0].status == 200
    running.stop()
    running = Running(tmp_path, allow=read_networks(["192.0.2.0/24"]))
    with pytest.raises((ConnectionError, http.client.RemoteDisconnected)):
        running.ask("GET", "/version")
    running.stop()


def test_behind_a_proxy_clients_are_told_apart_below_its_path(tmp_path):
    running = Running(
        tmp_path, base="/board", names=["contest.example.org"], proxies=["127.0.0.1"], rate=0.1,
        allow=read_networks(["203.0.113.0/24"]),
    )  # fmt: skip
    try:
        for path in ("/board/version", "/version"):
            for client in ("203.0.113.1", "203.0.113.2"):
                head = {"X-Forwarded-For": f"198.51.100.1, {client}"}
                assert running.ask("GET", path, headers=head)[0].status == (200 if path == "/board/version" else 429)
        assert running.ask("GET", "/version", headers={"X-Forwarded-For": "203.0.113.9, 198.51.100.1"})[0].status == 403
        head = {"X-Forwarded-For": "203.0.113.3"}
        assert json.loads(running.ask("GET", "/board/v1/openapi.json", headers=head)[1])["servers"] == [
            {"url": "/board/v1"}
        ]
        head = {"X-Forwarded-For": "203.0.113.4", "Host": "contest.example.org"}
        assert b'"base":"/board"' in running.ask("GET", "/board/", headers=head)[1]
        assert running.news[:2] == [
            "serving on https://contest.example.org/board",
            f"it listens on 127.0.0.1:{running.port}",
        ]
    finally:
        running.stop()


@pytest.mark.parametrize("method", ["HEAD", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "BREW"])
def test_every_method_is_answered_and_ends(running, method):
    for path in ("/v1/boards", "/v1/matches/stream", "/version", "/nothing"):
        response, data = running.ask(method, path)
        if method in ("TRACE", "CONNECT", "BREW"):
            assert response.status == 501
        elif method == "HEAD":
            assert (response.status, data) == (200 if path in ("/v1/boards", "/version") else 400, b"")
        else:
            assert response.status == 404  # as the original's  KS-35


def test_the_version_is_that_of_the_environment(tmp_path, monkeypatch):  # KS-33
    for given, told in ((None, "local"), ("1.2", "1.2")):
        monkeypatch.delenv("VERSION", raising=False) if given is None else monkeypatch.setenv("VERSION", given)
        running = Running(tmp_path)
        _, body = running.ask("GET", "/version")
        running.stop()
        assert json.loads(body) == {"version": told}


def test_a_preflight(tmp_path):
    running = Running(tmp_path, cors="*")
    response, body = running.ask("OPTIONS", "/v1/any", headers={"Access-Control-Request-Headers": "a, b"})
    running.stop()
    assert (response.status, body) == (204, b"")
    assert response.headers["Access-Control-Allow-Methods"] == "GET,POST,DELETE,PATCH"
    assert response.headers["Access-Control-Allow-Headers"] == "a, b"


def test_people_who_mistype_an_address_get_words_and_programs_what_the_api_says(running):
    person = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
    answer, data = running.ask("GET", "/nothing", headers=person)
    assert (answer.status, answer.headers["Content-Type"]) == (404, "text/html; charset=utf-8")
    assert b"there is nothing at this address" in data
    for path, headers in (("/nothing", {"Accept": "*/*"}), ("/v1/nothing", person)):
        answer, data = running.ask("GET", path, headers=headers)
        assert answer.status == 400
        assert json.loads(data)["message"] == "not found"


def test_a_preflight_is_nothing_of_a_server_that_no_page_may_read(running):
    response, _ = running.ask("OPTIONS", "/v1/any", headers={"Access-Control-Request-Headers": "a, b"})
    assert (response.status, response.headers["Content-Type"]) == (404, "text/plain; charset=UTF-8")
    assert "Access-Control-Allow-Origin" not in response.headers


def test_a_stream_and_what_is_kept_of_a_match(running, tmp_path):
    with contextlib.closing(running.connect()) as connection:
        connection.request("GET", "/v1/matches/stream?q=&allowNewGame=true&startIndex=0")
        response = connection.getresponse()
        assert (response.status, response.headers["Content-Type"]) == (200, "text/event-stream")
        (first,) = events(response, 1)
        assert (first["type"], first["games"], first["gamesNum"]) == ("initial", [], 0)
        ann = running.join("アン")
        assert [message["type"] for message in events(response, 2)] == ["add", "update"]
        running.join("bob\ud800")
        assert events(response, 1)[0]["game"]["status"] == "ready"
        running.now += 5
        action = {"actions": [{"agentId": 0, "type": "PUT", "x": 2, "y": 1}]}
        path = f"/v1/matches/{ann['gameId']}/actions"
        reply, _ = running.ask("PATCH", path, action, JSON | {"Authorization": ann["pic"]})
        assert reply.status == 200
        assert events(response, 1)[0]["game"]["status"] == "gaming"
        running.now += 2
        running.ask("GET", "/version")
        (last,) = events(response, 1)
    assert last["game"]["status"] == "ended"
    running.stop()
    path = tmp_path / f"{ann['gameId']}.json"
    assert json.loads(path.read_bytes()) == last["game"]
    (kept,) = replay.load(path)
    assert (kept.names, kept.scores) == (["アン", "bob\ud800"], [1, 0])
    assert any(str(path) in line for line in running.news)


def test_a_range_that_is_none_is_no_stream(running):
    response, body = running.ask("GET", "/v1/matches/stream?startIndex=x")
    assert (response.status, json.loads(body)["errorCode"]) == (400, 106)


def test_a_stream_without_news_says_that_it_is_there(running, monkeypatch):
    monkeypatch.setattr("masume.kakomimasu.server.streams.KEEP_ALIVE_S", 0.01)
    with contextlib.closing(running.connect()) as connection:
        connection.request("GET", "/v1/matches/stream")
        response = connection.getresponse()
        events(response, 1)
        assert [response.readline() for _ in range(3)] == [b"\n", b": keep-alive\n", b"\n"]


def test_a_stream_that_is_read_late_tells_what_was_so_then(running):
    with contextlib.closing(running.connect()) as connection:
        connection.request("GET", "/v1/matches/stream?allowNewGame=true")
        response = connection.getresponse()
        running.join("ann")
        running.join("bob")
        running.now += 60  # the start and the only turn, all at once
        running.ask("GET", "/version")
        games = [message["game"] for message in events(response, 6)[1:]]
    assert [(game["status"], len(game["log"])) for game in games] == [
        ("free", 0), ("free", 0), ("ready", 0), ("gaming", 0), ("ended", 1),
    ]  # fmt: skip


def test_a_stream_that_nobody_reads_ends(monkeypatch):
    monkeypatch.setattr("masume.kakomimasu.server.streams.MAX_WAITING", 3)
    hall = Hall({"duel": DUEL}, {}, ["duel"])
    match = hall.make(DUEL, {})

    async def main():
        streams = Streams()
        unread, read = (streams.open({"allowNewGame": "true"}, None, {}) for _ in range(2))
        events = read.events()

        async def told():
            found = b""
            while not found.endswith(b"\n\n"):
                found += await anext(events)
            return found

        assert b"initial" in await told()
        for kind in (b"add", b"update", b"update", b"update"):
            streams.tell(match)
            assert kind in await told()
        assert len(streams) == 1
        assert b"update" not in b"".join([part async for part in unread.events()])
        streams.end()
        assert [part async for part in events] == []
        assert len(streams) == 0

    asyncio.run(main())


def test_streams_are_told_from_a_certain_number_on_that_there_are_too_many(running, monkeypatch):
    monkeypatch.setattr(running.server._streams, "shares", Shares(1))
    for _ in range(3):  # one after the other
        with contextlib.closing(running.connect()) as connection:
            connection.request("GET", "/v1/matches/stream")
            events(connection.getresponse(), 1)
            response, body = running.ask("GET", "/v1/matches/stream")
            assert (response.status, json.loads(body)["message"]) == (500, "too many streams")
        while len(running.server._streams):
            time.sleep(0.01)


def test_a_server_ends_though_a_stream_is_not_read(tmp_path, monkeypatch):
    monkeypatch.setattr("masume.http.server.LEAVE_S", 0.2)
    running = Running(tmp_path)
    with contextlib.closing(socket.socket()) as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
        connection.connect(("127.0.0.1", running.port))
        connection.sendall(b"GET /v1/matches/stream?allowNewGame=true HTTP/1.1\r\nHost: x\r\n\r\n")
        while not len(running.server._streams):
            time.sleep(0.01)
        for _ in range(150):
            running.join("x" * 1000)
        assert len(running.server._streams)
        running.stop()
        assert not running.is_alive


def test_streams_end_with_the_server(tmp_path):
    running = Running(tmp_path)
    with contextlib.closing(running.connect()) as connection:
        connection.request("GET", "/v1/matches/stream")
        response = connection.getresponse()
        events(response, 1)
        running.stop()
        assert response.read().strip() == b""


def test_a_server_ends_after_so_many_matches(tmp_path):
    running = Running(tmp_path, games=1)
    running.join("ann")
    running.join("bob")
    running.now += 7
    running.ask("GET", "/version")
    running.wait()
    assert [match.status for match in running.server.played] == ["ended"]


@pytest.mark.slow
@pytest.mark.nightly
def test_time_passes_without_requests(tmp_path):
    running = Running(tmp_path, games=1, clock=time.time)
    running.join("ann")
    running.join("bob")
    running.wait()
    assert [match.status for match in running.server.played] == ["ended"]


@pytest.mark.parametrize(
    "sent",
    [
        b"", b"\r\n\r\n", b"GET", b"nonsense\r\n\r\n", b"GET /version HTTP/9.9\r\n\r\n", bytes(range(256)) * 40,
        b"GET /" + b"a" * 200_000, b"POST /v1/matches HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
        b"POST /v1/matches HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{",
        b"POST /v1/matches HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"GET /v1/users/%ff%00%0d%0a HTTP/1.1\r\nHost: x\r\n\r\n",
    ],
)  # fmt: skip
def test_whatever_is_sent_the_server_goes_on(running, sent):
    with socket.create_connection(("127.0.0.1", running.port), timeout=WAIT_S) as connection:
        with contextlib.suppress(ConnectionError):
            connection.sendall(sent)
        connection.shutdown(socket.SHUT_WR)
        with contextlib.suppress(ConnectionError):
            while connection.recv(65536):
                pass
    assert running.ask("GET", "/version")[0].status == 200


def test_a_body_without_end_is_refused(running):
    response, body = running.ask("POST", "/v1/matches", "x" * MAX_BODY)
    assert (response.status, json.loads(body)["errorCode"]) == (400, 6)


@pytest.mark.parametrize("length", ["1000000000", "1" * 5000, "65537"])
def test_a_body_too_long_is_refused_before_it_comes(running, length):
    with socket.create_connection(("127.0.0.1", running.port), timeout=WAIT_S) as connection:
        connection.sendall(b"POST /v1/matches HTTP/1.1\r\nHost: x\r\nContent-Length: %s\r\n\r\n" % length.encode())
        found = b""
        while part := connection.recv(65536):
            found += part
    assert b" 400 " in found


def test_a_body_in_parts_without_end_is_refused(running):
    with socket.create_connection(("127.0.0.1", running.port), timeout=WAIT_S) as connection:
        connection.sendall(b"POST /v1/matches HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
        with contextlib.suppress(ConnectionError):
            for _ in range(1000):
                connection.sendall(b"8000\r\n" + b"x" * 0x8000 + b"\r\n")
            raise AssertionError("all of it was taken")
    assert running.ask("GET", "/version")[0].status == 200


def test_requests_of_one_connection_are_answered_one_after_the_other(running):
    with socket.create_connection(("127.0.0.1", running.port), timeout=WAIT_S) as connection:
        connection.sendall(b"GET /version HTTP/1.1\r\nHost: x\r\n\r\n" * 50)
        found = b""
        while found.count(b"200 OK") < 50:
            part = connection.recv(65536)
            assert part
            found += part


def test_requests_whose_answers_nobody_reads_cost_little(running):
    running.ask("GET", "/version")
    stream, version = (b"GET %s HTTP/1.1\r\nHost: x\r\n\r\n" % path for path in (b"/v1/matches/stream", b"/version"))
    for data in (version * 40_000, stream + version * 40_000):
        tracemalloc.start()
        with socket.create_connection(("127.0.0.1", running.port), timeout=0.5) as connection:
            with contextlib.suppress(OSError):
                connection.sendall(data)
            running.ask("GET", "/version")
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert most < 2_000_000


def test_a_long_answer_comes_whole(running):
    match = {"boardName": "duel", "name": "x" * 1000}
    ids = [json.loads(running.ask("POST", "/v1/matches", match)[1])["id"] for _ in range(60)]
    _, body = running.ask("GET", "/v1/matches")
    assert len(body) > PIECE
    assert [one["id"] for one in json.loads(body)] == ids
    with contextlib.closing(running.connect()) as connection:
        connection.request("GET", "/v1/matches/stream?endIndex=50")
        (first,) = events(connection.getresponse(), 1)
    assert [one["id"] for one in first["games"]] == ids[:50]


def test_who_says_nothing_is_not_waited_for(running, monkeypatch):
    monkeypatch.setattr("masume.http.connections.HEAD_S", 0.05)
    monkeypatch.setattr("masume.kakomimasu.server.app.BODY_S", 0.05)
    for sent, answer in (
        (b"", b""),
        (b"GET /ver", b""),
        (b"POST /v1/matches HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{", b"the body does not come"),
    ):
        with socket.create_connection(("127.0.0.1", running.port), timeout=WAIT_S) as connection:
            connection.sendall(sent)
            found = b""
            with contextlib.suppress(ConnectionError):
                while answer not in found or not answer:
                    part = connection.recv(65536)
                    if not part:
                        break
                    found += part
            assert answer in found


def test_a_connection_too_many_is_closed(tmp_path):
    running = Running(tmp_path, max_connections=1)
    with contextlib.closing(running.connect()) as connection:
        connection.request("GET", "/v1/matches/stream")
        events(connection.getresponse(), 1)
        with pytest.raises((ConnectionError, http.client.HTTPException)):
            running.ask("GET", "/version")
    while len(running.server._streams):
        time.sleep(0.01)
    assert running.ask("GET", "/version")[0].status == 200
    running.stop()


def test_who_leaves_in_the_midst_of_a_request_is_no_news(tmp_path):
    running = Running(tmp_path)
    for _ in range(5):
        with socket.create_connection(("127.0.0.1", running.port), timeout=WAIT_S) as connection:
            connection.sendall(b"POST /v1/matches HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{")
    running.stop()
    assert running.news[0] == f"serving on http://127.0.0.1:{running.port}"
    assert len(running.news) == 2  # the host's link


def test_a_name_of_two_lines_is_one_line_of_news(running):
    running.join("ann\nreplay: x")
    running.join("bob")
    running.stop()
    assert running.news[-1].endswith(": on duel, between 'ann\\nreplay: x', 'bob'")


def test_a_fault_of_the_server_is_told_and_it_goes_on(running, monkeypatch):
    def fail(_):
        raise RuntimeError("no more")

    monkeypatch.setattr(running.server._api, "answer", fail)
    response, body = running.ask("GET", "/version")
    assert (response.status, json.loads(body)) == (500, {"message": "no more", "errorCode": 0})
    running.stop()
    assert "GET /version: RuntimeError: no more" in running.news


def test_a_server_whose_news_nobody_hears_ends_and_breaks_no_match_before(tmp_path):
    def say(news):
        if "between" in news:
            raise BrokenPipeError

    running = Running(tmp_path, say=say)
    running.join("ann")
    assert running.join("bob")["index"] == 1
    running.wait()
    assert isinstance(running.fault, BrokenPipeError)


def test_a_disk_that_is_full_stops_no_match(tmp_path):
    (tmp_path / "file").touch()
    running = Running(tmp_path / "file" / "gone", games=1)
    running.join("ann")
    running.join("bob")
    running.now += 7
    running.ask("GET", "/version")
    running.wait()
    assert any("Not a directory" in line for line in running.news)


# -- the command ---------------------------------------------------------------------------------


def serve(tmp_path, *arguments):
    command = [sys.executable, "-m", "masume", "serve", "kakomimasu", "--out", str(tmp_path), *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_the_command_serves_until_ctrl_c(tmp_path):
    (tmp_path / "users.json").write_text('[{"name": "ann", "bearerToken": "t"}]')
    users = ["--users", str(tmp_path / "users.json")]
    with serve(tmp_path, "--port", "0", "--set", "operation_sec=9", *users) as process:
        port = int(process.stdout.readline().rpartition(":")[2])
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=WAIT_S)
        with contextlib.closing(connection):
            headers = JSON | {"Authorization": "Bearer t"}
            connection.request("POST", "/v1/matches/ai/players", '{"aiName": "a1"}', headers)
            joined = json.loads(connection.getresponse().read())
            connection.request("GET", f"/v1/matches/{joined['gameId']}")
            match = json.loads(connection.getresponse().read())
        assert match["operationSec"] == 9
        assert match["players"][0]["type"] == "account"
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=WAIT_S)
    assert (process.returncode, errors) == (130, "masume: interrupted\n")


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGTERM")
@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGINT])
def test_the_command_goes_on_where_it_was_ended(tmp_path, sign):
    arguments = ("--port", "0", "--register", "--state", str(tmp_path / "state"), "--set", "operation_sec=9")
    asked = [
        ("POST", "/v1/users", '{"name": "ann"}'),
        ("POST", "/v1/matches/ai/players", '{"aiName": "a1", "guestName": "bob"}'),
    ]
    for _ in range(2):
        with serve(tmp_path, *arguments) as process:
            try:
                line = process.stdout.readline()
                if asked[0][0] == "GET":
                    assert line == "1 matches go on\n"
                    line = process.stdout.readline()
                connection = http.client.HTTPConnection("127.0.0.1", int(line.rpartition(":")[2]), timeout=WAIT_S)
                with contextlib.closing(connection):
                    found = []
                    for method, path, body in asked:
                        connection.request(method, path, body, JSON)
                        response = connection.getresponse()
                        found.append(json.loads(response.read()))
                        assert response.status == 200
                process.send_signal(sign)
                _, errors = process.communicate(timeout=WAIT_S)
            finally:
                process.kill()
        assert process.returncode == (130 if sign == signal.SIGINT else -sign)
        assert errors == ("masume: interrupted\n" if sign == signal.SIGINT else "")
        asked = [("GET", "/v1/users/ann", None), ("GET", f"/v1/matches/{found[1].get('gameId')}", None)]
    assert found[1]["players"][0]["id"] == "bob"
    assert (tmp_path / "state").stat().st_mode & 0o77 == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--host", "a..b"], "host: expected a name or an address of this machine, got 'a..b'"),
        (["--port", "70000"], "port: expected 0..65535, got 70000"),
        (["--games", "0"], "games: expected 1.."),
        (["--board", "none"], "board: no such file"),
        (["--set", "n_agents=17"], "n_agents: expected 1..16, got 17"),
        (["--set", "width=5"], "width: the board gives it"),
        (["--preset", "x"], "preset: the server plays on boards"),
        (["--users", "none.json"], "none.json: No such file"),
    ],
)
def test_a_command_that_cannot_serve_says_why(tmp_path, capsys, arguments, message):
    assert cli.main(["serve", "kakomimasu", "--out", str(tmp_path), *arguments]) == 1
    assert capsys.readouterr().err.startswith(f"masume: {message}")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{}", "expected an array of objects"), ("[1]", "expected an array of objects"), ("[", "Expecting"),
        ('[{"name": 1}]', "name: expected a string, got 1"), ("[{}]", "name: empty or missing"),
        ('[{"name": "a", "bearerToken": ""}]', "bearerToken: empty or missing"),
        ('[{"name": "a"}, {"name": "a"}]', "users: 'a': another has the name"),
    ],
)  # fmt: skip
def test_a_file_of_accounts_that_is_none(tmp_path, capsys, text, message):
    path = tmp_path / "users.json"
    path.write_text(text)
    assert cli.main(["serve", "kakomimasu", "--out", str(tmp_path), "--users", str(path)]) == 1
    assert message in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.nightly
def test_two_programs_play_a_match(tmp_path):
    arguments = ("--port", "0", "--games", "1", "--board", "court", "--set", "total_turns=3", "--json")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    bot = [sys.executable, EXAMPLE, "--url", f"http://127.0.0.1:{port}"]
    with serve(tmp_path, *arguments, "--port", str(port)) as process:
        wait_for(port)
        bots = [subprocess.Popen([*bot, "--name", name], stdout=subprocess.PIPE, text=True) for name in ("ann", "bob")]
        told = [one.communicate(timeout=60)[0] for one in bots]
        output, _ = process.communicate(timeout=60)
    (match,) = json.loads(output)["games"]
    assert match["status"] == "ended"
    assert all(len(turn["players"][0]["actions"]) == 3 for turn in match["log"])
    scores = [f"{player['id']}: {sum(player['point'].values())}" for player in match["players"]]
    assert told == [", ".join(scores) + "\n"] * 2
    assert {tile["player"] for tile in match["field"]["tiles"] if tile["type"] == 1} == {0, 1}


def wait_for(port):
    deadline = time.monotonic() + WAIT_S
    while time.monotonic() < deadline:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        time.sleep(0.05)
    raise AssertionError("no server")


def test_a_server_that_is_stopped_before_it_serves_ends(tmp_path):
    server = Server(Settings(port=0, folder=tmp_path), {}, {}, [])
    server.listen()
    port = server.port
    server.stop()
    asyncio.run(asyncio.wait_for(server.serve(), 60))
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port))


@pytest.mark.parametrize(
    "words",
    [["--page-port", "9000"], ["--page-host", "0.0.0.0"], ["--delay", "5"], ["--start"], ["--show", "all"]],
)
def test_options_of_a_page_beside_a_server_are_refused(words, tmp_path, capsys):
    command = ["serve", "--out", str(tmp_path)]
    assert cli.main([*command, *words, "kakomimasu"]) == 1
    name = words[0].removeprefix("--")
    assert f"{name}: the page is a part of this server, at its --host and --port, got " in capsys.readouterr().err
    with pytest.raises(SystemExit):
        cli.main([*command, "kakomimasu", *words])
    assert "unrecognized arguments" in capsys.readouterr().err
