"""Maps: the Map class, the generator, which equals the contest's, and the shipped maps. [section 4]"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self

from ..core import shapes
from ..core.config import integer
from ..core.shapes import Items
from ..errors import ConfigError, ConfigTypeError
from . import blocks, hexes, notation
from .buildings import HOME, NONE
from .hexes import Cell
from .notation import NOBODY, PRE

if TYPE_CHECKING:
    from .config import Config

KIND = "map"  # the config field that holds the start
MAP_SEEDS = (-(2**63), 2**64 - 1)  # seeds from 2**63 on equal the negative ones modulo 2**64
MAX_ATTEMPTS = 100_000


class Lcg:
    """The 48-bit generator of the contest's host; only the low 48 bits of the seed matter. [section 4.1]"""

    FACTOR = 0x5DEECE66D
    MASK = 2**48 - 1

    def __init__(self, seed: int) -> None:
        self.state = (seed ^ self.FACTOR) & self.MASK

    def next31(self) -> int:
        """Return the next 31 bits."""
        self.state = (self.state * self.FACTOR + 0xB) & self.MASK
        return self.state >> 17

    def next_int(self, n: int) -> int:
        """Return a uniform int in 0..n-1, for n in 1..2**31-1."""
        found = self.next31()
        if n & (n - 1) == 0:
            return n * found >> 31
        while found - found % n + n - 1 >= 2**31:  # reject the last, incomplete run of n values
            found = self.next31()
        return found % n


@dataclasses.dataclass(frozen=True)
class Map:
    """The homes of the three players and the holes; it need not be symmetric.

    A cell is (x, y) in axial coordinates.

    Parameters
    ----------
    radius : int
        1..10.
    homes : sequence of (int, int)
        The home cells of players 0, 1 and 2.
    holes : sequence of (int, int), optional
        Hole cells; stored in index order.

    Raises
    ------
    ConfigError
        If a value is out of range, or a cell is off the board or used twice. The message begins with "map".
    ConfigTypeError
        If a value has the wrong type.
    """

    radius: int
    homes: tuple[Cell, ...]
    holes: tuple[Cell, ...] = ()

    def __post_init__(self) -> None:
        index = hexes.indices(integer("map: radius", self.radius, *hexes.RADII))
        homes = _cells("homes", self.homes, index)
        holes = _cells("holes", self.holes, index)
        if len(homes) != 3:
            raise ConfigError(f"map: homes: expected 3 cells, got {len(homes)}")
        taken: set[Cell] = set()
        for cell in homes + holes:
            if cell in taken:
                raise ConfigError(f"map: {'homes' if homes.count(cell) > 1 else 'holes'}: {cell} is taken twice")
            taken.add(cell)
        object.__setattr__(self, "homes", tuple(homes))
        object.__setattr__(self, "holes", tuple(sorted(holes)))

    @property
    def is_symmetric(self) -> bool:
        """Whether a rotation by 120 degrees maps each home to the next player's, and holes to holes. [TF-25]"""
        homes = tuple(hexes.rotate(home) for home in self.homes)
        return homes == self.homes[1:] + self.homes[:1] and {hexes.rotate(hole) for hole in self.holes} == set(
            self.holes
        )

    def variables(self) -> dict[str, Any]:
        """Return the variables of section 3.2 in phase PRE: homes without robots, all other cells unowned. [TF-26]"""
        cells = hexes.cells(self.radius)
        return {
            "owner": [self.homes.index(cell) if cell in self.homes else NOBODY for cell in cells],
            "robots": [0 for _ in cells],
            "moved": [0 for _ in cells],
            "hole": [cell in self.holes for cell in cells],
            "building": [HOME if cell in self.homes else NONE for cell in cells],
            "bonus": [0 for _ in cells],
            "player": 0,
            "ply": 0,
            "phase": PRE,
            "finished": False,
        }

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the map of a text board or a state block.

        Raises
        ------
        NotationError
            If the text is neither.
        ConfigError
            If the position in the text is not a map.
        """
        return cls._read(text)[0]

    @classmethod
    def _read(cls, text: str) -> tuple[Self, int | None]:
        """Return the map and, for a block, max_turns; homes have the same word in both rulesets."""
        max_turns = None
        if text.lstrip().startswith("START"):
            radius, max_turns, variables = blocks.read_block("rulebook", text)
        else:
            radius, variables = notation.read(text, "rulebook")
        cells = hexes.cells(radius)
        homes = [
            [cell for cell, owner in zip(cells, variables["owner"], strict=True) if owner == player]
            for player in range(3)
        ]
        for player, owned in enumerate(homes):
            if len(owned) != 1:
                raise ConfigError(f"map: homes: player {player} has {len(owned)} cells, not one")
        holes = tuple(cell for cell, is_hole in zip(cells, variables["hole"], strict=True) if is_hole)
        read_map = cls(radius, tuple(owned[0] for owned in homes), holes)
        for name, wanted in read_map.variables().items():
            if variables[name] != wanted:
                raise ConfigError(f"map: {name}: expected only empty homes and holes, as at the start of a game")
        return read_map, max_turns

    def to_text(self) -> str:
        """Return the map as a text board, which `parse` reads."""
        return "\n".join(notation.board(self.variables())) + "\n"


def _cells(name: str, value: Any, index: dict[Cell, int]) -> list[Cell]:
    found = shapes.read(f"map: {name}", value, Items(Items(int)))
    for n, cell in enumerate(found):
        if cell not in index:
            raise ConfigError(f"map: {name}[{n}]: expected a cell of the board, got {list(cell)!r:.60}")
    return list(found)


def read(source: Any) -> tuple[Map, int | None]:
    """Return the Map that `source` describes, and the max_turns of a state block (else None).

    Parameters
    ----------
    source : Map or str
        A Map, or the text of a text board or a state block.

    Raises
    ------
    ConfigTypeError
        If `source` has another type.
    NotationError, ConfigError
        As `Map.parse`.
    """
    if isinstance(source, Map):
        return source, None
    if not isinstance(source, str):
        raise ConfigTypeError(f"map: expected a Map or the text of a board, got {source!r}")
    return Map._read(source)


# -- the generator ----------------------------------------------------------------------------------


def generate(config: Config, seed: int) -> Map:
    """Return the symmetric map of a seed. [section 4.2] [TF-23] [TF-24] [TF-R6]

    Parameters
    ----------
    config : Config
        Its fields of holes and its map_check decide.
    seed : int
        -2**63..2**64 - 1; only the low 48 bits matter.

    Raises
    ------
    ConfigError
        If 100,000 attempts give no valid map.
    ValueError
        If the seed is out of range.
    """
    if not MAP_SEEDS[0] <= seed <= MAP_SEEDS[1]:
        raise ValueError(f"seed: expected {MAP_SEEDS[0]}..{MAP_SEEDS[1]}, got {seed}")
    rng = Lcg(seed)
    draw = _by_chance if config.hole_mode == "chance" else _by_count
    is_valid = CHECKS[config.map_check]
    for _ in range(MAX_ATTEMPTS):
        home, holes = draw(config, rng)
        if home is not None and is_valid(config.radius, home, holes):
            everywhere = (hexes.rotate(hole, turns) for hole in holes for turns in range(3))
            return Map(config.radius, tuple(hexes.rotate(home, turns) for turns in range(3)), tuple(everywhere))
    raise ConfigError(f"hole_mode: no valid map in {MAX_ATTEMPTS} attempts from seed {seed}")


def _draw_home(radius: int, rng: Lcg) -> Cell:
    y = rng.next_int(radius + 1)
    return rng.next_int(radius) + 1 - y, y


def _by_chance(config: Config, rng: Lcg) -> tuple[Cell | None, set[Cell]]:
    """Return the home and the holes of T0; the home is None if there are too many holes. [TF-R3]"""
    holes = {cell for cell in hexes.third(config.radius) if rng.next_int(config.hole_divisor) == 0}
    home = _draw_home(config.radius, rng)
    holes.discard(home)
    return (home if len(holes) < config.hole_cap else None), holes


def _by_count(config: Config, rng: Lcg) -> tuple[Cell | None, set[Cell]]:
    """Return the home of T0 and its `holes_per_third` holes. [TF-10] [TF-R3]"""
    home = _draw_home(config.radius, rng)
    candidates = [cell for cell in hexes.third(config.radius) if cell != home]
    for k in range(config.holes_per_third):
        j = k + rng.next_int(len(candidates) - k)
        candidates[k], candidates[j] = candidates[j], candidates[k]
    return home, set(candidates[: config.holes_per_third])


def _flood(radius: int, home: Cell, holes: Iterable[Cell]) -> set[Cell]:
    """Return the cells connected to the home without crossing holes."""
    dry = set(hexes.cells(radius)).difference(holes)
    reached, front = {home}, [home]
    while front:
        fresh = {side for cell in front for side in hexes.neighbours(cell)} & dry - reached
        reached |= fresh
        front = list(fresh)
    return reached


def _is_open(radius: int, home: Cell, holes: set[Cell]) -> bool:
    """Apply the check `full`: homes are connected, and more than half of the wasteland can be reached. [TF-R4]"""
    everywhere = {hexes.rotate(hole, turns) for hole in holes for turns in range(3)}
    reached = _flood(radius, home, everywhere)
    wasteland = len(hexes.cells(radius)) - len(everywhere) - 3
    return {hexes.rotate(home), hexes.rotate(home, 2)} <= reached and 2 * (len(reached) - 3) > wasteland


def _is_open_by_a_third(radius: int, home: Cell, holes: set[Cell]) -> bool:
    """Apply the check `third`, that of the contest's host: only T0 has holes on the board tested. [TF-R4] [TF-R40]"""
    reached = _flood(radius, home, holes)
    return hexes.rotate(home) in reached and 2 * len(reached) >= len(hexes.cells(radius)) - 3 * len(holes)


CHECKS: dict[str, Callable[[int, Cell, set[Cell]], bool]] = {
    "full": _is_open,
    "third": _is_open_by_a_third,
    "none": lambda radius, home, holes: True,  # noqa: ARG005
}


# -- the shipped maps -------------------------------------------------------------------------------


@functools.cache
def load_shipped() -> Mapping[str, Map]:
    """Return the shipped maps by name, in alphabetical order."""
    paths = sorted((Path(__file__).parent / "shipped").glob("*.map"))
    return MappingProxyType({path.stem: Map.parse(path.read_text("utf-8")) for path in paths})


def is_text(given: str) -> bool:
    """Return whether a text is a text board or a state block, and no file: its rows end at lines or slashes."""
    return "\n" in given or " / " in given


def load_file(path: Path) -> dict[str, Map]:
    """Return the map of a file with a text board or state block, as {name of the file without suffix: Map}.

    Raises
    ------
    NotationError
        If the text is neither a text board nor a state block.
    ConfigError
        If the file is not UTF-8, or its position is not a map.
    """
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ConfigError(f"map: {path}: not UTF-8") from None
    return {path.stem: Map.parse(text)}


def generate_fields(config: Config, seed: int) -> dict[str, Any]:
    """Return the fields that, added to those of `config`, give every game the map of `seed`."""
    return {KIND: config.start_map(seed)}


def facts(name: str, its: Map) -> dict[str, Any]:
    """Return the numbers of a map for one line of a list.

    Returns
    -------
    dict
        name, radius, cells and holes (numbers of cells), symmetric (bool).
    """
    return {
        "name": name,
        "radius": its.radius,
        "cells": len(hexes.cells(its.radius)),
        "holes": len(its.holes),
        "symmetric": its.is_symmetric,
    }
