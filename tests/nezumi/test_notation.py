"""Text boards and action texts."""

import pytest

from masume.errors import NotationError, StateError
from masume.nezumi import notation
from masume.nezumi.config import Config
from masume.nezumi.notation import ADD, CAT1, MOVE, PLACE, REACT

from .conftest import draw, phase, play

DRAWN = draw(["MZ.7", ".#C$"], under=[(1, 2, 3), (1, 3, 12)])
CONFIG = DRAWN.config
TEXT = """
    MZ.7
    .#C$
    phase: REACT
    turn: 3
    captured: 2

    food: 12
    cost: 5
    under: 3
    react: 1,2 MOVE
"""


def test_a_text_board_is_read(implementation):
    variables = implementation.parse(CONFIG, TEXT).to_dict()
    assert variables == {
        "phase": 5,
        "t": 3,
        "cat": 6,
        "mouse": [1, 0, 0, 0, 0, 0, 0, 0],
        "food": [0, 0, 0, 7, 0, 0, 3, 12],
        "captured": 2,
        "food_sum": 12,
        "cost_sum": 5,
        "react_cell": 6,
        "react_from": 4,
        "result": 0,
    }


def test_it_is_written_in_one_way(implementation):
    state = implementation.parse(CONFIG, TEXT)
    assert str(state).split("\n") == [line.strip() for line in TEXT.splitlines() if line.strip()]


def test_the_start_of_a_stage_is_its_drawing(implementation):
    state = implementation.new()
    assert str(state).split("\n") == [
        "5....$.", ".#...#.", "Z..5...", "ZZ...C.", "Z..5...", ".#...#.", "5....$.", "phase: PLACE", "turn: 0"
    ]  # fmt: skip
    assert implementation.parse(Config(), str(state).replace("phase: PLACE\nturn: 0", "")).to_dict() == state.to_dict()


def test_the_end_has_its_result(implementation):
    state = implementation.draw("M....|....C", t=9, food=3)
    play(state, "0,0E")
    assert str(state) == ".m...\n....C\nphase: OVER\nturn: 9\nfood: 3\ncost: 1\nresult: TURNS"
    config = draw(["M....", "....C"]).config
    assert implementation.parse(config, str(state)).to_dict() == state.to_dict()


@pytest.mark.parametrize(
    ("old", "new", "line", "column", "told"),
    [
        ("MZ.7", "MZ.", 2, 5, "expected 4 cells, got 3"),
        ("MZ.7", "MZ.?", 2, 8, "expected one of the marks"),
        ("MZ.7", "MZ#7", 2, 7, "'#' differs from the stage"),
        ("MZ.7", "M..7", 2, 6, "'.' differs from the stage"),
        ("MZ.7", "MZZ7", 2, 7, "'Z' differs from the stage"),
        ("MZ.7", "MZ.6", 2, 8, "'6' differs from the stage"),
        ("MZ.7", "MZ.$", 2, 8, "'\\$' differs from the stage"),
        (".#C$", ".mC$", 3, 6, "'m' differs from the stage"),
        (".#C$", ".#.$", 11, 1, "expected one C, got 0"),
        (".#C$", "C#C$", 11, 1, "expected one C, got 2"),
        (".#C$", ".#C$\n.#C$", 4, 1, "the 2 rows end above"),
        (".#C$", "", 11, 1, "expected 2 rows, got 1"),
        ("REACT", "react", 4, 11, "phase: expected one of PLACE, .*, got 'react'"),
        ("turn: 3", "turn: -3", 5, 10, "turn: expected a count, got '-3'"),
        ("turn: 3", "turn: 9999999999999999999", 5, 10, "turn: expected a count, got"),
        ("turn: 3", "turn: ²", 5, 10, "turn: expected a count, got"),
        ("turn: 3", "t: 3", 5, 5, "expected one of phase, turn"),
        ("turn: 3", "cost: 3", 9, 5, "cost: given twice"),
        ("1,2 MOVE", "1,2", 11, 11, "react: expected row,column .*, got '1,2'"),
        ("1,2 MOVE", "2,2 MOVE", 11, 11, "react: expected row,column .*, got '2,2 MOVE'"),
        ("1,2 MOVE", "1,2 CAT1", 11, 11, "react: expected row,column .*, got '1,2 CAT1'"),
        ("under: 3", "result: WON", 10, 12, "result: expected one of NONE, .*, got 'WON'"),
    ],
)
def test_text_that_is_no_board(implementation, old, new, line, column, told):
    with pytest.raises(NotationError, match=f"^line {line}, column {column}: .*{told}"):
        implementation.parse(CONFIG, TEXT.replace(old, new))


@pytest.mark.parametrize(
    ("old", "new", "name"),
    [
        ("under: 3", "under: 4", "food"),
        ("turn: 3", "turn: 10", "t"),
        ("captured: 2", "captured: 3", "captured"),
        ("1,2 MOVE", "1,2 ADD", "react_cell"),
        ("1,2 MOVE", "0,0 MOVE", "react_cell"),
        ("cost: 5", "cost: 999999999", "cost_sum"),
        ("phase: REACT", "phase: MOVE", "react_cell"),
        ("under: 3", "result: TURNS", "result"),
    ],
)
def test_boards_that_are_no_position(implementation, old, new, name):
    with pytest.raises(StateError, match=f"^{name}"):
        implementation.parse(CONFIG, TEXT.replace(old, new))


@pytest.mark.parametrize(
    ("phase", "action", "text"),
    [
        (MOVE, 0, "0,0N"),
        (MOVE, 36, "1,3E"),
        (MOVE, 39, "1,3X"),
        (PLACE, 39, "1,3+"),
        (ADD, 4, "0,0+"),
        (PLACE, 40, "-"),
        (CAT1, 41, "N"),
        (CAT1, 42, "E"),
        (CAT1, 43, "S"),
        (CAT1, 44, "W"),
        (REACT, 45, "!"),
    ],
)
def test_actions_and_their_texts(phase, action, text):
    """The ids of section 6, on a board of eight cells."""
    assert notation.action_to_text(CONFIG, phase, action) == text
    assert notation.text_to_action(CONFIG, phase, f" {text} ") == action


@pytest.mark.parametrize(
    "text", ["", "n", "NE", "--", "0,0", "0,0n", "0,0NE", "2,0N", "0,4N", "-1,0N", "²,0N", "0, 0N"]
)
def test_texts_that_are_no_action(implementation, text):
    state = implementation.place(DRAWN)
    with pytest.raises(NotationError):
        state.text_to_action(text)


@pytest.mark.parametrize("action", [-1, 46, 10**30])
def test_numbers_that_are_no_action_have_no_text(implementation, action):
    state = implementation.place(DRAWN)
    assert phase(state) == "MOVE"
    with pytest.raises(ValueError, match="action"):
        state.action_to_text(action)
