"""What an organiser orders at the desk: one class for each kind of order, and its JSON."""

from __future__ import annotations

import dataclasses
from typing import Any

from ..core.shapes import COUNT, POSITIVE, Choice, Items, read

FOLLOW, BOARD, TABLE, NEXT, TEXT = "follow", "board", "table", "next", "text"
SCREENS = (FOLLOW, BOARD, TABLE, NEXT, TEXT)
"""What the hall's screen may show: what is on now, the board, the table or bracket, the next pairings, a text."""
MAX_TEXT = 200
MAX_WHY = 100


@dataclasses.dataclass(frozen=True)
class Continue:
    """Do the next step, whatever it is: draw, prepare, start or confirm."""


@dataclasses.dataclass(frozen=True)
class Draw:
    """Draw the next stage: with the entries in this order, by lot, or else in the order of their seeds."""

    entries: tuple[int, ...] = ()
    is_by_lot: bool = False


@dataclasses.dataclass(frozen=True)
class Prepare:
    """Show a pairing on the wall; None: the next one."""

    match: str | None = None


@dataclasses.dataclass(frozen=True)
class Start:
    """Play a match; None: the one that was prepared, or the next one."""

    match: str | None = None


@dataclasses.dataclass(frozen=True)
class Stop:
    """End autoplay, and this match, of which nothing is kept; None: whatever is played."""

    match: str | None = None


@dataclasses.dataclass(frozen=True)
class Pause:
    """End autoplay after the match that is played."""


@dataclasses.dataclass(frozen=True)
class Confirm:
    """Confirm the result of the match that was played."""


@dataclasses.dataclass(frozen=True)
class Decide:
    """Decide a match for an entry, against both (`winner` is NOBODY), or by lot (None)."""

    winner: int | None
    why: str = ""


@dataclasses.dataclass(frozen=True)
class Replay:
    """Play a tied match again on a map; None: the next one of the plan."""

    map: str | None = None


@dataclasses.dataclass(frozen=True)
class Advance:
    """Choose who advances among those who are tied at the line."""

    entries: tuple[int, ...]


@dataclasses.dataclass(frozen=True)
class Undo:
    """Take back a match, or the last step; `gone` are the numbers of all events that the organiser knows will go."""

    match: str | None = None
    gone: tuple[int, ...] = ()


@dataclasses.dataclass(frozen=True)
class Attend:
    """An entry does not play any more, or plays again."""

    entry: int
    is_absent: bool


@dataclasses.dataclass(frozen=True)
class Enter:
    """One more entry; `play` is "" if its program comes later."""

    name: str
    play: str = ""


@dataclasses.dataclass(frozen=True)
class HandIn:
    """A program is handed in, or, if `play` is "", taken back."""

    entry: int
    play: str


@dataclasses.dataclass(frozen=True)
class Automate:
    """Go on alone."""


@dataclasses.dataclass(frozen=True)
class ShowScreen:
    """Choose what the hall sees until the next match begins: one of SCREENS, with a text of the organiser."""

    screen: str = FOLLOW
    text: str = ""


Order = (
    Continue | Draw | Prepare | Start | Stop | Pause | Confirm | Decide | Replay | Advance | Undo | Attend | Enter
    | HandIn | Automate | ShowScreen
)  # fmt: skip
KINDS: dict[str, tuple[type[Order], dict[str, Any]]] = {
    "draw": (Draw, {"entries": Items(POSITIVE), "is_by_lot": bool}),
    "prepare": (Prepare, {"match": str | None}),
    "start": (Start, {"match": str | None}),
    "stop": (Stop, {"match": str | None}),
    "pause": (Pause, {}),
    "confirm": (Confirm, {}),
    "decide": (Decide, {"winner": int | None, "why": str}),
    "replay": (Replay, {"map": str | None}),
    "advance": (Advance, {"entries": Items(POSITIVE)}),
    "undo": (Undo, {"match": str | None, "gone": Items(COUNT)}),
    "attend": (Attend, {"entry": POSITIVE, "is_absent": bool}),
    "enter": (Enter, {"name": str, "play": str}),
    "hand in": (HandIn, {"entry": POSITIVE, "play": str}),
    "auto": (Automate, {}),
    "screen": (ShowScreen, {"screen": Choice(*SCREENS), "text": str}),
}  # fmt: skip
"""The name of each kind that a page may send, its class, and the shape of its fields."""


def from_json(data: Any) -> Order:
    """Return the order of plain JSON types; raise ConfigError, which names the field, if they are none."""
    kind, shape = KINDS[read("order", data, {"do": Choice(*KINDS), "*": object})["do"]]
    fields = {name: value for name, value in data.items() if name != "do"}
    return kind(**read("order", fields, shape))
