"""Text boards and action texts are read, written, and refused with line and column."""

import pytest

from masume.core.rng import Rng
from masume.errors import NotationError, StateError
from masume.kakomimasu import notation
from masume.kakomimasu.config import Config

from .games import random_config, random_lists

CONFIG = Config.make(width=4, height=3, n_agents=2, n_players=3, total_turns=9)
TEXT = """
    AAA.
    AaAc
    AAA.
    agents: A0@2,1 A1@unplaced
    agents: B1@unplaced
    played: 9
"""


def test_a_text_board_is_read():
    assert notation.parse(CONFIG, TEXT) == {
        "played": 9,
        "wall": [0, 0, 0, -1, 0, -1, 0, -1, 0, 0, 0, -1],
        "area": [-1, -1, -1, -1, -1, 0, -1, 2, -1, -1, -1, -1],
        "pos": [[6, -1], [-1, -1], [-1, -1]],
    }
    bare = notation.parse(CONFIG, "AAA.\nAaAc\nAAA.")
    assert bare == {**notation.parse(CONFIG, TEXT), "played": 0, "pos": [[-1, -1]] * 3}


def test_a_text_board_is_written(implementation):
    state = implementation.parse(TEXT, n_agents=2, n_players=3, total_turns=9)
    assert str(state) == "\n".join(
        [
            "AAA.", "AaAc", "AAA.", "agents: A0@2,1 A1@unplaced", "agents: B0@unplaced B1@unplaced",
            "agents: C0@unplaced C1@unplaced", "played: 9",
        ]
    )  # fmt: skip


def test_every_position_reads_back(implementation):
    """Boards are up to 30 wide, with up to four players of sixteen agents."""
    rng = Rng(4)
    configs = [random_config(rng, max_turns=6) for _ in range(20)]
    configs.append(Config.make(width=30, height=30, n_players=4, n_agents=16, total_turns=2))
    for config in configs:
        fields = config.to_dict()
        state = implementation.new(**fields)
        while True:
            twin = implementation.parse(str(state), **fields)
            assert str(twin) == str(state)
            assert {**twin.to_dict(), "config": 0} == {**state.to_dict(), "config": 0}
            if state.is_terminal():
                break
            state.apply_lists(random_lists(state, rng), on_illegal="fallback")


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("", 1, 1, "expected 3 rows, got 0"),
        ("AAAA\n....", 2, 1, "expected 3 rows, got 2"),
        ("....\n....\n....\n  ....", 4, 3, "the 3 rows end above"),
        ("....\n  .....\n....", 2, 3, "expected 4 cells, got 5"),
        ("....\n...\n....", 2, 1, "expected 4 cells, got 3"),
        ("....\n ..x.\n....", 2, 4, "expected one of the cells"),
        ("....\n...D\n....", 2, 4, "expected one of the cells"),
        ("....\n...d\n....", 2, 4, "expected one of the cells"),
        (". ..\n....\n....", 1, 2, "expected one of the cells"),
        ("....\n....\n....\nplayed: x", 4, 1, "played: expected a count, got 'x'"),
        ("....\n....\n....\nplayed:", 4, 1, "played: expected a count, got ''"),
        ("....\n....\n....\nplayed: -1", 4, 1, "played: expected a count, got '-1'"),
        ("....\n....\n....\nplayed: ٣", 4, 1, "played: expected a count, got '٣'"),
        ("....\n....\n....\nplayed: " + "9" * 5000, 4, 1, "played: expected a count"),
        ("....\nplayed: 1\n....\n....\n played: 1", 5, 2, "played: given twice"),
        ("....\n....\n....\nagents: A0", 4, 9, "expected an agent"),
        ("....\n....\n....\nagents: A0@x", 4, 9, "expected an agent"),
        ("....\n....\n....\nagents: A0@1,1 A0@1,", 4, 16, "expected an agent"),
        ("....\n....\n....\nagents: A0@-1,1", 4, 9, "expected an agent"),
        ("....\n....\n....\nagents: E0@1,1", 4, 9, "expected an agent"),
        ("....\n....\n....\nagents: A٣@1,1", 4, 9, "expected an agent"),
        ("....\n....\n....\n agents:  D0@1,1", 4, 11, "no such agent"),
        ("....\n....\n....\nagents: A2@1,1", 4, 9, "no such agent"),
        ("....\n....\n....\nagents: A0@4,1", 4, 9, "off the board"),
        ("....\n....\n....\nagents: A0@1,3", 4, 9, "off the board"),
        ("....\n....\n....\nagents: A0@1,1\nagents: A0@1,1", 5, 9, "given twice"),
        ("....\n....\n....\nagents: A0@unplaced A0@1,1", 4, 21, "given twice"),
        ("....\n....\n....\nagents", 4, 1, "the 3 rows end above"),
        ("....\n....\nscore: 5\n....", 3, 1, "expected agents or played"),
    ],
)
def test_what_is_no_text_board_is_refused(text, line, column, message):
    with pytest.raises(NotationError, match=message) as caught:
        notation.parse(CONFIG, text)
    assert (caught.value.line, caught.value.column) == (line, column)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("A.\nagents: A0@1,0", r"pos|agents"),  # not on a wall
        ("AB\nagents: A0@1,0", r"pos|agents"),  # on an enemy's wall
        ("Aa\nagents: A0@1,0", r"pos|agents"),  # on territory
        ("AB\nagents: A0@0,0 A1@0,0", r"pos|agents"),  # two on a cell
        ("AB\nplayed: 6", "played"),  # after the end
    ],
)
def test_what_is_no_position_is_refused(implementation, text, message):
    """Positions that break invariants (ii) and (iii) of section 3; a drawing cannot break (i)."""
    with pytest.raises(StateError, match=message):
        implementation.parse(text)


# -- actions ----------------------------------------------------------------------------------------


def test_codes_as_text():
    """Targets are absolute cells, as on the wire, and may be off the board."""
    texts = {0: "STAY", 17: "PUT 0,0", 28: "PUT 3,2"}
    for cell in (-1, 0, 5, 11):
        for code, text in texts.items():
            assert notation.action_to_text(CONFIG, cell, code) == text
            assert notation.text_to_action(CONFIG, cell, text) == code
    around = ["1,0", "2,0", "2,1", "2,2", "1,2", "0,2", "0,1", "0,0"]
    for direction, target in enumerate(around):
        for first, kind in ((1, "MOVE"), (9, "REMOVE")):
            assert notation.action_to_text(CONFIG, 5, first + direction) == f"{kind} {target}"
            assert notation.text_to_action(CONFIG, 5, f" {kind}  {target} ") == first + direction
    assert notation.action_to_text(CONFIG, 0, 8) == "MOVE -1,-1"
    assert notation.text_to_action(CONFIG, 0, "MOVE -1,-1") == 8


@pytest.mark.parametrize(("cell", "code"), [(5, -1), (5, 29), (-1, 1), (-1, 16), (-1, 29), (0, 10**6)])
def test_codes_that_mean_nothing_have_no_text(cell, code):
    with pytest.raises(ValueError, match=f"action: {code} "):
        notation.action_to_text(CONFIG, cell, code)


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        (5, ""), (5, "stay"), (5, "STAY 1,1"), (5, "MOVE"), (5, "MOVE 1"), (5, "MOVE 1,"), (5, "MOVE 1,1,1"),
        (5, "MOVE a,b"), (5, "JUMP 1,0"), (5, "MOVE1,0"), (5, "MOVE 1,1"), (5, "MOVE 3,1"), (5, "REMOVE 1,3"),
        (5, "PUT 4,0"), (5, "PUT 0,3"), (5, "PUT -1,0"), (-1, "MOVE 0,0"), (-1, "REMOVE 0,0"), (5, "MOVE ١,0"),
        (5, "PUT 99999999999999999999,0"), (5, "NONE"), (5, "STAY; STAY"),
    ],
)  # fmt: skip
def test_texts_without_a_code_are_refused(cell, text):
    with pytest.raises(NotationError):
        notation.text_to_action(CONFIG, cell, text)


def test_states_name_their_actions(implementation):
    """State.action_to_text and text_to_action: every legal code of a slot reads back; illegal codes may too."""
    state = implementation.parse("AB.\n...\nagents: A0@0,0 A1@unplaced B0@1,0")
    assert [state.action_to_text(int(code), 0) for code in state.legal_actions(0)] == [
        "STAY", "MOVE 1,1", "MOVE 0,1", "REMOVE 1,0",
    ]  # fmt: skip
    for slot in range(4):
        for code in state.legal_actions(slot):
            text = state.action_to_text(int(code), slot)
            assert state.text_to_action(text, slot) == code
    assert state.text_to_action("PUT 2,1", 0) == 22
    for text, slot in (("MOVE 5,5", 0), ("MOVE 0,0", 1), ("PUT 3,0", 1), ("what", 2)):
        with pytest.raises(NotationError):
            state.text_to_action(text, slot)
    for code, slot in ((1, 1), (99, 0), (-1, 0)):
        with pytest.raises(ValueError, match="action"):
            state.action_to_text(code, slot)
