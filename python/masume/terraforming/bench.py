"""What Terraforming's benches are about."""

from __future__ import annotations

from ..workload import Case, Gate, Workload

WORKLOAD = Workload(
    title="radius 6, actions 569 to 600 of games between all agents; a turn is one action",
    fields={},
    first=568,
    playouts={"radius 6": {"max_turns": 40}, "radius 2": {"radius": 2, "max_turns": 8}},
    gates={
        "turn/table": Gate(180),
        "turn/batch": Gate(188),
        "turn/state": Gate(230),
        "mask/table": Gate(600),
        "clone/state": Gate(500),
        "call/batch": Gate(200),
        "batch beyond the turn": Gate(8),
        "playout radius 6/batch": Gate(425_000),  # 5 M actions/s, 2126 in a game
        "state": Gate(1536),
    },
)


def cases() -> list[Case]:
    """None beside those that all games have."""
    return []
