"""A contest on the page as its organiser and its hall use it: from the draw to the podium by buttons alone."""

import re
import subprocess
import sys

import pytest

from visitors import DESK, PHONE, WAIT_MS

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect
pytest.importorskip("starlette", reason="starlette is not installed")
pytest.importorskip("uvicorn", reason="uvicorn is not installed")

HALL = {"width": 1024, "height": 768}


@pytest.fixture
def links(tmp_path):
    """Hold a contest of four agents on a page; return its links."""
    entries = "".join(f'[[entry]]\nname = "{name}"\nplay = "{play}"\n' for name, play in (
        ("Akashi", "greedy"), ("Kobe", "safe"), ("Tsuyama", "greedy"), ("Suzuka", "random"),
    ))  # fmt: skip
    (tmp_path / "contest.toml").write_text(
        'title = "Cup"\ngame = "chaser"\nformat = "single"\nmaps = ["duel"]\n' + entries
    )
    command = [sys.executable, "-m", "masume", "contest", "run", str(tmp_path), "--watch", "--page-port", "0"]
    with subprocess.Popen(
        [*command, "--delay", "20"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8"
    ) as process:
        found = {}
        while len(found) < 3:
            told = re.match(r"(page|host|hall): (\S+)", process.stdout.readline())
            if told:
                found[told[1]] = told[2]
        yield found
        process.stdin.write("quit\n")
        process.stdin.close()
        process.stdout.read()


def test_an_organiser_holds_a_contest_by_buttons(chromium, links):
    troubles = []

    def visit(address, viewport):
        tab = chromium.new_context(viewport=viewport, locale="en-US").new_page()
        tab.set_default_timeout(WAIT_MS)
        tab.on("pageerror", lambda error: troubles.append(str(error)))
        tab.goto(address)
        return tab

    hall, desk, phone = visit(links["hall"], HALL), visit(links["host"], DESK), visit(links["page"] + "contest", PHONE)
    press = lambda word: desk.locator(".desk").get_by_role("button", name=word, exact=True).click()  # noqa: E731
    hall.locator(".entries li").nth(3).wait_for()
    expect(phone.get_by_role("button")).to_have_count(0)
    press("Draw")
    hall.locator(".bracket .pairing").nth(3).wait_for()
    press("Prepare")
    hall.locator(".versus .name").nth(1).wait_for()
    expect(hall.locator(".hall-facts")).to_have_text(re.compile("^Map duel"))
    press("Start")
    hall.locator(".wall .board-view .units").wait_for(state="attached")  # the hall sees what players may not
    hall.locator(".versus[data-won]").wait_for()
    press("Confirm the result")
    hall.locator(".side[data-won]").first.wait_for()
    press("Autoplay")
    press("Stop autoplay")
    desk.locator(".people").get_by_role("button", name="Absent").first.wait_for()
    assert phone.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    assert hall.evaluate("document.documentElement.scrollHeight") <= HALL["height"] + 1  # a rounded pixel
    assert not troubles
