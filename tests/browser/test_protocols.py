"""Matches of programs that speak a game's own protocol, watched on the page beside `masume serve GAME`."""

import contextlib
import re
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from visitors import DESK, WAIT_MS

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect
pytest.importorskip("uvicorn", reason="uvicorn is not installed")

EXAMPLES = Path(__file__).parents[2] / "examples"
FLEETS = {"ann": '{"w":[0,0],"c":[2,2],"s":[4,4]}', "bob": '{"w":[0,1],"c":[1,1],"s":[4,3]}'}
ATTACKS = {  # ann sinks all; her first ship is lost
    "ann": [[0, 1], [0, 1], [0, 1], [1, 1], [1, 1], [4, 3]],
    "bob": [[0, 0], [0, 0], [0, 0], [2, 2], [3, 3]],
}  # fmt: skip


@contextlib.contextmanager
def serving(folder, *arguments):
    """Run `masume serve` with these arguments; yield a function that returns the next number after a text it prints."""
    command = [sys.executable, "-u", "-m", "masume", "serve", *arguments, "--out", str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:

        def read(pattern):
            for line in server.stdout:
                found = re.search(pattern, line)
                if found:
                    return found[1]
            raise AssertionError(f"the server never said {pattern}")

        try:
            yield read
        finally:
            server.kill()


@pytest.fixture
def tab(chromium):
    context = chromium.new_context(viewport=DESK, locale="en-US")
    found, troubles = context.new_page(), []
    found.set_default_timeout(WAIT_MS)
    found.on("pageerror", lambda error: troubles.append(str(error)))
    yield found
    context.close()
    assert not troubles


def watch(tab, starts):
    """Open the match of the list of matches, start it, and return every caption that was shown until its end."""
    tab.wait_for_selector("#watch .match-card")
    tab.click("#watch .match-card")
    tab.wait_for_selector(".board-view .units", state="attached")
    tab.evaluate(
        """() => {
          window.seen = [];
          const note = () => window.seen.push(document.querySelector('.caption').textContent);
          new MutationObserver(note).observe(document.querySelector('.caption'), { childList: true });
        }"""
    )
    if starts:
        tab.click(".host .primary")
    tab.wait_for_selector('.banner[data-kind="over"]')
    return list(dict.fromkeys(tab.evaluate("window.seen")))


def talk(port, name):
    """Play a Battleship game by the course protocol; return the last line."""
    with socket.create_connection(("127.0.0.1", port)) as link, link.makefile("rw", encoding="utf-8") as lines:

        def say(text):
            lines.write(text + "\n")
            lines.flush()

        attacks = iter(ATTACKS[name])
        for line in lines:
            if line.startswith("This is"):
                say(name)
            elif '"rock"' in line:
                say(FLEETS[name])
            elif line.startswith("your turn"):
                say(f'{{"attack":{{"to":{next(attacks)}}}}}')
            last = line
        return last


def test_a_chaser_match_of_clients(tab, tmp_path):
    arguments = ("chaser", "--map", "duel", "--cool-port", "0", "--hot-port", "0", "--page-port", "0", "--start",
                 "--delay", "20")  # fmt: skip
    with contextlib.ExitStack() as stack:
        read = stack.enter_context(serving(tmp_path, *arguments))
        tab.goto(read(r"host: (\S+)"))  # a board that hides things is shown to the host
        for side in ("COOL", "HOT"):
            port = read(rf"{side}: waiting on \S+:(\d+)")
            client = subprocess.Popen([sys.executable, EXAMPLES / "chaser_bot.py", port])
            stack.enter_context(client)
            stack.callback(client.kill)
        captions = watch(tab, starts=True)
        assert len(captions) >= 4
        expect(tab.locator(".score-strip")).to_contain_text("firs")
        tab.keyboard.press("Home")
        tab.wait_for_function("() => document.querySelector('.controls input').value === '0'")


def test_a_battleship_match_of_clients(tab, tmp_path):
    arguments = ("battleship", "--port", "0", "--page-port", "0", "--start", "--delay", "100", "--preset", "submarine")
    with serving(tmp_path, *arguments) as read:
        tab.goto(read(r"host: (\S+)"))
        port = int(read(r"waiting for 2 clients on \S+:(\d+)"))
        ended = {}
        threads = []
        for name in FLEETS:
            threads.append(threading.Thread(target=lambda name=name: ended.update({name: talk(port, name)})))
            threads[-1].start()
            read(r"(\S+) has connected")  # ann is the first player
        captions = watch(tab, starts=True)
        for thread in threads:
            thread.join(WAIT_MS / 1000)
        assert {name: line.split()[1] for name, line in ended.items()} == {"ann": "win", "bob": "lose"}
        assert len(captions) >= 6
        expect(tab.locator(".banner")).to_contain_text("ann wins")
        expect(tab.locator(".log")).to_contain_text("attacks")


def test_a_kakomimasu_match_of_clients(tab, tmp_path):
    arguments = ("kakomimasu", "--port", "0", "--board", "hill", "--set", "operation_sec=1", "--set",
                 "transition_sec=0", "--set", "total_turns=4")  # fmt: skip
    with contextlib.ExitStack() as stack:
        url = stack.enter_context(serving(tmp_path, *arguments))(r"serving on (\S+)")
        for name in ("walker", "runner"):
            command = [sys.executable, EXAMPLES / "kakomimasu_bot.py", "--url", url, "--name", name]
            stack.callback(stack.enter_context(subprocess.Popen(command)).kill)
        tab.goto(url)
        captions = watch(tab, starts=False)
        assert len(captions) >= 4
        for name in ("walker", "runner"):
            expect(tab.locator(".score-strip")).to_contain_text(name)
        tab.locator(".board-view .units g").nth(1).wait_for(state="attached")
