"""`masume selfplay`: many games, with a summary and records."""

from __future__ import annotations

import argparse
import contextlib

from ..core.config import integer
from ..core.language import translate as _
from ..core.progress import Progress
from ..core.tables import table
from ..errors import ConfigError
from ..game import Game, games, load
from ..play.cluster import LOCAL
from ..play.selfplay import selfplay
from ..play.summary import Summary
from ..records.arrays import FORMATS
from ..records.store import REPORT
from ..starts import starts_of
from .common import (
    agents_option,
    config_options,
    generate_games,
    program_options,
    programs,
    read_games,
    read_seed,
)
from .output import format_games, print_json

SUMMARY = "play many games and sum up"
EXAMPLE = "masume selfplay all --seconds 10 --out report"

DEFAULT_GAMES = 1000


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "game",
        choices=(*games(), "all"),
        metavar="GAME|all",
        help=_("one of {names}, or all").format(names=", ".join(games())),
    )
    config_options(parser)
    agents_option(parser)
    program_options(parser)
    parser.add_argument(
        "--games",
        type=int,
        metavar="N",
        help=_("number of games (default: {games}; with --seconds: no limit)").format(games=DEFAULT_GAMES),
    )
    parser.add_argument("--seconds", type=float, metavar="S", help="time limit; the chunks in play then are finished")
    parser.add_argument("--threads", type=int, default=0, metavar="T", help="0: one for each processor (default)")
    parser.add_argument("--starts", type=int, metavar="N", help="play on N generated boards, maps or stages in turn")
    parser.add_argument(
        "--replays",
        type=int,
        metavar="N",
        help="number of games kept as replays too (default: 256, fewer if they are long)",
    )
    parser.add_argument(
        "--out", metavar="DIR|URL",
        help="write records, replays and a report there, also to s3://.. or gs://.. (extra data); an interrupted run "
        "goes on with the same command",
    )  # fmt: skip
    parser.add_argument(
        "--records",
        choices=tuple(FORMATS),
        default="npz",
        help="format of the records: npz (default) or parquet (extra data)",
    )
    parser.add_argument(
        "--keep", nargs="+", default=[], metavar="FIELD",
        help="also record these for each ply: legal (the masks), or fields of the observation (`masume info GAME`)",
    )  # fmt: skip
    parser.add_argument(
        "--chunk", type=int, metavar="N", help="games in each file of records (default: by the speed of the agents)"
    )  # fmt: skip
    parser.add_argument(
        "--ray", nargs="?", const=LOCAL, metavar="ADDRESS",
        help="play on the Ray cluster at ADDRESS (auto, HOST:PORT, ray://HOST:PORT), or on T workers here (extra ray)",
    )  # fmt: skip


def run(arguments: argparse.Namespace) -> None:
    """`masume selfplay GAME|all`: games between agents, on all processors, resumable."""
    starts = _starts(arguments)
    num_games = arguments.games
    if num_games is not None:
        integer("games", num_games, 1, 2**62)
    elif arguments.seconds is None:
        num_games = DEFAULT_GAMES
    with contextlib.ExitStack() as stack:
        progress = None if arguments.json else stack.enter_context(Progress(num_games, arguments.seconds))
        stack.enter_context(programs(arguments))
        summary = selfplay(
            starts, arguments.agents, num_games=num_games, seconds=arguments.seconds, seed=read_seed(arguments),
            threads=arguments.threads, out=arguments.out, records=arguments.records, keep=arguments.keep,
            replays=arguments.replays, chunk=arguments.chunk, ray=arguments.ray, progress=progress,
        )  # fmt: skip
    if arguments.json:
        print_json(summary.to_dict())
    else:
        print(_summary_text(summary))


def _starts(arguments: argparse.Namespace) -> list[Game]:
    """Return the games of a self-play run, to be played in turn."""
    if arguments.game == "all" and (arguments.preset or arguments.fields or arguments.boards):
        raise ConfigError("game: 'all' takes no config; name one game for --preset, --set, --board and --map")
    if arguments.starts is not None and arguments.boards:
        raise ConfigError("starts: generated ones and --board or --map exclude each other")
    if arguments.game == "all":
        return [game for name in games() for game in _all_starts(name, arguments)]
    found = read_games if arguments.starts is None else generate_games
    return found(arguments.game, arguments)


def _all_starts(name: str, arguments: argparse.Namespace) -> list[Game]:
    """Return the game on every shipped start or on --starts N generated ones; without starts, on the config's own."""
    starts = starts_of(name)
    if starts is None:
        return [load(name)]
    if arguments.starts is not None:
        return generate_games(name, arguments)
    return [load(name, **{starts.KIND: start}) for start in starts.load_shipped().values()]


def _summary_text(summary: Summary) -> str:
    """Return the table, the wins of each of several agents, and the path of the report."""
    rows = summary.table()
    parts = [table([row.values() for row in rows], list(rows[0]))]
    agents = [
        (name, seats, f"{won / seats:.1%}")
        for row in summary.rows()
        if len(row["agents"]) > 1
        for name, (seats, won) in row["agents"].items()
    ]
    if agents:
        parts.append(table(agents, (_("agent"), _("seats"), _("won"))))
    games = format_games(sum(tally.games for tally in summary.games.values()))
    parts.append(_("{games} in {seconds} s").format(games=games, seconds=f"{summary.seconds:.1f}"))
    if summary.out is not None:
        parts[-1] += "\n" + _("report: {path}").format(path=f"{summary.out}/{REPORT}")
    return "\n\n".join(parts)
