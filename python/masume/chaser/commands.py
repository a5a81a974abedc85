"""`masume serve chaser`."""

from __future__ import annotations

import argparse

from ..commands.common import Command
from ..commands.serving import Play, Screen, serve_one_by_one, server_options
from ..game import Game


def _options(parser: argparse.ArgumentParser) -> None:
    server_options(parser, "1")
    parser.add_argument("--cool-port", type=int, default=2009, metavar="PORT", help="default: 2009; 0: a free one")
    parser.add_argument("--hot-port", type=int, default=2010, metavar="PORT", help="default: 2010; 0: a free one")
    parser.add_argument("--cool", metavar="AGENT", help="plays in place of a client of the COOL port")
    parser.add_argument("--hot", metavar="AGENT", help="plays in place of a client of the HOT port")
    parser.add_argument("--swap", action="store_true", help="in every second game the ports change sides")
    parser.add_argument("--timeout", type=float, default=5.0, metavar="S", help="for each line (default: 5)")
    parser.add_argument("--connect-timeout", type=float, metavar="S", help="for both clients to come (default: none)")
    parser.add_argument("--strict-crlf", action="store_true", help="clients' lines must end with CR LF")


def _serve(arguments: argparse.Namespace) -> None:
    serve_one_by_one(arguments, ("cool", "hot"), _make_play)


def _make_play(arguments: argparse.Namespace, game: Game, screen: Screen) -> Play:
    from .server import Server, Settings

    settings = Settings(
        cool_port=arguments.cool_port, hot_port=arguments.hot_port, host=arguments.host, timeout_s=arguments.timeout,
        connect_timeout_s=arguments.connect_timeout, strict_crlf=arguments.strict_crlf,
    )  # fmt: skip
    server = Server(game, settings, (arguments.cool, arguments.hot), screen.say)
    return lambda k, seed: server.play(seed, arguments.swap and k % 2 == 1, screen.show)


SERVE = Command(
    "serve the contests' clients, on a port for each side",
    "masume serve chaser --map duel --hot greedy --games 2 --swap",
    _options,
    _serve,
)
