"""TorchRL's GymWrapper and PettingZooEnv, masked random rollouts: python torchrl_entrances.py [rollouts]"""

import sys
from types import SimpleNamespace

import gymnasium
import torch
from tensordict.nn import TensorDictModule
from torchrl.envs import GymWrapper, PettingZooEnv
from torchrl.envs.libs.gym import default_info_dict_reader

import masume.envs.gymnasium  # noqa: F401  registers the ids
from masume.envs import pettingzoo

# PettingZooEnv looks a game up in PettingZoo's list, whose import needs the packages of all of PettingZoo's own games.
# With these installed, put it into the `all_environments` of that module.
sys.modules["pettingzoo.utils.all_modules"] = SimpleNamespace(all_environments={"masume": pettingzoo})

FIELDS = {"width": 7, "height": 7, "n_blocks": 4, "n_items": 6, "observe": ("ready", "scalars")}
game = gymnasium.make("masume/Chaser-v0", opponents="random", **FIELDS)
one = GymWrapper(game, categorical_action_encoding=True)
one.set_info_dict_reader(default_info_dict_reader(["action_mask"]))
one.set_seed(1)
options = {"return_state": False, "use_mask": True, "group_map": {"both": ["player_0", "player_1"]}, "seed": 1}
several = {
    name: PettingZooEnv("masume", parallel=name == "parallel", **options, game="chaser", **FIELDS)
    for name in ("parallel", "in turn")
}


def draw(mask):
    """Return a legal code for each mask."""
    return torch.distributions.Categorical(mask.float()).sample()


alone = TensorDictModule(draw, in_keys=["action_mask"], out_keys=["action"])
both = TensorDictModule(draw, in_keys=[("both", "action_mask")], out_keys=[("both", "action")])
torch.manual_seed(1)
for _ in range(int([*sys.argv, 3][1])):
    played = one.rollout(200, alone)
    print("GymWrapper:", len(played), "steps, result", float(played["next", "reward"].sum()))
    for name, env in several.items():
        played = env.rollout(400, both)
        print(f"PettingZooEnv, {name}:", len(played), played["next", "both", "reward"].sum(dim=0).flatten().tolist())
