"""The description of the API for programs: its schemas. [section 14.13]"""

from __future__ import annotations

from typing import Any

from ...http.openapi import FLAG, INTEGER, TEXT, Schema, array, members, or_null, ref
from .hall import COMPUTERS
from .requests import KINDS, MAX_TEXT, NUMBERS
from .tournaments import TYPES

SHORT: Schema = {"type": "string", "maxLength": MAX_TEXT}
ID: Schema = {"type": "string", "format": "uuid"}
COUNT: Schema = {"type": "integer", "minimum": 0}
PAGE = {"offset": COUNT, "limit": COUNT}
GAME, JOINED, USER, OWN, TOURNAMENT = map(ref, ("Game", "JoinMatchResponse", "User", "AuthedUser", "Tournament"))


def components() -> dict[str, Any]:
    """Return what the operations refer to."""
    return {
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
    }


def _schemas() -> dict[str, Any]:
    user = {"screenName": TEXT, "name": TEXT, "id": TEXT, "gameIds": array(ID), "avaterUrl": TEXT}
    numbers = {key: {"type": "integer", "minimum": 0, "maximum": high} for key, (_name, _low, high) in NUMBERS.items()}
    action = {"agentId": INTEGER, "type": {"enum": [1, 2, 3, 4]}, "x": INTEGER, "y": INTEGER, "res": INTEGER}
    wanted = members({"agentId": INTEGER, "type": {"enum": list(KINDS)}}, {"x": INTEGER, "y": INTEGER})
    player = {
        "id": TEXT,
        "spec": TEXT,
        "type": {"enum": ["account", "guest"]},
        "agents": array(members({"x": INTEGER, "y": INTEGER})),
        "point": ref("Point"),
    }
    board = {
        "name": TEXT, "width": INTEGER, "height": INTEGER, "points": array(INTEGER), "nAgent": INTEGER,
        "nPlayer": INTEGER, "totalTurn": INTEGER, "operationSec": {"type": "number"},
        "transitionSec": {"type": "number"},
    }  # fmt: skip
    field = {
        "width": INTEGER,
        "height": INTEGER,
        "points": array(INTEGER),
        "tiles": array(members({"type": {"enum": [0, 1]}, "player": or_null("integer")})),
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
        "startedAtUnixTime": or_null("integer"),
        "field": {"oneOf": [members(field), {"type": "null"}]},
        "log": array(members({"players": array(members({"point": ref("Point"), "actions": array(members(action))}))})),
        "players": array(members(player)),
        "reservedUsers": array(TEXT),
        "type": {"enum": ["normal", "self", "personal"]},
    }
    return {
        "Point": members({"areaPoint": INTEGER, "wallPoint": INTEGER}),
        "Board": members(board),
        "Game": members(game, {"name": TEXT}),
        "User": members(user),
        "AuthedUser": members({**user, "bearerToken": TEXT}),
        "Tournament": members(
            {
                "id": ID, "name": TEXT, "organizer": TEXT, "type": {"enum": list(TYPES)},
                "remarks": TEXT, "users": array(TEXT), "gameIds": array(ID),
            }
        ),
        "DryRunRequest": members({}, {"dryRun": FLAG}),
        "MatchesRequestBase": members({}, {"spec": SHORT, "guestName": SHORT, "dryRun": FLAG}),
        "JoinMatchResponse": members(
            {"userId": TEXT, "spec": TEXT, "gameId": ID, "index": INTEGER, "pic": TEXT}
        ),
        "ErrorResponse": members({"message": TEXT, "errorCode": INTEGER}),
        "NewMatchRequest": members(
            {"boardName": SHORT},
            {
                "name": SHORT, **numbers, "playerIdentifiers": array(TEXT), "tournamentId": SHORT,
                "isPersonal": FLAG, "dryRun": FLAG,
            },
        ),
        "AiMatchRequest": members(
            {"aiName": {"enum": list(COMPUTERS)}},
            {
                "boardName": SHORT, **{key: value for key, value in numbers.items() if key != "nPlayer"},
                "spec": SHORT, "guestName": SHORT, "dryRun": FLAG,
            },
        ),
        "ActionsRequest": members({"actions": array(wanted)}, {"dryRun": FLAG}),
        "ActionsResponse": members({"receptionUnixTime": INTEGER, "turn": INTEGER}),
        "TournamentRequest": members(
            {"name": SHORT, "type": {"enum": list(TYPES)}},
            {"organizer": SHORT, "remarks": SHORT, "participants": array(TEXT), "dryRun": FLAG},
        ),
        "TournamentUserRequest": members({"user": SHORT}, {"dryRun": FLAG}),
    }  # fmt: skip
