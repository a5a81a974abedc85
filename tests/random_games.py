"""Games to draw, recorded without an agent: random play."""

import dataclasses

import numpy as np

import masume


@dataclasses.dataclass
class Recorded:
    """Argument for `render.page`; `positions` are those that `states` yields."""

    names: list
    seed: int
    moves: list
    positions: list

    def states(self):
        """Yield the positions, one by one."""
        return iter(self.positions)


def random_game(game, names, seed=0, plies=None):
    """Return a game of random moves on `game`, or its first `plies` plies."""
    rng = np.random.default_rng(seed)
    state = game.new_state(seed)
    positions, moves = [state.clone()], []
    while not state.is_terminal() and len(moves) != plies:
        actions = [int(rng.choice(state.legal_actions(slot))) for slot in range(len(state.slots))]
        moves.append(actions if game.is_simultaneous else actions[0])
        state.apply(moves[-1])
        positions.append(state.clone())
    return Recorded(names, seed, moves, positions)


def kakomimasu(names=("one", "two"), seed=0, **fields):
    """Return a random game of Kakomimasu on a board with this config."""
    return random_game(masume.load("kakomimasu", seed=seed, **fields), list(names), seed)
