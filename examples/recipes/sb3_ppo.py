"""MaskablePPO of Stable-Baselines3's contrib against random play: python sb3_ppo.py [updates]"""

import sys

from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy

from masume.envs.sb3 import VecEnv

size = {"width": 7, "height": 7, "n_blocks": 4, "n_items": 6}
envs = VecEnv("chaser", 16, opponents="random", observe=("ready", "scalars"), **size)
model = MaskablePPO("MultiInputPolicy", envs, n_steps=64, batch_size=256, learning_rate=1e-3, seed=1, device="cpu")
for update in range(int(sys.argv[1] if len(sys.argv) > 1 else 20)):
    model.learn(64 * 16, reset_num_timesteps=False)
    mean, _ = evaluate_policy(model, envs, n_eval_episodes=50, warn=False)
    print(update, round(float(mean), 3))
