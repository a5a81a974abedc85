"""Brackets: single and double elimination, and who is seeded where."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import NamedTuple

from .tables import NOBODY, Fixture, Results, TableRow, give_places, row_of, split


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
        self.places = [self.entries[seed] if seed < len(self.entries) else NOBODY for seed in seeded(size)]
        self.nodes = self._double(self.places) if is_double else self._single(self.places)

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
        tree = list(winners[0])
        lost: list[tuple[str, object]] = [("loser", node.id) for node in winners[0]]
        number = 0
        for k in range(1, len(winners)):
            nodes: list[Node] = []
            for sources in zip(lost[::2], lost[1::2], strict=True):
                nodes.append(Node(f"X{number + 1}.{len(nodes) + 1}", 2 * k - 1, "losers", sources))
            tree += nodes
            tree += winners[k]
            fallen: list[tuple[str, object]] = [("loser", node.id) for node in winners[k]]
            if k % 2:  # crossed over, so that a first meeting is not repeated at once
                fallen.reverse()
            number += 1
            lost = [("winner", node.id) for node in nodes]
            nodes = []
            for sources in zip(lost, fallen, strict=True):
                nodes.append(Node(f"X{number + 1}.{len(nodes) + 1}", 2 * k, "losers", sources))
            tree += nodes
            number += 1
            lost = [("winner", node.id) for node in nodes]
        last = 2 * len(winners) - 1
        champion = ("winner", winners[-1][0].id)
        other = lost[0]
        tree.append(Node("final", last, "grand final", (champion, other)))
        tree.append(Node("final2", last + 1, "grand final", (("winner", "final"), ("loser", "final"))))
        return tree

    def _resolve(self, results: Results) -> tuple[list[Fixture], dict[str, tuple[int | None, int | None]]]:
        """Return the matches, and the (winner, loser) of each node: None while unknown, NOBODY if there is none."""
        ends: dict[str, tuple[int | None, int | None]] = {}
        matches = []
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
            matches.append(Fixture(node.id, node.round, entries, node.kind, "", True))
            if None in sides or result is None:
                ends[node.id] = None, None
            elif result.winner == NOBODY:
                ends[node.id] = NOBODY, NOBODY
            else:
                ends[node.id] = result.winner, next(entry for entry in entries if entry != result.winner)
        return matches, ends

    def _needs_second(self, results: Results) -> bool:
        """Return whether the one who had lost before has won the grand final."""
        result = results.get("final")
        if result is None or result.winner == NOBODY:
            return False
        before = [one for name, one in results.items() if name not in ("final", "final2")]
        return any(result.winner in one.entries and one.winner not in (result.winner, NOBODY) for one in before)

    def matches(self, results: Results) -> list[Fixture]:
        """Return the matches that are or will be played, in the order of play."""
        return self._resolve(results)[0]

    def standings(self, results: Results) -> list[TableRow]:
        """Return the places: by how far each came; who is still in is first."""
        matches, ends = self._resolve(results)
        far: dict[int, tuple[int, int]] = {}
        for entry in self.entries:
            lost = [
                match for match in matches
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
        everything = [results[match.id] for match in matches if match.id in results]
        rows = [row_of(entry, everything) for entry in self.entries]
        return give_places(split(rows, far))


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
