"""`masume serve kakomimasu`."""

from __future__ import annotations

import argparse
import asyncio
import json
from pathlib import Path
from typing import Any

from ..commands.common import Command, find_boards, read_fields, read_seed
from ..commands.serving import Screen, print_games, server_options
from ..core.extras import extra
from ..core.files import check_writable, make_folder
from ..errors import ConfigError
from . import boards


def _options(parser: argparse.ArgumentParser) -> None:
    server_options(parser, "until Ctrl-C, any number at a time")
    parser.description = (
        f"{parser.description} A --board is served beside the shipped ones, and given to whoever asks for none; "
        "--set is for all boards."
    )
    parser.add_argument("--port", type=int, default=8880, metavar="PORT", help="default: 8880; 0: a free one")
    parser.add_argument("--users", metavar="FILE", help="the accounts: a JSON array of objects with a name")
    parser.add_argument("--register", action="store_true", help="whoever asks gets an account")
    parser.add_argument("--cors", metavar="ORIGIN", help="let web pages of this origin read the answers (*: all pages)")
    parser.add_argument(
        "--state", metavar="DIR", help="save accounts and running matches there at the end, and go on from them"
    )


def _serve(arguments: argparse.Namespace) -> None:
    """Matches on the shipped boards and those of --board, any number at a time."""
    given = {board.name: board for name in arguments.boards for board in find_boards(boards, name)}
    fields = {"put_on_enemy_wall": "server", **read_fields("kakomimasu", arguments)}
    if arguments.preset is not None:
        raise ConfigError(f"preset: {arguments.preset!r} is none of a server's, which plays on boards")
    users = () if arguments.users is None else _accounts(Path(arguments.users))
    extra("uvicorn", "web")
    from .server.app import Server, Settings

    state = None if arguments.state is None else make_folder(arguments.state, mode=0o700)  # it holds tokens
    if state is not None:
        check_writable(state / "matches.json")
    settings = Settings(
        arguments.port, arguments.host, arguments.games, arguments.register, Path(arguments.out), arguments.cors, state
    )
    screen = Screen(is_silent=arguments.json, is_live=False)
    shipped, seed = boards.load_shipped(), read_seed(arguments)
    server = Server(settings, {**shipped, **given}, fields, list(given or shipped), users, seed, screen.say)
    asyncio.run(server.serve())
    print_games(arguments, [match.to_json() for match in server.played])


def _accounts(path: Path) -> list[Any]:
    """The accounts of a file; ConfigError, which names the file, where it holds anything else."""
    from .server.accounts import User

    try:
        found = json.loads(path.read_bytes())
        if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
            raise ConfigError("an array of objects is wanted")
        return [User.make(one) for one in found]
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"users: {path}: {error}") from None


SERVE = Command(
    "serve clients of the match server's HTTP API, in real time",
    "masume serve kakomimasu --board hill --set operation_sec=2",
    _options,
    _serve,
)
