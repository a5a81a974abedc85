"""Parts shared by the games' servers: options, an animated board, games in sequence."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import sys
import time
from collections import deque
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..core._state import State
from ..core.language import say
from ..errors import ExtraError
from ..game import Game
from ..records import replay
from ..referee.check import check_games
from ..referee.match import Follow, Record
from ..render import escape_text
from ..render.canvas import TOGETHER
from .common import config_options, program_options, read_game, read_seed
from .judged import read_seeds, report_points, verdict
from .output import print_board, print_json
from .showing import open_page, page_options, print_links

if TYPE_CHECKING:
    from ..web.server import PageServer

NEWS = 8  # lines above an animated board
FRAME_S = 0.05  # shortest time between two boards on a terminal


def server_options(parser: argparse.ArgumentParser, games: str, has_page: bool = True) -> None:
    """Add the options of all servers; `games` describes the default of --games, `has_page`: it has a page beside it."""
    config_options(parser)
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: 127.0.0.1; 0.0.0.0: all)")
    parser.add_argument("--games", type=int, metavar="N", help=say("number of games (default: {games})", games=games))
    parser.add_argument(
        "--out", default=argparse.SUPPRESS, metavar="DIR", help="folder for the replay of each game (default: replays)"
    )
    program_options(parser)
    page_options(parser, is_inner=True, has_port=has_page)
    if has_page:
        parser.add_argument("--no-page", action="store_true", help="serve no page for people beside it")


Play = Callable[[int, int, Follow | None], Awaitable[Record]]
"""Plays game k of a server, from its seed; the last argument is for `play_match`."""
MakePlay = Callable[[argparse.Namespace, Game, "Screen"], Play]


def check_option(parser: argparse.ArgumentParser) -> None:
    """Add --check, for servers with `serve_one_by_one`."""
    parser.add_argument(
        "--check", action="store_true",
        help="test one client: it connects once for each side, and plays against random; keep no replay",
    )  # fmt: skip


def _check(arguments: argparse.Namespace, agents: tuple[str, str], make_play: MakePlay) -> None:
    """Test a client from every seat; raise SystemExit(1) if a point fails."""
    game = read_game(arguments)
    screen = Screen(is_silent=arguments.json, is_live=False, shows_end=False)

    async def hold(player: int, seed: int) -> Record:
        sides = {agents[player]: None, agents[1 - player]: "random"}
        its = argparse.Namespace(**{**vars(arguments), **sides, "swap": False})
        return await make_play(its, game, screen)(0, seed, None)

    report_points(arguments, game, "client", asyncio.run(check_games(hold, game, read_seed(arguments, game))))


def serve_one_by_one(arguments: argparse.Namespace, agents: tuple[str, str], make_play: MakePlay) -> None:
    """Play games in sequence, each with an animated board and a verdict; `agents`: the options that name agents."""
    arguments.games = 1 if arguments.games is None else arguments.games
    if arguments.check:
        _check(arguments, agents, make_play)
        return
    game = read_game(arguments)
    seeds = read_seeds(arguments, game)
    is_live = sys.stdout.isatty() and "human" not in (getattr(arguments, name) for name in agents)
    screen = Screen(is_silent=arguments.json, is_live=is_live, is_dark=getattr(arguments, "dark", False))
    play = make_play(arguments, game, screen)
    played: list[dict[str, Any]] = []

    async def serve(page: PageServer | None) -> None:
        for k, seed in enumerate(seeds):
            match = None if page is None else page.begin(game, seed, [""] * game.num_players)
            record = await play(k, seed, None if page is None or match is None else page.follow(match))
            if page is not None and match is not None:
                page.finish(match, record.replay)
            if not record.is_played:
                screen.say(verdict(k + 1, record))
                played.append(record.to_dict())
                continue
            path = _free(Path(arguments.out))
            replay.save(path, [record.replay])
            screen.say(f"{verdict(k + 1, record)}\n{say('replay: {path}', path=path)}")
            played.append(record.to_dict() | {"replay": str(path)})

    with beside(arguments, screen.say) as page:
        asyncio.run(serve(page))
        print_games(arguments, played)


@contextlib.contextmanager
def beside(arguments: argparse.Namespace, say: Callable[[str], None]) -> Iterator[PageServer | None]:
    """Run the page within the block, and after it as long as people watch; None if there is none."""
    try:
        page = None if arguments.no_page else open_page(arguments, Path(arguments.out))
    except ExtraError as error:  # a server for programs needs no extra
        say(str(error))
        page = None
    if page is None:
        yield None
        return
    print_links(page, say)
    page.start()
    try:
        yield page
        page.stay()
    finally:
        page.stop()


def print_games(arguments: argparse.Namespace, played: list[dict[str, Any]]) -> None:
    if arguments.json:
        print_json({"game": arguments.game, "games": played})


def _free(folder: Path) -> Path:
    """Return the first path among 0001.jsonl, 0002.jsonl, ... that does not exist."""
    number = 1
    while (path := folder / f"{number:04d}.jsonl").exists():
        number += 1
    return path


class Screen:
    """Output of a server for people: news as lines and, on a terminal, an animated board below them.

    is_dark : whether the board of a running game shows only what the players together have seen.
    """

    def __init__(self, is_silent: bool, is_live: bool, shows_end: bool = True, is_dark: bool = False) -> None:
        self._is_silent, self._is_live, self._shows_end, self._is_dark = is_silent, is_live, shows_end, is_dark
        self._news: deque[str] = deque(maxlen=NEWS)
        self._drawn_s = float("-inf")

    def say(self, news: str) -> None:
        """Print one or more lines of news."""
        if not self._is_silent:
            lines = [escape_text(line) for line in news.split("\n")]
            self._news += lines
            print("\n".join(lines), flush=True)

    def show(self, state: State) -> None:
        """Show a position: on a terminal at most every FRAME_S; elsewhere only the end of a game."""
        if self._is_silent:
            return
        if self._is_live and (state.is_terminal() or time.monotonic() - self._drawn_s >= FRAME_S):
            print("\x1b[H\x1b[J" + "\n".join(self._news), end="\n\n")
            print_board(state, TOGETHER if self._is_dark and not state.is_terminal() else None)
            self._drawn_s = time.monotonic()
        elif state.is_terminal() and self._shows_end:
            print_board(state)
        sys.stdout.flush()
