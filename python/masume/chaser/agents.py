"""Computer players: safe and greedy. They use only what a view offers, never a state."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np

from ..agent import Agent, ScriptedAgent
from .maps import BLOCK, OPPONENT, Cell, neighbours
from .notation import LOOK, PUT, SEARCH, WALK

NO_WAY = 10_000  # steps, more than any field has cells
SIDES = (1, 5, 3, 7)
"""Indices, in the nine digits of a ready info, of the cells in direction 0..3."""


class Safe(ScriptedAgent):
    """Agent that plays at random, but never walks into a block that its ready info shows."""

    name = "safe"

    def act(self, view: Any) -> int:
        ready = view.observation()["ready"]
        fatal = {4 * WALK + direction for direction, side in enumerate(SIDES) if ready[side] == BLOCK}
        return self.one_of([int(action) for action in view.legal_actions() if action not in fatal])


class Surroundings:
    """The content of an agent's observation; cells are relative to its start.

    Attributes
    ----------
    place : (int, int)
        Its own cell.
    items, blocks, open : set of (int, int)
        Known items, known blocks, and known cells that are not blocks.
    foe : (int, int) or None
        The opponent's cell, if it is in the ready info.
    """

    def __init__(self, observation: dict[str, Any]) -> None:
        floor, item, block, _, own, _, _ = np.asarray(observation["planes"])
        self.items = _cells(item)
        self.blocks = _cells(block)
        self.open = _cells(floor) | self.items
        (self.place,) = _cells(own)
        self.foe: Cell | None = None
        for n, digit in enumerate(observation["ready"]):
            if digit == OPPONENT:
                self.foe = self.place[0] + n // 3 - 1, self.place[1] + n % 3 - 1

    def may_be_left(self, cell: Cell) -> bool:
        """Return whether a player who steps onto `cell` may have a way out, as far as the agent knows.

        Taking an item turns the cell left behind into a block, so a second open side is required.
        """
        return cell not in self.items or sum(side not in self.blocks for side in neighbours(cell)) >= 2

    def can_be_left(self, cell: Cell) -> bool:
        """Return whether a player who steps onto `cell` certainly has a way out."""
        return cell not in self.items or sum(side in self.open for side in neighbours(cell)) >= 2

    def steps_to(self, is_goal: Callable[[Cell], bool], is_passable: Callable[[Cell], bool]) -> list[int]:
        """Return, per first direction, the number of steps to the nearest goal; NO_WAY if there is none."""
        return [self._steps(start, is_goal, is_passable) for start in neighbours(self.place)]

    def _steps(self, start: Cell, is_goal: Callable[[Cell], bool], is_passable: Callable[[Cell], bool]) -> int:
        if not is_passable(start):
            return NO_WAY
        reached = {self.place: 0, start: 1}
        queue = deque([start])
        while queue:
            cell = queue.popleft()
            if is_goal(cell):
                return reached[cell]
            for following in neighbours(cell):
                if following not in reached and is_passable(following):
                    reached[following] = reached[cell] + 1
                    queue.append(following)
        return NO_WAY


class Greedy(ScriptedAgent):
    """Agent that puts a block on an adjacent opponent or its last way out, and otherwise collects safe items.

    If it knows no item, it goes to the nearest cell whose surroundings it has not seen; if there is none, it waits. It
    never steps next to an opponent that it sees. It never steps onto an item that may have no way out, but looks there
    first.
    """

    name = "greedy"

    def act(self, view: Any) -> int:
        known = Surroundings(view.observation())
        won = self.attack(known)
        if won is not None:
            return won
        for goal in (known.items.__contains__, lambda cell: not _is_explored(known, cell)):
            steps = known.steps_to(goal, lambda cell: self.is_way(known, cell))
            nearest = min(steps)
            if nearest < NO_WAY:
                direction = self.one_of([d for d, count in enumerate(steps) if count == nearest])
                target = neighbours(known.place)[direction]
                return 4 * (WALK if known.can_be_left(target) else LOOK) + direction
        return self.one_of([4 * SEARCH + direction for direction in range(4)])

    def attack(self, known: Surroundings) -> int | None:
        """Return an action that wins at once, or None."""
        if known.foe is None:
            return None
        around = neighbours(known.place)
        if known.foe in around:
            return 4 * PUT + around.index(known.foe)
        ways_out = [cell for cell in neighbours(known.foe) if cell not in known.blocks]
        if len(ways_out) == 1 and ways_out[0] in around:
            return 4 * PUT + around.index(ways_out[0])
        if known.foe == known.place:  # taking an item turns the shared cell into a block, under the opponent
            items = [direction for direction, cell in enumerate(around) if cell in known.items]
            return 4 * WALK + items[0] if items else None
        return None

    def is_way(self, known: Surroundings, cell: Cell) -> bool:
        """Return whether the agent would go there: no block, no trap, and not next to the opponent."""
        beside = known.foe is not None and cell in (known.foe, *neighbours(known.foe))
        return cell in known.open and known.may_be_left(cell) and not beside


def _is_explored(known: Surroundings, cell: Cell) -> bool:
    seen = known.open | known.blocks
    return all((cell[0] + down, cell[1] + right) in seen for down in (-1, 0, 1) for right in (-1, 0, 1))


def _cells(plane: Any) -> set[Cell]:
    """Return the nonzero cells of a plane, relative to its middle."""
    rows, columns = plane.shape[0] // 2, plane.shape[1] // 2
    return {(int(row) - rows, int(column) - columns) for row, column in zip(*np.nonzero(plane), strict=True)}


AGENTS: dict[str, Callable[[], Agent]] = {agent.name: agent for agent in (Safe, Greedy)}
MCTS = {
    "policy": "wary",
    "prior": "planner",
    "horizon": 16,
    "score_scale": 6.0,
    "lead_share": 0.3,
    "exploration": 1.2,
}
"""Recommended arguments of `masume.search.MCTS` (docs/search.md)."""
BEST = "mcts:{budget}"
"""The strongest agent (docs/search.md)."""
