"""Config: the settings of a game of Terraforming, and its map."""

from __future__ import annotations

import dataclasses
from typing import Any, Self

from ..core import config
from ..core.config import choice, integer
from ..core.shapes import Choice, Int, Maybe, check_fields, field
from ..errors import ConfigError
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
OWN: Any = None  # default of a field whose value depends on the ruleset


@dataclasses.dataclass(frozen=True)
class Config(config.Config):
    """The settings of a game, the fields of section 2 of the rules. `make` names the field that is wrong.

    Fields given as None take the default of the ruleset.

    Parameters
    ----------
    ruleset : {"rulebook", "contest"}, optional
        "rulebook" is the seed text, "contest" release 1.0.9. Default "rulebook". [TF-R40]
    radius : int, optional
        R, 1..10; the board has 3R(R + 1) + 1 cells. Default 6. [TF-3]
    max_turns : int, optional
        Number of rounds, 1..10000; each player has one turn per round. Default 200. [TF-18] [TF-R7]
    score_limit : int, optional
        Score that ends a game, 0..100000; 0 for none. Default 0 (contest: 100).
    end_all_developed : bool, optional
        Whether a board without an undeveloped cell ends the game. Default True (contest: False). [TF-17] [TF-R31]
    hole_mode : {"count", "chance"}, optional
        "count" draws `holes_per_third` holes in each third; "chance" makes each cell of a third a hole with
        probability 1 / `hole_divisor`. Default "count" (contest: "chance").
    holes_per_third : int, optional
        For "count", 0..R(R + 1) - 1. Default floor(5R(R + 1) / 42). [TF-R3]
    hole_divisor : int, optional
        For "chance", 1..1000000. Default 5.
    hole_cap : int, optional
        For "chance", 1..1000; a third with this many holes or more is drawn again. Default 15.
    map_check : {"full", "third", "none"}, optional
        Check that rejects maps whose parts are cut off. Default "full" (contest: "third"). [TF-R4]
    tie_break : {"later", "shared"}, optional
        "later" ranks the later player higher at equal scores. Default "later". [TF-R32]
    illegal_locks : bool, optional
        Whether an illegal command decides what the turn is for. Default False (contest: True). [TF-R26]
    seed : int, optional
        Seed of the map of a state that is created without a seed, 0..2**64 - 1. Default 0.
    map : Map or None, optional
        The map to play on; its radius must equal `radius`. With a map, `seed` and the fields of holes have no effect.

    Raises
    ------
    ConfigError
        If a value is out of range or unknown, or the map has another radius.
    ConfigTypeError
        If a field has the wrong type.
    """

    ruleset: str = field("rulebook", Choice(*RULESETS))
    radius: int = field(6, Int(*hexes.RADII))
    max_turns: int = field(200, Int(1, 10_000))
    score_limit: int = field(OWN, Int(0, 100_000))
    end_all_developed: bool = OWN
    hole_mode: str = field(OWN, Choice(*HOLE_MODES))
    holes_per_third: int = OWN
    hole_divisor: int = field(5, Int(1, 1_000_000))
    hole_cap: int = field(15, Int(1, 1000))
    map_check: str = field(OWN, Choice(*MAP_CHECKS))
    tie_break: str = field("later", Choice(*TIE_BREAKS))
    illegal_locks: bool = OWN
    seed: int = field(0, Int(0, 2**64 - 1))
    map: Map | None = field(None, Maybe(Map), repr=False)

    def __post_init__(self) -> None:
        choice("ruleset", self.ruleset, RULESETS)
        third = integer("radius", self.radius, *hexes.RADII) * (self.radius + 1)
        own = DEFAULTS[self.ruleset] | {"holes_per_third": 5 * third // 42}
        for name, value in own.items():
            if getattr(self, name) is None:
                object.__setattr__(self, name, value)
        check_fields(self)
        object.__setattr__(self, "holes_per_third", integer("holes_per_third", self.holes_per_third, 0, third - 1))
        if self.map is not None and self.map.radius != self.radius:
            raise ConfigError(f"radius: expected the map's {self.map.radius}, got {self.radius}")

    @classmethod
    def make(cls, preset: str | None = None, map: Any = None, **fields: Any) -> Self:  # noqa: A002
        """Return the config with these fields; the others take the defaults of the preset or the ruleset.

        Parameters
        ----------
        preset : str, optional
            Name of a ruleset.
        map : Map or str, optional
            A Map, or the text of a text board or of a state block. It sets `radius`; a block also sets `max_turns`.
        **fields
            The other fields of Config.

        Raises
        ------
        ConfigError
            If a field is unknown or wrong, or contradicts the map; the message begins with the field's name.
        NotationError
            If the text is neither a text board nor a state block.
        """
        if map is None:
            return super().make(preset, **fields)
        its, max_turns = read(map)
        told = {"radius": its.radius} if max_turns is None else {"radius": its.radius, "max_turns": max_turns}
        made = super().make(preset, **{**told, **fields, "map": its})
        if max_turns not in (None, made.max_turns):
            raise ConfigError(f"max_turns: expected the map's {max_turns}, got {made.max_turns}")
        return made

    @classmethod
    def presets(cls) -> dict[str, dict[str, Any]]:
        """Return the rulesets as presets."""
        return {ruleset: {"ruleset": ruleset} for ruleset in RULESETS}

    @property
    def num_cells(self) -> int:
        """N, the number of cells of the board."""
        return len(hexes.cells(self.radius))

    def start_map(self, seed: int) -> Map:
        """Return the map of the game `seed`: `map` if it is set, else the generated one.

        Raises
        ------
        ConfigError
            If the seed has no valid map (`maps.generate`).
        """
        return self.map if self.map is not None else generate(self, seed)

    def to_dict(self) -> dict[str, Any]:
        """Return every field under its name as plain JSON types, the map as a text board."""
        return {**super().to_dict(), "map": None if self.map is None else self.map.to_text()}
