"""Where a server is reached: hosts, names, a path, and what proxies say of their clients."""

import contextlib
import http.client
import socket
from ipaddress import IPv6Address
from pathlib import Path

import pytest

pytest.importorskip("uvicorn", reason="uvicorn is not installed")

from masume.errors import ConfigError
from masume.http import server
from masume.http.front import MAX_HOPS, Front
from masume.http.limits import Shares, read_networks

from .serving import WAIT_S, Running, wait_until

FAR = "203.0.113.9"


async def answer(scope, receive, send, going):
    """Answer with what the application sees of a request."""
    if scope["path"] == "/wait":
        await going.wait()
    seen = [scope[key] for key in ("path", "root_path", "scheme")] + [scope["client"][0], scope["connection"].address]
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": " ".join(seen).encode()})


class Served(Running):
    """A server that is asked by its names."""

    def connect(self, host="127.0.0.1"):
        return http.client.HTTPConnection(host, self.front.port, timeout=WAIT_S)

    def ask(self, method="GET", path="/", headers=(), connection=None, host="127.0.0.1"):
        """Return the status, the headers and the text of an answer."""
        if connection is None:
            with contextlib.closing(self.connect(host)) as connection:
                return self.ask(method, path, headers, connection)
        connection.putrequest(method, path)
        for name, value in headers:
            connection.putheader(name, value)
        connection.endheaders()
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read().decode()


@pytest.fixture
def serve(monkeypatch):
    monkeypatch.setattr(server, "LEAVE_S", 0.1)
    started = []

    def start(front=None, **given):
        started.append(Served(answer, front, **given))
        return started[-1]

    yield start
    for one in started:
        one.stop()


# -- hosts -----------------------------------------------------------------------------------------


def has(address):
    """Return whether this machine has an address."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    try:
        with socket.socket(family) as found:
            found.bind((address, 0))
    except OSError:
        return False
    return True


def link_local():
    """Return addresses of this machine that need a zone, with its name."""
    try:
        rows = [line.split() for line in Path("/proc/net/if_inet6").read_text("utf-8").splitlines()]
    except OSError:
        return []
    return [(str(IPv6Address(int(row[0], 16))), row[5]) for row in rows if row[3] == "20"][:1]


@pytest.mark.parametrize(
    ("host", "reached", "refused"),
    [
        ("127.0.0.1", ["127.0.0.1"], ["127.0.0.2", "::1"]), ("127.0.0.2", ["127.0.0.2"], ["127.0.0.1"]),
        ("0.0.0.0", ["127.0.0.1", "127.0.0.2"], ["::1"]), ("0", ["127.0.0.1"], ["::1"]),
        ("127.1", ["127.0.0.1"], ["127.0.0.2"]), ("localhost", ["localhost"], ["127.0.0.2"]),
        ("::1", ["::1"], ["127.0.0.1"]), ("0:0:0:0:0:0:0:1", ["::1"], []),
        *((f"{address}%{name}", [f"{address}%{name}"], ["127.0.0.1"]) for address, name in link_local()),
        ("::", ["::1", "127.0.0.1", "127.0.0.2"], []), (socket.gethostname(), [socket.gethostname()], []),
    ],
)  # fmt: skip
def test_a_host_listens_on_what_it_says_and_its_address_is_open(serve, host, reached, refused):
    if ":" in host and not has("::1"):
        pytest.skip("no ::1 here")
    found = serve(Front(host))
    for other in reached:
        assert found.ask(host=other)[0] == 200
    for other in refused:
        with pytest.raises(OSError):  # noqa: PT011 - refused, or there is no such address
            found.ask(host=other)
    address, _, port = found.front.address.removeprefix("http://").replace("%25", "%").rpartition(":")
    assert int(port) == found.front.port
    assert found.ask(host=address.strip("[]"))[0] == 200
    assert found.front.knows(f"{address}:{port}".replace("%", "%25"))


NONE = ["", "no such host", "256.0.0.1", "192.0.2.1", "no.invalid", "::g", "fe80::1%nowhere", "a" * 300, "a\0", "a..b"]


@pytest.mark.parametrize("host", NONE)
def test_a_host_that_is_none_is_refused_in_words(host):
    with pytest.raises(ConfigError, match="host: expected a name or an address of this machine, got "):
        Front(host).listen()


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"base": "board"}, "base: expected a path such as /board, got 'board'"), ({"base": "/a b"}, "base: "),
        ({"base": "//x"}, "base: "), ({"base": "/x?y"}, "base: "), ({"base": "/../x"}, "base: "),
        ({"names": ["a/b"]}, "name: expected a name such as"), ({"names": ["ftp://x"]}, "name: "),
        ({"names": [""]}, "name: "), ({"proxies": ["nginx"]}, "proxy: expected an address or a network"),
        ({"port": 65536}, "port: expected 0..65535"),
    ],
)  # fmt: skip
def test_what_is_no_address_is_refused_in_words(given, words):
    with pytest.raises(ConfigError, match=f"^{words}"):
        Front(**given)


@pytest.mark.parametrize(("base", "is_free"), [("/api", False), ("/m/x", False), ("/board/api", True), ("", True)])
def test_a_path_of_the_application_is_no_base(base, is_free):
    with contextlib.nullcontext() if is_free else pytest.raises(ConfigError, match=f"^base: .*, got '{base}'"):
        Front(base=base).reserve(["/api/", "/m/", "/"])


@pytest.mark.parametrize(
    ("given", "address"),
    [
        ({"names": ["Contest.Example.org"]}, "https://contest.example.org"),
        ({"names": ["contest.example.org:8443", "other"], "base": "/board/"}, "https://contest.example.org:8443/board"),
        ({"names": ["http://room5.local/"], "base": "/a/b"}, "http://room5.local/a/b"),
        ({"names": ["https://[2001:db8::1]:8443"]}, "https://[2001:db8::1]:8443"),
        ({"port": 8000, "base": "/"}, "http://127.0.0.1:8000"), ({"host": "::1", "port": 80}, "http://[::1]:80"),
        ({"host": "fe80::1%eth0", "port": 80}, "http://[fe80::1%25eth0]:80"),
    ],
)  # fmt: skip
def test_the_address_is_what_clients_open(given, address):
    assert Front(**given).address == address


# -- proxies ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("peer", "forwarded", "client"),
    [
        ("192.0.2.1", [f"{FAR}"], "192.0.2.1"),  # no proxy of ours: forged
        ("127.0.0.1", [], "127.0.0.1"), ("127.0.0.1", [FAR], FAR), ("::ffff:127.0.0.1", [FAR], FAR),
        ("127.0.0.1", [f"10.9.9.9, {FAR}"], FAR),  # what the client had sent stands before the proxy's own
        ("127.0.0.1", ["10.9.9.9", FAR], FAR), ("127.0.0.1", [f"{FAR}, 10.0.0.5"], FAR),  # two proxies of ours
        ("127.0.0.1", [f"10.9.9.9,{FAR},10.0.0.5, 10.0.0.6"], FAR), ("127.0.0.1", ["10.0.0.5"], "10.0.0.5"),
        ("127.0.0.1", ["unknown"], "127.0.0.1"), ("127.0.0.1", [f"{FAR}, ,10.0.0.5"], "10.0.0.5"),
        ("127.0.0.1", ["2001:db8::1"], "2001:db8::1"), ("127.0.0.1", [FAR + ", 10.0.0.5" * MAX_HOPS], "10.0.0.5"),
    ],
)  # fmt: skip
def test_a_client_is_the_last_hop_that_is_no_proxy(peer, forwarded, client):
    front = Front(proxies=["127.0.0.1", "10.0.0.0/29"])
    headers = [(b"x-forwarded-for", value.encode()) for value in forwarded]
    assert front.client_of(peer, headers)[0] == client


@pytest.mark.parametrize(
    ("peer", "values", "scheme"),
    [
        ("127.0.0.1", ["https"], "https"), ("127.0.0.1", ["http, HTTPS"], "https"),
        ("127.0.0.1", ["https, http"], "http"),
        ("127.0.0.1", ["gopher"], "http"), ("127.0.0.1", [], "http"), ("192.0.2.1", ["https"], "http"),
        ("127.0.0.1", ["https", "http"], "http"),
    ],
)  # fmt: skip
def test_a_proxy_says_by_which_scheme_a_client_came(peer, values, scheme):
    headers = [(b"x-forwarded-proto", value.encode()) for value in values]
    assert Front(proxies=["127.0.0.1"]).client_of(peer, headers)[1] == scheme


def test_the_application_sees_what_is_before_the_proxy(serve):
    forged = [("X-Forwarded-For", FAR), ("X-Forwarded-Proto", "https")]
    assert serve().ask(headers=forged)[2] == "/  http 127.0.0.1 127.0.0.1"
    behind = serve(Front(proxies=["127.0.0.1"], base="/board"))
    assert behind.ask(headers=forged)[2] == f"/ /board https {FAR} {FAR}"
    assert behind.ask(path="/board/a%2fb", headers=[("X-Forwarded-For", "2001:db8::1")])[2] == (
        "/a/b /board http 2001:db8::1 2001:db8::"
    )
    for path, place in (("/board", "/board/"), ("/board?a=b", "/board/?a=b")):
        status, headers, _ = behind.ask(path=path)
        assert (status, headers["Location"]) == (308, place)
    assert behind.ask(path="/boards/x")[2].startswith("/boards/x /board ")


def test_shares_are_those_of_the_clients_behind_a_proxy(serve):
    found = serve(Front(proxies=["127.0.0.1"]))
    found.server.connections.shares = shares = Shares(8)
    waiting = [found.connect() for _ in range(6)]
    for connection in waiting:
        connection.request("GET", "/wait", headers={"X-Forwarded-For": FAR})
    wait_until(lambda: shares._counts[FAR] == 6)
    status, headers, _ = found.ask(headers=[("X-Forwarded-For", FAR)])
    assert (status, headers["Retry-After"]) == (503, "10")
    assert found.ask(headers=[("X-Forwarded-For", "203.0.113.10")])[0] == 200
    found.go()
    for connection in waiting:
        assert connection.getresponse().read()
        connection.close()
    wait_until(lambda: not shares.total)
    with contextlib.closing(found.connect()) as connection:  # of the proxy, for one client after the other
        for client in (FAR, "203.0.113.10"):
            assert found.ask(headers=[("X-Forwarded-For", client)], connection=connection)[2].endswith(f" {client}")
            wait_until(lambda: dict(shares._counts) == {"127.0.0.1": 1})


def test_only_the_host_is_exempt_on_a_connection_of_a_proxy(serve):
    found = serve(Front(proxies=["127.0.0.1"]), is_exempt=lambda scope: scope["path"] == "/mine")
    found.server.connections.shares = shares = Shares(8)
    connection = found.connect()
    with contextlib.closing(connection):
        assert found.ask(path="/mine", connection=connection)[0] == 200
        wait_until(lambda: shares.total == 1)  # a request ends after its answer
        (kept,) = found.server.connections._all.values()
        kept.known.add("a code")
        assert found.ask(connection=connection)[0] == 200
        wait_until(lambda: not kept.known)
    wait_until(lambda: not shares.total)


def test_networks_that_may_connect_are_those_of_clients(serve):
    found = serve(Front(proxies=["127.0.0.1"]), allow=read_networks(["203.0.113.0/24"]))
    assert found.ask(headers=[("X-Forwarded-For", FAR)])[0] == 200
    for client in ("192.0.2.1", f"{FAR}, 192.0.2.1", "unknown"):
        assert found.ask(headers=[("X-Forwarded-For", client)])[0] == 403


# -- methods ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["TRACE", "CONNECT", "FOO", "PROPFIND", "get", "M-SEARCH", "x" * 300])
def test_a_method_that_nobody_knows_is_501_and_ends(serve, method):
    found = serve()
    with socket.create_connection(("127.0.0.1", found.front.port), timeout=WAIT_S) as connection:
        connection.sendall(f"{method} / HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        assert b"".join(iter(lambda: connection.recv(1000), b"")).split(b"\r\n")[0] == b"HTTP/1.1 501 Not Implemented"
