"""Levels as people meet them: by name before a game, and as the next one after it."""

import pytest

from visitors import wait_caption

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect


def test_a_level_is_chosen_by_its_name_and_says_what_it_does(play):
    tab = play("chaser")
    tab.goto(tab.url.partition("/m/")[0] + "/play/chaser")
    level = tab.locator("#level")
    expect(level.locator("option")).to_have_text(["1. First steps", "2. Beginner", "3. Skilled", "4. Best"])
    level.select_option("forager")
    expect(tab.locator(".does")).to_have_text("collects what it sees forager")
    level.focus()
    tab.keyboard.press("Home")
    expect(tab.locator(".does")).to_have_text("moves at random random")


def test_the_next_level_is_called_by_its_name(play):
    tab = play("chaser", level="safe")
    tab.keyboard.press("Shift+ArrowUp")
    wait_caption(tab, "turn 2 ")
    for _ in range(2):
        tab.keyboard.press("ArrowUp")  # into the block, in spite of the warning
    tab.get_by_text("Next level: Skilled").first.click()
    tab.wait_for_selector('.banner[data-kind="mine"]')
    expect(tab.locator(".seat .name").nth(1)).to_have_text("forager")
