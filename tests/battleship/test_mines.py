"""Clauses and rulings on mines, as battles on both implementations."""

from masume.battleship.config import Config

from .conftest import at, list_allowed, list_events, plain, play, ship

OPEN = Config()


def test_bs_142_to_146_laying_mines(implementation):
    """BS-142 BS-143 BS-144 BS-145 BS-146 BS-R24: on the nine panels, in any number; announced without the panel."""
    state = implementation.battle("D@A1 B@E5", "B@C3")
    assert {text for text in list_allowed(state) if text[0] == "L"} == {"L0C", "L0E", "L0SE", "L0S"}
    play(state, "L0E")
    assert plain(state, "MINE_LAID", 1) == {"player": 0}
    assert ship(state, 0, 0)["aux"] == 1
    assert ship(state, 0, 0)["fp"] == 100
    play(state, "A0NE L0E")
    assert state.to_dict()["mines"][0][at(OPEN, "B1")] == 2
    play(state, "A0NE")
    assert not {text for text in list_allowed(state) if text[0] == "L"}
    assert not {text for text in list_allowed(implementation.battle("D@A1", "B@C3", mines=False)) if text[0] == "L"}


def test_bs_147_bs_r23_passing_over_mines(implementation):
    """BS-98 BS-147 BS-R23: each mine takes 1 HP from friend and foe; the mover's own come last."""
    teams = {"players": 3, "teams": [0, 1, 0], "turn_order": [0, 1, 2]}
    state = implementation.battle("B@A1 D@A5", "B@E5", "B@E4 D@E1", **teams)
    q = at(OPEN, "C1")
    state = implementation.edit(state, mines={(0, q): 1, (1, q): 1, (2, q): 1}, ship_hp={(0, 0): 2})
    play(state, "M0E4")
    variables = state.to_dict()
    assert [variables["mines"][p][q] for p in range(3)] == [1, 0, 0]
    assert (ship(state, 0, 0)["hp"], ship(state, 0, 0)["pos"]) == (0, q)
    assert variables["dealt"] == [0, 1, 0]
    assert variables["kills"] == [0, 0, 0]
    assert plain(state, "MINE_HIT", 1) == {"player": 0, "slot": 0, "cls": "B", "n": 2}
    assert plain(state, "MINE_LOST", 2) == {"player": 2, "panel": "C1", "n": 1, "cause": "contact"}
    assert list_events(state, "MINE_LOST", 0) == []


def test_bs_149_bs_150_bs_r17_sweeping_mines(implementation):
    """BS-149 BS-150 BS-R17: an attack removes one mine, visibly for all; mines outlive their owner."""
    state = implementation.battle("B@C3", "D@C2 B@E5")
    q = at(OPEN, "C2")
    state = implementation.edit(state, mines={(1, q): 2}, ship_hp={(1, 0): 1})
    play(state, "A0N")
    assert ship(state, 1, 0)["hp"] == 0
    assert state.to_dict()["mines"][1][q] == 1
    assert plain(state, "MINE_SWEPT", 0) == {"panel": "C2"}
    assert plain(state, "MINE_LOST", 1) == {"player": 1, "panel": "C2", "n": 1, "cause": "swept"}
    play(state, "A1N M0N1")
    assert ship(state, 0, 0)["hp"] == 2
