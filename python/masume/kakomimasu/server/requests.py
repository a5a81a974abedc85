"""A request of the match server's API as plain values, and what its body holds. [section 14.1]"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from ..fields import HARD_RANGES
from ..protocol import TYPE_NUMBERS, Entry
from .hall import Refusal

MAX_TEXT = 1000  # characters of a name or any other string
MAX_SECONDS = 10**9
LEAST, MOST = -(2**31), 2**31 - 1  # of the numbers of an action
KINDS = {"NONE" if kind == "STAY" else kind: kind for kind in TYPE_NUMBERS}
"""The types of actions, as the API spells them. [section 14.6]"""

NUMBERS = {
    "nPlayer": ("n_players", *HARD_RANGES["n_players"]),
    "nAgent": ("n_agents", *HARD_RANGES["n_agents"]),
    "totalTurn": ("total_turns", *HARD_RANGES["total_turns"]),
    "operationSec": ("operation_sec", 1, MAX_SECONDS),
    "transitionSec": ("transition_sec", 1, MAX_SECONDS),
}
"""Of a request for a match: the field of the config and the range of each number; 0 is the board's. [section 14.3]"""


class Request(NamedTuple):
    """A request: `path` as it was sent, names of headers in lower case, `at` when it came, in Unix seconds.

    address : where from, as limits count it. known : the seats whose code was right before on its connection.
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
        """The token of an account that it bears. [section 14.2]"""
        scheme, _, token = self.headers.get("authorization", "").partition(" ")
        return token.strip() or None if scheme.lower() == "bearer" else None

    def check_type(self) -> None:
        """Refusal of a body that says that it is no JSON."""
        if "application/json" not in self.headers.get("content-type", "").lower():
            raise Refusal(2)

    def parse(self) -> Body:
        """Parse the body; Refusal of what is no JSON."""
        try:
            return Body(json.loads(self.body.decode(), parse_constant=_no_number))
        except (ValueError, RecursionError):
            raise Refusal(3) from None

    def content(self) -> Body:
        """The body, checked as nearly every one is first."""
        self.check_type()
        return self.parse()


def _no_number(text: str) -> float:
    raise ValueError(f"{text} is no JSON")


def as_integer(value: Any) -> int:
    """The int that a JSON number is, 1.0 included; Refusal of anything else. [section 14.1]"""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise Refusal(6)
    return value


class Body:
    """The keys of a request's body; a value of the wrong type, or a string too long, is Refusal 6. [section 14.1]"""

    def __init__(self, value: Any) -> None:
        self._value = {} if value is None else value

    @property
    def values(self) -> dict[str, Any]:
        """The object that it is; Refusal of anything else, in the order in which errors are told."""
        if not isinstance(self._value, dict):
            raise Refusal(6)
        return self._value

    def _read(self, key: str, kind: type, default: Any) -> Any:
        value = self.values.get(key, default)
        if key in self.values and not isinstance(value, kind):
            raise Refusal(6)
        return value

    def text(self, key: str) -> str:
        """A string; empty where it is absent."""
        found = str(self._read(key, str, ""))
        if len(found) > MAX_TEXT:
            raise Refusal(6)
        return found

    def flag(self, key: str) -> bool:
        """Whether it is true; not where it is absent."""
        return bool(self._read(key, bool, False))

    def strings(self, key: str) -> list[str]:
        """An array of strings; empty where it is absent."""
        found = self._read(key, list, [])
        if not all(isinstance(value, str) for value in found):
            raise Refusal(6)
        return list(found)

    def part(self, key: str) -> Body:
        """An object; empty where it is absent."""
        return Body(self._read(key, dict, {}))

    def numbers(self, keys: Iterable[str] = NUMBERS) -> dict[str, int]:
        """The fields of the config that these keys give, all but those that are 0. [section 14.3]"""
        found = {}
        for key in keys:
            name, low, high = NUMBERS[key]
            value = as_integer(self.values.get(key, 0))
            if value and not low <= value <= high:
                raise Refusal(6)
            if value:
                found[name] = value
        return found


def read_entry(action: Any) -> Entry:
    """An action of a request; x and y may be missing. [section 14.6]"""
    if not isinstance(action, dict):
        raise Refusal(6)
    kind = action.get("type")
    if not isinstance(kind, str) or kind not in KINDS:
        raise Refusal(6)
    agent, x, y = (as_integer(action.get(key, default)) for key, default in (("agentId", None), ("x", 0), ("y", 0)))
    if not all(LEAST <= number <= MOST for number in (agent, x, y)):
        raise Refusal(6)
    return agent, KINDS[kind], x, y
