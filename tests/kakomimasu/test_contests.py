"""The APIs of the contests of 2019 and 2020 on the server's matches, without the wire. [section 14.10]"""

import json

import pytest

from .clients import Client, user

START = 1_700_000_005


@pytest.fixture
def ask():
    return Client(users=[user("ann", screenName="Ann"), user("bob")])


@pytest.fixture
def match(ask):
    """Return the id of a match between ann and bob, and their codes."""
    joined = [
        ask("POST", "/v1/matches/free/players", {}, authorization=f"Bearer token-{who}") for who in ("ann", "bob")
    ]
    return joined[0]["gameId"], joined[0]["pic"], joined[1]["pic"]


def answer(ask, method, path, body, headers):
    data = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
    status, found, text = ask.answer(method, path, data, headers)
    return status, found, json.loads(text) if text else None


def miyakonojo(ask, who, method="GET", path="", body=None):
    status, _, found = answer(ask, method, f"/miyakonojo{path}", body, {"authorization": who})
    return status, found


def tomakomai(ask, who, method="GET", path="", body=None):
    headers = {} if who is None else {"x-api-token": f"token-{who}"}
    return answer(ask, method, f"/tomakomai/matches{path}", body, headers)


# -- miyakonojo ----------------------------------------------------------------------------------


def test_matches_of_a_team_of_2019(ask, match):
    assert miyakonojo(ask, "token-ann", path="/ping") == (200, {"status": "OK"})
    for path in ("/ping", "/matches"):
        assert miyakonojo(ask, "token-zed", path=path) == (401, {"status": "InvalidToken"})
    match_id, ann, _ = match
    shown = {
        "id": match_id, "intervalMillis": 2000, "matchTo": "bob", "teamID": int(ann), "turnMillis": 3000, "turns": 2,
        "index": 0,
    }  # fmt: skip
    assert miyakonojo(ask, "token-ann", path="/matches") == (200, [shown])


def test_a_match_of_2019(ask, match):
    match_id, ann, bob = match
    path = f"/matches/{match_id}"
    early = (400, {"status": "TooEarly", "startAtUnixTime": START})
    assert miyakonojo(ask, ann, path=path) == miyakonojo(ask, ann, "POST", f"{path}/action", []) == early
    assert miyakonojo(ask, "x", path=path) == (401, {"status": "InvalidToken"})
    assert miyakonojo(ask, ann, path="/matches/x") == (400, {"status": "InvalidMatches"})
    ask.now = START
    actions = [{"agentID": 0, "dx": 1, "dy": 2, "type": "put"}, {"agentID": 1, "dx": 3, "dy": 3, "type": "put"}]
    done = (201, {"actions": [{**action, "turn": 1} for action in actions]})
    assert miyakonojo(ask, ann, "POST", f"{path}/action", actions) == done
    actions = [{"agentID": 2, "dx": 3, "dy": 3, "type": "put"}, {"agentID": 9, "type": "stay"}]
    assert miyakonojo(ask, bob, "POST", f"{path}/action", actions)[0] == 201
    ask.now = START + 3
    late = (400, {"status": "UnacceptableTime", "startAtUnixTime": START})
    assert miyakonojo(ask, ann, "POST", f"{path}/action", []) == late
    ask.now = START + 5
    actions = [{"agentID": 0, "dx": 1, "dy": -1, "type": "move"}, {"agentID": 1, "dx": 1, "dy": 0, "type": "move"}]
    assert miyakonojo(ask, ann, "POST", f"{path}/action", [*actions, {"agentID": 1, "type": "stay"}])[0] == 201
    ask.now = START + 8
    status, found = miyakonojo(ask, ann, path=path)
    assert (status, found["turn"], found["startedAtUnixTime"], found["width"], found["height"]) == (200, 2, START, 4, 4)
    assert found["points"] == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11], [12, 13, 14, 15]]
    assert found["tiled"] == [[0] * 4, [0, 0, 1, 0], [0, 1, 0, 0], [0] * 4]
    assert found["actions"] == [
        {"agentID": 0, "dx": 1, "dy": 2, "type": "put", "apply": 1, "turn": 1},
        {"agentID": 1, "dx": 3, "dy": 3, "type": "put", "apply": 0, "turn": 1},  # both wanted the cell
        {"agentID": 2, "dx": 3, "dy": 3, "type": "put", "apply": 0, "turn": 1},
        {"agentID": 9, "dx": 0, "dy": 0, "type": "stay", "apply": -1, "turn": 1},
        {"agentID": 0, "dx": 1, "dy": -1, "type": "move", "apply": 1, "turn": 2},
        {"agentID": 1, "dx": 0, "dy": 0, "type": "stay", "apply": 1, "turn": 2},
    ]
    assert found["teams"] == [
        {"agents": [{"agentID": 0, "x": 2, "y": 1}, {"agentID": 1, "x": -1, "y": -1}], "areaPoint": 0,
         "tilePoint": 15, "teamID": int(ann)},
        {"agents": [{"agentID": 2, "x": -1, "y": -1}, {"agentID": 3, "x": -1, "y": -1}], "areaPoint": 0,
         "tilePoint": 0, "teamID": 0},
    ]  # fmt: skip
    assert miyakonojo(ask, ann, "POST", f"{path}/action", []) == late


# -- tomakomai -----------------------------------------------------------------------------------


def test_matches_of_a_team_of_2020(ask, match):
    assert tomakomai(ask, None)[::2] == tomakomai(ask, "zed")[::2] == (401, None)
    shown = {"matchID": match[0], "turns": 2, "operationMillis": 3000, "transitionMillis": 2000}
    ann, bob = {"teamID": 1, "name": "Ann"}, {"teamID": 2, "name": "bob"}
    assert tomakomai(ask, "ann")[2] == {"matches": [shown | {"teams": [ann, bob]}]}
    assert tomakomai(ask, "bob")[2] == {"matches": [shown | {"teams": [bob, ann]}]}


def test_a_match_of_2020(ask, match):
    path = f"/{match[0]}"
    ask.hall.accounts.add(user("cid"))
    assert tomakomai(ask, "ann", path="/x")[0] == 404
    assert tomakomai(ask, "cid", path=path)[0] == tomakomai(ask, "cid", "POST", f"{path}/action", [])[0] == 403
    status, headers, body = tomakomai(ask, "ann", path=path)
    assert (status, headers, body) == (425, {"Retry-After": "5"}, None)
    ask.now = START
    put = {"agentID": 0, "x": 1, "y": 2, "type": "put"}
    assert tomakomai(ask, "ann", "POST", f"{path}/action", [put])[::2] == (202, {"actions": [{**put, "turn": 1}]})
    for body in (b"{", {}, [1], [{}], [{**put, "type": "PUT"}], [{**put, "x": 0.5}], [{**put, "y": 2**40}]):
        assert tomakomai(ask, "ann", "POST", f"{path}/action", body)[::2] == (422, None)
    for agent in (2, -1, 99):
        assert tomakomai(ask, "ann", "POST", f"{path}/action", [{**put, "agentID": agent}])[::2] == (400, None)
    ask.now = START + 3
    assert tomakomai(ask, "ann", "POST", f"{path}/action", [put])[::2] == (400, None)
    status, _, found = tomakomai(ask, "bob", path=path)
    assert (status, found["turn"], found["startedAtUnixTime"], found["width"], found["height"]) == (200, 2, START, 4, 4)
    assert found["teams"][0] == {
        "teamID": 1, "agent": 2, "agents": [{"x": 2, "y": 3, "agentID": 0}, {"x": 0, "y": 0, "agentID": 1}],
        "areaPoint": 0, "wallPoint": 9,
    }  # fmt: skip
    assert found["walls"] == [[0] * 4, [0] * 4, [0, 1, 0, 0], [0] * 4]
    assert found["areas"] == [[0] * 4] * 4
    assert found["actions"] == [{"x": 1, "y": 2, "type": "put", "turn": 1, "agentID": 0, "apply": 1}]


def test_a_match_that_waits_for_players_names_no_time(ask):
    joined = ask("POST", "/v1/matches/free/players", {}, authorization="Bearer token-ann")
    path = f"/matches/{joined['gameId']}"
    assert miyakonojo(ask, joined["pic"], path=path) == (400, {"status": "TooEarly"})
    assert tomakomai(ask, "ann", path=f"/{joined['gameId']}") == (425, {}, None)
