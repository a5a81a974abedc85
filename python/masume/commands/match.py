"""`masume match`: games between programs and agents, and what the referee says of them."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import dataclasses
import sys
import time
from typing import Any

from ..core.config import integer
from ..core.environment import passing
from ..core.files import check_writable
from ..core.progress import Progress
from ..errors import ConfigError
from ..game import Game
from ..records import replay
from ..referee.check import check
from ..referee.clock import TimeControl
from ..referee.hooks import hook
from ..referee.match import Record, play_match
from ..referee.seats import connector, make_seat
from ..render import escape_text
from .common import FAILED, Command, agents_option, env_option, game_options, read_game, read_seed
from .judged import read_clock, read_seeds, verdict
from .output import print_json, table


def _options(parser: argparse.ArgumentParser) -> None:
    game_options(parser)
    agents_option(parser)
    parser.add_argument(
        "--games", type=int, default=1, metavar="N", help="how many (default: 1); seats rotate from game to game"
    )
    parser.add_argument(
        "--clock", metavar="CLOCK",
        help="milliseconds of each player, such as move=1000 or main=60000,inc=500,floor=1000, or none "
        "(default: the game's own, else none)",
    )  # fmt: skip
    parser.add_argument(
        "--retries", type=int, default=0, metavar="N",
        help="bad answers to one question that a JSON-lines program may give anew (default: 0)",
    )  # fmt: skip
    env_option(parser)
    parser.add_argument("--out", metavar="FILE", help="save the replays")
    parser.add_argument(
        "--check", metavar="AGENT",
        help="instead of a match test whether a bot (cmd:, json: or tcp:) speaks JSON lines as it must",
    )  # fmt: skip


def _run(arguments: argparse.Namespace) -> None:
    """`masume match GAME`: whoever errs, stalls or crashes is judged by the rules, and the match goes on."""
    with passing(arguments.env):
        _hold(arguments)


def _hold(arguments: argparse.Namespace) -> None:
    game = read_game(arguments)
    if arguments.check is not None:
        _check(arguments, game)
        return
    seeds = read_seeds(arguments, game)
    control = read_clock(arguments, game)
    retries = integer("retries", arguments.retries, 0, 1000)
    if len(arguments.agents) > game.num_players:
        raise ConfigError(f"agents: {len(arguments.agents)} for {game.num_players} seats")
    if arguments.out is not None:
        check_writable(arguments.out)
    is_long = len(seeds) > 1 and not arguments.json and "human" not in arguments.agents
    with contextlib.ExitStack() as stack:
        progress = stack.enter_context(Progress(len(seeds), None)) if is_long else None
        records = asyncio.run(_play(game, arguments.agents, seeds, control, retries, progress))
    if arguments.out is not None:
        replay.save(arguments.out, [record.replay for record in records])
    if arguments.json:
        print_json({"game": game.name, "agents": arguments.agents, "games": [record.to_dict() for record in records]})
        return
    for k, record in enumerate(records, 1):
        print("\n".join(escape_text(line) for line in verdict(k, record).split("\n")))
    print(f"\n{_standings(records)}")


def _check(arguments: argparse.Namespace, game: Game) -> None:
    """Test a bot, point by point; SystemExit(1) where one failed."""
    spec = arguments.check
    connect = connector(spec, lambda news: print(news, file=sys.stderr))
    if connect is None:
        raise ConfigError(f"check: {spec!r} is no bot: cmd:COMMAND, json:COMMAND or tcp:PORT")
    if spec.startswith("cmd:") and hook(game, "program") is not None:
        raise ConfigError(f"check: cmd: is {game.name}'s own protocol; json:COMMAND is a bot that speaks JSON lines")
    points = asyncio.run(check(connect, game, read_seed(arguments, game), read_clock(arguments, game)))
    if arguments.json:
        print_json({"game": game.name, "agent": spec, "points": [dataclasses.asdict(point) for point in points]})
    else:
        for point in points:
            verdict = "not tried" if point.answer is None else "passed" if point.is_passed else "FAILED"
            print(f"{verdict:9}  {point.tried}")
            if point.answer is not None:
                print(f"{'':9}  {escape_text(point.answer)}")
    if not all(point.is_passed for point in points):
        raise SystemExit(FAILED)


async def _play(
    game: Game, agents: list[str], seeds: list[int], control: TimeControl, retries: int, progress: Progress | None
) -> list[Record]:
    """The record of each game; contestant c, of as many as there are seats, is agents[c % len(agents)]."""
    records = []
    started = time.monotonic()
    contestants = [
        make_seat(agents[c % len(agents)], game, retries, lambda news: print(news, file=sys.stderr))
        for c in range(game.num_players)
    ]
    try:
        for k, seed in enumerate(seeds):
            turn = k % len(contestants)
            records.append(await play_match(game, [*contestants[turn:], *contestants[:turn]], seed, control))
            if progress:
                progress(k + 1, time.monotonic() - started)
    finally:
        await asyncio.gather(*(seat.close() for seat in contestants))
    return records


def _standings(records: list[Record]) -> str:
    """For each name how many games it has had, won and lost a fault in."""
    rows: dict[str, list[Any]] = {}
    for record in records:
        won = replay.winners(record.replay.returns)
        at_fault = {fault.player for fault in record.faults}
        for player, name in enumerate(record.replay.names):
            row = rows.setdefault(escape_text(name), [0, 0, 0])
            row[0] += 1
            row[1] += player in won
            row[2] += player in at_fault
    return table(([name, *row] for name, row in rows.items()), ("name", "seats", "won", "at fault"))


COMMAND = Command(
    "play games between programs, and judge them",
    "masume match chaser --map duel --agents greedy safe --games 4 --clock move=1000",
    _options,
    _run,
)
