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
from typing import Any, NoReturn

from ..core.language import say
from ..core.shapes import read
from ..errors import ConfigError, ExtraError, ReplayError
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
    return read("", value, shape, ReplayError)  # type: ignore[no-any-return]


def _sum(text: bytes) -> bytes:
    return hashlib.sha256(text).hexdigest().encode()


def load_fields(name: str, fields: dict[str, Any]) -> Game:
    """Return the game of this name whose config has these fields; raise ConfigError for an unknown field."""
    from ..game import load_config

    for key in ("game", "preset"):
        if key in fields:  # arguments of load, not fields
            raise ConfigError(f"{key}: no such field")
    return load_config(name, None, fields)  # a file of records must not name other files
