"""The page when something goes wrong: mistakes of the program, restarts, several windows, and too much."""

import asyncio
import gc
import json
import os
import threading
import time
import weakref

import pytest

pytest.importorskip("starlette", reason="starlette is not installed")
pytest.importorskip("uvicorn", reason="uvicorn is not installed")

import masume
from masume.agents.make import make_agent
from masume.core import growing, system
from masume.errors import MatchError
from masume.play.driver import play_game
from masume.records import replay
from masume.referee.clock import TimeControl
from masume.referee.seats import make_seat
from masume.web import films, gallery, holding, journals
from masume.web.facts import Facts
from masume.web.films import Films
from masume.web.gallery import Gallery
from masume.web.holding import Holding
from masume.web.offers import game_of
from masume.web.people import PersonSeat
from masume.web.viewer import Viewer
from visitors import WAIT_S, Browser, last_step, page, question


@pytest.fixture
def server():
    with page() as found:
        yield found


@pytest.fixture
def browser(server):
    return Browser(server)


def begin(browser, game="nezumi", **fields):
    return browser.post("/api/play", {"game": game, "seats": ["me", "random"], "seed": 3, **fields})["id"]


def act(browser, match, ask, window="", status=200):
    body = {"ask": ask["id"], "nonce": f"{window}{ask['id']}", "steps": [last_step(ask)]}
    return browser.post(f"/api/m/{match}/act?window={window}", body, status)


def facts_at_end(browser, match):
    events = browser.events(f"/api/m/{match}/events")
    assert events[-1][0] == "end"
    return next(json.loads(data) for kind, _, data in reversed(events) if kind == "match")


def wait_until(condition):
    until = time.monotonic() + WAIT_S
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.01)


# -- mistakes of the program -----------------------------------------------------------------------


@pytest.mark.parametrize("method", ["open", "start", "act", "tell", "end", "close"])
def test_an_exception_in_a_seat_ends_the_match_with_a_notice(server, browser, monkeypatch, capfd, method):
    def make_broken(name, game):
        async def fail(*_arguments):
            raise ZeroDivisionError("of the seat")

        seat = make_seat(name, game)
        setattr(seat, method, fail)
        return seat

    monkeypatch.setattr(holding, "make_seat", make_broken)
    match = begin(browser, clock="move=1")
    facts = facts_at_end(browser, match)
    assert facts["phase"] == "broken"
    assert "ZeroDivisionError: of the seat" in facts["detail"]
    assert "of the seat" in capfd.readouterr().err
    wait_until(lambda: not server._page.holding._tasks)
    monkeypatch.undo()
    assert question(browser, begin(browser))  # the page goes on


def test_an_agent_that_raises_loses_by_the_rules(server, browser, monkeypatch):
    class Raising:
        name = "raising"

        def start(self, *_arguments):
            pass

        def act(self, view):
            raise ZeroDivisionError

        def close(self):
            pass

    from masume.referee.seat import AgentSeat

    monkeypatch.setattr(holding, "make_seat", lambda *_: AgentSeat(Raising()))
    match = begin(browser, "chaser", clock="move=1")
    facts = facts_at_end(browser, match)
    assert facts["phase"] == "over"
    assert facts["winners"]


def test_a_seat_that_cannot_play_is_told(server, browser, monkeypatch):
    def refuse(name, game):
        async def fail(*_arguments):
            raise MatchError("the program is too old")

        seat = make_seat(name, game)
        seat.open = fail
        return seat

    monkeypatch.setattr(holding, "make_seat", refuse)
    assert facts_at_end(browser, begin(browser))["detail"] == "the program is too old"


def test_a_film_that_cannot_be_made_ends_the_stream_with_a_notice(server, browser, monkeypatch, capfd):
    match = begin(browser)

    def fail(*_arguments):
        raise ZeroDivisionError

    ask = question(browser, match)
    monkeypatch.setattr(films.Film, "_play", fail)
    with browser.stream(f"/api/m/{match}/events") as events:
        assert next(kind for kind, _, _ in events) == "frame"
        act(browser, match, ask)
        assert [(kind, data) for kind, _, data in events if kind != "match"][-1] == (
            "broken", '{"text":"ZeroDivisionError"}',
        )  # fmt: skip
    status, _, data = browser.ask("GET", f"/api/m/{match}")
    assert status == 500
    assert "internal server error" in json.loads(data)["text"]
    assert "ZeroDivisionError" in capfd.readouterr().err


def no_space(*_arguments, **_options):
    raise OSError(28, "No space left on device")


def test_a_replay_that_cannot_be_kept_leaves_the_journal(tmp_path, monkeypatch, capfd):

    with page(folder=tmp_path) as server:
        browser = Browser(server)
        monkeypatch.setattr(holding.replay, "save", no_space)
        match = begin(browser, "chaser", clock="move=1")
        assert facts_at_end(browser, match)["phase"] == "over"
        wait_until(lambda: server.gallery.found[match].halted)
    assert "No space left" in capfd.readouterr().err
    monkeypatch.undo()
    with page(folder=tmp_path) as server:  # it is over at once, and kept now
        assert facts_at_end(Browser(server), match)["phase"] == "over"
        wait_until(lambda: not server._page.holding._tasks)
    assert [path.name for path in tmp_path.rglob("*.jsonl")] == [f"{match}.jsonl"]
    replay.load(tmp_path / f"{match}.jsonl")


def test_a_replay_is_kept_when_there_is_room_again(tmp_path, monkeypatch):
    with page(folder=tmp_path) as server:
        browser = Browser(server)
        monkeypatch.setattr(holding.replay, "save", no_space)
        match = begin(browser, "chaser", clock="move=1")
        facts_at_end(browser, match)
        wait_until(lambda: server.gallery.found[match].halted)
        monkeypatch.undo()
        wait_until(lambda: not server._page.holding._tasks)
        assert not server.gallery.found[match].halted
    assert [path.name for path in tmp_path.rglob("*.jsonl")] == [f"{match}.jsonl"]


def test_a_match_that_waits_for_room_on_the_disk_makes_none_for_others(tmp_path, monkeypatch):
    """It is over, but its journal is all that is left of it: also when the page has forgotten it."""
    monkeypatch.setattr(holding, "MAX_PLAYED", 1)
    monkeypatch.setattr(holding, "AWAY_S", 0.0)
    with page(folder=tmp_path) as server:
        browser = Browser(server)
        monkeypatch.setattr(holding.replay, "save", no_space)
        match = begin(browser, "chaser", clock="move=1")
        facts_at_end(browser, match)
        wait_until(lambda: server.gallery.found[match].halted)
        del server.gallery.found[match]
        body = {"game": "nezumi", "seats": ["me", "random"]}
        assert "too many" in browser.post("/api/play", body, 503)["text"]
        assert list(tmp_path.glob("unfinished/*.jsonl"))


def test_matches_beyond_what_the_page_plays_are_set_aside(tmp_path, monkeypatch):
    with page(folder=tmp_path) as server:
        matches = {begin(Browser(server)) for _ in range(3)}
    monkeypatch.setattr(holding, "MAX_PLAYED", 2)
    monkeypatch.setattr(holding, "AWAY_S", 0.0)
    with page(folder=tmp_path) as server:
        assert len(server.gallery.found) == 2
        for match in sorted(matches, key=lambda one: one in server.gallery.found):
            assert Browser(server).get(f"/api/m/{match}")["match"]["phase"] == "running"
    assert {path.stem for path in tmp_path.glob("unfinished/*.jsonl")} == matches


def test_journals_for_which_there_is_no_room_are_closed_in_words(tmp_path, monkeypatch, capsys):
    with page(folder=tmp_path) as server:
        matches = [begin(Browser(server)) for _ in range(5)]
    for number, match in enumerate(matches):
        os.utime(tmp_path / "unfinished" / f"{match}.jsonl", (number, number))
    monkeypatch.setattr(holding, "MAX_PLAYED", 1)
    monkeypatch.setattr(holding, "MAX_ASIDE", 4)  # three for one address
    with page(folder=tmp_path):
        assert capsys.readouterr().err == f"{matches[0]}: too many matches are set aside, so the oldest one is closed\n"
    assert {path.stem for path in tmp_path.glob("unfinished/*.jsonl")} == set(matches[1:])


def test_a_button_that_is_pressed_after_the_end_halts_nothing(tmp_path):
    """The journal of a match that is over is gone, and nobody misses it."""
    with page(folder=tmp_path) as server:
        browser = Browser(server)
        match = begin(browser, "chaser", clock="move=1")
        facts_at_end(browser, match)
        wait_until(lambda: not server._page.holding._tasks)
        browser.post(f"/api/m/{match}/host", {"do": "pause"})
        facts = browser.get(f"/api/m/{match}")["match"]
        assert (facts["phase"], facts["halted"]) == ("over", "")
    assert list(tmp_path.glob("unfinished/*.jsonl")) == []


def test_whoever_is_refused_by_a_full_disk_changes_nothing(tmp_path, monkeypatch):
    """A seat, a pause and a move are refused while nothing can be written, and taken afterwards."""
    with page(folder=tmp_path) as server:
        browser, guest = Browser(server), Browser(server)
        match = begin(browser, "chaser", seats=["me", "guest"], clock="main=60000")
        link = browser.get(f"/api/m/{match}")["match"]["invitations"]["1"].rpartition("/")[2]
        (path,) = tmp_path.glob("unfinished/*.jsonl")
        before = path.read_bytes()
        monkeypatch.setattr(growing, "_write", no_space)
        assert "No space left" in guest.post(f"/api/m/{match}/sit", {"token": link}, 503)["text"]
        assert browser.get(f"/api/m/{match}")["match"]["missing"] == [1]
        browser.post(f"/api/m/{match}/host", {"do": "pause"}, 503)
        monkeypatch.undo()
        wait_until(lambda: not server.gallery.found[match].halted)
        guest.post(f"/api/m/{match}/sit", {"token": link})
        ask = question(browser, match)
        monkeypatch.setattr(growing, "_write", no_space)
        act(browser, match, ask, status=503)
        held = question(browser, match)
        assert held["held"]
        assert held["size"] == 0
        time.sleep(0.3)
        assert question(browser, match)["left_ms"] == held["left_ms"] <= ask["left_ms"]
        monkeypatch.undo()
        wait_until(lambda: not server.gallery.found[match].halted)
        act(browser, match, ask)
        question(guest, match)
        assert path.read_bytes().startswith(before)
        begun = journals.read(path).begun
        assert len(begun.moves) == 1
        assert begun.ms[0] < 60000 - held["left_ms"] + 1000


def test_a_match_that_cannot_be_kept_does_not_begin(tmp_path, monkeypatch):
    with page(folder=tmp_path) as server:
        browser = Browser(server)
        monkeypatch.setattr(growing, "write_atomic", no_space)
        body = {"game": "nezumi", "seats": ["me", "random"]}
        assert "No space left" in browser.post("/api/play", body, 503)["text"]
        assert browser.get("/api/lobby")["matches"] == []
        monkeypatch.undo()
        browser.post("/api/play", body)
        assert len(list(tmp_path.rglob("*.jsonl"))) == 1


def test_what_cannot_be_brought_to_the_disk_halts_its_match(tmp_path, monkeypatch):
    with page(folder=tmp_path) as server:
        browser = Browser(server)
        match = begin(browser)
        monkeypatch.setattr(system, "sync_file", no_space)
        act(browser, match, question(browser, match))
        wait_until(lambda: server.gallery.found[match].halted)
        monkeypatch.undo()
        wait_until(lambda: not server.gallery.found[match].halted)
        act(browser, match, question(browser, match))


def test_journals_reach_the_disk_within_a_second_but_not_in_the_loop(tmp_path, monkeypatch):
    synced = []
    sync = system.sync_file

    def note(file):
        synced.append((time.monotonic(), threading.current_thread().name))
        sync(file)

    monkeypatch.setattr(system, "sync_file", note)
    with page(folder=tmp_path) as server:
        browser = Browser(server)
        for _ in range(3):
            match = begin(browser)
        ask = question(browser, match)
        wait_until(lambda: len(synced) >= 3)
        synced.clear()
        act(browser, match, ask)
        wait_until(lambda: synced)
    assert not any("masume page" in name for _, name in synced)


# -- restarts --------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", ["nezumi", "chaser", "kakomimasu"])
def test_a_match_goes_on_after_a_restart_with_the_same_links(tmp_path, game):
    recipe = {"game": game, "seats": ["me", "random"], "clock": "main=100000,inc=5", "name": "Kai"}
    cookies, left = None, 0
    for run in range(3):
        with page(folder=tmp_path) as server:
            browser = Browser(server)
            browser.cookies = browser.cookies if cookies is None else cookies
            if run == 0:
                match = begin(browser, **recipe)
                ask = question(browser, match)
                stale = ask["id"]
            else:
                facts = browser.get(f"/api/m/{match}")["match"]
                assert facts["phase"] in ("running", "waiting")
                assert facts["mine"] == [0]
                assert facts["recipe"] == recipe
                ask = question(browser, match)
                assert ask["id"] != stale
                assert ask["left_ms"] <= left + 1000
                late = {"ask": stale, "nonce": "late", "steps": [last_step(ask)]}
                browser.post(f"/api/m/{match}/act", late, 409)
                stale = ask["id"]
            for _ in range(2):
                left = ask["left_ms"]
                if ask["undo"]:
                    while not ask["done"]:
                        planned = {slot for slot, _ in ask["plan"]}
                        group = next(one for one in ask["legal"] if set(one["slots"]) - planned)
                        slot = min(set(group["slots"]) - planned)
                        code = group["codes"][0] if "codes" in group else group["base"] + group["to"][0]
                        body = {"ask": ask["id"], "steps": [["do", slot, code]]}
                        ask = browser.post(f"/api/m/{match}/draft", body)["ask"]
                    browser.post(f"/api/m/{match}/act", {"ask": ask["id"], "nonce": f"n{ask['id']}", "steps": []})
                else:
                    act(browser, match, ask)
                stale = ask["id"]
                ask = question(browser, match)
            plies = len(server.gallery.found[match].moves)
            cookies = browser.cookies
            last = run
    assert last == 2
    (path,) = tmp_path.glob("unfinished/*.jsonl")
    assert path.stem == match
    assert path.stat().st_mode & 0o077 == 0  # it holds the secrets of the seats
    head, now, begun, _answers = journals.read(path)
    assert head["names"] == ["Kai", "random"]
    assert now["seats"]["0"][0] == "Kai"
    assert len(begun.moves) == plies
    with page(folder=tmp_path) as server:
        found = server.gallery.found[match]
        browser = Browser(server)
        browser.cookies = cookies
        question(browser, match)
        assert found.moves == list(begun.moves)


def test_an_invitation_holds_after_a_restart(tmp_path):
    with page(folder=tmp_path) as server:
        browser = Browser(server)
        match = begin(browser, seats=["me", "guest"])
        link = browser.get(f"/api/m/{match}")["match"]["invitations"]["1"]
    with page(folder=tmp_path) as server:
        guest = Browser(server)
        assert guest.ask("GET", link)[1]["location"].startswith(f"/m/{match}?seat=1#")
        guest.post(f"/api/m/{match}/sit", {"token": link.rpartition("/")[2], "name": "Bo"})
    with page(folder=tmp_path) as server:
        again = Browser(server)
        again.cookies = guest.cookies
        facts = again.get(f"/api/m/{match}")["match"]
        assert facts["mine"] == [1]
        assert again.ask("GET", link)[0] == 410
        browser = Browser(server)
        assert [one["names"][1] for one in browser.get("/api/lobby")["matches"]] in (["Bo"], ["guest"])


def test_a_pause_holds_after_a_restart(tmp_path):
    with page(folder=tmp_path) as server:
        browser = Browser(server)
        match = begin(browser)
        question(browser, match)
        browser.post(f"/api/m/{match}/host", {"do": "pause"})
    with page(folder=tmp_path) as server, Browser(server).stream(f"/api/m/{match}/events") as events:
        assert any(kind == "match" and '"phase":"paused"' in data for kind, _, data in events)


def test_a_journal_that_a_kill_cut_off_is_gone_on_with_and_a_damaged_one_is_named(tmp_path, capfd):
    with page(folder=tmp_path) as server:
        browser = Browser(server)
        whole, cut = begin(browser, "chaser"), begin(browser, "chaser")
        for match in (whole, cut):
            for _ in range(2):
                act(browser, match, question(browser, match))
            question(browser, match)
        plies = len(server.gallery.found[cut].moves)
    folder = tmp_path / "unfinished"
    path = folder / f"{cut}.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    at = max(n for n, line in enumerate(lines) if line.startswith(b'{"t":"move"'))
    path.write_bytes(b"".join(lines[:at]) + lines[at][:20])
    path = folder / f"{whole}.jsonl"
    path.write_bytes(path.read_bytes().replace(b'"t":"move","action":', b'"t":"move","action":9', 1))
    with page(folder=tmp_path) as server:
        browser = Browser(server)
        browser.ask("GET", "/")
        assert browser.ask("GET", f"/api/m/{whole}")[0] == 404
        browser.cookies = {f"masume-{cut}": server.gallery.found[cut].seats[0].token}
        question(browser, cut)
        assert plies - 1 <= len(server.gallery.found[cut].moves) <= plies + 1
    assert f"{path}: sha256: does not match the line" in capfd.readouterr().err
    assert path.exists()  # nothing of it is lost
    assert not folder.joinpath(f"{cut}.jsonl").read_bytes().count(b"}{")


def test_two_pages_of_one_folder_do_not_play_the_same_match(tmp_path, capfd):
    with page(folder=tmp_path) as server:
        match = begin(Browser(server))
        with page(folder=tmp_path) as other:
            assert match not in other.gallery.found
            begin(Browser(other))
        assert "another page uses it" in capfd.readouterr().err
        assert len(list(tmp_path.glob("unfinished/*.jsonl"))) == 1


def test_links_to_recorded_games_stay(tmp_path):
    game = game_of("nezumi", "", "")
    agents = [make_agent("random", game) for _ in range(2)]
    one = play_game(game, agents, 3).to_replay(3, ["a", "b"])
    found = Gallery()
    found.add_replays([one, one], "0001")
    found.add_replays([one], "../x y")
    assert list(found.found)[:2] == ["0001", "0001-1"]
    assert all(gallery.NAME.fullmatch(name) for name in found.found)


# -- windows and devices ---------------------------------------------------------------------------


def test_the_newest_window_has_the_seat_and_the_older_is_told(browser):
    match = begin(browser)
    first, second = "first-window", "second-window"
    browser.post(f"/api/m/{match}/take", {"window": first})
    with browser.stream(f"/api/m/{match}/events?window={first}") as events:
        ask = next(json.loads(data)[0] for kind, _, data in events if kind == "ask" and data != "[]")
        browser.post(f"/api/m/{match}/take", {"window": second})
        told = [next(events) for _ in range(2)]
        assert {kind: json.loads(data) for kind, _, data in told}["match"]["away"] == [0]
        assert {kind: json.loads(data) for kind, _, data in told}["ask"] == []
    for path in ("act", "draft", "hint"):
        body = {"ask": ask["id"], "nonce": "n", "steps": [last_step(ask)]}
        status, _, data = browser.ask("POST", f"/api/m/{match}/{path}?window={first}", body)
        assert status == 409
        assert "another window" in json.loads(data)["text"]
    assert browser.get(f"/api/m/{match}?window={second}")["match"]["away"] == []
    ask = question(browser, match, second)
    assert browser.ask("POST", f"/api/m/{match}/draft?window={second}", {"ask": ask["id"], "steps": []})[0] == 200
    for window in ("", "x", "x" * 65, 1):
        assert browser.ask("POST", f"/api/m/{match}/take", {"window": window})[0] == 422


def test_a_seat_is_taken_over_on_another_device_by_its_secret_link(server, browser):
    match = begin(browser, "chaser")
    browser.post(f"/api/m/{match}/take", {"window": "at-the-desk"})
    link = browser.get(f"/api/m/{match}?window=at-the-desk")["match"]["links"]["0"]
    stranger, phone = Browser(server), Browser(server)
    assert "links" not in stranger.get(f"/api/m/{match}")["match"]
    stranger.post(f"/api/m/{match}/take", {"window": "of-a-stranger"})
    assert browser.get(f"/api/m/{match}?window=at-the-desk")["match"]["away"] == []
    token = phone.ask("GET", link)[1]["location"].partition("#")[2]
    phone.post(f"/api/m/{match}/sit", {"token": token})
    phone.post(f"/api/m/{match}/take", {"window": "on-the-phone"})
    assert browser.get(f"/api/m/{match}?window=at-the-desk")["match"]["away"] == [0]
    ask = question(phone, match, "on-the-phone")
    act(browser, match, ask, "at-the-desk", status=409)
    act(phone, match, ask, "on-the-phone")


def test_who_invites_does_not_get_the_seat_of_the_guest(server, browser):
    match = begin(browser, "chaser", seats=["me", "guest"])
    token = browser.get(f"/api/m/{match}")["match"]["invitations"]["1"].rpartition("/")[2]
    guest = Browser(server)
    guest.post(f"/api/m/{match}/sit", {"token": token})
    for value in (token, f"{browser.cookies[f'masume-{match}']}.{token}"):
        cheat = Browser(server)
        cheat.cookies[f"masume-{match}"] = value
        assert 1 not in cheat.get(f"/api/m/{match}")["match"]["mine"]
    assert cheat.ask("POST", f"/api/m/{match}/sit", {"token": token})[0] == 410


def test_a_connection_that_was_lost_goes_on_where_it_was(browser):
    match = begin(browser, "chaser")
    with browser.stream(f"/api/m/{match}/events") as events:
        _kind, name, _data = next(events)
    number = int(name.partition(".")[2])
    for _ in range(3):
        act(browser, match, question(browser, match))
    question(browser, match)
    with browser.stream(f"/api/m/{match}/events", Last_Event_ID=name) as events:
        kind, later, data = next(events)
        assert kind == "frame"
        assert later.endswith(f".{number + 1}")
        assert "whole" not in json.loads(data)


# -- too much --------------------------------------------------------------------------------------


@pytest.mark.parametrize("secret", ["é", "\udc80", "トークン", "a" * 5000])
def test_secrets_of_any_letters_are_wrong_and_no_more(server, browser, secret):
    match = begin(browser, seats=["me", "guest"])
    assert browser.ask("POST", f"/api/m/{match}/sit", {"token": secret})[0] in (410, 422)
    encoded = secret.encode("utf-8", "surrogateescape")
    path = "".join(f"%{byte:02x}" for byte in encoded)
    assert browser.ask("GET", f"/j/{path}")[0] == 410
    assert browser.ask("GET", f"/host/{path}")[0] == 403
    stranger = Browser(server)
    stranger.cookies = {"masume-host": encoded.decode("latin-1"), f"masume-{match}": encoded.decode("latin-1")}
    assert stranger.get(f"/api/m/{match}")["match"]["mine"] == []


def test_thousands_of_matches_take_the_place_of_those_nobody_looks_at(monkeypatch):
    monkeypatch.setattr(holding, "MAX_PLAYED", 4)
    with page() as server:
        browser = Browser(server)
        first, second, third = (begin(browser) for _ in range(3))
        status, _, data = browser.ask("POST", "/api/play", {"game": "nezumi", "seats": ["me", "random"]})
        assert status == 503
        assert "too many" in json.loads(data)["text"]
        monkeypatch.setattr(holding, "LEFT_S", 0.0)
        threads = threading.active_count()
        with browser.stream(f"/api/m/{first}/events") as events:
            next(events)
            for _ in range(20):
                begin(browser)
            assert browser.ask("GET", f"/api/m/{first}")[0] == 200  # somebody looks
        assert [browser.ask("GET", f"/api/m/{match}")[0] for match in (second, third)] == [404, 404]
        assert len(server._page.holding._tasks) == 3
        wait_until(lambda: threading.active_count() <= threads)


def test_a_match_that_is_forgotten_leaves_no_garbage(monkeypatch):
    monkeypatch.setattr(gallery, "MAX_MATCHES", 1)

    async def run():
        shown, films, facts = Gallery(), Films(), Facts()
        played, known = Holding(shown), []
        gc.disable()
        try:
            for _ in range(3):
                match = played.play(masume.load("nezumi"), ["me", "random"], ["a", ""], 1, TimeControl.parse("move=1"))
                while played._tasks:
                    await asyncio.sleep(0.01)
                await films.get(match, None, "en")
                facts.event(match, Viewer())
                known.append(weakref.ref(match))
                del match
            return [one() is not None for one in known]
        finally:
            gc.enable()

    assert asyncio.run(run()) == [False, False, True]


def test_finished_matches_are_forgotten_the_oldest_first_by_number_and_size(monkeypatch):
    game = masume.load("nezumi")
    one = play_game(game, [make_agent("random", game) for _ in range(2)], 3).to_replay(3, ["a", "b"])
    found = Gallery()
    monkeypatch.setattr(gallery, "MAX_MATCHES", 4)
    found.add_replays([one] * 9, "a")
    assert list(found.found) == [f"a-{n}" for n in (5, 6, 7, 8)]
    monkeypatch.setattr(gallery, "MAX_MOVES", len(one.moves))
    found.add_replays([one] * 2, "b")
    assert list(found.found) == ["b", "b-1"]


def test_films_of_finished_matches_are_freed_unless_somebody_watches(monkeypatch):
    monkeypatch.setattr(films, "MAX_SIZE", 1)
    game = masume.load("nezumi")
    one = play_game(game, [make_agent("random", game) for _ in range(2)], 3).to_replay(3, ["a", "b"])

    async def run():
        found = Gallery()
        found.add_replays([one] * 3, "a")
        shown, made = list(found.found.values()), Films()
        with shown[0].listeners.hearing():
            for match in shown:
                film = await made.get(match, None, "en")
                assert film is await made.get(match, None, "en")
        return [made.size_of(match) > 0 for match in shown]

    assert asyncio.run(run()) == [True, False, True]


def test_a_hint_is_asked_for_once_at_a_time(browser):
    match = begin(browser, "chaser")
    ask = question(browser, match)
    found = []

    def hint():
        found.append(browser.ask("POST", f"/api/m/{match}/hint", {"ask": ask["id"]})[0])

    threads = [threading.Thread(target=hint) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(WAIT_S)
    assert sorted(found) == [200, 429, 429, 429]


def test_a_match_without_a_folder_keeps_nothing():
    async def run():
        played = Holding(Gallery())
        assert played.resume() == []
        match = played.play(masume.load("nezumi"), ["me", "random"], ["a", ""], 1, TimeControl())
        assert match.journal is None
        assert isinstance(match.seats[0], PersonSeat)
        await played.close()

    asyncio.run(run())
