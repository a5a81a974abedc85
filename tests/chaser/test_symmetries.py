"""Symmetries of CHaser: on a turned field, the turned methods lead to turned views."""

import numpy as np

import masume
from masume.chaser.maps import Map
from masume.core.symmetry import list_turns

SIDE, CROP = 8, 7


def turned_map(field, turn):
    """Return a map of SIDE x SIDE cells, turned."""
    cells = np.array(field.rows).reshape(-1)[turn.cells].reshape(SIDE, SIDE)
    places = [divmod(turn.cells.tolist().index(row * SIDE + column), SIDE) for row, column in (field.cool, field.hot)]
    return Map(tuple(map(tuple, cells.tolist())), *places, turn_limit=field.turn_limit)


def test_a_game_on_a_turned_field_looks_turned():
    rng = np.random.default_rng(4)
    rows = rng.choice([0, 0, 0, 2, 3], (SIDE, SIDE))
    rows[2:4, 1:3] = rows[5:7, 4:7] = 0
    field = Map(tuple(map(tuple, rows.tolist())), (2, 1), (5, 5), turn_limit=25)
    game = masume.load("chaser", map=field)
    offered = game.part("symmetries").list_symmetries(game, CROP, CROP)
    assert len(offered) == 8
    for of_view, of_field in zip(offered, list_turns(SIDE, SIDE), strict=True):
        other_game = masume.load("chaser", map=turned_map(field, of_field))
        back = np.argsort(of_view.codes)
        plies = 0
        for _ in range(12):
            state, other = game.new_state(), other_game.new_state()
            while not state.is_terminal():
                safe = np.flatnonzero(state.safe_mask)
                code = int(rng.choice(safe if len(safe) else np.arange(16)))
                state.apply(code)
                other.apply(int(back[code]))
                plies += 1
                assert other.is_terminal() == state.is_terminal()
                assert other.returns().tolist() == state.returns().tolist()
                for player in range(2):
                    before, after = (one.observation(player, crop=CROP) for one in (state, other))
                    wanted = before["planes"].reshape(len(before["planes"]), -1)[:, of_view.cells]
                    np.testing.assert_array_equal(after["planes"].reshape(wanted.shape), wanted)
                    np.testing.assert_array_equal(after["scalars"], before["scalars"])
        assert plies > 150
