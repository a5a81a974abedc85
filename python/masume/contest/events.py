"""What happens in a contest: one class for each kind of line of its journal, and its JSON."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Self

from ..core.shapes import COUNT, INTEGER, REAL, read
from ..errors import ReplayError
from ..play.pairing import GAME, PairingGame

VERSION = 1


@dataclasses.dataclass
class CountedGame(PairingGame):
    """A game of a match, with the numbers of entries in `seats` and `faults`.

    Attributes
    ----------
    parts : list of mapping
        The parts of the points of each seat, by name.
    """

    parts: list[dict[str, float]]

    @classmethod
    def count(cls, game: PairingGame, parts: Sequence[Mapping[str, float]]) -> Self:
        """Return a game with its points."""
        return cls(**vars(game), parts=[dict(its) for its in parts])


@dataclasses.dataclass(frozen=True)
class Begun:
    """The contest began with this plan."""

    version: int
    plan: Mapping[str, Any]


@dataclasses.dataclass(frozen=True)
class Entered:
    """An entry came late; `sha256` is that of its files (`programs.digest_of`)."""

    number: int
    name: str
    play: str
    sha256: str = ""


@dataclasses.dataclass(frozen=True)
class HandedIn:
    """An entry plays with another program from now on; `sha256` is that of its files."""

    number: int
    play: str
    sha256: str = ""


@dataclasses.dataclass(frozen=True)
class Attended:
    """An entry does not play any more, or plays again."""

    number: int
    is_absent: bool


@dataclasses.dataclass(frozen=True)
class StageDrawn:
    """A stage began: its number, and its entries in the order of their seeds."""

    stage: int
    entries: list[int]


@dataclasses.dataclass(frozen=True)
class Played:
    """The games of a match were played.

    replay : a path in the contest's folder, "" if all were walkovers. programs : the SHA-256 of the files that played
    for each entry, "" for an entry without files; empty in journals of before.
    """

    match: str
    entries: list[int]
    map: str | None
    seed: int
    games: list[CountedGame]
    replay: str
    programs: list[str] = dataclasses.field(default_factory=list)


@dataclasses.dataclass(frozen=True)
class Confirmed:
    """A result was confirmed: as played (`winner` is None), or as the organiser decided."""

    match: str
    winner: int | None
    why: str


@dataclasses.dataclass(frozen=True)
class Undone:
    """The events of these numbers do not count any more."""

    of: list[int]


Change = Entered | HandedIn | Attended | StageDrawn | Played | Confirmed
"""What changes the state of a contest."""
Event = Begun | Change | Undone
KINDS: dict[str, tuple[type[Event], dict[str, Any]]] = {
    "begin": (Begun, {"version": COUNT, "plan": {"*": object}}),
    "entry": (Entered, {"number": COUNT, "name": str, "play": str, "sha256": str}),
    "play": (HandedIn, {"number": COUNT, "play": str, "sha256": str}),
    "absent": (Attended, {"number": COUNT, "is_absent": bool}),
    "draw": (StageDrawn, {"stage": COUNT, "entries": [COUNT]}),
    "played": (Played, {
        "match": str, "entries": [INTEGER], "map": str | None, "seed": COUNT, "replay": str, "programs": [str],
        "games": [GAME | {"seats": [INTEGER], "faults": [(INTEGER, str, str, COUNT, str)], "parts": [{"*": REAL}]}],
    }),
    "confirm": (Confirmed, {"match": str, "winner": int | None, "why": str}),
    "undo": (Undone, {"of": [COUNT]}),
}  # fmt: skip
"""The name of each kind in the journal, its class, and the shape of its fields."""
LATER: dict[str, dict[str, Any]] = {"entry": {"sha256": ""}, "play": {"sha256": ""}, "played": {"programs": []}}
"""The fields that lines of older journals lack, as they were then."""
NAMES = {kind: name for name, (kind, _shape) in KINDS.items()}


class JournalLine(NamedTuple):
    """A line of a journal: the number of the event, when it happened in seconds since 1970, and the event."""

    n: int
    at: float
    event: Event

    def to_json(self) -> dict[str, Any]:
        """Return the line as plain JSON types."""
        return {"n": self.n, "at": self.at, "t": NAMES[type(self.event)], **dataclasses.asdict(self.event)}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        """Return the line of plain JSON types; raise ReplayError, which names the field, if they are no line."""
        name = data.get("t")
        if name not in KINDS:
            raise ReplayError(f"t: expected one of {', '.join(KINDS)}, got {name!r:.40}")
        kind, shape = KINDS[name]
        data = LATER.get(name, {}) | data
        read("", data, {"n": COUNT, "at": REAL, "t": str, **shape}, ReplayError)
        fields = {field: data[field] for field in shape}
        if "games" in fields:
            fields["games"] = [CountedGame(**game) for game in fields["games"]]
        return cls(data["n"], data["at"], kind(**fields))
