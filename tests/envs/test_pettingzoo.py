"""PettingZoo's own tests, and comparisons of the environments with States."""

import functools
import importlib.metadata
import re
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import masume
from masume.core.rng import Rng, stream

pytest.importorskip("pettingzoo", reason="the extra `envs` is not installed")

import pettingzoo as library
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, seed_test
from pettingzoo.test.state_test import state_test

from masume.envs import common, pettingzoo

# PettingZoo warns that an observation is a dict of dicts
pytestmark = pytest.mark.filterwarnings(
    "ignore:Observation (is not a NumPy|numpy array is all zeros|has more than 3)",
    "ignore:Observation space for each agent probably should be",
    "ignore:The observation contains negative numbers",
)


@pytest.mark.parametrize("kind", [pettingzoo.raw_env, pettingzoo.env])
def test_api(name, config, kind, capsys):
    api_test(kind(name, **config), num_cycles=100)
    assert "Passed API test" in capsys.readouterr().out


@pytest.mark.filterwarnings("ignore:.*illegal", "ignore:State numpy array is all zeros")
def test_state(name, config):
    """PettingZoo's test of `state()`; it holds every player's view."""
    state_test(pettingzoo.env(name, **config), pettingzoo.parallel_env(name, **config))
    env = pettingzoo.raw_env(name, observe=("scalars",), **config)
    env.reset(seed=1)
    views = [env.observe(agent)["observation"]["scalars"] for agent in env.possible_agents]
    assert np.array_equal(env.state(), np.concatenate(views).astype(np.float32))


@pytest.mark.skipif(not hasattr(library, "make"), reason="PettingZoo has ids since 1.27")
def test_ids(name, config):
    env = library.make("aec", f"masume/{name}_v0", **config)
    assert isinstance(env.unwrapped, pettingzoo.raw_env)
    assert isinstance(library.make("parallel", f"masume/{name}_v0", **config), pettingzoo.parallel_env)


def test_pictures(name, config):
    for kind in (pettingzoo.env, pettingzoo.parallel_env):
        env = kind(name, render_mode="rgb_array", **config)
        env.reset(seed=1)
        assert env.render().shape[2] == 3


def draw_masked(env, observations, agent):
    """Return a random action, as the parallel test draws it since 1.27; before, it knew no masks of several slots."""
    return env.action_space(agent).sample(mask=observations[agent]["action_mask"])


def test_parallel_api(name, config, capsys, monkeypatch):
    if importlib.metadata.version("pettingzoo") < "1.27":
        monkeypatch.setattr("pettingzoo.test.parallel_test.sample_action", draw_masked)
    parallel_api_test(pettingzoo.parallel_env(name, **config), num_cycles=100)
    assert "Passed Parallel API test" in capsys.readouterr().out


def test_seed(name, config):
    seed_test(functools.partial(pettingzoo.env, name, **config), num_cycles=50)


@pytest.mark.filterwarnings("ignore:.*illegal")
def test_parallel_seed(name, config):
    parallel_seed_test(functools.partial(pettingzoo.parallel_env, name, **config), num_cycles=50)


def neutral(game):
    """Return the mask of a slot that nobody decides."""
    return np.arange(game.num_actions) == game.new_state().fallback()


def draw(mask, rng):
    legal = np.flatnonzero(mask)
    return int(legal[rng.below(len(legal))])


def test_players_are_asked_slot_after_slot(game):
    """The AEC game equals the State: players asked, masks, views, codes chosen so far, and returns at the end."""
    env = pettingzoo.raw_env(game, render_mode="ansi")
    env.reset(seed=6)
    state = game.new_state(Rng(stream(6, 0)).next() >> 1)
    rng, gained = Rng(1), dict.fromkeys(env.agents, 0.0)
    while not state.is_terminal():
        codes = []
        for slot, player in enumerate(state.slots):
            assert env.agent_selection == f"player_{player}"
            assert env.render() == str(state)
            for other, agent in enumerate(env.possible_agents):
                seen = env.observe(agent)
                expected = state.observation(other)
                for field, array in seen["observation"].items():
                    assert np.array_equal(array, expected[field])
                mask = state.legal_mask(slot) if other == player else neutral(game)
                assert np.array_equal(seen["action_mask"], mask)
                if game.num_slots > 1:
                    own = [code for code, owner in zip(codes, state.slots, strict=False) if owner == other]
                    assert seen["chosen"].tolist() == own + [-1] * (game.num_slots // game.num_players - len(own))
            codes.append(draw(state.legal_mask(slot), rng))
            env.step(np.int64(codes[-1]))
            for agent in env.agents:
                gained[agent] += env.rewards[agent]
        state.apply(codes if game.num_slots > 1 else state.decode(codes[0]))
    assert list(gained.values()) == state.returns().tolist()
    assert all(env.terminations.values())
    for agent in env.agent_iter():
        assert env.last()[1] == gained[agent]
        env.step(None)
    assert env.agents == []


def test_parallel_plays_the_movers_action(game):
    env = pettingzoo.parallel_env(game)
    observations, _ = env.reset(seed=6)
    state = game.new_state(Rng(stream(6, 0)).next() >> 1)
    rng = Rng(1)
    while env.agents:
        codes = [draw(state.legal_mask(slot), rng) for slot in range(len(state.slots))]
        actions = dict.fromkeys(env.agents, 0)
        for player, agent in enumerate(env.agents):
            own = np.flatnonzero(state.slots == player)
            masks = observations[agent]["action_mask"]
            if game.is_simultaneous:
                actions[agent] = np.array(codes)[own]
                assert np.array_equal(masks, [state.legal_mask(int(slot)) for slot in own])
            elif len(own):
                actions[agent] = codes[0]
                assert np.array_equal(masks, state.legal_mask())
            else:
                assert np.array_equal(masks, neutral(game))
        state.apply(codes if game.num_slots > 1 else state.decode(codes[0]))
        observations, rewards, terminations, truncations, infos = env.step(actions)
        assert list(rewards.values()) == state.returns().tolist()
        assert set(terminations.values()) == {state.is_terminal()}
        assert not any(truncations.values())
        for player, agent in enumerate(env.possible_agents):
            assert infos[agent] == {}
            for field, array in observations[agent]["observation"].items():
                assert np.array_equal(array, state.observation(player)[field])
    with pytest.raises(masume.GameOverError, match="reset"):
        env.step({})


def test_parallel_puts_the_neutral_action_in_the_place_of_an_illegal_one(game):
    env = pettingzoo.parallel_env(game, render_mode="ansi")
    env.reset(seed=2)
    state = game.new_state(Rng(stream(2, 0)).next() >> 1)
    own = game.num_slots // game.num_players
    illegal = {agent: [game.num_actions] * own if game.is_simultaneous else game.num_actions for agent in env.agents}
    codes = [state.fallback(slot) for slot in range(len(state.slots))]
    state.apply(codes if game.num_slots > 1 else state.decode(codes[0]))
    env.step(illegal)
    assert env.render() == str(state)


@pytest.mark.parametrize("name", ["battleship", "kakomimasu", "nezumi", "terraforming"])  # CHaser: all legal
def test_an_illegal_action_ends_the_game_of_env_and_not_of_raw_env(game):
    env = pettingzoo.env(game)
    env.reset(seed=1)
    mover = env.agent_selection
    illegal = int(np.argmin(env.last()[0]["action_mask"]))
    env.step(illegal)
    assert all(env.terminations.values())
    assert env.unwrapped.rewards[mover] == -1
    raw = pettingzoo.raw_env(game)
    raw.reset(seed=1)
    before = str(raw._turns.state)
    with pytest.raises(masume.IllegalActionError, match=f"code {illegal}"):
        raw.step(illegal)
    assert (str(raw._turns.state), raw.agent_selection) == (before, mover)


def test_games_without_a_seed_differ(game):
    seeds = set()
    for _ in range(2):
        env = pettingzoo.raw_env(game)
        env.reset()
        seeds.add(env._table._rng.state)
        env.reset()
        seeds.add(env._table._rng.state)
    assert len(seeds) == 4


def test_bad_options_are_named():
    for option in ({"observe": ("nothing",)}, {"render_mode": "human"}, {"widht": 4}):
        for kind in (pettingzoo.env, pettingzoo.raw_env, pettingzoo.parallel_env):
            with pytest.raises(masume.ConfigError, match=next(iter(option))):
                kind("chaser", **option)


@pytest.mark.parametrize(
    ("name", "actions", "message"),
    [
        ("chaser", None, "actions: expected a dict with an action of player_0, got None"),
        ("chaser", {"player_1": 0}, "actions: expected a dict with an action of player_0, got {'player_1': 0}"),
        ("chaser", {"player_0": "x"}, "actions['player_0']: expected a code, got 'x'"),
        ("chaser", {"player_0": 1.5}, "actions['player_0']: expected a code, got 1.5"),
        ("kakomimasu", {"player_0": 0}, "actions['player_0']: expected 8 codes, one for each slot, got 0"),
        ("kakomimasu", {"player_0": [0]}, "actions['player_0']: expected 8 codes, one for each slot, got [0]"),
    ],
)
def test_actions_that_are_none_are_named(name, actions, message):
    env = pettingzoo.parallel_env(name)
    env.reset(seed=1)
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        env.step(actions)


def test_a_view_of_nobody_is_named():
    env = pettingzoo.raw_env("chaser")
    env.reset(seed=1)
    with pytest.raises(ValueError, match="agent: expected one of player_0, player_1, got 'nobody'"):
        env.observe("nobody")


@pytest.mark.parametrize("make", [pettingzoo.env, pettingzoo.raw_env, pettingzoo.parallel_env])
def test_calls_before_reset_are_pettingzoos_errors(game, make):
    env = make(game, render_mode="ansi")
    action = {} if make is pettingzoo.parallel_env else 0
    for name, arguments in (("step", (action,)), ("state", ()), ("render", ()), ("observe", ("player_0",))):
        if hasattr(env, name):
            with pytest.raises(AssertionError, match=rf"^reset\(\) needs to be called before {name}\.$"):
                getattr(env, name)(*arguments)
    if make is pettingzoo.env:
        for call in (env.last, lambda: env.agent_selection):
            with pytest.raises(AttributeError, match="agent_selection cannot be accessed before reset"):
                call()


def test_a_step_beyond_the_end_is_refused(game, caplog):
    """PettingZoo's wrapper warns, and every other environment raises; a player whose game is over has no action."""
    env, raw = pettingzoo.env(game), pettingzoo.raw_env(game)
    for one in (env, raw):
        one.reset(seed=1)
        while not one.terminations[one.agent_selection]:
            one.step(int(one.observe(one.agent_selection)["action_mask"].argmax()))
        with pytest.raises(ValueError, match="the only valid action is None"):
            one.step(0)
        while one.agents:
            one.step(None)
    with pytest.raises(masume.GameOverError, match=r"^the game is over: 0 cannot be played; reset\(\)"):
        raw.step(0)
    env.step(0)
    assert "step() called after all agents are terminated" in caplog.text


def test_actions_outside_the_space_are_named(game):
    env, raw = pettingzoo.env(game), pettingzoo.raw_env(game)
    for one in (env, raw):
        one.reset(seed=1)
    for action in (game.num_actions, -1, "x", None, np.zeros(2, np.int64)):
        message = f"action is not in action space: expected one of Discrete({game.num_actions}), got {action!r:.100}"
        with pytest.raises(AssertionError, match=f"^{re.escape(message)}$"):
            env.step(action)
    with pytest.raises(masume.IllegalActionError, match=f"code {game.num_actions} of slot 0"):
        raw.step(game.num_actions)
    with pytest.raises(TypeError, match="'str'"):
        raw.step("x")


@pytest.mark.parametrize("make", [pettingzoo.raw_env, pettingzoo.parallel_env])
def test_a_second_thread_is_refused_and_the_first_goes_on(make, monkeypatch):
    env = make("chaser")
    env.reset(seed=1)
    inside, go_on = threading.Event(), threading.Event()
    apply_codes = common.apply_codes

    def wait(*arguments):
        inside.set()
        assert go_on.wait(60)
        apply_codes(*arguments)

    for module in (common, pettingzoo):
        monkeypatch.setattr(module, "apply_codes", wait)
    action = {"player_0": 0} if make is pettingzoo.parallel_env else 0
    with ThreadPoolExecutor(1) as pool:
        step = pool.submit(env.step, action)
        assert inside.wait(60)
        try:
            for call in (lambda: env.step(action), env.reset):
                with pytest.raises(RuntimeError, match="another thread is inside the environment"):
                    call()
        finally:
            go_on.set()
        step.result(60)
    assert env.observe("player_1") if make is pettingzoo.raw_env else env.agents
