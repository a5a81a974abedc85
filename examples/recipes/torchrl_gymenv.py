"""A masked policy gradient in TorchRL against random play, through GymEnv: python torchrl_gymenv.py [rollouts]"""

import sys

import torch
from tensordict.nn import TensorDictModule
from torch import nn
from torchrl.envs import GymEnv
from torchrl.envs.libs.gym import default_info_dict_reader

import masume.envs.gymnasium  # noqa: F401  registers the ids

torch.manual_seed(1)
size = {"width": 7, "height": 7, "n_blocks": 4, "n_items": 6}
env = GymEnv(
    "masume/Chaser-v0", opponents="random", observe=("ready", "scalars"), categorical_action_encoding=True, **size
)
env.set_info_dict_reader(default_info_dict_reader(["action_mask"]))
env.set_seed(1)


class Actor(nn.Module):
    """Logits of the legal codes."""

    def __init__(self, width, actions):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(width, 64), nn.Tanh(), nn.Linear(64, actions))

    def forward(self, ready, scalars, mask):
        logits = self.layers(torch.cat([ready.float(), scalars.float() / 100], dim=-1))
        logits = logits.masked_fill(mask == 0, -torch.inf)
        return torch.distributions.Categorical(logits=logits).sample(), logits


actor = Actor(9 + 5, env.action_spec.space.n)
policy = TensorDictModule(actor, in_keys=["ready", "scalars", "action_mask"], out_keys=["action", "logits"])
optimizer = torch.optim.Adam(actor.parameters(), lr=1e-3)
for _ in range(int(sys.argv[1] if len(sys.argv) > 1 else 20)):
    with torch.no_grad():
        rollout = env.rollout(200, policy)
    logits = policy(rollout.clone())["logits"]
    taken = torch.distributions.Categorical(logits=logits).log_prob(rollout["action"])
    result = rollout["next", "reward"].sum()
    loss = -(taken.mean() * result)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    assert loss.isfinite()
    print(len(rollout), float(result), round(float(loss.detach()), 4))
