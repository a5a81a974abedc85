"""Rendering of Nezumi, the same from the reference and from the engine."""

import textwrap
import xml.etree.ElementTree as ET

import pytest

import masume
from masume import render
from masume.nezumi import render as drawing
from masume.render.canvas import Act
from random_games import random_game

from .conftest import play

GO, JUMP, PUT, CAPTURE, SPARE, LEAVE = range(6)
FIELD = """
    M.7Z
    .#.C
    M...
"""


def acts(implementation, *texts, rows=FIELD, **told):
    """Play actions on a drawn position and return the acts of the last one."""
    state = implementation.draw(rows, **told)
    play(state, *texts[:-1])
    before = state.clone()
    play(state, texts[-1])
    return drawing.acts(before, before.text_to_action(texts[-1]), state)


def test_the_text_shows_the_stage_the_animals_and_what_happened(implementation):
    state = implementation.draw(FIELD, cost=3, captured=1)
    play(state, "0,0E")
    assert render.text(state) == textwrap.dedent("""\
        Nezumi drawn, turn 2 of 9, mice to move (MOVE); food 0, cost 3, captured 1 of 3, 2 mice and 2 in reserve
           0  1  2  3
        0    *m *7 Z
        1    #     *C
        2 *M
              score
         cat      3
        mice     -3
        mouse 0,0 goes to 0,1""")


def test_the_svg_says_what_is_where(implementation):
    svg = "{http://www.w3.org/2000/svg}"
    tree = ET.fromstring(render.svg(implementation.draw(FIELD)))
    assert tree.find(f"{svg}title").text.startswith("Nezumi drawn, turn 2 of 9, mice to move (MOVE); food 0, cost 0")
    units = next(group for group in tree.iter(f"{svg}g") if group.get("class") == "units")
    assert [piece.get("class") for piece in units][:3] == ["piece p0", "piece p1", "piece p1"]
    drawn = {path.get("class"): path.get("d").count("M") for path in tree.iter(f"{svg}path") if path.get("class")}
    assert (drawn["block"], drawn["zone"]) == (1, 1)
    board = next(group for group in tree.iter(f"{svg}g") if group.get("class") == "board")
    assert [group.get("class") for group in board if "piece" in group.get("class")] == ["piece"]  # the food


def test_a_frame_is_the_position(implementation):
    frame = drawing.frame(implementation.draw("Mm5Z|#..C", under=[(0, 3, 1_500_000)], M=3))
    assert frame.cells == "..*+#..."
    assert frame.places == (7, 0, -1, -1, 1, -1, -1)
    assert frame.notes == {2: "5", 3: "1500g"}
    assert frame.glyphs == {2: "food", 3: "ham"}
    assert frame.scores == [(0,), (0,)]


@pytest.mark.parametrize(
    ("amount", "note"), [(1, "1"), (999, "999"), (1000, "1g"), (1500, "1500"), (10**6, "1kg"), (10**12, "1000000kg")]
)
def test_amounts_are_written_short(implementation, amount, note):
    state = implementation.draw("M..|..C", under=[(0, 2, amount)])
    assert drawing.frame(state).notes == {2: note}


@pytest.mark.parametrize(
    ("text", "action", "caption"),
    [
        ("M....|....C", "0,0E", "end in turn 9: cat wins, turn limit; food 0, cost 1"),
        ("M....|.C...|M.M..|.....", None, "turn 9 of 9, mice to move (MOVE); food 0, cost 0"),
        ("....|C...|....|..M.", "3,2W", "end in turn 9: cat wins, turn limit"),
        ("C...|....|.M..", "2,1N", "end in turn 9: mice win, surround; food 0, cost 0, captured 0 of 3, 1 mouse and 4"),
    ],
)
def test_the_caption_says_when_it_is_and_who_won(implementation, text, action, caption):
    state = implementation.draw(text, t=9)
    if action:
        play(state, action)
    assert drawing.frame(state).caption.startswith(caption)


def test_the_start_is_the_placement(implementation):
    caption = drawing.frame(implementation.new()).caption
    assert caption == "placement, mice to move; food 0, cost 0, captured 0 of 2, 0 mice and 3 in reserve"


def test_acts_show_steps_jumps_and_what_came_of_them(implementation):
    assert acts(implementation, "0,0E") == [Act(1, GO, 1, drawing.DONE)]
    assert acts(implementation, "2,0E", "0,0E") == [Act(1, GO, 1, drawing.DONE)]
    assert acts(implementation, "0,0E", rows="MM7.|...C|....") == [Act(1, JUMP, 2, drawing.ATE)]
    assert acts(implementation, "0,0E", rows="M.C.|....") == [Act(1, GO, 1, drawing.MET)]
    assert acts(implementation, "0,0E", rows="MM.C|....") == [Act(1, JUMP, 2, drawing.MET)]


def test_acts_show_the_cat_and_those_that_come_and_go(implementation):
    assert acts(implementation, "W", rows="MC..|....", phase="CAT1") == [Act(0, GO, 0, drawing.DONE)]
    assert acts(implementation, "-", rows="MC..|....", phase="CAT1") == []
    assert acts(implementation, "0,0E", "!", rows="M.C.|....") == [Act(0, CAPTURE, 1, drawing.DONE)]
    assert acts(implementation, "0,0E", "-", rows="M.C.|....") == [Act(0, SPARE, 1, drawing.DONE)]
    assert acts(implementation, "0,0E", "-", rows="MC..|....") == [Act(0, SPARE, 1, drawing.DONE)]
    assert acts(implementation, "0,0+", rows="Z..C|....", phase="ADD") == [Act(-1, PUT, 0, drawing.DONE)]
    assert acts(implementation, "1,0N", rows="M...|M...|...C") == [Act(2, LEAVE, 4, drawing.DONE)]


@pytest.mark.parametrize(
    ("rows", "told", "actions", "log"),
    [
        ("MM7.|...C|....", {}, ["0,0E"], ["mouse 0,0 goes to 0,2 over 1", "it eats 7 mg on 0,2"]),
        ("M.C.|....", {}, ["0,0E"], ["mouse 0,0 goes to 0,1", "the cat may capture on 0,1"]),
        ("M.C.|....", {}, ["0,0E", "!"], ["the cat captures on 0,1", "the turn costs 0 mg"]),
        (".MC.|....", {}, ["0,1E", "-"], ["the cat spares the mouse on 0,2", "the mouse on 0,2 leaves the stage"]),
        ("Z..C|....", {"phase": "ADD"}, ["0,0+"], ["a mouse comes in on 0,0"]),
        ("M..C|....", {"phase": "CAT1"}, ["W"], ["the cat goes to 0,2"]),
        ("M...|...C", {"t": 9}, ["0,0E"], ["mouse 0,0 goes to 0,1", "the turn costs 1 mg", "the end: TURNS"]),
    ],
)
def test_the_log_tells_the_events_in_words(implementation, rows, told, actions, log):
    state = implementation.draw(rows, **told)
    play(state, *actions)
    assert drawing.frame(state).log[: len(log)] == log


@pytest.mark.parametrize("stage", ["vault", "siege"])
def test_a_page_plays_whole_games(stage):
    game = random_game(masume.load("nezumi", stage=stage), ["a", "b"], 3)
    page = render.page([game], title="x")
    assert f"Nezumi {stage}" in page
    assert len(page.encode()) < 120_000
