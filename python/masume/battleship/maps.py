"""Terrain maps: text format, generation, files, and the shipped maps.

A map is stored as text: one row of letters per row of panels, north first, joined by `/` (section 4.5).
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..core.config import integer
from ..core.rng import Rng
from ..errors import ConfigError, ConfigTypeError

if TYPE_CHECKING:
    from .config import Config

SEA, REEF, SHALLOWS, FOG, WAVE = range(5)
LETTERS = ".#~%^"
"""Letters of sea, reef, shallows, fog and high wave. [section 3.1]"""
NAMES = ("sea", "reef", "shallows", "fog", "wave")
SIZES = (3, 9)
KIND = "terrain_map"  # the argument of `load` for a start

_SHIPPED = {
    "archipelago": "...#.../.#.~.#./..~.~../#..%..#/..~.~../.#.~.#./...#...",
    "atoll": "...../.#~#./.~.~./.#~#./.....",
    "banks": "........./.~~~.~~~./.~.....~./.~.%%%.~./...%#%.../.~.%%%.~./.~.....~./.~~~.~~~./.........",
    "cape": "....../.^^.#./.^%%#./.#%%^./.#.^^./......",
    "open": "...../...../...../...../.....",
    "strait": "..#..../..#.^../..^.^../...%.../..^.^../..^.#../....#..",
}


def read(source: Any, width: int, height: int) -> str:
    """Return the text of a map.

    Parameters
    ----------
    source : str or iterable of int
        Rows of letters joined by `/` or newlines, or width * height terrain codes 0..4, row by row.
    width, height : int
        Size of the map in panels.

    Returns
    -------
    str
        Rows of letters joined by `/`.

    Raises
    ------
    ConfigError, ConfigTypeError
        If the map has another size, a letter or code is unknown, or `source` has another type. The message begins with
        "terrain_map".
    """
    if isinstance(source, str):
        rows = rows_of(source)
        if len(rows) != height or any(len(row) != width for row in rows):
            raise ConfigError(f"terrain_map: expected {height} rows of {width} letters, got {source!r}")
        for row in rows:
            for letter in row:
                if letter not in LETTERS:
                    raise ConfigError(f"terrain_map: expected letters of {' '.join(LETTERS)}, got {letter!r}")
        return "/".join(rows)
    try:
        values = list(source)
    except TypeError:
        raise ConfigTypeError(f"terrain_map: expected rows of letters or codes, got {source!r}") from None
    if len(values) != width * height:
        raise ConfigError(f"terrain_map: expected {width * height} codes, got {len(values)}")
    terrain = [integer(f"terrain_map[{q}]", value, SEA, WAVE) for q, value in enumerate(values)]
    return to_text(terrain, width)


def is_text(given: str) -> bool:
    """Return whether a text is a map, and no name of a file: it has letters of terrain, and no word."""
    return any(letter in LETTERS for letter in given) and re.search(r"[^\W_]{2}", given) is None


def rows_of(text: str) -> list[str]:
    """Return the rows of a map's text, without leading and trailing blanks."""
    return [row.strip() for row in text.strip().replace("\n", "/").split("/")]


def codes(text: str) -> list[int]:
    """Return the terrain code of each panel of a map, row by row."""
    return [LETTERS.index(letter) for letter in text if letter != "/"]


def to_text(terrain: list[int], width: int) -> str:
    """Return the text of the map with these terrain codes, rows of `width` letters joined by `/`."""
    letters = "".join(LETTERS[value] for value in terrain)
    return "/".join(letters[start : start + width] for start in range(0, len(letters), width))


def draw(weights: tuple[int, ...], rng: Rng) -> int:
    """Draw the terrain of one panel: the first t with r < w0 + .. + wt. [section 4.5] [BS-186] [BS-R11]"""
    r = rng.below(sum(weights))
    for terrain, weight in enumerate(weights):
        r -= weight
        if r < 0:
            return terrain
    raise AssertionError("r is below the sum of the weights")


# -- the interface for starts of the commands ---------------------------------------------------------


def load_shipped() -> dict[str, str]:
    """Return the shipped maps by name, in alphabetical order."""
    return dict(_SHIPPED)


def load_file(path: Path) -> dict[str, str]:
    """Read the map of a text file.

    Parameters
    ----------
    path : pathlib.Path
        Text file in UTF-8 with rows of letters.

    Returns
    -------
    dict of str to str
        The map under the file's name without suffix.

    Raises
    ------
    ConfigError
        If the file contains no valid map of 3..9 x 3..9 panels.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise ConfigError(f"terrain_map: {path.name}: {error}") from None
    rows = rows_of(text)
    width, height = len(rows[0]), len(rows)
    for name, size in (("width", width), ("height", height)):
        integer(f"terrain_map: {path.name}: {name}", size, *SIZES)
    return {path.stem: read(text, width, height)}


def generate_fields(config: Config, seed: int) -> dict[str, Any]:
    """Return the fields that fix one map, drawn from `seed`, for all games of a config. [BS-186]

    Parameters
    ----------
    config : Config
        Config with the size and the `terrain_weights`.
    seed : int
        Seed of the map, 0..2**64-1.

    Returns
    -------
    dict of str to str or None
        The field `terrain_map`. If the terrain is known from the start, it is the map of `config`: known terrain has
        no fog, waves or shallows, so none is drawn.
    """
    if config.terrain_known:
        return {KIND: config.terrain_map}
    rng = Rng(seed)
    terrain = [draw(config.terrain_weights, rng) for _ in range(config.width * config.height)]
    return {KIND: to_text(terrain, config.width)}


def facts(name: str, its: str) -> dict[str, Any]:
    """Return the name, the size and the number of panels of each terrain of a map."""
    rows, terrain = rows_of(its), codes(its)
    counts = {word: terrain.count(value) for value, word in enumerate(NAMES)}
    return {"name": name, "width": len(rows[0]), "height": len(rows), **counts}
