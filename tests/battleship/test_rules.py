"""Every clause of the rule book and every ruling on it, told as battles, on both implementations."""

import dataclasses

import pytest

from masume.battleship import maps, notation
from masume.battleship.config import MISSIONS, Config
from masume.errors import ConfigError, GameOverError, IllegalActionError, StateError

from .conftest import allowed, at, play, ship, told

STEALTH, SURF, FUELOUT, FLAGSHIP = 1, 2, 4, 8
OPEN = Config()


def result(state):
    """(sides that have won, why) or None."""
    variables = state.to_dict()
    if not state.is_terminal():
        return None
    sides = {side for side in range(4) if variables["winners"] >> side & 1}
    return sides, notation.REASONS[variables["reason"]]


def plain(state, kind, player=None):
    """The only event of this kind of the last call."""
    (event,) = told(state, kind, player)
    return event


def kinds(state, player=None):
    return [event["kind"] for event in state.events(player)]


# -- the frame ----------------------------------------------------------------------------------------


def test_bs_1_bs_3_classic_is_nearly_the_paper_game(implementation):
    """BS-1 BS-2 BS-3 BS-8 BS-R57: every original rule can be off; a hit still does not tell the class."""
    config = implementation.config("classic")
    assert config.mission == "annihilation"
    switches = ("fuel", "refuel", "mines", "torpedoes", "stealth", "terrain", "hit_reveals_class", "splash_on_hit")
    assert not any(getattr(config, name) for name in switches)
    assert (config.reinforce_max, config.max_rounds, config.fleet_select) == (0, 200, "fixed")
    state = implementation.battle("B@C3 D@A1 S@E5", "B@D3 D@A5 S@E1", preset="classic")
    assert {text[0] for text in allowed(state)} == {"A", "M", "X"}
    play(state, "A0E")
    assert plain(state, "HIT", 0) == {"player": 1, "panel": "D3"}
    free = implementation.config("classic", fleets=None)
    assert free.fleet_select == "free"


def test_bs_2_standard_has_every_original_rule_on(implementation):
    """BS-2 BS-25 BS-R2 BS-R5: costs do not change with the size of the map, the supply does."""
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
    """BS-4 BS-59: what splashes and misses tell leaves fewer panels, and always the true one."""
    state = implementation.battle("B@C3 D@A1 S@E5", "B@D4 D@A5 O@E1")
    before = suspects(state, 0)
    play(state, "A0E")
    assert plain(state, "SPLASH", 0) == {"player": 1, "slot": 0, "cls": "B", "panel": "D3"}
    after = suspects(state, 0)
    assert after[0] == {at(OPEN, name) for name in ("C2", "D2", "E2", "C3", "E3", "C4", "D4", "E4")}
    assert at(OPEN, "D3") not in after[1]
    assert at(OPEN, "C2") not in after[1]  # a Destroyer there would have splashed
    assert all(found < start for found, start in zip(after, before, strict=True))


def suspects(state, player):
    """The panels where each ship of player 1 - player may be."""
    planes = state.observation(player)["suspects"]
    width = len(planes[0][0])
    return [{y * width + x for y, row in enumerate(plane) for x, value in enumerate(row) if value} for plane in planes]


def test_bs_5_bs_87_every_mission_can_be_set(implementation):
    """BS-5 BS-13 BS-87 BS-107 BS-R38: some have a round limit, 20 unless another is set, some a flagship."""
    limited = {"recon", "assault", "flagship_raid", "blitz", "retreat"}
    for mission in MISSIONS:
        teams = {"players": 3, "teams": [0, 1, 1]} if mission == "rescue" else {}
        config = implementation.config(mission=mission, **teams)
        assert config.round_limit == (20 if mission in limited else 0)
        assert config.has_flagship == (mission in {"flagship", "flagship_raid", "blitz"})
    assert implementation.config(mission="recon", round_limit=7).round_limit == 7


def test_bs_18_bs_19_bs_26_to_29_what_ships_have(implementation):
    """BS-18 BS-19 BS-26 BS-27 BS-28 BS-29 BS-35 BS-141 BS-153 BS-R25: HP, FP and one Aux for mines and torpedoes."""
    state = implementation.battle("B@A1 D@A2 S@A3 O@A4", "B@E5 D@E4 S@E3 O@E2")
    found = [ship(state, 0, slot) for slot in range(4)]
    assert [(it["cls"], it["hp"], it["fp"], it["aux"]) for it in found] == [
        (0, 3, 100, 0), (1, 2, 100, 2), (2, 1, 100, 3), (3, 2, 150, 0)
    ]  # fmt: skip
    assert [it["flags"] for it in found] == [0, 0, STEALTH, 0]
    texts = allowed(state)
    assert "L1E" in texts
    assert "T1E5" in texts
    assert "T2E5" in texts
    assert not {text for text in texts if text[:2] in ("L0", "T0", "L2", "L3", "T3")}
    play(state, "L1E A0N T1E5 A0N")
    assert ship(state, 0, 1)["aux"] == 0
    assert not {text for text in allowed(state) if text[:2] in ("L1", "T1")}


def test_bs_20_up_is_north(implementation):
    """BS-20 BS-R1: columns are letters from the west, rows numbers from the north."""
    state = implementation.battle("B@C3", "B@A1")
    for text, panel in {"A0N": "C2", "A0NE": "D2", "A0E": "D3", "A0SE": "D4", "A0S": "C4", "A0SW": "B4", "A0W": "B3",
                        "A0NW": "B2"}.items():  # fmt: skip
        shot = implementation.battle("B@C3", "B@A1")
        play(shot, text)
        assert plain(shot, "ATTACK", 1)["panel"] == panel
    assert maps.rows_of(str(state).partition("\nrng")[0]) == ["....."] * 5


def test_bs_21_bs_22_bs_72_turns_and_rounds(implementation):
    """BS-21 BS-22 BS-45 BS-69 BS-70 BS-72: one decision a turn; a round is over when everybody has had one."""
    state = implementation.battle("B@A1", "B@E5", "B@A5", preset="multi")
    for turn in range(9):
        assert state.current_player == turn % 3
        assert list(state.slots) == [turn % 3]
        variables = state.to_dict()
        assert (variables["round"], variables["turns"]) == (turn // 3 + 1, turn + 1)
        assert {"kind": "TURN", "round": turn // 3 + 1, "player": turn % 3} in state.events(0)
        play(state, min(allowed(state)))


def test_bs_23_bs_25_time_is_the_referees_matter(implementation):
    """BS-25 BS-23 BS-24 BS-R51: the config holds 20 minutes and one; whose time is up forfeits."""
    config = implementation.config()
    assert (config.time_main_s, config.time_floor_s) == (1200, 60)
    state = implementation.battle("B@A1", "B@E5")
    state.forfeit(0, "timeout")
    assert result(state) == ({1}, "victory")
    assert kinds(state, 1)[:2] == ["DEFEATED", "OUT"]


def test_bs_30_to_37_what_commands_cost(implementation):
    """BS-30 BS-31 BS-32 BS-33 BS-36 BS-37 BS-109 BS-110 BS-116: from the ship operated, by class and command."""
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


# -- setup --------------------------------------------------------------------------------------------


def test_bs_38_to_41_placement_is_secret_and_may_overlap(implementation):
    """BS-38 BS-39 BS-40 BS-41 BS-42 BS-43 BS-R10: not two own ships on a panel; others' do not count, nor are seen."""
    state = implementation.new(0, preset="tag", fleets=[[0, 1]], terrain=False)
    assert len(state.legal_actions()) == 25
    play(state, "SC3")
    assert "SC3" not in allowed(state)
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
    """BS-42 BS-43 BS-96: with the enemy and the ally elsewhere, out of the way, all that is seen is the same."""
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


def test_bs_44_bs_45_the_order_is_drawn_after_placement(implementation):
    """BS-44 BS-45 BS-46: and is told to everybody."""
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
    """BS-81 BS-82 BS-85 BS-86 BS-83 BS-84 BS-R6: any classes, also repeated, but not Oilers alone; in secret."""
    state = implementation.new(0)
    assert allowed(state) == {"KB", "KD", "KS", "KO"}
    play(state, "KO KO")
    assert allowed(state) == {"KB", "KD", "KS"}
    play(state, "KB SA1 SB1 SC1 KD KO KO")
    assert state.current_player == 1
    play(state, "SA1 SB1 SC1")
    assert state.to_dict()["ship_cls"] == [[3, 3, 0], [1, 3, 3]]
    unknown = [list(state.observation(0)["scalars"])[5 + 2 + 26 + 2 + 8 * slot + 5] for slot in range(3)]
    assert unknown == [1, 1, 1]
    fixed = implementation.config(fleet_select="fixed", fleet_sizes=[7, 2])
    assert fixed.fleets == ((0, 1, 2, 3, 1, 2, 0), (0, 1))


def test_bs_88_bs_r37_the_flagship_is_chosen_in_secret(implementation):
    """BS-88 BS-R37: any ship, an Oiler too."""
    state = implementation.new(0, mission="flagship", fleets=[[0, 3]], terrain=False)
    assert allowed(state) == {"F0", "F1"}
    play(state, "F1 SA1 SB1 F0 SA1 SB1")
    assert [ship(state, 0, slot)["flags"] for slot in (0, 1)] == [0, FLAGSHIP]
    assert [event["flagship"] for event in told(state, "SETUP", 0)] == [0, 1]
    assert [event["player"] for event in told(state, "SETUP", 0)] == [0, 0]


def test_bs_r3_bs_91_sizes_of_maps_and_fleets(implementation):
    """BS-39 BS-90 BS-91 BS-R3 BS-R7 BS-R8: in retreat nobody's fleet is made larger."""
    assert implementation.config(width=3, height=9).fleet_sizes == (4, 4)
    assert implementation.config(players=3, teams=[1, 0, 0]).fleet_sizes == (4, 2, 2)
    assert implementation.config(players=3, mission="retreat").fleet_sizes == (2, 2, 2)
    assert implementation.config(players=3, mission="retreat").teams == (0, 1, 1)
    assert implementation.config(players=3, teams=[1, 0, 0], equalize_fleets=False).fleet_sizes == (2, 2, 2)


# -- attacks ------------------------------------------------------------------------------------------


def test_bs_47_bs_48_a_turn_is_an_attack_or_a_move(implementation):
    """BS-47 BS-48 BS-49 BS-50 BS-51 BS-67 BS-R49: around the ship, not under it; no pass."""
    state = implementation.battle("B@A1", "B@E5")
    texts = allowed(state)
    assert texts == {"A0E", "A0SE", "A0S", *(f"M0{way}{d}" for way in "ES" for d in (1, 2, 3, 4)), "X"}
    with pytest.raises(IllegalActionError):
        play(state, "P")


def test_bs_52_to_57_hits_and_sinkings(implementation):
    """BS-52 BS-53 BS-54 BS-56 BS-57 BS-R13 BS-R15: HP -1; only sinking names the ship; the sunk are not operated."""
    fleets = ("B@C3 D@A1", "S@C2 D@C4", "B@E5 D@E4")
    state = implementation.battle(*fleets, preset="multi")
    play(state, "A0N")
    assert plain(state, "HIT", 0) == plain(state, "HIT", 2) == {"player": 1, "panel": "C2"}
    assert plain(state, "HIT", 1) == {"player": 1, "slot": 0, "cls": "S", "panel": "C2", "hp": 0}
    for p in range(3):
        assert plain(state, "SUNK", p) == {"player": 1, "slot": 0, "cls": "S", "panel": "C2", "cause": "attack"}
    assert ship(state, 1, 0)["hp"] == 0
    assert not {text for text in allowed(state) if text[:2] in ("A0", "M0", "T0", "L0")}
    play(state, "A1W M0W1 A0S")
    assert plain(state, "HIT", 0) == {"player": 1, "panel": "C4"}
    assert told(state, "SUNK", 0) == []
    assert ship(state, 1, 1)["hp"] == 1


def test_bs_58_bs_r14_splashes(implementation):
    """BS-58 BS-R14: with number and class, of those around, only where nobody at all was hit."""
    fleets = ("B@C3", "B@C2 D@B2 O@C5", "D@D2 B@E5")
    state = implementation.battle(*fleets, preset="multi")
    play(state, "A0NW")
    assert told(state, "SPLASH", 0) == []
    assert plain(state, "HIT", 0)["player"] == 1
    state = implementation.battle(*fleets, preset="multi", splash_on_hit=True)
    play(state, "A0N")
    assert [(event["player"], event["slot"], event["cls"]) for event in told(state, "SPLASH", 2)] == [
        (1, 1, "D"),
        (2, 0, "D"),
    ]
    state = implementation.battle("B@C3", "B@C1 D@C2 O@C5", "D@D2 B@E5", preset="multi")
    play(state, "A0NW")
    assert [(event["player"], event["slot"]) for event in told(state, "SPLASH", 1)] == [(1, 0), (1, 1)]
    assert plain(state, "MISS", 2) == {"panel": "B2"}


def test_bs_60_the_enemy_learns_the_panel_but_not_the_attacker(implementation):
    """BS-60 BS-162 BS-R53: neither ship nor class."""
    state = implementation.battle("B@C3 D@A1", "B@A5 D@B5")
    play(state, "A0N")
    assert plain(state, "ATTACK", 1) == {"player": 0, "panel": "C2", "torpedo": 0}
    assert plain(state, "ATTACK", 0) == {"player": 0, "slot": 0, "cls": "B", "panel": "C2", "torpedo": 0, "why": 0}


def test_bs_r16_own_ships_are_not_hurt(implementation):
    """BS-97 BS-R16 BS-99: nor do they make a hit; all enemies on the panel are hurt."""
    teams = {"players": 4, "teams": [0, 0, 1, 1], "turn_order": [0, 2, 1, 3]}
    state = implementation.battle("B@C3 D@C2", "B@C2", "D@C2 B@E5", "S@C2 O@E5 B@E4", **teams)
    play(state, "A0N")
    assert [event["player"] for event in told(state, "HIT", 1)] == [2, 3]
    assert [ship(state, p, s)["hp"] for p, s in ((0, 1), (1, 0), (2, 0), (3, 0))] == [2, 3, 1, 0]
    assert state.to_dict()["dealt"] == [2, 0, 0, 0]
    assert state.to_dict()["kills"] == [1, 0, 0, 0]


def test_bs_r56_options_of_the_plain_game(implementation):
    """BS-R56: class and HP on a hit, the own panel, splashes on hits."""
    state = implementation.battle("B@C3 D@A1 S@A2", "B@C3 D@C2 S@E5", preset="submarine")
    assert "A0C" in allowed(state)
    assert "X" not in allowed(state)
    play(state, "A0C")
    assert plain(state, "HIT", 0) == {"player": 1, "slot": 0, "cls": "B", "panel": "C3", "hp": 2}
    assert plain(state, "SPLASH", 0)["slot"] == 1
    walls = {"terrain_map": "...../.#.../...../...../.....", "terrain_known": True}
    assert "A0SE" in allowed(implementation.battle("B@A1", "B@E5", **walls))
    assert "A0SE" not in allowed(implementation.battle("B@A1", "B@E5", attack_known_reef=False, **walls))


# -- moves --------------------------------------------------------------------------------------------


def test_bs_61_to_66_moves(implementation):
    """BS-61 BS-62 BS-63 BS-64 BS-65 BS-66 BS-R18 BS-R54: like a rook; own ships block, all others do not."""
    state = implementation.battle("B@B2 D@B4 S@E2", "B@C2 D@B1 S@E5")
    moves = {text for text in allowed(state) if text.startswith("M0")}
    assert moves == {"M0N1", "M0E1", "M0E2", "M0S1", "M0W1"}
    play(state, "M0E2")
    assert plain(state, "MOVE", 1) == {"player": 0, "slot": 0, "cls": "B", "dir": 1, "dist": 2, "stop": "none"}
    assert ship(state, 0, 0)["pos"] == at(OPEN, "D2")
    play(state, "A0W M2S1")
    assert plain(state, "MOVE", 1) == {"player": 0, "slot": 2, "cls": "S", "stop": "none"}
    assert plain(state, "MOVE", 0)["panel"] == "E3"


def test_bs_r18_jump_tests_the_destination_only(implementation):
    """BS-R18 BS-R56: the course server's rule."""
    state = implementation.battle("B@A1 D@A2 S@A3", "B@E5 D@E4 S@E3", preset="submarine")
    assert {text for text in allowed(state) if text.startswith("M0S")} == {"M0S3", "M0S4"}
    play(state, "M0S3")
    assert ship(state, 0, 0)["pos"] == at(OPEN, "A4")


def test_bs_r20_the_commanded_distance_is_paid(implementation):
    """BS-R20: also of a move that ends at once."""
    state = implementation.battle("B@A3", "B@E1", terrain_map="...../...../.#.../...../.....")
    play(state, "M0E4")
    assert ship(state, 0, 0)["fp"] == 80
    assert ship(state, 0, 0)["pos"] == at(OPEN, "A3")


# -- fuel ---------------------------------------------------------------------------------------------


def test_bs_111_bs_112_without_fuel_points(implementation):
    """BS-111 BS-112 BS-121 BS-144: what costs more than there is cannot be done; neither attack nor move: fuel-out."""
    state = implementation.battle("D@C3 B@A1", "B@E1")
    state = implementation.edited(state, ship_fp={(0, 0): 8})
    assert {text[0] for text in allowed(state) if text[1:2] == "0"} == {"M", "L"}
    play(state, "M0E1")
    assert plain(state, "FUEL_OUT", 1) == {"player": 0, "slot": 0, "cls": "D"}
    assert ship(state, 0, 0)["flags"] == FUELOUT
    play(state, "A0S")
    assert {text[0] for text in allowed(state) if text[1:2] == "0"} == {"L"}
    free = implementation.battle("D@C3", "B@E1", fuel=False)
    assert ship(free, 0, 0)["fp"] == 0
    play(free, "M0E2")
    assert ship(free, 0, 0)["fp"] == 0
    assert told(free, "FUEL_OUT") == []


def test_bs_125_bs_184_bs_185_pass_or_resign(implementation):
    """BS-48 BS-125 BS-184 BS-185 BS-R49 BS-R50: when nothing else can be done."""
    state = implementation.battle("B@C3", "B@E1")
    state = implementation.edited(state, ship_fp={(0, 0): 5}, ship_flags={(0, 0): FUELOUT})
    assert allowed(state) == {"P", "X"}
    play(state, "P")
    assert plain(state, "PASS", 1) == {"player": 0}
    assert state.current_player == 1
    assert not {"P"} & allowed(state)
    proud = implementation.battle("B@C3", "B@E1", allow_resign=False)
    proud = implementation.edited(proud, ship_fp={(0, 0): 5})
    assert allowed(proud) == {"P"}


def test_bs_128_to_135_refuelling(implementation):
    """BS-71 BS-128 BS-129 BS-130 BS-131 BS-132 BS-134 BS-135 BS-R32: neighbours, up to 30, from the Oiler's own."""
    fleets = ("B@B1 O@B2 O@C3 S@A1 D@E5", "B@E1 O@E3")
    state = implementation.battle(*fleets)
    state = implementation.edited(
        state, ship_fp={(0, 0): 40, (0, 3): 40, (0, 4): 40, (0, 2): 20}, ship_flags={(0, 3): SURF}, round=3
    )
    play(state, "A4N")
    assert [(e["slot"], e["target"], e["n"]) for e in told(state, "REFUEL", 0)] == [(1, 0, 30), (1, 3, 30)]
    assert told(state, "REFUEL", 1) == []
    assert [ship(state, 0, slot)["fp"] for slot in range(5)] == [70, 90, 20, 70, 28]
    dry = implementation.battle(*fleets, refuel=False)
    dry = implementation.edited(dry, ship_fp={(0, 0): 40})
    play(dry, "A4N")
    assert ship(dry, 0, 0)["fp"] == 40


def test_bs_74_bs_75_an_oiler_that_cannot_attack_counts_as_sunk(implementation):
    """BS-74 BS-75 BS-126 BS-R39: but is operated while the game lasts."""
    state = implementation.battle("B@A1 O@C3", "B@E5 O@E4")
    state = implementation.edited(state, ship_fp={(0, 1): 49})
    assert "M1N1" in allowed(state)
    assert "A1N" not in allowed(state)
    assert list(state.scores()) == [30 + 30, 60 + 50]
    state = implementation.edited(state, ship_hp={(0, 0): 1}, cur=1, ptr=1)
    state = implementation.edited(state, ship_pos={(1, 0): at(OPEN, "B2")})
    play(state, "A0NW")
    assert result(state) == ({1}, "victory")
    assert plain(state, "DEFEATED", 0) == {"player": 0, "cause": "annihilated"}


def test_bs_127_bs_r41_all_combat_ships_without_fuel(implementation):
    """BS-78 BS-127 BS-R41: the game ends although an Oiler could still act."""
    state = implementation.battle("B@A1 O@C3", "B@E5 O@E4")
    state = implementation.edited(state, ship_fp={(0, 0): 10, (1, 0): 3, (0, 1): 150})
    play(state, "A0S")
    assert result(state) == ({0, 1}, "fuel")
    assert list(state.scores()) == [110, 110]


def test_bs_r42_when_all_pass_nothing_more_happens(implementation):
    """BS-78 BS-R42: unless a torpedo is still under way."""
    state = implementation.battle("O@A1 B@A2", "O@E5 B@E4", terrain_map="...../...../...../...../.....", fuel=True)
    out = {(0, 1): 3, (1, 1): 15, (0, 0): 0, (1, 0): 0}
    state = implementation.edited(state, ship_fp=out, ship_flags={(0, 1): FUELOUT})
    assert allowed(state) == {"P", "X"}
    play(state, "P A1N")
    assert result(state) is not None


def test_bs_r43_games_without_fuel_end(implementation):
    """BS-R43: at max_rounds, as at a round limit."""
    state = implementation.battle("B@A1", "B@E5", fuel=False, max_rounds=2)
    play(state, "M0E1 M0W1 M0W1 M0E1")
    assert result(state) == ({0, 1}, "max_rounds")


# -- stealth ------------------------------------------------------------------------------------------


def test_bs_136_bs_137_a_submerged_submarine(implementation):
    """BS-136 BS-137 BS-57: no splash, no direction; but hits and sinking are told."""
    state = implementation.battle("B@C3", "S@C1 B@E5")
    play(state, "A0NW")
    assert told(state, "SPLASH") == []
    play(state, "M0S1")
    assert plain(state, "MOVE", 0) == {"player": 1, "slot": 0, "cls": "S", "stop": "none"}
    play(state, "A0N")
    assert plain(state, "SUNK", 0)["cls"] == "S"
    plainly = implementation.battle("B@C3", "S@C1 B@E5", stealth=False)
    play(plainly, "A0NW")
    assert plain(plainly, "SPLASH", 0)["cls"] == "S"


@pytest.mark.parametrize(("period", "up"), [(0, []), (1, [1, 2, 3, 4]), (2, [2, 4]), (3, [3])])
def test_bs_138_bs_139_surfacing(implementation, period, up):
    """BS-138 BS-139 BS-R29: in the owner's turn of every so many rounds, until its next."""
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
    """BS-140 BS-R31: with the stealth of the deep or of fog; on shallows it survives."""
    for terrain, hp in ((".", 0), ("%", 0), ("~", 1)):
        state = implementation.battle("S@A2 B@E5", "B@E1", terrain_map=f"{terrain}..../...../...../...../.....")
        state = implementation.edited(state, ship_fp={(0, 0): 12})
        play(state, "M0N1")
        assert ship(state, 0, 0)["hp"] == hp
        assert len(told(state, "FUEL_OUT", 1)) == 1
        assert [event["cause"] for event in told(state, "SUNK", 1)] == ["fuel"] * (hp == 0)


def test_bs_104_an_explosion_finds_who_has_spent_its_last_fuel(implementation):
    """BS-104 BS-R40 BS-R48: the CHECK of the first torpedo comes before the second one flies."""
    state = implementation.battle("D@A5 B@A1", "B@C1", "B@E1", players=3)
    play(state, "T0C5 A0S A0S")
    state = implementation.edited(state, qual={0: 0}, ship_hp={(0, 1): 0}, ship_fp={(0, 0): 20})
    play(state, "T0E5")
    assert kinds(state) == ["TORP_FIRED", "TORP_MOVE", "ATTACK", "MISS", "OUT", "STATUS", "TURN"]
    assert plain(state, "OUT") == {"player": 0, "cause": "unable"}
    assert len(told(state, "TORP_MOVE")) == 1
    assert state.to_dict()["torp_n"][0] == 0


def test_bs_r61_a_refuelling_restarts_the_passes_of_its_owner_alone(implementation):
    """BS-R61: the others have been told of a pass, and go on counting."""
    state = implementation.edited(implementation.battle("O@A1 B@B1", "B@E5"), ship_fp={(0, 0): 9, (0, 1): 5})
    play(state, "P")
    assert state.to_dict()["pass_run"] == 0
    assert ship(state, 0, 1)["fp"] == 14
    assert [float(state.observation(player)["scalars"][4]) for player in range(2)] == [0, 1]
    play(state, "A0N")
    assert [float(state.observation(player)["scalars"][4]) for player in range(2)] == [0, 0]


def test_bs_77_no_position_waits_for_its_check(implementation):
    """BS-12 BS-77 BS-104: who is defeated, or out, is so at once, and a position that says otherwise is none."""
    trio = implementation.battle("B@A1 D@A2", "B@C3 D@C4", "B@E5 D@E4", players=3)
    assert implementation.edited(trio, qual={2: 0}, ship_fp={(2, 0): 0}).to_dict()["active"] == [1, 1, 1]
    with pytest.raises(StateError, match="active"):
        implementation.edited(trio, qual={2: 0}, ship_fp={(2, 0): 0, (2, 1): 7})
    with pytest.raises(StateError, match="qual"):
        implementation.edited(trio, ship_hp={(2, 0): 0, (2, 1): 0})
    teams = {"players": 4, "teams": [0, 1, 0, 1]}
    pairs = implementation.battle("B@A1", "B@C3", "B@E5", "B@E1", **teams)
    assert implementation.edited(pairs, qual={0: 0}).to_dict()["qual"] == [0, 1, 1, 1]
    pairs = implementation.battle("B@A1", "B@C3", "B@E5", "B@E1", mission="rescue", **teams)
    with pytest.raises(StateError, match="qual"):
        implementation.edited(pairs, qual={0: 0})


# -- mines --------------------------------------------------------------------------------------------


def test_bs_142_to_146_laying_mines(implementation):
    """BS-142 BS-143 BS-144 BS-145 BS-146 BS-R24: the nine panels of the map, any number; told without the place."""
    state = implementation.battle("D@A1 B@E5", "B@C3")
    assert {text for text in allowed(state) if text[0] == "L"} == {"L0C", "L0E", "L0SE", "L0S"}
    play(state, "L0E")
    assert plain(state, "MINE_LAID", 1) == {"player": 0}
    assert ship(state, 0, 0)["aux"] == 1
    assert ship(state, 0, 0)["fp"] == 100
    play(state, "A0NE L0E")
    assert state.to_dict()["mines"][0][at(OPEN, "B1")] == 2
    play(state, "A0NE")
    assert not {text for text in allowed(state) if text[0] == "L"}
    assert not {text for text in allowed(implementation.battle("D@A1", "B@C3", mines=False)) if text[0] == "L"}


def test_bs_147_bs_r23_passing_over_mines(implementation):
    """BS-98 BS-147 BS-R23: each takes an HP, friend or foe; the mover's own come last."""
    teams = {"players": 3, "teams": [0, 1, 0], "turn_order": [0, 1, 2]}
    state = implementation.battle("B@A1 D@A5", "B@E5", "B@E4 D@E1", **teams)
    q = at(OPEN, "C1")
    state = implementation.edited(state, mines={(0, q): 1, (1, q): 1, (2, q): 1}, ship_hp={(0, 0): 2})
    play(state, "M0E4")
    variables = state.to_dict()
    assert [variables["mines"][p][q] for p in range(3)] == [1, 0, 0]
    assert (ship(state, 0, 0)["hp"], ship(state, 0, 0)["pos"]) == (0, q)
    assert variables["dealt"] == [0, 1, 0]
    assert variables["kills"] == [0, 0, 0]
    assert plain(state, "MINE_HIT", 1) == {"player": 0, "slot": 0, "cls": "B", "n": 2}
    assert plain(state, "MINE_LOST", 2) == {"player": 2, "panel": "C1", "n": 1, "cause": "contact"}
    assert told(state, "MINE_LOST", 0) == []


def test_bs_149_bs_150_bs_r17_sweeping_mines(implementation):
    """BS-149 BS-150 BS-R17: an attack removes one, told to all; mines outlive their layer."""
    state = implementation.battle("B@C3", "D@C2 B@E5")
    q = at(OPEN, "C2")
    state = implementation.edited(state, mines={(1, q): 2}, ship_hp={(1, 0): 1})
    play(state, "A0N")
    assert ship(state, 1, 0)["hp"] == 0
    assert state.to_dict()["mines"][1][q] == 1
    assert plain(state, "MINE_SWEPT", 0) == {"panel": "C2"}
    assert plain(state, "MINE_LOST", 1) == {"player": 1, "panel": "C2", "n": 1, "cause": "swept"}
    play(state, "A1N M0N1")
    assert ship(state, 0, 0)["hp"] == 2


# -- torpedoes ----------------------------------------------------------------------------------------


def test_bs_151_to_157_firing_torpedoes(implementation):
    """BS-151 BS-152 BS-154 BS-155 BS-156 BS-157 BS-R28: Destroyers and Submarines, at any panel but the own one."""
    state = implementation.battle("D@A1 S@B1 B@C1 O@D1", "B@E5")
    shots = {text for text in allowed(state) if text[0] == "T"}
    assert shots == {f"T{slot}{notation.panel_name(OPEN, q)}" for slot in (0, 1) for q in range(25) if q != slot}
    play(state, "T1E5")
    assert (ship(state, 0, 1)["fp"], ship(state, 0, 1)["aux"]) == (80, 2)
    assert plain(state, "TORP_FIRED", 1) == {"player": 0}
    assert plain(state, "TORP_FIRED", 0) == {"player": 0, "slot": 1, "panel": "E5", "id": 0}
    spent = implementation.edited(state, ship_aux={(0, 0): 0}, ship_fp={(0, 1): 19}, cur=0, ptr=0)
    assert not {text for text in allowed(spent) if text[0] == "T"}
    assert not {text for text in allowed(implementation.battle("D@A1", "B@C3", torpedoes=False)) if text[0] == "T"}


def test_bs_158_to_161_torpedoes_in_flight(implementation):
    """BS-158 BS-159 BS-160 BS-161 BS-163 BS-166 BS-167: a panel in each own turn; unseen, past ships, unharmed."""
    state = implementation.battle("D@A1 B@E5", "B@B1 D@C1 S@E1")
    play(state, "T0C1")
    assert plain(state, "TORP_MOVE", 0) == {"player": 0, "panel": "B1", "id": 0}
    assert told(state, "TORP_MOVE", 1) == []
    assert ship(state, 1, 0)["hp"] == 3
    play(state, "A1W")
    assert state.to_dict()["torp_n"] == [1, 0]
    play(state, "A1N")
    assert state.to_dict()["torp_n"] == [0, 0]
    assert ship(state, 1, 1)["hp"] == 1
    assert {"player": 0, "panel": "C1", "torpedo": 1} in told(state, "ATTACK", 1)


def test_bs_165_bs_168_to_171_what_stops_torpedoes(implementation):
    """BS-165 BS-168 BS-169 BS-170 BS-171 BS-R27: mines and reefs, with the whole effect of an attack there."""
    state = implementation.battle("D@A1 B@E5", "B@B1 S@E1", terrain_map="..#../...../...../...../.....")
    state = implementation.edited(state, mines={(0, at(OPEN, "B1")): 2})
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


# -- reinforcement and flagships ----------------------------------------------------------------------


def test_bs_172_to_179_reinforcement(implementation):
    """BS-55 BS-172 BS-173 BS-174 BS-175 BS-176 BS-178 BS-179 BS-R35: on known panels, for a share of its FP."""
    state = implementation.battle("B@A1 S@C3", "B@E5 D@E4", terrain_map="#..../...../...../...../.....")
    state = implementation.edited(
        state, ship_hp={(0, 1): 0}, ship_fp={(0, 1): 50}, ship_aux={(0, 1): 0}, ship_flags={(0, 1): 0}
    )
    assert {text for text in allowed(state) if text[0] == "R"} == {"R1C3"}  # the own start, not the enemy's
    play(state, "R1C3")
    found = ship(state, 0, 1)
    assert (found["hp"], found["fp"], found["aux"], found["flags"]) == (1, 33, 3, STEALTH)
    assert plain(state, "REINFORCED", 1) == {"player": 0, "slot": 1, "cls": "S"}
    assert state.to_dict()["reinf_left"] == [0, 1]
    free = implementation.battle("B@A1 S@C3", "B@E5", fuel=False)
    free = implementation.edited(free, ship_hp={(0, 1): 0}, ship_flags={(0, 1): 0})
    assert "R1E5" in allowed(free)  # also under an enemy [BS-R60]
    play(free, "R1E5")
    assert ship(free, 0, 1)["fp"] == 0


def test_bs_177_bs_16_when_it_is_not_possible(implementation):
    """BS-16 BS-103 BS-177: from round 21 on, and in retreat."""
    state = implementation.battle("B@A1 D@C3", "B@E5 D@E4")
    state = implementation.edited(state, ship_hp={(0, 1): 0})
    for turn, legal in ((20, True), (21, False)):
        assert bool({text for text in allowed(implementation.edited(state, round=turn)) if text[0] == "R"}) == legal
    assert implementation.config(mission="retreat").reinforce_max == 0
    assert implementation.config().reinforce_max == 1


def test_bs_148_bs_180_reinforcement_onto_mines(implementation):
    """BS-148 BS-180: hurts like a move."""
    state = implementation.battle("B@A1 D@C3", "B@E5 D@E4")
    state = implementation.edited(state, ship_hp={(0, 1): 0}, mines={(1, at(OPEN, "B2")): 1})
    play(state, "R1B2")
    assert ship(state, 0, 1)["hp"] == 1
    assert plain(state, "MINE_HIT", 1) == {"player": 0, "slot": 1, "cls": "D", "n": 1}
    assert state.to_dict()["dealt"] == [0, 1]


def test_bs_68_bs_89_bs_117_bs_122_to_124_flagship_changes(implementation):
    """BS-68 BS-89 BS-117 BS-122 BS-123 BS-124 BS-R36: 5 FP of the flagship, a turn, three times a game."""
    state = implementation.battle("B@A1* D@C3", "B@E5* D@E4", mission="flagship")
    for left, text in ((2, "F1"), (1, "F0"), (0, "F1")):
        play(state, text)
        assert plain(state, "FLAG_CHANGED", 1) == {"player": 0}
        assert state.to_dict()["flag_left"] == [left, 3]
        play(state, "A0N")
    assert [ship(state, 0, slot)["fp"] for slot in (0, 1)] == [90, 95]
    assert not {"F0", "F1"} & allowed(state)
    poor = implementation.battle("B@A1* D@C3", "B@E5* D@E4", mission="flagship")
    assert "F1" not in allowed(implementation.edited(poor, ship_fp={(0, 0): 4}))
    assert "F1" not in allowed(implementation.battle("B@A1 D@C3", "B@E5 D@E4"))


# -- terrain ------------------------------------------------------------------------------------------

ROUGH = "...../.#.../.~%../.^.../....."


def test_bs_186_to_190_terrain_is_learnt(implementation):
    """BS-186 BS-187 BS-188 BS-189 BS-190 BS-R11: attacked, passed and entered panels; starts are sea."""
    state = implementation.battle("B@A4 D@E1", "B@E5 D@B3", terrain_map=ROUGH)
    known = state.to_dict()["known"]
    assert [q for q in range(25) if known[q] & 1] == [at(OPEN, "E1"), at(OPEN, "A4")]
    assert state.to_dict()["terrain"][at(OPEN, "B3")] == maps.SEA
    play(state, "M0E2")
    assert [(e["panel"], e["terrain"]) for e in told(state, "TERRAIN", 0)] == [("B4", 4), ("C4", 0)]
    assert told(state, "TERRAIN", 1) == []
    play(state, "A0N A0N")
    assert plain(state, "TERRAIN", 0) == {"player": 0, "panel": "C3", "terrain": 3}


def test_bs_191_to_194_reefs(implementation):
    """BS-191 BS-192 BS-193 BS-194 BS-R19 BS-R21 BS-R12: stop ships, are told without the place, and then shunned."""
    state = implementation.battle("B@B5 S@B1", "B@E5 D@E1", terrain_map="...../...../.#.../...../.....")
    play(state, "M0N4") if "M0N4" in allowed(state) else play(state, "M0N3")
    assert ship(state, 0, 0)["pos"] == at(OPEN, "B4")
    assert plain(state, "MOVE", 1) == {"player": 0, "slot": 0, "cls": "B", "dir": 0, "dist": 3, "stop": "reef"}
    play(state, "A0N")
    assert not {"M0N1", "M0N2", "M1S2"} & allowed(state)
    assert "M1S1" in allowed(state)
    play(state, "M1S1")
    walled = implementation.battle("B@A1 S@E5", "B@E4", terrain_map=".#.../##.../...../...../.....")
    assert {"A0E", "A0S", "A0SE"} < allowed(walled)


def test_bs_193_reefs_are_no_places(implementation):
    """BS-193: neither at the start, where they are known, nor for reinforcements."""
    fields = {"terrain_map": "#..../...../...../...../.....", "terrain_known": True, "fleets": [[0]]}
    assert "SA1" not in allowed(implementation.new(0, **fields))
    state = implementation.battle("B@C3 D@C4", "B@E5", terrain_map=fields["terrain_map"], terrain_known=True)
    state = implementation.edited(state, ship_hp={(0, 1): 0})
    texts = {text for text in allowed(state) if text[0] == "R"}
    assert len(texts) == 23
    assert "R1A1" not in texts


def test_bs_195_bs_196_shallows(implementation):
    """BS-195 BS-196 BS-R30: a Submarine is seen there; other classes are as ever."""
    state = implementation.battle("S@B2 B@B4", "B@E5", terrain_map=ROUGH.replace("#", "."))
    play(state, "M0S1")
    assert "dir" not in plain(state, "MOVE", 1)
    assert plain(state, "SURFACED", 1) == {"player": 0, "slot": 0, "cls": "S"}
    assert ship(state, 0, 0)["flags"] == 0
    other = implementation.battle("D@B2 B@B4", "B@E5", terrain_map=ROUGH.replace("#", "."))
    play(other, "M0S1")
    assert not {"SURFACED", "STEALTH"} & set(kinds(other))


def test_bs_197_to_199_fog(implementation):
    """BS-197 BS-198 BS-199 BS-R30 BS-R59: stealth after the turn of entry, until the turn of leaving."""
    for trait in (True, False):
        state = implementation.battle("B@D3 O@C4", "B@B2 D@E1", terrain_map=ROUGH.replace("#", "."), stealth=trait)
        play(state, "M0W1")
        assert plain(state, "MOVE", 1)["dist"] == 1
        assert ship(state, 0, 0)["flags"] == STEALTH
        assert plain(state, "STEALTH", 0) == {"player": 0, "slot": 0, "on": 1}
        assert told(state, "REFUEL", 0) == []
        play(state, "A1S M0E1")
        assert "dist" not in plain(state, "MOVE", 1)
        assert ship(state, 0, 0)["flags"] == 0
        assert plain(state, "REFUEL", 0) == {"player": 0, "slot": 1, "target": 0, "n": 30}


def test_bs_199_no_surfacing_in_fog(implementation):
    """BS-199: it stays down until the next cycle."""
    state = implementation.battle("S@C2 B@A5", "B@E5", terrain_map=ROUGH.replace("#", "."))
    play(state, "M0S1 M0N1")
    state = implementation.edited(state, round=2, cur=1, ptr=1)
    play(state, "A0N")
    assert state.to_dict()["round"] == 3
    assert ship(state, 0, 0)["flags"] == STEALTH


def test_bs_200_to_202_high_waves(implementation):
    """BS-200 BS-201 BS-202 BS-R22: 5 FP for leaving one and for resting on one; too little FP stops there."""
    waves = "^^^../...../...../...../....."
    for fp, end, left in ((100, "D1", 74 - 10), (30, "D1", 30 - 16 - 10), (25, "C1", 25 - 16 - 5 - 4), (20, "B1", 0)):
        state = implementation.battle("B@A1 D@A5", "B@E5", terrain_map=waves)
        state = implementation.edited(state, ship_fp={(0, 0): fp})
        play(state, "M0E3")
        found = ship(state, 0, 0)
        assert found["pos"] == at(OPEN, end)
        assert found["fp"] == (fp - 16 - 10 if end == "D1" else max(0, left))
    none = implementation.battle("B@A1 D@A5", "B@E5", terrain_map=waves, fuel=False)
    play(none, "M0E2")
    assert ship(none, 0, 0)["fp"] == 0


# -- the end ------------------------------------------------------------------------------------------


def test_bs_6_bs_73_bs_77_sinking_everything_wins(implementation):
    """BS-6 BS-8 BS-73 BS-77 BS-R40 BS-R58: at the very moment; nothing follows but the news of it."""
    for mission in ("sea_control", "annihilation", "recon", "assault", "blitz"):
        flag = "*" if mission == "blitz" else ""
        state = implementation.battle(f"B@C3{flag}", f"S@C2{flag}", mission=mission)
        play(state, "A0N")
        assert result(state) == ({0}, "victory")
        assert list(state.returns()) == [1, -1]
        assert plain(state, "GAME_OVER", 1) == {"winners": [0], "reason": "victory"}
        assert "TURN" not in kinds(state)
        assert list(state.legal_actions()) == []
        with pytest.raises(GameOverError):
            state.apply(0)


def test_bs_7_bs_79_bs_r44_the_score(implementation):
    """BS-7 BS-79 BS-108 BS-R44: sinkings, damage, ships and HP left; mines of the own side earn nothing."""
    state = implementation.battle("B@C3", "S@C2 B@C1 D@E5", mission="recon", round_limit=1)
    state = implementation.edited(state, mines={(0, at(OPEN, "E4")): 1})
    play(state, "A0N")
    assert list(state.scores()) == [30 + 10 + 30 + 30, 60 + 50]
    assert result(state) is None
    play(state, "M2N1")
    assert list(state.scores()) == [110, 60 + 40]
    assert result(state) == ({0}, "round_limit")


def test_bs_9_bs_11_draws(implementation):
    """BS-9 BS-11 BS-78: annihilation and flagship are drawn when fuel ends the game."""
    for mission, sides in {"annihilation": {0, 1}, "flagship": {0, 1}, "sea_control": {0}}.items():
        flag = "*" * (mission == "flagship")
        state = implementation.battle(f"B@C3{flag}", f"B@C2{flag}", mission=mission)
        state = implementation.edited(state, ship_fp={(0, 0): 10, (1, 0): 3})
        play(state, "A0N")
        assert result(state) == (sides, "fuel")


def test_bs_14_bs_r38_limited_missions_by_score_or_draw(implementation):
    """BS-13 BS-14 BS-94 BS-R38: after the last turn of the limit round."""
    outcomes = {"recon": {0}, "blitz": {0}, "assault": {0, 1}, "flagship_raid": {0, 1}}
    for mission, sides in outcomes.items():
        flag = "*" if mission in ("blitz", "flagship_raid") else ""
        state = implementation.battle(f"B@C3{flag}", f"B@C2{flag}", mission=mission, round_limit=1)
        play(state, "A0N A0N")
        assert result(state) == (sides, "round_limit")


def test_bs_10_bs_76_flagships(implementation):
    """BS-10 BS-76 BS-11: whoever first sinks the flagship wins, whatever else lives."""
    state = implementation.battle("B@C3* D@A1", "S@C2* D@E5", mission="flagship")
    play(state, "A0N")
    assert result(state) == ({0}, "victory")
    assert plain(state, "DEFEATED", 1) == {"player": 1, "cause": "flagship"}


def test_bs_12_rescue(implementation):
    """BS-12: one member's defeat is its partner's, at once."""
    state = implementation.battle("B@C3", "S@C2", "B@A1", "B@E5 D@E4", preset="tag", mission="rescue")
    play(state, "A0N")
    assert result(state) == ({0}, "victory")
    assert [(e["player"], e["cause"]) for e in told(state, "DEFEATED", 2)] == [(1, "annihilated"), (3, "ally")]
    state = implementation.battle("B@C3", "S@C2", "B@A1", "B@E5", preset="tag", mission="rescue")
    play(state, "X")  # who resigns is defeated, too
    assert result(state) == ({1}, "victory")
    assert [(e["player"], e["cause"]) for e in told(state, "DEFEATED", 1)] == [(0, "resign"), (2, "ally")]
    with pytest.raises(ConfigError, match=r"^teams"):
        implementation.config(mission="rescue")


def test_bs_15_bs_17_bs_r8_retreat(implementation):
    """BS-15 BS-17 BS-R8: one against all others, who need not sink it in time to lose; killing them wins at once."""
    state = implementation.battle("B@C3", "B@C2", "B@E5", mission="retreat", round_limit=1, defender=1)
    play(state, "A0N A0E A0N")
    assert result(state) == ({0}, "round_limit")
    assert list(state.returns()) == [-1, 1, -1]
    with pytest.raises(ConfigError, match=r"^teams: retreat"):
        implementation.config(players=3, teams=[0, 0, 1], mission="retreat")


def test_bs_80_bs_93_bs_95_teams_when_time_is_up(implementation):
    """BS-80 BS-92 BS-93 BS-94 BS-95 BS-R46: fewer defeated members first, then the mean score."""
    fields = {"preset": "tag", "mission": "recon", "round_limit": 1}
    state = implementation.battle("S@C2", "B@C3", "B@E1", "B@C5", **fields)
    play(state, "M0N1 A0N A0S A0N")
    assert result(state)[1] == "round_limit"
    state = implementation.battle("B@C3", "S@C2", "B@E1", "B@C5 D@D5 D@E5", **fields)
    play(state, "A0N")
    assert state.to_dict()["active"] == [1, 0, 1, 1]
    play(state, "A0S A0N")
    assert result(state) == ({0}, "round_limit")


def test_bs_100_to_105_fighting_on(implementation):
    """BS-100 BS-101 BS-102 BS-103 BS-104 BS-105 BS-R45 BS-R47 BS-R48: the defeated act on."""
    fleets = ("B@C3* D@A1", "S@C2* D@E1", "B@E5* D@E4")
    state = implementation.battle(*fleets, preset="multi", mission="flagship")
    play(state, "A0N")
    assert result(state) is None
    assert (state.to_dict()["qual"], state.to_dict()["active"]) == ([1, 0, 1], [1, 1, 1])
    assert state.current_player == 1
    assert not {text for text in allowed(state) if text[0] == "R"}
    assert {"A1W", "L1C"} < allowed(state)
    state = implementation.edited(state, ship_fp={(1, 1): 12})
    play(state, "A1S")
    assert plain(state, "OUT", 0) == {"player": 1, "cause": "unable"}
    assert (state.to_dict()["active"], state.current_player) == ([1, 0, 1], 2)
    drawn = implementation.battle(*fleets, preset="multi", mission="flagship_raid", round_limit=1)
    play(drawn, "A0N A1S A0N")
    assert result(drawn) == ({0, 1, 2}, "round_limit")
    assert list(drawn.returns()) == [0, 0, 0]


def test_bs_106_bs_181_to_183_resignation(implementation):
    """BS-24 BS-106 BS-181 BS-182 BS-183 BS-R28 BS-R50 BS-R52: loses; of three the others play on without that fleet."""
    fleets = ("D@C3 B@A1", "B@C2 D@E1", "B@E5 D@E4")
    for cause in ("resign", "timeout", "illegal"):
        state = implementation.battle(*fleets, preset="multi")
        play(state, "T0E5 A0N A0N")
        if cause == "resign":
            play(state, "X")
        else:
            state.forfeit(0, cause)
        variables = state.to_dict()
        assert (variables["qual"], variables["active"], variables["torp_n"]) == ([0, 1, 1], [0, 1, 1], [0, 0, 0])
        assert variables["ship_hp"][0] == [0, 0]
        assert (variables["cur"], result(state)) == (1, None)
        assert plain(state, "OUT", 2) == {"player": 0, "cause": cause}
        assert told(state, "SUNK") == []
    assert "X" not in allowed(implementation.new(0))


def test_bs_45_forfeits_are_for_the_player_to_move_in_play(implementation):
    """BS-45 BS-R50 BS-R52: others, other causes, the setup and the end are refused."""
    state = implementation.battle("B@C3", "B@E1")
    for player, cause in ((1, "resign"), (0, "boredom"), (2, "resign"), (0, None)):
        with pytest.raises(ValueError, match=r"player|cause"):
            state.forfeit(player, cause)
    with pytest.raises(ValueError, match="player"):
        implementation.new(0).forfeit(0, "resign")
    state.forfeit(0, "illegal")
    with pytest.raises(GameOverError):
        state.forfeit(1, "resign")


def test_bs_98_bs_99_teams(implementation):
    """BS-99 BS-90 BS-96 BS-97 BS-98: torpedoes do not hurt allies, mines do."""
    state = implementation.battle("D@A1", "B@E5", "B@A2 D@C5", "B@E4", preset="tag")
    play(state, "T0A2")
    assert ship(state, 2, 0)["hp"] == 3
    assert plain(state, "MISS", 1) == {"panel": "A2"}
    state = implementation.edited(state, cur=2, ptr=2, mines={(0, at(OPEN, "B2")): 1})
    play(state, "M0E1")
    assert ship(state, 2, 0)["hp"] == 2
    assert state.to_dict()["dealt"] == [0, 0, 0, 0]


def test_bs_r34_the_order_of_a_turns_end(implementation):
    """BS-70 BS-R34: torpedoes, waves, stealth, refuelling, fuel: a ship is saved on a wave, and surfaces before."""
    state = implementation.battle("D@A1 O@B1 B@A3", "B@E5", terrain_map="...../^..../...../...../.....")
    state = implementation.edited(state, ship_fp={(0, 0): 12})
    play(state, "M0S1")
    assert ship(state, 0, 0)["fp"] == 30  # 12 - 8, the wave takes 4, the Oiler gives 30
    assert told(state, "FUEL_OUT") == []


def test_bs_r29_the_same_cycle_for_all_submarines(implementation):
    """BS-138 BS-R29: also for one that has come back."""
    state = implementation.battle("S@A1 B@A5", "B@E5", surface_period=2)
    state = implementation.edited(state, ship_hp={(0, 0): 0}, ship_flags={(0, 0): 0})
    play(state, "R0C3 A0N")
    assert plain(state, "SURFACED", 1) == {"player": 0, "slot": 0, "cls": "S"}


def test_bs_r45_a_tie_of_scores_is_shared_by_the_tied(implementation):
    """BS-94 BS-R45: the third pays."""
    state = implementation.battle("B@A1", "B@E5", "D@E1", preset="multi", mission="recon", round_limit=1)
    play(state, "A0E A0N A0S")
    assert result(state) == ({0, 1}, "round_limit")
    assert list(state.returns()) == [0.25, 0.25, -0.5]


def test_bs_r6_the_public_config_hides_the_map(implementation):
    """BS-R6 BS-187: a map that is not known from the start would give the terrain away."""
    hidden = implementation.config(terrain_map=ROUGH)
    assert hidden.public() == dataclasses.replace(hidden, terrain_map=None)
    assert hidden.public().terrain
    known = implementation.config(terrain_map="...../.#.../...../...../.....", terrain_known=True)
    assert known.public() is known
