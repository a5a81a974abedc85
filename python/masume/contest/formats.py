"""Who plays whom: brackets, leagues, groups, qualifiers and Swiss rounds, as pure functions of results.

Entries are numbers from 1. A format is made of the entries in the order of their seeds; `matches(results)` returns the
matches known so far in the order of play, and `standings(results)` the table. Results are kept by the id of a match.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

NOBODY = 0
"""Stands where no entry plays: a bye, or both out."""
BOT = -1
"""The organiser's own bot in a qualifier."""
WIN, DRAW, LOSS = 3, 1, 0


@dataclasses.dataclass(frozen=True)
class Match:
    """A match of a format.

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
class Result:
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


Results = Mapping[str, Result]


class Row(NamedTuple):
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


# -- tables --------------------------------------------------------------------------------------------


def _row(entry: int, found: Iterable[Result], group: str = "") -> Row:
    mine = [one for one in found if entry in one.entries]
    at = [one.entries.index(entry) for one in mine]
    won = sum(one.winner == entry for one in mine)
    drawn = sum(one.winner == NOBODY for one in mine)
    points = sum(one.points[k] for one, k in zip(mine, at, strict=True))
    total = sum(one.totals[k] for one, k in zip(mine, at, strict=True))
    return Row(0, entry, len(mine), won, drawn, len(mine) - won - drawn, points, total, group)


def _placed(groups: Iterable[Sequence[Row]]) -> list[Row]:
    """Return rows with places, from groups of rows that are equal."""
    rows: list[Row] = []
    for group in groups:
        place = len(rows) + 1
        rows += [row._replace(place=place) for row in group]
    return rows


def _split(rows: Iterable[Row], *keys: Mapping[int, object]) -> list[list[Row]]:
    """Return rows in descending order of their keys by entry, those with equal keys together."""
    order = {row.entry: tuple(key[row.entry] for key in keys) for row in rows}
    ranked = sorted(rows, key=lambda row: row.entry)
    ranked.sort(key=lambda row: order[row.entry], reverse=True)
    return [list(group) for _, group in itertools.groupby(ranked, key=lambda row: order[row.entry])]


def rank_league(entries: Sequence[int], found: Sequence[Result], group: str = "") -> list[Row]:
    """Return the table of a league: by points, total points, then the matches between those who are equal."""
    rows = [_row(entry, found, group) for entry in entries]
    by_points = {row.entry: (row.points, row.total) for row in rows}
    groups: list[list[Row]] = []
    for equal in _split(rows, by_points):
        among = {row.entry for row in equal}
        direct = [one for one in found if among.issuperset(one.entries)]
        groups += _split(equal, {entry: _row(entry, direct).points for entry in among})
    return _placed(groups)


# -- leagues -------------------------------------------------------------------------------------------


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


class League:
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

    def matches(self, results: Results) -> list[Match]:
        """Return all matches, in the order of play. Those of two are balanced by who is named first."""
        kind = "group" if self.group else "round"
        place = {entry: k for k, entry in enumerate(self.entries)}
        if self.seats == 2:
            rounds: list[list[tuple[int, ...]]] = [list(pairs) for pairs in circle(self.entries)]
        else:
            rounds = [[line_up] for line_up in itertools.combinations(self.entries, self.seats)]
        found = []
        for leg in range(self.legs):
            for number, line_ups in enumerate(rounds):
                for line_up in line_ups:
                    ordered = sorted(line_up, key=place.__getitem__)
                    if self.seats == 2 and (place[ordered[1]] - place[ordered[0]] + leg) % 2 == 0:
                        ordered.reverse()
                    name = f"{self.group or 'L'}{leg + 1}:{'-'.join(map(str, sorted(line_up)))}"
                    found.append(Match(name, leg * len(rounds) + number, tuple(ordered), kind, self.group))
        return found

    def standings(self, results: Results) -> list[Row]:
        """Return the table."""
        found = [results[match.id] for match in self.matches(results) if match.id in results]
        return rank_league(self.entries, found, self.group)

    def with_late(self, entry: int, results: Results) -> League:
        """Return the league with one more entry, which has all its matches still to play."""
        return League([*self.entries, entry], self.legs, self.seats, self.group)


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
        self.leagues = [League(one, legs, 2, chr(ord("A") + k)) for k, one in enumerate(self.dealt)]

    def matches(self, results: Results) -> list[Match]:
        """Return the matches of all groups, in the order of play."""
        found = [match for league in self.leagues for match in league.matches(results)]
        return sorted(found, key=lambda match: match.round) if self.is_parallel else found

    def standings(self, results: Results) -> list[Row]:
        """Return the tables, one after the other."""
        return [row for league in self.leagues for row in league.standings(results)]

    def with_late(self, entry: int, results: Results) -> Groups:
        """Return the groups with one more entry in the smallest one."""
        dealt = [list(one) for one in self.dealt]
        min(dealt, key=len).append(entry)
        return Groups([*self.entries, entry], len(dealt), self._legs, self.is_parallel, dealt)


class Qualifier:
    """Everybody plays the organiser's bot; points count, the result does not.

    Parameters
    ----------
    entries : sequence of int
        The entries.
    order : sequence of str
        Names of the parts of the points that decide between equal totals, in this order.
    """

    def __init__(self, entries: Sequence[int], order: Sequence[str] = ()) -> None:
        self.entries, self.order = tuple(entries), tuple(order)

    def matches(self, results: Results) -> list[Match]:
        """Return a match for each entry; all are played on the same map."""
        return [Match(f"Q:{entry}", 0, (entry, BOT), "qualifier") for entry in self.entries]

    def standings(self, results: Results) -> list[Row]:
        """Return the table: points, then the parts of `order`; those still equal share a place."""
        rows, keys = [], {}
        for entry in self.entries:
            result = results.get(f"Q:{entry}")
            total = 0.0 if result is None else result.totals[result.entries.index(entry)]
            rows.append(Row(0, entry, int(result is not None), 0, 0, 0, total, total))
            parts = [0.0 if result is None else result.part(entry, name) for name in self.order]
            keys[entry] = (result is not None, total, *parts)
        return _placed(_split(rows, keys))

    def with_late(self, entry: int, results: Results) -> Qualifier:
        """Return the qualifier with one more entry."""
        return Qualifier([*self.entries, entry], self.order)


# -- brackets ------------------------------------------------------------------------------------------


class Node(NamedTuple):
    """A match of a bracket, and where its entries come from: ("entry", number), ("winner" or "loser", id)."""

    id: str
    round: int
    kind: str
    sources: tuple[tuple[str, object], tuple[str, object]]


def seeded(size: int) -> list[int]:
    """Return the seeds, from 0, in the order of their places in a bracket of this size."""
    order = [0]
    while len(order) < size:
        order = [seed for one in order for seed in (one, 2 * len(order) - 1 - one)]
    return order


class Bracket:
    """A knock-out: single or double elimination.

    Parameters
    ----------
    entries : sequence of int
        The entries, in the order of their seeds; the best have byes.
    has_third : bool
        Whether the third place is played for, before the final, in a single elimination.
    is_double : bool
        Whether an entry is out only after two losses.
    """

    def __init__(self, entries: Sequence[int], has_third: bool = True, is_double: bool = False) -> None:
        self.entries, self.has_third, self.is_double = tuple(entries), has_third, is_double
        size = 1
        while size < len(self.entries):
            size *= 2
        self.size = size
        places = [self.entries[seed] if seed < len(self.entries) else NOBODY for seed in seeded(size)]
        self.nodes = self._double(places) if is_double else self._single(places)

    def _single(self, places: Sequence[int]) -> list[Node]:
        rounds = _winners(places, "")
        found = [node for nodes in rounds for node in nodes]
        if self.has_third and len(rounds) > 1:
            final = found.pop()
            a, b = (node.id for node in rounds[-2])
            found += [Node("third", final.round, "third", (("loser", a), ("loser", b))), final]
        return found

    def _double(self, places: Sequence[int]) -> list[Node]:
        winners = _winners(places, "W")
        found = list(winners[0])
        lost: list[tuple[str, object]] = [("loser", node.id) for node in winners[0]]
        number = 0
        for k in range(1, len(winners)):
            nodes: list[Node] = []
            for sources in zip(lost[::2], lost[1::2], strict=True):
                nodes.append(Node(f"X{number + 1}.{len(nodes) + 1}", 2 * k - 1, "losers", sources))
            found += nodes
            found += winners[k]
            fallen: list[tuple[str, object]] = [("loser", node.id) for node in winners[k]]
            if k % 2:  # crossed over, so that a first meeting is not repeated at once
                fallen.reverse()
            number += 1
            lost = [("winner", node.id) for node in nodes]
            nodes = []
            for sources in zip(lost, fallen, strict=True):
                nodes.append(Node(f"X{number + 1}.{len(nodes) + 1}", 2 * k, "losers", sources))
            found += nodes
            number += 1
            lost = [("winner", node.id) for node in nodes]
        last = 2 * len(winners) - 1
        champion = ("winner", winners[-1][0].id)
        other = lost[0]
        found.append(Node("final", last, "grand final", (champion, other)))
        found.append(Node("final2", last + 1, "grand final", (("winner", "final"), ("loser", "final"))))
        return found

    def _resolve(self, results: Results) -> tuple[list[Match], dict[str, tuple[int | None, int | None]]]:
        """Return the matches, and the (winner, loser) of each node: None while unknown, NOBODY if there is none."""
        ends: dict[str, tuple[int | None, int | None]] = {}
        found = []
        for node in self.nodes:
            sides: list[int | None] = []
            for kind, what in node.sources:
                if kind == "entry":
                    sides.append(int(str(what)))
                else:
                    sides.append(ends[str(what)][kind == "loser"])
            if node.id == "final2" and (ends["final"][0] is None or not self._needs_second(results)):
                ends[node.id] = ends["final"]
                continue
            result = results.get(node.id)
            if NOBODY in sides:  # a bye
                others = [side for side in sides if side != NOBODY]
                ends[node.id] = (others[0] if others else NOBODY), NOBODY
                continue
            entries = tuple(side or NOBODY for side in sides)
            found.append(Match(node.id, node.round, entries, node.kind, "", True))
            if None in sides or result is None:
                ends[node.id] = None, None
            elif result.winner == NOBODY:
                ends[node.id] = NOBODY, NOBODY
            else:
                ends[node.id] = result.winner, next(entry for entry in entries if entry != result.winner)
        return found, ends

    def _needs_second(self, results: Results) -> bool:
        """Return whether the one who had lost before has won the grand final."""
        result = results.get("final")
        if result is None or result.winner == NOBODY:
            return False
        before = [one for name, one in results.items() if name not in ("final", "final2")]
        return any(result.winner in one.entries and one.winner not in (result.winner, NOBODY) for one in before)

    def matches(self, results: Results) -> list[Match]:
        """Return the matches that are or will be played, in the order of play."""
        return self._resolve(results)[0]

    def standings(self, results: Results) -> list[Row]:
        """Return the places: by how far each came; who is still in is first."""
        found, ends = self._resolve(results)
        far: dict[int, tuple[int, int]] = {}
        for entry in self.entries:
            lost = [
                match for match in found
                if match.id in results and entry in match.entries and results[match.id].winner != entry
            ]  # fmt: skip
            allowed = 2 if self.is_double else 1
            far[entry] = (len(self.nodes), 0)
            if len(lost) >= allowed:
                far[entry] = (lost[allowed - 1].round, 0)
        last = self.nodes[-1].id if self.nodes else ""
        champion, second = ends.get(last, (None, None))
        third, fourth = ends.get("third", (None, None))
        for one, value in ((third, 0), (fourth, -1)):
            if one:
                far[one] = (len(self.nodes) - 1, value)
        for one, value in ((champion, 2), (second, 1)):
            if one and champion:
                far[one] = (len(self.nodes), value)
        everything = [results[match.id] for match in found if match.id in results]
        rows = [_row(entry, everything) for entry in self.entries]
        return _placed(_split(rows, far))


def _winners(places: Sequence[int], prefix: str) -> list[list[Node]]:
    """Return the rounds of a plain bracket; the last is the final."""
    sources: list[tuple[str, object]] = [("entry", entry) for entry in places]
    rounds: list[list[Node]] = []
    while len(sources) > 1:
        number = len(rounds)
        is_final = len(sources) == 2 and not prefix
        kind = "final" if is_final else "winners"
        at = 2 * number if prefix else number
        names = ["final"] if is_final else [f"{prefix or 'K'}{number + 1}.{k + 1}" for k in range(len(sources) // 2)]
        pairs = zip(sources[::2], sources[1::2], strict=True)
        rounds.append([Node(name, at, kind, pair) for name, pair in zip(names, pairs, strict=True)])
        sources = [("winner", node.id) for node in rounds[-1]]
    return rounds


def seed_bracket(ranked: Sequence[Sequence[int]]) -> list[int]:
    """Return the seeds of a bracket from those who advance, by place in their groups.

    ranked : for each place, the entries of that place in the order of the groups. Where it is possible, those of one
    group do not meet in the first round.
    """
    group = {entry: k for tier in ranked for k, entry in enumerate(tier)}
    seeds = [entry for tier in ranked for entry in tier]
    tier_of = {entry: t for t, tier in enumerate(ranked) for entry in tier}
    size = 1
    while size < len(seeds):
        size *= 2

    def clashes(order: Sequence[int]) -> int:
        pairs = [(order[k], order[size - 1 - k]) for k in range(size // 2) if size - 1 - k < len(order)]
        return sum(group[a] == group[b] for a, b in pairs)

    best = clashes(seeds)
    for a, b in itertools.combinations(range(len(seeds)), 2):
        if best and tier_of[seeds[a]] == tier_of[seeds[b]] > 0:
            other = list(seeds)
            other[a], other[b] = other[b], other[a]
            if clashes(other) < best:
                seeds, best = other, clashes(other)
    return seeds


# -- Swiss rounds --------------------------------------------------------------------------------------


def perfect(vertices: Sequence[int], edges: Mapping[int, set[int]]) -> dict[int, int] | None:
    """Return a partner for each vertex of a graph: a perfect matching by Edmonds' blossoms; None if there is none."""
    mate: dict[int, int] = {}
    for one in vertices:  # most are matched at once
        other = next(
            (other for other in vertices if one not in mate and other in edges[one] and other not in mate), None
        )
        if other is not None:
            mate[one], mate[other] = other, one
    for root in vertices:
        if root not in mate and not _augment(root, vertices, edges, mate):
            return None
    return mate


def _augment(root: int, vertices: Sequence[int], edges: Mapping[int, set[int]], mate: dict[int, int]) -> bool:
    """Match one more vertex along an augmenting path from `root`; return whether there is one."""
    parent: dict[int, int] = {}
    base = {vertex: vertex for vertex in vertices}
    outer, queue = {root}, [root]

    def common(a: int, b: int) -> int:
        seen = set()
        while True:
            a = base[a]
            seen.add(a)
            if a == root:
                break
            a = parent[mate[a]]
        while base[b] not in seen:
            b = parent[mate[base[b]]]
        return base[b]

    def mark(vertex: int, top: int, child: int, blossom: set[int]) -> None:
        while base[vertex] != top:
            blossom |= {base[vertex], base[mate[vertex]]}
            parent[vertex] = child
            child = mate[vertex]
            vertex = parent[mate[vertex]]

    for vertex in queue:
        for other in sorted(edges[vertex]):
            if base[vertex] == base[other] or mate.get(vertex) == other:
                continue
            if other == root or (other in mate and mate[other] in parent):
                top = common(vertex, other)
                blossom: set[int] = set()
                mark(vertex, top, other, blossom)
                mark(other, top, vertex, blossom)
                for one in vertices:
                    if base[one] in blossom:
                        base[one] = top
                        if one not in outer:
                            outer.add(one)
                            queue.append(one)
            elif other not in parent:
                parent[other] = vertex
                if other in mate:
                    outer.add(mate[other])
                    queue.append(mate[other])
                    continue
                last: int | None = other
                while last is not None:
                    before = parent[last]
                    following = mate.get(before)
                    mate[last], mate[before] = before, last
                    last = following
                return True
    return False


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

    def _play(self, results: Results) -> tuple[list[Match], list[Result], Counter[int]]:
        met: Counter[frozenset[int]] = Counter()
        rests: Counter[int] = Counter()
        found: list[Match] = []
        known: list[Result] = []
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
                matches.append(Match(name, number, _first_side(line_up, found)))
                met[frozenset(line_up)] += 1
            found += matches
            if not all(match.id in results for match in matches):
                break
            known += [results[match.id] for match in matches]
        return found, [results[match.id] for match in found if match.id in results], rests

    def _table(self, known: Sequence[Result], rests: Mapping[int, int]) -> list[Row]:
        rows = []
        for entry in self.entries:
            row = _row(entry, known)
            rows.append(row._replace(points=row.points + WIN * rests.get(entry, 0)))
        points = {row.entry: row.points for row in rows}
        behind = {
            row.entry: sum(
                points[other] for one in known if row.entry in one.entries for other in one.entries
                if other != row.entry
            )
            for row in rows
        }  # fmt: skip
        return _placed(_split(rows, points, behind, {row.entry: row.total for row in rows}))

    def matches(self, results: Results) -> list[Match]:
        """Return the matches of the rounds that can be paired so far."""
        return self._play(results)[0]

    def standings(self, results: Results) -> list[Row]:
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


def _first_side(line_up: Sequence[int], before: Sequence[Match]) -> tuple[int, ...]:
    """Return the pair with the one first that has been first less often."""
    firsts = Counter(match.entries[0] for match in before)
    return tuple(sorted(line_up, key=lambda one: (firsts[one], one)))


Format = League | Groups | Qualifier | Bracket | Swiss


def at_the_line(rows: Sequence[Row], number: int) -> tuple[list[int], list[int]]:
    """Return who advances for sure, and who is tied at the line: among these the organiser chooses the rest."""
    sure = [row.entry for row in rows if sum(other.place <= row.place for other in rows) <= number]
    tied = [row.entry for row in rows if row.entry not in sure and row.place <= number]
    return sure, tied
