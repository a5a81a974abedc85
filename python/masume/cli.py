"""masume: the command line. Each command is a function that registers itself with `@command`."""

from __future__ import annotations

import argparse
import contextlib
import importlib
import json
import os
import sys
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import masume

from . import errors, render, replay
from .agent import NAMED, Human, agents_of, make_agent
from .config import choice, integer
from .errors import ConfigError
from .files import check_writable, write_atomic
from .game import Game, games, load
from .playing import play
from .progress import Progress
from .records import FORMATS
from .referee.hooks import hook
from .rng import stream
from .selfplay import LOCAL, Summary, selfplay
from .store import REPORT

DEFAULT_GAMES = 1000
OK, FAILED, INTERRUPTED = 0, 1, 130  # argparse itself exits with 2
EXPECTED = tuple(getattr(errors, name) for name in errors.__all__)


class Command(NamedTuple):
    """A command: how it is described, what it takes, what it does."""

    summary: str
    example: str
    options: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], None]


COMMANDS: dict[str, Command] = {}
COMMON: dict[str, dict[str, Any]] = {
    "--json": {"action": "store_true", "help": "print one JSON object, and no progress"},
    "--seed": {"type": int, "help": "where all chance comes from (default: 0; of one game, its config's own)"},
}
"""The options of every command."""


def command(
    name: str, summary: str, example: str, options: Callable[[argparse.ArgumentParser], None]
) -> Callable[[Callable[[argparse.Namespace], None]], Callable[[argparse.Namespace], None]]:
    """Make the function the command of this name."""

    def register(run: Callable[[argparse.Namespace], None]) -> Callable[[argparse.Namespace], None]:
        COMMANDS[name] = Command(summary, example, options, run)
        return run

    return register


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; the exit code: 0, 1 for an error of masume's, 2 for bad usage, 130 for Ctrl-C."""
    arguments = _parser().parse_args(argv)
    if "" not in sys.path:
        sys.path.insert(0, "")  # py:MODULE:ATTR is first looked for where the command is given
    try:
        COMMANDS[arguments.command].run(arguments)
        sys.stdout.flush()
    except KeyboardInterrupt:
        print("masume: interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:  # whoever read the output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except EXPECTED as error:
        print(f"masume: {_shown(str(error).partition(chr(10))[0])}", file=sys.stderr)
        return FAILED
    except OSError as error:
        where = "" if error.filename is None else f"{_shown(str(error.filename))}: "
        print(f"masume: {where}{error.strerror}", file=sys.stderr)
        return FAILED
    return OK


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="masume", description="Exact, fast engines for grid games.")
    parser.add_argument("--version", action="version", version=f"masume {masume.__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, entry in COMMANDS.items():
        one = commands.add_parser(
            name, help=entry.summary, description=f"{entry.summary[0].upper()}{entry.summary[1:]}.",
            epilog=f"example: {entry.example}",
        )  # fmt: skip
        entry.options(one)
        for option, keywords in COMMON.items():
            one.add_argument(option, **keywords)
    return parser


# -- games and starts, given the same way everywhere ---------------------------------------------


def _game_options(parser: argparse.ArgumentParser, names: Sequence[str] = games()) -> None:
    parser.add_argument("game", choices=names, metavar="GAME", help=f"one of {', '.join(names)}")
    _config_options(parser)


def _config_options(parser: argparse.ArgumentParser) -> None:
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


def _fields(name: str, arguments: argparse.Namespace, *taken: str) -> dict[str, Any]:
    """What --set gives; ConfigError for what an option of its own gives, or is `taken`."""
    fields = dict(arguments.fields)
    for field in ("game", "preset", _rooms(name).KIND, *taken):
        if field in fields:
            raise ConfigError(f"{field}: it cannot be given by --set here")
    return fields


def _games(name: str, arguments: argparse.Namespace) -> list[Game]:
    """The game on each start that the arguments give; without any, on the config's own."""
    fields = _fields(name, arguments)
    boards = [board for given in arguments.boards for board in _boards(name, given)]
    if not boards:
        return [load(name, arguments.preset, **fields)]
    return [load(name, arguments.preset, **{_rooms(name).KIND: board}, **fields) for board in boards]


def _game(arguments: argparse.Namespace) -> Game:
    """The one game that the arguments give."""
    found = _games(arguments.game, arguments)
    if len(found) > 1:
        kind = _rooms(arguments.game).KIND
        raise ConfigError(f"{kind}: one is wanted, not {len(found)}; FILE:NAME picks one of a file")
    return found[0]


def _rooms(name: str) -> Any:
    """The game's module of starts: KIND (the argument of `load`), load_file, shipped, generated and facts."""
    return importlib.import_module(f"masume.{name}").starts


def _boards(name: str, given: str) -> list[Any]:
    """The starts that one --board names."""
    rooms = _rooms(name)
    shipped = rooms.shipped()
    if given in shipped:
        return [shipped[given]]
    path, _, pick = given.rpartition(":")
    if Path(given).is_file():
        return list(_filed(rooms, Path(given)).values())
    if path and Path(path).is_file():
        found = _filed(rooms, Path(path))
        return [found[choice(rooms.KIND, pick, found)]]
    raise ConfigError(f"{rooms.KIND}: {given!r} is no file, and none of {', '.join(shipped)}")


def _filed(rooms: Any, path: Path) -> dict[str, Any]:
    """The starts of a file, by name; ConfigError, which names the file, where it holds none."""
    try:
        found: dict[str, Any] = rooms.load_file(path)
    except (ConfigError, errors.NotationError) as error:
        text = str(error)
        if path.name in text:
            raise
        raise ConfigError(f"{rooms.KIND}: {path}: {text.removeprefix(f'{rooms.KIND}: ')}") from None
    return found


def _generated(name: str, arguments: argparse.Namespace) -> list[Game]:
    """The game on each of --starts N generated starts."""
    fields = _fields(name, arguments, "seed")
    config = load(name, arguments.preset, **fields).config
    seeds = [stream(_seed(arguments), k) >> 1 for k in range(integer("starts", arguments.starts, 1, 1_000_000))]
    return [load(name, arguments.preset, **fields, **_rooms(name).generated(config, seed)) for seed in seeds]


def _seed(arguments: argparse.Namespace, game: Game | None = None) -> int:
    """What --seed gives, or else the seed of the game's config, which is that of `new_state()`."""
    own = 0 if game is None else getattr(game.config, "seed", 0)
    return integer("seed", own if arguments.seed is None else arguments.seed, 0, 2**64 - 1)


def _agents_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--agents", nargs="+", default=["random"], metavar="AGENT",
        help=f"random, a name that `masume info GAME` lists, {', '.join(NAMED)}; "
        "where players decide at once beam:SIMULATIONS, beam:MSms, where two see everything alphabeta:NODES, "
        "alphabeta:MSms; "
        "in matches, arenas and self-play programs too: cmd:COMMAND, json:COMMAND, in the first two tcp:PORT; "
        "fewer than there are seats are repeated (default: random)",
    )  # fmt: skip


# -- what is printed -----------------------------------------------------------------------------


def _table(rows: Iterable[Iterable[Any]], head: Sequence[str] = ()) -> str:
    """Rows as aligned plain text; columns of numbers to the right, with commas."""
    cells = [list(row) for row in rows]
    numeric = [all(type(row[k]) in (int, float) for row in cells) for k in range(len(cells[0]))]
    lines = [[f"{cell:,}" if right else str(cell) for cell, right in zip(row, numeric, strict=True)] for row in cells]
    lines = [list(head), *lines] if head else lines
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]

    def aligned(line: list[str]) -> str:
        columns = zip(line, widths, numeric, strict=True)
        return "  ".join(cell.rjust(width) if right else cell.ljust(width) for cell, width, right in columns).rstrip()

    return "\n".join(map(aligned, lines))


def _shown(told: str) -> str:
    """A text from elsewhere with escapes for what would steer a terminal or cannot be encoded."""
    return "".join(
        char if unicodedata.category(char) not in ("Cc", "Cf", "Cs", "Zl", "Zp")
        else char.encode("unicode_escape").decode()
        for char in told
    )  # fmt: skip


def _print_board(state: Any, player: int | None = None) -> None:
    print(render.text(state, player, color=render.wants_color(sys.stdout)), end="\n\n")


def _print_json(value: Any) -> None:
    print(json.dumps(value, indent=2))


# -- the commands --------------------------------------------------------------------------------


def _info_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("game", nargs="?", choices=games(), metavar="GAME", help=f"one of {', '.join(games())}")
    _config_options(parser)


@command("info", "list the games, or show one", "masume info kakomimasu --set width=10 --set height=10", _info_options)
def _info(arguments: argparse.Namespace) -> None:
    """`masume info`: the games; `masume info GAME`: sizes, agents, config, boards and the start."""
    if arguments.game is None:
        every = [_facts(load(name)) for name in games()]
        if arguments.json:
            _print_json({"games": every})
        else:
            shown = ("game", "players", "moves", "information", "slots", "actions", "plies")
            print(_table(([facts[name] for name in shown] for facts in every), shown))
        return
    game = _game(arguments)
    start = game.new_state(_seed(arguments, game))
    facts = _facts(game)
    if arguments.json:
        _print_json(facts)
        return
    kind = f"{_rooms(game.name).KIND}s"
    config, observation, boards = facts.pop("config"), facts.pop("observation"), facts.pop(kind)
    facts["agents"] = " ".join(facts["agents"])
    parts = {
        "": facts.items(),
        "config": [(name, _short(value)) for name, value in config.items()],
        "observation": [(name, f"{field['dtype']}{field['shape']}") for name, field in observation.items()],
    }
    for head, rows in parts.items():
        print(f"{head}\n{_table(rows)}\n" if head else f"{_table(rows)}\n")
    print(f"shipped {kind}")
    print(_table([board.values() for board in boards], list(boards[0])), end="\n\n")
    rooms = _rooms(game.name)
    if hasattr(rooms, "picture"):  # where starts are small enough to be shown all
        for name, one in rooms.shipped().items():
            print(f"{name}\n{rooms.picture(one)}", end="\n\n")
    print(render.text(start, color=render.wants_color(sys.stdout)))


def _short(value: Any) -> Any:
    """A list or a text that would fill the screen, as its length."""
    if isinstance(value, str) and "\n" in value:
        return f"{len(value.splitlines())} lines"
    return f"{len(value)} values" if isinstance(value, list) and len(value) > 8 else value


def _facts(game: Game) -> dict[str, Any]:
    """What `info` says of a game, as plain JSON types."""
    spec = game.observation_spec.items()
    rooms = _rooms(game.name)
    return {
        "game": game.name,
        "players": game.num_players,
        "moves": "all at once" if game.is_simultaneous else "in turn",
        "information": "perfect" if game.is_perfect_information else "imperfect",
        "slots": game.num_slots,
        "actions": game.num_actions,
        "plies": game.max_game_length,
        "state bytes": game.state_size,
        "agents": list(dict.fromkeys([*game.policies, *agents_of(game)])),
        "config": game.config.to_dict() if game.config else {},
        "observation": {name: {"dtype": str(dtype), "shape": list(shape)} for name, (shape, dtype) in spec},
        f"{rooms.KIND}s": [rooms.facts(name, start) for name, start in rooms.shipped().items()],
    }


def _play_options(parser: argparse.ArgumentParser) -> None:
    _game_options(parser)
    _agents_option(parser)
    parser.add_argument("--out", metavar="FILE", help="save the replay")


@command(
    "play",
    "play one game in the terminal",
    "masume play kakomimasu --board court --agents greedy random",
    _play_options,
)
def _play(arguments: argparse.Namespace) -> None:
    """`masume play GAME`: boards as the game goes (a human sees them when asked), then the result."""
    game = _game(arguments)
    seed = _seed(arguments, game)
    if len(arguments.agents) > game.num_players:
        raise ConfigError(f"agents: {len(arguments.agents)} for {game.num_players} seats")
    names = [arguments.agents[player % len(arguments.agents)] for player in range(game.num_players)]
    quiet = arguments.json or "human" in names
    if arguments.out is not None:
        check_writable(arguments.out)  # a game may last long
    with contextlib.ExitStack() as stack:
        agents = []
        for name in names:
            asked_aside = name == "human" and arguments.json  # stdout is for the JSON
            agents.append(Human(stdout=sys.stderr) if asked_aside else make_agent(name, game))
            stack.callback(agents[-1].close)
        played = play(game, agents, seed, None if quiet else _print_board)
    result = played.to_replay(seed, names)
    if arguments.out is not None:
        replay.save(arguments.out, [result])
    winners = replay.winners(result.returns)
    if arguments.json:
        facts = {"returns": result.returns, "scores": result.scores, "winners": winners, "plies": len(result.moves)}
        _print_json({"game": game.name, "seed": seed, "names": names, **facts})
        return
    if quiet:
        _print_board(played.state)
    columns = (range(len(names)), names, result.scores, [f"{value:+g}" for value in result.returns])
    rows = list(zip(*columns, strict=True))
    print(_table(rows, ("player", "agent", "score", "return")))


def _selfplay_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "game", choices=(*games(), "all"), metavar="GAME|all", help=f"one of {', '.join(games())}, or all"
    )
    _config_options(parser)
    _agents_option(parser)
    parser.add_argument("--games", type=int, metavar="N", help=f"default: {DEFAULT_GAMES}, or no bound with --seconds")
    parser.add_argument("--seconds", type=float, metavar="S", help="how long, to the end of the chunks then in play")
    parser.add_argument("--threads", type=int, default=0, metavar="T", help="0: as many as the machine has (default)")
    parser.add_argument("--starts", type=int, metavar="N", help="on N generated boards, maps or stages in turn")
    parser.add_argument(
        "--replays", type=int, default=256, metavar="N", help="games kept as replays too (default: 256)"
    )
    parser.add_argument(
        "--out", metavar="DIR",
        help="write records, replays and a report there; an interrupted run goes on with the same command",
    )  # fmt: skip
    parser.add_argument(
        "--records", choices=tuple(FORMATS), default="npz", help="how: npz (default), or parquet (extra data)"
    )
    parser.add_argument(
        "--keep", nargs="+", default=[], metavar="FIELD",
        help="keep these for each ply too: legal (the masks), and fields of the observation (`masume info GAME`)",
    )  # fmt: skip
    parser.add_argument(
        "--ray", nargs="?", const=LOCAL, metavar="ADDRESS",
        help="play on the Ray cluster at ADDRESS (auto, HOST:PORT, ray://HOST:PORT), or on T workers here (extra ray)",
    )  # fmt: skip


@command("selfplay", "play many games and sum up", "masume selfplay all --seconds 10 --out report", _selfplay_options)
def _selfplay(arguments: argparse.Namespace) -> None:
    """`masume selfplay GAME|all`: agents against each other, on all processors, resumable."""
    starts = _starts(arguments)
    num_games = arguments.games
    if num_games is None and arguments.seconds is None:
        num_games = DEFAULT_GAMES
    with contextlib.ExitStack() as stack:
        progress = None if arguments.json else stack.enter_context(Progress(num_games, arguments.seconds))
        summary = selfplay(
            starts, arguments.agents, num_games=num_games, seconds=arguments.seconds, seed=_seed(arguments),
            threads=arguments.threads, out=arguments.out, records=arguments.records, keep=arguments.keep,
            replays=arguments.replays, ray=arguments.ray, progress=progress,
        )  # fmt: skip
    if arguments.json:
        _print_json(summary.to_dict())
    else:
        print(_summary_text(summary))


def _starts(arguments: argparse.Namespace) -> list[Game]:
    """The games that a self-play run goes through in turn."""
    if arguments.game == "all" and (arguments.preset or arguments.fields or arguments.boards):
        raise ConfigError("game: 'all' takes no config; name one game for --preset, --set, --board and --map")
    names = games() if arguments.game == "all" else (arguments.game,)
    if arguments.starts is not None:
        if arguments.boards:
            raise ConfigError("starts: generated ones and --board or --map exclude each other")
        return [game for name in names for game in _generated(name, arguments)]
    if arguments.game == "all":
        return [load(name, **{_rooms(name).KIND: start}) for name in names for start in _rooms(name).shipped().values()]
    return _games(arguments.game, arguments)


def _summary_text(summary: Summary) -> str:
    """The table, who of several agents won how often, and where the report lies."""
    table = summary.table()
    parts = [_table([row.values() for row in table], list(table[0]))]
    agents = [
        (name, seats, f"{won / seats:.1%}")
        for row in summary.rows()
        if len(row["agents"]) > 1
        for name, (seats, won) in row["agents"].items()
    ]
    if agents:
        parts.append(_table(agents, ("agent", "seats", "won")))
    parts.append(f"{sum(row['games'] for row in table):,} games in {summary.seconds:.1f} s")
    if summary.out is not None:
        parts[-1] += f"\nreport: {summary.out / REPORT}"
    return "\n\n".join(parts)


def _perft_options(parser: argparse.ArgumentParser) -> None:
    _game_options(parser)
    parser.add_argument("--depth", type=int, required=True, metavar="D", help="plies, 0..64")
    parser.add_argument("--divide", action="store_true", help="also by the first action")


@command(
    "perft",
    "count the action sequences of a length",
    "masume perft kakomimasu --set width=3 --set height=3 --set n_agents=1 --depth 2",
    _perft_options,
)
def _perft(arguments: argparse.Namespace) -> None:
    """`masume perft GAME --depth D`: sequences of D actions (joint ones where several decide at once)."""
    from ._perft import divide, perft

    game = _game(arguments)
    state = game.new_state(_seed(arguments, game))
    parts = divide(state, arguments.depth) if arguments.divide else {}
    total = sum(parts.values()) if arguments.divide else perft(state, arguments.depth)
    named = {_joint_text(state, action): count for action, count in parts.items()}
    if arguments.json:
        _print_json({"depth": arguments.depth, "sequences": total} | ({"divide": named} if arguments.divide else {}))
        return
    if named:
        print(_table(named.items()), end="\n\n")
    print(total)


def _joint_text(state: Any, action: Any) -> str:
    actions = action if isinstance(action, tuple) else (action,)
    return ", ".join(state.action_to_text(one, slot) for slot, one in enumerate(actions))


def _view_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("replay", metavar="REPLAY", help="a replay file, or the Game JSON of a Kakomimasu match server")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--player", type=int, metavar="P", help="as this player saw it, in games that hide something")
    form.add_argument("-o", dest="out", metavar="OUT.html", help="write a page of all games instead, with all views")
    form.add_argument(
        "--blocks", action="store_true",
        help="print what programs were sent instead, a state block for each turn, in games that have them",
    )  # fmt: skip


@command("view", "show a replay, verified", "masume view report/replays/0000.jsonl -o games.html", _view_options)
def _view(arguments: argparse.Namespace) -> None:
    """`masume view REPLAY`: every position as text, one HTML page to step through, or state blocks."""
    found = replay.load(arguments.replay)
    for one in found:
        if arguments.player is not None and arguments.player not in range(one.game.num_players):
            raise ConfigError(f"player: {arguments.player} is none of 0..{one.game.num_players - 1}")
    if arguments.out is not None:
        write_atomic(arguments.out, render.page(found, title=_shown(Path(arguments.replay).name)).encode())
    facts: list[dict[str, Any]] = [
        {
            "game": one.game.name,
            "seed": one.seed,
            "names": one.names,
            "plies": len(one.moves),
            "returns": one.returns,
            "scores": one.scores,
            "winners": replay.winners(one.returns),
            **({"blocks": _blocks(one)} if arguments.blocks else {}),
        }
        for one in found
    ]
    if arguments.json:
        _print_json({"replays": facts})
    elif arguments.out is not None:
        print(f"{len(found)} games: {_shown(arguments.out)}")
    elif arguments.blocks:
        for fact in facts:
            print(*fact["blocks"], sep="", end="")
    else:
        for one, fact in zip(found, facts, strict=True):
            print(f"{fact['game']}: {_shown(', '.join(one.names))}; seed {one.seed}", end="\n\n")
            for state in one.states():
                _print_board(state, arguments.player)
            print(f"scores {one.scores}, returns {one.returns}", end="\n\n")


def _blocks(one: replay.Replay) -> list[str]:
    """The state block of each turn of a game; ConfigError where the game has none."""
    blocks = hook(one.game, "blocks")
    if blocks is None:
        raise ConfigError(f"blocks: {one.game.name} has none")
    return list(blocks(one.states()))


def _bench_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("game", nargs="?", choices=games(), metavar="GAME", help=f"one of {', '.join(games())}")
    parser.add_argument("--compare", metavar="FILE", help="what `masume bench --json` printed earlier")
    parser.add_argument(
        "--fail-over", type=_percentage, default=0.05, metavar="PERCENT",
        help="exit with 1 if a case takes so much longer than in FILE (default: 5%%)",
    )  # fmt: skip


def _percentage(text: str) -> float:
    try:
        share = float(text.removesuffix("%")) / 100
    except ValueError:
        share = -1.0
    if not text.endswith("%") or not share >= 0:
        raise argparse.ArgumentTypeError(f"{text!r} is no percentage such as 5%")
    return share


@command(
    "bench", "time what the engines do", "masume bench kakomimasu --compare before.json --fail-over 5%", _bench_options
)
def _bench(arguments: argparse.Namespace) -> None:
    """`masume bench [GAME]`: how long everything takes on recorded play; gates are shown, not enforced."""
    from . import bench

    seed = _seed(arguments)
    before = bench.figures(Path(arguments.compare).read_bytes()) if arguments.compare else {}
    report = bench.report([arguments.game] if arguments.game else games(), seed=seed)
    if arguments.json:
        _print_json(report)
    else:
        print(bench.text(report))
    changes = bench.changes(before, bench.figures(json.dumps(report)))
    for change in changes:
        if change.share > arguments.fail_over:
            print(f"masume: slower: {change}", file=sys.stderr)
    if any(change.share > arguments.fail_over for change in changes):
        sys.exit(FAILED)


from . import matches, workbench  # noqa: E402, F401 - their commands register themselves, with what is above
