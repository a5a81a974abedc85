"""The config: defaults by ruleset, ranges, types, maps. [section 2]"""

import dataclasses
import pickle

import pytest

import masume
from masume.errors import ConfigError, ConfigTypeError, NotationError
from masume.terraforming.blocks import block
from masume.terraforming.config import Config
from masume.terraforming.maps import Map, generate

RULEBOOK = {
    "ruleset": "rulebook", "radius": 6, "max_turns": 200, "score_limit": 0, "end_all_developed": True,
    "hole_mode": "count", "holes_per_third": 5, "hole_divisor": 5, "hole_cap": 15, "map_check": "full",
    "tie_break": "later", "illegal_locks": False, "seed": 0, "map": None,
}  # fmt: skip
CONTEST = RULEBOOK | {
    "ruleset": "contest", "score_limit": 100, "end_all_developed": False, "hole_mode": "chance", "map_check": "third",
    "illegal_locks": True,
}  # fmt: skip


def test_tf_r40_each_ruleset_has_its_defaults():
    """TF-R40"""
    assert Config().to_dict() == Config.make("rulebook").to_dict() == RULEBOOK
    assert Config(ruleset="contest") == Config.make("contest") == Config.make(ruleset="contest")
    assert Config.make("contest").to_dict() == CONTEST
    assert Config.make("contest", score_limit=0, illegal_locks=False).to_dict() == CONTEST | {
        "score_limit": 0,
        "illegal_locks": False,
    }


@pytest.mark.parametrize("radius", range(1, 11))
def test_holes_follow_the_radius(radius):
    config = Config(radius=radius)
    assert config.holes_per_third == 5 * radius * (radius + 1) // 42
    assert config.num_cells == 3 * radius * (radius + 1) + 1
    assert Config(radius=radius, holes_per_third=radius * (radius + 1) - 1).holes_per_third >= 1
    with pytest.raises(ConfigError, match=r"^holes_per_third: "):
        Config(radius=radius, holes_per_third=radius * (radius + 1))


RANGES = {
    "radius": (1, 10),
    "max_turns": (1, 10_000),
    "score_limit": (0, 100_000),
    "holes_per_third": (0, 41),
    "hole_divisor": (1, 1_000_000),
    "hole_cap": (1, 1000),
    "seed": (0, 2**64 - 1),
}


@pytest.mark.parametrize(("name", "low", "high"), [(name, *ends) for name, ends in RANGES.items()])
@pytest.mark.parametrize("ruleset", ["rulebook", "contest"])
def test_ranges(ruleset, name, low, high):
    """The fields that the hole mode does not use are checked too."""
    for value in (low, high):
        assert getattr(Config.make(**{"ruleset": ruleset, name: value}), name) == value
    for value in (low - 1, high + 1):
        with pytest.raises(ConfigError, match=f"^{name}: expected {low}..{high}, got {value}$"):
            Config.make(**{"ruleset": ruleset, name: value})
    for value in (True, 1.0, "1", [1]):
        with pytest.raises(ConfigTypeError, match=f"^{name}: "):
            Config.make(**{"ruleset": ruleset, name: value})


@pytest.mark.parametrize("name", ["end_all_developed", "illegal_locks"])
def test_flags(name):
    for value in (0, 1, "true", [True]):
        with pytest.raises(ConfigTypeError, match=f"^{name}: "):
            Config.make(**{name: value})
    for value in (True, False):
        assert getattr(Config.make(**{name: value}), name) is value


@pytest.mark.parametrize("name", ["ruleset", "hole_mode", "map_check", "tie_break"])
def test_words(name):
    with pytest.raises(ConfigError, match=f"^{name}: expected one of .*, got 'other'"):
        Config.make(**{name: "other"})
    with pytest.raises(ConfigTypeError, match=f"^{name}: "):
        Config.make(**{name: 1})


def test_other_fields_are_refused():
    with pytest.raises(ConfigError, match=r"^rounds: no such field"):
        Config.make(rounds=3)
    with pytest.raises(ConfigError, match=r"^preset: unknown preset 'draft\' \(known: rulebook, contest"):
        Config.make("draft")


# -- maps -------------------------------------------------------------------------------------------

BOARD = "AI0 . / # BI0 . / . CI0"


def test_a_map_gives_the_radius():
    config = Config.make(map=BOARD)
    assert config.radius == 1
    assert config.map == Map(1, ((0, -1), (0, 0), (0, 1)), ((-1, 0),))
    assert Config.make(map=config.map) == config
    assert Config.make(**config.to_dict()) == config
    assert Config.make(map=BOARD, radius=1, max_turns=7).max_turns == 7
    with pytest.raises(ConfigError, match=r"^radius: expected the map's 1, got 2"):
        Config.make(map=BOARD, radius=2)


def test_a_block_gives_the_turns_too():
    given = Config(radius=2, max_turns=30)
    text = block(given, generate(given, 4).variables(), 1)
    assert Config.make(map=text).max_turns == 30
    assert Config.make(map=text) == Config.make(map=generate(given, 4), max_turns=30)
    with pytest.raises(ConfigError, match=r"^max_turns: expected the map's 30, got 31"):
        Config.make(map=text, max_turns=31)


@pytest.mark.parametrize("value", [1, ["AI0"], b"AI0", {"radius": 1}])
def test_maps_of_other_types_are_refused(value):
    with pytest.raises(ConfigTypeError, match=r"^map: "):
        Config.make(map=value)


def test_a_text_that_is_no_map():
    with pytest.raises(NotationError):
        Config.make(map="AI0 BI0 CI0")
    with pytest.raises(ConfigError, match=r"^map: homes"):
        Config.make(map=". . / . . . / . .")
    with pytest.raises(ConfigTypeError, match=r"^map: expected a Map"):
        Config(map=BOARD)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"radius": 0}, "radius: expected"),
        ({"radius": True}, "radius: expected an int"),
        ({"homes": ((0, 0), (0, 1))}, "homes: expected 3 cells, got 2"),
        ({"homes": ((0, 0), (0, 0), (0, 1))}, "homes: .* is taken twice"),
        ({"homes": ((0, 0), (0, 2), (0, 1))}, r"homes\[1\]: expected a cell"),
        ({"homes": ((0, 0), (0,), (0, 1))}, r"homes\[1\]: expected a cell"),
        ({"homes": ((0, 0), 5, (0, 1))}, r"homes\[1\]: expected a list"),
        ({"homes": ((0, 0), (True, 1), (0, 1))}, r"homes\[1\]\[0\]: expected an int"),
        ({"homes": "abc"}, "homes: expected a list"),
        ({"holes": ((0, 0),)}, "holes: .* is taken twice"),
        ({"holes": ((1, 0), (1, 0))}, "holes: .* is taken twice"),
        ({"holes": ((1, 1),)}, r"holes\[0\]: expected a cell"),
    ],
)
def test_maps_that_cannot_be(fields, message):
    good = {"radius": 1, "homes": ((0, 0), (-1, 0), (0, 1)), "holes": ((1, 0),)}
    Map(**good)
    with pytest.raises(ConfigError, match=f"^map: {message}"):
        Map(**good | fields)


def test_games_with_maps_are_equal_by_value():
    one, other = (masume.load("terraforming", map=text) for text in (BOARD, BOARD.replace(" / ", "\n")))
    assert one == other
    assert pickle.loads(pickle.dumps(one)) == one
    assert one != masume.load("terraforming", map=BOARD, max_turns=3)
    for seed in (0, 7):
        assert one.new_state(seed).to_dict()["hole"].count(True) == 1
    assert dataclasses.replace(one.config, map=None).start_map(3).radius == 1
