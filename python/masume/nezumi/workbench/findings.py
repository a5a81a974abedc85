"""Findings: likely mistakes in a stage, proved without playing."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from ...core.language import say
from ..stages import DIAGONALS, STEPS, Stage, distances, facts, neighbours


class Finding(NamedTuple):
    """A likely mistake in a stage.

    Attributes
    ----------
    kind : str
        One of KINDS.
    text : str
        A sentence for people.
    cells : tuple of int
        The cells concerned; may be empty.
    """

    kind: str
    text: str
    cells: tuple[int, ...] = ()


TEXTS = {
    # the cat has a plan that no mice can beat
    "cat-wins": "The cat wins by staying where it is and capturing nobody: it is never surrounded there, and the food "
    "does not pay for the way to it.",
    # the mice have a plan that no cat can beat
    "mice-win": "The mice win with a single mouse: no cat can keep it from the {mg} mg on {place}, which pay for all "
    "{charges} charges.",
    "stuck-cat": "The cat cannot move: there are walls on all its sides.",
    "never-meet": "Cat and mice cannot meet in {turns} turns: only the food decides.",
    "no-quota": "The quota of {require} captures cannot be met: at most {mice} mice can come in, {first} at first and "
    "one in each turn.",
    # the cat cannot be surrounded on any cell
    "no-surround": "{mice} mice cannot surround the cat anywhere: each cell has more open diagonals, or none.",
    "no-pay": "The food does not pay for the way to it: against a cat that captures nobody the mice need a surround.",
    # food that no mouse can reach in time
    "far-food": "No mouse can get to the {mg} mg on {place}: even with jumps it takes {needed} turns, and there are "
    "{turns}.",
    # food that can be reached in time only by jumps
    "jump-food": "Without jumps no mouse gets to the {mg} mg on {place}: it takes {needed} turns, and there are "
    "{turns}.",
    "cut-off-zone": "No way leads from the zone on {places} to the cat and the food.",
    "nowhere": "Nobody can get to {places}.",
    "unused-food": "The food {letter} ({kind}) is not on the map.",
}
"""What findings say, by kind."""
KINDS = tuple(TEXTS)


def _find(about: str, *cells: int, **values: object) -> Finding:
    """Return a finding of this kind; `values` fill its text."""
    return Finding(about, say(TEXTS[about], **values), cells)


def findings(stage: Stage) -> list[Finding]:
    """Return the findings about a valid stage, in the order of KINDS.

    Every finding is certain; a stage without findings may still be unbalanced.
    """
    ground = _Ground(stage)
    told = itertools.chain.from_iterable(look(ground) for look in (_plans, _bounds, _food, _cells))
    return sorted(told, key=lambda finding: KINDS.index(finding.kind))


class _Ground:
    """Distances on a stage.

    cat : steps from the cat's start to each reachable cell. zone : reachable zone cells. walks : for each cell, the
    turns that a mouse from the zone needs without jumps. jumps : the least number of turns, if other mice are wherever
    they are useful to jump.
    """

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.cat = distances(stage.cat, stage.height, stage.width, stage.wall)
        self.zone = [cell for cell in self.cat if stage.zone[cell]]
        self.walks = self._turns(1)
        self.jumps = self._turns(stage.max_mice)

    def _turns(self, longest: int) -> dict[int, int]:
        """Return the turns to each cell by moves of at most `longest` cells in a straight line."""
        found = dict.fromkeys(self.zone, 0)
        edge = self.zone
        while edge:
            reached = dict.fromkeys(cell for start in edge for cell in self._straight(start, longest))
            turns = found[edge[0]] + 1
            edge = [cell for cell in reached if cell not in found]
            found |= dict.fromkeys(edge, turns)
        return found

    def _straight(self, start: int, longest: int) -> Iterator[int]:
        stage = self.stage
        for step in STEPS:
            cell = start
            for _ in range(longest):
                ahead = neighbours(cell, stage.height, stage.width, [step])
                if not ahead or stage.wall[ahead[0]]:
                    break
                cell = ahead[0]
                yield cell

    def open_diagonals(self, cell: int) -> int:
        """Return the number of diagonal neighbours of a cell that are not walls. [NZ-R17]"""
        stage = self.stage
        return sum(not stage.wall[near] for near in neighbours(cell, stage.height, stage.width, DIAGONALS))

    def is_safe(self, cell: int) -> bool:
        """Return whether a cat there is never surrounded: no open diagonal, or more of them than mice. [NZ-R17]"""
        return not 1 <= self.open_diagonals(cell) <= self.stage.max_mice

    def place(self, cell: int) -> str:
        """Return the cell as action texts write it."""
        return f"{cell // self.stage.width},{cell % self.stage.width}"

    def places(self, cells: Iterable[int]) -> str:
        """Return several cells as action texts write them."""
        return " ".join(map(self.place, cells))


def _plans(ground: _Ground) -> Iterator[Finding]:
    """Yield the plans that win whatever the other side does."""
    stage = ground.stage
    if _most(ground) < 0 and ground.is_safe(stage.cat):
        yield _find("cat-wins", stage.cat)
    whole = stage.turns + 1  # mg: cost of one mouse that stays on the board all game [NZ-R3]
    for food in _sure(ground):
        if stage.food[food] >= whole:
            yield _find("mice-win", food, mg=f"{stage.food[food]:,}", place=ground.place(food), charges=whole)
            return


def _most(ground: _Ground) -> int:
    """Return an upper bound of the mice's score without a surround, against a cat that captures nobody.

    To eat food that is k turns away they must have paid k charges; one charge if it is in the zone.
    """
    stage = ground.stage
    best, eaten = -1, 0  # nothing eaten: the charge of the placement [NZ-R5]
    for turns, food in sorted((ground.jumps[cell], cell) for cell, amount in enumerate(stage.food) if amount):
        if turns <= stage.turns:
            eaten += stage.food[food]
            best = max(best, eaten - max(1, turns))
    return best


def _sure(ground: _Ground) -> list[int]:
    """Return the foods that a single mouse can reach whatever the cat does.

    A mouse is safe on a cell where it arrives in turn n if the cat starts at least n + 2 steps away: the cat can
    neither react there nor step onto it in the next turn. The last step of the mouse may lead anywhere, because it
    eats before the cat reacts.
    """
    stage = ground.stage
    safe = {cell: 0 for cell in ground.zone if ground.cat[cell] >= 2}
    edge = list(safe)
    found = dict.fromkeys(cell for cell in ground.zone if stage.food[cell] and cell != stage.cat)
    for turn in range(1, stage.turns + 1):
        reached = [cell for start in edge for cell in neighbours(start, stage.height, stage.width)]
        reached = [cell for cell in dict.fromkeys(reached) if not stage.wall[cell]]
        found |= dict.fromkeys(cell for cell in reached if stage.food[cell])
        edge = [cell for cell in reached if cell not in safe and ground.cat[cell] >= turn + 2]
        safe |= dict.fromkeys(edge, turn)
    return list(found)


def _bounds(ground: _Ground) -> Iterator[Finding]:
    """Yield what cannot happen: a cat's step, a meeting, the quota, a surround, a score of 0 or more without one."""
    stage = ground.stage
    if len(ground.cat) == 1:
        yield _find("stuck-cat", stage.cat)
    near = {cell for cell, steps in ground.cat.items() if steps <= stage.turns}
    far = [cell for cell, turns in ground.jumps.items() if turns <= stage.turns]
    around = (*STEPS, *DIAGONALS, (0, 0))
    if not any(near.intersection(neighbours(cell, stage.height, stage.width, around)) for cell in far):
        yield _find("never-meet", turns=stage.turns)
    come = len(ground.zone) + stage.turns  # upper bound of the mice that can enter
    if min(ground.cat[cell] for cell in ground.zone) > 1 and come < stage.require:
        yield _find("no-quota", require=stage.require, mice=come, first=len(ground.zone))
    if all(map(ground.is_safe, ground.cat)):
        yield _find("no-surround", mice=stage.max_mice)
    if _most(ground) < 0:
        yield _find("no-pay")


def _food(ground: _Ground) -> Iterator[Finding]:
    """Yield food that is too far away or not on the map."""
    stage = ground.stage
    for cell, amount in enumerate(stage.food):
        if not amount:
            continue
        for about, needed in (("far-food", ground.jumps[cell]), ("jump-food", ground.walks[cell])):
            if needed > stage.turns:
                place = ground.place(cell)
                yield _find(about, cell, mg=f"{amount:,}", place=place, needed=needed, turns=stage.turns)
                break
    for food in stage.foods:
        if food.letter not in stage.letters:
            yield _find("unused-food", letter=food.letter, kind=food.kind)


def _cells(ground: _Ground) -> Iterator[Finding]:
    """Yield floor cells that are not connected to the cat."""
    stage = ground.stage
    apart = [cell for cell, zone in enumerate(stage.zone) if zone and cell not in ground.cat]
    if apart:
        yield _find("cut-off-zone", *apart, places=ground.places(apart))
    entered = {near for cell in apart for near in distances(cell, stage.height, stage.width, stage.wall)}
    lost = [cell for cell, wall in enumerate(stage.wall) if not (wall or cell in ground.cat or cell in entered)]
    if lost:
        yield _find("nowhere", *lost, places=ground.places(lost))


def numbers(stage: Stage) -> dict[str, Any]:
    """Return the stage in numbers.

    Returns
    -------
    dict
        The entries of `facts`, and walls (number of wall cells), cells_of_the_cat (number of cells that the cat can
        reach), cat_to_zone and zone_to_food (steps on the shortest way; zone_to_food is None without food), and
        one_mouse_costs_mg (cost of one mouse for the whole game).
    """
    ground = _Ground(stage)
    return {
        **facts(stage.name, stage),
        "walls": sum(stage.wall),
        "cells_of_the_cat": len(ground.cat),
        "cat_to_zone": min(ground.cat[cell] for cell in ground.zone),
        "zone_to_food": min((ground.walks[cell] for cell, amount in enumerate(stage.food) if amount), default=None),
        "one_mouse_costs_mg": stage.turns + 1,
    }
