"""Computer opponents: none, a1, a2, a3 and a4 as on the match server, and greedy."""

from __future__ import annotations

import abc
import functools
from collections.abc import Callable
from typing import Any

from ..agent import Agent, ScriptedAgent
from .notation import DIRECTIONS, FIRST_MOVE, FIRST_PUT, FIRST_REMOVE

STAY = 0


@functools.cache
def neighbours(width: int, height: int) -> tuple[tuple[tuple[int, int], ...], ...]:
    """Return the (direction, cell) pairs of the neighbours of each cell of a board."""

    def around(x: int, y: int) -> tuple[tuple[int, int], ...]:
        steps = ((direction, x + dx, y + dy) for direction, (dx, dy) in enumerate(DIRECTIONS))
        return tuple((d, v * width + u) for d, u, v in steps if 0 <= u < width and 0 <= v < height)

    return tuple(around(x, y) for y in range(height) for x in range(width))


class Position:
    """The board from a player's side.

    Attributes
    ----------
    points, walls, territory : list of int
        Points, wall owner and territory owner of each cell; -1 for no owner.
    own : list of int
        The cell of each own agent, -1 if it is not placed.
    others : set of int
        The cells of the enemies' agents.
    """

    def __init__(self, view: Any) -> None:
        variables = view.state.to_dict()
        config = variables["config"]
        self.player: int = view.player
        self.width: int = config["width"]
        self.height: int = config["height"]
        self.points: list[int] = config["points"]
        self.walls: list[int] = variables["wall"]
        self.territory: list[int] = variables["area"]
        self.own: list[int] = variables["pos"][self.player]
        self.others = {cell for p, cells in enumerate(variables["pos"]) if p != self.player for cell in cells}
        self.neighbours = neighbours(self.width, self.height)

    def is_neutral(self, cell: int) -> bool:
        return self.walls[cell] < 0 and self.territory[cell] < 0

    def is_enemy_wall(self, cell: int) -> bool:
        return self.walls[cell] not in (-1, self.player)

    def is_enemy_territory(self, cell: int) -> bool:
        return self.territory[cell] not in (-1, self.player)


class Chooser(ScriptedAgent, abc.ABC):
    """Base class of agents that choose their actions from a `Position`."""

    def act(self, view: Any) -> list[int]:
        """Return a code for each of `view.slots`; an invalid code is replaced by STAY, which has the same effect."""
        codes = self.choose(Position(view))
        return [
            code if code in view.legal_actions(slot) else STAY for slot, code in zip(view.slots, codes, strict=True)
        ]

    @abc.abstractmethod
    def choose(self, position: Position) -> list[int]:
        """Return a code for each own agent; it may be invalid."""


class Idle(Chooser):
    """Agent that always stays."""

    name = "none"

    def choose(self, position: Position) -> list[int]:
        return [STAY] * len(position.own)


class A1(Chooser):
    """Agent that puts its units on the cells with the most points, then moves them in random directions."""

    name = "a1"

    def choose(self, position: Position) -> list[int]:
        best = sorted(range(len(position.points)), key=lambda cell: -position.points[cell])
        offset = self.rng.below(len(position.own))
        aimed: set[int] = set()
        codes = []
        for agent, cell in enumerate(position.own):
            if cell >= 0:
                codes.append(self.step(position, cell, aimed))
            elif agent + offset < len(best):
                aimed.add(best[agent + offset])
                codes.append(FIRST_PUT + best[agent + offset])
            else:
                codes.append(STAY)
        return codes

    def step(self, position: Position, cell: int, aimed: set[int]) -> int:
        """Return the code of the agent on `cell`; subclasses add its target to `aimed`."""
        return FIRST_MOVE + self.rng.below(len(DIRECTIONS))


class A2(A1):
    """Variant of a1 that never moves off the board."""

    name = "a2"

    def step(self, position: Position, cell: int, aimed: set[int]) -> int:
        around = position.neighbours[cell]
        if not around:
            return STAY
        direction, target = around[self.rng.below(len(around))]
        aimed.add(target)
        return FIRST_MOVE + direction


class A3(A2):
    """Agent that takes the best neighbour: enemy territory (points + 10), neutral (+ 5) or an enemy wall (REMOVE)."""

    name = "a3"
    least = -(2**15)

    def step(self, position: Position, cell: int, aimed: set[int]) -> int:
        moves: list[tuple[int, int, int]] = []  # worth, code, target
        for direction, target in position.neighbours[cell]:
            points = position.points[target]
            if target in aimed or points < self.least:
                continue
            if position.is_enemy_wall(target):
                moves.append((points, FIRST_REMOVE + direction, target))
            elif position.is_enemy_territory(target):
                moves.append((points + 10, FIRST_MOVE + direction, target))
            elif position.is_neutral(target):
                moves.append((points + 5, FIRST_MOVE + direction, target))
        if not moves:
            return self.otherwise(position, cell, aimed)
        _, code, target = max(moves, key=lambda candidate: candidate[0])
        aimed.add(target)
        return code

    def otherwise(self, position: Position, cell: int, aimed: set[int]) -> int:
        """Return the code of the agent on `cell` if no neighbour qualifies."""
        return super().step(position, cell, aimed)


class A4(A3):
    """Variant of a3 that takes only positive points, and otherwise steps towards the nearest neutral cell."""

    name = "a4"
    least = 1

    def otherwise(self, position: Position, cell: int, aimed: set[int]) -> int:
        y, x = divmod(cell, position.width)

        def distance(other: int) -> int:
            return max(abs(other // position.width - y), abs(other % position.width - x))

        neutral = [other for other in range(len(position.points)) if position.is_neutral(other)]
        if neutral:
            nearest = min(neutral, key=distance)
            step = _sign(nearest % position.width - x), _sign(nearest // position.width - y)
            target = cell + step[1] * position.width + step[0]
            if target not in aimed:
                aimed.add(target)
                first = FIRST_REMOVE if position.is_enemy_wall(target) else FIRST_MOVE
                return first + DIRECTIONS.index(step)
        return super().otherwise(position, cell, aimed)


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)


class Greedy(Chooser):
    """Agent that picks, unit by unit, the action with the greatest gain, looking a few of its steps ahead.

    The gain of a cell is the change that a wall there makes to the own score minus the enemy's, including the
    territory that the wall encloses. The gain of an enemy wall counts its removal and the wall built
    afterwards. Each further step counts half. A target that a unit failed to reach is skipped until that unit
    has succeeded elsewhere.
    """

    name = "greedy"
    sight = 3  # steps

    def __init__(self) -> None:
        super().__init__()
        self.tried: list[tuple[int, int] | None] = []  # per agent: its target and the owner of the wall there
        self.vain: list[set[int]] = []  # per agent: targets it failed to reach

    def start(self, game: Any, player: int, seed: int) -> None:
        super().start(game, player, seed)
        self.tried = [None] * game.config.n_agents
        self.vain = [set() for _ in self.tried]

    def choose(self, position: Position) -> list[int]:
        self.learn(position)
        gains = [self.gain(position, cell) for cell in range(len(position.points))]
        ahead = self.look_ahead(position, gains)
        closing = functools.cache(functools.partial(enclosing_gain, position))
        aimed = {cell for cell in position.own if cell >= 0}
        codes = []
        for agent, cell in enumerate(position.own):
            options = self.options(position, cell, gains, ahead)
            open_to = [option for option in options if option[2] not in aimed | self.vain[agent]]
            worth = [(gain + closing(target), self.rng.next(), code, target) for gain, code, target in open_to]
            _, _, code, target = max(worth, default=(0.0, 0, STAY, cell))
            codes.append(code)
            self.tried[agent] = None if code == STAY else (target, position.walls[target])
            aimed.add(target)
        return codes

    def learn(self, position: Position) -> None:
        """Record the targets that agents failed to reach; clear those of an agent after a success."""
        for tried, vain, cell in zip(self.tried, self.vain, position.own, strict=True):
            if tried is None:
                continue
            target, owner = tried
            if cell == target or position.walls[target] != owner:
                vain.clear()
            else:
                vain.add(target)

    def gain(self, position: Position, cell: int) -> float:
        """Return the gain of a wall on the cell; a quarter for an enemy wall whose agent may not leave."""
        points = position.points[cell]
        if position.is_enemy_wall(cell):
            return points / 2 if cell in position.others else 2 * points
        if position.walls[cell] == position.player:
            return 0
        if position.is_neutral(cell):
            return points
        return points + abs(points) if position.is_enemy_territory(cell) else points - abs(points)

    def look_ahead(self, position: Position, gains: list[float]) -> list[float]:
        """Return the gain of the best walk from each cell."""
        ahead = [0.0] * len(gains)
        for _ in range(self.sight):
            onto = [
                gain + later / (4 if position.is_enemy_wall(cell) else 2)  # onto an enemy wall takes two turns
                for cell, (gain, later) in enumerate(zip(gains, ahead, strict=True))
            ]
            ahead = [max((onto[cell] for _, cell in around), default=0) for around in position.neighbours]
        return ahead

    def options(
        self, position: Position, cell: int, gains: list[float], ahead: list[float]
    ) -> list[tuple[float, int, int]]:
        """Return (gain, code, target) of each action of the agent on `cell`."""
        if cell < 0:
            free = (target for target in range(len(gains)) if not position.is_enemy_wall(target))
            return [(gains[target] + ahead[target] / 2, FIRST_PUT + target, target) for target in free]
        return [
            (gains[target] + ahead[target] / 4, FIRST_REMOVE + direction, target)
            if position.is_enemy_wall(target)
            else (gains[target] + ahead[target] / 2, FIRST_MOVE + direction, target)
            for direction, target in position.neighbours[cell]
        ]


def enclosing_gain(position: Position, cell: int) -> int:
    """Return the gain of the territory that a wall on `cell` would newly enclose, ignoring nested rings."""
    if position.walls[cell] >= 0:
        return 0
    straight = (other for direction, other in position.neighbours[cell] if direction % 2 == 0)
    if sum(position.walls[other] == position.player for other in straight) < 2:
        return 0  # a ring goes through two of the four
    gain = 0
    seen = {cell}
    for _, start in position.neighbours[cell]:
        region = enclosed_region(position, start, seen)
        seen |= region
        for inside in region:
            if position.is_neutral(inside):
                gain += abs(position.points[inside])
            elif position.is_enemy_territory(inside):
                gain += 2 * abs(position.points[inside])
    return gain


def enclosed_region(position: Position, start: int, walls: set[int]) -> set[int]:
    """Return the region of `start` enclosed by own walls and `walls`; empty if it reaches the board's edge."""
    region: set[int] = set()
    stack = [start]
    while stack:
        cell = stack.pop()
        if cell in region or cell in walls or position.walls[cell] == position.player:
            continue
        if len(position.neighbours[cell]) < len(DIRECTIONS):
            return set()
        region.add(cell)
        stack.extend(other for _, other in position.neighbours[cell])
    return region


AGENTS: dict[str, Callable[[], Agent]] = {agent.name: agent for agent in (Idle, A1, A2, A3, A4, Greedy)}
MCTS = {"policy": "gather", "horizon": 10, "score_scale": 300.0, "exploration": 0.3}
"""Recommended arguments of `masume.search.MCTS` (docs/search.md)."""
BEST = "beam:{budget}"
"""The strongest agent (docs/search.md)."""
