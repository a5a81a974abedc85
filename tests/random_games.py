"""Games to draw, recorded without an agent: random play."""

import dataclasses

import numpy as np

import masume


@dataclasses.dataclass
class Recorded:
    """What `render.page` takes; `positions` are those that `states` gives."""

    names: list
    seed: int
    moves: list
    positions: list

    def states(self):
        """The positions, one by one."""
        return iter(self.positions)


def random_game(game, names, seed=0, plies=None):
    """A game of random moves on `game`; its first `plies` if told."""
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
    """A random game of Kakomimasu on a board with this config."""
    return random_game(masume.load("kakomimasu", seed=seed, **fields), list(names), seed)
