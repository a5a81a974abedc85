"""The live page as people use it: every game is played by clicks to its end; matches are watched, replays scrubbed."""

import contextlib

import pytest

from masume.game import games
from masume.play.agents import make_agent
from masume.play.driver import play_game
from masume.web.offers import game_of
from visitors import DESK, PHONE, page

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

MAX_CLICKS = 600
WAIT_MS = 60_000  # for what must happen
PRESS_MS = 1000  # for what may have gone since it was seen


@pytest.fixture
def server():
    with page() as found:
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


TURN = '.banner[data-kind="mine"], .banner[data-kind="over"]'


def is_over(tab):
    return tab.locator('.banner[data-kind="over"]').count() > 0


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


@pytest.mark.parametrize("game", games())
def test_every_game_is_played_by_clicks_to_its_end(visit, game):
    tab = visit("/")
    tab.click(f'a.offer[href="/play/{game}"]')
    tab.click("#begin")
    for number in range(MAX_CLICKS):
        tab.wait_for_selector(TURN)
        if is_over(tab):
            break
        before = tab.inner_html(".bar")
        try:
            decide(tab, number)
            tab.wait_for_function(
                "before => document.querySelector('.bar').innerHTML !== before || "
                "!document.querySelector('.menu')?.hidden || document.querySelector('.banner').dataset.kind === 'over'",
                arg=before, timeout=PRESS_MS,
            )  # fmt: skip
        except playwright.TimeoutError:
            continue  # the press changed nothing: another one follows
    assert is_over(tab)
    assert tab.locator(".host button").first.text_content() == "Rematch"
    tab.wait_for_selector(".score-strip .total")


def finished(name, seed=3):
    game = game_of(name, "", "")
    agents = [make_agent("random", game) for _ in range(game.num_players)]
    return play_game(game, agents, seed).to_replay(seed, [f"agent {player}" for player in range(game.num_players)])


@pytest.mark.parametrize("game", games())
def test_a_finished_game_is_scrubbed_and_linked(visit, server, game):
    one = finished(game)
    server.call(server.matches.add_replays, [one])
    tab = visit("/")
    tab.click(".match-card")
    tab.wait_for_selector('.banner[data-kind="over"]')
    last = int(tab.get_attribute(".controls input", "max"))
    assert last > 0
    tab.wait_for_function(
        "() => { const bar = document.querySelector('.controls input'); return bar && bar.value === bar.max; }"
    )
    tab.keyboard.press("Home")
    assert tab.input_value(".controls input") == "0"
    tab.keyboard.press(">")
    assert tab.input_value(".controls input") == "1"
    assert tab.url.endswith("#1")
    tab.keyboard.press("<")
    tab.keyboard.press(".")
    assert int(tab.input_value(".controls input")) >= 1
    tab.select_option('.controls select[aria-label="Speed"]', "64")
    tab.click(".controls .play")
    tab.wait_for_function(
        "() => { const bar = document.querySelector('.controls input'); return bar && bar.value === bar.max; }"
    )
    totals = [
        text.replace("−", "-").replace(",", "") for text in tab.locator(".score-strip .total").all_text_contents()
    ]
    assert totals == [str(score) for score in one.scores]
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
    server.call(server.matches.add_replays, [finished("nezumi")], "game")
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
    tab.wait_for_function(
        "() => { const bar = document.querySelector('.controls input'); return bar && bar.value === bar.max; }"
    )
    assert tab.evaluate("window.moved") == 0


def test_sounds_are_off_until_they_are_wanted(visit, server):
    server.call(server.matches.add_replays, [finished("nezumi")], "game")
    tab = visit("/m/game")
    tab.wait_for_selector(".sounds", state="attached")
    assert not tab.is_checked(".sounds input")
    tab.click("details summary:has-text('Signs and keys')")
    tab.check(".sounds input")
    tab.reload()
    tab.wait_for_selector(".sounds", state="attached")
    assert tab.is_checked(".sounds input")


def test_the_keyboard_plays_a_move(visit):
    tab = visit("/play/nezumi")
    tab.wait_for_selector("#begin:focus")
    tab.keyboard.press("Enter")
    tab.wait_for_selector('.banner[data-kind="mine"]')
    before = tab.inner_html(".board-view .units")
    tab.keyboard.press("c")  # the arrows move the cursor
    tab.keyboard.press("ArrowUp")  # to the cat
    tab.keyboard.press("ArrowUp")
    assert tab.locator(".board-view .at").count() == 1
    tab.keyboard.press("Enter")
    tab.wait_for_function("before => document.querySelector('.board-view .units').innerHTML !== before", arg=before)


@pytest.mark.parametrize("viewport", [DESK, PHONE])
@pytest.mark.parametrize("path", ["/", "/play/chaser", "/wall"])
def test_no_page_is_wider_than_its_window(visit, server, path, viewport):
    server.call(server.matches.add_replays, [finished("nezumi")])
    tab = visit(path, viewport)
    tab.wait_for_selector("#main > :visible")
    if path == "/play/chaser":
        tab.get_by_role("button", name="Start").click()
        tab.wait_for_selector(".board-view .units")
    assert tab.evaluate("document.documentElement.scrollWidth") <= viewport["width"]


def test_the_page_is_japanese_for_a_japanese_browser_and_english_by_the_switch(visit):
    tab = visit("/", locale="ja-JP")
    assert "対戦" in tab.text_content("#play h2")
    tab.select_option("#language", "en")
    tab.wait_for_function("() => document.documentElement?.lang === 'en'")
    assert tab.text_content("#play h2") == "Play a game"


def test_two_people_play_each_other_from_two_browsers(visit):
    first = visit("/play/nezumi")
    first.click("summary")
    first.select_option("#against", "guest")
    first.click("#begin")
    first.wait_for_selector('.banner[data-kind="waiting"]')
    link = first.locator(".invitation a").get_attribute("href")
    second = visit("/" + link.partition("//")[2].partition("/")[2])
    second.click(".host .primary")
    for number in range(MAX_CLICKS):
        for tab in (first, second):
            if tab.locator('.banner[data-kind="mine"]').count():
                with contextlib.suppress(playwright.TimeoutError):
                    decide(tab, number)
                tab.wait_for_timeout(50)
        if is_over(first):
            break
    assert is_over(first)
    second.wait_for_selector('.banner[data-kind="over"]')
