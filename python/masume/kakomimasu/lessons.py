"""Lessons of Kakomimasu, on small boards."""

from __future__ import annotations

from typing import Any

from ..play.lessons import Lesson, gained


def _board(points: str, n_agents: int = 1, total_turns: int = 20) -> dict[str, Any]:
    """Return the config of a board whose points are drawn row by row."""
    rows = [list(map(int, row.split())) for row in points.strip().splitlines()]
    return {
        "width": len(rows[0]), "height": len(rows), "points": [point for row in rows for point in row],
        "n_agents": n_agents, "total_turns": total_turns,
    }  # fmt: skip


LESSONS = (
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
        clauses=("KM-3", "KM-37", "KM-47", "KM-48"),
    ),
)
