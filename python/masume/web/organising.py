"""The contest over HTTP: its snapshot for everybody, and the organiser's orders."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from ..contest.desk import Refused
from ..contest.orders import from_json
from ..core.language import translate as _
from ..http.openapi import Operation, ref
from .requests import bad_input, read_body, read_text, to_json, viewer_of

if TYPE_CHECKING:
    from .contest import ContestBoard


def contest_operations(board: ContestBoard | None) -> list[Operation]:
    """Return the addresses of a contest, also where none is held."""

    async def show(request: Request) -> Response:
        if board is None:
            raise HTTPException(404, _("there is no contest"))
        viewer = viewer_of(request)
        return to_json(board.facts(viewer.language, viewer.is_host, viewer.is_here))

    async def order(request: Request) -> Response:
        """Pass the organiser's order to the desk."""
        body = await read_body(request)
        viewer = viewer_of(request)
        if board is None:
            raise HTTPException(404, _("there is no contest"))
        if not viewer.is_host:
            raise HTTPException(
                403, _("this browser is not the organiser's: open the host's link that the terminal shows now")
            )
        nonce, seen = read_text(body, "nonce"), read_text(body, "seen")
        with bad_input():
            wanted = from_json(body.get("order"))
        if board.needs_machine(wanted) and not viewer.is_here:
            raise HTTPException(
                422, _("a program that runs on this machine is handed in at the terminal, or in a browser on it")
            )
        try:
            return to_json(await board.take(nonce, wanted, seen))
        except Refused as refused:
            raise HTTPException(409, str(refused)) from None

    return [
        Operation("GET", "/api/contest", show, "Look at the contest"),
        Operation("POST", "/api/contest/do", order, "Order as the organiser", ref("Ordered"), ref("Order")),
    ]
