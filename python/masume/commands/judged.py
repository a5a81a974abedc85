"""What commands share whose games a referee judges: their seeds, their clock, their verdicts."""

from __future__ import annotations

import argparse

from ..core.config import integer
from ..core.rng import stream
from ..game import Game
from ..records import replay
from ..referee.clock import TimeControl
from ..referee.hooks import hook
from ..referee.match import Record
from .common import read_seed

MAX_GAMES = 1_000_000


def read_seeds(arguments: argparse.Namespace, game: Game) -> list[int]:
    """The seed of each game: the one given for a single one, else as in self-play."""
    num_games = integer("games", arguments.games, 1, MAX_GAMES)
    seed = read_seed(arguments, game)
    return [seed] if num_games == 1 else [stream(seed, k) >> 1 for k in range(num_games)]


def read_clock(arguments: argparse.Namespace, game: Game) -> TimeControl:
    """The clock that --clock gives, or else the game's own."""
    if arguments.clock is not None:
        return TimeControl.parse(arguments.clock)
    own = hook(game, "clock")
    return TimeControl() if own is None else own(game.config)


def verdict(number: int, record: Record) -> str:
    """A game in a line, and a line for each fault; players by their number, for names may be equal."""
    one = record.replay
    scores = ", ".join(f"{name} {score:,}" for name, score in zip(one.names, one.scores, strict=True))
    won = " and ".join(f"player {player} ({one.names[player]})" for player in replay.winners(one.returns))
    lines = [f"game {number}: {scores}: {won or 'nobody'} won" + (f", {one.reason}" if one.reason else "")]
    faults = (f"  player {who}, move {ply + 1}: {cause}: {detail}" for who, ply, cause, detail in record.faults)
    return "\n".join([*lines, *faults])
