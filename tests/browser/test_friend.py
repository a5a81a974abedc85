"""Two people, each in their own browser: an invitation by link or camera, a game, who is here, a second game."""

import io
import re
import signal
import socket

import pytest

pytest.importorskip("starlette", reason="starlette is not installed")

import masume
from installs import BIN
from masume.core import system
from masume.http.front import Front
from masume.web import people
from person import person_in
from visitors import DESK, PHONE, WAIT_MS, end_match, page, serve_page

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect
zxingcpp = pytest.importorskip("zxingcpp", reason="zxing-cpp is not installed")
Image = pytest.importorskip("PIL.Image", reason="pillow is not installed")


@pytest.fixture
def server(tmp_path):
    """A page whose links others can open: it has a name."""
    with socket.create_server(("127.0.0.1", 0)) as found:
        port = found.getsockname()[1]
    with page(folder=tmp_path, front=Front(port=port, names=[f"http://127.0.0.1:{port}"])) as found:
        yield found


@pytest.fixture
def somebody(chromium):
    """somebody(viewport, locale) opens a browser of their own; at the end, no script may have failed."""
    contexts, troubles = [], []

    def somebody(viewport=DESK, locale="en-US", script=""):
        context = chromium.new_context(viewport=viewport, locale=locale, has_touch=viewport is PHONE)
        contexts.append(context)
        if script:
            context.add_init_script(script)
        context.set_default_timeout(WAIT_MS)
        context.on("page", lambda tab: tab.on("pageerror", lambda error: troubles.append(str(error))))
        return context.new_page()

    yield somebody
    for context in contexts:
        context.close()
    assert not troubles


def invite(tab, address, game, name="Aki"):
    """Begin a match with a free seat; the page has the invitation."""
    tab.goto(f"{address}play/{game}")
    tab.click("summary")
    tab.select_option("#against", "guest")
    tab.fill("#name", name)
    tab.fill("#seed", "3")
    tab.click("#begin")
    expect(tab.locator(".friend h2")).to_have_text("Play with a friend")


def join(tab, link, name):
    """Open an invitation and sit down."""
    tab.goto(link)
    tab.fill(".my-name", name)
    tab.click(".friend form .primary")
    expect(tab.locator(".friend")).to_be_hidden()


def match_of(tab):
    return re.search(r"/m/([\w-]+)", tab.url)[1]


def seats_of(tab):
    """Return the names of the players, and what is said of each."""
    return [
        (seat.locator(".name").inner_text(), seat.locator(".role").inner_text()) for seat in tab.locator(".seat").all()
    ]


# -- the invitation --------------------------------------------------------------------------------


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_camera_reads_the_invitation_and_the_friend_plays_from_a_phone(server, somebody, scheme):
    aki, bo = somebody(), somebody(PHONE, "ja-JP")
    aki.emulate_media(color_scheme=scheme)
    invite(aki, server.address, "nezumi")
    link = aki.locator(".friend .link").input_value()
    (found,) = zxingcpp.read_barcodes(Image.open(io.BytesIO(aki.screenshot())).convert("L"))
    assert found.text == link
    bo.goto(found.text)
    expect(bo.locator(".friend h2")).to_have_text("Akiさんからネズミ算への招待です")
    assert bo.locator(".friend form .primary").bounding_box()["y"] < PHONE["height"]
    expect(bo.locator(".board-view")).to_be_visible()  # nothing is hidden
    bo.fill(".my-name", "ボー")
    bo.click(".friend form .primary")
    expect(bo.locator('.banner[data-kind="mine"]')).to_be_visible()  # the mice begin
    expect(aki.locator(".friend")).to_be_hidden()
    expect(aki.locator(".seat.p1 .role")).to_have_text("mice, is here")
    assert seats_of(aki) == [("Aki", "cat, you"), ("ボー", "mice, is here")]
    assert seats_of(bo) == [("Aki", "ネコ, 在席中"), ("ボー", "ネズミ, あなた")]
    bo.reload()
    expect(bo.locator('.banner[data-kind="mine"]')).to_be_visible()
    again = bo.context.new_page()  # the phone remembers who it is
    again.goto(f"{server.address}play/nezumi")
    assert again.evaluate("localStorage.getItem('masume-name')") == "ボー"


def test_a_friend_sees_nothing_of_a_game_that_hides_before_sitting_down(server, somebody):
    aki, bo = somebody(), somebody(PHONE)
    invite(aki, server.address, "chaser")
    bo.goto(aki.locator(".friend .link").input_value())
    expect(bo.locator(".friend")).to_contain_text("You see the board when you sit down.")
    expect(bo.locator(".controls")).to_be_hidden()
    assert bo.locator(".board-view > g *").count() == 0
    bo.reload()
    bo.locator(".friend form .primary").click()
    expect(bo.locator(".friend")).to_be_hidden()
    expect(bo.locator(".seat.p0 .role")).to_contain_text("is here")
    expect(bo.locator(".board-view > g *")).not_to_have_count(0)


@pytest.mark.parametrize("game", masume.games())
def test_one_press_in_the_lobby_invites_a_friend(server, somebody, game):
    aki, bo = somebody(), somebody(PHONE)
    aki.goto(server.address)
    aki.locator(f'[data-game="{game}"]').get_by_role("button", name="With a friend").click()
    aki.locator(".my-name").fill("Aki")
    aki.locator(".my-name").press("Tab")
    expect(aki.locator(".seat.p0 .name")).to_have_text("Aki")
    join(bo, aki.locator(".friend .link").input_value(), "Bo")
    for tab in (aki, bo):
        expect(tab.locator(".seat.p1 .name")).to_have_text("Bo")
    expect(aki.locator(".banner")).not_to_have_attribute("data-kind", "waiting")
    assert aki.evaluate("localStorage.getItem('masume-name')") == "Aki"


def test_several_addresses_are_asked_for(somebody, monkeypatch):
    monkeypatch.setattr(system, "list_addresses", lambda: ["192.0.2.7", "198.51.100.7"])
    with page(front=Front("0.0.0.0")) as server:
        aki = somebody(PHONE)
        invite(aki, f"http://127.0.0.1:{server.port}/", "nezumi")
        choice = aki.locator(".friend .links select")
        assert choice.bounding_box()["width"] > 250  # it has room for an address
        before = aki.locator(".code path").get_attribute("d")
        choice.select_option(label=f"198.51.100.7:{server.port}")
        link = aki.locator(".friend .link")
        assert link.input_value().startswith(f"http://198.51.100.7:{server.port}/j/")
        assert aki.locator(".code path").get_attribute("d") != before


def test_a_page_of_one_machine_tells_how_to_open_it(somebody):
    with page() as server:
        aki = somebody(PHONE)
        invite(aki, server.address, "nezumi")
        expect(aki.locator(".friend")).to_contain_text("open to this machine only")
        expect(aki.locator(".friend code")).to_have_text("masume serve --host 0.0.0.0")
        assert aki.locator(".friend .link").count() == 0


@pytest.mark.parametrize("secure", [True, False])
def test_copy_works_also_where_a_page_has_no_clipboard(server, somebody, secure):
    """On plain HTTP in a school's network browsers offer pages no navigator.clipboard."""
    script = "" if secure else "Object.defineProperty(navigator, 'clipboard', { value: undefined });"
    aki = somebody(script=script)
    if secure:
        aki.context.grant_permissions(["clipboard-read", "clipboard-write"])
    invite(aki, server.address, "nezumi")
    aki.get_by_role("button", name="Copy").click()
    expect(aki.get_by_role("button", name="Copied")).to_be_visible()
    link = aki.locator(".friend .link").input_value()
    field = aki.locator(".my-name")
    field.fill("")
    field.press("Control+V")
    assert field.input_value() == link[:40]  # as long as a name may be


def test_an_invitation_that_another_has_used_says_so(server, somebody):
    aki, bo, chie = somebody(), somebody(), somebody(PHONE)
    invite(aki, server.address, "nezumi")
    link = aki.locator(".friend .link").input_value()
    chie.goto(link)
    expect(chie.locator(".friend .my-name")).to_be_visible()
    join(bo, link, "Bo")
    expect(chie.locator(".friend h2")).to_have_text("Your seat")  # unless it is
    chie.click(".friend form .primary")
    expect(chie.locator(".friend .error")).to_have_text("this invitation has been used")
    chie.goto(link)
    expect(chie.locator("main")).to_contain_text("this invitation has been used, or its match is gone")


@pytest.fixture
def person(tmp_path):
    with person_in(tmp_path, BIN) as found:
        yield found


def test_the_server_is_started_again_between_invitation_and_joining(person, somebody):
    running = serve_page(person, "--out", "games")
    port = running.port
    aki, bo = somebody(), somebody(PHONE)
    aki.goto(f"http://127.0.0.1:{port}/play/nezumi")
    aki.click("summary")
    aki.select_option("#against", "guest")
    aki.fill("#name", "Aki")
    aki.click("#begin")
    expect(aki.locator(".friend code")).to_have_text("masume serve --out games --page-port 0 --host 0.0.0.0")
    running.stop(signal.SIGKILL)
    running = serve_page(person, "--out", "games", "--name", f"http://127.0.0.1:{port}", port=port)
    aki.reload()
    join(bo, aki.locator(".friend .link").input_value(), "Bo")
    expect(bo.locator('.banner[data-kind="mine"]')).to_be_visible()
    expect(aki.locator(".seat.p1 .name")).to_have_text("Bo")
    running.stop(signal.SIGKILL)
    running = serve_page(person, "--out", "games", port=port)
    expect(bo.locator('.banner[data-kind="mine"]')).to_be_visible()
    expect(aki.locator(".seat.p1 .role")).to_contain_text("is here")


def test_after_a_restart_one_of_two_windows_keeps_the_seat(person, somebody):
    running = serve_page(person, "--out", "games")
    port = running.port
    first = somebody()
    first.goto(f"http://127.0.0.1:{port}/play/chaser")
    first.click("#begin")
    expect(first.locator('.banner[data-kind="mine"]')).to_be_visible()
    second = first.context.new_page()
    second.goto(first.url)
    expect(second.locator('.banner[data-kind="mine"]')).to_be_visible()
    expect(first.locator('.banner[data-kind="away"]')).to_be_visible()
    for _ in range(2):
        running.stop(signal.SIGKILL)
        for tab in (first, second):
            expect(tab.locator('.banner[data-kind="lost"]')).to_be_visible()
        running = serve_page(person, "--out", "games", port=port)
        expect(second.locator('.banner[data-kind="mine"]')).to_be_visible()
        expect(first.locator('.banner[data-kind="away"]')).to_be_visible()
    first.get_by_role("button", name="Play here").click()
    expect(first.locator('.banner[data-kind="mine"]')).to_be_visible()
    expect(second.locator('.banner[data-kind="away"]')).to_be_visible()


# -- the second game -------------------------------------------------------------------------------


def begin(server, somebody, monkeypatch, game="nezumi", guest=PHONE):
    """Return the pages of two people who have played a game to its end."""
    monkeypatch.setattr(people, "GONE_S", 0.5)
    aki, bo = somebody(), somebody(guest)
    invite(aki, server.address, game)
    join(bo, aki.locator(".friend .link").input_value(), "Bo")
    end_match(server, match_of(aki))
    for tab in (aki, bo):
        expect(tab.locator(".end .next button")).not_to_have_count(0)
    return aki, bo


def both_in_the_next(before, *tabs):
    for tab in tabs:
        expect(tab).to_have_url(re.compile(rf"/m/(?!{re.escape(before)})"))
    assert match_of(tabs[0]) == match_of(tabs[1])


def test_a_rematch_is_asked_refused_asked_again_and_played(server, somebody, monkeypatch):
    aki, bo = begin(server, somebody, monkeypatch)
    before = match_of(aki)
    bo.get_by_role("button", name="Rematch").click()
    expect(bo.locator(".next")).to_contain_text("You ask: Rematch")
    expect(bo.locator(".next")).to_contain_text("Waiting for Aki")
    expect(aki.locator(".next")).to_contain_text("Bo asks: Rematch")
    aki.get_by_role("button", name="No", exact=True).click()
    expect(aki.locator(".next")).to_contain_text("You said no.")
    expect(bo.locator(".next")).to_contain_text("Aki says no.")
    aki.get_by_role("button", name="Swap sides").click()
    bo.get_by_role("button", name="Yes, play").click()
    both_in_the_next(before, aki, bo)
    for tab, seats in ((aki, [("Bo", "cat, is here"), ("Aki", "mice, you")]),
                       (bo, [("Bo", "cat, you"), ("Aki", "mice, is here")])):  # fmt: skip
        expect(tab.locator(".seat .role", has_text="is here")).to_be_visible()
        assert seats_of(tab) == seats
    expect(aki.locator('.banner[data-kind="mine"]')).to_be_visible()  # the mice begin
    before = match_of(aki)
    end_match(server, before)  # and a third game
    bo.get_by_role("button", name="Rematch").click()
    aki.get_by_role("button", name="Yes, play").click()
    both_in_the_next(before, aki, bo)
    expect(bo.locator(".seat.p0 .name")).to_have_text("Bo")


def test_who_has_left_is_asked_on_coming_back(server, somebody, monkeypatch):
    aki, bo = begin(server, somebody, monkeypatch)
    before, context = match_of(aki), bo.context
    bo.close()
    expect(aki.locator(".next")).to_contain_text("Bo has left.")
    aki.get_by_role("button", name="Rematch").click()
    expect(aki.locator(".next")).to_contain_text("Bo has left, and is asked on coming back.")
    bo = context.new_page()
    bo.goto(f"{server.address}m/{before}")
    expect(aki.locator(".next")).to_contain_text("Waiting for Bo")
    aki.close()
    expect(bo.locator(".next")).to_contain_text("Aki asks: Rematch")
    bo.get_by_role("button", name="Yes, play").click()
    bo.wait_for_url(lambda url: "/m/" in url and before not in url)
    aki = context.browser.contexts[0].new_page()  # comes back, and finds the next game
    aki.goto(f"{server.address}m/{before}")
    aki.get_by_role("button", name="To the next game").click()
    both_in_the_next(before, aki, bo)
    expect(aki.locator(".seat.p0 .role")).to_have_text("cat, you")


def test_what_is_asked_is_seen_also_when_the_card_is_closed(server, somebody, monkeypatch):
    aki, bo = begin(server, somebody, monkeypatch)
    before = match_of(aki)
    bo.locator(".end .close").click()
    aki.get_by_role("button", name="Rematch").click()
    bo.locator(".host").get_by_role("button", name="Yes, play").click()
    both_in_the_next(before, aki, bo)


def test_an_unreachable_server_is_told_in_the_language_of_the_person(server, somebody):
    tab = somebody(PHONE, "ja-JP")
    tab.goto(f"{server.address}play/nezumi")
    expect(tab.locator("#begin")).to_be_visible()
    tab.context.set_offline(True)
    tab.click("#begin")
    expect(tab.locator(".error")).to_contain_text("サーバーにつながりません。")


# -- on a phone ------------------------------------------------------------------------------------

CUT = """() => {
  const width = document.documentElement.clientWidth, found = [];
  if (document.documentElement.scrollWidth > width) found.push("the page");
  for (const one of document.querySelectorAll("body *")) {
    if (one.closest("svg, .hidden, .skip, pre, .orders, .scrolled") || !one.getClientRects().length) continue;
    const box = one.getBoundingClientRect(), style = getComputedStyle(one);
    const says = [...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    if (!says && one.tagName !== "SELECT") continue;
    if (box.right > width + 1 || box.left < -1) found.push(one.textContent);
    if (style.overflowX !== "visible" && one.scrollWidth > one.clientWidth + 1) found.push(one.textContent);
    if (one.tagName === "SELECT" && box.width < 60) found.push(one.selectedOptions[0].textContent);
  }
  return found;
}"""


@pytest.mark.parametrize("locale", ["en-US", "ja-JP"])
def test_no_text_is_cut_on_a_phone(server, somebody, locale):
    tab = somebody(PHONE, locale)
    for game in masume.games():
        for kind in ("learn", "make", "play"):
            tab.goto(f"{server.address}{kind}/{game}")
            expect(tab.locator("h1, .maker").first).to_be_attached()
            if kind == "play":
                tab.click("summary")
            assert tab.evaluate(CUT) == [], f"{kind}/{game}"
        tab.select_option("#against", "guest")
        tab.click("#begin")
        expect(tab.locator(".friend h2")).to_be_visible()
        assert tab.evaluate(CUT) == [], f"invitation to {game}"
    for path in ("", "m/none", "wall"):
        tab.goto(server.address + path)
        expect(tab.locator("h2, h1, .seat").first).to_be_visible()
        assert tab.evaluate(CUT) == [], path


def test_the_links_of_a_phone_lead_to_all_kinds_of_pages_and_keep_the_game(server, somebody):
    tab = somebody(PHONE)
    tab.goto(f"{server.address}play/chaser")
    links = tab.locator("#pages a:visible")
    assert [link.inner_text() for link in links.all()] == ["Watch", "Games", "Learn", "Make"]
    for link in links.all():
        box = link.bounding_box()
        assert box["height"] >= 44
        assert box["x"] + box["width"] < tab.locator("#language").bounding_box()["x"] + 1
    links.nth(2).click()
    expect(tab).to_have_url(f"{server.address}learn/chaser")
    expect(tab.locator("#pages [aria-current]")).to_have_text("Learn")
