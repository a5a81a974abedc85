"""Editors, menus and tasks of the page over HTTP: what they make is what the command line reads."""

import itertools
import json
import time
from datetime import date
from types import ModuleType

import pytest

pytest.importorskip("starlette", reason="starlette is not installed")
pytest.importorskip("uvicorn", reason="uvicorn is not installed")

from starlette.exceptions import HTTPException

import masume
from masume.cli import main
from masume.core import registry
from masume.play.menu import menu_of
from masume.starts import daily, find_boards, named_starts
from masume.web import jobs
from masume.web.making import checked, editor_of, sheet_of
from visitors import WAIT_S, Browser, page

GAMES = masume.game.games()


@pytest.fixture(scope="module")
def server():
    with page() as found:
        yield found


@pytest.fixture
def browser(server):
    return Browser(server)


def plain(shown):
    return {key: shown[key] for key in ("size", "cells", "fields", "kinds")}


@pytest.mark.parametrize("name", GAMES)
def test_a_shipped_start_becomes_a_sheet_and_its_file_is_the_same_start(browser, name, tmp_path):
    starts = registry.package_of(name).starts
    for start, its in itertools.islice(named_starts(starts).items(), 12):
        sheet = browser.post(f"/api/make/{name}/open", {"start": start})
        found = browser.post(f"/api/make/{name}/check", {"sheet": plain(sheet)})
        assert found["valid"], found
        path = tmp_path / f"{start}.txt"
        path.write_text(found["text"], "utf-8", newline="")
        assert find_boards(starts, str(path)) == [its]
        assert browser.post(f"/api/make/{name}/open", {"text": found["text"]})["cells"] == sheet["cells"]


@pytest.mark.parametrize("name", GAMES)
def test_an_empty_board_is_offered_and_checked(browser, name):
    desk = browser.get(f"/api/make/{name}")
    assert all(low < high for low, high in desk["sizes"])
    sheet = browser.post(f"/api/make/{name}/open", {})
    found = browser.post(f"/api/make/{name}/check", {"sheet": plain(sheet)})
    needed = [brush[1] for brush in desk["brushes"] if brush[6]]
    assert found["valid"] != bool(needed)
    assert all(word in found["error"] for word in needed) if needed else found["text"]
    for size in zip(*desk["sizes"], strict=True):
        assert browser.post(f"/api/make/{name}/open", {"size": size})["size"] == list(size)


@pytest.mark.parametrize("name", GAMES)
def test_a_start_that_was_made_is_played(browser, name):
    start = next(iter(named_starts(registry.package_of(name).starts)))
    sheet = browser.post(f"/api/make/{name}/open", {"start": start})
    found = browser.post(f"/api/make/{name}/check", {"sheet": plain(sheet)})
    level = browser.get(f"/api/offer/{name}")["levels"][0]
    seats = ["me", *[level] * (found["players"] - 1)]
    match = browser.post("/api/play", {"game": name, "text": found["text"], "seats": seats, "seed": 1})["id"]
    assert browser.get(f"/api/m/{match}")["match"]["game"] == name


@pytest.mark.parametrize("name", GAMES)
def test_nothing_that_is_sent_is_trusted(browser, name):
    good = plain(browser.post(f"/api/make/{name}/open", {}))
    desk = browser.get(f"/api/make/{name}")
    bad = [
        None, [], 7, {}, good | {"size": []}, good | {"size": [0] * len(good["size"])},
        good | {"size": [10**9] * len(good["size"])}, good | {"size": ["3"] * len(good["size"])},
        good | {"size": [True] * len(good["size"])}, good | {"cells": []}, good | {"cells": [*good["cells"], "."]},
        good | {"cells": ["?", *good["cells"][1:]]}, good | {"cells": [None, *good["cells"][1:]]},
        good | {"cells": [10**9, *good["cells"][1:]]}, good | {"cells": ["\n", *good["cells"][1:]]},
        good | {"fields": []}, good | {"kinds": [["a", "b"]]}, good | {"kinds": [["A", "b", 1]]},
        good | {"kinds": [["a", "two words", 1]]}, good | {"kinds": [["a", "b", -1]]},
        good | {"kinds": [["a", "b", 1]] * 2}, good | {"kinds": [["a", "b", 1]] * 100},
    ]  # fmt: skip
    odd = (None, [], True, "x" * 1000, 10**30, -1, "\n")
    keys = [field["key"] for field in desk["fields"]]
    bad += [good | {"fields": good["fields"] | {key: value}} for key in keys for value in odd]
    bad += [good | {"cells": [brush[0]] * 2 + good["cells"][2:]} for brush in desk["brushes"] if brush[6]]
    for sheet in bad:
        status, _headers, data = browser.ask("POST", f"/api/make/{name}/check", {"sheet": sheet})
        assert status == 422, sheet
        assert json.loads(data)["text"]
    for what in ({"text": 3}, {"text": "x" * 32_001}, {"text": "nonsense"}, {"start": "../../etc/passwd"},
                 {"start": []}, {"size": [10**9]}):  # fmt: skip
        assert browser.ask("POST", f"/api/make/{name}/open", what)[0] == 422, what
    for task in (-1, 99, "0", None, True):
        assert browser.ask("POST", f"/api/make/{name}/job", {"sheet": good, "task": task})[0] == 422
    assert browser.ask("POST", f"/api/make/{name}/check", b"x" * 100_000)[0] == 413


def test_a_game_without_starts_and_editor_has_an_empty_menu(monkeypatch):
    package = ModuleType("toy_package")
    monkeypatch.setattr(registry, "package_of", lambda name: package)
    assert menu_of("toy", date(2026, 1, 1)) == []
    with pytest.raises(HTTPException, match="editor"):
        editor_of("toy")


@pytest.mark.parametrize("name", GAMES)
def test_a_text_never_names_a_file_of_the_server(browser, name, tmp_path):
    starts = registry.package_of(name).starts
    shipped = next(iter(named_starts(starts)))
    path = tmp_path / "secret.txt"
    sheet = browser.post(f"/api/make/{name}/open", {"start": shipped})
    path.write_text(browser.post(f"/api/make/{name}/check", {"sheet": plain(sheet)})["text"], "utf-8", newline="")
    level = browser.get(f"/api/offer/{name}")
    seats = ["me", *[level["levels"][0]] * (level["players"] - 1)]
    for text in (str(path), shipped, "daily"):
        assert browser.ask("POST", f"/api/make/{name}/open", {"text": text})[0] == 422
        assert browser.ask("POST", "/api/play", {"game": name, "text": text, "seats": seats})[0] == 422


def test_other_addresses_are_not_found(browser):
    assert browser.ask("GET", "/api/make/chess")[0] == 404
    assert browser.ask("GET", "/api/menu/chess")[0] == 404
    assert browser.ask("GET", "/api/job/none")[0] == 404
    assert browser.ask("POST", "/api/job/none/cancel", {})[0] == 404


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        (
            "nezumi",
            "nezumi-stage 1\nname: x\nmax_mice: 3\nrequire: 2\nturns: 9\nmap:\nZ..\n##.\nC#.\n",
            "not connected",
        ),
        ("chaser", "N:x\nT:9\nS:3,3\nD:0,2,0\nD:2,0,0\nD:0,0,0\nC:0,0\nH:2,2\n", "closed in"),
    ],
)
def test_what_the_parser_refuses_is_said(browser, name, text, told):
    refused = json.loads(browser.ask("POST", f"/api/make/{name}/open", {"text": text})[2])["text"]
    editor = editor_of(name)
    with pytest.raises(masume.errors.ConfigError) as error:
        editor.parse(text)
    assert refused == str(error.value).partition("\n")[0]
    rows = text.splitlines()
    cells = list("Z..##.C#.") if name == "nezumi" else list("C#.#....H")
    fields = {"name": "x", **({"max_mice": 3, "require": 2, "turns": 9} if name == "nezumi" else {"turn_limit": 9})}
    found = checked(name, sheet_of(editor, {"size": [3, 3], "cells": cells, "fields": fields}))
    assert not found["valid"]
    assert told in found["error"]
    assert found["text"].splitlines() == rows


@pytest.mark.parametrize(
    ("name", "cells", "size", "told", "where"),
    [
        ("chaser", "C.#*#..###H.#..", [5, 3], "Nobody can get to", [3, 13, 14]),
        ("chaser", "CH.......", [3, 3], "neighbours", [0, 1]),
        ("battleship", ".#..#..#.", [3, 3], "part the waters", None),
        ("battleship", "~........", [3, 3], "not symmetric", [0, 8]),
        ("terraforming", "a.b.c..", [1], "three thirds differ", None),
        ("terraforming", "a..#bc.", [1], "three thirds differ", None),
        ("kakomimasu", [-1] * 36, [6, 6], "more than 0", None),
    ],
)  # fmt: skip
def test_likely_mistakes_are_found(browser, name, cells, size, told, where, tmp_path, capsys):
    found = browser.post(f"/api/make/{name}/check", {"sheet": {"size": size, "cells": list(cells), "fields": {}}})
    assert found["valid"], found
    hits = [one for one in found["findings"] if told in one["text"]]
    assert hits, found["findings"]
    if where is not None:
        assert hits[0]["cells"] == where
    path = tmp_path / "made.txt"
    path.write_text(found["text"], "utf-8", newline="")
    main(["info", name, "--board", str(path), "--json"])
    assert json.loads(capsys.readouterr().out)["findings"] == found["findings"]  # the command line says the same


# -- menus ---------------------------------------------------------------------------------------------


def test_the_stages_are_a_menu_from_easy_to_hard(browser):
    shelves = {shelf["name"]: shelf["cards"] for shelf in browser.get("/api/menu/nezumi")["shelves"]}
    assert len(shelves["First stages"]) == 5
    course = [*shelves["First stages"], *shelves["From easy to hard"]]
    assert [card["name"].partition(".")[0] for card in course] == [str(n + 1) for n in range(len(course))]
    assert len(course) >= 30
    assert all(card["text"] and "par" in card["note"] and card["side"] in (0, 1) for card in course)
    crowds = shelves["Crowds and sieges"]
    assert sum(len(card["scene"]["units"]) > 2 * 5 for card in crowds) >= 5  # the cat, and mice in two states


def test_the_nine_missions_have_a_picture_with_ships(browser):
    shelves = {shelf["name"]: shelf["cards"] for shelf in browser.get("/api/menu/battleship")["shelves"]}
    assert len(shelves["Missions"]) == 9
    assert all(card["text"] and card["frame"]["places"] for card in shelves["Missions"])


@pytest.mark.parametrize("name", GAMES)
def test_every_card_begins_a_match_and_the_start_of_the_day_is_first(browser, name):
    menu = browser.get(f"/api/menu/{name}")
    today = menu["shelves"][0]["cards"]
    day = menu["shelves"][0]["name"].rpartition(" ")[2]
    assert [card["start"] for card in today] == [daily(registry.package_of(name).starts, date.fromisoformat(day))]
    for shelf in menu["shelves"]:
        card = shelf["cards"][-1]
        seats = ["me" if player == max(card["side"], 0) else menu["levels"][0] for player in range(card["players"])]
        asked = {"game": name, "start": card["start"], "variant": card["variant"], "seats": seats, "seed": 2}
        assert browser.post("/api/play", asked)["id"]


def test_a_menu_is_in_the_language_of_the_browser(server):
    japanese = Browser(server, **{"Accept-Language": "ja"})
    assert "ネズミ" in japanese.get("/api/menu/nezumi")["shelves"][1]["cards"][0]["text"]


# -- tasks ---------------------------------------------------------------------------------------------


def wait(browser, job):
    until = time.monotonic() + WAIT_S
    while time.monotonic() < until:
        facts = browser.get(f"/api/job/{job}")
        if facts["state"] != "running":
            return facts
        time.sleep(0.05)
    raise AssertionError("the task does not end")


def test_the_exact_value_of_a_stage_is_the_command_lines(browser):
    sheet = plain(browser.post("/api/make/nezumi/open", {"start": "crumbs"}))
    job = browser.post("/api/make/nezumi/job", {"sheet": sheet, "task": 0})["id"]
    facts = wait(browser, job)
    assert facts["state"] == "done", facts
    assert "+3 mg" in facts["text"]


def test_a_task_is_cancelled_and_only_a_few_run(browser):
    sheet = plain(browser.post("/api/make/nezumi/open", {"start": "granary"}))
    asked = {"sheet": sheet, "task": 0}
    found = [browser.post("/api/make/nezumi/job", asked)["id"] for _ in range(jobs.AT_ONCE + 1)]
    states = [browser.get(f"/api/job/{job}")["state"] for job in found]
    assert states == ["running"] * jobs.AT_ONCE + ["waiting"]
    for job in found[::-1]:
        browser.post(f"/api/job/{job}/cancel", {})
        assert wait(browser, job)["state"] == "cancelled"
        browser.post(f"/api/job/{job}/cancel", {})  # nothing happens


def test_a_task_that_takes_too_long_is_ended(monkeypatch):
    monkeypatch.setattr(jobs, "LIMIT_S", 0.2)
    monkeypatch.setattr(jobs.Jobs.__init__, "__defaults__", (0.2,))
    with page() as server:
        browser = Browser(server)
        sheet = plain(browser.post("/api/make/nezumi/open", {"start": "granary"}))
        job = browser.post("/api/make/nezumi/job", {"sheet": sheet, "task": 0})["id"]
        facts = wait(browser, job)
    assert facts["state"] == "late"
    assert "too much work" in facts["text"]


def test_an_invalid_start_has_no_value(browser):
    sheet = plain(browser.post("/api/make/nezumi/open", {}))
    status, _headers, data = browser.ask("POST", "/api/make/nezumi/job", {"sheet": sheet, "task": 0})
    assert status == 422
    assert "cat" in json.loads(data)["text"]
