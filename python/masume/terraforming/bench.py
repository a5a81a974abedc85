"""Workloads of the Terraforming benchmarks."""

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
    """Return the cases of this game: the end of a turn."""
    return [Case("finish/table", "turn", "rules", _finish_table, counted=True, game="terraforming")]


def finish(play: Midgame) -> bytes:
    """Return the bytes of all positions after the action that ends the turn, concatenated."""
    states = [state.clone() for state in play.states]
    for state in states:
        state.apply(0)
    return b"".join(state.array.tobytes() for state in states)


def _finish_table(play: Midgame) -> Work:
    """Measure the end of a turn: shields and towers, then production and the moves of the next turn."""
    batch = play.batch()
    batch.actions[:] = 0
    after = play.each(lambda: finish(play))

    def check() -> None:
        assert batch.states.tobytes() == after()

    before = functools.partial(_loops.load, batch, play.states)
    return Work(functools.partial(_loops.apply, batch), len(play), check, before, choose=play.choose)
