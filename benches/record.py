"""Record the play that the benches work on: `python benches/record.py kakomimasu`.

Games between all agents that act, in all seats, cut off after the last ply that is wanted. The file is
committed, so that the positions, and with them the figures, stay what they are when an agent changes.
"""

import itertools
import sys
from pathlib import Path

import numpy as np

import masume
from masume.agent import agents_of, make_agent
from masume.bench import WORKLOADS
from masume.rng import stream
from masume.selfplay import play

GAMES, PLIES = 32, 56


def record(name: str) -> None:
    """Write midgame.npz of the game."""
    game = masume.load(name, **WORKLOADS[name].fields)
    agents = [agent for agent in dict.fromkeys([*game.policies, *agents_of(game)]) if agent != "none"]
    tables = list(itertools.product(agents, repeat=game.num_players))
    seeds = np.array([stream(0, k) >> 1 for k in range(GAMES)], np.uint64)
    games = []
    for k, seed in enumerate(seeds):
        names = tables[-1 - k % len(tables)]  # from the end: the strongest agents come last
        games.append(play(game, [make_agent(agent, game) for agent in names], int(seed)).actions[:PLIES])
    actions = np.array(games)
    assert actions.max() < 2**15
    path = Path(masume.__file__).with_name(name) / "midgame.npz"
    np.savez_compressed(path, seeds=seeds, actions=actions.astype(np.int16))
    print(f"{path}: {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    record(*sys.argv[1:])
