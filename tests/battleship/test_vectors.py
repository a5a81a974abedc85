"""The vectors of section 10 of the rules, on both implementations."""

import re

import pytest

from masume.battleship import notation
from masume.battleship.config import Config
from masume.battleship.rules.fuel import split
from masume.core.rng import Rng
from masume.errors import ConfigError

from . import vectors
from .conftest import play

SCRIPTED = vectors.load()


def test_every_scripted_vector_is_read():
    assert [vector.name for vector in SCRIPTED] == [f"{number:02}" for number in range(1, 80)]


@pytest.mark.parametrize("vector", SCRIPTED, ids=lambda vector: f"{vector.name} {vector.title[:40]}")
def test_scripted_vector(implementation, vector):
    played = vectors.Player(implementation, vector)
    assert played.checked == sum(line.count(" ; ") + 1 for line in vector.steps if line.startswith("="))
    assert played.checked > 0
    played.state.check()


# -- numbers ----------------------------------------------------------------------------------------


def test_splitmix64():
    rng = Rng(0)
    assert [rng.next() for _ in range(3)] == [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F]
    rng = Rng(42)
    assert [rng.below(10) for _ in range(8)] == [7, 1, 2, 3, 0, 8, 2, 8]


def order(implementation, seed, **fields):
    """Return the turn order drawn for this seed, as a string."""
    fleets = [f"B@{name}" for name in ("A1", "C3", "E5", "A5")[: fields["players"]]]
    state = implementation.battle(*fleets, seed=seed, turn_order=None, **fields)
    return "".join(map(str, state.to_dict()["order"]))


ORDERS = [
    ({"players": 2}, "01 01 01 10 10 10"),
    ({"players": 3}, "102 021 021 210 021 021"),
    ({"players": 4}, "2013 0132 0132 3120 0321 3021"),
    ({"players": 4, "teams": [0, 1, 0, 1]}, "0321 1032 1032 1230"),
    ({"players": 3, "teams": [0, 0, 1]}, "021 021 021 120"),
    ({"players": 3, "teams": [0, 1, 1]}, "102 102 102 201"),
    ({"players": 4, "teams": [0, 0, 0, 1]}, "1302 0321 0321 2310"),
    ({"players": 2, "mission": "retreat"}, "10 10 10 01"),
    ({"players": 3, "mission": "retreat"}, "102 102 102 201"),
    ({"players": 4, "mission": "retreat"}, "2013 1032 1032 3021"),
]


@pytest.mark.parametrize(("fields", "wanted"), ORDERS)
def test_turn_orders(implementation, fields, wanted):
    """Turn orders of the seeds. [BS-44] [BS-46] [BS-R9]"""
    found = [order(implementation, seed, **fields) for seed in range(len(wanted.split()))]
    assert found == wanted.split()


def test_generated_terrain(implementation):
    """Terrain of a seed. [BS-186] [BS-189] [BS-R11] [BS-R55]"""
    fields = {"terrain": True, "turn_order": None}
    state = implementation.battle("B@C3 D@A1 S@E5", "B@D3 D@B1 S@E1", seed=7, **fields)
    assert state.to_dict()["order"] == [1, 0]
    assert vectors.terrain_rows(state, Config()) == ["...%.", ".....", ".....", "^%%%.", "%..#."]


@pytest.mark.parametrize(("seed", "way"), [(0, "A2 B2 C2 C3"), (1, "B1 B2 B3 C3"), (2, "B1 B2 C2 C3")])
def test_torpedo_routes(implementation, seed, way):
    """Routes of torpedoes. [BS-163] [BS-164] [BS-R26]"""
    state = implementation.battle("D@A1", "B@E5", seed=seed)
    found = []
    for text in ("T0D3", "A0E", "A0E", "A0E", "A0E"):
        play(state, text)
        if state.to_dict()["torp_n"][0]:
            found.append(notation.panel_name(Config(), state.to_dict()["torp_pos"][0][0]))
        play(state, "A0N")
    assert found == way.split()
    assert state.to_dict()["torp_n"][0] == 0


SIZES = """3x3: 80 120 3 / 2 / 2,2,4 / 2, 150; 4x4: 90 135 3 / 2 / 2,2,4 / 2, 211; 5x5: 100 150 3 / 2 / 2,2,4 / 2, 286;
5x6: 102 153 4 / 3 / 3,3,6 / 3, 432; 6x6: 105 157 4 / 3 / 3,3,6 / 3, 486; 7x7: 110 165 4 / 3 / 3,3,6 / 3, 619;
7x8: 112 168 5 / 4 / 4,4,8 / 4, 857; 8x8: 115 172 5 / 4 / 4,4,8 / 4, 945; 9x9: 120 180 5 / 4 / 4,4,8 / 4, 1152;
3x9: 100 150 4 / 3 / 3,3,6 / 3, 453; 6x9: 112 168 5 / 4 / 4,4,8 / 4, 855"""


@pytest.mark.parametrize("line", re.split(r";\s+", SIZES))
def test_sizes_and_supply(line):
    """Sizes and supply of all maps. [BS-83] [BS-84] [BS-91] [BS-113] [BS-114] [BS-115] [BS-R3] [BS-R4] [BS-R7]"""
    width, height, base, oiler, two, many, *uneven, even, codes = map(int, re.findall(r"\d+", line))
    size = {"width": width, "height": height}
    config = Config.make(**size)
    assert (config.fp_base, config.oiler_fp, notation.num_actions(config)) == (base, oiler, codes)
    assert config.fleet_sizes == (two, two)
    assert Config.make(**size, players=3).fleet_sizes == (many,) * 3
    assert Config.make(**size, players=3, teams=[0, 0, 1]).fleet_sizes == tuple(uneven)
    assert Config.make(**size, players=4, teams=[0, 1, 0, 1]).fleet_sizes == (even,) * 4


def test_sizes_of_uneven_teams():
    assert Config.make(players=4, teams=[0, 0, 0, 1]).fleet_sizes == (2, 2, 2, 6)
    assert Config.make(players=4, mission="retreat").fleet_sizes == (2, 2, 2, 2)


@pytest.mark.parametrize(
    ("budget", "deficits", "given"),
    [
        (25, [25, 60], [7, 18]),
        (50, [10, 10, 10], [10, 10, 10]),
        (7, [20, 20, 20], [3, 2, 2]),
        (100, [60] * 4, [25] * 4),
        (40, [1, 100, 100], [0, 20, 20]),
        (1, [5, 5], [1, 0]),
        (100, [5, 30, 31, 90], [5, 30, 30, 30]),
    ],
)
def test_splits_of_an_oilers_fuel(budget, deficits, given):
    """Splits of an Oiler's fuel. [BS-132] [BS-133] [BS-R33]"""
    assert split(budget, deficits, 30) == given


CODES = "P 0, X 1, A0N 2, A2C 28, M0N1 29, M2W4 76, L1C 94, T1C3 141, R0E5 203, F2 256, KO 260, SE5 285"


@pytest.mark.parametrize("pair", CODES.split(", "))
def test_action_codes(implementation, pair):
    text, code = pair.split()
    state = implementation.new(0)
    assert state.text_to_action(text) == int(code)
    assert state.action_to_text(int(code)) == text


REFUSED = [
    ({"width": 2}, "width: expected 3..9, got 2"),
    ({"width": 10}, "width: expected 3..9, got 10"),
    ({"height": True}, "height: .*True"),
    ({"players": 1}, "players: expected 2..4, got 1"),
    ({"players": 5}, "players: expected 2..4, got 5"),
    ({"mission": "x"}, "mission: expected one of sea_control, .*, got 'x'"),
    ({"mission": "rescue"}, "teams: .*rescue"),
    ({"teams": [0, 1]}, "teams: .*two players"),
    ({"players": 3, "teams": [0, 0, 0]}, r"teams: .*\[0, 0, 0\]"),
    ({"players": 3, "teams": [0, 1]}, "teams: expected 3 values"),
    ({"players": 3, "teams": [0, 0, 1], "mission": "retreat"}, r"teams: retreat needs \[0, 1, 1\]"),
    ({"round_limit": 5}, "round_limit: 5"),
    ({"mission": "recon", "round_limit": 0}, "round_limit: expected 1..1000, got 0"),
    ({"fuel": False, "max_rounds": 0}, "max_rounds: expected 1..10000, got 0"),
    ({"fleets": [[3, 3]]}, r"fleets\[0\]: 2 Oilers"),
    ({"fleets": [[4]]}, r"fleets\[0\]\[0\]: expected 0..3, got 4"),
    ({"fleets": [[0], []]}, r"fleets\[1\]: length: expected 1..12, got 0"),
    ({"fleets": [[0], [0], [0]]}, "fleets: expected 1 or 2 lists"),
    ({"fleet_sizes": [3]}, "fleet_sizes: expected 2 values"),
    ({"fleet_sizes": [13, 3]}, r"fleet_sizes\[0\]: expected 1..12, got 13"),
    ({"terrain_weights": [0, 2, 2, 2, 2]}, "terrain_weights: expected a weight of sea above 0"),
    ({"terrain_map": "..../....", "width": 5}, "terrain_map: expected 5 rows"),
    ({"terrain_map": [0] * 24}, "terrain_map: expected 25 codes"),
    ({"terrain_known": True}, "terrain_known: True needs a terrain_map"),
    ({"terrain_known": True, "terrain_map": "..#/###/###"}, "terrain_map: 2 panels of sea are too few for 3"),
    ({"terrain_known": True, "terrain_map": "..~/.../..."}, "terrain_map: .*sea and reef only"),
    ({"fleets": [[0]], "fleet_sizes": [2, 2]}, r"fleet_sizes: \[2, 2\]"),
    ({"move_rule": "jump"}, "move_rule: jump"),
    ({"turn_order": [0, 0]}, r"turn_order: .*\[0, 0\]"),
    ({"attack_cost": [10, 0, 10, 10]}, r"attack_cost\[1\]: expected 1..9999, got 0"),
    ({"hp": [1, 2, 3]}, "hp: expected 4 values"),
    ({"nonsense": 1}, "nonsense: no such field"),
    ({"fuel": 1}, "fuel: .*1"),
]


@pytest.mark.parametrize(("fields", "told"), REFUSED)
def test_configs_that_are_refused(fields, told):
    with pytest.raises(ConfigError, match=f"^{told}"):
        Config.make(**fields)
