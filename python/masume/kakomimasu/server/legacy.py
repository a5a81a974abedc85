"""The API of the C++ client of 2021, on the same matches. [section 14.9]"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .hall import COMPUTERS, Entrant, Refusal, ServedMatch
from .requests import Request, as_integer, read_entry

if TYPE_CHECKING:
    from .api import Api

KEYS = ("agentId", "type", "x", "y")
"""Keys of an action; all are required."""


def join(api: Api, request: Request) -> Any:
    """Answer POST {base}/match."""
    request.check_type()
    user = api.account(request)
    body = request.parse()
    match_id, is_computer, computer = body.text("gameId"), body.flag("useAi"), body.part("aiOption")
    name, board_name = computer.text("aiName"), computer.text("boardName")
    is_dry = body.part("option").flag("dryRun")
    entrant = Entrant(user.id, body.text("spec"), "", user.id, address=request.address, label=user.label)
    if match_id:
        return api.enter(request, entrant, match_id, is_dry)
    if is_computer:
        if name not in COMPUTERS:
            raise Refusal(102)
        return api.enter_computer(request, entrant, name, board_name, {}, is_dry)
    return api.enter_free(request, entrant, is_dry)


def match(api: Api, request: Request, match_id: str) -> Any:
    """Answer GET {base}/match/{gameId}."""
    return to_json(api.find_match(request, match_id))


def act(api: Api, request: Request, match_id: str) -> Any:
    """Answer POST {base}/match/{gameId}/action; the actions replace all stored ones."""
    request.check_type()
    user = api.account(request)
    body = request.parse()
    match = api.find_match(request, match_id)
    seats = [(index, entrant) for index, entrant in enumerate(match.entrants) if entrant.user == user.id]
    if len(seats) > 1:
        seats = [(index, entrant) for index, entrant in seats if _index(body.values.get("index")) == index]
    if not seats:
        raise Refusal(207)
    is_dry = body.flag("dryRun")
    actions = body.values.get("actions")
    if not isinstance(actions, list):
        raise Refusal(104)
    try:
        entries = [read_entry(action) for action in actions]
    except Refusal:
        raise Refusal(104) from None
    if any(key not in action for action in actions for key in KEYS):
        raise Refusal(104)
    if not is_dry:
        match.store(seats[0][1], entries, replaces=True)
    return api.acknowledge(request, match)


def user(api: Api, _request: Request, id_or_name: str) -> Any:
    """Answer GET {base}/users/show/{idOrName}."""
    shown = api.show(api.find_user(id_or_name))
    return {"gamesId" if key == "gameIds" else key: value for key, value in shown.items()}


def _index(value: Any) -> int | None:
    try:
        return as_integer(value)
    except Refusal:
        return None


def to_json(match: ServedMatch) -> dict[str, Any]:
    """Return the Game object in the old format; its log is empty because the client's buffer is small. [KM-R28]"""
    config, facts, board = match.config, match.summary(), None
    tiled = None
    if facts["field"] is not None:
        board = {
            "name": match.board.name,
            "width": config.width,
            "height": config.height,
            "nAgent": config.n_agents,
            "nPlayer": config.n_players,
            "nTurn": config.total_turns,
            "nSec": config.operation_sec + config.transition_sec,
            "points": facts["field"]["points"],
        }
        tiles = facts["field"]["tiles"]
        tiled = [[tile["type"], -1 if tile["player"] is None else tile["player"]] for tile in tiles]
    return {
        "gameId": match.id,
        "gaming": match.status == "gaming",
        "ending": match.status == "ended",
        "board": board,
        "turn": match.turn,
        "totalTurn": config.total_turns,
        "tiled": tiled,
        "players": [
            {
                "id": player["id"],
                "agents": player["agents"],
                "point": {"basepoint": player["point"]["areaPoint"], "wallpoint": player["point"]["wallPoint"]},
            }
            for player in facts["players"]
        ],
        "log": [],
        "gameName": match.name or "",
        "startedAtUnixTime": match.started_at,
        "nextTurnUnixTime": match.next_turn_at,
        "reservedUsers": match.reserved,
        "type": match.kind,
    }
