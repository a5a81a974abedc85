"""Commands `masume serve kakomimasu` and `masume join kakomimasu`."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Callable
from pathlib import Path

from ..commands.common import Command, read_fields, read_seed
from ..commands.joining import join_options, make_guest, play_as_guest
from ..commands.serving import Screen, print_games, server_options
from ..commands.showing import refuse_page_options
from ..core.extras import extra
from ..core.files import check_writable, make_folder
from ..core.language import translate as _
from ..errors import ConfigError
from ..game import load
from ..referee.joining import Report
from ..referee.transcript import Transcript
from ..starts import find_boards
from . import boards


def _options(parser: argparse.ArgumentParser) -> None:
    server_options(parser, _("until Ctrl-C, any number at a time"), has_page=False)
    parser.description = (
        f"{parser.description} A --board is served beside the shipped ones, and given to whoever asks for none; "
        "--set is for all boards."
    )
    parser.add_argument("--port", type=int, default=8880, metavar="PORT", help="default: 8880; 0: a free one")
    parser.add_argument("--users", metavar="FILE", help="the accounts: a JSON array of objects with a name")
    parser.add_argument("--register", action="store_true", help="give an account to anyone who asks")
    parser.add_argument(
        "--allow", action="append", default=[], metavar="NETWORK",
        help="accept connections from this address or network only, such as 192.0.2.0/24; may be repeated",
    )  # fmt: skip
    parser.add_argument("--rate", type=float, metavar="N", help="requests per second that one address may send")
    parser.add_argument("--cors", metavar="ORIGIN", help="let web pages of this origin read the answers (*: all pages)")
    parser.add_argument(
        "--state", metavar="DIR", help="save accounts and running matches there at the end, and go on from them"
    )


def _serve(arguments: argparse.Namespace) -> None:
    """Serve matches on the shipped boards and those of --board, any number at a time."""
    chosen = {board.name: board for name in arguments.boards for board in find_boards(boards, name)}
    fields = {"put_on_enemy_wall": "server", **read_fields("kakomimasu", arguments)}
    if arguments.preset is not None:
        raise ConfigError(f"preset: the server plays on boards and takes no preset, got {arguments.preset!r}")
    refuse_page_options(arguments)
    extra("uvicorn", "web")
    from ..http.limits import read_networks
    from .server.accounts import read_users
    from .server.app import Server, Settings

    users = () if arguments.users is None else read_users(Path(arguments.users))
    state = None if arguments.state is None else make_folder(arguments.state, mode=0o700)  # it holds tokens
    if state is not None:
        check_writable(state / "matches.json")
    settings = Settings(
        arguments.port, arguments.host, arguments.games, arguments.register, Path(arguments.out), arguments.cors, state,
        allow=read_networks(arguments.allow), rate=arguments.rate,
        base=arguments.page_base, names=arguments.page_name, proxies=arguments.page_proxy,
    )  # fmt: skip
    screen = Screen(is_silent=arguments.json, is_live=False)
    shipped, seed = boards.load_shipped(), read_seed(arguments)
    server = Server(settings, {**shipped, **chosen}, fields, list(chosen or shipped), users, seed, screen.say)
    asyncio.run(server.serve())
    print_games(arguments, [match.to_json() for match in server.played])


def _join_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("url", metavar="URL", help="address of the server, such as http://127.0.0.1:8880")
    join_options(parser)
    parser.add_argument("--match", metavar="ID", help="id of the match to join (default: the next free one)")
    parser.add_argument("--ai", metavar="NAME", help="play against this computer player of the server, such as a4")
    parser.add_argument("--token", metavar="TOKEN", help="bearer token of an account (default: join as a guest)")


def _join(arguments: argparse.Namespace) -> None:
    from .join import Api, enter, play

    if arguments.match is not None and arguments.ai is not None:
        raise ConfigError("ai: expected --match or --ai, and not both")
    if arguments.boards and arguments.ai is None:
        raise ConfigError("board: only a match against --ai chooses its board")
    if arguments.preset is not None:
        raise ConfigError(f"preset: the server defines the game, got {arguments.preset!r}")
    fields, board = read_fields("kakomimasu", arguments), next(iter(arguments.boards), None)
    make_guest(arguments, load("kakomimasu", **fields))  # report an unknown name now

    async def run(log: Transcript | None, tell: Callable[[str], None]) -> list[Report]:
        api = Api(arguments.url, arguments.token, log)
        joined = await enter(api, arguments.name, arguments.match, arguments.ai, board)
        return [await play(api, joined, lambda game: make_guest(arguments, game), fields, tell)]

    play_as_guest(arguments, arguments.url, run)


SERVE = Command(
    "serve clients of the match server's HTTP API, in real time",
    "masume serve kakomimasu --board hill --set operation_sec=2",
    _options,
    _serve,
)
JOIN = Command(
    "play on a match server, through its HTTP API",
    "masume join kakomimasu http://127.0.0.1:8880 --ai a4 --agent best:1s",
    _join_options,
    _join,
)
