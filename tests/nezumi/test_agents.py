"""The computer players: their choices in clear positions, and their relative strength."""

import pytest

import masume
from masume.agent import PolicyAgent, View
from masume.nezumi.agents import AGENTS
from masume.nezumi.stages import generate, load_shipped
from masume.play.driver import play_game

from .conftest import draw, lines

RANKED = ("random", *AGENTS)


def make(name):
    return PolicyAgent(name) if name in ("random", "prowler") else AGENTS[name]()


def choice(name, text, seed=1, **told):
    """Return the text of an agent's action on a drawn position, without slips."""
    position = draw(lines(text), **told)
    game = masume.load("nezumi", stage=position.config.stage)
    state = game.state_from_dict(position.variables)
    agent = make(name)
    agent.slips = 0
    agent.start(game, state.current_player, seed)
    return state.action_to_text(agent.act(View(state, state.current_player)))


def wins(cat, mice, games, **fields):
    """Return the number of games that the mice win."""
    game = masume.load("nezumi", **fields)
    return sum(play_game(game, [make(cat), make(mice)], seed).state.returns()[1] > 0 for seed in range(games))


@pytest.mark.parametrize("name", ["prowler", *AGENTS])
@pytest.mark.parametrize("stage", [*load_shipped(), generate(1), generate(2, 32, 32, 10, 3, 4, 6, 3)])
def test_agents_play_both_sides_of_every_stage(name, stage):
    """Each action is legal, else AgentError would be raised. Equal seeds give equal games."""
    game = masume.load("nezumi", stage=stage)
    one, other = (play_game(game, [make(name), make(name)], 5).to_replay(5, ["a", "b"]) for _ in range(2))
    assert one.moves == other.moves
    assert len(one.moves) > 3


@pytest.mark.parametrize("name", AGENTS)
@pytest.mark.parametrize("seed", range(5))
def test_both_cats_take_a_mouse_beside_them(name, seed):
    assert choice(name, ".....|.CM..|.....|M...Z", seed, phase="CAT1", cost=3) == "E"
    assert choice(name, ".....|.CM..|.....|M...Z", seed, phase="CAT1", cost=3, captured=2) == "E"


@pytest.mark.parametrize("name", AGENTS)
@pytest.mark.parametrize("seed", range(5))
def test_both_mice_keep_away_from_the_cat(name, seed):
    """The shortest way to the food leads past the cat."""
    assert choice(name, "M..5|....|..C.|....", seed) == "0,0E"
    assert choice(name, "..M..|.....|..C..|.....|..5..", seed) != "0,2S"


def test_greedy_steps_into_a_surround_and_the_others_do_not():
    text = "M.M.|.MC.|M.M.|...."
    assert choice("greedy", text, phase="CAT1", M=6, cost=9) == "W"
    for name in ("crafty", "prowler"):
        assert choice(name, text, phase="CAT1", M=6, cost=9) != "W"


def test_a_crafty_cat_captures_twice():
    assert choice("crafty", "......|CMM...|......|.....M", phase="CAT1", R=4, cost=3) == "E"
    assert choice("crafty", "......|.CM...|......|.....M", phase="CAT2", R=4, captured=1, cost=3) == "E"


@pytest.mark.parametrize("name", ["crafty", "prowler"])
@pytest.mark.parametrize(("score", "action"), [(-1, "!"), (0, "-"), (5, "-")])
def test_a_crafty_cat_does_not_end_a_game_that_is_lost(name, score, action):
    position = draw([".M.C..M", "......."], R=1, food=10, cost=10 - score)
    game = masume.load("nezumi", stage=position.config.stage)
    state = game.state_from_dict(position.variables)
    state.apply(state.text_to_action("0,1E"))
    agent = make(name)
    agent.slips = 0
    agent.start(game, 0, 1)
    assert state.action_to_text(agent.act(View(state, 0))) == action


def test_crafty_mice_close_a_surround():
    for name in ("crafty", "prowler"):
        assert choice(name, "M.M...|.C....|M..M..|5.....", cost=90) == "2,3W"
    assert choice("crafty", "M.Z...|.C....|M.M...|5.....", phase="ADD", cost=90, M=6) == "0,2+"


def test_crafty_mice_eat_what_is_there():
    for name in ("crafty", "prowler"):
        assert choice(name, "M7...|.....|....C") == "0,0E"


def test_crafty_mice_are_as_many_as_the_food_pays_for():
    """Little food: one mouse. No food: a crowd, because only a surround can win."""
    counts = {}
    for name in load_shipped():
        game = masume.load("nezumi", stage=name)
        state = game.new_state()
        agent = make("crafty")
        agent.slips = 0
        agent.start(game, 1, 1)
        while state.to_dict()["t"] == 0:
            state.apply(agent.act(View(state, 1)) if state.current_player == 1 else state.text_to_action("-"))
        counts[name] = sum(state.to_dict()["mouse"])
    assert counts["pantry"] == 1
    assert counts["siege"] >= 6
    assert counts["vault"] >= 4
    assert 2 <= counts["granary"] <= 6


def test_the_better_players_win_more():
    """On `crossroads`, with fixed seeds, each side does better against a weaker opponent."""
    random, greedy, crafty = (wins("crafty", mice, 16, stage="crossroads") for mice in RANKED)
    assert random < greedy < crafty < 16
    for cat in ("random", "greedy"):
        assert wins(cat, "greedy", 16, stage="crossroads") > greedy


@pytest.mark.parametrize("stage", load_shipped())
def test_no_side_wins_every_game_of_the_better_pair(stage):
    """At most 20 games are played, and none after both sides have won."""
    game = masume.load("nezumi", stage=stage)
    games = (play_game(game, [make("crafty"), make("crafty")], seed) for seed in range(20))
    won = (one.state.returns()[1] > 0 for one in games)
    first = next(won)
    assert any(one != first for one in won)


@pytest.mark.parametrize("stage", load_shipped())
def test_the_prowler_wins_as_either_side_against_random(stage):
    """In 200 games of each stage its cat lost none, and its mice won 70 % (pillars) to 100 %."""
    assert wins("prowler", "random", 12, stage=stage) == 0
    assert wins("random", "prowler", 12, stage=stage) >= 6
