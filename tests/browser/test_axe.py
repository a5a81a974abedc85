"""Pages without serious findings of axe-core, light and dark, at a desk and on a phone."""

import sys
from pathlib import Path

import pytest

import masume
from masume.core import registry
from masume.play.lessons import lessons_of
from masume.records import replay
from visitors import DESK, PHONE, Browser, page

AXE = Path(sys.prefix) / "axe" / "node_modules" / "axe-core" / "axe.min.js"
GAMES = masume.game.games()
BAD = ("serious", "critical")


@pytest.fixture(scope="module")
def server():
    with page() as found:
        recorded = [replay.load(path)[0] for path in list(registry.recorded().values())[:2]]
        found.call(found.gallery.add_replays, recorded)
        yield found


@pytest.fixture(scope="module")
def matches(server):
    """The ids of a match of each game that waits for this browser, and of one that waits for a friend; the cookies of
    the browser; an invitation by another one.
    """
    browser = Browser(server)
    found = {}
    for name in GAMES:
        offer = browser.get(f"/api/offer/{name}")
        seats = ["me", *[offer["levels"][0]] * (offer["players"] - 1)]
        found[name] = browser.post("/api/play", {"game": name, "seats": seats, "seed": 3})["id"]
        lesson = next(iter(lessons_of(name)), None)
        if lesson is not None:
            found[f"{name}'s lesson"] = browser.post("/api/lesson", {"game": name, "lesson": lesson.name})["id"]
    players = browser.get(f"/api/offer/{GAMES[0]}")["players"]
    two = {"game": GAMES[0], "seats": ["me", *["guest"] * (players - 1)], "seed": 3}
    found["invitation"] = browser.post("/api/play", two)["id"]
    friend = Browser(server)
    facts = friend.get(f"/api/m/{friend.post('/api/play', two)['id']}")["match"]
    return found, browser.cookies, facts["invitations"]["1"].removeprefix("/")


@pytest.mark.parametrize(("viewport", "scheme"), [(DESK, "light"), (PHONE, "dark")], ids=["desk", "phone"])
def test_axe_finds_nothing_serious(chromium, server, matches, scheme, viewport):
    if not AXE.is_file():
        pytest.skip("axe-core is not installed")
    found, cookies, link = matches
    context = chromium.new_context(viewport=viewport, color_scheme=scheme, bypass_csp=True, reduced_motion="reduce")
    context.add_cookies([{"name": name, "value": value, "url": server.address} for name, value in cookies.items()])
    tab = context.new_page()
    recorded = server.gallery.listed()[-1].id
    some = GAMES if viewport is DESK else GAMES[-2:]
    visits = {"": ".loop .board *", "wall": ".wall-head strong", f"m/{recorded}": ".masume.board-view .units *"}
    visits |= {f"play/{some[0]}": "#begin", f"learn/{some[0]}": ".lessons button"}
    visits |= {f"make/{name}": ".status[data-kind]" for name in some}
    visits |= {f"m/{found['invitation']}": ".friend .my-name", link: ".friend form"}
    played = [*some, *(name for name in found if name not in (*GAMES, "invitation"))][
        : None if viewport is DESK else len(some) + 2
    ]
    visits |= {f"m/{found[name]}": '.banner[data-kind="mine"]' for name in played}
    told = []
    for path, sign in visits.items():
        tab.goto(server.address + path)
        tab.wait_for_selector(sign, state="attached")
        tab.add_script_tag(path=AXE)
        # what is inside a picture is no text: the picture has a name
        run = "() => axe.run({ exclude: ['svg *'] }, { resultTypes: ['violations'] })"
        result = tab.evaluate(run)
        if sign.startswith(".banner"):  # a match that is played: with its guide, too
            tab.locator(".guide-button").click()
            tab.wait_for_selector(".guide .keys")
            result["violations"] += tab.evaluate(run)["violations"]
        told += [
            (path, one["id"], node["target"], node.get("failureSummary", "")[:300])
            for one in result["violations"]
            if one["impact"] in BAD
            for node in one["nodes"][:3]
        ]
    context.close()
    assert not told
