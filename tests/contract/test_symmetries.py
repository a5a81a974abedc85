"""Symmetries that a game offers: play on a turned board is the turned play."""

import numpy as np
import pytest

import masume
from cases import GAMES
from masume.core.symmetry import list_turns

TURNED = {
    "kakomimasu": [{"width": 6, "height": 6, "n_agents": 2, "total_turns": 12}, {"width": 7, "height": 5}],
    "nezumi": [{"stage": name} for name in ("garden", "pantry", "ring", "pillars", "siege", "crossroads")],
}
COUNTS = {"garden": 2, "pantry": 2, "ring": 2, "pillars": 2, "siege": 2, "crossroads": 1}
OWN_FIELD = {"chaser"}  # turned with its field: tests/chaser/test_symmetries.py


def is_turned(game, turn, state, other):
    """Assert that `other` is `state`, turned."""
    assert state.is_terminal() == other.is_terminal()
    assert state.returns().tolist() == other.returns().tolist()
    assert state.scores().tolist() == other.scores().tolist()
    assert state.slots.tolist() == other.slots.tolist()
    for slot in range(len(state.slots)):
        np.testing.assert_array_equal(other.legal_mask(slot), state.legal_mask(slot)[turn.codes])
    for player in range(game.num_players):
        before, after = state.observation(player), other.observation(player)
        planes = before["planes"].reshape(len(before["planes"]), -1)
        np.testing.assert_array_equal(after["planes"].reshape(planes.shape), planes[:, turn.cells])
        np.testing.assert_array_equal(after["scalars"], before["scalars"])


@pytest.mark.parametrize(("name", "config"), [(name, config) for name in TURNED for config in TURNED[name]])
def test_a_turned_game_is_the_same_game(name, config):
    game = masume.load(name, **config)
    _, rows, columns = game.observation_spec["planes"][0]
    turns = game.part("symmetries").list_symmetries(game, rows, columns)
    np.testing.assert_array_equal(turns[0].codes, np.arange(game.num_actions))
    np.testing.assert_array_equal(turns[0].cells, np.arange(rows * columns))
    if "stage" in config:
        assert len(turns) == COUNTS[config["stage"]]
    else:
        assert len(turns) == 4  # its points are mirrored in both axes
    rng = np.random.default_rng(3)
    for turn in turns:
        back = np.argsort(turn.codes)
        for _ in range(6):
            state, other = game.new_state(1), game.new_state(1)
            while not state.is_terminal():
                codes = [rng.choice(np.flatnonzero(state.legal_mask(k))) for k in range(len(state.slots))]
                one = [state.decode(int(code)) for code in codes]
                two = [other.decode(int(back[code])) for code in codes]
                state.apply(one if game.num_slots > 1 else one[0])
                other.apply(two if game.num_slots > 1 else two[0])
                is_turned(game, turn, state, other)


def test_every_game_with_symmetries_is_tested():
    with_them = {name for name in GAMES if masume.load(name).part("symmetries")}
    assert with_them == {*TURNED, *OWN_FIELD}


def test_turns_move_cells_and_directions_alike():
    """A step from a cell leads to the same content before and after each turn."""
    steps = ((-1, 0), (0, 1), (1, 0), (0, -1))
    for rows, columns, count in ((3, 4, 4), (4, 4, 8)):
        turns = list_turns(rows, columns)
        assert len({tuple(turn.cells) for turn in turns}) == count
        assert turns[0].cells.tolist() == list(range(rows * columns))
        for turn in turns:
            for cell in (columns + 1, columns + 2):
                for (down, right), before in zip(steps, turn.directions(steps), strict=True):
                    ahead = turn.cell(cell + down * columns + right)
                    assert ahead == turn.cell(cell) + steps[before][0] * columns + steps[before][1]
