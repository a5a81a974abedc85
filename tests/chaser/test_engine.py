"""The engine beyond the rules: bytes and keys, knowledge of players, samples, and refused input."""

import ctypes
import functools
import pickle
from collections import Counter

import numpy as np
import pytest

import masume
from lockstep import Lockstep
from masume.chaser import notation
from masume.chaser._engine import CODES, State, cells_around, table
from masume.chaser.config import Config
from masume.chaser.maps import BLOCK, FLOOR, ITEM, Map, neighbours, start_cells
from masume.chaser.reference import State as Reference
from masume.chaser.reference import info_cells
from masume.core import _state
from masume.core._wide import levels
from masume.core.rng import Rng
from masume.errors import ConfigError, GameOverError, StateError
from masume.game import Game

from .campaign import choose, memory_of
from .conftest import draw_map, lines, meadow, play

BOARD = """
    .#*.
    .C..
    ...H
    items: 1 0
    half: 4
"""


@pytest.fixture
def game():
    return masume.load("chaser", map=meadow(3, 4, turn_limit=9))


@pytest.fixture
def state(game):
    return game.parse(BOARD)


def start_game(text, turn_limit=100):
    """Return the start on the drawn map."""
    return masume.load("chaser", map=draw_map(lines(text), turn_limit)).new_state()


# -- nouns ------------------------------------------------------------------------------------------


def test_the_nouns_show_the_position(state):
    assert state.cells.tolist() == [[0, 2, 3, 0], [0, 0, 0, 0], [0, 0, 0, 0]]
    assert state.positions.tolist() == [[1, 1], [2, 3]]
    assert state.items.tolist() == [1, 0]
    assert (state.half, state.turns_left, state.winner, state.reason) == (4, 7, -1, 0)
    dtypes = {name: getattr(state, name).dtype for name in ("cells", "positions", "items", "safe_mask")}
    assert dtypes == {"cells": "u1", "positions": "i2", "items": "i4", "safe_mask": "u1"}
    state.apply(CODES.index("wl"))
    assert (state.half, state.turns_left) == (5, 7)
    state.forfeit(0, "FOUL")
    assert (state.winner, state.reason) == (1, notation.REASONS.index("FOUL"))


def test_the_full_observation_shows_everything(state):
    planes = state.full_observation()
    assert planes.dtype == np.float32
    assert planes.shape == (6, 3, 4)
    for plane, value in enumerate((FLOOR, BLOCK, ITEM)):
        assert np.array_equal(planes[plane], state.cells == value)
    assert np.argwhere(planes[3]).tolist() == [[1, 1]]
    assert np.argwhere(planes[4]).tolist() == [[2, 3]]
    assert not planes[5].any()
    state.apply(CODES.index("wl"))
    assert state.full_observation()[5].all()


def test_a_player_outside_is_on_no_plane():
    state = start_game("C.H")
    play(state, "wu")
    assert not state.full_observation()[3].any()
    assert state.positions.tolist()[0] == [-1, 0]


def test_codes_are_those_of_the_notation():
    assert CODES == notation.CODES


def test_what_is_no_cause_is_named(state):
    for cause in ("HUNGER", 0, None, ["FOUL"], np.zeros(3)):
        with pytest.raises(ValueError, match="cause"):
            state.forfeit(0, cause)
    assert not state.is_terminal()


def test_a_table_of_another_game_or_config_is_refused():
    import toy

    with pytest.raises(TypeError, match="is not chaser"):
        State(masume.load(toy.Counting()))
    with pytest.raises(TypeError, match="config"):
        table(masume.load("kakomimasu").config)


# -- bytes, keys, checks ------------------------------------------------------------------------------


@pytest.mark.parametrize(("height", "width", "size"), [(15, 17, 128), (17, 15, 128), (17, 21, 192), (64, 64, 1216)])
def test_a_state_is_small_and_fills_cache_lines(height, width, size):
    game = masume.load("chaser", height=height, width=width)
    assert game.state_size == size
    cells, turns = (height + 18) * (width + 18), 100
    assert game.memory_size == 8 + 2 * (24 + 4 * (-(-cells // 64) * 8) + -(-turns // 16) * 8)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("size", [(15, 17), (3, 5), (1, 64), (64, 1), (64, 64), (6, 6)])
def test_generated_maps_are_those_of_the_reference(size, seed):
    fields = {"height": size[0], "width": size[1], "n_blocks": 2, "n_items": 4 + size[0] * size[1] % 2}
    game = masume.load("chaser", **fields)
    assert game.new_state(seed).to_dict() == Reference.new(game.config, seed).to_dict()


def test_the_bytes_of_a_state_are_its_fields(state):
    array = state.array
    assert [array[name].tolist() for name in ("half", "items", "winner", "reason")] == [4, [1, 0], -1, 0]
    stride = 4 + 9
    assert array["places"].tolist() == [2 * stride + 1, 3 * stride + 3]
    bits = np.unpackbits(array["cells"].view(np.uint8), bitorder="little").reshape(-1, 2) @ [1, 2]
    rows = [(bits[(row + 1) * stride :][:4] ^ 2).tolist() for row in range(3)]
    assert rows == state.cells.tolist()
    assert np.count_nonzero(bits) == 11


def edit(state, place, value, kind="<i2"):
    """Return the state's bytes with a number replaced."""
    data = bytearray(state.to_bytes())
    data[place : place + np.dtype(kind).itemsize] = np.array(value, kind).tobytes()
    return bytes(data)


def test_check_finds_every_fault_in_the_bytes_of_a_state(state):
    bytes_of_a_cell = 12 + 2 * 13 // 4  # of row 1, column 0
    faults = {
        "half: out of range": [(0, -1), (0, 19)],
        "winner, reason: out of range": [(10, -2, "i1"), (10, 3, "i1"), (11, 7, "i1"), (11, -1, "i1")],
        "cells: outside the field, or none": [(12, 1), (bytes_of_a_cell, 255, "u1"), (22, 255, "u1")],
        "padding": [(state.game.state_size - 1, 1, "u1")],
        "row, col: more than a step": [(2, -1), (2, 4096), (2, 3 * 13 + 6), (2, 4 * 13 + 4), (4, 0 * 13 + 6)],
        "items: more than": [(6, 3), (6, -1), (8, 300)],
        "reason: there is one": [(10, 1, "i1"), (11, 2, "i1")],
        "row, col: a player does not stand": [(2, 13 + 2)],
        "winner, reason: not those": [(2, 13 + 1), (4, 0 * 13 + 2), (2, 2 * 13 - 1), (10, 0x0200), (10, 0x0600)],
        "reason: a foul": [(10, 0x0502)],
    }
    for message, cases in faults.items():
        for case in cases:
            with pytest.raises(StateError, match=message):
                state.game.state_from_bytes(edit(state, *case))
    alone = state.to_bytes()[: state.game.state_size]
    assert state.game.state_from_bytes(alone, without_memory=True).to_dict() == state.to_dict()
    with pytest.raises(StateError, match="half"):
        state.game.state_from_bytes(b"\xff\xff" + alone[2:], without_memory=True)


def test_a_foul_needs_a_game_that_goes_on_and_an_attack_a_cell_inside():
    fouled = start_game("C.H")
    fouled.forfeit(1, "FOUL")
    variables = fouled.to_dict()
    fouled.game.state_from_dict(variables)
    for bad in ({"cells": [0, 2, 0]}, {"winner": 2}):
        with pytest.raises(StateError, match=r"reason|winner"):
            fouled.game.state_from_dict(variables | bad)
    attacked = start_game("CH.")
    play(attacked, "pr")
    variables = attacked.to_dict()
    with pytest.raises(StateError, match="row"):
        attacked.game.state_from_dict(variables | {"col": [0, 3]})


class Places:
    """Offsets of the variables in the bytes of a state with its memory."""

    def __init__(self, state, player):
        game, height, width = state.game, state.game.config.height, state.game.config.width
        self.memory = game.state_size
        self.stride = width + 18
        self.cells = (height + 18) * self.stride
        self.plane = -(-self.cells // 64) * 8
        self.known = self.memory + 8 + player * ((game.memory_size - 8) // 2)
        self.ready, self.last_info = self.known, self.known + 4
        self.start, self.at, self.foe, self.foe_half, self.begin, self.mirrored, self.top = range(
            self.known + 8, self.known + 22, 2
        )
        self.middle = int.from_bytes(state.to_bytes()[self.start : self.start + 2], "little")
        self.methods = self.known + 24 + 4 * self.plane

    def edit_sights(self, data, row, column, sights):
        """Return the bytes with other sights of a cell, given relative to the start.

        Bits 0 and 1 of `sights` are the last sight, bits 2 and 3 the first.
        """
        data, cell = bytearray(data), self.middle + row * self.stride + column
        for n in range(4):
            place = self.known + 24 + n * self.plane + cell // 8
            data[place] = data[place] & ~(1 << cell % 8) | (sights >> n & 1) << cell % 8
        return bytes(data)


def test_check_finds_every_fault_in_the_bytes_of_a_memory():
    state = start_game("""
        .#*.....
        .C......
        ......H.
    """)
    play(state, "wd sl lu")
    hot, cool = Places(state, 1), Places(state, 0)
    data = state.to_bytes()
    ready, told = (int.from_bytes(data[place : place + 4], "little") for place in (hot.ready, cool.last_info))
    floor, item, block = 1, 2, 3
    faults = {
        "memory: out of range": [
            (hot.memory, 4, "<i4"), (hot.memory, -1, "<i4"), (hot.memory + 4, 1, "<i4"), (hot.start, -1),
            (hot.start, hot.cells), (hot.at, -1), (hot.at, hot.cells), (hot.foe, -1), (hot.foe, hot.cells),
            (cool.foe, 5), (hot.foe_half, 4), (hot.foe_half, -2), (hot.begin, 1), (hot.begin, -1), (hot.mirrored, 2),
            (hot.mirrored, -1),
        ],
        "memory: no digits": [
            (hot.ready, ready | 1 << 9, "<i4"), (hot.ready, 1 << 15, "<i4"), (cool.last_info, told | 1 << 10, "<i4"),
        ],
        "memory: a start outside": [(hot.at, hot.middle + 7), (cool.at, 0)],
        "memory: the own cell": [(hot.at, hot.middle - 1), (cool.at, cool.middle + cool.stride + 1)],
        "memory: a method that is still to come": [
            (hot.methods, 10 | 1 << 4, "u1"), (hot.methods + 1, 1, "u1"), (cool.methods + 1, 16, "u1"),
        ],
        "memory: not the part": [(hot.top, -2, "i1"), (hot.top + 1, 1, "i1"), (cool.top + 2, 0, "i1"),
                                 (cool.top + 3, 9, "i1")],
        "memory: the opponent cannot have come": [(cool.foe_half, 3), (hot.foe, hot.middle)],
        "memory: the ready info is not": [(hot.ready, ready ^ 1, "<i4")],
        "memory: the last info is not": [(cool.last_info, told ^ 1, "<i4"), (cool.last_info, told ^ 1 << 9, "<i4")],
        "memory: a sight that there is not": [(hot.methods, 9, "u1"), (hot.known + 23 + hot.plane, 128, "u1")],
    }  # fmt: skip
    for message, cases in faults.items():
        for place, value, kind in ((*case, "<i2")[:3] for case in cases):
            with pytest.raises(StateError, match=message):
                state.game.state_from_bytes(edit(state, place, value, kind))
    sights = {
        "memory: a sight that there is not": [(0, 8, floor * 5), (0, -1, 0), (0, -1, floor), (0, -1, floor * 4)],
        "memory: no block outside": [(1, 0, floor * 5), (1, 0, block | floor * 4)],
        "memory: a cell was seen that is another": [
            (0, -1, block * 5), (0, -1, item * 5), (0, -1, floor | block * 4), (0, -1, item | floor * 4),
        ],
    }  # fmt: skip
    for message, changes in sights.items():
        for change in changes:
            with pytest.raises(StateError, match=message):
                state.game.state_from_bytes(hot.edit_sights(data, *change))
    assert state.game.state_from_bytes(hot.edit_sights(data, 0, -1, floor * 5)).key == state.key


@pytest.mark.parametrize("row", [0, 8])
def test_a_frame_holds_what_can_be_seen_around_what_is_known(row):
    state = start_game("C.H")
    places, data = Places(state, 0), bytearray(state.to_bytes())
    up = places.middle // places.stride - row
    for place in (places.start, places.at):
        data[place : place + 2] = (places.middle - up * places.stride).to_bytes(2, "little")
    for n in range(4):
        plane = slice(places.known + 24 + n * places.plane, places.known + 24 + (n + 1) * places.plane)
        data[plane] = (int.from_bytes(data[plane], "little") >> up * places.stride).to_bytes(places.plane, "little")
    with pytest.raises(StateError, match="memory: a frame that does not hold"):
        state.game.state_from_bytes(bytes(data))


@pytest.mark.parametrize(("height", "width", "there", "back"), [(1, 64, "wr", "wl"), (64, 1, "wd", "wu")])
def test_a_frame_goes_with_its_player(height, width, there, back):
    """The player walks from one end of the field to the other and back, and looks as far as possible."""
    rows = [[FLOOR] * width for _ in range(height)]
    middle, last = (height // 2, width // 2), (height - 1, width - 1)
    config = masume.chaser.Config.make(map=Map(rows, middle, last, 400))
    look = ("lu", "sr", "lu", "sl", "lu") if width > 1 else ("lu", "sd", "lu", "su", "lu")
    with Lockstep("chaser", config) as twins:
        state = twins.engine
        for method in [there] * 30 + [back] * 61 + [there] * 40:
            for action in (method, *look):
                twins.apply(CODES.index(action))
            state.check()
            twins.ask("observation", 0)
            assert twins.reference.contradictions(0, state.resample(0, state.half).to_dict()) == []
    assert state.positions[0].max() == 41


def test_methods_lead_through_the_field():
    state = start_game("C.H")
    play(state, "lr lr sr sr")
    methods = Places(state, 0).methods
    assert state.to_bytes()[methods] == 5 | 9 << 4
    with pytest.raises(StateError, match="outside the field"):
        state.game.state_from_bytes(edit(state, methods, 2 | 1 << 4, "u1"))


def test_an_opponent_in_the_ready_info_was_sighted():
    state = start_game("CH.")
    places = Places(state, 0)
    data = bytearray(state.to_bytes())
    assert state.game.state_from_bytes(bytes(data)).key == state.key
    data[places.foe : places.foe + 2] = bytes(2)
    data[places.foe_half : places.foe_half + 2] = b"\xff" * 2
    with pytest.raises(StateError, match="ready info"):
        state.game.state_from_bytes(bytes(data))


def test_an_opponent_that_started_opposite_is_not_elsewhere_at_once():
    state = start_game("C.H.")
    with pytest.raises(StateError, match="cannot have come so far"):
        state.game.state_from_bytes(edit(state, Places(state, 0).mirrored, 1))


def test_keys_tell_all_variables_apart(state):
    seen = {state.key}
    for name, value in {"half": 6, "items": [2, 0], "row": [1, 1], "col": [2, 3]}.items():
        seen.add(state.game.state_from_dict(state.to_dict() | {name: value}).key)
    for n, value in enumerate(state.to_dict()["cells"]):
        if n not in (5, 11):
            for other in {0, 2, 3} - {value}:
                cells = [*state.to_dict()["cells"]]
                cells[n] = other
                seen.add(state.game.state_from_dict(state.to_dict() | {"cells": cells}).key)
    assert len(seen) == 1 + 4 + 20
    fouls = [state.clone(), state.clone()]
    for player, foul in enumerate(fouls):
        foul.forfeit(player, "FOUL")
    assert len(seen | {foul.key for foul in fouls}) == len(seen) + 2


def test_a_key_is_the_position_s_and_not_the_past_s(state):
    other = start_game("""
        .#*.
        .C..
        ...H
    """)
    play(other, "lu lu lu lu")
    assert other.key == other.game.parse(str(other)).key
    assert other.to_bytes() != other.game.parse(str(other)).to_bytes()


# -- kernels ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("height", "width"), [(15, 17), (3, 5), (64, 64)])
def test_every_level_writes_the_same_planes(height, width):
    config = masume.load("chaser", height=height, width=width, n_items=4, n_blocks=2).config
    games = [Game(functools.partial(table, level=level), config, masume.chaser) for level in levels()]
    states = [game.new_state(3) for game in games]
    rng = 7
    while not states[0].is_terminal() and states[0].half < 40:
        (action,), rng = states[0]._choose(states[0].current_player, "forager", rng)
        for state in states:
            state.apply(action)
        for player in range(2):
            first, *others = (state.observation(player)["planes"] for state in states)
            assert first[6].any()
            for other in others:
                assert np.array_equal(first, other)
    with pytest.raises(ValueError, match=r"level: expected one of .*, got 'v9'"):
        table(config, "v9")


# -- playing without a memory --------------------------------------------------------------------------


def test_states_are_the_same_with_memory_and_without():
    game = masume.load("chaser", n_items=30, turn_limit=20)
    looked, plain = (game.batch(64, seed=5, observe=observe) for observe in (("ready",), None))
    for _ in range(60):
        for batch in (looked, plain):
            batch.sample_actions()
            batch.step()
        assert looked.states.tobytes() == plain.states.tobytes()


def test_a_batch_shows_what_a_state_shows():
    """Every field of the player to move is compared in each game."""
    game = masume.load("chaser", height=5, width=6, n_blocks=2, n_items=6, turn_limit=8)
    batch = game.batch(8, seed=3, observe=tuple(game.observation_spec), autoreset="disabled")
    states = [game.new_state(int(seed)) for seed in batch.seeds]
    for _ in range(16):
        batch.sample_actions()
        batch.step()
        for i, state in enumerate(states):
            if not state.is_terminal():
                state.apply(int(batch.actions[i, 0]))
            expected = state.observation(max(0, state.current_player))
            for name, array in batch.observations.items():
                assert np.array_equal(array[i], expected[name]), name
    assert all(state.is_terminal() for state in states)


def test_a_search_stands_for_what_is_illegal():
    batch = masume.load("chaser").batch(1, on_illegal="fallback", observe=("last_action",))
    batch.actions[:] = 99
    batch.step()
    batch.actions[:] = CODES.index("lu")
    batch.step()
    assert batch.observations["last_action"][0] == CODES.index("su")


# -- history --------------------------------------------------------------------------------------------


def views_of_both(state):
    return [state.information_state(player) for player in range(2)]


def test_copies_remember_what_was_seen():
    state = start_game("""
        .C*.
        ...H
    """)
    play(state, "wr wl ld")
    for twin in (state.clone(), pickle.loads(pickle.dumps(state))):
        assert views_of_both(twin) == views_of_both(state)
        assert (twin.history, twin.origin, twin.past) == (state.history, state.origin, None)
        play(twin, "lu")
        assert views_of_both(twin)[1] == views_of_both(state)[1] + "|Alu|M" + twin.events(1)[1]["info"]
    other = state.game.new_state()
    other.copy_from(state)
    assert views_of_both(other) == views_of_both(state)
    assert state.events() == other.events()


def test_bytes_carry_what_is_known_but_no_history():
    state = start_game("C*.H")
    play(state, "wr lu")
    again = state.game.state_from_bytes(state.to_bytes())
    assert again.history == []
    assert views_of_both(again) == ["C|R" + state.events(0)[-1]["info"], "H"]
    assert again.events() == state.events()
    for player in range(2):
        assert memory_of(again, player) == memory_of(state, player)
    alone = state.game.state_from_bytes(state.to_bytes()[: state.game.state_size], without_memory=True)
    assert alone.observation(0)["last_action"] == -1
    assert alone.events() == state.events(0)


def test_a_foul_is_remembered_and_only_where_it_happened():
    state = start_game("C*.H")
    play(state, "wr")
    state.forfeit(0, "FOUL")
    assert [text.rpartition("|")[2][:2] for text in views_of_both(state)] == ["E0", "E0"]
    assert views_of_both(pickle.loads(pickle.dumps(state))) == views_of_both(state)
    parsed = state.game.parse(str(state))
    assert parsed.events() == []
    assert views_of_both(parsed) == ["C", "H"]
    with pytest.raises(GameOverError):
        state.forfeit(1, "FOUL")


def test_a_history_that_cannot_have_been_played_is_refused():
    state = start_game("C*.H")
    for wrong in ([16], [-1], [0, 4]):  # the last one continues after walking off the field
        other = state.game.restore_state(state.to_bytes(), wrong, state.origin, None)
        with pytest.raises(ValueError, match="history"):
            other.information_state(0)


# -- hidden information -----------------------------------------------------------------------------------


def assert_same_view(one, other, player):
    """Check that a player with the same events in both states sees the same in both."""
    assert one.information_state(player) == other.information_state(player)
    assert one.events(player) == other.events(player)
    assert memory_of(one, player) == memory_of(other, player)
    expected = other.observation(player)
    for name, array in one.observation(player).items():
        assert np.array_equal(array, expected[name]), name


def random_world(rng, height=6, width=9):
    """Return the rows of a map with blocks in its last column, its starts, the methods of a game, and its reference."""
    values = [FLOOR] * 11 + [BLOCK] + [ITEM] * 4
    rows = [[values[rng.below(16)] for _ in range(width - 1)] + [BLOCK] for _ in range(height)]
    cool, hot = (2 + rng.below(2), 2), (2 + rng.below(2), 4 + rng.below(3))
    for row, column in (cool, hot):
        for r, c in ((row, column), *neighbours((row, column))):
            rows[r][c] = FLOOR
    twin = Reference.new(masume.chaser.Config.make(map=Map(rows, cool, hot, 20)))
    actions = []
    while not twin.is_terminal() and len(actions) < 4 + rng.below(20):
        actions.append(choose(twin, "safe", rng))
        twin.apply(actions[-1])
    return rows, cool, hot, actions, twin


def play_rows(rows, cool, hot, actions):
    """Return the engine's state after the actions, None if the game ends before."""
    state = masume.load("chaser", map=Map(rows, cool, hot, 20)).new_state()
    for action in actions:
        if state.is_terminal():
            return None
        state.apply(action)
    return state


def test_where_the_field_is_cannot_be_known():
    """All cells move one column to the right: the outside turns into blocks, and the last blocks into the outside."""
    rng = Rng(31)
    for _ in range(100):
        rows, cool, hot, actions, _ = random_world(rng)
        state = play_rows(rows, cool, hot, actions)
        moved = play_rows([[BLOCK, *row[:-1]] for row in rows], (cool[0], cool[1] + 1), (hot[0], hot[1] + 1), actions)
        assert state.to_dict() != moved.to_dict()
        for player in range(2):
            assert_same_view(state, moved, player)


def test_what_was_not_seen_is_in_no_observation():
    """Cells that a player never saw are changed, and so are the items that the opponent collects."""
    rng = Rng(32)
    compared = others_items = 0
    for _ in range(100):
        rows, cool, hot, actions, twin = random_world(rng)
        state = play_rows(rows, cool, hot, actions)
        for player, start in enumerate((cool, hot)):
            seen = {(start[0] + row, start[1] + column) for row, column in twin.knowledge(player).last}
            unseen = [(r, c) for r in range(6) for c in range(8) if (r, c) not in seen | {cool, hot}]
            for _ in range(6):
                changed = [list(row) for row in rows]
                for row, column in unseen:
                    changed[row][column] = (FLOOR, ITEM, ITEM, rows[row][column])[rng.below(4)]
                other = play_rows(changed, cool, hot, actions)
                if other is None or other.information_state(player) != state.information_state(player):
                    continue
                assert_same_view(other, state, player)
                compared += other.to_dict() != state.to_dict()
                others_items += other.items[1 - player] != state.items[1 - player]
    assert compared > 300
    assert others_items > 10


# -- samples ------------------------------------------------------------------------------------------------


def test_a_sample_at_the_start_is_a_map_of_the_generator_seen_from_any_of_its_starts():
    """Numbers of blocks and items are correct, and cells point symmetric except the one under the opponent."""
    state = masume.load("chaser").new_state(3)
    ready = state.observation(0)["ready"].tolist()
    starts = Counter()
    for seed in range(3000):
        sample = state.resample(0, seed)
        variables = sample.to_dict()
        own, foe = sample.positions.tolist()
        starts[tuple(own)] += 1
        assert foe == [14 - own[0], 16 - own[1]]
        assert [int(digit) for digit in sample.events(0)[0]["info"][1:]] == ready
        assert variables["half"] == 0
        assert variables["items"] == [0, 0]
        if seed < 300:
            assert variables["cells"] == variables["cells"][::-1]
            assert (variables["cells"].count(BLOCK), variables["cells"].count(ITEM)) == (20, 50)
    assert BLOCK not in ready
    assert sorted(starts) == [(row, column) for row, column in start_cells(15, 17) if 0 < row < 14 and column]
    assert max(starts.values()) < 3 * 3000 / len(starts)


def test_a_sample_of_a_drawn_map_has_as_many_blocks_and_items_as_were_seen():
    """Of nine seen cells inside the field, two are blocks and three items; unseen cells have the same frequencies."""
    state = start_game("""
        ..........
        .*#.......
        ..C*......
        .*#.......
        ..........
        .........H
    """)
    assert sorted(state.observation(0)["ready"].tolist()) == [0, 0, 0, 0, 2, 2, 3, 3, 3]
    blocks = items = unseen = 0
    for seed in range(400):
        cells = state.resample(0, seed).to_dict()["cells"]
        blocks += cells.count(BLOCK) - 2
        items += cells.count(ITEM) - 3
        unseen += len(cells) - 9
    assert blocks / unseen == pytest.approx(2 / 9, abs=0.02)
    assert items / unseen == pytest.approx(3 / 9, abs=0.02)


def test_a_sample_begins_where_the_map_of_a_generator_is_likely_to_show_such_blocks():
    """Three blocks seen in a column are either the end of the field or, less likely, three of its twenty blocks."""
    game = masume.load("chaser")
    seed = next(seed for seed in range(999) if tuple(game.new_state(seed).positions[0])[1] == 0)
    state = game.new_state(seed)
    assert state.observation(0)["ready"].tolist() == [2, 0, 0] * 3
    columns = Counter(int(state.resample(0, n).positions[0, 1]) for n in range(2000))
    inside = [cell for cell in start_cells(15, 17) if 0 < cell[0] < 14 and cell[1]]
    assert columns.total() / columns[0] - 1 == pytest.approx(len(inside) / 13 * (20 / 255) ** 3, rel=0.5)
    assert len(columns) > 2


def test_a_block_seen_far_from_the_start_counts_once():
    """After a walk of 44 columns a search shows the 64th column that can have been seen, from ten before the start."""
    game = masume.load("chaser", height=5, width=64, n_blocks=8, n_items=0, turn_limit=200)
    walk, view = 44, 9
    for seed in range(100_000):
        state = game.new_state(seed)
        row, column = state.positions[0].tolist()
        blocks = np.reshape(state.to_dict()["cells"], (5, 64))[:, column:] == BLOCK
        near = blocks[max(0, row - 1) : row + 2, : walk + 2]
        if not near.any() and blocks[row, walk:].nonzero()[0].tolist()[:1] == [view]:
            break
    play(state, "wr lu " * walk + "sr lu")
    assert state.positions[0].tolist() == [row, column + walk]
    columns = Counter(int(state.resample(0, n).positions[0, 1]) - walk for n in range(4000))
    assert (min(columns), max(columns)) == (1, 64 - walk - view)
    outside = columns.pop(64 - walk - view)  # the block is beyond the field; in all others it is one of its eight
    assert columns.total() / len(columns) / outside == pytest.approx(8 / (5 * 64), rel=0.3)


def test_samples_are_spread_over_all_starts_and_all_cells_of_the_opponent():
    state = start_game("""
        ............
        ............
        ......C.....
        ............
        ............
        ...........H
    """)
    play(state, "sd lu sl lu sr lu lu lu")
    twin = Reference.new(state.game.config)
    for action in state.history:
        twin.apply(action)
    starts, foes, count = Counter(), Counter(), 4000
    for seed in range(count):
        own, foe = state.resample(0, seed).positions.tolist()
        starts[tuple(own)] += 1
        foes[foe[0] - own[0], foe[1] - own[1]] += 1
    possible = twin.knowledge(0).possible_starts(6, 12)
    assert sorted(starts) == possible
    expected = count / len(possible)
    assert all(expected / 2 < number < expected * 2 for number in starts.values())
    assert len(foes) > 50
    assert all(max(abs(row), abs(column)) > 1 for row, column in foes)
    assert max(foes.values()) < 4 * count / len(foes)


def test_a_sighted_opponent_is_where_it_can_have_gone():
    state = start_game("""
        .........
        ..C...H..
        .........
    """)
    play(state, "lu lu lu lu sr lu")
    assert Counter(
        tuple(np.subtract(*state.resample(0, seed).positions[::-1].tolist()).tolist()) for seed in range(500)
    ).keys() <= {(0, 3), (0, 4), (0, 5), (-1, 4), (1, 4)}
    state = start_game("""
        CH..
        ....
    """)
    assert {tuple(state.resample(0, seed).positions[1].tolist()) for seed in range(50)} >= {(0, 1)}
    for seed in range(50):
        own, foe = state.resample(0, seed).positions.tolist()
        assert foe == [own[0], own[1] + 1]


def test_a_sample_is_played_like_any_state():
    """The sample continues the events of its player; its opponent has seen nothing."""
    state = masume.load("chaser").new_state(4)
    play(state, "lu lu su sd ld lr")
    sample = state.resample(0, 9)
    assert sample.history == []
    assert sample.information_state(0) == state.information_state(0)
    assert sample.information_state(1) == "H"
    assert sample.events() == state.events(0)
    play(sample, "lr lu")
    told = [event["info"] for event in sample.events(0)]
    assert sample.information_state(0).startswith(state.information_state(0) + "|Alr|M1")
    assert sample.information_state(0).endswith("|R" + told[-1])
    assert sample.information_state(1).count("|") == 3
    sample.check()
    second = sample.resample(0, 2)
    assert second.information_state(0) == sample.information_state(0)
    play(sample, "lr")
    other = sample.resample(1, 3)
    assert other.information_state(1) == sample.information_state(1)
    for twin in (second, other):
        twin.check()
        again = pickle.loads(pickle.dumps(twin))
        assert views_of_both(again) == views_of_both(twin) == views_of_both(twin.clone())


def test_a_seed_gives_the_same_sample():
    state = masume.load("chaser").new_state(4)
    assert state.resample(0, 5).to_bytes() == state.resample(0, 5).to_bytes()
    assert len({state.resample(0, seed).key for seed in range(50)}) == 50


class Sampler:
    """Samples of a state for the player to move, drawn from the prepared sampler of the table."""

    def __init__(self, state):
        import toy

        address = ctypes.pythonapi.PyCapsule_GetPointer
        address.restype, address.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
        self.game = state.game
        self.at = address(self.game.capsule, b"masume.game.v1")
        self.table = ctypes.cast(self.at, ctypes.POINTER(toy.Game)).contents
        self.bytes = np.frombuffer(state.to_bytes(), np.uint8)
        self.sampler = np.empty(self.table.sampler_size, np.uint8)
        memory = self.bytes.ctypes.data + self.game.state_size
        found = self.table.prepare(
            self.at, self.bytes.ctypes.data, memory, state.current_player, self.sampler.ctypes.data
        )
        assert found == 0

    def draw(self, seed, memory=True):
        """Return the bytes of a sample, optionally without its memory."""
        out = np.empty(self.bytes.size, np.uint8)
        behind = out.ctypes.data + self.game.state_size if memory else None
        assert self.table.draw(self.at, self.sampler.ctypes.data, seed, out.ctypes.data, behind) == 0
        return out.tobytes() if memory else out[: self.game.state_size].tobytes()


@pytest.mark.parametrize("fields", [{}, {"height": 1, "width": 9, "n_blocks": 2, "n_items": 1}, {"map": None}])
def test_what_is_prepared_gives_the_samples_that_there_are(fields):
    """The first sample of a prepared sampler equals the state's; many samples have the same distribution."""
    if "map" in fields:
        state = start_game("""
            C.*..
            ..#.H
        """)
        play(state, "lr ll wr lu")
    else:
        state = masume.load("chaser", **{"height": 3, "width": 5, "n_blocks": 2, "n_items": 4} | fields).new_state(1)
        play(state, "lr ll su sd wr wl lu")
    player = state.current_player
    for seed in range(20):
        first = Sampler(state).draw(seed)
        assert first == state.resample(player, seed).to_bytes()
        assert Sampler(state).draw(seed, memory=False) == first[: state.game.state_size]
    sampler = Sampler(state)
    drawn = Counter(sampler.draw(seed) for seed in range(20000))
    found = Counter(state.resample(player, seed).to_bytes() for seed in range(20000))
    often = {position for position, count in (drawn + found).items() if count > 30}
    assert len(often) > 4
    for position in often:
        assert drawn[position] == pytest.approx(found[position], rel=0.5, abs=25)


def test_only_the_player_to_move_is_sampled_for(state):
    assert state.current_player == 0
    for player in (1, 2, -1):
        with pytest.raises(ValueError, match="player"):
            state.resample(player, 1)
    for seed in (-1, 2**64, None):
        with pytest.raises(ConfigError, match="seed"):
            state.resample(0, seed)
    state.forfeit(0, "FOUL")
    with pytest.raises(ValueError, match="player: 0 is not to move"):
        state.resample(0, 1)


def test_where_there_is_no_position_there_is_an_error():
    """The memory of blocks all around is impossible; it is written past the checks."""
    state = start_game("C....H")
    places = Places(state, 0)
    data = state.to_bytes()
    plain = _state.from_bytes(_state.State, state.game, data)
    with pytest.raises(ValueError, match="seed 1: no state found"):
        plain.resample(1, 1)
    assert plain.resample(0, 1).to_dict().keys() == plain.to_dict().keys()
    for column in (*range(-5, 0), *range(1, 6)):
        data = places.edit_sights(data, 0, column, 15)
    start = -(-state.game.state_size // 64) * 64  # offset of the memory in a State's block
    ctypes.memmove(state.array.ctypes.data + start, data[state.game.state_size :], state.game.memory_size)
    with pytest.raises(ValueError, match="seed 1: no state found"):
        state.resample(0, 1)


@pytest.mark.parametrize(("height", "width"), [(1, 2), (2, 1), (3, 3), (3, 4), (1, 9), (7, 2)])
def test_the_public_game_of_a_map_too_small_to_be_generated_has_starts(height, width):
    """Its start has as many blocks and items as fit; samples are positions of that game."""
    game = masume.load("chaser", map=meadow(height, width, turn_limit=9))
    for seed in range(20):
        game.public.new_state(seed).check()
    sample = game.new_state().resample(0, 1)
    assert sample.game == game.public
    assert sample.game.state_from_dict(sample.to_dict()).to_dict() == sample.to_dict()


@pytest.mark.parametrize("loser", [0, 1])
def test_a_foul_before_the_first_method_shows_both_players_what_is_around_them(loser):
    """[CH-R24] Both get an end info, and remember it as the reference does."""
    with Lockstep("chaser", Config.make(), 3) as twins:
        twins.attempt("forfeit", loser, "FOUL")
        twins.compare()


def test_a_generated_start_is_none_from_which_more_cells_have_changed_than_methods_can_change():
    """The field was its own mirror image [CH-GEN-1]; two methods change four cells, and a start at 2,4 takes more."""
    state = masume.load("chaser", height=5, width=5, n_blocks=4, n_items=6, turn_limit=20).new_state(58)
    play(state, "ld ll wr")
    assert {tuple(state.resample(1, seed).positions[1].tolist()) for seed in range(60)} == {(1, 4), (3, 4)}


def test_the_forager_on_the_opponents_cell_searches_without_an_item_beside_it():
    """An item three columns away is none that it could walk to."""
    game = masume.load("chaser", height=6, width=6, n_blocks=0, n_items=0)
    state = game.parse("......\n.B..*.\n......\n......\n......\n......")
    play(state, "ld su lr su")
    assert {CODES[state._choose(0, "forager", seed)[0][0]] for seed in range(20)} <= {"su", "sr", "sd", "sl"}


# -- the geometry of infos ----------------------------------------------------------------------------------


@pytest.mark.parametrize("around", range(17))
def test_the_cells_of_an_info_are_those_of_the_reference(around):
    assert cells_around(around) == info_cells(None if around == 16 else around, (0, 0))
