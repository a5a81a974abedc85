"""How long the first game on the page takes, for the minutes that the lobby names.

    python benches/page_minutes.py [--games 21] [--replays FOLDER]

With --replays: the median time of the recorded games on the first board of each game in which a person took time, as
the page keeps them. Without: the median of games in which the level that is offered first to those who choose plays a
person's seat against the weakest level; each of its decisions counts PRESS_S, each turn of the others ANSWER_S.
"""

from __future__ import annotations

import argparse
import math
import statistics
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import masume
from masume.agents.make import make_agent
from masume.play.driver import play_game
from masume.play.menu import first_board
from masume.records import replay
from masume.web.offers import game_of, offer

PRESS_S = 2.5  # to look, to decide and to press
ANSWER_S = 1.0  # the page shows what a player did before it shows the answer
PERSON_MS = 500  # a turn on average, below which no person played


def seconds_of_presses(game: masume.Game, states: Iterable[masume.State], moves: Iterable[Any]) -> float:
    """Return the seconds that player 0 needs for a game."""
    presses = answers = 0
    part: Any = game.part("people")
    last = -2
    for state, _move in zip(states, moves, strict=False):
        if hasattr(part, "is_setting_up") and part.is_setting_up(state):
            continue
        player = state.current_player
        is_new = player != last or player < 0
        if player < 0:
            presses += sum(owner == 0 for owner in state.slots) + 1
        elif player == 0:
            presses += 1 + (is_new and game.is_perfect_information)  # "End turn"
        else:
            answers += is_new
        last = player
    return PRESS_S * presses + ANSWER_S * answers


def measure(name: str, num_games: int) -> tuple[float, str]:
    board, offered = first_board(name), offer(name)
    game = game_of(name, board.start, board.variant)
    names = [offered["level"], *[offered["levels"][0]] * (game.num_players - 1)]
    if names[0] == names[1]:
        names[0] = offered["levels"][1]
    found = []
    for seed in range(num_games):
        one = play_game(game, [make_agent(agent, game) for agent in names], seed).to_replay(seed, names)
        found.append(seconds_of_presses(game, one.states(), one.moves))
    return statistics.median(found), f"{num_games} games of {names[0]} against {names[1]}"


def recall(folder: str) -> dict[str, tuple[float, str]]:
    """Return the median seconds by game of the recorded first games of people."""
    found: dict[str, list[float]] = {}
    for path in replay.files_of(Path(folder)):
        for one in replay.load(path):
            board = first_board(one.game.name)
            parts = [part if isinstance(part, list) else [part] for part in one.ms or ()]
            used = [ms for part in parts for ms in part if ms is not None]
            is_first = one.game.config == game_of(one.game.name, board.start, board.variant).config
            if is_first and used and max(used) > PERSON_MS and sum(used) / len(used) > PERSON_MS:
                found.setdefault(one.game.name, []).append(sum(used) / 1000)
    return {name: (statistics.median(seconds), f"{len(seconds)} games of people") for name, seconds in found.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=21)
    parser.add_argument("--replays")
    arguments = parser.parse_args()
    found = recall(arguments.replays) if arguments.replays else {}
    for name in masume.game.games():
        seconds, source = found.get(name) or measure(name, arguments.games)
        print(f"{name:14}{seconds:7.1f} s {math.ceil(seconds / 60):3d} min   {source}", flush=True)


if __name__ == "__main__":
    main()
