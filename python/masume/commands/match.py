"""`masume match`: games between programs and agents, with the referee's verdicts."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import sys
import time

from ..agents.names import distinct
from ..core.config import integer
from ..core.files import check_writable
from ..core.language import translate as _
from ..core.progress import Progress
from ..core.tables import table
from ..errors import ConfigError
from ..game import Game
from ..records import replay
from ..referee.check import check, check_games
from ..referee.clock import TimeControl
from ..referee.match import Record, play_match
from ..referee.seats import connector, make_seat
from ..render import escape_text
from ..results import winners
from .common import FAILED, agents_option, game_options, program_options, programs, read_game, read_seed
from .judged import read_clock, read_seeds, report_points, verdict
from .output import print_json
from .showing import WATCH_HELP, PageShow, page_options, shown

SUMMARY = "play games between programs, and judge them"
EXAMPLE = "masume match chaser --map duel --agents greedy safe --games 4 --clock move=1000"


def add_options(parser: argparse.ArgumentParser) -> None:
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
        help="times that a JSON-lines program may answer again after a bad answer (default: 0)",
    )  # fmt: skip
    program_options(parser)
    parser.add_argument("--out", metavar="FILE", help="save the replays")
    parser.add_argument("--watch", action="store_true", help=WATCH_HELP)
    page_options(parser)
    parser.add_argument(
        "--check", metavar="AGENT",
        help="test whether a bot (cmd:, json: or tcp:) follows its protocol, and play no match; "
        "for clients of a game's server: masume serve GAME --check",
    )  # fmt: skip


def run(arguments: argparse.Namespace) -> None:
    """`masume match GAME`: a player that errs, stalls or crashes is judged by the rules, and the match continues."""
    with programs(arguments):
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
        raise ConfigError(f"agents: expected {game.num_players}, one for each seat, got {len(arguments.agents)}")
    if arguments.out is not None:
        check_writable(arguments.out)
    is_long = len(seeds) > 1 and not arguments.json and "human" not in arguments.agents
    with contextlib.ExitStack() as stack:
        page = stack.enter_context(shown(arguments))
        progress = stack.enter_context(Progress(len(seeds), None)) if is_long and not page else None
        records = asyncio.run(_play(game, arguments.agents, seeds, control, retries, progress, page))
    if arguments.out is not None:
        replay.save(arguments.out, [record.replay for record in records if record.is_played])
    if arguments.json:
        print_json({"game": game.name, "agents": arguments.agents, "games": [record.to_dict() for record in records]})
    else:
        for k, record in enumerate(records, 1):
            print("\n".join(escape_text(line) for line in verdict(k, record).split("\n")))
        if any(record.is_played for record in records):
            print(f"\n{_standings(records, arguments.agents)}")
    if not all(record.is_played for record in records):
        raise SystemExit(FAILED)


def _check(arguments: argparse.Namespace, game: Game) -> None:
    """Test a bot, point by point; raise SystemExit(1) if a point fails."""
    spec, seed, control = arguments.check, read_seed(arguments, game), read_clock(arguments, game)
    connect = connector(spec, lambda news: print(news, file=sys.stderr))
    if connect is None:
        raise ConfigError(f"check: expected a bot (cmd:COMMAND, json:COMMAND or tcp:PORT), got {spec!r}")
    if spec.startswith("cmd:") and game.hook("program") is not None:

        async def hold(player: int, seed: int) -> Record:
            seats = [make_seat(spec if seat == player else "random", game) for seat in range(game.num_players)]
            try:
                return await play_match(game, seats, seed, control)
            finally:
                await asyncio.gather(*(seat.close() for seat in seats))

        points = asyncio.run(check_games(hold, game, seed))
    else:
        points = asyncio.run(check(connect, game, seed, control))
    report_points(arguments, game, spec, points)


async def _play(
    game: Game,
    agents: list[str],
    seeds: list[int],
    control: TimeControl,
    retries: int,
    progress: Progress | None,
    page: PageShow | None,
) -> list[Record]:
    """Play all games and return their records; contestant c, one per seat, is agents[c % len(agents)]."""
    records = []
    started = time.monotonic()
    contestants = [
        make_seat(agents[c % len(agents)], game, retries, lambda news: print(news, file=sys.stderr))
        for c in range(game.num_players)
    ]
    try:
        for k, seed in enumerate(seeds):
            turn = k % len(contestants)
            playing = [*contestants[turn:], *contestants[:turn]]
            follow = page.begin(game, seed, [seat.name for seat in playing]) if page else None
            records.append(await play_match(game, playing, seed, control, follow=follow))
            if page:
                page.finish(records[-1].replay)
            if progress:
                progress(k + 1, time.monotonic() - started)
    finally:
        await asyncio.gather(*(seat.close() for seat in contestants))
    return records


def _standings(records: list[Record], agents: list[str]) -> str:
    """Return a table of each agent: seats taken, games won, seats with a fault; programs of one name are told apart."""
    rows: dict[int, list[int]] = {}
    for k, record in enumerate(records):
        if not record.is_played:
            continue
        won = winners(record.replay.returns)
        at_fault = {fault.player for fault in record.faults}
        for player in range(len(record.replay.names)):
            agent = (player + k) % len(record.replay.names) % len(agents)  # contestants rotate
            row = rows.setdefault(agent, [0, 0, 0])
            row[0] += 1
            row[1] += player in won
            row[2] += player in at_fault
    names = distinct([escape_text(records[0].replay.names[agent]) for agent in rows])
    return table(
        ([name, *row] for name, row in zip(names, rows.values(), strict=True)),
        (_("name"), _("seats"), _("won"), _("at fault")),
    )
