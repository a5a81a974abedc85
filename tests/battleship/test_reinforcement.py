"""Clauses and rulings on reinforcements, as battles on both implementations."""

from masume.battleship.config import Config
from masume.battleship.knowledge import STEALTH

from .conftest import at, list_allowed, plain, play, ship

OPEN = Config()


def test_bs_172_to_179_reinforcement(implementation):
    """BS-55 BS-172 BS-173 BS-174 BS-175 BS-176 BS-178 BS-179 BS-R35: on known panels, for a share of its FP."""
    state = implementation.battle("B@A1 S@C3", "B@E5 D@E4", terrain_map="#..../...../...../...../.....")
    state = implementation.edit(
        state, ship_hp={(0, 1): 0}, ship_fp={(0, 1): 50}, ship_aux={(0, 1): 0}, ship_flags={(0, 1): 0}
    )
    assert {text for text in list_allowed(state) if text[0] == "R"} == {"R1C3"}  # the own start, not the enemy's
    play(state, "R1C3")
    found = ship(state, 0, 1)
    assert (found["hp"], found["fp"], found["aux"], found["flags"]) == (1, 33, 3, STEALTH)
    assert plain(state, "REINFORCED", 1) == {"player": 0, "slot": 1, "cls": "S"}
    assert state.to_dict()["reinf_left"] == [0, 1]
    free = implementation.battle("B@A1 S@C3", "B@E5", fuel=False)
    free = implementation.edit(free, ship_hp={(0, 1): 0}, ship_flags={(0, 1): 0})
    assert "R1E5" in list_allowed(free)  # also under an enemy [BS-R60]
    play(free, "R1E5")
    assert ship(free, 0, 1)["fp"] == 0


def test_bs_177_bs_16_when_it_is_not_possible(implementation):
    """BS-16 BS-103 BS-177: no reinforcement from round 21 on, or in retreat."""
    state = implementation.battle("B@A1 D@C3", "B@E5 D@E4")
    state = implementation.edit(state, ship_hp={(0, 1): 0})
    for turn, legal in ((20, True), (21, False)):
        assert bool({text for text in list_allowed(implementation.edit(state, round=turn)) if text[0] == "R"}) == legal
    assert implementation.config(mission="retreat").reinforce_max == 0
    assert implementation.config().reinforce_max == 1


def test_bs_148_bs_180_reinforcement_onto_mines(implementation):
    """BS-148 BS-180: mines there hurt as in a move."""
    state = implementation.battle("B@A1 D@C3", "B@E5 D@E4")
    state = implementation.edit(state, ship_hp={(0, 1): 0}, mines={(1, at(OPEN, "B2")): 1})
    play(state, "R1B2")
    assert ship(state, 0, 1)["hp"] == 1
    assert plain(state, "MINE_HIT", 1) == {"player": 0, "slot": 1, "cls": "D", "n": 1}
    assert state.to_dict()["dealt"] == [0, 1]
