"""What an organiser does next: one class for each kind of step."""

from __future__ import annotations

import dataclasses
from typing import Any

from ..pairings.tables import Fixture


@dataclasses.dataclass(frozen=True)
class DrawStage:
    """Draw the next stage.

    entries : in the order of their seeds. places : how many were to advance; 0 for the first stage.
    """

    entries: tuple[int, ...]
    places: int = 0


@dataclasses.dataclass(frozen=True)
class PlayMatch:
    """Play a match."""

    match: Fixture


@dataclasses.dataclass(frozen=True)
class ConfirmResult:
    """Confirm the result of a match."""

    match: Fixture


@dataclasses.dataclass(frozen=True)
class DecideTie:
    """Decide a tied match that somebody has to win."""

    match: Fixture


@dataclasses.dataclass(frozen=True)
class ChooseAdvancing:
    """Choose who advances: those in `sure`, and `places` - len(sure) of the `tied` at the line."""

    sure: tuple[int, ...]
    tied: tuple[int, ...]
    places: int


@dataclasses.dataclass(frozen=True)
class FillIn:
    """Hand in the programs that a match lacks, those of the entries in `missing`."""

    match: Fixture
    missing: tuple[int, ...]


@dataclasses.dataclass(frozen=True)
class Over:
    """Nothing: the contest is over."""


Step = DrawStage | PlayMatch | ConfirmResult | DecideTie | ChooseAdvancing | FillIn | Over
NAMES: dict[type[Step], str] = {
    DrawStage: "draw", PlayMatch: "play", ConfirmResult: "confirm", DecideTie: "decide", ChooseAdvancing: "choose",
    FillIn: "fill", Over: "over",
}  # fmt: skip
"""The name of each kind on pages."""


def to_dict(step: Step) -> dict[str, Any]:
    """Return a step as plain JSON types; `sure` holds the entries that it is about, except those tied."""
    sure: tuple[int, ...] = ()
    tied: tuple[int, ...] = ()
    places = 0
    match step:
        case DrawStage():
            sure, places = step.entries, step.places
        case ChooseAdvancing():
            sure, tied, places = step.sure, step.tied, step.places
        case FillIn():
            sure = step.missing
        case PlayMatch() | ConfirmResult() | DecideTie() | Over():
            pass
    match_id = None if isinstance(step, DrawStage | ChooseAdvancing | Over) else step.match.id
    return {"kind": NAMES[type(step)], "match": match_id, "sure": list(sure), "tied": list(tied), "number": places}
