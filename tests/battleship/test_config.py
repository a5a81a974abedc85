"""The options of section 2 of the rules, and the terrain maps."""

import dataclasses
import json

import pytest

import masume
from masume import cli
from masume.battleship import maps, missions
from masume.battleship.config import MISSIONS, SCORE_MISSIONS, Config
from masume.core.rng import Rng
from masume.core.shapes import Items, Maybe, Number, shapes_of
from masume.errors import ConfigError, ConfigTypeError


def test_every_option_of_the_rules_has_a_shape():
    assert {field.name for field in dataclasses.fields(Config)} == {*shapes_of(Config), "terrain_map"}


@pytest.mark.parametrize("preset", Config.presets())
def test_presets_survive_json(preset):
    config = Config.make(preset)
    assert Config.make(**json.loads(json.dumps(config.to_dict()))) == config
    assert masume.load("battleship", preset=preset) == masume.load("battleship", **config.to_dict())


def test_what_follows_from_other_options():
    """Options follow from other options. [BS-115] [BS-R4] [BS-R38] [BS-R43]"""
    config = Config.make(fp_base=9999)
    assert config.oiler_fp == 14_998
    assert Config.make(**config.to_dict()) == config
    assert Config.make(fuel=False).max_rounds == 200
    assert Config.make(mission="recon").round_limit == 20
    assert Config.make(mission="retreat", defender=1).teams == (1, 0)
    assert Config.make(fleets=["BDS", [3, "B"]], fleet_select="free").fleets == ((0, 1, 2), (3, 0))
    assert Config.make(fleets=["BDS", [3, "B"]]).fleet_sizes == (3, 2)
    assert Config.make(fleets=["BD"]).fleets == ((0, 1), (0, 1))
    assert Config.make("classic", terrain_map="...../.#.../...../...../.....").terrain
    assert Config.make("classic", fleets=None).fleets is None


def test_ranges_hold_at_both_ends():
    shapes = {name: shape.shape if isinstance(shape, Maybe) else shape for name, shape in shapes_of(Config).items()}
    for name, shape in shapes.items():
        if not isinstance(shape, Number) or name in ("round_limit", "oiler_fp", "players", "defender"):
            continue
        _kind, low, high = shape
        for value in (low, high):
            assert getattr(Config.make(**{name: value}), name) == value
        for value in (low - 1, high + 1):
            with pytest.raises(ConfigError, match=rf"^{name}: expected {low}\.\.{high}, got {value}"):
                Config.make(**{name: value})
    for name, shape in shapes.items():
        if not isinstance(shape, Items) or not isinstance(shape.shape, Number):
            continue
        count, (_kind, low, high) = shape.length, shape.shape
        for value in (low - 1, high + 1):
            with pytest.raises(ConfigError, match=rf"^{name}\[1\]: expected .*, got {value}"):
                Config.make(**{name: [max(low, 1), value, *[low] * (count - 2)]})
    with pytest.raises(ConfigError, match=r"^oiler_fp: expected 1\.\.9999, got 10000"):
        Config.make(oiler_fp=10_000)


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"width": "5"}, "width: expected an int"),
        ({"width": 2, "fuel": "yes"}, "fuel: expected True or False"),
        ({"mission": 3}, "mission: expected a string"),
        ({"teams": 3, "players": 3}, "teams: expected a list"),
        ({"hp": 3}, "hp: expected a list"),
        ({"fleets": 3}, "fleets: expected a list"),
        ({"fleets": [3]}, r"fleets\[0\]: expected a list"),
        ({"fleets": [[1.0]]}, r"fleets\[0\]\[0\]: expected an int"),
        ({"turn_order": "01"}, "turn_order: expected a list"),
        ({"terrain_map": 5}, "terrain_map: expected rows"),
        ({"round_limit": True}, "round_limit: expected an int"),
        ({"equalize_fleets": 1}, "equalize_fleets: expected True or False"),
    ],
)
def test_types_are_checked_first(fields, told):
    with pytest.raises(ConfigTypeError, match=f"^{told}"):
        Config.make(**fields)


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"terrain_weights": [60_000, 6000, 0, 0, 0]}, "terrain_weights: sum: expected 1..65535, got 66000"),
        ({"fleets": [["X"]]}, r"fleets\[0\]\[0\]: expected one of B, D, S, O, got 'X'"),
        ({"fleets": [["BD"]]}, r"fleets\[0\]\[0\]: expected one of B, D, S, O, got 'BD'"),
        ({"mission": "retreat", "defender": 2}, "defender: expected 0..1, got 2"),
        ({"mission": "rescue", "players": 4}, "teams: mission rescue"),
        ({"players": 3, "teams": [0, 1, 2]}, r"teams\[2\]: expected 0..1, got 2"),
        ({"width": 3, "height": 3, "fleet_sizes": [10, 1]}, r"fleet_sizes\[0\]: expected 1..9, got 10"),
        ({"max_rounds": 0, "fuel": False}, "max_rounds: expected 1..10000, got 0"),
        ({"terrain_map": ".../.x./..."}, r"terrain_map: expected letters of . # ~ % \^, got 'x'"),
        ({"terrain_map": [5] + [0] * 24}, r"terrain_map\[0\]: expected 0..4, got 5"),
        ({"terrain_map": "..../.../..."}, "terrain_map: expected 3 rows of 4"),
    ],
)
def test_other_configs_that_are_refused(fields, told):
    with pytest.raises(ConfigError, match=f"^{told}"):
        Config.make(**fields)


def test_terrain_known_without_terrain_has_no_effect():
    assert Config.make(terrain=False, terrain_known=True, move_rule="jump").terrain_map is None


# -- maps ---------------------------------------------------------------------------------------------


def test_a_map_gives_the_size_unless_one_is_given():
    for text in (".#./.../~%^/...", ".#.\n...\n~%^\n...\n", " .#.\n ... / ~%^\n ..."):
        config = Config.make(terrain_map=text)
        assert (config.width, config.height, config.terrain_map) == (3, 4, ".#./.../~%^/...")
        assert maps.codes(config.terrain_map) == [0, 1, 0, 0, 0, 0, 2, 3, 4, 0, 0, 0]
    assert Config.make(width=3, height=4, terrain_map=[0, 1] + [0] * 10).terrain_map == ".#./.../.../..."
    with pytest.raises(ConfigError, match=r"^terrain_map: expected 4 rows of 5"):
        Config.make(width=5, height=4, terrain_map=".#./.../~%^/...")


def test_shipped_maps_can_be_played():
    for name, text in maps.load_shipped().items():
        game = masume.load("battleship", terrain_map=text)
        assert maps.facts(name, text)["sea"] >= game.config.max_fleet
        assert maps.facts(name, text)["width"] == game.config.width
        state = game.new_state(1)
        while state.to_dict()["phase"] == 0:
            state.apply(int(state.legal_actions()[-1]))
        state.check()
    assert list(maps.load_shipped()) == sorted(maps.load_shipped())


def test_map_files(tmp_path):
    path = tmp_path / "bay.txt"
    path.write_text("...\n.#.\n%^~\n")
    assert maps.load_file(path) == {"bay": ".../.#./%^~"}
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigError, match=r"^terrain_map: bay.txt"):
        maps.load_file(path)
    path.write_text("")
    with pytest.raises(ConfigError, match=r"^terrain_map: bay.txt: width: expected 3..9, got 0"):
        maps.load_file(path)


def test_generated_maps():
    """Maps are drawn by the weights. [BS-186] [BS-R11]"""
    config = Config.make(width=9, height=9)
    found = maps.generate_fields(config, 5)
    assert found == maps.generate_fields(config, 5) != maps.generate_fields(config, 6)
    assert Config.make(**{**config.to_dict(), **found}).terrain
    known = Config.make("submarine")
    assert Config.make(**{**known.to_dict(), **maps.generate_fields(known, 5)}) == known
    rng = Rng(1)
    drawn = [maps.draw((17, 2, 2, 2, 2), rng) for _ in range(5000)]
    shares = [drawn.count(code) / 5000 * 25 for code in range(5)]
    assert all(abs(share - weight) < 0.5 for share, weight in zip(shares, (17, 2, 2, 2, 2), strict=True))
    assert [maps.draw((0, 0, 1, 0, 0), rng) for _ in range(5)] == [2] * 5


def test_all_missions_are_known():
    assert len(MISSIONS) == 9


def test_the_nine_missions_can_be_played_as_they_are_listed(capsys):
    listed = missions.missions()
    assert [one.name for one in listed] == list(MISSIONS)
    for one in listed:
        config = masume.load("battleship", **one.fields).config
        assert config.mission == one.name
        assert missions.goal(config) == one.goal
        assert (one.time_up == "the higher score wins") == (one.name in SCORE_MISSIONS)
        assert (one.time_up == "the defender wins") == (one.name == "retreat")
    assert cli.main(["info", "battleship"]) == 0
    output = capsys.readouterr().out
    assert [name for name in MISSIONS if f"\n{name} " in output] == list(MISSIONS)
