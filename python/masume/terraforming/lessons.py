"""Terraforming's lessons: small boards on which each shows one thing that decides games."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..core._state import State
from ..play.lessons import Goal, Lesson, Step, all_of, answered, won
from . import hexes
from .buildings import BRIDGE, FACTORY, PARK, PIT, PLAZA, PUBLIC, SHIELD, TOWER
from .hexes import Cell

TINY: dict[str, Any] = {"radius": 1, "max_turns": 30}
SMALL: dict[str, Any] = {"radius": 2, "max_turns": 30}
LARGE: dict[str, Any] = {"radius": 3, "max_turns": 30}
FIRST = "player 0\nply 1\n"
LAST = "player 0\nply 88\n"  # the last turn of player 0 of 30


def _owns(*cells: Cell) -> Goal:
    """Return the goal of owning these cells."""
    return lambda steps, side: all(_of(steps[-1].state, "owner", cell) == side for cell in cells)


def _has_built(building: int, cell: Cell) -> Goal:
    """Return the goal that a building stands on a cell."""
    return lambda steps, side: _of(steps[-1].state, "building", cell) == building  # noqa: ARG005


def _has_shot(cell: Cell) -> Goal:
    """Return the goal that the robots on a cell are fewer than at the beginning."""
    return lambda steps, side: _of(steps[-1].state, "robots", cell) < _of(steps[0].state, "robots", cell)  # noqa: ARG005


def _is_next_turn(steps: Sequence[Step], side: int) -> bool:  # noqa: ARG001
    """Return whether the turn in which the lesson began has been answered."""
    return bool(steps[-1].state.to_dict()["ply"] > steps[0].state.to_dict()["ply"])


def _of(state: State, name: str, cell: Cell) -> int:
    """Return a variable of a cell."""
    values = state.to_dict()[name]
    return int(values[hexes.indices(hexes.radius_of(len(values)))[cell]])


LESSONS: Sequence[Lesson] = (
    Lesson(
        name="take-land",
        title="Take land",
        text="Robots take the land they walk on: press them, then the cell to the right, finish, and do it all again.",
        hint="Press the robots, the cell on their right, and finish the turn; then do the same from there.",
        config=SMALL,
        position=FIRST + ". . . / . . . . / . . AI4 . . / . . . . / . . .",
        side=0,
        goal=_owns((1, 0), (2, 0)),
        par=3,
        most=6,
        solution=("move 0 0 r 4", "finish", "move 1 0 r 4"),
        clauses=("TF-5", "TF-27", "TF-32", "TF-35", "TF-37"),
    ),
    Lesson(
        name="park",
        title="Park",
        text="A park needs 2 robots on its cell, and 4 cells of land there and around: choose the park, then a cell.",
        hint="Press park, then the cell with 2 robots in the middle, and finish the turn.",
        config=SMALL,
        position=FIRST + ". . . / . a1 a1 . / . a1 a2 . . / . a3 . . / . . .",
        side=0,
        goal=_has_built(PARK, (0, 0)),
        par=1,
        most=1,
        solution=("build 0 0 park",),
        clauses=("TF-6", "TF-8", "TF-21", "TF-44", "TF-45", "TF-46", "TF-47", "TF-53", "TF-R24"),
    ),
    Lesson(
        name="move-or-build",
        title="Move or build",
        text="A turn is for moves or one building: move the 1 robot up to the left, finish, and build a park on the 2.",
        hint="Press the 1 robot, the cell up to its left, and finish; then press park, the 2 robots, and finish.",
        config=SMALL,
        position=FIRST + ". . . / . # . . / . a0 a2 a1 . / . # # . / . . .",
        side=0,
        goal=_has_built(PARK, (0, 0)),
        par=3,
        most=5,
        solution=("move 1 0 ul 1", "finish", "build 0 0 park"),
        clauses=("TF-12", "TF-30", "TF-31", "TF-43"),
    ),
    Lesson(
        name="fight",
        title="Fight one for one",
        text="Robots fall one for one, and at equal numbers the cell stays: send your 8 and then your 2 against the 9.",
        hint="Press the 8 robots, then the 9; press the 2, then the one that is left; and finish the turn.",
        config=SMALL,
        position=FIRST + ". . . / . . . . / . a2 b9 a8 . / . . . . / . . .",
        side=0,
        goal=_owns((0, 0)),
        par=2,
        most=3,
        solution=("move 1 0 l 8", "move -1 0 r 2"),
        clauses=("TF-7", "TF-38", "TF-39", "TF-40", "TF-R21"),
    ),
    Lesson(
        name="developed-land",
        title="Developed land is closed",
        text="No enemy can enter a cell with a building: build a park on your 3 robots before the 30 beside them come.",
        hint="Press park, then the cell with 3 robots, and finish the turn.",
        config=SMALL,
        position=FIRST + ". . . / . . a0 . / . b30 a3 a0 . / . . a0 . / . . .",
        side=0,
        goal=answered(all_of(_is_next_turn, _has_built(PARK, (0, 0)))),
        par=2,
        most=2,
        solution=("build 0 0 park", "finish"),
        opponents=("move -1 0 r 30", "finish"),
        lost=answered(_is_next_turn),
        clauses=("TF-9", "TF-15", "TF-36"),
    ),
    Lesson(
        name="bridge",
        title="Bridge",
        text="Robots in a hole are stuck without a bridge: move 11 or more in, finish, and build the bridge.",
        hint="Press the 12 robots, then the hole, and finish the turn; then press bridge, the hole, and finish.",
        config=SMALL,
        position=FIRST + ". . . / . a0 a0 . / . a0 # a12 . / . . . . / . . .",
        side=0,
        goal=_has_built(BRIDGE, (0, 0)),
        par=3,
        most=5,
        solution=("move 1 0 l 12", "finish", "build 0 0 bridge"),
        clauses=("TF-10", "TF-11", "TF-16", "TF-41", "TF-48"),
    ),
    Lesson(
        name="drill",
        title="Drill",
        text="A drill adds 1 Material to each of your cells around it: build it where you have 21 robots.",
        hint="Press drill, then the cell with 21 robots, and finish the turn.",
        config=SMALL,
        position=FIRST + ". . . / . a1 a1 . / . a1 a2 a21 a1 / . a22 a1 . / . . .",
        side=0,
        goal=_has_built(PIT, (1, 0)),
        par=1,
        most=1,
        solution=("build 1 0 pit",),
        clauses=("TF-45", "TF-52"),
    ),
    Lesson(
        name="factory",
        title="Factory",
        text="A factory makes 1 robot at the start of each of your turns: build it on your 51 robots, and finish.",
        hint="Press factory, then the cell with 51 robots, and finish the turn.",
        config=SMALL,
        position=FIRST + ". . . / . a1 a1 . / . a1 a51 . . / . . . . / . . .",
        side=0,
        goal=answered(all_of(_is_next_turn, _has_built(FACTORY, (0, 0)))),
        par=2,
        most=2,
        solution=("build 0 0 factory", "finish"),
        lost=answered(_is_next_turn),
        clauses=("TF-28", "TF-44", "TF-51"),
    ),
    Lesson(
        name="shield",
        title="Shield",
        text="A shield doubles your robots next to it while others move: save your 10 from the 15 that come for them.",
        hint="Press shield, then the cell with 27 robots, and finish the turn.",
        config=SMALL,
        position=FIRST + ". . . / . a0 a0 . / b15 a10 a27 a0 . / . . a0 . / . . .",
        side=0,
        goal=answered(all_of(_is_next_turn, _has_built(SHIELD, (0, 0)), _owns((-1, 0)))),
        par=2,
        most=2,
        solution=("build 0 0 shield", "finish"),
        opponents=("move -2 0 r 15", "finish"),
        lost=answered(_is_next_turn),
        clauses=("TF-29", "TF-33", "TF-49"),
    ),
    Lesson(
        name="tower",
        title="Tower",
        text="A tower shoots a tenth of the nearest enemy robots after your turn: build it on your 26, and finish.",
        hint="Press tower, then the cell with 26 robots, and finish the turn.",
        config=SMALL,
        position=FIRST + ". . . / . a1 a1 b40 / . a1 a26 . . / . a1 . . / . . .",
        side=0,
        goal=all_of(_has_built(TOWER, (0, 0)), _has_shot((2, -1))),
        par=2,
        most=2,
        solution=("build 0 0 attack", "finish"),
        lost=answered(_is_next_turn),
        clauses=("TF-34", "TF-50"),
    ),
    Lesson(
        name="square",
        title="Square",
        text="A square, for Material 9, makes parks of all your land around it: build it in the middle.",
        hint="Press square, then the cell in the middle, and finish the turn.",
        config=SMALL,
        position=FIRST + ". . . / . a2 AX0 . / . a2 a2 a2 . / . AX0 a2 . / . . .",
        side=0,
        goal=_has_built(PLAZA, (0, 0)),
        par=1,
        most=1,
        solution=("build 0 0 square",),
        clauses=("TF-52", "TF-54"),
    ),
    Lesson(
        name="public-hall",
        title="Public hall",
        text="A public hall, for Material 19, develops land two cells far and pays 10 more: build it in the middle.",
        hint="Press public hall, then the cell in the middle, and finish the turn.",
        config=LARGE,
        position=FIRST
        + ". . . . / . AX0 AX0 AX0 . / . AX0 a2 a2 AX0 . / . AX0 a2 a2 a2 AX0 . / "
        + ". AX0 a2 a2 AX0 . / . . a0 a0 . / . . . .",
        side=0,
        goal=_has_built(PUBLIC, (0, 0)),
        par=1,
        most=1,
        solution=("build 0 0 public",),
        clauses=("TF-20", "TF-55"),
    ),
    Lesson(
        name="all-developed",
        title="No land is left",
        text="When every cell is developed, the game ends; you lead, so build a park on the last cell, and finish.",
        hint="Press park, then the cell in the middle, and finish the turn.",
        config=TINY,
        position=FIRST + "AX0 AX0 / BP0 a2 AX0 / BP0 CP0",
        side=0,
        goal=won,
        par=2,
        most=2,
        solution=("build 0 0 park", "finish"),
        clauses=("TF-17", "TF-R31"),
    ),
    Lesson(
        name="last-turn",
        title="The last turn",
        text="It is the last turn, 4 points to 6, and a tie goes to the later player: take three cells, and finish.",
        hint="Press each of your three groups of robots, and the cell on its right; then finish the turn.",
        config=SMALL,
        position=LAST + ". . BP0 / . a1 . BP0 / . a0 a2 . . / . a1 . . / . . .",
        side=0,
        goal=won,
        par=4,
        most=6,
        solution=("move 0 -1 r 1", "move 0 0 r 2", "move -1 1 r 1", "finish"),
        clauses=("TF-2", "TF-18", "TF-19", "TF-21", "TF-22", "TF-R32"),
    ),
)
