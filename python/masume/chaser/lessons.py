"""CHaser's lessons: small fields on which each shows one thing that decides games."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..play.lessons import Goal, Lesson, Step, all_of, answered
from .maps import BLOCK, FLOOR, ITEM, Map
from .notation import CODES, REASONS

MARKS = {"#": BLOCK, "*": ITEM}
WAITS = ("lu",) * 9
"""What Hot plays where it only waits: it looks up."""


def _field(*rows: str, turns: int = 30) -> dict[str, Any]:
    """Return the config of a field: `.` is floor, `#` a block, `*` an item, C and H are the players."""
    cells = tuple(tuple(MARKS.get(mark, FLOOR) for mark in row) for row in rows)
    cool, hot = ((r, row.index(mark)) for mark in "CH" for r, row in enumerate(rows) if mark in row)
    return {"map": Map(cells, cool, hot, turns)}


def _takes(items: int) -> Goal:
    """Return the goal of having so many items, in a game that goes on."""

    def is_reached(steps: Sequence[Step], side: int) -> bool:
        state = steps[-1].state
        return not state.is_terminal() and state.to_dict()["items"][side] >= items

    return is_reached


def _stands_on(row: int, column: int) -> Goal:
    """Return the goal of standing on a cell."""

    def is_reached(steps: Sequence[Step], side: int) -> bool:
        place = steps[-1].state.to_dict()
        return bool((place["row"][side], place["col"][side]) == (row, column))

    return is_reached


def _begins_with(method: str) -> Goal:
    """Return the goal of having played a method first."""
    return lambda steps, side: len(steps) > 1 and steps[1].move == CODES.index(method)  # noqa: ARG005


def _wins_by(reason: str) -> Goal:
    """Return the goal of winning for a reason. [section 8]"""

    def is_reached(steps: Sequence[Step], side: int) -> bool:
        end = steps[-1].state.to_dict()
        return bool(end["winner"] == side and end["reason"] == REASONS.index(reason))

    return is_reached


LESSONS: Sequence[Lesson] = (
    Lesson(
        name="walk-to-an-item",
        title="Walk to an item",
        text="Walk up, then right onto the item; the cell you come from becomes a block, so you cannot go back.",
        hint="Press the cell above you, then the item beside it.",
        side=0,
        config=_field(
            ".....",
            "...*.",
            "..C..",
            ".....",
            "H....",
        ),
        goal=_takes(1),
        par=2,
        most=4,
        solution=("wu", "wr"),
        opponents=WAITS,
        clauses=("CH-15", "CH-25", "CH-27", "CH-28"),
    ),
    Lesson(
        name="look",
        title="Look into the dark",
        text="You see only the cells around you: look up before you walk, and take the item that you find there.",
        hint="Choose look, and press above you; then walk up twice, and left onto the item.",
        side=0,
        config=_field(
            "......",
            ".*....",
            "......",
            "..C...",
            "......",
            ".....H",
        ),
        goal=all_of(_begins_with("lu"), _takes(1)),
        par=4,
        most=7,
        solution=("lu", "wu", "wu", "wl"),
        opponents=WAITS,
        clauses=("CH-7", "CH-29", "CH-30", "CH-37"),
    ),
    Lesson(
        name="search",
        title="Search along a line",
        text="Search right: it shows nine cells in one line, farther than a look; then walk to the item.",
        hint="Choose search, and press to the right; then walk right three times.",
        side=0,
        config=_field(
            "#######",
            "C..*..#",
            "#######",
            ".......",
            "......H",
        ),
        goal=all_of(_begins_with("sr"), _takes(1)),
        par=4,
        most=7,
        solution=("sr", "wr", "wr", "wr"),
        opponents=WAITS,
        clauses=("CH-31",),
    ),
    Lesson(
        name="around-a-block",
        title="Do not walk into a block",
        text="Walking into a block, or off the field, loses at once: go around the block on your right to the item.",
        hint="Walk up, right, right, and down onto the item.",
        side=0,
        config=_field(
            "......",
            ".C#*..",
            "......",
            ".....H",
        ),
        moves=("lr", "lu"),
        goal=_takes(1),
        par=4,
        most=7,
        solution=("wu", "wr", "wr", "wd"),
        opponents=WAITS,
        clauses=("CH-19",),
    ),
    Lesson(
        name="dead-end",
        title="Leave a dead end alone",
        text="Take the item on the right: the left one is in a dead end, and the block behind you would shut you in.",
        hint="Walk right twice.",
        side=0,
        config=_field(
            "######",
            "#*C.*.",
            "##.###",
            ".....H",
        ),
        moves=("ll", "lu", "lr", "lu"),
        goal=_takes(1),
        par=2,
        most=3,
        solution=("wr", "wr"),
        opponents=WAITS,
        clauses=("CH-15", "CH-18"),
    ),
    Lesson(
        name="put-on-the-other",
        title="Put a block on the other",
        text="Hot has stepped next to you: put a block on it, and you win.",
        hint="Choose put a block, and press Hot on your right.",
        side=0,
        config=_field(
            ".....",
            ".C.H.",
            ".....",
        ),
        moves=("lu", "wl"),
        goal=_wins_by("ATTACK"),
        par=1,
        most=1,
        solution=("pr",),
        opponents=WAITS,
        clauses=("CH-17", "CH-32"),
    ),
    Lesson(
        name="keep-away",
        title="Do not step next to the other",
        text="The item above you is next to Hot, who would bury you there: take the one on your left instead.",
        hint="Walk left twice.",
        side=0,
        config=_field(
            "......",
            "......",
            "...*H.",
            ".*.C..",
            "......",
        ),
        moves=("ll", "lu"),
        goal=answered(all_of(_takes(1), _stands_on(3, 1))),
        par=2,
        most=3,
        solution=("wl", "wl"),
        opponents="greedy",
        clauses=("CH-12", "CH-17"),
    ),
    Lesson(
        name="shut-in",
        title="Shut the other in",
        text="Hot has blocks on three sides: put a block on its last free side, above you, and you win.",
        hint="Choose put a block, and press the cell above you.",
        side=0,
        config=_field(
            ".#...",
            "#H...",
            ".#C..",
            ".....",
        ),
        moves=("lu", "lu", "ll", "lu"),
        goal=_wins_by("TRAPPED"),
        par=1,
        most=2,
        solution=("pu",),
        opponents=WAITS,
        clauses=("CH-18",),
    ),
    Lesson(
        name="last-turns",
        title="The last turns",
        text="You have two turns and Hot leads by 1 to 0: most items at the end win, so take both of yours.",
        hint="Walk right twice.",
        side=0,
        config=_field(
            "......",
            ".C**..",
            "......",
            "...*H.",
            turns=3,
        ),
        moves=("lr", "wl"),
        goal=_wins_by("SCORE"),
        par=2,
        most=2,
        solution=("wr", "wr"),
        opponents=WAITS,
        clauses=("CH-5", "CH-16", "CH-21"),
    ),
)
