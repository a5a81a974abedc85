"""`masume doctor`: facts about the installation and the machine for bug reports."""

from __future__ import annotations

import argparse
import sys

from ..core.tables import table
from . import diagnosis as doctor
from .common import FAILED
from .output import print_json

SUMMARY = "show what a bug report needs, and test the installation"
EXAMPLE = "masume doctor --json"


def add_options(parser: argparse.ArgumentParser) -> None:
    pass


def run(arguments: argparse.Namespace) -> None:
    """`masume doctor`: facts by subject, and the self-test; exit code 1 if a check fails."""
    facts, checks = doctor.facts(), doctor.checks()
    wrong = [name for name, fault in checks.items() if fault is not None]
    if arguments.json:
        print_json({**facts, "checks": checks})
    else:
        for subject, rows in facts.items():
            print(f"{subject}\n{table((f'  {name}', _to_lines(value)) for name, value in rows.items())}\n")
        print(f"checks\n{table((f'  {name}', fault or 'ok') for name, fault in checks.items())}")
    if wrong:
        print(f"masume: these checks failed: {', '.join(wrong)}", file=sys.stderr)
        sys.exit(FAILED)


def _to_lines(value: str | int | None) -> str:
    """Return a fact as text."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "-" if value is None else str(value)
