"""Requests of the match server's API as plain values, and their bodies. [section 14.1]"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from http.cookies import CookieError, SimpleCookie
from typing import Any, NamedTuple

from ..fields import HARD_RANGES
from ..protocol import TYPE_NUMBERS, Entry
from .hall import Refusal

SESSION = "site-session"  # name of the cookie
MAX_TEXT = 1000  # characters of any string
MAX_BYTES = 4_000_000  # of a list
MAX_SECONDS = 10**9
LEAST, MOST = -(2**31), 2**31 - 1  # range of the numbers of an action
KINDS = {"NONE" if kind == "STAY" else kind: kind for kind in TYPE_NUMBERS}
"""Types of actions by their names in the API. [section 14.6]"""

NUMBERS = {
    "nPlayer": ("n_players", *HARD_RANGES["n_players"]),
    "nAgent": ("n_agents", *HARD_RANGES["n_agents"]),
    "totalTurn": ("total_turns", *HARD_RANGES["total_turns"]),
    "operationSec": ("operation_sec", 1, MAX_SECONDS),
    "transitionSec": ("transition_sec", 1, MAX_SECONDS),
}
"""Config field and range of each number in a request for a match; 0 stands for the board's value. [section 14.3]"""


class Answer(NamedTuple):
    """An answer: its body, JSON if the headers do not say otherwise."""

    body: bytes
    status: int = 200
    headers: Mapping[str, str] = {}


class Request(NamedTuple):
    """A request.

    Attributes
    ----------
    method, path : str
        Method, and path as it was sent.
    query, headers : mapping of str to str
        Query parameters, and headers by lower-case name.
    body : bytes
        The body.
    at : float
        Time of arrival in Unix seconds.
    address : str
        Address of the client, as `limits.network` returns it.
    known : set of (str, int), optional
        Seats whose code was correct before on this connection.
    """

    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: bytes
    at: float
    address: str = ""
    known: set[tuple[str, int]] | None = None

    @property
    def token(self) -> str | None:
        """Bearer token of the request, or None. [section 14.2]"""
        scheme, _, token = self.headers.get("authorization", "").partition(" ")
        return token.strip() or None if scheme.lower() == "bearer" else None

    @property
    def session(self) -> str | None:
        """Session of the request's cookie, or None. [section 14.12]"""
        try:
            found = SimpleCookie(self.headers.get("cookie", "")).get(SESSION)
        except CookieError:
            return None
        return found.value if found else None

    def check_type(self) -> None:
        """Raise Refusal if the content type of the body is not JSON."""
        if "application/json" not in self.headers.get("content-type", "").lower():
            raise Refusal(2)

    def parse(self) -> Body:
        """Parse the body, an object; raise Refusal if it is not JSON."""
        return Body(self.parse_any())

    def parse_any(self) -> Any:
        """Parse the body; raise Refusal if it is not JSON."""
        try:
            return json.loads(self.body.decode(), parse_constant=_no_number)
        except (ValueError, RecursionError):
            raise Refusal(3) from None

    def content(self) -> Body:
        """Check the content type and return the parsed body."""
        self.check_type()
        return self.parse()


def _no_number(text: str) -> float:
    raise ValueError(f"{text} is not JSON")


def as_integer(value: Any) -> int:
    """Return a JSON number as an int, 1.0 included; raise Refusal for anything else. [section 14.1]"""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise Refusal(6)
    return value


class Body:
    """The body of a request; a value of the wrong type or a string that is too long is Refusal 6. [section 14.1]"""

    def __init__(self, value: Any) -> None:
        self._value = {} if value is None else value

    @property
    def values(self) -> dict[str, Any]:
        """The body as an object; Refusal if it is anything else. Checked on first use, for the order of errors."""
        if not isinstance(self._value, dict):
            raise Refusal(6)
        return self._value

    def _read(self, key: str, kind: type, default: Any) -> Any:
        value = self.values.get(key, default)
        if key in self.values and not isinstance(value, kind):
            raise Refusal(6)
        return value

    def text(self, key: str) -> str:
        """Return a string; empty if the key is absent."""
        found = str(self._read(key, str, ""))
        if len(found) > MAX_TEXT:
            raise Refusal(6)
        return found

    def flag(self, key: str) -> bool:
        """Return a truth value; False if the key is absent."""
        return bool(self._read(key, bool, False))

    def strings(self, key: str) -> list[str]:
        """Return an array of strings; empty if the key is absent."""
        found = self._read(key, list, [])
        if not all(isinstance(value, str) for value in found):
            raise Refusal(6)
        return list(found)

    def part(self, key: str) -> Body:
        """Return an object; empty if the key is absent."""
        return Body(self._read(key, dict, {}))

    def numbers(self, keys: Iterable[str] = NUMBERS) -> dict[str, int]:
        """Return the config fields that these keys give; zeros are left out. [section 14.3]"""
        found = {}
        for key in keys:
            name, low, high = NUMBERS[key]
            value = as_integer(self.values.get(key, 0))
            if value and not low <= value <= high:
                raise Refusal(6)
            if value:
                found[name] = value
        return found


def list_lines(lines: Iterable[bytes]) -> bytes:
    """Return an array of values that are lines of JSON: as many as fit MAX_BYTES, at least one."""
    parts: list[bytes] = []
    size = 0
    for line in lines:
        size += len(line)
        if parts and size > MAX_BYTES:
            break
        parts.append(line)
    return b"[" + b",".join(parts) + b"]"


def read_entry(action: Any, kinds: Mapping[str, str] = KINDS, keys: Sequence[str] = ("agentId", "x", "y")) -> Entry:
    """Read an action of a request; its last two numbers may be missing. kinds : its types by name. [section 14.6]"""
    kind = action.get("type") if isinstance(action, dict) else None
    if not isinstance(kind, str) or kind not in kinds:
        raise Refusal(6)
    agent, x, y = (as_integer(action.get(key, default)) for key, default in zip(keys, (None, 0, 0), strict=True))
    if not all(LEAST <= number <= MOST for number in (agent, x, y)):
        raise Refusal(6)
    return agent, kinds[kind], x, y
