"""What a step costs in the RL libraries' own terms: masume's adapters beside the libraries' own environments.

    pip install 'masume[envs,openspiel]' pygame envpool
    python benches/peers/environments.py [--rounds 15]

Every case runs once in each round, so that whatever else the machine does hits all of them; the table has the medians
of the thread's CPU time (EnvPool works in threads of its own: the process's). Ratios are taken within a round.
Cases whose packages are absent are left out, by name.
"""

import argparse
import statistics
import time

import gymnasium
import numpy as np

import masume
from masume.envs import openspiel, pettingzoo
from masume.envs.gymnasium import Env, VectorEnv
from masume.rng import Rng

N = 1024
SMALL_VIEWS = ("ready", "scalars")  # 29 bytes a view instead of 67 kB
SMALL = {"width": 6, "height": 6, "n_agents": 2, "total_turns": 20}  # Kakomimasu


class Empty(gymnasium.Env):
    """Nothing to do: what is left is the vector environment around it."""

    observation_space = gymnasium.spaces.Box(0, 1, (4,), np.float32)
    action_space = gymnasium.spaces.Discrete(16)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return np.zeros(4, np.float32), {}

    def step(self, action):
        return np.zeros(4, np.float32), 0.0, False, False, {}


def batch_case(calls=4, autoreset="next_step", **options):
    """Batch.step of 1,024 games of CHaser, which start anew when they end."""
    batch = masume.load("chaser").batch(N, seed=1, autoreset=autoreset, **options)
    chosen = [np.random.default_rng(k).integers(0, 16, N).astype(np.int32) for k in range(calls)]
    return lambda: [batch.step(actions) for actions in chosen] and N * calls


def vector_case(env, calls=4):
    """env.step of a vector environment whose actions are all allowed."""
    env.reset(seed=1)
    limit = int(env.single_action_space.n)
    chosen = [np.random.default_rng(k).integers(0, limit, env.num_envs) for k in range(calls)]
    return lambda: [env.step(actions) for actions in chosen] and env.num_envs * calls


def env_case(env, steps=200):
    """env.step of a single environment whose actions are all allowed, and env.reset where it ends."""
    env.reset(seed=1)
    chosen = np.random.default_rng(1).integers(0, env.action_space.n, steps).tolist()

    def run():
        for action in chosen:
            if env.step(action)[2]:
                env.reset()
        return steps

    return run


def aec_case(env, steps=200):
    """last() and step() of a PettingZoo game, a random legal action each time; a new game where one ends."""
    rng = Rng(1)
    env.reset(seed=1)

    def run():
        for _ in range(steps):
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.reset()
                observation = env.last()[0]
            legal = np.flatnonzero(observation["action_mask"])
            env.step(int(legal[rng.below(len(legal))]))
        return steps

    return run


def spiel_case(game, steps=200):
    """legal_actions() and apply_action() of an OpenSpiel game, without observations; a new game where one ends."""
    rng, state = Rng(1), [game.new_initial_state()]

    def run():
        for _ in range(steps):
            if state[0].is_terminal():
                state[0] = game.new_initial_state()
            legal = state[0].legal_actions()
            state[0].apply_action(legal[rng.below(len(legal))])
        return steps

    return run


def peers():
    """The cases of packages that may be absent: (name, function, clock)."""
    import envpool
    import open_spiel.python.games  # noqa: F401  (registers them)
    import pyspiel
    from gymnasium.envs.classic_control.cartpole import CartPoleVectorEnv
    from pettingzoo.classic import connect_four_v3, tictactoe_v3

    pool = envpool.make("CartPole-v1", env_type="gymnasium", num_envs=N, num_threads=1)
    pool.reset()
    actions = np.zeros(N, np.int32)
    yield "EnvPool CartPole, 1 thread", lambda: [pool.step(actions) for _ in range(4)] and 4 * N, time.process_time
    yield "Gymnasium's NumPy CartPoleVectorEnv", vector_case(CartPoleVectorEnv(N)), time.thread_time
    yield "PettingZoo's tictactoe, env", aec_case(tictactoe_v3.env()), time.thread_time
    yield "PettingZoo's connect_four, env", aec_case(connect_four_v3.env()), time.thread_time
    yield "OpenSpiel's python_tic_tac_toe", spiel_case(pyspiel.load_game("python_tic_tac_toe")), time.thread_time
    yield "OpenSpiel's tic_tac_toe (C++)", spiel_case(pyspiel.load_game("tic_tac_toe")), time.thread_time


def own():
    """masume's cases and what Gymnasium's vector environment adds: (name, function, clock)."""
    found = {
        "Batch.step, next step": batch_case(),
        "VectorEnv.step, next step": vector_case(VectorEnv("chaser", N)),
        "Batch.step, same step": batch_case(autoreset="same_step"),
        "VectorEnv.step, same step": vector_case(VectorEnv("chaser", N, autoreset_mode="SameStep")),
        "Batch.step, next step, small views": batch_case(40, observe=SMALL_VIEWS),
        "VectorEnv.step, next step, small views": vector_case(VectorEnv("chaser", N, observe=SMALL_VIEWS), 40),
        "Env.step": env_case(Env("chaser")),
        "Gymnasium's SyncVectorEnv, empty envs": vector_case(gymnasium.vector.SyncVectorEnv([Empty] * N)),
        "pettingzoo.env, chaser": aec_case(pettingzoo.env("chaser")),
        "pettingzoo.env, kakomimasu 6x6": aec_case(pettingzoo.env("kakomimasu", **SMALL)),
        "openspiel, chaser": spiel_case(openspiel.load_game("chaser", starts=1)),
        "openspiel, kakomimasu 6x6": spiel_case(openspiel.load_game("kakomimasu", starts=1, **SMALL)),
    }
    return [(name, run, time.thread_time) for name, run in found.items()]


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=15)
    arguments = parser.parse_args()
    cases = own()
    try:
        cases += peers()
    except ImportError as error:
        print(f"left out: {error}")
    spent = {name: [] for name, _, _ in cases}
    for _ in range(arguments.rounds + 1):
        for name, run, clock in cases:
            begun = clock()
            units = run()
            spent[name].append((clock() - begun) / units * 1e9)
    for name, times in spent.items():
        print(f"| {name} | {statistics.median(times[1:]):,.0f} |")
    for name in spent:
        base = name.replace("VectorEnv", "Batch")
        if name != base and base in spent:
            ratios = [a / b for a, b in zip(spent[name][1:], spent[base][1:], strict=True)]
            print(f"{name}: {statistics.median(ratios):.3f} x {base}")


if __name__ == "__main__":
    main()
