"""Gymnasium's wrappers around masume's environments: python gymnasium_wrappers.py [games]"""

import sys
import tempfile
from pathlib import Path

import gymnasium
import numpy as np
from gymnasium.wrappers import (
    FilterObservation,
    FlattenObservation,
    FrameStackObservation,
    MaxAndSkipObservation,
    RecordEpisodeStatistics,
    RecordVideo,
    TransformObservation,
)

import masume.envs.gymnasium  # noqa: F401  registers the ids

games = int([*sys.argv, 3][1])
films = Path(tempfile.mkdtemp())
env = gymnasium.make("masume/Nezumi-v0", opponents="random", stage="garden", turns=8, render_mode="rgb_array")
env = RecordVideo(env, str(films), episode_trigger=lambda _: True)
env = FlattenObservation(FilterObservation(env, ("planes", "scalars")))  # one vector
env = MaxAndSkipObservation(env, skip=2)  # an action that has become illegal is replaced by the neutral one
env = FrameStackObservation(env, 4)
env = RecordEpisodeStatistics(env)
print("flat, skipped, stacked:", env.observation_space.shape)
for game in range(games):
    seen, info = env.reset(seed=game)
    over = False
    while not over:
        assert env.observation_space.contains(seen)
        action = env.action_space.sample(mask=info["action_mask"])
        seen, reward, over, _, info = env.step(action)
    print("return and length:", round(float(info["episode"]["r"]), 3), info["episode"]["l"])
env.close()
print("films:", len(list(films.glob("*.mp4"))))

env = gymnasium.make("masume/Nezumi-v0", opponents="random", stage="garden", observe=("planes",), dtype="uint8")
box = env.observation_space["planes"]
env = FrameStackObservation(TransformObservation(env, lambda seen: seen["planes"], box), 4)  # pictures, as from Atari
many = gymnasium.make_vec("masume/Nezumi-v0", num_envs=8, opponents="random", stage="garden")
many = gymnasium.wrappers.vector.RecordEpisodeStatistics(gymnasium.wrappers.vector.FlattenObservation(many))
seen, info = many.reset(seed=1)
ends = 0
for _ in range(200):
    seen, reward, ended, _, info = many.step(many.action_space.sample(mask=tuple(info["action_mask"])))
    ends += int(np.count_nonzero(ended))
print("planes of bytes, stacked:", env.reset(seed=1)[0].shape, env.reset(seed=1)[0].dtype)
print("vectors, flat:", seen.shape, "games:", ends, "mean return:", np.mean(many.return_queue).round(3))
