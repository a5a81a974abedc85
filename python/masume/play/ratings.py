"""Who is stronger, from games that were played: cross tables, ratings with intervals, a test that stops early.

A game is a line-up of agents, one a seat, and the return of each seat. Among the seats of different agents every pair
is one comparison: a win for the higher return, half a win each for equal ones.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Sequence
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.extras import extra
from ..errors import ConfigError

ELO = 400 / math.log(10)  # points of rating for a factor of e in the odds
Z95 = 1.959963984540054
PRIOR = 0.5  # of a win that each agent is given over and by an average one: ratings of who never lost stay finite
MARGIN = 0.05  # around the score that `Test` decides about
RISK = 0.05  # of deciding wrongly, on either side
ROUNDS = 1_000_000  # of fitting, each shorter than a millisecond; who never lost a long series needs many


class Outcome(NamedTuple):
    """One game: the agent (its number) on each seat, and the return of each seat."""

    seats: Sequence[int]
    returns: Sequence[float]


@dataclasses.dataclass(frozen=True)
class Rating:
    """How strong an agent is, as far as the games say.

    elo : Bradley-Terry rating, the mean of all agents being 0. interval : half the width of its 95 % interval.
    skill, deviation : mu and sigma of openskill's Plackett-Luce model, updated game by game in order.
    """

    elo: float
    interval: float
    skill: float
    deviation: float


def wins(outcomes: Iterable[Outcome], num_agents: int) -> NDArray[np.float64]:
    """float64[a, a]: how often the agent of the row did better than that of the column; equal results are halves."""
    table = np.zeros((num_agents, num_agents))
    for seats, returns in outcomes:
        for i, first in enumerate(seats):
            for j, second in enumerate(seats):
                if first != second:
                    table[first, second] += 1.0 if returns[i] > returns[j] else 0.5 if returns[i] == returns[j] else 0.0
    return table


def ratings(outcomes: Sequence[Outcome], num_agents: int) -> list[Rating]:
    """The rating of each agent; the extra `rating` (openskill, choix) is needed, else ConfigError.

    The interval is that of the difference to the mean of all agents, from the curvature of the likelihood.
    """
    choix, models = _packages()
    table = wins(outcomes, num_agents)
    # an agent more, of average strength, holds all to the same scale
    held = np.zeros((num_agents + 1, num_agents + 1))
    held[:num_agents, :num_agents] = table
    held[num_agents, :num_agents] = held[:num_agents, num_agents] = PRIOR
    strength = choix.ilsr_pairwise_dense(held, max_iter=ROUNDS)
    strength -= strength[:num_agents].mean()
    deviation = _deviations(held, strength, num_agents)
    skills = _skills(models, outcomes, num_agents)
    return [
        Rating(float(ELO * strength[a]), float(ELO * Z95 * deviation[a]), float(skills[a].mu), float(skills[a].sigma))
        for a in range(num_agents)
    ]


def _deviations(table: NDArray[np.float64], strength: NDArray[np.float64], num_agents: int) -> NDArray[np.float64]:
    """Standard deviations of strengths against the mean of the first `num_agents`, by the inverse of the curvature."""
    chance = 1 / (1 + np.exp(strength[None, :] - strength[:, None]))
    weight = (table + table.T) * chance * (1 - chance)
    curvature = np.diag(weight.sum(1)) - weight
    covariance = np.linalg.pinv(curvature)
    centre = np.eye(len(table))[:num_agents] - np.append(np.full(num_agents, 1 / num_agents), 0.0)
    return np.sqrt(np.maximum(np.diag(centre @ covariance @ centre.T), 0))


def _skills(models: ModuleType, outcomes: Iterable[Outcome], num_agents: int) -> list[Any]:
    """openskill's ratings after the games in order. An agent on several seats takes the mean of what they earn it."""
    model = models.PlackettLuce()
    skills = [model.rating() for _ in range(num_agents)]
    for seats, returns in outcomes:
        rated = model.rate([[skills[agent]] for agent in seats], scores=list(map(float, returns)))
        for agent in dict.fromkeys(seats):
            mine = [team[0] for team, other in zip(rated, seats, strict=True) if other == agent]
            mu = sum(rating.mu for rating in mine) / len(mine)
            skills[agent] = model.rating(mu=mu, sigma=sum(rating.sigma for rating in mine) / len(mine))
    return skills


def check_extra() -> None:
    """ExtraError unless what ratings need is installed."""
    _packages()


def _packages() -> tuple[ModuleType, ModuleType]:
    return extra("choix", "rating"), extra("openskill.models", "rating")


def score_interval(scores: Sequence[float]) -> tuple[float, float, float]:
    """(mean, low, high): a mean score in 0..1 and its 95 % interval, Wilson's, at half a point's granularity.

    ValueError without scores.
    """
    if not scores:
        raise ValueError("scores: there are none")
    n, mean = len(scores), float(np.mean(scores))
    spread = Z95 * math.sqrt(mean * (1 - mean) / n + Z95**2 / (4 * n * n))
    middle = (mean + Z95**2 / (2 * n)) / (1 + Z95**2 / n)
    half = spread / (1 + Z95**2 / n)
    return mean, max(0.0, middle - half), min(1.0, middle + half)


class Test:
    """Whether a mean score is above or below a bound, asked after every game: a sequential probability ratio test.

    The hypotheses are bound - MARGIN and bound + MARGIN; the test is wrong in RISK of the cases where one of them
    holds. Scores are means of paired games (same seed, seats exchanged), which vary less than single ones.

    >>> test = Test(0.6)
    >>> for score in [1.0, 0.5] * 20: test.add(score)
    >>> test.verdict
    'above'
    """

    __test__ = False  # not one of pytest's

    def __init__(self, bound: float) -> None:
        if not MARGIN <= bound <= 1 - MARGIN:
            raise ConfigError(f"stop_at: {bound} is not in {MARGIN}..{1 - MARGIN}")
        self.bound = bound
        self._scores: list[float] = []

    def add(self, score: float) -> None:
        """A game, or the mean of a pair of games: a score in 0..1."""
        self._scores.append(score)

    @property
    def verdict(self) -> str | None:
        """ "above", "below", or None while it is open."""
        n = len(self._scores)
        if n < 5:
            return None
        mean = float(np.mean(self._scores))
        # a score of all wins has no variance of its own: as many draws as one game are added
        variance = (float(np.sum((np.array(self._scores) - mean) ** 2)) + 0.25) / n
        ratio = n * 2 * MARGIN * (mean - self.bound) / variance
        limit = math.log((1 - RISK) / RISK)
        return "above" if ratio >= limit else "below" if ratio <= -limit else None
