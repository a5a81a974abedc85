"""Lessons in a browser: they are done by pressing what the board marks."""

import pytest

from visitors import DESK, PHONE, WAIT_MS

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect


@pytest.fixture(params=[DESK, PHONE], ids=["desk", "phone"])
def teach(request, chromium, server):
    """teach(game, lesson) begins a lesson; at the end, no script may have failed."""
    context = chromium.new_context(viewport=request.param, locale="en-US", has_touch=request.param is PHONE)
    troubles = []

    def teach(game, lesson):
        tab = context.new_page()
        tab.set_default_timeout(WAIT_MS)
        tab.on("pageerror", lambda error: troubles.append(str(error)))
        tab.goto(f"{server.address}learn/{game}")
        tab.locator(f'[data-lesson="{lesson}"]').click()
        tab.wait_for_selector('.banner[data-kind="mine"]')
        return tab

    yield teach
    context.close()
    assert not troubles


def press(tab, number):
    """Press a target of the board, by its number in the order of the moves."""
    target = tab.locator(".targets .target").nth(number)
    target.wait_for(state="attached")
    box = target.bounding_box()
    tab.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


def expect_done(tab):
    expect(tab.locator(".lesson")).to_have_attribute("data-state", "reached")
    expect(tab.locator(".lesson .stars")).to_have_attribute("aria-label", "done within par")


def test_chaser_is_learned_by_pressing_cells(teach):
    tab = teach("chaser", "walk-to-an-item")
    press(tab, 0)  # up
    expect(tab.locator(".lesson")).to_contain_text("Moves: 1")
    press(tab, 1)  # right
    expect_done(tab)


def test_battleship_is_learned_by_a_verb_and_a_panel(teach):
    tab = teach("battleship", "mine")
    tab.get_by_role("button", name="mine").click()
    press(tab, 7)  # northwest
    expect_done(tab)


def test_terraforming_is_learned_by_a_building_and_one_press_on_its_cell(teach):
    """The robots on the cell are not what is chosen by the press: a building is in hand."""
    tab = teach("terraforming", "park")
    tab.get_by_role("button", name="park").first.click()
    expect(tab.locator(".targets .target")).to_have_count(1)
    press(tab, 0)
    expect(tab.locator(".banner")).to_contain_text("it is built: finish the turn")
    tab.get_by_role("button", name="finish the turn").click()
    expect_done(tab)
