"""`masume bench`: what the engines take, and whether that is more than it was."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from .. import bench
from ..core.config import choice
from ..errors import ConfigError
from ..game import games
from .common import FAILED, Command, read_seed
from .output import format_count, print_json


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("game", nargs="?", choices=games(), metavar="GAME", help=f"one of {', '.join(games())}")
    parser.add_argument("--compare", metavar="FILE", help="what `masume bench --json` printed earlier")
    parser.add_argument(
        "--fail-over", type=_percentage, default=0.05, metavar="PERCENT",
        help="exit with 1 if a case takes so much longer than in FILE (default: 5%%)",
    )  # fmt: skip


def _percentage(text: str) -> float:
    try:
        share = float(text.removesuffix("%")) / 100
    except ValueError:
        share = -1.0
    if not text.endswith("%") or not share >= 0:
        raise argparse.ArgumentTypeError(f"{text!r} is no percentage such as 5%")
    return share


def _run(arguments: argparse.Namespace) -> None:
    """`masume bench [GAME]`: how long everything takes on recorded play; gates are shown, not enforced."""
    seed = read_seed(arguments)
    before = bench.figures(Path(arguments.compare).read_bytes()) if arguments.compare else {}
    names = list(bench.workloads())
    report = bench.report([choice("game", arguments.game, names)] if arguments.game else names, seed=seed)
    if arguments.json:
        print_json(report)
    else:
        print(bench.text(report))
    if arguments.compare is None:
        return
    changes = bench.changes(before, bench.figures(json.dumps(report)))
    if not changes:
        raise ConfigError(f"compare: {arguments.compare} has nothing of what was measured")
    slower = [change for change in changes if change.share > arguments.fail_over]
    for change in slower:
        print(f"masume: slower: {change}", file=sys.stderr)
    if slower:
        sys.exit(FAILED)
    if not arguments.json:
        bound = f"{100 * arguments.fail_over:g}%"
        print(f"{format_count(len(changes), 'case')} compared, none slower by more than {bound}", file=sys.stderr)


COMMAND = Command(
    "time what the engines do",
    "masume bench kakomimasu --compare before.json --fail-over 5%",
    _options,
    _run,
)
