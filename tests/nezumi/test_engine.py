"""Engine features beyond the rules: bytes and keys, properties, integer widths, and refusals."""

import functools

import numpy as np
import pytest

import masume.nezumi
from masume.core._wide import levels
from masume.errors import StateError
from masume.game import Game
from masume.nezumi import SUMS, notation
from masume.nezumi._engine import RESULTS, State, table
from masume.nezumi.notation import CAPTURES, MOVE, OVER, PHASES, PLACE, REACT
from masume.nezumi.stages import MAX_AMOUNT, NAMES, Stage, generate, load_shipped

from .conftest import Config, Sketch, draw, lines, play

BOARD = """
    Z.#M.
    .C.m3
    M.7..
"""
GROUPS = 32  # byte offset of the groups in a state
GROUP = 24  # bytes per 64 cells: mice that have not moved, food, mice that have moved


def draw_board(text=BOARD, **told):
    """Return the drawn position as a state of the engine."""
    position = draw(lines(text), **told)
    fields = {name: getattr(position.config, name) for name in Config.__dataclass_fields__}
    return masume.load("nezumi", **fields).state_from_dict(position.variables)


# -- properties -------------------------------------------------------------------------------------


def test_the_nouns_show_the_position():
    state = draw_board(food=20, cost=9, captured=1)
    assert state.mice.tolist() == [[0, 0, 0, 1, 0], [0, 0, 0, 2, 0], [1, 0, 0, 0, 0]]
    assert state.food.tolist() == [[0, 0, 0, 0, 0], [0, 0, 0, 0, 3], [0, 0, 7, 0, 0]]
    assert (state.mice.dtype, state.food.dtype) == (np.uint8, np.int64)
    assert (PHASES[state.phase], state.turn, state.cat) == ("MOVE", 2, (1, 1))
    assert (state.on_board, state.captured, state.reserve) == (3, 1, 1)
    assert (state.food_sum, state.cost_sum, state.score, state.reported_score) == (20, 9, 11, 11)
    assert (state.arrival, state.arrival_from, state.result) == (None, 0, 0)
    assert not state.is_surrounded()
    play(state, "0,3S")
    assert state.mice[2, 3] == 2
    play(state, "2,0N")
    assert (PHASES[state.phase], state.arrival, PHASES[state.arrival_from]) == ("REACT", (1, 0), "MOVE")


def test_a_position_that_no_action_has_led_to_has_no_events():
    state = draw_board()
    assert state.events() == []
    play(state, "0,3S")
    assert len(state.events()) == 1
    assert state.clone().events() == state.events()
    other = draw_board()
    other.copy_from(state)
    assert other.events(1) == state.events(0)
    assert state.game.state_from_bytes(state.to_bytes()).events() == []
    assert state.game.state_from_dict(state.to_dict()).events() == []


def test_a_refused_action_leaves_the_events():
    state = draw_board()
    play(state, "0,3S")
    before = state.events()
    with pytest.raises(masume.IllegalActionError):
        state.apply(0)
    assert state.events() == before


def test_results_are_those_of_the_notation():
    assert RESULTS == notation.RESULTS


def test_a_table_of_another_game_or_config_is_refused():
    import toy

    with pytest.raises(TypeError, match="is not nezumi"):
        State(masume.load(toy.Counting()))
    with pytest.raises(TypeError, match="config"):
        table(masume.load("kakomimasu").config)


# -- bytes and keys -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("height", "width", "size"), [(5, 5, 64), (7, 9, 64), (8, 8, 128), (13, 13, 128), (12, 15, 128), (32, 32, 448)]
)
def test_a_state_is_small_and_fills_cache_lines(height, width, size):
    game = masume.load("nezumi", stage=generate(1, height, width, 10, 3, 2, 3))
    assert game.state_size == size
    assert game.memory_size == 0


def test_built_in_stages_have_states_of_one_or_two_cache_lines():
    sizes = {name: masume.load("nezumi", stage=name).state_size for name in NAMES}
    assert {name for name, size in sizes.items() if size == 64} == {"garden", "pantry", "siege"}
    assert set(sizes.values()) == {64, 128}


def test_the_bytes_of_a_state_are_its_fields():
    state = draw_board(food=20, cost=9, captured=1)
    array = state.array
    told = {name: array[name].tolist() for name in array.dtype.names if name != "cells"}
    assert told == {
        "food_sum": 20, "cost_sum": 9, "turn": 2, "cat": 6, "react_cell": -1, "ways": 3 + 1, "moved_ways": 4,
        "on_board": 3, "captured": 1, "phase": MOVE, "react_from": 0, "result": 0,
    }  # fmt: skip
    unmoved, food, mice = np.unpackbits(array["cells"].view(np.uint8), axis=1, bitorder="little").reshape(3, 64)
    assert np.flatnonzero(unmoved).tolist() == [3, 10]
    assert np.flatnonzero(food).tolist() == [9, 12]
    assert np.flatnonzero(mice).tolist() == [3, 8, 10]
    assert set(SUMS) < set(told)


def edit_bytes(state, place, value, kind="u1"):
    """Return the state's bytes with one number replaced."""
    data = bytearray(state.to_bytes())
    data[place : place + np.dtype(kind).itemsize] = np.array(value, kind).tobytes()
    return bytes(data)


def test_check_finds_every_fault_in_the_bytes_of_a_state():
    unmoved, food, mice = GROUPS, GROUPS + 8, GROUPS + 16
    state = draw_board(food=20, captured=1)
    faults = {
        "phase, react_from, result: out": [(28, OVER + 1), (29, MOVE + 1), (30, 4), (31, 1)],
        "t, captured: out": [(16, -1, "i2"), (16, 10, "i2"), (27, 4)],
        "cat: not on the floor": [(18, -1, "i2"), (18, 2, "i2"), (18, 15, "i2")],
        "mouse: not on the floor": [(mice, 1 << 2, "u8"), (mice, 1 << 15, "u8")],
        "mouse: one that is not there": [(mice, 1 << 3, "u8"), (unmoved, 1 << 9, "u8")],
        "food: where": [(food, 1, "u8"), (food, 1 << 63, "u8"), (mice + 1, 0b111)],
        "mouse: the cat is there": [(mice, 1 << 3 | 1 << 6 | 1 << 8 | 1 << 10, "u8")],
        "padding": [(GROUPS + GROUP, 1), (state.game.state_size - 1, 1)],
        "mouse: counted": [(26, 4), (22, 5, "i2"), (24, 0, "i2"), (unmoved, 1 << 3, "u8")],
        "food_sum": [(0, -1, "i8"), (0, 2**60, "i8")],
        "cost_sum": [(8, -1, "i8"), (8, 3 * 16384, "i8")],
        "result: there is one": [(30, CAPTURES), (28, OVER)],
        "t: not in this phase": [(16, 0, "i2"), (28, PLACE)],
        "react_cell, react_from: not in this phase": [(20, 5, "i2"), (29, MOVE)],
        "react_cell: no cell": [(28, REACT | MOVE << 8, "u2")],
        "react_from: none": [(28, REACT | 1 << 8, "u2")],
        "mouse: one has moved": [(28, 1), (28, 3)],
    }
    for fault, edits in faults.items():
        for edit in edits:
            with pytest.raises(StateError, match=fault):
                state.game.state_from_bytes(edit_bytes(state, *edit))


@pytest.mark.parametrize(
    ("fault", "text", "told"),
    [
        ("mouse, captured: more than", BOARD, {"M": 2, "R": 2}),
        ("captured: the quota", BOARD, {"R": 1, "captured": 1}),
        ("mouse: the cat is surrounded", "C.\n.M", {}),
        ("phase: no mouse can be put", "M.\nC.", {"phase": "ADD", "zone": ((0, 0), (1, 0))}),
        ("phase: no mouse can be put", "MZ\nC.", {"phase": "ADD", "M": 1, "R": 1}),
        ("phase: no mouse is to move", "m.\nC.", {}),
    ],
)
def test_what_no_play_leads_to_is_refused(fault, text, told):
    with pytest.raises(StateError, match=fault):
        draw_board(text, **told)


ARRIVAL = {"phase": "REACT", "react_cell": 1, "react_from": MOVE}


@pytest.mark.parametrize(
    ("fault", "changes"),
    [
        (None, {}),
        (None, {"react_cell": 0, "mouse": [0, 2, 0, 0, 1, 0]}),
        ("react_cell: the cat's", {"react_cell": 0, "react_from": notation.ADD, "mouse": [0, 0, 0, 0, 1, 0]}),
        ("react_cell: the cat's", {"react_cell": 0, "captured": 2}),
        ("react_cell: no mouse", {"mouse": [0, 1, 0, 0, 1, 0]}),
        ("react_cell: no mouse", {"react_cell": 3}),
        ("react_cell: not beside", {"react_cell": 2, "mouse": [0, 0, 2, 0, 1, 0]}),
        ("react_cell: not in the zone", {"react_from": notation.ADD, "mouse": [0, 1, 0, 0, 1, 0]}),
    ],
)
def test_an_arrival_is_one(fault, changes):
    position = draw(("C...M.",), M=4, R=3)
    mouse = changes.pop("mouse", [0, 2, 0, 0, 1, 0])
    variables = {**position.variables, **ARRIVAL, "phase": REACT, "mouse": mouse, **changes}
    game = masume.load("nezumi", stage=position.config.stage)
    if fault is None:
        assert game.state_from_dict(variables).to_dict() == variables
    else:
        with pytest.raises(StateError, match=fault):
            game.state_from_dict(variables)


@pytest.mark.parametrize(
    ("fault", "text", "told", "changes"),
    [
        ("result: a surround", "C.\nM.", {}, {"result": notation.SURROUND}),
        ("result: the quota", "C.\nM.", {}, {"result": CAPTURES}),
        ("result: the quota", "C.\nM.", {"captured": 1, "R": 1}, {"result": notation.TURNS, "t": 9}),
        ("result: the turn limit", "C.\nM.", {}, {"result": notation.TURNS}),
        ("react_cell, react_from", "C.\nM.", {}, {"result": notation.TURNS, "t": 9, "react_cell": 2}),
    ],
)
def test_a_result_is_that_of_the_position(fault, text, told, changes):
    position = draw(lines(text), **told)
    game = masume.load("nezumi", stage=position.config.stage)
    with pytest.raises(StateError, match=fault):
        game.state_from_dict({**position.variables, "phase": OVER, **changes})


def test_a_dict_names_the_cell_that_is_wrong():
    state = draw_board()
    variables = state.to_dict()
    with pytest.raises(StateError, match=r"food\[9\]: expected the stage's 3, got 4"):
        state.game.state_from_dict({**variables, "food": [4 if n == 9 else 0 for n in range(15)]})
    with pytest.raises(StateError, match=r"mouse\[4\]: expected 0..2, got 3"):
        state.game.state_from_dict({**variables, "mouse": [0, 0, 0, 1, 3] + 10 * [0]})


def test_more_mice_than_a_byte_counts_are_refused():
    stage = Sketch("wide", 32, 32, 1024 * [0], 1024 * [1], 1024 * [0], 0, 255, 255, 9)
    state = masume.load("nezumi", stage=stage).new_state()
    variables = {**state.to_dict(), "phase": MOVE, "t": 1}
    for count in (256, 257, 512, 1000):
        with pytest.raises(StateError, match="mouse"):
            state.game.state_from_dict({**variables, "mouse": (1024 - count) * [0] + count * [1]})


def test_keys_tell_all_variables_apart():
    """No change of one or two variables keeps the key, for example two mice that swap their moved flags."""
    state = draw_board(food=20, cost=9, captured=1)
    variables = state.to_dict()
    changes = [{}, {"t": 3}, {"captured": 2}, {"food_sum": 9, "cost_sum": 20}, {"food_sum": 21}, {"cost_sum": 10}]
    changes += [{"captured": 0, "cost_sum": 10}, {"cat": 5}, {"cat": 7}, {"phase": OVER, "result": 3, "t": 9}]
    for cells in ((1,), (3, 8), (8, 3), (10, 8), (0, 1), (1, 0), (4,), (13, 14)):
        for flags in ((1, 1), (1, 2), (2, 1)):
            mouse = [0] * 15
            for cell, flag in zip(cells, flags, strict=False):
                mouse[cell] = flag
            changes.append({"mouse": mouse})
    changes += [{"food": [amount * (n != gone) for n, amount in enumerate(variables["food"])]} for gone in (9, 12)]
    keys = {}
    for change in changes:
        try:
            other = state.game.state_from_dict({**variables, **change})
        except StateError:
            continue
        keys.setdefault(other.key, []).append(other.to_dict())
    assert len(keys) > 25
    for same in keys.values():
        assert all(one == same[0] for one in same)


# -- widths -------------------------------------------------------------------------------------------


def test_a_chain_stops_at_the_end_of_a_row():
    """The next cell by number is on the other side of the board. [NZ-R11] [trap 9]"""
    state = draw_board(
        """
        ....MMMM
        M.......
        C.......
    """,
        M=9,
        R=9,
    )
    assert play(state, "0,4E") == "leave(4)"
    assert state.mice[1, 0] == 1
    assert play(state, "0,7W") == "jump(7,4,2)"


@pytest.mark.parametrize("upright", [False, True])
def test_the_longest_chain_jumps_30_mice(upright):
    cells = ["M"] * 31 + ["."]
    cat = "C" + 31 * "."
    rows = [mark + "." * 31 for mark in cells] if upright else ["".join(cells)]
    rows = [*rows[:31], "." * 31 + "C"] if upright else [*rows, "." * 32, cat]
    state = draw_board("\n".join(rows), M=40, R=40)
    place = "0,0S" if upright else "0,0E"
    assert play(state, place) == (f"jump(0,{31 * 32},30)" if upright else "jump(0,31,30)")


def test_255_mice_cost_what_they_should():
    """The most expensive turns: 128 mice with 127 captured, 255 mice with none captured. [trap 12]"""
    wall = [int(row == 30) for row in range(32) for _ in range(32)]
    stage = Sketch("pen", 32, 32, wall, 1024 * [0], 1024 * [0], 1023, 255, 255, 9999)
    game = masume.load("nezumi", stage=stage)
    start = {**game.new_state().to_dict(), "phase": notation.CAT1, "t": 9998}
    for on_board, captured in ((128, 127), (255, 0), (1, 254)):
        mouse = [int(n % 2 == (n // 32) % 2 and n // 2 < on_board) for n in range(1024)]
        state = game.state_from_dict({**start, "mouse": mouse, "captured": captured})
        assert state.on_board == on_board
        state.apply(5 * 1024)
        count = 0
        while state.turn == 9998:
            assert len(state.legal_actions()) == state.array["ways"] == state.legal_mask().sum()
            state.apply(int(state.legal_actions()[0]))
            count += 1
        assert count == on_board
        assert state.cost_sum == state.on_board * (captured + 1)
    assert game.max_game_length == 2 * 255 + 1 + 9999 * (4 + 2 * 255)


def test_the_largest_amounts_are_added_exactly():
    zone, food = [1, 0, 0, 0] * 2, [0, MAX_AMOUNT, MAX_AMOUNT - 1, 0] + 4 * [0]
    stage = Stage("rich", 2, 4, 8 * [0], zone, food, 7, 2, 2, 9)
    state = masume.load("nezumi", stage=stage).new_state()
    play(state, "0,0+", "-", "-", "-", "0,0E")
    assert state.food_sum == MAX_AMOUNT
    assert state.scores().tolist() == [2 - MAX_AMOUNT, MAX_AMOUNT - 2]
    left = np.float32((MAX_AMOUNT - 1) / (2 * MAX_AMOUNT - 1))
    assert state.observation(1)["planes"][5, 0].tolist() == [0, 0, left, 0]


@pytest.mark.parametrize("name", NAMES)
def test_a_stage_of_arrays_plays_as_its_text_does(name):
    its = masume.load("nezumi", stage=name).config.stage
    bare = Stage(its.name, its.height, its.width, its.wall, its.zone, its.food, its.cat, 4, 2, its.turns)
    one, other = (masume.load("nezumi", stage=stage, max_mice=4, require=2).batch(4, seed=5) for stage in (its, bare))
    assert one.playout() == other.playout()
    assert one.states.tobytes() == other.states.tobytes()


# -- CPU levels ---------------------------------------------------------------------------------------


def test_every_level_writes_planes_alike_and_nothing_behind_them():
    for name in ("garden", "granary", "siege"):
        config = Config(stage=load_shipped()[name])
        games = [Game(functools.partial(table, level=level), config, masume.nezumi) for level in levels()]
        shape = games[0].observation_spec["planes"][0]
        size = int(np.prod(shape))
        for plies in range(0, 60, 7):
            found = []
            for game in games:
                batch = game.batch(1, seed=plies)
                for _ in range(plies):
                    batch.sample_actions()
                    batch.step()
                state = batch.state(0)
                buffer = np.full(size + 64, 7, np.float32)
                state.observation(0, {"planes": buffer[:size].reshape(shape)})
                assert (buffer[size:] == 7).all()
                found.append(buffer)
            assert all(np.array_equal(other, found[0]) for other in found)


def test_a_table_is_of_a_level_of_this_machine():
    with pytest.raises(ValueError, match="'v9'"):
        table(Config(), level="v9")
