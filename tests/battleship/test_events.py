"""Clauses and rulings on knowledge of terrain, as battles on both implementations."""

from masume.battleship import maps
from masume.battleship.config import Config

from .conftest import at, list_events, plain, play

OPEN = Config()
ROUGH = "...../.#.../.~%../.^.../....."


def test_bs_186_to_190_terrain_is_learnt(implementation):
    """BS-186 BS-187 BS-188 BS-189 BS-190 BS-R11: attacked, passed and entered panels become known; starts are sea."""
    state = implementation.battle("B@A4 D@E1", "B@E5 D@B3", terrain_map=ROUGH)
    known = state.to_dict()["known"]
    assert [q for q in range(25) if known[q] & 1] == [at(OPEN, "E1"), at(OPEN, "A4")]
    assert state.to_dict()["terrain"][at(OPEN, "B3")] == maps.SEA
    play(state, "M0E2")
    assert [(e["panel"], e["terrain"]) for e in list_events(state, "TERRAIN", 0)] == [("B4", 4), ("C4", 0)]
    assert list_events(state, "TERRAIN", 1) == []
    play(state, "A0N A0N")
    assert plain(state, "TERRAIN", 0) == {"player": 0, "panel": "C3", "terrain": 3}
