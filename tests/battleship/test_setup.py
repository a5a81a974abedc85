"""Clauses and rulings on fleets, turn order and terrain before play, as battles on both implementations."""

from masume.battleship import notation
from masume.battleship.knowledge import FLAGSHIP

from .conftest import list_allowed, list_events, plain, play, ship


def test_bs_38_to_41_placement_is_secret_and_may_overlap(implementation):
    """BS-38 BS-39 BS-40 BS-41 BS-42 BS-43 BS-R10: one own ship per panel; others' ships neither count nor are seen."""
    state = implementation.new(0, preset="tag", fleets=[[0, 1]], terrain=False)
    assert len(state.legal_actions()) == 25
    play(state, "SC3")
    assert "SC3" not in list_allowed(state)
    assert len(state.legal_actions()) == 24
    play(state, "SA1")
    for p in (1, 2, 3):
        assert state.current_player == p
        assert len(state.legal_actions()) == 25
        assert state.observation(p)["planes"][0][2][2] == 0
        play(state, "SC3 SA1")
    for p in range(4):
        seen = notation.views_of(state.information_state(p))[1]
        assert {view[2] for view in seen if notation.KINDS[view[0]] == "SETUP"} == {p}


def test_bs_42_what_cannot_be_known_changes_nothing_that_is_seen(implementation):
    """BS-42 BS-43 BS-96: distant enemies and allies on other panels do not change anything that is seen."""
    seen = set()
    for hidden in ("B@E5 D@E4", "B@E4 D@D5", "D@E5 B@D5"):
        fleets = [["B", "D"]] * 3 + [["D", "B"] if hidden[0] == "D" else ["B", "D"]]
        state = implementation.new(3, preset="tag", fleet_sizes=[2, 2, 2, 2], terrain=False, turn_order=[0, 1, 2, 3])
        for fleet, places in zip(fleets, ("A1 C1", "A5 B5", "A3 A4", None), strict=True):
            classes = [item[0] for item in hidden.split()] if places is None else fleet
            names = [item[2:] for item in hidden.split()] if places is None else places.split()
            play(state, " ".join([*(f"K{cls}" for cls in classes), *(f"S{name}" for name in names)]))
        play(state, "A0S A0N M0E1")
        planes = state.observation(0)
        seen.add((state.information_state(0), repr({name: [*map(repr, planes[name])] for name in planes})))
    assert len(seen) == 1


def test_information_states_before_play_are_what_was_decided(implementation):
    """9.1: the player, the player who decides, and the player's decisions; in play only its events."""
    state = implementation.new(0, mission="flagship", fleet_sizes=[2, 1])
    texts = []
    for text in ("KB", "KD", "F1", "SC3", "SA1", "KS", "F0", "SE5"):
        texts.append([state.information_state(p) for p in range(2)])
        play(state, text)
    own = ("0 0", "0 0 KB", "0 0 KB KD", "0 0 KB KD F1", "0 0 KB KD F1 SC3")
    assert [seen for seen, _ in texts] == [*own, *["0 1 KB KD F1 SC3 SA1"] * 3]
    assert [seen for _, seen in texts] == [*["1 0"] * 5, "1 1", "1 1 KS", "1 1 KS F0"]
    assert notation.views_of(texts[5][0]) == (0, [])
    assert all(state.information_state(p).startswith(f"{p}|27,0,{p},0,") for p in range(2))
    fixed = implementation.new(0, fleets=[[0, 1]])
    play(fixed, "SC3")
    assert [fixed.information_state(p) for p in range(2)] == ["0 0 SC3", "1 0"]


def test_bs_44_bs_45_the_order_is_drawn_after_placement(implementation):
    """BS-44 BS-45 BS-46: all players see it."""
    state = implementation.new(1, fleets=[[0]], terrain=False)
    assert state.to_dict()["order"] == [-1, -1]
    play(state, "SA1 SE5")
    order = state.to_dict()["order"]
    assert sorted(order) == [0, 1]
    assert plain(state, "START", 1) == {"order": order}
    assert state.current_player == order[0]
    team = implementation.battle(*["B@A1"] * 4, turn_order=None, teams=[0, 1, 1, 0]).to_dict()["order"]
    assert [(0, 1, 1, 0)[p] for p in team] in ([0, 1, 0, 1], [1, 0, 1, 0])


def test_bs_81_bs_82_bs_85_bs_86_fleets_are_chosen(implementation):
    """BS-81 BS-82 BS-85 BS-86 BS-83 BS-84 BS-R6: in secret; any classes, also repeated, but not only Oilers."""
    state = implementation.new(0)
    assert list_allowed(state) == {"KB", "KD", "KS", "KO"}
    play(state, "KO KO")
    assert list_allowed(state) == {"KB", "KD", "KS"}
    play(state, "KB SA1 SB1 SC1 KD KO KO")
    assert state.current_player == 1
    play(state, "SA1 SB1 SC1")
    assert state.to_dict()["ship_cls"] == [[3, 3, 0], [1, 3, 3]]
    unknown = [list(state.observation(0)["scalars"])[5 + 2 + 26 + 2 + 8 * slot + 5] for slot in range(3)]
    assert unknown == [1, 1, 1]
    fixed = implementation.config(fleet_select="fixed", fleet_sizes=[7, 2])
    assert fixed.fleets == ((0, 1, 2, 3, 1, 2, 0), (0, 1))


def test_bs_88_bs_r37_the_flagship_is_chosen_in_secret(implementation):
    """BS-88 BS-R37: any ship, including an Oiler."""
    state = implementation.new(0, mission="flagship", fleets=[[0, 3]], terrain=False)
    assert list_allowed(state) == {"F0", "F1"}
    play(state, "F1 SA1 SB1 F0 SA1 SB1")
    assert [ship(state, 0, slot)["flags"] for slot in (0, 1)] == [0, FLAGSHIP]
    assert [event["flagship"] for event in list_events(state, "SETUP", 0)] == [0, 1]
    assert [event["player"] for event in list_events(state, "SETUP", 0)] == [0, 0]


def test_bs_r3_bs_91_sizes_of_maps_and_fleets(implementation):
    """BS-39 BS-90 BS-91 BS-R3 BS-R7 BS-R8: in retreat no fleet is enlarged."""
    assert implementation.config(width=3, height=9).fleet_sizes == (4, 4)
    assert implementation.config(players=3, teams=[1, 0, 0]).fleet_sizes == (4, 2, 2)
    assert implementation.config(players=3, mission="retreat").fleet_sizes == (2, 2, 2)
    assert implementation.config(players=3, mission="retreat").teams == (0, 1, 1)
    assert implementation.config(players=3, teams=[1, 0, 0], equalize_fleets=False).fleet_sizes == (2, 2, 2)


def test_bs_193_reefs_are_no_places(implementation):
    """BS-193: neither at the start, if they are known, nor for reinforcements."""
    fields = {"terrain_map": "#..../...../...../...../.....", "terrain_known": True, "fleets": [[0]]}
    assert "SA1" not in list_allowed(implementation.new(0, **fields))
    state = implementation.battle("B@C3 D@C4", "B@E5", terrain_map=fields["terrain_map"], terrain_known=True)
    state = implementation.edit(state, ship_hp={(0, 1): 0})
    texts = {text for text in list_allowed(state) if text[0] == "R"}
    assert len(texts) == 23
    assert "R1A1" not in texts
