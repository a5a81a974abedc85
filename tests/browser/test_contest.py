"""A contest on the page as its organiser and its hall use it: from the draw to the podium by mouse alone."""

import contextlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

from masume.contest import lots
from visitors import DESK, PHONE, WAIT_MS

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect
pytest.importorskip("starlette", reason="starlette is not installed")
pytest.importorskip("uvicorn", reason="uvicorn is not installed")

HALL = {"width": 1024, "height": 768}
WIDE = {"width": 1920, "height": 1080}
SCREENS = (PHONE, HALL, DESK, WIDE)
LONG = "Takamatsu Technical College, Takuma Campus, second team"
AXE = Path(sys.prefix) / "axe" / "node_modules" / "axe-core" / "axe.min.js"
BOT = Path(__file__).parent.parent / "json_bot.py"


@contextlib.contextmanager
def held(folder, *entries, head="", port="0", language="en"):
    """Hold a contest in CHaser on a page within the block; yield its links and its process."""
    folder.mkdir(exist_ok=True)
    text = "".join(f'[[entry]]\nname = "{name}"\nplay = "{play}"\n' for name, play in entries)
    if entries:
        (folder / "contest.toml").write_text(
            f'title = "Cup"\ngame = "chaser"\nmaps = ["duel", "rooms"]\n{head}\n{text}', "utf-8"
        )
    command = [sys.executable, "-m", "masume", "--lang", language, "contest", "run", str(folder), "--watch"]
    with subprocess.Popen(
        [*command, "--page-port", str(port), "--delay", "20"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8",
    ) as process:  # fmt: skip
        try:
            links = {}
            while len(links) < 3:
                line = process.stdout.readline()
                assert line, "the contest has ended"
                told = re.match(r"(\S+?): (http\S+?)(?: .*)?\n", line)
                if told:
                    links[("page", "host", "hall")[len(links)]] = told[2]
            yield links, process
        finally:
            process.kill()


class Person:
    """Somebody in a browser, who uses a mouse alone.

    troubles : a list that gets the errors of scripts.
    """

    def __init__(self, chromium, address, viewport, troubles, locale="en-US"):
        self.context = chromium.new_context(viewport=viewport, locale=locale)
        self.tab = self.context.new_page()
        self.tab.set_default_timeout(WAIT_MS)
        self.tab.on("pageerror", lambda error: troubles.append(str(error)))
        self.tab.goto(address)

    def press(self, word, within=".desk"):
        self.tab.locator(within).get_by_role("button", name=word, exact=True).click()

    def sees(self, selector, text):
        expect(self.tab.locator(selector)).to_contain_text(text)

    def answer(self, word):
        """Press a word of the dialog, which goes."""
        self.press(word, "dialog[open]")
        expect(self.tab.locator("dialog[open]")).to_have_count(0)

    def entry(self, name):
        """Return the selector of an entry's row."""
        return f'.people li:has(.name:text-is("{name}"))'


@pytest.fixture
def troubles():
    found = []
    yield found
    assert not found


@pytest.fixture
def visit(chromium, troubles):
    """visit(address, viewport, locale) opens a page as a person."""
    people = []

    def visit(address, viewport=DESK, locale="en-US"):
        people.append(Person(chromium, address, viewport, troubles, locale))
        return people[-1]

    yield visit
    for one in people:
        one.context.close()


def test_an_organiser_holds_a_contest_by_mouse_alone(tmp_path, visit):
    """Six entries in two groups and a bracket: late, absent, handed in, taken back, by lot, to the podium."""
    bot = tmp_path / "bots of Kobe" / "bot.py"
    bot.parent.mkdir()
    bot.write_text("import sys\nsys.argv.append('good')\n" + BOT.read_text("utf-8"))
    entries = [(LONG, "greedy"), ("Kobe", ""), ("Tsuyama", "safe"), ("Suzuka", "greedy"), ("Nara", "greedy")]
    head = 'format = "groups"\n[groups]\nnumber = 2\nadvance = 1\n[bracket]\nthird = false'
    with held(tmp_path / "cup", *entries, head=head) as (links, _process):
        hall, desk = visit(links["hall"], HALL), visit(links["host"])
        front, phone = visit(links["page"]), visit(links["page"] + "contest", PHONE)
        front.tab.locator(".contest-line").get_by_role("link", name="Cup").click()
        front.sees("h1", "Cup")
        expect(phone.tab.get_by_role("button")).to_have_count(0)

        # a late entry, without its program; then a draw by hand
        desk.press("Late entry…", ".people-card")
        desk.tab.get_by_label("Name").fill("Akashi")
        desk.answer("Add the entry")
        hall.tab.locator(".entries li").nth(5).wait_for()
        desk.press("Draw by hand…")
        desk.tab.locator("dialog fieldset").first.get_by_role("combobox").first.select_option("2 Kobe")
        desk.answer("Draw so")
        hall.tab.locator(".standings").nth(1).wait_for()
        expect(hall.tab.locator(".standings").first.locator("td.name")).to_contain_text(["Kobe"])

        # Kobe's program is handed in by its path, Akashi's is an agent; one is absent, comes, and is absent again
        desk.press("Hand in…", desk.entry("Kobe"))
        desk.tab.get_by_label("File or folder").fill(str(bot))
        desk.answer("Hand in")
        desk.sees(".news", "Kobe plays with cmd:")
        desk.press("Hand in…", desk.entry("Akashi"))
        desk.tab.get_by_label("Program").select_option("An agent of masume")
        desk.tab.locator("#level option").nth(1).wait_for(state="attached")
        desk.answer("Hand in")
        desk.press("Absent", desk.entry("Nara"))
        desk.press("Is here", desk.entry("Nara"))
        desk.press("Absent", desk.entry("Nara"))
        desk.sees(".results", "wins by walkover (Nara absent)")

        # the first match: a double press starts it and does not stop it; its result is taken back and played again
        desk.press("Prepare")
        hall.tab.locator(".versus .name").nth(1).wait_for()
        hall.sees(".hall-facts", "Map duel")
        desk.tab.locator(".desk").get_by_role("button", name="Start", exact=True).dblclick()
        hall.tab.locator(".wall .board-view .units").wait_for(state="attached")  # the hall sees what players may not
        hall.tab.locator(".hall-facts").get_by_text("Game 2").wait_for()
        desk.press("Confirm the result")
        hall.tab.locator(".hall-last").wait_for()
        desk.press(re.compile("^Take back: result of .*…$"))
        desk.sees("dialog li", "confirmed")
        desk.answer("Take back")
        desk.press("Confirm the result")

        # a match is stopped only after a question
        desk.press("Prepare")
        desk.press("Start")
        desk.press("Stop the match…")
        desk.press("Change nothing", "dialog[open]")
        desk.press("Stop the match…")
        desk.answer("Stop it")
        desk.sees(".trouble >> nth=1", "the match was stopped: nothing of it is kept")

        # what the hall sees
        screen = desk.tab.get_by_label("The hall sees")
        screen.select_option("Next pairings")
        hall.tab.locator(".hall-pairings li").first.wait_for()
        screen.select_option("A text")
        desk.tab.get_by_label("Text for the hall").fill("Back at 14:00")
        desk.press("Show the text", ".screen")
        hall.sees(".hall-text", "Back at 14:00")
        screen.select_option("What is on now")
        hall.tab.locator(".standings").first.wait_for()

        # autoplay is stopped, and its match ends; then the rest, by what the desk offers
        desk.press("Autoplay")
        desk.sees(".step", "A match is played")
        desk.press("Stop autoplay after this match")
        desk.sees(".step", "confirm")
        finish(desk)
        hall.tab.locator(".podium li").first.wait_for()
        for person in (phone, desk, hall, front):
            width = person.tab.evaluate("document.documentElement.scrollWidth - innerWidth")
            assert width <= 0, person.tab.url
        assert hall.tab.evaluate("document.documentElement.scrollHeight") <= HALL["height"] + 1  # a rounded pixel


def finish(desk):
    """Do what the desk asks for until the contest is over."""
    offered = ("Confirm the result", "Prepare", "Start", "By lot", "Draw", "These advance")
    buttons = desk.tab.locator(".desk:not([inert])").get_by_role("button", name=re.compile(f"^({'|'.join(offered)})$"))
    over = desk.tab.locator(".step").get_by_text("the contest is over")
    for _ in range(50):
        expect(buttons.or_(over).first).to_be_visible()
        if over.count():
            return
        if desk.tab.locator(".choices").count():
            desk.tab.locator(".choices input").first.check()
        buttons.first.click()
        expect(desk.tab.locator(".desk[inert]")).to_have_count(0)
    raise AssertionError("the contest does not end")


FOUR = [("Akashi", "greedy"), ("Kobe", "greedy"), ("Nara", "greedy"), ("Tsuyama", "greedy")]


def test_two_desks_and_a_press_that_comes_late_confirm_nothing_twice(tmp_path, visit):
    """A desk without a network sends its press when it is back; by then another one has pressed."""
    with held(tmp_path / "cup", *FOUR, head='format = "single"') as (links, _process):
        one, other = visit(links["host"]), visit(links["host"])
        one.tab.get_by_role("button", name="Draw", exact=True).wait_for()
        other.tab.get_by_role("button", name="Draw", exact=True).wait_for()
        other.context.set_offline(True)
        other.press("Draw by lot")
        one.press("Draw")
        one.press("Prepare")
        other.context.set_offline(False)
        other.sees(".trouble >> nth=1", "the contest has gone on since you looked")
        one.press("Start")
        for desk in (one, other):
            expect(desk.tab.locator(".step")).to_contain_text(re.compile("confirm|tied"))
        lines = (tmp_path / "cup" / "journal.jsonl").read_text("utf-8").splitlines()
        assert len(lines) == 3  # the plan, one draw, one match


def test_after_a_restart_the_old_desk_says_where_the_new_one_is(tmp_path, visit):
    """kill -9 between two steps; the new run is at the same port, and nothing that was confirmed is lost."""
    with held(tmp_path / "cup", *FOUR, head='format = "single"') as (links, process):
        desk = visit(links["host"])
        desk.press("Draw")
        desk.tab.locator(".bracket .pairing").first.wait_for()
        process.kill()
        process.wait()
        desk.sees(".lost", "The server does not answer")
        desk.press("Prepare")  # it is sent again until there is an answer
        port = re.search(r":(\d+)/", links["page"])[1]
        with held(tmp_path / "cup", port=port) as (again, _process):
            desk.sees(".lost", "open the host's link that the terminal shows now")
            expect(desk.tab.get_by_role("button")).to_have_count(0)
            desk.tab.goto(links["host"])
            desk.sees("main", "the terminal shows the one that holds now")
            desk.tab.goto(again["host"])
            desk.tab.locator(".bracket .pairing").first.wait_for()
            expect(desk.tab.get_by_role("button", name="Prepare", exact=True).first).to_be_enabled()


def test_an_evening_in_japanese(tmp_path, visit):
    """A fault, a walkover and a lot are told in Japanese; long names stay on the screens of phone and hall."""
    bot = tmp_path / "bot.py"
    bot.write_text("import sys\nsys.argv.append('illegal')\n" + BOT.read_text("utf-8"))
    name = "高松工業高等専門学校 詫間キャンパス 第二チーム"
    faulty = f"cmd:{sys.executable} {bot}"  # one of two plays in any match without Kobe
    entries = [(name, "greedy"), ("神戸", "greedy"), ("津山", faulty), ("奈良", faulty)]
    head = 'format = "single"\n[bracket]\nthird = false'
    with held(tmp_path / "cup", *entries, head=head, language="ja") as (links, _process):
        assert all(link.isascii() and " " not in link for link in links.values())
        desk, phone, hall = (visit(links["host"], one, "ja-JP") for one in (DESK, PHONE, HALL))
        hall.tab.goto(links["hall"])
        desk.press("くじで決める")
        hall.tab.locator(".bracket .pairing").first.wait_for()
        desk.press("欠席にする", desk.entry("神戸"))
        hall.sees(".note-of", "不戦勝")
        phone.sees(".news", "くじで組み合わせを決めました")
        desk.press("準備")
        desk.press("対戦開始")
        expect(hall.tab.locator(".hall-facts .fault").first).to_contain_text("反則の行動")
        for person in (desk, phone, hall):
            assert person.tab.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
        assert not re.search("[a-z]{5}", hall.tab.locator("main").inner_text().replace("duel", ""))


@pytest.mark.parametrize(("viewport", "scheme"), [(DESK, "light"), (PHONE, "dark")], ids=["desk", "phone"])
def test_axe_finds_nothing_serious_on_the_desk(chromium, tmp_path, viewport, scheme):
    if not AXE.is_file():
        pytest.skip("axe-core is not installed")
    head = 'format = "groups"\n[groups]\nnumber = 2'
    with held(tmp_path / "cup", *FOUR, (LONG, ""), head=head) as (links, _process):
        context = chromium.new_context(viewport=viewport, color_scheme=scheme, bypass_csp=True, locale="en-US")
        tab = context.new_page()
        tab.goto(links["host"])
        forms = (("Draw by hand…", "Draw so"), ("Late entry…", None), ("Hand in…", None))
        for word, answer in forms:
            tab.get_by_role("button", name=word).first.click()
            check_by_axe(tab)
            assert tab.evaluate("document.querySelector('dialog').scrollWidth <= innerWidth")
            tab.locator("dialog").get_by_role("button", name=answer or "Change nothing").click()
            expect(tab.locator("dialog[open]")).to_have_count(0)
        tab.locator(".standings").first.wait_for()
        check_by_axe(tab)
        assert tab.evaluate("[...document.querySelectorAll('table')].every(one => one.scrollWidth <= innerWidth)")
        tab.goto(links["hall"])
        tab.locator(".standings").first.wait_for()
        check_by_axe(tab)
        context.close()


def check_by_axe(tab):
    tab.add_script_tag(path=AXE)
    found = tab.evaluate("axe.run(document, { resultTypes: ['violations'] })")["violations"]
    assert [(one["id"], one["nodes"][0]["html"]) for one in found if one["impact"] in ("serious", "critical")] == []


def test_everybody_sees_that_the_lots_are_sealed(tmp_path, visit):
    (tmp_path / "cup").mkdir()
    sealed = lots.make(tmp_path / "cup")
    with held(tmp_path / "cup", ("A", "greedy"), ("B", "safe"), head=f'format = "league"\nlots = "{sealed}"') as (
        links,
        _process,
    ):
        visitor = visit(f"{links['page']}contest", PHONE)
        visitor.sees(".lots", f"lots: sealed, SHA-256 {sealed}")
        assert visitor.tab.evaluate("document.documentElement.scrollWidth <= innerWidth"), "the number is cut"
