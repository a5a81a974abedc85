"""Clauses and rulings on moves, and on reefs and waves on the way, as battles on both implementations."""

from masume.battleship.config import Config

from .conftest import at, list_allowed, plain, play, ship

OPEN = Config()


def test_bs_61_to_66_moves(implementation):
    """BS-61 BS-62 BS-63 BS-64 BS-65 BS-66 BS-R18 BS-R54: like a rook; own ships block, all others do not block."""
    state = implementation.battle("B@B2 D@B4 S@E2", "B@C2 D@B1 S@E5")
    moves = {text for text in list_allowed(state) if text.startswith("M0")}
    assert moves == {"M0N1", "M0E1", "M0E2", "M0S1", "M0W1"}
    play(state, "M0E2")
    assert plain(state, "MOVE", 1) == {"player": 0, "slot": 0, "cls": "B", "dir": 1, "dist": 2, "stop": "none"}
    assert ship(state, 0, 0)["pos"] == at(OPEN, "D2")
    play(state, "A0W M2S1")
    assert plain(state, "MOVE", 1) == {"player": 0, "slot": 2, "cls": "S", "stop": "none"}
    assert plain(state, "MOVE", 0)["panel"] == "E3"


def test_bs_r18_jump_tests_the_destination_only(implementation):
    """BS-R18 BS-R56: the rule of the course server."""
    state = implementation.battle("B@A1 D@A2 S@A3", "B@E5 D@E4 S@E3", preset="submarine")
    assert {text for text in list_allowed(state) if text.startswith("M0S")} == {"M0S3", "M0S4"}
    play(state, "M0S3")
    assert ship(state, 0, 0)["pos"] == at(OPEN, "A4")


def test_bs_r20_the_commanded_distance_is_paid(implementation):
    """BS-R20: this includes a move that ends at once."""
    state = implementation.battle("B@A3", "B@E1", terrain_map="...../...../.#.../...../.....")
    play(state, "M0E4")
    assert ship(state, 0, 0)["fp"] == 80
    assert ship(state, 0, 0)["pos"] == at(OPEN, "A3")


def test_bs_191_to_194_reefs(implementation):
    """BS-191 BS-192 BS-193 BS-194 BS-R19 BS-R21 BS-R12: reefs stop ships, are announced without panel, then barred."""
    state = implementation.battle("B@B5 S@B1", "B@E5 D@E1", terrain_map="...../...../.#.../...../.....")
    play(state, "M0N4") if "M0N4" in list_allowed(state) else play(state, "M0N3")
    assert ship(state, 0, 0)["pos"] == at(OPEN, "B4")
    assert plain(state, "MOVE", 1) == {"player": 0, "slot": 0, "cls": "B", "dir": 0, "dist": 3, "stop": "reef"}
    play(state, "A0N")
    assert not {"M0N1", "M0N2", "M1S2"} & list_allowed(state)
    assert "M1S1" in list_allowed(state)
    play(state, "M1S1")
    walled = implementation.battle("B@A1 S@E5", "B@E4", terrain_map=".#.../##.../...../...../.....")
    assert {"A0E", "A0S", "A0SE"} < list_allowed(walled)


def test_bs_200_to_202_high_waves(implementation):
    """BS-200 BS-201 BS-202 BS-R22: leaving a wave and ending on one cost 5 FP; a ship with less FP stops there."""
    waves = "^^^../...../...../...../....."
    for fp, end, left in ((100, "D1", 74 - 10), (30, "D1", 30 - 16 - 10), (25, "C1", 25 - 16 - 5 - 4), (20, "B1", 0)):
        state = implementation.battle("B@A1 D@A5", "B@E5", terrain_map=waves)
        state = implementation.edit(state, ship_fp={(0, 0): fp})
        play(state, "M0E3")
        found = ship(state, 0, 0)
        assert found["pos"] == at(OPEN, end)
        assert found["fp"] == (fp - 16 - 10 if end == "D1" else max(0, left))
    none = implementation.battle("B@A1 D@A5", "B@E5", terrain_map=waves, fuel=False)
    play(none, "M0E2")
    assert ship(none, 0, 0)["fp"] == 0
