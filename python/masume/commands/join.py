"""`masume join`: an agent plays on a server that is not ours."""

from __future__ import annotations

import argparse

from ..core import registry
from .common import Command, add_commands

SUMMARY = "let an agent play on a server of others, with the protocol of its contest"
EXAMPLE = "masume join chaser 192.0.2.7 2009 --agent best:2s --name Kobe"


def clients() -> dict[str, Command]:
    """Return the clients that games offer (`JOIN` of their `commands.py`), by the game's name."""
    return {name: part.JOIN for name, part in registry.parts("commands").items() if hasattr(part, "JOIN")}


def add_options(parser: argparse.ArgumentParser) -> None:
    add_commands(parser, clients(), "game")


def run(arguments: argparse.Namespace) -> None:
    """`masume join GAME`: connect to the game's own server, and let an agent play there."""
    clients()[arguments.game].run(arguments)
