"""`masume view`: replays as text, as a page, as JSON, or as what programs were sent."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from .. import render
from ..core.files import write_atomic
from ..errors import ConfigError
from ..records import replay
from ..referee.hooks import hook
from ..render import escape_text
from .common import Command
from .output import format_count, print_board, print_json


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "replay",
        metavar="REPLAY",
        help="a replay file, also in the format of a game's own servers, or the folder of a run, an arena or a server",
    )
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--player", type=int, metavar="P", help="as this player saw it, in games that hide something")
    form.add_argument("-o", dest="out", metavar="OUT.html", help="write a page of all games instead, with all views")
    form.add_argument(
        "--blocks", action="store_true",
        help="print what programs were sent instead, a state block for each turn, in games that have them",
    )  # fmt: skip


def _run(arguments: argparse.Namespace) -> None:
    """`masume view REPLAY`: every position as text, one HTML page to step through, or state blocks."""
    found = replay.load(arguments.replay)
    for one in found:
        if arguments.player is not None and arguments.player not in range(one.game.num_players):
            raise ConfigError(f"player: {arguments.player} is none of 0..{one.game.num_players - 1}")
    if arguments.out is not None:
        write_atomic(
            arguments.out, render.page(found, title=escape_text(Path(arguments.replay).resolve().name)).encode()
        )
    facts: list[dict[str, Any]] = [
        {
            "game": one.game.name,
            "seed": one.seed,
            "names": one.names,
            "plies": len(one.moves),
            "returns": one.returns,
            "scores": one.scores,
            "winners": replay.winners(one.returns),
            **({"blocks": _blocks(one)} if arguments.blocks else {}),
        }
        for one in found
    ]
    if arguments.json:
        print_json({"replays": facts})
    elif arguments.out is not None:
        print(f"{format_count(len(found), 'game')}: {escape_text(arguments.out)}")
    elif arguments.blocks:
        for fact in facts:
            print(*fact["blocks"], sep="", end="")
    else:
        for one, fact in zip(found, facts, strict=True):
            print(f"{fact['game']}: {escape_text(', '.join(one.names))}; seed {one.seed}", end="\n\n")
            for state in one.states():
                print_board(state, arguments.player)
            print(f"scores {one.scores}, returns {one.returns}", end="\n\n")


def _blocks(one: replay.Replay) -> list[str]:
    """The state block of each turn of a game; ConfigError where the game has none."""
    blocks = hook(one.game, "blocks")
    if blocks is None:
        raise ConfigError(f"blocks: {one.game.name} has none")
    return list(blocks(one.states()))


COMMAND = Command(
    "show a replay, verified",
    "masume view report/replays/0000.jsonl -o games.html",
    _options,
    _run,
)
