"""Lessons of Kakomimasu, on small boards."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..play.lessons import Goal, Lesson, Step, gained, happened, won

CONFLICT = 1
"""The result code of an action that shares its target with another one. [section 6]"""


def _board(points: str, n_agents: int = 1, total_turns: int = 20) -> dict[str, Any]:
    """Return the config of a board whose points are drawn row by row."""
    rows = [list(map(int, row.split())) for row in points.strip().splitlines()]
    return {
        "width": len(rows[0]), "height": len(rows), "points": [point for row in rows for point in row],
        "n_agents": n_agents, "total_turns": total_turns,
    }  # fmt: skip


def _stand(*places: tuple[int, int]) -> Goal:
    """Return the goal that the learner's agents stand on these cells, (x, y) by agent."""

    def is_reached(steps: Sequence[Step], side: int) -> bool:
        found = steps[-1].state.to_dict()
        width: int = found["config"]["width"]
        return bool(found["pos"][side] == [y * width + x for x, y in places])

    return is_reached


LESSONS = (
    Lesson(
        name="place",
        title="Place a mason",
        text="A mason may be placed on any free cell, and builds a wall there: take the best cell.",
        hint="The best cell has the largest number, 9.",
        config=_board(
            """
            1  2  1 -3
            0  4  1  2
            2 -5  9  1
            1  1  0  3
            """
        ),
        side=0,
        goal=gained(9),
        par=1,
        most=1,
        solution=(("PUT 2,2",),),
        clauses=("KM-2", "KM-8", "KM-10", "KM-12", "KM-14", "KM-15", "KM-17", "KM-18"),
    ),
    Lesson(
        name="walk-and-build",
        title="Walk and build",
        text="Every step builds a wall, and the points of the walls are yours: gain 15 in three steps.",
        hint="Diagonal steps are allowed.",
        config=_board(
            """
            0  1  1  1
            1  4  1  1
            1  1  5  1
            1  1  1  6
            """
        ),
        position="""
            A...
            ....
            ....
            ....
            agents: A0@0,0 B0@unplaced
        """,
        side=0,
        goal=gained(15),
        par=3,
        most=3,
        solution=(("MOVE 1,1",), ("MOVE 2,2",), ("MOVE 3,3",)),
        clauses=("KM-1", "KM-2", "KM-16", "KM-22", "KM-23", "KM-55", "KM-57"),
    ),
    Lesson(
        name="minus-cells",
        title="Minus cells",
        text="A wall on a minus cell costs its points: gain 10 in two steps.",
        hint="Go around the -5, along the top.",
        config=_board(
            """
            0  1  0  0
            2 -5  9  0
            0  0  0  0
            """
        ),
        position="""
            ....
            A...
            ....
            agents: A0@0,1 B0@unplaced
        """,
        side=0,
        goal=gained(10),
        par=2,
        most=2,
        solution=(("MOVE 1,0",), ("MOVE 2,1",)),
        clauses=("KM-4", "KM-46"),
    ),
    Lesson(
        name="close-a-fence",
        title="Close a fence",
        text="A closed fence makes all land inside yours: gain 31 points with one step.",
        hint="One wall is missing, on the right.",
        config=_board(
            """
            0  0  0  0
            0  9 -8  0
            0 -1 10  3
            0  0  0  0
            """
        ),
        position="""
            AAAA
            A..A
            A...
            AAAA
            agents: A0@2,3 B0@unplaced
        """,
        side=0,
        goal=gained(31),
        par=1,
        most=1,
        solution=(("MOVE 3,2",),),
        clauses=("KM-3", "KM-4", "KM-37", "KM-45", "KM-47", "KM-48"),
    ),
    Lesson(
        name="corners",
        title="Corners must be built",
        text="Walls that touch by a corner only leave a gap: close this fence with one step.",
        hint="The gap is the empty corner at the top left.",
        config=_board(
            """
            0  0  0  0
            0  4  4  0
            0  4  4  0
            0  0  0  0
            """
        ),
        position="""
            .AAA
            A..A
            A..A
            AAAA
            agents: A0@1,0 B0@unplaced
        """,
        side=0,
        goal=gained(16),
        par=1,
        most=1,
        solution=(("MOVE 0,0",),),
        clauses=("KM-37", "KM-38"),
    ),
    Lesson(
        name="tear-down",
        title="Tear down a wall",
        text="You cannot walk onto an enemy wall: remove it, then take the 9 in its place.",
        hint="First remove the wall on the right, then step there.",
        config=_board(
            """
            0  0  0  0
            0  9  1  0
            0  0  0  0
            """
        ),
        position="""
            ....
            AB..
            ....
            agents: A0@0,1 B0@unplaced
        """,
        side=0,
        goal=gained(9),
        par=2,
        most=2,
        solution=(("REMOVE 1,1",), ("MOVE 1,1",)),
        clauses=("KM-5", "KM-19", "KM-24", "KM-27", "KM-32", "KM-33"),
    ),
    Lesson(
        name="one-cell-for-two",
        title="One cell for two",
        text="Two who want the same cell both stay where they are: keep the enemy off the 9.",
        hint="The enemy is about to step onto the 9; step there, too.",
        config=_board(
            """
            0  0  0  0  0
            1  2  9  2  1
            0  0  0  0  0
            """
        ),
        position="""
            .....
            .A.B.
            .....
            agents: A0@1,1 B0@3,1
        """,
        side=0,
        goal=happened("action", player=1, result=CONFLICT),
        par=1,
        most=1,
        solution=(("MOVE 2,1",),),
        clauses=("KM-6", "KM-7", "KM-20", "KM-25", "KM-30", "KM-35"),
        opponents=(("MOVE 2,1",),),
    ),
    Lesson(
        name="follow",
        title="Follow each other",
        text="A mason may step onto a cell that another one leaves: move both one cell to the right.",
        hint="Order both in the same turn, each to the right.",
        config=_board(
            """
            0  0  0  0
            1  2  7  0
            0  0  0  0
            """,
            n_agents=2,
        ),
        position="""
            ....
            AA..
            ....
            agents: A0@0,1 A1@1,1 B0@unplaced B1@unplaced
        """,
        side=0,
        goal=_stand((1, 1), (2, 1)),
        par=1,
        most=1,
        solution=(("MOVE 1,1", "MOVE 2,1"),),
        clauses=("KM-16", "KM-26", "KM-36"),
    ),
    Lesson(
        name="land-stays",
        title="Land stays",
        text="Land stays yours when its fence is gone: remove your wall on the -9.",
        hint="Your mason stands next to it: remove, not move.",
        config=_board(
            """
            0  0  0  0
            0  5  5  0
            0  5  5 -9
            0  0  0  0
            """
        ),
        position="""
            AAAA
            AaaA
            AaaA
            AAAA
            agents: A0@3,1 B0@unplaced
        """,
        side=0,
        goal=gained(9),
        par=1,
        most=1,
        solution=(("REMOVE 3,2",),),
        clauses=("KM-27", "KM-28", "KM-39", "KM-40"),
    ),
    Lesson(
        name="wall-inside",
        title="A wall in your land",
        text="An enemy wall inside your fence is not your land: make it yours, and gain 8.",
        hint="Remove the wall; the cell lies inside your fence.",
        config=_board(
            """
            0  0  0  0
            0  3  8  0
            0  3  3  0
            0  0  0  0
            """
        ),
        position="""
            AAAA
            AaBA
            AaaA
            AAAA
            agents: A0@3,1 B0@unplaced
        """,
        side=0,
        goal=gained(8),
        par=1,
        most=1,
        solution=(("REMOVE 2,1",),),
        clauses=("KM-28", "KM-41", "KM-44"),
    ),
    Lesson(
        name="nesting",
        title="A fence in a fence",
        text="The innermost fence owns its land: break the enemy's with one action, and gain 14.",
        hint="Any wall of the inner fence will do that has points: remove the 4.",
        config=_board(
            """
            0  0  0  0  0
            0  4  1  1  0
            0  1 10  1  0
            0  1  1  1  0
            0  0  0  0  0
            """
        ),
        position="""
            AAAAA
            ABBBA
            ABbBA
            ABBBA
            AAAAA
            agents: A0@0,0 B0@unplaced
        """,
        side=0,
        goal=gained(14),
        par=1,
        most=1,
        solution=(("REMOVE 1,1",),),
        clauses=("KM-11", "KM-42", "KM-43", "KM-44"),
    ),
    Lesson(
        name="last-turn",
        title="The last turn",
        text="At equal points more wall points win: win in this last turn.",
        hint="You have 5 points and the enemy 8, of which 5 are walls: take the 3.",
        config=_board(
            """
            5  2  0  0  0
            3  1  0  3  0
            0  1  0  5  0
            """
        ),
        position="""
            A.BBB
            ..BbB
            ..BBB
            agents: A0@0,0 B0@4,2
            played: 19
        """,
        side=0,
        goal=won,
        par=1,
        most=1,
        solution=(("MOVE 0,1",),),
        clauses=("KM-45", "KM-49", "KM-50", "KM-51", "KM-58"),
    ),
)
