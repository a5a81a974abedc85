"""What all commands share: how one is described, and how games, starts, agents and seeds are given to it."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ..core import registry
from ..core.config import choice, integer
from ..core.rng import stream
from ..errors import ConfigError, NotationError
from ..game import Game, games, load
from ..play.agents import NAMED

FAILED = 1  # the exit code of what went wrong; argparse's own is 2


class Command(NamedTuple):
    """A command: how it is described, what it takes, what it does."""

    summary: str
    example: str
    options: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], None]


COMMON: dict[str, dict[str, Any]] = {
    "--json": {"action": "store_true", "help": "print one JSON object, and no progress"},
    "--seed": {"type": int, "help": "where all chance comes from (default: 0; of one game, its config's own)"},
}
"""The options of every command."""


def add_commands(parser: argparse.ArgumentParser, commands: Mapping[str, Command], kind: str) -> None:
    """Give the parser a command for each of these names, with the options of every command; `kind` says what they are.

    The name that is chosen becomes the argument `kind`, and COMMON may stand on either side of it.
    """
    found = parser.add_subparsers(dest=kind, required=True, metavar=kind.upper())
    for name, command in commands.items():
        one = found.add_parser(
            name, help=command.summary, description=f"{command.summary[0].upper()}{command.summary[1:]}.",
            epilog=f"example: {command.example}",
        )  # fmt: skip
        command.options(one)
        for option, keywords in COMMON.items():
            one.add_argument(option, default=argparse.SUPPRESS, **keywords)


# -- games and starts, given the same way everywhere ---------------------------------------------


def game_options(parser: argparse.ArgumentParser) -> None:
    names = games()
    parser.add_argument("game", choices=names, metavar="GAME", help=f"one of {', '.join(names)}")
    config_options(parser)


def config_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--preset", metavar="NAME", help="a named config of the game")
    parser.add_argument(
        "--set", dest="fields", type=_field, action="append", default=[], metavar="FIELD=VALUE",
        help="a field of the config, as JSON or else as a string; may be repeated",
    )  # fmt: skip
    parser.add_argument(
        "--board", "--map", "--stage", dest="boards", action="append", default=[], metavar="FILE",
        help="the start: a board, map or stage file, FILE:NAME for one of several, or the name of a shipped one",
    )  # fmt: skip


def _field(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise argparse.ArgumentTypeError(f"{text!r} is not FIELD=VALUE")
    try:
        return name, json.loads(value)
    except (ValueError, RecursionError):
        return name, value


def read_fields(name: str, arguments: argparse.Namespace, *taken: str) -> dict[str, Any]:
    """What --set gives; ConfigError for what an option of its own gives, or is `taken`."""
    fields = dict(arguments.fields)
    starts = starts_of(name)
    for field in ("game", "preset", *([starts.KIND] if starts else []), *taken):
        if field in fields:
            raise ConfigError(f"{field}: it cannot be given by --set here")
    return fields


def read_games(name: str, arguments: argparse.Namespace) -> list[Game]:
    """The game on each start that the arguments give; without any, on the config's own."""
    fields = read_fields(name, arguments)
    if not arguments.boards:
        return [load(name, arguments.preset, **fields)]
    starts = require_starts(name)
    boards = [board for given in arguments.boards for board in find_boards(starts, given)]
    return [load(name, arguments.preset, **{starts.KIND: board}, **fields) for board in boards]


def read_game(arguments: argparse.Namespace) -> Game:
    """The one game that the arguments give."""
    found = read_games(arguments.game, arguments)
    if len(found) > 1:
        kind = require_starts(arguments.game).KIND
        raise ConfigError(f"{kind}: one is wanted, not {len(found)}; FILE:NAME picks one of a file")
    return found[0]


def starts_of(name: str) -> Any:
    """The game's module of starts: KIND (the argument of `load`), load_file, load_shipped, generate_fields, facts.

    None where the game has none: its config says how it begins.
    """
    return getattr(registry.package_of(name), "starts", None)


def require_starts(name: str) -> Any:
    """The game's module of starts; ConfigError where it has none."""
    starts = starts_of(name)
    if starts is None:
        raise ConfigError(f"game: {name} has no boards, maps or stages")
    return starts


def find_boards(starts: Any, given: str) -> list[Any]:
    """The starts that one --board names, of a game's module of starts."""
    shipped = starts.load_shipped()
    if given in shipped:
        return [shipped[given]]
    path, _, pick = given.rpartition(":")
    if Path(given).is_file():
        return list(_load_file(starts, Path(given)).values())
    if path and Path(path).is_file():
        found = _load_file(starts, Path(path))
        return [found[choice(starts.KIND, pick, found)]]
    raise ConfigError(f"{starts.KIND}: {given!r} is no file, and none of {', '.join(shipped)}")


def _load_file(starts: Any, path: Path) -> dict[str, Any]:
    """The starts of a file, by name; ConfigError, which names the file, where it holds none."""
    try:
        found: dict[str, Any] = starts.load_file(path)
    except (ConfigError, NotationError) as error:
        text = str(error)
        if path.name in text:
            raise
        raise ConfigError(f"{starts.KIND}: {path}: {text.removeprefix(f'{starts.KIND}: ')}") from None
    return found


def generate_games(name: str, arguments: argparse.Namespace) -> list[Game]:
    """The game on each of --starts N generated starts."""
    starts = require_starts(name)
    fields = read_fields(name, arguments, "seed")
    config = load(name, arguments.preset, **fields).config
    seeds = [stream(read_seed(arguments), k) >> 1 for k in range(integer("starts", arguments.starts, 1, 1_000_000))]
    return [load(name, arguments.preset, **fields, **starts.generate_fields(config, seed)) for seed in seeds]


def read_seed(arguments: argparse.Namespace, game: Game | None = None) -> int:
    """What --seed gives, or else the seed of the game's config, which is that of `new_state()`."""
    own = 0 if game is None else getattr(game.config, "seed", 0)
    return integer("seed", own if arguments.seed is None else arguments.seed, 0, 2**64 - 1)


def env_option(parser: argparse.ArgumentParser) -> None:
    """--env, for commands that start programs."""
    parser.add_argument(
        "--env", action="append", default=[], metavar="NAME",
        help="hand this environment variable on to the bots, which else get only those that every program needs; "
        "PREFIX* stands for all that begin so; may be repeated",
    )  # fmt: skip


def agents_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--agents", nargs="+", default=["random"], metavar="AGENT",
        help=f"random, a name that `masume info GAME` lists, {', '.join(NAMED)}; "
        "where players decide at once beam:SIMULATIONS, beam:MSms, where two see everything alphabeta:NODES, "
        "alphabeta:MSms; "
        "in matches, arenas and self-play programs too: cmd:COMMAND, json:COMMAND, in the first two tcp:PORT; "
        "fewer than there are seats are repeated (default: random)",
    )  # fmt: skip
