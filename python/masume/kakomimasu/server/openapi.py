"""The description of the API for programs, in OpenAPI 3.1. [section 14.13]"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..protocol import to_line
from .hall import COMPUTERS
from .requests import KINDS, MAX_TEXT, NUMBERS
from .tournaments import TYPES

if TYPE_CHECKING:
    from .api import Api
    from .requests import Request

Schema = Mapping[str, Any]

TEXT: Schema = {"type": "string", "maxLength": MAX_TEXT}
ANY_TEXT: Schema = {"type": "string"}
ID: Schema = {"type": "string", "format": "uuid"}
INTEGER: Schema = {"type": "integer"}
FLAG: Schema = {"type": "boolean"}


def document(_api: Api, _request: Request) -> bytes:
    """Answer GET /v1/openapi.json."""
    return _line()


@functools.cache
def _line() -> bytes:
    return to_line(describe())


def describe() -> dict[str, Any]:
    """Return the description."""
    return {
        "openapi": "3.1.1",
        "info": {"title": "Kakomimasu API", "version": "0.1"},
        "servers": [{"url": "/v1"}],
        "paths": _paths(),
        "components": {
            "schemas": _schemas(),
            "securitySchemes": {
                "Bearer": {"type": "http", "scheme": "bearer", "description": "The token of an account."},
                "PIC": {
                    "type": "apiKey",
                    "in": "header",
                    "name": "Authorization",
                    "description": "The code of six digits that joining a match returned, without a scheme.",
                },
            },
        },
    }


# -- schemas -------------------------------------------------------------------------------------


def _ref(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


def _array(items: Schema) -> Schema:
    return {"type": "array", "items": items}


def _or_null(kind: str) -> Schema:
    return {"type": [kind, "null"]}


def _object(required: Mapping[str, Schema], optional: Mapping[str, Schema] | None = None) -> dict[str, Any]:
    return {"type": "object", "required": list(required), "properties": {**required, **(optional or {})}}


def _schemas() -> dict[str, Any]:
    user = {"screenName": ANY_TEXT, "name": ANY_TEXT, "id": ANY_TEXT, "gameIds": _array(ID), "avaterUrl": ANY_TEXT}
    numbers = {key: {"type": "integer", "minimum": 0, "maximum": high} for key, (_name, _low, high) in NUMBERS.items()}
    action = {"agentId": INTEGER, "type": {"enum": [1, 2, 3, 4]}, "x": INTEGER, "y": INTEGER, "res": INTEGER}
    wanted = _object({"agentId": INTEGER, "type": {"enum": list(KINDS)}}, {"x": INTEGER, "y": INTEGER})
    player = {
        "id": ANY_TEXT,
        "spec": ANY_TEXT,
        "type": {"enum": ["account", "guest"]},
        "agents": _array(_object({"x": INTEGER, "y": INTEGER})),
        "point": _ref("Point"),
    }
    board = {
        "name": ANY_TEXT, "width": INTEGER, "height": INTEGER, "points": _array(INTEGER), "nAgent": INTEGER,
        "nPlayer": INTEGER, "totalTurn": INTEGER, "operationSec": {"type": "number"},
        "transitionSec": {"type": "number"},
    }  # fmt: skip
    field = {
        "width": INTEGER,
        "height": INTEGER,
        "points": _array(INTEGER),
        "tiles": _array(_object({"type": {"enum": [0, 1]}, "player": _or_null("integer")})),
    }
    game = {
        "id": ID,
        "status": {"enum": ["free", "ready", "gaming", "ended"]},
        "turn": INTEGER,
        "totalTurn": INTEGER,
        "nPlayer": INTEGER,
        "nAgent": INTEGER,
        "operationSec": {"type": "number"},
        "transitionSec": {"type": "number"},
        "startedAtUnixTime": _or_null("integer"),
        "field": {"oneOf": [_object(field), {"type": "null"}]},
        "log": _array(
            _object({"players": _array(_object({"point": _ref("Point"), "actions": _array(_object(action))}))})
        ),
        "players": _array(_object(player)),
        "reservedUsers": _array(ANY_TEXT),
        "type": {"enum": ["normal", "self", "personal"]},
    }
    return {
        "Point": _object({"areaPoint": INTEGER, "wallPoint": INTEGER}),
        "Board": _object(board),
        "Game": _object(game, {"name": ANY_TEXT}),
        "User": _object(user),
        "AuthedUser": _object({**user, "bearerToken": ANY_TEXT}),
        "Tournament": _object(
            {
                "id": ID, "name": ANY_TEXT, "organizer": ANY_TEXT, "type": {"enum": list(TYPES)},
                "remarks": ANY_TEXT, "users": _array(ANY_TEXT), "gameIds": _array(ID),
            }
        ),
        "DryRunRequest": _object({}, {"dryRun": FLAG}),
        "MatchesRequestBase": _object({}, {"spec": TEXT, "guestName": TEXT, "dryRun": FLAG}),
        "JoinMatchResponse": _object(
            {"userId": ANY_TEXT, "spec": ANY_TEXT, "gameId": ID, "index": INTEGER, "pic": ANY_TEXT}
        ),
        "ErrorResponse": _object({"message": ANY_TEXT, "errorCode": INTEGER}),
        "NewMatchRequest": _object(
            {"boardName": TEXT},
            {
                "name": TEXT, **numbers, "playerIdentifiers": _array(ANY_TEXT), "tournamentId": TEXT,
                "isPersonal": FLAG, "dryRun": FLAG,
            },
        ),
        "AiMatchRequest": _object(
            {"aiName": {"enum": list(COMPUTERS)}},
            {
                "boardName": TEXT, **{key: value for key, value in numbers.items() if key != "nPlayer"},
                "spec": TEXT, "guestName": TEXT, "dryRun": FLAG,
            },
        ),
        "ActionsRequest": _object({"actions": _array(wanted)}, {"dryRun": FLAG}),
        "ActionsResponse": _object({"receptionUnixTime": INTEGER, "turn": INTEGER}),
        "TournamentRequest": _object(
            {"name": TEXT, "type": {"enum": list(TYPES)}},
            {"organizer": TEXT, "remarks": TEXT, "participants": _array(ANY_TEXT), "dryRun": FLAG},
        ),
        "TournamentUserRequest": _object({"user": TEXT}, {"dryRun": FLAG}),
    }  # fmt: skip


# -- paths ---------------------------------------------------------------------------------------


def _operation(
    summary: str,
    answer: Schema,
    body: str | None = None,
    security: str | None = None,
    query: Mapping[str, Schema] | None = None,
    media: str = "application/json",
) -> dict[str, Any]:
    found: dict[str, Any] = {
        "summary": summary,
        "responses": {
            "200": {"description": "success", "content": {media: {"schema": answer}}},
            "default": {
                "description": "refused",
                "content": {"application/json": {"schema": _ref("ErrorResponse")}},
            },
        },
    }
    if body is not None:
        found["requestBody"] = {"required": True, "content": {"application/json": {"schema": _ref(body)}}}
    if security is not None:
        found["security"] = [{security: []}]
    if query is not None:
        found["parameters"] = [{"name": name, "in": "query", "schema": schema} for name, schema in query.items()]
    return found


def _at(name: str, **operations: dict[str, Any]) -> dict[str, Any]:
    """Return the operations of a path with one parameter."""
    return {"parameters": [{"name": name, "in": "path", "required": True, "schema": ANY_TEXT}], **operations}


def _paths() -> dict[str, Any]:
    game, joined, user, own = _ref("Game"), _ref("JoinMatchResponse"), _ref("User"), _ref("AuthedUser")
    tournament = _ref("Tournament")
    page = {"offset": {"type": "integer", "minimum": 0}, "limit": {"type": "integer", "minimum": 0}}
    watched = {"q": ANY_TEXT, "startIndex": INTEGER, "endIndex": INTEGER, "allowNewGame": FLAG}
    return {
        "/matches": {
            "get": _operation("List matches", _array(game), query=page),
            "post": _operation("Create a match", game, "NewMatchRequest"),
        },
        "/matches/free/players": {"post": _operation("Join a free match", joined, "MatchesRequestBase")},
        "/matches/ai/players": {"post": _operation("Play against the computer", joined, "AiMatchRequest")},
        "/matches/{gameId}/players": _at("gameId", post=_operation("Join a match", joined, "MatchesRequestBase")),
        "/matches/{gameId}": _at("gameId", get=_operation("Get a match", game)),
        "/matches/{gameId}/actions": _at(
            "gameId", patch=_operation("Act", _ref("ActionsResponse"), "ActionsRequest", "PIC")
        ),
        "/matches/stream": {"get": _operation("Watch matches", ANY_TEXT, query=watched, media="text/event-stream")},
        "/boards": {"get": _operation("List the boards", _array(_ref("Board")))},
        "/tournaments": {
            "get": _operation("List the tournaments", _array(tournament)),
            "post": _operation("Create a tournament", tournament, "TournamentRequest"),
        },
        "/tournaments/{tournamentId}": _at(
            "tournamentId",
            get=_operation("Get a tournament", tournament),
            delete=_operation("Delete a tournament", tournament, "DryRunRequest"),
        ),
        "/tournaments/{tournamentId}/users": _at(
            "tournamentId", post=_operation("Add an account", tournament, "TournamentUserRequest")
        ),
        "/users": {"get": _operation("Find accounts", _array(user), query={"q": ANY_TEXT, **page})},
        "/users/me": {
            "get": _operation("Get the own account", own, security="Bearer"),
            "delete": _operation("Delete the own account", own, "DryRunRequest", "Bearer"),
        },
        "/users/me/token": {"get": _operation("Get a new token", own, security="Bearer")},
        "/users/{userIdOrName}": _at("userIdOrName", get=_operation("Get an account", user)),
    }
