"""Tally and Summary: what a run of self-play has counted."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

SERIES = 50  # points of the throughput chart, at most
SERIES_SHARDS = 4  # behind each of them, at least: threads finish theirs at nearly the same time


@dataclasses.dataclass
class Tally:
    """What was played of one game.

    plies : positions left, each by one `apply`. moves : unit actions, one for each slot of each ply. won : games
    by winning seat (return 1). drawn : games that nobody won. busy_s : seconds of all threads together.
    agents : {name: [seats taken, won]}.
    """

    games: int = 0
    plies: int = 0
    moves: int = 0
    won: list[int] = dataclasses.field(default_factory=list)
    drawn: int = 0
    busy_s: float = 0.0
    agents: dict[str, list[int]] = dataclasses.field(default_factory=dict)

    def add(self, other: Tally) -> None:
        """Count in what `other` counted."""
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
    """What a run has played, earlier parts of a resumed one included.

    games : {name of the game: Tally}. seconds : of wall time. series : (seconds, games/s) along the run.
    out : the run's folder, None without one.
    """

    games: dict[str, Tally]
    seconds: float
    series: list[tuple[float, float]]
    out: Path | None

    def rows(self) -> list[dict[str, Any]]:
        """One dict a game: game, games, plies, moves, moves_per_s, mean_length (plies), won (by seat), drawn, agents.

        moves_per_s counts unit actions in wall time, which games of one run share as they shared the threads.
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
        """The same for people: one row a game, whose keys head the columns."""
        return [
            {
                "game": row["game"],
                "games": row["games"],
                "moves": row["moves"],
                "moves/s": round(row["moves_per_s"]),
                "mean length": round(row["mean_length"], 1),
                "won by seat": " ".join(f"{won / row['games']:.1%}" for won in row["won"]),
                "drawn": f"{row['drawn'] / row['games']:.1%}",
            }
            for row in self.rows()
        ]

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain JSON types."""
        out = None if self.out is None else str(self.out)
        return {"seconds": self.seconds, "games": self.rows(), "series": self.series, "out": out}

    @classmethod
    def of(cls, shards: Mapping[int, Mapping[str, Any]], out: Path | None) -> Self:
        """Sum up the shards that a manifest lists."""
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
