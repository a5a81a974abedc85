"""What Kakomimasu's benches are about."""

from __future__ import annotations

import functools
from typing import Any

from .. import _bench, _kakomimasu
from ..workload import Case, Gate, Midgame, Work, Workload, same

WORKLOAD = Workload(
    title="24x24, 14+14 agents, turns 25 to 56 of games between all agents",
    fields={"width": 24, "height": 24, "n_agents": 14, "seed": 1},
    first=24,
    playouts={
        "24x24": {"width": 24, "height": 24, "n_agents": 14, "total_turns": 60},
        "8x8": {"width": 8, "height": 8, "n_agents": 6, "total_turns": 30},
    },
    gates={
        "enclosure/table": Gate(400, portable=600),
        "turn/batch": Gate(900, portable=1200),
        "turn/state": Gate(1000),
        "clone/state": Gate(200),
        "call/batch": Gate(600),
        "playout 24x24/batch": Gate(1e9 / 15_000),
        "search 24x24/mcts": Gate(1e9 / 12_000),
        "search 8x8/mcts": Gate(1e9 / 50_000),
        "batch beyond the turn": Gate(30),
        "two threads": Gate(1.7, at_least=True),
        "state": Gate(1024),
    },
)


def cases() -> list[Case]:
    """Territory alone."""
    return [
        Case("enclosure/table", "position", "rules", _enclosure_table, counted=True, game="kakomimasu"),
        Case("enclosure/reference", "position", "rules", _enclosure_reference, game="kakomimasu"),
    ]


def _unmarked(play: Midgame) -> list[Any]:
    """The positions without territory, so that all that is enclosed has to be found again."""
    states = []
    for state in play.states:
        variables = state.to_dict()
        states.append(play.game.state_from_dict(variables | {"area": [-1] * len(variables["area"])}))
    return states


def _enclosure_table(play: Midgame) -> Work:
    batch = play.batch()
    states = _unmarked(play)

    def check() -> None:
        for i in play.picked:
            twin = play.in_reference(states[i])
            twin._mark_territory()
            assert same(twin, play.game.state_from_bytes(batch.states[i].tobytes()))

    return Work(
        functools.partial(_kakomimasu.enclosure, batch), len(play), check, functools.partial(_bench.load, batch, states)
    )


def _enclosure_reference(play: Midgame) -> Work:
    def run() -> None:
        for state in play.slow:
            state._mark_territory()

    def check() -> None:  # play has marked it already: nothing may change
        for i, state in zip(play.picked, play.slow, strict=True):
            assert same(state, play.states[i])

    return Work(run, len(play.slow), check)
