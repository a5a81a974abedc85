"""The engine beyond the rules: bytes, keys, views, and refused input."""

import copy
import itertools
import pickle

import numpy as np
import pytest

import masume
from masume.core import _state
from masume.core.rng import Rng
from masume.errors import GameOverError, IllegalActionError, StateError
from masume.kakomimasu._engine import State, table
from masume.kakomimasu.notation import FIRST_MOVE, FIRST_PUT

BOARD = """
    AAA..
    AaA.b
    AAA.B
    agents: A0@2,1 A1@unplaced
    agents: B0@4,2 B1@unplaced
    played: 3
"""


@pytest.fixture
def game():
    return masume.load("kakomimasu", width=5, height=3, n_agents=2, total_turns=9, points=range(-7, 8))


@pytest.fixture
def state(game):
    return game.parse(BOARD)


# -- nouns --------------------------------------------------------------------------------------


def test_the_nouns_show_the_position(state):
    assert state.walls.tolist() == [[0, 0, 0, -1, -1], [0, -1, 0, -1, -1], [0, 0, 0, -1, 1]]
    assert state.territory.tolist() == [[-1] * 5, [-1, 0, -1, -1, 1], [-1] * 5]
    assert state.agents.tolist() == [[7, -1], [14, -1]]
    assert state.points.tolist() == [[-7, -6, -5, -4, -3], [-2, -1, 0, 1, 2], [3, 4, 5, 6, 7]]
    assert (state.played, state.turn) == (3, 4)
    assert state.wall_points.tolist() == [-7 - 6 - 5 - 2 + 0 + 3 + 4 + 5, 7]
    assert state.territory_points.tolist() == [1, 2]
    assert state.scores().tolist() == [-7, 9]
    dtypes = {name: getattr(state, name).dtype for name in ("walls", "territory", "agents", "points", "results")}
    assert dtypes == {"walls": "i1", "territory": "i1", "agents": "i2", "points": "i2", "results": "i1"}
    assert state.wall_points.dtype == state.territory_points.dtype == np.int64


def test_agents_and_points_are_views_that_nobody_can_write(state):
    agents = state.agents
    state.apply([0, FIRST_PUT + 3, 0, 0])
    assert agents.tolist() == [[7, 3], [14, -1]]
    assert not agents.flags.writeable
    assert not state.points.flags.writeable
    for view in (agents, state.points):
        with pytest.raises(ValueError, match="cannot set WRITEABLE"):
            view.flags.writeable = True


@pytest.mark.parametrize("height", range(1, 31))
def test_an_observation_writes_nothing_beside_its_arrays(height):
    state = masume.load("kakomimasu", width=7, height=height, n_agents=2, total_turns=5).new_state()
    state.apply([FIRST_PUT, 0, FIRST_PUT + 6, 0])
    for field, (shape, dtype) in state.game.observation_spec.items():
        items = int(np.prod(shape))
        wide = np.full(items + 32, 77, dtype)
        state.observation(0, {field: wide[16 : 16 + items].reshape(shape)})
        assert (wide[:16] == 77).all()
        assert (wide[-16:] == 77).all()
        assert (wide[16:-16] != 77).all()


def test_results_are_those_of_the_last_turn_that_was_played(state):
    assert state.results.tolist() == [0, 0, 0, 0]
    state.apply([FIRST_MOVE, FIRST_PUT + 14, FIRST_MOVE + 2, 5], on_illegal="fallback")
    assert state.results.tolist() == [0, 2, 5, 5]
    with pytest.raises(IllegalActionError):
        state.apply([10**6, 0, 0, 0], on_illegal="fallback")
    assert state.results.tolist() == [0, 2, 5, 5]
    assert state.clone().results.tolist() == [0, 2, 5, 5]
    other = state.game.new_state()
    other.copy_from(state)
    assert other.results.tolist() == [0, 2, 5, 5]
    state.apply([0, 0, 0, 0])
    assert state.results.tolist() == [0, 0, 0, 0]
    assert other.results.tolist() == [0, 2, 5, 5]


def test_results_are_no_part_of_the_position(state):
    twin = state.clone()
    state.apply([0, 0, 0, 5], on_illegal="fallback")
    twin.apply([0, 0, 0, 0])
    assert state.results.tolist() != twin.results.tolist()
    assert state.to_bytes() == twin.to_bytes()
    assert pickle.loads(pickle.dumps(state)).results.tolist() == [0, 0, 0, 0]


def test_a_state_of_the_common_class_is_not_copied_from(state):
    """A plain state has no results of a turn."""
    plain = _state.from_bytes(_state.State, state.game, state.to_bytes())
    with pytest.raises(ValueError, match=r"^other: expected a state of "):
        state.game.new_state().copy_from(plain)


def test_a_table_of_another_game_is_refused():
    import toy

    with pytest.raises(TypeError, match="is not kakomimasu"):
        State(masume.load(toy.Counting()))


# -- bytes, keys, checks --------------------------------------------------------------------------


@pytest.mark.parametrize(("side", "size"), [(24, 448), (20, 384), (8, 320), (30, 576)])
def test_a_state_is_small_and_fills_cache_lines(side, size):
    assert masume.load("kakomimasu", width=side, height=side, n_agents=14).state_size == size


def test_the_bytes_of_a_state_are_its_fields(state):
    array = state.array
    assert array["played"] == 3
    assert array["walls"].tolist() == [[7, 5, 7, *[0] * 13], [0, 0, 16, *[0] * 13]]
    assert array["territory"].tolist() == [[0, 2, *[0] * 14], [0, 16, *[0] * 14]]
    assert array["agents"].tolist() == [[7, -1], [14, -1]]


def test_check_finds_every_fault_in_any_bytes(state):
    """Check covers invariants (i) to (iii), ranges, and padding, which must be zero."""
    faults = {
        "played: out of range": [("played", (), -1), ("played", (), 10)],
        "walls, territory: off the board": [
            ("walls", (0, 0), 7 | 32), ("walls", (1, 3), 1), ("territory", (0, 0), 1 << 31), ("territory", (1, 15), 1),
        ],
        "walls, territory: a cell has two owners": [
            ("walls", (1, 0), 1), ("walls", (1, 1), 2), ("territory", (0, 0), 1), ("territory", (1, 1), 2 | 16),
        ],
        "agents: a cell is out of range": [("agents", (0, 1), 15), ("agents", (1, 1), -2), ("agents", (0, 0), 32767)],
        "agents: two share a cell": [("agents", (0, 1), 7)],
        "agents: one stands on no wall of its own": [
            ("agents", (0, 1), 6), ("agents", (0, 1), 14), ("agents", (1, 0), 3),
        ],
    }  # fmt: skip
    for message, cases in faults.items():
        for name, place, value in cases:
            data = bytearray(state.to_bytes())
            np.frombuffer(data, state.game.state_dtype)[name][(0, *place)] = value
            with pytest.raises(StateError, match=message):
                state.game.state_from_bytes(bytes(data))
    own = set(range(4)) | set(range(8, 8 + 256 + 8))
    for byte in set(range(state.game.state_size)) - own:
        data = bytearray(state.to_bytes())
        data[byte] = 1
        with pytest.raises(StateError, match="padding: not zero"):
            state.game.state_from_bytes(bytes(data))


def test_any_bytes_are_a_position_or_are_refused(game):
    """With any byte changed, or noise, nothing is read out of bounds, and an accepted position can be played."""
    rng = Rng(5)
    base = game.parse(BOARD).to_bytes()
    used = [0, *(8 + 64 * board + 4 * y for board in range(4) for y in range(3)), *range(264, 272)]
    taken = 0
    for case in range(4000):
        data = bytearray(base)
        for _ in range(1 + rng.below(3)):
            data[used[rng.below(len(used))] if case % 4 else rng.below(len(data))] ^= 1 << rng.below(8)
        if case % 50 == 0:
            data = bytearray(rng.below(256) for _ in data)
        try:
            state = game.state_from_bytes(bytes(data))
        except StateError:
            continue
        taken += 1
        state.check()
        if not state.is_terminal():
            state.apply([0, 0, 0, 0])
            state.check()
    assert taken > 100


def test_the_key_tells_every_variable_apart(game, state):
    """Keys are equal for equal positions on any path, and differ after any change of one variable."""
    variables = state.to_dict()
    keys = {state.key}
    changes = [
        {"played": 4},
        {"wall": [0, 0, 0, -1, 0, *variables["wall"][5:]]},
        {"wall": [0, 0, 0, -1, 1, *variables["wall"][5:]]},
        {"area": [-1, -1, -1, 0, *variables["area"][4:]]},
        {"area": [-1, -1, -1, 1, *variables["area"][4:]]},
        {"area": [-1] * 15},
        {"pos": [[-1, 7], [14, -1]]},
        {"pos": [[8 - 1, 0], [14, -1]]},
        {"pos": [[5, -1], [14, -1]]},
        {"pos": [[-1, -1], [14, -1]]},
    ]
    for change in changes:
        other = game.state_from_dict({**variables, **change})
        assert game.state_from_dict(other.to_dict()).key == other.key
        keys.add(other.key)
    assert len(keys) == 1 + len(changes)


def test_keys_do_not_collide_in_play():
    """All positions up to four turns deep on a tiny board have different keys."""
    game = masume.load("kakomimasu", width=2, height=2, n_agents=1, total_turns=5)
    seen, front = {}, {game.new_state().to_bytes()}
    for _ in range(4):
        following = set()
        for data in front:
            state = game.state_from_bytes(data)
            for codes in itertools.product(state.legal_actions(0).tolist(), state.legal_actions(1).tolist()):
                child = state.clone()
                child.apply(list(codes))
                following.add(child.to_bytes())
                assert seen.setdefault(child.key, child.to_bytes()) == child.to_bytes()
        front = following
    assert len(seen) == len(set(seen.values())) > 400


def test_the_key_is_the_same_on_every_platform():
    state = masume.load("kakomimasu", width=12, height=9, n_players=3, n_agents=3, total_turns=5).new_state()
    assert state.key == 0x90ADD22A976C10C5
    state.apply([FIRST_PUT + 10 * slot for slot in range(9)])
    assert state.key == 0x590F6482657BC0C8


# -- refused input ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"version": 2}, "version: expected 1..1, got 2"),
        ({"version": True}, "version: expected an int, got True"),
        ({"config": None}, "config: expected a dict"),
        ({"config": {}}, "config.width: missing"),
        ({"played": 10}, "played: expected 0..9, got 10"),
        ({"played": -1}, "played: expected 0..9, got -1"),
        ({"played": 1.0}, r"played: expected an int, got 1\.0"),
        ({"wall": [0]}, "wall: expected 15 values, got 1"),
        ({"wall": None}, "wall: expected a list, got None"),
        ({"wall": [2, *[-1] * 14]}, r"wall\[0\]: expected -1..1, got 2"),
        ({"wall": ["0", *[-1] * 14]}, r"wall\[0\]: expected an int, got '0'"),
        ({"area": [*[-1] * 14, -2]}, r"area\[14\]: expected -1..1, got -2"),
        ({"pos": [[-1, -1]]}, "pos: expected 2 values, got 1"),
        ({"pos": [[-1, -1], [-1]]}, r"pos\[1\]: expected 2 values, got 1"),
        ({"pos": [[-1, -1], [15, -1]]}, r"pos\[1\]\[0\]: expected -1..14, got 15"),
        ({"pos": [[-1, -1], [True, -1]]}, r"pos\[1\]\[0\]: expected an int, got True"),
        ({"area": [0, *[-1] * 14]}, "a cell has two owners"),
        ({"pos": [[3, -1], [-1, -1]]}, "no wall of its own"),
        ({"pos": [[0, 0], [-1, -1]]}, "two share a cell"),
        ({"results": []}, "results: no such key"),
    ],
)
def test_a_dict_that_is_no_position_is_refused(game, state, change, message):
    """[section 3] The error names the key and the value."""
    with pytest.raises(StateError, match=message):
        game.state_from_dict({**state.to_dict(), **change})


def test_a_dict_lacks_no_key(game, state):
    for key in state.to_dict():
        with pytest.raises(StateError, match=f"{key}: missing"):
            game.state_from_dict({name: value for name, value in state.to_dict().items() if name != key})


def test_a_dict_of_another_config_is_refused(game, state):
    variables = state.to_dict()
    for name, value in {
        "width": {"width": 3, "points": [0] * 9}, "n_players": 3, "total_turns": 8, "points": [0] * 15,
        "put_on_enemy_wall": "server", "official": None, "seed": np.zeros(2), "operation_sec": 1,
    }.items():  # fmt: skip
        changed = copy.deepcopy(variables)
        changed["config"] |= value if isinstance(value, dict) else {name: value}
        with pytest.raises(StateError, match=f"config.{name}: "):
            game.state_from_dict(changed)
    variables["config"]["extra"] = 1
    with pytest.raises(StateError, match=r"config\.extra: no such key"):
        game.state_from_dict(variables)


def test_the_board_is_its_points_whatever_made_them(game, state):
    """[section 3] "The board is config.points, whatever config.seed says"."""
    variables = state.to_dict()
    variables["config"] |= {"seed": 99, "symmetry": "none", "positive_ratio": 1, "max_point": 3, "min_point": -3}
    assert game.state_from_dict(variables).to_bytes() == state.to_bytes()


def test_only_a_config_makes_a_table():
    for bad in ({"width": 3}, None, "kakomimasu"):
        with pytest.raises(TypeError, match="config: "):
            table(bad)


def test_lists_take_any_ints(state):
    """[section 6] NumPy ints and ints of any size are accepted; impossible actions are invalid."""
    turn = [[(np.int64(0), "MOVE", np.int8(1), 1), (1, "PUT", 10**30, -(10**30))], [(-(10**30), "STAY", 0, 0)]]
    assert state.apply_lists(turn, on_illegal="fallback") == [[0, 5], [4]]
    assert state.results.tolist() == [0, 5, 0, 0]


def test_nothing_can_be_played_at_the_end(game):
    state = game.new_state()
    for _ in range(9):
        state.apply([0, 0, 0, 0])
    before = state.to_bytes()
    for call in (
        lambda: state.apply([0, 0, 0, 0]),
        lambda: state.apply([0, 0, 0, 0], on_illegal="fallback"),
        lambda: state.apply_lists([[], []]),
    ):
        with pytest.raises(GameOverError, match="the game is over"):
            call()
    assert state.to_bytes() == before


# -- choices ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("size", "most"), [((1, 1), 2), ((2, 1), 3), ((2, 2), 7), ((3, 2), 11), ((3, 3), 17), ((4, 4), 17), ((5, 4), 21)]
)
def test_no_agent_has_more_choices_than_told(size, most):
    """The bound is reached: by a free board before placing, or by an agent among own walls."""
    width, height = size
    game = masume.load("kakomimasu", width=width, height=height, n_agents=1, total_turns=3)
    cell = min(1, height - 1) * width + min(1, width - 1)
    start = game.new_state()
    full = game.state_from_dict({**start.to_dict(), "wall": [0] * (width * height), "pos": [[cell], [-1]]})
    assert max(len(start.legal_actions(0)), len(full.legal_actions(0))) == most


@pytest.mark.parametrize("option", ["invalid", "server"])
@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_random_choice_is_the_drawn_one_of_the_legal(players, option):
    """[design section 7] The choice is legal[below(len(legal))], one draw per agent, placed or not."""
    sizes = {"width": 9, "height": 6, "n_players": players, "n_agents": 6, "total_turns": 25}
    rng, seen = Rng(3), set()
    for _ in range(4):
        state = masume.load("kakomimasu", **sizes, put_on_enemy_wall=option).new_state()
        while not state.is_terminal():
            codes = []
            for player in range(players):
                draws = Rng(rng.next())
                chosen, after = state._choose(player, "random", draws.state)
                legal = [state.legal_actions(player * 6 + agent).tolist() for agent in range(6)]
                assert chosen == [mine[draws.below(len(mine))] for mine in legal]
                assert after == draws.state
                codes += [0 if rng.below(4) == 0 and state.played < 5 else code for code in chosen]
                seen.update(codes)
            state.apply(codes)
    assert seen >= set(range(FIRST_PUT))
    assert len(seen) > FIRST_PUT + 20
