"""The course of a game: how its scores went, and what makes it worth watching."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..results import winners

CLOSE = 20  # a lead of one part in so many of the highest score decides closely
BACK = 4  # a winner who was behind by one part in so many of the highest score came back
MANY_LEADS = 10  # beyond which another change of the lead adds nothing


class Praise(NamedTuple):
    """Why a game is worth watching: "fewer", "close", "draw", "back" or "leads", a number, and how much it adds."""

    kind: str
    number: int
    worth: float


class Course:
    """The scores of a game, taken position by position; it keeps sums only.

    Parameters
    ----------
    num_players : int
        Number of players.

    Attributes
    ----------
    num_leads : int
        How often another player than before led alone.
    behind : list of int
        By player, the largest number of points that it was behind the best of the others.
    """

    def __init__(self, num_players: int) -> None:
        self.num_leads, self.behind = 0, [0] * num_players
        self._leader, self._highest = -1, 0
        self._scores: Sequence[int] = [0] * num_players

    def take(self, scores: Sequence[int]) -> None:
        """Take the scores of the next position, int[num_players]."""
        self._scores = scores
        best = max(scores)
        self._highest = max(self._highest, *map(abs, scores))
        self.behind = [max(far, best - own) for far, own in zip(self.behind, scores, strict=True)]
        if scores.count(best) > 1:
            return
        leader = scores.index(best)
        self.num_leads += self._leader not in (-1, leader)
        self._leader = leader

    def judge(self, returns: Sequence[float]) -> list[Praise]:
        """Return what makes the game worth watching, the most important first.

        Parameters
        ----------
        returns : sequence of float
            The result of each player, -1..1.
        """
        found: list[Praise] = []
        first, scores = winners(returns), self._scores
        if self._highest and first:
            lead = scores[first[0]] - max(own for player, own in enumerate(scores) if player not in first)
            if lead < 0:
                found.append(Praise("fewer", 0, 4.0))
            elif lead <= max(1, self._highest // CLOSE):
                found.append(Praise("close", lead, 3.0))
            back = self.behind[first[0]] if len(first) == 1 else 0  # those of a team are behind each other
            if lead >= 0 and back > self._highest // BACK:
                found.append(Praise("back", back, 2.0 + back / self._highest))
        elif self._highest and not first:
            found.append(Praise("draw", 0, 2.0))
        if self.num_leads > 1:
            found.append(Praise("leads", self.num_leads, 3.0 * min(self.num_leads, MANY_LEADS) / MANY_LEADS))
        return sorted(found, key=lambda praise: -praise.worth)
