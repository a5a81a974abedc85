"""EnvPool's CartPole on one thread, to compare with the vector environments of environments.py."""

import envpool
import numpy as np

from masume.bench import Case, Midgame, Work

from .environments import CALLS, N


def cases() -> list[Case]:
    return [Case("vector step/EnvPool's CartPole", "step", "peers", cart_pole)]


def cart_pole(_: Midgame) -> Work:
    pool = envpool.make("CartPole-v1", env_type="gymnasium", num_envs=N, num_threads=1)
    pool.reset()
    actions = np.zeros(N, np.int32)

    def run() -> None:
        for _ in range(CALLS):
            pool.step(actions)

    def check() -> None:
        assert pool.step(actions)[1].shape == (N,)

    return Work(run, N * CALLS, check, threaded=True)
