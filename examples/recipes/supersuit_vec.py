"""Self-play of many games as one vector environment by SuperSuit: python supersuit_vec.py [steps]"""

import sys

import numpy as np
import supersuit

from masume.envs import pettingzoo

size = {"width": 7, "height": 7, "n_blocks": 4, "n_items": 6}
one = pettingzoo.parallel_env("chaser", observe=("ready", "scalars"), **size)
games = supersuit.pettingzoo_env_to_vec_env_v1(one)
envs = supersuit.concat_vec_envs_v1(games, 4, num_cpus=0, base_class="gymnasium")
observation, infos = envs.reset(seed=1)
rng = np.random.default_rng(1)
total = np.zeros(envs.num_envs)
for step in range(int(sys.argv[1] if len(sys.argv) > 1 else 200)):
    mask = observation["action_mask"]
    actions = (rng.random(mask.shape) * mask).argmax(axis=-1)
    observation, rewards, terminations, truncations, infos = envs.step(actions)
    total += rewards
    print(step, rewards.tolist())
print("sum of results", total.tolist())
