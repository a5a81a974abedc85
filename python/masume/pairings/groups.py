"""Groups: leagues side by side."""

from __future__ import annotations

from collections.abc import Sequence

from .leagues import RoundRobin
from .tables import Fixture, Results, TableRow


def deal(entries: Sequence[int], number: int) -> list[list[int]]:
    """Return entries dealt to a number of groups in snake order: 1 2 3, 6 5 4, 7 8 9."""
    groups: list[list[int]] = [[] for _ in range(number)]
    for k, entry in enumerate(entries):
        turn, at = divmod(k, number)
        groups[number - 1 - at if turn % 2 else at].append(entry)
    return groups


class Groups:
    """Leagues side by side.

    Parameters
    ----------
    entries : sequence of int
        The entries, in the order of their seeds.
    number : int
        Number of groups.
    legs : int
        How often each pair meets.
    is_parallel : bool
        Whether the groups play round by round together; else one after the other.
    """

    def __init__(
        self, entries: Sequence[int], number: int, legs: int = 1, is_parallel: bool = True,
        dealt: Sequence[Sequence[int]] | None = None,
    ) -> None:  # fmt: skip
        self.entries, self.is_parallel, self._legs = tuple(entries), is_parallel, legs
        self.dealt = [list(one) for one in (deal(entries, number) if dealt is None else dealt)]
        self.leagues = [RoundRobin(one, legs, 2, chr(ord("A") + k)) for k, one in enumerate(self.dealt)]

    def matches(self, results: Results) -> list[Fixture]:
        """Return the matches of all groups, in the order of play."""
        found = [match for league in self.leagues for match in league.matches(results)]
        return sorted(found, key=lambda match: match.round) if self.is_parallel else found

    def standings(self, results: Results) -> list[TableRow]:
        """Return the tables, one after the other."""
        return [row for league in self.leagues for row in league.standings(results)]

    def with_late(self, entry: int, results: Results) -> Groups:
        """Return the groups with one more entry in the smallest one."""
        dealt = [list(one) for one in self.dealt]
        min(dealt, key=len).append(entry)
        return Groups([*self.entries, entry], len(dealt), self._legs, self.is_parallel, dealt)
