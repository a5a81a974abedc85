"""The course: thirty stages from easy to hard, with pars that hold, and the maker that found them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import masume
from masume import cli
from masume.agents.make import make_agent
from masume.commands.common import find_boards
from masume.core.rng import stream
from masume.nezumi import stages
from masume.nezumi.notation import CAT, MICE, PLAYERS, SURROUND
from masume.nezumi.stages import Stage, load_course, load_named, load_shipped
from masume.nezumi.workbench.findings import findings
from masume.nezumi.workbench.making import (
    BEST,
    MANY,
    STRONG,
    Plan,
    Searcher,
    draw,
    make,
    siege_turns,
    value_of,
    wins_of,
)
from masume.play.driver import play_game
from masume.search.solve import solve

COURSE = load_course()
FOLDER = Path(stages.__file__).parent / "shipped" / "course"
ROOM = 600_000
LARGE = 3_000_000


def is_siege(lesson):
    return not any(lesson.stage.food)


def exact_par(lesson):
    return siege_turns(lesson.stage, ROOM) if is_siege(lesson) else value_of(lesson.stage, ROOM)


def test_the_course_has_thirty_stages_and_begins_with_a_tutorial_of_five():
    groups = [lesson.group for lesson in COURSE.values()]
    assert len(COURSE) == 30
    assert groups[:5] == ["tutorial"] * 5
    assert groups.count("tutorial") == 5
    assert {group: groups.count(group) >= 3 for group in ("food", "crowd", "cat", "siege")} == dict.fromkeys(
        ("food", "crowd", "cat", "siege"), True
    )
    assert not COURSE.keys() & load_shipped().keys()


@pytest.mark.parametrize("name", COURSE)
def test_a_stage_of_the_course_is_a_canonical_file_under_its_name(name):
    lesson = COURSE[name]
    assert (FOLDER / f"{name}.stage").read_text("utf-8") == lesson.stage.to_text()
    assert lesson.stage.name == name
    assert set(lesson.teaches) == {"en", "ja"}
    assert lesson.side == PLAYERS[MICE if lesson.par >= 0 else CAT]
    assert (lesson.group == "cat") == (lesson.side == "cat")
    assert masume.load("nezumi", stage=name).config.stage == lesson.stage
    assert find_boards(stages, name) == [lesson.stage]


def test_every_file_of_the_course_is_listed_and_the_course_is_small():
    files = sorted(FOLDER.iterdir())
    assert [path.name for path in files] == sorted(["index.json", *(f"{name}.stage" for name in COURSE)])
    assert sum(path.stat().st_size for path in files) < 100_000
    with pytest.raises(masume.ConfigError, match=r"unknown stage 'crumb' \(known: garden, .*, crumbs, "):
        masume.load("nezumi", stage="crumb")


@pytest.mark.parametrize("name", [name for name, one in COURSE.items() if one.is_exact])
def test_a_par_is_the_exact_value(name):
    assert exact_par(COURSE[name]) == COURSE[name].par


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, one in COURSE.items() if not one.is_exact])
def test_a_par_that_is_not_exact_has_been_played(name):
    lesson = COURSE[name]
    game = masume.load("nezumi", stage=lesson.stage)
    many = lesson.group == "crowd" and lesson.stage.max_mice >= MANY
    state = played(game, BEST[-1] if many else BEST[0])
    if is_siege(lesson):
        assert (state.result, state.turn) == (SURROUND, lesson.par)
    else:
        assert state.score == lesson.par
    if many:
        assert all(value_of(lesson.stage, LARGE, mice) < 0 for mice in range(1, lesson.stage.max_mice - 1))
    elif lesson.group == "crowd":
        half = lesson.stage.max_mice // 2
        fewer = masume.load("nezumi", stage=lesson.stage, max_mice=half, require=min(half, lesson.stage.require))
        assert played(fewer, BEST[0]).returns()[CAT] == 1


def test_some_stages_take_five_mice_or_more():
    assert [name for name, one in COURSE.items() if one.stage.max_mice >= MANY] == ["bakery", "drawbridge"]


def played(game, nodes):
    """Return the end of a game between players who search."""
    return play_game(game, [Searcher(nodes), Searcher(nodes)], 1).state


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, one in COURSE.items() if one.group == "crowd" and one.is_exact])
def test_a_crowd_with_one_mouse_fewer_loses(name):
    stage = COURSE[name].stage
    assert value_of(stage, ROOM, stage.max_mice - 1) < 0


@pytest.mark.parametrize("name", COURSE)
def test_no_side_wins_a_stage_whatever_it_does(name):
    """Both sides lose a game in which they play at random or simply."""
    game = masume.load("nezumi", stage=COURSE[name].stage)
    lost, seed = set(), 0
    while lost != {0, 1} and seed < 30:
        for cat, mice in (("crafty", "random"), ("random", "crafty"), ("random", "alphabeta:500")):
            agents = [make_agent(cat, game), make_agent(mice, game)]
            lost.add(int(play_game(game, agents, stream(5, seed)).state.returns().argmin()))
        seed += 1
    assert lost == {0, 1}


@pytest.mark.parametrize("name", COURSE)
def test_no_simple_plan_wins_a_stage(name):
    kinds = {one.kind for one in findings(COURSE[name].stage)}
    assert not kinds & {"cat-wins", "mice-win", "stuck-cat", "never-meet", "far-food", "nowhere", "cut-off-zone"}


# -- the maker --------------------------------------------------------------------------------------


def test_drawn_stages_are_mirrored_and_as_planned():
    plan = Plan("food", 5, 7, 3, 2, 9, 5, 4, 4)
    drawn = [stage for stage in (draw(plan, seed) for seed in range(40)) if stage]
    assert len(drawn) > 20
    for stage in drawn:
        rows = [row.replace("C", ".") for row in stage.rows]
        assert rows == [row[::-1] for row in rows]
        assert (stage.height, stage.width, stage.max_mice, stage.require, stage.turns) == (5, 7, 3, 2, 9)
        assert sum(stage.zone) in (4, 5)
    assert draw(plan, 3) == draw(plan, 3)


def test_what_is_made_is_close_and_makes_simple_players_lose():
    plan = Plan("food", 5, 5, 1, 1, 8, 4, 2, 3)
    ticks = []
    found = list(make(plan, 1, 8, 60_000, lambda: ticks.append(1)))
    assert len(ticks) == 8
    assert found
    for made in found:
        assert made.par == value_of(made.stage, 60_000)
        assert 0 <= made.par <= 3
        assert made.side == MICE
        assert made.thought >= 0.5
        fewer = {food.letter: food.amount for food in made.stage.foods}
        assert all(amount > 1 for amount in fewer.values())


def test_a_siege_has_the_least_turns_that_suffice():
    stage = Stage.parse("nezumi-stage 1\nname: corner\nmax_mice: 3\nrequire: 2\nturns: 5\nmap:\nZ..Z\n..C.\nZ##Z\n")
    assert siege_turns(stage, ROOM) == 3
    for turns, cat in ((2, 1), (3, -1)):
        game = masume.load("nezumi", stage=stage, turns=turns)
        assert solve(game.new_state(), "returns", ROOM).values[CAT] == cat


def test_a_cat_that_sleeps_loses_to_a_search():
    assert wins_of(COURSE["crumbs"].stage, MICE, [STRONG], "stay", 1, 0) == 1


@pytest.mark.parametrize(
    ("fields", "told"),
    [({"kind": "war"}, "kind: "), ({"height": 2}, "height: "), ({"require": 3}, "require: "), ({"zone": 0}, "zone: ")],
)
def test_a_plan_that_cannot_be_is_refused(fields, told):
    given = {"kind": "food", "height": 5, "width": 5, "max_mice": 2, "require": 2, "turns": 7, "walls": 6, "zone": 3,
             "foods": 4}  # fmt: skip
    with pytest.raises(masume.ConfigError, match=told):
        Plan(**(given | fields))


# -- the command line -------------------------------------------------------------------------------


def test_the_list_goes_from_easy_to_hard(capsys):
    assert cli.main(["stage", "list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[1] for line in lines[1:31]] == list(COURSE)
    assert cli.main(["stage", "list", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [one["name"] for one in told["course"]] == list(COURSE)
    assert [one["name"] for one in told["built_in"]] == list(load_shipped())
    assert list(load_named()) == [*load_shipped(), *COURSE]


def test_stages_are_made_into_files(capsys, tmp_path):
    given = ["--max-mice", "1", "--require", "1", "--turns", "8", "--walls", "4", "--zone", "2", "--foods", "3"]
    assert cli.main(["stage", "make", *given, "--tries", "8", "--seed", "1", "--out", str(tmp_path), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["tries"] == 8
    for one in told["found"]:
        assert (tmp_path / f"{one['name']}.stage").read_text() == one["stage"]
    assert cli.main(["stage", "make", *given, "--tries", "8", "--seed", "1"]) == 0
    assert f"{len(told['found'])} of 8 stages" in capsys.readouterr().out
