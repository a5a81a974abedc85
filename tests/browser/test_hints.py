"""What comes of a move is told before it is pressed, hints name a piece, an act and a number, and nothing disturbs."""

import re

import pytest

from visitors import PHONE, wait_caption, wait_text

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect

HINTS = re.compile("/hint")


def point_at_target(tab, number=0):
    """Move the pointer to a marked cell."""
    tab.wait_for_selector(".targets .target", state="attached")
    box = tab.locator(".targets .target").nth(number).bounding_box()
    tab.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


@pytest.mark.parametrize(
    ("game", "words"),
    [
        ("kakomimasu", r"if nobody interferes: walls [+-]\d+"),
        ("terraforming", r"\d+ go, \d+ stay; the land becomes yours"),
        ("nezumi", r"with it a turn costs 1 mg"),
    ],
)
def test_a_pointer_on_a_target_tells_what_comes_of_it(play, game, words):
    tab = play(game, **({"side": "1"} if game == "nezumi" else {}))
    point_at_target(tab)
    expect(tab.locator(".readout")).to_have_text(re.compile(words))


def test_a_finger_reads_what_comes_of_it_and_the_note_keeps_it(play):
    tab = play("kakomimasu", PHONE)
    tab.wait_for_selector(".targets .target", state="attached")
    box = tab.locator(".targets .target").first.bounding_box()
    tab.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(tab.locator(".bar .note")).to_have_text(re.compile(r"walls [+-]\d+"))


def test_the_keys_of_a_pad_and_the_cursor_tell_it_too(play):
    tab = play("chaser")
    tab.locator('.verbs [data-group="3"]').click()
    tab.locator('.pad [data-way="n"]').hover()
    expect(tab.locator(".readout")).to_have_text(re.compile(r"^cells that you have not seen: \d of 9$"))
    tab.keyboard.press("c")
    tab.keyboard.press("ArrowRight")
    expect(tab.locator(".readout")).not_to_have_text("")


def test_a_hint_names_piece_act_and_number_and_is_done_by_a_button(play):
    tab = play("kakomimasu")
    tab.keyboard.press("h")
    note = tab.locator(".bar .note")
    expect(note).to_have_text(re.compile(r"A\d (move|remove|put) \d+,\d+: walls [+-]\d+"))
    expect(tab.locator(".targets .lamp").first).to_be_attached()
    tab.get_by_text("Do it").click()
    expect(tab.locator(".orders [data-ordered=true]")).to_have_count(3)
    expect(tab.locator(".obey")).to_have_count(0)


def test_a_late_hint_changes_nothing_for_who_has_gone_on(play):
    tab = play("chaser")
    held = []
    tab.route(HINTS, lambda route: held.append(route))
    tab.keyboard.press("h")
    wait_text(tab, ".bar .note", "Thinking")
    tab.keyboard.press("l")
    tab.keyboard.press("ArrowUp")
    wait_caption(tab, "turn 2 ")
    with tab.expect_response(HINTS):
        held[0].continue_()
    tab.evaluate("() => new Promise((done) => setTimeout(done))")
    expect(tab.locator(".bar .note")).to_have_text("")
    expect(tab.locator(".targets .lamp")).to_have_count(0)
    expect(tab.locator(".obey")).to_have_count(0)


def test_another_choice_disarms_a_warning(play):
    tab = play("chaser")
    tab.keyboard.press("Shift+ArrowUp")
    wait_caption(tab, "turn 2 ")
    for _ in range(2):
        tab.keyboard.press("ArrowUp")
        wait_text(tab, ".bar .note", "there is a block")
        tab.keyboard.press("l")  # to look, and back to walking
        tab.keyboard.press("Escape")
    assert tab.text_content(".caption").startswith("turn 2 ")


def test_a_danger_is_said_next_to_its_cell(play):
    tab = play("chaser")
    tab.keyboard.press("Shift+ArrowUp")
    wait_caption(tab, "turn 2 ")
    tab.wait_for_selector(".targets .danger", state="attached")
    box = tab.locator(".targets .danger").first.bounding_box()
    tab.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    tip = tab.locator(".board-box .tip")
    expect(tip).to_have_text("there is a block: you would lose")
    placed = tip.bounding_box()
    assert placed["y"] + placed["height"] <= box["y"] + box["height"] / 2
    assert placed["x"] < box["x"] + box["width"] / 2 < placed["x"] + placed["width"]
    tab.mouse.move(5, 5)
    expect(tip).to_be_hidden()
    tab.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(tip).to_be_visible()
    for _ in range(2):
        tab.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    tab.wait_for_selector('.banner[data-kind="over"]')
    expect(tip).to_be_hidden()


def test_a_pointer_that_leaves_the_board_warns_of_nothing(play):
    tab = play("battleship")
    tab.click(".random")  # until the fleet is set up: then resigning, which has no cell, is warned of
    wait_text(tab, ".notebook", "may be on")
    point_at_target(tab)
    tab.mouse.move(5, 5)
    expect(tab.locator(".readout")).to_have_text("")
    expect(tab.locator(".tip")).to_have_count(0)
