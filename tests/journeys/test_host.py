"""The host of a page: people play on it, it is stopped, killed and started again, and its folder holds other things."""

import contextlib
import re
import signal
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="starlette is not installed")
pytest.importorskip("uvicorn", reason="uvicorn is not installed")

from visitors import WAIT_S, Browser, Player, serve_page

CTRL_C = 130  # exit code


def test_five_people_play_on_after_ctrl_c_and_after_a_kill(person):
    running = serve_page(person, "--out", "games")
    port = running.port
    ai = Player.begin(port, "kakomimasu", "Ai", ["me", "guest"])
    ((_, invitation),) = ai.facts()["invitations"].items()
    bo = ai.sit(invitation, "Bo")
    alone = [
        Player.begin(port, game, name, ["me", "random"])
        for game, name in (("nezumi", "Cy"), ("chaser", "Di"), ("battleship", "E"))
    ]

    def play_a_turn():
        for one in (ai, bo, *alone):
            one.play(1)

    def look():
        return [one.look() for one in (ai, bo, *alone)]

    play_a_turn()
    seen = look()
    assert running.stop() == CTRL_C
    assert "Traceback" not in running.shown
    running = serve_page(person, "--out", "games", port=port)
    assert look() == seen
    play_a_turn()
    seen = look()
    running.stop(signal.SIGKILL)
    running = serve_page(person, "--out", "games", port=port)
    assert look() == seen
    play_a_turn()
    assert running.stop() == CTRL_C
    assert "Traceback" not in running.shown
    assert "games" not in running.shown  # nothing in the folder troubled it
    person.run("masume", "view", "games", code=1)  # no match is over yet: no replay is there


def test_what_is_no_match_is_named_once_and_left_out(person):
    """Notes, half a replay, and open matches of another version, damaged or copied."""
    running = serve_page(person, "--out", "games")
    port = running.port
    over = Player.begin(port, "nezumi", "Fu", ["random", "me"])
    assert over.play_to_the_end()["phase"] == "over"
    done = over.match
    kept, newer, damaged = (Player.begin(port, "chaser", name, ["me", "random"]) for name in ("Ha", "Io", "Jo"))
    for one in (kept, newer, damaged):
        one.play(1)
    seen = kept.look()
    running.stop(signal.SIGKILL)

    games, unfinished = person.folder / "games", person.folder / "games" / "unfinished"
    whole = (games / f"{done}.jsonl").read_text("utf-8")
    person.write("games/notes.txt", "bring the small board on Friday\n")
    person.write("games/half.jsonl", whole[: len(whole) // 2])
    person.write("games/inner/deep.jsonl", "[" * 100_000)
    (games / "board.png").write_bytes(b"\x89PNG\r\n\x1a\n\0")
    stray = ("notes.txt", "half.jsonl", "deep.jsonl", "board.png")
    head, *moves = (unfinished / f"{newer.match}.jsonl").read_text("utf-8").splitlines(keepends=True)
    head = re.sub(r',"sha256":"[0-9a-f]+"', "", head).replace('"version":2', '"version":99,"board":"hexagons"')
    (unfinished / f"{newer.match}.jsonl").write_text("".join([head, *moves]), "utf-8")
    (unfinished / f"{damaged.match}.jsonl").write_bytes(b"\0" * 512)
    (unfinished / "copy of a match.jsonl").write_bytes((unfinished / f"{kept.match}.jsonl").read_bytes())
    (unfinished / "gone.jsonl").symlink_to(unfinished / "nowhere")
    odd = [unfinished / f"{name}.jsonl" for name in (newer.match, damaged.match, "copy of a match")]
    before = [path.read_bytes() for path in odd]

    running = serve_page(person, "--out", "games", "--lang", "ja", port=port)
    assert kept.look() == seen
    kept.play(1)
    listed = kept.browser.get("/api/lobby")["matches"]
    assert {one["id"] for one in listed} >= {done, kept.match}
    assert len(listed) == 7  # one match of each game comes with masume
    assert kept.browser.get(f"/api/m/{done}")["match"]["phase"] == "over"
    running.stop()
    for name in stray:
        assert len(re.findall(rf"飛ばします: games/.*{name}", running.shown)) == running.shown.count(name) == 1
    for path in odd:
        assert len(re.findall(rf"この試合は続けられません.*{path.name}", running.shown)) == 1
    assert "version: expected 1..2, got 99" in running.shown
    assert [path.read_bytes() for path in odd] == before

    shown, told = person.run("masume", "view", "games")
    assert "Fu" in shown
    assert [told.count(name) for name in stray] == [1] * len(stray)
    assert len(told.splitlines()) == len(stray)  # a match that goes on is no replay, and no trouble
    _, told = person.run("masume", "view", "games/notes.txt", code=1)  # it was asked for by its name
    assert told.startswith("masume: games/notes.txt")
    person.run("masume", "view", "games/inner", code=1)  # nothing is left


def processes_in(folder):
    """Return the numbers of the processes whose working folder is below a folder."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if (process / "cwd").readlink().is_relative_to(folder):
                found.append(process.name)
    return found


def wait_until(is_so):
    until = time.monotonic() + WAIT_S
    while not is_so():
        assert time.monotonic() < until
        time.sleep(0.05)


@pytest.mark.skipif(sys.platform != "linux", reason="no /proc here")
def test_a_task_of_a_page_that_was_killed_leaves_nothing(person, tmp_path):
    tasks = tmp_path / "tmp"
    tasks.mkdir()
    person.environment["TMPDIR"] = str(tasks)
    pages = [serve_page(person, "--out", name) for name in ("games", "others")]
    for page in pages:
        browser = Browser(page)
        sheet = browser.post("/api/make/nezumi/open", {"start": "granary"})
        sheet = {key: sheet[key] for key in ("size", "cells", "fields", "kinds")}
        browser.post("/api/make/nezumi/job", {"sheet": sheet, "task": 0})
    wait_until(lambda: len(processes_in(tasks)) == 2)
    assert len(list(tasks.iterdir())) == 2
    pages[0].stop(signal.SIGKILL)
    wait_until(lambda: len(processes_in(tasks)) == 1)
    pages[0] = serve_page(person, "--out", "games")
    wait_until(lambda: len(list(tasks.iterdir())) == 1)  # that of the page which goes on
    assert len(processes_in(tasks)) == 1
    for page in pages:
        assert page.stop() == CTRL_C
    assert not list(tasks.iterdir())
    assert not processes_in(tasks)


@pytest.mark.parametrize(
    ("game", "own", "option"),
    [("battleship", ["--port", 0], "--page-port"), ("kakomimasu", [], "--port")],  # the latter has the page at its root
)
def test_the_page_beside_a_server_of_a_game_goes_on_as_well(person, game, own, option):
    words = ["--out", "games", game, *own]
    running = serve_page(person, *words, option=option)
    one = Player.begin(running.port, game, "Ku", ["me", "random"])
    one.play(2)
    seen = one.look()
    running.stop(signal.SIGKILL)
    running = serve_page(person, *words, port=running.port, option=option)
    assert one.look() == seen
    one.play(1)
    assert running.stop() == CTRL_C
    assert "Traceback" not in running.shown
    assert not (person.folder / "replays").exists()
