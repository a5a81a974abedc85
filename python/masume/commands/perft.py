"""`masume perft`: the number of action sequences of a length."""

from __future__ import annotations

import argparse
from typing import Any

from ..core._perft import divide, perft
from ..core.tables import table
from .common import game_options, read_game, read_seed
from .output import print_json

SUMMARY = "count the action sequences of a length"
EXAMPLE = "masume perft kakomimasu --set width=3 --set height=3 --set n_agents=1 --depth 2"


def add_options(parser: argparse.ArgumentParser) -> None:
    game_options(parser)
    parser.add_argument("--depth", type=int, required=True, metavar="D", help="plies, 0..64")
    parser.add_argument("--divide", action="store_true", help="also by the first action")


def run(arguments: argparse.Namespace) -> None:
    """`masume perft GAME --depth D`: count the sequences of D actions (joint ones in simultaneous games)."""
    game = read_game(arguments)
    state = game.new_state(read_seed(arguments, game))
    parts = divide(state, arguments.depth) if arguments.divide else {}
    total = sum(parts.values()) if arguments.divide else perft(state, arguments.depth)
    named = {_joint_text(state, action): count for action, count in parts.items()}
    if arguments.json:
        print_json({"depth": arguments.depth, "sequences": total} | ({"divide": named} if arguments.divide else {}))
        return
    if named:
        print(table(named.items()), end="\n\n")
    print(total)


def _joint_text(state: Any, action: Any) -> str:
    actions = action if isinstance(action, tuple) else (action,)
    return ", ".join(state.action_to_text(one, slot) for slot, one in enumerate(actions))
