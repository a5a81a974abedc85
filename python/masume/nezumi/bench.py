"""Workloads of the Nezumi benchmarks."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..batch import Batch
from ..bench import _loops
from ..bench.workload import Case, Gate, Growth, Midgame, Work, Workload
from ..game import load

WORKLOAD = Workload(
    title="granary (15x12, 10 mice), actions 65 to 96 of games between all agents",
    checksum=0x328560E2,
    fields={"stage": "granary"},
    first=64,
    playouts={"granary": {"stage": "granary"}, "garden": {"stage": "garden"}},
    gates={
        "turn/batch": Gate(40),
        "turn/state": Gate(60),
        "round/batch": Gate(110),
        "clone/state": Gate(90),
        "call/batch": Gate(200),
        "batch beyond the turn": Gate(8),
        "playout garden/batch": Gate(14 * 125),  # 8 M turns/s, 14 in a game
        "search garden by its playouts": Gate(1.5),
        "state": Gate(192),
    },
)


def field(side: int, mice: int) -> dict[str, Any]:
    """Return the config fields of an empty field, with one exit at the bottom and the cat behind it."""
    last = "#" * (side // 2 - 1) + "{}" + "#" * (side - side // 2)
    rows = 2 * ["Z" * side] + (side - 4) * ["." * side] + [last.format("."), last.format("C")]
    lines = ["nezumi-stage 1", "name: field", f"max_mice: {mice}", f"require: {mice}", "turns: 50", "map:", *rows, ""]
    return {"stage": "\n".join(lines)}


GROWTH = Growth("side", (8, 12, 20, 32), "mice", (1, 4, 16, 64), field)

ROUNDS_STAGE = "\n".join(
    ["nezumi-stage 1", "name: rounds", "max_mice: 16", "require: 16", "turns: 9999", "map:"]
    + 2 * ["Z" * 12] + 8 * ["." * 12] + ["#####.######", "#####C######", ""]
)  # fmt: skip
"""A field for 16 mice and a cat that cannot be surrounded."""


def cases() -> list[Case]:
    """Return the cases of this game: rounds of a batch."""
    return [Case("round/batch", "round", "batch", _round_batch, counted=True, game="nezumi")]


@functools.cache
def _rounds_game() -> Any:
    return load("nezumi", stage=ROUNDS_STAGE)


class Rounds:
    """Turns of 16 mice that move at random and a cat that passes: 100 recorded steps of a batch, others for each set.

    begun : State of each row before the steps. actions : int32[rows, 1] for each step. after : bytes of all rows after
    the steps. rounds : number of turns begun during the steps.
    """

    def __init__(self, play: Midgame) -> None:
        game: Any = _rounds_game()
        self.batch = Batch(game, 256, seed=play.seed + play.chosen, observe=None, masks=False)
        for _ in range(200):
            self._step()
        self.begun: list[Any] = [self.batch.state(i) for i in range(len(self.batch))]
        self.actions = [self._step() for _ in range(100)]
        self.after = self.batch.states.tobytes()
        self.rounds = int(self.batch.states["turn"].sum()) - sum(state.turn for state in self.begun)

    def _step(self) -> NDArray[np.int32]:
        """Play one step and return its actions."""
        self.batch.sample_actions()
        self.batch.actions[self.batch.current_player == 0] = self.batch.game.num_actions - 6
        played = self.batch.actions.copy()
        self.batch.step()
        return played


def _round_batch(play: Midgame) -> Work:
    each = play.each(lambda: Rounds(play))
    batch, rounds = each().batch, each().rounds

    def run() -> None:
        for actions in each().actions:
            batch.step(actions)

    def check() -> None:
        assert batch.states.tobytes() == each().after
        assert batch.states["on_board"].mean() > 15

    return Work(run, rounds, check, lambda: _loops.load(batch, each().begun), choose=play.choose)
