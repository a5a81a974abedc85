"""Menus: what there is to play in a game, as shelves of cards.

A game says more in its module `people`: `menu()` returns its shelves; `picture(game)` returns the position that a card
shows, in place of the first one; `FIRST_BOARD` is the board of the first game. Without `menu` there is one shelf with
all shipped starts.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from datetime import date
from typing import Any

from ..core import registry
from ..core.language import say
from ..core.language import translate as _
from ..starts import daily, named_starts
from .lessons import lessons_of


@dataclasses.dataclass(frozen=True)
class Card:
    """Something to play.

    Attributes
    ----------
    name : str
        Its heading.
    start, variant : str
        Names of a shipped start and of a variant; empty: the game's own.
    text : str
        What it teaches or asks for.
    note : str
        Its par, size or limits.
    side : int
        The player that a person is; -1: as the person likes.
    """

    name: str
    start: str = ""
    variant: str = ""
    text: str = ""
    note: str = ""
    side: int = -1


@dataclasses.dataclass(frozen=True)
class Level:
    """An opponent for people: the agent, what it is called, and a sentence on what it does."""

    agent: str
    name: str
    text: str


@dataclasses.dataclass(frozen=True)
class FirstBoard:
    """The board on which a person plays a game for the first time.

    Attributes
    ----------
    sentence : str
        The game in a sentence.
    start, variant : str
        Names of a shipped start and of a variant; empty: the game's own.
    seconds : int
        How long the first game takes.
    source : str
        How that was measured.
    """

    sentence: str = ""
    start: str = ""
    variant: str = ""
    seconds: int = 120
    source: str = ""


@dataclasses.dataclass(frozen=True)
class Shelf:
    """Cards under a heading, in order."""

    name: str
    cards: Sequence[Card]


def card_of(name: str, start: str, side: int = -1) -> Card:
    """Return the card of a shipped start, with its numbers as a note."""
    starts = registry.package_of(name).starts
    facts = starts.facts(start, named_starts(starts)[start])
    told = ", ".join(
        f"{_(key.replace('_', ' '))} {value}"
        for key, value in facts.items()
        if key != "name" and not isinstance(value, bool | str) and value
    )
    return Card(start, start, note=told, side=side)


def first_board(name: str) -> FirstBoard:
    """Return the first board of a game; without one, its own board, with what it says about itself."""
    part: Any = registry.part_of(registry.package_of(name), "people")
    board: FirstBoard = getattr(part, "FIRST_BOARD", FirstBoard())
    package = registry.package_of(name)
    told = getattr(part, "ABOUT", "") or (package.__doc__ or name).strip().partition("\n")[0]
    return board if board.sentence else dataclasses.replace(board, sentence=told)


def has_menu(name: str) -> bool:
    """Return whether there is something to learn or to choose in a game."""
    package = registry.package_of(name)
    return bool(lessons_of(name)) or hasattr(registry.part_of(package, "people"), "menu") or hasattr(package, "starts")


def menu_of(name: str, day: date) -> list[Shelf]:
    """Return what there is to play in a game on a day, in the chosen language; the start of the day comes first."""
    part: Any = registry.part_of(registry.package_of(name), "people")
    starts = getattr(registry.package_of(name), "starts", None)
    shelves: list[Shelf] = []
    if hasattr(part, "menu"):
        shelves = part.menu()
    elif starts is not None:
        names = getattr(part, "STARTS", starts.load_shipped())
        shelves = [Shelf(_("From small to large"), [card_of(name, start) for start in names])]
    if starts is None:
        return shelves
    start = daily(starts, day)
    known = [card for shelf in shelves for card in shelf.cards if card.start == start]
    card = known[0] if known else card_of(name, start)
    return [Shelf(say("Today, {day}", day=day.isoformat()), [card]), *shelves]
