"""States of both implementations: dicts, copies, invariants, observations."""

import json

import numpy as np
import pytest

import masume
from masume.core.rng import Rng
from masume.errors import StateError
from masume.kakomimasu.config import Config
from masume.kakomimasu.reference import State

from .conftest import play, rows
from .games import random_config, random_lists

DRAWING = """
    AAA.
    AaAb
    AAAB
    agents: A0@0,0 A1@unplaced B0@3,2 B1@unplaced
    played: 2
"""


def test_the_serialised_form(implementation):
    """Section 3: exactly these keys, plain JSON types, and the points written out."""
    state = implementation.parse(DRAWING, points=list(range(12)), seed=5, operation_sec=2.5)
    assert state.to_dict() == {
        "version": 1,
        "config": {
            "width": 4, "height": 3, "n_players": 2, "n_agents": 2, "total_turns": 5, "points": list(range(12)),
            "seed": 5, "symmetry": "quad", "positive_ratio": 80, "max_point": 16, "min_point": -16,
            "put_on_enemy_wall": "invalid", "official": False, "operation_sec": 2.5, "transition_sec": 1,
        },
        "played": 2,
        "wall": [0, 0, 0, -1, 0, -1, 0, -1, 0, 0, 0, 1],
        "area": [-1, -1, -1, -1, -1, 0, -1, 1, -1, -1, -1, -1],
        "pos": [[0, -1], [11, -1]],
    }  # fmt: skip


def test_dicts_come_back_through_json(implementation):
    rng = Rng(8)
    for _ in range(15):
        state = implementation.new(**random_config(rng).to_dict())
        while not state.is_terminal():
            state.apply_lists(random_lists(state, rng), on_illegal="fallback")
            twin = implementation.from_dict(json.loads(json.dumps(state.to_dict())))
            assert twin.to_dict() == state.to_dict()
            assert list(twin.results) == [0] * len(list(state.results))
            twin.check()


@pytest.mark.parametrize("seed", [0, 1, 2**64 - 1])
def test_the_board_is_the_points_whatever_the_seed(implementation, seed):
    variables = implementation.new(width=2, height=1, n_agents=1, points=[7, -8]).to_dict()
    variables["config"]["seed"] = seed
    state = implementation.from_dict(variables)
    play(state, "A0 PUT 0,0; B0 PUT 1,0")
    assert list(state.scores()) == [7, -8]


@pytest.mark.parametrize(
    ("key", "values"),
    {
        "version": [None, 0, 2, "1", [1]],
        "config": [None, 5, [], {}, "config"],
        "played": [None, -1, 6, 2.0, "2", True, [2]],
        "wall": [None, 5, [], [0] * 11, [0] * 13, [0] * 11 + [2], [0] * 11 + [-2], [0] * 11 + [0.0], "A" * 12,
                 [0] * 11 + [None], [0] * 11 + [True], [[0] * 4] * 3],
        "area": [None, 5, [], [-1] * 11, [-1] * 13, [-1] * 11 + [2], [-1] * 11 + [-2], "A" * 12, [0] + [-1] * 11],
        "pos": [None, 5, [], [[0, -1]], [[0, -1], [11]], [[0, -1], [11, -1], [-1, -1]], [[0, 12], [11, -1]],
                [[0, -2], [11, -1]], [[0, 0], [11, -1]], [[0, 3], [11, -1]], [[0, 5], [11, -1]], [[0, 11], [-1, -1]],
                [[0, -1.0], [11, -1]], [[0, None], [11, -1]], [0, -1, 11, -1], [[0, True], [11, -1]]],
    }.items(),
)  # fmt: skip
def test_dicts_that_are_no_position_are_refused(implementation, key, values):
    """Keys, lengths, ranges and invariants (i) to (iii) are checked; the error names the key."""
    variables = implementation.parse(DRAWING).to_dict()
    implementation.from_dict(variables)
    wanted = {"pos": r"pos|agent", "area": r"area|territory"}.get(key, key)
    for value in values:
        with pytest.raises(StateError, match=wanted):
            implementation.from_dict({**variables, key: value})
    with pytest.raises(StateError, match=key):
        implementation.from_dict({name: value for name, value in variables.items() if name != key})


def test_a_key_too_many_is_refused(implementation):
    variables = implementation.parse(DRAWING).to_dict()
    with pytest.raises(StateError, match="surplus"):
        implementation.from_dict({**variables, "surplus": 1})
    for bad in (None, 5, [], "x"):
        with pytest.raises(StateError):
            State.from_dict(bad)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("width", 4.0), ("width", True), ("width", "4"), ("height", None), ("n_agents", 10**400), ("official", 0),
        ("official", 0.0), ("total_turns", 5.0), ("put_on_enemy_wall", 0), ("put_on_enemy_wall", ["invalid"]),
        ("operation_sec", True), ("operation_sec", "3"), ("transition_sec", float("nan")), ("seed", "abc"),
        ("seed", -1), ("seed", 1.0), ("symmetry", [1]), ("symmetry", "diagonal"), ("positive_ratio", 101),
        ("positive_ratio", None), ("max_point", -1), ("max_point", False), ("min_point", 0), ("min_point", {}),
        ("points", None), ("points", "A" * 12), ("points", [1.0] * 12), ("points", [True] * 12), ("points", [1] * 11),
    ],
)  # fmt: skip
def test_both_refuse_a_dict_whose_config_is_none(name, value):
    """The fields that only generate a board are checked like all others, although the engine does not use them."""
    config = Config.make(width=4, height=3, n_agents=1, total_turns=5, points=[1] * 12)
    game = masume.load("kakomimasu", **config.to_dict())
    variables = State.new(config).to_dict()
    bad = {**variables, "config": {**variables["config"], name: value}}
    for from_dict in (State.from_dict, game.state_from_dict):
        from_dict(variables)
        with pytest.raises(StateError, match=rf"config(: |\.){name}"):
            from_dict(bad)


@pytest.mark.parametrize(
    ("name", "value"),
    [("seed", 5), ("symmetry", "none"), ("min_point", -1), ("points", [[1] * 4] * 3), ("operation_sec", 3.0)],
)
def test_both_take_a_dict_whose_config_says_the_same(name, value):
    config = Config.make(width=4, height=3, n_agents=1, total_turns=5, points=[1] * 12)
    game = masume.load("kakomimasu", **config.to_dict())
    variables = State.new(config).to_dict()
    for from_dict in (State.from_dict, game.state_from_dict):
        found = from_dict({**variables, "config": {**variables["config"], name: value}}).to_dict()
        assert (found["wall"], found["pos"]) == (variables["wall"], variables["pos"])


def test_the_config_of_a_dict_is_checked():
    variables = State.parse(Config.make(width=2, height=1, n_agents=1, points=[1, 2]), "A.").to_dict()
    config = variables["config"]
    for change, message in (
        ({"width": 31}, "config: width: expected 1..30, got 31"),
        ({"points": [1, 2, 3]}, "config: points"),
        ({"points": None}, "config: points"),
        ({"n_agents": True}, "config: n_agents"),
        ({"surplus": 1}, "config: surplus"),
        ({"preset": None}, "config: preset"),
        ({"board": None}, "config: board"),
    ):
        with pytest.raises(StateError, match=message):
            State.from_dict({**variables, "config": {**config, **change}})
    for name in config:
        with pytest.raises(StateError, match=f"config: {name}: missing"):
            State.from_dict({**variables, "config": {key: value for key, value in config.items() if key != name}})


def test_a_clone_is_equal_and_apart(implementation):
    state = implementation.parse(DRAWING)
    play(state, "A0 MOVE 1,0; B0 MOVE 3,2")
    twin = state.clone()
    assert twin.to_dict() == state.to_dict()
    assert list(twin.results) == list(state.results) == [0, 0, 5, 0]
    before = state.to_dict()
    play(twin, "A0 MOVE 0,0; B0 MOVE 3,1")
    assert state.to_dict() == before != twin.to_dict()
    assert list(state.results) == [0, 0, 5, 0]


def test_check_finds_what_breaks_the_invariants():
    """Check covers invariants (i), (ii), (iii) and (v) of section 3."""
    config = Config.make(width=4, height=3, n_agents=2)

    def mark():
        state = State.parse(config, DRAWING)
        state.apply([0, 0, 0, 0])
        state.check()
        return state

    state = mark()
    state.territory[0, 0] = 0
    with pytest.raises(AssertionError, match=r"area\[0\]"):
        state.check()
    state = mark()
    state.agents[0, 1] = (0, 0)
    with pytest.raises(AssertionError, match=r"pos\[0\]\[1\]: 0 is the cell of pos\[0\]\[0\]"):
        state.check()
    state = mark()
    state.agents[0, 1] = (3, 2)
    with pytest.raises(AssertionError, match=r"pos\[0\]\[1\]"):
        state.check()
    state = mark()
    state.territory[1, 1] = 1
    with pytest.raises(AssertionError, match="marking it again"):
        state.check()
    unmarked = State.parse(config, "AAA.\nA.A.\nAAA.")
    unmarked.check()  # a loaded position need not be marked yet; the next turn marks it
    unmarked.apply([0, 0, 0, 0])
    assert rows(unmarked)[1] == "AaA."


@pytest.mark.parametrize(
    "actions", [None, 5, "0000", [0, 0, 0], [0] * 5, [0, 0, 0, "0"], [0, 0, 0, 1.0], [0, 0, 0, True]]
)
def test_what_is_no_array_of_codes_is_refused(implementation, actions):
    state = implementation.parse(DRAWING)
    before = state.to_dict()
    with pytest.raises(ValueError, match=r"actions|expected STAY"):
        state.apply(actions)
    assert state.to_dict() == before


@pytest.mark.parametrize("number", [-1, 4, "0", None, True, 0.0, 2**70])
def test_slots_and_players_out_of_range_are_refused(implementation, number):
    state = implementation.parse(DRAWING)
    for ask in (state.legal_actions, state.legal_mask):
        with pytest.raises(ValueError, match="slot"):
            ask(number)
    with pytest.raises(ValueError, match="player"):
        state.observation(number)


def test_the_observation(implementation):
    """Section 9: the players are in the order k, k + 1, ...; each sees everything."""
    state = implementation.parse(DRAWING, points=[1, 2, 3, -4, 5, -6, 7, 8, 9, 10, 11, 16])
    walls = [[[1, 1, 1, 0], [1, 0, 1, 0], [1, 1, 1, 0]], [[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 1]]]
    territory = [[[0, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 0]], [[0, 0, 0, 0], [0, 0, 0, 1], [0, 0, 0, 0]]]
    agents = [[[0.5, 0, 0, 0], [0] * 4, [0] * 4], [[0] * 4, [0] * 4, [0, 0, 0, 0.5]]]
    neutral = [[0, 0, 0, 1], [0, 0, 0, 0], [0, 0, 0, 0]]
    points = [[1 / 16, 2 / 16, 3 / 16, -4 / 16], [5 / 16, -6 / 16, 7 / 16, 0.5], [9 / 16, 10 / 16, 11 / 16, 1]]
    standing = [[0.5, 48 / 256, 6 / 256, 54 / 256], [0.5, 16 / 256, 8 / 256, 24 / 256]]
    bits = {"walls": [[7, 5, 7], [0, 0, 8]], "territory": [[0, 2, 0], [0, 8, 0]], "agents": [[1, 0, 0], [0, 0, 8]]}
    for player in (0, 1):
        order = (player, 1 - player)
        seen = state.observation(player)
        planes = [kind[p] for kind in (walls, territory, agents) for p in order]
        assert np.array_equal(np.float32(seen["planes"]), np.float32([*planes, neutral, points, [[1] * 4] * 3]))
        scalars = [2 / 5, 1 / 5, *standing[order[0]], *standing[order[1]]]
        assert np.array_equal(np.float32(seen["scalars"]), np.float32(scalars))
        assert list(seen["agent_cells"]) == [[0, -1], [11, -1]][player]
        packed = [kind[p] for kind in bits.values() for p in order]
        assert np.array_equal(np.uint32(seen["packed"]), np.uint32(packed))
        assert list(seen) == ["planes", "scalars", "agent_cells", "packed"]


def test_the_observation_numbers_the_agents_of_each_player(implementation):
    state = implementation.parse("""
        AAB
        CDD
        agents: A0@1,0 A2@0,0 B1@2,0 C0@0,1 D2@1,1 D0@2,1
    """)
    seen = state.observation(2)
    planes = np.float32(seen["planes"])
    assert planes.shape == (15, 2, 3)
    third = np.float32([1, 2, 3]) / np.float32(3)
    expected = np.zeros((4, 2, 3), np.float32)
    expected[0, 1, 0] = third[0]
    expected[1, 1, 1], expected[1, 1, 2] = third[2], third[0]
    expected[2, 0, 0], expected[2, 0, 1] = third[2], third[0]
    expected[3, 0, 2] = third[1]
    assert np.array_equal(planes[8:12], expected)
    assert list(seen["agent_cells"]) == [3, -1, -1]
    assert np.array_equal(np.float32(seen["scalars"])[2::4], np.float32([1, 2, 2, 1]) / np.float32(3))
