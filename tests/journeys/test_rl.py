"""The RL user: environments by Gymnasium's own ways into a replay buffer, a checkpoint, a copy, a film."""

import pytest

REPLAY = """
import sys
import gymnasium, numpy
import masume.envs.gymnasium

small = {"width": 9, "height": 7, "n_blocks": 4, "n_items": 6, "turn_limit": 6, "opponents": "greedy"}

def collect(**how):
    env = gymnasium.make_vec("masume/Chaser-v0", num_envs=4, **how, **small)
    assert isinstance(env.metadata["autoreset_mode"], gymnasium.vector.AutoresetMode)
    observation, info = env.reset(seed=[11, 12, 13, 11])
    buffer, rng = [], numpy.random.default_rng(1)
    for _ in range(60):
        noise = rng.random(info["action_mask"].shape)
        actions = (info["action_mask"] * (1 + noise)).argmax(axis=1)
        following, reward, terminated, truncated, info = env.step(actions)
        buffer.append((observation, actions, reward, following, terminated, info["action_mask"]))
        observation = following
    env.close()
    return buffer

own, separate = collect(), collect(vectorization_mode="sync")
moved = sum(not numpy.array_equal(a["planes"], b["planes"]) for a, _, _, b, _, _ in own)
ends = sum(step[4].sum() for step in own)
for step, (one, other) in enumerate(zip(own, separate)):
    for its, twin in zip(one, other):
        pairs = [(its[name], twin[name]) for name in its] if isinstance(its, dict) else [(its, twin)]
        for a, b in pairs:
            if not numpy.array_equal(a, b):
                sys.exit(f"step {step} is another in a separate environment")
print(f"{len(own)} steps, {moved} of them moved, {ends} games ended")
"""

BEGIN = """
import copy, pickle
import gymnasium
import masume.envs.gymnasium
from masume.envs import pettingzoo
from going_on import go_on

small = {"stage": "garden", "turns": 8}
envs = {
    "vector": gymnasium.make_vec("masume/Nezumi-v0", num_envs=3, opponents="alphabeta:200", player=None, **small),
    "single": gymnasium.make("masume/Nezumi-v0", opponents="random", **small),
    "turns": pettingzoo.env("nezumi", **small),
    "parallel": pettingzoo.parallel_env("nezumi", **small),
}
for name, env in envs.items():
    env.reset(seed=3)
    go_on(env, 5)
with open("checkpoint.pkl", "wb") as file:
    pickle.dump(envs, file)
copies = copy.deepcopy(envs)
for name, env in envs.items():
    told = go_on(env, 30)
    assert go_on(copies[name], 30) == told, name
    print(name, told)
"""

GO_ON = """
import hashlib, numpy

def go_on(env, steps):
    seen, rng = hashlib.sha256(), numpy.random.default_rng(5)

    def choose(mask):
        return (mask * (1 + rng.random(mask.shape))).argmax(axis=-1)

    def add(given):
        for value in given.values() if isinstance(given, dict) else [given]:
            add(value) if isinstance(value, dict) else seen.update(numpy.asarray(value).tobytes())

    if hasattr(env, "last"):
        for _ in range(steps):
            observation, reward, over, *_ = env.last()
            add(observation)
            env.reset() if over else env.step(choose(observation["action_mask"]))
    elif hasattr(env, "possible_agents"):
        observations = None
        for _ in range(steps):
            if not env.agents:
                env.reset()
            observations, *_ = env.step({agent: rng.integers(env.action_space(agent).n) for agent in env.agents})
            add(observations)
    else:
        mask = env.unwrapped.action_masks() if hasattr(env.unwrapped, "action_masks") else None
        for _ in range(steps):
            if mask is None:
                action = rng.integers(0, env.single_action_space.n, env.num_envs)
            else:
                action = choose(mask)
            observation, reward, over, _, info = env.step(action)
            add(observation)
            add(reward)
            if mask is not None:
                if over:
                    _, info = env.reset()
                mask = info["action_mask"]
    return seen.hexdigest()[:12]
"""

RESUME = """
import pickle
import masume.envs.gymnasium
from going_on import go_on

with open("checkpoint.pkl", "rb") as file:
    for name, env in pickle.load(file).items():
        print(name, go_on(env, 30))
"""

FILM = """
import gymnasium
import masume.envs.gymnasium

env = gymnasium.make("masume/Nezumi-v0", stage="garden", turns=3, opponents="random", render_mode="rgb_array")
with gymnasium.wrappers.RecordVideo(env, "films", episode_trigger=lambda number: True) as film:
    for seed in (1, 2):
        _, info = film.reset(seed=seed)
        over = False
        while not over:
            _, _, over, _, info = film.step(int(info["action_mask"].argmax()))
"""

PROCESSES = """
import gymnasium, numpy
import masume.envs.gymnasium
from stable_baselines3.common.vec_env import DummyVecEnv, SubprocVecEnv

def make():
    return gymnasium.make("masume/Nezumi-v0", stage="garden", turns=4, opponents="greedy")

if __name__ == "__main__":
    found = []
    for kind in (SubprocVecEnv, DummyVecEnv):
        env = kind([make] * 2)
        env.seed(5)
        steps = [env.reset()]
        for _ in range(30):
            masks = numpy.stack(env.env_method("action_masks"))
            steps.append(env.step(masks.argmax(axis=1))[0])
        found.append(steps)
        env.close()
    for one, other in zip(*found):
        assert all(numpy.array_equal(one[name], other[name]) for name in one)
    print("the same in processes")
"""


def test_a_replay_buffer_holds_what_each_step_returned(person):
    """make_vec's environment, a list of seeds, and separate environments: the same transitions, all kept."""
    person.write("replay.py", REPLAY)
    shown, _ = person.run("python", "replay.py")
    steps, moved, ends = (int(word) for word in shown.replace(",", "").split() if word.isdigit())
    assert steps == 60
    assert moved > 50
    assert ends > 4


def test_training_goes_on_from_a_checkpoint_the_next_day(person):
    """Environments in a pickle play on in another process as they did in the first one, and so do deep copies."""
    person.write("going_on.py", GO_ON)
    person.write("begin.py", BEGIN)
    person.write("resume.py", RESUME)
    first, _ = person.run("python", "begin.py")
    again, _ = person.run("python", "resume.py")
    assert again == first
    assert len(first.splitlines()) == 4


@pytest.mark.slow
@pytest.mark.parametrize("commands", ["checkout"], indirect=True)
def test_games_are_filmed(person):
    person.write("film.py", FILM)
    person.run("python", "film.py")
    films = sorted((person.folder / "films").glob("*.mp4"))
    assert [film.name for film in films] == ["rl-video-episode-0.mp4", "rl-video-episode-1.mp4"]
    assert all(film.stat().st_size > 1000 for film in films)


@pytest.mark.slow
@pytest.mark.parametrize("commands", ["checkout"], indirect=True)
def test_environments_in_processes_play_as_in_one(person):
    person.write("processes.py", PROCESSES)
    shown, _ = person.run("python", "processes.py")
    assert "the same in processes" in shown
