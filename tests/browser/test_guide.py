"""What "?" opens in a match: at a desk beside it, on a phone over it, also for who watches."""

import pytest

from visitors import DESK, PHONE

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect


@pytest.mark.parametrize("viewport", [DESK, PHONE])
def test_a_question_mark_opens_the_guide_and_closes_it(play, viewport):
    tab = play("battleship", viewport, variant="annihilation")
    guide, button = tab.locator(".guide"), tab.locator(".guide-button")
    expect(guide).to_be_hidden()
    for close in (lambda: tab.keyboard.press("Escape"), lambda: tab.keyboard.press("?"), guide.locator(".close").click):
        button.click()
        expect(guide.locator(".goal")).to_have_text(
            "Find and sink the other fleet. A shot tells whether it hit, or splashed near a ship."
        )
        close()
        expect(guide).to_be_hidden()
    tab.keyboard.press("?")
    expect(guide).to_be_visible()
    assert guide.evaluate("one => one.scrollHeight > one.clientHeight")
    for heading in ("Ships", "Costs in FP", "How it ends", "Marks", "Keys"):
        expect(guide.locator("h3", has_text=heading).first).to_be_visible()
    expect(guide.locator("tr", has_text="destroyer").first.locator("svg .piece")).to_have_count(1)
    expect(guide.locator(".legend svg .danger")).to_have_count(2)
    box = guide.bounding_box()
    if viewport is PHONE:
        assert box["x"] == 0
        assert box["width"] == viewport["width"]
        return
    button.click()  # pressed again
    expect(guide).to_be_hidden()
    button.click()
    task = tab.text_content(".banner strong")
    tab.locator(".bar .free, .free").first.click()  # the match goes on beside it
    tab.wait_for_function("task => document.querySelector('.banner strong').textContent !== task", arg=task)
    expect(guide).to_be_visible()


def test_a_spectator_who_sees_no_board_has_the_guide(play, chromium):
    tab = play("chaser")
    context = chromium.new_context(viewport=DESK, locale="en-US")
    guest = context.new_page()
    guest.goto(tab.url)
    guest.locator(".guide-button").click()
    expect(guest.locator(".guide")).to_contain_text("who walks into one has lost")
    expect(guest.locator(".guide svg")).to_have_count(0)
    context.close()
