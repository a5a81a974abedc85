"""Lessons as people take them: by hand, by the hint, and by looking at the solution."""

import re

import pytest

from visitors import DESK, PHONE, WAIT_MS, wait_caption

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect

PRESSED = {
    ("kakomimasu", "close-a-fence"): ["target 1", ".commit"],
    ("nezumi", "jump"): ["target 1"],
    ("chaser", "walk-to-an-item"): [".pad button:has-text('↑')", ".pad button:has-text('→')"],
    ("battleship", "fire"): ["target 2"],
    ("terraforming", "park"): ["text=/^park -1$/", "target 0", "wait .undo:not(:disabled)", ".bar .free"],
}
"""What is pressed to solve a lesson of each game: a marked cell of the board, what a selector finds, or what is waited for."""


@pytest.fixture
def learn(chromium, server):
    """learn(game, viewport) opens the page of a game's lessons; at the end, no script may have failed."""
    contexts, troubles = [], []

    def learn(game, viewport=DESK):
        context = chromium.new_context(viewport=viewport, locale="en-US", has_touch=viewport is PHONE)
        contexts.append(context)
        tab = context.new_page()
        tab.set_default_timeout(6000)
        tab.on("pageerror", lambda error: troubles.append(str(error)))
        tab.goto(f"{server.address}learn/{game}")
        return tab

    yield learn
    for context in contexts:
        context.close()
    assert not troubles


def begin(tab, lesson):
    tab.click(f'[data-lesson="{lesson}"]')
    tab.wait_for_selector('.banner[data-kind="mine"]')


def press(tab, what):
    if what.startswith("wait "):
        tab.wait_for_selector(what.removeprefix("wait "))
    elif what.startswith("target "):
        tab.locator(".targets .target").nth(int(what.removeprefix("target "))).click()
    else:
        tab.locator(what).first.click()


@pytest.mark.parametrize("viewport", [DESK, PHONE], ids=["desk", "phone"])
@pytest.mark.parametrize(("game", "lesson"), PRESSED, ids=[game for game, _lesson in PRESSED])
def test_a_lesson_is_solved_by_hand(learn, game, lesson, viewport):
    tab = learn(game, viewport)
    begin(tab, lesson)
    expect(tab.locator(".lesson")).to_have_attribute("data-state", "open")
    for number, what in enumerate(PRESSED[game, lesson]):
        if number and game == "chaser":  # each press is a turn
            wait_caption(tab, f"turn {number + 1} ")
        press(tab, what)
    expect(tab.locator(".lesson")).to_have_attribute("data-state", "reached")
    expect(tab.locator(".lesson-result")).to_have_text("Well done!")
    expect(tab.locator(".lesson .stars")).to_have_text("★★")
    expect(tab.locator(".end")).to_be_hidden()
    title = tab.locator(".lesson strong").text_content()
    tab.click(".lesson button:has-text('Next')")
    expect(tab.locator(".lesson strong")).not_to_have_text(title)
    tab.click(".lesson a")
    expect(tab.locator(f'[data-lesson="{lesson}"] .stars')).to_have_text("★★")
    expect(tab.locator("h2").first).to_have_text(re.compile(r"^Lessons: 1 of \d+$"))
