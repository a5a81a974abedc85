"""Swiss rounds: neighbours in the table meet, and nobody meets an opponent twice while that can be avoided."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Mapping, Sequence

from .matching import perfect
from .tables import WIN, Fixture, MatchResult, Results, TableRow, give_places, row_of, split


def swiss_pairs(table: Sequence[int], met: Mapping[frozenset[int], int]) -> list[tuple[int, int]]:
    """Return the pairs of a round: the leader meets the next in the table it has not met, and so on.

    Nobody meets an opponent a second time as long as the round can be paired without it.

    Parameters
    ----------
    table : sequence of int
        An even number of entries, the leader first.
    met : mapping
        How often each pair has met.
    """
    for most in range(max(met.values(), default=0) + 1):
        edges = {
            one: {other for other in table if other != one and met.get(frozenset((one, other)), 0) <= most}
            for one in table
        }
        if perfect(table, edges) is not None:
            break
    left, pairs = list(table), []
    while left:
        first = left[0]
        for other in [one for one in left[1:] if one in edges[first]]:
            rest = [one for one in left if one not in (first, other)]
            if perfect(rest, {one: edges[one].intersection(rest) for one in rest}) is not None:
                pairs.append((first, other))
                left = rest
                break
    return pairs


def swiss_line_ups(
    table: Sequence[int], met: Mapping[frozenset[int], int], rests: Mapping[int, int], seats: int = 2
) -> tuple[list[tuple[int, ...]], list[int]]:
    """Return the line-ups of a Swiss round and who rests.

    Those with the fewest rests rest, of these the last in the table. With two seats nobody meets an opponent again
    while that can be avoided; with more, each takes those it has met least.

    Parameters
    ----------
    table : sequence of int
        The entries, the leader first.
    met : mapping
        How often each pair has met.
    rests : mapping
        How often each has rested.
    seats : int
        Number of entries in a match.
    """
    by_rests = sorted(table, key=lambda one: (rests.get(one, 0), -list(table).index(one)))
    resting = by_rests[: len(table) % seats]
    if seats == 2:
        for one in by_rests if resting else []:  # the others must be able to meet opponents they have not met
            left = [other for other in table if other != one]
            fresh = {a: {b for b in left if b != a and not met.get(frozenset((a, b)))} for a in left}
            if rests.get(one, 0) == rests.get(by_rests[0], 0) and perfect(left, fresh) is not None:
                resting = [one]
                break
        return list(swiss_pairs([one for one in table if one not in resting], met)), resting
    left, line_ups = [one for one in table if one not in resting], []
    while left:
        first, *others = left
        chosen = sorted(others, key=lambda other: met.get(frozenset((first, other)), 0))[: seats - 1]
        line_ups.append((first, *chosen))
        left = [one for one in left if one not in line_ups[-1]]
    return line_ups, resting


@functools.lru_cache(1024)
def _paired(
    table: tuple[int, ...], met: tuple[tuple[frozenset[int], int], ...], rests: tuple[tuple[int, int], ...]
) -> tuple[list[tuple[int, ...]], list[int]]:
    return swiss_line_ups(table, dict(met), dict(rests))


class Swiss:
    """Rounds in which neighbours in the table meet.

    Parameters
    ----------
    entries : sequence of int
        The entries, in the order of their seeds.
    rounds : int
        Number of rounds.
    joined, left : mapping, optional
        For those who come later or leave earlier: the first round they play, and the first they do not.
    """

    def __init__(
        self, entries: Sequence[int], rounds: int,
        joined: Mapping[int, int] | None = None, left: Mapping[int, int] | None = None,
    ) -> None:  # fmt: skip
        self.entries, self.rounds = tuple(entries), rounds
        self.joined, self.left = dict(joined or {}), dict(left or {})

    def _play(self, results: Results) -> tuple[list[Fixture], list[MatchResult], Counter[int]]:
        met: Counter[frozenset[int]] = Counter()
        rests: Counter[int] = Counter()
        played: list[Fixture] = []
        known: list[MatchResult] = []
        for number in range(self.rounds):
            here = [
                one for one in self.entries
                if self.joined.get(one, 0) <= number < self.left.get(one, self.rounds)
            ]  # fmt: skip
            place = {row.entry: k for k, row in enumerate(self._table(known, rests))}
            half = len(here) // 2
            if number == 0:  # the upper half meets the lower half
                pairs = list(zip(here[:half], here[half : 2 * half], strict=True))
                line_ups: list[tuple[int, ...]] = list(pairs)
                resting = here[2 * half :]
            else:
                table = tuple(sorted(here, key=place.__getitem__))
                line_ups, resting = _paired(table, tuple(met.items()), tuple(rests.items()))
            for one in resting:
                rests[one] += 1
            matches = []
            for line_up in line_ups:
                name = f"S{number + 1}:{'-'.join(map(str, sorted(line_up)))}"
                matches.append(Fixture(name, number, _first_side(line_up, played)))
                met[frozenset(line_up)] += 1
            played += matches
            if not all(match.id in results for match in matches):
                break
            known += [results[match.id] for match in matches]
        return played, [results[match.id] for match in played if match.id in results], rests

    def _table(self, known: Sequence[MatchResult], rests: Mapping[int, int]) -> list[TableRow]:
        rows = []
        for entry in self.entries:
            row = row_of(entry, known)
            rows.append(row._replace(points=row.points + WIN * rests.get(entry, 0)))
        points = {row.entry: row.points for row in rows}
        behind = {
            row.entry: sum(
                points[other] for one in known if row.entry in one.entries for other in one.entries
                if other != row.entry
            )
            for row in rows
        }  # fmt: skip
        return give_places(split(rows, points, behind, {row.entry: row.total for row in rows}))

    def matches(self, results: Results) -> list[Fixture]:
        """Return the matches of the rounds that can be paired so far."""
        return self._play(results)[0]

    def standings(self, results: Results) -> list[TableRow]:
        """Return the table: points (a rest is a win), then the points of the opponents, then total points."""
        _, known, rests = self._play(results)
        return self._table(known, rests)

    def fresh_round(self, results: Results) -> int:
        """Return the first round of which nothing is decided."""
        rounds = {match.round for match in self.matches(results) if match.id in results}
        return max(rounds, default=-1) + 1

    def with_late(self, entry: int, results: Results) -> Swiss:
        """Return the rounds with an entry that plays from the first round of which nothing is decided."""
        joined = self.joined | {entry: self.fresh_round(results)}
        return Swiss([*self.entries, entry], self.rounds, joined, self.left)

    def without(self, entry: int, results: Results) -> Swiss:
        """Return the rounds with an entry that is paired no more."""
        return Swiss(self.entries, self.rounds, self.joined, self.left | {entry: self.fresh_round(results)})


def _first_side(line_up: Sequence[int], before: Sequence[Fixture]) -> tuple[int, ...]:
    """Return the pair with the one first that has been first less often."""
    firsts = Counter(match.entries[0] for match in before)
    return tuple(sorted(line_up, key=lambda one: (firsts[one], one)))
