"""`masume serve`: the games' own protocols, for programs that connect."""

from __future__ import annotations

import argparse

from ..core import registry
from ..core.files import check_writable, make_folder
from .common import Command, add_commands


def servers() -> dict[str, Command]:
    """Return the servers that games offer (`SERVE` of their `commands.py`), by the game's name."""
    return {name: part.SERVE for name, part in registry.parts("commands").items() if hasattr(part, "SERVE")}


def _options(parser: argparse.ArgumentParser) -> None:
    add_commands(parser, servers(), "game")


def _run(arguments: argparse.Namespace) -> None:
    """`masume serve GAME`: the game's own protocol, news for people, and a replay of each game."""
    folder = make_folder(arguments.out)
    check_writable(folder / "0001.jsonl")
    servers()[arguments.game].run(arguments)


COMMAND = Command(
    "let programs connect and play each other",
    "masume serve chaser --map duel --hot greedy --games 2 --swap",
    _options,
    _run,
)
