"""`masume stage`: list, make, check, balance and solve stages."""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ..commands.common import FAILED, Command, agents_option, read_seed
from ..commands.output import print_json
from ..core.config import describe_unknown, integer
from ..core.files import write_atomic
from ..core.language import language, say
from ..core.language import translate as _
from ..core.progress import Progress
from ..core.tables import table
from ..errors import ConfigError, StageError
from ..game import Game, load
from ..render import escape_text
from ..search.solve import DEFAULT, MAX_STATES, OBJECTIVES, solve
from .notation import CAT, MICE, PLAYERS
from .stages import CourseStage, Stage, facts, load_course, load_file, load_named, load_shipped
from .workbench.balance import balance, describe, rows_of
from .workbench.findings import findings, numbers
from .workbench.making import KINDS, Plan, make
from .workbench.page import page

EVERYBODY = ["random", "greedy", "crafty"]
MAX_GAMES = 1_000_000
EXCERPT = 120  # characters shown of a faulty line


def _find(given: str) -> Stage:
    """Return the stage that the FILE argument names."""
    if given in load_named():
        return load_named()[given]
    if not Path(given).is_file():
        raise ConfigError(f"stage: no such file, and {describe_unknown('stage', given, load_named())}")
    return next(iter(load_file(Path(given)).values()))


def _stage_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("stage", metavar="FILE", help="a stage file, or the name of a shipped stage")
    parser.set_defaults(game="nezumi")  # shell completion offers this game's starts


def _check(arguments: argparse.Namespace) -> None:
    """Run `masume stage check FILE`: print numbers and findings, or the error of an invalid stage and exit with 1."""
    where = arguments.stage
    try:
        stage = _find(where)
    except StageError as error:
        fault = {"code": error.code, "line": error.line, "column": error.column, "message": error.args[0]}
        if arguments.json:
            print_json({"stage": where, "valid": False, "error": fault})
        else:
            print(f"{escape_text(where)}: {escape_text(str(error))}\n{_excerpt(where, error)}")
        sys.exit(FAILED)
    facts, odd = numbers(stage), findings(stage)
    if arguments.json:
        cells = [[list(divmod(cell, stage.width)) for cell in one.cells] for one in odd]
        listed = [{"kind": one.kind, "text": one.text, "cells": at} for one, at in zip(odd, cells, strict=True)]
        print_json({"stage": where, "valid": True, "numbers": facts, "findings": listed})
        return
    print(say("{stage}: a valid stage", stage=escape_text(where)), end="\n\n")
    print("\n".join(stage.rows), end="\n\n")
    print(table([(_(name.replace("_", " ")), str(value)) for name, value in facts.items()]), end="\n\n")
    print("\n".join(one.text for one in odd) or _("Nothing is odd about it."))


def _excerpt(given: str, error: StageError) -> str:
    """Return the faulty line, cut to an excerpt if it is long, and a mark under the column."""
    at = error.column - 1
    begin = max(0, at - EXCERPT // 2)
    line = Path(given).read_bytes().decode().split("\n")[error.line - 1][begin : begin + EXCERPT]
    return f"    {''.join(char if char.isprintable() else ' ' for char in line)}\n    {' ' * (at - begin)}^"


def _balance_options(parser: argparse.ArgumentParser) -> None:
    _stage_option(parser)
    agents_option(parser)
    parser.set_defaults(agents=EVERYBODY)
    parser.add_argument(
        "--games", type=int, default=100, metavar="N", help="of each cat against each kind of mice (default: 100)"
    )
    parser.add_argument("--threads", type=int, default=0, metavar="T", help="0: one for each processor (default)")
    parser.add_argument(
        "--out", metavar="DIR", help="write balance.json, a page with charts, and games; the same command goes on"
    )


def _balance(arguments: argparse.Namespace) -> None:
    """Run `masume stage balance FILE`: print who wins, how games end, and the distributions of the measures."""
    stage = _find(arguments.stage)
    num_games, seed = integer("games", arguments.games, 1, MAX_GAMES), read_seed(arguments)
    out = None if arguments.out is None else Path(arguments.out)
    agents = list(dict.fromkeys(arguments.agents))
    with contextlib.ExitStack() as stack:
        progress = None if arguments.json else stack.enter_context(Progress(num_games * len(agents) ** 2, None))
        pairings = balance(
            stage, agents, num_games, seed=seed, threads=arguments.threads, progress=progress,
            out=None if out is None else out / "games",
        )  # fmt: skip
    result = describe(stage, seed, pairings)
    if out is not None:
        write_atomic(out / "balance.json", (json.dumps(result, indent=2) + "\n").encode())
        write_atomic(out / "balance.html", page(stage, pairings, out).encode())
    if arguments.json:
        print_json(result)
        return
    rows = rows_of(pairings)
    print(table([row.values() for row in rows], list(rows[0])), end="\n\n")
    print("\n".join(map(escape_text, result["judged"])))
    if out is not None:
        print(say("page: {path}", path=escape_text(str(out / "balance.html"))))


def _solve_options(parser: argparse.ArgumentParser) -> None:
    _stage_option(parser)
    parser.add_argument(
        "--max-states",
        type=int,
        default=DEFAULT,
        metavar="N",
        help=say("number of positions to keep (default: {number})", number=f"{DEFAULT:,}"),
    )
    parser.add_argument(
        "--objective", choices=OBJECTIVES, default=OBJECTIVES[0],
        help="what both play for: the final score (default), or to win, which takes more positions",
    )  # fmt: skip


def _solve(arguments: argparse.Namespace) -> None:
    """Run `masume stage solve FILE`: print the value of perfect play and the opening lines."""
    game = load("nezumi", stage=_find(arguments.stage))
    solution = solve(game.new_state(), arguments.objective, arguments.max_states)
    value = solution.values[MICE]
    is_score = arguments.objective == "scores"
    winner = PLAYERS[MICE] if value > 0 or (value == 0 and is_score) else None if is_score else PLAYERS[CAT]
    lines = [_tell(game, line) for line in solution.lines]
    if arguments.json:
        facts = {"objective": arguments.objective, "value": value, "winner": winner, "states": solution.num_states}
        print_json({"stage": arguments.stage, **facts, "lines": lines})
        return
    if is_score:
        print(say("With perfect play for the score the mice end with {value} mg.", value=f"{value:+,}"))
    if winner:
        print(_("The cat wins with perfect play.") if winner == PLAYERS[CAT] else _("The mice win with perfect play."))
    else:
        print(_("The cat can keep them below 0; --objective returns shows whether they can surround it."))
    print(say("{number} positions", number=f"{solution.num_states:,}"), end="\n\n")
    for line in lines:
        print(" | ".join(" ".join(part) for part in line), end="\n\n")


def _tell(game: Game, actions: Iterable[int]) -> list[list[str]]:
    """Return the action texts of a line of play, grouped by runs of the same player; the mice move first."""
    state = game.new_state()
    parts: list[list[str]] = []
    last = None
    for action in actions:
        if state.current_player != last:
            parts.append([])
        last = state.current_player
        parts[-1].append(state.action_to_text(action))
        state.apply(action)
    return parts


def _list_options(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(game="nezumi")


def _list(arguments: argparse.Namespace) -> None:
    """Run `masume stage list`: print the course from easy to hard, then the built-in stages."""
    lessons = load_course()
    if arguments.json:
        told = [{**facts(name, one.stage), **_lesson(one)} for name, one in lessons.items()]
        print_json({"course": told, "built_in": [facts(name, one) for name, one in load_shipped().items()]})
        return
    rows = [
        (number, name, _(one.group), _(one.side), _par(one), one.teaches.get(language(), one.teaches["en"]))
        for number, (name, one) in enumerate(lessons.items(), 1)
    ]
    print(table(rows, ("", _("stage"), _("kind"), _("for the"), _("par"), _("teaches"))), end="\n\n")
    print(_("~ is the best play known; other pars are exact. A par is a score in mg, in a siege a number of turns."))
    print(say("The built-in stages are {names}.", names=", ".join(load_shipped())))


def _lesson(one: CourseStage) -> dict[str, Any]:
    """Return what the course tells about a stage as plain JSON types."""
    return {"group": one.group, "side": one.side, "par": one.par, "exact": one.is_exact, "teaches": dict(one.teaches)}


def _par(one: CourseStage) -> str:
    """Return a par as the list shows it."""
    about = "" if one.is_exact else "~"
    if not any(one.stage.food):
        return about + say("{number} turns", number=one.par)
    return f"{about}{one.par:+} mg"


PLAN = {"height": 5, "width": 5, "max_mice": 2, "require": 2, "turns": 7, "walls": 6, "zone": 3, "foods": 4}
"""Defaults of `masume stage make`."""


def _make_options(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(game="nezumi")
    parser.add_argument("--kind", choices=KINDS, default=KINDS[0], help="what decides: food, many mice, or a surround")
    for name, value in PLAN.items():
        parser.add_argument(
            f"--{name.replace('_', '-')}", type=int, default=value, metavar="N",
            help=say("{what} of the stages (default: {number})", what=_(name.replace("_", " ")), number=value),
        )  # fmt: skip
    parser.add_argument("--tries", type=int, default=10, metavar="N", help="stages to draw (default: 10)")
    parser.add_argument(
        "--max-states", type=int, default=300_000, metavar="N",
        help="number of positions to keep for each; a stage that takes more is dropped (default: 300,000)",
    )  # fmt: skip
    parser.add_argument("--out", metavar="DIR", help="write a stage file of each")


def _make(arguments: argparse.Namespace) -> None:
    """Run `masume stage make`: print the stages worth keeping among random ones, and write them to files."""
    plan = Plan(arguments.kind, **{name: getattr(arguments, name) for name in PLAN})
    tries, seed = integer("tries", arguments.tries, 1, MAX_GAMES), read_seed(arguments)
    max_states = integer("max_states", arguments.max_states, 1, MAX_STATES)
    stages = []
    for made in make(plan, seed, tries, max_states):
        stages.append(made)
        if arguments.out is not None:
            write_atomic(Path(arguments.out) / f"{made.stage.name}.stage", made.stage.to_text().encode())
        if not arguments.json:
            print("\n".join(made.stage.rows))
            print(
                say(
                    "{name}: for the {side}, par {par}; simple players lose {share}",
                    name=made.stage.name, side=_(PLAYERS[made.side]), par=f"{'' if made.is_exact else '~'}{made.par}",
                    share=f"{made.thought:.0%}",
                ),
                end="\n\n",
            )  # fmt: skip
    if arguments.json:
        measures = [
            {"side": PLAYERS[one.side], "par": one.par, "exact": one.is_exact, "thought": one.thought} for one in stages
        ]
        texts = [{"name": one.stage.name, "stage": one.stage.to_text()} for one in stages]
        print_json({"tries": tries, "found": [text | one for text, one in zip(texts, measures, strict=True)]})
    else:
        print(say("{number} of {tries} stages are close and need thought", number=len(stages), tries=tries))


WORKBENCH = {
    "list": Command(
        "list the stages of the course from easy to hard, and the built-in ones",
        "masume stage list",
        _list_options,
        _list,
    ),
    "make": Command(
        "draw stages, and keep those that are close and need thought",
        "masume stage make --kind crowd --tries 20 --out mine",
        _make_options,
        _make,
    ),
    "check": Command(
        "check whether a stage is valid, and what is odd about it",
        "masume stage check garden",
        _stage_option,
        _check,
    ),
    "balance": Command(
        "let players play on a stage from both sides",
        "masume stage balance garden --games 20 --out garden",
        _balance_options,
        _balance,
    ),
    "solve": Command(
        "work out what perfect play comes to",
        "masume stage solve tiny.stage --max-states 5000000",
        _solve_options,
        _solve,
    ),
}
