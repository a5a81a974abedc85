"""What the page refuses changes nothing: every request is checked before it has an effect."""

import copy
import html
import json
import re
import time

import pytest

pytest.importorskip("starlette", reason="starlette is not installed")
pytest.importorskip("uvicorn", reason="uvicorn is not installed")

from masume.errors import ConfigError
from masume.web import drafts, holding
from visitors import WAIT_S, Browser, answer, last_step, page, question

WRONG = (None, True, -1, 10**30, 1.5, "x", "x" * 1000, [], ["x"], {}, [["do", 0, 10**9]], [["do"]])
"""What no page sends in the place of something else."""


SEATS = {"nezumi": ["random", "me"], "terraforming": ["me", "random", "random"]}  # the mice begin


@pytest.fixture
def server(tmp_path):
    with page(folder=tmp_path) as found:
        yield found


@pytest.fixture
def browser(server):
    return Browser(server)


def begin(browser, game, **fields):
    return browser.post("/api/play", {"game": game, "seats": SEATS.get(game, ["me", "random"]), "seed": 3, **fields})[
        "id"
    ]


def snapshot(server):
    """Return everything that a request may change, when nothing goes on by itself."""
    until = time.monotonic() + WAIT_S
    while any(goes_on(match) for match in list(server.gallery.found.values())):
        assert time.monotonic() < until
        time.sleep(0.005)
    return {
        name: (
            match.phase, match.is_paused, match.is_started, match.delay_s, len(match.moves), match.version,
            [
                (seat.name, seat.token, seat.invitation, seat.is_taken, seat.window, seat.answered, seat.is_thinking)
                + (() if seat.question is None else (seat.question.number, seat.question.version, drafted(seat)))
                for seat in match.seats.values()
            ],
        )
        for name, match in server.gallery.found.items()
    } | {"jobs": len(server._page.jobs._found), "valuing": len(server._page.values)}  # fmt: skip


def goes_on(match):
    """Return whether nobody is waited for."""
    seats = match.seats.values()
    decided = [seat.question is None or seat.question.answer.done() for seat in seats if seat.is_taken]
    return len(decided) == len(seats) and all(decided) and not match.is_over


def drafted(seat):
    draft = seat.question.draft
    return draft.state.to_dict(), copy.deepcopy(draft._done), copy.deepcopy(draft._undone)


@pytest.mark.parametrize("game", ["chaser", "battleship"])
def test_a_draft_in_a_game_that_hides_changes_nothing(server, browser, game):
    match = begin(browser, game)
    ask = question(browser, match)
    before = snapshot(server)
    for steps in ([last_step(ask)], [last_step(ask), ["undo"]], [["undo"]], []):
        told = browser.post(f"/api/m/{match}/draft", {"ask": ask["id"], "steps": steps}, 422)
        assert told["text"] == "in this game a choice is played at once, and nothing can be taken back"
        assert snapshot(server) == before
    # several steps at once would tell, by what is refused, what the first one found
    browser.post(f"/api/m/{match}/act", {"ask": ask["id"], "nonce": "n", "steps": [last_step(ask)] * 2}, 422)
    assert snapshot(server) == before
    assert question(browser, match)["legal"] == ask["legal"]
    answer(browser, match, ask)


@pytest.mark.parametrize("game", ["kakomimasu", "nezumi", "terraforming"])
@pytest.mark.parametrize("path", ["draft", "act"])
def test_steps_are_taken_all_or_none(server, browser, game, path):
    match = begin(browser, game)
    ask = question(browser, match)
    before = snapshot(server)
    for bad in (["do", 0, 10**6], ["do", 99, 0], ["do", 0, -1]):
        body = {"ask": ask["id"], "nonce": "n", "steps": [last_step(ask), bad]}
        browser.post(f"/api/m/{match}/{path}", body, 422)
        assert snapshot(server) == before


def test_a_plan_that_is_changed_again_and_again_does_not_grow(server, browser):
    match = begin(browser, "kakomimasu")
    ask = question(browser, match)
    group = max(ask["legal"], key=lambda group: len(group["to"]))
    codes = group.get("codes") or [group["base"] + to for to in group["to"]]
    first, second = ask["slots"][:2]
    browser.post(f"/api/m/{match}/draft", {"ask": ask["id"], "steps": [["do", second, codes[2]]]})
    steps = [["do", first, codes[k % 2]] for k in range(1000)]
    for _ in range(2):
        ask = browser.post(f"/api/m/{match}/draft", {"ask": ask["id"], "steps": steps})["ask"]
    assert ask["size"] == drafts.MAX_STEPS
    assert sorted(ask["plan"]) == sorted([[first, codes[1]], [second, codes[2]]])
    ask = browser.post(f"/api/m/{match}/draft", {"ask": ask["id"], "steps": [["undo"]]})["ask"]
    assert sorted(ask["plan"]) == sorted([[first, codes[0]], [second, codes[2]]])
    ask = browser.post(f"/api/m/{match}/draft", {"ask": ask["id"], "steps": [["undo"]] * 1000})["ask"]
    assert ask["size"] == 0
    assert ask["plan"] == []


def test_a_seat_that_is_taken_again_and_again_leaves_the_cookie_as_it_is(server, browser):
    match = begin(browser, "nezumi")
    (seat,) = server.gallery.found[match].seats.values()
    before = browser.cookies[f"masume-{match}"]
    for _ in range(3):
        browser.post(f"/api/m/{match}/sit", {"token": seat.token})
    assert browser.cookies[f"masume-{match}"] == before


@pytest.mark.parametrize("what", ["seat", "journal"])
def test_a_match_that_cannot_begin_takes_nobodys_room(server, browser, monkeypatch, what):
    left = begin(browser, "nezumi")
    monkeypatch.setattr(holding, "MAX_PLAYED", 1)
    monkeypatch.setattr(holding, "LEFT_S", 0.0)

    def fail(*_arguments):
        raise ConfigError("seats: no such agent")

    if what == "seat":
        monkeypatch.setattr(holding, "make_seat", fail)
    else:
        monkeypatch.setattr(holding.Journal, "begin", fail)
    before = snapshot(server)
    browser.post("/api/play", {"game": "nezumi", "seats": ["me", "random"]}, 422)
    assert snapshot(server) == before
    assert (server.gallery.folder / "unfinished" / f"{left}.jsonl").exists()


def test_whatever_is_wrong_in_a_request_nothing_changes(server, browser):
    """Break each field of each request in turn."""
    match = begin(browser, "kakomimasu")
    ask = question(browser, match)
    open_ = begin(browser, "chaser", seats=["me", "guest"])
    seat = server.gallery.found[open_].seats[1]
    sheet = browser.post("/api/make/chaser/open", {})
    requests = {
        "/api/play": {"game": "nezumi", "start": "", "variant": "", "text": "", "clock": "none", "seed": 3,
                      "seats": ["me", "random"], "name": "Kai"},
        f"/api/m/{match}/draft": {"ask": ask["id"], "steps": [last_step(ask)]},
        f"/api/m/{match}/act": {"ask": ask["id"], "nonce": "n", "steps": [last_step(ask)]},
        f"/api/m/{open_}/sit": {"token": seat.invitation, "name": "Bo"},
        f"/api/m/{match}/take": {"window": "w" * 8},
        f"/api/m/{match}/host": {"do": "pace", "delay_ms": 5},
        f"/api/m/{match}/hint": {"ask": ask["id"]},
        f"/api/m/{match}/values": {},
        "/api/contest/do": {"nonce": "n", "seen": "", "order": {"do": "start", "match": None}},
        "/api/make/chaser/open": {"size": [15, 17]},
        "/api/make/chaser/check": {"sheet": sheet},
        "/api/make/chaser/job": {"sheet": sheet, "task": 0},
    }  # fmt: skip
    num_refused = 0
    for path, body in requests.items():
        broken = [{**body, key: value} for key in body for value in WRONG if value != body[key]]
        broken += [{other: value for other, value in body.items() if other != key} for key in body]
        for one in (*map(json.dumps, broken), "", "[]", "{", '"' + "\\ud800" * 9 + '"', "[" * 50_000):
            before = snapshot(server)
            status, _headers, data = browser.ask("POST", path, one.encode())
            assert status < 500, (path, one, data)
            if status >= 400:
                num_refused += 1
                assert snapshot(server) == before, (path, one, data)
                assert "Error" not in json.loads(data)["text"]
    assert num_refused > 100


def test_a_request_that_no_page_sends_is_refused_in_the_language_of_its_browser(server, browser):
    body, english = {"game": "nezumi", "seats": ["me", "random"]}, "only pages of this server may send this"
    for language, words in (("en", english), ("ja", "このサーバーのページからしか送れません")):
        headers = {"Accept-Language": language, "Origin": "http://other"}
        status, _, data = browser.ask("POST", "/api/play", body, **headers)
        assert (status, json.loads(data)["text"]) == (403, words)


HTML = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}


@pytest.mark.parametrize(
    ("path", "status", "english", "japanese"),
    [
        (
            "/host/x",
            403,
            "this is not the host&#x27;s link: the terminal shows the one that holds now",
            "これは主催者リンクではありません。いま使えるリンクは端末に表示されています",
        ),
        (
            "/hall/x",
            403,
            "this is not the hall&#x27;s link: the terminal shows the one that holds now",
            "これは会場リンクではありません。いま使えるリンクは端末に表示されています",
        ),
        ("/nothing", 404, "there is nothing at this address", "このアドレスには何もありません"),
        ("/m/none", 404, "there is no such match", "その試合はありません"),
        ("/play/chess", 404, "there is no such game", "そのゲームはありません"),
        ("/learn/chess", 404, "there is no such game", "そのゲームはありません"),
        ("/make/chess", 404, "there is no such game", "そのゲームはありません"),
        ("/static/x/app.js", 404, "there is no such file", "そのファイルはありません"),
        (
            "/j/used",
            410,
            "this invitation has been used, or its match is gone",
            "この招待リンクは使用済みか、試合がもうありません",
        ),
        ("/api/play", 405, "this address does not take this method", "このアドレスではこのメソッドを使えません"),
    ],
)
def test_people_get_words_in_their_language_and_scripts_get_json(browser, path, status, english, japanese):
    for language, words in (("en", english), ("ja", japanese)):
        found, headers, data = browser.ask("GET", path, Accept_Language=language, **HTML)
        assert (found, headers["Content-Type"]) == (status, "text/html; charset=utf-8")
        assert words in data.decode()
        assert f'<html lang="{language}">' in data.decode()
        assert 'href="/"' in data.decode()
        for style in re.findall(r'stylesheet" href="([^"]+)"', data.decode()):
            assert browser.ask("GET", style)[0] == 200
        found, headers, data = browser.ask("GET", path, Accept_Language=language, Accept="*/*")
        assert (found, headers["Content-Type"]) == (status, "application/json")
        assert json.loads(data)["text"] == html.unescape(words)
        assert headers["Content-Security-Policy"]


def test_a_foreign_name_is_refused_on_a_page_with_words(browser):
    status, headers, data = browser.ask("GET", "/", Host="<evil>.example", **HTML)
    assert status == 421
    assert "&#x27;&lt;evil&gt;.example&#x27; is not a name of this server" in data.decode()
    assert headers["Content-Security-Policy"]


@pytest.mark.parametrize(
    "method", ["PUT", "PATCH", "DELETE", "OPTIONS", "HEAD", "GET", "POST", "TRACE", "CONNECT", "BREW"]
)
def test_every_method_is_answered_and_ends(server, browser, method):
    match = begin(browser, "nezumi")
    allowed = {"/": "GET, HEAD", "/api/events": "GET, HEAD", f"/api/m/{match}/events": "GET, HEAD",
               "/host/x": "GET, HEAD", "/api/play": "POST", f"/api/m/{match}/act": "POST"}  # fmt: skip
    for path, methods in allowed.items():
        if method == "GET" and path.endswith("events"):
            continue
        status, headers, data = browser.ask(method, path, b"{}" if method == "POST" else None)
        if method in ("TRACE", "CONNECT", "BREW"):
            assert status == 501
        elif method in methods.split(", "):
            assert status in (200, 403, 422)
        else:
            assert status == 405
            assert sorted(headers["Allow"].split(", ")) == methods.split(", ")
        assert data == b"" or method != "HEAD"
    assert server._page.streams.count == 0
