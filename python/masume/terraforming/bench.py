"""What Terraforming's benches are about."""

from __future__ import annotations

import functools

from ..bench import _loops
from ..bench.workload import Case, Gate, Growth, Midgame, Work, Workload

WORKLOAD = Workload(
    title="radius 6, actions 569 to 600 of games between all agents; a turn is one action",
    checksum=0x371B5864,
    fields={},
    first=568,
    playouts={"radius 6": {"max_turns": 40}, "radius 2": {"radius": 2, "max_turns": 8}},
    gates={
        "turn/table": Gate(180),
        "turn/batch": Gate(188),
        "turn/state": Gate(230),
        "mask/table": Gate(600),
        "clone/state": Gate(90),
        "call/batch": Gate(200),
        "batch beyond the turn": Gate(8),
        "playout radius 6/batch": Gate(425_000),  # 5 M actions/s, 2126 in a game
        "state": Gate(1536),
    },
)

GROWTH = Growth(
    "radius", (2, 4, 6, 8, 10), "rules", ("rulebook", "contest"),
    lambda radius, rules: {"radius": radius, "ruleset": rules, "max_turns": 20},
)  # fmt: skip


def cases() -> list[Case]:
    """The end of a turn."""
    return [Case("finish/table", "turn", "rules", _finish_table, counted=True, game="terraforming")]


def finished(play: Midgame) -> bytes:
    """The bytes of all positions after the action that ends the turn, one after the other."""
    states = [state.clone() for state in play.states]
    for state in states:
        state.apply(0)
    return b"".join(state.array.tobytes() for state in states)


def _finish_table(play: Midgame) -> Work:
    """A player's turn but for the actions: shields and towers as one ends, production and moves as the next begins."""
    batch = play.batch()
    batch.actions[:] = 0
    after = finished(play)

    def check() -> None:
        assert batch.states.tobytes() == after

    return Work(
        functools.partial(_loops.apply, batch), len(play), check, functools.partial(_loops.load, batch, play.states)
    )
