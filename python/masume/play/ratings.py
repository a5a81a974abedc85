"""Ratings from games: cross tables, ratings with intervals, and a sequential test that stops early.

A game is a line-up of agents, one per seat, and the return of each seat. Every pair of seats with different agents is
one comparison: a win for the higher return, half a win each for equal returns.
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
PRIOR = 0.5  # wins and losses added against an average agent: ratings of agents that never lost stay finite
MARGIN = 0.05  # around the score that `Test` decides about
RISK = 0.05  # probability of a wrong decision, on either side
ROUNDS = 1_000_000  # of fitting, each below a millisecond; an agent that never lost a long series needs many


class RatedGame(NamedTuple):
    """One game: the agent (its number) on each seat, and the return of each seat."""

    seats: Sequence[int]
    returns: Sequence[float]


@dataclasses.dataclass(frozen=True)
class Rating:
    """Strength of an agent, as estimated from the games.

    Attributes
    ----------
    elo : float
        Bradley-Terry rating in Elo points; the mean of all agents is 0.
    interval : float
        Half the width of the 95 % interval of `elo`.
    skill, deviation : float
        mu and sigma of openskill's Plackett-Luce model, updated game by game in order.
    """

    elo: float
    interval: float
    skill: float
    deviation: float


def wins(outcomes: Iterable[RatedGame], num_agents: int) -> NDArray[np.float64]:
    """Count how often each agent did better than each other one.

    Parameters
    ----------
    outcomes : iterable of RatedGame
        The games.
    num_agents : int
        Number of agents, a.

    Returns
    -------
    float64[a, a]
        Entry [i, j] is the number of comparisons that agent i won against agent j; equal returns count 0.5 for each.
    """
    table = np.zeros((num_agents, num_agents))
    for seats, returns in outcomes:
        for i, first in enumerate(seats):
            for j, second in enumerate(seats):
                if first != second:
                    table[first, second] += 1.0 if returns[i] > returns[j] else 0.5 if returns[i] == returns[j] else 0.0
    return table


def ratings(outcomes: Sequence[RatedGame], num_agents: int) -> list[Rating]:
    """Rate the agents.

    Parameters
    ----------
    outcomes : sequence of RatedGame
        The games, in the order in which they were played.
    num_agents : int
        Number of agents.

    Returns
    -------
    list of Rating
        One per agent.

    Raises
    ------
    ExtraError
        If the extra `rating` (openskill, choix) is not installed.

    Notes
    -----
    The interval is that of the difference to the mean of all agents, from the curvature of the likelihood.
    """
    choix, models = _packages()
    table = wins(outcomes, num_agents)
    # an additional agent of average strength keeps all on one scale
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
    """Return standard deviations of strengths against the mean of the first `num_agents`: the inverse curvature."""
    chance = 1 / (1 + np.exp(strength[None, :] - strength[:, None]))
    weight = (table + table.T) * chance * (1 - chance)
    curvature = np.diag(weight.sum(1)) - weight
    covariance = np.linalg.pinv(curvature)
    centre = np.eye(len(table))[:num_agents] - np.append(np.full(num_agents, 1 / num_agents), 0.0)
    return np.sqrt(np.maximum(np.diag(centre @ covariance @ centre.T), 0))


def _skills(models: ModuleType, outcomes: Iterable[RatedGame], num_agents: int) -> list[Any]:
    """Return openskill's ratings after the games in order; an agent on several seats takes the mean of its updates."""
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
    """Raise ExtraError unless the packages that ratings need are installed."""
    _packages()


def _packages() -> tuple[ModuleType, ModuleType]:
    return extra("choix", "rating"), extra("openskill.models", "rating")


def score_interval(scores: Sequence[float]) -> tuple[float, float, float]:
    """Return a mean score and its 95 % interval (Wilson).

    Parameters
    ----------
    scores : sequence of float
        Scores in 0..1: 1 for a win, 0.5 for a draw.

    Returns
    -------
    tuple of float
        (mean, low, high), each in 0..1.

    Raises
    ------
    ValueError
        If there are no scores.
    """
    if not scores:
        raise ValueError("scores: expected at least one")
    n, mean = len(scores), float(np.mean(scores))
    spread = Z95 * math.sqrt(mean * (1 - mean) / n + Z95**2 / (4 * n * n))
    middle = (mean + Z95**2 / (2 * n)) / (1 + Z95**2 / n)
    half = spread / (1 + Z95**2 / n)
    return mean, max(0.0, middle - half), min(1.0, middle + half)


class Test:
    """Sequential probability ratio test of whether a mean score is above or below a bound.

    The hypotheses are bound - MARGIN and bound + MARGIN; if one of them holds, the test decides wrongly with
    probability RISK. Scores should be means of paired games (same seed, seats exchanged), which vary less than single
    games.

    Parameters
    ----------
    bound : float
        The mean score to decide about, 0.05..0.95.

    Raises
    ------
    ConfigError
        If `bound` is out of range.

    Examples
    --------
    >>> test = Test(0.6)
    >>> for score in [1.0, 0.5] * 20: test.add(score)
    >>> test.verdict
    'above'
    """

    __test__ = False  # not a class of pytest tests

    def __init__(self, bound: float) -> None:
        if not MARGIN <= bound <= 1 - MARGIN:
            raise ConfigError(f"stop_at: expected {MARGIN}..{1 - MARGIN}, got {bound}")
        self.bound = bound
        self._scores: list[float] = []

    def add(self, score: float) -> None:
        """Add the score, 0..1, of a game or the mean of a pair of games."""
        self._scores.append(score)

    @property
    def verdict(self) -> str | None:
        """ "above", "below", or None while the test is undecided."""
        n = len(self._scores)
        if n < 5:
            return None
        mean = float(np.mean(self._scores))
        # scores that are all wins have no variance: add the squared deviation of one draw
        variance = (float(np.sum((np.array(self._scores) - mean) ** 2)) + 0.25) / n
        ratio = n * 2 * MARGIN * (mean - self.bound) / variance
        limit = math.log((1 - RISK) / RISK)
        return "above" if ratio >= limit else "below" if ratio <= -limit else None
