"""A Batch inside the PufferLib protocol: it writes into the trainer's buffers, without copies.

PufferLib itself is not needed: `PufferEnv` below is a stand-in that treats buffers as the real one does.
"""

from types import SimpleNamespace

import numpy as np
import pytest

import masume


class PufferEnv:
    """Flat arrays with a row for each agent: the trainer's (`buf`), or its own without `buf`."""

    def __init__(self, buf=None):
        for name in ("single_observation_space", "single_action_space", "num_agents"):
            assert hasattr(self, name), f"{name} must be there before the base class is initialised"
        space, n = self.single_observation_space, self.num_agents
        self.observations = buf.observations if buf else np.zeros((n, *space.shape), space.dtype)
        self.rewards = buf.rewards if buf else np.zeros(n, np.float32)
        self.terminals = buf.terminals if buf else np.zeros(n, np.bool_)
        self.truncations = buf.truncations if buf else np.zeros(n, np.bool_)
        self.masks = buf.masks if buf else np.ones(n, np.bool_)


class Puffer(PufferEnv):
    """`size` games with one agent per game: each step is a ply of the player to move (self-play)."""

    def __init__(self, game, size, field, buf=None):
        shape, dtype = game.observation_spec[field]
        self.single_observation_space = SimpleNamespace(shape=shape, dtype=dtype)
        self.single_action_space = SimpleNamespace(n=game.num_actions)
        self.num_agents = size
        super().__init__(buf)
        own = {field: self.observations, "terminated": self.terminals}
        self.batch = game.batch(size, observe=(field,), buffers=own, on_illegal="fallback")
        self.rows = np.arange(size)

    def reset(self, seed=0):
        self.batch.reset(seed)
        return self.observations, []

    def step(self, actions):
        mover = self.batch.current_player.astype(np.intp)
        self.batch.step(actions)
        self.rewards[:] = self.batch.rewards[self.rows, mover]
        return self.observations, self.rewards, self.terminals, self.truncations, [self.batch.stats()]


@pytest.fixture
def name():
    return "chaser"


def test_a_batch_writes_into_the_trainers_buffers(game):
    n, field = 16, "planes"
    shape, dtype = game.observation_spec[field]
    store = np.full((3, n, *shape), 7, dtype)  # the trainer's shared memory, of which the env uses the middle
    buf = SimpleNamespace(
        observations=store[1],
        rewards=np.zeros(n, np.float32),
        terminals=np.zeros(n, np.bool_),
        truncations=np.zeros(n, np.bool_),
        masks=np.ones(n, np.bool_),
    )
    env, twin = Puffer(game, n, field, buf), game.batch(n, observe=(field,))
    observations, _ = env.reset(seed=3)
    twin.reset(3)
    assert observations.base is store
    ends = 0
    for _ in range(100):
        env.batch.sample_actions()
        twin.sample_actions()
        mover = twin.current_player.copy()
        twin.step()
        observations, rewards, terminals, truncations, _ = env.step(env.batch.actions[:, 0].copy())
        assert np.shares_memory(observations, store)
        assert store[1].tobytes() == twin.observations[field].tobytes()
        assert rewards is buf.rewards
        assert np.array_equal(rewards, twin.rewards[np.arange(n), mover])
        assert np.array_equal(terminals, twin.terminated)
        assert not truncations.any()
        ends += terminals.sum()
    assert ends > n
    assert (store[[0, 2]] == 7).all()


def test_simultaneous_games_have_a_row_for_each_player():
    game = masume.load("kakomimasu", width=4, height=3, n_agents=2, total_turns=5)
    n, players = 4, game.num_players
    shape, dtype = game.observation_spec["planes"]
    observations = np.zeros((n * players, *shape), dtype)
    rewards = np.zeros(n * players, np.float32)
    own = {"planes": observations.reshape(n, players, *shape), "rewards": rewards.reshape(n, players)}
    batch, twin = game.batch(n, observe=("planes",), buffers=own), game.batch(n, observe=("planes",))
    for _ in range(5):
        batch.sample_actions()
        twin.sample_actions()
        batch.step()
        twin.step()
        assert observations.tobytes() == twin.observations["planes"].tobytes()
        assert rewards.tobytes() == twin.rewards.tobytes()
    assert rewards.any()
