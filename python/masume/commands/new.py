"""`masume new`: folders to begin with."""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

from ..bots import LANGUAGES, write
from ..core.language import say
from ..game import games, load
from ..render import escape_text
from .common import Command, Parser, add_commands
from .output import print_json

SUMMARY = "write a folder to begin with"
EXAMPLE = "masume new bot chaser"


def add_options(parser: argparse.ArgumentParser) -> None:
    add_commands(parser, {"bot": BOT}, "kind")


def run(arguments: argparse.Namespace) -> None:
    """`masume new bot`: write a bot, and say what to type."""
    BOT.run(arguments)


def _bot_options(parser: argparse.ArgumentParser) -> None:
    if isinstance(parser, Parser):
        parser.late = "dir"
    names = games()
    parser.add_argument("game", choices=names, metavar="GAME", help=say("one of {names}", names=", ".join(names)))
    parser.add_argument("dir", nargs="?", metavar="DIR", help="a new or empty folder (default: GAME-bot)")
    parser.add_argument("--language", choices=tuple(LANGUAGES), default="python", help="default: python")


def _bot(arguments: argparse.Namespace) -> None:
    folder = Path(f"{arguments.game}-bot" if arguments.dir is None else arguments.dir)
    commands = write(load(arguments.game), arguments.language, folder)
    if arguments.json:
        print_json({"folder": str(folder), "language": arguments.language, **commands._asdict()})
        return
    where = escape_text(str(folder))
    print(say("A bot in {language} is in {folder}. There:", language=arguments.language, folder=where))
    for command in filter(None, commands):
        print(f"  {command}")
    tool = (commands.build or LANGUAGES[arguments.language].run).split()[0]
    if shutil.which(tool) is None:
        print(say("{tool} is not installed here, or not on the PATH.", tool=tool))


BOT = Command(
    "write a small bot that plays at once, with its commands",
    "masume new bot chaser --language python my-bot",
    _bot_options,
    _bot,
)
