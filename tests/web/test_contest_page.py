"""A contest on the page: who may see what, and what an organiser may say from there."""

import json
from concurrent.futures import Future

import pytest

pytest.importorskip("starlette", reason="starlette is not installed")
pytest.importorskip("uvicorn", reason="uvicorn is not installed")

import masume
from masume.chaser.maps import load_shipped
from masume.contest.desk import Refused
from masume.contest.orders import HandIn, Start
from masume.http.front import Front
from masume.web import guard
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
    def order(given, seen):
        said.append((given, seen))
        answer = Future()
        if seen == "old":
            answer.set_exception(Refused("the contest has gone on"))
        else:
            answer.set_result({"said": [str(len(said))]})
        return answer

    board = ContestBoard(order)
    found = PageServer(Gallery(), Access(host="host", hall="hall"), contest=board)
    with running(found):
        shown = {"en": {"title": "Cup", "desk": {"news": ["secret"]}}, "ja": {"title": "杯", "desk": {}}}
        found.call(board.set, shown)
        found.call(found.gallery.announce, {"contest": 1})
        yield found


@pytest.fixture
def organiser(server):
    found = Browser(server)
    found.ask("GET", "/host/host")
    return found


def ordering(order, nonce="n", seen="now"):
    return {"nonce": nonce, "seen": seen, "order": order}


CONFIRM = {"do": "confirm"}


def test_everybody_sees_the_contest_and_only_the_organiser_its_desk(server):
    visitor, organiser = Browser(server), Browser(server)
    assert visitor.get("/api/contest") == {"title": "Cup"}
    assert visitor.get("/api/contest?lang=ja") == {"title": "杯"}
    assert organiser.ask("GET", "/host/host")[1]["location"] == "/contest"
    assert organiser.get("/api/contest") == {"title": "Cup", "desk": {"news": ["secret"], "is_here": True}}
    assert visitor.get("/api/lobby")["wall"] == {"contest": 1}
    assert visitor.ask("GET", "/contest")[0] == 200


def test_only_the_organiser_orders(server, organiser, said):
    visitor, hall = Browser(server), Browser(server)
    assert hall.ask("GET", "/hall/hall")[1]["location"] == "/wall"
    for one in (visitor, hall):
        assert "open the host's link" in one.post("/api/contest/do", ordering(CONFIRM), status=403)["text"]
    organiser.post("/api/contest/do", ordering({"do": "hand in", "entry": 3, "play": "port:2009"}))
    assert said == [(HandIn(3, "port:2009"), "now")]


def test_an_order_is_taken_once_under_its_nonce_and_a_refusal_stays_one(organiser, said):
    start = {"do": "start", "match": "K1.1"}
    answers = [organiser.post("/api/contest/do", ordering(start)) for _ in range(3)]
    assert answers == [{"said": ["1"]}] * 3
    assert said == [(Start("K1.1"), "now")]
    assert organiser.post("/api/contest/do", ordering(start, "m")) == {"said": ["2"]}
    refused = [organiser.post("/api/contest/do", ordering(start, "o", "old"), status=409)["text"] for _ in range(2)]
    assert refused == ["the contest has gone on"] * 2
    assert len(said) == 3


@pytest.mark.parametrize(
    ("order", "field"),
    [
        ({}, "order.do: missing"), ([], "order: "), ({"do": "quit"}, "order.do: "), ({"do": "csv"}, "order.do: "),
        ({"do": "start"}, "order.match: missing"), ({"do": "start", "match": 1}, "order.match: "),
        ({"do": "confirm", "match": "x"}, "order.match: no such key"),
        ({"do": "draw", "entries": [0], "is_by_lot": False}, "order.entries[0]: "),
        ({"do": "draw", "entries": [], "is_by_lot": 1}, "order.is_by_lot: "),
        ({"do": "screen", "screen": "off", "text": ""}, "order.screen: "),
    ],
)  # fmt: skip
def test_what_is_no_order_is_refused_with_the_field(order, field, organiser, said):
    told = organiser.post("/api/contest/do", ordering(order), status=422)["text"]
    assert told.startswith(field), told
    assert said == []


@pytest.mark.parametrize(
    "play",
    ["cmd:rm -rf .", "client:x {port}", "py:os:system", "json:x", "tcp:1", "net:x", "CMD:x", "cmd:x\ngreedy", " cmd:x"],
)
def test_only_browsers_on_the_machine_hand_in_what_runs_on_it(play, server, said, monkeypatch):
    organiser = Browser(server)
    organiser.ask("GET", "/host/host")
    orders = [{"do": "hand in", "entry": 3, "play": play}, {"do": "enter", "name": "X", "play": play}]
    monkeypatch.setattr(guard, "_is_local", lambda _request: False)
    assert organiser.get("/api/contest")["desk"]["is_here"] is False
    for order in orders:
        assert "at the terminal" in organiser.post("/api/contest/do", ordering(order), status=422)["text"]
    assert said == []
    monkeypatch.undo()
    for nonce, order in enumerate(orders):
        organiser.post("/api/contest/do", ordering(order, str(nonce)))
    assert len(said) == 2


def test_a_browser_behind_another_name_or_a_proxy_is_not_on_the_machine(server):
    organiser = Browser(server)
    organiser.ask("GET", "/host/host")
    organiser.host = f"localhost:{server.port}"
    assert organiser.get("/api/contest")["desk"]["is_here"] is True
    with running(
        PageServer(
            Gallery(), Access(host="host"), Front(names=["http://board.example"]), ContestBoard(lambda *_: Future())
        )
    ) as behind:
        host = Browser(behind)
        host.ask("GET", "/host/host")
        assert host.get("/api/contest")["desk"]["is_here"] is False


def test_a_wrong_link_is_a_page_with_words(server):
    for path, words in (
        ("/host/wrong", "ではありません"),
        ("/hall/wrong", "ではありません"),
        ("/nowhere", "ありません"),
    ):
        status, headers, data = Browser(server, **{"Accept": "text/html", "Accept-Language": "ja"}).ask("GET", path)
        assert status in (403, 404)
        assert headers["content-type"].startswith("text/html")
        assert words in data.decode(), data.decode()[:2000]


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
