"""PPO in one file, in the style of CleanRL, on VectorEnv: python cleanrl_ppo.py [steps]"""

import sys

import numpy as np
import torch
from torch import nn

from masume.envs.gymnasium import VectorEnv

N, T = 64, 32
env = VectorEnv("chaser", N, opponents="random", autoreset_mode="SameStep", observe=("ready", "scalars"))
num_actions = int(env.single_action_space.n)
torch.manual_seed(1)


def flatten(observation):
    """Return the fields of the observation as one float32 row per env."""
    parts = [array.reshape(N, -1).astype(np.float32) for array in observation.values()]
    return torch.from_numpy(np.concatenate(parts, axis=1) / 100)


observation, info = env.reset(seed=1)
width = flatten(observation).shape[1]
body = nn.Sequential(nn.Linear(width, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, num_actions + 1))
optimizer = torch.optim.Adam(body.parameters(), lr=1e-3)


def policy(seen, mask):
    out = body(seen)
    logits = out[..., :-1].masked_fill(mask == 0, -torch.inf)  # no mask is empty, so that no row is NaN
    return torch.distributions.Categorical(logits=logits), out[..., -1]


for _ in range(int(sys.argv[1] if len(sys.argv) > 1 else 200_000) // (N * T)):
    steps = []
    with torch.no_grad():
        for _ in range(T):
            seen, mask = flatten(observation), torch.from_numpy(info["action_mask"])
            weights, value = policy(seen, mask)
            actions = weights.sample()
            observation, reward, ended, _, info = env.step(actions.numpy())
            done = torch.from_numpy(ended.astype(np.float32))
            steps.append((seen, mask, actions, weights.log_prob(actions), value, torch.from_numpy(reward), done))
        after = policy(flatten(observation), torch.from_numpy(info["action_mask"]))[1]
        seen, mask, actions, before, value, reward, done = map(torch.stack, zip(*steps, strict=True))
        advantage, last = torch.zeros_like(reward), 0.0
        for t in reversed(range(T)):
            delta = reward[t] + 0.99 * (1 - done[t]) * after - value[t]
            last = advantage[t] = delta + 0.99 * 0.95 * (1 - done[t]) * last
            after = value[t]
    for _ in range(4):
        weights, now = policy(seen, mask)
        ratio, gain = (weights.log_prob(actions) - before).exp(), advantage / (advantage.std() + 1e-8)
        loss = -torch.min(ratio * gain, ratio.clamp(0.8, 1.2) * gain) + 0.5 * (now - advantage - value) ** 2
        optimizer.zero_grad()
        (loss.mean() - 0.01 * weights.entropy().mean()).backward()
        optimizer.step()
    print(env.batch.stats()["games"], round(float(loss.detach().mean()), 4))
