"""The clauses NZ-1 to NZ-58 and the rulings NZ-R1 to NZ-R28, on both implementations."""

import pytest

from masume.core.rng import Rng
from masume.errors import GameOverError, IllegalActionError, NotationError, StageError
from masume.nezumi.stages import Stage, load_shipped

from .conftest import board_counts, config_of, draw, legal, phase, play, result, rows, winner

# -- sides, stages, course of a game -----------------------------------------------------------------


def test_nz_1_nz_2_two_sides_one_cat_and_many_mice_on_a_stage(implementation):
    # [NZ-1] [NZ-2]
    """NZ-1 NZ-2"""
    state = implementation.new(stage="granary")
    assert rows(state) == [row.translate(str.maketrans("abc", "6$$")) for row in load_shipped()["granary"].rows]
    assert board_counts(state) == (0, 10)
    assert list(state.slots) == [1]
    assert (len(state.returns()), len(state.scores())) == (2, 2)


def test_nz_3_nz_21_the_sides_move_in_turn(implementation):
    """NZ-3 NZ-21 NZ-R1 NZ-R2: PLACE, then cat and mice alternate; the cat reacts to arrivals in the mice's half."""
    # [NZ-3] [NZ-21]
    state = implementation.new(stage="garden")
    assert (phase(state), state.current_player, state.to_dict()["t"]) == ("PLACE", 1, 0)
    play(state, "2,0+", "-")
    for turn in (1, 2, 3):
        assert (phase(state), state.current_player, state.to_dict()["t"]) == ("CAT1", 0, turn)
        play(state, "-")
        assert (phase(state), state.current_player) == ("ADD", 1)
        play(state, "-")
        assert (phase(state), state.current_player) == ("MOVE", 1)
        play(state, "2,0E" if turn % 2 else "2,1W")


@pytest.mark.parametrize("name", load_shipped())
def test_nz_4_nz_22_a_stage_fixes_where_everything_begins(implementation, name):
    # [NZ-4] [NZ-22]
    """NZ-4 NZ-22"""
    state = implementation.new(stage=name)
    stage, variables = load_shipped()[name], state.to_dict()
    assert variables["cat"] == stage.cat
    assert variables["food"] == list(stage.food)
    assert not any(variables["mouse"])
    assert legal(state) == {f"{n // stage.width},{n % stage.width}+" for n, zone in enumerate(stage.zone) if zone}
    state.check()


def test_nz_5_overrides_make_a_stage_easier_or_harder(implementation):
    """NZ-5: With more turns the mice pay more; with a higher quota the cat needs more captures."""
    ends = []
    for turns in (1, 2):
        state = implementation.new(stage="garden", turns=turns)
        play(state, "2,0+", "-")
        for turn in range(turns):
            play(state, "-", "-", "2,0E" if turn % 2 == 0 else "2,1W")
        ends.append((result(state), int(state.scores()[1])))
    assert ends == [("TURNS", -2), ("TURNS", -3)]


def test_nz_6_few_mice_and_few_moves_cost_less(implementation):
    """NZ-6"""
    costs = {}
    for cells in (["2,0+"], ["2,0+", "3,0+"]):
        state = implementation.new(stage="garden")
        play(state, *cells, "-")
        costs[len(cells)] = state.to_dict()["cost_sum"]
    assert costs == {1: 1, 2: 2}


# -- surround ----------------------------------------------------------------------------------------


def test_nz_7_nz_19_a_surround_wins_whatever_the_score(implementation):
    # [NZ-7] [NZ-19]
    """NZ-7 NZ-19"""
    state = implementation.draw(
        """
        M.M.
        .C..
        M..M
    """,
        cost=1000,
    )
    assert play(state, "2,3W") == "jump(11,10,0) end(SURROUND)"
    assert (winner(state), int(state.scores()[1])) == ("mice", -1000)


@pytest.mark.parametrize(
    ("text", "surrounded"),
    [
        ("M.M|.C.|M.m", True),
        ("M.M|.C.|M..", False),
        ("#.#|.C.|#.M", True),
        ("#.#|.C.|#.#|M..", False),
        ("C.|.M", True),
        ("C.|.#|M.", False),
        ("MmM|mCm|.mM", False),
    ],
)
def test_nz_8_every_open_diagonal_must_hold_a_mouse_and_one_must_be_open(implementation, text, surrounded):
    """NZ-8 NZ-R17: The board's edge closes a diagonal too; the orthogonal neighbours do not matter."""
    drawn = draw([*text.split("|"), *["." * len(text.split("|")[0])] * 2], phase="CAT1", M=9, R=9)
    drawn.variables["mouse"] = [int(flag > 0) for flag in drawn.variables["mouse"]]
    if surrounded:
        drawn.variables |= {"phase": 6, "result": 1}
    assert implementation.place(drawn).is_terminal() == surrounded
    drawn.variables |= {"phase": 1, "result": 0} if surrounded else {"phase": 6, "result": 1}
    with pytest.raises(ValueError, match=r"^(mouse|result): .*surround"):
        implementation.place(drawn)


@pytest.mark.parametrize(
    ("phase_name", "text", "action"),
    [
        ("CAT1", "M.M.|..C.|M.M.", "W"),
        ("MOVE", "M.M.|.C..|M..M", "2,3W"),
        ("ADD", "M.M.|.C..|M.Z.", "2,2+"),
        ("PLACE", "#.#|.C.|#.Z|...", "2,2+"),
    ],
)
def test_nz_9_nz_r18_it_does_not_matter_who_moved_last(implementation, phase_name, text, action):
    # [NZ-9] [NZ-R18]
    """NZ-9 NZ-R18"""
    state = implementation.draw(text, phase=phase_name, t=0 if phase_name == "PLACE" else 2, M=6)
    play(state, action)
    assert (result(state), winner(state)) == ("SURROUND", "mice")


def test_nz_r18_between_the_first_and_the_second_step(implementation):
    """NZ-R18"""
    state = implementation.draw("M.M.|.MC.|M.M.", phase="CAT1", M=6)
    assert play(state, "W") == "cat(5) capture(5) end(SURROUND)"


def test_nz_r19_a_surround_goes_before_the_quota(implementation):
    """NZ-R19"""
    state = implementation.draw("M.M.|.MC.|M.M.", phase="CAT1", M=6, R=1)
    assert play(state, "W") == "cat(5) capture(5) end(SURROUND)"
    assert state.to_dict()["captured"] == 1


@pytest.mark.parametrize(("flip", "reported"), [(0, -23), (1, 23)])
def test_nz_20_nz_r23_only_the_reported_score_is_flipped(implementation, flip, reported):
    # [NZ-20] [NZ-R23]
    """NZ-20 NZ-R23"""
    state = implementation.draw("C...|....|.M..", cost=30, food=7, flip=flip)
    play(state, "2,1N")
    assert (state.reported_score, list(state.scores()), winner(state)) == (reported, [23, -23], "mice")


def test_nz_r23_no_other_score_is_flipped(implementation):
    """NZ-R23"""
    lost = implementation.draw("M....|....C", t=9, cost=30, food=7, flip=1)
    play(lost, "0,0E")
    assert (result(lost), lost.reported_score) == ("TURNS", -24)
    rich = implementation.draw("C...|....|.M..", cost=3, food=7, flip=1)
    play(rich, "2,1N")
    assert (result(rich), rich.reported_score) == ("SURROUND", 4)


# -- captures and the end ----------------------------------------------------------------------------


def test_nz_10_nz_13_nz_r20_the_quota_ends_the_game_at_once(implementation):
    # [NZ-10] [NZ-13] [NZ-R20]
    """NZ-10 NZ-13 NZ-R20"""
    state = implementation.draw("....|CM..|Z..M", phase="CAT1", M=3, R=1, food=4, cost=5)
    assert play(state, "E") == "cat(5) capture(5) end(CAPTURES)"
    assert (result(state), winner(state)) == ("CAPTURES", "cat")
    in_turn_0 = implementation.draw("..Z.|..C.|Z...", phase="PLACE", t=0, R=1)
    play(in_turn_0, "0,2+", "!")
    assert (result(in_turn_0), winner(in_turn_0)) == ("CAPTURES", "mice")


def test_nz_13_the_turn_limit_ends_the_game(implementation):
    """NZ-13"""
    state = implementation.draw("M....|....C", t=9, T=9)
    assert play(state, "0,0E") == "jump(0,1,0) charge(1) end(TURNS)"
    assert state.to_dict()["t"] == 9


def test_nz_11_nz_52_the_cat_stands_in_the_way_but_eats_nothing(implementation):
    # [NZ-11] [NZ-52]
    """NZ-11 NZ-52"""
    state = implementation.draw("C5..|Z...|M...", phase="CAT1", M=1, R=1)
    assert play(state, "E") == "cat(1)"
    assert state.to_dict()["food"][1] == 5
    assert state.to_dict()["food_sum"] == 0


def test_nz_12_the_cat_escapes_by_capturing(implementation):
    """NZ-12"""
    state = implementation.draw("M.M.|.CM.|M...", phase="CAT1", M=6)
    play(state, "E", "E")
    assert (phase(state), board_counts(state)) == ("MOVE", (3, 2))


def test_nz_14_nz_18_the_score_is_food_less_cost(implementation):
    # [NZ-14] [NZ-18]
    """NZ-14 NZ-18"""
    for food, who in ((20, "mice"), (19, "cat")):
        state = implementation.draw("M....|....C", t=9, captured=1, food=food, cost=18)
        play(state, "0,0E")
        assert (list(state.scores()), winner(state)) == ([20 - food, food - 20], who)


def test_nz_r22_a_score_of_zero_is_a_win_of_the_mice(implementation):
    """NZ-R22"""
    state = implementation.draw("M....|....C", t=9, food=1)
    play(state, "0,0E")
    assert (list(state.scores()), list(state.returns())) == ([0, 0], [-1, 1])


@pytest.mark.parametrize(("captured", "cost"), [(0, 3), (1, 6), (2, 9)])
def test_nz_15_nz_16_nz_17_the_cost_of_a_turn(implementation, captured, cost):
    """NZ-15 NZ-16 NZ-17: A turn costs (mice on the board) * (captured + 1); early captures cost most."""
    # [NZ-15] [NZ-16] [NZ-17]
    state = implementation.draw("M.M...|......|M....C", captured=captured, M=8)
    play(state, "0,0S", "0,2S")
    assert play(state, "2,0E").endswith(f" charge({cost})")
    assert state.to_dict()["cost_sum"] == cost


def test_nz_24_nz_r3_one_charge_for_each_turn_with_that_of_the_placement(implementation):
    """NZ-24 NZ-R3: T turns cost T + 1 charges, because the end of a turn is the start of the next."""
    # [NZ-24] [NZ-R3]
    state = implementation.new(stage="garden", turns=4)
    charges = []
    rng = Rng(3)
    play(state, "2,0+", "3,0+", "-")
    charges += [event["mg"] for event in state.events() if event["event"] == "charge"]
    while not state.is_terminal():
        moves = [text for text in sorted(legal(state)) if text not in "!NESW"]
        play(state, moves[rng.below(len(moves))])
        charges += [event["mg"] for event in state.events() if event["event"] == "charge"]
    assert result(state) == "TURNS"
    assert len(charges) == 5
    assert sum(charges) == state.to_dict()["cost_sum"]


def test_nz_r4_a_turn_that_is_broken_off_is_free(implementation):
    """NZ-R4"""
    state = implementation.draw(".......|.M.C..M|.......", t=3, captured=1, R=2, food=4, cost=5)
    play(state, "1,1E", "!")
    assert (result(state), state.to_dict()["cost_sum"]) == ("CAPTURES", 5)


def test_nz_r21_a_board_without_mice_is_no_end(implementation):
    """NZ-R21"""
    state = implementation.draw("....|C...|Z...", phase="CAT1", t=7, T=9)
    for _ in range(2):
        play(state, "-", "-")
        assert (phase(state), result(state)) == ("CAT1", "NONE")
    assert play(state, "-", "-") == "charge(0) end(TURNS)"


# -- placing and adding ------------------------------------------------------------------------------


def test_nz_23_any_number_of_mice_is_placed(implementation):
    """NZ-23"""
    for count in (1, 2, 3):
        state = implementation.new(stage="garden")
        play(state, *["2,0+", "3,0+", "3,1+"][:count], *["-"] * (count < 3))
        assert (phase(state), board_counts(state)) == ("CAT1", (count, 3 - count))


def test_nz_r5_at_least_one_mouse_is_placed(implementation):
    """NZ-R5"""
    state = implementation.new(stage="garden")
    assert "-" not in legal(state)
    with pytest.raises(IllegalActionError):
        play(state, "-")
    play(state, "2,0+")
    assert "-" in legal(state)


def test_nz_r6_captured_mice_never_come_back(implementation):
    """NZ-R6"""
    state = implementation.draw("Z..M|....|C...", phase="CAT1", M=3, captured=2)
    play(state, "-")
    assert (phase(state), board_counts(state)) == ("MOVE", (1, 0))


def test_nz_25_nz_r7_one_mouse_a_turn_before_the_others_move(implementation):
    # [NZ-25] [NZ-R7]
    """NZ-25 NZ-R7"""
    state = implementation.draw("ZZ.M|....|...C", phase="ADD")
    assert legal(state) == {"0,0+", "0,1+", "-"}
    assert play(state, "0,0+") == "put(0)"
    assert phase(state) == "MOVE"
    assert board_counts(state) == (2, 3)


def test_nz_r8_the_added_mouse_moves_in_the_same_turn(implementation):
    """NZ-R8"""
    state = implementation.draw("Z..M|....|...C", phase="ADD")
    play(state, "0,0+", "0,3W")
    assert (phase(state), rows(state)[0]) == ("MOVE", "M.m.")
    play(state, "0,0S")
    assert phase(state) == "CAT1"
    assert rows(state) == ["Z.M.", "M...", "...C"]


def test_nz_r25_phases_without_a_choice_are_skipped(implementation):
    """NZ-R25"""
    full = implementation.draw("M..C|....", phase="CAT1", zone=[(0, 0)])
    play(full, "-")
    assert phase(full) == "MOVE"
    placed = implementation.draw("ZZ..|...C", phase="PLACE", t=0)
    play(placed, "0,0+", "0,1+")
    assert phase(placed) == "CAT1"
    nobody = implementation.draw("....|C...", phase="CAT1")
    assert play(nobody, "-") == "charge(0)"
    assert (phase(nobody), nobody.to_dict()["t"]) == ("CAT1", 3)


def test_nz_r26_nobody_is_put_on_the_cat_or_on_a_mouse(implementation):
    """NZ-R26"""
    state = implementation.draw("MZZ.|C...|..M.", phase="ADD", zone=[(0, 0), (1, 0)])
    assert legal(state) == {"0,1+", "0,2+", "-"}
    for cell in ("0,0+", "1,0+"):
        with pytest.raises(IllegalActionError):
            play(state, cell)


def test_nz_48_the_cat_may_enter_the_zone(implementation):
    """NZ-48"""
    state = implementation.draw("CZ..|...M", phase="CAT1")
    assert play(state, "E") == "cat(1)"
    assert phase(state) == "MOVE"  # the only zone cell is the cat's now


def test_nz_49_an_added_mouse_may_complete_a_surround(implementation):
    """NZ-49"""
    state = implementation.draw("M.Z.|.C..|M.M.", phase="ADD", M=6)
    assert play(state, "0,2+") == "put(2) end(SURROUND)"


# -- the mice move -----------------------------------------------------------------------------------


def test_nz_26_nz_47_cat_and_mice_step_to_the_same_cells(implementation):
    """NZ-26 NZ-47: A step goes one cell up, right, down or left, not into a wall."""
    # [NZ-26] [NZ-47]
    grid = "#...#|.#.#.|..M..|.#.#.|#..C#"
    mice = implementation.draw(grid)
    assert legal(mice) == {"2,2N", "2,2E", "2,2S", "2,2W"}
    cat = implementation.draw(grid.replace("M", "x").replace("C", "M").replace("x", "C"), phase="CAT1")
    assert legal(cat) == {"-", "N", "E", "S", "W"}
    corner = implementation.draw("M#.|..C")
    assert legal(corner) == {"0,0S"}


def test_nz_27_nz_28_every_mouse_moves_every_turn(implementation):
    # [NZ-27] [NZ-28]
    """NZ-27 NZ-28"""
    state = implementation.draw("M..M|....|M..C")
    assert "-" not in legal(state)
    play(state, "0,0E", "2,0N")
    assert (phase(state), legal(state)) == ("MOVE", {"0,3S", "0,3W"})
    play(state, "0,3W")
    assert phase(state) == "CAT1"
    assert rows(state) == [".MM.", "M...", "...C"]


def test_nz_r9_the_mice_go_in_any_order_each_once(implementation):
    """NZ-R9"""
    state = implementation.draw("MM..|....|...C")
    assert legal(state) == {"0,0E", "0,0S", "0,1E", "0,1S", "0,1W"}
    play(state, "0,1E")
    assert legal(state) == {"0,0E", "0,0S"}
    with pytest.raises(IllegalActionError):
        play(state, "0,2E")


def test_nz_29_nz_30_nz_31_a_mouse_jumps_the_whole_line_in_front_of_it(implementation):
    # [NZ-29] [NZ-30] [NZ-31]
    """NZ-29 NZ-30 NZ-31"""
    state = implementation.draw("MMmMM..|.......|......C")
    assert play(state, "0,0E") == "jump(0,5,4)"
    assert rows(state)[0] == ".MmMMm."


def test_nz_32_nz_34_a_jump_into_a_wall_takes_the_mouse_off_uncounted(implementation):
    # [NZ-32] [NZ-34]
    """NZ-32 NZ-34"""
    state = implementation.draw(".MMM#..|......C", M=4)
    assert play(state, "0,1E") == "leave(1)"
    assert (board_counts(state), state.to_dict()["captured"]) == ((2, 2), 0)


def test_nz_33_it_comes_back_through_the_zone(implementation):
    """NZ-33"""
    state = implementation.draw("M..Z|M...|....|...C", M=2, R=2)
    play(state, "1,0N", "0,0S", "-")
    assert legal(state) == {"0,3+", "-"}


def test_nz_r10_leaving_on_purpose(implementation):
    """NZ-R10: A mouse leaves by a jump into a wall, even if a step is possible, or by X between four walls."""
    state = implementation.draw("M...|M...|...C")
    assert "1,0N" in legal(state)
    walled = implementation.draw("M#..|#..C|..M.")
    assert legal(walled) == {"0,0X", "2,2N", "2,2E", "2,2W"}
    assert play(walled, "0,0X") == "leave(0)"
    free = implementation.draw("M#.|..C")
    for text in ("0,0X", "0,0N", "0,0E"):
        with pytest.raises(IllegalActionError):
            play(free, text)


def test_nz_r11_jumps_go_over_mice_alone_and_straight_on(implementation):
    """NZ-R11"""
    over_moved = implementation.draw(".MmM...|......C")
    assert play(over_moved, "0,1E") == "jump(1,4,2)"
    assert rows(over_moved)[0] == "..mMm.."  # jumped mice keep their flags
    cat = implementation.draw(".MMCM..|.......")
    assert play(cat, "0,1E") == "jump(1,3,1) enter(3)"
    wall = implementation.draw("MM#M.|...C.")
    assert play(wall, "0,0E") == "leave(0)"


def test_a_jump_never_goes_on_in_the_next_row(implementation):
    state = implementation.draw("..MM|M...|...C")
    assert play(state, "0,2E") == "leave(2)"


# -- the cat reacts to an arrival --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("grid", "phase_name", "action", "entered"),
    [
        (".M.C...", "MOVE", "0,1E", 2),
        (".MM.C..", "MOVE", "0,1E", 3),
        (".MC....", "MOVE", "0,1E", 2),
        (".MMC...", "MOVE", "0,1E", 3),
        ("..ZC..M", "ADD", "0,2+", 2),
        ("..ZC..Z", "PLACE", "0,2+", 2),
    ],
)
def test_nz_35_nz_36_nz_r13_every_arrival_beside_or_on_the_cat_is_its_to_answer(
    implementation, grid, phase_name, action, entered
):
    # [NZ-35] [NZ-36] [NZ-R13]
    """NZ-35 NZ-36 NZ-R13"""
    state = implementation.draw(f"{grid}|{'.' * len(grid)}", phase=phase_name, t=0 if phase_name == "PLACE" else 2)
    assert play(state, action).split()[-1] == f"enter({entered})"
    assert (phase(state), state.current_player, legal(state)) == ("REACT", 0, {"-", "!"})
    assert play(state, "!").split()[0] == f"capture({entered})"
    assert state.to_dict()["captured"] == 1
    assert state.to_dict()["mouse"][entered] == 0


def test_nz_r14_a_reaction_costs_the_cat_nothing(implementation):
    """NZ-R14: The cat does not move, may react again in the same half-turn, and keeps its own half-turn."""
    state = implementation.draw(".M...|..C..|...M.", R=5)
    cat = state.to_dict()["cat"]
    play(state, "0,1E", "!", "2,3W", "!")
    assert state.to_dict()["captured"] == 2
    assert (phase(state), state.to_dict()["cat"]) == ("CAT1", cat)
    assert legal(state) == {"-", "N", "E", "S", "W"}


def test_nz_37_the_cat_may_leave_the_mouse_and_step_on_from_it(implementation):
    """NZ-37"""
    state = implementation.draw(".M.C...|.......", R=5)
    assert play(state, "0,1E", "-") == "spare(2) charge(1)"
    assert legal(state) == {"-", "E", "S", "W"}
    assert play(state, "W") == "cat(2) capture(2)"
    assert phase(state) == "CAT2"


def test_nz_38_nz_39_until_its_turn_the_cat_only_answers(implementation):
    """NZ-38 NZ-39: A mouse that the cat leaves can help the others to a surround before the cat moves."""
    # [NZ-38] [NZ-39]
    state = implementation.draw("M..M|M.C.|.M.M|....", R=5)
    assert play(state, "1,0E", "-") == "spare(5)"
    assert phase(state) == "MOVE"
    assert play(state, "0,0E") == "jump(0,1,0) end(SURROUND)"


def test_nz_r13_a_mouse_left_alone_is_not_asked_about_again(implementation):
    """NZ-R13"""
    state = implementation.draw(".MM.C..|.......", R=5)
    play(state, "0,1E", "-")
    assert (phase(state), rows(state)[0]) == ("MOVE", "..MmC..")
    play(state, "0,2S")
    assert phase(state) == "CAT1"


@pytest.mark.parametrize(("answer", "events", "counts"), [
    ("!", "capture(2) charge(0)", (0, 4)),
    ("-", "spare(2) leave(2) charge(0)", (0, 5)),
])  # fmt: skip
def test_nz_r12_a_mouse_on_the_cats_cell_is_captured_or_goes_to_the_reserve(implementation, answer, events, counts):
    """NZ-R12"""
    state = implementation.draw(".MC.|....", R=5)
    assert play(state, "0,1E") == "jump(1,2,0) enter(2)"
    assert not any(state.to_dict()["mouse"])
    assert play(state, answer) == events
    assert board_counts(state) == counts


# -- the cat moves -----------------------------------------------------------------------------------


def test_nz_40_the_cat_may_stay(implementation):
    """NZ-40"""
    state = implementation.draw("M...|...C", phase="CAT1")
    assert play(state, "-") == ""
    assert phase(state) == "MOVE"


def test_nz_41_nz_r16_a_capture_on_the_first_step_gives_another(implementation):
    # [NZ-41] [NZ-R16]
    """NZ-41 NZ-R16"""
    state = implementation.draw("....|CM..|Z..M", phase="CAT1")
    assert play(state, "E") == "cat(5) capture(5)"
    assert (phase(state), legal(state)) == ("CAT2", {"-", "N", "E", "S", "W"})
    empty = implementation.draw("..M.|C...|Z...", phase="CAT1")
    play(empty, "E")
    assert phase(empty) == "ADD"


@pytest.mark.parametrize(("action", "row"), [("W", "C..."), ("-", ".C..")])
def test_nz_42_it_may_go_back_or_stay_there(implementation, action, row):
    """NZ-42"""
    state = implementation.draw("....|CM..|Z..M", phase="CAT1")
    play(state, "E", action)
    assert (phase(state), rows(state)[1]) == ("ADD", row)


def test_nz_43_nz_44_the_second_step_captures_too_and_there_is_no_third(implementation):
    # [NZ-43] [NZ-44]
    """NZ-43 NZ-44"""
    state = implementation.draw(".....|CMMM.|Z....", phase="CAT1", R=5)
    assert play(state, "E", "E") == "cat(7) capture(7)"
    assert phase(state) == "ADD"
    assert state.to_dict()["captured"] == 2


def test_nz_45_nz_46_where_the_cat_comes_to_rest_nobody_is_captured(implementation):
    # [NZ-45] [NZ-46]
    """NZ-45 NZ-46"""
    state = implementation.draw(".....|C..M.|.....", phase="CAT1")
    assert play(state, "E") == "cat(6)"
    assert phase(state) == "MOVE"
    beside = implementation.draw(".....|C.M..|.....", phase="CAT1")
    assert play(beside, "E") == "cat(6)"
    assert (phase(beside), beside.to_dict()["captured"]) == ("MOVE", 0)


# -- food --------------------------------------------------------------------------------------------


def test_nz_50_nz_51_a_mouse_on_food_has_eaten_it(implementation):
    # [NZ-50] [NZ-51]
    """NZ-50 NZ-51"""
    state = implementation.draw("M7..|...C")
    assert play(state, "0,0E") == "jump(0,1,0) eat(1,7) charge(1)"
    assert state.to_dict()["food_sum"] == 7
    assert state.to_dict()["food"] == [0] * 8


def test_nz_r15_what_is_eaten_stays_eaten(implementation):
    """NZ-R15"""
    for answer in "!-":
        state = implementation.draw(".M7C.|.....", R=5)
        play(state, "0,1E", answer)
        assert state.to_dict()["food_sum"] == 7
    under_cat = implementation.draw(".MC..|.....", under=[(0, 2, 9)])
    assert play(under_cat, "0,1E", "-") == "spare(2) leave(2) charge(0)"
    assert state.to_dict()["food_sum"] == 7
    assert under_cat.to_dict()["food_sum"] == 9
    added = implementation.draw(".Z..|...C", phase="ADD", under=[(0, 1, 8)])
    assert play(added, "0,1+") == "put(1) eat(1,8)"


def test_nz_53_nz_54_nz_r24_amounts_are_milligrams_and_a_kind_may_have_several(implementation):
    # [NZ-53] [NZ-54] [NZ-R24]
    """NZ-53 NZ-54 NZ-R24"""
    text = load_shipped()["garden"].to_text().replace("b cheese 13mg", "b crumb 1.5g")
    stage = Stage.parse(text)
    assert sorted(set(stage.food)) == [0, 5, 1500]
    assert {food.kind for food in stage.foods} == {"crumb"}
    assert implementation.new(stage=text).to_dict()["food"] == list(stage.food)


def test_nz_55_a_kilogram_under_one_cell(implementation):
    """NZ-55"""
    state = implementation.new(stage="vault")
    assert max(state.to_dict()["food"]) == 1_000_000
    rich = implementation.draw(".M$..|....C", under=[(0, 2, 10**12)])
    assert play(rich, "0,1E") == f"jump(1,2,0) eat(2,{10**12}) charge(1)"
    assert list(rich.scores()) == [1 - 10**12, 10**12 - 1]


def test_nz_56_far_roasts_pay_for_a_group(implementation):
    """NZ-56"""
    stage = load_shipped()["feast"]
    roasts = [cell for cell, amount in enumerate(stage.food) if amount == max(stage.food)]
    assert [divmod(cell, stage.width) for cell in roasts] == [(0, 12), (12, 12)]
    assert implementation.new(stage=stage).to_dict()["food"] == list(stage.food)


def test_nz_57_nz_58_some_stages_leave_nothing_but_the_surround(implementation):
    """NZ-57 NZ-58: The food of `siege` does not pay for eight mice for one turn: only a surround wins."""
    # [NZ-57] [NZ-58]
    state = implementation.new(stage="siege")
    assert sum(state.to_dict()["food"]) == 5 < config_of(state).start_stage.max_mice
    assert [sum(stage.food) for stage in load_shipped().values()].count(5) == 1


# -- errors ------------------------------------------------------------------------------------------


def test_nz_r27_stages_that_decide_themselves_are_refused():
    """[NZ-R27]: S13 and S14, whatever the form of the stage."""
    cut = {"height": 1, "width": 4, "wall": [0, 1, 0, 0], "zone": [1, 0, 0, 0], "food": [0] * 4, "cat": 3}
    doomed = {"height": 2, "width": 2, "wall": [0] * 4, "zone": [1, 0, 0, 0], "food": [0] * 4, "cat": 3}
    for fields, code in ((cut, "S13"), (doomed, "S14")):
        with pytest.raises(StageError) as caught:
            Stage("odd", **fields, max_mice=2, require=1, turns=3)
        assert caught.value.code == code


@pytest.mark.parametrize("action", [-1, 251, 10**30, 250, 5, 1, "2;0+", None, True, 2.0])
def test_nz_r28_an_illegal_action_changes_nothing(implementation, action):
    """NZ-R28"""
    state = implementation.new(stage="garden")
    before = state.to_dict()
    with pytest.raises(ValueError, match=r"action|expected one of - N E S W") as caught:
        state.apply(action)
    assert isinstance(caught.value, IllegalActionError) == (type(action) is int)
    assert state.to_dict() == before


def test_nothing_can_be_played_after_the_end(implementation):
    state = implementation.draw("M....|....C", t=9)
    play(state, "0,0E")
    before = state.to_dict()
    assert list(state.legal_actions()) == []
    assert not any(state.legal_mask())
    assert (list(state.slots), state.current_player) == ([], -2)
    for action in (0, 50):
        with pytest.raises(GameOverError):
            state.apply(action)
    assert state.to_dict() == before


def test_errors_show_the_action_and_the_board(implementation):
    state = implementation.draw("M....|....C")
    with pytest.raises(IllegalActionError, match=r"(?s)action 50.*M\.\.\.\..*MOVE"):
        state.apply(50)


def test_texts_of_another_phase_are_no_actions(implementation):
    """`+` is valid in PLACE and ADD, `X` in MOVE. [section 6]"""
    state = implementation.draw("Z..M|...C", phase="ADD")
    with pytest.raises(NotationError, match=r"ADD, got '0,3X'"):
        state.text_to_action("0,3X")
    play(state, "-")
    with pytest.raises(NotationError, match=r"MOVE, got '0,0\+'"):
        state.text_to_action("0,0+")
