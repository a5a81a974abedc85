"""The cost of a step through RL libraries: masume's adapters compared with the libraries' own environments.

Every step is random. "vector step" is one of 1,024 environments that restart when they end; "single step" and
"random step" are those of one environment, the latter with the choice of a legal action.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pyspiel
from gymnasium.envs.classic_control.cartpole import CartPoleVectorEnv

from masume.bench import Case, Midgame, Work
from masume.core.rng import Rng
from masume.envs import openspiel
from masume.envs import pettingzoo as adapter
from masume.envs.gymnasium import Env, VectorEnv

N = 1024
CALLS = 4
STEPS = 200
ANY_ID = "masume/Chaser-v0"  # makes any game that it is given
SMALL_VIEWS = ("ready", "scalars")  # of CHaser: 29 bytes per view instead of 67 kB


class Empty(gymnasium.Env):
    """Environment that does nothing, to measure the vector environment around it."""

    observation_space = gymnasium.spaces.Box(0, 1, (4,), np.float32)
    action_space = gymnasium.spaces.Discrete(16)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return np.zeros(4, np.float32), {}

    def step(self, action):
        return np.zeros(4, np.float32), 0.0, False, False, {}


def cases() -> list[Case]:
    return [
        case("vector step/masume's Batch", batch),
        case("vector step/masume for Gymnasium", lambda play: vector(VectorEnv(play.game, N))),
        case("vector step/Gymnasium's CartPole in NumPy", lambda _: vector(CartPoleVectorEnv(N))),
        case(
            "vector step/Gymnasium's SyncVectorEnv of nothing",
            lambda _: vector(gymnasium.vector.SyncVectorEnv([Empty] * N)),
        ),
        case("vector step small/masume's Batch", lambda play: batch(play, observe=SMALL_VIEWS), "chaser"),
        case(
            "vector step small/masume for Gymnasium",
            lambda play: vector(VectorEnv(play.game, N, observe=SMALL_VIEWS)),
            "chaser",
        ),
        case("vector step, same step/masume's Batch", lambda play: batch(play, autoreset="same_step"), "chaser"),
        case(
            "vector step, same step/masume for Gymnasium",
            lambda play: vector(VectorEnv(play.game, N, autoreset_mode="SameStep")),
            "chaser",
        ),
        case("vector step/masume for Gymnasium, copy=False", lambda play: vector(VectorEnv(play.game, N, copy=False))),
        case("single step/masume for Gymnasium", lambda play: single(Env(play.game))),
        case("single step/masume by gymnasium.make", lambda play: single(gymnasium.make(ANY_ID, game=play.game))),
        case("single step/Gymnasium's CartPole, by make", lambda _: single(gymnasium.make("CartPole-v1"))),
        case("random step/masume for PettingZoo", lambda play: turns(adapter.env(play.game))),
        case("random step/masume for OpenSpiel", lambda play: spiel(openspiel.load_game(play.game, starts=1))),
        case("random step/OpenSpiel's tic_tac_toe (C++)", lambda _: spiel(pyspiel.load_game("tic_tac_toe"))),
        case("random step/OpenSpiel's connect_four (C++)", lambda _: spiel(pyspiel.load_game("connect_four"))),
    ]


def case(name: str, make: Callable[[Midgame], Work], game: str | None = None) -> Case:
    return Case(name, "step", "peers", make, game=game)


def batch(play: Midgame, autoreset: str = "next_step", **options: Any) -> Work:
    """Measure Batch.step."""
    batch = play.game.batch(N, seed=1, autoreset=autoreset, on_illegal="fallback", **options)
    actions = [np.random.default_rng(k).integers(0, play.game.num_actions, batch.actions.shape) for k in range(CALLS)]
    actions = [codes.astype(np.int32) for codes in actions]
    before = batch.states.tobytes()

    def run() -> None:
        for codes in actions:
            batch.step(codes)

    def check() -> None:
        assert batch.states.tobytes() != before

    return Work(run, N * CALLS, check)


def vector(env: Any) -> Work:
    """Measure the step of a vector environment."""
    env.reset(seed=1)
    env.action_space.seed(1)
    actions = [env.action_space.sample() for _ in range(CALLS)]
    last: list[Any] = []

    def run() -> None:
        for codes in actions:
            last[:] = env.step(codes)

    def check() -> None:
        assert [np.shape(told) for told in last[1:4]] == [(N,)] * 3

    return Work(run, N * CALLS, check)


def single(env: Any) -> Work:
    """Measure the step of one environment, with a reset when it ends."""
    env.reset(seed=1)
    env.action_space.seed(1)
    actions = [env.action_space.sample() for _ in range(STEPS)]
    steps = [0]

    def run() -> None:
        for action in actions:
            if env.step(action)[2]:
                env.reset()
            steps[0] += 1

    def check() -> None:
        assert steps[0] % STEPS == 0 < steps[0]

    return Work(run, STEPS, check)


def turns(env: Any) -> Work:
    """Measure last() and step() of a PettingZoo game, with random legal actions; a new game starts when one ends."""
    rng = Rng(1)
    env.reset(seed=1)
    played: list[int] = []

    def run() -> None:
        played.clear()
        for _ in range(STEPS):
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.reset()
                observation = env.last()[0]
            legal = np.flatnonzero(observation["action_mask"])
            played.append(int(legal[rng.below(len(legal))]))
            env.step(played[-1])

    def check() -> None:
        assert len(played) == STEPS
        assert len(set(played)) > 1

    return Work(run, STEPS, check)


def spiel(game: Any) -> Work:
    """Measure legal actions and their application in an OpenSpiel game, without observations; games restart."""
    rng, state = Rng(1), [game.new_initial_state()]
    played: list[int] = []

    def run() -> None:
        played.clear()
        for _ in range(STEPS):
            if state[0].is_terminal():
                state[0] = game.new_initial_state()
            if state[0].is_simultaneous_node():
                both = [state[0].legal_actions(player) for player in range(game.num_players())]
                joint = [legal[rng.below(len(legal))] for legal in both]
                played.append(joint[0])
                state[0].apply_actions(joint)
            else:
                legal = state[0].legal_actions()
                played.append(legal[rng.below(len(legal))])
                state[0].apply_action(played[-1])

    def check() -> None:
        assert len(played) == STEPS
        assert len(set(played)) > 1

    return Work(run, STEPS, check)
