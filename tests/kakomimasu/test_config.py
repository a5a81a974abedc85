"""Configs: defaults, ranges, random and given boards; errors name the bad field."""

import copy
import dataclasses
import math
import pickle

import numpy as np
import pytest

from masume.errors import ConfigError, ConfigTypeError
from masume.kakomimasu import boards
from masume.kakomimasu.config import Config

DEFAULTS = {
    "width": 20, "height": 20, "n_players": 2, "n_agents": 8, "total_turns": 60, "points": None, "seed": 0,
    "symmetry": "quad", "positive_ratio": 80, "max_point": 16, "min_point": -16, "put_on_enemy_wall": "invalid",
    "official": False, "operation_sec": 3, "transition_sec": 1,
}  # fmt: skip
RANGES = {
    "width": (1, 30), "height": (1, 30), "n_players": (2, 4), "n_agents": (1, 16), "total_turns": (1, 10000),
    "seed": (0, 2**64 - 1), "positive_ratio": (0, 100), "max_point": (0, 32767), "min_point": (-32768, -1),
}  # fmt: skip
OFFICIAL = {"width": (10, 24), "height": (10, 24), "n_agents": (6, 14), "max_point": (0, 16), "min_point": (-16, -1)}


def test_fields_and_defaults():
    assert {field.name: field.default for field in dataclasses.fields(Config)} == DEFAULTS
    assert list(Config.make().to_dict()) == list(DEFAULTS)


@pytest.mark.parametrize("name", RANGES)
def test_km_r1_the_hard_ranges_always_apply(name):
    """KM-R1 KM-R2: both ends are allowed; an error names the field of a value beyond them."""
    low, high = RANGES[name]
    for value in (low, high):
        assert getattr(Config.make(**{name: value}), name) == value
        assert type(getattr(Config.make(**{name: np.int64(value) if value < 2**63 else value}), name)) is int
    for value in (low - 1, high + 1, -(10**30), 10**30):
        with pytest.raises(ConfigError, match=f"^{name}: expected .*, got {value}"):
            Config.make(**{name: value})


@pytest.mark.parametrize("name", OFFICIAL)
def test_km_9_km_13_the_contest_s_ranges_are_enforced_on_request(name):
    """KM-9 KM-13 KM-10 KM-R1: with official=True sides are 10 to 24, agents 6 to 14, points -16 to 16."""
    side = name in ("width", "height")

    def fields(value):
        return {"width": value, "height": value} if side else {name: value}

    low, high = OFFICIAL[name]
    for value in (low, high):
        Config.make(official=True, **fields(value))
    hard_low, hard_high = RANGES[name]
    for value in {low - 1, high + 1} & set(range(hard_low, hard_high + 1)):
        Config.make(**fields(value))
        with pytest.raises(ConfigError, match=f"^{'width' if side else name}: expected .*, got {value}"):
            Config.make(official=True, **fields(value))


def test_km_9_an_official_board_is_square():
    """KM-9 KM-R1"""
    with pytest.raises(ConfigError, match=r"^height: expected the width 12, .*, got 13"):
        Config.make(official=True, width=12, height=13)
    assert Config.make(width=12, height=13).height == 13


def test_km_10_official_points_are_those_of_the_contest():
    """KM-10"""
    points = [0] * 99 + [17]
    assert Config.make(width=10, height=10, points=points).points[-1] == 17
    with pytest.raises(ConfigError, match=r"^points\[99\]: expected -16\.\.16, got 17"):
        Config.make(width=10, height=10, points=points, official=True)
    Config.make(width=10, height=10, points=[16, -16] * 50, official=True)


@pytest.mark.parametrize("name", [*RANGES])
@pytest.mark.parametrize("value", [None, "5", 5.0, True, False, np.True_, [5], math.nan, 5j], ids=repr)
def test_an_int_is_wanted(name, value):
    with pytest.raises(ConfigTypeError, match=f"^{name}: "):
        Config.make(**{name: value})


@pytest.mark.parametrize("name", ["symmetry", "put_on_enemy_wall"])
@pytest.mark.parametrize("value", [None, "", "Quad", 1, True, b"quad", "both"], ids=repr)
def test_one_of_the_words_is_wanted(name, value):
    with pytest.raises(ConfigError, match=f"^{name}: "):
        Config.make(**{name: value})


@pytest.mark.parametrize("value", [None, 0, 1, "yes", 1.0], ids=repr)
def test_official_is_true_or_false(value):
    with pytest.raises(ConfigTypeError, match=r"^official: "):
        Config.make(official=value)
    assert Config.make(official=np.False_).official is False


@pytest.mark.parametrize("name", ["operation_sec", "transition_sec"])
def test_seconds_are_finite_numbers(name):
    for value in (0.5, 3, np.float64(2.5), np.int32(4), 10**400):
        assert getattr(Config.make(**{name: value}), name) == value
        assert type(getattr(Config.make(**{name: value}), name)) in (int, float)
    for value in (-1, -0.5, math.inf, math.nan, -math.inf):
        with pytest.raises(ConfigError, match=f"^{name}: "):
            Config.make(**{name: value})
    for value in (None, "3", True, [3], 3j):
        with pytest.raises(ConfigTypeError, match=f"^{name}: "):
            Config.make(**{name: value})


def test_operation_sec_is_more_than_0_and_transition_sec_may_be_0():
    assert Config.make(transition_sec=0).transition_sec == 0
    with pytest.raises(ConfigError, match=r"^operation_sec: expected a number > 0, got 0"):
        Config.make(operation_sec=0)


@pytest.mark.parametrize(
    "points",
    [
        [1, 2, 3, 4, 5, 6],
        (1, 2, 3, 4, 5, 6),
        range(1, 7),
        [[1, 2, 3], [4, 5, 6]],
        ((1, 2, 3), [4, 5, 6]),
        np.arange(1, 7),
        np.arange(1, 7, dtype=np.int16).reshape(2, 3),
        [np.array([1, 2, 3]), (4, 5, 6)],
    ],
    ids=repr,
)
def test_points_flat_or_in_rows(points):
    config = Config.make(width=3, height=2, points=points)
    assert config.points == config.board_points() == (1, 2, 3, 4, 5, 6)
    assert {type(point) for point in config.points} == {int}
    assert config.to_dict()["points"] == [1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize(
    "points",
    [
        [], [1] * 5, [1] * 7, [[1, 2, 3]], [[1, 2, 3], [4, 5]], [[1, 2], [3, 4], [5, 6]], [[1, 2, 3], 4, 5, 6],
        [1, 2, 3, [4, 5, 6]], [1, 2, 3, 4, 5, 32768], [-32769, 2, 3, 4, 5, 6], [1, 2, 3, 4, 5, 6.0],
        [1, 2, 3, 4, 5, True], [1, 2, 3, 4, 5, None], [1, 2, 3, 4, 5, "6"], "123456", b"123456", 5, {1: 2}, {1, 2},
        np.zeros(6), np.zeros((2, 3), bool), np.int64(3), np.zeros((3, 2), int), np.zeros((1, 2, 3), int), [[[1]]],
    ],
    ids=repr,
)  # fmt: skip
def test_other_points_are_named(points):
    with pytest.raises(ConfigError, match=r"^points(\[\d+\])?: "):
        Config.make(width=3, height=2, points=points)


def test_unknown_fields_and_presets_are_named():
    with pytest.raises(ConfigError, match=r"^widht: "):
        Config.make(widht=3)
    with pytest.raises(ConfigError, match=r"^preset: 'contest'"):
        Config.make("contest")
    with pytest.raises(TypeError, match="widht"):
        Config(widht=3)


def test_a_config_is_a_value():
    config = Config.make(width=5, seed=3)
    assert config == Config(width=5, seed=3) != Config(width=5, seed=4)
    assert hash(config) == hash(Config(width=5, seed=3))
    assert Config(width=2, height=1, points=[1, 2]) == Config(width=2, height=1, points=np.array([[1, 2]]))
    config.board_points()
    for twin in (pickle.loads(pickle.dumps(config)), copy.deepcopy(config), dataclasses.replace(config)):
        assert twin == config
        assert twin.board_points() == config.board_points()
    with pytest.raises(dataclasses.FrozenInstanceError):
        config.width = 6
    again = Config.make(**config.to_dict())
    assert again.to_dict() == config.to_dict()


# -- the random board -------------------------------------------------------------------------------


def test_km_r23_check_values():
    """KM-R23: the check values of section 4.2."""
    points = Config.make(width=10, height=10, seed=1).board_points()
    assert points[:20] == (12, -8, 12, -9, 13, 13, -9, 12, -8, 12, 10, 9, 2, 13, 15, 15, 13, 2, 9, 10)
    assert sum(points) == 392
    points = Config.make(seed=20211126).board_points()
    assert points[:20] == (3, -16, 16, 14, -16, 10, 12, 0, -5, -4, -4, -5, 0, 12, 10, -16, 14, 16, -16, 3)
    assert sum(points) == 1792
    assert sum(map(abs, points)) == 3440


@pytest.mark.parametrize("size", [(1, 1), (1, 7), (6, 1), (5, 4), (4, 5), (30, 30), (7, 7)], ids=str)
def test_km_r23_symmetries(size):
    """KM-R23: each symmetry holds, and on larger boards the others do not."""
    width, height = size
    images = {
        "horizontal": lambda x, y: (width - 1 - x, y),
        "vertical": lambda x, y: (x, height - 1 - y),
        "rotate180": lambda x, y: (width - 1 - x, height - 1 - y),
    }
    cells = [(x, y) for y in range(height) for x in range(width)]
    for symmetry in ("none", "quad", *images):
        points = dict(
            zip(cells, Config.make(width=width, height=height, symmetry=symmetry).board_points(), strict=True)
        )
        holding = {
            name for name, image in images.items() if all(points[image(*cell)] == points[cell] for cell in cells)
        }
        wanted = set(images) if symmetry == "quad" else {symmetry} & set(images)
        assert wanted <= holding
        if width * height > 9 and min(size) > 1:
            assert holding == wanted


def test_km_r23_ratio_and_range():
    """KM-R23: 0 counts as positive; the ends of both ranges are drawn."""
    for ratio, low, high in ((100, 0, 3), (0, -3, -1), (50, -3, 3)):
        points = Config.make(symmetry="none", positive_ratio=ratio, max_point=3, min_point=-3, seed=5).board_points()
        assert set(points) == set(range(low, high + 1))
    points = Config.make(width=30, height=30, symmetry="none", max_point=32767, min_point=-32768).board_points()
    assert min(points) < -30000
    assert max(points) > 30000


def test_the_board_is_made_once():
    config = Config.make(seed=9)
    assert config.board_points() is config.board_points()


# -- boards given -----------------------------------------------------------------------------------

BOARD = {"name": "tiny", "width": 2, "height": 1, "points": [3, -4]}


def test_a_board_gives_its_fields():
    """Section 4.3: absent keys of the board have the format's default, not the config's."""
    for board in (BOARD, boards.Board.from_json(BOARD), boards.dump_boards([boards.Board.from_json(BOARD)])):
        config = Config.make(board=board)
        assert config == Config(
            width=2,
            height=1,
            points=(3, -4),
            n_players=2,
            n_agents=4,
            total_turns=30,
            operation_sec=1,
            transition_sec=1,
        )
    full = {**BOARD, "nAgent": 3, "nPlayer": 4, "totalTurn": 7, "operationSec": 2.5, "transitionSec": 0}
    config = Config.make(board=full)
    assert (config.n_agents, config.n_players, config.total_turns) == (3, 4, 7)
    assert (config.operation_sec, config.transition_sec) == (2.5, 0)


def test_fields_beside_a_board_hold():
    config = Config.make(board={**BOARD, "nAgent": 3}, n_agents=5, total_turns=9, put_on_enemy_wall="server", seed=4)
    assert (config.n_agents, config.total_turns, config.put_on_enemy_wall, config.seed) == (5, 9, "server", 4)
    with pytest.raises(ConfigError, match=r"^nonsense: "):
        Config.make(board=BOARD, nonsense=1)


@pytest.mark.parametrize("field", [{"width": 2}, {"height": 1}, {"points": [1, 2]}, {"points": None}])
def test_the_board_alone_says_its_size_and_points(field):
    with pytest.raises(ConfigError, match=f"^{next(iter(field))}: "):
        Config.make(board=BOARD, **field)


def test_several_boards_are_named():
    collection = {name: {**BOARD, "name": name} for name in ("one", "two")}
    with pytest.raises(ConfigError, match=r"^board: .*one, two"):
        Config.make(board=collection)
    with pytest.raises(ConfigError, match=r"^board: .*empty"):
        Config.make(board=[])
    assert Config.make(board={"one": collection["one"]}).width == 2


@pytest.mark.parametrize("board", ["", "nonsense", "[", 5, True, {"name": "x"}, [1], {"a": 1}, b"{}"], ids=repr)
def test_what_is_no_board_is_refused(board):
    with pytest.raises(ConfigError, match=r"^board"):
        Config.make(board=board)


def test_km_r31_a_config_that_fails_makes_no_game():
    """KM-R31: no half-made game is left behind; the list of matches is tested with the server."""
    import masume

    with pytest.raises(ConfigError, match=r"^n_agents: expected .*, got 17"):
        masume.load("kakomimasu", board={**BOARD, "totalTurn": 5}, n_agents=17)
    assert masume.load("kakomimasu", board={**BOARD, "totalTurn": 5}, n_agents=16).config.n_agents == 16
