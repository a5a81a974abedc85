"""Tally and Summary: counts of a run of self-play."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

from ..core.language import translate as _

SERIES = 50  # points of the throughput chart, at most
SERIES_SHARDS = 4  # shards per point, at least: threads finish theirs at nearly the same time


@dataclasses.dataclass
class Tally:
    """Counts of one game of a run.

    Attributes
    ----------
    games : int
        Number of games.
    plies : int
        Number of calls of `apply`.
    moves : int
        Number of unit actions: one for each slot of each ply.
    won : list of int
        Games won by each seat (return 1).
    drawn : int
        Games that nobody won.
    busy_s : float
        Seconds of play, all threads together.
    agents : dict
        [seats taken, games won] per agent's name.
    """

    games: int = 0
    plies: int = 0
    moves: int = 0
    won: list[int] = dataclasses.field(default_factory=list)
    drawn: int = 0
    busy_s: float = 0.0
    agents: dict[str, list[int]] = dataclasses.field(default_factory=dict)

    def add(self, other: Tally) -> None:
        """Add the counts of `other`."""
        self.games += other.games
        self.plies += other.plies
        self.moves += other.moves
        self.won = [sum(pair) for pair in itertools.zip_longest(self.won, other.won, fillvalue=0)]
        self.drawn += other.drawn
        self.busy_s += other.busy_s
        for name, (seats, won) in other.agents.items():
            mine = self.agents.setdefault(name, [0, 0])
            mine[0] += seats
            mine[1] += won


@dataclasses.dataclass(frozen=True)
class Summary:
    """Counts and speed of a run of self-play, including the earlier parts of a resumed one.

    Attributes
    ----------
    games : dict
        A Tally per name of a game.
    seconds : float
        Wall time in seconds.
    series : list of tuple
        (seconds since the start, games per second), at most 50 points along the run.
    out : Path, str or None
        The run's folder, or its URL without keys and options; None if nothing was kept.
    """

    games: dict[str, Tally]
    seconds: float
    series: list[tuple[float, float]]
    out: Path | str | None

    def rows(self) -> list[dict[str, Any]]:
        """Return one dict per game.

        Returns
        -------
        list of dict
            Keys: game, games, plies, moves, moves_per_s, mean_length (plies), won (by seat), drawn, agents. moves_per_s
            is the number of unit actions per second of wall time; games of one run divide the wall time as they divided
            the threads.
        """
        busy = sum(tally.busy_s for tally in self.games.values())
        return [
            {
                "game": name,
                "games": tally.games,
                "plies": tally.plies,
                "moves": tally.moves,
                "moves_per_s": tally.moves / (self.seconds * tally.busy_s / busy),
                "mean_length": tally.plies / tally.games,
                "won": tally.won,
                "drawn": tally.drawn,
                "agents": tally.agents,
            }
            for name, tally in self.games.items()
        ]

    def table(self) -> list[dict[str, Any]]:
        """Return `rows` for people: one dict per game, whose keys head the columns and whose values are rounded."""
        return [
            {
                _("game"): row["game"],
                _("games"): row["games"],
                _("moves"): row["moves"],
                _("moves/s"): round(row["moves_per_s"]),
                _("mean length"): round(row["mean_length"], 1),
                _("won by seat"): " ".join(f"{won / row['games']:.1%}" for won in row["won"]),
                _("drawn"): f"{row['drawn'] / row['games']:.1%}",
            }
            for row in self.rows()
        ]

    def _repr_html_(self) -> str:
        from ..render import notebook

        facts = {"seconds": self.seconds, "folder": "none" if self.out is None else self.out}
        return notebook.draw_card("Self-play", facts, notebook.draw_table(self.table()))

    def to_dict(self) -> dict[str, Any]:
        """Return the summary as plain JSON types."""
        out = None if self.out is None else str(self.out)
        return {"seconds": self.seconds, "games": self.rows(), "series": self.series, "out": out}

    @classmethod
    def of(cls, shards: Mapping[int, Mapping[str, Any]], out: Path | str | None) -> Self:
        """Return the summary of the shards that a manifest lists."""
        games: dict[str, Tally] = {}
        for shard in shards.values():
            for name, tally in shard["tallies"].items():
                games.setdefault(name, Tally()).add(Tally(**tally))
        finished = sorted(
            (shard["finished_s"], sum(tally["games"] for tally in shard["tallies"].values()))
            for shard in shards.values()
        )
        points = min(max(len(finished) // SERIES_SHARDS, 1), SERIES)
        rates: list[tuple[float, float]] = []
        since = 0.0
        for point in range(points):
            part = finished[point * len(finished) // points : (point + 1) * len(finished) // points]
            end = part[-1][0]
            rates.append((end, sum(count for _, count in part) / max(end - since, 1e-6)))
            since = end
        return cls(games, since, rates, out)
