"""Each game as a person plays it: by its own keys at a desk, and by touch on a phone."""

import re

import pytest

from visitors import PHONE, tap_target, wait_caption, wait_text

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect


def bottom_of_board_and_top_of_bar(tab):
    board, bar = tab.locator(".board-view").bounding_box(), tab.locator(".bar").bounding_box()
    return board["y"] + board["height"], bar["y"]


# -- CHaser ----------------------------------------------------------------------------------------


def test_chaser_by_keyboard(play):
    tab = play("chaser")
    expect(tab.locator(".targets .target")).to_have_count(4)  # those of the walk alone
    tab.keyboard.press("ArrowUp")
    wait_caption(tab, "turn 2 ")
    tab.keyboard.press("l")
    expect(tab.locator('.verbs [aria-pressed="true"]')).to_have_attribute("data-group", "2")
    tab.keyboard.press("ArrowLeft")
    wait_caption(tab, "turn 3 ")
    tab.keyboard.press("s")
    tab.keyboard.press("ArrowRight")
    wait_caption(tab, "turn 4 ")
    tab.keyboard.press("Shift+ArrowDown")
    wait_caption(tab, "turn 5 ")
    for words in ("COOL walks up", "COOL looks left", "COOL searches right", "COOL puts a block down"):
        expect(tab.locator(".log")).to_contain_text(words)


def test_chaser_asks_twice_before_a_visible_loss(play):
    tab = play("chaser")
    tab.keyboard.press("Shift+ArrowUp")
    wait_caption(tab, "turn 2 ")
    tab.keyboard.press("ArrowUp")
    wait_text(tab, ".bar .note", "there is a block")
    assert tab.text_content(".caption").startswith("turn 2 ")
    tab.keyboard.press("ArrowUp")
    tab.wait_for_selector('.banner[data-kind="over"]')


def test_chaser_by_touch(play):
    tab = play("chaser", PHONE)
    bottom, top = bottom_of_board_and_top_of_bar(tab)
    assert bottom <= top + 1
    tab.tap('.pad [data-way="n"]')
    wait_caption(tab, "turn 2 ")
    tab.tap('.verbs [data-group="2"]')
    tab.tap('.pad [data-way="s"]')
    wait_caption(tab, "turn 3 ")
    expect(tab.locator(".log")).to_contain_text("COOL looks down")
    tab.tap('.verbs [data-group="1"]')
    tap_target(tab)  # the cell above, which gets a block
    wait_caption(tab, "turn 4 ")
    expect(tab.locator(".log")).to_contain_text("COOL puts a block up")


# -- Kakomimasu ------------------------------------------------------------------------------------


def test_kakomimasu_by_keyboard(play):
    tab = play("kakomimasu")
    expect(tab.locator(".order")).to_contain_text(["A0", "A1", "A2"])
    for _ in range(3):
        tab.keyboard.press("ArrowDown")  # the cursor, away from what the other wants
    for number in range(3):
        tab.keyboard.press("ArrowDown")
        tab.keyboard.press("ArrowRight")
        tab.keyboard.press("Enter")
        wait_text(tab, ".banner", f"{number + 1} of 3 ordered")
    tab.keyboard.press("Control+Enter")
    wait_caption(tab, "after turn 1 ")
    tab.keyboard.type("ds")  # the second key waits for the first order
    wait_text(tab, ".banner", "2 of 3 ordered")
    expect(tab.locator(".order")).to_contain_text(["move", "stay", "…"])
    tab.keyboard.press("u")
    wait_text(tab, ".banner", "1 of 3 ordered")
    expect(tab.locator(".commit")).to_contain_text("the others stay")
    tab.keyboard.press("Control+Enter")
    wait_caption(tab, "after turn 2 ")


def test_kakomimasu_by_touch(play):
    tab = play("kakomimasu", PHONE)
    for number, cell in enumerate((33, 44, 55)):
        tap_target(tab, cell)
        wait_text(tab, ".banner", f"{number + 1} of 3 ordered")
    tab.tap(".commit")
    wait_caption(tab, "after turn 1 ")
    bottom, top = bottom_of_board_and_top_of_bar(tab)
    assert bottom <= top + 1
    tab.tap('.pad [data-way="e"]')
    wait_text(tab, ".banner", "1 of 3 ordered")
    tab.tap(".order:nth-child(3)")
    tab.tap('.verbs [data-group="2"]')  # stays
    wait_text(tab, ".banner", "2 of 3 ordered")
    tab.tap(".commit")
    wait_caption(tab, "after turn 2 ")


def test_kakomimasu_orders_last(play):
    """An agent walks where the pointer was dragged, one cell each turn; g keeps a direction."""
    tab = play("kakomimasu")
    for number, cell in enumerate((33, 44, 55)):
        tab.locator(".targets .target").nth(cell).wait_for(state="attached")
        box = tab.locator(".targets .target").nth(cell).bounding_box()
        tab.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        wait_text(tab, ".banner", f"{number + 1} of 3 ordered")
    tab.keyboard.press("Control+Enter")
    wait_caption(tab, "after turn 1 ")
    box = tab.locator(".units .piece").first.bounding_box()
    x, y, cell = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, box["width"] * 36 / 25
    tab.mouse.move(x, y)
    tab.mouse.down()
    tab.mouse.move(x - cell, y, steps=4)
    tab.mouse.move(x - 2 * cell, y - cell, steps=8)
    tab.mouse.up()
    wait_text(tab, ".banner", "1 of 3 ordered")
    expect(tab.locator(".order").first).to_contain_text("»")
    expect(tab.locator(".targets .spot")).to_have_count(2)
    tab.locator(".order").nth(1).click()
    tab.keyboard.type("dg")
    wait_text(tab, ".banner", "2 of 3 ordered")
    wait_text(tab, ".order:nth-child(2)", "»")
    tab.keyboard.press("Control+Enter")
    wait_caption(tab, "after turn 2 ")
    wait_text(tab, ".banner", "2 of 3 ordered")
    expect(tab.locator(".order")).to_contain_text(["move", "move", "…"])
    tab.locator(".order").nth(1).click()
    tab.keyboard.press("g")
    tab.keyboard.press("Control+Enter")
    wait_caption(tab, "after turn 3 ")
    expect(tab.locator(".banner")).to_contain_text("0 of 3 ordered")


# -- Nezumi ----------------------------------------------------------------------------------------


def test_nezumi_by_keyboard(play):
    tab = play("nezumi", side="1", start="garden", level="random")
    wait_text(tab, ".banner", "put up to 3 mice")
    tab.locator(".targets .target").first.click(force=True)
    wait_text(tab, ".banner", "put up to 2 mice")
    tab.keyboard.press("u")
    wait_text(tab, ".banner", "put up to 3 mice")
    for left in (2, 1):
        tab.locator(".targets .target").first.click(force=True)
        wait_text(tab, ".banner", f"put up to {left} mice")
    tab.click(".free.primary")  # done
    wait_text(tab, ".banner", "or none")
    tab.click(".free")
    wait_text(tab, ".banner", "move each mouse, 2 to go")
    expect(tab.locator(".order")).to_have_count(2)
    tab.keyboard.press("2")
    expect(tab.locator(".order:nth-child(2)")).to_have_attribute("aria-pressed", "true")
    ways = tab.eval_on_selector_all(".pad button:enabled", "all => all.map(one => one.dataset.way)")
    key = {"n": "ArrowUp", "e": "ArrowRight", "s": "ArrowDown", "w": "ArrowLeft"}
    tab.keyboard.press(key[ways[0]])
    wait_text(tab, ".banner", "1 to go")
    tab.keyboard.press("u")
    wait_text(tab, ".banner", "2 to go")


def test_nezumi_shows_a_jump_before_it_happens(play):
    tab = play("nezumi", side="1", start="garden", level="random")
    for left in (2, 1):  # neighbours in the zone
        tab.locator(".targets .target").first.click(force=True)
        wait_text(tab, ".banner", f"put up to {left} mice")
    tab.click(".free.primary")
    wait_text(tab, ".banner", "or none")
    tab.click(".free")
    wait_text(tab, ".banner", "move each mouse")
    expect(tab.locator(".targets .way.arc")).not_to_have_count(0)


def test_nezumi_by_touch(play):
    tab = play("nezumi", PHONE, level="random")  # the cat
    wait_text(tab, ".banner", "move the cat")
    before = tab.text_content(".caption")
    tab.tap(".pad button:enabled")
    tab.wait_for_function(
        """before => document.querySelector('.caption').textContent !== before
           && document.querySelector('.banner').dataset.kind !== 'running'""",
        arg=before,
    )
    expect(tab.locator(".log")).to_contain_text("the cat goes to")


# -- Battleship ------------------------------------------------------------------------------------


def test_battleship_by_keyboard(play):
    tab = play("battleship")
    wait_text(tab, ".banner", "choose the class of ship 1 of 3")
    tab.locator(".random").press("Enter")
    wait_text(tab, ".notebook", "may be on")
    expect(tab.locator(".order")).to_have_count(3)
    tab.locator(".verbs button").nth(1).wait_for()
    tab.wait_for_selector('.banner[data-kind="mine"]')
    turn = tab.locator(".log li").count()
    tab.keyboard.press("2")
    expect(tab.locator(".order:nth-child(2)")).to_have_attribute("aria-pressed", "true")
    tab.keyboard.press("a")
    tab.locator(".targets .target").first.click(force=True)
    tab.wait_for_function("turn => document.querySelectorAll('.log li').length > turn", arg=turn)
    expect(tab.locator(".log")).to_contain_text("attacks")


def test_battleship_by_touch(play):
    tab = play("battleship", PHONE)
    for number, kind in enumerate((1, 1, 2)):
        wait_text(tab, ".banner", f"class of ship {number + 1} of 3")
        tab.locator(".bar .free").nth(kind).tap()
    for number, ship in enumerate(("destroyer 1D", "destroyer 2D", "submarine 3S")):
        wait_text(tab, ".banner", f"tap a panel for {ship}")
        tap_target(tab, 7 * number)
    wait_text(tab, ".notebook", "may be on")
    tab.wait_for_selector('.banner[data-kind="mine"]')
    tab.tap('.verbs [data-group="1"]')  # moves
    tap_target(tab)
    expect(tab.locator(".log")).to_contain_text("moves")


def test_battleship_offers_its_missions_and_asks_twice_before_it_resigns(play):
    tab = play("battleship", variant="recon")
    wait_text(tab, ".notebook", "the score decides")
    tab.click(".random")
    wait_text(tab, ".notebook", "may be on")
    tab.wait_for_selector('.banner[data-kind="mine"]')
    tab.locator(".free", has_text="resign").click()
    wait_text(tab, ".bar .note", "the game would be lost")
    assert tab.get_attribute(".banner", "data-kind") == "mine"


# -- Terraforming ----------------------------------------------------------------------------------


def test_terraforming_by_keyboard(play):
    tab = play("terraforming")
    tab.keyboard.press("-")
    wait_text(tab, ".amount output", "4 of 5")
    tab.keyboard.press("w")
    wait_text(tab, ".banner", "move on, or finish")
    tab.keyboard.press("u")
    wait_text(tab, ".banner", "or build one building")
    tab.keyboard.press("w")
    wait_text(tab, ".banner", "move on, or finish")
    tab.keyboard.press("f")
    wait_caption(tab, "turn 2 ")
    expect(tab.locator(".score-strip .total").first).to_have_text("4")  # one cell more


def test_terraforming_by_touch(play):
    tab = play("terraforming", PHONE)
    tab.tap(".pad button:enabled")
    wait_text(tab, ".banner", "move on, or finish")
    tab.tap(".free.primary")
    wait_caption(tab, "turn 2 ")
    tab.tap(".free")
    wait_caption(tab, "turn 3 ")
    expect(tab.locator(".score-strip .total").first).to_have_text("4")  # of one move


# -- marks -----------------------------------------------------------------------------------------

COVERED = """() => {
  const svg = document.querySelector(".board-view");
  const marks = [...svg.querySelectorAll(".targets path:not(.target), .targets circle:not(.chosen)")];
  const lies = (mark, x, y) => {
    const point = new DOMPoint(x, y).matrixTransform(svg.getCTM()).matrixTransform(mark.getCTM().inverse());
    const isFilled = getComputedStyle(mark).fill !== "none";
    return mark.isPointInStroke(point) || (isFilled && mark.isPointInFill(point));
  };
  return [...svg.querySelectorAll(".numbers text, .tags text")].filter((text) => {
    const { x, y, width, height } = text.getBBox();
    const places = [0.05, 0.25, 0.5, 0.75, 0.95];
    const inner = (share) => y + height * (0.25 + 0.5 * share); // the digits, without the room above and below
    return marks.some((mark) => places.some((a) => places.some((b) => lies(mark, x + width * a, inner(b)))));
  }).map((text) => text.textContent);
}"""


@pytest.mark.parametrize("game", ["kakomimasu", "nezumi", "terraforming"])
def test_no_number_is_under_a_mark(play, game):
    tab = play(game)
    tab.wait_for_selector(".targets .bracket", state="attached")
    assert tab.locator(".numbers text, .tags text").count() > 0
    assert tab.evaluate(COVERED) == []
    tab.locator(".hint").click()
    tab.wait_for_selector(".targets .lit, .bar .note:not(:empty)", state="attached")
    expect(tab.locator(".bar .note")).not_to_have_text("Thinking")  # a hint to wait lights no cell
    assert tab.evaluate(COVERED) == []


def test_a_deadly_step_is_framed_and_said_and_a_hint_disarms_it(play):
    tab = play("chaser")
    tab.keyboard.press("Shift+ArrowUp")
    wait_caption(tab, "turn 2 ")
    expect(tab.locator(".targets .alarm")).to_have_count(1)
    tab.keyboard.press("ArrowUp")
    wait_text(tab, ".bar .note", "Press again")
    tab.locator(".hint").click()
    tab.wait_for_selector(".targets .lit, .bar .note:not(:empty)", state="attached")
    expect(tab.locator(".bar .note")).not_to_have_text("Thinking")
    tab.keyboard.press("ArrowUp")
    wait_text(tab, ".bar .note", "Press again")
    assert tab.text_content(".caption").startswith("turn 2 ")


# -- the end ---------------------------------------------------------------------------------------


def test_a_card_over_the_board_says_who_won_and_goes_to_the_next_level(play):
    tab = play("chaser", level="safe")
    tab.keyboard.press("Shift+ArrowUp")
    wait_caption(tab, "turn 2 ")
    for _ in range(2):
        tab.keyboard.press("ArrowUp")  # into the block, in spite of the warning
    card = tab.locator(".board-box .end")
    expect(card.locator("strong")).to_have_text("safe wins")
    expect(card.locator("p")).to_have_text("player walked into a block")
    expect(card.locator("tr").nth(1)).to_have_text(re.compile(r"^items\d+\d+$"))
    tab.keyboard.press("Home")
    expect(card).to_be_hidden()  # it belongs to the last position
    tab.keyboard.press("End")
    first = tab.url
    card.get_by_text("Next level: ").click()
    tab.wait_for_selector('.banner[data-kind="mine"]')
    assert tab.url != first
    expect(tab.locator(".seat .name").nth(1)).not_to_have_text("safe")
