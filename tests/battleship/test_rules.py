"""Clauses of the rule book that concern several parts of the rules, as battles on both implementations."""

import dataclasses

import pytest

from masume.battleship import maps
from masume.battleship.config import MISSIONS, Config
from masume.battleship.knowledge import STEALTH
from masume.errors import ConfigError

from .conftest import at, kinds, list_allowed, plain, play, result, ship

OPEN = Config()
ROUGH = "...../.#.../.~%../.^.../....."


def suspects(state, player):
    """Return the panels where each ship of player 1 - player may be."""
    planes = state.observation(player)["suspects"]
    width = len(planes[0][0])
    return [{y * width + x for y, row in enumerate(plane) for x, value in enumerate(row) if value} for plane in planes]


def test_bs_1_bs_3_classic_is_nearly_the_paper_game(implementation):
    """BS-1 BS-2 BS-3 BS-8 BS-R57: every original rule can be off; a hit still does not reveal the class."""
    config = implementation.config("classic")
    assert config.mission == "annihilation"
    switches = ("fuel", "refuel", "mines", "torpedoes", "stealth", "terrain", "hit_reveals_class", "splash_on_hit")
    assert not any(getattr(config, name) for name in switches)
    assert (config.reinforce_max, config.max_rounds, config.fleet_select) == (0, 200, "fixed")
    state = implementation.battle("B@C3 D@A1 S@E5", "B@D3 D@A5 S@E1", preset="classic")
    assert {text[0] for text in list_allowed(state)} == {"A", "M", "X"}
    play(state, "A0E")
    assert plain(state, "HIT", 0) == {"player": 1, "panel": "D3"}
    free = implementation.config("classic", fleets=None)
    assert free.fleet_select == "free"


def test_bs_2_standard_has_every_original_rule_on(implementation):
    """BS-2 BS-25 BS-R2 BS-R5: the supply depends on the size of the map, the costs do not."""
    config = implementation.config()
    assert all(getattr(config, name) for name in ("fuel", "refuel", "mines", "torpedoes", "stealth", "terrain"))
    large = implementation.config(width=9, height=9)
    assert (config.fp_base, large.fp_base) == (100, 120)
    for name in ("attack_cost", "move_cost", "move_step_cost", "torpedo_cost", "wave_cost", "refuel_max"):
        assert getattr(config, name) == getattr(large, name)
    assert implementation.config("multi").players == 3
    assert implementation.config("tag").teams == (0, 1, 0, 1)
    for option in ({"players": 1}, {"players": 5}, {"players": 4, "teams": [0, 1, 2, 1]}):
        with pytest.raises(ConfigError):
            implementation.config(**option)


def test_bs_4_bs_59_positions_can_be_inferred(implementation):
    """BS-4 BS-59: splashes and misses leave fewer panels, always including the true one."""
    state = implementation.battle("B@C3 D@A1 S@E5", "B@D4 D@A5 O@E1")
    before = suspects(state, 0)
    play(state, "A0E")
    assert plain(state, "SPLASH", 0) == {"player": 1, "slot": 0, "cls": "B", "panel": "D3"}
    after = suspects(state, 0)
    assert after[0] == {at(OPEN, name) for name in ("C2", "D2", "E2", "C3", "E3", "C4", "D4", "E4")}
    assert at(OPEN, "D3") not in after[1]
    assert at(OPEN, "C2") not in after[1]  # a Destroyer there would have splashed
    assert all(found < start for found, start in zip(after, before, strict=True))


def test_bs_5_bs_87_every_mission_can_be_set(implementation):
    """BS-5 BS-13 BS-87 BS-107 BS-R38: some missions have a round limit, by default 20; some have a flagship."""
    limited = {"recon", "assault", "flagship_raid", "blitz", "retreat"}
    for mission in MISSIONS:
        teams = {"players": 3, "teams": [0, 1, 1]} if mission == "rescue" else {}
        config = implementation.config(mission=mission, **teams)
        assert config.round_limit == (20 if mission in limited else 0)
        assert config.has_flagship == (mission in {"flagship", "flagship_raid", "blitz"})
    assert implementation.config(mission="recon", round_limit=7).round_limit == 7


def test_bs_18_bs_19_bs_26_to_29_what_ships_have(implementation):
    """BS-18 BS-19 BS-26 BS-27 BS-28 BS-29 BS-35 BS-141 BS-153 BS-R25: HP, FP, and one Aux for mines and torpedoes."""
    state = implementation.battle("B@A1 D@A2 S@A3 O@A4", "B@E5 D@E4 S@E3 O@E2")
    found = [ship(state, 0, slot) for slot in range(4)]
    assert [(it["cls"], it["hp"], it["fp"], it["aux"]) for it in found] == [
        (0, 3, 100, 0), (1, 2, 100, 2), (2, 1, 100, 3), (3, 2, 150, 0)
    ]  # fmt: skip
    assert [it["flags"] for it in found] == [0, 0, STEALTH, 0]
    texts = list_allowed(state)
    assert "L1E" in texts
    assert "T1E5" in texts
    assert "T2E5" in texts
    assert not {text for text in texts if text[:2] in ("L0", "T0", "L2", "L3", "T3")}
    play(state, "L1E A0N T1E5 A0N")
    assert ship(state, 0, 1)["aux"] == 0
    assert not {text for text in list_allowed(state) if text[:2] in ("L1", "T1")}


def test_bs_20_up_is_north(implementation):
    """BS-20 BS-R1: columns are letters from the west, rows numbers from the north."""
    state = implementation.battle("B@C3", "B@A1")
    for text, panel in {"A0N": "C2", "A0NE": "D2", "A0E": "D3", "A0SE": "D4", "A0S": "C4", "A0SW": "B4", "A0W": "B3",
                        "A0NW": "B2"}.items():  # fmt: skip
        shot = implementation.battle("B@C3", "B@A1")
        play(shot, text)
        assert plain(shot, "ATTACK", 1)["panel"] == panel
    assert maps.rows_of(str(state).partition("\nrng")[0]) == ["....."] * 5


def test_bs_23_bs_25_time_is_the_referees_matter(implementation):
    """BS-25 BS-23 BS-24 BS-R51: the config holds 20 minutes and one minute; a player out of time forfeits."""
    config = implementation.config()
    assert (config.time_main_s, config.time_floor_s) == (1200, 60)
    state = implementation.battle("B@A1", "B@E5")
    state.forfeit(0, "timeout")
    assert result(state) == ({1}, "victory")
    assert kinds(state, 1)[:2] == ["DEFEATED", "OUT"]


def test_bs_30_to_37_what_commands_cost(implementation):
    """BS-30 BS-31 BS-32 BS-33 BS-36 BS-37 BS-109 BS-110 BS-116: the acting ship pays by class and command."""
    for text, slot, cost in [
        ("A0S", 0, 10), ("A1S", 1, 12), ("A2S", 2, 16), ("A3S", 3, 50), ("M0E1", 0, 16), ("M0E4", 0, 20),
        ("M0E8", 0, 36), ("M1E3", 1, 8), ("M1E8", 1, 18), ("M2E1", 2, 10), ("M2E8", 2, 10), ("M3E8", 3, 10),
        ("T1I9", 1, 20), ("T2I9", 2, 20), ("L1C", 1, 0),
    ]:  # fmt: skip
        sizes = {"width": 9, "height": 9, "refuel": False}
        state = implementation.battle("B@A1 D@A3 S@A5 O@A7", "B@I1 D@I3 S@I5 O@I7", **sizes)
        before = [ship(state, 0, k)["fp"] for k in range(4)]
        play(state, text)
        after = [ship(state, 0, k)["fp"] for k in range(4)]
        assert [old - new for old, new in zip(before, after, strict=True)] == [cost * (k == slot) for k in range(4)]


def test_bs_34_bs_118_to_120_distance_and_supply(implementation):
    """BS-34 BS-118 BS-119 BS-120: the first three panels cost the same."""
    config = implementation.config()
    assert [config.move_fp(0, d) for d in range(1, 9)] == [16, 16, 16, 20, 24, 28, 32, 36]
    assert [config.move_fp(1, d) for d in range(1, 9)] == [8, 8, 8, 10, 12, 14, 16, 18]
    assert {config.move_fp(cls, d) for cls in (2, 3) for d in range(1, 9)} == {10}
    assert implementation.config(fp_base=77, oiler_fp=5).max_fp(3) == 5


def test_bs_r6_the_public_config_hides_the_map(implementation):
    """BS-R6 BS-187: a map that is not known from the start would reveal the terrain."""
    hidden = implementation.config(terrain_map=ROUGH)
    assert hidden.public() == dataclasses.replace(hidden, terrain_map=None)
    assert hidden.public().terrain
    known = implementation.config(terrain_map="...../.#.../...../...../.....", terrain_known=True)
    assert known.public() is known
