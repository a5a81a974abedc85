"""What `copy=True` costs: time of a step of `VectorEnv` as a multiple of that with `copy=False`, by game and planes.

    python benches/copies.py [--rounds 41] [--opponents random]

In each round both take the same number of steps, in turn, in CPU time of one thread; a figure is the median of the
rounds' quotients. The caller keeps the last two observations, as off-policy scripts do. Actions are random codes, made
before.
"""

from __future__ import annotations

import argparse
import statistics
import time

import numpy as np

import masume
from masume.envs.gymnasium import VectorEnv

SIZES = (64, 1024)
DTYPES = ("float32", "uint8", "bits")
ROUND_S = 0.02  # a side takes at least this long in each round


class Loop:
    """A vector environment that is stepped, with the observations that its caller keeps."""

    def __init__(self, env: VectorEnv) -> None:
        self.env = env
        self.observation, _ = env.reset(seed=1)
        self.actions = [env.action_space.sample() for _ in range(16)]
        self.count = 0

    def run(self, steps: int) -> float:
        """Return the CPU time of some steps, in nanoseconds."""
        began = time.process_time_ns()
        for _ in range(steps):
            following, *_ = self.env.step(self.actions[self.count % len(self.actions)])
            self.observation = following
            self.count += 1
        return time.process_time_ns() - began


def measure(game: str, size: int, dtype: str, opponents: str | None, rounds: int) -> float:
    """Return the median quotient of the times with and without copies."""
    options = {"dtype": dtype, "opponents": opponents, "only_changes": False}
    loops = [Loop(VectorEnv(game, size, copy=copies, **options)) for copies in (True, False)]
    taken = max(loop.run(5) for loop in loops) / 5
    steps = max(3, int(ROUND_S * 1e9 / taken))
    found = []
    for number in range(rounds):
        first = number % 2  # which goes first
        times = {k: loops[k].run(steps) for k in (first, 1 - first)}
        found.append(times[0] / times[1])
    return statistics.median(found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=41)
    parser.add_argument("--opponents", default=None)
    arguments = parser.parse_args()
    np.random.seed(1)
    print(f"| game | {' | '.join(f'{dtype}, {size}' for size in SIZES for dtype in DTYPES)} |")
    print(f"|---|{'---:|' * len(SIZES) * len(DTYPES)}")
    for game in masume.games():
        row = [
            f"{measure(game, size, dtype, arguments.opponents, arguments.rounds):.2f}"
            for size in SIZES
            for dtype in DTYPES
        ]
        print(f"| {game} | {' | '.join(row)} |", flush=True)


if __name__ == "__main__":
    main()
