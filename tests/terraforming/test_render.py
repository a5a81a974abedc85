"""Rendering of Terraforming, the same from the reference and from the engine."""

import textwrap
import xml.etree.ElementTree as ET

import pytest

from masume import render
from masume.render.canvas import Act
from masume.terraforming import hexes
from masume.terraforming import render as drawing

from .conftest import index_of

BOARD = "player 1 / ply 5 / # c0 CI12 / b3 #b2 . BP4 / a0 AF7 AU9+10 b11 . / AX0 CT1 #c0 AS2 / AB0 AQ3 ."


def test_the_text_shows_land_buildings_and_robots(implementation):
    state = implementation.parse(BOARD)
    assert render.text(state) == textwrap.dedent("""\
        Terraforming, rulebook, radius 2, turn 2 of 200, b to move
              -2 #     c     CI 12
           -1 b   3 y   2       B P 4
         0 a     A F 7 A U 9 b  11
            1 A   X C T 1 z     A S 2     2
               2 A   B A Q 3           1
                       -2    -1     0
           points  developed  robots
        a      29          6      21
        b       5          1      20
        c       7          2      13""")


def test_the_svg_says_what_is_where(implementation):
    svg = "{http://www.w3.org/2000/svg}"
    tree = ET.fromstring(render.svg(implementation.parse(BOARD)))
    title = tree.find(f"{svg}title").text
    assert title == "Terraforming, rulebook, radius 2, turn 2 of 200, b to move: a 29; b 5; c 7"
    texts = [text.text for text in tree.iter(f"{svg}text")]
    assert {"12", "7", "11"} <= set(texts)
    assert sum((group.get("class") or "").startswith("piece") for group in tree.iter(f"{svg}g")) == 9


def test_a_frame_is_the_position(implementation):
    state = implementation.parse(BOARD)
    frame = drawing.frame(state)
    marks = dict(zip(hexes.cells(2), frame.cells, strict=True))
    shown = {place: marks[place] for place in ((0, -2), (1, -2), (0, -1), (1, -1), (0, 0), (0, 1), (-2, 2))}
    assert "".join(shown.values()) == "#cy.AzA"
    notes = {place: frame.notes.get(index_of(state, *place)) for place in ((2, -2), (1, 0), (-2, 0), (-2, 1), (0, 1))}
    assert list(notes.values()) == ["12", "11", None, None, None]
    assert [frame.glyphs.get(index_of(state, *place)) for place in notes] == ["I", None, None, "X", None]
    assert frame.scores == [(29, 6, 21), (5, 1, 20), (7, 2, 13)]
    assert drawing.scene(state).hexes == hexes.cells(2)


@pytest.mark.parametrize(
    ("board", "fields", "caption"),
    [
        ("player 1 / ply 5 / . . / . . . / . .", {}, "turn 2 of 200, b to move"),
        ("phase move / ply 1 / . . / . a1 . / . .", {}, "turn 1 of 200, a has moved"),
        ("phase built / ply 1 / . . / . a1 . / . .", {}, "turn 1 of 200, a has built"),
        ("phase pre / AI0 . / . BI0 . / . CI0", {"max_turns": 9}, "before the first of 9 turns"),
        ("phase finished / ply 3 / . . / . a1 . / . .", {"max_turns": 1}, "end in turn 1 of 1: a wins"),
        ("phase finished / ply 3 / . . / . . . / . .", {"max_turns": 1}, "end in turn 1 of 1: c wins"),
        ("phase finished / ply 3 / . . / . . . / . .", {"tie_break": "shared"}, "end in turn 1 of 200: no winner"),
    ],
)
def test_the_caption_says_when_it_is_and_who_won(implementation, board, fields, caption):
    assert drawing.frame(implementation.parse(board, **fields)).caption == caption


OPEN = ". . . / . a0 a0 . / . b2 a60 #b9 . / . a1 a0 . / . . ."
FINISH, MOVE, BUILD = range(3)
DONE, TOOK, FOUGHT = range(3)


@pytest.mark.parametrize(
    ("line", "verb", "target", "outcome"),
    [
        ("finish", FINISH, None, DONE),
        ("build 0 0 park", BUILD, (0, 0), DONE),
        ("move 0 0 ul 3", MOVE, (0, -1), DONE),
        ("move 0 0 l 3", MOVE, (-1, 0), TOOK),
        ("move 0 0 l 2", MOVE, (-1, 0), FOUGHT),
        ("move 0 0 r 10", MOVE, (1, 0), TOOK),
        ("move 0 0 r 9", MOVE, (1, 0), FOUGHT),
    ],
)
def test_acts(implementation, line, verb, target, outcome):
    before = implementation.parse(OPEN)
    action = before.text_to_action(line)
    after = before.clone()
    after.apply(action)
    place = -1 if target is None else index_of(before, *target)
    via = [index_of(before, 0, 0)] if verb == MOVE else ()
    assert drawing.acts(before, action, after) == [Act(-1, verb, place, outcome, via)]
