"""What the match server refuses changes nothing: every request is checked before it has an effect."""

import dataclasses
import json

from masume.kakomimasu.server import hall
from masume.kakomimasu.server.hall import Refusal

from .clients import JSON, Client, user

WRONG = (None, True, -1, 10**30, 1.5, "x", "x" * 2000, [], ["x", "x"], {}, [{"agentId": 0, "type": "JUMP"}])
"""What no client sends in the place of something else."""


def snapshot(client):
    """Return everything that a request may change, but for the time at which somebody asked."""
    its = client.hall
    return {
        "accounts": [(dataclasses.asdict(one), one.token) for one in its.accounts],
        "matches": {
            one.id: (one.phase, one.started_at, one.turns(), [(other.id, dict(other.stored)) for other in one.entrants])
            for one in its.matches.values()
        },
        "tournaments": {one.id: dataclasses.asdict(one) for one in its.tournaments.values()},
        "free": list(its._free), "claims": dict(its._claims),
        "seats": {key: [*ids] for key, ids in its._of_account.items()},
    }  # fmt: skip


def break_each_field(body):
    """Yield the body with each field wrong or missing, also each field of the last of its items or actions."""
    if isinstance(body, list):
        yield from ([*body[:-1], last] for last in break_each_field(body[-1]))
        return
    for name in body:
        yield from ({**body, name: value} for value in WRONG)
        yield {other: value for other, value in body.items() if other != name}
    if "actions" in body:
        yield from ({**body, "actions": actions} for actions in break_each_field(body["actions"]))


def test_whatever_is_wrong_in_a_request_nothing_changes():
    """Break each field of each request in turn."""
    client = Client(is_open=True, users=[user("ann"), user("bob")])
    bearer = {"authorization": "Bearer token-ann"}
    cup = client("POST", "/v1/tournaments", {"name": "cup", "type": "knockout", "participants": []})["id"]
    gus, _hal = client.join("gus"), client.join("hal")
    match, ann = gus["gameId"], gus["pic"]
    mine = client("POST", "/v1/matches", {"boardName": "duel", "playerIdentifiers": []}, **bearer)["id"]
    client("POST", f"/v1/matches/{mine}/players", {}, **bearer)
    client("POST", f"/v1/matches/{mine}/players", {"guestName": "cid"})
    client.now += 7
    client.hall.advance(client.now)
    act = {"agentId": 0, "type": "PUT", "x": 1, "y": 1}
    old = {"agentID": 0, "type": "put", "x": 1, "y": 1}
    requests = [
        ("POST", "/v1/users", {"name": "new", "screenName": "New", "id": "id-new", "sessions": ["s"]}, {}),
        ("DELETE", "/v1/users/me", {"dryRun": True}, bearer),
        ("POST", "/v1/tournaments", {"name": "n", "type": "knockout", "organizer": "", "remarks": "",
                                     "participants": ["ann", "bob"]}, {}),
        ("POST", f"/v1/tournaments/{cup}/users", {"user": "ann"}, {}),
        ("DELETE", f"/v1/tournaments/{cup}", {"dryRun": True}, {}),
        ("POST", "/v1/matches", {"boardName": "duel", "name": "m", "nPlayer": 2, "nAgent": 2, "totalTurn": 3,
                                 "operationSec": 1, "transitionSec": 1, "playerIdentifiers": ["ann"],
                                 "tournamentId": cup, "isPersonal": True}, bearer),
        ("POST", "/v1/matches/free/players", {"guestName": "dan", "spec": ""}, {}),
        ("POST", "/v1/matches/ai/players", {"guestName": "eve", "aiName": "a1", "boardName": "duel", "nAgent": 2}, {}),
        ("POST", f"/v1/matches/{mine}/players", {"guestName": "fay"}, {}),
        ("PATCH", f"/v1/matches/{match}/actions", {"actions": [act, {**act, "agentId": 1}]}, {"authorization": ann}),
        ("POST", "/v1/match", {"spec": "", "gameId": "", "useAi": True, "option": {"dryRun": True},
                               "aiOption": {"aiName": "a1", "boardName": "duel"}}, bearer),
        ("POST", f"/v1/match/{mine}/action", {"actions": [act], "index": 0}, bearer),
        ("POST", f"/miyakonojo/matches/{match}/action", [{**old, "dx": 0, "dy": 0}], {"authorization": ann}),
        ("POST", f"/tomakomai/matches/{mine}/action", [old, {**old, "agentID": 1}], {"x-api-token": "token-ann"}),
    ]  # fmt: skip
    num_refused = 0
    for method, path, body, headers in requests:
        for data in (*map(str.encode, map(json.dumps, break_each_field(body))), b"", b"{", b"[1]", b"[" * 9999):
            for sent in (JSON | headers, JSON, headers):
                then = snapshot(client)
                try:
                    status = client.answer(method, path, data, sent)[0]
                except Refusal:
                    status = 400
                if status >= 400:
                    num_refused += 1
                    assert snapshot(client) == then, (method, path, data, sent)
    assert num_refused > 1000


def test_a_tournament_remembers_only_the_matches_that_are_shown(monkeypatch):
    monkeypatch.setattr(hall, "MAX_GAMES", 3)
    client = Client()
    cup = client("POST", "/v1/tournaments", {"name": "cup", "type": "knockout"})["id"]
    ids = [client("POST", "/v1/matches", {"boardName": "duel", "tournamentId": cup})["id"] for _ in range(5)]
    assert client("GET", f"/v1/tournaments/{cup}")["gameIds"] == ids[-3:] == client.hall.tournaments[cup].games
