"""Playing a pairing: the same contestants, a game for each order of the seats. Arenas and contests play this way."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Sequence
from typing import Any, Protocol

from ..core.shapes import COUNT, INTEGER, REAL
from ..game import Game
from ..records.replay import Replay
from ..referee import match
from ..referee.clock import TimeControl
from ..referee.match import Follow, Record
from ..referee.seat import Seat
from .ratings import RatedGame

GAME = {
    "seats": [COUNT], "returns": [REAL], "scores": [INTEGER], "plies": COUNT, "reason": str | None,
    "faults": [(COUNT, str, str, COUNT, str)],
}  # fmt: skip
"""The shape of a game in a line of JSON."""


@dataclasses.dataclass
class PairingGame:
    """One game of an arena or a contest.

    Attributes
    ----------
    seats : list of int
        Who has each seat, as an index into `Tournament.names`, or the number of an entry.
    returns : list of float
        The result of each seat, -1..1.
    scores : list of int
        The points of each seat.
    plies : int
        Number of moves.
    reason : str or None
        Why the game ended, in the game's own words; "not played" if a program could not be started: the returns are
        then those of a walkover.
    faults : list
        One `[who, cause, detail, ply, log]` per fault: who as in `seats`; why, and one line for people; after how many
        moves; the end of what the program wrote to stderr.
    """

    seats: list[int]
    returns: list[float]
    scores: list[int]
    plies: int
    reason: str | None
    faults: list[list[Any]]

    @classmethod
    def of(cls, seats: Sequence[int], record: Record) -> PairingGame:
        """Return a game that the referee recorded."""
        game = record.replay
        faults = [[seats[one.player], one.cause, one.detail, one.ply, one.log] for one in record.faults]
        return cls(list(seats), game.returns, game.scores, len(game.moves), game.reason, faults)

    @property
    def is_played(self) -> bool:
        """Whether the game was played: whether all programs could be started."""
        return self.reason != match.NOT_PLAYED

    @property
    def outcome(self) -> RatedGame:
        """The game in the form that ratings are computed from."""
        return RatedGame(self.seats, self.returns)

    @property
    def first(self) -> list[int]:
        """Who sits on the seats with the highest return."""
        best = max(self.returns)
        return [agent for agent, value in zip(self.seats, self.returns, strict=True) if value == best]

    def score(self, agent: int) -> float:
        """Return somebody's score: 1 for a win, 0.5 for a shared first place, else 0; the mean over its seats."""
        won = self.first.count(agent) / self.seats.count(agent)
        return won if len(self.first) == 1 else 0.5 * won


class Show(Protocol):
    """Where games are shown while they are played; its methods are called in one thread."""

    def begin(self, game: Game, seed: int, names: Sequence[str], is_live: bool = False) -> Follow:
        """Return what follows a game that is about to begin; one that is live keeps its own time."""

    def finish(self, one: Replay) -> None:
        """Show the result of that game."""


async def play_pairing(
    game: Game,
    contestants: Sequence[Seat],
    orders: Sequence[Sequence[int]],
    seed: int,
    control: TimeControl,
    show: Show | None = None,
    names: Sequence[str] | None = None,
    is_live: bool = False,
) -> list[Record]:
    """Play a game for each order of the contestants, from the same start, and close their seats.

    Parameters
    ----------
    game : Game
        The game.
    contestants : sequence of Seat
        Who plays.
    orders : sequence of sequence of int
        For each game, which contestant has each seat.
    seed : int
        Seed of the start of every game.
    control : TimeControl
        Time of each player.
    show : Show, optional
        Where the games are shown.
    names : sequence of str, optional
        What the contestants are called there; by default the names of their seats.
    is_live : bool, optional
        Whether the games keep their own time there.

    Returns
    -------
    list of Record
        The games.
    """
    records = []
    try:
        for order in orders:
            playing = [contestants[who] for who in order]
            called = [seat.name for seat in playing] if names is None else [names[who] for who in order]
            follow = show.begin(game, seed, called, is_live) if show else None
            records.append(await match.play_match(game, playing, seed, control, follow=follow))
            if show:
                show.finish(records[-1].replay)
    finally:
        await asyncio.gather(*(seat.close() for seat in contestants))
    return records
