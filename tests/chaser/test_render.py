"""What CHaser looks like, drawn from the reference and from the engine alike."""

import textwrap
import xml.etree.ElementTree as ET

import pytest

from masume import render
from masume.chaser import render as drawing
from masume.chaser.notation import CODES
from masume.render.canvas import Act

from .conftest import play

FIELD = """
    .#..
    .C*.
    ...H
"""


def acts(implementation, text, code, before=""):
    """The one act of a code on a drawn start."""
    state = implementation.start(text)
    play(state, before)
    after = state.clone()
    play(after, code)
    (act,) = drawing.acts(state, CODES.index(code), after)
    return act


def test_the_text_shows_the_field_the_players_and_the_items(implementation):
    state = implementation.start(FIELD)
    play(state, "wr")
    assert render.text(state) == textwrap.dedent("""\
        CHaser 4×3, turn 1 of 100, HOT to move
           0  1  2  3
        0    #
        1    #  *C
        2          *H
              items
        COOL      1
         HOT      0
        COOL walks right
        COOL sees #.. #.. ..H
        HOT begins and sees C.# ..# ###""")


def test_the_svg_says_what_is_where(implementation):
    svg = "{http://www.w3.org/2000/svg}"
    tree = ET.fromstring(render.svg(implementation.start(FIELD)))
    assert tree.find(f"{svg}title").text == "CHaser 4×3, turn 1 of 100, COOL to move: COOL 0; HOT 0"
    units = next(group for group in tree.iter(f"{svg}g") if group.get("class") == "units")
    assert [text.text for text in units.iter(f"{svg}text")] == ["C", "H"]
    drawn = {path.get("class"): path.get("d").count("M") for path in tree.iter(f"{svg}path") if path.get("class")}
    assert (drawn["block"], drawn["glyph item"]) == (1, 1)


def test_a_frame_is_the_position(implementation):
    frame = drawing.frame(implementation.start(FIELD))
    assert frame.cells == ".#....*....."
    assert frame.places == (5, 11)
    assert frame.scores == [(0,), (0,)]


def test_who_has_left_the_field_is_nowhere(implementation):
    state = implementation.start("C..H")
    play(state, "wu")
    assert drawing.frame(state).places == (-1, 3)


@pytest.mark.parametrize(
    ("text", "codes", "caption"),
    [
        ("C..H", "", "turn 1 of 2, COOL to move"),
        ("C..H", "lu lu lu", "turn 2 of 2, HOT to move"),
        ("C..H", "lu lu lu lu", "end after 4 methods: draw, SCORE"),
        ("C..H", "wl", "end after 1 method: HOT wins, COLLISION"),
        ("CH..", "pr", "end after 1 method: COOL wins, ATTACK"),
    ],
)
def test_the_caption_says_when_it_is_and_who_won(implementation, text, codes, caption):
    state = implementation.start(text, turn_limit=2)
    play(state, codes)
    assert drawing.frame(state).caption == caption


WALK, LOOK, SEARCH, PUT = range(4)


@pytest.mark.parametrize(
    ("code", "act"),
    [
        ("wl", Act(0, WALK, 4, drawing.DONE)),
        ("wr", Act(0, WALK, 6, drawing.TOOK)),
        ("wu", Act(0, WALK, 1, drawing.HIT)),
        ("pd", Act(0, PUT, 9, drawing.DONE)),
        ("lr", Act(0, LOOK, 7, drawing.DONE)),
        ("ld", Act(0, LOOK, -1, drawing.DONE)),
        ("sr", Act(0, SEARCH, 7, drawing.DONE)),
        ("su", Act(0, SEARCH, 1, drawing.DONE)),
    ],
)
def test_acts_tell_targets_and_fates(implementation, code, act):
    assert acts(implementation, FIELD, code) == act


def test_acts_at_the_edge(implementation):
    assert acts(implementation, "C..H", "wl") == Act(0, WALK, -1, drawing.HIT)
    assert acts(implementation, "C..H", "pl") == Act(0, PUT, -1, drawing.DONE)
    assert acts(implementation, "C..H", "su") == Act(0, SEARCH, -1, drawing.DONE)
    assert acts(implementation, "C..H", "wl", "lu") == Act(1, WALK, 2, drawing.DONE)
    assert acts(implementation, "C..H", "pr") == Act(0, PUT, 1, drawing.SHUT_IN)


def test_a_forfeit_is_no_act(implementation):
    state = implementation.start("C..H")
    after = state.clone()
    after.forfeit(0, "FOUL")
    assert drawing.acts(state, (0, "FOUL"), after) == []


def test_outcomes_that_failed_have_a_badge():
    assert [bool(outcome.badge) for outcome in drawing.OUTCOMES] == [False, False, True, True]
    assert [verb.name for verb in drawing.VERBS] == ["walk", "look", "search", "put"]
