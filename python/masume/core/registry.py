"""Find the packages of games: masume's own by their folders, others by entry points in the group `masume.games`.

A game is a package. It has `Config` and `table(config)`, which returns a capsule, and may have the same parts as
masume's own games: `State`, `starts` (boards, maps or stages), and the modules `notation`, `reference`, `agents`,
`protocol`, `prompt`, `people`, `editor`, `points`, `render`, `replays`, `server`, `bench` and `commands`.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import importlib.util
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from ..errors import ConfigError
from .config import describe_unknown

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "masume.games"
HOME = Path(__file__).parents[1]


@functools.cache
def own_names() -> tuple[str, ...]:
    """Return the names of masume's own games, sorted: each is a folder with a reference."""
    return tuple(sorted(path.parent.name for path in HOME.glob("*/reference.py")))


@functools.cache
def _others() -> dict[str, EntryPoint]:
    """Return the entry points of installed packages by name; the names of masume's own games are reserved."""
    from importlib.metadata import entry_points  # imported here: only needed for games of other packages

    return {point.name: point for point in entry_points(group=GROUP) if point.name not in own_names()}


def names() -> tuple[str, ...]:
    """Return the names of all games, sorted."""
    return tuple(sorted({*own_names(), *_others()}))


@functools.cache
def package_of(name: str) -> ModuleType:
    """Import the package of a game. Raise ConfigError if no game has this name or its package cannot be imported."""
    if name in own_names():
        return importlib.import_module(f"masume.{name}")
    if name not in _others():
        raise ConfigError(f"game: {describe_unknown('game', name, names())}")
    try:
        package = _others()[name].load()
    except (ImportError, AttributeError) as error:
        raise ConfigError(f"game: {name!r}: its package cannot be imported: {error}") from None
    if not isinstance(package, ModuleType) or not hasattr(package, "Config") or not hasattr(package, "table"):
        raise ConfigError(f"game: {name!r}: its entry point must name a package with Config and table")
    return package


@functools.cache
def part_of(package: ModuleType, name: str) -> ModuleType | None:
    """Import the module `name` of a game's package; None if it has none."""
    path = f"{package.__name__}.{name}"
    is_there = hasattr(package, "__path__") and importlib.util.find_spec(path) is not None
    return importlib.import_module(path) if is_there else None


def recorded() -> dict[str, Path]:
    """Return the file of a good game, `recorded.jsonl`, of every one of masume's own games that has one."""
    found = {name: HOME / name / "recorded.jsonl" for name in own_names()}
    return {name: path for name, path in found.items() if path.is_file()}


@functools.cache
def parts(name: str) -> dict[str, ModuleType]:
    """Import the module `name` of every game that has one; return {game: module}.

    External packages that cannot be imported are skipped, so that they do not stop other games; `package_of` reports
    why.
    """
    found = {}
    for game in names():
        with contextlib.suppress(ConfigError):
            part = part_of(package_of(game), name)
            if part is not None:
                found[game] = part
    return found
