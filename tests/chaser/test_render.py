"""Drawings of CHaser, equal for the reference and the engine."""

import dataclasses
import textwrap
import xml.etree.ElementTree as ET

import numpy as np
import pytest

import masume
from masume import render
from masume.chaser import render as drawing
from masume.chaser.maps import BLOCK, FLOOR, ITEM, Map
from masume.chaser.notation import CODES
from masume.render.canvas import TOGETHER, Act
from random_games import random_game

from .conftest import play

FIELD = """
    .#..
    .C*.
    ...H
"""


def acts(implementation, text, code, before=""):
    """Return the only act of a method on a drawn start."""
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
    assert [piece.get("class") for piece in units] == ["piece p0", "piece p1"]
    drawn = {path.get("class"): path.get("d").count("M") for path in tree.iter(f"{svg}path") if path.get("class")}
    assert drawn["block"] == 1
    board = next(group for group in tree.iter(f"{svg}g") if group.get("class") == "board")
    assert [group.get("class") for group in board if "piece" in group.get("class")] == ["piece"]  # the item


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
    assert [verb.name for verb in drawing.VERBS] == ["walk", "look", "search", "put a block"]


# -- the views of players ---------------------------------------------------------------------------------------------


def test_a_view_is_what_its_player_has_read_with_its_start_in_the_middle(implementation):
    state = implementation.start(FIELD)
    play(state, "wr")
    assert render.text(state, 0) == textwrap.dedent("""\
        CHaser 4×3 as COOL sees it, turn 1 of 100, HOT to move
            -2  -1   0   1   2   3
        -2
        -1     .   #   .   .
         0     .   #   * C .
         1     .   .   .   * H
         2
              items
        COOL      1
         HOT      ?
        COOL walks right
        COOL sees #.. #.. ..H""")
    assert render.text(state, 1) == textwrap.dedent("""\
        CHaser 4×3 as HOT sees it, turn 1 of 100, HOT to move
            -2  -1   0   1   2
        -2 :   :   :   :   :
        -1 :   * C .   #   :
         0 :   .   * H #   :
         1 :   #   #   #   :
         2
              items
        COOL      ?
         HOT      0
        HOT begins and sees C.# ..# ###""")


def test_the_farther_a_player_has_read_the_more_is_outside_the_field(implementation):
    state = implementation.start("C....H")
    outside = []
    for code in ("sr", "lu", "lu", "lu"):
        outside.append([drawing.frame(state, player).cells.count(drawing.OUTSIDE) for player in (0, 1)])
        play(state, code)
    # of eleven cells; a player who has read n cells in a row knows n - 1 of them to be outside
    assert outside == [[1, 0], [5, 1], [5, 1], [5, 1]]


def test_an_opponent_out_of_sight_is_drawn_pale_where_it_was(implementation):
    state = implementation.start("""
        .......
        C.H....
        .......
    """)
    seen = []
    for code in ("lr", "wr", "lu", "lr", "lu"):
        play(state, code)
        frame = drawing.frame(state, 0)
        seen.append((frame.places[1] % 13 - 6, 1 in frame.faint))
    assert seen == [(2, False), (2, True), (2, True), (2, True), (2, True)]


def test_nobody_is_told_who_won_or_what_the_other_has(implementation):
    state = implementation.start("C*H.", turn_limit=1)
    play(state, "wr")
    play(state, "lu")
    assert drawing.frame(state).caption == "end after 2 methods: COOL wins, SCORE"
    for player in (0, 1):
        frame = drawing.frame(state, player)
        assert frame.caption == "the game is over"
        assert frame.scores[1 - player] == (None,)
        assert [line.split()[0] for line in frame.log] == [drawing.PLAYERS[player]] * len(frame.log)


@pytest.mark.parametrize(("code", "target"), [("wl", -1), ("wr", 1), ("lr", 2), ("sr", 9), ("sl", -9), ("pl", -1)])
def test_acts_of_a_view_are_relative_to_the_start_and_the_players_own(implementation, code, target):
    """A search in the view does not reveal the end of the field."""
    before = implementation.start("." * 12 + "C" + "." * 6 + "H")
    after = before.clone()
    play(after, code)
    action = CODES.index(code)
    (act,) = drawing.acts(before, action, after, 0)
    assert act.target - 19 == target
    assert act == dataclasses.replace(*drawing.acts(before, action, after), target=act.target)
    assert drawing.acts(before, action, after, 1) == []


def careful_game(seed):
    """Return a Map, the actions of a random game on it without walks into seen blocks, and the players' cells."""
    rng = np.random.default_rng(seed)
    state = masume.load("chaser", height=12, width=13, n_blocks=12, n_items=30, turn_limit=12).new_state(seed)
    variables = state.to_dict()
    starts = list(zip(variables["row"], variables["col"], strict=True))
    drawn = Map(state.cells.tolist(), *starts, turn_limit=12)
    actions, paths = [], [{start} for start in starts]
    while not state.is_terminal():
        actions.append(int(rng.choice(np.flatnonzero(state.safe_mask))))
        state.apply(actions[-1])
        for path, cell in zip(paths, state.positions.tolist(), strict=True):
            path.add(tuple(cell))
    return drawn, actions, paths


def pictures(implementation, drawn, actions, player):
    """Return a player's views of a game (the scene, then acts and frame of each position), and the last position."""
    state = implementation.new(map=drawn)
    shown = [(drawing.scene(state, player), drawing.frame(state, player))]
    for action in actions:
        before = state.clone()
        state.apply(action)
        shown.append((drawing.acts(before, action, state, player), drawing.frame(state, player)))
    return shown, state


def find_unread(state, start, player):
    """Return the (row, column) of the cells of the field that a player has not read."""
    variables, frame = state.to_dict(), drawing.frame(state, player)
    height, width = variables["height"], variables["width"]
    unknown = (divmod(n, 2 * width - 1) for n, mark in enumerate(frame.cells) if mark == drawing.UNKNOWN)
    cells = ((start[0] + row - height + 1, start[1] + column - width + 1) for row, column in unknown)
    return [(row, column) for row, column in cells if 0 <= row < height and 0 <= column < width]


@pytest.mark.parametrize("seed", range(4))
def test_what_a_player_cannot_know_changes_nothing_in_its_view(implementation, seed):
    drawn, actions, paths = careful_game(seed)
    rng = np.random.default_rng(seed)
    for player in (0, 1):
        shown, last = pictures(implementation, drawn, actions, player)
        away = [  # the opponent's actions and their effects stay the same
            cell
            for cell in find_unread(last, drawn.starts[player], player)
            if all(abs(cell[0] - row) + abs(cell[1] - column) > 1 for row, column in paths[1 - player])
        ]
        assert len(away) > 5
        rows = [list(line) for line in drawn.rows]
        for row, column in rng.permutation(away)[:5].tolist():
            rows[row][column] = {FLOOR: ITEM, ITEM: BLOCK, BLOCK: FLOOR}[rows[row][column]]
        again, end = pictures(implementation, dataclasses.replace(drawn, rows=rows), actions, player)
        assert again == shown
        assert drawing.frame(end).cells != drawing.frame(last).cells


@pytest.mark.parametrize("seed", range(4))
def test_a_view_is_the_same_in_every_position_that_its_player_may_be_in(seed):
    drawn, actions, _ = careful_game(seed)
    state = masume.load("chaser", map=drawn).new_state()
    others = 0
    for action in actions:
        mover = state.current_player
        sample = state.resample(mover, seed)
        others += drawing.frame(sample).cells != drawing.frame(state).cells
        assert drawing.frame(sample, mover) == drawing.frame(state, mover)
        assert render.text(sample, mover) == render.text(state, mover)
        assert render.svg(sample, mover) == render.svg(state, mover)
        state.apply(action)
    assert others > len(actions) // 2


def test_a_page_with_all_views_stays_small():
    game = random_game(masume.load("chaser"), ["a", "b"], 23)
    assert len(game.moves) == 49
    alone = len(render.page([game], title="x").encode())
    assert alone < 80_000
    assert len(render.page([game, game], title="x").encode()) - alone < 20_000


@pytest.mark.parametrize("seed", range(6))
def test_in_the_dark_a_cell_is_shown_if_a_player_has_seen_it(implementation, seed):
    """The cells of all infos, by the way the players have walked; at the end there is no dark."""
    state, seen = implementation.start("\n".join(["....*....#.."] * 9 + ["C..........H"])), set()
    width = state.to_dict()["width"]

    def look():
        """Note what both have seen since the last look."""
        variables = state.to_dict()
        for player in range(2):
            row, column = variables["row"][player], variables["col"][player]
            planes = np.asarray(state.observation(player)["planes"])
            (own_row,), (own_column,) = np.nonzero(planes[4])
            for down, right in zip(*np.nonzero(planes[:3].any(axis=0)), strict=True):
                seen.add((row + down - own_row, column + right - own_column))
            seen.add((row, column))

    chance = np.random.default_rng(seed)
    while not state.is_terminal():
        look()
        cells = drawing.frame(state, TOGETHER).cells
        shown = {divmod(place, width) for place, mark in enumerate(cells) if mark != ":"}
        inside = {cell for cell in seen if 0 <= cell[0] < 10 and 0 <= cell[1] < width}
        assert shown == inside
        whole = drawing.frame(state).cells
        assert all(mark in (":", its) for mark, its in zip(cells, whole, strict=True))
        state.apply(int(chance.choice([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11])))
    assert drawing.frame(state, TOGETHER).cells == drawing.frame(state).cells
    assert ":" not in drawing.frame(state, TOGETHER).cells
