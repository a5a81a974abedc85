"""`masume play`: one game in the terminal."""

from __future__ import annotations

import argparse
import contextlib
import sys

from ..core.files import check_writable
from ..errors import ConfigError
from ..play.agents import close_agent, make_agent
from ..play.driver import play_game
from ..play.human import Human
from ..records import replay
from .common import Command, agents_option, game_options, read_game, read_seed
from .output import print_board, print_json, table


def _options(parser: argparse.ArgumentParser) -> None:
    game_options(parser)
    agents_option(parser)
    parser.add_argument("--out", metavar="FILE", help="save the replay")


def _run(arguments: argparse.Namespace) -> None:
    """`masume play GAME`: boards as the game goes (a human sees them when asked), then the result."""
    game = read_game(arguments)
    seed = read_seed(arguments, game)
    if len(arguments.agents) > game.num_players:
        raise ConfigError(f"agents: {len(arguments.agents)} for {game.num_players} seats")
    names = [arguments.agents[player % len(arguments.agents)] for player in range(game.num_players)]
    quiet = arguments.json or "human" in names
    if arguments.out is not None:
        check_writable(arguments.out)  # a game may last long
    with contextlib.ExitStack() as stack:
        agents = []
        for name in names:
            asked_aside = name == "human" and arguments.json  # stdout is for the JSON
            agents.append(Human(stdout=sys.stderr) if asked_aside else make_agent(name, game))
            stack.callback(close_agent, agents[-1])
        played = play_game(game, agents, seed, None if quiet else print_board)
    result = played.to_replay(seed, names)
    if arguments.out is not None:
        replay.save(arguments.out, [result])
    winners = replay.winners(result.returns)
    if arguments.json:
        facts = {"returns": result.returns, "scores": result.scores, "winners": winners, "plies": len(result.moves)}
        print_json({"game": game.name, "seed": seed, "names": names, **facts})
        return
    if quiet:
        print_board(played.state)
    columns = (range(len(names)), names, result.scores, [f"{value:+g}" for value in result.returns])
    rows = list(zip(*columns, strict=True))
    print(table(rows, ("player", "agent", "score", "return")))


COMMAND = Command(
    "play one game in the terminal",
    "masume play kakomimasu --board court --agents greedy random",
    _options,
    _run,
)
