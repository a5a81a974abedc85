"""`masume play`: one game in the terminal."""

from __future__ import annotations

import argparse
import contextlib
import sys
from pathlib import Path

from ..agents.asking import close_agent
from ..agents.human import Human, Quit
from ..agents.make import make_agent
from ..core.files import check_writable
from ..core.language import say
from ..core.language import translate as _
from ..core.tables import table
from ..errors import AgentError, ConfigError, ReplayError
from ..game import Game
from ..play.driver import PlayedGame, begin, play_game
from ..records import replay
from ..results import winners
from .common import agents_option, game_options, read_game, read_seed
from .output import print_board, print_json

SUMMARY = "play one game in the terminal"
EXAMPLE = "masume play kakomimasu --board court --agents greedy random"


def add_options(parser: argparse.ArgumentParser) -> None:
    game_options(parser)
    agents_option(parser)
    parser.add_argument(
        "--out", metavar="FILE",
        help="save the replay, also of a game that was left; the same command goes on with such a game",
    )  # fmt: skip


def run(arguments: argparse.Namespace) -> None:
    """`masume play GAME`: the boards during the game (to a human on their turn only), then the result."""
    game = read_game(arguments)
    seed = read_seed(arguments, game)
    if len(arguments.agents) > game.num_players:
        raise ConfigError(f"agents: expected {game.num_players}, one for each seat, got {len(arguments.agents)}")
    names = [arguments.agents[player % len(arguments.agents)] for player in range(game.num_players)]
    quiet = arguments.json or "human" in names
    played = begin(game, seed)
    if arguments.out is not None:
        check_writable(arguments.out)  # before a game that may be long
        played = _resume(game, seed, arguments.out) or played
    with contextlib.ExitStack() as stack:
        agents = []
        for name in names:
            asked_aside = name == "human" and arguments.json  # stdout is reserved for the JSON
            agents.append(Human(stdout=sys.stderr) if asked_aside else make_agent(name, game))
            if isinstance(agents[-1], Human):
                agents[-1].follow(played.actions)
            stack.callback(close_agent, agents[-1])
        try:
            play_game(game, agents, seed, None if quiet else print_board, played)
        except Quit:
            _leave(played, seed, names, arguments)
            return
        except BaseException as error:
            fault = error if isinstance(error, AgentError) else None
            if arguments.out is not None and (fault is not None or ("human" in names and played.actions)):
                replay.save(arguments.out, [played.to_replay(seed, names, fault)])
                print(say("What was played is in {path}.", path=arguments.out), file=sys.stderr)
            raise
    result = played.to_replay(seed, names)
    if arguments.out is not None:
        replay.save(arguments.out, [result])
    won = winners(result.returns)
    if arguments.json:
        facts = {"returns": result.returns, "scores": result.scores, "winners": won, "plies": len(result.moves)}
        print_json({"game": game.name, "seed": seed, "names": names, **facts})
        return
    if quiet:
        print_board(played.state)
    columns = (range(len(names)), names, result.scores, [f"{value:+g}" for value in result.returns])
    rows = list(zip(*columns, strict=True))
    print(table(rows, (_("player"), _("agent"), _("score"), _("return"))))


def _resume(game: Game, seed: int, path: str) -> PlayedGame | None:
    """Return the game that was left in a file; None if there is no file, or its game is over."""
    if not Path(path).exists():
        return None
    try:
        (found,) = replay.load(path)
    except (ReplayError, ValueError):
        return None  # the file is replaced, as by every --out
    if any(isinstance(move, replay.Forfeit) for move in found.moves) or list(found.states())[-1].is_terminal():
        return None
    same = [one.config.to_dict() if one.config else one for one in (found.game, game)]
    if same[0] != same[1] or (found.game.name, found.seed) != (game.name, seed):
        told = f"{found.game!r} of seed {found.seed}"
        raise ConfigError(f"out: {path}: expected a new file, got one with a game that was left, {told}")
    print(say("Going on with the game in {path}, after {number} decisions.", path=path, number=len(found.moves)))
    return begin(game, seed, found.moves)


def _leave(played: PlayedGame, seed: int, names: list[str], arguments: argparse.Namespace) -> None:
    """Save a game that a person leaves: in --out, or else where the person says."""
    path = arguments.out
    if path is None and not arguments.json:
        print(_("Save the game as (Enter: do not save): "), end="", flush=True)
        path = sys.stdin.readline().strip() or None
    if path is None or not played.actions:
        return
    replay.save(path, [played.to_replay(seed, names)])
    aside = sys.stderr if arguments.json else sys.stdout
    print(say("The game is in {path}; the same command with --out {path} goes on with it.", path=path), file=aside)
