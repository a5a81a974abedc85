"""What Battleship's benches are about."""

from __future__ import annotations

from ..workload import Case, Gate, Workload

WORKLOAD = Workload(
    title="5x5, decisions 25 to 56 of games between all agents that last so long",
    fields={},
    first=24,
    playouts={"5x5": {}, "3x3": {"width": 3, "height": 3, "fleets": ["DS"], "fp_base": 40}},
    gates={
        "turn/batch": Gate(200),
        "turn/state": Gate(2000),  # what its players have seen, and the events, are written too
        "mask/table": Gate(300),
        "call/batch": Gate(600),
        "resample/state": Gate(200_000),
        "playout 5x5/batch": Gate(250 * 40),  # 4 M commands/s, 39 in a game
        "search 5x5 by its playouts": Gate(1.5),
        "state": Gate(1024),
    },
)


def cases() -> list[Case]:
    """None beside those that all games have."""
    return []
