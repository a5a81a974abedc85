"""Workloads of Kakomimasu's benches."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ..bench import _loops
from ..bench.workload import Case, Gate, Growth, Midgame, Work, Workload, same
from . import _engine

WORKLOAD = Workload(
    title="24x24, 14+14 agents, turns 25 to 56 of games between all agents",
    checksum=0x8A18642B,
    fields={"width": 24, "height": 24, "n_agents": 14, "seed": 1},
    first=24,
    playouts={
        "24x24": {"width": 24, "height": 24, "n_agents": 14, "total_turns": 60},
        "8x8": {"width": 8, "height": 8, "n_agents": 6, "total_turns": 30},
    },
    gates={
        "enclosure/table": Gate(210, portable=340),
        "enclosure of a labyrinth, spiral/table": Gate(4500, portable=10_000),
        "enclosure of a labyrinth, rows/table": Gate(4500, portable=10_000),
        "enclosure of a labyrinth, columns/table": Gate(4500, portable=10_000),
        "turn/batch": Gate(550, portable=720),
        "turn/state": Gate(600),
        "clone/state": Gate(90),
        "call/batch": Gate(200),
        "observation packed/table": Gate(10),
        "playout 24x24/batch": Gate(1e9 / 28_000, portable=1e9 / 24_000),
        "playout 8x8/batch": Gate(30 * 280),
        "search 24x24/mcts": Gate(1e9 / 25_000),
        "search 8x8/mcts": Gate(1e9 / 100_000),
        "batch beyond the turn": Gate(8),
        "two threads": Gate(1.9, at_least=True),
        "state": Gate(640),
    },
)

GROWTH = Growth(
    "side", (8, 12, 16, 20, 24, 30), "agents a player", (1, 2, 4, 8, 16),
    lambda side, agents: {"width": side, "height": side, "n_agents": agents, "total_turns": 60},
)  # fmt: skip

LABYRINTHS = 64  # boards per call


def cases() -> list[Case]:
    """Return the cases for territory alone, including the boards that take longest."""
    found = [
        Case("enclosure/table", "position", "rules", _enclosure_table, counted=True, game="kakomimasu"),
        Case("enclosure/reference", "position", "rules", _enclosure_reference, game="kakomimasu"),
    ]
    for name, walls in (("spiral", _spiral), ("rows", _rows), ("columns", _columns)):
        make = functools.partial(_labyrinth_table, walls=walls)
        found.append(Case(f"enclosure of a labyrinth, {name}/table", "position", "rules", make, game="kakomimasu"))
    return found


def _unmark(play: Midgame) -> list[Any]:
    """Return the positions without territory, so that every enclosure must be found again."""
    states = []
    for state in play.states:
        variables = state.to_dict()
        states.append(play.game.state_from_dict(variables | {"area": [-1] * len(variables["area"])}))
    return states


def _enclosure_table(play: Midgame) -> Work:
    batch = play.batch()
    states = play.each(lambda: _unmark(play))

    def check() -> None:
        for i in play.picked:
            twin = play.in_reference(states()[i])
            twin._mark_territory()
            assert same(twin, batch.state(i))

    def before() -> None:
        _loops.load(batch, states())

    return Work(functools.partial(_engine.mark_territory, batch), len(play), check, before, choose=play.choose)


def _enclosure_reference(play: Midgame) -> Work:
    def run() -> None:
        for state in play.slow:
            state._mark_territory()

    def check() -> None:  # territory is already marked: nothing may change
        for i, state in zip(play.picked, play.slow, strict=True):
            assert same(state, play.states[i])

    return Work(run, len(play.slow), check)


# -- labyrinths: one path, as long as the board allows, from outside to the last cell ---------------


def _spiral(side: int) -> set[tuple[int, int]]:
    """Return the walls (x, y) of a path that spirals inwards."""
    x, y, dx, dy = 0, 0, 1, 0
    walls = {(x, y)}
    while True:
        for _ in range(2):  # turn right at the edge and one cell short of a wall; end if that does not help
            ahead = (x + 2 * dx, y + 2 * dy)
            if ahead in walls or not (0 <= x + dx < side and 0 <= y + dy < side):
                dx, dy = -dy, dx
        if (x + 2 * dx, y + 2 * dy) in walls or (x + dx, y + dy) in walls:
            return walls
        x, y = x + dx, y + dy
        walls.add((x, y))


def _rows(side: int) -> set[tuple[int, int]]:
    """Return the walls (x, y) of a path that goes to and fro."""
    edge = {(x, y) for x in range(side) for y in range(side) if {x, y} & {0, side - 1}}
    gaps = {(side - 2 if y % 4 == 2 else 1, y) for y in range(2, side - 2, 2)}
    return (edge | {(x, y) for x in range(side) for y in range(2, side - 2, 2)}) - gaps - {(0, 1)}


def _columns(side: int) -> set[tuple[int, int]]:
    """Return the walls (x, y) of a path that goes up and down."""
    return {(y, x) for x, y in _rows(side)}


def _labyrinth_table(play: Midgame, walls: Callable[[int], set[tuple[int, int]]]) -> Work:
    variables = play.game.new_state().to_dict()
    side = variables["config"]["width"]
    built = walls(side)
    variables["wall"] = [0 if (n % side, n // side) in built else -1 for n in range(side * side)]
    state = play.game.state_from_dict(variables)
    batch = play.game.batch(LABYRINTHS, observe=None, masks=False)

    def check() -> None:
        twin = play.twin.from_dict(variables)
        twin._mark_territory()
        assert twin.territory == {}, "the way leads to every cell"
        assert all(same(twin, batch.state(i)) for i in range(LABYRINTHS))

    before = functools.partial(_loops.load, batch, [state] * LABYRINTHS)
    return Work(functools.partial(_engine.mark_territory, batch), LABYRINTHS, check, before)
