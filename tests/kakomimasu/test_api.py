"""The match server's API, without the wire and with a clock set by the tests. [section 14]"""

import json
import random
import re
import uuid
from pathlib import Path

import pytest

from masume.kakomimasu.boards import Board, load_shipped
from masume.kakomimasu.protocol import game_from_json
from masume.kakomimasu.server.hall import MESSAGES, Refusal
from masume.kakomimasu.server.requests import Request
from masume.kakomimasu.server.streams import Watch

from .clients import JSON, NOW, Client, user

START = 1_700_000_005


@pytest.fixture
def ask():
    return Client()


def put(agent, x, y, kind="PUT"):
    return {"agentId": agent, "type": kind, "x": x, "y": y}


# -- the game's course ---------------------------------------------------------------------------


def test_a_match_from_the_first_player_to_the_end(ask):
    ann = ask.join("ann", spec="first")
    assert ann == {"userId": "ann", "spec": "first", "gameId": ann["gameId"], "index": 0, "pic": ann["pic"]}
    assert len(ann["pic"]) == 6
    assert ann["pic"].isdecimal()
    match = f"/v1/matches/{ann['gameId']}"
    found = ask("GET", match)
    assert (found["status"], found["turn"], found["startedAtUnixTime"], found["field"]) == ("free", 0, None, None)
    assert "name" not in found
    assert found["reservedUsers"] == []
    assert found["type"] == "normal"
    bob = ask.join("bob")
    assert (bob["gameId"], bob["index"]) == (ann["gameId"], 1)
    assert bob["pic"] != ann["pic"]
    found = ask("GET", match)  # KM-53
    assert (found["status"], found["turn"], found["startedAtUnixTime"], found["log"]) == ("ready", 0, START, [])
    assert (found["totalTurn"], found["nPlayer"], found["nAgent"]) == (2, 2, 2)
    assert (found["operationSec"], found["transitionSec"]) == (3, 2)
    assert found["field"]["points"] == list(range(16))
    assert found["field"]["tiles"][0] == {"type": 0, "player": None}
    unplaced = [{"x": -1, "y": -1}] * 2
    no_points = {"areaPoint": 0, "wallPoint": 0}
    assert found["players"] == [
        {"id": "ann", "spec": "first", "type": "guest", "agents": unplaced, "point": no_points},
        {"id": "bob", "spec": "", "type": "guest", "agents": unplaced, "point": no_points},
    ]
    early = ask.act(ann["gameId"], ann["pic"], put(0, 1, 0))  # KM-R24
    assert early == {"receptionUnixTime": int(NOW), "turn": 0}
    ask.now = START + 2.99  # KM-54
    assert ask("GET", match)["status"] == "gaming"
    assert ask.act(ann["gameId"], ann["pic"], put(1, 9, 9), {"agentId": 7, "type": "NONE"})["turn"] == 1
    ask.now = START + 3  # KM-55
    assert ask.error("GET", match) == 105
    assert ask.error("PATCH", f"{match}/actions", {"actions": []}, authorization=bob["pic"]) == 105
    (shown,) = ask("GET", "/v1/matches")
    assert (shown["turn"], len(shown["log"])) == (2, 1)
    assert shown["log"][0]["players"][0] == {
        "point": {"areaPoint": 0, "wallPoint": 1},
        "actions": [
            {"agentId": 0, "type": 1, "x": 1, "y": 0, "res": 0},
            {"agentId": 1, "type": 1, "x": 9, "y": 9, "res": 5},
            {"agentId": 7, "type": 2, "x": 0, "y": 0, "res": 4},
        ],
    }
    assert shown["log"][0]["players"][1]["actions"] == []  # KM-56, KM-R21
    ask.now = START + 5  # KM-57
    found = ask("GET", match)
    assert (found["status"], found["turn"]) == ("gaming", 2)
    ask.act(ann["gameId"], ann["pic"], put(0, 2, 1, "MOVE"))
    ask.act(ann["gameId"], bob["pic"], {"agentId": 0.0, "type": "NONE"})
    ask.now = START + 8  # KM-58: the end is seen at once
    found = ask("GET", match)
    assert (found["status"], found["turn"]) == ("ended", 2)
    assert found["log"][1]["players"][1]["actions"] == [{"agentId": 0, "type": 2, "x": 0, "y": 0, "res": 5}]  # KM-R19
    assert ask.act(ann["gameId"], ann["pic"], put(0, 0, 0))["turn"] == 2  # after the end: ignored
    assert ask("GET", match) == found
    config, turns = game_from_json(found)  # the reference plays it again
    assert config.total_turns == len(turns) == 2
    assert [match.id for match in ask.ended] == [ann["gameId"]]


def test_streams_hear_of_a_match_when_it_is_made_joined_begun_and_at_the_end_of_each_transition(ask):
    match_id, *_ = ask.duel()
    assert len(ask.told) == 3  # made, joined, joined
    for moment, told in ((4.9, 3), (5, 4), (8, 4), (9.9, 4), (10, 5), (13, 5), (15, 6), (99, 6)):
        ask.now = int(NOW) + moment
        ask("GET", "/version")
        assert len(ask.told) == told
    assert {match.id for match in ask.told} == {match_id}


def test_a_match_without_transition_steps_never_answers_105():
    ask = Client(open_boards=("trio",))
    for guest in ("a", "b", "c"):
        match = f"/v1/matches/{ask.join(guest)['gameId']}"
    for moment, status in ((0, "ready"), (5.99, "gaming"), (6, "ended")):
        ask.now = int(NOW) + moment
        assert ask("GET", match)["status"] == status


# -- actions -------------------------------------------------------------------------------------


def test_actions_merge_by_agent_in_the_place_of_the_first(ask):
    match, ann, _ = ask.duel()
    ask.act(match, ann, put(1, 0, 0), put(0, 1, 1))
    ask.act(match, ann, put(1, 2, 2), put(1, 3, 3))
    ask.act(match, ann, put(0, 2, 0), dryRun=True)  # KM-R25
    ask.now = START + 5
    actions = ask("GET", f"/v1/matches/{match}")["log"][0]["players"][0]["actions"]
    assert [(one["agentId"], one["x"], one["y"]) for one in actions] == [(1, 3, 3), (0, 1, 1)]


def test_numbers_of_32_bits_are_actions_that_fail(ask):
    match, ann, _ = ask.duel()
    ask.act(match, ann, put(2**31 - 1, 0, 0), put(-1, 0, 0), put(0, 2**31 - 1, -(2**31)), put(1, 1.0, 2))
    ask.now = START + 5
    log = ask("GET", f"/v1/matches/{match}")["log"][0]["players"][0]["actions"]
    assert [one["res"] for one in log] == [4, 4, 5, 0]


@pytest.mark.parametrize(
    "action",
    [
        None, [], {}, {"agentId": 0}, {"type": "PUT"}, put(0, 0, 0, "put"), put(0, 0, 0, 1), put(0, 0, 0, []),
        put(0.5, 0, 0), put("0", 0, 0), put(True, 0, 0), put(0, 1.5, 0), put(0, 0, "1"), put(None, 0, 0),
        put(0, None, 0), put(2**31, 0, 0), put(0, -(2**31) - 1, 0), put(0, 0, 10**30), put(0, 1e300, 0),
    ],
)  # fmt: skip
def test_of_a_request_with_a_bad_action_nothing_is_stored(ask, action):
    match, ann, _ = ask.duel()
    path = f"/v1/matches/{match}/actions"
    assert ask.error("PATCH", path, {"actions": [put(0, 1, 1), action]}, authorization=ann) == 6
    assert not ask.hall.matches[match].entrants[0].stored


def test_a_player_cannot_store_actions_without_end(ask):
    match, ann, _ = ask.duel()
    path = f"/v1/matches/{match}/actions"
    for _ in range(2):
        ask.act(match, ann, *(put(agent, 0, 0) for agent in (0, 1, 2, -7)))  # its two agents and two nonexistent ones
    assert ask.error("PATCH", path, {"actions": [put(3, 0, 0)]}, authorization=ann) == 6
    assert list(ask.hall.matches[match].entrants[0].stored) == [0, 1, 2, -7]


def test_errors_of_actions_come_in_their_order(ask):
    match, ann, bob = ask.duel()
    path = f"/v1/matches/{match}/actions"
    with pytest.raises(Refusal, match="invalid content-type"):
        ask.raw("PATCH", path, b"{", {"content-type": "text/plain"})
    with pytest.raises(Refusal, match="invalid syntax"):
        ask.raw("PATCH", "/v1/matches/none/actions", b"{")
    assert ask.error("PATCH", "/v1/matches/none/actions", []) == 100
    for body in ([], {}, {"actions": {}}, {"actions": [], "dryRun": 1}, {"actions": [1]}):
        assert ask.error("PATCH", path, body, authorization="no code") == 6
    for code in (None, "999999x", f"Bearer {ann}", ""):
        assert ask.error("PATCH", path, {"actions": []}, authorization=code) == 207
    assert ask.act(match, bob, dryRun=True)["turn"] == 0


def test_codes_of_players_differ_within_a_match(ask, monkeypatch):
    numbers = iter([7, 7, 7, 123_456])
    monkeypatch.setattr("secrets.randbelow", lambda _: next(numbers))
    assert [ask.join("ann")["pic"], ask.join("bob")["pic"]] == ["000007", "123456"]


def test_the_place_of_a_computer_cannot_be_played(ask):
    found = ask.join("ann", "ai", aiName="a4", boardName="duel")
    path = f"/v1/matches/{found['gameId']}/actions"
    assert ask.error("PATCH", path, {"actions": []}, authorization="") == 207


# -- joining -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["none", "a1", "a2", "a3", "a4"])
def test_a_match_against_the_computer(ask, name):
    found = ask.join("ann", "ai", aiName=name, boardName="duel", nAgent=3, totalTurn=1, operationSec=7, transitionSec=0)
    assert found["index"] == 0
    ask.now = START + 7
    match = ask("GET", f"/v1/matches/{found['gameId']}")
    assert (match["nAgent"], match["totalTurn"], match["operationSec"], match["transitionSec"]) == (3, 1, 7, 2)
    assert [(one["id"], one["type"], one["spec"]) for one in match["players"]] == [
        ("ann", "guest", ""),
        (name, "account", ""),
    ]
    assert match["name"].endswith(f"vs AI({name})")
    placed = [one["type"] for one in match["log"][0]["players"][1]["actions"]]
    assert placed == ([] if name == "none" else [1, 1, 1])
    game_from_json(match)


def test_a_computer_plays_alone_to_the_end():
    ask = Client()
    found = ask.join("ann", "ai", aiName="a3", boardName="court")
    ask.now = NOW + 1000
    match = ask("GET", f"/v1/matches/{found['gameId']}")
    assert match["status"] == "ended"
    assert match["players"][1]["point"]["wallPoint"] > 0
    game_from_json(match)


def test_a_dry_run_changes_nothing(ask):
    for match, body in (("free", {}), ("ai", {"aiName": "a1"})):
        found = ask.join("ann", match, dryRun=True, **body)
        assert found["index"] == -1
        assert found["userId"] == "ann"
    assert ask("POST", "/v1/matches", {"boardName": "duel", "dryRun": True})["status"] == "free"
    assert ask("GET", "/v1/matches") == []
    made = ask("POST", "/v1/matches", {"boardName": "duel"})
    assert ask.join("ann", made["id"], dryRun=True)["gameId"] != made["id"]
    assert ask("GET", f"/v1/matches/{made['id']}")["players"] == []


def test_a_match_against_the_computer_has_two_players_whatever_is_asked_for(ask):
    found = ask.join("ann", "ai", aiName="none", boardName="trio", nPlayer="many")  # not a key of this request
    assert ask("GET", f"/v1/matches/{found['gameId']}")["nPlayer"] == 2


def test_errors_of_joining_come_in_their_order(ask):
    path = "/v1/matches/ai/players"
    assert ask.error("POST", path, {"guestName": 1, "aiName": "a1"}) == 6
    assert ask.error("POST", path, {"aiName": "a5"}) == 6
    assert ask.error("POST", path, {"aiName": "greedy", "guestName": "ann"}) == 6
    assert ask.error("POST", path, {"aiName": "a1", "boardName": "none"}) == 204
    assert ask.error("POST", path, {"aiName": "a1", "boardName": "none", "guestName": "ann"}) == 400
    assert ask.join("ann", "ai", aiName="a1", boardName="", dryRun=True)["index"] == -1  # the same as no board
    assert ask.error("POST", "/v1/matches/free/players", {}) == 204
    assert ask.error("POST", "/v1/matches/free/players", {"guestName": ""}) == 204
    assert ask.error("POST", "/v1/matches/free/players", {"guestName": None}) == 6
    assert ask.error("POST", "/v1/matches/none/players", {}) == 204
    assert ask.error("POST", "/v1/matches/none/players", {"guestName": "ann"}) == 100
    match, *_ = ask.duel()
    assert ask.error("POST", f"/v1/matches/{match}/players", {"guestName": "cid"}) == 101
    assert ask.error("POST", f"/v1/matches/{match}/players", {"guestName": "cid", "dryRun": True}) == 101
    assert ask("GET", "/v1/matches")[0]["players"][1]["id"] == "bob"


def test_free_gives_out_the_oldest_normal_match_only(ask):
    ask("POST", "/v1/matches", {"boardName": "duel"})
    first = ask.join("ann")["gameId"]
    assert ask.join("ann")["gameId"] == first  # one name may take several seats
    assert ask.join("ann")["gameId"] != first


# -- requested matches ---------------------------------------------------------------------------


def test_a_match_of_ones_own():
    ask = Client(users=[user("ann"), user("bob")])
    body = {"boardName": "duel", "name": "final", "nPlayer": 3, "nAgent": 0, "totalTurn": 9.0, "operationSec": 4}
    made = ask("POST", "/v1/matches", {**body, "playerIdentifiers": ["id-ann", "bob"], "tournamentId": ""})
    assert (made["status"], made["type"], made["name"]) == ("free", "self", "final")
    assert (made["nPlayer"], made["nAgent"], made["totalTurn"], made["operationSec"]) == (3, 2, 9, 4)
    assert made["reservedUsers"] == ["id-ann", "id-bob"]
    path = f"/v1/matches/{made['id']}/players"
    with pytest.raises(Refusal, match="Not allowed user") as caught:
        ask("POST", path, {"guestName": "cid"})
    assert (caught.value.code, caught.value.status) == (0, 500)
    joined = ask("POST", path, {"guestName": "ignored"}, authorization="Bearer token-bob")
    assert joined["userId"] == "id-bob"
    assert ask("GET", f"/v1/matches/{made['id']}")["players"][0]["type"] == "account"
    assert ask("GET", "/v1/users/bob")["gameIds"] == [made["id"]]


def test_a_personal_match():
    ask = Client(users=[user("ann")])
    body = {"boardName": "duel", "isPersonal": True}
    assert ask.error("POST", "/v1/matches", body) == 4
    made = ask("POST", "/v1/matches", body, authorization="Bearer token-ann")
    assert made["type"] == "personal"
    matches = list(ask.hall.matches.values())
    for viewer, num in (("id-ann", 1), ("id-bob", 0), (None, 0)):
        assert json.loads(Watch({"q": "type:personal"}, viewer).first(matches))["gamesNum"] == num


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({}, 6), ({"boardName": ""}, 6), ({"boardName": 1}, 6), ({"boardName": "none"}, 400),
        ({"boardName": "duel", "name": ""}, 6), ({"boardName": "none", "nPlayer": 1}, 6),
        ({"boardName": "duel", "nPlayer": 5}, 6), ({"boardName": "duel", "nAgent": 17}, 6),
        ({"boardName": "duel", "nAgent": -1}, 6), ({"boardName": "duel", "totalTurn": 10_001}, 6),
        ({"boardName": "duel", "totalTurn": 1.5}, 6), ({"boardName": "duel", "operationSec": -1}, 6),
        ({"boardName": "duel", "operationSec": 10**300}, 6), ({"boardName": "duel", "transitionSec": None}, 6),
        ({"boardName": "duel", "isPersonal": "yes"}, 6), ({"boardName": "duel", "playerIdentifiers": "ann"}, 6),
        ({"boardName": "duel", "playerIdentifiers": [1]}, 6), ({"boardName": "duel", "dryRun": 0}, 6),
        ({"boardName": "none", "playerIdentifiers": ["none"]}, 400),
        ({"boardName": "duel", "playerIdentifiers": ["none", "ann", "ann"]}, 204),
        ({"boardName": "duel", "playerIdentifiers": ["ann", "id-ann"], "tournamentId": "x"}, 206),
        ({"boardName": "duel", "tournamentId": "x"}, 302),
    ],
)  # fmt: skip
def test_a_match_that_is_asked_for_wrongly_is_not_made(body, code):  # KM-R31
    ask = Client(users=[user("ann")])
    assert ask.error("POST", "/v1/matches", body) == code
    assert ask("GET", "/v1/matches") == []


def test_a_match_that_does_not_fit_the_servers_rules_is_not_made():
    meadow = load_shipped()["meadow"]
    ask = Client(boards=(), open_boards=["meadow"], official=True, n_agents=6)
    assert ask.error("POST", "/v1/matches", {"boardName": meadow.name, "nAgent": 5}) == 6
    assert ask("POST", "/v1/matches", {"boardName": meadow.name, "nAgent": 7})["nAgent"] == 7


def test_a_dry_run_draws_no_board():
    boards = []
    for dry_runs in (0, 9):
        ask = Client(open_boards=list(load_shipped()))
        for _ in range(dry_runs):
            ask.join("ann", "ai", aiName="none", dryRun=True)
        for _ in range(9):
            ask.join("ann", "ai", aiName="none")
        boards.append([match.board.name for match in ask.hall.matches.values()])
    assert boards[0] == boards[1]


def test_matches_without_a_board_get_one_of_the_open_ones():
    ask = Client(open_boards=list(load_shipped()))
    found = {ask("GET", f"/v1/matches/{ask.join('a', 'ai', aiName='none')['gameId']}")["nAgent"] for _ in range(40)}
    assert found == {3, 8}
    assert [board["name"] for board in ask("GET", "/v1/boards")] == ["duel", "trio", *load_shipped()]


# -- accounts ------------------------------------------------------------------------------------


def test_accounts():  # KM-R29, KS-36
    assert Client().error("POST", "/v1/users", {"name": "ann"}) == 5
    ask = Client(is_open=True)
    ann = ask("POST", "/v1/users", {"name": "ann"})
    assert set(ann) == {"screenName", "name", "id", "gameIds", "avaterUrl", "bearerToken"}
    assert (ann["screenName"], ann["avaterUrl"], ann["gameIds"]) == ("ann", "", [])
    ask("POST", "/v1/users", {"name": "bob", "id": "b", "dryRun": True})
    bob = ask("POST", "/v1/users", {"name": "bob", "id": "b", "screenName": "Bob", "avaterUrl": "x"})
    assert (bob["id"], bob["screenName"], bob["avaterUrl"]) == ("b", "Bob", "x")
    for body in ({"name": "bob"}, {"name": "cid", "id": "b"}):
        assert ask.error("POST", "/v1/users", body) == 203
    for body in (
        {},
        {"name": ""},
        {"name": 1},
        {"name": "c", "id": 1},
        {"name": "c", "avaterUrl": None},
        {"name": "c", "sessions": 3},
    ):
        assert ask.error("POST", "/v1/users", body) == 6
    public = {key: value for key, value in bob.items() if key != "bearerToken"}
    assert ask("GET", "/v1/users/b") == ask("GET", "/v1/users/bob") == public
    assert ask("GET", "/v1/users", query={"q": "bo"}) == [public]
    assert ask.error("GET", "/v1/users") == ask.error("GET", "/v1/users", query={"q": ""}) == 1
    assert ask.error("GET", "/v1/users/cid") == 204
    bearer = f"Bearer {bob['bearerToken']}"
    assert ask("GET", "/v1/users/me", authorization=bearer) == bob
    changed = ask("GET", "/v1/users/me/token", authorization=bearer)
    assert changed["bearerToken"] != bob["bearerToken"]
    assert ask.error("GET", "/v1/users/me", authorization=bearer) == 4
    bearer = f"Bearer {changed['bearerToken']}"
    for body, headers, code in ((b"", {}, 2), (b"", JSON, 4), (b"", JSON | {"authorization": bearer}, 3)):
        with pytest.raises(Refusal) as caught:
            ask.raw("DELETE", "/v1/users/me", body, headers)
        assert (caught.value.code, caught.value.status) == (code, 401 if code == 4 else 400)
    for body in ([], {"dryRun": 1}):
        assert ask.error("DELETE", "/v1/users/me", body, authorization=bearer) == 6
    assert ask("DELETE", "/v1/users/me", {"dryRun": True}, authorization=bearer) == changed
    assert ask("DELETE", "/v1/users/me", {}, authorization=bearer) == changed
    assert ask.error("DELETE", "/v1/users/me", {}, authorization=bearer) == 4
    assert ask.error("GET", "/v1/users/b") == 204


def test_games_of_an_account_stand_by_their_start():
    ask = Client(users=[user("ann")])
    bearer = "Bearer token-ann"
    waiting = ask("POST", "/v1/matches", {"boardName": "duel"})["id"]
    ask("POST", f"/v1/matches/{waiting}/players", {}, authorization=bearer)
    ids = [ask("POST", "/v1/matches/ai/players", {"aiName": "none"}, authorization=bearer)["gameId"] for _ in range(2)]
    assert ask("GET", "/v1/users/me", authorization=bearer)["gameIds"] == [*ids, waiting]


def test_an_account_that_has_left_leaves_its_name_its_matches_and_room_for_another():
    ask = Client(is_open=True)
    ann = ask("POST", "/v1/users", {"name": "ann"})
    bearer = f"Bearer {ann['bearerToken']}"
    match = ask("POST", "/v1/matches/free/players", {}, authorization=bearer)["gameId"]
    ask("DELETE", "/v1/users/me", {}, authorization=bearer)
    assert ask("GET", f"/v1/matches/{match}")["players"][0]["id"] == ann["id"]
    again = ask("POST", "/v1/users", {"name": "ann"})
    assert again["gameIds"] == []
    assert ask.error("POST", "/v1/matches/free/players", {}, authorization=bearer) == 204


def test_whoever_has_no_account_is_a_guest(ask):
    for authorization in ("Bearer undefined", "Bearer", "Basic x", "x"):
        body = {"guestName": "ann"}
        assert ask("POST", "/v1/matches/free/players", body, authorization=authorization)["userId"] == "ann"


def test_a_guest_cannot_call_itself_by_the_name_or_the_id_of_an_account():
    ask = Client(is_open=True)
    ann = ask("POST", "/v1/users", {"name": "ann", "id": "ann's id", "screenName": "Ann"})
    mine = ask("POST", "/v1/matches/free/players", {"guestName": "ann"}, authorization=f"Bearer {ann['bearerToken']}")
    joins = [("free", {}), ("ai", {"aiName": "a1"}), (mine["gameId"], {})]
    for name in ("ann", "ann's id"):
        for match, more in joins:
            for is_dry in (False, True):
                body = {"guestName": name, "dryRun": is_dry, **more}
                assert ask.error("POST", f"/v1/matches/{match}/players", body) == 203
                bad = "Bearer undefined"
                assert ask.error("POST", f"/v1/matches/{match}/players", body, authorization=bad) == 203
    assert len(ask.hall.matches) == 1
    ask("DELETE", "/v1/users/me", {}, authorization=f"Bearer {ann['bearerToken']}")
    assert ask.error("POST", "/v1/matches/free/players", {"guestName": "ann's id"}) == 203  # it still has a place
    assert ask.join("ann")["userId"] == "ann"


# -- requests ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/"), ("GET", "/v1"), ("GET", "/v1/matches/"), ("GET", "/v1/matches/a/players"), ("HEAD", "/x"),
        ("GET", "//version"), ("GET", "/%76ersion"), ("GET", "/v1/match"), ("GET", "/v2/matches"),
        ("PUT", "/v1/matches"), ("POST", "/version"), ("POST", "/v1/matches/a/actions"),
        ("PATCH", "/v1/matches/a/b/actions"), ("OPTIONS", "/version"),
    ],
)  # fmt: skip
def test_what_is_not_of_the_api_is_not_found_before_all_else(ask, method, path):  # KS-35
    if method in ("GET", "HEAD"):
        with pytest.raises(Refusal) as caught:
            ask.raw(method, path, b"{", {})
        assert caught.value.code == 5
    else:
        status, headers, _body = ask.answer(method, path, b"{", {})
        assert (status, headers["Content-Type"]) == (404, "text/plain; charset=UTF-8")


def test_names_stand_in_paths_as_urls_spell_them():
    ask = Client(users=[user("a/b"), user("me"), user("アン")])
    for name, spelled in (("a/b", "a%2Fb"), ("me", "%6De"), ("アン", "%E3%82%A2%E3%83%B3")):
        assert ask("GET", f"/v1/users/{spelled}")["name"] == name


def test_a_string_has_an_end(ask):
    for key in ("guestName", "spec"):
        ask("POST", "/v1/matches/free/players", {"guestName": "a", key: "x" * 1000})
        assert ask.error("POST", "/v1/matches/free/players", {"guestName": "a", key: "x" * 1001}) == 6
    assert ask.error("POST", "/v1/matches", {"boardName": "duel", "name": "x" * 1001}) == 6
    assert Client(is_open=True).error("POST", "/v1/users", {"name": "x" * 1001}) == 6


@pytest.mark.parametrize("body", [b"", b"{", b"\xff", b'{"a": NaN}', b"[" * 100_000, b"1" * 5000, b"\xef\xbb\xbf{}"])
def test_a_body_that_is_no_json(ask, body):
    with pytest.raises(Refusal, match="invalid syntax"):
        ask.raw("POST", "/v1/matches", body)


def test_errors_have_the_words_of_the_rules():
    text = (Path(__file__).parents[2] / "docs/rules/kakomimasu.md").read_text(encoding="utf-8")
    rows = re.findall(
        r"^\| (\d.*) \| (.*) \| (\d.*) \| (.*) \|$", text.partition("| Code | message |")[2], re.MULTILINE
    )
    told = {}
    for row in rows:
        for codes, words in (row[:2], row[2:]):
            messages = re.sub(r" \(.*\)$", "", words).split(" / ")
            told |= dict(zip(map(int, codes.split(" / ")), messages, strict=True))
    assert told[400] == "invalid board name"
    assert {code: told[code] for code in MESSAGES} == MESSAGES


def test_ids_are_uuids(ask):
    def version(text):
        return uuid.UUID(text).version

    assert version(ask.join("ann")["gameId"]) == version(ask.join("ann", dryRun=True)["gameId"]) == 4
    made = Client(is_open=True)("POST", "/v1/users", {"name": "ann"})
    assert version(made["id"]) == version(made["bearerToken"]) == 4


def test_null_is_an_empty_object_and_nothing_else_is(ask):
    assert ask.error("POST", "/v1/matches/free/players", None) == 3  # no body at all
    with pytest.raises(Refusal, match="can not find user"):
        ask.raw("POST", "/v1/matches/free/players", b"null")
    for body in (b"[]", b"1", b'"x"', b"true"):
        with pytest.raises(Refusal, match="invalid request"):
            ask.raw("POST", "/v1/matches/free/players", body)


ASKED = [
    ("POST", "/v1/users", {"name": "new"}),
    ("DELETE", "/v1/users/me", {"dryRun": True}),
    ("POST", "/v1/matches", {"boardName": "duel"}),
    ("POST", "/v1/matches/free/players", {"guestName": "cid"}),
    ("POST", "/v1/matches/ai/players", {"guestName": "cid", "aiName": "a3"}),
    ("POST", "/v1/matches/{}/players", {"guestName": "cid"}),
    ("PATCH", "/v1/matches/{}/actions", {"actions": [put(0, 1, 1)]}),
    ("POST", "/api/match", {"useAi": True, "aiOption": {"aiName": "a2"}}),
    ("POST", "/api/match/{}/action", {"actions": [put(0, 1, 1)], "index": 0}),
]
KEYS = [
    "name", "boardName", "nPlayer", "nAgent", "totalTurn", "operationSec", "transitionSec", "playerIdentifiers",
    "tournamentId", "isPersonal", "dryRun", "spec", "guestName", "aiName", "actions", "gameId", "useAi", "aiOption",
    "option", "index", "id", "screenName", "avaterUrl", "sessions", "bearerToken",
]  # fmt: skip
VALUES = [
    None, True, False, 0, 1, -1, 2, 3.0, 0.5, 10**30, 1e300, "", "ann", "a1", "none", "duel", "x" * 1001, "\ud800",
    "\0", [], {}, [1], ["ann"], ["ann", "id-ann"], [[]], {"aiName": "a4"}, {"dryRun": True},
    [put(0, 1.0, 1), put(-5, 10**300, 0, "MOVE")], [{"agentId": 0, "type": "NONE"}, put(1, 0, 0, "REMOVE")],
]  # fmt: skip


@pytest.mark.parametrize("seed", range(3))
def test_whatever_a_request_holds_it_is_answered_or_refused(seed):
    """Any other exception would be a fault; the matches played meanwhile verify."""
    rng = random.Random(seed)
    ask = Client(is_open=True, users=[user("ann"), user("bob")])
    told = set()
    for _ in range(1000):
        method, path, body = rng.choice(ASKED)
        matches = list(ask.hall.matches.values())[-3:]
        pics = [seat.pic for match in matches for seat in match.entrants]
        path = path.format(rng.choice([match.id for match in matches] or ["none"]))
        body = body | {key: rng.choice(VALUES) for key in rng.sample(KEYS, rng.randrange(3))}
        headers = JSON | {"authorization": rng.choice(["Bearer token-ann", "Bearer token-bob", "Bearer", *pics])}
        ask.now += rng.choice([0, 0, 0, 0.5, 2])
        try:
            ask.raw(method, path, json.dumps(body if rng.random() < 0.95 else rng.choice(VALUES)).encode(), headers)
        except Refusal as refusal:
            told.add(str(refusal))
    ask.hall.advance(ask.now + 10**6)
    played = [match for match in ask.hall.matches.values() if match.status == "ended"]
    for match in played:
        game_from_json(match.to_json())
    assert len(played) > 10
    assert told - set(MESSAGES.values()) <= {"Not allowed user"}
    assert len(told) >= 8


# -- streams -------------------------------------------------------------------------------------


def ids(message):
    return [game["id"] for game in json.loads(message)["games"]]


def test_what_a_stream_shows_first(ask):
    first = ask.duel()[0]
    ask.now += 1
    second = ask.duel()[0]
    waiting = ask.join("ann")["gameId"]
    own = ask("POST", "/v1/matches", {"boardName": "duel"})["id"]
    matches = list(ask.hall.matches.values())

    def show(q, **query):
        return ids(Watch({"q": q, **query}, None).first(matches))

    assert show("") == [first, second, waiting, own]
    assert show("sort:startAtUnixTime-desc") == [waiting, own, second, first]
    assert show("sort:startAtUnixTime-asc sort:startAtUnixTime-desc") == [first, second, waiting, own]
    assert show("is:waiting") == [waiting, own]
    assert show("is:waiting type:self") == show("type:self") == [own]
    assert show("type:normal") == [first, second, waiting]
    assert show("type:normal type:self") == show("is:finished") == []
    assert show("is:gaming") == show("is:waiting is:gaming") == []
    assert show(f"id:{second}") == [second]
    assert show(f"id:{second} id:{first}") == show("id:x") == []
    assert show("foo:bar is:what type:odd sort:x nonsense") == [first, second, waiting, own]
    assert show("", startIndex="1", endIndex="3") == [second, waiting]
    text = Watch({"startIndex": "3"}, None).first(matches)
    message = json.loads(text)
    assert (message["type"], message["q"], message["startIndex"], message["endIndex"], message["gamesNum"]) == (
        "initial", "", 3, 23, 4,
    )  # fmt: skip
    assert ids(text) == [own]


@pytest.mark.parametrize(
    "query",
    [
        {"startIndex": "-1"}, {"startIndex": "x"}, {"startIndex": ""}, {"startIndex": "1.0"}, {"endIndex": "51"},
        {"startIndex": "60", "endIndex": "9"}, {"startIndex": "٣"},
    ],
)  # fmt: skip
def test_a_range_that_is_none(query):
    with pytest.raises(Refusal, match="invalid query parameter"):
        Watch(query, None)


def test_what_a_stream_is_told(ask):
    old = ask.join("ann")["gameId"]
    (match,) = ask.hall.matches.values()
    closed, new, all_of = (
        Watch({"q": "is:waiting"}, None),
        Watch({"q": "is:gaming", "allowNewGame": "true"}, None),
        Watch({}, None),
    )
    assert [ids(watch.first([match])) for watch in (closed, new, all_of)] == [[old], [], [old]]

    def tell():
        return [watch.notice(match) for watch in (closed, new, all_of)]

    assert tell() == ["update", None, "update"]
    ask.join("bob")
    assert tell() == ["remove", None, "update"]
    ask.now = START
    ask("GET", "/version")
    assert tell() == [None, "add", "update"]
    ask.now = START + 5
    ask("GET", "/version")
    assert tell() == [None, "update", "update"]
    ask.now = START + 10
    ask("GET", "/version")
    assert new.notice(match) == "remove"
    assert ids(Watch({"q": "is:finished"}, None).first([match])) == [old]
    assert tell() == [None, None, "update"]


# -- the old API ---------------------------------------------------------------------------------


@pytest.fixture
def old():
    return Client(users=[user("ann"), user("bob")])


def legacy(ask, method, path, body=None, who="ann"):
    return ask(method, path, body, authorization=f"Bearer token-{who}")


def test_a_match_of_old_clients(old):
    ann = legacy(old, "POST", "/api/match", {})
    bob = legacy(old, "POST", "/v1/match", {"gameId": ann["gameId"], "spec": "x"}, "bob")
    assert (ann["index"], bob["index"], bob["spec"]) == (0, 1, "x")
    path = f"/api/match/{ann['gameId']}"
    found = old("GET", path)
    assert (found["gaming"], found["ending"], found["turn"], found["nextTurnUnixTime"]) == (False, False, 0, START)
    old.now = START
    action = {"agentId": 0.0, "type": "PUT", "x": 1, "y": 2}
    legacy(old, "POST", f"{path}/action", {"actions": [action]}, "bob")
    reply = legacy(old, "POST", f"{path}/action", {"actions": [{**action, "agentId": 1}]}, "bob")
    assert reply == {"receptionUnixTime": START, "turn": 1}
    old.now = START + 3  # no 105 here; actions now count for the next turn
    found = old("GET", path)
    assert (found["gaming"], found["turn"], found["nextTurnUnixTime"]) == (True, 2, START + 10)
    assert found["board"] == {
        "name": "duel", "width": 4, "height": 4, "nAgent": 2, "nPlayer": 2, "nTurn": 2, "nSec": 5,
        "points": list(range(16)),
    }  # fmt: skip
    assert found["tiled"] == [[int(cell == 9), 1 if cell == 9 else -1] for cell in range(16)]
    assert found["players"][1] == {
        "id": "id-bob",
        "agents": [{"x": -1, "y": -1}, {"x": 1, "y": 2}],
        "point": {"basepoint": 0, "wallpoint": 9},
    }
    assert found["log"] == []  # KM-R28
    legacy(old, "POST", f"{path}/action", {"actions": [action]}, "bob")
    old.now = START + 8
    found = old("GET", path)
    assert (found["gaming"], found["ending"], found["nextTurnUnixTime"]) == (False, True, None)
    assert found["players"][1]["agents"][0] == {"x": -1, "y": -1}  # the cell had an agent that stayed
    shown = legacy(old, "GET", "/api/users/show/bob")
    assert shown["gamesId"] == [ann["gameId"]]
    assert "gameIds" not in shown


def test_times_of_old_clients_are_whole_where_the_boards_are(old):
    match = legacy(old, "POST", "/api/match", {})["gameId"]
    legacy(old, "POST", "/api/match", {"gameId": match})
    text = old.api.answer(Request("GET", f"/api/match/{match}", {}, {}, b"", old.now)).body
    assert b'"nextTurnUnixTime":1700000005,' in text
    assert b'"nSec":5,' in text


def test_the_longest_answer_fits_an_old_client():
    board = Board("b" * 1000, 30, 30, (-32768,) * 900, n_agents=16, n_players=4)
    ask = Client(boards=[board])
    match = ask("POST", "/v1/matches", {"boardName": board.name, "name": "\U0001f600" * 1000})["id"]
    for _ in range(4):
        ask.join("\U0001f600" * 1000, match)
    ask.now = START
    ask("GET", f"/api/match/{match}")
    assert len(ask.api.answer(Request("GET", f"/api/match/{match}", {}, {}, b"", ask.now)).body) < 102_400


def test_errors_of_the_old_api(old):
    for path, body in (("/api/match", {}), ("/api/match/x/action", {})):
        assert old.error("POST", path, body, authorization="Bearer x") == 4
    bearer = {"authorization": "Bearer token-ann"}

    def error(path, body):
        return old.error("POST", path, body, **bearer)

    assert error("/api/match", {"gameId": "x", "useAi": True}) == 100
    assert error("/api/match", {"useAi": True}) == error("/api/match", {"useAi": True, "aiOption": {}}) == 102
    assert error("/api/match", {"useAi": True, "aiOption": {"aiName": "a1", "boardName": "x"}}) == 400
    assert error("/api/match", {"useAi": 1}) == error("/api/match", {"aiOption": []}) == error("/api/match", []) == 6
    assert legacy(old, "POST", "/api/match", {"option": {"dryRun": True}})["index"] == -1
    found = legacy(old, "POST", "/api/match", {"useAi": True, "aiOption": {"aiName": "none", "boardName": "duel"}})
    path = f"/api/match/{found['gameId']}/action"
    assert old.error("POST", path, {"actions": []}, authorization="Bearer token-bob") == 207
    whole = {"agentId": 0, "type": "PUT", "x": 0, "y": 0}
    for key in whole:
        assert error(path, {"actions": [{k: v for k, v in whole.items() if k != key}]}) == 104
    for body in ({}, {"actions": {}}, {"actions": [1]}, {"actions": [{**whole, "x": 0.5}]}):
        assert error(path, body) == 104
        assert error(path, {**body, "dryRun": True}) == 104
    legacy(old, "POST", path, {"actions": [whole], "dryRun": True})
    assert not old.hall.matches[found["gameId"]].entrants[0].stored
    assert old.error("GET", "/api/match/x") == 100
    assert old.error("GET", "/api/users/show/x") == 204


def test_an_old_account_with_several_places_names_one(old):
    match = legacy(old, "POST", "/api/match", {})["gameId"]
    legacy(old, "POST", "/api/match", {"gameId": match})
    path = f"/api/match/{match}/action"
    body = {"actions": [{"agentId": 0, "type": "PUT", "x": 3, "y": 3}]}
    for index in (None, 2, "1", 0.5):
        assert old.error("POST", path, {**body, "index": index}, authorization="Bearer token-ann") == 207
    legacy(old, "POST", path, {**body, "index": 1})
    assert [len(entrant.stored) for entrant in old.hall.matches[match].entrants] == [0, 1]


def test_signing_in_with_another_service_is_not_offered():  # KS-31
    for path in ("signin", "callback"):
        assert Client().error("GET", f"/v1/oauth/{path}") == 5
