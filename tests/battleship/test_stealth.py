"""Clauses and rulings on stealth, shallows and fog, as battles on both implementations."""

import pytest

from masume.battleship.knowledge import STEALTH, SURF

from .conftest import kinds, list_events, plain, play, ship

ROUGH = "...../.#.../.~%../.^.../....."


def test_bs_136_bs_137_a_submerged_submarine(implementation):
    """BS-136 BS-137 BS-57: no splash and no direction is seen, but hits and sinkings are."""
    state = implementation.battle("B@C3", "S@C1 B@E5")
    play(state, "A0NW")
    assert list_events(state, "SPLASH") == []
    play(state, "M0S1")
    assert plain(state, "MOVE", 0) == {"player": 1, "slot": 0, "cls": "S", "stop": "none"}
    play(state, "A0N")
    assert plain(state, "SUNK", 0)["cls"] == "S"
    plainly = implementation.battle("B@C3", "S@C1 B@E5", stealth=False)
    play(plainly, "A0NW")
    assert plain(plainly, "SPLASH", 0)["cls"] == "S"


@pytest.mark.parametrize(("period", "up"), [(0, []), (1, [1, 2, 3, 4]), (2, [2, 4]), (3, [3])])
def test_bs_138_bs_139_surfacing(implementation, period, up):
    """BS-138 BS-139 BS-R29: in the owner's turn of every `surface_period`-th round, until its next turn."""
    state = implementation.battle("S@A1 B@A5", "B@E5", surface_period=period)
    found = []
    for turn in range(4):
        if ship(state, 0, 0)["flags"] & SURF:
            found.append(turn + 1)
            assert not ship(state, 0, 0)["flags"] & STEALTH
        play(state, "M1N1" if turn % 2 == 0 else "M1S1")
        play(state, "M0N1" if turn % 2 == 0 else "M0S1")
    assert found == up


def test_bs_140_bs_r31_a_submerged_submarine_without_fuel_sinks(implementation):
    """BS-140 BS-R31: in stealth by its dive or by fog; on shallows it survives."""
    for terrain, hp in ((".", 0), ("%", 0), ("~", 1)):
        state = implementation.battle("S@A2 B@E5", "B@E1", terrain_map=f"{terrain}..../...../...../...../.....")
        state = implementation.edit(state, ship_fp={(0, 0): 12})
        play(state, "M0N1")
        assert ship(state, 0, 0)["hp"] == hp
        assert len(list_events(state, "FUEL_OUT", 1)) == 1
        assert [event["cause"] for event in list_events(state, "SUNK", 1)] == ["fuel"] * (hp == 0)


def test_bs_195_bs_196_shallows(implementation):
    """BS-195 BS-196 BS-R30: a Submarine is visible there; other classes are not affected."""
    state = implementation.battle("S@B2 B@B4", "B@E5", terrain_map=ROUGH.replace("#", "."))
    play(state, "M0S1")
    assert "dir" not in plain(state, "MOVE", 1)
    assert plain(state, "SURFACED", 1) == {"player": 0, "slot": 0, "cls": "S"}
    assert ship(state, 0, 0)["flags"] == 0
    other = implementation.battle("D@B2 B@B4", "B@E5", terrain_map=ROUGH.replace("#", "."))
    play(other, "M0S1")
    assert not {"SURFACED", "STEALTH"} & set(kinds(other))


def test_bs_197_to_199_fog(implementation):
    """BS-197 BS-198 BS-199 BS-R30 BS-R59: stealth lasts from the end of the turn of entry to that of leaving."""
    for trait in (True, False):
        state = implementation.battle("B@D3 O@C4", "B@B2 D@E1", terrain_map=ROUGH.replace("#", "."), stealth=trait)
        play(state, "M0W1")
        assert plain(state, "MOVE", 1)["dist"] == 1
        assert ship(state, 0, 0)["flags"] == STEALTH
        assert plain(state, "STEALTH", 0) == {"player": 0, "slot": 0, "on": 1}
        assert list_events(state, "REFUEL", 0) == []
        play(state, "A1S M0E1")
        assert "dist" not in plain(state, "MOVE", 1)
        assert ship(state, 0, 0)["flags"] == 0
        assert plain(state, "REFUEL", 0) == {"player": 0, "slot": 1, "target": 0, "n": 30}


def test_bs_199_no_surfacing_in_fog(implementation):
    """BS-199: it stays down until the next cycle."""
    state = implementation.battle("S@C2 B@A5", "B@E5", terrain_map=ROUGH.replace("#", "."))
    play(state, "M0S1 M0N1")
    state = implementation.edit(state, round=2, cur=1, ptr=1)
    play(state, "A0N")
    assert state.to_dict()["round"] == 3
    assert ship(state, 0, 0)["flags"] == STEALTH


def test_bs_r29_the_same_cycle_for_all_submarines(implementation):
    """BS-138 BS-R29: also for a reinforced one."""
    state = implementation.battle("S@A1 B@A5", "B@E5", surface_period=2)
    state = implementation.edit(state, ship_hp={(0, 0): 0}, ship_flags={(0, 0): 0})
    play(state, "R0C3 A0N")
    assert plain(state, "SURFACED", 1) == {"player": 0, "slot": 0, "cls": "S"}
