"""Where clients reach a server: its port, the names and the path under which it is known, the proxies before it."""

from __future__ import annotations

import re
import socket
from collections.abc import Iterable, Sequence
from typing import Any

from ..core import system
from ..core.config import integer
from ..errors import ConfigError
from ..referee.tcp import format_address, listener
from .limits import is_allowed, read_address, read_networks

MAX_HOPS = 16  # proxies of a request that are looked at
BASE = re.compile(r"(/(?!\.\.?(/|$))[A-Za-z0-9._~-]+)*")
NAME = re.compile(r"(?:(https?)://)?([a-z0-9][a-z0-9._-]*|\[[0-9a-f:.]+\])(:[0-9]{1,5})?")
OUTWARD = ((socket.AF_INET, "192.0.2.1"), (socket.AF_INET6, "2001:db8::1"))  # somewhere else; nothing is sent there


class Front:
    """The addresses of a server.

    Parameters
    ----------
    host : str
        Name or address to listen on; "0.0.0.0" and "::" are all addresses of this machine.
    port : int
        Port, 0..65535; 0 selects a free one.
    base : str
        Path below which the server is known, such as "/board"; a proxy may keep it in requests or leave it out.
    names : sequence of str
        Names under which a proxy serves it, such as "contest.example.org", with a port if it is not that of the scheme.
        The proxy may pass on another `Host`. With "http://" before it links begin so, else with "https://".
    proxies : sequence of str
        Addresses and networks of proxies. What their requests say of a client in headers counts.
    command : str
        What starts it so that other machines reach it, for people.

    Raises
    ------
    ConfigError
        If a value is none of these; the message begins with its name.
    """

    def __init__(
        self,
        host: str = "127.0.0.1",
        port: int = 0,
        base: str = "",
        names: Iterable[str] = (),
        proxies: Iterable[str] = (),
        command: str = "masume serve --host 0.0.0.0",
    ) -> None:
        self.command = command
        self._host, self._port = host, integer("port", port, 0, 65535)
        self.base = base.rstrip("/")
        if not BASE.fullmatch(self.base):
            raise ConfigError(f"base: expected a path such as /board, got {base!r}")
        self.proxies = read_networks(proxies, "proxy")
        self._origins = []
        for name in names:
            parts = NAME.fullmatch(name.lower().rstrip("/"))
            if parts is None:
                raise ConfigError(f"name: expected a name such as contest.example.org, got {name!r}")
            self._origins.append((parts[1] or "https", parts[2], parts[3] or ""))
        self._names = {"127.0.0.1", "localhost", "::1"} | {name.strip("[]") for _scheme, name, _port in self._origins}
        self._is_open = False
        self.socket: socket.socket | None = None

    def reserve(self, paths: Iterable[str]) -> None:
        """Raise ConfigError if the base begins like one of these paths, which an application has itself."""
        if self.base and self.base.split("/")[1] in {path.split("/")[1] for path in paths}:
            raise ConfigError(f"base: expected a path that the server does not have itself, got {self.base!r}")

    def listen(self) -> socket.socket:
        """Return the socket, which listens from now on; raise ConfigError if the host or the port is not available."""
        if self.socket is None:
            self.socket = listener(self._host, self._port)
            bound = read_address(self.socket.getsockname()[0])
            assert bound is not None
            self._is_open = bound.is_unspecified
            if not bound.is_loopback:
                name = socket.gethostname().lower()
                self._names |= {name, f"{name.partition('.')[0]}.local"}
            self._names |= {self._host.lower(), str(bound)}
        return self.socket

    @property
    def port(self) -> int:
        """Number of the port; if the system chooses it, it is known after `listen`."""
        return self._port if self.socket is None else int(self.socket.getsockname()[1])

    @property
    def is_behind(self) -> bool:
        """Whether there is a proxy, which must know the port."""
        return bool(self._origins or self.proxies)

    @property
    def listens(self) -> str:
        """Host and port on which it listens, as people write them."""
        return format_address(_outward() if self._is_open else self._host, self.port)

    @property
    def address(self) -> str:
        """Address for clients, also those on other machines, without a slash at the end."""
        if self._origins:
            scheme, name, port = self._origins[0]
            return f"{scheme}://{name}{port}{self.base}"
        return f"http://{self.listens.replace('%', '%25')}{self.base}"

    def list_addresses(self, host: str, scheme: str) -> list[str]:
        """Return the addresses for clients on other machines, the likeliest first; empty if there are none.

        host, scheme : under which a client asks that may be on this machine: what others can use, too, comes first.
        """
        if self._origins:
            return [f"{scheme}://{name}{port}{self.base}" for scheme, name, port in self._origins]
        found = [] if _is_own(_name_of(host)) else [f"{scheme}://{host}{self.base}"]
        if not self.proxies:  # they may be the only way here
            machine = [_outward(), *system.list_addresses()] if self._is_open else [self._host]
            found += [
                f"http://{format_address(one, self.port)}{self.base}" for one in machine if not _is_own(one)
            ]  # fmt: skip
        return list(dict.fromkeys(found))

    # -- requests ----------------------------------------------------------------------------------

    def knows(self, host: str) -> bool:
        """Return whether a client may mean this server by a value of the header `Host`."""
        name = _name_of(host)
        address = read_address(name)
        if address is None:
            return name.lower() in self._names
        return self._is_open or str(address) in self._names  # nobody can point an address here, as a name

    def is_own(self, origin: str, host: str) -> bool:
        """Return whether an `Origin` is a page of this server, of which a client asked under the name `host`."""
        scheme, _mark, name = origin.partition("://")
        return scheme in ("http", "https") and name in (host, *(one + port for _scheme, one, port in self._origins))

    def is_proxy(self, peer: str) -> bool:
        """Return whether the other end of a connection is a proxy."""
        return is_allowed(peer, self.proxies)

    def client_of(self, peer: str, headers: Sequence[tuple[bytes, bytes]]) -> tuple[str, str]:
        """Return the address of a client, and the scheme by which it came.

        Only a proxy's headers count. The client is the last hop that is no proxy of ours, since anybody may write
        what stands before it.
        """
        hops: list[str] = []
        scheme = "http"
        if not self.is_proxy(peer):
            return peer, scheme
        for name, value in headers:
            last = value.decode("latin-1").rsplit(",", MAX_HOPS)
            if name == b"x-forwarded-for":
                hops += last
            elif name == b"x-forwarded-proto":
                scheme = "https" if last[-1].strip().lower() == "https" else "http"
        for hop in reversed(hops[-MAX_HOPS:]):
            if read_address(hop.strip()) is None:
                break
            peer = hop.strip()
            if not self.is_proxy(peer):
                break
        return peer, scheme

    def enter(self, scope: dict[str, Any]) -> bool:
        """Take the base off the path of a request, as ASGI wants it; return False if the base is the whole path."""
        base, raw = self.base.encode(), scope["raw_path"]
        scope["root_path"] = self.base
        if base and raw.startswith(base + b"/"):
            scope["path"], scope["raw_path"] = scope["path"][len(base) :], raw[len(base) :]
        return not base or bool(raw != base)


def _name_of(host: str) -> str:
    """Return the name or the address in a value of the header `Host`."""
    return (host.rpartition(":")[0] if host.rpartition(":")[2].isdigit() else host).strip("[]")


def _is_own(name: str) -> bool:
    """Return whether a name or an address means this machine alone, or its neighbours on one cable."""
    address = read_address(name)
    if address is None:
        return name.lower() == "localhost"
    return address.is_loopback or address.is_link_local


def _outward() -> str:
    """Return the address of this machine for others; without a network its own."""
    for family, far in OUTWARD:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            try:
                probe.connect((far, 9))
                return str(probe.getsockname()[0])
            except OSError:
                continue
    return "127.0.0.1"
