"""Masked rollouts and a policy gradient in TorchRL, in self-play: python torchrl_rollout.py [rollouts]"""

import sys

import torch
from tensordict.nn import TensorDictModule
from torch import nn
from torchrl.envs import PettingZooWrapper

from masume.envs import pettingzoo

torch.manual_seed(1)
game = pettingzoo.parallel_env("chaser", observe=("ready", "scalars"), width=7, height=7, n_blocks=4, n_items=6)
env = PettingZooWrapper(game, return_state=False, use_mask=True, group_map={"both": ["player_0", "player_1"]})


class Actor(nn.Module):
    """Logits of every player, from its own fields; the mask of a player who waits offers the neutral code alone."""

    def __init__(self, width, actions):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(width, 64), nn.Tanh(), nn.Linear(64, actions))

    def forward(self, ready, scalars, mask):
        logits = self.layers(torch.cat([ready.float(), scalars.float() / 100], dim=-1))
        logits = logits.masked_fill(~mask, -torch.inf)
        return torch.distributions.Categorical(logits=logits).sample(), logits


inside = ("both", "observation", "observation")
names = [(*inside, "ready"), (*inside, "scalars"), ("both", "action_mask")]
actions = env.full_action_spec["both", "action"].space.n
actor = Actor(9 + 5, actions)
policy = TensorDictModule(actor, in_keys=names, out_keys=[("both", "action"), ("both", "logits")])
optimizer = torch.optim.Adam(actor.parameters(), lr=1e-3)
for _ in range(int(sys.argv[1] if len(sys.argv) > 1 else 20)):
    with torch.no_grad():
        rollout = env.rollout(400, policy)
    told = policy(rollout.clone())["both", "logits"]
    taken = torch.distributions.Categorical(logits=told).log_prob(rollout["both", "action"])
    result = rollout["next", "both", "reward"].sum(dim=0)  # of each player, at the end
    loss = -(taken * result.squeeze(-1)).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    assert loss.isfinite()
    print(len(rollout), result.flatten().tolist(), round(float(loss.detach()), 4))
