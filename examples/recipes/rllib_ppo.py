"""PPO with action masks in RLlib: python rllib_ppo.py [iterations]. RLlib wants one flat box and the mask beside it."""

import sys

import gymnasium
import numpy as np
import ray
from gymnasium import spaces
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule
from ray.tune.registry import register_env

from masume.envs.gymnasium import Env


class Flat(gymnasium.Env):
    """The fields of the observation as one vector, with the mask of `info` in the observation."""

    def __init__(self, config):
        self.env = Env("chaser", opponents="random", observe=("ready", "scalars"), **config)
        self.action_space = self.env.action_space
        low, high = (np.concatenate([np.ravel(box) for box in self._bounds(side)]) for side in ("low", "high"))
        mask = spaces.Box(0.0, 1.0, (self.action_space.n,), np.float32)
        observations = spaces.Box(low.astype(np.float32), high.astype(np.float32))
        self.observation_space = spaces.Dict({"action_mask": mask, "observations": observations})

    def _bounds(self, side):
        return (getattr(box, side) for box in self.env.observation_space.values())

    def reset(self, *, seed=None, options=None):
        return self._flat(*self.env.reset(seed=seed))

    def step(self, action):
        observation, reward, terminated, truncated, info = self.env.step(action)
        observation, _ = self._flat(observation, info)
        return observation, reward, terminated, truncated, {}

    def _flat(self, observation, info):
        vector = np.concatenate([np.ravel(field) for field in observation.values()], dtype=np.float32)
        return {"action_mask": info["action_mask"].astype(np.float32), "observations": vector}, {}


ray.init(num_cpus=1, include_dashboard=False)
register_env("chaser", Flat)
config = (
    PPOConfig()
    .environment("chaser", env_config={"width": 7, "height": 7, "n_blocks": 4, "n_items": 6})
    .env_runners(num_env_runners=0, num_envs_per_env_runner=8)
    .training(train_batch_size_per_learner=512, minibatch_size=128, num_epochs=4, lr=1e-3)
    .rl_module(rl_module_spec=RLModuleSpec(module_class=ActionMaskingTorchRLModule))
    .debugging(seed=1)
)
algorithm = config.build_algo()
for iteration in range(int(sys.argv[1] if len(sys.argv) > 1 else 50)):
    told = algorithm.train()["env_runners"]
    print(
        iteration, f"{told['num_env_steps_sampled_lifetime']:.0f} steps, mean result {told['episode_return_mean']:.3f}"
    )
algorithm.stop()
