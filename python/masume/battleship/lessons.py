"""Battleship's lessons: small maps on which each shows one thing that decides games.

What the learner has seen before a lesson begins comes from its moves: the fleets are set up and a few shots fired.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..play.lessons import Goal, Lesson, Step, all_of, answered, won
from .config import CLASSES


def _waters(width: int, height: int, *fleets: str, **options: Any) -> dict[str, Any]:
    """Return the config of a small map without the original rules that the options do not name."""
    return {
        "preset": "classic", "width": width, "height": height, "fleets": [list(fleet) for fleet in fleets],
        "turn_order": [0, 1], **options,
    }  # fmt: skip


def _set_up(*panels: str) -> tuple[str, ...]:
    """Return the moves that place the ships on panels, the learner's fleet first."""
    return tuple("S" + panel for panel in panels)


def _told(kind: str, **values: Any) -> Goal:
    """Return the goal that an event of a kind with these values has happened. [section 9.2]"""

    def is_reached(steps: Sequence[Step], side: int) -> bool:  # noqa: ARG001
        events = [event for step in steps for event in step.events if event["kind"] == kind]
        return any(all(event.get(key) == value for key, value in values.items()) for event in events)

    return is_reached


def _chose(fleet: str) -> Goal:
    """Return the goal of having chosen these classes."""
    classes = [CLASSES.index(letter) for letter in fleet]
    return lambda steps, side: list(steps[-1].state.to_dict()["ship_cls"][side]) == classes


def _stands(*panels: int) -> Goal:
    """Return the goal of having placed the ships on these panels."""
    return lambda steps, side: list(steps[-1].state.to_dict()["ship_pos"][side]) == list(panels)


def _goes_on(steps: Sequence[Step], side: int) -> bool:  # noqa: ARG001
    return not steps[-1].state.is_terminal()


LESSONS: Sequence[Lesson] = (
    Lesson(
        name="fleet",
        title="Choose your fleet",
        text="A battleship takes most hits, a destroyer lays mines, a submarine hides: choose one each, in this order.",
        hint="Press the buttons under the board: B, then D, then S.",
        config=_waters(5, 5, fleets=None, stealth=True, mines=True, torpedoes=True),
        side=0,
        goal=_chose("BDS"),
        par=3,
        most=3,
        solution=("KB", "KD", "KS"),
        clauses=("BS-18", "BS-26", "BS-27", "BS-28", "BS-81", "BS-82", "BS-83", "BS-86"),
    ),
    Lesson(
        name="place",
        title="Place your ships",
        text="Place the battleship on A1 and the destroyer on D4: ships far apart are not found by one splash.",
        hint="Press the corner at the top left, then the corner at the bottom right.",
        config=_waters(4, 4, "BD", "BD"),
        side=0,
        goal=_stands(0, 15),
        par=2,
        most=2,
        solution=("SA1", "SD4"),
        clauses=("BS-38", "BS-39", "BS-40", "BS-42"),
    ),
    Lesson(
        name="fire",
        title="Fire",
        text="Your shot at C2 hit, and a destroyer has 2 HP: fire at C2 again, sink it, and win.",
        hint="Press your ship, choose attack, and press C2 beside it.",
        config=_waters(4, 4, "D", "D"),
        moves=(*_set_up("B2", "C2"), "A0E", "A0E"),
        side=0,
        goal=won,
        par=1,
        most=2,
        solution=("A0E",),
        opponents=("A0NE", "A0SE"),
        clauses=("BS-4", "BS-6", "BS-8", "BS-19", "BS-47", "BS-50", "BS-51", "BS-52", "BS-53", "BS-73", "BS-77"),
    ),
    Lesson(
        name="splash",
        title="Read the splash",
        text="A miss next to a ship splashes: both A2 and C4 did, and only one panel touches both, so fire there.",
        hint="It is B3, beside your ship on A3.",
        config=_waters(4, 4, "DD", "DO"),
        moves=(*_set_up("A3", "D4", "B3", "D1"), "A0N", "M1W1", "A1W", "M1E1"),
        side=0,
        goal=_told("HIT", player=1, panel="B3"),
        par=1,
        most=1,
        solution=("A0E",),
        opponents=("M1W1",),
        clauses=("BS-56", "BS-58", "BS-59", "BS-60"),
    ),
    Lesson(
        name="rook",
        title="Move like a rook",
        text="A ship moves any distance in one line: move your battleship next to the enemy on E1, then fire at it.",
        hint="Choose move, and press D2; next turn choose attack, and press E1.",
        config=_waters(5, 5, "BS", "D"),
        moves=(*_set_up("D5", "D2", "E1"), "A1NE", "A0SW"),
        side=0,
        goal=won,
        par=2,
        most=3,
        solution=("M0N3", "A0NE"),
        opponents=("A0W", "A0W", "A0W"),
        clauses=("BS-54", "BS-57", "BS-61", "BS-62", "BS-63", "BS-64", "BS-65"),
    ),
    Lesson(
        name="submarine",
        title="A submarine comes up",
        text="Submerged, a submarine makes no splash; in round 3 it is up: fire from C1 at D1, then where it must be.",
        hint="Press your ship on C1, then D1: it splashes, so the submarine is on C2, for D2 was a miss.",
        config=_waters(4, 3, "DD", "SO", stealth=True, turn_order=[1, 0]),
        moves=(*_set_up("A1", "C1", "C2", "D1"), "M1W1", "A0SE", "M1E1", "A1SE", "M1W1"),
        side=0,
        goal=all_of(_told("SPLASH", player=1, cls="S"), _told("SUNK", player=1, cls="S")),
        par=2,
        most=2,
        solution=("A1E", "A1S"),
        opponents=("M1E1", "M1W1"),
        clauses=("BS-66", "BS-136", "BS-137", "BS-138", "BS-139"),
    ),
    Lesson(
        name="shallows",
        title="Out of the shallows",
        text="In shallows a submarine cannot hide, and splashes like any ship: move yours off B2, and it dives.",
        hint="Press your submarine on B2, choose move, and press any panel in its row or column.",
        config=_waters(4, 4, "BS", "D", stealth=True, terrain_map="..../.~../..../...."),
        moves=(*_set_up("D4", "A2", "C1"), "M1E1", "A0SE"),
        side=0,
        goal=_told("DIVED", player=0),
        par=1,
        most=1,
        solution=("M1S1",),
        opponents=("A0E",),
        clauses=("BS-49", "BS-136", "BS-195", "BS-196"),
    ),
    Lesson(
        name="oiler",
        title="Fuel and the oiler",
        text="Your battleship is out of fuel: move the oiler beside it to refuel it, then sink the enemy on C2.",
        hint="Press the oiler, move, and B3; next turn press the battleship, attack, and C2.",
        config=_waters(4, 4, "BO", "BO", fuel=True, refuel=True, fp_base=26, oiler_fp=80),
        moves=(*_set_up("B2", "B4", "C2", "D4"), "A0E", "M1W1", "A0E", "M1E1"),
        side=0,
        goal=_told("SUNK", player=1, cls="B"),
        par=2,
        most=3,
        solution=("M1N1", "A0E"),
        opponents=("M1W1", "M1E1", "M1W1"),
        clauses=("BS-37", "BS-71", "BS-109", "BS-111", "BS-112", "BS-128", "BS-129", "BS-131"),
    ),
    Lesson(
        name="oiler-alone",
        title="An oiler alone has lost",
        text="An oiler with no fuel to attack counts as sunk, and the enemy's has none: sink the destroyer on C2.",
        hint="Press your ship, choose attack, and press C2.",
        config=_waters(4, 4, "D", "DO", fuel=True, oiler_fp=80),
        moves=(*_set_up("B2", "C2", "D4"), "A0E", "A1N"),
        side=0,
        goal=won,
        par=1,
        most=1,
        solution=("A0E",),
        opponents=("M1W1",),
        clauses=("BS-74", "BS-126"),
    ),
    Lesson(
        name="mine",
        title="Lay a mine",
        text="The damaged enemy sails east in row 3, from B3 now: lay a mine on its way, on C3 or D3, and it sinks.",
        hint="Press your destroyer on D4, choose mine, and press C3.",
        config=_waters(5, 5, "DS", "D", mines=True),
        moves=(*_set_up("D4", "A2", "A3"), "A1S", "A0N", "A0SE", "M0E1"),
        side=0,
        goal=won,
        par=1,
        most=1,
        solution=("L0NW",),
        opponents=("M0E2",),
        clauses=("BS-142", "BS-143", "BS-145", "BS-146", "BS-147"),
    ),
    Lesson(
        name="torpedo",
        title="Fire a torpedo",
        text="A torpedo goes one panel a turn: launch one at the damaged enemy on C1, then attack anywhere.",
        hint="Choose launch, and press C1; next turn, attack B2 beside your destroyer.",
        config=_waters(4, 4, "DS", "D", torpedoes=True),
        moves=(*_set_up("A1", "D2", "C1"), "A1NW", "A0SE"),
        side=0,
        goal=all_of(_told("TORP_FIRED", player=0), won),
        par=2,
        most=2,
        solution=("T0C1", "A0SE"),
        opponents=("A0SE", "A0SE"),
        clauses=("BS-151", "BS-154", "BS-156", "BS-158", "BS-159", "BS-161"),
    ),
    Lesson(
        name="reef",
        title="Around a reef",
        text="Reefs stop ships: go around this one, down and then right to B2, and fire at the damaged enemy on C1.",
        hint="Choose move, and press A2, next turn B2; then choose attack, and press C1.",
        config=_waters(4, 3, "DS", "D", terrain_map=".#../..../....", terrain_known=True),
        moves=(*_set_up("A1", "D2", "C1"), "A1NW", "A0SE"),
        side=0,
        goal=won,
        par=3,
        most=4,
        solution=("M0S1", "M0E1", "A0NE"),
        opponents=("A0SE", "A0SE", "A0SE", "A0SE"),
        clauses=("BS-191", "BS-192", "BS-193"),
    ),
    Lesson(
        name="torpedo-and-reef",
        title="A reef in the way",
        text="A reef stops a torpedo: launch one at the damaged enemy on C1 from C3, where the way is free, then wait.",
        hint="Press your ship on C3, launch, and C1; next turn, attack any panel.",
        config=_waters(4, 4, "DDS", "D", torpedoes=True, terrain_map=".#../..../..../....", terrain_known=True),
        moves=(*_set_up("A1", "C3", "D2", "C1"), "A2NW", "A0SE"),
        side=0,
        goal=all_of(_told("ATTACK", player=0, torpedo=1), won),
        par=2,
        most=2,
        solution=("T1C1", "A1S"),
        opponents=("A0SE", "A0SE"),
        clauses=("BS-163", "BS-164", "BS-165", "BS-168", "BS-171"),
    ),
    Lesson(
        name="fog",
        title="Hide in fog",
        text="Your shot found fog on B2: a ship in fog makes no splash, and its next move is hidden, so sail into it.",
        hint="Press your battleship, choose move, and press B2.",
        config=_waters(4, 4, "B", "D", terrain_map="..../.%../..../...."),
        moves=(*_set_up("A2", "D4"), "A0E", "A0N"),
        side=0,
        goal=_told("STEALTH", player=0, on=1),
        par=1,
        most=1,
        solution=("M0E1",),
        opponents=("A0N",),
        clauses=("BS-66", "BS-186", "BS-187", "BS-188", "BS-197", "BS-198"),
    ),
    Lesson(
        name="reinforcement",
        title="Reinforcement",
        text="A sunk ship may return once, anywhere: bring your submarine back next to the enemy on C1, and fire.",
        hint="Press B2, beside the enemy; next turn press the submarine there, and C1.",
        config=_waters(5, 5, "DS", "D", reinforce_max=1),
        moves=(*_set_up("A5", "D2", "C1"), "A1NW", "A0SE"),
        side=0,
        goal=won,
        par=2,
        most=2,
        solution=("R1B2", "A1NE"),
        opponents=("A0E", "A0E"),
        clauses=("BS-55", "BS-67", "BS-172", "BS-173", "BS-178", "BS-179"),
    ),
    Lesson(
        name="flagship",
        title="The flagship",
        text="You lose when your flagship, the damaged destroyer, sinks: make the battleship your flagship now.",
        hint="Press the button that says flagship: 1B, under the board.",
        config=_waters(4, 4, "BD", "BD", mission="flagship"),
        moves=("F1", *_set_up("A4", "B2"), "F0", *_set_up("D4", "C2"), "A0N", "A1W"),
        side=0,
        goal=answered(all_of(_told("FLAG_CHANGED", player=0), _goes_on)),
        par=1,
        most=1,
        solution=("F0",),
        opponents=("A1W",),
        clauses=("BS-10", "BS-68", "BS-76", "BS-87", "BS-88", "BS-123", "BS-124"),
    ),
    Lesson(
        name="last-round",
        title="The last round",
        text="It is the last turn and the score is level: a hit is 10 points, so fire at C2, where you hit before.",
        hint="Press your ship, choose attack, and press C2.",
        config=_waters(4, 4, "B", "B", mission="recon", round_limit=3, turn_order=[1, 0]),
        moves=(*_set_up("B2", "C2"), "A0W", "A0E", "A0N", "A0N", "A0S"),
        side=0,
        goal=won,
        par=1,
        most=1,
        solution=("A0E",),
        clauses=("BS-7", "BS-13", "BS-14", "BS-107", "BS-108"),
    ),
    Lesson(
        name="last-fuel",
        title="The last fuel",
        text="When no ship can act for lack of fuel, the score decides: it is level, so hit C2 with your last shot.",
        hint="Press your ship, choose attack, and press C2.",
        config=_waters(4, 4, "B", "B", mission="sea_control", fuel=True, fp_base=20, turn_order=[1, 0]),
        moves=(*_set_up("B2", "C2"), "A0W", "A0E", "A0N"),
        side=0,
        goal=won,
        par=1,
        most=1,
        solution=("A0E",),
        clauses=("BS-7", "BS-78", "BS-79", "BS-112", "BS-127"),
    ),
    Lesson(
        name="retreat",
        title="Get away",
        text="You win this mission if you still float after the round: the enemy has found you on A1, so get away.",
        hint="Choose move, and press A2, below your ship.",
        config=_waters(3, 3, "B", "D", mission="retreat", round_limit=3, terrain_map=".#./.../#..", terrain_known=True),
        moves=(*_set_up("A1", "B2"), "A0S", "A0NW", "A0S", "A0NW"),
        side=0,
        goal=won,
        par=1,
        most=1,
        solution=("M0S1",),
        opponents=("A0NW",),
        clauses=("BS-15", "BS-61", "BS-107", "BS-108", "BS-191"),
    ),
)
