"""Env-steps a second that a trainer gets, by game, observation, opponent and interface, beside other libraries'.

    python benches/training.py [--rounds 9]     print the table
    python benches/training.py --page           and write it into docs/rl.md

All cases run in turn in each round, in CPU time of one thread; a figure is the median of the rounds. Actions are random
codes, made before; the neutral action replaces illegal ones. Libraries that are not installed are left out.
"""

from __future__ import annotations

import argparse
import datetime as dt
import os
import platform
import re
import statistics
import time
import warnings
from collections.abc import Callable, Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from gymnasium.envs.classic_control.cartpole import CartPoleVectorEnv

import masume
from masume.core.machine import cpu
from masume.envs.common import camel
from masume.envs.gymnasium import VectorEnv

PAGE = Path(__file__).parents[1] / "docs" / "rl.md"
PART = re.compile(r"(<!-- measured: training -->\n).*?(<!-- end -->)", re.DOTALL)
N = 256
STEPS = 8  # in a measurement
OBSERVATIONS = {"none": (), "scalars": ("scalars",), "planes": ("planes", "scalars")}
PACKAGES = ("numpy", "gymnasium", "stable-baselines3", "envpool", "pgx", "jax", "pufferlib")

SINGLE = {"self-play": None, "random": 0, "the first policy": 1, "the last policy": -1}
"""Opponents of an `Env`: the number of a policy of the game."""

Step = Callable[[], object]


def own() -> Iterator[tuple[tuple[str, str, str], Step]]:
    """Yield ((game, observation, opponent), step)."""
    for game in masume.games():
        native = [name for name in masume.load(game).policies if name != "random"]
        for observation, fields in OBSERVATIONS.items():
            for opponent in (None, "random", *native[:1]):
                env = VectorEnv(game, N, opponents=opponent, observe=fields, copy=False)
                yield (game, observation, opponent or "self-play"), stepping(env)


def interfaces() -> Iterator[tuple[tuple[str, str, str], Step]]:
    """Yield (("", interface, game), step): planes and scalars through each interface, against random play."""
    for game in masume.games():
        for name, number in SINGLE.items():
            opponents = None if number is None else masume.load(game).policies[number]
            env = gymnasium.make(f"masume/{camel(game)}-v0", opponents=opponents)
            yield ("", f"`Env` by `make`, {name}", game), one_by_one(env)
        for copy in (False, True):
            env = VectorEnv(game, N, opponents="random", autoreset_mode="SameStep", copy=copy)
            yield ("", f"`VectorEnv`, `copy={copy}`", game), stepping(env)
        try:
            from masume.envs.sb3 import VecEnv
        except ImportError:
            continue
        yield ("", "SB3's `VecEnv`", game), stepping(VecEnv(game, N), env.action_space)


def one_by_one(env: Any) -> Step:
    """Return a function that steps one environment as often as others step all of theirs, and starts new games.

    The learner plays any legal action; it is chosen before, since the same seed brings the same games.
    """
    actions = []
    _, info = env.reset(seed=1)
    env.action_space.seed(1)
    for _ in range(N * STEPS):
        mask = info["action_mask"].astype(np.int8) if "action_mask" in info else None
        action = env.action_space.sample(mask if mask is None or mask.ndim == 1 else tuple(mask))
        actions.append(action)
        _, _, terminated, truncated, info = env.step(action)
        if terminated or truncated:
            _, info = env.reset()

    def run() -> None:
        env.reset(seed=1)
        for action in actions:
            if any(env.step(action)[2:4]):
                env.reset()

    return run


def stepping(env: Any, space: Any = None) -> Step:
    """Return a function that steps a vector environment."""
    env.reset() if space else env.reset(seed=1)
    space = space or env.action_space
    space.seed(1)
    actions = [space.sample() for _ in range(STEPS)]

    def run() -> None:
        for codes in actions:
            env.step(codes)

    return run


class Nothing(gymnasium.Env):
    """Environment that does nothing."""

    observation_space = gymnasium.spaces.Box(0, 1, (4,), np.float32)
    action_space = gymnasium.spaces.Discrete(16)

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        super().reset(seed=seed)
        return np.zeros(4, np.float32), {}

    def step(self, action: Any) -> Any:
        return np.zeros(4, np.float32), 0.0, False, False, {}


def others() -> Iterator[tuple[str, Step]]:
    """Yield (name, step) of what is installed of other libraries."""
    yield "Gymnasium's `CartPoleVectorEnv` (NumPy)", stepping(CartPoleVectorEnv(N))
    yield "Gymnasium's CartPole by `make`, one game", one_by_one(gymnasium.make("CartPole-v1"))
    yield "Gymnasium's `SyncVectorEnv` of CartPole", stepping(gymnasium.make_vec("CartPole-v1", N, "sync"))
    yield "Gymnasium's `SyncVectorEnv` around nothing", stepping(gymnasium.vector.SyncVectorEnv([Nothing] * N))
    for name, make in (("EnvPool's CartPole (C++)", envpool), ("Pgx's {} (JAX, its choice included)", pgx)):
        try:
            for told, step in make():
                yield name.format(told), step
        except ImportError:
            continue


def envpool() -> Iterator[tuple[str, Step]]:
    import envpool

    env = envpool.make_gymnasium("CartPole-v1", num_envs=N, num_threads=1)
    env.reset()
    actions = [np.random.default_rng(k).integers(0, 2, N) for k in range(STEPS)]

    def run() -> None:
        for codes in actions:
            env.step(codes)

    yield "", run


def pgx() -> Iterator[tuple[str, Step]]:
    import jax
    import pgx
    from pgx.experimental import auto_reset

    for name in ("tic_tac_toe", "connect_four"):
        yield name, _pgx(jax, pgx.make(name), auto_reset)


def _pgx(jax: Any, env: Any, auto_reset: Any) -> Step:
    again = auto_reset(env.step, env.init)

    @jax.jit
    def step(state: Any, key: Any) -> Any:
        key, chosen, started = jax.random.split(key, 3)
        actions = jax.random.categorical(chosen, jax.numpy.where(state.legal_action_mask, 0.0, -jax.numpy.inf))
        return jax.vmap(again)(state, actions, jax.random.split(started, N)), key

    state = jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.PRNGKey(1), N))
    held = [state, jax.random.PRNGKey(2)]

    def run() -> None:
        for _ in range(STEPS):
            held[:] = step(*held)
        jax.block_until_ready(held[0])

    return run


def measure(steps: dict[Any, Step], rounds: int) -> dict[Any, float]:
    """Return {key: env-steps a second of CPU time}: the median of the rounds."""
    taken: dict[Any, list[float]] = {key: [] for key in steps}
    for number in range(rounds + 1):
        for key, step in steps.items():
            before = time.process_time_ns()
            step()
            if number:  # the first round compiles, and fills the caches
                taken[key].append((time.process_time_ns() - before) / (N * STEPS))
    return {key: 1e9 / statistics.median(values) for key, values in taken.items()}


def text(found: dict[Any, float], load: float) -> str:
    """Return the tables, in Markdown."""
    lines = ["| game | opponent | no observation | `scalars` | `planes`, `scalars` |", "|---|---|---:|---:|---:|"]
    for game in masume.games():
        for opponent in dict.fromkeys(key[2] for key in found if key[0] == game):
            row = [told(found[game, observation, opponent]) for observation in OBSERVATIONS]
            lines.append(f"| {game} | {opponent} | {' | '.join(row)} |")
    lines += ["", f"| interface | {' | '.join(masume.games())} |", f"|---|{'---:|' * len(masume.games())}"]
    for interface in dict.fromkeys(key[1] for key in found if key[0] == ""):
        rates = [told(found["", interface, game]) for game in masume.games()]
        lines.append(f"| {interface} | {' | '.join(rates)} |")
    lines += ["", "| another environment | |", "|---|---:|"]
    lines += [f"| {key} | {told(rate)} |" for key, rate in found.items() if isinstance(key, str)]
    versions = ", ".join(f"{name} {found}" for name in PACKAGES if (found := installed(name)))
    machine = f"{cpu()}, load average {load:.0f} on {os.cpu_count()} processors, Python {platform.python_version()}"
    day = dt.datetime.now(dt.UTC).strftime("%Y-%m-%d")
    return "\n".join([*lines, "", f"{day}: {machine}, {versions}.", ""])


def told(rate: float) -> str:
    """Return a rate with two digits."""
    return f"{float(f'{rate:.2g}'):,.0f}"


def installed(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--page", action="store_true", help="write the table into docs/rl.md")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")  # from the other libraries
    load = os.getloadavg()[1]
    found = text(measure({**dict(own()), **dict(interfaces()), **dict(others())}, arguments.rounds), load)
    print(found)
    if arguments.page:
        page = PAGE.read_text("utf-8")
        PAGE.write_text(PART.sub(lambda part: f"{part[1]}{found}{part[2]}", page), "utf-8")


if __name__ == "__main__":
    main()
