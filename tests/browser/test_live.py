"""The live page as people use it: every game is played by clicks to its end; matches are watched, replays scrubbed."""

import contextlib
import re

import pytest

from masume.agents.make import make_agent
from masume.core import growing
from masume.game import games
from masume.play.driver import play_game
from masume.web.offers import game_of
from visitors import DESK, PHONE, WAIT_MS, page

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
expect = playwright.expect

MAX_CLICKS = 3000
POLL_MS = 50
PRESS_MS = 5000  # for what may have gone since it was seen


@pytest.fixture
def server(tmp_path):
    with page(folder=tmp_path) as found:
        yield found


@pytest.fixture
def visit(chromium, server):
    """visit(path) opens a page of the server; at the end, no script may have failed."""
    contexts, troubles = [], []

    def visit(path, viewport=DESK, scheme="light", locale="en-US", **options):
        context = chromium.new_context(viewport=viewport, color_scheme=scheme, locale=locale, **options)
        contexts.append(context)
        tab = context.new_page()
        tab.set_default_timeout(WAIT_MS)
        tab.on("pageerror", lambda error: troubles.append(str(error)))
        tab.on(
            "request", lambda request: request.url.startswith((server.address, "data:")) or troubles.append(request.url)
        )
        tab.goto(server.address + path.lstrip("/"))
        return tab

    yield visit
    for context in contexts:
        context.close()
    assert not troubles


AT_END = "() => { const bar = document.querySelector('.controls input'); return bar && bar.value === bar.max; }"
TURN = '.banner[data-kind="mine"], .banner[data-kind="over"]'


MIDDLES = """all => all.map(one => one.getBoundingClientRect())
    .map(box => [box.x + box.width / 2, box.y + box.height / 2])"""


def press_target(tab, number):
    """Press the middle of a marked cell of the board, if one is still there."""
    middles = tab.eval_on_selector_all(".targets .target", MIDDLES)
    if middles:
        tab.mouse.click(*middles[number % len(middles)])


def decide(tab, number):
    """Make one press of a person who takes what is offered; a TimeoutError if that has gone meanwhile."""
    menu = tab.locator(".menu:not([hidden]) button")
    commit = tab.locator(".bar .commit:enabled")
    free = tab.locator(".bar button.free")
    if menu.count():
        menu.first.click(timeout=PRESS_MS)
    elif commit.count() and "0 of" not in tab.text_content(".banner"):
        commit.click(timeout=PRESS_MS)
    elif free.count() and (number % 3 == 2 or not tab.locator(".targets .target").count()):
        free.first.click(timeout=PRESS_MS)
    elif tab.locator(".targets .target").count():
        press_target(tab, number)
    elif tab.locator(".bar select.free").count():
        tab.locator(".bar select.free").select_option(index=1, timeout=PRESS_MS)
    else:
        tab.keyboard.press("n")


def press(tab, number):
    """Decide, and wait until the page has changed by it; if it does not, another press may follow."""
    before = tab.inner_html(".bar")
    with contextlib.suppress(playwright.TimeoutError):
        decide(tab, number)
        tab.wait_for_function(
            "before => document.querySelector('.bar').innerHTML !== before || "
            "!document.querySelector('.menu')?.hidden || document.querySelector('.banner').dataset.kind === 'over'",
            arg=before, timeout=PRESS_MS,
        )  # fmt: skip


def turn_of(tabs):
    """Wait until it is the turn of one of the tabs or the game is over there; return it."""
    for _ in range(WAIT_MS // POLL_MS):
        for tab in tabs:
            if tab.locator(TURN).count():
                return tab
        tabs[0].wait_for_timeout(POLL_MS)
    raise AssertionError("it is nobody's turn")


def play_to_end(*tabs):
    for number in range(MAX_CLICKS):
        tab = turn_of(tabs)
        if tab.locator('.banner[data-kind="over"]').count():
            return
        press(tab, number)
    raise AssertionError(f"no end after {MAX_CLICKS} presses")


@pytest.mark.parametrize("game", games())
def test_every_game_is_played_by_clicks_to_its_end(visit, game):
    tab = visit("/")
    tab.click(f'.game[data-game="{game}"] .begin')
    play_to_end(tab)
    expect(tab.get_by_role("button", name="Rematch")).to_have_count(1)  # on the card of the end
    tab.wait_for_selector(".score-strip .total")


def finished(name, seed=3):
    game = game_of(name, "", "")
    agents = [make_agent("random", game) for _ in range(game.num_players)]
    return play_game(game, agents, seed).to_replay(seed, [f"agent {player}" for player in range(game.num_players)])


@pytest.mark.parametrize("game", games())
def test_a_finished_game_is_scrubbed_and_linked(visit, server, game):
    one = finished(game)
    server.call(server.gallery.add_replays, [one])
    tab = visit("/")
    tab.click("#recorded .match-card")
    tab.wait_for_selector('.banner[data-kind="over"]')
    bar = tab.locator(".controls input")
    tab.wait_for_function(AT_END)
    tab.keyboard.press("Home")
    expect(bar).to_have_value("0")
    tab.keyboard.press(">")
    expect(bar).to_have_value("1")
    expect(tab).to_have_url(re.compile("#1$"))
    tab.keyboard.press("<")
    expect(bar).to_have_value("0")
    expect(bar).not_to_have_attribute("aria-valuetext", "")  # the frame is there
    tab.keyboard.press(".")
    expect(bar).not_to_have_value("0")
    tab.select_option('.controls select[aria-label="Speed"]', "64")
    tab.click(".controls .play")
    tab.wait_for_function(AT_END)
    totals = [f"{score:,}".replace("-", "−") for score in one.scores]
    expect(tab.locator(".score-strip .total")).to_have_text(totals)
    link = tab.url.partition("#")[0] + "#1"
    tab.goto("about:blank")
    tab.goto(link)
    tab.wait_for_function("() => document.querySelector('.controls input')?.value === '1'")


STEP = """() => {
  document.querySelector('.controls .play').nextElementSibling.click();
  return document.querySelector('.board-view').getAnimations({ subtree: true }).length;
}"""


@pytest.mark.parametrize(("motion", "glides"), [("no-preference", True), ("reduce", False)])
def test_pieces_glide_for_those_who_want_motion(visit, server, motion, glides):
    server.call(server.gallery.add_replays, [finished("nezumi")], "game")
    tab = visit("/m/game#4", reduced_motion=motion)
    tab.wait_for_function("() => document.querySelector('.controls input')?.value === '4'")
    moved = [tab.evaluate(STEP) for _ in range(8)]
    assert any(moved) == glides
    assert tab.locator(".board-view .fresh path").count() in (0, 1)
    tab.evaluate(
        "document.querySelector('.board-view').getAnimations({ subtree: true }).forEach((one) => one.cancel())"
    )
    tab.evaluate(
        """() => {
          window.moved = 0;
          const animate = Element.prototype.animate;
          Element.prototype.animate = function (...given) { window.moved++; return animate.apply(this, given); };
        }"""
    )
    tab.select_option('.controls select[aria-label="Speed"]', "64")
    tab.click(".controls .play")
    tab.wait_for_function(AT_END)
    assert tab.evaluate("window.moved") == 0


def test_sounds_are_off_until_they_are_wanted(visit, server):
    server.call(server.gallery.add_replays, [finished("nezumi")], "game")
    tab = visit("/m/game")
    tab.wait_for_selector(".sounds", state="attached")
    expect(tab.locator(".sounds")).to_have_attribute("aria-pressed", "false")
    tab.click(".sounds")
    tab.reload()
    tab.wait_for_selector(".sounds", state="attached")
    expect(tab.locator(".sounds")).to_have_attribute("aria-pressed", "true")


def test_a_page_that_is_loaded_again_sounds_from_the_first_press_on(visit):
    """Browsers keep silent until then, and would play all that was missed at once."""
    tab = visit("/play/nezumi")
    tab.context.add_init_script(
        """localStorage.setItem('masume-sounds', 'on'); window.voices = 0;
        const make = AudioContext.prototype.createOscillator;
        AudioContext.prototype.createOscillator = function () { window.voices++; return make.call(this); };"""
    )
    tab.click("#begin")
    tab.wait_for_selector(TURN)
    tab.reload()
    tab.wait_for_selector(TURN)
    assert tab.evaluate("window.voices") == 0
    tab.locator(".pad button:enabled").first.click()
    tab.wait_for_function("window.voices > 0")


def test_the_keyboard_plays_a_move(visit):
    tab = visit("/play/nezumi")
    tab.wait_for_selector("#begin:focus")
    tab.keyboard.press("Enter")
    tab.wait_for_selector('.banner[data-kind="mine"]')
    before = tab.inner_html(".board-view .units")
    tab.keyboard.press("c")  # the arrows move the cursor
    tab.keyboard.press("ArrowUp")  # to the cat
    tab.keyboard.press("ArrowUp")
    expect(tab.locator(".board-view .at")).to_have_count(1)
    tab.keyboard.press("Enter")
    tab.wait_for_function("before => document.querySelector('.board-view .units').innerHTML !== before", arg=before)


@pytest.mark.parametrize("viewport", [DESK, PHONE])
@pytest.mark.parametrize("path", ["/", "/play/chaser", "/wall"])
def test_no_page_is_wider_than_its_window(visit, server, path, viewport):
    server.call(server.gallery.add_replays, [finished("nezumi")])
    tab = visit(path, viewport)
    tab.wait_for_selector("#main > :visible")
    if path == "/play/chaser":
        tab.get_by_role("button", name="Start").click()
        tab.wait_for_selector(".board-view .units")
    assert tab.evaluate("document.documentElement.scrollWidth") <= viewport["width"]


def test_the_page_is_japanese_for_a_japanese_browser_and_english_by_the_switch(visit):
    tab = visit("/", locale="ja-JP")
    expect(tab.locator("#play h2")).to_contain_text("対戦")
    tab.select_option("#language", "en")
    tab.wait_for_function("() => document.documentElement?.lang === 'en'")
    expect(tab.locator("#play h2")).to_have_text("Play a game")


def test_two_people_play_each_other_from_two_browsers(visit, server):
    first = visit("/play/nezumi")
    first.click("summary")
    first.select_option("#against", "guest")
    first.click("#begin")
    first.wait_for_selector('.banner[data-kind="waiting"]')
    (match,) = server.gallery.found.values()
    second = visit(f"/j/{match.seats[1].invitation}")
    second.click(".friend form .primary")
    play_to_end(first, second)
    for tab in (first, second):
        expect(tab.locator(".banner")).to_have_attribute("data-kind", "over")


def test_a_full_disk_is_told_and_the_clock_stands(visit, server, monkeypatch):
    def no_space(*_arguments):
        raise OSError(28, "No space left on device")

    tab = visit("/play/chaser")
    tab.click("summary")
    tab.evaluate("document.getElementById('seed').value = '3'")
    tab.select_option("#clock", index=1)
    tab.click("#begin")
    tab.wait_for_selector(TURN)
    monkeypatch.setattr(growing, "_write", no_space)
    tab.wait_for_selector(".targets .target", state="attached")
    press_target(tab, 0)
    expect(tab.locator(".banner")).to_have_attribute("data-kind", "halted")
    expect(tab.locator(".banner")).to_contain_text("No space left on device")
    left = tab.locator(".banner").inner_text()
    tab.wait_for_timeout(1500)
    assert tab.locator(".banner").inner_text() == left
    monkeypatch.undo()
    tab.wait_for_selector(TURN)
    press_target(tab, 0)
    (match,) = server.gallery.found.values()
    for _ in range(WAIT_MS // POLL_MS):
        if match.moves:
            return
        tab.wait_for_timeout(POLL_MS)
    raise AssertionError("the move was not played")


def test_the_lobby_begins_a_game_with_one_press(visit):
    tab = visit("/")
    tab.get_by_role("button", name="Play now: Terraforming").click()
    tab.wait_for_selector('.banner[data-kind="mine"]')
    expect(tab.locator(".seat")).to_have_count(3)
