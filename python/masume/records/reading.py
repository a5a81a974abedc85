"""Reading of what masume wrote: whatever is wrong with a file is a ReplayError that names the file and the place.

Every reader of a run, an arena, a replay or a shard parses inside `parsing`, and checks what JSON holds by its shape.

Lines of files that only grow end with a checksum of their own, so that a flipped bit is noticed:

    {"chunk":0,"files":..,"sha256":"0123.."}        SHA-256 of the line as it is without `,"sha256":".."`

Lines that masume wrote before it had them lack it.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
from collections.abc import Callable, Iterator
from types import UnionType
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from ..errors import ConfigError, ExtraError, ReplayError

if TYPE_CHECKING:
    from ..game import Game

SEAL = re.compile(rb'(\{.+),"sha256":"([0-9a-f]{64})"\}', re.DOTALL)


@contextlib.contextmanager
def parsing(where: str | Callable[[], str]) -> Iterator[None]:
    """Turn whatever the block raises into a ReplayError that begins with the place.

    where : the place, or a function that returns it when it is wanted. For blocks that parse what they have: errors of
    the system, such as a disk that cannot be read, are for others. A missing package stays an ExtraError.
    """
    try:
        yield
    except ExtraError:
        raise
    except Exception as error:
        place = where if isinstance(where, str) else where()
        raise ReplayError(f"{place}: {describe(error)}") from error


def describe(error: Exception) -> str:
    """Return in one line what is wrong with a file whose parser has raised this."""
    if isinstance(error, RecursionError):
        return "it is nested too deep"
    if isinstance(error, MemoryError):
        return "it needs more memory than there is"
    what = str(error).partition("\n")[0]
    return what if isinstance(error, ValueError) and what else f"damaged ({type(error).__name__}: {what})"


# -- lines of JSON ----------------------------------------------------------------------------------


def parse_json(text: str | bytes) -> Any:
    """Return the value of JSON text in UTF-8; ReplayError where it is none, as NaN and Infinity are."""
    try:
        return json.loads(text if isinstance(text, str) else text.decode(), parse_constant=_refuse)
    except RecursionError:
        raise ReplayError("no JSON: it is nested too deep") from None
    except ValueError as error:
        raise ReplayError(f"no JSON: {error}") from None


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number")


def seal(value: dict[str, Any]) -> bytes:
    """Return an object, which has a key at least, as a line of JSON with a checksum."""
    text = json.dumps(value, separators=(",", ":"), allow_nan=False).encode()
    return text[:-1] + b',"sha256":"' + _sum(text) + b'"}\n'


def unseal(line: bytes, shape: dict[str, Any]) -> dict[str, Any]:
    """Return the object of a line without its end, checked by the shape and by its checksum if it has one.

    ReplayError says what is wrong with it.
    """
    sealed = SEAL.fullmatch(line)
    if sealed:
        line = sealed[1] + b"}"
    value: dict[str, Any] = parse_json(line)
    if _sum(line) != sealed[2] if sealed else isinstance(value, dict) and "sha256" in value:
        raise ReplayError("sha256: not the one of the line")
    check_shape("", value, shape)
    return value


def _sum(text: bytes) -> bytes:
    return hashlib.sha256(text).hexdigest().encode()


def load_fields(name: str, fields: dict[str, Any]) -> Game:
    """The game of this name whose config has these fields; ConfigError for what is no field."""
    from ..game import load

    for key in ("game", "preset"):
        if key in fields:  # arguments of load, not fields
            raise ConfigError(f"{key}: no such field")
    return load(name, **fields)


# -- the shape of JSON ------------------------------------------------------------------------------


class Number(NamedTuple):
    """Of a shape: an int, or any number, of `low` or more, that NumPy can hold."""

    kind: type | UnionType
    low: float


COUNT, POSITIVE = Number(int, 0), Number(int, 1)
INTEGER, REAL = Number(int, -(2**63)), Number(int | float, -(2.0**63))


def check_shape(name: str, value: Any, shape: Any) -> None:
    """ReplayError, which says where, unless the value has the shape.

    shape : a type, a Number, of an object each key's shape ("*": of all its keys), of an array that of its items in a
    list (a tuple: one each).
    """
    if isinstance(shape, Number):
        is_number = isinstance(value, shape.kind) and not isinstance(value, bool)
        _require(name, value, is_number and shape.low <= value < 2**64, f"a number from {shape.low}")
    elif isinstance(shape, type | UnionType):
        _require(name, value, isinstance(value, shape), getattr(shape, "__name__", str(shape)))
    elif isinstance(shape, dict):
        _require(name, value, isinstance(value, dict), "an object")
        prefix = f"{name}." if name else ""
        for key in shape:
            if key not in value and key != "*":
                raise ReplayError(f"{prefix}{key}: missing")
        for key, item in value.items():
            if key not in shape and "*" not in shape:
                raise ReplayError(f"{prefix}{key}: unknown key")
            check_shape(f"{prefix}{key}", item, shape.get("*", shape.get(key)))
    else:
        _require(name, value, isinstance(value, list), "an array")
        parts = shape if isinstance(shape, tuple) else shape * len(value)
        _require(name, value, len(parts) == len(value), f"an array of {len(parts)}")
        for n, (item, part) in enumerate(zip(value, parts, strict=True)):
            check_shape(f"{name}[{n}]", item, part)


def _require(name: str, value: Any, is_so: bool, what: str) -> None:
    if not is_so:
        raise ReplayError(f"{name or 'line'}: {what} is wanted, not {value!r:.60}")
