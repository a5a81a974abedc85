"""Commands `masume serve chaser` and `masume join chaser`."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from ..commands.common import Command, read_fields, read_game
from ..commands.joining import join_options, line_options, make_guest, play_as_guest, read_address
from ..commands.serving import Play, Screen, check_option, serve_one_by_one, server_options
from ..core.language import say
from ..game import Game, load
from ..referee.joining import Report, Server
from ..referee.transcript import Transcript

SIDES = ("cool", "hot")
ENCODINGS = {"utf-8": "utf-8", "shift_jis": "cp932"}  # as the contests' machines have it


def _options(parser: argparse.ArgumentParser) -> None:
    server_options(parser, "1")
    check_option(parser)
    parser.add_argument("--cool-port", type=int, default=2009, metavar="PORT", help="default: 2009; 0: a free one")
    parser.add_argument("--hot-port", type=int, default=2010, metavar="PORT", help="default: 2010; 0: a free one")
    parser.add_argument("--cool", metavar="AGENT", help="agent that plays COOL in place of a client")
    parser.add_argument("--hot", metavar="AGENT", help="agent that plays HOT in place of a client")
    parser.add_argument("--swap", action="store_true", help="swap the sides of the ports in every second game")
    parser.add_argument("--timeout", type=float, default=5.0, metavar="S", help="time limit for each line (default: 5)")
    parser.add_argument(
        "--connect-timeout", type=float, metavar="S", help="time limit for both clients to connect (default: none)"
    )
    parser.add_argument(
        "--dark", action="store_true",
        help="show spectators, on the page and the terminal, only what the programs have seen until the game is over",
    )  # fmt: skip
    parser.add_argument("--strict-crlf", action="store_true", help="clients' lines must end with CR LF")


def _serve(arguments: argparse.Namespace) -> None:
    serve_one_by_one(arguments, ("cool", "hot"), _make_play)


def _make_play(arguments: argparse.Namespace, game: Game, screen: Screen) -> Play:
    from . import server as served
    from .server import Settings

    settings = Settings(
        cool_port=arguments.cool_port, hot_port=arguments.hot_port, host=arguments.host, timeout_s=arguments.timeout,
        connect_timeout_s=arguments.connect_timeout, strict_crlf=arguments.strict_crlf,
    )  # fmt: skip
    server = served.Server(game, settings, (arguments.cool, arguments.hot), screen.say)
    return lambda k, seed, follow: server.play(seed, arguments.swap and k % 2 == 1, screen.show, follow)


def _join_options(parser: argparse.ArgumentParser) -> None:
    line_options(parser, 2009)
    join_options(parser)
    parser.add_argument("--side", choices=SIDES, help="default: hot on port 2010 or 50000, else cool")
    parser.add_argument(
        "--encoding", choices=ENCODINGS,
        help="how the name is sent (default: utf-8, with a warning if it is read differently in shift_jis)",
    )  # fmt: skip


def _join(arguments: argparse.Namespace) -> None:
    from .join import encode_name, play
    from .protocol import SIDES_OF_PORTS
    from .told import Told

    host, port = read_address(arguments)
    if arguments.preset or arguments.boards or {"height", "width"} & dict(arguments.fields).keys():
        game, sizes = read_game(arguments), []
    else:  # the size of most real servers comes first
        fields = read_fields("chaser", arguments)
        game, *others = (load("chaser", preset, **fields) for preset in ("contest", "standard", "wide"))
        sizes = [(other.config.height, other.config.width) for other in others]  # type: ignore[union-attr]

    async def run(log: Transcript | None, tell: Callable[[str], None]) -> list[Report]:
        player = SIDES_OF_PORTS.get(port) if arguments.side is None else SIDES.index(arguments.side)
        if player is None:
            player = 0
            tell(say("port {port} tells no side: playing COOL; --side hot for HOT", port=port))
        name = encode_name(arguments.name, ENCODINGS.get(arguments.encoding), tell)
        guest = make_guest(arguments, game)
        try:
            server = await Server.connect(host, port, log, arguments.wait, arguments.silence)
            report = await play(server, guest, Told(game, player, sizes), player, name, tell)
            return [{**report, "name": arguments.name}]
        finally:
            await guest.close()

    play_as_guest(arguments, f"{host}:{port}", run)


SERVE = Command(
    "serve the contests' clients, on a port for each side",
    "masume serve chaser --map duel --hot greedy --games 2 --swap",
    _options,
    _serve,
)
JOIN = Command(
    "play on a server of CHaser's contests, in place of a client",
    "masume join chaser 192.0.2.7 2009 --agent best:2s --name Kobe",
    _join_options,
    _join,
)
