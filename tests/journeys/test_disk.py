"""The host of a page on a machine whose disk fills and whose power goes: what was acknowledged is kept."""

import json
import random
import signal
import sys
import time
import types

import pytest

pytest.importorskip("uvicorn", reason="uvicorn is not installed")

from kills import FullDisk
from masume.web.journals import read
from visitors import Browser

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="kill -9, and disks that can be filled")
KILLS = [pytest.param(2, id="short"), pytest.param(30, id="long", marks=[pytest.mark.slow, pytest.mark.nightly])]


def open_page(person, folder):
    """Start the page on a free port; return the command, and a browser's way to it."""
    running = person.start("masume", "serve", "--out", folder, "--port", 0)
    return running, types.SimpleNamespace(port=int(running.wait_for(r"http://127\.0\.0\.1:(\d+)/")[1]))


def restart(person, running, *people):
    """Kill the page and start it again in the same folder; return the command."""
    running.stop(signal.SIGKILL)
    running, server = open_page(person, "games")
    for one in people:
        one.server, one.host = server, f"127.0.0.1:{server.port}"
    return running


def question(browser, match):
    """Return what this browser's seat is asked, once it is; None at the end of the match."""
    with browser.stream(f"/api/m/{match}/events") as events:
        for kind, _, data in events:
            if kind == "ask" and data != "[]":
                return json.loads(data)[0]
            if kind == "end":
                return None
    return None


def act(browser, match, ask, status=200):
    """Answer a question by its last choice."""
    group = ask["legal"][-1]
    code = group["codes"][0] if "codes" in group else group["base"] + group["to"][0]
    body = {"ask": ask["id"], "nonce": f"n{ask['id']}", "steps": [["do", group["slots"][0], code]]}
    return code, browser.post(f"/api/m/{match}/act", body, status)


def begin(me, guest):
    """Begin a match between two browsers, and return its name."""
    body = {"game": "chaser", "seats": ["me", "guest"], "seed": 3, "name": "Kai", "clock": "main=600000"}
    match = me.post("/api/play", body)["id"]
    link = me.get(f"/api/m/{match}")["match"]["invitations"]["1"]
    guest.post(f"/api/m/{match}/sit", {"token": link.rpartition("/")[2], "name": "Bo"})
    return match


@pytest.mark.parametrize("kills", KILLS)
def test_moves_that_were_acknowledged_survive_kill_9(person, kills):
    """Two people in two browsers; the page is killed right after an answer, at any moment, and started again."""
    chance = random.Random(kills)
    running, server = open_page(person, "games")
    people = me, guest = Browser(server), Browser(server)
    match, given, acknowledged = begin(me, guest), [], 0
    for _ in range(kills):
        for _ in range(chance.randrange(1, 5)):
            ask = question(people[len(given) % 2], match)
            if ask is None:  # the game is over
                match, given = begin(me, guest), []
                ask = question(me, match)
            given.append(act(people[len(given) % 2], match, ask)[0])
            acknowledged += 1
        time.sleep(chance.choice([0, 0, 0, 0.002, 0.02]))
        running = restart(person, running, *people)
        question(people[len(given) % 2], match)  # what was given has been played
        facts = me.get(f"/api/m/{match}")["match"]
        assert facts["names"] == ["Kai", "Bo"]
        assert facts["phase"] in ("running", "over")
        if facts["phase"] == "running":
            assert list(read(person.folder / "games" / "unfinished" / f"{match}.jsonl").begun.moves) == given
        else:
            assert me.get(f"/api/m/{match}")["match"]["plies"] == len(given)
    print(f"{kills} kills, {acknowledged} moves acknowledged, all kept")


def test_what_one_player_planned_survives_while_the_other_thinks(person):
    """In a game in which all decide at once an answer waits for the others: it is kept before they have answered."""
    running, server = open_page(person, "games")
    me = Browser(server)
    body = {"game": "kakomimasu", "seats": ["me", "guest"], "seed": 3, "name": "Kai"}
    match = me.post("/api/play", body)["id"]
    link = me.get(f"/api/m/{match}")["match"]["invitations"]["1"]
    guest = Browser(server)
    guest.post(f"/api/m/{match}/sit", {"token": link.rpartition("/")[2], "name": "Bo"})
    running = restart(person, running, me, guest)
    ask = question(me, match)
    code, answer = act(me, match, ask)
    restart(person, running, me, guest)
    its = question(guest, match)
    assert act(me, match, ask)[1] == answer  # the answer was lost on its way: it is asked for again
    act(guest, match, its)
    assert question(me, match)["id"] != ask["id"]  # else its answer would count as given
    (path,) = person.folder.glob("games/unfinished/*.jsonl")
    (move,) = read(path)[2].moves
    assert move[ask["slots"].index(ask["legal"][-1]["slots"][0])] == code


def test_a_full_disk_stops_the_clocks_and_the_page_goes_on_when_there_is_room(person):
    disk, games = FullDisk(person.folder, size=None), person.folder / "games"
    running, server = open_page(person, games)
    me = Browser(server)
    body = {"game": "chaser", "seats": ["me", "random"], "seed": 3, "clock": "move=4000"}
    match = me.post("/api/play", body)["id"]
    ask = question(me, match)
    disk.fill(running.process.pid)
    act(me, match, ask, status=503)
    time.sleep(5)  # more than the clock has
    for language, words in (("en", "nothing can be written"), ("ja", "書き込めません")):
        me.headers = {"Accept-Language": language}
        assert words in act(me, match, ask, status=503)[1]["text"]
        assert words in me.post("/api/play", body, status=503)["text"]
        assert words in me.get(f"/api/m/{match}")["match"]["halted"]
    assert me.get(f"/api/m/{match}")["match"]["phase"] == "running"  # no verdict
    assert [path.name for path in games.rglob("*") if path.is_file()] == [f"{match}.jsonl"]  # no empty file
    disk.free()
    running.wait_for(f"{match}: resumed")
    assert 0 < question(me, match)["left_ms"] < 4000
    act(me, match, ask)
    me.post("/api/play", body)
    running.stop()
    assert "Traceback" not in running.shown
