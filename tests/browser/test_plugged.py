"""A game of another package on the page: it is offered, played by clicks, watched, and stepped through."""

import importlib
from types import SimpleNamespace

import pytest

from masume.core import registry
from masume.web import offers
from visitors import DESK, WAIT_MS, page

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect


@pytest.fixture
def server(monkeypatch):
    point = SimpleNamespace(load=lambda: importlib.import_module("plugged"))
    monkeypatch.setattr(registry, "_others", lambda: {"counting": point})
    with page() as found:
        yield found
    registry.package_of.cache_clear()
    offers._offer.cache_clear()


def press(tab):
    """Press the marked cell, and the first of what may be done there."""
    tab.wait_for_selector(".targets .target", state="attached")
    box = tab.locator(".targets .target").first.bounding_box()
    tab.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    tab.locator(".menu:not([hidden]) button").first.click()


def test_a_game_of_another_package_is_offered_played_and_watched(chromium, server):
    context, other = chromium.new_context(viewport=DESK, locale="en-US"), chromium.new_context(locale="en-US")
    tab, guest = context.new_page(), other.new_page()
    for one in (tab, guest):
        one.set_default_timeout(WAIT_MS)
    troubles = []
    tab.on("pageerror", lambda error: troubles.append(str(error)))
    tab.goto(server.address)
    card = tab.locator(".game", has_text="Line")
    expect(card.locator(".loop .board *").first).to_be_attached()  # of a game that chance played
    expect(card.locator("a")).to_have_count(1)  # nothing to learn or to make
    card.locator("summary").click()
    card.locator("a").click()
    tab.wait_for_selector("#begin")
    expect(tab.locator("main")).to_contain_text("Fill the line.")
    expect(tab.locator("#side option")).to_have_text(["low", "high"])
    tab.click("#begin")
    tab.wait_for_selector('.banner[data-kind="mine"]')
    guest.goto(tab.url)
    guest.locator(".guide-button").click()  # without a guide of its own: what is known
    expect(guest.locator(".guide .goal")).to_have_text("Fill the line.")
    expect(guest.locator(".guide h3")).to_have_text(["Signs", "Marks", "Keys"])
    guest.keyboard.press("Escape")
    for ply in (0, 2, 4):
        caption = "text => document.querySelector('.caption').textContent === text"
        tab.wait_for_function(caption, arg=f"{ply} of 6 filled")
        press(tab)
    for one in (tab, guest):
        one.wait_for_selector('.banner[data-kind="over"]')
        one.wait_for_function(caption, arg="6 of 6 filled")
        expect(one.locator(".board path.solid")).to_have_count(2)
    tab.keyboard.press("Home")
    tab.wait_for_function(caption, arg="0 of 6 filled")
    assert not troubles
    for one in (context, other):
        one.close()
