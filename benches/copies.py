"""What `copy=True` costs: time of a step of `VectorEnv` as a multiple of that with `copy=False`, by game and planes.

    python benches/copies.py [--rounds 41] [--opponents random]

In each round both take the same number of steps, in turn, in CPU time of one thread; a figure is the median of the
rounds' quotients. The caller keeps the last two observations, as off-policy scripts do. Actions are random codes, made
before. In brackets stands the floor: what the step would take if the arrays of a second block of memory were merely
filled in turn with those of the first, instead of the first alone. It is above 1 where caches hold one of them.
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


class Fill:
    """Blocks of arrays as a step writes them, filled in turn."""

    def __init__(self, env: VectorEnv, blocks: int) -> None:
        self.blocks = [[np.empty_like(array) for array in env.batch._shown().values()] for _ in range(blocks)]

    def run(self, steps: int) -> float:
        """Return the CPU time of filling a block for each of some steps, in nanoseconds."""
        began = time.process_time_ns()
        for step in range(steps):
            for array in self.blocks[step % len(self.blocks)]:
                array.fill(0)
        return time.process_time_ns() - began


def measure(game: str, size: int, dtype: str, opponents: str | None, rounds: int) -> tuple[float, float]:
    """Return the median quotient of the times with and without copies, and its floor."""
    options = {"dtype": dtype, "opponents": opponents, "only_changes": False}
    loops = [Loop(VectorEnv(game, size, copy=copies, **options)) for copies in (True, False)]
    fills = [Fill(loops[1].env, blocks) for blocks in (2, 1)]
    taken = max(loop.run(5) for loop in loops) / 5
    steps = max(3, int(ROUND_S * 1e9 / taken))
    quotients, floors = [], []
    for number in range(rounds):
        order = (0, 1) if number % 2 else (1, 0)  # which goes first
        times = {k: loops[k].run(steps) for k in order}
        filled = {k: fills[k].run(steps) for k in order}
        quotients.append(times[0] / times[1])
        floors.append(1 + (filled[0] - filled[1]) / times[1])
    return statistics.median(quotients), statistics.median(floors)


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
            "{:.2f} ({:.2f})".format(*measure(game, size, dtype, arguments.opponents, arguments.rounds))
            for size in SIZES
            for dtype in DTYPES
        ]
        print(f"| {game} | {' | '.join(row)} |", flush=True)


if __name__ == "__main__":
    main()
