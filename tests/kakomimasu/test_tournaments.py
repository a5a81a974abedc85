"""Tournaments, sessions and the description of the API, without the wire. [sections 14.11 to 14.13]"""

import json
import uuid

import pytest

from described import fits
from masume.kakomimasu.server import saved, sessions
from masume.kakomimasu.server.api import _ROUTES
from masume.kakomimasu.server.hall import MAX_TOURNAMENTS, Refusal

from .clients import JSON, NOW, Client, user

PATH = "/v1/tournaments"
KEYS = ["id", "name", "organizer", "type", "remarks", "users", "gameIds"]


@pytest.fixture
def ask():
    return Client(users=[user("ann"), user("bob")])


@pytest.fixture
def cup(ask):
    return ask("POST", PATH, {"name": "Cup", "type": "knockout"})


# -- tournaments ---------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["round-robin", "knockout"])
def test_a_dry_run_creates_no_tournament(ask, kind):  # KS-1
    found = ask("POST", PATH, {"name": "Cup", "type": kind, "dryRun": True})
    assert list(found) == KEYS
    assert (found["name"], found["type"], found["organizer"], found["remarks"]) == ("Cup", kind, "", "")
    assert uuid.UUID(found["id"]).version == 4
    assert ask("GET", PATH) == []


@pytest.mark.parametrize(
    "body",
    [
        {"name": ""}, {"name": None}, {"name": 1}, {"name": "\n"}, {"type": ""}, {"type": None}, {"type": "league"},
        {"type": "round-robins"}, {"organizer": None}, {"remarks": 1}, {"participants": None}, {"participants": [1]},
        {"participants": "ann"}, {"dryRun": 1}, {"dryRun": None},
    ],
)  # fmt: skip
def test_a_tournament_that_is_asked_for_wrongly_is_not_created(ask, body):  # KS-2, KS-3
    assert ask.error("POST", PATH, {"name": "Cup", "type": "knockout", **body}) == 6
    assert ask.error("POST", PATH, {key: "Cup" for key in ("name", "type") if key not in body}) == 6
    assert ask("GET", PATH) == []


def test_tournaments_are_listed_by_creation(ask, cup):  # KS-4, KS-5, KS-6, KS-7
    body = {"name": " ", "type": "round-robin", "organizer": "o", "remarks": "r", "id": "x", "gameIds": ["y"]}
    second = ask("POST", PATH, {**body, "participants": ["bob", "id-ann"]})
    assert (second["organizer"], second["remarks"], second["users"]) == ("o", "r", ["id-bob", "id-ann"])
    assert second["gameIds"] == []
    assert ask("GET", PATH, query={"q": "x"}) == [cup, second]
    assert ask("GET", f"{PATH}/{cup['id']}") == cup
    assert ask.error("GET", f"{PATH}/{uuid.uuid4()}") == 303


def test_participants_are_accounts_once(ask):
    body = {"name": "Cup", "type": "knockout"}
    assert ask.error("POST", PATH, {**body, "participants": ["ann", "id-ann"]}) == 206
    assert ask.error("POST", PATH, {**body, "participants": ["ann", "zed"]}) == 204
    assert ask("GET", PATH) == []


def test_accounts_are_added(ask, cup):  # KS-8 to KS-12
    path = f"{PATH}/{cup['id']}/users"
    assert ask("POST", path, {"user": "id-ann", "dryRun": True})["users"] == ["id-ann"]
    assert ask("GET", f"{PATH}/{cup['id']}")["users"] == []
    assert ask.error("POST", f"{PATH}/none/users", {}) == 302
    for body in ({}, {"user": ""}, {"user": None}, {"user": "ann", "dryRun": "yes"}, []):
        assert ask.error("POST", path, body) == 6
    assert ask.error("POST", path, {"user": str(uuid.uuid4())}) == 204
    assert ask("POST", path, {"user": "ann"})["users"] == ["id-ann"]
    assert ask.error("POST", path, {"user": "id-ann"}) == 206
    ask("DELETE", "/v1/users/me", {}, authorization="Bearer token-ann")
    assert ask("GET", f"{PATH}/{cup['id']}")["users"] == ["id-ann"]


def test_a_tournament_is_deleted_and_its_matches_stay(ask, cup):  # KS-13 to KS-15
    match = ask("POST", "/v1/matches", {"boardName": "duel", "tournamentId": cup["id"]})
    ask("POST", "/v1/matches", {"boardName": "duel", "tournamentId": cup["id"], "dryRun": True})
    path = f"{PATH}/{cup['id']}"
    assert ask("DELETE", path, {"dryRun": True}) == ask("GET", path) == cup | {"gameIds": [match["id"]]}
    assert ask.error("DELETE", f"{PATH}/{uuid.uuid4()}", {}) == 303
    assert ask.error("DELETE", path, []) == 6
    assert ask("DELETE", path, {})["id"] == cup["id"]
    assert ask.error("DELETE", path, {}) == 303
    assert ask("GET", f"/v1/matches/{match['id']}")["id"] == match["id"]
    assert ask.error("POST", "/v1/matches", {"boardName": "duel", "tournamentId": cup["id"]}) == 302


@pytest.mark.parametrize(("method", "path"), [("POST", ""), ("DELETE", "/none"), ("POST", "/none/users")])
def test_the_type_and_syntax_of_a_body_come_first(ask, method, path):  # KS-16 to KS-21
    for headers, body, words in (({}, b"a", "content-type"), (JSON, b"{", "syntax"), (JSON, b"", "syntax")):
        with pytest.raises(Refusal, match=words):
            ask.raw(method, PATH + path, body, headers)


def test_tournaments_have_an_end(ask):
    for _ in range(MAX_TOURNAMENTS * 3 // 4):  # the share of one address
        ask("POST", PATH, {"name": "Cup", "type": "knockout"})
    with pytest.raises(Refusal, match="too many tournaments"):
        ask("POST", PATH, {"name": "Cup", "type": "knockout"})
    ask("DELETE", f"{PATH}/{ask('GET', PATH)[0]['id']}", {})
    ask("POST", PATH, {"name": "Cup", "type": "knockout"})


def test_tournaments_and_sessions_outlive_a_server(tmp_path):
    ask = Client(is_open=True)
    ask("POST", "/v1/users", {"name": "ann", "id": "u-1", "screenName": "Ann", "sessions": ["s-1"]})
    cup = ask("POST", PATH, {"name": "Cup", "type": "knockout", "participants": ["ann"]})
    saved.save(tmp_path, ask.hall, ask.now)
    again = Client(is_open=True)
    saved.restore(tmp_path, again.hall, again.now)
    assert again("GET", PATH) == [cup]
    assert me(again)[2]["screenName"] == "Ann"


# -- sessions ------------------------------------------------------------------------------------


def me(ask, method="GET", path="/v1/users/me", body=b"", cookie="a=b; site-session=s-1", **headers):
    status, found, text = ask.answer(method, path, body, JSON | {"cookie": cookie} | headers)
    return status, found, json.loads(text) if text else None


@pytest.fixture
def signed_in():
    ask = Client(is_open=True)
    body = {"name": "ann", "id": "u-1", "screenName": "Ann", "avaterUrl": "", "sessions": ["s-1", "s-2"]}
    ask.ann = ask("POST", "/v1/users", body)
    return ask


def test_a_cookie_identifies_an_account_in_three_requests(signed_in):  # KS-22 to KS-26, KS-32
    ask = signed_in
    assert me(ask)[2] == me(ask, "DELETE", body=b'{"dryRun":true}')[2] == ask.ann
    changed = me(ask, path="/v1/users/me/token")[2]
    assert changed["bearerToken"] != ask.ann["bearerToken"]
    assert me(ask)[2] == changed
    with pytest.raises(Refusal) as caught:
        me(ask, "POST", "/v1/matches/free/players", b"{}")
    assert caught.value.code == 204
    with pytest.raises(Refusal, match="invalid syntax"):
        me(ask, "DELETE")
    me(ask, "DELETE", body=b"{}")
    for session in ("s-1", "s-2"):
        with pytest.raises(Refusal, match="unauthorized"):
            me(ask, cookie=f"site-session={session}")


def test_a_token_goes_before_a_cookie(signed_in):  # KS-27
    bob = signed_in("POST", "/v1/users", {"name": "bob"})
    assert me(signed_in, authorization=f"Bearer {bob['bearerToken']}")[2]["name"] == "bob"
    assert me(signed_in, authorization="Bearer undefined")[2]["name"] == "ann"
    for cookie in ("", "site-session=s-9", "site-session=", "other=s-1", "\0=;;", "site-session"):
        with pytest.raises(Refusal) as caught:
            me(signed_in, cookie=cookie)
        assert (caught.value.code, caught.value.status) == (4, 401)


def test_a_session_belongs_to_one_account_and_ends(signed_in):  # KS-29
    assert signed_in.error("POST", "/v1/users", {"name": "bob", "sessions": ["s-1"]}) == 203
    for ids in ([""], [1], "s-3", [str(k) for k in range(sessions.MAX_SESSIONS + 1)]):
        assert signed_in.error("POST", "/v1/users", {"name": "bob", "sessions": ids}) == 6
    signed_in.now = NOW + sessions.LENGTH_S - 1
    me(signed_in)
    signed_in.now = NOW + sessions.LENGTH_S
    with pytest.raises(Refusal, match="unauthorized"):
        me(signed_in)
    signed_in("POST", "/v1/users", {"name": "bob", "sessions": ["s-1"]})


@pytest.mark.parametrize(
    ("query", "referer", "target"),
    [
        ({"success_url": "/bye"}, "", "/bye"), ({}, "http://here:1/x?y", "http://here:1/x?y"), ({}, "", "/"),
        ({"success_url": "https://evil.example/"}, "http://here:1/", "http://here:1/"),
        ({"success_url": "//evil.example"}, "http://evil.example/", "/"), ({"success_url": "/\\evil.example"}, "", "/"),
        ({"success_url": "/a\r\nSet-Cookie: x=y"}, "", "/"), ({"success_url": "javascript:alert(1)"}, "", "/"),
        ({"success_url": "http://[/"}, "", "/"), ({"success_url": "/é"}, "", "/"),
    ],
)  # fmt: skip
def test_signing_out_ends_one_session(signed_in, query, referer, target):  # KS-30
    headers = {"cookie": "site-session=s-1", "host": "here:1", "referer": referer}
    status, found, body = signed_in.answer("GET", "/v1/oauth/signout", b"", headers, query)
    assert (status, found["Location"], body) == (302, target, b"")
    assert found["Set-Cookie"] == "site-session=; Max-Age=0; Path=/"
    assert me(signed_in, cookie="site-session=s-2")[2] == signed_in.ann
    with pytest.raises(Refusal) as caught:
        signed_in.answer("GET", "/v1/oauth/signout", b"", headers, query)
    assert (caught.value.code, caught.value.status) == (4, 400)


# -- the description -----------------------------------------------------------------------------


def test_the_description_names_the_paths_of_the_api(ask):  # KS-34
    found = ask("GET", "/v1/openapi.json")
    assert (found["openapi"], found["info"]["title"], found["servers"]) == (
        "3.1.1", "Kakomimasu API", [{"url": "/v1"}],
    )  # fmt: skip
    for path, operations in found["paths"].items():
        example = "/v1" + path.replace("{", "").replace("}", "")
        for method in operations.keys() - {"parameters"}:
            assert any(route.fullmatch(example) for route, _ in _ROUTES[method.upper()]), (method, path)
    assert set(found["components"]["securitySchemes"]) == {"Bearer", "PIC"}


def test_answers_fit_the_description(signed_in):
    ask, found = signed_in, signed_in("GET", "/v1/openapi.json")
    schemas = found["components"]["schemas"]
    gus, _ = ask.join("gus"), ask.join("hal")
    match, pic = gus["gameId"], gus["pic"]
    own = ask("POST", "/v1/matches", {"boardName": "duel", "name": "own"})
    ask.now += 5
    ask.act(match, pic, {"agentId": 0, "type": "PUT", "x": 1, "y": 1})
    ask.now += 5
    ask("POST", PATH, {"name": "Cup", "type": "knockout"})
    for path, described in (
        (f"/v1/matches/{match}", "/matches/{gameId}"),
        (f"/v1/matches/{own['id']}", "/matches/{gameId}"),
        ("/v1/matches", "/matches"),
        ("/v1/boards", "/boards"),
        (PATH, "/tournaments"),
        ("/v1/users/ann", "/users/{userIdOrName}"),
    ):
        schema = found["paths"][described]["get"]["responses"]["200"]["content"]["application/json"]["schema"]
        assert fits(schema, ask("GET", path), schemas), path
        assert not fits(schema, {"id": 1}, schemas)
    assert fits(schemas["AuthedUser"], me(ask)[2], schemas)
    assert fits(schemas["JoinMatchResponse"], ask.join("cid"), schemas)
