"""Parts shared by all commands: their description, and the options for games, starts, agents and seeds."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from ..agents.make import NAMED
from ..core import environment
from ..core.config import integer, suggest
from ..core.files import check_writable, make_folder
from ..core.language import LANGUAGES, say
from ..core.language import translate as _
from ..core.rng import stream
from ..errors import ConfigError
from ..game import Game, games, load
from ..starts import find_boards, starts_of

FAILED = 1  # exit code of a failure; argparse's own is 2


class TranslatedHelp(argparse.HelpFormatter):
    """Help in the chosen language: the templates of `help` are translated when they are shown."""

    def _get_help_string(self, action: argparse.Action) -> str | None:
        return None if action.help is None else _(action.help)


class Parser(argparse.ArgumentParser):
    """A parser whose errors name the nearest word, and explain a command whose quotes were forgotten.

    late : the name of an optional last argument, which may also stand after options.
    """

    late: str | None = None

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            known = [str(one) for one in action.choices]
            told = _("invalid choice: %(value)r (choose from %(choices)s)")
            told %= {"value": value, "choices": ", ".join(map(repr, known))}
            raise argparse.ArgumentError(action, told + suggest(str(value), known))

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse the arguments; exit with an error for an option that does not exist."""
        found, rest = super().parse_known_args(args, namespace)
        if self.late is not None and rest and not rest[0].startswith("-") and getattr(found, self.late) is None:
            setattr(found, self.late, rest.pop(0))
        if rest and rest[0].startswith("-"):
            told = _("unrecognized arguments: %s") % " ".join(rest)
            near = suggest(rest[0].partition("=")[0], self._option_string_actions)
            self.error(told + near + unquoted(args or (), rest[0]))
        return found, rest


def unquoted(words: Sequence[str], option: str = "") -> str:
    """Return a hint if one of these arguments seems to be a command whose quotes were forgotten; else an empty text.

    It does if the next argument is a file, or `option`, which masume does not know.
    """
    for word, after in pairwise(words):
        if word.startswith(("cmd:", "json:")) and " " not in word and (after == option or set("./") & set(after)):
            return f'; a command with spaces needs quotes: "{word} {after}"'
    return ""


class Command(NamedTuple):
    """A command: its description, its options and its function; a page of the documentation that explains it."""

    summary: str
    example: str
    options: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], None]
    page: str = ""


LANG_HELP = "language of what is printed and of pages (default: as LANG says)"
COMMON: dict[str, dict[str, Any]] = {
    "--json": {"action": "store_true", "help": "print one JSON object, and no progress"},
    "--seed": {"type": int, "help": "seed of all randomness (default: 0; for one game, the seed of its config)"},
    "--lang": {"choices": LANGUAGES, "help": LANG_HELP},
}
"""The options of every command."""


def add_commands(
    parser: argparse.ArgumentParser, commands: Mapping[str, Command], kind: str, is_required: bool = True
) -> None:
    """Add a subcommand to the parser for each of these names, with the options of every command.

    `kind` is the argument that receives the chosen name. COMMON options may be on either side of it.
    """
    found = parser.add_subparsers(dest=kind, required=is_required, metavar=kind.upper())
    for name, command in commands.items():
        more = f"; {_('guide:')} {command.page}" if command.page else ""
        one = found.add_parser(
            name, help=command.summary, description=describe(command),
            epilog=f"{_('example:')} {command.example}{more}", formatter_class=TranslatedHelp,
        )  # fmt: skip
        command.options(one)
        for option, keywords in COMMON.items():
            one.add_argument(option, default=argparse.SUPPRESS, **keywords)


def describe(command: Command) -> str:
    """Return the summary of a command as a sentence."""
    summary = _(command.summary)
    return say("{sentence}.", sentence=f"{summary[0].upper()}{summary[1:]}")


# -- games and starts, with the same options everywhere ------------------------------------------


def game_options(parser: argparse.ArgumentParser) -> None:
    names = games()
    parser.add_argument("game", choices=names, metavar="GAME", help=say("one of {names}", names=", ".join(names)))
    config_options(parser)


def config_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--preset", metavar="NAME", help="a named config of the game")
    parser.add_argument(
        "--set", dest="fields", type=_field, action="append", default=[], metavar="FIELD=VALUE",
        help="a field of the config, as JSON or else as a string; may be repeated",
    )  # fmt: skip
    parser.add_argument(
        "--board", "--map", "--stage", dest="boards", action="append", default=[], metavar="FILE",
        help="the start: a board, map or stage file, FILE:NAME for one of several, the name of a shipped one, or daily",
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
    """Return the fields of --set; raise ConfigError for a field that has another option or is in `taken`."""
    fields = dict(arguments.fields)
    starts = starts_of(name)
    for field in ("game", "preset", *([starts.KIND] if starts else []), *taken):
        if field in fields:
            raise ConfigError(f"{field}: it cannot be given by --set here")
    return fields


def read_games(name: str, arguments: argparse.Namespace) -> list[Game]:
    """Return the game on each start of the arguments; without any, on the config's own start."""
    fields = read_fields(name, arguments)
    if not arguments.boards:
        return [load(name, arguments.preset, **fields)]
    starts = require_starts(name)
    boards = [board for given in arguments.boards for board in find_boards(starts, given)]
    return [load(name, arguments.preset, **{starts.KIND: board}, **fields) for board in boards]


def read_game(arguments: argparse.Namespace) -> Game:
    """Return the one game of the arguments."""
    found = read_games(arguments.game, arguments)
    if len(found) > 1:
        kind = require_starts(arguments.game).KIND
        raise ConfigError(f"{kind}: expected one, got {len(found)}; FILE:NAME picks one of a file")
    return found[0]


def require_starts(name: str) -> Any:
    """Return the game's module of starts; raise ConfigError if it has none."""
    starts = starts_of(name)
    if starts is None:
        raise ConfigError(f"game: {name} has no boards, maps or stages")
    return starts


def generate_games(name: str, arguments: argparse.Namespace) -> list[Game]:
    """Return the game on each of --starts N generated starts."""
    starts = require_starts(name)
    fields = read_fields(name, arguments, "seed")
    config = load(name, arguments.preset, **fields).config
    seeds = [stream(read_seed(arguments), k) >> 1 for k in range(integer("starts", arguments.starts, 1, 1_000_000))]
    return [load(name, arguments.preset, **fields, **starts.generate_fields(config, seed)) for seed in seeds]


def read_seed(arguments: argparse.Namespace, game: Game | None = None) -> int:
    """Return the value of --seed, by default the seed of the game's config (used by `new_state()`), else 0."""
    own = 0 if game is None else getattr(game.config, "seed", 0)
    return integer("seed", own if arguments.seed is None else arguments.seed, 0, 2**64 - 1)


def program_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of commands that start programs: what they get, what they may use, what is kept of them."""
    add = parser.add_argument_group(_("bots that are programs")).add_argument
    add(
        "--env", action="append", default=[], metavar="NAME",
        help="pass this environment variable to the bots, which otherwise get only those that every program needs; "
        "PREFIX* means all that begin with PREFIX; may be repeated",
    )  # fmt: skip
    add("--log", metavar="DIR", help="keep what each bot was sent, said and wrote to stderr, a file for each start")
    add("--memory", type=int, metavar="MIB", help="limit of the memory of each bot, with all that it starts")
    add("--cpu-seconds", type=int, metavar="S", help="limit of the processor time of each bot, with all that it starts")
    add("--procs", type=int, metavar="N", help="limit of the processes of each bot at the same time")
    add("--no-network", action="store_true", help="the bots may not use the network (needs bubblewrap)")
    add(
        "--files-under", metavar="DIR",
        help="the bots may write files in this folder only, and in a /tmp of their own (needs bubblewrap)",
    )  # fmt: skip


@contextlib.contextmanager
def programs(arguments: argparse.Namespace) -> Iterator[None]:
    """Keep the options of `program_options` for the programs that are started in the block, also by workers.

    Raise ConfigError for a bad value or a limit that cannot be kept here, OSError if the folder cannot be written.
    """
    from ..referee.process import Limits

    limits = {
        "memory_mb": arguments.memory, "cpu_s": arguments.cpu_seconds, "procs": arguments.procs,
        "network": not arguments.no_network,
        "files_under": None if arguments.files_under is None else os.path.realpath(arguments.files_under),
    }  # fmt: skip
    Limits(**limits)
    chosen = {name: value for name, value in limits.items() if value not in (None, True)}
    log = None if arguments.log is None else make_folder(arguments.log).resolve()
    if log is not None:
        check_writable(log / "0001.log")
    with (
        environment.passing(arguments.env),
        environment.setting(environment.LIMITS, json.dumps(chosen) if chosen else None),
        environment.setting(environment.LOG, None if log is None else str(log)),
    ):
        yield


def agents_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--agents", nargs="+", default=["random"], metavar="AGENT",
        help=say("an agent for each seat: random, a name that `masume info GAME` lists, {named}; "
            "beam:SIMULATIONS or beam:MSms in games with simultaneous moves; "
            "alphabeta:NODES or alphabeta:MSms in games of two with perfect information; "
            "programs by cmd:COMMAND or json:COMMAND in matches, arenas and self-play, by tcp:PORT in matches; "
            "if there are fewer agents than seats, they repeat (default: random)", named=", ".join(NAMED)),
    )  # fmt: skip
