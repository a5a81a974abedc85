"""Terrain maps: what one is, how one is generated, files of them, and the shipped ones.

A map is kept as its text: a row of letters for each row of panels, north first, joined by `/` (section 4.5).
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..core.config import integer
from ..core.rng import Rng
from ..errors import ConfigError, ConfigTypeError

if TYPE_CHECKING:
    from .config import Config

SEA, REEF, SHALLOWS, FOG, WAVE = range(5)
LETTERS = ".#~%^"
"""Of sea, reef, shallows, fog and high wave. [section 3.1]"""
NAMES = ("sea", "reef", "shallows", "fog", "wave")
SIZES = (3, 9)
KIND = "terrain_map"  # the argument of `load` that takes a start

_SHIPPED = {
    "archipelago": "...#.../.#.~.#./..~.~../#..%..#/..~.~../.#.~.#./...#...",
    "atoll": "...../.#~#./.~.~./.#~#./.....",
    "banks": "........./.~~~.~~~./.~.....~./.~.%%%.~./...%#%.../.~.%%%.~./.~.....~./.~~~.~~~./.........",
    "cape": "....../.^^.#./.^%%#./.#%%^./.#.^^./......",
    "open": "...../...../...../...../.....",
    "strait": "..#..../..#.^../..^.^../...%.../..^.^../..^.#../....#..",
}


def read(source: Any, width: int, height: int) -> str:
    """The map that `source` shows: rows of letters joined by `/` or newlines, or width * height codes.

    Raises ConfigError or ConfigTypeError, which begins with "terrain_map".
    """
    if isinstance(source, str):
        rows = rows_of(source)
        if len(rows) != height or any(len(row) != width for row in rows):
            raise ConfigError(f"terrain_map: {height} rows of {width} letters are wanted, not {source!r}")
        for row in rows:
            for letter in row:
                if letter not in LETTERS:
                    raise ConfigError(f"terrain_map: {letter!r} is none of {' '.join(LETTERS)}")
        return "/".join(rows)
    try:
        values = list(source)
    except TypeError:
        raise ConfigTypeError(f"terrain_map: rows of letters or codes are wanted, not {source!r}") from None
    if len(values) != width * height:
        raise ConfigError(f"terrain_map: {width * height} codes are wanted, not {len(values)}")
    found = [integer(f"terrain_map[{q}]", value, SEA, WAVE) for q, value in enumerate(values)]
    return to_text(found, width)


def rows_of(text: str) -> list[str]:
    """The rows of a map's text, without the blanks around them."""
    return [row.strip() for row in text.strip().replace("\n", "/").split("/")]


def codes(text: str) -> list[int]:
    """The terrain code of each panel of a map, row by row."""
    return [LETTERS.index(letter) for letter in text if letter != "/"]


def to_text(terrain: list[int], width: int) -> str:
    """The text of a map of these codes."""
    letters = "".join(LETTERS[value] for value in terrain)
    return "/".join(letters[start : start + width] for start in range(0, len(letters), width))


def draw(weights: tuple[int, ...], rng: Rng) -> int:
    """The terrain of one generated panel: the first t with r < w0 + .. + wt. [section 4.5] [BS-186] [BS-R11]"""
    r = rng.below(sum(weights))
    for terrain, weight in enumerate(weights):
        r -= weight
        if r < 0:
            return terrain
    raise AssertionError("r is below the sum of the weights")


# -- starts, as the commands know them ----------------------------------------------------------------


def load_shipped() -> dict[str, str]:
    """The shipped maps by name, in alphabetical order."""
    return dict(_SHIPPED)


def load_file(path: Path) -> dict[str, str]:
    """The map of a text file, under the file's name; ConfigError where it holds none."""
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ConfigError(f"terrain_map: {path.name}: {error}") from None
    rows = rows_of(text)
    width, height = len(rows[0]), len(rows)
    for name, size in (("width", width), ("height", height)):
        integer(f"terrain_map: {path.name}: {name}", size, *SIZES)
    return {path.stem: read(text, width, height)}


def generate_fields(config: Config, seed: int) -> dict[str, Any]:
    """The fields that, with the others of `config`, give one map drawn from `seed` to every game. [BS-186]

    Where the terrain is known from the start there is no fog, wave or shallows to draw: such a map is the config's.
    """
    if config.terrain_known:
        return {KIND: config.terrain_map}
    rng = Rng(seed)
    terrain = [draw(config.terrain_weights, rng) for _ in range(config.width * config.height)]
    return {KIND: to_text(terrain, config.width)}


def facts(name: str, its: str) -> dict[str, Any]:
    """What there is to say of a map in a line."""
    rows, terrain = rows_of(its), codes(its)
    counts = {word: terrain.count(value) for value, word in enumerate(NAMES)}
    return {"name": name, "width": len(rows[0]), "height": len(rows), **counts}
