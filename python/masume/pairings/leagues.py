"""A league: everybody meets everybody."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from .tables import NOBODY, Fixture, Results, TableRow, rank_league


def circle(entries: Sequence[int]) -> list[list[tuple[int, int]]]:
    """Return the rounds of a round robin in which everybody plays at most once."""
    ring = [*entries, *([NOBODY] if len(entries) % 2 else [])]
    half = len(ring) // 2
    rounds = []
    for _ in range(len(ring) - 1):
        pairs = zip(ring[:half], reversed(ring[half:]), strict=True)
        rounds.append([(a, b) for a, b in pairs if NOBODY not in (a, b)])
        ring = [ring[0], ring[-1], *ring[1:-1]]
    return rounds


class RoundRobin:
    """Everybody meets everybody.

    Parameters
    ----------
    entries : sequence of int
        The entries, in the order of their seeds.
    legs : int
        How often each pair meets.
    seats : int
        Number of entries in a match.
    group : str
        Letter of the group, "" for a league of its own.
    """

    def __init__(self, entries: Sequence[int], legs: int = 1, seats: int = 2, group: str = "") -> None:
        self.entries, self.legs, self.seats, self.group = tuple(entries), legs, seats, group

    def matches(self, results: Results) -> list[Fixture]:
        """Return all matches, in the order of play. Those of two are balanced by who is named first."""
        kind = "group" if self.group else "round"
        place = {entry: k for k, entry in enumerate(self.entries)}
        if self.seats == 2:
            rounds: list[list[tuple[int, ...]]] = [list(pairs) for pairs in circle(self.entries)]
        else:
            rounds = [[line_up] for line_up in itertools.combinations(self.entries, self.seats)]
        matches = []
        for leg in range(self.legs):
            for number, line_ups in enumerate(rounds):
                for line_up in line_ups:
                    ordered = sorted(line_up, key=place.__getitem__)
                    if self.seats == 2 and (place[ordered[1]] - place[ordered[0]] + leg) % 2 == 0:
                        ordered.reverse()
                    name = f"{self.group or 'L'}{leg + 1}:{'-'.join(map(str, sorted(line_up)))}"
                    matches.append(Fixture(name, leg * len(rounds) + number, tuple(ordered), kind, self.group))
        return matches

    def standings(self, results: Results) -> list[TableRow]:
        """Return the table."""
        found = [results[match.id] for match in self.matches(results) if match.id in results]
        return rank_league(self.entries, found, self.group)

    def with_late(self, entry: int, results: Results) -> RoundRobin:
        """Return the league with one more entry, which has all its matches still to play."""
        return RoundRobin([*self.entries, entry], self.legs, self.seats, self.group)
