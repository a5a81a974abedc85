"""Computer players: safe and greedy. They use what a view offers and never a state."""

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
"""Of the nine digits of a ready info, those of the cells in direction 0..3."""


class Safe(ScriptedAgent):
    """Plays at random, but never walks into what its ready info shows as a block."""

    name = "safe"

    def act(self, view: Any) -> int:
        ready = view.observation()["ready"]
        fatal = {4 * WALK + direction for direction, side in enumerate(SIDES) if ready[side] == BLOCK}
        return self.one_of([int(action) for action in view.legal_actions() if action not in fatal])


class Surroundings:
    """What an agent reads of its observation; cells are relative to its own start.

    place : its own cell. items, blocks : known ones; open : known cells that are no block. foe : the opponent, if it
    is in the ready info.
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
        """Whether one who steps onto `cell` has a way out, for all one knows.

        The cell from which an item is taken turns into a block, so that there must be another side.
        """
        return cell not in self.items or sum(side not in self.blocks for side in neighbours(cell)) >= 2

    def can_be_left(self, cell: Cell) -> bool:
        """Whether one who steps onto `cell` has a way out for certain."""
        return cell not in self.items or sum(side in self.open for side in neighbours(cell)) >= 2

    def steps_to(self, is_goal: Callable[[Cell], bool], is_passable: Callable[[Cell], bool]) -> list[int]:
        """For each direction the number of steps to the nearest goal if one begins so; NO_WAY where there is none."""
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
    """Puts a block on an adjacent opponent or on its last way out, else collects items that are no trap.

    Without a known item it goes where it has not seen all; with nothing left to see it waits. It never steps beside
    an opponent that it sees, and never onto an item that may have no way out: it looks there first.
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
        """The action that wins at once, if there is one."""
        if known.foe is None:
            return None
        around = neighbours(known.place)
        if known.foe in around:
            return 4 * PUT + around.index(known.foe)
        ways_out = [cell for cell in neighbours(known.foe) if cell not in known.blocks]
        if len(ways_out) == 1 and ways_out[0] in around:
            return 4 * PUT + around.index(ways_out[0])
        if known.foe == known.place:  # the cell it leaves for an item turns into a block under the opponent
            items = [direction for direction, cell in enumerate(around) if cell in known.items]
            return 4 * WALK + items[0] if items else None
        return None

    def is_way(self, known: Surroundings, cell: Cell) -> bool:
        """Whether the agent would go there: no block, no trap, and not beside the opponent."""
        beside = known.foe is not None and cell in (known.foe, *neighbours(known.foe))
        return cell in known.open and known.may_be_left(cell) and not beside


def _is_explored(known: Surroundings, cell: Cell) -> bool:
    seen = known.open | known.blocks
    return all((cell[0] + down, cell[1] + right) in seen for down in (-1, 0, 1) for right in (-1, 0, 1))


def _cells(plane: Any) -> set[Cell]:
    """The cells that are not 0, relative to the middle of the plane."""
    rows, columns = plane.shape[0] // 2, plane.shape[1] // 2
    return {(int(row) - rows, int(column) - columns) for row, column in zip(*np.nonzero(plane), strict=True)}


AGENTS: dict[str, Callable[[], Agent]] = {agent.name: agent for agent in (Safe, Greedy)}
MCTS = {"policy": "forager", "horizon": 16, "score_scale": 5.0, "exploration": 0.3}
"""What suits `masume.search.MCTS` (docs/search.md)."""
