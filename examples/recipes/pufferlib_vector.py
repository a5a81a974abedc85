"""Self-play in PufferLib 2.0, two processes that write into its buffers: python pufferlib_vector.py [rounds]"""

import sys

import gymnasium
import numpy as np
import pufferlib.environment
import pufferlib.vector

import masume


class Chaser(pufferlib.environment.PufferEnv):
    """64 games with one agent each; a step is a ply of the player to move, who gets the reward."""

    def __init__(self, buf=None):
        game = masume.load("chaser")
        shape, dtype = game.observation_spec["planes"]
        self.single_observation_space = gymnasium.spaces.Box(0, 1, shape, dtype)
        self.single_action_space = gymnasium.spaces.Discrete(game.num_actions)
        self.num_agents = 64
        super().__init__(buf)
        own = {"planes": self.observations, "terminated": self.terminals}
        self.batch = game.batch(64, observe=("planes",), masks=True, buffers=own, on_illegal="fallback")

    def reset(self, seed=0):
        self.batch.reset(seed[0] if isinstance(seed, list) else seed or 0)
        return self.observations, []

    def step(self, actions):
        mover = self.batch.current_player.astype(np.intp)
        self.batch.step(np.ascontiguousarray(actions, np.int32))
        self.rewards[:] = self.batch.rewards[np.arange(64), np.maximum(mover, 0)]
        return self.observations, self.rewards, self.terminals, self.truncations, []

    def close(self):
        pass


if __name__ == "__main__":
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    rng = np.random.default_rng(1)
    env = pufferlib.vector.make(Chaser, backend=pufferlib.vector.Multiprocessing, num_envs=2, num_workers=2)
    env.reset(seed=1)
    for number in range(rounds):
        ends = 0
        for _ in range(100):
            observations, rewards, terminals, _, _ = env.step(rng.integers(0, 16, 128))
            ends += int(terminals.sum())
        print(f"round {number}: {observations.shape}, {ends} games ended, mean {observations.mean():.4f}")
    env.close()
