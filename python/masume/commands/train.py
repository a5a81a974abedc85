"""`masume train`: a network that learns a game by playing itself."""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import sys
import time
from typing import Any

from ..core.language import translate as _
from ..core.progress import Progress
from ..play.cluster import LOCAL
from ..render import escape_text
from .common import game_options, read_game, read_seed
from .output import print_json

SUMMARY = "let a network learn a game by playing itself"
EXAMPLE = "masume train nezumi --stage garden --out run --iterations 10"
PAGE = "docs/learning.md"

ITERATIONS = 20


def add_options(parser: argparse.ArgumentParser) -> None:
    game_options(parser)
    add = parser.add_argument
    add(
        "--out", metavar="DIR", required=True,
        help="keep the run here; the same command resumes after the last iteration, also after a crash",
    )  # fmt: skip
    add(
        "--iterations", type=int, default=ITERATIONS, metavar="N",
        help="number of iterations, with those of before (default: 20)",
    )  # fmt: skip
    add("--seconds", type=float, metavar="S", help="no iteration begins after this time")
    add("--games", type=int, metavar="N", help="games of an iteration (default: 128)")
    add(
        "--parts", type=int, metavar="N",
        help="parts of an iteration, whose games are played at once; with --ray on as many workers (default: 1)",
    )  # fmt: skip
    add(
        "--ray", nargs="?", const=LOCAL, metavar="ADDRESS",
        help="play on the Ray cluster at ADDRESS (auto, HOST:PORT, ray://HOST:PORT), or on workers here (extra ray)",
    )  # fmt: skip
    add("--simulations", type=int, metavar="N", help="simulations for each decision (default: 16)")
    add(
        "--considered", type=int, metavar="N",
        help="codes among which sequential halving at the root divides the simulations (default: 8)",
    )  # fmt: skip
    add("--hidden", type=int, nargs="+", metavar="WIDTH", help="width of each layer (default: 128 128)")
    add("--channels", type=int, metavar="WIDTH", help="width of convolutions of 3x3 cells (default: 0, none)")
    add("--blocks", type=int, metavar="N", help="blocks of two convolutions after the first one (default: 2)")
    add("--rate", type=float, metavar="R", help="learning rate of Adam (default: 0.001)")
    add("--rows", type=int, metavar="N", help="decisions in a step of the learner (default: 256)")
    add("--passes", type=float, metavar="P", help="how often a decision is learned from on average (default: 2)")
    add("--window", type=int, metavar="N", help="iterations whose games are learned from (default: 4)")
    add(
        "--playouts", type=float, metavar="SHARE",
        help="share of a playout by the game's policy in the value of a leaf; the network's answer has the rest "
        "(default: 0)",
    )  # fmt: skip
    add("--scale", type=float, metavar="W", help="weight of what the search found in what is learned (default: 0.1)")
    add("--pool", type=float, metavar="SHARE", help="share of the games against members of the pool (default: 0.25)")
    add("--pool-every", type=int, metavar="N", help="iterations between two networks that join the pool (default: 5)")
    add("--teacher", metavar="AGENT", help="this agent plays the games of the first iterations (default: none does)")
    add("--taught", type=int, metavar="N", help="number of these iterations (default: 0)")
    add(
        "--against", nargs="+", metavar="AGENT",
        help="agents that measure the network (default: random and the game's policies)",
    )  # fmt: skip
    add("--measured", type=int, metavar="N", help="games against each of them (default: 60)")
    add("--measure-every", type=int, metavar="N", help="iterations between two measurements (default: 1)")
    add(
        "--overlap", action="store_const", const=True,
        help="with --ray, play the next games while the network learns and is measured, by the network of before",
    )  # fmt: skip


def run(arguments: argparse.Namespace) -> None:
    """`masume train GAME --out DIR`: iterations of self-play, learning and measuring; Ctrl-C keeps the last one."""
    from ..learn.run import TrainingPlan, TrainingRun

    game = read_game(arguments)
    chosen: dict[str, Any] = {}
    for field in dataclasses.fields(TrainingPlan):
        option = getattr(arguments, field.name, None)
        if field.name not in ("game", "seed") and option is not None:
            chosen[field.name] = tuple(option) if isinstance(option, list) else option
    plan = TrainingPlan(game, seed=read_seed(arguments, game), **chosen)
    run = TrainingRun(arguments.out, plan)
    with contextlib.ExitStack() as stack:
        progress = None
        if not arguments.json and sys.stderr.isatty():
            progress = stack.enter_context(Progress(plan.games * arguments.iterations, arguments.seconds))
        began, done = time.monotonic(), plan.games * run.iterations

        def tick(games: int) -> None:
            nonlocal done
            done += games
            if progress:
                progress(done, time.monotonic() - began)

        for row in run.train(arguments.iterations, arguments.seconds, tick, arguments.ray):
            if not arguments.json:
                print(_line(row), flush=True)
    if arguments.json:
        print_json({"iterations": run.iterations, "log": run.log})
    else:
        print(_("page: {path}").format(path=escape_text(str(run.folder / "index.html"))))


def _line(row: dict[str, Any]) -> str:
    """Return a row of the log for people."""
    parts = [_("iteration {number}").format(number=row["iteration"])]
    if "losses" in row:
        told = _("losses {policy} and {value}, {seconds} s")
        losses, seconds = row["losses"], sum(row["seconds"].values())
        above = losses["policy"] - losses["entropy"]
        parts.append(told.format(policy=f"{above:.3f}", value=f"{losses['value']:.3f}", seconds=f"{seconds:.1f}"))
    for name, one in row["measured"].items():
        parts.append(f"{name} {one['score']:.3f} ({one['low']:.3f}-{one['high']:.3f})")
    return "; ".join(parts)
