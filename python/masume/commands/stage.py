"""`masume stage`: the workbenches of games for their starts."""

from __future__ import annotations

import argparse

from ..core import registry
from .common import Command, add_commands

SUMMARY = "list, make, check, balance or solve starts, in games that have a workbench"
EXAMPLE = "masume stage check garden"


def _tasks() -> dict[str, Command]:
    """Return the tasks of all workbenches (`WORKBENCH` of a game's `commands.py`), by name."""
    parts = registry.parts("commands").values()
    return {name: task for part in parts for name, task in getattr(part, "WORKBENCH", {}).items()}


def add_options(parser: argparse.ArgumentParser) -> None:
    add_commands(parser, _tasks(), "task")


def run(arguments: argparse.Namespace) -> None:
    """`masume stage TASK FILE`: run a task of a workbench."""
    _tasks()[arguments.task].run(arguments)
