"""Parts shared by the games' clients for servers of others: options, the agent, the result."""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any

from ..core.config import integer
from ..core.language import translate as _
from ..game import Game
from ..referee.clock import TimeControl
from ..referee.hooks import clock_of
from ..render import escape_text
from .common import config_options, read_seed
from .output import print_json

if TYPE_CHECKING:
    from ..referee.joining import Guest, Report
    from ..referee.transcript import Transcript

Play = Callable[["Transcript | None", Callable[[str], None]], Coroutine[Any, Any, "list[Report]"]]
"""Plays on a server: the log, and a function for news."""


def join_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of all clients."""
    config_options(parser)
    parser.add_argument(
        "--agent", default="best:1s", metavar="AGENT",
        help="the agent or program that plays, as `masume info GAME` lists them (default: best:1s)",
    )  # fmt: skip
    parser.add_argument("--name", default="masume", metavar="NAME", help="name on the server (default: masume)")
    parser.add_argument("--log", metavar="FILE", help="write what is received and sent into a file, which is replaced")


def line_options(parser: argparse.ArgumentParser, port: int) -> None:
    """Add the address and the time limits of a server on a TCP port."""
    parser.add_argument("host", metavar="HOST", help="name or address of the server")
    parser.add_argument(
        "port", type=int, nargs="?", default=port, metavar="PORT", help=_("default: {port}").format(port=port)
    )
    parser.add_argument(
        "--wait", type=float, default=10.0, metavar="S", help="seconds in which to try to connect (default: 10)"
    )
    parser.add_argument(
        "--silence", type=float, metavar="S", help="give up if the server says nothing for so long (default: never)"
    )
    parser.add_argument(
        "--clock", metavar="CLOCK",
        help="the clock that the server keeps, as in `masume match` (default: the game's own, else none)",
    )  # fmt: skip


def read_address(arguments: argparse.Namespace) -> tuple[str, int]:
    """Return host and port; raise ConfigError for a port out of range."""
    return arguments.host, integer("port", arguments.port, 1, 65535)


def make_guest(arguments: argparse.Namespace, game: Game) -> Guest:
    """Return the agent of the arguments; raise ConfigError if this game has none of the name."""
    from ..referee.joining import Guest

    clock = getattr(arguments, "clock", None)
    control = clock_of(game) if clock is None else TimeControl.parse(clock)
    return Guest(arguments.agent, game, read_seed(arguments, game), control)


def play_as_guest(arguments: argparse.Namespace, title: str, play: Play) -> None:
    """Play, and print a line or JSON for each game."""
    from ..referee.joining import open_log

    def tell(news: str) -> None:
        print(escape_text(news), file=sys.stderr, flush=True)

    log = open_log(arguments.log, title)
    try:
        reports = asyncio.run(play(log, tell))
    finally:
        if log is not None:
            log.close()
    if arguments.json:
        print_json({"game": arguments.game, "server": title, "agent": arguments.agent, "games": reports})
        return
    for report in reports:
        print(escape_text(_line(report)))


def _line(report: Report) -> str:
    facts = {key: value for key, value in report.items() if key not in ("name", "result") and value is not None}
    shown = ", ".join(f"{_(key)} {value}" for key, value in facts.items())
    result = _(report["result"]) if report["result"] else _("over; the server did not say who won")
    return f"{report['name']}: {result} ({shown})"
