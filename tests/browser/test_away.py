"""The page below a path: whatever people press, they stay there."""

import pytest

pytest.importorskip("starlette", reason="starlette is not installed")

from masume.http.front import Front
from visitors import DESK, WAIT_MS, page

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect


def test_people_stay_below_the_path(chromium):
    with page(front=Front(base="/board")) as server:
        context, troubles = chromium.new_context(viewport=DESK, locale="en-US"), []
        context.on("page", lambda tab: tab.on("pageerror", lambda error: troubles.append(str(error))))
        context.on(
            "request", lambda request: request.url.startswith((server.address, "data:")) or troubles.append(request.url)
        )
        tab = context.new_page()
        tab.set_default_timeout(WAIT_MS)
        tab.goto(server.address)
        for path in ("play/nezumi", "learn/nezumi", "make/nezumi"):
            tab.goto(server.address)
            tab.click('[data-game="nezumi"] .more summary')
            tab.click(f'[data-game="nezumi"] .more a[href="/board/{path}"]')
            expect(tab).to_have_url(server.address + path)
            expect(tab.locator("h1, #begin, .make").first).to_be_visible()
        tab.goto(f"{server.address}learn/nezumi")
        tab.click(".start-card button")
        tab.wait_for_url(f"{server.address}m/*")
        tab.wait_for_selector('.banner[data-kind="mine"]')
        tab.reload()
        tab.wait_for_selector('.banner[data-kind="mine"]')
        tab.select_option("#language", "ja")
        expect(tab.locator("html")).to_have_attribute("lang", "ja")
        assert [one["path"] for one in context.cookies() if one["name"] == "masume-lang"] == ["/board/"]
        link = tab.text_content(".own-link a")
        assert link.startswith(f"{server.address}j/")
        other = context.new_page()
        other.goto(link)
        other.wait_for_url(f"{server.address}m/*")
        other.goto(f"{server.address}m/none")
        expect(other.locator("h1")).to_have_text("うまくいきませんでした")
        other.click("main a")
        expect(other).to_have_url(server.address)
        context.close()
        assert not troubles
