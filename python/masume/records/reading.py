"""Reading of files that masume wrote: every defect of a file is a ReplayError that names the file and the place.

Every reader of a run, an arena, a replay or a shard parses inside `parsing`, and checks JSON by its shape.

Each line of a file that only grows ends with a checksum, so that a flipped bit is noticed:

    {"chunk":0,"files":..,"sha256":"0123.."}        SHA-256 of the line as it is without `,"sha256":".."`

Lines of older versions have no checksum.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
from collections.abc import Callable, Iterator
from types import UnionType
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from ..core.language import say
from ..errors import ConfigError, ExtraError, ReplayError

if TYPE_CHECKING:
    from ..game import Game

SEAL = re.compile(rb'(\{.+),"sha256":"([0-9a-f]{64})"\}', re.DOTALL)


@contextlib.contextmanager
def parsing(where: str | Callable[[], str]) -> Iterator[None]:
    """Turn any error of the block into a ReplayError that begins with the place.

    where : the place, or a function that returns it on demand. For blocks that parse data in memory only: errors of the
    system, such as an unreadable disk, must be raised outside. A missing package stays an ExtraError.
    """
    try:
        yield
    except ExtraError:
        raise
    except Exception as error:
        place = where if isinstance(where, str) else where()
        raise ReplayError(f"{place}: {describe(error)}") from error


def describe(error: Exception) -> str:
    """Return one line that says why the parser of a file raised this error."""
    if isinstance(error, RecursionError):
        return "it is nested too deep"
    if isinstance(error, MemoryError):
        return "it needs more memory than there is"
    what = str(error).partition("\n")[0]
    return what if isinstance(error, ValueError) and what else f"damaged ({type(error).__name__}: {what})"


def tell_left_out(error: ReplayError | OSError) -> str:
    """Return one line that tells people of a file that is left out for this error."""
    told = str(error).partition("\n")[0]
    if isinstance(error, OSError):
        told = f"{error.filename}: {error.strerror}"
    return say("left out, as it is no replay or is damaged: {error}", error=told)


# -- lines of JSON ----------------------------------------------------------------------------------


def parse_json(text: str | bytes) -> Any:
    """Return the value of JSON text in UTF-8; raise ReplayError if it is malformed, or NaN or Infinity."""
    try:
        return json.loads(text if isinstance(text, str) else text.decode(), parse_constant=_refuse)
    except RecursionError:
        raise ReplayError("not JSON: it is nested too deep") from None
    except ValueError as error:
        raise ReplayError(f"not JSON: {error}") from None


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"expected a number, got {name}")


def seal(value: dict[str, Any]) -> bytes:
    """Return an object with at least one key as a line of JSON with a checksum."""
    text = json.dumps(value, separators=(",", ":"), allow_nan=False).encode()
    return text[:-1] + b',"sha256":"' + _sum(text) + b'"}\n'


def unseal(line: bytes, shape: dict[str, Any]) -> dict[str, Any]:
    """Return the object of a line (without its line end), checked by its shape and by its checksum if it has one.

    Raises ReplayError with the defect.
    """
    sealed = SEAL.fullmatch(line)
    if sealed:
        line = sealed[1] + b"}"
    value: dict[str, Any] = parse_json(line)
    if _sum(line) != sealed[2] if sealed else isinstance(value, dict) and "sha256" in value:
        raise ReplayError("sha256: does not match the line")
    check_shape("", value, shape)
    return value


def _sum(text: bytes) -> bytes:
    return hashlib.sha256(text).hexdigest().encode()


def load_fields(name: str, fields: dict[str, Any]) -> Game:
    """Return the game of this name whose config has these fields; raise ConfigError for an unknown field."""
    from ..game import load_config

    for key in ("game", "preset"):
        if key in fields:  # arguments of load, not fields
            raise ConfigError(f"{key}: no such field")
    return load_config(name, None, fields)  # a file of records must not name other files


# -- the shape of JSON ------------------------------------------------------------------------------


class Number(NamedTuple):
    """In a shape: an int, or any number, of at least `low`, that NumPy can hold."""

    kind: type | UnionType
    low: float


COUNT, POSITIVE = Number(int, 0), Number(int, 1)
INTEGER, REAL = Number(int, -(2**63)), Number(int | float, -(2.0**63))


def check_shape(name: str, value: Any, shape: Any) -> None:
    """Raise ReplayError, which names the place, unless the value has the shape.

    shape : a type; a Number; for an object the shape of each key ("*": of all keys); for an array a list with the shape
    of its items, or a tuple with one shape per item.
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
        raise ReplayError(f"{name or 'line'}: expected {what}, got {value!r:.60}")
