"""Computer players: greedy and crafty. Each plays either side. (`random` and `prowler` are policies.)

Both evaluate the position after each of their legal actions and play the best one; ties are broken at random.
Greedy uses a single criterion, crafty several. Values are in cells and mg. Neither agent searches.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..agent import ScriptedAgent
from .notation import ADD, CAT1, MOVE, PLACE, REACT, RETIRE
from .stages import DIAGONALS, Stage, distances, neighbours

FAR = 1000  # steps, if no path exists
WIN = 10_000.0  # exceeds the sum of all other terms


class Weigher(ScriptedAgent):
    """Base class of the agents that evaluate the position after each of their actions."""

    slips = 0
    """Percentage of the decisions that are played at random, 0..100."""

    def start(self, game: Any, player: int, seed: int) -> None:
        """Begin a game on the stage of the game's config."""
        super().start(game, player, seed)
        self.ground = Ground(game.config.start_stage)

    def act(self, view: Any) -> int:
        """Return the legal action with the highest value; ties are broken at random."""
        legal = [int(action) for action in view.legal_actions()]
        if self.rng.below(100) < self.slips:
            return self.one_of(legal)
        position = Position(self.ground, view.state.to_dict())
        values = [self.value(position, action) for action in legal]
        best = [action for action, value in zip(legal, values, strict=True) if value == max(values)]
        return self.one_of(best)

    def value(self, position: Position, action: int) -> float:
        """Return the value of a legal action to the side to move."""
        decide = {PLACE: self.put, ADD: self.put, MOVE: self.move, REACT: self.react}.get(position.phase, self.step)
        sign = action - 5 * self.ground.cells  # at least 0 for actions without a cell: 0 pass, 1..4 step, 5 capture
        return decide(position, sign if sign >= 0 else action)

    def step(self, position: Position, sign: int) -> float:
        """Return the value of a step of the cat: 1..4 by direction, 0 to stay."""
        raise NotImplementedError

    def react(self, position: Position, sign: int) -> float:
        """Return the value to the cat of capturing the arrived mouse (5) or leaving it (0)."""
        raise NotImplementedError

    def put(self, position: Position, action: int) -> float:
        """Return the value of putting a mouse on the cell of an action, or of putting none (0)."""
        raise NotImplementedError

    def move(self, position: Position, action: int) -> float:
        """Return the value of a mouse's move."""
        raise NotImplementedError


class Ground:
    """The geometry of a stage: neighbours and distances."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.cells = stage.height * stage.width
        self.zone = [cell for cell, zone in enumerate(stage.zone) if zone]
        self._distances: dict[int, Mapping[int, int]] = {}

    def beside(self, cell: int) -> list[int]:
        """Return the orthogonal neighbours that are not walls."""
        return [near for near in neighbours(cell, self.stage.height, self.stage.width) if not self.stage.wall[near]]

    def diagonals(self, cell: int) -> list[int]:
        """Return the diagonal neighbours that are not walls."""
        stage = self.stage
        return [near for near in neighbours(cell, stage.height, stage.width, DIAGONALS) if not stage.wall[near]]

    def ahead(self, cell: int, direction: int) -> int:
        """Return the cell one step away in direction 0..3, or -1 if it is a wall or off the board."""
        stage = self.stage
        down, right = ((-1, 0), (0, 1), (1, 0), (0, -1))[direction]
        row, column = cell // stage.width + down, cell % stage.width + right
        inside = 0 <= row < stage.height and 0 <= column < stage.width
        return row * stage.width + column if inside and not stage.wall[row * stage.width + column] else -1

    def steps(self, start: int, goal: int) -> int:
        """Return the number of steps from one cell to another, FAR if no path exists."""
        if goal not in self._distances:
            self._distances[goal] = distances(goal, self.stage.height, self.stage.width, self.stage.wall)
        return self._distances[goal].get(start, FAR)

    def nearest(self, start: int, goals: Sequence[int]) -> int:
        """Return the number of steps to the nearest goal, FAR if there is no goal."""
        return min((self.steps(start, goal) for goal in goals), default=FAR)


class Position:
    """The part of `State.to_dict` that the agents evaluate."""

    def __init__(self, ground: Ground, variables: Mapping[str, Any]) -> None:
        stage = ground.stage
        self.ground = ground
        self.phase: int = variables["phase"]
        self.cat: int = variables["cat"]
        self.mice = {cell for cell, flag in enumerate(variables["mouse"]) if flag}
        self.unmoved = {cell for cell, flag in enumerate(variables["mouse"]) if flag == 1}
        self.food: dict[int, int] = {cell: amount for cell, amount in enumerate(variables["food"]) if amount}
        self.captured: int = variables["captured"]
        self.reserve: int = stage.max_mice - len(self.mice) - self.captured
        self.score: int = variables["food_sum"] - variables["cost_sum"]
        self.arrival: int = variables["react_cell"]
        self.charges_left: int = stage.turns - variables["t"] + 1

    def landing_cell(self, mouse: int, direction: int) -> int:
        """Return the cell where a mouse that goes in a direction stops, -1 if that is a wall. [NZ-R11]"""
        cell = self.ground.ahead(mouse, direction)
        while cell in self.mice:
            cell = self.ground.ahead(cell, direction)
        return cell

    def gaps(self, cat: int, mice: set[int]) -> list[int]:
        """Return the open diagonal neighbours of a cat on `cat`: those without a wall or a mouse. [NZ-8]"""
        return [cell for cell in self.ground.diagonals(cat) if cell not in mice]

    def is_surrounded(self, cat: int, mice: set[int]) -> bool:
        """Return whether a cat on `cat` is surrounded by these mice. [NZ-R17]"""
        return not self.gaps(cat, mice) and bool(self.ground.diagonals(cat))

    def is_cornered(self, mouse: int, cat: int) -> bool:
        """Return whether each step of the mouse leads onto or next to a cat on `cat`."""
        return all(self.ground.steps(cell, cat) <= 1 for cell in self.ground.beside(mouse))


class Greedy(Weigher):
    """The cat chases the nearest mouse and captures whenever it can; the mice go for the nearest food, one at a time.

    The mice step next to the cat only if they must.
    """

    name = "greedy"

    def step(self, position: Position, sign: int) -> float:
        """Prefer cells closer to a mouse; stepping onto one is best."""
        cat = self.ground.ahead(position.cat, sign - 1) if sign else position.cat
        return float(-self.ground.nearest(cat, list(position.mice)))

    def react(self, position: Position, sign: int) -> float:
        """Capture every mouse."""
        return float(sign)

    def put(self, position: Position, action: int) -> float:
        """Put the first mouse as near to food as possible, and no second one."""
        if not action:
            return 0.0
        cell = action // 5
        return -1.0 if position.mice else float(FAR + 1 - self.ground.nearest(cell, list(position.food)))

    def move(self, position: Position, action: int) -> float:
        """Prefer cells closer to food, avoid cells next to the cat; leaving the stage is worst."""
        mouse, direction = divmod(action, 5)
        cell = -1 if direction == RETIRE else position.landing_cell(mouse, direction)
        if cell < 0:
            return -3.0 * FAR
        danger = 2 * FAR if self.ground.steps(cell, position.cat) <= 1 else 0
        return float(-self.ground.nearest(cell, list(position.food)) - danger)


class Crafty(Weigher):
    """The cat hunts, guards the food and avoids surrounds; the mice share the food out and set traps.

    The number of mice on the board follows from what the food of the stage can pay for.
    """

    name = "crafty"
    slips = 3
    hunt, guard = 0.7, 0.5
    """Value to the cat of one step towards a mouse, and of one step towards the food."""
    part = 0.6
    """Share of the food in reach that the mice expect to eat."""

    # -- the cat --------------------------------------------------------------------------------------

    def step(self, position: Position, sign: int) -> float:
        """Value captures, including the second step that follows, and then the cell reached."""
        return self._weigh_step(position, position.cat, position.mice, sign, position.phase == CAT1)

    def _weigh_step(self, position: Position, cat: int, mice: set[int], sign: int, may_go_on: bool) -> float:
        if sign:
            cat = self.ground.ahead(cat, sign - 1)
        value = 0.0
        if cat in mice:
            mice = mice - {cat}
            value = self._capture(position, mice)
            if may_go_on and not position.is_surrounded(cat, mice) and abs(value) < WIN:
                ways = [sign for sign in range(5) if not sign or self.ground.ahead(cat, sign - 1) >= 0]
                return value + max(self._weigh_step(position, cat, mice, sign, False) for sign in ways)
        if position.is_surrounded(cat, mice):
            return -2 * WIN
        return value + self._place(position, cat, mice)

    def _capture(self, position: Position, mice: set[int]) -> float:
        """Return the value of capturing one more mouse with `mice` left: each capture raises the cost of the others."""
        if position.captured + 1 >= self.ground.stage.require:
            return WIN if position.score < 0 else -WIN
        return 30.0 if mice or position.score < 0 else -1.0  # without mice there is no further cost

    def _place(self, position: Position, cat: int, mice: set[int]) -> float:
        """Return the value of a cell to the cat."""
        ground = self.ground
        value = 8.0 * sum(position.is_cornered(mouse, cat) for mouse in mice)
        if self._is_threatened(position, cat, mice):
            value -= 40.0 / (1 + len(position.gaps(cat, mice)))
        if mice:
            value -= self.hunt * ground.nearest(cat, list(mice))
        whole = sum(position.food.values())
        if whole:
            guard = self.guard + 1.5 * (max(position.food.values()) / whole) ** 2
            value -= guard * sum(amount * ground.steps(cat, cell) for cell, amount in position.food.items()) / whole
        return value

    def _is_threatened(self, position: Position, cat: int, mice: set[int]) -> bool:
        """Return whether each open diagonal has a mouse one step away or can be filled from the reserve."""
        gaps = position.gaps(cat, mice)
        filled = set(self.ground.zone) if position.reserve else set()
        near = [gap in filled or any(cell in mice for cell in self.ground.beside(gap)) for gap in gaps]
        return bool(self.ground.diagonals(cat)) and all(near)

    def react(self, position: Position, sign: int) -> float:
        """Capture the mouse, unless that ends a game that the mice would win."""
        if not sign:
            return 0.0
        return self._capture(position, position.mice - {position.arrival})

    # -- the mice -------------------------------------------------------------------------------------

    @property
    def is_poor(self) -> bool:
        """Whether the food of the stage cannot pay for a single mouse."""
        return sum(self.ground.stage.food) <= self.ground.stage.turns

    def put(self, position: Position, action: int) -> float:
        """Prefer a mouse that pays for itself, near food and away from the cat."""
        if not action:
            return 0.0
        cell = action // 5
        if position.is_surrounded(position.cat, position.mice | {cell}):
            return WIN
        if not self._pays(position, cell):
            return -1.0
        value = 10.0 - self.ground.nearest(cell, list(position.food)) / 10
        return value - 20.0 * (self.ground.steps(cell, position.cat) <= 2)

    def _pays(self, position: Position, cell: int) -> bool:
        """Return whether one more mouse is expected to eat more than it costs.

        The estimate assumes that the mice eat `part` of the food within reach.
        """
        if self.is_poor or not (position.mice or position.captured):
            return True
        left = position.charges_left
        reach = sum(amount for food, amount in position.food.items() if self.ground.steps(cell, food) < left)
        return bool(self.part * reach > left * (position.captured + 1) * (len(position.mice) + 1))

    def move(self, position: Position, action: int) -> float:
        """Prefer food, then the way to it, then the cat's diagonals; avoid cells within the cat's reach."""
        mouse, direction = divmod(action, 5)
        cell = -1 if direction == RETIRE else position.landing_cell(mouse, direction)
        others = position.mice - {mouse}
        if cell < 0:
            return -15.0
        if cell != position.cat and position.is_surrounded(position.cat, others | {cell}):
            return WIN
        ground, cat = self.ground, position.cat
        value = self._attack(position, cell, others) + self._hunger(position, cell, others)
        if cell == cat or cell in ground.beside(cat):
            value -= 30.0
        elif any(position.is_cornered(cell, near) for near in ground.beside(cat)):
            value -= 10.0
        return value

    def _hunger(self, position: Position, cell: int, others: set[int]) -> float:
        """Value the food on the cell and the distance to food that no other mouse is closer to."""
        whole = sum(position.food.values())
        if not whole:
            return 0.0
        if cell in position.food:
            return 15.0 + 25.0 * position.food[cell] / whole
        free = [food for food in position.food if self._is_first(cell, food, others)] or list(position.food)
        return max(self._appetite(position, cell, food, whole) for food in free)

    def _is_first(self, cell: int, food: int, others: set[int]) -> bool:
        """Return whether no other mouse is closer to a food."""
        return self.ground.nearest(food, list(others)) >= self.ground.steps(cell, food)

    def _appetite(self, position: Position, cell: int, food: int, whole: int) -> float:
        """Return the pull of a food on a mouse on `cell`: weaker if the cat is at least as close to it."""
        steps = self.ground.steps(cell, food)
        guarded = self.ground.steps(position.cat, food) <= steps
        return 14.0 * (0.3 + position.food[food] / whole) - steps - 8.0 * guarded

    def _attack(self, position: Position, cell: int, others: set[int]) -> float:
        """Return the contribution of a mouse on this cell to a surround: large if few diagonals are still open."""
        diagonals = self.ground.diagonals(position.cat)
        has_no_choice = not position.food or self.is_poor
        weight = 4.0 if has_no_choice else 0.3
        if cell not in diagonals:
            return -0.4 * self.ground.nearest(cell, diagonals) if has_no_choice else 0.0
        held = 1 + sum(other in others for other in diagonals)
        return weight * (1 + 4 * held / (1 + len(diagonals) - held))


AGENTS: dict[str, Callable[[], Weigher]] = {agent.name: agent for agent in (Greedy, Crafty)}
MCTS = {"policy": "prowler", "horizon": 12, "score_scale": 10.0, "exploration": 0.3}
"""Recommended arguments of `masume.search.MCTS` (docs/search.md)."""
BEST = "alphabeta:{budget}"
"""The strongest agent (docs/search.md)."""
