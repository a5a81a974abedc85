"""Every clause and ruling of the rule book, drawn as positions, on both implementations."""

import numpy as np
import pytest

from masume.chaser.notation import CODES, LOOK, PUT, SEARCH, WALK
from masume.errors import GameOverError

from .conftest import draw_map, lines, play, positions, read_info, result, rows

COOL, HOT, DRAW = range(3)
NONE, ATTACK, TRAPPED, COLLISION, CONFINED, FOUL, SCORE = range(7)
UP, RIGHT, LEFT, DOWN = range(4)

OPEN = """
    .......
    .......
    ..C....
    .......
    ......H
"""


def info_of(state, code):
    (info,) = play(state, code)
    return info


# -- players, turns and the field -------------------------------------------------------------------


def test_ch_1_ch_10_a_game_is_between_two_players(implementation):
    """CH-1 CH-2 CH-10: COOL and HOT decide; only servers are concerned with programs."""
    state = implementation.start(OPEN)
    assert list(state.slots) == [COOL]
    assert len(state.scores()) == len(state.returns()) == 2
    for player in (-1, 2):
        with pytest.raises(ValueError, match="player"):
            state.information_state(player)


def test_ch_3_ch_4_cool_moves_first_and_then_in_turn(implementation):
    """CH-3 CH-4 CH-11 CH-R2: the side decides who is first; the rules do not know connections."""
    state = implementation.start(OPEN)
    for half in range(8):
        assert state.current_player == half % 2
        assert list(state.slots) == [half % 2]
        assert state.to_dict()["half"] == half
        play(state, "lu")


def test_ch_5_a_turn_is_ready_method_info(implementation):
    """CH-5 CH-8 CH-22 CH-23: the ready info comes automatically at the start of a turn; a method is one action."""
    state = implementation.start(OPEN)
    assert [event["event"] for event in state.events(COOL)] == ["ready"]
    assert state.events(HOT) == []
    play(state, "wr")
    assert [event["event"] for event in state.events(COOL)] == ["action", "method"]
    assert [event["event"] for event in state.events(HOT)] == ["ready"]
    assert state.events(HOT) == [{"player": HOT, "event": "ready", "info": "1002002222"}]
    assert state.events() == [
        {"player": COOL, "event": "action", "action": "wr"},
        {"player": COOL, "event": "method", "info": "1000000000"},
        {"player": HOT, "event": "ready", "info": "1002002222"},
    ]


def test_ch_r23_sixteen_methods_and_no_pass(implementation):
    """CH-8 CH-R23: every method is legal in every ongoing state, and none in a finished one."""
    state = implementation.start("C.H", turn_limit=1)
    assert list(state.legal_actions()) == list(range(16))
    assert list(state.legal_mask()) == [1] * 16
    play(state, "lu lu")
    assert state.is_terminal()
    assert list(state.legal_actions()) == []
    assert list(state.legal_mask()) == [0] * 16
    with pytest.raises(GameOverError):
        state.apply(0)


def test_ch_25_ch_45_the_codes_of_the_methods(implementation):
    """CH-25 CH-45: walk, look, search, put by up, right, left, down; 4 * kind + direction."""
    assert " ".join(CODES) == "wu wr wl wd lu lr ll ld su sr sl sd pu pr pl pd"
    state = implementation.start(OPEN)
    for action, code in enumerate(CODES):
        assert state.action_to_text(action) == code
        assert state.text_to_action(code) == action
    for bad in (-1, 16):
        with pytest.raises(ValueError, match="action"):
            state.action_to_text(bad)
    for bad in ("WU", "w", "wux", "gr", "", "0"):
        with pytest.raises(ValueError, match="expected one of wu"):
            state.text_to_action(bad)


def test_ch_13_the_default_field(implementation):
    """CH-6 CH-13 CH-R1: 15 rows of 17 columns; the sizes of the contests are presets."""
    for preset, size in (("standard", (15, 17)), ("contest", (17, 15)), ("wide", (17, 21))):
        variables = implementation.new(preset=preset).to_dict()
        assert (variables["height"], variables["width"]) == size
        assert len(variables["cells"]) == size[0] * size[1]
    assert len(rows(implementation.new())) == 15


def test_ch_r1_rows_come_before_columns(implementation):
    """CH-R1: height is vertical; the field is not square."""
    state = implementation.start("""
        C....
        ....H
    """)
    assert info_of(state, "sr") == "1000022222"
    assert info_of(state, "su") == "1022222222"


def test_ch_14_generated_maps_are_point_symmetric(implementation):
    """CH-14 CH-R20 CH-R21: cells and starts are symmetric; blocks and items are as many as configured."""
    for fields in ({}, {"height": 9, "width": 6, "n_blocks": 6, "n_items": 8}, {"preset": "contest", "n_items": 51}):
        for seed in range(20):
            state = implementation.new(seed, **fields)
            variables = state.to_dict()
            assert variables["cells"] == variables["cells"][::-1]
            (row, column), (other_row, other_column) = positions(state)
            assert (row + other_row, column + other_column) == (variables["height"] - 1, variables["width"] - 1)
            assert variables["cells"].count(2) == fields.get("n_blocks", 20)
            assert variables["cells"].count(3) == fields.get("n_items", 50)
            width = variables["width"]
            for r, c in positions(state):
                near = [(r, c), (r - 1, c), (r + 1, c), (r, c - 1), (r, c + 1)]
                inside = [(y, x) for y, x in near if 0 <= y < variables["height"] and 0 <= x < width]
                assert all(variables["cells"][y * width + x] == 0 for y, x in inside)


# -- infos ------------------------------------------------------------------------------------------


def test_ch_34_ch_35_infos_are_ten_digits(implementation):
    """CH-7 CH-34 CH-35 CH-44 CH-46: 1 while the game is ongoing, then nine cells of 0 to 3."""
    state = implementation.start("""
        *#.
        .C.
        ..H
    """)
    assert read_info(state, COOL, "ready") == "1320000001"
    assert info_of(state, "lu") == "1222222320"
    assert read_info(state, HOT, "ready") == "1102002222"


def test_ch_36_ch_37_the_nine_cells_and_their_digits(implementation):
    """CH-9 CH-36 CH-37 CH-38: row by row; the fifth is the own cell; COOL and HOT are treated equally."""
    cool = implementation.start("""
        #....
        .*C..
        ..H#.
    """)
    assert read_info(cool, COOL, "ready") == "1000300012"
    hot = implementation.start("""
        #....
        .*H..
        ..C#.
    """)
    play(hot, "ld")
    assert read_info(hot, HOT, "ready") == read_info(cool, COOL, "ready")


def test_ch_r15_the_outside_reads_2_and_the_opponent_hides_the_cell(implementation):
    """CH-R15: outside 2, else opponent 1, else the cell; the own cell is 0 in play and 1 when shared."""
    state = implementation.start("""
        CH.
        ...
    """)
    assert read_info(state, COOL, "ready") == "1222201200"
    assert info_of(state, "wr") == "1222010000"
    assert read_info(state, HOT, "ready") == "1222010000"


def test_ch_r15_a_buried_opponent_still_reads_1_and_the_own_block_2(implementation):
    """CH-R15"""
    state = implementation.start("CH.")
    assert info_of(state, "pr") == "0222201222"
    assert read_info(state, HOT, "end") == "0222120222"


@pytest.mark.parametrize(
    ("code", "place", "info"),
    [
        ("wu", (1, 2), "1000200000"),
        ("wr", (2, 3), "1000000003"),
        ("wl", (2, 1), "1020000000"),
        ("wd", (3, 2), "1000000000"),
    ],
)
def test_ch_27_ch_28_the_info_after_walk_is_of_the_new_place(implementation, code, place, info):
    """CH-27 CH-28 in each direction."""
    state = implementation.start("""
        .......
        .#.....
        ..C....
        ....*..
        ......H
    """)
    assert info_of(state, code) == info
    assert positions(state)[COOL] == place


@pytest.mark.parametrize(("code", "centre"), [("lu", (2, 4)), ("lr", (4, 6)), ("ll", (4, 2)), ("ld", (6, 4))])
def test_ch_29_ch_30_look_is_a_square_two_cells_away(implementation, code, centre):
    """CH-26 CH-29 CH-30 CH-R14 CH-R19: 3 x 3, row by row in every direction; looking changes nothing."""
    cells = [list("." * 9) for _ in range(9)]
    cells[4][4], cells[8][8] = "C", "H"
    for n in range(9):  # an item on each cell in turn appears in each digit in turn
        drawn = [list(row) for row in cells]
        row, column = centre[0] + n // 3 - 1, centre[1] + n % 3 - 1
        drawn[row][column] = "*"
        state = implementation.start(["".join(row) for row in drawn])
        assert info_of(state, code) == "1" + "0" * n + "3" + "0" * (8 - n)
        assert rows(state) == ["".join(row) for row in drawn]


@pytest.mark.parametrize(("code", "step"), [("su", (-1, 0)), ("sr", (0, 1)), ("sl", (0, -1)), ("sd", (1, 0))])
def test_ch_31_search_is_a_line_of_nine_cells(implementation, code, step):
    """CH-26 CH-31 CH-R14: the nearest first, in all four directions."""
    for n in range(1, 11):
        drawn = [list("." * 21) for _ in range(21)]
        drawn[10][10], drawn[0][0] = "C", "H"
        drawn[10 + n * step[0]][10 + n * step[1]] = "*"
        state = implementation.start(["".join(row) for row in drawn])
        assert info_of(state, code) == "1" + "".join("3" if k == n else "0" for k in range(1, 10))


def test_ch_r16_blocks_hide_nothing(implementation):
    """CH-R16: search and look see through blocks."""
    state = implementation.start("""
        C##*H.....
        ..........
    """)
    assert info_of(state, "sr") == "1223100000"


def test_ch_33_the_info_after_put_is_taken_after_placing(implementation):
    """CH-32 CH-33 in each direction."""
    for direction, digit in ((UP, 2), (RIGHT, 6), (LEFT, 4), (DOWN, 8)):
        state = implementation.start(OPEN)
        info = info_of(state, CODES[4 * PUT + direction])
        assert info == "1" + "".join("2" if k == digit else "0" for k in range(1, 10))
        assert "".join(rows(state)).count("#") == 1


# -- walking and items ------------------------------------------------------------------------------


def test_ch_15_the_cell_one_came_from_turns_into_a_block(implementation):
    """CH-15 CH-R5: and the count grows by one; only walking takes items."""
    state = implementation.start("""
        .C*..
        ....H
    """)
    play(state, "wr wl wr wl")
    assert rows(state) == lines("""
        .#.C.
        ..H..
    """)
    assert list(state.scores()) == [1, 0]


def test_ch_r6_the_cell_turns_into_a_block_under_the_opponent_too(implementation):
    """CH-R6: this is an attack."""
    state = implementation.start("""
        .CH*
        ....
    """)
    play(state, "wr lu wr")
    assert result(state) == (COOL, ATTACK)


def test_ch_r7_walking_onto_the_opponent(implementation):
    """CH-R7: nothing happens; both are on the cell and may continue."""
    state = implementation.start("""
        .CH.
        ....
    """)
    play(state, "wr")
    assert rows(state)[0] == "..B."
    assert positions(state) == [(0, 2), (0, 2)]
    assert not state.is_terminal()
    play(state, "wd wr")
    assert positions(state) == [(0, 3), (1, 2)]


@pytest.mark.parametrize("code", ["wu", "wl"])
def test_ch_19_ch_r10_walking_off_the_field(implementation, code):
    """CH-19 CH-R10: the player is moved one step outside and loses."""
    state = implementation.start("""
        C..
        ..H
    """)
    play(state, code)
    assert result(state) == (HOT, COLLISION)
    assert positions(state)[COOL] == ((-1, 0) if code == "wu" else (0, -1))
    assert list(state.returns()) == [-1, 1]
    state.check()


@pytest.mark.parametrize(("code", "place", "info"), [("wr", (1, 3), "0022022222"), ("wd", (2, 2), "0002222222")])
def test_ch_r10_the_last_row_and_column_do_not_wrap(implementation, code, place, info):
    """CH-R10"""
    state = implementation.start("""
        H..
        ..C
    """)
    assert info_of(state, code) == info
    assert result(state) == (HOT, COLLISION)
    assert positions(state)[COOL] == place


def test_ch_19_walking_into_a_block(implementation):
    """CH-19: the walker is on the block and reads 2 there."""
    state = implementation.start("""
        C#.
        ..H
    """)
    assert info_of(state, "wr") == "0222020001"
    assert result(state) == (HOT, COLLISION)
    assert positions(state)[COOL] == (0, 1)


# -- put --------------------------------------------------------------------------------------------


def test_ch_17_ch_r13_a_block_on_the_opponent(implementation):
    """CH-17 CH-R13: the block is placed, and the opponent has lost."""
    state = implementation.start("CH.")
    play(state, "pr")
    assert rows(state) == ["C#."]
    assert result(state) == (COOL, ATTACK)
    assert list(state.returns()) == [1, -1]


def test_ch_r11_put_outside_the_field_uses_the_turn(implementation):
    """CH-R11"""
    state = implementation.start("C.H")
    before = state.to_dict()
    play(state, "pu")
    assert state.to_dict() == before | {"half": 1}


def test_ch_r12_put_on_an_item_destroys_it(implementation):
    """CH-R12: nobody scores; on a block it changes nothing."""
    state = implementation.start("""
        C*.
        ..H
    """)
    play(state, "pr lu pr")
    assert rows(state)[0] == "C#."
    assert list(state.scores()) == [0, 0]
    assert not state.is_terminal()


# -- losing -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("drawn", "code"),
    [
        ("..#.. .#H.C ..#..", "pl"),
        ("H#. .C. ...", "pl"),
    ],
)
def test_ch_18_closing_the_opponents_four_sides(implementation, drawn, code):
    """CH-18 CH-R8: the edge counts as a block."""
    state = implementation.start(drawn.split())
    play(state, code)
    assert result(state) == (COOL, TRAPPED)
    assert read_info(state, HOT, "end").startswith("0")


def test_ch_r8_an_opponent_on_a_side_is_no_block(implementation):
    """CH-R8: nor are diagonals sides."""
    state = implementation.start("""
        #.#..
        .C.#.
        #.#..
        ....H
    """)
    play(state, "lu lu pu lu pl lu")
    assert not state.is_terminal()
    beside = implementation.start("""
        .#..
        #CH.
        .#..
    """)
    play(beside, "lu")
    assert not beside.is_terminal()


def test_ch_r8_closing_oneself_in_loses(implementation):
    """CH-R8"""
    state = implementation.start("""
        .#..
        #C..
        .#.H
    """)
    play(state, "pr")
    assert result(state) == (HOT, CONFINED)


def test_ch_r8_being_closed_in_does_not_ask_by_whom(implementation):
    """CH-R8: the last block is HOT's own, the other three are COOL's."""
    state = implementation.start("""
        .....
        .C.H.
        .....
    """)
    play(state, "pu lu pl lu pd")
    assert not state.is_terminal()
    play(state, "pl")
    assert result(state) == (HOT, TRAPPED)


@pytest.mark.parametrize("mover", [COOL, HOT])
def test_ch_12_ch_r9_the_mover_wins_where_both_lose(implementation, mover):
    """CH-12 CH-R9: both closed in by one block."""
    state = implementation.start(
        lines("""
        .#.#.
        #C.H#
        .#.#.
    """)
    )
    play(state, "pr" if mover == COOL else "lu pl")
    assert result(state) == (mover, TRAPPED)


def test_ch_r9_one_buried_and_one_closed_in(implementation):
    """CH-R9: the block on the opponent closes the mover in as well."""
    state = implementation.start("""
        .#..
        #CH.
        .#..
    """)
    play(state, "pr")
    assert result(state) == (COOL, ATTACK)


# -- the end ----------------------------------------------------------------------------------------


def test_ch_16_ch_r3_more_items_at_the_turn_limit_win(implementation):
    """CH-16 CH-R3 CH-R4: the limit counts the turns of each player and is judged after HOT's last."""
    state = implementation.start(
        """
        C*..
        ...H
    """,
        turn_limit=2,
    )
    assert play(state, "wr lu lu") == ["1222200000", "1222222002", "1222222222"]
    assert not state.is_terminal()
    assert info_of(state, "lu")[0] == "0"
    assert result(state) == (COOL, SCORE)
    assert list(state.scores()) == [1, 0]


def test_ch_r3_the_default_turn_limit(implementation):
    """CH-R3"""
    state = implementation.start("C..H")
    assert state.to_dict()["turn_limit"] == 100
    for half in range(200):
        assert not state.is_terminal()
        assert state.to_dict()["half"] == half
        play(state, "lu")
    assert result(state) == (DRAW, SCORE)


def test_ch_21_ch_r18_a_draw_only_at_the_limit(implementation):
    """CH-21 CH-R18: a field without items is played to the limit."""
    state = implementation.start("C*..H", turn_limit=3)
    play(state, "wr lu lu lu")
    assert not state.is_terminal()
    assert "*" not in "".join(rows(state))
    drawn = implementation.start("C...H", turn_limit=1)
    play(drawn, "lu lu")
    assert result(drawn) == (DRAW, SCORE)
    assert list(drawn.returns()) == [0, 0]


def test_ch_r4_a_loss_by_the_last_method_comes_before_the_limit(implementation):
    """CH-R4: HOT would win by items."""
    state = implementation.start("C..*H", turn_limit=2)
    play(state, "lu wl lu wr")
    assert list(state.scores()) == [0, 1]
    assert result(state) == (COOL, COLLISION)


def test_ch_r17_every_info_after_the_end_begins_with_0(implementation):
    """CH-35 CH-48 CH-R17 CH-R27: the mover's method info and the other's end info, and no other."""
    state = implementation.start("C..H", turn_limit=1)
    play(state, "lu lr")
    assert [event["event"] for event in state.events()] == ["action", "method", "end"]
    assert read_info(state, HOT, "method") == "0222222222"
    assert read_info(state, COOL, "end") == "0222200222"
    assert state.information_state(COOL) == "C|R1222200222|Alu|M1222222222|E0222200222"


@pytest.mark.parametrize("loser", [COOL, HOT])
@pytest.mark.parametrize("half", [0, 1])
def test_ch_20_ch_r24_who_cannot_go_on_loses(implementation, loser, half):
    """CH-20 CH-24 CH-R24 CH-R25: the field is not changed; the server decides when a player cannot continue."""
    state = implementation.start("C*.H")
    play(state, " ".join(["lu"] * half))
    before = state.to_dict()
    with pytest.raises(ValueError, match="cause"):
        state.forfeit(loser, "HUNGER")
    with pytest.raises(ValueError, match="player"):
        state.forfeit(2, "FOUL")
    assert state.to_dict() == before
    state.forfeit(loser, "FOUL")
    assert state.to_dict() == before | {"winner": 1 - loser, "reason": FOUL}
    assert [event["event"] for event in state.events()] == ["end", "end"]
    assert list(state.returns()) == ([-1, 1] if loser == COOL else [1, -1])


def test_ch_r22_starts_that_decide_the_game_are_refused():
    """CH-R22: an item or a block under a player, both on one cell, one closed in."""
    for drawn in (["C#", "#H"], ["#C#", ".#H"]):
        with pytest.raises(ValueError, match="closed in"):
            draw_map(drawn)
    draw_map(["CH"])


# -- knowledge of a player --------------------------------------------------------------------------


def test_ch_r32_the_opponents_turn_is_silent(implementation):
    """CH-R32: a player learns nothing between its turns, and never the opponent's methods or items."""
    quiet, busy = (implementation.start("C.....*H") for _ in range(2))
    for state, code in ((quiet, "lu"), (busy, "wl")):
        play(state, "lu")
        play(state, code)
    assert quiet.information_state(COOL) == busy.information_state(COOL)
    assert quiet.to_dict() != busy.to_dict()
    one, other = quiet.observation(COOL), busy.observation(COOL)
    for name in one:
        assert np.array_equal(one[name], other[name]), name


def test_the_safe_mask_leaves_out_walks_into_what_reads_2(implementation):
    """Section 6, the optional convenience."""
    state = implementation.start("""
        .#...
        .C*.H
        .....
    """)
    assert list(state.safe_mask) == [0] + [1] * 15
    play(state, "wr")
    assert list(state.safe_mask) == [1, 0, 1, 1] + [1] * 12
    play(state, "wl")
    assert list(state.safe_mask) == [1, 1, 0, 1] + [1] * 12


def test_the_safe_mask_is_empty_at_the_end(implementation):
    state = implementation.start("CH.")
    play(state, "pr")
    assert list(state.safe_mask) == [0] * 16


def test_kinds_and_directions_are_numbered_as_the_rules_say():
    assert (WALK, LOOK, SEARCH, PUT) == (0, 1, 2, 3)
    assert [CODES[4 * WALK + direction] for direction in (UP, RIGHT, LEFT, DOWN)] == ["wu", "wr", "wl", "wd"]
