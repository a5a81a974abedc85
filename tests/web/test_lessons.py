"""Lessons on the page: the server decides the goal, and tells neither hint nor solution before it is asked."""

import json
import re

import pytest

pytest.importorskip("starlette", reason="starlette is not installed")
pytest.importorskip("uvicorn", reason="uvicorn is not installed")

import masume
from masume.core.language import speaking
from masume.core.language import translate as _
from masume.play.lessons import begin, code_of, game_of, lessons_of
from masume.web.files import read_files
from visitors import Browser, page, question

LESSONS = [(game, lesson) for game in masume.games() for lesson in lessons_of(game)]
every = pytest.mark.parametrize(
    ("game", "lesson"), LESSONS, ids=[f"{game}:{lesson.name}" for game, lesson in LESSONS]
)  # fmt: skip


@pytest.fixture
def server(tmp_path):
    with page(folder=tmp_path) as found:
        yield found


@pytest.fixture
def browser(server):
    return Browser(server)


def start(browser, game, name, **fields):
    return browser.post("/api/lesson", {"game": game, "lesson": name, **fields})["id"]


def facts(browser, match):
    return browser.get(f"/api/m/{match}")["match"]


def act(browser, match, ask, answers):
    """Play answers, a code for each slot of the question or one for each step of the turn."""
    slots = ask["slots"] or [ask["legal"][0]["slots"][0]] * len(answers)
    steps = [["do", slot, code] for slot, code in zip(slots, answers, strict=True)]
    body = {"ask": ask["id"], "nonce": f"n{ask['id']}", "steps": steps}
    browser.post(f"/api/m/{match}/act", body)


def wait_end(browser, match):
    """Return the facts when nothing more happens."""
    with browser.stream(f"/api/m/{match}/events") as events:
        assert any(kind == "end" for kind, _number, _data in events)
    return facts(browser, match)


def solve(browser, match, game, lesson, most=None):
    """Play the solution of a lesson, or its first answers, as a browser does."""
    state = begin(lesson, game_of(game, lesson))
    for answer in lesson.solution[:most]:
        ask = question(browser, match)
        actions = answer if isinstance(answer, list | tuple) else [answer]
        slots = ask["slots"] or [0]
        seen = _position(browser, match)
        codes = [code_of(seen or state, action, slot) for slot, action in zip(slots, actions, strict=True)]
        act(browser, match, ask, codes)


def _position(browser, match):
    """Return the position of a match, which only the server knows."""
    return browser.server.gallery.found[match].state.clone()


@every
def test_a_solution_is_reached_on_the_page(browser, game, lesson):
    match = start(browser, game, lesson.name)
    told = facts(browser, match)["lesson"]
    assert (told["state"], told["used"], told["stars"]) == ("open", 0, 0)
    solve(browser, match, game, lesson)
    found = wait_end(browser, match)
    assert found["phase"] == "over"
    names = [one.name for one in lessons_of(game)]
    following = [*names, ""][names.index(lesson.name) + 1]
    assert [found["lesson"][key] for key in ("state", "used", "stars", "next")] == [
        "reached", lesson.par, 2, following,
    ]  # fmt: skip


@every
@pytest.mark.parametrize("language", ["en", "ja"])
def test_hint_and_solution_are_sent_when_they_are_asked_for(server, game, lesson, language):
    browser = Browser(server)
    browser.headers = {"Accept-Language": language}
    match = start(browser, game, lesson.name)
    streamed = []
    with browser.stream(f"/api/m/{match}/events") as events:
        for kind, _number, data in events:
            streamed.append(data)
            if kind == "ask" and data != "[]":
                break
    paths = (f"/m/{match}", f"/api/m/{match}", f"/api/m/{match}/film/0", f"/api/m/{match}/guide", f"/learn/{game}",
             f"/api/menu/{game}", f"/api/offer/{game}", "/", "/api/lobby")  # fmt: skip
    sent = b"".join(browser.ask("GET", path)[2] for path in paths)
    sent += "".join(streamed).encode() + b"".join(read_files()[1].values())
    with speaking(language):
        hint, text = _(lesson.hint), _(lesson.text)
    assert json.dumps(text)[1:-1].encode() in sent  # what is told is found this way
    assert json.dumps(hint)[1:-1].encode() not in sent
    assert not re.search(rb'"(hint|solution|clue)":', sent)
    told = [
        action for answer in lesson.solution for action in (answer if isinstance(answer, list | tuple) else [answer])
    ]
    assert not [action for action in told if len(str(action)) > 6 and str(action).encode() in sent]
    assert browser.post(f"/api/m/{match}/clue", {}) == {"text": hint}


def first():
    return next((game, lesson) for game, lesson in LESSONS if game == "kakomimasu")


def test_a_hint_is_told_to_the_learner_alone(server, browser):
    game, lesson = first()
    match = start(browser, game, lesson.name)
    assert Browser(server).ask("POST", f"/api/m/{match}/clue", {})[0] == 403


def test_a_match_that_is_no_lesson_has_no_hint(browser):
    match = browser.post("/api/play", {"game": "kakomimasu", "seats": ["me", "random"], "seed": 3})["id"]
    assert browser.post(f"/api/m/{match}/clue", {}, 422)["text"] == "this match is no lesson"
    assert facts(browser, match)["lesson"] is None


@every
def test_a_solution_that_is_shown_is_a_match_that_is_over(browser, game, lesson):
    match = browser.post("/api/lesson/show", {"game": game, "lesson": lesson.name})["id"]
    found = browser.get(f"/api/m/{match}")
    assert (found["match"]["phase"], found["match"]["lesson"]["state"]) == ("over", "shown")
    assert found["match"]["mine"] == [lesson.side]
    assert found["match"]["lesson"]["stars"] == 0  # to look is not to do
    assert found["count"] > 1


def test_a_lesson_that_is_not_reached_is_over_too(browser):
    game, lesson = first()
    match = start(browser, game, lesson.name)
    for _turn in range(lesson.most):
        act(browser, match, question(browser, match), [0])
    found = wait_end(browser, match)
    assert (found["lesson"]["state"], found["lesson"]["stars"], found["phase"]) == ("failed", 0, "over")


def test_lessons_are_not_listed_and_leave_no_replay(server, browser, tmp_path):
    game, lesson = first()
    match = start(browser, game, lesson.name)
    assert browser.get("/api/lobby")["matches"] == []
    solve(browser, match, game, lesson)
    wait_end(browser, match)
    assert browser.get("/api/lobby") == {"matches": [], "all": 0, "aside": [], "wall": {}}
    assert list(tmp_path.rglob("*.jsonl")) == []


def test_a_lesson_takes_the_place_of_the_one_that_is_left(server, browser, tmp_path):
    game, lesson = first()
    match = start(browser, game, lesson.name)
    stranger = Browser(server)
    start(stranger, game, lesson.name, instead=match)
    assert facts(browser, match)["lesson"]["state"] == "open"  # nobody ends a lesson of others
    other = start(browser, game, lesson.name, instead=match)
    assert browser.ask("GET", f"/api/m/{match}")[0] == 404
    assert not (tmp_path / "unfinished" / f"{match}.jsonl").exists()
    shown = browser.post("/api/lesson/show", {"game": game, "lesson": lesson.name, "instead": other})["id"]
    assert set(server.gallery.found) >= {shown}
    assert other not in server.gallery.found


def test_a_whole_game_is_never_left_for_a_lesson(server, browser):
    game, lesson = first()
    match = browser.post("/api/play", {"game": game, "seats": ["me", "random"], "seed": 3})["id"]
    start(browser, game, lesson.name, instead=match)
    assert match in server.gallery.found


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"game": "kakomimasu", "lesson": "no-such"}, "lesson"),
        ({"game": "kakomimasu", "lesson": 3}, "lesson"),
        ({"game": "chess", "lesson": "x"}, "game"),
        ({"game": "kakomimasu"}, "lesson"),
    ],
)
@pytest.mark.parametrize("path", ["/api/lesson", "/api/lesson/show"])
def test_what_names_no_lesson_is_refused_by_its_field(server, browser, path, body, field):
    assert browser.post(path, body, 422)["text"].startswith(field)
    assert server.gallery.found == {}


def test_a_lesson_goes_on_after_a_restart(tmp_path):
    game, lesson = next((game, lesson) for game, lesson in LESSONS if lesson.most > 1)
    with page(folder=tmp_path) as server:
        browser = Browser(server)
        match = start(browser, game, lesson.name)
        if lesson.par > 1:
            solve(browser, match, game, lesson, most=1)
            question(browser, match)
        before = browser.get(f"/api/m/{match}")
    with page(folder=tmp_path) as server:
        browser.server = server
        browser.host = f"127.0.0.1:{server.port}"
        after = browser.get(f"/api/m/{match}")
        assert (after["frame"], after["match"]["lesson"]) == (before["frame"], before["match"]["lesson"])
        assert browser.get("/api/lobby")["matches"] == []
