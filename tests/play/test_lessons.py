"""Lessons: every goal is reached by the solution, on the engine and the reference, and by nothing that is no play."""

import re
from pathlib import Path

import pytest

import masume
from masume.agent import PolicyAgent
from masume.core import registry
from masume.core.language import speaking
from masume.core.language import translate as _
from masume.core.rng import stream
from masume.errors import ConfigError
from masume.play import lessons
from masume.play.lessons import FAILED, REACHED, Attempt, Script, Step, find_lesson, game_of, lessons_of, play, solve

RULES = Path(__file__).parents[2] / "docs" / "rules"
CLAUSES = {
    clause for page in RULES.glob("*.md") for clause in re.findall(r"\b[A-Z]{2}-R?\d+\b", page.read_text("utf-8"))
}
LESSONS = [(game, lesson) for game in masume.games() for lesson in lessons_of(game)]
RANDOM = 20  # games by chance
MOST_BY_CHANCE = 8  # of them that may reach a goal: some lessons have one move, and few choices


def over(found):
    return pytest.mark.parametrize(
        ("game", "lesson"), found, ids=[f"{game}:{lesson.name}" for game, lesson in found]
    )  # fmt: skip


every = over(LESSONS)
every_own = over([(game, lesson) for game, lesson in LESSONS if game in registry.own_names()])


@every
def test_the_solution_reaches_the_goal_within_par(game, lesson):
    attempt = solve(lesson, game_of(game, lesson))
    assert (attempt.outcome, attempt.used, attempt.stars) == (REACHED, lesson.par, 2)
    assert len(lesson.solution) == lesson.par <= lesson.most


@every_own
def test_the_reference_agrees_at_every_step_of_the_solution(game, lesson):
    """The reference is stepped by the moves of the solution; the goal is reached there at the same move."""
    played = game_of(game, lesson)
    attempt = solve(lesson, played)
    kind = played.reference.State
    first = attempt.steps[0].state
    state = kind.parse(played.config, lesson.position) if lesson.position else kind.new(played.config, lesson.seed)
    for move in lessons.moves_of(lesson, played):
        state.apply(move)
    assert str(state) == str(first)
    steps = [Step(None, state.clone(), ())]
    for number, step in enumerate(attempt.steps[1:], 2):
        state.apply(step.move)
        assert (str(state), state.events()) == (str(step.state), list(step.events))
        steps.append(Step(step.move, state.clone(), state.events()))
        assert lesson.goal(steps, lesson.side) == (number == len(attempt.steps))


@every
def test_who_waits_or_plays_at_random_does_not_reach_the_goal(game, lesson):
    played = game_of(game, lesson)
    assert solve(lesson, played, ()).outcome == FAILED
    reached = 0
    for seed in range(RANDOM):
        agent = PolicyAgent("random")
        agent.start = lambda _game, _player, _seed, agent=agent, seed=seed: PolicyAgent.start(
            agent, _game, _player, stream(seed, 0)
        )
        reached += play(lesson, played, agent).outcome == REACHED
    assert reached <= MOST_BY_CHANCE


@every_own
def test_the_texts_are_sentences_in_both_languages(game, lesson):
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", lesson.name)
    for text in (lesson.text, lesson.hint):
        assert text[0].isupper()
        assert re.search(r"[.?!]$", text)
        assert len(text) < 140
    assert len(lesson.title) < 40
    with speaking("ja"):
        assert all(_(text) != text for text in (lesson.title, lesson.text, lesson.hint))


@every_own
def test_the_clauses_are_those_of_the_rules(game, lesson):
    assert lesson.clauses
    assert set(lesson.clauses) <= CLAUSES


@pytest.mark.parametrize("game", masume.games())
def test_names_are_unique(game):
    names = [lesson.name for lesson in lessons_of(game)]
    assert len(set(names)) == len(names)
    assert all(find_lesson(game, name).name == name for name in names)
    with pytest.raises(ConfigError, match="lesson"):
        find_lesson(game, "no-lesson")


# -- an attempt, on a lesson of its own ----------------------------------------------------------------

WALK = lessons.Lesson(
    name="walk",
    title="Walk",
    text="Take two steps.",
    hint="Any two.",
    config={"width": 5, "height": 5, "points": [1] * 25, "n_agents": 1, "total_turns": 9},
    position="\n".join([*["....."] * 4, "A...B", "agents: A0@0,4 B0@4,4"]),
    side=0,
    goal=lessons.gained(2),
    par=2,
    most=3,
    solution=(["MOVE 1,4"], ["MOVE 2,4"]),
    clauses=("KM-22",),
    opponents=(["MOVE 4,3"], ["MOVE 9,9"], ["MOVE 4,2"]),
)
GAME = game_of("kakomimasu", WALK)


def test_stars_tell_whether_par_was_reached():
    assert solve(WALK, GAME).stars == 2
    slow = solve(WALK, GAME, (["MOVE 1,4"], ["STAY"], ["MOVE 2,4"]))
    assert (slow.outcome, slow.used, slow.stars) == (REACHED, 3, 1)
    late = solve(WALK, GAME, (["MOVE 1,4"], ["STAY"], ["STAY"], ["MOVE 2,4"]))
    assert (late.outcome, late.used, late.stars) == (FAILED, 3, 0)


def test_a_script_goes_on_after_an_answer_that_is_not_legal_there():
    attempt = solve(WALK, GAME, (["STAY"], ["STAY"], ["STAY"]))
    moved = [[event["agent"] for event in step.events if event["player"] == 1] for step in attempt.steps]
    assert moved == [[], [0], [], [0]]


def test_a_script_goes_on_where_it_was():
    agent = lessons.make_opponent(WALK, GAME, [[0, 1], [0, 0]])
    state = Attempt(WALK, GAME).state
    state.apply([0, 1])
    assert [state.action_to_text(code, 1) for code in agent.act(masume.agent.View(state, 1))] == ["MOVE 4,2"]


def test_a_goal_may_be_lost_early():
    lost = lessons.dataclasses.replace(WALK, lost=lambda steps, side: len(steps) > 1)
    assert solve(lost, GAME).outcome == FAILED


def test_nothing_is_played_after_the_outcome():
    attempt = solve(WALK, GAME)
    attempt.apply([0, 0])
    attempt.fail()
    assert (len(attempt.steps), attempt.outcome) == (3, REACHED)


def test_a_move_may_be_text_or_code():
    assert Script(([0],)).act(masume.agent.View(Attempt(WALK, GAME).state, 0)) == [0]
