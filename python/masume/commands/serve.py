"""`masume serve`: the games' own protocols, for programs that connect."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import time
from collections import deque
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from ..core._state import State
from ..core.extras import extra
from ..core.files import check_writable, make_folder
from ..errors import ConfigError
from ..game import Game
from ..records import replay
from ..referee.match import Record
from ..render import shown
from .common import Command, add_commands, boards_named, config_options, fields_given, game_given, rooms_of, seed_given
from .judged import seeds_given, verdict
from .output import print_board, print_json

NEWS = 8  # lines that stay above a moving board
FRAME_S = 0.05  # a terminal shows no more boards than eyes can follow


def _one_by_one(arguments: argparse.Namespace, agents: tuple[str, str], make_play: MakePlay) -> None:
    """Games one after the other, each with a board that moves and a verdict; `agents`: the options that name some."""
    arguments.games = 1 if arguments.games is None else arguments.games
    game = game_given(arguments)
    seeds = seeds_given(arguments, game)
    is_live = sys.stdout.isatty() and "human" not in (getattr(arguments, name) for name in agents)
    screen = _Screen(is_silent=arguments.json, is_live=is_live)
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
    _print_served(arguments, played)


def _print_served(arguments: argparse.Namespace, played: list[dict[str, Any]]) -> None:
    if arguments.json:
        print_json({"game": arguments.game, "games": played})


Play = Callable[[int, int], Awaitable["Record"]]
"""Game k of a server, from its seed."""
MakePlay = Callable[[argparse.Namespace, "Game", "_Screen"], Play]


def _serve_chaser(arguments: argparse.Namespace) -> None:
    _one_by_one(arguments, ("cool", "hot"), _chaser_play)


def _chaser_play(arguments: argparse.Namespace, game: Game, screen: _Screen) -> Play:
    from ..chaser.server import Server, Settings

    settings = Settings(
        cool_port=arguments.cool_port, hot_port=arguments.hot_port, host=arguments.host, timeout_s=arguments.timeout,
        connect_timeout_s=arguments.connect_timeout, strict_crlf=arguments.strict_crlf,
    )  # fmt: skip
    server = Server(game, settings, (arguments.cool, arguments.hot), screen.say)
    return lambda k, seed: server.play(seed, arguments.swap and k % 2 == 1, screen.show)


def _serve_battleship(arguments: argparse.Namespace) -> None:
    if arguments.preset is None:
        arguments.preset = "submarine"  # the only one that is served
    _one_by_one(arguments, ("first", "second"), _battleship_play)


def _battleship_play(arguments: argparse.Namespace, game: Game, screen: _Screen) -> Play:
    from ..battleship.server import Server, Settings

    settings = Settings(port=arguments.port, host=arguments.host, dialect=arguments.dialect, loop=arguments.loop)
    if settings.loop and arguments.games % settings.loop:
        raise ConfigError(f"games: {arguments.games} is no multiple of loop, {settings.loop}")
    server = Server(game, settings, (arguments.first, arguments.second), screen.say)
    return lambda _, seed: server.play(seed, screen.show)


def _serve_kakomimasu(arguments: argparse.Namespace) -> None:
    """Matches on the shipped boards and those of --board, any number at a time."""
    boards = rooms_of("kakomimasu")
    given = {board.name: board for name in arguments.boards for board in boards_named("kakomimasu", name)}
    fields = {"put_on_enemy_wall": "server", **fields_given("kakomimasu", arguments)}
    if arguments.preset is not None:
        raise ConfigError(f"preset: {arguments.preset!r} is none of a server's, which plays on boards")
    users = () if arguments.users is None else _accounts(Path(arguments.users))
    for package in ("starlette", "uvicorn"):
        extra(package, "web")
    from ..kakomimasu.server.app import Server, Settings

    settings = Settings(arguments.port, arguments.host, arguments.games, arguments.register, Path(arguments.out))
    screen = _Screen(is_silent=arguments.json, is_live=False)
    shipped, seed = boards.shipped(), seed_given(arguments)
    server = Server(settings, {**shipped, **given}, fields, list(given or shipped), users, seed, screen.say)
    asyncio.run(server.serve())
    _print_served(arguments, [match.to_json() for match in server.played])


def _accounts(path: Path) -> list[Any]:
    """The accounts of a file; ConfigError, which names the file, where it holds anything else."""
    from ..kakomimasu.server.accounts import User

    try:
        found = json.loads(path.read_bytes())
        if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
            raise ConfigError("an array of objects is wanted")
        return [User.make(one) for one in found]
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"users: {path}: {error}") from None


def _free(folder: Path) -> Path:
    """The first of 0001.jsonl, 0002.jsonl, ... that is not there."""
    number = 1
    while (path := folder / f"{number:04d}.jsonl").exists():
        number += 1
    return path


class _Screen:
    """What a server shows people: news as lines; on a terminal the board under them, moving."""

    def __init__(self, is_silent: bool, is_live: bool) -> None:
        self._is_silent, self._is_live = is_silent, is_live
        self._news: deque[str] = deque(maxlen=NEWS)
        self._drawn_s = float("-inf")

    def say(self, news: str) -> None:
        """One or more lines of news."""
        if not self._is_silent:
            lines = [shown(line) for line in news.split("\n")]
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


# -- what is served -------------------------------------------------------------------------------


def _server_options(parser: argparse.ArgumentParser, games: str) -> None:
    """What all servers take; `games` says what it is to leave out how many."""
    config_options(parser)
    parser.add_argument("--host", default="127.0.0.1", help="where to listen (default: 127.0.0.1; 0.0.0.0: everywhere)")
    parser.add_argument("--games", type=int, metavar="N", help=f"how many (default: {games})")
    parser.add_argument(
        "--out", default="replays", metavar="DIR", help="where the replay of each game goes (default: replays)"
    )


def _battleship_options(parser: argparse.ArgumentParser) -> None:
    _server_options(parser, "1")
    parser.add_argument("--port", type=int, default=2000, metavar="PORT", help="default: 2000; 0: a free one")
    parser.add_argument("--dialect", choices=("new", "old"), default="new", help="of the clients (default: new)")
    parser.add_argument(
        "--loop", type=int, default=0, metavar="N",
        help="for clients of the loop server: N games on one connection, last words with a full stop",
    )  # fmt: skip
    parser.add_argument("--first", metavar="AGENT", help="plays in place of the client that comes first")
    parser.add_argument("--second", metavar="AGENT", help="plays in place of the client that comes second")


def _chaser_options(parser: argparse.ArgumentParser) -> None:
    _server_options(parser, "1")
    parser.add_argument("--cool-port", type=int, default=2009, metavar="PORT", help="default: 2009; 0: a free one")
    parser.add_argument("--hot-port", type=int, default=2010, metavar="PORT", help="default: 2010; 0: a free one")
    parser.add_argument("--cool", metavar="AGENT", help="plays in place of a client of the COOL port")
    parser.add_argument("--hot", metavar="AGENT", help="plays in place of a client of the HOT port")
    parser.add_argument("--swap", action="store_true", help="in every second game the ports change sides")
    parser.add_argument("--timeout", type=float, default=5.0, metavar="S", help="for each line (default: 5)")
    parser.add_argument("--connect-timeout", type=float, metavar="S", help="for both clients to come (default: none)")
    parser.add_argument("--strict-crlf", action="store_true", help="clients' lines must end with CR LF")


def _kakomimasu_options(parser: argparse.ArgumentParser) -> None:
    _server_options(parser, "until Ctrl-C, any number at a time")
    parser.description = (
        f"{parser.description} A --board is served beside the shipped ones, and given to whoever asks for none; "
        "--set is for all boards."
    )
    parser.add_argument("--port", type=int, default=8880, metavar="PORT", help="default: 8880; 0: a free one")
    parser.add_argument("--users", metavar="FILE", help="the accounts: a JSON array of objects with a name")
    parser.add_argument("--register", action="store_true", help="whoever asks gets an account")


SERVERS = {
    "battleship": Command(
        "serve clients of the course protocol",
        "masume serve battleship --second hunter:normal",
        _battleship_options,
        _serve_battleship,
    ),
    "chaser": Command(
        "serve the contests' clients, on a port for each side",
        "masume serve chaser --map duel --hot greedy --games 2 --swap",
        _chaser_options,
        _serve_chaser,
    ),
    "kakomimasu": Command(
        "serve clients of the match server's HTTP API, in real time",
        "masume serve kakomimasu --board hill --set operation_sec=2",
        _kakomimasu_options,
        _serve_kakomimasu,
    ),
}


def _options(parser: argparse.ArgumentParser) -> None:
    add_commands(parser, SERVERS, "game")


def _run(arguments: argparse.Namespace) -> None:
    """`masume serve GAME`: the game's own protocol, news for people, and a replay of each game."""
    folder = make_folder(arguments.out)
    check_writable(folder / "0001.jsonl")
    SERVERS[arguments.game].run(arguments)


COMMAND = Command(
    "let programs connect and play each other",
    "masume serve chaser --map duel --hot greedy --games 2 --swap",
    _options,
    _run,
)
