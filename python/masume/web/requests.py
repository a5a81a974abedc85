"""Requests of browsers as plain values; anything else is answered with the field that is wrong."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Mapping
from typing import Any, cast

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from ..core.language import translate as _
from ..core.shapes import read
from ..errors import ConfigError, ConfigTypeError, IllegalActionError
from ..game import games
from ..http import connections as http
from .drafts import Step
from .films import to_bytes
from .holding import Holding
from .match import Match
from .people import HaltedError, Stale
from .viewer import Viewer

NUM_VALUES = {"do": 2, "undo": 0, "redo": 0}  # of the steps of a draft


def viewer_of(request: Request) -> Viewer:
    """Return who asks, as the guard has found."""
    viewer: Viewer = request.scope["viewer"]
    return viewer


def find_match(request: Request, holding: Holding) -> Match:
    """Return the match of an address; HTTPException if there is none, FullError if it is set aside and has no room."""
    match = holding.find(request.path_params["id"], viewer_of(request).share)
    if match is None:
        raise HTTPException(404, _("there is no such match"))
    return match


def find_game(request: Request) -> str:
    """Return the name of the game of an address; HTTPException if there is none."""
    name: str = request.path_params["game"]
    if name not in games():
        raise HTTPException(404, _("there is no such game"))
    return name


def to_json(data: Any) -> Response:
    """Return an answer with a value as JSON."""
    return Response(to_bytes(data), media_type="application/json")


def to_answer(request: Request, data: bytes, kind: str, packed: bytes | None) -> Response:
    """Return an answer with data, or with the same by gzip, `packed`, if there is that and the browser takes it."""
    is_packed = packed is not None and "gzip" in request.headers.get("accept-encoding", "")
    answer = Response(packed if is_packed else data, media_type=kind, headers={"Vary": "Accept-Encoding"})
    if is_packed:
        answer.headers["Content-Encoding"] = "gzip"
    return answer


async def read_body(request: Request) -> Mapping[str, Any]:
    """Return the object in the body of a request."""
    try:
        body = json.loads(await http.read_body(cast(Any, request.receive)) or b"")
    except http.BodyError:
        raise HTTPException(413, f"expected at most {http.MAX_BODY} bytes") from None
    except (ValueError, RecursionError):
        raise HTTPException(422, "expected JSON") from None
    if not isinstance(body, dict):
        raise HTTPException(422, "expected an object")
    return body


def _refuse(message: str) -> HTTPException:
    return HTTPException(422, message)


def read_text(body: Mapping[str, Any], name: str, default: str | None = None, most: int = 200) -> str:
    """Return a string of at most `most` letters."""
    value: str = read(name, body.get(name, default), str, _refuse)
    if len(value) > most:
        raise _refuse(f"{name}: expected a string, got {value!r:.60}")
    return value


def read_number(body: Mapping[str, Any], name: str) -> int:
    """Return an integer."""
    return int(read(name, body.get(name), int, _refuse))


def read_steps(body: Mapping[str, Any]) -> list[Step]:
    """Return the steps of a draft: ["do", slot, action], ["undo"] or ["redo"]."""
    steps: list[list[Any]] = read("steps", body.get("steps", []), [list], _refuse)
    if len(steps) > 1000:
        raise _refuse("steps: expected a list")
    found: list[Step] = []
    for kind, *values in (step or [""] for step in steps):
        if NUM_VALUES.get(kind if isinstance(kind, str) else "", -1) != len(values):
            raise _refuse('steps: expected ["do", slot, action], ["undo"] or ["redo"]')
        found.append((kind, read("steps", values, [int], _refuse)))
    return found


@contextlib.contextmanager
def bad_input() -> Iterator[None]:
    """Answer 409, 422 or 503 to what was sent, if it cannot be done."""
    try:
        yield
    except Stale as error:
        raise HTTPException(409, str(error)) from None
    except HaltedError as error:
        raise HTTPException(503, str(error)) from None
    except (IllegalActionError, ConfigError, ConfigTypeError, ValueError) as error:
        raise HTTPException(422, str(error).partition("\n")[0]) from None
