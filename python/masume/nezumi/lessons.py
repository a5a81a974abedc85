"""Lessons of Nezumi, on stages of their own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..play.lessons import Lesson, Step, all_of, gained, happened, won
from .notation import CAT, MICE, REACT


def _stage(rows: str, mice: int = 3, quota: int = 2, turns: int = 9) -> dict[str, Any]:
    """Return the config of a stage whose rows are drawn as in a stage file; a is a crumb, b a cheese, c a ham."""
    head = f"nezumi-stage 1\nname: lesson\nmax_mice: {mice}\nrequire: {quota}\nturns: {turns}\n"
    foods = "food: a crumb 2mg\nfood: b cheese 8mg\nfood: c ham 30mg\n"
    return {"stage": f"{head}{foods}map:\n" + "".join(f"{row}\n" for row in rows.split())}


def _guard(state: Any, player: int) -> str:  # noqa: ARG001
    """Return what a cat does that captures whatever comes next to it, and never walks."""
    return "!" if state.to_dict()["phase"] == REACT else "-"


def _flee(state: Any, player: int) -> int:  # noqa: ARG001
    """Return what mice do that keep away from the cat."""

    def rate(code: int) -> tuple[bool, int]:
        after = state.clone()
        after.apply(code)
        found = after.to_dict()
        width = state.game.config.start_stage.width
        places = [divmod(cell, width) for cell, mouse in enumerate(found["mouse"]) if mouse]
        row, column = divmod(found["cat"], width)
        return found["phase"] != REACT, sum(abs(r - row) + abs(c - column) for r, c in places)

    return int(max(state.legal_actions().tolist(), key=rate))


def _met(steps: Sequence[Step], side: int) -> bool:
    """Return whether a mouse has come next to the cat."""
    return happened("enter")(steps, side)


LESSONS = (
    Lesson(
        name="cost",
        title="What a mouse costs",
        text="Every mouse on the stage costs 1 mg each turn: win with 5 mg or more after two turns.",
        hint="One mouse reaches the cheese, and a second one only costs.",
        config=_stage("b.ZZ. ..... ....C", turns=2),
        side=MICE,
        goal=all_of(won, gained(5)),
        par=6,
        most=12,
        solution=("0,2+", "-", "-", "0,2W", "-", "0,1W"),
        clauses=("NZ-14", "NZ-15", "NZ-16", "NZ-18", "NZ-23", "NZ-24", "NZ-50", "NZ-51"),
        opponents=_guard,
    ),
    Lesson(
        name="two-mice",
        title="Two mice",
        text="One mouse cannot be everywhere: eat both cheeses in two turns.",
        hint="Put a mouse on each cell of the zone, and send them apart.",
        config=_stage("b.Z.Z.b ....... ....... ...C...", mice=2, turns=2),
        side=MICE,
        goal=happened("eat", times=2),
        par=6,
        most=12,
        solution=("0,2+", "0,4+", "0,2W", "0,4E", "0,1W", "0,5E"),
        clauses=("NZ-6", "NZ-23", "NZ-26", "NZ-56"),
        opponents=_guard,
    ),
    Lesson(
        name="jump",
        title="Jump",
        text="A mouse jumps over the mice in its way: reach the cheese in one move.",
        hint="The left mouse goes right, and lands behind the others.",
        config=_stage("Z..... ...b.. .....C", mice=4),
        position="""
            Z.....
            Mmm8..
            .....C
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
    Lesson(
        name="jump-out",
        title="Jump into a wall",
        text="A mouse whose jump ends in a wall leaves, costs nothing, and may come back: let one leave.",
        hint="The free mouse jumps over the other one, where there is no room to land.",
        config=_stage("Z.... ...## ....C"),
        position="""
            Z....
            .Mm##
            ....C
            phase: MOVE
            turn: 1
        """,
        side=MICE,
        goal=happened("leave"),
        par=1,
        most=1,
        solution=("1,1E",),
        clauses=("NZ-32", "NZ-33", "NZ-34"),
    ),
    Lesson(
        name="every-mouse-moves",
        title="Every mouse must move",
        text="No mouse may rest: move both, and let none come next to the cat.",
        hint="Cells above, below, left and right of the cat are dangerous; the others are not.",
        config=_stage("Z.... ..C.. ..... ....."),
        position="""
            Z....
            ..C..
            .M.M.
            .....
            phase: MOVE
            turn: 1
        """,
        side=MICE,
        goal=happened("charge"),
        lost=_met,
        par=2,
        most=2,
        solution=("2,1W", "2,3E"),
        clauses=("NZ-27", "NZ-28", "NZ-35", "NZ-36", "NZ-38"),
        opponents=_guard,
    ),
    Lesson(
        name="around-the-cat",
        title="Around the cat",
        text="The cat captures what comes next to it: fetch the ham by a way around it.",
        hint="Go up first; a cell that touches the cat by a corner only is safe.",
        config=_stage("Z.... ...c. ..C.. .....", mice=1, quota=1),
        position="""
            Z....
            .M.$.
            ..C..
            .....
            phase: MOVE
            turn: 1
        """,
        side=MICE,
        goal=happened("eat"),
        lost=happened("capture"),
        par=4,
        most=6,
        solution=("1,1N", "0,1E", "0,2E", "0,3S"),
        clauses=("NZ-35", "NZ-36", "NZ-50", "NZ-51"),
        opponents=_guard,
    ),
    Lesson(
        name="corner-it",
        title="Corner the cat",
        text="Mice on all free diagonals around the cat win at once, whatever the score: surround it.",
        hint="Walls close the two upper corners; one mouse goes to each of the lower ones.",
        config=_stage(".#.#. ..C.. ..... Z...."),
        position="""
            .#.#.
            ..C..
            M...M
            Z....
            phase: MOVE
            turn: 3
            cost: 9
        """,
        side=MICE,
        goal=won,
        par=2,
        most=2,
        solution=("2,0E", "2,4W"),
        clauses=("NZ-7", "NZ-8", "NZ-9", "NZ-19"),
        opponents=_guard,
    ),
    Lesson(
        name="last-of-the-ring",
        title="The last of the ring",
        text="A mouse that is added may close the ring around the cat: win with it.",
        hint="Three corners are closed; put the mouse on the fourth.",
        config=_stage("..... .Z... Z.C.Z .Z.#. .....", mice=4),
        position="""
            .....
            .M.M.
            Z.C.Z
            .Z.#.
            .....
            phase: ADD
            turn: 3
        """,
        side=MICE,
        goal=won,
        par=1,
        most=1,
        solution=("3,1+",),
        clauses=("NZ-25", "NZ-48", "NZ-49"),
        opponents=_guard,
    ),
    Lesson(
        name="step-on",
        title="As the cat: step on",
        text="A step onto a mouse captures it and gives one more step: capture two mice in one turn.",
        hint="Both mice stand in a line to the right.",
        config=_stage("Z.... .C... ..... .....", mice=4, quota=3),
        position="""
            Z....
            .CMM.
            .....
            ...M.
            phase: CAT1
            turn: 3
        """,
        side=CAT,
        goal=happened("capture", times=2),
        par=2,
        most=2,
        solution=("E", "E"),
        clauses=("NZ-10", "NZ-40", "NZ-41", "NZ-42", "NZ-43", "NZ-44"),
    ),
    Lesson(
        name="leave-one-alone",
        title="As the cat: leave one alone",
        text="A mouse has come next to you: leave it as a foothold, and capture two in your turn.",
        hint="Do not capture now; in your turn step onto it, and on to the next one.",
        config=_stage("Z.... ..... ..C.. .....", mice=4, quota=3),
        position="""
            Z....
            .....
            ..Cmm
            .....
            phase: REACT
            turn: 2
            react: 2,3 MOVE
        """,
        side=CAT,
        goal=happened("capture", times=2),
        par=3,
        most=3,
        solution=("-", "E", "E"),
        clauses=("NZ-36", "NZ-37", "NZ-39", "NZ-46"),
        opponents=_flee,
    ),
    Lesson(
        name="make-it-dear",
        title="As the cat: make it dear",
        text="Each captured mouse makes the others cost more: capture one, so that the score falls below 0.",
        hint="The mice have 5 mg left, and four of them cost 4; after a capture three cost 6.",
        config=_stage("Z.... b.b.. ..C.. ..... .....", mice=5, quota=4, turns=3),
        position="""
            Z...M
            ....M
            .MC..
            .....
            ....M
            phase: CAT1
            turn: 3
            food: 16
            cost: 11
        """,
        side=CAT,
        goal=won,
        par=2,
        most=2,
        solution=("W", "-"),
        clauses=("NZ-11", "NZ-13", "NZ-16", "NZ-17", "NZ-18"),
        opponents=_flee,
    ),
)
