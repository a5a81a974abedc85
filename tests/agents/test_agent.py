"""A View offers a player its own information only; agents are found by name."""

import io

import numpy as np
import pytest

import masume
import players
from masume import render
from masume.agent import Agent, PolicyAgent, View
from masume.agents.human import Human
from masume.agents.make import agents_of, make_agent
from masume.core.rng import Rng
from toy import Counting

KAKOMIMASU = masume.load("kakomimasu", width=5, height=4, n_agents=2, total_turns=6, seed=3)
HIDDEN = masume.load(Counting(length=5))


def test_a_view_is_the_state_as_its_player_sees_it():
    state = KAKOMIMASU.new_state()
    state.apply([17, 18, 17 + 19, 17 + 18])
    view = View(state, 1, left_ms=250)
    assert (view.game, view.player, view.left_ms) == (KAKOMIMASU, 1, 250)
    assert view.slots == [2, 3]
    assert view.legal_actions(2).tolist() == state.legal_actions(2).tolist()
    assert view.legal_mask(3).tolist() == state.legal_mask(3).tolist()
    for field, array in state.observation(1).items():
        np.testing.assert_array_equal(view.observation()[field], array)
    assert view.information_state() == state.information_state(1)
    assert view.events() == state.events(1)


def test_what_a_view_gives_away_is_a_clone():
    state = KAKOMIMASU.new_state()
    given = View(state, 0).state
    given.apply([17, 18, 19, 20])
    assert (given.played, state.played) == (1, 0)


def test_a_view_of_a_game_that_hides_things_has_no_state():
    state = HIDDEN.new_state(5)
    state.apply(1)
    view = View(state, 1)
    with pytest.raises(AttributeError, match="state: counting hides things"):
        view.state  # noqa: B018
    assert View(state, 0).slots == []
    assert view.slots == [0]
    assert view.resample(8).scores()[1] == state.scores()[1]


@pytest.mark.parametrize("game", [KAKOMIMASU, HIDDEN], ids=lambda game: game.name)
def test_native_random_draws_once_a_slot_from_its_seed(game):
    agent, rng = PolicyAgent("random"), Rng(77)
    agent.start(game, 0, 77)
    state = game.new_state(1)
    view = View(state, 0)
    drawn = [int(legal[rng.below(len(legal))]) for legal in map(view.legal_actions, view.slots)]
    assert agent.act(view) == (drawn if game.num_slots > 1 else drawn[0])
    assert agent._rng.state == rng.state


def test_policy_agents_play_every_policy_of_the_table():
    agent = make_agent("highest", HIDDEN)
    assert isinstance(agent, PolicyAgent)
    agent.start(HIDDEN, 0, 1)
    assert agent.act(View(HIDDEN.new_state(), 0)) == 1


def test_agents_are_found_by_name():
    assert isinstance(make_agent("random", KAKOMIMASU), PolicyAgent)
    assert isinstance(make_agent("human", KAKOMIMASU), Human)
    assert isinstance(make_agent("py:players:Random", KAKOMIMASU), players.Random)
    for name in agents_of(KAKOMIMASU):
        agent = make_agent(name, KAKOMIMASU)
        assert isinstance(agent, Agent)
        assert agent.name == name
        agent.close()
    assert agents_of(HIDDEN) == {}


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("alphago", r"agents: unknown agent 'alphago' \(known: random"),
        ("", "agents: unknown agent ''"),
        ("highest", "agents: unknown agent 'highest'"),
        ("py:", "agents: py:"),
        ("py:players", "agents: py:players: "),
        ("py:nowhere:X", "agents: py:nowhere:X: No module named 'nowhere'"),
        ("py:players:Nobody", "agents: py:players:Nobody: .*no attribute 'Nobody'"),
        ("py:players:Incomplete", "agents: py:players:Incomplete: .* lacks name, start, act or close"),
    ],
)
def test_what_names_no_agent_is_refused(spec, message):
    with pytest.raises(masume.ConfigError, match=message):
        make_agent(spec, KAKOMIMASU)


def ask(game, typed):
    """Return the action that a person chooses by typing this, and the output they read."""
    output = io.StringIO()
    human = Human(io.StringIO(typed), output)
    human.start(game, 0, 1)
    answer = human.act(View(game.new_state(), 0))
    human.close()
    return answer, output.getvalue()


def test_a_person_is_asked_for_each_slot_until_the_answer_is_legal():
    answer, read = ask(KAKOMIMASU, "PUT 1,0\nfly\n\nMOVE 1,1\n?\nSTAY\n")
    assert answer == [18, 0]
    assert "You are A: player 0 of kakomimasu." in read
    assert read.count("A0, not placed yet> ") == 1
    assert read.count("A1, not placed yet> ") == 5
    assert "fly: not understood; ? shows what you can type." in read
    assert "'MOVE 1,1': the agent is not placed" in read
    assert "allowed now: .   0,0   1,0" in read
    assert "start of 6 turns" in read


def test_a_person_plays_games_of_one_slot():
    answer, read = ask(HIDDEN, "2\n1\n")
    assert answer == 1
    assert render.text(HIDDEN.new_state(), 0) in read
    assert str(HIDDEN.new_state()) not in read
    assert "2 is not allowed now" in read
    assert "your move> " in read


def test_the_end_of_the_input_is_no_action():
    with pytest.raises(EOFError, match="the input ended before the game"):
        ask(KAKOMIMASU, "STAY\n")
