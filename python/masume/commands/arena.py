"""`masume arena`: rank agents, with intervals."""

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
from ..agents.make import players_of
from ..agents.names import split_name
from ..core import system
from ..core.config import integer
from ..core.files import write_atomic
from ..core.language import say
from ..core.language import translate as _
from ..core.progress import Progress
from ..core.tables import table
from ..errors import ConfigError, SearchError
from ..game import Game
from ..play.arena import MAX_ROUNDS, Arena, Tournament, replays
from ..play.ratings import check_extra
from ..render import escape_text
from ..search import solve
from .common import game_options, program_options, programs, read_game, read_seed
from .judged import read_clock
from .output import indent, print_json
from .showing import WATCH_HELP, page_options, shown

SUMMARY = "find out which agents are stronger"
EXAMPLE = "masume arena chaser --preset contest --agents greedy safe mcts:500 --games 20 --out arena"

PAGE_GAMES = 20  # on the page of an arena
MAX_SOLVED = 1_000_000  # positions of a start that is solved for the table of all players


def add_options(parser: argparse.ArgumentParser) -> None:
    game_options(parser)
    parser.add_argument(
        "--agents", nargs="+", required=True, metavar="AGENT",
        help="as in `masume play`: one for each seat (names may repeat), or more (all line-ups of them meet); "
        "all: every player of the game, the searches by a number of simulations",
    )  # fmt: skip
    parser.add_argument(
        "--games", type=int, metavar="N", help="of each line-up (default: 100; for all players 10 for each seat)"
    )
    parser.add_argument("--swiss", type=int, metavar="R", help="R rounds of a Swiss system, N games in each")
    parser.add_argument(
        "--stop-at", type=float, metavar="SCORE",
        help="with two agents: end when the first's mean score is clearly above or below, such as 0.6",
    )  # fmt: skip
    parser.add_argument("--clock", metavar="CLOCK", help="as in `masume match`")
    program_options(parser)
    parser.add_argument("--jobs", type=int, default=0, metavar="J", help="0: one for each processor (default)")
    parser.add_argument("--out", metavar="DIR", help="keep games, table and page here; the same command goes on")
    parser.add_argument("--watch", action="store_true", help=WATCH_HELP)
    page_options(parser)


def run(arguments: argparse.Namespace) -> None:
    """`masume arena GAME`: all line-ups play the same seeds from every seat; ratings with intervals."""
    check_extra()
    game = read_game(arguments)
    control = read_clock(arguments, game)
    is_all = arguments.agents == ["all"]
    if is_all:
        arguments.agents = players_of(game)
    if arguments.games is None:
        arguments.games = 10 * game.num_players if is_all else 100
    for agent in arguments.agents:
        if split_name(agent)[1] == "human" or split_name(agent)[1].startswith("tcp:"):
            raise ConfigError(f"agents: {agent}: an arena plays several games at once")
    rounds = 0 if arguments.swiss is None else integer("swiss", arguments.swiss, 1, MAX_ROUNDS)
    plan = Tournament(
        game, tuple(arguments.agents), arguments.games, read_seed(arguments, game), rounds, control,
        arguments.stop_at,
    )  # fmt: skip
    arena = Arena(plan, arguments.out)
    jobs = integer("jobs", arguments.jobs, 0, system.MAX_WORKERS) or min(os.cpu_count() or 1, system.MAX_WORKERS)
    with contextlib.ExitStack() as stack:
        page = stack.enter_context(shown(arguments))
        progress = None if arguments.json or page else stack.enter_context(Progress(arena.total, None))
        started = time.monotonic()

        def note(games: int) -> None:
            if progress:
                progress(games, time.monotonic() - started)
            if page and games:
                page.rank([[row.name, f"{row.score:.3f}"] for row in arena.standings(rated=False)])

        with programs(arguments):
            arena.run(jobs, note, page)
    result = arena.to_dict()
    solved = _solve(game) if is_all else None
    if solved is not None:
        result["exact"] = solved
    if arguments.out is not None:
        folder = Path(arguments.out)
        write_atomic(folder / "table.json", (json.dumps(result, indent=2) + "\n").encode())
        one_each = itertools.islice(replays(folder), PAGE_GAMES)
        title = _("{game}: {games} games between {agents} agents").format(
            game=game.name, games=len(arena.played), agents=len(plan.names)
        )
        tables = [
            (_("Standings"), _rows(result)),
            (_("Won against each, in %"), _cross(result)),
            (_("Faults"), _faults(arena)),
        ]
        page_text = render.page(one_each, title=title, tables=tables, num_games=len(arena.played))
        write_atomic(folder / "arena.html", page_text.encode())
    if arguments.json:
        print_json(result)
        return
    rows = _rows(result)
    print(table([row.values() for row in rows], list(rows[0])))
    cross = _cross(result)
    print("\n" + _("Won against each, in %") + "\n" + table([row.values() for row in cross], list(cross[0])))
    seats = ", ".join(f"{score:.3f}" for score in result["seats"])
    print("\n" + say("mean score of each seat: {scores}", scores=seats))
    if solved is not None:
        scores = ", ".join(map(str, solved["scores"]))
        line = _("exact scores of the start: {scores} ({positions} positions)")
        print(line.format(scores=scores, positions=f"{solved['positions']:,}"))
    if plan.games == 1:
        first = ", ".join(f"{escape_text(name)} {count}/{games}" for name, count, games in arena.first_seats())
        print(say("one game of each line-up, so nobody swaps seats; first seat: {counts}", counts=first))
    for name, cause, count, (_agent, _cause, detail, ply, log) in arena.causes():
        line = say(
            "{name}: {cause}, {count} times; in move {move}: {detail}",
            name=name,
            cause=_(cause),
            count=count,
            move=ply + 1,
            detail=detail,
        )
        print(f"\n{escape_text(line)}" + (f"\n{indent(log)}" if log else ""))
    if plan.stop_at is not None:
        sentence = {
            "above": _("the score of {agent} is above {bound}"),
            "below": _("the score of {agent} is below {bound}"),
            None: _("the score of {agent} may be above or below {bound}"),
        }[arena.verdict]
        print(sentence.format(agent=escape_text(plan.labels[0]), bound=plan.stop_at))
    if arguments.out is not None:
        print(say("page: {path}", path=escape_text(str(folder / "arena.html"))))


def _solve(game: Game) -> dict[str, Any] | None:
    """Return the exact scores of the start; None if each seed has its own, or if it cannot be solved soon."""
    start = game.new_state(0)
    if start != game.new_state(1) or game.redrawn(1) is not game:
        return None
    try:
        found = solve(start, max_states=MAX_SOLVED)
    except SearchError:
        return None
    return {"scores": list(found.values), "positions": found.num_states}


def _rows(result: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the standings of an arena for people."""
    return [
        {
            "#": place,
            _("agent"): escape_text(row["name"]),
            _("rating"): f"{row['elo']:+.0f} ±{row['interval']:.0f}",
            _("score"): f"{row['score']:.3f}",
            "95 %": f"{row['low']:.3f}-{row['high']:.3f}",
            _("games"): row["games"],
            _("won"): row["wins"],
            _("drawn"): row["draws"],
            _("lost"): row["losses"],
            _("faults"): row["faults"],
            **({_("not played"): row["not_played"]} if any(one["not_played"] for one in result["standings"]) else {}),
        }
        for place, row in enumerate(result["standings"], 1)
    ]


def _cross(result: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the cross table for people: the percentage that each agent won against the others, who go by place."""
    names = [row["name"] for row in result["standings"]]
    rows = []
    for place, name in enumerate(names, 1):
        shares = [result["cross"][name].get(other) for other in names]
        told = {str(k): "" if share is None else f"{100 * share:.0f}" for k, share in enumerate(shares, 1)}
        rows.append({"#": str(place), _("agent"): escape_text(name), **told})
    return rows


def _faults(arena: Arena) -> list[dict[str, Any]]:
    """Return who was at fault, why, how often, and when first, for people."""
    rows: dict[tuple[int, str], list[Any]] = {}
    for number in sorted(arena.pairings):
        for game, one in enumerate(arena.pairings[number], 1):
            for agent, cause, detail, ply, _log in one.faults:
                row = rows.setdefault((agent, cause), [0, number, game, ply, detail])
                row[0] += 1
    return [
        {
            _("agent"): escape_text(arena.plan.labels[agent]),
            _("cause"): _(cause),
            _("times"): count,
            _("first in"): f"{number:06d}.jsonl, {say('game {number}', number=game)}",
            _("move"): ply + 1,
            _("what happened"): escape_text(detail),
        }
        for (agent, cause), (count, number, game, ply, detail) in sorted(rows.items())
    ]
