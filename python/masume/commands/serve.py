"""`masume serve`: a page on which people watch and play, and servers for the games' own protocols."""

from __future__ import annotations

import argparse
import asyncio
import sys
from pathlib import Path

from ..core import registry
from ..core.files import check_writable, make_folder
from ..core.language import translate as _
from ..records import replay
from ..render import escape_text
from .common import Command, add_commands, programs
from .showing import open_page, page_options, print_links

SUMMARY = "let people watch and play on a page, and let programs connect and play each other"
EXAMPLE = "masume serve chaser --map duel --hot greedy --games 2 --swap"


def servers() -> dict[str, Command]:
    """Return the servers that games offer (`SERVE` of their `commands.py`), by the game's name."""
    return {name: part.SERVE for name, part in registry.parts("commands").items() if hasattr(part, "SERVE")}


def add_options(parser: argparse.ArgumentParser) -> None:
    page_options(parser, is_only=True)
    parser.add_argument(
        "--out", default="replays", metavar="DIR",
        help="folder for the replay of each game, and of those to show (default: replays)",
    )  # fmt: skip
    add_commands(parser, servers(), "game", is_required=False)


def run(arguments: argparse.Namespace) -> None:
    """`masume serve`: the page for all games; `masume serve GAME`: the game's own protocol, with the page beside it."""
    folder = make_folder(arguments.out)
    check_writable(folder / "0001.jsonl")
    if arguments.game is None:
        _serve_page(arguments, folder)
        return
    with programs(arguments):
        servers()[arguments.game].run(arguments)


def _serve_page(arguments: argparse.Namespace, folder: Path) -> None:
    server = open_page(arguments, folder)
    from ..http.server import rare_collections

    for name, path in registry.recorded().items():
        server.gallery.add_replays(replay.load(path), name)
    for trouble in server.gallery.add_folder():
        print(escape_text(trouble), file=sys.stderr)
    print_links(server, lambda line: print(line, flush=True))
    print(_("Ctrl-C ends it"), flush=True)
    with rare_collections():
        asyncio.run(server.serve())
