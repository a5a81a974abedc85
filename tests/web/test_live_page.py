"""The page over HTTP: what it answers, to whom, and what it refuses."""

import asyncio
import dataclasses
import json
import re
import threading

import pytest

pytest.importorskip("starlette", reason="starlette is not installed")
pytest.importorskip("uvicorn", reason="uvicorn is not installed")

import masume
from masume.agents.asking import close_agent
from masume.agents.make import make_agent
from masume.http.front import Front
from masume.play.driver import play_game
from masume.records import replay
from masume.referee.clock import TimeControl
from masume.referee.match import play_match
from masume.referee.seats import make_seat
from masume.results import reason_of
from masume.web import values
from masume.web.gallery import Gallery
from masume.web.guard import Access
from masume.web.match import Playback
from masume.web.offers import game_of, offer
from masume.web.server import PageServer, running
from random_games import random_game
from toy import Counting
from visitors import WAIT_S, Browser, answer, first_step, page

GAMES = masume.game.games()


@pytest.fixture
def server():
    with page() as found:
        yield found


@pytest.fixture
def browser(server):
    return Browser(server)


def play(browser, game, steps_of, seats=None, **fields):
    """Play a whole game as a person: `steps_of(ask)` returns the steps of a turn; return the id and the last facts."""
    offer = browser.get(f"/api/offer/{game}")
    seats = seats or ["me", *[offer["levels"][0]] * (offer["players"] - 1)]
    match = browser.post("/api/play", {"game": game, "seats": seats, "seed": 7, **fields})["id"]
    facts = {}
    with browser.stream(f"/api/m/{match}/events") as events:
        for kind, _, data in events:
            if kind == "match":
                facts = json.loads(data)
            elif kind == "ask":
                for ask in json.loads(data):
                    answer(browser, match, ask, steps_of)
            elif kind == "end":
                break
    return match, facts


@pytest.mark.parametrize("game", GAMES)
def test_a_person_plays_every_game_to_its_end(browser, game):
    match, facts = play(browser, game, first_step)
    assert facts["phase"] == "over"
    assert len(facts["returns"]) == len(facts["names"])
    found = browser.get(f"/api/m/{match}?view=all")
    assert found["frame"]["n"] == found["count"] - 1
    pieces = []
    while piece := browser.get(f"/api/m/{match}/film/{len(pieces)}?view=all"):
        pieces.append(piece)
    frames = [frame for piece in pieces for frame in piece]
    assert [frame["n"] for frame in frames] == list(range(found["count"]))
    assert all(piece[0].get("whole") for piece in pieces)


@pytest.mark.parametrize("game", GAMES)
def test_everything_that_is_offered_can_be_played(game):
    found = offer(game)
    assert found["level"] in found["levels"]
    assert len(found["seats"]) == found["players"]
    for start in ["", *found["starts"]]:
        for variant in ["", *found["variants"]]:
            board = game_of(game, start, variant)
            assert board.num_players == found["sizes"].get(variant, found["players"])
            assert not board.new_state(1).is_terminal()
    for level in found["levels"]:
        close_agent(make_agent(level, board))
    for clock in found["clocks"]:
        TimeControl.parse(clock)


def test_finished_matches_are_kept_and_shown_again(tmp_path):
    with page(folder=tmp_path) as server:
        browser = Browser(server)
        match, _facts = play(browser, "nezumi", first_step)
    (path,) = tmp_path.glob("*.jsonl")
    assert not list(tmp_path.glob("unfinished/*.jsonl"))
    assert path.name == f"{match}.jsonl"
    (one,) = replay.load(path)
    with page(folder=tmp_path) as server:
        server.call(server.gallery.add_folder)
        with Browser(server).stream("/api/events") as events:
            (facts,) = next(json.loads(data)["matches"] for _, _, data in events if '"over"' in data)
        assert facts["returns"] == one.returns


def test_pages_have_a_strict_policy_and_scripts_of_their_own(browser):
    for path in ("/", "/play/nezumi", "/wall"):
        status, headers, data = browser.ask("GET", path)
        assert status == 200
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "script-src 'self'" in policy
        assert "unsafe" not in policy
        text = data.decode()
        assert " style=" not in text
        assert " onclick=" not in text
    folder = re.search(rb"/static/\w+/", data)[0].decode()
    for name in ("../app.py", "..%2fapp.py", "page.html", "html.py", "x.js", "index.html"):
        assert browser.ask("GET", folder + name)[0] == 404


def test_pages_are_in_the_language_of_the_browser(browser):
    japanese = {"Accept-Language": "ja-JP,ja;q=0.9,en;q=0.8"}
    assert b'lang="ja"' in browser.ask("GET", "/", **japanese)[2]
    assert b'lang="en"' in browser.ask("GET", "/", Accept_Language="fr")[2]
    browser.cookies["masume-lang"] = "ja"
    assert b'lang="ja"' in browser.ask("GET", "/", Accept_Language="en")[2]


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "", "10.0.0.1:8000"])
def test_a_foreign_name_is_refused(browser, host):
    assert browser.ask("GET", "/api/lobby", Host=host)[0] == 421


@pytest.mark.parametrize("name", ["contest.example.org", "contest.example.org:8443"])
@pytest.mark.parametrize("passed_on", [None, "127.0.0.1:8000"])
def test_a_proxy_serves_the_page_under_names_that_are_given(name, passed_on):
    with page(front=Front(names=(name,))) as server:
        browser, body = Browser(server), {"game": "nezumi", "seats": ["me", "random"]}
        for origin, status in (
            (f"https://{name}", 200), (f"http://{name}", 200), ("https://evil.example", 403), (f"ftp://{name}", 403),
            (f"https://{name}.evil.example", 403), (f"https://evil.example://{name}", 403), (name, 403),
        ):  # fmt: skip
            host = passed_on or name
            assert browser.ask("POST", "/api/play", body, Host=host, Origin=origin)[0] == status
        assert browser.ask("GET", "/", Host="other.example.org")[0] == 421


def test_a_page_that_is_open_to_the_network_is_known_by_the_names_of_its_machine(monkeypatch):
    monkeypatch.setattr("socket.gethostname", lambda: "Room5.school.example")
    for host, status in (("127.0.0.1", 421), ("0.0.0.0", 200)):
        with running(PageServer(Gallery(), Access(), Front(host))) as server:
            for name in ("room5.school.example", "room5.local", "Room5.local:8000"):
                assert Browser(server).ask("GET", "/api/lobby", Host=name)[0] == status


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Origin": "http://evil.example"}, 403), ({"Origin": None}, 403), ({"Origin": "null"}, 403),
        ({"Content_Type": "text/plain"}, 415), ({"Content_Type": None}, 415),
    ],
)  # fmt: skip
def test_a_foreign_page_cannot_post(browser, headers, status):
    body = {"game": "nezumi", "seats": ["me", "random"]}
    assert browser.ask("POST", "/api/play", body, **headers)[0] == status


@pytest.mark.parametrize(
    ("body", "status", "text"),
    [
        (b"{", 422, "expected JSON"), (b"[]", 422, "expected an object"), (b"x" * 70_000, 413, "bytes"),
        ({}, 422, "game: expected a string"), ({"game": "chess"}, 422, "game: unknown"),
        ({"game": "nezumi", "seats": ["me"]}, 422, "seats: expected a list of 2"),
        ({"game": "nezumi", "seats": ["me", "cmd:rm"]}, 422, "seats: expected me, guest or one of"),
        ({"game": "nezumi", "seats": ["me", ["random"]]}, 422, "seats: expected"),
        ({"game": "nezumi", "seats": ["random", "random"]}, 422, "seats: expected a person"),
        ({"game": "nezumi", "seats": ["me", "random"], "start": "moon"}, 422, "start: expected one of"),
        ({"game": "nezumi", "seats": ["me", "random"], "variant": "x"}, 422, "variant: expected one of"),
        ({"game": "nezumi", "seats": ["me", "random"], "clock": "x"}, 422, "clock: expected"),
        ({"game": "nezumi", "seats": ["me", "random"], "seed": -1}, 422, "seed: expected"),
        ({"game": "nezumi", "seats": ["me", "random"], "seed": True}, 422, "seed: expected"),
    ],
)  # fmt: skip
def test_what_cannot_be_played_is_explained(browser, body, status, text):
    found, _headers, data = browser.ask("POST", "/api/play", body)
    assert found == status
    assert text in json.loads(data)["text"]


def first_ask(browser, match):
    with browser.stream(f"/api/m/{match}/events") as events:
        return next(json.loads(data)[0] for kind, _, data in events if kind == "ask" and data != "[]")


def test_only_the_owner_of_a_seat_acts_and_only_on_the_open_question(server, browser):
    match = browser.post("/api/play", {"game": "kakomimasu", "seats": ["me", "random"]})["id"]
    ask = first_ask(browser, match)
    other = Browser(server)
    step = first_step(ask)
    body = {"ask": ask["id"], "nonce": "a", "steps": [step]}
    assert other.ask("POST", f"/api/m/{match}/act", body)[0] == 403
    assert other.ask("POST", f"/api/m/{match}/draft", body)[0] == 403
    other.cookies = {name: "x" * len(value) for name, value in browser.cookies.items()}
    assert other.ask("POST", f"/api/m/{match}/act", body)[0] == 403
    assert other.ask("POST", f"/api/m/{match}/host", {"do": "pause"})[0] == 403
    with other.stream(f"/api/m/{match}/events") as events:
        assert next(data for kind, _, data in events if kind == "ask") == "[]"
    assert browser.ask("POST", f"/api/m/{match}/act", body | {"ask": ask["id"] + 1})[0] == 409
    status, _, data = browser.ask("POST", f"/api/m/{match}/act", body | {"steps": [["do", step[1], 9999]]})
    assert status == 422
    assert "not allowed" in json.loads(data)["text"]
    for steps in ("x", [["do"]], [["do", 0]], [["do", "a", 1]], [["jump", 0, 1]], [[1]], [["do", 0, True]]):
        assert browser.ask("POST", f"/api/m/{match}/act", body | {"steps": steps})[0] == 422
    first = browser.post(f"/api/m/{match}/act", body)
    assert browser.post(f"/api/m/{match}/act", body) == first  # the same nonce, the same answer
    assert browser.ask("POST", f"/api/m/{match}/act", body | {"nonce": "b"})[0] == 409
    assert browser.ask("POST", "/api/m/none/act", body)[0] == 404


def test_a_turn_is_drafted_undone_and_done_again(browser):
    match = browser.post("/api/play", {"game": "nezumi", "seats": ["random", "me"], "seed": 1})["id"]
    ask = first_ask(browser, match)
    group = next(one for one in ask["legal"] if one["to"] != [-1])
    code = group["codes"][0] if "codes" in group else group["base"] + group["to"][0]
    before = browser.get(f"/api/m/{match}")["frame"]
    drafted = browser.post(f"/api/m/{match}/draft", {"ask": ask["id"], "steps": [["do", 0, code]]})
    assert drafted["ask"]["size"] == 1
    assert drafted["frame"]["places"] != before["places"]
    assert browser.get(f"/api/m/{match}")["frame"] == before  # nobody else sees a draft
    undone = browser.post(f"/api/m/{match}/draft", {"ask": ask["id"], "steps": [["undo"]]})
    assert undone["ask"]["legal"] == ask["legal"]
    assert undone["ask"]["redo"]
    again = browser.post(f"/api/m/{match}/draft", {"ask": ask["id"], "steps": [["redo"]]})
    assert again["frame"] == drafted["frame"]


def test_a_hint_is_an_action_that_may_be_played(browser):
    match = browser.post("/api/play", {"game": "chaser", "seats": ["me", "random"], "seed": 3})["id"]
    ask = first_ask(browser, match)
    hint = browser.post(f"/api/m/{match}/hint", {"ask": ask["id"]})
    assert len(hint["actions"]) == 1
    browser.post(f"/api/m/{match}/act", {"ask": ask["id"], "nonce": "n", "steps": [["do", 0, hint["actions"][0]]]})


def test_a_second_person_takes_the_other_seat_by_an_invitation(server, browser):
    match = browser.post("/api/play", {"game": "nezumi", "seats": ["me", "guest"]})["id"]
    facts = browser.get(f"/api/m/{match}")["match"]
    assert facts["phase"] == "waiting"
    assert facts["missing"] == [1]
    link = facts["invitations"]["1"]
    guest = Browser(server)
    status, headers, _ = guest.ask("GET", link)
    assert status == 307
    token = headers["location"].partition("#")[2]
    assert token not in str(guest.get(f"/api/m/{match}"))
    guest.post(f"/api/m/{match}/sit", {"token": token, "name": "Bo"})
    assert guest.get(f"/api/m/{match}")["match"]["mine"] == [1]
    assert guest.ask("POST", f"/api/m/{match}/sit", {"token": token})[0] == 410
    assert guest.ask("GET", link)[0] == 410
    with browser.stream(f"/api/m/{match}/events") as events:
        assert (
            next(json.loads(data)["names"] for kind, _, data in events if kind == "match" and '"running"' in data)[1]
            == "Bo"
        )


def test_who_comes_late_or_comes_back_gets_what_is_missing(server, browser):
    match, _facts = play(browser, "chaser", first_step, seats=["me", "random"])
    whole = browser.events(f"/api/m/{match}/events?view=all")
    (kind, name, data), *_ = whole
    last = json.loads(data)
    assert kind == "frame"
    assert last["whole"]
    boot, _, number = name.partition(".")
    assert last["n"] == int(number)
    if last["n"] > 1:
        back = browser.events(f"/api/m/{match}/events?view=all&from={boot}.{last['n'] - 2}")
        assert [json.loads(data)["n"] for kind, _, data in back if kind == "frame"] == [last["n"] - 1, last["n"]]
    for unknown in ("x.1", f"{boot}.999999", f"{boot}.x", "1"):
        assert browser.events(f"/api/m/{match}/events?view=all&from={unknown}")[0][2] == data


def follow(server, game, seed, names, pace=None):
    """Play a match of agents in this thread, on the page; return the match and its record."""
    match = server.begin(game, seed, names)

    async def hold():
        seats = [make_seat(name, game) for name in names]
        try:
            return await play_match(game, seats, seed, follow=server.follow(match))
        finally:
            await asyncio.gather(*(seat.close() for seat in seats))

    record = asyncio.run(hold())
    server.finish(match, record.replay)
    return match, record


@pytest.mark.parametrize("game", GAMES)
def test_a_match_of_another_thread_is_shown(server, browser, game):
    game = game_of(game, "", "")  # as the page offers it: small
    match, record = follow(server, game, 5, ["random"] * game.num_players)
    with browser.stream(f"/api/m/{match.id}/events") as events:
        assert any(kind == "end" for kind, _, _ in events)
    found = browser.get(f"/api/m/{match.id}?view=all")
    assert found["match"]["returns"] == record.replay.returns
    assert found["match"]["names"] == record.replay.names
    assert [scores[0] for scores in found["frame"]["scores"]] == record.replay.scores


def ready_match(browser):
    """Return the id of a match as soon as it waits for its start."""
    with browser.stream("/api/events") as events:
        return next(json.loads(data)["matches"][0]["id"] for _, _, data in events if '"ready"' in data)


def test_a_match_waits_for_start_and_stands_while_it_is_paused():
    with page(Playback(0.0, waits=True)) as server:
        host = Browser(server)
        host.ask("GET", f"/host/{server.host_link.rpartition('/')[2]}")
        game = masume.load("nezumi")
        thread = threading.Thread(target=lambda: follow(server, game, 5, ["random", "random"]))
        thread.start()
        match = ready_match(host)
        assert host.get(f"/api/m/{match}")["count"] == 1
        host.post(f"/api/m/{match}/host", {"do": "pause"})
        host.post(f"/api/m/{match}/host", {"do": "start"})
        assert host.get(f"/api/m/{match}")["match"]["phase"] == "paused"
        assert host.get(f"/api/m/{match}")["count"] == 1
        for delay in (-1, 60_001, "x", True):
            assert host.ask("POST", f"/api/m/{match}/host", {"do": "pace", "delay_ms": delay})[0] == 422
        assert host.ask("POST", f"/api/m/{match}/host", {"do": "explode"})[0] == 422
        host.post(f"/api/m/{match}/host", {"do": "resume"})
        thread.join(WAIT_S)
        assert not thread.is_alive()


def test_a_hiding_game_is_shown_to_the_host_only_until_it_is_over():
    with page(Playback(0.0, waits=True)) as server:
        host, stranger = Browser(server), Browser(server)
        host.ask("GET", f"/host/{server.host_link.rpartition('/')[2]}")
        assert stranger.ask("GET", "/host/wrong")[0] == 403
        thread = threading.Thread(target=lambda: follow(server, masume.load("chaser"), 5, ["random", "random"]))
        thread.start()
        match = ready_match(host)
        for view in ("", "all", "0", "1"):
            assert "scene" in host.get(f"/api/m/{match}?view={view}")
            found = stranger.get(f"/api/m/{match}?view={view}")
            assert "scene" not in found
            assert "hidden" in found
            assert stranger.ask("GET", f"/api/m/{match}/film/0?view={view}")[0] == 403
        with stranger.stream(f"/api/m/{match}/events") as events:
            kinds = {next(events)[0]}
            host.post(f"/api/m/{match}/host", {"do": "start"})
            kinds |= {kind for kind, _, _ in events}
        assert "end" in kinds
        assert "frame" not in kinds
        thread.join(WAIT_S)
        assert "scene" in stranger.get(f"/api/m/{match}?view=all")


def test_a_host_who_plays_sees_no_more_than_the_player(server, browser):
    browser.ask("GET", f"/host/{server.host_link.rpartition('/')[2]}")
    match = browser.post("/api/play", {"game": "chaser", "seats": ["me", "random"]})["id"]
    assert "hidden" in browser.get(f"/api/m/{match}?view=all")
    assert "hidden" in browser.get(f"/api/m/{match}?view=1")
    assert browser.get(f"/api/m/{match}")["view"] == 0


def test_a_game_without_pictures_is_shown_as_text(server, browser):
    game = masume.load(Counting())
    one = play_game(game, [make_agent("random", game) for _ in range(game.num_players)], 3).to_replay(3, ["a", "b"])
    server.call(server.gallery.add_replays, [one])
    with browser.stream("/api/events") as events:
        (facts,) = next(json.loads(data)["matches"] for _, _, data in events if '"over"' in data)
    found = browser.get(f"/api/m/{facts['id']}?view=all")
    assert found["scene"]["tiles"] == []
    assert found["frame"]["text"]


@pytest.mark.parametrize("game", ["nezumi", "battleship", "kakomimasu"])
def test_a_search_says_what_it_thinks_of_a_finished_game(server, browser, monkeypatch, game):
    monkeypatch.setattr(values, "SEARCH", "mcts:8")
    board = game_of(game, "", "")
    one = play_game(board, [make_agent("random", board) for _ in range(2)], 3).to_replay(3, ["a", "b"])
    server.call(server.gallery.add_replays, [one], "game")
    found = [browser.post(f"/api/m/game/values?view={view}", {})["values"] for view in ("all", "0", "all")]
    assert found[0] == found[2]
    assert 2 <= len(found[0]) <= values.MOST
    count = browser.get("/api/m/game?view=all")["count"]
    assert found[0][0][0] == 0
    assert all(0 <= frame < count and -1 <= value <= 1 for frame, value in found[0])
    assert [value for _, value in found[0]] == [value for _, value in found[1]]


def test_a_search_looks_at_no_game_that_is_played(browser):
    match = browser.post("/api/play", {"game": "nezumi", "seats": ["me", "random"]})["id"]
    assert browser.ask("POST", f"/api/m/{match}/values", {})[0] == 409


def test_a_game_of_agents_tells_why_it_ended(server, browser):
    board = game_of("chaser", "", "")
    one = play_game(board, [make_agent("random", board) for _ in range(2)], 3).to_replay(3, ["a", "b"])
    assert (one.reason, one.returns) == ("COLLISION", [-1, 1])
    for number, known in enumerate((one, dataclasses.replace(one, reason=None))):
        server.call(server.gallery.add_replays, [known], f"game{number}")
        assert browser.get(f"/api/m/game{number}?view=all")["match"]["why"] == "a walked into a block"


@pytest.mark.parametrize("name", masume.games())
def test_every_end_of_random_games_is_said_in_a_sentence(name):
    game = masume.load(name)
    endings = getattr(game.part("people"), "ENDINGS", {})
    reasons = {reason_of(random_game(game, ["x"] * game.num_players, seed).positions[-1]) for seed in range(8)}
    assert reasons <= {None, *endings}
    for sentence in endings.values():
        assert set(re.findall(r"\{(\w+)\}", sentence)) <= {"winner", "loser"}
