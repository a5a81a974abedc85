"""`masume serve battleship`."""

from __future__ import annotations

import argparse

from ..commands.common import Command
from ..commands.serving import Play, Screen, serve_one_by_one, server_options
from ..errors import ConfigError
from ..game import Game


def _options(parser: argparse.ArgumentParser) -> None:
    server_options(parser, "1")
    parser.add_argument("--port", type=int, default=2000, metavar="PORT", help="default: 2000; 0: a free one")
    parser.add_argument("--dialect", choices=("new", "old"), default="new", help="of the clients (default: new)")
    parser.add_argument(
        "--loop", type=int, default=0, metavar="N",
        help="for clients of the loop server: N games on one connection, last words with a full stop",
    )  # fmt: skip
    parser.add_argument("--first", metavar="AGENT", help="plays in place of the client that comes first")
    parser.add_argument("--second", metavar="AGENT", help="plays in place of the client that comes second")


def _serve(arguments: argparse.Namespace) -> None:
    if arguments.preset is None:
        arguments.preset = "submarine"  # the only one that is served
    serve_one_by_one(arguments, ("first", "second"), _make_play)


def _make_play(arguments: argparse.Namespace, game: Game, screen: Screen) -> Play:
    from .server import Server, Settings

    settings = Settings(port=arguments.port, host=arguments.host, dialect=arguments.dialect, loop=arguments.loop)
    if settings.loop and arguments.games % settings.loop:
        raise ConfigError(f"games: {arguments.games} is no multiple of loop, {settings.loop}")
    server = Server(game, settings, (arguments.first, arguments.second), screen.say)
    return lambda _, seed: server.play(seed, screen.show)


SERVE = Command(
    "serve clients of the course protocol",
    "masume serve battleship --second hunter:normal",
    _options,
    _serve,
)
