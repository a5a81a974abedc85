"""Small games and positions for the tests of several searches."""

import numpy as np

from masume.core.rng import Rng
from masume.errors import StageError
from masume.nezumi.stages import Stage
from toy import Counting


class Nim(Counting):
    """Players in turn take one or two of the stones; taking the last stone wins. score[0] counts the stones taken."""

    def __init__(self, stones):
        self.stones = stones
        super().__init__(length=stones, memory=False)

    def slots(self, _, state, players):
        players[0] = self.at(state).ply % 2
        return int(self.at(state).score[0] < self.stones)

    def count(self, state):
        return min(2, self.stones - self.at(state).score[0])

    def apply(self, table, state, memory, codes):
        s = self.at(state)
        if not 0 <= codes[0] < self.count(state):
            return -1
        s.score[0] += 1 + codes[0]
        s.ply += 1
        return int(s.score[0] == self.stones)

    def returns(self, _, state, out):
        s = self.at(state)
        over = s.score[0] == self.stones
        out[(s.ply + 1) % 2], out[s.ply % 2] = (1.0, -1.0) if over else (0.0, 0.0)


class Matrix(Counting):
    """Two players choose a row and a column at once; `pay` is the result of the first, in -1..1."""

    def __init__(self, pay):
        self.pay = pay
        super().__init__(length=1, memory=False, flags=1, num_slots=2)
        self.slots_now = 2

    def slots(self, _, state, players):
        players[0], players[1] = 0, 1
        return 2 * int(self.at(state).ply == 0)

    def count(self, state):
        return len(self.pay)

    def apply(self, table, state, memory, codes):
        s = self.at(state)
        s.ply, s.score[0], s.score[1] = 1, codes[0], codes[1]
        return 1

    def returns(self, _, state, out):
        s = self.at(state)
        out[0] = self.pay[s.score[0]][s.score[1]] if s.ply else 0.0
        out[1] = -out[0]


class Alone(Counting):
    """One player, two plies; score[0] is the sum of the codes."""

    def __init__(self):
        super().__init__(length=2, memory=False, num_players=1)

    def slots(self, _, state, players):
        players[0] = 0
        return int(self.at(state).ply < 2)

    def count(self, state):
        return 2

    def apply(self, table, state, memory, codes):
        s = self.at(state)
        s.ply, s.score[0] = s.ply + 1, s.score[0] + codes[0]
        return int(s.ply == 2)

    def returns(self, _, state, out):
        out[0] = 0.0

    def scores(self, _, state, out):
        out[0] = self.at(state).score[0]


class Open(Counting):
    """Counting with perfect information; the code counts double for the second player."""

    def __init__(self, length=6, **options):
        super().__init__(length, memory=False, **options)

    def scores(self, _, state, out):
        score = self.at(state).score
        out[0] = score[0] - 2 * score[1]
        out[1] = -out[0]


def followers(state):
    """Return the positions one action later."""
    for action in state.legal_actions():
        following = state.clone()
        following.apply(action)
        yield following


def tiny(seed):
    """Return a stage of up to eight cells, with one to three mice and turns."""
    rng = Rng(seed)
    while True:
        height, width = 1 + rng.below(3), 1 + rng.below(4)
        cells = range(height * width)
        wall = [int(rng.below(5) == 0) for _ in cells]
        zone = [int(not is_wall and rng.below(2)) for is_wall in wall]
        food = [0 if is_wall or rng.below(2) else 1 + rng.below(6) for is_wall in wall]
        mice = 1 + rng.below(3)
        numbers = (rng.below(len(cells)), mice, 1 + rng.below(mice), 1 + rng.below(3))
        try:
            if 2 < len(cells) <= 8:
                return Stage("tiny", height, width, wall, zone, food, *numbers)
        except StageError:
            continue


def random_states(game, count):
    """Return positions of random games."""
    rng = np.random.default_rng(7)
    states = []
    for seed in range(count):
        state = game.new_state(seed)
        for _ in range(int(rng.integers(6))):
            actions = [int(rng.choice(state.legal_actions(slot))) for slot in range(len(state.slots))]
            before = state.clone()
            state.apply(actions if game.num_slots > 1 else actions[0])
            if state.is_terminal():
                state = before
                break
        states.append(state)
    return states
