"""What the games' servers share: options, a board that moves, games one after the other."""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
from collections import deque
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from ..core._state import State
from ..game import Game
from ..records import replay
from ..referee.match import Record
from ..render import escape_text
from .common import config_options, read_game
from .judged import read_seeds, verdict
from .output import print_board, print_json

NEWS = 8  # lines that stay above a moving board
FRAME_S = 0.05  # a terminal shows no more boards than eyes can follow


def server_options(parser: argparse.ArgumentParser, games: str) -> None:
    """What all servers take; `games` says what it is to leave out how many."""
    config_options(parser)
    parser.add_argument("--host", default="127.0.0.1", help="where to listen (default: 127.0.0.1; 0.0.0.0: everywhere)")
    parser.add_argument("--games", type=int, metavar="N", help=f"how many (default: {games})")
    parser.add_argument(
        "--out", default="replays", metavar="DIR", help="where the replay of each game goes (default: replays)"
    )


Play = Callable[[int, int], Awaitable[Record]]
"""Game k of a server, from its seed."""
MakePlay = Callable[[argparse.Namespace, Game, "Screen"], Play]


def serve_one_by_one(arguments: argparse.Namespace, agents: tuple[str, str], make_play: MakePlay) -> None:
    """Games one after the other, each with a board that moves and a verdict; `agents`: the options that name some."""
    arguments.games = 1 if arguments.games is None else arguments.games
    game = read_game(arguments)
    seeds = read_seeds(arguments, game)
    is_live = sys.stdout.isatty() and "human" not in (getattr(arguments, name) for name in agents)
    screen = Screen(is_silent=arguments.json, is_live=is_live)
    play = make_play(arguments, game, screen)
    played: list[dict[str, Any]] = []

    async def serve() -> None:
        for k, seed in enumerate(seeds):
            record = await play(k, seed)
            path = _free(Path(arguments.out))
            replay.save(path, [record.replay])
            screen.say(f"{verdict(k + 1, record)}\nreplay: {path}")
            played.append(record.to_dict() | {"replay": str(path)})

    asyncio.run(serve())
    print_games(arguments, played)


def print_games(arguments: argparse.Namespace, played: list[dict[str, Any]]) -> None:
    if arguments.json:
        print_json({"game": arguments.game, "games": played})


def _free(folder: Path) -> Path:
    """The first of 0001.jsonl, 0002.jsonl, ... that is not there."""
    number = 1
    while (path := folder / f"{number:04d}.jsonl").exists():
        number += 1
    return path


class Screen:
    """What a server shows people: news as lines; on a terminal the board under them, moving."""

    def __init__(self, is_silent: bool, is_live: bool) -> None:
        self._is_silent, self._is_live = is_silent, is_live
        self._news: deque[str] = deque(maxlen=NEWS)
        self._drawn_s = float("-inf")

    def say(self, news: str) -> None:
        """One or more lines of news."""
        if not self._is_silent:
            lines = [escape_text(line) for line in news.split("\n")]
            self._news += lines
            print("\n".join(lines), flush=True)

    def show(self, state: State) -> None:
        """A position: on a terminal, if the last one has been there long enough; the end of a game everywhere."""
        if self._is_silent:
            return
        if self._is_live and (state.is_terminal() or time.monotonic() - self._drawn_s >= FRAME_S):
            print("\x1b[H\x1b[J" + "\n".join(self._news), end="\n\n")
            print_board(state)
            self._drawn_s = time.monotonic()
        elif state.is_terminal():
            print_board(state)
        sys.stdout.flush()
