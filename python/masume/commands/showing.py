"""Options and parts of commands that show their matches on the page."""

from __future__ import annotations

import argparse
import contextlib
import shlex
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..core.config import integer
from ..core.extras import extra
from ..core.language import translate as _
from ..errors import ConfigError

if TYPE_CHECKING:
    from ..game import Game
    from ..records.replay import Replay
    from ..referee.match import Follow
    from ..web.contest import ContestBoard
    from ..web.match import Match
    from ..web.server import PageServer

PORT = 8000
FRONT = ("base", "name", "proxy")  # options that a page at the port of a server has, too
USUAL = {"port": None, "host": "127.0.0.1", "delay": 0, "start": False, "show": "host"}  # values of the others
WATCH_HELP = "show the games on a page, one after the other"


def page_options(
    parser: argparse.ArgumentParser, is_inner: bool = False, is_only: bool = False, has_port: bool = True
) -> None:
    """Add the options of a page.

    is_inner : it is of a server of a game, whose parent has these options. is_only : there are no other servers.
    has_port : it is not at the port of the server, and shows one match after the other.
    """

    def add(name: str, field: str, default: Any, text: str, **keywords: Any) -> None:
        if not has_port and field not in FRONT:
            return
        default_value = argparse.SUPPRESS if is_inner else default
        is_short = is_only or (is_inner and field in FRONT)
        names = [name, f"--{field}"] if is_short and name.startswith("--page-") else [name]
        parser.add_argument(*names, dest=f"page_{field}", default=default_value, help=text, **keywords)

    add("--page-port", "port", None, "port of the page (default: 8000, or a free one)", type=int, metavar="PORT")
    add("--page-host", "host", "127.0.0.1", "address of the page (default: 127.0.0.1; 0.0.0.0: all)", metavar="HOST")
    add("--page-base", "base", "", "path below which a proxy serves the page, such as /board", metavar="PATH")
    add(
        "--page-name", "name", [], "name under which a proxy serves the page; may be repeated",
        action="append", metavar="NAME",
    )  # fmt: skip
    add(
        "--page-proxy", "proxy", [], "address or network of a proxy, whose X-Forwarded headers count; may be repeated",
        action="append", metavar="ADDRESS",
    )  # fmt: skip
    add("--delay", "delay", 0, "milliseconds between two turns, for people who watch", type=int, metavar="MS")
    add("--start", "start", False, "wait until somebody presses start on the page", action="store_true")
    add("--show", "show", "host", "who sees what is hidden while a game runs (default: host)", choices=("host", "all"))


def refuse_page_options(arguments: argparse.Namespace) -> None:
    """Raise ConfigError for options that a page at the port of its server does not have."""
    for field, usual in USUAL.items():
        value = getattr(arguments, f"page_{field}")
        if value != usual:
            name = f"page-{field}" if field in ("port", "host") else field
            raise ConfigError(f"{name}: the page is a part of this server, at its --host and --port, got {value!r}")


def open_page(
    arguments: argparse.Namespace, folder: Path | None = None, contest: ContestBoard | None = None
) -> PageServer:
    """Return the page of the arguments, which listens already; matches are kept in a folder."""
    extra("starlette", "web")
    extra("uvicorn", "web")
    from ..http.front import Front
    from ..web.gallery import Gallery
    from ..web.guard import Access
    from ..web.match import Playback
    from ..web.server import PageServer

    delay_ms = integer("delay", arguments.page_delay, 0, 60_000)
    gallery = Gallery(Playback(delay_ms / 1000, arguments.page_start), folder)
    is_dark = getattr(arguments, "dark", False)
    access = Access(shows_all=arguments.page_show == "all" and not is_dark, is_dark=is_dark)
    before = arguments.page_base, arguments.page_name, arguments.page_proxy, _open_command(arguments)
    page_port = arguments.page_port
    port = PORT if page_port is None else integer("page-port", page_port, 0, 65535)
    front = Front(arguments.page_host, port, *before)
    try:
        front.listen()
    except ConfigError:
        if page_port is not None or front.is_behind:  # a proxy knows the port
            raise
        front = Front(arguments.page_host, 0, *before)
        front.listen()
    return PageServer(gallery, access, front, contest)


def _open_command(arguments: argparse.Namespace) -> str:
    """Return the command that was given, with the option that opens its page to other machines."""
    is_alone = arguments.command == "serve" and arguments.game is None
    return shlex.join(["masume", *sys.argv[1:], "--host" if is_alone else "--page-host", "0.0.0.0"])


class PageShow:
    """Where `match --watch` and `arena --watch` show their games, one after the other (`play.arena.ArenaShow`)."""

    def __init__(self, server: PageServer) -> None:
        self._server = server
        self._match: Match | None = None
        self._wall: dict[str, Any] = {}

    def begin(self, game: Game, seed: int, names: Sequence[str], is_live: bool = False) -> Follow:
        """Show a game that is about to begin; return what follows it."""
        self._match = self._server.begin(game, seed, list(names))
        return self._server.follow(self._match, is_live)

    def finish(self, one: Replay) -> None:
        """Show the result of that game."""
        if self._match is not None:
            self._server.finish(self._match, one)

    def announce(self, names: Sequence[str]) -> None:
        """Show on the wall who plays next."""
        self._wall = self._wall | {"next": list(names)}
        self._server.call(self._server.gallery.announce, self._wall)

    def rank(self, rows: Sequence[Sequence[str]]) -> None:
        """Show the standings on the wall."""
        self._wall = self._wall | {"standings": [list(row) for row in rows]}
        self._server.call(self._server.gallery.announce, self._wall)


@contextlib.contextmanager
def shown(arguments: argparse.Namespace) -> Iterator[PageShow | None]:
    """Run the page of --watch within the block, and after it for those who watch; None without --watch."""
    if not arguments.watch:
        yield None
        return
    server = open_page(arguments)
    print_links(server, lambda line: print(line, file=sys.stderr, flush=True))
    server.start()
    try:
        yield PageShow(server)
        if sys.stdout.isatty():
            print(_("the page goes on until Ctrl-C"), file=sys.stderr)
            with contextlib.suppress(KeyboardInterrupt):
                threading.Event().wait()
        server.stay()
    finally:
        server.stop()


def print_links(server: PageServer, say: Callable[[str], None]) -> None:
    """Say where the page is, and the link that makes a browser the host."""
    say(_("page: {address}").format(address=server.address))
    if server.front.is_behind:
        say(_("it listens on {address}").format(address=server.front.listens))
    say(_("host: {address} (who opens this sees and controls every match)").format(address=server.host_link))
