"""The front page and the wall as people use them: from the address to a game, to what is watched, to the hall."""

import json

import pytest

from masume.core import registry
from masume.game import games
from masume.play.lessons import lessons_of
from masume.records import replay
from masume.web import exhibitions
from visitors import DESK, PHONE, Browser, Player, page

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
expect = playwright.expect

GAMES = games()
PROJECTOR = {"width": 1920, "height": 1080}
MINE = '.banner[data-kind="mine"]'


@pytest.fixture
def server(tmp_path):
    with page(folder=tmp_path) as found:
        yield found


@pytest.fixture
def visit(chromium, server):
    """visit(path) opens a page of the server; at the end, no script may have failed."""
    contexts, troubles = [], []

    def visit(path="/", viewport=DESK, locale="en-US", **options):
        context = chromium.new_context(viewport=viewport, locale=locale, **options)
        contexts.append(context)
        tab = context.new_page()
        tab.on("pageerror", lambda error: troubles.append(str(error)))
        tab.goto(server.address + path.lstrip("/"))
        return tab

    yield visit
    for context in contexts:
        context.close()
    assert not troubles


def card(tab, game):
    return tab.locator(f'.game[data-game="{game}"]')


def show_recorded(server, names=None):
    for name, path in registry.recorded().items():
        if names is None or name in names:
            server.call(server.gallery.add_replays, replay.load(path), name)


# -- the cards ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("viewport", "columns"), [(PHONE, 1), (DESK, 5), (PROJECTOR, 5)])
def test_every_game_has_a_card_that_says_what_a_stranger_asks(visit, viewport, columns):
    tab = visit("/", viewport)
    for game in GAMES:
        one = card(tab, game)
        for part in ("h3", ".about", ".facts-line", ".begin", ".with-friend", ".watch"):
            expect(one.locator(part)).to_be_visible()
        expect(one.locator(".facts-line")).to_contain_text("minute")
        assert not one.locator(".more a").first.is_visible()
    lefts = {round(card(tab, game).bounding_box()["x"]) for game in GAMES}
    assert len(lefts) == columns
    assert tab.evaluate("document.documentElement.scrollWidth") <= viewport["width"]


def test_nothing_of_a_card_has_the_height_of_a_finger_and_less(visit):
    tab = visit("/", PHONE)
    low = tab.eval_on_selector_all(
        ".game button, .game summary", "all => all.filter((one) => one.getBoundingClientRect().height < 44).length"
    )
    assert low == 0


UNITS = '[data-game="nezumi"] .loop .units'
PLACES = f"() => document.querySelector('{UNITS}').innerHTML"


@pytest.mark.parametrize(("motion", "moves"), [("no-preference", True), ("reduce", False)])
def test_boards_move_for_those_who_want_motion(visit, motion, moves):
    tab = visit("/", reduced_motion=motion)
    tab.wait_for_selector(f"{UNITS} *", state="attached")
    before = tab.evaluate(PLACES)
    if moves:
        tab.wait_for_function(f"before => ({PLACES})() !== before", arg=before)
    else:
        tab.wait_for_timeout(3000)
        assert tab.evaluate(PLACES) == before
        assert tab.evaluate("document.getAnimations().length") == 0


def test_boards_come_when_they_are_in_sight(visit):
    tab = visit("/", {"width": 390, "height": 300})
    tab.wait_for_selector(f'[data-game="{GAMES[0]}"] .loop .board *', state="attached")
    last = card(tab, GAMES[-1])
    assert not last.locator(".loop .board *").count()
    last.scroll_into_view_if_needed()
    expect(last.locator(".loop .board *").first).to_be_attached()


@pytest.mark.parametrize("game", GAMES)
def test_one_press_begins_a_game_in_which_one_can_move(visit, game):
    tab = visit("/")
    card(tab, game).locator(".begin").click()
    tab.wait_for_selector(MINE)
    tab.wait_for_selector(".targets .target, .bar .free", state="attached")


SETTING_UP = [name for name, part in registry.parts("people").items() if hasattr(part, "is_setting_up")]


@pytest.mark.parametrize("game", SETTING_UP)
def test_the_fleet_is_ready_and_can_be_changed(visit, server, game):
    tab = visit("/")
    card(tab, game).locator(".begin").click()
    tab.wait_for_selector(MINE)
    (match,) = server.gallery.found.values()
    part = match.game.part("people")
    assert not part.is_setting_up(match.state)
    tab.locator(".bar .change").click()
    tab.wait_for_url(lambda address: match.id not in address)
    tab.wait_for_selector(MINE)
    (other,) = server.gallery.found.values()
    assert part.is_setting_up(other.state)
    assert not tab.locator(".bar .change").count()


def test_a_friend_is_invited_from_the_card(visit, server):
    tab = visit("/")
    card(tab, "chaser").locator(".with-friend").click()
    tab.wait_for_url("**/m/*")
    (match,) = server.gallery.found.values()
    assert sorted(match.seats) == [0, 1]


def test_agents_are_watched_from_the_card_and_a_third_game_is_refused_in_words(visit, monkeypatch):
    monkeypatch.setattr(exhibitions, "ALONE_S", 60.0)
    for game in GAMES[:2]:
        tab = visit("/")
        card(tab, game).locator(".watch").click()
        tab.wait_for_selector(".board-view .units *", state="attached")
    tab = visit("/")
    card(tab, GAMES[2]).locator(".watch").click()
    expect(card(tab, GAMES[2]).get_by_role("alert")).to_contain_text("two games of agents")
    expect(card(tab, GAMES[2]).locator(".watch")).to_be_enabled()


def test_more_leads_to_boards_levels_and_editors(visit):
    tab = visit("/")
    one = card(tab, "chaser")
    one.locator("summary").click()
    for path in ("learn", "play", "make"):
        expect(one.locator(f'.more a[href="/{path}/chaser"]')).to_be_visible()


@pytest.mark.parametrize("game", [name for name in GAMES if lessons_of(name)])
def test_a_card_counts_the_lessons_that_were_done_here(visit, game):
    names = [lesson.name for lesson in lessons_of(game)]
    tab = visit("/")
    link = card(tab, game).locator(".lessons")
    expect(link).to_have_text(f"Lessons 0 of {len(names)}")
    tab.evaluate("done => localStorage.setItem('masume-lessons', JSON.stringify(done))", {game: {names[0]: 1}})
    tab.reload()
    expect(link).to_have_text(f"Lessons 1 of {len(names)}")
    expect(link).to_have_attribute("href", f"/learn/{game}")


# -- matches --------------------------------------------------------------------------------------------------


def test_good_games_say_why_and_others_are_folded(visit, server):
    show_recorded(server)
    tab = visit("/")
    expect(tab.locator("#recorded > .cards .match-card")).to_have_count(len(registry.recorded()))
    expect(tab.locator('#recorded a[href="/m/chaser"] .praise li').first).to_have_text("won with fewer points")
    worth = [one["worth"] for one in Browser(server).get("/api/lobby")["matches"]]
    links = tab.eval_on_selector_all("#recorded .match-card", "all => all.map((one) => one.getAttribute('href'))")
    assert links == [f"/m/{one['id']}" for one in Browser(server).get("/api/lobby")["matches"]]
    assert worth == sorted(worth, reverse=True)


def test_my_match_comes_first_and_a_hidden_board_is_no_empty_frame(visit, server):
    tab = visit("/")
    card(tab, "chaser").locator(".begin").click()
    tab.wait_for_selector(MINE)
    tab.goto(server.address)
    expect(tab.locator("#mine .match-card .thumb svg")).to_be_visible()
    other = visit("/")
    expect(other.locator("#watch .match-card")).to_contain_text("Shown when it is over")
    expect(other.locator("#watch .thumb")).to_be_hidden()


# -- the wall -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/wall", "/?wall"])
def test_the_wall_plays_a_good_game_when_nothing_runs(visit, server, path):
    show_recorded(server)
    Player.begin(server.port, "nezumi", "Ann", ["me", "guest"])  # an invitation is no game
    tab = visit(path, PROJECTOR)
    expect(tab.locator(".wall-head")).to_contain_text("A good game of")
    caption = tab.locator(".caption").text_content()
    tab.wait_for_function("before => document.querySelector('.caption').textContent !== before", arg=caption)
    assert tab.evaluate("location.hash") == ""
    expect(tab.locator(".banner")).to_be_hidden()


def test_the_wall_shows_what_runs_and_nothing_that_hides(visit, server):
    show_recorded(server, ["chaser"])
    Player.begin(server.port, "chaser", "Ann", ["me", "random"])  # its board is hidden
    tab = visit("/wall", PROJECTOR)
    expect(tab.locator(".wall-head")).to_contain_text("A good game of CHaser")
    match = Player.begin(server.port, "nezumi", "Bob", ["me", "random"])
    expect(tab.locator(".seat .name").first).to_have_text("Bob")
    expect(tab.locator(".wall-head")).to_be_hidden()
    server.call(server.gallery.found[match.match].fail, "closed")
    expect(tab.locator(".wall-head")).to_contain_text("A good game of CHaser")


def test_the_wall_leaves_a_game_in_which_nobody_moves(visit, server):
    show_recorded(server, ["chaser"])
    Player.begin(server.port, "nezumi", "Bob", ["me", "random"])
    tab = visit("/wall", PROJECTOR)
    tab.clock.install()
    tab.reload()
    expect(tab.locator(".seat .name").first).to_have_text("Bob")
    tab.clock.run_for(90_000)
    expect(tab.locator(".wall-head")).to_contain_text("A good game of CHaser")


def test_a_wall_without_any_match_shows_the_games(visit):
    tab = visit("/wall", PROJECTOR)
    expect(tab.locator(".wall-game h1")).not_to_be_empty()
    expect(tab.locator(".wall-game .loop .board *").first).to_be_attached()


def test_the_wall_names_the_next_match_and_the_standings(visit, server):
    show_recorded(server)
    server.call(server.gallery.announce, {"next": ["Ann", "Bob"], "standings": [[1, "Ann", 3]]})
    tab = visit("/wall", PROJECTOR)
    expect(tab.locator(".wall-side")).to_contain_text("Ann – Bob")
    expect(tab.locator(".wall-side td").nth(1)).to_have_text("Ann")


BOXES = """() => {
  const box = (name) => document.querySelector(name).getBoundingClientRect();
  const [strip, board, caption] = [box(".score-strip"), box(".board-box"), box(".caption")];
  return [strip.left, innerWidth - strip.right, board.left, innerWidth - board.right, innerHeight - caption.bottom];
}"""


@pytest.mark.parametrize("viewport", [PROJECTOR, DESK])
@pytest.mark.parametrize("game", sorted(registry.recorded()))
def test_the_wall_has_even_margins_and_cuts_nothing_off(visit, server, viewport, game):
    show_recorded(server, [game])
    tab = visit("/wall", viewport)
    tab.wait_for_selector(".board-view .board *", state="attached")
    left, right, board_left, board_right, below = tab.evaluate(BOXES)
    assert abs(left - right) < 2
    assert abs(board_left - board_right) < 2
    assert left > 8
    assert below > 0


def test_scripts_of_the_lobby_know_no_secret(server):
    mine = Player.begin(server.port, "chaser", "Ann", ["me", "guest"])
    told = json.dumps(Browser(server).get("/api/lobby"))
    seats = server.gallery.found[mine.match].seats.values()
    assert not any(secret in told for seat in seats for secret in (seat.token, seat.invitation))
