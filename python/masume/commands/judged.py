"""Parts shared by commands with a referee: seeds, clock, verdicts."""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Iterator, Sequence

from ..core.config import integer
from ..core.language import say
from ..core.language import translate as _
from ..core.rng import stream
from ..game import Game
from ..records import replay
from ..referee.check import Point
from ..referee.clock import TimeControl
from ..referee.hooks import clock_of
from ..referee.match import Record
from ..render import escape_text
from ..results import winners
from .common import FAILED, read_seed
from .output import indent, print_json

MAX_GAMES = 1_000_000
SHOWN_REMARKS = 5  # of each player under a verdict; the replay has the others


def read_seeds(arguments: argparse.Namespace, game: Game) -> list[int]:
    """Return the seed of each game: the given one for a single game, else as in self-play."""
    num_games = integer("games", arguments.games, 1, MAX_GAMES)
    seed = read_seed(arguments, game)
    return [seed] if num_games == 1 else [stream(seed, k) >> 1 for k in range(num_games)]


def read_clock(arguments: argparse.Namespace, game: Game) -> TimeControl:
    """Return the time control of --clock, by default the game's own."""
    return clock_of(game) if arguments.clock is None else TimeControl.parse(arguments.clock)


def verdict(number: int, record: Record) -> str:
    """Return one line about a game and one per fault; players are numbered, because names may be equal."""
    one = record.replay
    faults = [describe(fault) for fault in record.faults]
    if not record.is_played:
        return "\n".join([say("game {number}: not played", number=number), *faults])
    scores = ", ".join(f"{name} {score:,}" for name, score in zip(one.names, one.scores, strict=True))
    named = [say("player {number} ({name})", number=player, name=one.names[player]) for player in winners(one.returns)]
    won = say("{players} won", players=_(" and ").join(named)) if named else _("nobody won")
    reason = f", {_(one.reason)}" if one.reason else ""
    lines = [say("game {number}: {scores}: {won}", number=number, scores=scores, won=won + reason)]
    return "\n".join([*lines, *faults, *_remarks(record)])


def describe(note: replay.Blame) -> str:
    """Return a line about a fault or a remark, and what its author needs below it."""
    who, ply, cause, detail, log = note
    told = say(
        "player {number}, move {move}: {cause}: {detail}", number=who, move=ply + 1, cause=_(cause), detail=detail
    )
    return f"  {told}" + (f"\n{indent(log)}" if log else "")


def _remarks(record: Record) -> Iterator[str]:
    """Yield the first remarks about each player, and how many there are."""
    for who in sorted({remark.player for remark in record.remarks}):
        mine = [remark for remark in record.remarks if remark.player == who]
        yield from map(describe, mine[:SHOWN_REMARKS])
        if len(mine) > SHOWN_REMARKS:
            yield "  " + say("player {number}: {count} more of these", number=who, count=len(mine) - SHOWN_REMARKS)


def report_points(arguments: argparse.Namespace, game: Game, agent: str, points: Sequence[Point]) -> None:
    """Print the points of a check; raise SystemExit(1) if one failed."""
    if arguments.json:
        print_json({"game": game.name, "agent": agent, "points": [dataclasses.asdict(point) for point in points]})
    else:
        for point in points:
            verdict = _("not tried") if point.answer is None else _("passed") if point.is_passed else _("FAILED")
            print(f"{verdict:9}  {_(point.tried)}")
            if point.answer is not None:
                first, *log = point.answer.split("\n")
                print(f"{'':9}  {escape_text(first)}")
                if log:
                    print(indent("\n".join(log)))
    if not all(point.is_passed for point in points):
        raise SystemExit(FAILED)
