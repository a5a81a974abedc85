"""The hunter plays legally and repeatably, sees nothing hidden, and is better than chance."""

import itertools

import pytest

import masume
from masume.agent import PolicyAgent, View
from masume.agents.make import make_agent
from masume.battleship.agents import AGENTS, LEVELS, Careful, Hunter, as_told_to
from masume.battleship.knowledge import Knowledge
from masume.core.rng import Rng
from masume.errors import ConfigError


def match(game, agents, seed):
    """Return (returns, actions) of one game."""
    state = game.new_state(seed)
    for player, agent in enumerate(agents):
        agent.start(game, player, seed * 8 + player)
    played = []
    while not state.is_terminal():
        player = state.current_player
        played.append(agents[player].act(View(state, player)))
        state.apply(played[-1])
    return state.returns().tolist(), played


def share(game, one, other, games):
    """Return the share of points of the first agent, which plays each seat in turn."""
    points = 0.0
    for k in range(games):
        seat = k % 2
        returns, _ = match(game, [one, other] if seat == 0 else [other, one], k // 2)
        points += (returns[seat] + 1) / 2
    return points / games


def test_the_agents_of_the_game():
    game = masume.load("battleship")
    assert set(AGENTS) == {"careful", "hunter", *(f"hunter:{level}" for level in LEVELS)}
    for name in AGENTS:
        assert isinstance(make_agent(name, game), Hunter)
    assert make_agent("hunter", game).name == "hunter:normal"
    with pytest.raises(ConfigError, match="hunter:hard"):
        make_agent("hunter:insane", game)


@pytest.mark.parametrize(
    "make",
    [*AGENTS.values(), lambda: PolicyAgent("gunner"), lambda: PolicyAgent("keeper")],
    ids=[*AGENTS, "gunner", "keeper"],
)
@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"preset": "tag", "mission": "rescue"},
        {"preset": "multi", "mission": "blitz", "width": 7, "height": 7},
        {"preset": "submarine"},
        {"fleets": ["BDSO"], "mission": "flagship", "width": 6},
        {"mission": "retreat", "players": 3, "terrain_weights": [5, 2, 1, 1, 1]},
    ],
)
def test_whole_games_are_legal_and_repeat(make, fields):
    game = masume.load("battleship", **fields)
    agents = [make() for _ in range(game.num_players)]
    assert match(game, agents, 3) == match(game, agents, 3)


@pytest.mark.parametrize("preset", ["classic", "standard"])
@pytest.mark.parametrize("level", LEVELS)
def test_the_hunter_beats_chance(preset, level):
    game = masume.load("battleship", preset=preset, allow_resign=False)
    assert share(game, Hunter(level), PolicyAgent("random"), 24) > 0.85


def test_the_careful_agent_beats_the_hunter():
    game = masume.load("battleship", preset="submarine")
    assert share(game, Careful(), Hunter("hard"), 24) > 0.6


@pytest.mark.parametrize("preset", ["classic", "standard"])
def test_the_gunner_plays_as_well_as_the_hunter(preset):
    game = masume.load("battleship", preset=preset, allow_resign=False)
    assert share(game, PolicyAgent("gunner"), PolicyAgent("random"), 40) > 0.85
    assert 0.2 < share(game, PolicyAgent("gunner"), Hunter(), 20) < 0.8


@pytest.mark.parametrize("preset", ["classic", "submarine"])
def test_the_keeper_beats_the_gunner(preset):
    game = masume.load("battleship", preset=preset)
    assert share(game, PolicyAgent("keeper"), PolicyAgent("gunner"), 100) > 0.6


@pytest.mark.parametrize("policy", ["gunner", "keeper"])
@pytest.mark.parametrize("fields", [{"width": 6}, {"preset": "submarine"}, {"preset": "classic", "stealth": True}])
def test_the_gunner_sees_nothing_that_is_hidden(policy, fields):
    """It plays the same in a position that it cannot distinguish from the true one."""
    game = masume.load("battleship", **fields)
    compared = 0
    for seed in range(8):
        state, agents = game.new_state(seed), [PolicyAgent("gunner"), PolicyAgent("gunner")]
        for player, agent in enumerate(agents):
            agent.start(game, player, player)
        while not state.is_terminal():
            player = state.current_player
            other = state.resample(player, seed)
            compared += other.to_dict() != state.to_dict()
            twin = PolicyAgent(policy)
            twin.start(game, player, seed)
            action = twin.act(View(state, player))
            twin.start(game, player, seed)
            assert twin.act(View(other, player)) == action
            state.apply(agents[player].act(View(state, player)))
    assert compared > 100


def test_the_hunter_sees_nothing_that_is_hidden():
    """It plays the same in a position that it cannot distinguish from the true one."""
    game = masume.load("battleship")
    for seed in range(4):
        state = game.new_state(seed)
        agents = [Hunter("hard"), Hunter("hard")]
        for player, agent in enumerate(agents):
            agent.start(game, player, player)
        while not state.is_terminal():
            player = state.current_player
            twin = Hunter("hard")
            twin.start(game, player, player)
            twin.rng.state = agents[player].rng.state
            action = agents[player].act(View(state, player))
            assert twin.act(View(state.resample(player, seed), player)) == action
            state.apply(action)


def test_a_position_without_a_past_can_be_played():
    game = masume.load("battleship")
    state = game.new_state(1)
    while state.to_dict()["phase"] == 0:
        state.apply(int(state.legal_actions()[0]))
    state = game.state_from_dict(state.to_dict())
    agent = Hunter()
    agent.start(game, state.current_player, 0)
    assert agent.act(View(state, state.current_player)) in state.legal_actions()


@pytest.mark.parametrize(
    "fields",
    [
        {"preset": "classic"},
        {"preset": "submarine"},
        {"preset": "multi", "mission": "blitz", "width": 6, "height": 6},
        {"preset": "tag", "mission": "rescue"},
        {"fleets": ["BDSO"], "mission": "flagship", "public_hp": True, "splash_on_hit": True},
    ],
)
def test_the_careful_agent_knows_exactly_what_its_enemies_hear(fields):
    """What it passes on of its own events is what the referee tells the enemy. [section 9.2]"""
    game = masume.load("battleship", allow_resign=False, **fields)
    sides, compared = game.config.sides, 0
    for seed in range(3):
        state = game.new_state(seed)
        known = [Knowledge(game.config.public(), player) for player in range(game.num_players)]
        policy = Rng(seed)
        for _ in range(150):
            if state.is_terminal():
                break
            legal = state.legal_actions()
            state.apply(int(legal[policy.below(len(legal))]))
            views = [state.views(player) for player in range(game.num_players)]
            for player, enemy in itertools.permutations(range(game.num_players), 2):
                if sides[player] != sides[enemy]:
                    told = as_told_to(enemy, known[player], views[player])
                    about = [view for view in told if view[2] == player]
                    assert about == [view for view in views[enemy] if view[2] == player]
                    compared += len(about)
            for player, told in enumerate(views):
                known[player].hear(told)
    assert compared > 200
