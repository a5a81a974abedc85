"""Points of a game in a contest: the rules that a game offers, and by default its own scores.

A game offers rules in its module `points`: `RULES`, a mapping of names to `Rule`, the first of them the default.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..core.config import choice
from ..game import Game

Parts = Mapping[str, int]
"""The parts of one player's points by name; their sum is the points."""


@dataclasses.dataclass(frozen=True)
class Rule:
    """How the points of a game are counted.

    Attributes
    ----------
    count : callable
        From the last position to the parts of each player's points.
    ties : tuple of str
        Parts that decide a match of equal games won and equal points, in this order.
    order : tuple of str
        Parts that decide between equal points in a qualifier, in this order.
    """

    count: Callable[[Any], Sequence[Parts]]
    ties: tuple[str, ...] = ()
    order: tuple[str, ...] = ()


def _scores(state: Any) -> list[Parts]:
    return [{"score": int(score)} for score in state.scores()]


OWN = "own"
_OWN = Rule(_scores)


def rules_of(game: Game) -> Mapping[str, Rule]:
    """Return the rules of points that may be chosen for a game, the default first."""
    found: Mapping[str, Rule] = getattr(game.part("points"), "RULES", {})
    return {**found, OWN: _OWN}


def rule_of(game: Game, name: str | None) -> Rule:
    """Return the rule of this name, by default the game's first; raise ConfigError if there is none."""
    rules = rules_of(game)
    return next(iter(rules.values())) if name is None else rules[choice("points", name, rules)]
