"""The VecEnv of Stable-Baselines3 gives the steps of its DummyVecEnv around Env, and SB3's algorithms learn on it."""

import copy
import pickle

import numpy as np
import pytest

import masume
from masume.core.rng import Rng

pytest.importorskip("stable_baselines3", reason="the extra `sb3` is not installed")
pytestmark = pytest.mark.slow

from gymnasium import error  # noqa: E402
from stable_baselines3 import A2C  # noqa: E402
from stable_baselines3.common.vec_env import DummyVecEnv, VecMonitor  # noqa: E402

from masume.envs.gymnasium import Env, VectorEnv  # noqa: E402
from masume.envs.sb3 import VecEnv  # noqa: E402


def test_a_step_is_that_of_vector_env(game):
    """Observations, rewards, ends and last observations equal those of VectorEnv, and stay as they were."""
    n, rng, ends = 4, Rng(1), 0
    env = VecEnv(game, n, opponents="random", player=0)
    env.seed(5)
    observation = env.reset()
    vector = VectorEnv(game, n, autoreset_mode="SameStep", opponents="random")
    vector.reset(seed=5)
    for _ in range(100):
        masks = env.action_masks().reshape(n, -1, game.num_actions)
        codes = [[int(np.flatnonzero(row)[rng.below(int(row.sum()))]) for row in rows] for rows in masks]
        actions = np.array(codes) if game.is_simultaneous else np.array(codes)[:, 0]
        kept = {name: array.copy() for name, array in observation.items()}
        new, rewards, dones, infos = env.step(actions)
        for name, array in kept.items():
            assert np.array_equal(array, observation[name])  # a step leaves the last observation as it was
        expected, gained, ended, _, info = vector.step(actions)
        for name, array in expected.items():
            assert np.array_equal(new[name], array)
        assert np.array_equal(rewards, gained)
        assert np.array_equal(dones, ended)
        for i in range(n):
            assert bool(infos[i]) == bool(dones[i])
            if dones[i]:
                ends += 1
                assert not infos[i]["TimeLimit.truncated"]
                for name, array in info["final_obs"][i].items():
                    assert np.array_equal(infos[i]["terminal_observation"][name], array)
        observation = new
    assert ends > n


def test_the_first_steps_are_those_of_dummy_vec_env(game):
    """Row i of SB3's own vector environment, seeded with the same game, gives the same first game."""
    env = VecEnv(game, 1, opponents="random")
    dummy = DummyVecEnv([lambda: Env(game, opponents="random")])
    for one in (env, dummy):
        one.seed(7)
    seen, other = env.reset(), dummy.reset()
    done = False
    while not done:
        for name, array in seen.items():
            assert np.array_equal(array, other[name])
        (mask,) = env.env_method("action_masks")
        assert np.array_equal(mask, dummy.env_method("action_masks")[0])
        code = mask.reshape(-1, game.num_actions).argmax(axis=1)
        actions = code[None] if game.is_simultaneous else code
        seen, reward, (done,), (info,) = env.step(actions)
        other, expected, (over,), (its,) = dummy.step(actions)
        assert (reward[0], done) == (expected[0], over)
    for name, array in info["terminal_observation"].items():
        assert np.array_equal(array, its["terminal_observation"][name])


def test_episodes_have_their_sum_and_length(game):
    env = VecMonitor(VecEnv(game, 3, opponents="random"))
    env.reset()
    told = []
    for _ in range(200):
        masks = env.env_method("action_masks")
        codes = np.stack([mask.reshape(-1, game.num_actions).argmax(axis=1) for mask in masks])
        _, _, _, infos = env.step(codes if game.is_simultaneous else codes[:, 0])
        told += [(info["episode"]["r"], info["episode"]["l"]) for info in infos if info]
    assert told
    assert {reward for reward, _ in told} <= {-1.0, -0.5, 0.0, 0.5, 1.0}
    assert all(length > 0 for _, length in told)


def test_a2c_learns_on_it():
    """SB3 trains through its own buffers; the weights move and stay finite."""
    game = masume.load("chaser", width=5, height=5, n_blocks=2, n_items=4, turn_limit=6)
    env = VecEnv(game, 16, opponents="random", observe=("ready", "scalars"))
    model = A2C("MultiInputPolicy", env, n_steps=8, seed=1, device="cpu")
    before = [weights.detach().clone() for weights in model.policy.parameters()]
    model.learn(1_000)
    after = list(model.policy.parameters())
    assert any((one != other).any() for one, other in zip(before, after, strict=True))
    assert all(weights.isfinite().all() for weights in after)
    assert len(model.ep_info_buffer) > 0


def test_maskable_ppo_plays_only_legal_codes():
    contrib = pytest.importorskip("sb3_contrib")
    game = masume.load("nezumi", turns=4)
    env = VecEnv(game, 8, opponents="random", on_illegal="raise")
    model = contrib.MaskablePPO("MultiInputPolicy", env, n_steps=16, batch_size=64, seed=1, device="cpu")
    model.learn(256)
    assert env.vector.batch.stats()["games"] > 0


def test_pictures():
    env = VecEnv("nezumi", 2, render_mode="rgb_array")
    env.reset()
    first, second = env.get_images()
    assert first.shape == second.shape
    assert env.render(mode="rgb_array").shape[1] >= first.shape[1]
    assert VecEnv("nezumi", 2).get_images() == [None, None]


@pytest.mark.parametrize(
    ("option", "value"),
    [("opponents", None), ("opponents", "nobody"), ("autoreset_mode", "Disabled"), ("copy", False), ("widht", 4)],
)
def test_bad_options_are_named(option, value):
    with pytest.raises(masume.ConfigError, match="agents" if value == "nobody" else option):
        VecEnv("chaser", 2, **{option: value})


def test_bad_calls_are_named():
    env = VecEnv("chaser", 2)
    env.reset()
    with pytest.raises(ValueError, match="actions: expected shape"):
        env.step(np.zeros(3, int))
    with pytest.raises(ValueError, match=f"actions: expected int32, got {2**32} in env 1"):
        env.step(np.array([0, 2**32]))
    with pytest.raises(ValueError, match=r"actions: expected shape \(2,\), got \(2, 1\)"):
        env.step(np.zeros((2, 1), int))
    with pytest.raises(AttributeError, match="step_twice"):
        env.env_method("step_twice")
    with pytest.raises(AttributeError, match="game"):
        env.set_attr("game", 1)


def test_calls_out_of_order_are_gymnasiums_errors():
    """As those of SB3's DummyVecEnv, which come from the environments in it."""
    env = VecEnv("chaser", 2)
    with pytest.raises(error.ResetNeeded, match=r"^step: there is no game yet"):
        env.step(np.zeros(2, int))
    env.reset()
    env.close()
    with pytest.raises(error.ClosedEnvironmentError, match=r"^step: the environment is closed"):
        env.step(np.zeros(2, int))


@pytest.mark.parametrize("keeps", [0, 1, 2, 5])
def test_what_a_caller_does_with_infos_stays_with_him(keeps):
    """The infos of a step are its own: others neither show what was written into them nor change."""
    env = VecEnv("nezumi", 4, stage="garden", turns=6)
    env.reset()
    kept = []
    for step in range(30):
        *_, dones, infos = env.step(np.zeros(4, int))
        assert type(infos) is list
        assert [bool(info) for info in infos] == dones.tolist()
        for one in (info for _, old in kept for info in old):
            assert all(one is not info for info in infos)
        for before, old in kept:
            assert [info["mark"] for info in old] == [before] * 4
        for info in infos:
            info["mark"] = step
        kept = [*kept, (step, infos)][-keeps:] if keeps else []


def test_a_copy_plays_on_equally(game):
    env = VecEnv(game, 3, opponents="random")
    env.seed(5)
    env.reset()

    def go_on(env, steps):
        rng, found = Rng(4), []
        for _ in range(steps):
            masks = env.action_masks().reshape(3, -1, game.num_actions)
            codes = [[int(np.flatnonzero(row)[rng.below(int(row.sum()))]) for row in rows] for rows in masks]
            observation, rewards, dones, infos = env.step(np.array(codes) if game.is_simultaneous else np.ravel(codes))
            lengths = [info["episode"]["l"] for info in infos if info]
            seen = [array.tobytes() for array in observation.values()]
            found.append((seen, rewards.tobytes(), dones.tobytes(), lengths))
        return found

    go_on(env, 20)
    twins = [copy.deepcopy(env), pickle.loads(pickle.dumps(env))]
    expected = go_on(env, 60)
    assert all(go_on(twin, 60) == expected for twin in twins)
