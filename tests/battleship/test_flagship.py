"""Clauses and rulings on the flagship and its change, as battles on both implementations."""

from .conftest import list_allowed, plain, play, ship


def test_bs_68_bs_89_bs_117_bs_122_to_124_flagship_changes(implementation):
    """BS-68 BS-89 BS-117 BS-122 BS-123 BS-124 BS-R36: costs the flagship 5 FP and a turn; three times per game."""
    state = implementation.battle("B@A1* D@C3", "B@E5* D@E4", mission="flagship")
    for left, text in ((2, "F1"), (1, "F0"), (0, "F1")):
        play(state, text)
        assert plain(state, "FLAG_CHANGED", 1) == {"player": 0}
        assert state.to_dict()["flag_left"] == [left, 3]
        play(state, "A0N")
    assert [ship(state, 0, slot)["fp"] for slot in (0, 1)] == [90, 95]
    assert not {"F0", "F1"} & list_allowed(state)
    poor = implementation.battle("B@A1* D@C3", "B@E5* D@E4", mission="flagship")
    assert "F1" not in list_allowed(implementation.edit(poor, ship_fp={(0, 0): 4}))
    assert "F1" not in list_allowed(implementation.battle("B@A1 D@C3", "B@E5 D@E4"))
