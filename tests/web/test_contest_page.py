"""A contest on the page: who may see what, and what an organiser may say from there."""

import json

import pytest

pytest.importorskip("starlette", reason="starlette is not installed")
pytest.importorskip("uvicorn", reason="uvicorn is not installed")

import masume
from masume.chaser.maps import load_shipped
from masume.web.contest import ContestBoard
from masume.web.gallery import Gallery
from masume.web.guard import Access
from masume.web.match import Match, Phase, Playback
from masume.web.server import PageServer, running
from visitors import Browser


@pytest.fixture
def said():
    return []


@pytest.fixture
def server(said):
    board = ContestBoard(said.append)
    found = PageServer(Gallery(), Access(host="host", hall="hall"), contest=board)
    with running(found):
        shown = {"en": {"title": "Cup", "news": ["secret"]}, "ja": {"title": "杯", "news": []}}
        found.call(board.set, shown)
        found.call(found.gallery.announce, {"contest": 1})
        yield found


def test_everybody_sees_the_contest_and_only_the_organiser_its_news(server):
    visitor, organiser = Browser(server), Browser(server)
    assert visitor.get("/api/contest") == {"title": "Cup"}
    assert visitor.get("/api/contest?lang=ja") == {"title": "杯"}
    assert organiser.ask("GET", "/host/host")[1]["location"] == "/contest"
    assert organiser.get("/api/contest") == {"title": "Cup", "news": ["secret"]}
    assert visitor.get("/api/lobby")["wall"] == {"contest": 1}
    assert visitor.ask("GET", "/contest")[0] == 200


def test_only_the_organiser_speaks(server, said):
    visitor, organiser, hall = Browser(server), Browser(server), Browser(server)
    organiser.ask("GET", "/host/host")
    assert hall.ask("GET", "/hall/hall")[1]["location"] == "/wall"
    for one in (visitor, hall):
        one.post("/api/contest/do", {"line": "next"}, status=403)
    organiser.post("/api/contest/do", {"line": "next"})
    organiser.post("/api/contest/do", {"line": "hand 3 port:2009"})
    assert said == ["next", "hand 3 port:2009"]


@pytest.mark.parametrize(
    "line",
    [
        "hand 3 cmd:rm -rf .", "late X=cmd:./x", "late 'X=cmd:./x'", "late X=client:x {port}", "hand 3 py:os:system",
        "hand 3 'json:x'", "csv /tmp", "zip x", "help", "quit", "next\nquit", "x" * 201, "", "hand 3   cmd:x",
        "hand 3 c\"m\"d:x", "late X='c'md:x",
        "hand 3 tcp:1", "hand 3 '",
    ],
)  # fmt: skip
def test_the_page_neither_runs_programs_nor_writes_files(line, server, said):
    organiser = Browser(server)
    organiser.ask("GET", "/host/host")
    organiser.post("/api/contest/do", {"line": line}, status=422)
    assert said == []


def test_the_wall_of_the_hall_sees_boards_that_are_hidden_and_controls_nothing(server):
    game = masume.load("chaser", map=load_shipped()["duel"])
    match = Match(game, 1, ["one", "two"], Playback())
    server.call(server.gallery.add, match)
    server.call(match.advance, [], ["one", "two"], [None, None])
    visitor, hall = Browser(server), Browser(server)
    assert hall.ask("GET", "/hall/other")[0] == 403
    hall.ask("GET", "/hall/hall")
    assert "hidden" in visitor.get(f"/api/m/{match.id}")
    assert "frame" in hall.get(f"/api/m/{match.id}")
    hall.post(f"/api/m/{match.id}/host", {"do": "pause"}, status=403)
    for browser, views in ((visitor, []), (hall, ["all", 0, 1])):  # each is told its own, in whatever order they come
        with browser.stream(f"/api/m/{match.id}/events") as events:
            assert next(json.loads(data) for kind, _, data in events if kind == "match")["views"] == views


def test_without_a_contest_there_is_none(said):
    with running(PageServer(Gallery(), Access(host="host"))) as server:
        assert Browser(server).ask("GET", "/api/contest")[0] == 404


def test_spectators_in_the_dark_see_what_the_players_have_seen_until_the_game_is_over():
    game = masume.load("chaser", map=load_shipped()["duel"])
    with running(PageServer(Gallery(), Access(host="host", is_dark=True))) as server:
        match = Match(game, 1, ["one", "two"], Playback())
        other = Match(masume.load("battleship"), 1, ["a", "b"], Playback())
        for one in (match, other):
            server.call(server.gallery.add, one)
            server.call(one.advance, [], ["one", "two"], [None, None])
        visitor, host = Browser(server), Browser(server)
        host.ask("GET", "/host/host")
        seen, whole = (one.get(f"/api/m/{match.id}") for one in (visitor, host))
        assert ":" in str(seen["frame"]["cells"])
        assert ":" not in str(whole["frame"]["cells"])
        for view in ("all", "0", "1"):
            assert visitor.get(f"/api/m/{match.id}?view={view}")["frame"] == seen["frame"]
        assert "hidden" in visitor.get(f"/api/m/{other.id}")
        state = game.new_state(1)
        moves = []
        while not state.is_terminal():
            moves.append(int(state.legal_actions()[-1]))
            state.apply(moves[-1])
        server.call(match.advance, moves, ["one", "two"], [None, None])
        match.phase = Phase.OVER
        assert ":" not in str(visitor.get(f"/api/m/{match.id}")["frame"]["cells"])
