"""The commands, in the order in which help lists them; each is a module with SUMMARY, EXAMPLE, add_options and run."""

from __future__ import annotations

import importlib

from .common import Command

NAMES = (
    "info",
    "play",
    "selfplay",
    "train",
    "match",
    "arena",
    "contest",
    "serve",
    "join",
    "view",
    "perft",
    "bench",
    "stage",
    "new",
    "doctor",
)


def command(name: str) -> Command:
    """Return the command of this name; its module is imported only now, with its dependencies."""
    module = importlib.import_module(f"{__name__}.{name}")
    return Command(module.SUMMARY, module.EXAMPLE, module.add_options, module.run, getattr(module, "PAGE", ""))
