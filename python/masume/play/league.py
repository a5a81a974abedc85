"""League: a pool of opponents, such as checkpoints, from which each game draws one, with its table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from ..agent import Agent
from ..agents.given import AgentLike
from ..core.config import choice, integer, real
from ..core.rng import Rng
from ..errors import ConfigError

Member = AgentLike
Schedule = Callable[[Sequence["MemberRecord"]], Sequence[float]]
METHODS = ("uniform", "latest", "prioritised")


class MemberRecord(NamedTuple):
    """A row of a league's table: the learner's results against a member.

    Attributes
    ----------
    name : str
        The member.
    games, wins, draws, losses : int
        Finished games; the learner's wins (result 1), losses (a result below 0), and the rest.
    score : float
        (wins + draws / 2 + 1) / (games + 2): an estimate of the learner's score that starts at one half.
    weight : float
        Probability that the next game is against this member; 0 in the tables that a schedule receives.
    """

    name: str
    games: int
    wins: int
    draws: int
    losses: int
    score: float
    weight: float


class League:
    """Opponents of a learner, for `opponents=` of `VectorEnv`; each seat's member changes only between games.

    Parameters
    ----------
    members : mapping of str to opponent
        Names, and for each an opponent as `VectorEnv` takes it.
    method : str or callable, optional
        "prioritised" (default): prioritised fictitious self-play, weights (1 - score) ** power, so that members who
        beat the learner play more. "uniform": equal weights. "latest": only the member added last. A callable: a
        schedule, which returns a weight, at least 0, for each row of the table that it receives.
    power : float, optional
        Exponent of "prioritised", 0..100. Default 2.
    seed : int, optional
        Seed of the draws, 0..2**64 - 1. Default 0.

    Raises
    ------
    ConfigError
        If an argument is invalid.

    Examples
    --------
    >>> league = League({"random": "random", "greedy": "greedy"})
    >>> league.tell("greedy", -1.0)
    >>> [(row.name, row.losses, round(row.weight, 2)) for row in league.table()]
    [('random', 0, 0.36), ('greedy', 1, 0.64)]
    """

    def __init__(
        self,
        members: Mapping[str, Member],
        *,
        method: str | Schedule = "prioritised",
        power: float = 2.0,
        seed: int = 0,
    ) -> None:
        if not isinstance(members, Mapping) or not members:
            raise ConfigError(f"members: expected a mapping of at least one name to an opponent, got {members!r}")
        self.members: dict[str, Member] = {}
        self._method = method if callable(method) else choice("method", method, METHODS)
        self._power = real("power", power, 0, 100)
        self._rng = Rng(integer("seed", seed, 0, 2**64 - 1))
        self._results: dict[str, list[int]] = {}  # wins, draws, losses
        for name, member in members.items():
            self.add(name, member)

    def add(self, name: str, member: Member) -> None:
        """Add a member, for games that begin from now on; raise ConfigError if the name is taken."""
        if not isinstance(name, str) or name in self.members:
            raise ConfigError(f"name: expected a new name, got {name!r}")
        if not (isinstance(member, str | Agent) or callable(member)):
            raise ConfigError(f"members[{name!r}]: expected an agent, its name or a callable, got {member!r}")
        self.members[name] = member
        self._results[name] = [0, 0, 0]

    def draw(self) -> str:
        """Return the member of the next game.

        Raises
        ------
        ConfigError
            If a schedule returns other than one weight of at least 0 for each member, some of them above 0.
        """
        weights = self._weights()
        mark = (self._rng.next() >> 11) / 2**53 * sum(weights)
        for name, weight in zip(self.members, weights, strict=True):
            mark -= weight
            if mark < 0:
                return name
        return next(name for name, weight in zip(self.members, weights, strict=True) if weight > 0)

    def tell(self, name: str, result: float) -> None:
        """Count a game of the learner, who got this result in -1..1, against a member.

        Raises
        ------
        ConfigError
            If there is no such member, or the result is out of range.
        """
        choice("name", name, self.members)
        result = real("result", result, -1, 1)
        self._results[name][0 if result == 1 else 2 if result < 0 else 1] += 1

    def table(self) -> list[MemberRecord]:
        """Return a row for each member, in the order in which they were added."""
        weights = self._weights()
        whole = sum(weights)
        return [row._replace(weight=weight / whole) for row, weight in zip(self._standings(), weights, strict=True)]

    def _standings(self) -> list[MemberRecord]:
        rows = []
        for name, (wins, draws, losses) in self._results.items():
            games = wins + draws + losses
            rows.append(MemberRecord(name, games, wins, draws, losses, (wins + draws / 2 + 1) / (games + 2), 0.0))
        return rows

    def _weights(self) -> list[float]:
        rows = self._standings()
        if callable(self._method):
            told: Any = self._method(rows)
            weights = [float(weight) for weight in told]
            if (
                len(weights) != len(rows)
                or not all(0 <= weight < float("inf") for weight in weights)
                or not any(weights)
            ):
                raise ConfigError(f"method: expected {len(rows)} weights of at least 0, some above, got {told!r}")
            return weights
        if self._method == "latest":
            return [0.0] * (len(rows) - 1) + [1.0]
        return [1.0 if self._method == "uniform" else (1 - row.score) ** self._power for row in rows]
