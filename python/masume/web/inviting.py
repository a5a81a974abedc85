"""Invitations: the links that a friend can open, with codes for the cameras of phones."""

from __future__ import annotations

from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from ..core.extras import extra
from ..core.language import translate as _
from ..http.front import Front
from ..http.openapi import Operation, ref
from .holding import Holding
from .requests import find_match, to_json, viewer_of


class Inviting:
    """The request for an invitation.

    Parameters
    ----------
    holding : Holding
        The matches.
    front : Front
        Where the page is reached.
    """

    def __init__(self, holding: Holding, front: Front) -> None:
        self._holding, self._front = holding, front

    def operations(self) -> list[Operation]:
        """Return the addresses."""
        path = "/api/m/{id}/invitation/{seat}"
        return [Operation("GET", path, self._invite, "Get the links to a free seat", ref("Invitation"))]

    async def _invite(self, request: Request) -> Response:
        """Return the links to a free seat that other machines can open, or the command that opens the page to them."""
        match, viewer, number = find_match(request, self._holding), viewer_of(request), request.path_params["seat"]
        if not viewer.seats_of(match):
            raise HTTPException(403, _("this seat is not yours"))
        seat = match.seats.get(int(number)) if number.isdecimal() and len(number) < 3 else None
        if seat is None or seat.is_taken:
            raise HTTPException(404, _("this seat is not free"))
        front = self._front
        addresses = front.list_addresses(request.headers["host"], request.scope["scheme"])
        links = [f"{address}/j/{seat.invitation}" for address in addresses]
        return to_json(
            {
                "links": [{"link": link, **code_of(link)} for link in links],
                "command": "" if links or front.is_behind else front.command,
            }
        )


def code_of(text: str) -> dict[str, Any]:
    """Return the QR code of a text: its size in modules, and the dark ones as commands of an SVG path."""
    rows = extra("segno", "web").make(text, micro=False, error="m").matrix
    dark = (f"M{x} {y}h1v1h-1z" for y, row in enumerate(rows) for x, is_dark in enumerate(row) if is_dark)
    return {"size": len(rows), "path": "".join(dark)}
