"""Config: the fields a game of Terraforming is built from, and the map they give."""

from __future__ import annotations

import dataclasses
from typing import Any, Self

from ..core import config
from ..core.config import boolean, choice, integer
from ..errors import ConfigError, ConfigTypeError
from . import hexes
from .buildings import RULESETS
from .maps import Map, generate, read

HOLE_MODES = ("count", "chance")
MAP_CHECKS = ("full", "third", "none")
TIE_BREAKS = ("later", "shared")

DEFAULTS: dict[str, dict[str, Any]] = {
    "rulebook": {
        "score_limit": 0,
        "end_all_developed": True,
        "hole_mode": "count",
        "map_check": "full",
        "illegal_locks": False,
    },
    "contest": {
        "score_limit": 100,
        "end_all_developed": False,
        "hole_mode": "chance",
        "map_check": "third",
        "illegal_locks": True,
    },
}
OWN: Any = None  # the default of a field that each ruleset has its own for


@dataclasses.dataclass(frozen=True)
class Config(config.Config):
    """The fields of section 2 of the rules; made by `make`, which names what is wrong. None takes the ruleset's own.

    ruleset : "rulebook", the seed text, or "contest", release 1.0.9. [TF-R40]
    radius : R, 1..10. [TF-3]
    max_turns : rounds of one turn each, 1..10000. [TF-18] [TF-R7]
    score_limit : the score that ends a game, 0..100000; 0 is none.
    end_all_developed : whether a board without an undeveloped cell ends the game. [TF-17] [TF-R31]
    hole_mode : "count", so many holes in each third, or "chance", each cell of a third with probability 1 / divisor.
    holes_per_third : for count, 0..R(R + 1) - 1; None is floor(5R(R + 1) / 42). [TF-R3]
    hole_divisor, hole_cap : for chance, 1..1000000 and 1..1000; a third with so many holes or more is drawn again.
    map_check : "full", "third" or "none": which maps are drawn again because they are cut up. [TF-R4]
    tie_break : "later", of equal scores the later player's ranks higher, or "shared". [TF-R32]
    illegal_locks : whether an illegal command chooses what a turn is for. [TF-R26]
    seed : 0..2**64-1, the seed of the map of a state that is given none.
    map : None, or the Map to play on; it gives the radius, and seed and the fields of holes change nothing.
    """

    ruleset: str = "rulebook"
    radius: int = 6
    max_turns: int = 200
    score_limit: int = OWN
    end_all_developed: bool = OWN
    hole_mode: str = OWN
    holes_per_third: int = OWN
    hole_divisor: int = 5
    hole_cap: int = 15
    map_check: str = OWN
    tie_break: str = "later"
    illegal_locks: bool = OWN
    seed: int = 0
    map: Map | None = dataclasses.field(default=None, repr=False)

    def __post_init__(self) -> None:
        choice("ruleset", self.ruleset, RULESETS)
        third = integer("radius", self.radius, *hexes.RADII) * (self.radius + 1)
        own = DEFAULTS[self.ruleset] | {"holes_per_third": 5 * third // 42}
        for name, value in own.items():
            if getattr(self, name) is None:
                object.__setattr__(self, name, value)
        for name, low, high in (
            ("radius", *hexes.RADII),
            ("max_turns", 1, 10_000),
            ("score_limit", 0, 100_000),
            ("holes_per_third", 0, third - 1),
            ("hole_divisor", 1, 1_000_000),
            ("hole_cap", 1, 1000),
            ("seed", 0, 2**64 - 1),
        ):
            object.__setattr__(self, name, integer(name, getattr(self, name), low, high))
        for name in ("end_all_developed", "illegal_locks"):
            object.__setattr__(self, name, boolean(name, getattr(self, name)))
        choice("hole_mode", self.hole_mode, HOLE_MODES)
        choice("map_check", self.map_check, MAP_CHECKS)
        choice("tie_break", self.tie_break, TIE_BREAKS)
        given: Any = self.map
        if given is not None and not isinstance(given, Map):
            raise ConfigTypeError(f"map: a Map is wanted, not {given!r}")
        if self.map is not None and self.map.radius != self.radius:
            raise ConfigError(f"radius: {self.radius} is not the map's, {self.map.radius}")

    @classmethod
    def make(cls, preset: str | None = None, map: Any = None, **fields: Any) -> Self:  # noqa: A002
        """The config with these fields, the others at their defaults (or the preset's, or the map's).

        map : a Map, or the text of a text board or state block. Its radius holds, and a block's number of turns;
            ConfigError where others are given beside it.

        Raises ConfigError, which begins with the name of the field; NotationError for a text that is no map.
        """
        if map is None:
            return super().make(preset, **fields)
        its, max_turns = read(map)
        told = {"radius": its.radius} if max_turns is None else {"radius": its.radius, "max_turns": max_turns}
        made = super().make(preset, **{**told, **fields, "map": its})
        if max_turns not in (None, made.max_turns):
            raise ConfigError(f"max_turns: {made.max_turns} is not the map's, {max_turns}")
        return made

    @classmethod
    def presets(cls) -> dict[str, dict[str, Any]]:
        """The rulesets with their own defaults."""
        return {ruleset: {"ruleset": ruleset} for ruleset in RULESETS}

    @property
    def num_cells(self) -> int:
        """N, the cells of the board."""
        return len(hexes.cells(self.radius))

    def start_map(self, seed: int) -> Map:
        """The map of the game `seed`: the explicit one, or the generated one; raises as `maps.generate` does."""
        return self.map if self.map is not None else generate(self, seed)

    def to_dict(self) -> dict[str, Any]:
        """Every field under its name, as plain JSON types; the map as a text board."""
        return {**super().to_dict(), "map": None if self.map is None else self.map.to_text()}
