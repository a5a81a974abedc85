"""Drawings of Kakomimasu, equal for the reference and the engine."""

import textwrap
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from masume import render
from masume.kakomimasu import render as drawing
from masume.render.canvas import HEXAGON, SQUARE, Act

GOLDEN = Path(__file__).parents[1] / "data" / "render"
SVG = "{http://www.w3.org/2000/svg}"
POSITION = """
    AAA.b
    AaAB.
    AAAB.
    agents: A0@1,0 A1@unplaced B0@3,2 B1@unplaced
    played: 3
"""
POINTS = [1, -2, 3, 4, -5, 6, -16, 8, 9, 0, 11, 12, -13, 14, 15]


@pytest.fixture
def state(implementation):
    return implementation.parse(POSITION, n_players=2, points=POINTS)


def test_km_45_the_text_shows_owners_points_agents_and_scores(state):
    """KM-45"""
    assert render.text(state) == textwrap.dedent("""\
        Kakomimasu 5×3, after turn 3 of 5
             0    1    2    3    4
        0 A  1 * A0 A  3    4 b -5
        1 A  6 a-16 A  8 B  9    0
        2 A 11 A 12 A-13 * B0   15
           total  walls  territory
        A     42     26         16
        B     28     23          5""")


def test_color_adds_nothing_but_escapes(state):
    colored = render.text(state, color=True)
    assert "\x1b[48;5;25;38;5;231mA  1\x1b[0m" in colored
    assert "\x1b[38;5;33ma-16\x1b[0m" in colored
    assert "\x1b[48;5;214;38;5;16m\x1b[1;7m* B0\x1b[0m" in colored
    plain = "".join(part.partition("m")[2] if k else part for k, part in enumerate(colored.split("\x1b")))
    assert plain == render.text(state)


def test_negative_points_of_neutral_cells_are_colored(implementation):
    state = implementation.parse("A.\n..", n_players=2, points=[-1, -2, 3, 4])
    assert "\x1b[38;5;167m -2\x1b[0m" in render.text(state, color=True)
    assert "\x1b[38;5;167m  3" not in render.text(state, color=True)


def test_the_svg_is_the_golden_one(state):
    # to update it, write render.svg(state) to the file and inspect it
    assert render.svg(state) == (GOLDEN / "kakomimasu.svg").read_text("utf-8")


def test_the_svg_says_who_owns_what(state):
    tree = ET.fromstring(render.svg(state))
    assert tree.find(f"{SVG}title").text == "Kakomimasu 5×3, after turn 3 of 5: A 42; B 28"
    drawn = {path.get("class"): path.get("d").count("M") for path in tree.iter(f"{SVG}path") if path.get("class")}
    assert {kind: drawn[kind] for kind in ("low", "tint p0", "hatch p0", "tint p1", "hatch p1")} == {
        "low": 4, "tint p0": 1, "hatch p0": 1, "tint p1": 1, "hatch p1": 1,
    }  # fmt: skip
    board = next(group for group in tree.iter(f"{SVG}g") if group.get("class") == "board")
    walls = {path.get("class"): path.get("d").count("M") for path in board.iter(f"{SVG}path")}
    assert (walls["bricks p0"], walls["bricks p1"]) == (walls["plot p0"], walls["plot p1"]) == (8, 2)
    units = next(group for group in tree.iter(f"{SVG}g") if group.get("class") == "units")
    assert [(piece.get("class"), piece[-1].text) for piece in units] == [("piece p0", "0"), ("piece p1", "0")]
    values = [text.text for group in board if group.get("class").startswith("value") for text in group]
    assert [int(value.replace("−", "-")) for value in values] == [4, 0, 15, 1, 3, 6, 8, 11, 12, -13, 9, -16, -5]


def test_the_shapes_of_players_differ():
    for shapes in (SQUARE, HEXAGON):
        assert len(set(shapes["solid"])) == len(set(shapes["hatch"])) == 4


def test_every_tile_is_drawn_with_its_player(implementation):
    state = implementation.parse("ABCD\nabcd\n....", n_players=4)
    frame, scene = drawing.frame(state), drawing.scene(state)
    assert frame.cells == "ABCDabcd...."
    assert [tile.name for tile in scene.tiles] == ["neutral", *(f"wall of {p}" for p in "ABCD"), *(
        f"territory of {p}" for p in "ABCD")]  # fmt: skip
    assert [unit.name for unit in scene.units] == ["A0", "B0", "C0", "D0"]
    assert frame.places == (-1, -1, -1, -1)


def test_acts_tell_targets_and_fates(implementation):
    before = implementation.parse(
        """
        A.B.
        ....
        agents: A0@0,0 A1@unplaced B0@2,0 B1@unplaced
    """,
        n_players=2,
    )
    after = before.clone()
    # A0 and B0 meet on 1,0; A1 is put on an enemy wall, B1 on 3,1
    move = [1 + 2, 17 + 2, 1 + 6, 17 + 7]
    after.apply(move, on_illegal="fallback")
    assert drawing.acts(before, move, after) == [
        Act(0, drawing.MOVE, 1, 1),
        Act(1, drawing.PUT, 2, 2),
        Act(2, drawing.MOVE, 1, 1),
        Act(3, drawing.PUT, 7, 0),
    ]
    assert [drawing.OUTCOMES[act.outcome].name for act in drawing.acts(before, move, after)] == [
        "conflict", "blocked", "conflict", "done",
    ]  # fmt: skip


def test_acts_off_the_board_and_of_agents_not_placed_aim_at_nothing(implementation):
    before = implementation.parse(
        """
        A..B
        agents: A0@0,0 A1@unplaced B0@3,0 B1@unplaced
    """,
        n_players=2,
    )
    after = before.clone()
    move = [1 + 6, 9, 9 + 6, 0]  # A0 moves off, A1 (unplaced) removes, B0 removes without a wall, B1 stays
    after.apply(move, on_illegal="fallback")
    assert drawing.acts(before, move, after) == [
        Act(0, drawing.MOVE, -1, 5),
        Act(1, drawing.REMOVE, -1, 5),
        Act(2, drawing.REMOVE, 2, 5),
        Act(3, drawing.STAY, -1, 0),
    ]


@pytest.mark.parametrize(
    ("text", "caption"),
    [
        ("A.B\nplayed: 0", "start of 5 turns"),
        ("A.B\nplayed: 4", "after turn 4 of 5"),
        ("A.B\nplayed: 5", "end after turn 5: draw of A and B"),
        ("AAB\nplayed: 5", "end after turn 5: A wins"),
        ("ABC\nplayed: 5", "end after turn 5: draw of A and B and C"),
        ("AABBC\nplayed: 5", "end after turn 5: draw of A and B"),
    ],
)
def test_km_49_the_caption_says_when_it_is_and_who_won(implementation, text, caption):
    """KM-49"""
    assert drawing.frame(implementation.parse(text)).caption == caption


def test_a_long_game_of_many_agents_stays_small():
    from random_games import kakomimasu

    game = kakomimasu(width=20, height=20, n_agents=8, total_turns=60, seed=5)
    alone = len(render.page([game], title="x").encode())
    assert alone < 100_000
    assert len(render.page([game, game], title="x").encode()) - alone < 60_000
