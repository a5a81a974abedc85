"""Forms of planes in the environments, and the policies of a game as opponents inside the batch."""

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import masume
from masume.agents.make import make_agent
from masume.envs import pettingzoo
from masume.envs.gymnasium import Env, VectorEnv
from masume.errors import ConfigError
from masume.planes import expand

SMALL = {"width": 9, "height": 7, "n_blocks": 4, "n_items": 6, "turn_limit": 12}


@pytest.mark.parametrize("dtype", ["uint8", "bits", "float16", "bfloat16"])
@pytest.mark.parametrize(
    ("name", "fields"), [("chaser", SMALL), ("kakomimasu", {"width": 6, "height": 6, "n_agents": 2})]
)
@pytest.mark.parametrize("opponents", [None, "random"])
def test_environments_have_the_forms(name, fields, dtype, opponents):
    options = {"opponents": opponents, **fields}
    plain, packed = (VectorEnv(name, 4, dtype=form, **options) for form in ("float32", dtype))
    plain.reset(seed=3)
    observation, info = packed.reset(seed=3)
    for _ in range(20):
        assert packed.observation_space.contains(observation)
        if dtype in ("uint8", "bits"):
            found = expand(np.ascontiguousarray(observation["planes"]), packed.batch.plane_specs["planes"])
            assert found.tobytes() == plain._observation()["planes"].tobytes()
        actions = info["action_mask"].argmax(axis=-1)
        plain.step(actions)
        observation, _, _, _, info = packed.step(actions)


def test_a_crop_reaches_every_environment():
    env = Env("chaser", dtype="uint8", crop=11, opponents="random", **SMALL)
    check_env(env, skip_render_check=True)
    assert env.reset(seed=1)[0]["planes"].shape == (7, 11, 11)
    for make in (pettingzoo.env, pettingzoo.parallel_env):
        env = make("chaser", dtype="bits", crop=(5, 7), **SMALL)
        env.reset(seed=1)
        space = env.observation_space("player_0")["observation"]["planes"]
        assert space.shape == masume.load("chaser").plane_spec(dtype="bits", crop=(5, 7)).array_shape
        assert env.state_space.contains(env.state())
    with pytest.raises(ConfigError, match="crop: expected an observed field that can be cropped"):
        pettingzoo.env("chaser", crop=11, observe=["scalars"])


@pytest.mark.parametrize(
    ("name", "policy", "fields"),
    [
        ("chaser", "forager", SMALL),
        ("kakomimasu", "greedy", {"width": 6, "height": 6, "n_agents": 2, "total_turns": 10}),
        ("terraforming", "settler", {}),
        ("battleship", "gunner", {}),
    ],
)
def test_policies_inside_the_batch_play_as_agents_do(name, policy, fields):
    """The same seeds give the same games: asked by the batch, on any number of threads, or one by one as agents."""
    game = masume.load(name, **fields)
    policy = policy if policy in game.policies else game.policies[-1]

    class Wrapped:
        """The same policy, which the batch cannot ask."""

        def __init__(self):
            self.name, self.agent = policy, make_agent(policy, game)

        def __getattr__(self, name):
            return getattr(self.agent, name)

    envs = [VectorEnv(game, 6, opponents=policy, player=None, threads=threads) for threads in (1, 2)]
    envs.append(VectorEnv(game, 6, opponents=Wrapped, player=None))
    blind = VectorEnv(game, 6, opponents=policy, player=None, observe=())
    assert [env._opponents.asks for env in (envs[0], blind, envs[2])] == [False, False, True]
    found = [env.reset(seed=8) for env in envs]
    blind.reset(seed=8)
    for _ in range(60):
        actions = found[0][1]["action_mask"].argmax(axis=-1)
        found = [env.step(actions) for env in envs]
        blind.step(actions)
        assert blind.batch.states.tobytes() == envs[0].batch.states.tobytes()
        for other in found[1:]:
            for array, same in zip(found[0][:4], other[:4], strict=True):
                for key in array if isinstance(array, dict) else [...]:
                    assert np.array_equal(array[key], same[key])
            assert np.array_equal(found[0][4]["action_mask"], other[4]["action_mask"])
        found = [(one[0], one[4]) for one in found]
    assert envs[0].batch.states.tobytes() == envs[1].batch.states.tobytes() == envs[2].batch.states.tobytes()


def test_bad_policies_are_named():
    game = masume.load("chaser", **SMALL)
    batch, generators = game.batch(3), np.zeros((3, 2), np.uint64)
    most = len(game.policies) - 1
    with pytest.raises(ValueError, match=rf"policies: expected 0..{most}, got 0..{most + 1}"):
        batch.choose_actions(np.array([[0, 0], [0, 0], [0, most + 1]], np.int8), generators)
    with pytest.raises(ValueError, match=r"policies: .*int8.*\[3, 2\]"):
        batch.choose_actions(np.zeros(3, np.int8), generators)
    with pytest.raises(ValueError, match=r"generators: .*uint64.*\[3, 2\]"):
        batch.choose_actions(np.zeros((3, 2), np.int8), np.zeros(3))
    with pytest.raises(ValueError, match="policies: the batch keeps nothing"):
        game.batch(3, observe=None).choose_actions(np.zeros((3, 2), np.int8), generators)
