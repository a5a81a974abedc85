"""What an organiser may order at the desk: one class for each word, and the table of words."""

from __future__ import annotations

import dataclasses
import shlex
from collections.abc import Callable, Sequence
from typing import NamedTuple

from ..core.language import translate as _
from ..play.names import split_name


class Refused(Exception):  # noqa: N818 - an answer to the organiser
    """What was asked is not possible now; the text says why."""


@dataclasses.dataclass(frozen=True)
class Next:
    """Take the next step."""


@dataclasses.dataclass(frozen=True)
class Prepare:
    """Show a pairing on the wall: the next one, or that of `match`."""

    match: str | None = None


@dataclasses.dataclass(frozen=True)
class Start:
    """Play a match: the prepared one, or `match`."""

    match: str | None = None


@dataclasses.dataclass(frozen=True)
class Confirm:
    """Confirm the result."""


@dataclasses.dataclass(frozen=True)
class Replay:
    """Replay a tied match."""


@dataclasses.dataclass(frozen=True)
class Decide:
    """Decide a match: `who` is an entry, `LOT`, or `OUT` for both; "" if none was named."""

    who: str = ""
    why: str = ""


LOT, OUT = "lot", "out"


@dataclasses.dataclass(frozen=True)
class Advance:
    """Choose who advances among those tied at the line."""

    who: tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True)
class Undo:
    """Take back the last step, or all of a match."""

    match: str | None = None


@dataclasses.dataclass(frozen=True)
class Absent:
    """An entry does not play any more."""

    who: str


@dataclasses.dataclass(frozen=True)
class Here:
    """An entry plays again."""

    who: str


@dataclasses.dataclass(frozen=True)
class Late:
    """Add an entry; `play` is "" if its program comes later."""

    name: str
    play: str


@dataclasses.dataclass(frozen=True)
class Hand:
    """Hand in a program."""

    who: str
    play: str


@dataclasses.dataclass(frozen=True)
class Auto:
    """Go on alone."""


@dataclasses.dataclass(frozen=True)
class Stop:
    """End autoplay and the match that is played."""


@dataclasses.dataclass(frozen=True)
class Table:
    """List tables and results."""


@dataclasses.dataclass(frozen=True)
class Entries:
    """List the entries."""


@dataclasses.dataclass(frozen=True)
class Csv:
    """Write results as CSV into a folder, by default the contest's."""

    folder: str | None = None


@dataclasses.dataclass(frozen=True)
class Zip:
    """Write the whole contest as a zip."""

    path: str | None = None


@dataclasses.dataclass(frozen=True)
class Help:
    """List the words."""


@dataclasses.dataclass(frozen=True)
class Quit:
    """Leave the desk."""


Order = (
    Next | Prepare | Start | Confirm | Replay | Decide | Advance | Undo | Absent | Here | Late | Hand | Auto | Stop
    | Table | Entries | Csv | Zip | Help | Quit
)  # fmt: skip


class Word(NamedTuple):
    """A word of the desk.

    make : from what follows the word to the order. usage, help : for people. is_on_page : whether a page may say it:
    such a word runs no command of this machine and chooses no file to write.
    """

    make: Callable[[Sequence[str]], Order]
    usage: str
    help: str
    is_on_page: bool = True


def _one(given: Sequence[str]) -> str:
    """Return the entry that is named; raise Refused if there is none."""
    if not given:
        raise Refused(_("expected the number of an entry"))
    return given[0]


def _decide(given: Sequence[str]) -> Decide:
    return Decide(given[0], " ".join(given[1:])) if given else Decide()


def _late(given: Sequence[str]) -> Late:
    if not given:
        raise Refused(_("expected NAME=PROGRAM"))
    name, play = split_name(" ".join(given))
    return Late(play, "") if name is None else Late(name, play)


WORDS: dict[str, Word] = {
    "next": Word(lambda _given: Next(), "(Enter), next", "the next step: draw, prepare, start, confirm"),
    "prepare": Word(lambda given: Prepare(*given[:1]), "prepare [MATCH]", "show the next pairing, or another one"),
    "start": Word(lambda given: Start(*given[:1]), "start [MATCH]", "play it"),
    "confirm": Word(lambda _given: Confirm(), "confirm", "confirm the result"),
    "decide": Word(
        _decide, "decide NUMBER REASON",
        "decide a tied match; `decide out REASON`: both are out; `decide lot`",
    ),
    "replay": Word(lambda _given: Replay(), "replay", "replay a tied match on the next map"),
    "advance": Word(
        lambda given: Advance(tuple(given)), "advance NUMBER ...", "choose who advances among those tied at the line"
    ),
    "undo": Word(
        lambda given: Undo(*given[:1]), "undo [MATCH]",
        "take back the last step, or a match with all that depends on it",
    ),
    "absent": Word(lambda given: Absent(_one(given)), "absent NUMBER", "an entry does not play any more"),
    "here": Word(lambda given: Here(_one(given)), "here NUMBER", "an absent entry is back"),
    "late": Word(_late, "late NAME=PROGRAM", "one more entry"),
    "hand": Word(
        lambda given: Hand(_one(given), " ".join(given[1:])), "hand NUMBER PROGRAM",
        "a program is handed in, between matches",
    ),
    "auto": Word(lambda _given: Auto(), "auto", "go on alone; it stops where somebody has to decide"),
    "stop": Word(
        lambda _given: Stop(), "stop", "end auto and the match that is played now, of which nothing is kept"
    ),
    "table": Word(lambda _given: Table(), "table", "tables and results", is_on_page=False),
    "entries": Word(lambda _given: Entries(), "entries", "the entries", is_on_page=False),
    "csv": Word(lambda given: Csv(*given[:1]), "csv [DIR]", "write results as CSV", is_on_page=False),
    "zip": Word(lambda given: Zip(*given[:1]), "zip [FILE]", "write the whole contest as a zip", is_on_page=False),
    "help": Word(lambda _given: Help(), "help", "list the words", is_on_page=False),
    "quit": Word(lambda _given: Quit(), "quit", "leave; the same command goes on", is_on_page=False),
}  # fmt: skip


def parse(line: str) -> Order:
    """Return the order of a line; an empty one is "next". Raises Refused, or ValueError for an open quote."""
    said, *given = shlex.split(line) or ["next"]
    if said not in WORDS:
        raise Refused(_("{word}: no such word; `help` lists them").format(word=said))
    return WORDS[said].make(given)
