"""The tournaments of a match server: records that its clients keep; the server pairs nobody. [section 14.11]"""

from __future__ import annotations

import dataclasses
import re
import uuid
from typing import TYPE_CHECKING, Any

from ..protocol import to_line
from .hall import Refusal, Tournament
from .requests import Request, list_lines

if TYPE_CHECKING:
    from .api import Api

TYPES = ("round-robin", "knockout")
NAMED = re.compile("[^\n\r\u2028\u2029]")  # a character of a name that is no line break
MAX_PARTICIPANTS = 1000


def create(api: Api, request: Request) -> Any:
    """Answer POST /v1/tournaments."""
    body = request.content()
    name, kind = body.text("name"), body.text("type")
    organizer, remarks = body.text("organizer"), body.text("remarks")
    participants, is_dry = body.strings("participants"), body.flag("dryRun")
    if not NAMED.search(name) or kind not in TYPES or len(participants) > MAX_PARTICIPANTS:
        raise Refusal(6)
    found = Tournament(str(uuid.uuid4()), name, organizer, kind, remarks, address=request.address)
    for participant in participants:
        _enter(api, found, participant)
    if not is_dry:
        api.hall.add_tournament(found)
    return show(found)


def every(api: Api, _request: Request) -> Any:
    """Answer GET /v1/tournaments."""
    return list_lines(to_line(show(found)) for found in api.hall.tournaments.values())


def one(api: Api, _request: Request, tournament_id: str) -> Any:
    """Answer GET /v1/tournaments/{id}."""
    return show(find(api, tournament_id, 303))


def delete(api: Api, request: Request, tournament_id: str) -> Any:
    """Answer DELETE /v1/tournaments/{id}; its matches stay."""
    body = request.content()
    found = find(api, tournament_id, 303)
    if not body.flag("dryRun"):
        api.hall.remove_tournament(found)
    return show(found)


def add_user(api: Api, request: Request, tournament_id: str) -> Any:
    """Answer POST /v1/tournaments/{id}/users."""
    body = request.content()
    found = find(api, tournament_id, 302)
    user, is_dry = body.text("user"), body.flag("dryRun")
    if not user or len(found.users) >= MAX_PARTICIPANTS:
        raise Refusal(6)
    extended = dataclasses.replace(found, users=list(found.users))
    _enter(api, extended, user)
    if not is_dry:
        found.users = extended.users
    return show(extended)


def find(api: Api, tournament_id: str, code: int) -> Tournament:
    """Return the tournament with this id; raise Refusal of the code if there is none."""
    found = api.hall.tournaments.get(tournament_id)
    if found is None:
        raise Refusal(code)
    return found


def show(tournament: Tournament) -> dict[str, Any]:
    """Return the Tournament object."""
    return {
        "id": tournament.id,
        "name": tournament.name,
        "organizer": tournament.organizer,
        "type": tournament.kind,
        "remarks": tournament.remarks,
        "users": tournament.users,
        "gameIds": tournament.games,
    }


def _enter(api: Api, tournament: Tournament, id_or_name: str) -> None:
    user = api.find_user(id_or_name)
    if user.id in tournament.users:
        raise Refusal(206)
    tournament.users.append(user.id)
