"""`masume arena`: which agents are stronger, and how sure that is."""

from __future__ import annotations

import argparse
import contextlib
import itertools
import json
import os
import time
from pathlib import Path
from typing import Any

from .. import render
from ..core import system
from ..core.config import integer
from ..core.environment import passing
from ..core.files import write_atomic
from ..core.progress import Progress
from ..errors import ConfigError
from ..play.arena import MAX_ROUNDS, Arena, Tournament, replays
from ..play.ratings import check_extra
from ..render import escape_text
from .common import Command, env_option, game_options, read_game, read_seed
from .judged import read_clock
from .output import print_json, table

PAGE_GAMES = 20  # that the page of an arena shows


def _options(parser: argparse.ArgumentParser) -> None:
    game_options(parser)
    parser.add_argument(
        "--agents", nargs="+", required=True, metavar="AGENT",
        help="as in `masume play`: one for each seat (then they may repeat), or more, of whom all choices meet",
    )  # fmt: skip
    parser.add_argument("--games", type=int, default=100, metavar="N", help="of each line-up (default: 100)")
    parser.add_argument("--swiss", type=int, metavar="R", help="R rounds of a Swiss system, N games in each")
    parser.add_argument(
        "--stop-at", type=float, metavar="SCORE",
        help="with two agents: end when the first's mean score is clearly above or below, such as 0.6",
    )  # fmt: skip
    parser.add_argument("--clock", metavar="CLOCK", help="as in `masume match`")
    env_option(parser)
    parser.add_argument("--jobs", type=int, default=0, metavar="J", help="0: as many as the machine has (default)")
    parser.add_argument("--out", metavar="DIR", help="keep games, table and page here; the same command goes on")


def _run(arguments: argparse.Namespace) -> None:
    """`masume arena GAME`: everybody meets everybody on the same seeds from every seat; ratings with intervals."""
    check_extra()
    game = read_game(arguments)
    control = read_clock(arguments, game)
    for agent in arguments.agents:
        if agent == "human" or agent.startswith("tcp:"):
            raise ConfigError(f"agents: {agent}: an arena plays several games at once")
    rounds = 0 if arguments.swiss is None else integer("swiss", arguments.swiss, 1, MAX_ROUNDS)
    plan = Tournament(
        game, tuple(arguments.agents), arguments.games, read_seed(arguments, game), rounds, control,
        arguments.stop_at,
    )  # fmt: skip
    arena = Arena(plan, arguments.out)
    jobs = integer("jobs", arguments.jobs, 0, system.MAX_WORKERS) or min(os.cpu_count() or 1, system.MAX_WORKERS)
    with contextlib.ExitStack() as stack:
        progress = None if arguments.json else stack.enter_context(Progress(arena.total, None))
        started = time.monotonic()

        def show(games: int) -> None:
            if progress:
                progress(games, time.monotonic() - started)

        with passing(arguments.env):
            arena.run(jobs, show)
    result = arena.to_dict()
    if arguments.out is not None:
        folder = Path(arguments.out)
        write_atomic(folder / "table.json", (json.dumps(result, indent=2) + "\n").encode())
        one_each = itertools.islice(replays(folder), PAGE_GAMES)
        title = f"{game.name}: {len(arena.games)} games between {len(plan.names)} agents"
        write_atomic(folder / "arena.html", render.page(one_each, title=title, summary=_rows(result)).encode())
    if arguments.json:
        print_json(result)
        return
    rows = _rows(result)
    print(table([row.values() for row in rows], list(rows[0])))
    print(f"\nseats: {', '.join(f'{score:.3f}' for score in result['seats'])} (mean score of each)")
    if plan.stop_at is not None:
        told = {"above": "is above", "below": "is below", None: "may be on either side of"}[arena.verdict]
        print(f"the score of {escape_text(plan.names[0])} {told} {plan.stop_at}")
    if arguments.out is not None:
        print(f"page: {escape_text(str(folder / 'arena.html'))}")


def _rows(result: dict[str, Any]) -> list[dict[str, Any]]:
    """The table of an arena for people: standings, then what was won against each of the others."""
    rows = []
    names = [row["name"] for row in result["standings"]]
    for row in result["standings"]:
        line: dict[str, Any] = {
            "agent": escape_text(row["name"]),
            "rating": f"{row['elo']:+.0f} ±{row['interval']:.0f}",
            "score": f"{row['score']:.3f}",
            "95 %": f"{row['low']:.3f}-{row['high']:.3f}",
            "games": row["games"],
            "won": row["wins"],
            "drawn": row["draws"],
            "lost": row["losses"],
            "faults": row["faults"],
        }
        for other in names:
            share = result["cross"][row["name"]].get(other)
            line[f"vs {escape_text(other)}"] = "" if share is None else f"{share:.3f}"
        rows.append(line)
    return rows


COMMAND = Command(
    "find out which agents are stronger",
    "masume arena chaser --preset contest --agents greedy safe mcts:500 --games 20 --out arena",
    _options,
    _run,
)
