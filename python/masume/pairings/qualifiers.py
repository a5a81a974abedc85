"""A qualifier: everybody plays the organiser's bot."""

from __future__ import annotations

from collections.abc import Sequence

from .tables import BOT, Fixture, Results, TableRow, give_places, split


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

    def matches(self, results: Results) -> list[Fixture]:
        """Return a match for each entry; all are played on the same map."""
        return [Fixture(f"Q:{entry}", 0, (entry, BOT), "qualifier") for entry in self.entries]

    def standings(self, results: Results) -> list[TableRow]:
        """Return the table: points, then the parts of `order`; those still equal share a place."""
        rows, keys = [], {}
        for entry in self.entries:
            result = results.get(f"Q:{entry}")
            total = 0.0 if result is None else result.totals[result.entries.index(entry)]
            rows.append(TableRow(0, entry, int(result is not None), 0, 0, 0, total, total))
            parts = [0.0 if result is None else result.part(entry, name) for name in self.order]
            keys[entry] = (result is not None, total, *parts)
        return give_places(split(rows, keys))

    def with_late(self, entry: int, results: Results) -> Qualifier:
        """Return the qualifier with one more entry."""
        return Qualifier([*self.entries, entry], self.order)
