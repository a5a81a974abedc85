"""What Nezumi's benches are about."""

from __future__ import annotations

import functools
from typing import Any

from .. import _bench
from ..batch import Batch
from ..game import load
from ..workload import Case, Gate, Midgame, Work, Workload

WORKLOAD = Workload(
    title="granary (12x15, 10 mice), actions 65 to 96 of games between all agents",
    fields={"stage": "granary"},
    first=64,
    playouts={"granary": {"stage": "granary"}, "garden": {"stage": "garden"}},
    gates={
        "turn/batch": Gate(40),
        "round/batch": Gate(300),
        "call/batch": Gate(600),
        "playout garden/batch": Gate(14 * 125),  # 8 M turns/s, 14 in a game
        "search garden by its playouts": Gate(1.5),
        "state": Gate(128),
    },
)

ROUNDS_STAGE = "\n".join(
    ["nezumi-stage 1", "name: rounds", "max_mice: 16", "require: 16", "turns: 9999", "map:"]
    + 2 * ["Z" * 12] + 8 * ["." * 12] + ["#####.######", "#####C######", ""]
)  # fmt: skip
"""A field for 16 mice, and a cat that cannot be surrounded."""


def cases() -> list[Case]:
    """Rounds."""
    return [Case("round/batch", "round", "batch", _round_batch, counted=True, game="nezumi")]


def _round_batch(play: Midgame) -> Work:
    """Turns of 16 mice that move at random and of a cat that passes."""
    batch = Batch(load("nezumi", stage=ROUNDS_STAGE), 256, seed=play.seed, observe=None, masks=False)
    game: Any = batch.game
    played = []
    begun: list[Any] = []
    for step in range(300):
        if step == 200:
            begun = [game.state_from_bytes(row.tobytes()) for row in batch.states]
        batch.sample_actions()
        batch.actions[batch.current_player == 0] = game.num_actions - 6
        if step >= 200:
            played.append(batch.actions.copy())
        batch.step()
    after = batch.states.tobytes()
    rounds = int(batch.states["turn"].sum()) - sum(state.turn for state in begun)

    def run() -> None:
        for actions in played:
            batch.step(actions)

    def check() -> None:
        assert batch.states.tobytes() == after
        assert batch.states["on_board"].mean() > 15

    return Work(run, rounds, check, functools.partial(_bench.load, batch, begun))
