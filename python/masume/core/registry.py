"""Find the packages of games: masume's own by their folders, others by entry points in the group `masume.games`.

A game is a package with the parts that PARTS lists.
"""

from __future__ import annotations

import difflib
import functools
import importlib
import importlib.util
import pkgutil
import warnings
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from ..errors import ConfigError
from .config import describe_unknown

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "masume.games"
HOME = Path(__file__).parents[1]
NEAR = 0.8  # of `difflib`: `agent` is near to `agents`, `boards` is not near to `bounds`

PARTS = {
    "Config": "a frozen dataclass that extends `masume.core.config.Config`, and checks its fields in `__post_init__`",
    "table": "`table(config)` returns the capsule of the table for a config; `game->name` is the name of the entry"
    " point",
    "State": "a subclass of `masume.State` with texts (`__str__`, `action_to_text`, `text_to_action`) and the nouns"
    " of the game",
    "starts": "a module of boards, maps or stages: `KIND`, the field of the config; `load_shipped()`,"
    " `load_file(path)`, `generate_fields(config, seed)` and `facts(name, start)`; `is_text(given)` tells the text of"
    " a start from the name of a file (without it: a text of several lines); `picture(start)` where all are small"
    " enough to be listed",
    "reference.py": "the rules in plain Python, against which the engine is tested",
    "notation.py": "`parse(config, text)` returns the variables of the position on a text board, for `Game.parse`",
    "render.py": "`scene`, `frame` and `acts` of `masume.render.canvas.Drawing`: boards in terminals, SVG and pages; "
    "pieces look like the Shapes of `Scene.shapes`, without which they are discs with their names",
    "prompt.py": "what a person types in `masume play`: `question`, `read`, `explain`, `tell` and `may_undo`, as in"
    " `masume.agents.human`; without it the action texts of the notation",
    "people.py": "`choices(state, player)`: what a person may press on the page, as `masume.render.canvas.Choice`;"
    " LEVELS, VARIANTS and more",
    "guide.py": "`list_sections(game)`: what the page tells of a game while it is played, as"
    " `masume.play.guide.Section`; without it the legend and the keys",
    "lessons.py": "`LESSONS`: positions in which a person learns the rules by playing, as `masume.play.lessons.Lesson`",
    "editor.py": "`DESK` (sizes, brushes, fields), `parse`, `sheet_of`, `write`, `findings`: the editor of starts on"
    " the page, as in `masume.render.sheet`, with `TASKS` that it may run",
    "agents.py": "`AGENTS`: callables that make its agents in Python, by name; `MCTS`: arguments of the search that"
    " suit it; `BEST`: its strongest agent, a name with `{budget}`",
    "bounds.py": "`observation_bounds(config)`: the least and the greatest value of each observed field, for spaces"
    " of environments; without it those of the dtype",
    "symmetries.py": "`list_symmetries(game, rows, columns)`: the turns of the board that its rules keep, as"
    " `masume.core.symmetry.Symmetry`, for training",
    "protocol.py": "the answers to a referee (`masume.referee.hooks`)",
    "replays.py": "`read_text(text)` returns the replays of a file in the format of the game's own servers, or None",
    "points.py": "`RULES`: rules of points for contests, as `masume.contest.points.Rule` by name, the default first;"
    " without it the scores",
    "server.py": "`PortSeat`: the seat of a client of the game's own network protocol, a"
    " `masume.referee.clients.ClientSeat`",
    "venue.py": "`Venue`: a server that plays whole matches with accounts in real time, for contests"
    " (`masume.referee.clients.Venue`)",
    "told.py": "the position as a client of another server knows it, kept from that server's messages alone",
    "commands.py": "`SERVE`: its server for `masume serve`; `JOIN`: its client of other servers for `masume join`;"
    " `WORKBENCH`: its subcommands of `masume stage`",
    "missions.py": "`table()`: the heads and rows of one more table in `masume info`",
    "bot.py": "what `masume new bot` says of the game (`masume.bots`)",
    "bots/": "the game's own templates for `masume new bot`",
    "bench.py": "`WORKLOAD`, `GROWTH` and `cases()` of `masume bench`",
    "midgame.npz": "recorded play from which the benches take positions",
    "recorded.jsonl": "a good game, which the page shows",
    "networks/": "trained networks, `NAME.npz`, which play as `net:NAME` in the config that they were trained on",
}
"""What the package of a game may hold, as docs/plugins.md says it: names in the package, modules, files and folders."""
REQUIRED = ("Config", "table")
"""The parts without which a package is no game."""
MODULES = tuple(name.removesuffix(".py") for name in PARTS if name.endswith(".py"))
"""The parts that `Game.part` returns; each may be a folder instead."""


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
    if not isinstance(package, ModuleType) or not all(hasattr(package, part) for part in REQUIRED):
        raise ConfigError(f"game: {name!r}: its entry point must name a package with {' and '.join(REQUIRED)}")
    for module, part in find_misspelt(package).items():
        warnings.warn(f"game: {name!r}: nothing reads its module {module!r}; did you mean {part!r}?", stacklevel=2)
    return package


def find_misspelt(package: ModuleType) -> dict[str, str]:
    """Return {module: part} for modules of a package that are named almost like a part that it lacks."""
    found = {module.name for module in pkgutil.iter_modules(getattr(package, "__path__", ()))}
    missing = [name for name in MODULES if name not in found]
    near = {name: difflib.get_close_matches(name, missing, 1, NEAR) for name in sorted(found.difference(MODULES))}
    return {name: parts[0] for name, parts in near.items() if parts}


@functools.cache
def part_of(package: ModuleType | None, name: str) -> ModuleType | None:
    """Import the module `name` of a game's package; None if it has none, ConfigError for a name not in MODULES."""
    if name not in MODULES:
        raise ConfigError(f"part: {describe_unknown('part', name, MODULES)}")
    if package is None:
        return None
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
        try:
            package = package_of(game)
        except ConfigError:
            continue
        part = part_of(package, name)
        if part is not None:
            found[game] = part
    return found
