"""What an author may not have meant: what is certain about a stage, found without playing."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from ..stages import DIAGONALS, STEPS, Stage, distances, facts, neighbours


class Finding(NamedTuple):
    """What an author may not have meant. kind : one of KINDS. text : a sentence. cells : where, if anywhere."""

    kind: str
    text: str
    cells: tuple[int, ...] = ()


KINDS = (
    "cat-wins",  # the cat has a plan that no mice can beat
    "mice-win",  # the mice have a plan that no cat can beat
    "stuck-cat",  # the cat cannot move
    "never-meet",  # cat and mice stay apart
    "no-quota",  # the quota of captures cannot be met
    "no-surround",  # no cell is one where the cat can be surrounded
    "no-pay",  # the food does not pay for the way to it
    "far-food",  # food that no mouse can get to in time
    "jump-food",  # food that only jumps get to in time
    "cut-off-zone",  # zone cells without a way to the cat
    "nowhere",  # cells that nobody can get to
    "unused-food",  # food that is described and not on the map
)


def findings(stage: Stage) -> list[Finding]:
    """What is odd about a valid stage, in the order of KINDS; nothing is said that is not certain."""
    ground = _Ground(stage)
    told = itertools.chain.from_iterable(look(ground) for look in (_plans, _bounds, _food, _cells))
    return sorted(told, key=lambda finding: KINDS.index(finding.kind))


class _Ground:
    """How far it is on a stage.

    cat : steps from the cat's start to each cell that it can get to. zone : the cells of the zone among them.
    jumps : by cell the turns that a mouse from there needs at least, if others stand wherever it could jump.
    walks : the same without jumps.
    """

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.cat = distances(stage.cat, stage.height, stage.width, stage.wall)
        self.zone = [cell for cell in self.cat if stage.zone[cell]]
        self.walks = self._turns(1)
        self.jumps = self._turns(stage.max_mice)

    def _turns(self, longest: int) -> dict[int, int]:
        """Turns to each cell by moves of up to so many cells straight on."""
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
        """How many diagonal neighbours of a cell are no wall. [NZ-R17]"""
        stage = self.stage
        return sum(not stage.wall[near] for near in neighbours(cell, stage.height, stage.width, DIAGONALS))

    def is_safe(self, cell: int) -> bool:
        """Whether a cat there is never surrounded: nothing is open, or more than there are mice. [NZ-R17]"""
        return not 1 <= self.open_diagonals(cell) <= self.stage.max_mice

    def place(self, cell: int) -> str:
        """The cell as action texts write it."""
        return f"{cell // self.stage.width},{cell % self.stage.width}"

    def places(self, cells: Iterable[int]) -> str:
        """Several of them."""
        return " ".join(map(self.place, cells))


def _plans(ground: _Ground) -> Iterator[Finding]:
    """Plans that win whatever the other side does."""
    stage = ground.stage
    if _most(ground) < 0 and ground.is_safe(stage.cat):
        yield Finding(
            "cat-wins",
            "The cat wins by staying where it is and capturing nobody: it is never surrounded there, and the food does "
            "not pay for the way to it.",
            (stage.cat,),
        )
    whole = stage.turns + 1  # what a mouse costs that is on the board from first to last [NZ-R3]
    for food in _sure(ground):
        if stage.food[food] >= whole:
            yield Finding(
                "mice-win",
                f"The mice win with a single mouse: no cat can keep it from the {stage.food[food]:,} mg on "
                f"{ground.place(food)}, which pay for all {whole} charges.",
                (food,),
            )
            return


def _most(ground: _Ground) -> int:
    """A score that the mice cannot beat, against a cat that captures nobody, without a surround.

    To eat food that is k turns away they must have paid k charges, or one where it is in the zone.
    """
    stage = ground.stage
    best, eaten = -1, 0  # nothing eaten: the charge of the placement [NZ-R5]
    for turns, food in sorted((ground.jumps[cell], cell) for cell, amount in enumerate(stage.food) if amount):
        if turns <= stage.turns:
            eaten += stage.food[food]
            best = max(best, eaten - max(1, turns))
    return best


def _sure(ground: _Ground) -> list[int]:
    """The foods that a single mouse gets to, whatever the cat does.

    A mouse is safe on a cell where it arrives in turn n if the cat started n + 2 steps away or farther: it can neither
    react there nor step onto it in the next turn. Its last step may lead anywhere, as it eats before the cat reacts.
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
    """What cannot happen: a step of the cat, a meeting, the quota, a surround, a score of the mice without one."""
    stage = ground.stage
    if len(ground.cat) == 1:
        yield Finding("stuck-cat", "The cat cannot move: there are walls on all its sides.", (stage.cat,))
    near = {cell for cell, steps in ground.cat.items() if steps <= stage.turns}
    far = [cell for cell, turns in ground.jumps.items() if turns <= stage.turns]
    around = (*STEPS, *DIAGONALS, (0, 0))
    if not any(near.intersection(neighbours(cell, stage.height, stage.width, around)) for cell in far):
        yield Finding("never-meet", f"Cat and mice cannot meet in {stage.turns} turns: nothing but the food decides.")
    come = len(ground.zone) + stage.turns  # of whom the cat may capture some, each time it can be put there
    if min(ground.cat[cell] for cell in ground.zone) > 1 and come < stage.require:
        yield Finding(
            "no-quota",
            f"The quota of {stage.require} captures cannot be met: no more than {come} mice can come in, "
            f"{len(ground.zone)} at first and one a turn.",
        )
    if all(map(ground.is_safe, ground.cat)):
        yield Finding(
            "no-surround",
            f"Nowhere can {stage.max_mice} mice surround the cat: each cell has more open diagonals, or none.",
        )
    if _most(ground) < 0:
        yield Finding(
            "no-pay",
            "The food does not pay for the way to it: against a cat that captures nobody the mice need a surround.",
        )


def _food(ground: _Ground) -> Iterator[Finding]:
    """Food that is too far away, or not there."""
    stage = ground.stage
    for cell, amount in enumerate(stage.food):
        if amount and ground.jumps[cell] > stage.turns:
            yield Finding(
                "far-food",
                f"No mouse can get to the {amount:,} mg on {ground.place(cell)}: even with jumps it takes "
                f"{ground.jumps[cell]} turns, and there are {stage.turns}.",
                (cell,),
            )
        elif amount and ground.walks[cell] > stage.turns:
            yield Finding(
                "jump-food",
                f"Without jumps no mouse gets to the {amount:,} mg on {ground.place(cell)}: it takes "
                f"{ground.walks[cell]} turns, and there are {stage.turns}.",
                (cell,),
            )
    for food in stage.foods:
        if food.letter not in stage.letters:
            yield Finding("unused-food", f"The food {food.letter} ({food.kind}) is not on the map.")


def _cells(ground: _Ground) -> Iterator[Finding]:
    """Cells that are no wall and have no way to the cat."""
    stage = ground.stage
    apart = [cell for cell, zone in enumerate(stage.zone) if zone and cell not in ground.cat]
    if apart:
        yield Finding(
            "cut-off-zone",
            f"No way leads from the zone on {ground.places(apart)} to the cat and the food.",
            tuple(apart),
        )
    entered = {near for cell in apart for near in distances(cell, stage.height, stage.width, stage.wall)}
    lost = [cell for cell, wall in enumerate(stage.wall) if not (wall or cell in ground.cat or cell in entered)]
    if lost:
        yield Finding("nowhere", f"Nobody can get to {ground.places(lost)}.", tuple(lost))


def numbers(stage: Stage) -> dict[str, Any]:
    """The stage in numbers: `facts`, and how far it is. Distances are in steps."""
    ground = _Ground(stage)
    return {
        **facts(stage.name, stage),
        "walls": sum(stage.wall),
        "cells_of_the_cat": len(ground.cat),
        "cat_to_zone": min(ground.cat[cell] for cell in ground.zone),
        "zone_to_food": min((ground.walks[cell] for cell, amount in enumerate(stage.food) if amount), default=None),
        "one_mouse_costs_mg": stage.turns + 1,
    }
