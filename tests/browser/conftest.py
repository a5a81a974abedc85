"""The browser of these tests: Debian's chromium, without a screen; without it or playwright they are skipped."""

import shutil

import pytest

from visitors import DESK, PHONE, WAIT_MS, page

QUIET = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip

SAME_DRAWS = "let drawn = 3; Math.random = () => (drawn = (drawn * 16807) % 2147483647) / 2147483647;"


@pytest.fixture(scope="module")
def chromium():
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if path is None:
        pytest.skip("no chromium is installed")
    playwright.expect.set_options(timeout=WAIT_MS)
    with playwright.sync_playwright() as driver:
        found = driver.chromium.launch(executable_path=path, args=QUIET)
        yield found
        found.close()


@pytest.fixture(scope="module")
def server():
    with page() as found:
        yield found


@pytest.fixture
def play(chromium, server):
    """play(game, viewport) begins a match, the same each time; at the end, no script may have failed."""
    contexts, troubles = [], []

    def play(game, viewport=DESK, **fields):
        context = chromium.new_context(viewport=viewport, locale="en-US", has_touch=viewport is PHONE)
        context.add_init_script(SAME_DRAWS)
        contexts.append(context)
        tab = context.new_page()
        tab.set_default_timeout(WAIT_MS)
        tab.on("pageerror", lambda error: troubles.append(str(error)))
        tab.goto(f"{server.address}play/{game}")
        tab.wait_for_selector("#begin")
        for name, value in {"seed": "3", **fields}.items():
            tab.evaluate("([name, value]) => { document.getElementById(name).value = value; }", [name, value])
        tab.click("#begin")
        tab.wait_for_selector('.banner[data-kind="mine"]')
        return tab

    yield play
    for context in contexts:
        context.close()
    assert not troubles
