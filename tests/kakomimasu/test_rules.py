"""Every clause and ruling of the rule book, drawn as positions, on both implementations."""

import itertools

import pytest

from masume.errors import GameOverError, IllegalActionError
from masume.kakomimasu.notation import FIRST_MOVE, FIRST_PUT, FIRST_REMOVE

from .conftest import board, cells, entries, play, rows

NORTH, EAST, SOUTH, WEST = 0, 2, 4, 6


# -- the board and its cells ------------------------------------------------------------------------


def test_km_1_moving_turns_the_place_into_a_wall(implementation):
    """KM-1 KM-22 KM-23: the agent moves there; the cell it left remains a wall."""
    state = implementation.parse("""
        A..
        ...
        agents: A0@0,0
    """)
    assert play(state, "A0 MOVE 1,1") == [0]
    assert rows(state) == board("""
        A..
        .A.
    """)
    assert cells(state) == {"A0": (1, 1)}


@pytest.mark.parametrize("direction", range(8))
def test_km_22_move_in_each_direction(implementation, direction):
    """KM-22: the eight neighbours are numbered clockwise from north."""
    state = implementation.parse("""
        ...
        .A.
        ...
        agents: A0@1,1
    """)
    state.apply([FIRST_MOVE + direction, 0])
    clockwise = [(1, 0), (2, 0), (2, 1), (2, 2), (1, 2), (0, 2), (0, 1), (0, 0)]
    assert cells(state) == {"A0": clockwise[direction]}


@pytest.mark.parametrize("direction", range(8))
def test_km_27_remove_in_each_direction(implementation, direction):
    """KM-27 KM-5: a wall of any team on one of the eight neighbours is removed; the agent stays."""
    state = implementation.parse("""
        BBB
        BAB
        BBB
        agents: A0@1,1
    """)
    state.apply([FIRST_REMOVE + direction, 0])
    x, y = [(1, 0), (2, 0), (2, 1), (2, 2), (1, 2), (0, 2), (0, 1), (0, 0)][direction]
    assert rows(state)[y][x] == "."
    assert "".join(rows(state)).count("B") == 7
    assert cells(state) == {"A0": (1, 1)}


def test_km_2_own_walls_score_the_points_of_their_cells(implementation):
    """KM-2 KM-46: points are signed."""
    state = implementation.parse("AAB.", points=[5, -3, 7, 9])
    assert list(state.wall_points) == [2, 7]
    assert list(state.territory_points) == [0, 0]
    assert list(state.scores()) == [2, 7]


def test_km_3_what_walls_surround_becomes_territory_and_scores(implementation):
    """KM-3 KM-4 KM-37 KM-45 KM-47: a negative cell subtracts as wall and adds as territory."""
    state = implementation.parse(
        """
        AAA.
        A..A
        AAA.
        agents: A0@3,1
        """,
        points=[1, 1, 1, 0, 1, -7, -2, 4, 1, 1, 1, 0],
    )
    assert list(state.scores()) == [11, 0]
    play(state, "")
    assert rows(state) == board("""
        AAA.
        A..A
        AAA.
    """)  # open at two corners [KM-38]
    state = implementation.parse(
        """
        AAA.
        A.AA
        AAA.
        agents: A0@3,1
        """,
        points=[1, 1, 1, 0, 1, -7, -2, 4, 1, 1, 1, 0],
    )
    play(state, "")
    assert list(state.wall_points) == [9, 0]
    assert list(state.territory_points) == [7, 0]
    assert list(state.scores()) == [16, 0]


def test_km_6_all_agents_of_all_players_decide_at_once(implementation):
    """KM-6 KM-16: one slot per agent; no player moves alone."""
    state = implementation.new(width=4, height=3, n_players=3, n_agents=2)
    assert list(state.slots) == [0, 0, 1, 1, 2, 2]
    assert state.current_player == -1


def test_km_8_cells_are_numbered_row_by_row(implementation):
    """KM-8: x is the column, y the row, n = y * width + x."""
    state = implementation.new(width=4, height=3, n_agents=1)
    state.apply([FIRST_PUT + 6, 0])
    assert cells(state) == {"A0": (2, 1)}
    assert rows(state) == board("""
        ....
        ..A.
        ....
    """)


def test_km_10_every_cell_has_its_point(implementation):
    """KM-10"""
    state = implementation.new(width=2, height=2, n_agents=1, points=[-32768, 32767, 0, 16])
    assert state.to_dict()["config"]["points"] == [-32768, 32767, 0, 16]
    state.apply([FIRST_PUT, FIRST_PUT + 1])
    assert list(state.scores()) == [-32768, 32767]


def test_km_11_a_cell_is_neutral_or_wall_or_territory_of_a_team(implementation):
    """KM-11"""
    state = implementation.parse("AaB.b")
    variables = state.to_dict()
    assert variables["wall"] == [0, -1, 1, -1, -1]
    assert variables["area"] == [-1, 0, -1, -1, 1]


def test_km_12_all_cells_are_neutral_at_the_start(implementation):
    """KM-12: and no agent is placed."""
    variables = implementation.new(width=5, height=4, n_players=4, n_agents=2).to_dict()
    assert variables["played"] == 0
    assert variables["wall"] == variables["area"] == [-1] * 20
    assert variables["pos"] == [[-1, -1]] * 4


# -- the four actions -------------------------------------------------------------------------------


def test_km_14_agents_may_be_placed_at_any_time_on_any_cell(implementation):
    """KM-14 KM-17 KM-18 KM-R12: including own walls, any territory, and a cell that a team mate leaves."""
    start = """
        AAb
        .Ba
        agents: A0@0,0 A1@unplaced B0@unplaced
        played: 3
    """
    state = implementation.parse(start, n_agents=2)
    assert list(state.legal_actions(1)) == [0] + [FIRST_PUT + n for n in (0, 1, 2, 3, 5)]
    for x, y in ((1, 0), (2, 0), (0, 1), (2, 1)):
        state = implementation.parse(start, n_agents=2)
        assert play(state, f"A1 PUT {x},{y}") == [0]
        assert cells(state)["A1"] == (x, y)
        assert rows(state)[y][x] == "A"
    state = implementation.parse(start, n_agents=2)
    assert play(state, "A1 PUT 0,0; A0 MOVE 0,1") == [0, 0]
    assert cells(state) == {"A0": (0, 1), "A1": (0, 0)}


def test_km_15_only_placed_agents_do_the_other_actions(implementation):
    """KM-15 KM-R3: and a placed agent cannot be put again."""
    state = implementation.parse("""
        AB.
        agents: A0@0,0 A1@unplaced
    """)
    assert play(state, "A1 MOVE 2,0; A0 PUT 2,0") == [5, 5]
    assert play(state, "A1 REMOVE 1,0") == [5]
    assert play(state, "A1 STAY") == [0]
    assert rows(state) == ["AB."]


def test_km_16_an_agent_with_several_entries_does_nothing(implementation):
    """KM-16 KM-R5: all of its entries are void and conflict with nobody; the agent blocks."""
    state = implementation.parse("""
        AA.B
        agents: A0@0,0 A1@1,0 B0@3,0
    """)
    assert play(state, "A1 STAY; A1 MOVE 2,0; B0 MOVE 2,0; A0 MOVE 1,0") == [3, 3, 0, 2]
    assert list(state.results) == [2, 3, 0, 0]
    assert cells(state) == {"A0": (0, 0), "A1": (1, 0), "B0": (2, 0)}


def test_km_19_put_on_an_enemy_wall_is_invalid(implementation):
    """KM-19 KM-33 KM-R6: it conflicts with nobody and does nothing."""
    state = implementation.parse("""
        BB.
        agents: A0@unplaced A1@unplaced B0@0,0
    """)
    assert play(state, "A0 PUT 1,0; B0 MOVE 1,0; A1 PUT 1,0") == [2, 0, 2]
    assert cells(state) == {"B0": (1, 0)}


def test_km_r6_the_server_lets_a_put_on_an_enemy_wall_take_part(implementation):
    """KM-R6: it conflicts, is blocked by an agent that stays there, and otherwise succeeds without effect."""
    start = """
        BB.
        agents: A0@unplaced A1@unplaced B0@0,0
    """
    server = {"put_on_enemy_wall": "server"}
    state = implementation.parse(start, **server)
    assert play(state, "A0 PUT 1,0; B0 MOVE 1,0") == [1, 1]
    assert play(state, "A0 PUT 1,0; A1 PUT 1,0") == [1, 1]
    assert play(state, "A0 PUT 0,0") == [2]
    assert play(state, "A0 PUT 0,0; B0 MOVE 1,0", on_illegal="raise") == [0, 0]
    assert rows(state) == ["BB."]
    assert cells(state) == {"B0": (1, 0)}


def test_km_r34_such_a_put_is_legal_for_the_server_alone(implementation):
    """KM-R34: the mask allows it, and it never raises."""
    start = """
        AB
        agents: A0@unplaced B0@unplaced
    """
    strict = implementation.parse(start)
    server = implementation.parse(start, put_on_enemy_wall="server")
    assert list(strict.legal_mask(0)) == [1] + [0] * 16 + [1, 0]
    assert list(server.legal_mask(0)) == [1] + [0] * 16 + [1, 1]
    with pytest.raises(IllegalActionError, match=str(FIRST_PUT + 1)):
        strict.apply([FIRST_PUT + 1, 0])
    server.apply([FIRST_PUT + 1, 0])
    assert list(server.results) == [0, 0]
    assert rows(server) == ["AB"]


def test_km_20_several_agents_cannot_be_put_on_one_cell(implementation):
    """KM-20 KM-35 KM-7"""
    state = implementation.new(width=2, height=1, n_agents=2, n_players=3)
    assert play(state, "A0 PUT 0,0; A1 PUT 0,0; B0 PUT 1,0; C1 PUT 1,0") == [1, 1, 1, 1]
    assert cells(state) == {}


def test_km_21_stay_does_nothing(implementation):
    """KM-21 KM-R19: it is a valid action with result 0, placed or not."""
    state = implementation.parse("""
        AB
        agents: A0@0,0 B0@unplaced
    """)
    assert play(state, "A0 STAY; B0 STAY", on_illegal="raise") == [0, 0]
    assert rows(state) == ["AB"]
    assert cells(state) == {"A0": (0, 0)}


def test_km_24_move_onto_an_enemy_wall_is_invalid(implementation):
    """KM-24 KM-33 KM-R2: every other player is an enemy."""
    state = implementation.parse("""
        BAC
        agents: A0@1,0
    """)
    assert play(state, "A0 MOVE 0,0") == [2]
    assert play(state, "A0 MOVE 2,0") == [2]
    assert cells(state) == {"A0": (1, 0)}


def test_km_25_several_agents_cannot_move_to_one_cell(implementation):
    """KM-25 KM-35 KM-7: neither own agents nor enemies."""
    start = """
        A.{}
        agents: A0@0,0 {}@2,0
    """
    for other, name in (("A", "A1"), ("B", "B0")):
        state = implementation.parse(start.format(other, name))
        assert play(state, f"A0 MOVE 1,0; {name} MOVE 1,0") == [1, 1]
        assert cells(state) == {"A0": (0, 0), name: (2, 0)}


def test_km_26_an_own_agent_on_the_target_must_move_away(implementation):
    """KM-26"""
    start = """
        AA.
        agents: A0@0,0 A1@1,0
    """
    state = implementation.parse(start)
    assert play(state, "A0 MOVE 1,0; A1 MOVE 2,0") == [0, 0]
    assert cells(state) == {"A0": (1, 0), "A1": (2, 0)}
    state = implementation.parse(start)
    assert play(state, "A0 MOVE 1,0; A1 STAY") == [2, 0]
    assert cells(state) == {"A0": (0, 0), "A1": (1, 0)}


def test_km_28_a_removed_cell_becomes_neutral_or_territory(implementation):
    """KM-28 KM-R13: regardless of its state before the wall."""
    state = implementation.parse("""
        AAAAB
        AAAaB
        AAAAB
        agents: A0@0,0 B0@4,0
    """)
    assert play(state, "A0 REMOVE 1,1; B0 REMOVE 4,1") == [0, 0]
    assert rows(state) == board("""
        AAAAB
        AaAa.
        AAAAB
    """)
    assert play(state, "A0 REMOVE 0,1") == [0]
    assert play(state, "A0 REMOVE 1,0") == [0]
    assert rows(state)[0] == "A.AAB"  # formerly a wall, now enclosed by nobody


def test_km_29_an_agent_on_a_wall_to_be_removed_must_move_away(implementation):
    """KM-29"""
    start = """
        BA.
        agents: A0@1,0 B0@0,0
    """
    state = implementation.parse(start)
    assert play(state, "B0 REMOVE 1,0; A0 MOVE 2,0") == [0, 0]
    assert rows(state) == ["B.A"]
    for own in ("A0 STAY", "A0 REMOVE 0,0", ""):
        state = implementation.parse(start)
        codes = play(state, f"B0 REMOVE 1,0; {own}")
        assert codes[0] == 2
        assert rows(state)[0][1] == "A"


def test_km_30_the_actions_of_all_agents_concerned_are_void(implementation):
    """KM-30: invalid and conflicting ones are; those of other agents are not."""
    state = implementation.parse("""
        A.B
        ...
        A.B
        agents: A0@0,0 A1@0,2 B0@2,0 B1@2,2
    """)
    assert play(state, "A0 MOVE 1,1; B0 MOVE 1,1; A1 MOVE 9,9; B1 MOVE 2,1") == [1, 1, 5, 0]
    assert cells(state) == {"A0": (0, 0), "A1": (0, 2), "B0": (2, 0), "B1": (2, 1)}


@pytest.mark.parametrize("target", ["-1,0", "0,-1", "-1,-1", "1,-1", "-1,1", "4,0", "0,3", "1000000000000000000000,0"])
def test_km_31_put_and_move_off_the_field_are_invalid(implementation, target):
    """KM-31: REMOVE too. [KM-R3]"""
    state = implementation.parse("""
        A...
        ....
        ....
        agents: A0@0,0 A1@unplaced
    """)
    assert play(state, f"A0 MOVE {target}; A1 PUT {target}") == [5, 5]
    assert play(state, f"A0 REMOVE {target}") == [5]
    assert cells(state) == {"A0": (0, 0)}


def test_km_32_remove_where_there_is_no_wall_is_invalid(implementation):
    """KM-32 KM-40: neutral or territory, own or enemy."""
    state = implementation.parse("""
        .ab
        .A.
        agents: A0@1,1
    """)
    for x in range(3):
        assert play(state, f"A0 REMOVE {x},0") == [5]
    assert rows(state)[0] == ".ab"


def test_km_34_an_agent_without_an_action_stays(implementation):
    """KM-34 KM-R20 KM-R8: it has no result code, and it blocks."""
    state = implementation.parse("""
        AA.
        agents: A0@0,0 A1@1,0
    """)
    assert state.apply_lists([[(0, "MOVE", 1, 0)], []], on_illegal="raise") == [[2], []]
    assert list(state.results) == [2, 0, 0, 0]


def test_km_35_only_valid_actions_conflict(implementation):
    """KM-35 KM-R4: no REMOVE of a wall being built."""
    state = implementation.parse("""
        A.B
        agents: A0@0,0 B0@2,0
    """)
    assert play(state, "A0 REMOVE 1,0; B0 MOVE 1,0") == [5, 0]
    assert rows(state) == ["ABB"]


def test_km_36_an_agent_that_stays_by_conflict_or_invalidity_blocks(implementation):
    """KM-36: its conflict blocks another agent."""
    state = implementation.parse("""
        AA.B
        AA..
        agents: A0@0,0 A1@1,0 A2@0,1 A3@1,1 B0@3,0
    """)
    assert play(state, "A1 MOVE 2,0; B0 MOVE 2,0; A0 MOVE 1,0; A3 MOVE 3,1; A2 MOVE 1,1") == [1, 1, 2, 5, 2]
    assert len(cells(state)) == 5
    assert cells(state)["A0"] == (0, 0)
    assert cells(state)["A2"] == (0, 1)


def test_km_40_territory_can_be_moved_onto(implementation):
    """KM-40: enemy territory as well as own."""
    for letter in "ab":
        state = implementation.parse(f"""
            A{letter}
            agents: A0@0,0
        """)
        assert play(state, "A0 MOVE 1,0") == [0]
        assert rows(state) == ["AA"]


# -- rulings on a turn ------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [2, 3, 4])
def test_km_r2_two_to_four_players(implementation, count):
    """KM-R2"""
    state = implementation.new(width=4, height=1, n_players=count, n_agents=1, total_turns=2)
    state.apply([FIRST_PUT + p for p in range(count)])
    assert rows(state) == ["ABCD"[:count] + "." * (4 - count)]
    assert len(state.returns()) == len(state.scores()) == count


@pytest.mark.parametrize(
    ("action", "code"),
    [
        ("A0 PUT 3,0", 5), ("A1 MOVE 1,0", 5), ("A1 REMOVE 1,0", 5), ("A0 MOVE 2,0", 5), ("A0 MOVE 0,0", 5),
        ("A0 REMOVE 0,0", 5), ("A0 REMOVE 2,0", 5), ("A0 REMOVE 0,-1", 5), ("A2 STAY", 4), ("A-1 MOVE 1,0", 4),
    ],
)  # fmt: skip
def test_km_r3_what_contradicts_an_action_is_invalid(implementation, action, code):
    """KM-R3: and a nonexistent agent has code 4; each raises by default."""
    start = """
        A.B.
        agents: A0@0,0 A1@unplaced
    """
    state = implementation.parse(start)
    with pytest.raises(IllegalActionError):
        play(state, action, on_illegal="raise")
    assert str(state) == str(implementation.parse(start))
    assert play(state, action) == [code]
    assert rows(state) == ["A.B."]


def test_km_r4_validity_is_that_of_the_start_of_the_turn(implementation):
    """KM-R4: a wall removed in this turn still forbids the MOVE; a wall can be removed only once."""
    state = implementation.parse("""
        A.
        B.
        A.
        agents: A0@0,0 A1@0,2
    """)
    assert play(state, "A0 MOVE 0,1; A1 REMOVE 0,1") == [2, 0]
    assert play(state, "A0 MOVE 0,1") == [0]


def test_km_r7_remove_takes_part_in_conflicts(implementation):
    """KM-R7: with MOVE, PUT and REMOVE, of any team."""
    start = """
        AAB
        agents: A0@0,0 A1@unplaced B0@2,0
    """
    for turn in ("A0 MOVE 1,0; B0 REMOVE 1,0", "A0 REMOVE 1,0; B0 REMOVE 1,0", "A0 REMOVE 1,0; A1 PUT 1,0"):
        state = implementation.parse(start)
        assert play(state, turn, on_illegal="raise") == [1, 1]
        assert rows(state) == ["AAB"]


@pytest.mark.parametrize("own", ["A1 STAY", "", "A1 REMOVE 2,0", "A1 REMOVE 2,1", "A1 MOVE 2,0", "A1 PUT 2,1"])
def test_km_r8_every_placed_agent_that_does_not_leave_blocks(implementation, own):
    """KM-R8: an agent that stays, idles, removes or is invalid blocks MOVE, PUT and REMOVE of its cell."""
    start = """
        AAB
        ...
        agents: A0@0,0 A1@1,0 A2@unplaced B0@2,0
    """
    for other in ("A0 MOVE 1,0", "A2 PUT 1,0", "B0 REMOVE 1,0"):
        state = implementation.parse(start)
        assert play(state, f"{other}; {own}")[0] == 2
        assert cells(state)["A1"] == (1, 0)
        assert rows(state)[0][:2] == "AA"


def test_km_r9_a_blocked_chain_stops_to_its_end(implementation):
    """KM-R9: by the least fixpoint, in any order of entries."""
    moves = ["A0 MOVE 1,0", "A1 MOVE 2,0", "A2 MOVE 3,0", "A3 MOVE 4,0"]
    for order in itertools.permutations(moves):
        state = implementation.parse("""
            AAAAA.
            agents: A0@0,0 A1@1,0 A2@2,0 A3@3,0 A4@4,0
        """)
        assert play(state, "; ".join(order)) == [2, 2, 2, 2]
        state = implementation.parse("""
            AAAAA.
            agents: A0@0,0 A1@1,0 A2@2,0 A3@3,0 A4@4,0
        """)
        assert play(state, "; ".join([*order, "A4 MOVE 5,0"])) == [0] * 5
        assert cells(state) == {f"A{a}": (a + 1, 0) for a in range(5)}


def test_km_r10_swaps_and_rotations_succeed_whole_or_not_at_all(implementation):
    """KM-R10: a ring of eight agents turns; one void member stops it."""
    ring = [(0, 0), (1, 0), (2, 0), (2, 1), (2, 2), (1, 2), (0, 2), (0, 1)]
    start = "AAA.\nA.A.\nAAA.\nagents: " + " ".join(f"A{a}@{x},{y}" for a, (x, y) in enumerate(ring))
    turn = [f"A{a} MOVE {ring[(a + 1) % 8][0]},{ring[(a + 1) % 8][1]}" for a in range(8)]
    state = implementation.parse(start)
    assert play(state, "; ".join(turn)) == [0] * 8
    assert cells(state) == {f"A{a}": ring[(a + 1) % 8] for a in range(8)}
    state = implementation.parse(start + " B0@unplaced")
    assert play(state, "; ".join([*turn[:3], "A3 STAY", *turn[4:]])) == [2, 2, 2, 0, 2, 2, 2, 2]
    assert cells(state) == {f"A{a}": ring[a] for a in range(8)}
    state = implementation.parse("AA\nagents: A0@0,0 A1@1,0")
    assert play(state, "A0 MOVE 1,0; A1 MOVE 0,0") == [0, 0]
    assert cells(state) == {"A0": (1, 0), "A1": (0, 0)}


def test_km_r11_own_walls_may_be_removed(implementation):
    """KM-R11"""
    state = implementation.parse("AA\nagents: A0@0,0")
    assert play(state, "A0 REMOVE 1,0", on_illegal="raise") == [0]
    assert rows(state) == ["A."]


def test_km_r12_a_put_is_treated_like_a_move(implementation):
    """KM-R12: allowed into the cell of a team mate that leaves; a blocked team mate blocks it. [KM-R9]"""
    start = """
        A.B
        agents: A0@0,0 A1@unplaced B0@2,0
    """
    state = implementation.parse(start)
    assert play(state, "A1 PUT 0,0; A0 MOVE 1,0") == [0, 0]
    assert cells(state) == {"A0": (1, 0), "A1": (0, 0), "B0": (2, 0)}
    state = implementation.parse(start)
    assert play(state, "A1 PUT 0,0; A0 MOVE 1,0; B0 MOVE 1,0") == [2, 1, 1]


def test_km_55_after_a_turn_everybody_sees_what_all_did_and_what_came_of_it(implementation):
    """KM-55, section 9: a failed move does not change the board, but all players see it."""
    start = implementation.parse("""
        A.B
        ...
        agents: A0@0,0 A1@unplaced
        agents: B0@2,0
    """)
    assert start.events() == []
    codes, lists = start.clone(), start.clone()
    codes.apply([FIRST_MOVE + 2, 0, FIRST_MOVE + 6, FIRST_PUT + 5])
    lists.apply_lists([[(0, "MOVE", 1, 0), (1, "STAY", 0, 0)], [(1, "PUT", 2, 1), (0, "MOVE", 1, 0)]])
    told = [
        {"player": 0, "event": "action", "agent": 0, "action": FIRST_MOVE + 2, "result": 1},
        {"player": 1, "event": "action", "agent": 0, "action": FIRST_MOVE + 6, "result": 1},
        {"player": 1, "event": "action", "agent": 1, "action": FIRST_PUT + 5, "result": 0},
    ]
    for state in (codes, lists, lists.clone()):
        assert state.events() == state.events(0) == state.events(1) == told
    lists.apply_lists([[(0, "MOVE", 0, 1), (0, "STAY", 0, 0), (9, "PUT", 0, 0)], [(0, "MOVE", 2, -1)]], "fallback")
    assert lists.events(1) == [
        {"player": 0, "event": "action", "agent": 0, "action": 0, "result": 3},
        {"player": 1, "event": "action", "agent": 0, "action": 0, "result": 5},
    ]
    with pytest.raises(ValueError, match="player"):
        lists.events(2)


def test_km_r21_a_missing_submission_is_all_stay(implementation):
    """KM-R21 KM-56: empty lists; stored actions are tested with the server."""
    state = implementation.parse("""
        A.B
        agents: A0@0,0 B0@2,0
    """)
    assert state.apply_lists([[], []], on_illegal="raise") == [[], []]
    assert rows(state) == ["A.B"]
    assert state.played == 1


def test_km_r27_the_order_of_entries_is_irrelevant(implementation):
    """KM-R27 KM-55: so are the order of players and the order of removing and moving."""
    start = """
        BAA.
        .AB.
        agents: A0@1,0 A1@1,1 A2@2,0 B0@0,0 B1@2,1
    """
    turn = ["A0 MOVE 1,1", "A1 MOVE 0,1", "A2 REMOVE 1,0", "B0 REMOVE 1,0", "B1 MOVE 3,0"]
    outcomes = set()
    for order in itertools.permutations(turn):
        state = implementation.parse(start)
        codes = play(state, "; ".join(order))
        outcomes.add((str(state), tuple(sorted(zip(order, codes, strict=True)))))
    assert len(outcomes) == 1
    assert outcomes.pop()[1] == tuple(zip(sorted(turn), [0, 0, 1, 1, 0], strict=True))


def test_km_r32_the_occupant_is_no_party_to_the_action_it_blocks(implementation):
    """KM-R32: its own REMOVE depends only on its own target."""
    state = implementation.parse("""
        AAB
        agents: A0@0,0 A1@1,0
    """)
    assert play(state, "A0 MOVE 1,0; A1 REMOVE 2,0") == [2, 0]
    assert rows(state) == ["AA."]


# -- territory --------------------------------------------------------------------------------------


def close(implementation, drawing, turn="", **fields):
    """Return the rows after a turn on the drawn position."""
    state = implementation.parse(drawing, **fields)
    assert set(play(state, turn)) <= {0}
    return rows(state)


def test_km_37_territory_is_what_connected_walls_enclose(implementation):
    """KM-37 KM-38 KM-R17: connected up, down, left and right; neither a diagonal nor the edge closes a ring."""
    assert close(implementation, "AAAA\nA..A\nAAAA") == ["AAAA", "AaaA", "AAAA"]
    assert close(implementation, ".AA.\nA..A\nAAAA") == [".AA.", "A..A", "AAAA"]
    assert close(implementation, "....\nAAAA") == ["....", "AAAA"]
    assert close(implementation, "A..A\nAAAA") == ["A..A", "AAAA"]


def test_km_38_walls_of_two_teams_enclose_nothing_together(implementation):
    """KM-38 KM-R17: each player encloses only with its own walls."""
    assert close(implementation, "AAB\nA.B\nAAB") == ["AAB", "A.B", "AAB"]


def test_km_39_territory_stays_when_the_wall_is_gone(implementation):
    """KM-39 KM-R16: until a player encloses it or a wall is built on it."""
    start = """
        AAAB.
        AaAB.
        AAAB.
        agents: A0@0,0 B0@3,1
    """
    state = implementation.parse(start)
    assert play(state, "B0 REMOVE 2,1; A0 REMOVE 1,0") == [0, 0]
    assert play(state, "B0 REMOVE 2,0; A0 REMOVE 0,1") == [0, 0]
    assert rows(state)[1] == ".a.B."
    assert play(state, "B0 MOVE 2,1") == [0]
    assert play(state, "B0 MOVE 1,1") == [0]
    assert rows(state)[1] == ".BBB."


def test_km_41_an_enemy_wall_inside_is_not_own_territory(implementation):
    """KM-41: only its cell is excluded."""
    assert close(implementation, "AAAAA\nA.B.A\nA...A\nAAAAA") == ["AAAAA", "AaBaA", "AaaaA", "AAAAA"]


def test_km_42_nested_territory_is_the_innermost_encloser_s(implementation):
    """KM-42 KM-R14: three levels of three teams."""
    drawing = """
        AAAAAAAAA
        A.......A
        A.BBBBB.A
        A.B...B.A
        A.B.C.B.A
        A.B...B.A
        A.BBBBB.A
        A.......A
        AAAAAAAAA
    """
    assert close(implementation, drawing)[3:6] == ["AaBbbbBaA", "AaBbCbBaA", "AaBbbbBaA"]
    nested = """
        AAAAAAAAA
        ABBBBBBBA
        AB.....BA
        AB.CCC.BA
        AB.C.C.BA
        AB.CCC.BA
        AB.....BA
        ABBBBBBBA
        AAAAAAAAA
    """
    assert close(implementation, nested)[2:5] == ["ABbbbbbBA", "ABbCCCbBA", "ABbCcCbBA"]


def test_km_43_an_enemy_ring_that_fills_the_inside_leaves_no_territory(implementation):
    """KM-43"""
    state = implementation.parse("AAAAA\nABBBA\nAB.BA\nABBBA\nAAAAA")
    play(state, "")
    assert list(state.territory_points) == [0, 1]


def test_km_44_a_broken_inner_wall_gives_all_to_the_outer_encloser(implementation):
    """KM-44 KM-R15: the removed cell and the former inner territory."""
    drawing = """
        AAAAA
        ABBBA
        ABbBA
        ABBBA
        AAAAA
        agents: A0@0,1
    """
    assert close(implementation, drawing, "A0 REMOVE 1,2")[1:4] == ["ABBBA", "AaaBA", "ABBBA"]


def test_km_r15_old_territory_goes_to_whoever_encloses_it(implementation):
    """KM-R15: territory newly enclosed by A becomes A's; cells that nobody encloses keep their owner. [KM-R16]"""
    drawing = """
        AAAb
        AbAb
        A.Ab
        agents: A0@0,2
    """
    assert close(implementation, drawing, "A0 MOVE 1,2") == ["AAAb", "AaAb", "AAAb"]


def test_km_r16_territory_never_turns_neutral_by_itself(implementation):
    """KM-R16"""
    state = implementation.parse("a.b\n.c.\nagents: A0@unplaced")
    for _ in range(5):
        play(state, "")
        assert rows(state) == ["a.b", ".c."]


def test_km_r18_enclosure_is_computed_once_on_the_final_walls(implementation):
    """KM-R18: a ring closed and opened in one turn encloses nothing."""
    drawing = """
        AA..
        A.AB
        AAAB
        agents: A0@1,0 B0@3,1
    """
    assert close(implementation, drawing, "A0 MOVE 2,0; B0 REMOVE 2,2") == ["AAA.", "A.AB", "AA.B"]


def test_km_r33_an_intact_second_ring_keeps_the_inside(implementation):
    """KM-R33: a removed wall of a thick ring leaves its cell to the innermost encloser."""
    drawing = """
        AAAAAAA
        ABBBBBA
        ABBBBBA
        ABBbBBA
        ABBBBBA
        ABBBBBA
        AAAAAAA
        agents: A0@0,0
    """
    assert close(implementation, drawing, "A0 REMOVE 1,1")[1:4] == ["AaBBBBA", "ABBBBBA", "ABBbBBA"]


def test_km_48_one_wall_can_gain_more_by_what_it_encloses(implementation):
    """KM-48: a move to a 3-point cell gains 31, 28 of them from territory."""
    state = implementation.parse(
        """
        AAAA
        A..A
        A...
        AAAA
        agents: A0@2,3
        """,
        points=[0, 0, 0, 0, 0, 9, -8, 0, 0, -1, 10, 3, 0, 0, 0, 0],
    )
    before = list(state.scores())
    assert play(state, "A0 MOVE 3,2") == [0]
    assert state.scores()[0] - before[0] == 31
    assert list(state.territory_points) == [28, 0]


# -- scores and the end -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("drawing", "points", "returns"),
    [
        ("AB", [5, 4], [1, -1]),  # KM-49
        ("AB", [4, 5], [-1, 1]),
        ("Aab", [-4, 9, 5], [0, 0]),  # decided by the wall points below
        ("AB", [4, 4], [0, 0]),  # KM-51
        ("ABC", [4, 4, 5], [-1, -1, 1]),
        ("ABC", [4, 4, 4], [0, 0, 0]),
        ("ABC", [5, 4, 5], [0, -1, 0]),
        ("ABCD", [1, 2, 3, 3], [-1, -1, 0, 0]),
        ("ABCD", [-1, -2, -3, -1], [0, -1, -1, 0]),
    ],
)
def test_km_49_the_higher_total_wins(implementation, drawing, points, returns):
    """KM-49 KM-51 KM-R22 KM-58: sole leader 1, tied leaders 0, the rest -1; all 0 before the end."""
    if drawing == "Aab":
        returns = [-1, 1]  # KM-50: 5 and 5, but walls -4 and 0
    state = implementation.parse(drawing, points=points, total_turns=2)
    play(state, "")
    assert list(state.returns()) == [0] * len(returns)
    play(state, "")
    assert list(state.returns()) == returns


def test_km_50_among_equal_totals_more_wall_points_win(implementation):
    """KM-50"""
    state = implementation.parse("AaB", points=[2, 3, 5], total_turns=1)
    play(state, "")
    assert list(state.scores()) == [5, 5]
    assert list(state.returns()) == [-1, 1]


def test_km_57_turn_follows_turn_to_the_set_number(implementation):
    """KM-57 KM-58 KM-R26: then the game is over, and the turn number stays."""
    state = implementation.new(width=3, height=1, n_agents=1, total_turns=3)
    turns = []
    while not state.is_terminal():
        turns.append((state.played, state.turn))
        state.apply([0, 0])
    assert turns == [(0, 1), (1, 2), (2, 3)]
    assert (state.played, state.turn) == (3, 3)
    assert list(state.slots) == []
    assert state.current_player == -2
    assert list(state.legal_actions(0)) == []
    assert not any(state.legal_mask(1))
    before = state.to_dict()
    for act in (lambda: state.apply([0, 0]), lambda: state.apply_lists([[], []], on_illegal="fallback")):
        with pytest.raises(GameOverError):
            act()
    assert state.to_dict() == before


def test_km_r22_unplaced_agents_have_no_effect(implementation):
    """KM-R22: a 1x1 game in which both always put on the only cell is a draw."""
    state = implementation.new(width=1, height=1, n_agents=16, total_turns=4)
    while not state.is_terminal():
        assert play(state, "A0 PUT 0,0; B15 PUT 0,0") == [1, 1]
    assert list(state.returns()) == [0, 0]


def test_km_r25_looking_ahead_on_a_clone_changes_nothing(implementation):
    """KM-R25: a clone can try what a dry run checks; the server's dry run is tested with the server."""
    state = implementation.parse("A.B\nagents: A0@0,0 B0@2,0")
    before = state.to_dict()
    twin = state.clone()
    assert play(twin, "A0 MOVE 1,0") == [0]
    assert state.to_dict() == before
    assert list(state.results) == [0, 0]
    assert list(twin.results) == [0, 0]
    assert rows(twin) == ["AAB"]


def test_km_r24_the_first_turn_is_played_from_the_start_position(implementation):
    """KM-R24 KM-54: actions sent before the start count for turn 1; their timing is tested with the server."""
    state = implementation.new(width=2, height=1, n_agents=1, total_turns=1)
    assert state.turn == 1
    assert play(state, "A0 PUT 0,0; B0 PUT 1,0") == [0, 0]
    assert rows(state) == ["AB"]


# -- the forms of input -----------------------------------------------------------------------------


def test_void_actions_equal_stay_in_array_form(implementation):
    """Section 6: with "fallback" an invalid code is played as STAY and keeps its result code."""
    state = implementation.parse("""
        AB.
        agents: A0@0,0 B0@1,0
    """)
    codes = [FIRST_MOVE + EAST, FIRST_MOVE + NORTH]
    with pytest.raises(IllegalActionError, match=str(codes[0])):
        state.apply(codes)
    state.apply(codes, on_illegal="fallback")
    assert list(state.results) == [2, 5]
    assert rows(state) == ["AB."]
    assert state.played == 1


@pytest.mark.parametrize("code", [-1, FIRST_PUT + 3, 10**6])
def test_a_code_out_of_range_always_raises(implementation, code):
    state = implementation.parse("AB.\nagents: A0@0,0 B0@1,0")
    before = state.to_dict()
    for on_illegal in ("raise", "fallback"):
        with pytest.raises(IllegalActionError, match=str(code)):
            state.apply([0, code], on_illegal=on_illegal)
    assert state.to_dict() == before


def test_the_error_names_player_agent_and_action(implementation):
    state = implementation.parse("AB.\nagents: A0@0,0 B0@1,0", n_agents=3)
    for act in (
        lambda: state.apply([0, 0, 0, 0, FIRST_REMOVE + WEST, 0]),
        lambda: play(state, "A0 STAY; B1 REMOVE 9,8", on_illegal="raise"),
    ):
        with pytest.raises(IllegalActionError) as caught:
            act()
        message = str(caught.value)
        assert "player 1" in message
        assert "agent 1" in message
        assert str(FIRST_REMOVE + WEST) in message or "REMOVE" in message
        assert "AB." in message


def test_no_conflict_or_block_ever_raises(implementation):
    """Section 6: only actions that are invalid by themselves raise."""
    state = implementation.parse("""
        AA.B
        agents: A0@0,0 A1@1,0 B0@3,0
    """)
    assert play(state, "A0 MOVE 1,0; A1 MOVE 2,0; B0 MOVE 2,0", on_illegal="raise") == [2, 1, 1]


BAD_LISTS = [
    None, 5, "ab", [], [[]], [[], [], []], {0: [], 1: []}, [[], None], [[], 5], [[], "STAY"],
    [[], [None]], [[], [()]], [[], [(0, "STAY", 0)]], [[], [(0, "STAY", 0, 0, 0)]], [[], ["STAY"]],
    [[], [(0, "stay", 0, 0)]], [[], [(0, "NONE", 0, 0)]], [[], [(0, 1, 0, 0)]], [[], [(0, None, 0, 0)]],
    [[], [("0", "STAY", 0, 0)]], [[], [(0, "PUT", 0.0, 0)]], [[], [(0, "PUT", 0, None)]],
    [[], [(True, "STAY", 0, 0)]], [[], [(0, "PUT", False, 0)]], [[], [(0, ["PUT"], 0, 0)]],
]  # fmt: skip


@pytest.mark.parametrize("lists", BAD_LISTS, ids=repr)
def test_malformed_lists_are_refused_before_anything_else(implementation, lists):
    """Section 6: also at the end of the game and with "fallback"."""
    state = implementation.parse("AB.\nagents: A0@0,0 B0@1,0", total_turns=1)
    for _ in range(2):
        before = str(state)
        for on_illegal in ("raise", "fallback"):
            with pytest.raises(ValueError, match="lists") as caught:
                state.apply_lists(lists, on_illegal=on_illegal)
            assert not isinstance(caught.value, IllegalActionError)
        assert str(state) == before
        if not state.is_terminal():
            state.apply([0, 0])


@pytest.mark.parametrize("on_illegal", ["stay", "", None, 1])
def test_on_illegal_is_raise_or_fallback(implementation, on_illegal):
    state = implementation.new(width=2, height=2, n_agents=1)
    for act in (
        lambda: state.apply([0, 0], on_illegal=on_illegal),
        lambda: state.apply_lists([[], []], on_illegal=on_illegal),
    ):
        with pytest.raises(ValueError, match="on_illegal"):
            act()


def test_lists_and_codes_of_a_turn_do_the_same(implementation):
    state = implementation.parse("""
        AA.B
        ....
        agents: A0@0,0 A1@unplaced B0@3,0
    """)
    other = state.clone()
    codes = play(state, "A0 MOVE 0,1; A1 PUT 0,0; B0 REMOVE 2,0")
    other.apply([FIRST_MOVE + SOUTH, FIRST_PUT, FIRST_REMOVE + WEST, 0], on_illegal="fallback")
    assert list(other.results) == list(state.results) == [*codes, 0]
    assert other.to_dict() == state.to_dict()


def test_entries_reads_what_the_tests_write():
    assert entries("A0 MOVE 1,-2; B15 STAY") == [(0, (0, "MOVE", 1, -2)), (1, (15, "STAY", 0, 0))]
