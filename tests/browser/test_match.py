"""How a match feels: results that stand, a window that slides, fingers that trace and drag, and the card of the end."""

import re

import pytest

from visitors import DESK, PHONE, WAIT_MS, tap_target, wait_caption, wait_text

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect

STANDS_MS = 700
WATCH = """() => {
  window.seen = [];
  const caption = document.querySelector('.caption');
  new MutationObserver(() => {
    if (window.seen.at(-1)?.[0] !== caption.textContent) window.seen.push([caption.textContent, performance.now()]);
  }).observe(caption, { childList: true });
}"""


def box_of(tab):
    return [float(number) for number in tab.get_attribute(".board-view", "viewBox").split()]


def wait_for_turn(tab):
    tab.wait_for_selector('.banner[data-kind="mine"]')


def middle(tab, selector):
    box = tab.locator(selector).first.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


class Finger:
    """A finger on the screen of a phone."""

    def __init__(self, tab):
        self._session = tab.context.new_cdp_session(tab)

    def trace(self, points):
        for number, (x, y) in enumerate(points):
            kind = "touchMove" if number else "touchStart"
            self._session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y}]})
        self._session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


def line(start, end, steps=12):
    return [
        (start[0] + (end[0] - start[0]) * n / steps, start[1] + (end[1] - start[1]) * n / steps)
        for n in range(steps + 1)
    ]


# -- my result, and the answer -----------------------------------------------------------------------


def test_my_result_stands_before_it_is_answered(play):
    tab = play("nezumi", level="random")  # the cat moves first
    wait_text(tab, ".banner", "move the cat")
    tab.evaluate(WATCH)
    tab.keyboard.press(
        {"n": "ArrowUp", "e": "ArrowRight", "s": "ArrowDown", "w": "ArrowLeft"}[
            tab.get_attribute(".pad button:enabled", "data-way")
        ]
    )
    tab.wait_for_function("() => window.seen.length > 1")
    (_, mine), (_, answer) = tab.evaluate("window.seen")[:2]
    assert answer - mine >= STANDS_MS - 5  # two clocks
    wait_for_turn(tab)
    expect(tab.locator(".older path")).not_to_have_count(0)  # what I did is still marked


def test_who_presses_a_key_does_not_wait_for_the_answer(play):
    tab = play("chaser")
    tab.evaluate(
        """() => {
          const later = window.setTimeout;
          window.setTimeout = (run, ms, ...rest) => (ms > 400 && ms <= 700 ? 0 : later(run, ms, ...rest));
        }"""
    )  # the pause itself never ends
    for turn in range(2, 6):
        tab.keyboard.press("l")
        tab.keyboard.press("ArrowUp")
        tab.wait_for_function("() => document.querySelector('.log li')?.textContent.includes('looks up')")
        tab.keyboard.press("o")
        wait_caption(tab, f"turn {turn} ")


def test_the_card_of_the_end_leaves_the_board_of_a_phone_visible(play):
    tab = play("kakomimasu", PHONE)
    for _ in range(30):
        wait_for_turn(tab)
        before = tab.text_content(".caption")
        tab.tap(".commit")
        tab.wait_for_function("before => document.querySelector('.caption').textContent !== before", arg=before)
    card, board = tab.locator(".end"), tab.locator(".board-view")
    expect(card.locator("strong")).to_be_visible()
    expect(card.locator(".curve svg .curve")).to_have_count(2)
    assert card.bounding_box()["y"] >= board.bounding_box()["y"] + board.bounding_box()["height"] - 1


@pytest.mark.parametrize("moves", [True, False])
def test_changes_appear_one_after_the_other_unless_motion_is_unwanted(play, moves):
    tab = play("kakomimasu")
    tab.emulate_media(reduced_motion="no-preference" if moves else "reduce")
    tab.evaluate(
        """() => {
          window.covers = 0;
          new MutationObserver((all) => {
            window.covers += all.flatMap((one) => [...one.addedNodes]).filter((one) => one.matches('.change')).length;
          }).observe(document.querySelector('.fresh'), { childList: true });
        }"""
    )
    for number, cell in enumerate((33, 44, 55)):
        tab.locator(".targets .target").nth(cell).click(force=True)
        wait_text(tab, ".banner", f"{number + 1} of 3 ordered")
    tab.click(".commit")
    wait_caption(tab, "after turn 1 ")
    expect(tab.locator(".change")).to_have_count(0)  # they are gone
    assert (tab.evaluate("window.covers") > 0) == moves


@pytest.mark.parametrize(("game", "press"), [("chaser", "l"), ("terraforming", "f"), ("nezumi", None)])
@pytest.mark.parametrize("viewport", [DESK, PHONE])
def test_controls_keep_their_place_from_turn_to_turn(play, game, press, viewport):
    tab = play(game, viewport, level="random")
    for turn in range(5):
        if turn == 2:  # until then parts grow to their size
            tab.evaluate(
                """() => {
                  window.tops = [];
                  const top = () => Math.round(document.querySelector('.controls').getBoundingClientRect().top);
                  new MutationObserver(() => Math.abs(window.tops.at(-1) - top()) <= 1 || window.tops.push(top()))
                    .observe(document.querySelector('main'), { childList: true, subtree: true });
                }"""
            )
        before = tab.text_content(".caption")
        if press:
            tab.keyboard.press(press)
        if press != "f":
            tab.locator(".pad button:enabled").first.click()
        tab.wait_for_function("before => document.querySelector('.caption').textContent !== before", arg=before)
        wait_for_turn(tab)
    tops = tab.evaluate("window.tops")
    assert len(tops) <= 2, tops  # more words may need one more line, for good
    assert tops == sorted(tops), tops


# -- the window --------------------------------------------------------------------------------------


def test_the_window_of_chaser_slides_and_keeps_its_scale(play):
    tab = play("chaser")
    _, _, width, height = first = box_of(tab)
    assert width == 15 * 32 + 4
    tab.evaluate(
        """() => {
          window.boxes = [];
          const board = document.querySelector('.board-view');
          new MutationObserver(() => window.boxes.push(board.getAttribute('viewBox')))
            .observe(board, { attributes: true, attributeFilter: ['viewBox'] });
        }"""
    )
    tab.keyboard.press("s")
    tab.keyboard.press("ArrowUp")  # nine cells, more than the window shows
    wait_caption(tab, "turn 2 ")
    tab.wait_for_function(
        "first => window.boxes.length > 1 && window.boxes.at(-1) === first",
        arg=" ".join(f"{number:g}" for number in first),
    )
    rows = [float(box.split()[1]) for box in tab.evaluate("window.boxes")]
    assert min(rows) <= first[1] - 3 * 32  # it was there
    assert all(box.split()[2:] == [f"{width:g}", f"{height:g}"] for box in tab.evaluate("window.boxes"))
    expect(tab.locator(".map svg")).to_be_visible()
    x, y = middle(tab, ".map")
    tab.mouse.move(x, y)
    tab.mouse.down()
    tab.mouse.move(x, y - 15, steps=3)
    tab.mouse.up()
    assert box_of(tab)[1] < first[1]
    assert box_of(tab)[2:] == [width, height]


# -- fingers -----------------------------------------------------------------------------------------


def test_a_finger_traces_from_a_piece_and_scrolls_elsewhere(play):
    tab = play("kakomimasu", PHONE)
    for number, cell in enumerate((33, 44, 55)):
        tap_target(tab, cell)
        wait_text(tab, ".banner", f"{number + 1} of 3 ordered")
    tab.tap(".commit")
    wait_caption(tab, "after turn 1 ")
    tab.evaluate("scrollTo(0, 0)")
    box = tab.locator(".units .piece").first.bounding_box()
    start = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    cell = tab.locator(".targets .target").first.bounding_box()["width"]
    finger = Finger(tab)
    finger.trace(line(start, (start[0], start[1] - 2 * cell)))
    wait_text(tab, ".banner", "1 of 3 ordered")
    expect(tab.locator(".order").first).to_contain_text("»")
    assert tab.evaluate("scrollY") == 0
    finger.trace(line(middle(tab, ".caption"), (200, 60)))
    tab.wait_for_function("() => scrollY > 0")


def test_a_piece_is_dragged_and_taken_back(play):
    tab = play("terraforming")
    tab.wait_for_selector(".targets .target", state="attached")
    target = tab.locator(".targets .target").first.bounding_box()
    goal = target["x"] + target["width"] / 2, target["y"] + target["height"] / 2
    start = middle(tab, ".targets .chosen")

    def drag(*points):
        tab.mouse.move(*start)
        tab.mouse.down()
        for point in points:
            tab.mouse.move(*point, steps=8)
        tab.mouse.up()

    drag(goal, start)
    wait_text(tab, ".banner", "or build one building")
    expect(tab.locator(".undo")).to_be_disabled()
    drag(goal)
    wait_text(tab, ".banner", "move on, or finish")


# -- the end -----------------------------------------------------------------------------------------


def test_the_card_of_the_end_says_what_decided_and_shares(play):
    tab = play("chaser")
    tab.keyboard.press("Shift+ArrowUp")
    wait_caption(tab, "turn 2 ")
    tab.keyboard.press("ArrowUp")
    wait_text(tab, ".bar .note", "there is a block")
    tab.keyboard.press("ArrowUp")
    card = tab.locator(".end")
    expect(card).to_be_visible()
    expect(card.locator("strong")).to_have_text("safe wins")
    expect(card).to_contain_text("walked into a block")
    expect(card.locator(".curve")).to_be_hidden()  # nobody has anything
    tab.wait_for_timeout(STANDS_MS + 300)
    assert box_of(tab)[:2] == [0, 0]  # the whole field, for good
    expect(tab.get_by_role("button", name="Rematch")).to_have_count(1)
    expect(card.get_by_role("button", name="Rematch")).to_be_visible()
    address = card.get_by_role("link", name="Picture").get_attribute("href")
    answer = tab.request.get(re.match(r"https?://[^/]+", tab.url)[0] + address, timeout=WAIT_MS)
    assert answer.status == 200
    assert answer.body()[:8] == b"\x89PNG\r\n\x1a\n"
    tab.context.grant_permissions(["clipboard-read", "clipboard-write"])
    card.get_by_role("button", name=re.compile("Copy the link|Share")).click()
    link = tab.evaluate("navigator.clipboard.readText()")
    assert re.fullmatch(r"http://\S+/m/[\w-]+", link)
