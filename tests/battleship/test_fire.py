"""Clauses and rulings on guns and torpedoes, as battles on both implementations."""

import pytest

from masume.battleship import maps, notation
from masume.battleship.config import Config
from masume.errors import IllegalActionError

from .conftest import at, list_allowed, list_events, plain, play, ship

OPEN = Config()


def test_bs_47_bs_48_a_turn_is_an_attack_or_a_move(implementation):
    """BS-47 BS-48 BS-49 BS-50 BS-51 BS-67 BS-R49: a ship attacks around itself, not its own panel; nobody passes."""
    state = implementation.battle("B@A1", "B@E5")
    texts = list_allowed(state)
    assert texts == {"A0E", "A0SE", "A0S", *(f"M0{way}{d}" for way in "ES" for d in (1, 2, 3, 4)), "X"}
    with pytest.raises(IllegalActionError):
        play(state, "P")


def test_bs_52_to_57_hits_and_sinkings(implementation):
    """BS-52 BS-53 BS-54 BS-56 BS-57 BS-R13 BS-R15: a hit costs 1 HP; only sinking names a ship; the sunk cannot act."""
    fleets = ("B@C3 D@A1", "S@C2 D@C4", "B@E5 D@E4")
    state = implementation.battle(*fleets, preset="multi")
    play(state, "A0N")
    assert plain(state, "HIT", 0) == plain(state, "HIT", 2) == {"player": 1, "panel": "C2"}
    assert plain(state, "HIT", 1) == {"player": 1, "slot": 0, "cls": "S", "panel": "C2", "hp": 0}
    for p in range(3):
        assert plain(state, "SUNK", p) == {"player": 1, "slot": 0, "cls": "S", "panel": "C2", "cause": "attack"}
    assert ship(state, 1, 0)["hp"] == 0
    assert not {text for text in list_allowed(state) if text[:2] in ("A0", "M0", "T0", "L0")}
    play(state, "A1W M0W1 A0S")
    assert plain(state, "HIT", 0) == {"player": 1, "panel": "C4"}
    assert list_events(state, "SUNK", 0) == []
    assert ship(state, 1, 1)["hp"] == 1


def test_bs_58_bs_r14_splashes(implementation):
    """BS-58 BS-R14: splashes name number and class of the ships around, only if no ship was hit."""
    fleets = ("B@C3", "B@C2 D@B2 O@C5", "D@D2 B@E5")
    state = implementation.battle(*fleets, preset="multi")
    play(state, "A0NW")
    assert list_events(state, "SPLASH", 0) == []
    assert plain(state, "HIT", 0)["player"] == 1
    state = implementation.battle(*fleets, preset="multi", splash_on_hit=True)
    play(state, "A0N")
    assert [(event["player"], event["slot"], event["cls"]) for event in list_events(state, "SPLASH", 2)] == [
        (1, 1, "D"),
        (2, 0, "D"),
    ]
    state = implementation.battle("B@C3", "B@C1 D@C2 O@C5", "D@D2 B@E5", preset="multi")
    play(state, "A0NW")
    assert [(event["player"], event["slot"]) for event in list_events(state, "SPLASH", 1)] == [(1, 0), (1, 1)]
    assert plain(state, "MISS", 2) == {"panel": "B2"}


def test_bs_60_the_enemy_learns_the_panel_but_not_the_attacker(implementation):
    """BS-60 BS-162 BS-R53: the enemy learns neither the ship nor its class."""
    state = implementation.battle("B@C3 D@A1", "B@A5 D@B5")
    play(state, "A0N")
    assert plain(state, "ATTACK", 1) == {"player": 0, "panel": "C2", "torpedo": 0}
    assert plain(state, "ATTACK", 0) == {"player": 0, "slot": 0, "cls": "B", "panel": "C2", "torpedo": 0, "why": 0}


def test_bs_r16_own_ships_are_not_hurt(implementation):
    """BS-97 BS-R16 BS-99: own ships do not count as a hit; all enemies on the panel are hurt."""
    teams = {"players": 4, "teams": [0, 0, 1, 1], "turn_order": [0, 2, 1, 3]}
    state = implementation.battle("B@C3 D@C2", "B@C2", "D@C2 B@E5", "S@C2 O@E5 B@E4", **teams)
    play(state, "A0N")
    assert [event["player"] for event in list_events(state, "HIT", 1)] == [2, 3]
    assert [ship(state, p, s)["hp"] for p, s in ((0, 1), (1, 0), (2, 0), (3, 0))] == [2, 3, 1, 0]
    assert state.to_dict()["dealt"] == [2, 0, 0, 0]
    assert state.to_dict()["kills"] == [1, 0, 0, 0]


def test_bs_r56_options_of_the_plain_game(implementation):
    """BS-R56: hits name class and HP, the own panel may be attacked, and hits cause splashes."""
    state = implementation.battle("B@C3 D@A1 S@A2", "B@C3 D@C2 S@E5", preset="submarine")
    assert "A0C" in list_allowed(state)
    assert "X" not in list_allowed(state)
    play(state, "A0C")
    assert plain(state, "HIT", 0) == {"player": 1, "slot": 0, "cls": "B", "panel": "C3", "hp": 2}
    assert plain(state, "SPLASH", 0)["slot"] == 1
    walls = {"terrain_map": "...../.#.../...../...../.....", "terrain_known": True}
    assert "A0SE" in list_allowed(implementation.battle("B@A1", "B@E5", **walls))
    assert "A0SE" not in list_allowed(implementation.battle("B@A1", "B@E5", attack_known_reef=False, **walls))


def test_bs_151_to_157_firing_torpedoes(implementation):
    """BS-151 BS-152 BS-154 BS-155 BS-156 BS-157 BS-R28: Destroyers and Submarines, at any panel except their own."""
    state = implementation.battle("D@A1 S@B1 B@C1 O@D1", "B@E5")
    shots = {text for text in list_allowed(state) if text[0] == "T"}
    assert shots == {f"T{slot}{notation.panel_name(OPEN, q)}" for slot in (0, 1) for q in range(25) if q != slot}
    play(state, "T1E5")
    assert (ship(state, 0, 1)["fp"], ship(state, 0, 1)["aux"]) == (80, 2)
    assert plain(state, "TORP_FIRED", 1) == {"player": 0}
    assert plain(state, "TORP_FIRED", 0) == {"player": 0, "slot": 1, "panel": "E5", "id": 0}
    spent = implementation.edit(state, ship_aux={(0, 0): 0}, ship_fp={(0, 1): 19}, cur=0, ptr=0)
    assert not {text for text in list_allowed(spent) if text[0] == "T"}
    assert not {text for text in list_allowed(implementation.battle("D@A1", "B@C3", torpedoes=False)) if text[0] == "T"}


def test_bs_158_to_161_torpedoes_in_flight(implementation):
    """BS-158 BS-159 BS-160 BS-161 BS-163 BS-166 BS-167: one panel per own turn, unseen, past ships and unharmed."""
    state = implementation.battle("D@A1 B@E5", "B@B1 D@C1 S@E1")
    play(state, "T0C1")
    assert plain(state, "TORP_MOVE", 0) == {"player": 0, "panel": "B1", "id": 0}
    assert list_events(state, "TORP_MOVE", 1) == []
    assert ship(state, 1, 0)["hp"] == 3
    play(state, "A1W")
    assert state.to_dict()["torp_n"] == [1, 0]
    play(state, "A1N")
    assert state.to_dict()["torp_n"] == [0, 0]
    assert ship(state, 1, 1)["hp"] == 1
    assert {"player": 0, "panel": "C1", "torpedo": 1} in list_events(state, "ATTACK", 1)


def test_bs_165_bs_168_to_171_what_stops_torpedoes(implementation):
    """BS-165 BS-168 BS-169 BS-170 BS-171 BS-R27: mines and reefs stop them, with the full effect of an attack there."""
    state = implementation.battle("D@A1 B@E5", "B@B1 S@E1", terrain_map="..#../...../...../...../.....")
    state = implementation.edit(state, mines={(0, at(OPEN, "B1")): 2})
    play(state, "T0E1")
    assert ship(state, 1, 0)["hp"] == 2
    assert state.to_dict()["mines"][0][at(OPEN, "B1")] == 1
    assert plain(state, "ATTACK", 0)["why"] == 1
    state = implementation.battle("D@B1 B@E5", "B@D1 S@E1", terrain_map="..#../...../...../...../.....")
    play(state, "T0E1")
    assert plain(state, "ATTACK", 0)["why"] == 2
    assert plain(state, "SPLASH", 0)["slot"] == 0
    assert state.to_dict()["terrain"][2] == maps.REEF
    assert state.to_dict()["torp_n"] == [0, 0]
