"""`masume bench`: time the engines, and compare with an earlier run."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from .. import bench
from ..core.language import say
from ..errors import ConfigError
from ..game import games
from .common import FAILED, read_seed
from .output import print_json

SUMMARY = "time what the engines do"
EXAMPLE = "masume bench kakomimasu --compare before.json --fail-over 5%"


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "game", nargs="?", choices=games(), metavar="GAME", help=say("one of {names}", names=", ".join(games()))
    )
    parser.add_argument("--compare", metavar="FILE", help="an earlier report of `masume bench --json`")
    parser.add_argument(
        "--fail-over", type=_percentage, default=0.05, metavar="PERCENT",
        help="exit with 1 if a case is slower than in FILE by more than this (default: 5%%)",
    )  # fmt: skip


def _percentage(text: str) -> float:
    try:
        share = float(text.removesuffix("%")) / 100
    except ValueError:
        share = -1.0
    if not text.endswith("%") or not share >= 0:
        raise argparse.ArgumentTypeError(f"expected a percentage such as 5%, got {text!r}")
    return share


def run(arguments: argparse.Namespace) -> None:
    """`masume bench [GAME]`: the time of every case on recorded play; gates are shown, not enforced."""
    seed = read_seed(arguments)
    before = bench.figures(Path(arguments.compare).read_bytes()) if arguments.compare else {}
    names = list(bench.workloads())
    if arguments.game and arguments.game not in names:
        raise ConfigError(f"game: {arguments.game!r} has no part bench.py, whose cases are timed (docs/plugins.md)")
    report = bench.report([arguments.game] if arguments.game else names, seed=seed)
    if arguments.json:
        print_json(report)
    else:
        print(bench.text(report))
    if arguments.compare is None:
        return
    changes = bench.changes(before, bench.figures(json.dumps(report)))
    if not changes:
        raise ConfigError(f"compare: {arguments.compare} has none of the measured cases")
    slower = [change for change in changes if change.share > arguments.fail_over]
    for change in slower:
        print(f"masume: {say('slower: {change}', change=change)}", file=sys.stderr)
    if slower:
        sys.exit(FAILED)
    if not arguments.json:
        bound = f"{100 * arguments.fail_over:g}%"
        print(
            say("{count} cases compared, none slower by more than {bound}", count=len(changes), bound=bound),
            file=sys.stderr,
        )
