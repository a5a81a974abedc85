"""Texts of actions, events and positions."""

import pytest

from masume.battleship import notation
from masume.battleship.config import Config
from masume.battleship.notation import Action
from masume.battleship.reference import State
from masume.errors import NotationError, StateError

from .conftest import play

SIZES = [{}, {"width": 9, "height": 9, "fleet_sizes": [12, 3]}, {"width": 3, "height": 9}, {"width": 7, "height": 4}]


@pytest.mark.parametrize("fields", SIZES)
def test_codes_texts_and_actions_are_one_to_one(fields):
    config = Config.make(**fields)
    texts = set()
    for code in range(notation.num_actions(config)):
        action = notation.decode(config, code)
        assert notation.encode(config, action) == code
        text = notation.action_to_text(config, code)
        assert notation.text_to_action(config, f" {text}\n") == code
        texts.add(text)
    assert len(texts) == notation.num_actions(config)


def test_the_largest_number_of_codes():
    assert notation.num_actions(Config.make(width=9, height=9, fleet_sizes=[12, 12])) == 2643


def test_what_actions_say():
    config = Config.make()
    said = {
        "A0NE": Action(notation.ATTACK, 0, 1),
        "M1E3": Action(notation.MOVE, 1, 1, 3),
        "L1C": Action(notation.MINE, 1, 8),
        "T2E5": Action(notation.TORPEDO, 2, 24),
        "R1B2": Action(notation.REINFORCE, 1, 6),
        "F2": Action(notation.FLAG, 2),
        "P": Action(notation.PASS),
        "X": Action(notation.RESIGN),
        "KD": Action(notation.PICK, where=1),
        "SC3": Action(notation.PLACE, where=12),
    }
    assert {text: notation.decode(config, notation.text_to_action(config, text)) for text in said} == said


NO_ACTIONS = (
    "",
    "A",
    "A0",
    "A0X",
    "A3N",
    "a0n",
    "M0NE1",
    "M0N0",
    "M0N5",
    "T0F1",
    "T0A6",
    "T0A0",
    "R0",
    "F3",
    "KX",
    "PP",
)


@pytest.mark.parametrize("text", NO_ACTIONS)
def test_texts_that_are_no_action(text):
    with pytest.raises(NotationError, match=r"'.*'"):
        notation.text_to_action(Config.make(), text)


@pytest.mark.parametrize("action", [-1, 286])
def test_codes_that_are_no_action(action):
    with pytest.raises(ValueError, match=rf"^action: expected 0\.\.285, got {action}"):
        notation.action_to_text(Config.make(), action)


def test_panels():
    config = Config.make(width=9, height=3)
    assert [notation.panel_name(config, panel) for panel in (0, 8, 9, 26)] == ["A1", "I1", "A2", "I3"]
    for name in ("J1", "A4", "A0", "A", "A10", "11", "", "Ａ1"):
        with pytest.raises(NotationError, match=r"A1\.\.I3"):
            notation.panel_index(config, name)


def view(kind, *columns):
    return (notation.KINDS.index(kind), *columns, *[-1] * (10 - len(columns)))


def test_event_dicts():
    """Events become dicts with names and words. [section 14.5]"""
    config = Config.make("multi")
    for seen, told in [
        (view("HIT", 3, 1, -1, -1, 18, -1), {"player": 1, "panel": "D4"}),
        (
            view("MOVE", 2, 0, 1, 2, -1, 0, 4, 1),
            {"player": 0, "slot": 1, "cls": "S", "dir": 0, "dist": 4, "stop": "reef"},
        ),
        (view("START", 0, -1, -1, -1, -1, 2, 0, 1), {"order": [2, 0, 1]}),
        (view("GAME_OVER", 9, -1, -1, -1, -1, 5, 1), {"winners": [0, 2], "reason": "fuel"}),
        (view("OUT", 9, 2, -1, -1, -1, 6), {"player": 2, "cause": "unable"}),
        (view("MINE_SWEPT", 1, -1, -1, -1, 0), {"panel": "A1"}),
        (
            view("STATUS", 1, 0, 2, -1, 0, 3, 90, 0, 8),
            {"player": 0, "slot": 2, "panel": "A1", "hp": 3, "fp": 90, "aux": 0, "flags": 8},
        ),
    ]:
        told = {"kind": notation.KINDS[seen[0]], "round": seen[1], **told}
        assert notation.event_to_dict(config, seen) == told


def test_information_states_read_back():
    views = [view("TURN", 1, 0), view("PASS", 1, 0)]
    text = notation.information_state(2, views)
    assert text == "2|0,1,0,-1,-1,-1,-1,-1,-1,-1,-1|22,1,0,-1,-1,-1,-1,-1,-1,-1,-1"
    assert notation.views_of(text) == (2, views)
    assert notation.views_of("1") == (1, [])
    for bad in ("", "x", "1|", "1|2,x"):
        with pytest.raises(NotationError):
            notation.views_of(bad)


# -- text boards --------------------------------------------------------------------------------------


def texts(implementation):
    """Return text boards of setup, play and the end."""
    state = implementation.new(5, preset="multi", mission="flagship")
    yield str(state), {"preset": "multi", "mission": "flagship"}
    play(state, "KD KS")
    yield str(state), {"preset": "multi", "mission": "flagship"}
    play(state, "F1 SA1")
    yield str(state), {"preset": "multi", "mission": "flagship"}
    state = implementation.battle("D@C3 S@A1", "B@E5", terrain_map="...../.~.../...%./...../..^..")
    play(state, "T0E5 A0N L0S")
    yield str(state), implementation.last
    state.forfeit(1, "resign")
    yield str(state), implementation.last


def test_text_boards_read_back(implementation):
    for text, fields in texts(implementation):
        assert str(implementation.parse(text, **fields)) == text
        loose = "\n\n".join(f"  {line} " for line in text.splitlines())
        assert str(implementation.parse(loose, **fields)) == text


def change(text, old, new):
    assert old in text
    return text.replace(old, new)


BOARD = """.....
.....
.....
.....
.....
rng: 7
phase: play
turn: cur 0 ptr 0 round 1 turns 1 passes 0
order: 0 1
P0: qual 1 active 1 reinf 1 flag 3 dealt 0 kills 0 next 1
P0 ships: B@A1 3 100 0 0
P0 known: A1
P0 mines: B2*1
P0 torpedoes: 0:B1>D3
P1: qual 1 active 1 reinf 1 flag 3 dealt 0 kills 0 next 0
P1 ships: B@E5 3 100 0 0
P1 known: E5
P1 mines:
P1 torpedoes:"""


@pytest.mark.parametrize(
    ("old", "new", "line", "told"),
    [
        ("rng: 7", "rng: x", 6, "expected a number, got 'x'"),
        ("rng: 7\n", "", 18, "rng: missing"),
        ("rng: 7", "rng: 7\nrng: 7", 7, "given twice"),
        ("rng", "ring", 6, "expected one of rng"),
        ("phase: play", "phase: over", 7, "SIDES REASON"),
        ("phase: play", "phase: setup pick x", 7, "SIDES REASON"),
        ("cur 0", "cur x", 8, "cur n ptr n"),
        ("cur 0 ptr 0", "ptr 0 cur 0", 8, "cur n ptr n"),
        ("order: 0 1", "order: 0 a", 9, "players"),
        ("B@A1 3 100 0 0", "X@A1 3 100 0 0", 11, "CLASS@PANEL"),
        ("B@A1 3 100 0 0", "B@A1 3 100 0 0, B@A2 3 100 0 0", 11, "1 ships"),
        ("B@A1 3", "B@F1 3", 11, "expected a panel A1.."),
        ("known: A1", "known: A9", 12, "expected a panel A1.."),
        ("B2*1", "B2", 13, r"PANEL\*COUNT"),
        ("0:B1>D3", "B1>D3", 14, "ID:PANEL>TARGET"),
        ("0:B1>D3", " ".join(["0:B1>D3"] * 9), 14, "at most 8"),
        (".....\nrng", "....\nrng", 5, "expected 5 panels, got 4"),
        (".....\nrng", "...x.\nrng", 5, "expected one of the panels"),
        (".....\nrng", ".....\n.....\nrng", 6, "the 5 rows end above"),
        (".....\nrng", "rng", 18, "expected 5 rows, got 4"),
    ],
)
def test_text_boards_that_cannot_be_read(implementation, old, new, line, told):
    fields = {"fleets": ["B"], "terrain": True}
    assert implementation.parse(BOARD, **fields).to_dict() == State.parse(Config.make(**fields), BOARD).to_dict()
    with pytest.raises(NotationError, match=told) as caught:
        implementation.parse(change(BOARD, old, new), **fields)
    assert caught.value.line == line


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("B@A1 3", "B@A1 4", "ship_hp"),
        ("B@A1 3 100", "B@A1 3 101", "ship_fp"),
        ("order: 0 1", "order: 0 0", "order"),
        ("cur 0", "cur 1", "cur|ptr"),
        ("P1: qual 1", "P1: qual 0", "qual"),
        ("next 1", "next 0", "torp_id"),
        ("0:B1>D3", "0:D3>D3", "torp"),
        ("phase: play", "phase: over 0 victory", "winners"),
    ],
)
def test_text_boards_of_no_position(implementation, old, new, told):
    with pytest.raises(StateError, match=told):
        implementation.parse(change(BOARD, old, new), fleets=["B"], terrain=True)
