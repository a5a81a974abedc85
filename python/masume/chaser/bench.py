"""Workloads of Chaser's benches."""

from __future__ import annotations

import functools
from typing import Any

from ..bench.workload import Case, Gate, Growth, Midgame, Work, Workload, same

WORKLOAD = Workload(
    title="17x15, methods 25 to 56 of games between all agents that last so long",
    checksum=0xD3ACBC9D,
    fields={},
    first=24,
    playouts={"17x15": {}, "5x5": {"height": 5, "width": 5, "n_blocks": 2, "n_items": 3, "turn_limit": 10}},
    gates={
        "turn/table": Gate(35),
        "turn/batch": Gate(43),
        "turn/state, warm": Gate(80),
        "clone/state": Gate(90),
        "call/batch": Gate(200),
        "batch beyond the turn": Gate(8),
        "resample/state": Gate(20_000),
        "playout 17x15/batch": Gate(16 * 1000 / 25),  # 25 M methods/s, 16 in a game
        "search 17x15 by its playouts": Gate(1.5),
        "state": Gate(192),
    },
)


def even(number: float) -> int:
    """Return the nearest even number."""
    return 2 * round(number / 2)


GROWTH = Growth(
    "side", (5, 9, 17, 33, 64), "blocks, % of the cells", (0, 8, 16),
    lambda side, share: {
        "width": side, "height": side,
        "n_blocks": even(side * side * share / 100), "n_items": even(side * side / 5),
    },
)  # fmt: skip


def cases() -> list[Case]:
    """Return the case of a turn whose memory is in the cache."""
    return [Case("turn/state, warm", "turn", "state", _warm, counted=True, game="chaser")]


def _warm(play: Midgame) -> Work:
    """Time looks and searches of both players, in one game."""
    state: Any = play.game.new_state()
    start = play.states[0]
    actions = [4 + k % 8 for k in range(160)]

    def run() -> None:
        for action in actions:
            state.apply(action)

    def check() -> None:
        assert same(play.in_reference(state), state)
        assert state.history == start.history + actions

    return Work(run, len(actions), check, functools.partial(state.copy_from, start))
