"""The contest over HTTP: its snapshot for everybody, and the organiser's commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from ..core.language import translate as _
from ..http.openapi import Operation, ref
from .requests import read_body, read_text, to_json, viewer_of

if TYPE_CHECKING:
    from .contest import ContestBoard


def contest_operations(board: ContestBoard | None) -> list[Operation]:
    """Return the addresses of a contest, also where none is held."""

    async def show(request: Request) -> Response:
        if board is None:
            raise HTTPException(404, _("there is no contest"))
        viewer = viewer_of(request)
        return to_json(board.facts(viewer.language, viewer.is_host))

    async def order(request: Request) -> Response:
        """Pass the organiser's line to the desk."""
        body = await read_body(request)
        if board is None or not viewer_of(request).is_host:
            raise HTTPException(403, _("only the organiser may do this"))
        line = read_text(body, "line")
        why = board.refusal(line)
        if why is not None:
            raise HTTPException(422, why)
        board.ask(line)
        return to_json({})

    return [
        Operation("GET", "/api/contest", show, "Look at the contest"),
        Operation("POST", "/api/contest/do", order, "Order as the organiser", ref("Nothing"), ref("Order")),
    ]
