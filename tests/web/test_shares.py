"""Fair shares of the page: who takes all that there is keeps nobody out, and what is set aside comes back."""

import contextlib
import json
import time

import pytest

pytest.importorskip("starlette", reason="starlette is not installed")
pytest.importorskip("uvicorn", reason="uvicorn is not installed")

from masume.http.front import Front
from masume.http.limits import Shares
from masume.web import holding
from visitors import Browser, Player, page, question

MATCH = {"game": "nezumi", "seats": ["me", "random"], "seed": 3}


def front():
    """Return the front of a page whose visitors come by a proxy, so from many addresses."""
    return Front(proxies=["127.0.0.1"])


def visitor(server, number):
    """Return a new browser, without cookies, at an address."""
    return Browser(server, **{"X-Forwarded-For": f"192.0.2.{number}"})


@pytest.fixture
def server(tmp_path, monkeypatch):
    monkeypatch.setattr(holding, "MAX_PLAYED", 8)
    monkeypatch.setattr(holding, "MAX_ASIDE", 8)
    with page(folder=tmp_path, front=front(), host="the-host") as found:
        yield found


def begin(browser, **fields):
    return browser.post("/api/play", MATCH | fields)["id"]


def refusal(browser, method, path, body=None, **headers):
    status, given, data = browser.ask(method, path, body, **headers)
    assert (status, int(given["Retry-After"]) > 0) == (503, True)
    text = json.loads(data)["text"]
    assert given["Retry-After"] in text
    return text


@pytest.mark.parametrize("are_watched", [False, True])
def test_who_takes_all_matches_keeps_nobody_out(server, are_watched):
    with contextlib.ExitStack() as stack:
        taken = []
        for number in (1, 1, 1, 1, 1, 1, 2, 2):  # a new cookie each time
            browser = visitor(server, number)
            taken.append(begin(browser))
            if are_watched:
                next(stack.enter_context(browser.stream(f"/api/m/{taken[-1]}/events")))
        assert "too many matches" in refusal(visitor(server, 1), "POST", "/api/play", MATCH)
        assert "秒後" in refusal(visitor(server, 1), "POST", "/api/play", MATCH, Accept_Language="ja")
        other = visitor(server, 3)
        mine = [begin(other) for _ in range(3)]
        assert "too many matches" in refusal(other, "POST", "/api/play", MATCH)  # it has as many as the first now
        assert [match for match in taken + mine if match not in server.gallery.found] == taken[:3]
        host = visitor(server, 4)
        host.cookies["masume-host"] = "the-host"
        for _ in range(9):
            begin(host)
    for match in taken[:3]:
        assert "too many matches" in refusal(visitor(server, 1), "GET", f"/api/m/{match}")
        status, headers, data = visitor(server, 1).ask("GET", f"/m/{match}", Accept="text/html")
        assert (status, int(headers["Retry-After"]) > 0) == (503, True)
        assert b"too many matches" in data


def test_a_match_that_was_set_aside_comes_back_with_its_clock_and_both_seats(server, monkeypatch):
    first = Player.begin(server.port, "kakomimasu", "Ann", ["me", "guest"])
    second = first.sit(first.facts()["invitations"]["1"], "Bob")
    for player in (first, second):
        player.play(1)
    kept = [player.look() for player in (first, second)]
    links = [player.facts()["links"] for player in (first, second)]
    limited = Player.begin(server.port, "kakomimasu", "Cid", ["me", "random"], "move=1000")
    question(limited.browser, limited.match)
    monkeypatch.setattr(holding, "LEFT_S", 0.0)
    begin(Browser(server))
    monkeypatch.undo()
    assert not {first.match, limited.match} & set(server.gallery.found)
    time.sleep(1.2)  # no verdict falls
    assert limited.facts()["plies"] == 0
    assert [player.look() for player in (first, second)] == kept
    assert [player.facts()["links"] for player in (first, second)] == links
    for player in (first, second):
        player.play(1)
    for player, link in zip("01", links, strict=True):
        assert Browser(server).ask("GET", link[player])[0] == 307


def test_the_list_has_what_was_set_aside_for_those_who_play_there(server):
    ann, bob = Browser(server), Browser(server)
    match = ann.post("/api/play", MATCH | {"name": "Ann"})["id"]
    server.call(server._page.holding._set_aside, server.gallery.found[match])
    assert ann.get("/api/lobby")["aside"] == [{"id": match, "game": "nezumi", "names": ["Ann", "random"]}]
    assert bob.get("/api/lobby")["aside"] == []
    bob.cookies[f"masume-{match}"] = "no-secret"
    assert bob.get("/api/lobby")["aside"] == []
    assert ann.get(f"/api/m/{match}")["match"]["mine"] == [0]
    assert ann.get("/api/lobby")["aside"] == []


def test_clocks_of_a_whole_game_stand_while_it_is_set_aside(server, monkeypatch):
    browser = Browser(server)
    player = Player(browser, begin(browser, clock="main=60000"))
    player.play(1)
    question(browser, player.match)
    left = player.facts()["left_ms"]
    monkeypatch.setattr(holding, "LEFT_S", 0.0)
    begin(Browser(server))
    monkeypatch.undo()
    time.sleep(0.3)
    question(browser, player.match)
    assert player.facts()["left_ms"] == left


def test_an_invitation_to_a_match_that_was_set_aside_is_open(server, monkeypatch):
    first = Player.begin(server.port, "nezumi", "Ann", ["me", "guest"])
    link = first.facts()["invitations"]["1"]
    monkeypatch.setattr(holding, "LEFT_S", 0.0)
    begin(Browser(server))
    assert first.match not in server.gallery.found
    second = first.sit(link, "Bob")
    assert second.facts()["mine"] == [1]
    assert server.gallery.found[first.match].seats[1].name == "Bob"


def test_who_watches_a_match_that_is_set_aside_comes_back_to_it(server):
    browser = Browser(server)
    match = begin(browser)
    old = server.gallery.found[match]
    with browser.stream(f"/api/m/{match}/events") as events:
        next(events)
        server.call(server._page.holding._set_aside, old)
        assert "end" not in [kind for kind, _, _ in events]  # the connection ends, and the page connects again
    assert match not in server.gallery.found
    assert question(browser, match)["player"] == 0
    assert server.gallery.found[match] is not old


def test_only_the_oldest_of_too_many_is_closed_for_good(server, monkeypatch, tmp_path):
    monkeypatch.setattr(holding, "LEFT_S", 0.0)
    theirs = begin(visitor(server, 2))
    taken = [begin(visitor(server, 1)) for _ in range(9)]
    monkeypatch.undo()
    monkeypatch.setattr(holding, "AWAY_S", 0.0)
    kept = {path.stem for path in tmp_path.glob("unfinished/*.jsonl")}
    assert kept == {theirs, *taken[2:]}  # six are set aside, and one is played
    for match in taken:
        assert visitor(server, 1).ask("GET", f"/api/m/{match}")[0] == (404 if match in taken[:2] else 200)


def test_who_watches_all_keeps_nobody_out(server):
    server._page.streams.shares = Shares(8)
    with contextlib.ExitStack() as stack:
        theirs = [stack.enter_context(visitor(server, number).stream("/api/events")) for number in (1,) * 6 + (2,) * 2]
        for events in theirs:
            next(events)
        assert "too many people watch" in refusal(visitor(server, 1), "GET", "/api/events")
        for _ in range(3):
            next(stack.enter_context(visitor(server, 3).stream("/api/events")))
        assert "too many people watch" in refusal(visitor(server, 3), "GET", "/api/events")
        assert list(theirs[0]) == []  # the oldest have ended
        host = visitor(server, 1)
        host.cookies["masume-host"] = "the-host"
        next(stack.enter_context(host.stream("/api/events")))


def test_who_begins_all_tasks_keeps_nobody_waiting(server):
    rogue, other = visitor(server, 1), visitor(server, 2)
    asked = {"sheet": sheet(rogue), "task": 0}
    taken = [rogue.post("/api/make/nezumi/job", asked)["id"] for _ in range(12)]
    assert "too many people" in refusal(visitor(server, 1), "POST", "/api/make/nezumi/job", asked)
    mine = other.post("/api/make/nezumi/job", asked)["id"]
    assert other.get(f"/api/job/{mine}")["text"] == "waiting for the tasks of others"
    rogue.post(f"/api/job/{taken[0]}/cancel", {})
    while other.get(f"/api/job/{mine}")["state"] == "waiting":
        pass
    states = [rogue.get(f"/api/job/{job}")["state"] for job in taken]
    assert states == ["cancelled", "running", *["waiting"] * 10]
    for job in (*taken, mine):
        rogue.post(f"/api/job/{job}/cancel", {})


def sheet(browser):
    found = browser.post("/api/make/nezumi/open", {"start": "granary"})
    return {key: found[key] for key in ("size", "cells", "fields", "kinds")}
