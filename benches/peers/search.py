"""Simulations a second of MCTS with random playouts to the end: masume beside OpenSpiel's C++ MCTS.

    pip install 'masume[openspiel]'
    python benches/peers/search.py [--rounds 9]

Each case is a search of some thousand simulations from the start of a game, on one thread. Every case runs once in
each round, so that whatever else the machine does hits all of them; the table has medians of the thread's CPU time.
`plies` is the mean length of a random game. For masume the same playouts without a tree (`Batch.playout`) stand
beside; the ratio is taken within a round.
"""

import argparse
import statistics
import time

import masume
from masume.bench import WORKLOADS
from masume.rng import Rng
from masume.search import MCTS

GAMES = {"battleship": "5x5", "chaser": "15x17", "kakomimasu": "8x8", "nezumi": "garden"}
PLAYOUTS = 256
NO_TREE = ", no tree"
SPIEL = ("connect_four", "breakthrough", "othello", "go(board_size=9)", "hex(board_size=11)")


def search_case(game, simulations):
    """MCTS as it is where nothing is said, from the start."""
    state = game.new_state(1)
    return lambda: MCTS(game, simulations=simulations).search(state, seed=1) and simulations


def playout_case(game):
    """The same playouts in a batch, from the same start."""
    batch = game.batch(PLAYOUTS, seed=1, observe=None, masks=False)

    def run():
        batch.reset(1)
        batch.playout()
        return PLAYOUTS

    return run


def spiel_case(game, simulations):
    """OpenSpiel's MCTSBot with one random playout a leaf, from the start."""
    import pyspiel

    state = game.new_initial_state()

    def run():
        evaluator = pyspiel.RandomRolloutEvaluator(1, 1)
        pyspiel.MCTSBot(game, evaluator, 1.4, simulations, 256, False, 1, False).mcts_search(state)
        return simulations

    return run


def spiel_plies(game, games=50):
    """The mean length of random games."""
    rng, plies = Rng(1), 0
    for _ in range(games):
        state = game.new_initial_state()
        while not state.is_terminal():
            legal = state.legal_actions()
            state.apply_action(legal[rng.below(len(legal))])
            plies += 1
    return plies / games


def own():
    """(name, plies, function), a search and its playouts for each."""
    for name, title in [*GAMES.items(), ("kakomimasu", "24x24")]:
        game = masume.load(name, **WORKLOADS[name].playouts[title])
        plies = game.batch(PLAYOUTS, seed=1, observe=None, masks=False).playout() / PLAYOUTS
        yield f"{name} {title}", plies, search_case(game, 4000)
        yield f"{name} {title}{NO_TREE}", plies, playout_case(game)


def peers():
    """The same of OpenSpiel's games."""
    import pyspiel

    for name in SPIEL:
        game = pyspiel.load_game(name)
        yield f"OpenSpiel's {name}", spiel_plies(game), spiel_case(game, 500)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=9)
    arguments = parser.parse_args()
    cases = list(own())
    try:
        cases += peers()
    except ImportError as error:
        print(f"left out: {error}")
    spent = {name: [] for name, _, _ in cases}
    for _ in range(arguments.rounds + 1):
        for name, _, run in cases:
            begun = time.thread_time()
            units = run()
            spent[name].append((time.thread_time() - begun) / units)
    print("| game | plies | simulations/s | by the playouts alone |\n|---|---:|---:|---:|")
    for name, plies, _ in cases:
        if name.endswith(NO_TREE):
            continue
        alone = spent.get(name + NO_TREE, [])
        ratio = [one / other for one, other in zip(spent[name], alone, strict=False)][1:]
        beside = f"{statistics.median(ratio):.2f}" if ratio else ""
        print(f"| {name} | {plies:.0f} | {1 / statistics.median(spent[name][1:]):,.0f} | {beside} |")


if __name__ == "__main__":
    main()
