"""Computer players: greedy.

(`random`, `settler` and `builder` are policies. `settler` plays like greedy and wins more often, `builder` beats both.)
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any

from ..agent import ScriptedAgent
from . import hexes
from .buildings import BRIDGE, BUILDABLE, NONE, PLAZA, PUBLIC, PUBLIC_BONUS
from .notation import BUILT, CHOOSE, FINISH, PER_AMOUNT

LASTING = 3  # value of a point of developed land, relative to land that can be taken again
NO_WAY = 1000  # steps, more than the cells of any board


@functools.cache
def _neighbours(radius: int) -> tuple[tuple[tuple[int, int], ...], ...]:
    """Return for each cell the (direction, index) of its neighbours on the board."""
    index = hexes.indices(radius)
    return tuple(
        tuple((direction, index[side]) for direction, side in enumerate(hexes.neighbours(cell)) if side in index)
        for cell in hexes.cells(radius)
    )


class Board:
    """A copy of a position on which the player to move tries moves; lists are indexed by cell."""

    def __init__(self, variables: Mapping[str, Any]) -> None:
        self.player: int = variables["player"]
        self.owner: list[int] = list(variables["owner"])
        self.robots: list[int] = list(variables["robots"])
        self.moved: list[int] = list(variables["moved"])
        self.hole: list[bool] = variables["hole"]
        self.building: list[int] = variables["building"]
        self.radius = hexes.radius_of(len(self.owner))
        self.neighbours = _neighbours(self.radius)

    def movable(self, cell: int) -> int:
        """Return the number of the player's robots that may still leave the cell."""
        if self.owner[cell] != self.player or self.hole[cell]:
            return 0
        return self.robots[cell] - self.moved[cell]

    def is_prize(self, cell: int) -> bool:
        """Return whether the player gains the cell as land by entering it."""
        return self.owner[cell] != self.player and not self.hole[cell] and self.building[cell] == NONE

    def move(self, cell: int, direction: int, target: int, amount: int) -> int:
        """Make a move on this copy and return its exact code."""
        self.robots[cell] -= amount
        if self.owner[target] == self.player:
            self.robots[target] += amount
            self.moved[target] += amount
        elif amount > self.robots[target]:
            self.robots[target] = self.moved[target] = amount - self.robots[target]
            self.owner[target] = self.player
        else:
            self.robots[target] -= amount
        return 1 + 6 * cell + direction + PER_AMOUNT * amount

    def steps_to_prizes(self) -> list[int]:
        """Return for each cell the steps over own land to the nearest land that can be taken; 0 on such land."""
        steps = [0 if self.is_prize(cell) else NO_WAY for cell in range(len(self.owner))]
        front = [cell for cell, count in enumerate(steps) if count == 0]
        while front:
            following = []
            for cell in front:
                for _, side in self.neighbours[cell]:
                    if steps[side] == NO_WAY and self.owner[side] == self.player and not self.hole[side]:
                        steps[side] = steps[cell] + 1
                        following.append(side)
            front = following
        return steps


class Greedy(ScriptedAgent):
    """Each turn takes all the land it can or builds, whichever gains more; points of buildings count three times.

    It takes the land that costs the fewest robots first and fights only if it wins. Robots without land to take next to
    them move towards such land. Among the buildings it prefers the most points, then the fewest robots.
    """

    name = "greedy"

    def __init__(self) -> None:
        super().__init__()
        self.plan: list[int] = []
        self.ply = -1

    def start(self, game: Any, player: int, seed: int) -> None:
        """Begin a game."""
        super().start(game, player, seed)
        self.plan, self.ply = [], -1

    def act(self, view: Any) -> int:
        """Return the next action of the plan, which is made at the first action of a turn."""
        state = view.state
        if state.phase == CHOOSE or state.ply != self.ply:
            self.ply = state.ply
            self.plan = [] if state.phase == BUILT else self.plan_turn(view, state)
        return self.plan.pop(0) if self.plan else FINISH

    def plan_turn(self, view: Any, state: Any) -> list[int]:
        """Return the moves of the turn, or its building."""
        board = Board(state.to_dict())
        ruleset = view.game.config.ruleset
        gain, build = max(
            (self.worth_of(board, state, ruleset, int(action)), int(action))
            for action in view.legal_actions()
            if action == FINISH or 6 * len(board.owner) < action < PER_AMOUNT
        )
        taken, moves = self.plan_moves(board)
        return [build] if LASTING * gain[0] > taken else moves

    def worth_of(self, board: Board, state: Any, ruleset: str, action: int) -> tuple[int, int]:
        """Return (points that a building adds, minus its price in robots); (0, 0) for `finish`."""
        if action == FINISH:
            return 0, 0
        site, kind = divmod(action - 1 - 6 * len(board.owner), len(BUILDABLE[ruleset]))
        building = BUILDABLE[ruleset][kind]
        points = 3 if building.code == BRIDGE else 2
        if building.code == PUBLIC:
            points += PUBLIC_BONUS + 2 * self.land_around(board, site, 2)
        if building.code == PLAZA:
            points += 2 * self.land_around(board, site, 1)
            if ruleset == "contest":
                points += state.material_sum(site, board.player) - building.material
        return points, -building.robots

    def land_around(self, board: Board, site: int, reach: int) -> int:
        """Return how many cells of own territory around the site a building would develop."""
        cells = hexes.cells(board.radius)
        return sum(
            board.owner[n] == board.player and not board.hole[n] and board.building[n] == NONE
            for n, cell in enumerate(cells)
            if 1 <= hexes.distance(cell, cells[site]) <= reach
        )

    def plan_moves(self, board: Board) -> tuple[int, list[int]]:
        """Return (number of cells taken, moves): captures next to robots first, then the other robots advance."""
        moves: list[int] = []
        prices: list[tuple[int, int, int, int, int]] = []
        for cell in range(len(board.owner)):
            if board.movable(cell):
                for direction, target in board.neighbours[cell]:
                    if board.is_prize(target):
                        prices.append((board.robots[target] + 1, self.rng.below(2**16), cell, direction, target))
        taken = 0
        for price, _, cell, direction, target in sorted(prices):
            if board.is_prize(target) and price <= board.movable(cell):
                moves.append(board.move(cell, direction, target, price))
                taken += 1
        steps = board.steps_to_prizes()
        for cell in sorted(range(len(steps)), key=steps.__getitem__):
            amount = board.movable(cell)
            if amount and steps[cell] > 1:
                ways = [(direction, side) for direction, side in board.neighbours[cell] if steps[side] < steps[cell]]
                if ways:
                    direction, side = ways[self.rng.below(len(ways))]
                    moves.append(board.move(cell, direction, side, amount))
        return taken, moves


AGENTS: dict[str, Callable[[], Greedy]] = {Greedy.name: Greedy}

MCTS = {"policy": "builder", "horizon": 60, "score_scale": 10.0}
"""Recommended arguments of the search: a horizon of about two rounds, lasting points counted (docs/search.md)."""
BEST = "mcts:{budget}/turn"
"""The strongest agent (docs/search.md)."""
