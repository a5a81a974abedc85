"""Record the play that the benches work on: `python benches/record.py kakomimasu [GAMES]`.

Games between all agents that act, in all seats, are cut off after the last ply that is needed. Games that end before
that are left out, and so are those in which an action at a needed position has no code, since a batch cannot play it.
The file is committed, so that the positions and the figures stay the same when an agent changes. The first 32 games are
the recorded set of positions. A table without policies cannot play the other sets: Nezumi's file has 288 games.
"""

import itertools
import sys
from pathlib import Path

import numpy as np

import masume
from masume.agents.make import agents_of, make_agent
from masume.bench import workloads
from masume.core.rng import stream
from masume.play.driver import play_game

GAMES, POSITIONS = 32, 32  # positions of each game


def are_codes(game: masume.Game, seed: int, played: list[list[int]]) -> bool:
    """Return whether the last actions, at the needed positions, have codes."""
    state = game.new_state(seed)
    for ply, actions in enumerate(played):
        if ply >= len(played) - POSITIONS and any(state.encode(int(action)) < 0 for action in actions):
            return False
        state.apply(actions if game.num_slots > 1 else actions[0])
    return True


def record(name: str, count: int = GAMES) -> None:
    """Write midgame.npz of the game, with this number of games."""
    game = masume.load(name, **workloads()[name].fields)
    plies = workloads()[name].first + POSITIONS
    agents = [agent for agent in dict.fromkeys([*game.policies, *agents_of(game)]) if agent != "none"]
    tables = list(itertools.product(agents, repeat=game.num_players))
    seeds: list[int] = []
    games = []
    for k in itertools.count():
        names = tables[-1 - k % len(tables)]  # from the end: the strongest agents are last
        seed = stream(0, k) >> 1
        played = play_game(game, [make_agent(agent, game) for agent in names], seed).actions
        if len(played) > plies and are_codes(game, seed, played[:plies]):
            seeds.append(seed)
            games.append(played[:plies])
        if len(games) == count:
            break
    actions = np.array(games).reshape(count, plies, game.num_slots)
    dtype = np.int16 if actions.max() < 2**15 else np.int64
    path = Path(masume.__file__).with_name(name) / "midgame.npz"
    np.savez_compressed(path, seeds=np.array(seeds, np.uint64), actions=actions.astype(dtype))
    print(f"{path}: {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    record(sys.argv[1], *map(int, sys.argv[2:]))
