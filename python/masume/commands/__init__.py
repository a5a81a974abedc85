"""The commands, in the order in which help lists them; each is a module of its own, with a COMMAND."""

from __future__ import annotations

import importlib

from .common import Command

NAMES = ("info", "play", "selfplay", "match", "arena", "serve", "view", "perft", "bench", "stage", "doctor")


def command(name: str) -> Command:
    """The command of this name; its module is imported now, with all that it needs."""
    found: Command = importlib.import_module(f"{__name__}.{name}").COMMAND
    return found
