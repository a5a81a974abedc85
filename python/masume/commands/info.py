"""`masume info`: the games, or one game with its config, agents and starts."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any

from .. import render
from ..agents.make import NAMED, agents_of, best_of, searches_of
from ..core.language import say
from ..core.tables import table
from ..game import Game, games, load
from ..starts import find_boards, starts_of
from .common import config_options, read_game, read_seed
from .output import print_json

SUMMARY = "list the games, or show one"
EXAMPLE = "masume info kakomimasu --set width=10 --set height=10"


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "game", nargs="?", choices=games(), metavar="GAME", help=say("one of {names}", names=", ".join(games()))
    )
    config_options(parser)


def run(arguments: argparse.Namespace) -> None:
    """`masume info`: the games; `masume info GAME`: sizes, agents, config, boards and the start."""
    if arguments.game is None:
        every = [_facts(load(name)) for name in games()]
        if arguments.json:
            print_json({"games": every})
        else:
            shown = ("game", "players", "moves", "information", "slots", "actions", "plies")
            print(table(([_short(facts[name]) for name in shown] for facts in every), shown))
        return
    game = read_game(arguments)
    start = game.new_state(read_seed(arguments, game))
    facts = _facts(game)
    odd = _findings(game, arguments.boards)
    if arguments.json:
        if arguments.boards:
            facts["findings"] = [{"text": one.text, "cells": list(one.cells)} for one in odd]
        print_json(facts)
        return
    starts = starts_of(game.name)
    config, observation = facts.pop("config"), facts.pop("observation")
    boards = facts.pop(f"{starts.KIND}s") if starts else []
    facts["agents"] = " ".join(facts["agents"])
    parts = {
        "": [(name, _short(value)) for name, value in facts.items()],
        "config": [(name, _short(value)) for name, value in config.items()],
        "observation": [(name, f"{field['dtype']}{field['shape']}") for name, field in observation.items()],
    }
    for head, rows in parts.items():
        if rows:
            print(f"{head}\n{table(rows)}\n" if head else f"{table(rows)}\n")
    if boards:
        print(f"shipped {starts.KIND}s")
        print(table([board.values() for board in boards], list(boards[0])), end="\n\n")
    missions = game.part("missions")
    if missions is not None:
        heads, listed = missions.table()
        print(table(listed, heads), end="\n\n")
    if hasattr(starts, "picture"):  # starts small enough to show all of them
        for name, one in starts.load_shipped().items():
            print(f"{name}\n{starts.picture(one)}", end="\n\n")
    print(render.text(start, color=render.wants_color(sys.stdout)))
    if odd:
        print("\n".join(["", *(one.text for one in odd)]))


def _findings(game: Game, boards: Sequence[str]) -> list[Any]:
    """Return what is odd about the starts that --board names, as the editor of the page says it."""
    editor = game.part("editor")
    if editor is None:
        return []
    return [
        one for given in boards for start in find_boards(starts_of(game.name), given) for one in editor.findings(start)
    ]


def _short(value: Any) -> Any:
    """Return a value for the table: long lists and texts as their length, None as a minus sign."""
    if value is None:
        return "-"
    if isinstance(value, str) and "\n" in value:
        return f"{len(value.splitlines())} lines"
    return f"{len(value)} values" if isinstance(value, list) and len(value) > 8 else value


def _facts(game: Game) -> dict[str, Any]:
    """Return the facts about a game as plain JSON types."""
    spec = game.observation_spec.items()
    starts = starts_of(game.name)
    shipped = {f"{starts.KIND}s": [starts.facts(*one) for one in starts.load_shipped().items()]} if starts else {}
    return {
        "game": game.name,
        "players": game.num_players,
        "moves": "all at once" if game.is_simultaneous else "in turn",
        "information": "perfect" if game.is_perfect_information else "imperfect",
        "slots": game.num_slots,
        "actions": game.num_actions,
        "plies": game.max_game_length,
        "state bytes": game.state_size,
        "agents": [*dict.fromkeys([*game.policies, *agents_of(game)]), *searches_of(game), *NAMED],
        "best": best_of(game),
        "config": game.config.to_dict() if game.config else {},
        "observation": {name: {"dtype": str(dtype), "shape": list(shape)} for name, (shape, dtype) in spec},
        **shipped,
    }
