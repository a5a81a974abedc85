"""Each game from its first press to the card of its end: by mouse, by touch, by keys."""

import random

import pytest

from visitors import DESK, PHONE

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect
pytestmark = pytest.mark.slow

GAMES = {
    "battleship": {},
    "chaser": {},
    "kakomimasu": {},
    "nezumi": {"level": "random"},
    "terraforming": {"level": "random"},
}
MOST = 2000  # presses in a game
PLACES = """() => {
  const at = (path) => path && /M(-?[\\d.]+) (-?[\\d.]+)/.exec(path.getAttribute('d')).slice(1).map(Number);
  return {
    cursor: at(document.querySelector('.cursor .at')),
    targets: [...document.querySelectorAll('.targets .target')].map(at),
  };
}"""
READY = """() => {
  const banner = document.querySelector('.banner');
  return banner.dataset.kind === 'mine' || banner.dataset.kind === 'over';
}"""


PICK = """([selector, share]) => {
  const all = [...document.querySelectorAll(selector)].filter((one) => !one.disabled && one.checkVisibility());
  const one = all[Math.floor(share * all.length)];
  if (!one) return null;
  one.scrollIntoView({ block: 'nearest' });
  one.focus();
  const box = one.getBoundingClientRect();
  return [box.left + box.width / 2, box.top + box.height / 2];
}"""


# what a finger in the middle of the page would press at the moment of the end
UNDER = """() => {
  const banner = document.querySelector('.banner');
  new MutationObserver((_, observer) => {
    if (banner.dataset.kind !== 'over') return;
    observer.disconnect();
    window.pressable = [...document.querySelectorAll('.controls input, .controls button')].filter((one) => {
      one.scrollIntoView({ block: 'nearest' });
      const box = one.getBoundingClientRect();
      return one === document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
    }).length;
  }).observe(banner, { attributes: true });
}"""


class Hand:
    """Presses what is offered, in its own way."""

    def __init__(self, tab, rng):
        self.tab, self.rng = tab, rng

    def choose(self, selector):
        """Press one of the elements that are there and enabled; return whether there was one."""
        place = self.tab.evaluate(PICK, [selector, self.rng.random()])
        if place is not None:
            self.press(*place)
        return place is not None

    def step(self):
        """Do one thing: a choice of the menu, a target on the board, a word in the bar, or the end of the turn."""
        if self.choose(".menu:not([hidden]) button"):
            return None
        if self.rng.random() < 0.5 and self.finish():
            return None
        if self.tab.locator(".targets .target").count():
            return self.aim()
        _ = self.choose(".bar .random") or self.choose(".bar button.free") or self.finish()
        return None

    def finish(self):
        return self.choose(".bar .commit") or self.choose(".bar .free.primary")


class Mouse(Hand):
    """A mouse on the board and the buttons."""

    def press(self, x, y):
        self.tab.mouse.click(x, y)

    def aim(self):
        self.choose(".targets .target")


class Finger(Mouse):
    """A finger on a phone."""

    def press(self, x, y):
        self.tab.touchscreen.tap(x, y)


class Keys(Hand):
    """Keys alone: the cursor on the board, Enter, Tab's buttons."""

    def press(self, _x, _y):
        self.tab.keyboard.press("Enter")  # it has the focus

    def aim(self):
        self.tab.evaluate("document.activeElement.blur()")
        if self.tab.locator(".verbs").count():
            self.tab.keyboard.press("c")  # the arrows move the cursor
        goal = None
        for _ in range(60):
            places = self.tab.evaluate(PLACES)
            if not places["targets"]:
                return
            goal = goal or self.rng.choice(places["targets"])
            x, y = places["cursor"] or (0, 0)
            if [x, y] == goal:
                break
            key = "ArrowDown" if goal[1] > y else "ArrowUp" if goal[1] < y else None
            key = key or ("ArrowRight" if goal[0] > x else "ArrowLeft")
            self.tab.keyboard.press(key)
        self.tab.keyboard.press("Enter")


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize(("hand", "viewport"), [(Mouse, DESK), (Finger, PHONE), (Keys, DESK)])
def test_a_game_to_its_end(play, game, hand, viewport):
    tab = play(game, viewport, **GAMES[game])
    player = hand(tab, random.Random(1))
    tab.evaluate(UNDER)
    for _ in range(MOST):
        tab.wait_for_function(READY)
        if tab.get_attribute(".banner", "data-kind") == "over":
            break
        player.step()
        tab.keyboard.press("o")  # who presses does not wait for the answer
    expect(tab.locator('.banner[data-kind="over"]')).to_be_visible()
    tab.keyboard.press("End")  # a late press may have looked back
    expect(tab.locator(".end strong")).to_be_visible()
    expect(tab.locator(".end .row button").first).to_be_visible()
    assert tab.evaluate("window.pressable") == 0, "a press of the last turn hits what came with the end"
