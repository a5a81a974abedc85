"""Lessons of Nezumi, on stages of their own."""

from __future__ import annotations

from typing import Any

from ..play.lessons import Lesson, happened
from .notation import MICE


def _stage(rows: str, mice: int = 3, quota: int = 2, turns: int = 9) -> dict[str, Any]:
    """Return the config of a stage whose rows are drawn as in a stage file; a is a crumb, b a cheese, c a ham."""
    head = f"nezumi-stage 1\nname: lesson\nmax_mice: {mice}\nrequire: {quota}\nturns: {turns}\n"
    foods = "food: a crumb 2mg\nfood: b cheese 8mg\nfood: c ham 30mg\n"
    return {"stage": f"{head}{foods}map:\n" + "".join(f"{row}\n" for row in rows.split())}


LESSONS = (
    Lesson(
        name="jump",
        title="Jump",
        text="A mouse jumps over the mice in its way: reach the cheese in one move.",
        hint="The left mouse goes right, and lands behind the other one.",
        config=_stage("Z.... ..b.. ....C"),
        position="""
            Z....
            Mm8..
            ....C
            phase: MOVE
            turn: 1
        """,
        side=MICE,
        goal=happened("eat"),
        par=1,
        most=1,
        solution=("1,0E",),
        clauses=("NZ-29", "NZ-30", "NZ-31", "NZ-51"),
    ),
)
