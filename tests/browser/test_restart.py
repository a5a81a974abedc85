"""People at a desk and on a phone play on while the host stops the page, or it is killed, and starts it again."""

import signal

import pytest

from installs import BIN
from person import person_in
from visitors import DESK, PHONE, WAIT_MS, serve_page

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect


@pytest.fixture
def person(tmp_path):
    with person_in(tmp_path, BIN) as found:
        yield found


@pytest.fixture
def visit(chromium):
    """visit(port, game, viewport, fields) begins a match; at the end, no script may have failed."""
    contexts, troubles = [], []

    def visit(port, game, viewport, **fields):
        context = chromium.new_context(viewport=viewport, locale="en-US", has_touch=viewport is PHONE)
        contexts.append(context)
        tab = context.new_page()
        tab.set_default_timeout(WAIT_MS)
        tab.on("pageerror", lambda error: troubles.append(str(error)))
        tab.goto(f"http://127.0.0.1:{port}/play/{game}")
        tab.wait_for_selector("#begin")
        for name, value in {"seed": "3", "level": "random", **fields}.items():
            tab.evaluate("([name, value]) => { document.getElementById(name).value = value; }", [name, value])
        tab.click("#begin")
        expect(tab.locator('.banner[data-kind="mine"]')).to_be_visible()
        return tab

    yield visit
    for context in contexts:
        context.close()
    assert not troubles


def look_by_finger(tab):
    """Look in CHaser, which loses nothing; wait for the next turn."""
    before = tab.locator(".caption").text_content()
    tab.tap('.verbs [data-group="2"]')
    tab.tap('.pad [data-way="s"]')
    expect(tab.locator(".caption")).not_to_have_text(before)
    expect(tab.locator('.banner[data-kind="mine"]')).to_be_visible()


def press_a_way(tab):
    """Move the cat of Nezumi; wait for the next turn."""
    before = tab.locator(".caption").text_content()
    tab.locator(".pad button:enabled").first.click()
    expect(tab.locator(".caption")).not_to_have_text(before)
    expect(tab.locator('.banner[data-kind="mine"]')).to_be_visible()


def test_both_browsers_play_on_after_a_restart(visit, person):
    running = serve_page(person, "--out", "games")
    port = running.port
    phone, desk = visit(port, "chaser", PHONE), visit(port, "nezumi", DESK)
    look_by_finger(phone)
    press_a_way(desk)
    for how in (signal.SIGINT, signal.SIGKILL):
        seen = [(tab.locator(".caption").text_content(), tab.locator(".log").inner_text()) for tab in (phone, desk)]
        running.stop(how)
        for tab in (phone, desk):
            expect(tab.locator('.banner[data-kind="lost"]')).to_be_visible()
        running = serve_page(person, "--out", "games", port=port)
        for tab in (phone, desk):
            expect(tab.locator('.banner[data-kind="mine"]')).to_be_visible()  # without a reload
        look_by_finger(phone)
        press_a_way(desk)
        for tab, (_caption, log) in zip((phone, desk), seen, strict=True):
            assert log.strip() in tab.locator(".log").inner_text()
    address = desk.url
    lid = desk.context
    desk.close()  # and the next day, from the list of matches
    desk = lid.new_page()
    desk.set_default_timeout(WAIT_MS)
    desk.goto(f"http://127.0.0.1:{port}/")
    desk.locator(f'a[href*="{address.rpartition("/")[2].partition("?")[0]}"]').first.click()
    expect(desk.locator('.banner[data-kind="mine"]')).to_be_visible()
