"""Matches, their results, and tables of entries ranked by them."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

NOBODY = 0
"""Stands where no entry plays: a bye, or both out."""
BOT = -1
"""The organiser's own bot in a qualifier."""
WIN, DRAW, LOSS = 3, 1, 0


@dataclasses.dataclass(frozen=True)
class Fixture:
    """A match that a format plans.

    Attributes
    ----------
    id : str
        Its name, which never changes.
    round : int
        Number of its round, from 0: it chooses the map.
    entries : tuple of int
        The entries; NOBODY where one is not known yet.
    kind : str
        "round", "group", "final", "third", "winners", "losers", "grand final" or "qualifier".
    group : str
        Letter of the group, "" outside groups.
    is_knockout : bool
        Whether somebody has to win.
    """

    id: str
    round: int
    entries: tuple[int, ...]
    kind: str = "round"
    group: str = ""
    is_knockout: bool = False

    @property
    def is_known(self) -> bool:
        """Whether everybody who plays is known."""
        return NOBODY not in self.entries


@dataclasses.dataclass(frozen=True)
class MatchResult:
    """The result of a match.

    Attributes
    ----------
    entries : tuple of int
        Who played.
    points : tuple of float
        Points of each in a table: 3, 1 or 0 between two, by place among more.
    totals : tuple of float
        Points of each over all games.
    winner : int
        Who won; NOBODY for a draw, or if both are out.
    parts : tuple of mapping
        Parts of the totals, by name.
    """

    entries: tuple[int, ...]
    points: tuple[float, ...]
    totals: tuple[float, ...]
    winner: int = NOBODY
    parts: tuple[Mapping[str, float], ...] = ()

    def part(self, entry: int, name: str) -> float:
        """Return an entry's part of the points, 0 if it has none of this name."""
        return self.parts[self.entries.index(entry)].get(name, 0) if self.parts else 0


Results = Mapping[str, MatchResult]


class TableRow(NamedTuple):
    """A row of a table: the place (from 1, shared if equal), the entry, and what it is ranked by."""

    place: int
    entry: int
    played: int
    won: int
    drawn: int
    lost: int
    points: float
    total: float
    group: str = ""


def row_of(entry: int, found: Iterable[MatchResult], group: str = "") -> TableRow:
    mine = [one for one in found if entry in one.entries]
    at = [one.entries.index(entry) for one in mine]
    won = sum(one.winner == entry for one in mine)
    # nobody wins a draw either, but there everybody gets points: not where all are out or absent
    drawn = sum(one.winner == NOBODY and any(one.points) for one in mine)
    points = sum(one.points[k] for one, k in zip(mine, at, strict=True))
    total = sum(one.totals[k] for one, k in zip(mine, at, strict=True))
    return TableRow(0, entry, len(mine), won, drawn, len(mine) - won - drawn, points, total, group)


def give_places(groups: Iterable[Sequence[TableRow]]) -> list[TableRow]:
    """Return rows with places, from groups of rows that are equal."""
    rows: list[TableRow] = []
    for group in groups:
        place = len(rows) + 1
        rows += [row._replace(place=place) for row in group]
    return rows


def split(rows: Iterable[TableRow], *keys: Mapping[int, object]) -> list[list[TableRow]]:
    """Return rows in descending order of their keys by entry, those with equal keys together."""
    order = {row.entry: tuple(key[row.entry] for key in keys) for row in rows}
    ranked = sorted(rows, key=lambda row: row.entry)
    ranked.sort(key=lambda row: order[row.entry], reverse=True)
    return [list(group) for _, group in itertools.groupby(ranked, key=lambda row: order[row.entry])]


def rank_league(entries: Sequence[int], found: Sequence[MatchResult], group: str = "") -> list[TableRow]:
    """Return the table of a league: by points, total points, then the matches between those who are equal."""
    rows = [row_of(entry, found, group) for entry in entries]
    by_points = {row.entry: (row.points, row.total) for row in rows}
    groups: list[list[TableRow]] = []
    for equal in split(rows, by_points):
        among = {row.entry for row in equal}
        direct = [one for one in found if among.issuperset(one.entries)]
        groups += split(equal, {entry: row_of(entry, direct).points for entry in among})
    return give_places(groups)


def at_the_line(rows: Sequence[TableRow], number: int) -> tuple[list[int], list[int]]:
    """Return who advances for sure, and who is tied at the line: among these the organiser chooses the rest."""
    sure = [row.entry for row in rows if sum(other.place <= row.place for other in rows) <= number]
    tied = [row.entry for row in rows if row.entry not in sure and row.place <= number]
    return sure, tied
