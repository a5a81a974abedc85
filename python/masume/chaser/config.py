"""Config of CHaser: the settings of a game and the map they define."""

from __future__ import annotations

import dataclasses
from typing import Any, Self

from ..core import config
from ..core.config import integer
from ..core.shapes import Int, Maybe, check_fields, field
from ..errors import ConfigError
from .maps import SIZES, TURN_LIMITS, Map, generate, room, the_map

CELLS = SIZES[1] ** 2


@dataclasses.dataclass(frozen=True)
class Config(config.Config):
    """Settings of a game: the fields of section 2 of the rules.

    Create configs with `make`, whose errors name the bad field.

    Attributes
    ----------
    height, width : int
        Rows and columns, 1..64 each. [CH-13] [CH-R1]
    turn_limit : int
        Turns of each player, 1..10000. [CH-R3]
    n_blocks, n_items : int
        Blocks and items of a generated map, 0..height * width. `n_blocks` must be even, and so must `n_items` unless
        both sizes are odd. They must fit on the field for every pair of starts, so that every seed has a map.
        [CH-R21]
    seed : int
        Seed of the map of a state that is created without a seed, 0..2**64-1.
    map : Map or None
        The map to play on. It defines height, width and turn_limit; n_blocks, n_items and seed then have no effect.
        None: maps are generated.
    """

    height: int = field(15, Int(*SIZES))
    width: int = field(17, Int(*SIZES))
    turn_limit: int = field(100, Int(*TURN_LIMITS))
    n_blocks: int = field(20, Int(0, CELLS))
    n_items: int = field(50, Int(0, CELLS))
    seed: int = field(0, Int(0, 2**64 - 1))
    map: Map | None = field(None, Maybe(Map), repr=False)

    def __post_init__(self) -> None:
        check_fields(self)
        if self.map is None:
            self._check_generator()
        else:
            self._check_map(self.map)

    def _check_map(self, its: Map) -> None:
        for name in ("height", "width", "turn_limit"):
            if getattr(self, name) != getattr(its, name):
                raise ConfigError(f"{name}: expected the map's {getattr(its, name)}, got {getattr(self, name)}")

    def _check_generator(self) -> None:
        """Check the last ranges of section 2 and the conditions of CH-GEN-1."""
        for name in ("n_blocks", "n_items"):
            integer(name, getattr(self, name), 0, self.height * self.width)
        if self.n_blocks % 2:
            raise ConfigError(f"n_blocks: {self.n_blocks} is odd, and blocks come in pairs")
        if self.n_items % 2 and self.height * self.width % 2 == 0:
            size = f"{self.height} * {self.width}"
            raise ConfigError(f"n_items: {self.n_items} is odd, and a field of {size} has no centre cell for one")
        pairs = room(self.height, self.width)
        if pairs < 0:
            raise ConfigError(f"height: {self.height} rows of width {self.width} have no room for two starts")
        if self.n_blocks // 2 + self.n_items // 2 > pairs:
            told = f"{self.n_blocks} blocks and {self.n_items} items"
            raise ConfigError(f"n_blocks: {told} do not fit in the {2 * pairs} cells that every pair of starts leaves")

    @classmethod
    def make(cls, preset: str | None = None, map: Any = None, **fields: Any) -> Self:  # noqa: A002
        """Return the config with these fields.

        Fields that are not given come from the map, from the preset, or from the defaults.

        Parameters
        ----------
        preset : str, optional
            Name of a preset, see `presets`.
        map : Map, str or bytes, optional
            A Map, or the text or the bytes of a map file. It defines height, width and turn_limit.
        **fields
            Fields of the config.

        Raises
        ------
        ConfigError
            If a field is bad or differs from the map's; the message begins with the name of the field.
        NotationError
            If the map file is malformed.
        """
        if map is None:
            return super().make(preset, **fields)
        its = the_map(map)
        sizes = {"height": its.height, "width": its.width, "turn_limit": its.turn_limit}
        return super().make(preset, **{**sizes, **fields, "map": its})

    @classmethod
    def presets(cls) -> dict[str, dict[str, Any]]:
        """Return the presets: the defaults, the field of the real contests, and a wider field. [CH-R1]"""
        return {"standard": {}, "contest": {"height": 17, "width": 15}, "wide": {"height": 17, "width": 21}}

    def list_hidden(self) -> tuple[str, ...]:
        """Return the names of the fields that the players do not know: the map and what reveals it. [CH-R32]"""
        return ("seed",) if self.map is None else ("n_blocks", "n_items", "seed", "map")

    def start_map(self, seed: int) -> Map:
        """Return the map of a game with this seed: the explicit one, or the generated one. [section 4]"""
        if self.map is not None:
            return self.map
        return generate(self.height, self.width, self.turn_limit, self.n_blocks, self.n_items, seed)

    def to_dict(self) -> dict[str, Any]:
        """Return every field under its name, as plain JSON types; the map as the text of its map file."""
        return {**super().to_dict(), "map": None if self.map is None else self.map.to_text()}
