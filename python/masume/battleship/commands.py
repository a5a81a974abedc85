"""The commands `masume serve battleship` and `masume join battleship`."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from ..commands.common import Command, read_game
from ..commands.joining import join_options, line_options, make_guest, play_as_guest, read_address
from ..commands.judged import read_clock
from ..commands.serving import Play, Screen, check_option, serve_one_by_one, server_options
from ..errors import ConfigError
from ..game import Game
from ..referee.joining import Report, Server
from ..referee.transcript import Transcript


def _options(parser: argparse.ArgumentParser) -> None:
    server_options(parser, "1")
    check_option(parser)
    parser.add_argument("--port", type=int, default=2000, metavar="PORT", help="default: 2000; 0: a free one")
    parser.add_argument("--dialect", choices=("new", "old"), default="new", help="of the clients (default: new)")
    parser.add_argument(
        "--loop", type=int, default=0, metavar="N",
        help="for clients of the loop server: N games on one connection, last words with a full stop",
    )  # fmt: skip
    parser.add_argument(
        "--clock",
        metavar="CLOCK",
        help="time of each player, as in `masume match` (default: the config's: 20 minutes, then a minute a turn)",
    )
    parser.add_argument("--first", metavar="AGENT", help="agent that plays in place of the first client")
    parser.add_argument("--second", metavar="AGENT", help="agent that plays in place of the second client")


def _serve(arguments: argparse.Namespace) -> None:
    if arguments.preset is None:
        arguments.preset = "submarine"  # the only served preset
    serve_one_by_one(arguments, ("first", "second"), _make_play)


def _make_play(arguments: argparse.Namespace, game: Game, screen: Screen) -> Play:
    from . import server as served
    from .server import Settings

    settings = Settings(port=arguments.port, host=arguments.host, dialect=arguments.dialect, loop=arguments.loop)
    if settings.loop and arguments.games % settings.loop:
        raise ConfigError(f"games: expected a multiple of loop, {settings.loop}, got {arguments.games}")
    control = read_clock(arguments, game)
    server = served.Server(game, settings, (arguments.first, arguments.second), screen.say, control)
    return lambda _, seed, follow: server.play(seed, screen.show, follow)


def _join_options(parser: argparse.ArgumentParser) -> None:
    line_options(parser, 2000)
    join_options(parser)
    parser.add_argument(
        "--second", action="store_true",
        help="place the ships as the player who moves second; the server says only after that who is first",
    )  # fmt: skip


def _join(arguments: argparse.Namespace) -> None:
    from .join import Client, the_game

    if arguments.preset is None:
        arguments.preset = "submarine"
    game, (host, port) = the_game(read_game(arguments)), read_address(arguments)
    make_guest(arguments, game)  # report an unknown name now

    async def run(log: Transcript | None, tell: Callable[[str], None]) -> list[Report]:
        server = await Server.connect(host, port, log, arguments.wait, arguments.silence)
        return await Client(
            server, game, lambda its: make_guest(arguments, its), int(arguments.second), arguments.name, tell
        ).play()

    play_as_guest(arguments, f"{host}:{port}", run)


SERVE = Command(
    "serve clients of the course protocol",
    "masume serve battleship --second hunter:normal",
    _options,
    _serve,
)
JOIN = Command(
    "play on a server of the course protocol, in place of a client",
    "masume join battleship 192.0.2.7 2000 --agent hunter:hard",
    _join_options,
    _join,
)
