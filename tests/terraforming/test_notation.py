"""Text boards, commands, exact codes, and positions from outside, on both implementations."""

import json

import numpy as np
import pytest

from masume.errors import IllegalActionError, NotationError, StateError
from masume.terraforming import hexes, notation
from masume.terraforming.buildings import BUILDABLE
from masume.terraforming.config import Config
from masume.terraforming.notation import FINISH, Build, Move, action_of, command_of, read_command
from masume.terraforming.reference import State

from .conftest import cell, config_of, play

RICH = """
    player 1
    ply 5
    phase move
         #     c0      CI12
      b3/2  #b2/1   .     BP4
    a0    AF7   AU9+10 b11/11 .
       BX0   CT1   cc      AS2
          AB0   AQ3    .
""".replace("cc  ", "c3  ")


# -- text boards ------------------------------------------------------------------------------------


def test_a_board_shows_everything(implementation):
    state = implementation.parse(RICH)
    variables = state.to_dict()
    at = {place: n for n, place in enumerate(hexes.cells(2))}
    assert (variables["player"], variables["ply"], variables["phase"], variables["finished"]) == (1, 5, 1, False)
    found = {
        name: [variables[name][at[place]] for place in ((0, -2), (-1, -1), (0, -1), (0, 0), (1, 0), (2, 0), (2, -2))]
        for name in ("owner", "robots", "moved", "hole", "building", "bonus")
    }
    assert found == {
        "owner": [-1, 1, 1, 0, 1, -1, 2],
        "robots": [0, 3, 2, 9, 11, 0, 12],
        "moved": [0, 2, 1, 0, 11, 0, 0],
        "hole": [True, False, True, False, False, False, False],
        "building": [0, 0, 0, 9, 0, 0, 1],
        "bonus": [0, 0, 0, 10, 0, 0, 0],
    }


def test_what_is_written_is_read(implementation):
    """Section 3.4: export and import restore the complete state, and the text does not depend on the spelling read."""
    state = implementation.parse(RICH)
    text = str(state)
    assert text.splitlines()[:3] == ["player 1", "ply 5", "phase move"]
    assert implementation.parse(text).to_dict() == state.to_dict()
    assert str(implementation.parse(text)) == text
    flat = " / ".join(" ".join(line.split()) for line in text.splitlines())
    assert implementation.parse(flat).to_dict() == state.to_dict()
    assert len(text.splitlines()) == 8


@pytest.mark.parametrize("phase", ["choose", "move", "built", "finished"])
def test_phases_are_read_and_written(implementation, phase):
    ply = 6 if phase == "finished" else 7
    text = f"player 0 / ply {ply} / phase {phase} / . . / . a3 . / . ."
    state = implementation.parse(text)
    assert str(state).splitlines()[2] == f"phase {phase}"
    assert state.is_terminal() == (phase == "finished")
    assert state.to_dict()["phase"] == {"move": 1, "built": 2}.get(phase, 0)


def test_defaults_of_the_header(implementation):
    """Player 0, ply 0, and phase `pre` if ply is 0, else `choose`."""
    board = "AI0 . / . BI0 . / . CI0"
    _, found = notation.read(board, "rulebook")
    assert (found["player"], found["ply"], found["phase"], found["finished"]) == (0, 0, 3, False)
    _, found = notation.read("ply 4 / " + board, "rulebook")
    assert (found["player"], found["ply"], found["phase"]) == (0, 4, 0)
    state = implementation.from_dict(notation.parse(Config(radius=1), board), radius=1)
    assert str(state).splitlines()[2] == "phase pre"


def test_a_missing_number_is_0(implementation):
    assert cell(implementation.parse(". . / . a . / AP ."), 0, 0) == "a0"


BAD = {
    "": (1, "rows"),
    ". .": (1, "rows"),
    ". . / . . . ": (1, "rows"),
    ". . / . . . / . . / . . . / . .": (1, "expected 3 cells, got 2"),
    ". . / . . / . .": (1, "expected 3 cells, got 2"),
    ". .\n. . . .\n. .": (2, "expected 3 cells, got 4"),
    ". .\n. d1 .\n. .": (2, "expected a cell"),
    ". .\n. a-1 .\n. .": (2, "expected a cell"),
    ". .\n. a1/ .\n. .": (2, "expected a cell"),
    ". .\n. a1/1+1 .\n. .": (2, "expected a cell"),
    ". .\n. #3 .\n. .": (2, "expected a cell"),
    ". .\n. #AF3 .\n. .": (2, "expected a cell"),
    ". .\n. a9999999999 .\n. .": (2, "expected a cell"),
    ". .\n. AZ1 .\n. .": (2, "expected one of the buildings"),
    ". .\n. A-1 .\n. .": (2, "expected a cell"),
    "player 0\nplayer 0\n. .\n. . .\n. .": (2, "twice"),
    ". .\nply 1\n. . .\n. .": (2, "expected above the board"),
    "ply\n. .\n. . .\n. .": (1, "expected one value, got 0"),
    "ply 1 2\n. .\n. . .\n. .": (1, "expected one value, got 2"),
    "ply one\n. .\n. . .\n. .": (1, "expected a number, got 'one'"),
    "ply -1\n. .\n. . .\n. .": (1, "expected a number, got '-1'"),
    "phase end\n. .\n. . .\n. .": (1, "expected one of choose"),
    " / ".join(". " * 23 for _ in range(23)): (1, "rows"),
}


@pytest.mark.parametrize(("text", "line", "message"), [(text, *told) for text, told in BAD.items()])
def test_boards_that_are_none(text, line, message):
    with pytest.raises(NotationError, match=message) as caught:
        notation.parse(Config(radius=1), text)
    assert caught.value.line == line
    assert caught.value.column >= 1


def test_a_board_of_another_size_is_none(implementation):
    with pytest.raises(NotationError, match="expected 5 rows, got 3"):
        notation.parse(Config(radius=2), ". . / . . . / . .")


def test_letters_are_those_of_the_ruleset():
    """TF-R36: no shields and no public facilities in the contest."""
    for letter in "SU":
        board = f"ply 1 / . . / . A{letter}0 . / . ."
        notation.read(board, "rulebook")
        with pytest.raises(NotationError, match=f"expected one of the buildings IFTXBPQ, got {letter}"):
            notation.read(board, "contest")


# -- positions from outside -------------------------------------------------------------------------

BOARD = "ply 4 / . . . / . #b3 a2 . / AP1 AF3 a9/4 BT0 . / . c1 . . / . . ."


def change(name, value, place=None):
    """Return the variables of BOARD with one change."""
    variables = State.parse(Config(radius=2), BOARD).to_dict()
    if place is None:
        variables[name] = value
    else:
        variables[name][hexes.indices(2)[place]] = value
    return variables


OFF, BASE = (2, 0), (-1, 0)
FAULTS = [
    ("owner", 3, (0, 0)), ("owner", -2, (0, 0)), ("owner", -1, (0, 0)), ("owner", -1, BASE), ("owner", True, (0, 0)),
    ("robots", -1, (0, 0)), ("robots", 2**24 + 1, (0, 0)), ("robots", 1, OFF), ("robots", 1.0, (0, 0)),
    ("robots", 2**24 - 9, (0, 0)),
    ("moved", 10, (0, 0)), ("moved", -1, (0, 0)), ("moved", 1, (0, 1)), ("moved", 1, (-1, 1)),
    ("hole", True, BASE), ("hole", 1, (0, 0)), ("hole", None, (0, 0)),
    ("building", 10, BASE), ("building", 1, OFF), ("building", 3, (0, -1)), ("building", -1, BASE),
    ("bonus", 1, BASE), ("bonus", 1, (0, 0)), ("bonus", 41, BASE), ("bonus", -1, BASE), ("bonus", 10, OFF),
    ("player", 1, None), ("player", 3, None), ("player", -1, None), ("player", True, None),
    ("ply", 5, None), ("ply", 0, None), ("ply", -2, None), ("ply", 601, None), ("ply", "4", None),
    ("phase", 3, None), ("phase", 4, None), ("phase", -1, None), ("phase", None, None),
    ("finished", True, None), ("finished", 0, None), ("finished", 1, None),
    ("owner", [0] * 18, None), ("robots", {}, None), ("hole", "x" * 19, None), ("bonus", None, None),
]  # fmt: skip


@pytest.mark.parametrize(("name", "value", "place"), FAULTS, ids=str)
def test_what_is_no_position_is_refused(implementation, name, value, place):
    """Sections 3.2 and 12: the error for an invariant, type, range or more than 2**24 robots names the key or cell."""
    good = State.parse(Config(radius=2), BOARD).to_dict()
    assert implementation.from_dict(good, radius=2).to_dict() == good
    with pytest.raises(StateError, match=r"^(owner|robots|moved|hole|building|bonus|player|ply|phase|finished)"):
        implementation.from_dict(change(name, value, place), radius=2)


def test_keys_are_all_and_no_other(implementation):
    good = State.parse(Config(radius=2), BOARD).to_dict()
    for name in good:
        with pytest.raises(StateError, match=f"^{name}: missing"):
            implementation.from_dict({key: value for key, value in good.items() if key != name}, radius=2)
    with pytest.raises(StateError, match=r"^turn: no such key"):
        implementation.from_dict(good | {"turn": 1}, radius=2)


def test_bonuses_by_ruleset(implementation):
    """The bonus is 10 on a public facility, 0 to 40 on a town of the contest, and 0 on everything else."""
    for bonus, is_good in ((10, True), (9, False), (0, False), (11, False)):
        text = f"ply 4 / . . / . AU0+{bonus} . / . ."
        if is_good:
            assert implementation.parse(text).scores()[0] == 13
        else:
            with pytest.raises(StateError, match=r"^bonus"):
                implementation.parse(text)
    for bonus in (0, 1, 40):
        text = f"ply 4 / . . / . AQ0+{bonus} . / . ."
        assert implementation.parse(text, ruleset="contest").scores()[0] == 3 + bonus
    for ruleset, bonus in (("rulebook", 1), ("contest", 41)):
        with pytest.raises(StateError, match=r"^bonus"):
            implementation.parse(f"ply 4 / . . / . AQ0+{bonus} . / . .", ruleset=ruleset)


MAPS = {
    "AI0 . / . BI0 . / . #": "two homes",
    "AI0 . / . BI0 CI0 / . CI0": "four",
    "AI0 . / . AI0 . / . CI0": "of the wrong players",
    "AI1 . / . BI0 . / . CI0": "robots",
    "AI0 a0 / . BI0 . / . CI0": "territory",
    "AI0 . / . BI0 #c0 / . CI0": "an owned hole",
    "AI0 AP0 / . BI0 . / . CI0": "another building",
}


@pytest.mark.parametrize("board", MAPS, ids=MAPS.values())
def test_what_is_no_map_is_refused_at_ply_0(implementation, board):
    """Section 4.3: a position of a later ply may have all of these."""
    variables = notation.parse(Config(radius=1), board)
    with pytest.raises(StateError, match=r"^(building|owner)"):
        implementation.from_dict(variables, radius=1)
    later = notation.parse(Config(radius=1), "ply 1 / " + board)
    assert implementation.from_dict(later, radius=1).to_dict() == later


def test_the_most_robots_of_a_position(implementation):
    """Section 12, 15: with six shields around them they still fit int32."""
    tokens = {(0, 0): f"a{2**24}", **dict.fromkeys(hexes.neighbours((0, 0)), "AS0")}
    board = " / ".join(" ".join(tokens.get(spot, ".") for spot in row) for row in hexes.rows(2))
    state, verdicts = play(implementation.parse(board), "finish")
    assert verdicts == ["ok"]
    assert cell(state, 0, 0) == f"a{2**30}"
    state.check()
    assert np.array(state.observation(0)["planes"][14], np.float64).max() == 2**30
    state, _ = play(state, "finish", "finish")
    assert cell(state, 0, 0) == f"a{2**24}"


def test_dicts_are_plain_json(implementation):
    state = implementation.parse(RICH)
    variables = state.to_dict()
    assert json.loads(json.dumps(variables)) == variables
    assert all(type(value) is bool for value in variables["hole"])
    assert type(variables["finished"]) is bool
    assert all(type(value) is int for name in ("owner", "robots", "building") for value in variables[name])


# -- commands and codes -----------------------------------------------------------------------------


def test_commands_are_read():
    assert read_command("rulebook", "move -3 2 dl 17") == Move((-3, 2), 5, 17)
    assert read_command("rulebook", " build 0  -1 pu ") == Build((0, -1), 9)
    assert read_command("contest", "reset") == "reset"
    assert read_command("contest", "finish") == "finish"


@pytest.mark.parametrize("ruleset", ["rulebook", "contest"])
def test_every_index_is_one_command(implementation, ruleset):
    """Section 6.4: exact codes correspond one to one to commands, and so do the RL codes that are actions."""
    state = implementation.new(1, ruleset=ruleset, radius=2)
    config = config_of(state)
    kinds = len(BUILDABLE[ruleset])
    seen = set()
    for index in range(1 + (6 + kinds) * 19):
        for amount in (0, 1, 70000) if 1 <= index <= 6 * 19 else (0,):
            action = index + 65536 * amount
            command = command_of(config, action)
            assert action_of(config, command) == action
            text = state.action_to_text(action)
            assert state.text_to_action(text) == action
            seen.add(text)
    assert len(seen) == 1 + (3 * 6 + kinds) * 19


@pytest.mark.parametrize("action", [-1, 1 + (6 + 8) * 19, 65536, 65536 + 1 + 6 * 19, -65536, 2**62])
def test_integers_that_stand_for_no_action(implementation, action):
    state = implementation.new(1, radius=2)
    assert state.why_illegal(action) == "6.4"
    assert state.encode(action) == -1
    with pytest.raises(ValueError, match="action"):
        state.action_to_text(action)
    with pytest.raises(IllegalActionError):
        state.apply(action)


@pytest.mark.parametrize("text", ["move 3 0 r 1", "move 0 0 r -1", "build 0 3 park", "reset", "walk", "", "move 0 0 r"])
def test_texts_that_are_no_action(implementation, text):
    with pytest.raises(NotationError):
        implementation.new(1, radius=2).text_to_action(text)


@pytest.mark.parametrize("code", [-1, 1 + (24 + 8) * 19, 2**31, -(2**40)])
def test_rl_codes_that_are_none(implementation, code):
    assert implementation.new(1, radius=2).decode(code) == -1


def test_codes_say_nothing_of_legality(implementation):
    """Section 6.4: an RL code has its action on every cell, whatever its owner."""
    state = implementation.parse(". . . / . b6 . . / . #a4 . . . / . . . . / . . .")
    base = 1 + 24 * hexes.indices(2)[0, -1]
    assert [state.action_to_text(state.decode(base + k)) for k in range(4)] == [
        "move 0 -1 r 6", "move 0 -1 r 3", "move 0 -1 r 2", "move 0 -1 r 1",
    ]  # fmt: skip
    assert state.why_illegal(state.decode(base)) == "M5"
    assert state.decode(FINISH) == FINISH
    assert state.encode(state.text_to_action("move 0 -1 r 5")) == -1  # no bucket offers this amount
