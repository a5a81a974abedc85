"""Editors and menus as a person uses them: by mouse, keyboard and touch; files go through the command line."""

import json
import re

import pytest

from masume.cli import main
from visitors import DESK, PHONE, WAIT_MS, page

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect


@pytest.fixture(scope="module")
def server():
    with page() as found:
        yield found


@pytest.fixture
def visit(chromium, server):
    """visit(path, viewport) opens a page; at the end, no script may have failed."""
    contexts, troubles = [], []

    def visit(path, viewport=DESK, **options):
        context = chromium.new_context(viewport=viewport, has_touch=viewport is PHONE, **{"locale": "en-US", **options})
        contexts.append(context)
        tab = context.new_page()
        tab.set_default_timeout(WAIT_MS)
        tab.on("pageerror", lambda error: troubles.append(str(error)))
        tab.goto(server.address + path)
        return tab

    yield visit
    for context in contexts:
        context.close()
    assert not troubles


def centre(tab, size, cell):
    """Return the middle of a cell of a board of squares, in the window."""
    column, row = cell % size[0], cell // size[0]
    return tab.evaluate(
        """([x, y]) => { const svg = document.querySelector(".paper");
           const point = new DOMPoint(22 + 16 + 32 * x, 22 + 16 + 32 * y).matrixTransform(svg.getScreenCTM());
           return [point.x, point.y]; }""",
        [column, row],
    )


def hexagon(tab, number):
    """Return the middle of the hexagon of this number, in the window."""
    return tab.evaluate(
        """number => { const path = document.querySelector(".paper .ground").getAttribute("d");
           const spots = [...path.matchAll(/M([\\d.]+) ([\\d.]+)/g)].map(found => [Number(found[1]), Number(found[2])]);
           const svg = document.querySelector(".paper");
           const point = new DOMPoint(...spots[number]).matrixTransform(svg.getScreenCTM());
           return [point.x, point.y]; }""",
        number,
    )


def wait_status(tab, kind):
    """Wait for what the server says of the last change."""
    tab.wait_for_function("kind => document.querySelector('.status')?.dataset.kind === kind", arg=kind)


def wait_text(tab, text):
    tab.wait_for_function("text => document.querySelector('.maker .file')?.textContent.includes(text)", arg=text)


def saved(tab, tmp_path):
    """Press save; return the path of the file."""
    with tab.expect_download() as found:
        tab.click("#save")
    path = tmp_path / found.value.suggested_filename
    found.value.save_as(path)
    return path


def is_played(game, path, capsys):
    """Play one game on a file from the command line."""
    main(["selfplay", game, "--board", str(path), "--games", "1", "--json"])
    (played,) = json.loads(capsys.readouterr().out)["games"]
    return played["games"] == 1


def begin(tab):
    """Press "Try it"; return what the page of the match says."""
    tab.click("#try")
    tab.wait_for_selector('.banner[data-kind="mine"]')
    return tab.text_content(".caption")


def test_a_stage_by_mouse(visit, tmp_path, capsys):
    tab = visit("make/nezumi")
    wait_status(tab, "bad")
    size = (7, 7)
    for mark, cells in {"C": [3], "Z": [42], "#": [24], "a": [14]}.items():
        tab.click(f'.brush[data-mark="{mark}"]')
        for cell in cells:
            tab.mouse.click(*centre(tab, size, cell))
    wait_text(tab, "Z.....Z")  # the image in the mirror
    wait_text(tab, "...C...")
    tab.wait_for_function("() => !document.getElementById('save').disabled")
    path = saved(tab, tmp_path)
    assert path.name == "mine.stage"
    main(["stage", "check", str(path), "--json"])
    assert json.loads(capsys.readouterr().out)["valid"]
    assert begin(tab)


def test_what_the_workbench_finds_is_ringed_and_taken_back(visit):
    tab = visit("make/nezumi")
    tab.select_option("#start", "garden")
    wait_status(tab, "good")
    tab.select_option("#symmetry", "none")
    tab.click('.brush[data-mark="#"]')
    tab.mouse.move(*centre(tab, (7, 7), 1))
    tab.mouse.down()
    tab.mouse.move(*centre(tab, (7, 7), 7))  # past 0,0
    tab.mouse.up()
    wait_status(tab, "bad")
    expect(tab.locator(".status")).to_contain_text("not connected")
    expect(tab.locator(".targets .chosen")).to_have_count(1)
    tab.keyboard.press("u")
    wait_status(tab, "good")
    expect(tab.locator(".targets .chosen")).to_have_count(0)


def test_the_exact_value_of_a_stage(visit):
    tab = visit("make/nezumi")
    tab.select_option("#start", "crumbs")
    wait_status(tab, "good")
    tab.click('[data-task="0"]')
    expect(tab.locator(".output")).to_contain_text("+3 mg")


def test_a_map_by_keyboard(visit, tmp_path, capsys):
    tab = visit("make/chaser")
    wait_status(tab, "bad")
    tab.focus(".board-box")
    for keys in ("ArrowDown ArrowRight 4 Enter", "ArrowRight ArrowRight 2 Enter", "ArrowDown 3 Enter"):
        for key in keys.split():
            tab.keyboard.press(key)
    wait_status(tab, "good")
    wait_text(tab, "C:1,0\nH:13,16")
    expect(tab.locator("#live")).to_contain_text("3,1, item")
    path = saved(tab, tmp_path)
    assert path.read_text("utf-8").splitlines()[0] == "N:mine"
    assert is_played("chaser", path, capsys)
    assert begin(tab)


def test_a_board_with_numbers(visit, tmp_path, capsys):
    tab = visit("make/kakomimasu")
    wait_status(tab, "odd")
    tab.fill("#number", "7")
    tab.dispatch_event("#number", "change")
    tab.mouse.click(*centre(tab, (10, 10), 0))
    tab.focus(".board-box")
    for key in ("ArrowRight", "-", "-"):
        tab.keyboard.press(key)
    tab.fill("#n_agents", "4")
    tab.press("#n_agents", "Tab")
    wait_status(tab, "good")
    wait_text(tab, '"nAgent": 4')
    path = saved(tab, tmp_path)
    (board,) = json.loads(path.read_text("utf-8")).values()
    assert board["points"][:10] == board["points"][-10:]
    assert board["points"][0] == board["points"][9] == 7
    assert -2 in board["points"]
    assert is_played("kakomimasu", path, capsys)
    assert begin(tab)


def test_a_map_of_hexagons_in_thirds(visit, tmp_path, capsys):
    tab = visit("make/terraforming")
    wait_status(tab, "bad")
    tab.click('.brush[data-mark="a"]')
    tab.mouse.click(*hexagon(tab, 1))
    tab.click('.brush[data-mark="#"]')
    tab.mouse.click(*hexagon(tab, 12))
    wait_status(tab, "good")
    for _ in range(300):  # until the last stroke has been checked
        path = saved(tab, tmp_path)
        if path.read_text("utf-8").count("#") == 3:
            break
        tab.wait_for_timeout(200)
    assert path.read_text("utf-8").count("#") == 3
    assert is_played("terraforming", path, capsys)
    assert begin(tab)


def test_terrain_by_touch(visit, tmp_path, capsys):
    tab = visit("make/battleship", PHONE)
    wait_status(tab, "good")
    tab.tap('.brush[data-mark="%"]')
    tab.touchscreen.tap(*centre(tab, (5, 5), 6))
    wait_text(tab, ".%...\n.....\n...%.")
    path = saved(tab, tmp_path)
    assert is_played("battleship", path, capsys)
    box = tab.locator(".paper").bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= PHONE["width"]


def test_a_file_is_opened_and_the_board_survives_a_reload(visit, tmp_path):
    tab = visit("make/chaser")
    path = tmp_path / "old.map"
    path.write_bytes("N:雪の道\nT:40\nS:3,3\nD:0,0,0\nD:0,3,0\nD:0,0,0\nC:0,0\nH:2,2\n".encode("cp932"))
    tab.set_input_files("#file", str(path))
    wait_text(tab, "N:雪の道")
    wait_status(tab, "good")
    tab.fill("#size0", "4")
    tab.press("#size0", "Tab")
    wait_text(tab, "S:4,3")
    tab.reload()
    wait_text(tab, "N:雪の道\nT:40\nS:4,3")
    path.write_text("nonsense")
    tab.set_input_files("#file", str(path))
    wait_status(tab, "bad")
    expect(tab.locator(".status")).to_contain_text("colon")
    wait_text(tab, "N:雪の道")


@pytest.mark.parametrize("game", ["nezumi", "battleship", "kakomimasu"])
def test_a_menu_begins_a_match(visit, game):
    tab = visit(f"learn/{game}")
    tab.locator(".start-card").first.scroll_into_view_if_needed()
    tab.wait_for_selector(".start-card .thumb svg")
    shelf = tab.locator(
        "section", has_text={"nezumi": "First stages", "battleship": "Missions"}.get(game, "Today")
    ).first
    shelf.locator(".start-card button").first.click()
    tab.wait_for_selector('.banner[data-kind="mine"]')
    expect(tab).to_have_url(re.compile("/m/"))


def test_what_is_told_of_the_cell_under_the_pointer_is_what_is_there_now(visit):
    tab = visit("make/chaser")
    tab.locator(".brush", has_text="block").click()
    told = tab.locator(".readout")
    tab.mouse.move(*centre(tab, (15, 17), 20))
    expect(told).to_contain_text("floor")
    tab.mouse.down()
    tab.mouse.up()
    expect(told).to_contain_text("block")  # without a move of the pointer
    tab.keyboard.press("u")
    expect(told).to_contain_text("floor")
    tab.mouse.move(*centre(tab, (15, 17), 254))
    expect(told).not_to_be_empty()
    tab.fill("#size1", "9")
    tab.locator("#size1").dispatch_event("change")
    expect(told).to_be_empty()  # the board has no such cell any more
