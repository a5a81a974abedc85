"""OpenSpiel's MCTS in C++, with one random playout to the end per leaf, on games as long as masume's."""

from __future__ import annotations

from typing import Any

import pyspiel

from masume.bench import Case, Work
from masume.core.rng import Rng

SIMULATIONS = 256
GAMES = 50
PLIES = {"connect_four": 22, "breakthrough": 62, "othello": 60, "go(board_size=9)": 116, "hex(board_size=11)": 106}
"""Number of games between random players for the mean length."""


def cases() -> list[Case]:
    return [
        Case(f"search {name}, {plies} plies/OpenSpiel", "simulation", "peers", lambda _, name=name: search(name))
        for name, plies in PLIES.items()
    ]


def search(name: str) -> Work:
    game = pyspiel.load_game(name)
    state = game.new_initial_state()
    roots: list[Any] = []

    def run() -> None:
        evaluator = pyspiel.RandomRolloutEvaluator(1, 1)
        roots[:] = [pyspiel.MCTSBot(game, evaluator, 1.4, SIMULATIONS, 256, False, 1, False).mcts_search(state)]

    def check() -> None:
        assert roots[0].explore_count == SIMULATIONS
        assert round(plies_of(game)) == PLIES[name]

    return Work(run, SIMULATIONS, check)


def plies_of(game: Any) -> float:
    """Return the mean length of games between random players."""
    rng, plies = Rng(1), 0
    for _ in range(GAMES):
        state = game.new_initial_state()
        while not state.is_terminal():
            legal = state.legal_actions()
            state.apply_action(legal[rng.below(len(legal))])
            plies += 1
    return plies / GAMES
