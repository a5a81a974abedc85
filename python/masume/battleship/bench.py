"""Workload and growth cases of Battleship's benches."""

from __future__ import annotations

from ..bench.workload import Case, Gate, Growth, Workload

WORKLOAD = Workload(
    title="5x5, decisions 25 to 56 of games between all agents that last so long",
    checksum=0x150E5DB2,
    fields={},
    first=24,
    playouts={"5x5": {}, "3x3": {"width": 3, "height": 3, "fleets": ["DS"], "fp_base": 40}},
    gates={
        "turn/table": Gate(70),
        "turn/batch": Gate(78),
        "turn/state": Gate(120),  # also writes the players' memory and the events
        "mask/table": Gate(120),
        "clone/state": Gate(90),
        "call/batch": Gate(200),
        "batch beyond the turn": Gate(8),
        "resample/state": Gate(20_000),
        "playout 5x5/batch": Gate(39 * 1000 / 12),  # 12 M commands/s, 39 in a game
        "search 5x5 by its playouts": Gate(1.5),
        "state": Gate(512),
    },
    opening=12,  # each player picks and places three ships
)

GROWTH = Growth(
    "side", (3, 5, 7, 9), "ships a player", (1, 2, 4, 8),
    lambda side, ships: {"width": side, "height": side, "fleets": ["D" * ships], "fp_base": 40},
)  # fmt: skip


def cases() -> list[Case]:
    """Return the cases in addition to those of all games: none."""
    return []
