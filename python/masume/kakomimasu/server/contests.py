"""The APIs of the contests of 2019 (miyakonojo) and 2020 (tomakomai), on the same matches. [section 14.10]"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from ..protocol import NONE_RESULT, Entry, to_line
from .accounts import User
from .hall import Entrant, Refusal, ServedMatch
from .requests import Answer, Request, read_entry

if TYPE_CHECKING:
    from .api import Api

KINDS = {"move": "MOVE", "remove": "REMOVE", "put": "PUT", "stay": "STAY"}
NAMES = {kind: name for name, kind in KINDS.items()}
SUCCESS, CONFLICT, OTHER = 1, 0, -1


# -- both ----------------------------------------------------------------------------------------


def _seats(match: ServedMatch, user: User) -> list[int]:
    """Return the seats of an account in a match."""
    return [index for index, entrant in enumerate(match.entrants) if entrant.user == user.id]


def _apply(kind: str, result: int) -> int:
    """Return what became of an action, as the contests say it."""
    if result == 0 or (kind == "STAY" and result == NONE_RESULT):
        return SUCCESS
    return CONFLICT if result == 1 else OTHER


def _logged(match: ServedMatch) -> Iterable[tuple[int, int, Entry, list[list[list[int]]], int]]:
    """Yield the turn, player, action, agents' positions (x, y) before the turn and result of each logged action."""
    played = zip(match.turns(), match.results(), match.cells(), strict=True)
    for number, (turn, results, cells) in enumerate(played):
        before = _positions(match, cells)
        for player, (entries, codes) in enumerate(zip(turn, results, strict=True)):
            for entry, code in zip(entries, codes, strict=True):
                yield number + 1, player, entry, before, code


def _positions(match: ServedMatch, cells: list[list[int]]) -> list[list[list[int]]]:
    """Return x and y of each agent of each player; -1, -1 if it is not placed."""
    width = match.config.width
    return [[[-1, -1] if cell < 0 else [cell % width, cell // width] for cell in mine] for mine in cells]


def _rows(values: Sequence[int], width: int) -> list[list[int]]:
    return [list(values[first : first + width]) for first in range(0, len(values), width)]


def _owners(match: ServedMatch, grid: Any) -> list[list[int]]:
    """Return rows of player + 1, 0 for nobody's cells."""
    return _rows([owner + 1 for owner in grid.ravel().tolist()], match.config.width)


def _read_actions(request: Request, *keys: str) -> list[Entry]:
    """Return (agentID, type, a, b) of each action of a body; raise Refusal for anything else."""
    found = request.parse_any()
    if not isinstance(found, list):
        raise Refusal(6)
    return [read_entry(action, KINDS, ("agentID", *keys)) for action in found]


# -- miyakonojo ----------------------------------------------------------------------------------


def _status(status: str, code: int, match: ServedMatch | None = None) -> Answer:
    found: dict[str, Any] = {"status": status}
    if match is not None and match.started_at is not None:
        found["startAtUnixTime"] = match.started_at
    return Answer(to_line(found), code)


def _bare(request: Request) -> str:
    """Return the token or code of a request, which has no scheme."""
    return request.headers.get("authorization", "")


def ping(api: Api, request: Request) -> Any:
    """Answer GET /miyakonojo/ping."""
    if api.hall.accounts.with_token(_bare(request)) is None:
        return _status("InvalidToken", 401)
    return {"status": "OK"}


def miyakonojo_matches(api: Api, request: Request) -> Any:
    """Answer GET /miyakonojo/matches."""
    user = api.hall.accounts.with_token(_bare(request))
    if user is None:
        return _status("InvalidToken", 401)
    return [
        {
            "id": match.id,
            "intervalMillis": round(1000 * match.config.transition_sec),
            "matchTo": ", ".join(other.label for other in match.entrants if other is not match.entrants[index]),
            "teamID": int(match.entrants[index].pic),
            "turnMillis": round(1000 * match.config.operation_sec),
            "turns": match.config.total_turns,
            "index": index,
        }
        for match in api.hall.matches_of(user)
        for index in _seats(match, user)
    ]


def _enter_miyakonojo(api: Api, request: Request, match_id: str) -> tuple[ServedMatch, Entrant] | Answer:
    """Return the match and the player whose code the request has, or the answer that refuses it."""
    if match_id not in api.hall.matches:
        return _status("InvalidMatches", 400)
    match = api.find_match(request, match_id)
    known = set() if request.known is None else request.known
    entrant = match.identify(_bare(request), request.address, known, request.at)
    if entrant is None:
        return _status("InvalidToken", 401)
    if match.status in ("free", "ready"):
        return _status("TooEarly", 400, match)
    return match, entrant


def miyakonojo_match(api: Api, request: Request, match_id: str) -> Any:
    """Answer GET /miyakonojo/matches/{id}."""
    entered = _enter_miyakonojo(api, request, match_id)
    if isinstance(entered, Answer):
        return entered
    match, own = entered
    config, per_player = match.config, match.config.n_agents
    actions = []
    for turn, player, (agent, kind, x, y), before, code in _logged(match):
        if kind in ("MOVE", "REMOVE") and 0 <= agent < per_player:
            x, y = x - before[player][agent][0], y - before[player][agent][1]
        actions.append(
            {"agentID": player * per_player + agent, "dx": x, "dy": y, "type": NAMES[kind],
             "apply": _apply(kind, code), "turn": turn}
        )  # fmt: skip
    return {
        "actions": actions,
        "height": config.height,
        "width": config.width,
        "points": _rows(config.board_points(), config.width),
        "tiled": _owners(match, match.state.walls),
        "startedAtUnixTime": match.started_at,
        "turn": match.turn,
        "teams": [
            {
                "agents": [
                    {"agentID": index * per_player + agent, **place} for agent, place in enumerate(side["agents"])
                ],
                "areaPoint": side["point"]["areaPoint"],
                "tilePoint": side["point"]["wallPoint"],
                "teamID": int(entrant.pic) if entrant is own else 0,
            }
            for index, (entrant, side) in enumerate(match.pair_sides())
        ],
    }


def miyakonojo_act(api: Api, request: Request, match_id: str) -> Any:
    """Answer POST /miyakonojo/matches/{id}/action."""
    entered = _enter_miyakonojo(api, request, match_id)
    if isinstance(entered, Answer):
        return entered
    match, own = entered
    if match.is_changing or match.status == "ended":
        return _status("UnacceptableTime", 400, match)
    index, per_player = match.entrants.index(own), match.config.n_agents
    actions = _read_actions(request, "dx", "dy")
    places = _positions(match, match.state.agents.tolist())[index]
    entries: list[Entry] = []
    for agent_id, kind, x, y in actions:
        agent = agent_id - index * per_player
        if kind in ("MOVE", "REMOVE") and 0 <= agent < per_player:
            x, y = x + places[agent][0], y + places[agent][1]
        entries.append((agent, kind, x, y))
    match.store(own, entries, replaces=False)
    done = [
        {"agentID": agent_id, "dx": dx, "dy": dy, "type": NAMES[kind], "turn": match.turn}
        for agent_id, kind, dx, dy in actions
    ]
    return Answer(to_line({"actions": done}), 201)


# -- tomakomai -----------------------------------------------------------------------------------


def _empty(status: int, wait_s: float | None = None) -> Answer:
    return Answer(b"", status, {} if wait_s is None else {"Retry-After": str(math.ceil(wait_s))})


def tomakomai_matches(api: Api, request: Request) -> Any:
    """Answer GET /tomakomai/matches."""
    user = api.hall.accounts.with_token(request.headers.get("x-api-token"))
    if user is None:
        return _empty(401)
    listed = []
    for match in api.hall.matches_of(user):
        for seat in _seats(match, user):
            teams = [{"teamID": index + 1, "name": entrant.label} for index, entrant in enumerate(match.entrants)]
            listed.append(
                {
                    "matchID": match.id,
                    "teams": [teams[seat], *teams[:seat], *teams[seat + 1 :]],
                    "turns": match.config.total_turns,
                    "operationMillis": round(1000 * match.config.operation_sec),
                    "transitionMillis": round(1000 * match.config.transition_sec),
                }
            )
    return {"matches": listed}


def _enter_tomakomai(api: Api, request: Request, match_id: str) -> tuple[ServedMatch, list[int]] | Answer:
    """Return the match and the account's seats in it, or the answer that refuses it."""
    user = api.hall.accounts.with_token(request.headers.get("x-api-token"))
    if user is None:
        return _empty(401)
    if match_id not in api.hall.matches:
        return _empty(404)
    match = api.find_match(request, match_id)
    seats = _seats(match, user)
    if not seats:
        return _empty(403)
    if match.status in ("free", "ready"):
        return _empty(425, None if match.started_at is None else match.started_at - request.at)
    return match, seats


def tomakomai_match(api: Api, request: Request, match_id: str) -> Any:
    """Answer GET /tomakomai/matches/{id}."""
    entered = _enter_tomakomai(api, request, match_id)
    if isinstance(entered, Answer):
        return entered
    match, _ = entered
    config, per_player = match.config, match.config.n_agents
    return {
        "turn": match.turn,
        "startedAtUnixTime": match.started_at,
        "width": config.width,
        "height": config.height,
        "teams": [
            {
                "teamID": index + 1,
                "agent": per_player,
                "agents": [
                    {"x": place["x"] + 1, "y": place["y"] + 1, "agentID": index * per_player + agent}
                    for agent, place in enumerate(side["agents"])
                ],
                "areaPoint": side["point"]["areaPoint"],
                "wallPoint": side["point"]["wallPoint"],
            }
            for index, (_entrant, side) in enumerate(match.pair_sides())
        ],
        "walls": _owners(match, match.state.walls),
        "areas": _owners(match, match.state.territory),
        "points": _rows(config.board_points(), config.width),
        "actions": [
            {"x": x, "y": y, "type": NAMES[kind], "turn": turn, "agentID": player * per_player + agent,
             "apply": _apply(kind, code)}
            for turn, player, (agent, kind, x, y), _before, code in _logged(match)
        ],
    }  # fmt: skip


def tomakomai_act(api: Api, request: Request, match_id: str) -> Any:
    """Answer POST /tomakomai/matches/{id}/action; its coordinates count from 0, as the contest's server passed them."""
    entered = _enter_tomakomai(api, request, match_id)
    if isinstance(entered, Answer):
        return entered
    match, seats = entered
    if match.is_changing or match.status == "ended":
        return _empty(400)
    try:
        actions = _read_actions(request, "x", "y")
    except Refusal:
        return _empty(422)
    per_player = match.config.n_agents
    entries: dict[int, list[Entry]] = {}
    for agent_id, kind, x, y in actions:
        index, agent = divmod(agent_id, per_player)
        if index not in seats:
            return _empty(400)
        entries.setdefault(index, []).append((agent, kind, x, y))
    for index, orders in entries.items():
        match.store(match.entrants[index], orders, replaces=False)
    done = [
        {"agentID": agent_id, "x": x, "y": y, "type": NAMES[kind], "turn": match.turn}
        for agent_id, kind, x, y in actions
    ]
    return Answer(to_line({"actions": done}), 202)
