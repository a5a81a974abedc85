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


def test_kakomimasu_is_learned_by_an_order_and_the_end_of_the_turn(teach):
    tab = teach("kakomimasu", "close-a-fence")
    press(tab, 1)  # up and to the right
    tab.click(".commit")
    expect_done(tab)
    expect(tab.locator(".score-strip .total").first).to_have_text("31")


def test_nezumi_is_learned_by_a_jump(teach):
    tab = teach("nezumi", "jump")
    press(tab, 1)  # where the jump lands
    expect_done(tab)


def test_the_next_lesson_follows_and_the_list_keeps_the_stars(teach):
    tab = teach("nezumi", "jump")
    press(tab, 1)
    expect_done(tab)
    expect(tab.locator(".end")).to_be_hidden()
    title = tab.locator(".lesson strong").text_content()
    tab.get_by_role("button", name="Next").click()
    expect(tab.locator(".lesson strong")).not_to_have_text(title)
    expect(tab.locator(".lesson")).to_have_attribute("data-state", "open")
    tab.locator(".lesson a").click()
    expect(tab.locator('[data-lesson="jump"] .stars')).to_have_text("★★")
    expect(tab.get_by_role("heading", name="Lessons: 1 of")).to_be_visible()
    tab.reload()
    expect(tab.locator('[data-lesson="jump"] .stars')).to_have_text("★★")


def test_the_last_lesson_leads_to_a_whole_game(teach):
    tab = teach("kakomimasu", "last-turn")
    press(tab, 2)  # down, onto the 3
    tab.click(".commit")
    expect_done(tab)
    tab.get_by_role("button", name="Now a whole game").click()
    tab.wait_for_selector('.banner[data-kind="mine"]')
    expect(tab.locator(".lesson")).to_have_count(0)


def test_who_does_not_reach_the_goal_tries_again(teach):
    tab = teach("kakomimasu", "close-a-fence")
    press(tab, 0)  # up, and the fence stays open
    tab.click(".commit")
    expect(tab.locator(".lesson")).to_have_attribute("data-state", "failed")
    expect(tab.locator(".lesson-result")).to_have_text("Not this time. Try again.")
    expect(tab.locator(".lesson .stars")).to_have_count(0)
    tab.get_by_role("button", name="Again").click()
    expect(tab.locator(".lesson")).to_have_attribute("data-state", "open")
    expect(tab.locator(".lesson")).to_contain_text("Moves: 0")


def test_the_solution_is_shown_and_counts_nothing(teach):
    tab = teach("kakomimasu", "walk-and-build")
    tab.get_by_role("button", name="Hint").click()
    expect(tab.locator(".lesson-clue")).to_have_text("Diagonal steps are allowed.")
    expect(tab.get_by_role("button", name="Hint")).to_be_disabled()  # nothing else comes under the finger
    tab.get_by_role("button", name="Show me").click()
    expect(tab.locator(".lesson")).to_have_attribute("data-state", "shown")
    expect(tab.locator(".score-strip .total").first).to_have_text("15")  # it plays by itself
    expect(tab.locator(".lesson .stars")).to_have_count(0)
    tab.get_by_role("button", name="Again").click()
    tab.wait_for_selector('.banner[data-kind="mine"]')
    expect(tab.locator(".lesson")).to_have_attribute("data-state", "open")


def test_a_lesson_stays_where_it_is_when_the_page_is_loaded_again(teach):
    tab = teach("kakomimasu", "walk-and-build")
    press(tab, 1)  # down and to the right
    tab.click(".commit")
    expect(tab.locator(".lesson")).to_contain_text("Moves: 1")
    tab.reload()
    expect(tab.locator(".lesson")).to_contain_text("Moves: 1")
    expect(tab.locator(".score-strip .total").first).to_have_text("4")


def test_a_lesson_that_cannot_begin_says_why_and_may_be_tried_again(teach):
    tab = teach("kakomimasu", "walk-and-build")
    refusal = '{"error": "full", "text": "too many matches are being played"}'
    tab.route("**/api/lesson", lambda route: route.fulfill(status=503, content_type="application/json", body=refusal))
    tab.get_by_role("button", name="Again").click()
    expect(tab.locator(".lesson .error")).to_have_text("too many matches are being played")
    tab.unroute("**/api/lesson")
    address = tab.url
    tab.get_by_role("button", name="Again").click()
    expect(tab).not_to_have_url(address)
    tab.wait_for_selector('.banner[data-kind="mine"]')
