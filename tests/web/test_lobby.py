"""The front page over HTTP: what it offers, how a game begins at once, games of agents, and what the list shows."""

import gzip
import json
import re
import time

import pytest

pytest.importorskip("starlette", reason="starlette is not installed")
pytest.importorskip("uvicorn", reason="uvicorn is not installed")


import masume
from masume.core import registry
from masume.core.language import speaking
from masume.core.language import translate as _
from masume.play.lessons import lessons_of
from masume.play.menu import first_board
from masume.records import replay
from masume.web import exhibitions, gallery
from masume.web.contest import ContestBoard
from masume.web.offers import game_of, invite, title_of
from visitors import WAIT_S, Browser, Player, page, question

GAMES = masume.game.games()
LONGEST_S = 180  # of the first game


@pytest.fixture
def server():
    with page(host="the-host") as found:
        yield found


@pytest.fixture
def browser(server):
    return Browser(server)


def recipe(game, **fields):
    """Return what the button "Play" asks for."""
    found = invite(game)
    seats = ["me", *[found["level"]] * (found["players"] - 1)]
    return {"game": game, "seats": seats} | {name: found[name] for name in ("start", "variant", "ready")} | fields


def wait_until(is_so):
    until = time.monotonic() + WAIT_S
    while not is_so():
        assert time.monotonic() < until
        time.sleep(0.01)


def say_data(browser, path="/"):
    """Return what the scripts of a page know from the start."""
    text = browser.ask("GET", path)[2].decode()
    return json.loads(re.search(r'<script type="application/json" id="data">(.*)</script>', text)[1])


# -- the cards --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", GAMES)
def test_a_card_says_what_a_game_is_and_how_long_it_takes(browser, game):
    found = say_data(browser)["invites"][game]
    assert found["about"]
    assert found["players"] == game_of(game, found["start"], found["variant"]).num_players
    assert 1 <= found["minutes"] <= LONGEST_S / 60


@pytest.mark.parametrize("game", registry.own_names())
def test_the_minutes_have_a_source(game):
    board = first_board(game)
    assert 0 < board.seconds <= LONGEST_S
    assert "page_minutes.py" in board.source
    with speaking("ja"):
        assert invite(game)["about"] != first_board(game).sentence  # it is in Japanese


@pytest.mark.parametrize("game", GAMES)
def test_a_card_has_a_short_loop_of_a_good_game(browser, game):
    status, headers, data = browser.ask("GET", f"/api/loop/{game}", Accept_Encoding="gzip")
    assert status == 200
    found = json.loads(gzip.decompress(data) if headers["Content-Encoding"] == "gzip" else data)
    assert len(data) < 10_000
    assert found["scene"]
    frames = found["frames"]
    assert frames[0]["whole"]
    assert 4 <= len(frames) <= 16
    assert not any(frame.get("whole") for frame in frames[1:])


def test_there_is_no_loop_of_an_unknown_game(browser):
    assert browser.ask("GET", "/api/loop/chess")[0] == 404


@pytest.mark.parametrize("game", GAMES)
def test_play_begins_at_once_on_the_first_board(browser, game):
    match = browser.post("/api/play", recipe(game))["id"]
    ask = question(browser, match)
    state = browser.server.gallery.found[match].state
    part = masume.load(game).part("people")
    assert ask["player"] == 0
    assert not (hasattr(part, "is_setting_up") and part.is_setting_up(state))


SETTING_UP = [name for name, part in registry.parts("people").items() if hasattr(part, "is_setting_up")]


@pytest.mark.parametrize("game", SETTING_UP)
def test_what_was_set_up_can_be_changed_in_a_new_match_that_takes_the_place_of_the_old_one(browser, game):
    """The same seed: who presses "Change" chooses itself, and the match that was ready is gone."""
    old = browser.post("/api/play", recipe(game))["id"]
    assert question(browser, old)["pad"]["change"]
    stranger = Browser(browser.server)
    body = recipe(game, ready=False, instead=old)
    refused = stranger.post("/api/play", body, 403)
    assert refused["text"]
    assert browser.get(f"/api/m/{old}")["match"]["phase"] == "running"
    new = browser.post("/api/play", body)["id"]
    part = masume.load(game).part("people")
    question(browser, new)
    assert part.is_setting_up(browser.server.gallery.found[new].state)
    assert browser.ask("GET", f"/api/m/{old}")[0] == 404


@pytest.mark.parametrize("game", SETTING_UP)
def test_a_match_that_was_ready_is_so_after_a_restart(tmp_path, game):
    with page(folder=tmp_path) as server:
        browser = Browser(server)
        match = browser.post("/api/play", recipe(game, seed=4))["id"]
        before = question(browser, match)["legal"]
    with page(folder=tmp_path) as server:
        browser.server, browser.host = server, f"127.0.0.1:{server.port}"
        assert question(browser, match)["legal"] == before


@pytest.mark.parametrize("ready", ["yes", 1, None])
def test_ready_is_yes_or_no(browser, ready):
    assert "ready" in browser.post("/api/play", recipe("nezumi", ready=ready), 422)["text"]


# -- games of agents ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", GAMES)
def test_a_visitor_starts_a_game_of_agents_and_sees_all_of_it(browser, game):
    match = browser.post("/api/watch", {"game": game})["id"]
    found = browser.get(f"/api/m/{match}")
    assert found["match"]["people"] == []
    assert "hidden" not in found
    assert found["view"] is None
    assert browser.post("/api/watch", {"game": game})["id"] == match  # it is watched, not started again


def test_two_games_of_agents_are_played_at_a_time(server, browser):
    first = browser.post("/api/watch", {"game": GAMES[0]})["id"]
    with browser.stream(f"/api/m/{first}/events") as events:
        next(events)
        second = browser.post("/api/watch", {"game": GAMES[1]})["id"]
        with browser.stream(f"/api/m/{second}/events") as others:
            next(others)
            refused = browser.post("/api/watch", {"game": GAMES[2]}, 503)
            assert "two games of agents" in refused["text"]
            assert len(server.gallery.found) == 2


def test_a_game_of_agents_that_nobody_watches_makes_room(server, browser, monkeypatch):
    monkeypatch.setattr(exhibitions, "ALONE_S", 0.0)
    ids = [browser.post("/api/watch", {"game": game})["id"] for game in GAMES[:3]]
    assert ids[0] not in server.gallery.found
    assert ids[2] in server.gallery.found


def test_no_game_of_agents_begins_while_a_contest_is_held():
    with page(contest=ContestBoard(lambda _line: None)) as server:
        refused = Browser(server).post("/api/watch", {"game": GAMES[0]}, 503)
        assert "contest" in refused["text"]
        assert not server.gallery.found


def test_an_unknown_game_of_agents_is_refused(browser):
    assert "chess" in browser.post("/api/watch", {"game": "chess"}, 422)["text"]


@pytest.mark.parametrize("game", [name for name in GAMES if not masume.load(name).is_perfect_information])
def test_a_game_of_agents_opens_no_game_of_people(browser, game):
    """What is hidden in a match of people stays so beside an open one of the same game."""
    browser.post("/api/watch", {"game": game})
    match = browser.post("/api/play", recipe(game))["id"]
    assert "hidden" in Browser(browser.server).get(f"/api/m/{match}")
    assert browser.post("/api/watch", {"game": game})["id"] != match


# -- the list ---------------------------------------------------------------------------------------------------


def listed(browser):
    return [match["id"] for match in browser.get("/api/lobby")["matches"]]


def test_a_match_without_a_stream_for_half_an_hour_leaves_the_list_and_keeps_its_link(server, browser, monkeypatch):
    player = Player.begin(server.port, "nezumi", "Ann", ["me", "guest"])
    assert listed(browser) == [player.match]
    monkeypatch.setattr(gallery, "FORGOTTEN_S", 0.0)
    time.sleep(0.05)
    assert listed(browser) == []
    assert listed(player.browser) == []
    with player.browser.stream(f"/api/m/{player.match}/events") as events:  # somebody opens it
        next(events)
        assert listed(browser) == [player.match]
    assert browser.get(f"/api/m/{player.match}")["match"]["phase"] == "waiting"


def test_a_list_that_is_open_loses_a_forgotten_match_too(server, browser, monkeypatch):
    from masume.web import streams

    monkeypatch.setattr(streams, "KEEP_ALIVE_S", 0.05)
    player = Player.begin(server.port, "nezumi", "Ann", ["me", "guest"])
    with browser.stream("/api/events") as events:
        assert json.loads(next(events)[2])["matches"][0]["id"] == player.match
        monkeypatch.setattr(gallery, "FORGOTTEN_S", 0.0)
        assert json.loads(next(events)[2])["matches"] == []


def replays():
    return {name: replay.load(path) for name, path in registry.recorded().items()}


def test_recorded_games_say_why_they_are_worth_watching_and_the_best_comes_first(server, browser):
    for name, games in replays().items():
        server.call(server.gallery.add_replays, games, name)
    wait_until(lambda: len(server.gallery.found) == len(replays()))
    found = browser.get("/api/lobby")["matches"]
    assert [one["worth"] for one in found] == sorted((one["worth"] for one in found), reverse=True)
    by_game = {one["game"]: one for one in found}
    assert by_game["chaser"]["praise"] == ["won with fewer points", "the lead changed 3 times"]
    japanese = Browser(server, **{"Accept-Language": "ja"}).get("/api/lobby")["matches"]
    assert all(one["praise"] != other["praise"] for one, other in zip(found, japanese, strict=True) if one["praise"])


def test_a_running_match_is_not_praised(server, browser):
    Player.begin(server.port, "nezumi", "Ann", ["me", "random"])
    (one,) = browser.get("/api/lobby")["matches"]
    assert (one["worth"], one["praise"]) == (0, [])


@pytest.mark.parametrize("game", [name for name in GAMES if lessons_of(name)])
def test_lessons_are_not_in_the_list(server, browser, game):
    match = browser.post("/api/lesson", {"game": game, "lesson": lessons_of(game)[0].name})["id"]
    assert match in server.gallery.found
    assert listed(browser) == []


def test_the_list_says_which_boards_a_viewer_may_see(server):
    hidden = Player.begin(server.port, "chaser", "Ann", ["me", "random"])
    public = Player.begin(server.port, "nezumi", "Bob", ["me", "random"])
    host = Browser(server)
    host.cookies["masume-host"] = "the-host"
    for browser, expected in ((Browser(server), {public.match}), (host, {hidden.match, public.match})):
        found = browser.get("/api/lobby")["matches"]
        assert {one["id"] for one in found if one["open"]} == expected


# -- names, wall ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", GAMES)
def test_games_have_their_japanese_names_where_people_read_them(server, browser, game):
    japanese = Browser(server, **{"Accept-Language": "ja"})
    with speaking("ja"):
        name = _(title_of(game))
    assert say_data(japanese)["titles"][game] == name
    assert japanese.get(f"/api/menu/{game}")["title"] == name
    if masume.load(game).part("editor"):
        assert japanese.get(f"/api/make/{game}")["title"] == name
    match = japanese.post("/api/watch", {"game": game})["id"]
    found = japanese.get(f"/api/m/{match}")
    if masume.load(game).part("render"):
        assert found["match"]["title"].startswith(name)
        assert found["scene"]["title"].startswith(name)


def test_the_wall_has_two_addresses(browser):
    for path in ("/wall", "/?wall"):
        assert "/wall.js" in browser.ask("GET", path)[2].decode()
    assert "/wall.js" not in browser.ask("GET", "/")[2].decode()


def test_both_addresses_of_the_wall_show_the_contest_that_is_held():
    with page(contest=ContestBoard(lambda _line: None)) as server:
        for path in ("/wall", "/?wall"):
            text = Browser(server).ask("GET", path)[2].decode()
            assert "/contest.js" in text
            assert "/lobby.js" not in text
