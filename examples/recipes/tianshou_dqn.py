"""DQN with masks in Tianshou, against random play: python tianshou_dqn.py [epochs]"""

import sys

import gymnasium
import numpy as np
import torch
from tianshou.algorithm.modelfree.dqn import DQN, DiscreteQLearningPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv
from tianshou.trainer import OffPolicyTrainerParams
from tianshou.utils.net.common import Net

import masume.envs.gymnasium  # noqa: F401  registers the ids

N, SIZE = 8, {"width": 7, "height": 7, "n_blocks": 4, "n_items": 6}


class Masked(gymnasium.Wrapper):
    """The fields as one flat vector `obs`, with the legal codes as `mask`, by which Tianshou chooses."""

    def __init__(self, env):
        super().__init__(env)
        fields = gymnasium.spaces.flatten_space(env.observation_space)
        mask = gymnasium.spaces.MultiBinary(int(env.action_space.n))
        self.observation_space = gymnasium.spaces.Dict({"obs": fields, "mask": mask})

    def flatten(self, seen, info):
        flat = gymnasium.spaces.flatten(self.env.observation_space, seen)
        return {"obs": np.float32(flat), "mask": info["action_mask"].astype(bool)}

    def reset(self, **options):
        return self.flatten(*self.env.reset(**options)), {}

    def step(self, action):
        seen, *result, info = self.env.step(action)
        return self.flatten(seen, info), *result, {}


def make():
    return Masked(gymnasium.make("masume/Chaser-v0", opponents="random", observe=("ready", "scalars"), **SIZE))


torch.manual_seed(1)
np.random.seed(1)
one, training, testing = make(), DummyVectorEnv([make] * N), DummyVectorEnv([make] * N)
training.seed(1)
testing.seed(100)
model = Net(state_shape=one.observation_space["obs"].shape, action_shape=one.action_space.n, hidden_sizes=[64, 64])
policy = DiscreteQLearningPolicy(model=model, action_space=one.action_space, eps_training=0.1)
algorithm = DQN(policy=policy, optim=AdamOptimizerFactory(lr=1e-3), gamma=0.95, target_update_freq=200)
collectors = Collector(algorithm, training, VectorReplayBuffer(20_000, N)), Collector(algorithm, testing)
plan = OffPolicyTrainerParams(
    training_collector=collectors[0], test_collector=collectors[1], test_step_num_episodes=50, show_progress=False,
    max_epochs=int([*sys.argv, 10][1]), epoch_num_steps=1000, collection_step_num_env_steps=64,
    update_step_num_gradient_steps_per_sample=0.1, verbose=False,
)  # fmt: skip
result = algorithm.run_training(plan)
print(f"{result.train_episode} games against random\nbest mean result of 50: {result.best_reward:.3f}")
