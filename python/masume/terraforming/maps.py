"""Maps: what one is, the generator that equals the contest's, and the shipped ones. [section 4]"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self

from ..errors import ConfigError, ConfigTypeError
from . import blocks, hexes, notation
from .buildings import HOME, NONE
from .hexes import Cell
from .notation import NOBODY, PRE

if TYPE_CHECKING:
    from .config import Config

KIND = "map"  # the argument of `load` that takes a start
MAP_SEEDS = (-(2**63), 2**64 - 1)  # those from 2**63 are the negative ones, modulo 2**64
MAX_ATTEMPTS = 100_000


class Lcg:
    """The 48-bit generator of the contest's host; only the low 48 bits of the seed matter. [section 4.1]"""

    FACTOR = 0x5DEECE66D
    MASK = 2**48 - 1

    def __init__(self, seed: int) -> None:
        self.state = (seed ^ self.FACTOR) & self.MASK

    def next31(self) -> int:
        """The next 31 bits."""
        self.state = (self.state * self.FACTOR + 0xB) & self.MASK
        return self.state >> 17

    def next_int(self, n: int) -> int:
        """Uniform in 0..n-1 for n in 1..2**31-1."""
        found = self.next31()
        if n & (n - 1) == 0:
            return n * found >> 31
        while found - found % n + n - 1 >= 2**31:  # the last, incomplete run of n values
            found = self.next31()
        return found % n


@dataclasses.dataclass(frozen=True)
class Map:
    """Where the three players begin and where holes are; it need not be symmetric.

    radius : 1..10. homes : the cells of players 0, 1 and 2. holes : cells, kept in index order.

    Raises ConfigError or ConfigTypeError, which begins with "map" and names what is wrong.
    """

    radius: int
    homes: tuple[Cell, ...]
    holes: tuple[Cell, ...] = ()

    def __post_init__(self) -> None:
        if isinstance(self.radius, bool) or not isinstance(self.radius, int):
            raise ConfigTypeError(f"map: radius: an int is wanted, not {self.radius!r}")
        if not hexes.RADII[0] <= self.radius <= hexes.RADII[1]:
            raise ConfigError(f"map: radius: {self.radius} is not in {hexes.RADII[0]}..{hexes.RADII[1]}")
        index = hexes.indices(self.radius)
        homes = [_cell(f"homes[{n}]", cell, index) for n, cell in enumerate(_list("homes", self.homes))]
        holes = [_cell(f"holes[{n}]", cell, index) for n, cell in enumerate(_list("holes", self.holes))]
        if len(homes) != 3:
            raise ConfigError(f"map: homes: 3 cells are wanted, not {len(homes)}")
        taken: set[Cell] = set()
        for cell in homes + holes:
            if cell in taken:
                raise ConfigError(f"map: {'homes' if homes.count(cell) > 1 else 'holes'}: {cell} is taken twice")
            taken.add(cell)
        object.__setattr__(self, "homes", tuple(homes))
        object.__setattr__(self, "holes", tuple(sorted(holes)))

    @property
    def is_symmetric(self) -> bool:
        """Whether a rotation by 120 degrees takes each player's home to the next one's, and holes to holes. [TF-25]"""
        homes = tuple(hexes.rotate(home) for home in self.homes)
        return homes == self.homes[1:] + self.homes[:1] and {hexes.rotate(hole) for hole in self.holes} == set(
            self.holes
        )

    def variables(self) -> dict[str, Any]:
        """The variables of section 3.2 in phase PRE: homes without robots, all else nobody's. [TF-26]"""
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
        """The map of a text board or a state block.

        NotationError where the text is neither, ConfigError where it is no map.
        """
        return cls._read(text)[0]

    @classmethod
    def _read(cls, text: str) -> tuple[Self, int | None]:
        """The map, and the turns of the game where a block tells them. The words of homes are those of any ruleset."""
        max_turns = None
        if text.lstrip().startswith("START"):
            radius, max_turns, found = blocks.read_block("rulebook", text)
        else:
            radius, found = notation.read(text, "rulebook")
        cells = hexes.cells(radius)
        homes = [
            [cell for cell, owner in zip(cells, found["owner"], strict=True) if owner == player] for player in range(3)
        ]
        for player, owned in enumerate(homes):
            if len(owned) != 1:
                raise ConfigError(f"map: homes: player {player} has {len(owned)} cells, not one")
        holes = tuple(cell for cell, is_hole in zip(cells, found["hole"], strict=True) if is_hole)
        its = cls(radius, tuple(owned[0] for owned in homes), holes)
        for name, wanted in its.variables().items():
            if found[name] != wanted:
                raise ConfigError(f"map: {name}: a game begins with homes that stand empty, and nothing else but holes")
        return its, max_turns

    def to_text(self) -> str:
        """The map as a text board, which `parse` reads."""
        return "\n".join(notation.board(self.variables())) + "\n"


def _list(name: str, value: Any) -> list[Any]:
    if not isinstance(value, list | tuple):
        raise ConfigTypeError(f"map: {name}: a list of cells is wanted, not {value!r}")
    return list(value)


def _cell(name: str, value: Any, index: dict[Cell, int]) -> Cell:
    pair = _list(name, value)
    for number in pair:
        if isinstance(number, bool) or not isinstance(number, int):
            raise ConfigTypeError(f"map: {name}: an int is wanted, not {number!r}")
    if len(pair) != 2 or tuple(pair) not in index:
        raise ConfigError(f"map: {name}: {value!r} is no cell of the board")
    return pair[0], pair[1]


def read(source: Any) -> tuple[Map, int | None]:
    """The Map that a Map or a text is, and the turns of the game where a state block tells them.

    ConfigTypeError for anything else; else what `Map.parse` raises.
    """
    if isinstance(source, Map):
        return source, None
    if not isinstance(source, str):
        raise ConfigTypeError(f"map: a Map or the text of a board is wanted, not {source!r}")
    return Map._read(source)


# -- the generator ----------------------------------------------------------------------------------


def generate(config: Config, seed: int) -> Map:
    """The map of a seed, symmetric. [section 4.2] [TF-23] [TF-24] [TF-R6]

    seed : -2**63..2**64-1, of which the low 48 bits matter.

    Raises ConfigError where 100,000 attempts give no valid map, ValueError for a seed out of range.
    """
    if not MAP_SEEDS[0] <= seed <= MAP_SEEDS[1]:
        raise ValueError(f"seed: {seed} is not in {MAP_SEEDS[0]}..{MAP_SEEDS[1]}")
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
    """The home and the holes of T0; no home where there are too many holes. [TF-R3]"""
    holes = {cell for cell in hexes.third(config.radius) if rng.next_int(config.hole_divisor) == 0}
    home = _draw_home(config.radius, rng)
    holes.discard(home)
    return (home if len(holes) < config.hole_cap else None), holes


def _by_count(config: Config, rng: Lcg) -> tuple[Cell | None, set[Cell]]:
    """The home and the holes of T0, which are so many. [TF-10] [TF-R3]"""
    home = _draw_home(config.radius, rng)
    candidates = [cell for cell in hexes.third(config.radius) if cell != home]
    for k in range(config.holes_per_third):
        j = k + rng.next_int(len(candidates) - k)
        candidates[k], candidates[j] = candidates[j], candidates[k]
    return home, set(candidates[: config.holes_per_third])


def _flood(radius: int, home: Cell, holes: Iterable[Cell]) -> set[Cell]:
    """The cells that a way without holes joins to the home."""
    dry = set(hexes.cells(radius)).difference(holes)
    reached, front = {home}, [home]
    while front:
        fresh = {side for cell in front for side in hexes.neighbours(cell)} & dry - reached
        reached |= fresh
        front = list(fresh)
    return reached


def _is_open(radius: int, home: Cell, holes: set[Cell]) -> bool:
    """`full`: homes are joined, and more than half of the wasteland can be reached. [TF-R4]"""
    everywhere = {hexes.rotate(hole, turns) for hole in holes for turns in range(3)}
    reached = _flood(radius, home, everywhere)
    wasteland = len(hexes.cells(radius)) - len(everywhere) - 3
    return {hexes.rotate(home), hexes.rotate(home, 2)} <= reached and 2 * (len(reached) - 3) > wasteland


def _is_open_by_a_third(radius: int, home: Cell, holes: set[Cell]) -> bool:
    """`third`: what the contest's host asked for, on a board where T0 alone has holes. [TF-R4] [TF-R40]"""
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
    """The shipped maps by name, in alphabetical order."""
    paths = sorted((Path(__file__).parent / "shipped").glob("*.map"))
    return MappingProxyType({path.stem: Map.parse(path.read_text("utf-8")) for path in paths})


def load_file(path: Path) -> dict[str, Map]:
    """The map of a text board or state block, under its file's name.

    NotationError or ConfigError where the file holds none.
    """
    try:
        text = path.read_bytes().decode()
    except UnicodeDecodeError:
        raise ConfigError(f"map: {path} is no text") from None
    return {path.stem: Map.parse(text)}


def generate_fields(config: Config, seed: int) -> dict[str, Any]:
    """The fields that, with the others of `config`, give the map of `seed` to every game."""
    return {KIND: config.start_map(seed)}


def facts(name: str, its: Map) -> dict[str, Any]:
    """What there is to say of a map in a line."""
    return {
        "name": name,
        "radius": its.radius,
        "cells": len(hexes.cells(its.radius)),
        "holes": len(its.holes),
        "symmetric": its.is_symmetric,
    }
