"""A learner's step against random play: Stable-Baselines3's vector environment beside Gymnasium's."""

from typing import Any

import masume.envs.sb3
from masume.bench import Case, Midgame, Work
from masume.envs.gymnasium import VectorEnv

from .environments import CALLS, N, case, vector


def cases() -> list[Case]:
    return [
        case("learner's step/masume for Gymnasium", lambda play: vector(gymnasium(play))),
        case("learner's step/masume for Gymnasium, copy=False", lambda play: vector(gymnasium(play, copy=False))),
        case("learner's step/masume for Stable-Baselines3", baselines),
    ]


def gymnasium(play: Midgame, **options: Any) -> VectorEnv:
    return VectorEnv(play.game, N, autoreset_mode="SameStep", opponents="random", only_changes=False, **options)


def baselines(play: Midgame) -> Work:
    env, plain = masume.envs.sb3.VecEnv(play.game, N), gymnasium(play)
    env.reset()
    plain.action_space.seed(1)
    actions = [plain.action_space.sample() for _ in range(CALLS)]
    last: list[Any] = []

    def run() -> None:
        for codes in actions:
            last[:] = env.step(codes)

    def check() -> None:
        assert [len(told) for told in last[1:]] == [N] * 3

    return Work(run, N * CALLS, check)
