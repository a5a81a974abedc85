"""`masume stage`: check, balance and solve stages."""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
from collections.abc import Iterable
from pathlib import Path

from ..commands.common import FAILED, Command, agents_option, read_seed
from ..commands.output import print_json, table
from ..core.config import integer
from ..core.files import write_atomic
from ..core.progress import Progress
from ..errors import ConfigError, StageError
from ..game import Game, load
from ..render import escape_text
from ..search.solve import DEFAULT, OBJECTIVES, solve
from .notation import CAT, MICE, PLAYERS
from .stages import Stage, load_file, load_shipped
from .workbench.balance import balance, describe, rows_of
from .workbench.findings import findings, numbers
from .workbench.page import page

EVERYBODY = ["random", "greedy", "crafty"]
MAX_GAMES = 1_000_000
EXCERPT = 120  # letters of a wrong line that are shown


def _find(given: str) -> Stage:
    """The stage that is meant by what was given for FILE."""
    if given in load_shipped():
        return load_shipped()[given]
    if not Path(given).is_file():
        raise ConfigError(f"stage: {given!r} is no file, and none of {', '.join(load_shipped())}")
    return next(iter(load_file(Path(given)).values()))


def _stage_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("stage", metavar="FILE", help="a stage file, or the name of a shipped stage")
    parser.set_defaults(game="nezumi")  # whose starts a shell may complete


def _check(arguments: argparse.Namespace) -> None:
    """`masume stage check FILE`: numbers, and what is odd; where it is not valid, what is wrong, and exit code 1."""
    given = arguments.stage
    try:
        stage = _find(given)
    except StageError as error:
        fault = {"code": error.code, "line": error.line, "column": error.column, "message": error.args[0]}
        if arguments.json:
            print_json({"stage": given, "valid": False, "error": fault})
        else:
            print(f"{escape_text(given)}: {escape_text(str(error))}\n{_excerpt(given, error)}")
        sys.exit(FAILED)
    facts, odd = numbers(stage), findings(stage)
    if arguments.json:
        cells = [[list(divmod(cell, stage.width)) for cell in one.cells] for one in odd]
        told = [{"kind": one.kind, "text": one.text, "cells": at} for one, at in zip(odd, cells, strict=True)]
        print_json({"stage": given, "valid": True, "numbers": facts, "findings": told})
        return
    print(f"{escape_text(given)}: a valid stage\n")
    print("\n".join(stage.rows), end="\n\n")
    print(table([(name.replace("_", " "), str(value)) for name, value in facts.items()]), end="\n\n")
    print("\n".join(one.text for one in odd) or "Nothing is odd about it.")


def _excerpt(given: str, error: StageError) -> str:
    """The line that is wrong, of a long one the part, and a mark under the column."""
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
    parser.add_argument("--threads", type=int, default=0, metavar="T", help="0: as many as the machine has (default)")
    parser.add_argument(
        "--out", metavar="DIR", help="write balance.json, a page with charts, and games; the same command goes on"
    )


def _balance(arguments: argparse.Namespace) -> None:
    """`masume stage balance FILE`: who wins, how, and how much of everything there is in the games."""
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
        print(f"page: {escape_text(str(out / 'balance.html'))}")


def _solve_options(parser: argparse.ArgumentParser) -> None:
    _stage_option(parser)
    parser.add_argument(
        "--max-states", type=int, default=DEFAULT, metavar="N", help=f"positions to keep (default: {DEFAULT:,})"
    )
    parser.add_argument(
        "--objective", choices=OBJECTIVES, default=OBJECTIVES[0],
        help="what both play for: the final score (default), or to win, which takes more positions",
    )  # fmt: skip


def _solve(arguments: argparse.Namespace) -> None:
    """`masume stage solve FILE`: what perfect play comes to, and how it begins."""
    game = load("nezumi", stage=_find(arguments.stage))
    solution = solve(game.new_state(), arguments.objective, arguments.max_states)
    value = solution.values[MICE]
    is_score = arguments.objective == "scores"
    winner = PLAYERS[MICE] if value > 0 or (value == 0 and is_score) else None if is_score else PLAYERS[CAT]
    lines = [_tell(game, line) for line in solution.lines]
    if arguments.json:
        told = {"objective": arguments.objective, "value": value, "winner": winner, "states": solution.num_states}
        print_json({"stage": arguments.stage, **told, "lines": lines})
        return
    if is_score:
        print(f"With perfect play for the score the mice end with {value:+,} mg.")
    if winner:
        print(f"The {winner} win{'s' * (winner == PLAYERS[CAT])} with perfect play.")
    else:
        print("The cat can keep them below 0; --objective returns tells whether it can be surrounded meanwhile.")
    print(f"{solution.num_states:,} positions", end="\n\n")
    for line in lines:
        print(" | ".join(" ".join(part) for part in line), end="\n\n")


def _tell(game: Game, actions: Iterable[int]) -> list[list[str]]:
    """The texts of a line of play, those of one player in a row together; the mice begin."""
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


WORKBENCH = {
    "check": Command(
        "tell whether a stage is valid, and what is odd about it",
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
