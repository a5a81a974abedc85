"""All pictures: drawings found by game, plug-ins drawn as text, consistent pages."""

import dataclasses
import json
import math
import re
import textwrap
import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import pytest

import masume
from gallery.reference import hexagons, sea
from masume import render
from masume.render import canvas
from masume.render.drawing import draw_seen, drawing_of
from masume.render.pack import MAPS
from masume.render.svg import style
from random_games import kakomimasu, random_game
from toy import Counting

GALLERY = {"hexagons": hexagons, "sea": sea}
TONES = {"own", "light", "dark", "paper", "ink", "stroke", "yellow", "red", "green", "orange", "blue"}
SHAPES = {"plain", "block", "water", "zone", "unknown", "void"}  # of tiles without an owner
HOSTILE = "</script><script>alert(1)</script><!-- & \"quotes\" 'and' \u2028\u2029 囲み"


class Reader(HTMLParser):
    """Parser that collects the elements of a page with their attributes, and the text inside the last of each."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.texts, self._open = [], {}, []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        self._open.append(tag)
        self.texts[tag] = ""

    def handle_endtag(self, tag):
        while self._open and self._open.pop() != tag:
            pass

    def handle_data(self, data):
        for tag in set(self._open):
            self.texts[tag] += data


def data_of(page):
    """Return the data of the page's script."""
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page).group(1))


def unpack(game, view=None):
    """Return the frames of a packed game, or of a player's view, as data of `canvas`; by the rules of page.js."""
    whole, game = game, game if view is None else game | game["views"][view]
    num_cells = len(game["hexes"]) // 2 or game["width"] * game["height"]
    cells = [game["tiles"][0][0]] * num_cells if game["tiles"] else []
    places, scores, faint = [-1] * len(game["units"]), [], []
    maps = {name: {} for name in MAPS}
    frames = []
    for frame, beside in zip(game["frames"], whole["frames"], strict=True):
        runs = frame.get("cells", [])
        for first, marks in zip(runs[::2], runs[1::2], strict=True):
            cells[first : first + len(marks)] = marks
        maps = {name: dict(items) for name, items in maps.items()}
        for name, items in {"places": places, **maps}.items():
            changed = frame.get(name, [])
            for at, new in zip(changed[::2], changed[1::2], strict=True):
                items[at] = tuple(new) if name == "pips" and new else new
        maps = {name: {key: value for key, value in items.items() if value} for name, items in maps.items()}
        scores, faint = frame.get("scores", scores), frame.get("faint", faint)
        frames.append(
            canvas.Frame(
                caption=frame.get("caption", beside["caption"]),
                scores=scores,
                cells="".join(cells),
                places=list(places),
                faint=faint,
                **maps,
                log=[beside["log"][line] if isinstance(line, int) else line for line in frame.get("log", [])],
                text=frame.get("text", ""),
            )
        )
    return frames


def acts_of(frame):
    """Return the acts of a packed frame."""
    items = frame.get("acts", [])
    acts = []
    for unit, verb, aim, outcome in zip(*(items[n::4] for n in range(4)), strict=True):
        *via, target = aim if isinstance(aim, list) else [aim]
        acts.append(canvas.Act(unit, verb, target, outcome, via))
    return acts


def plain_data(frame):
    """Return the frame with lists in place of tuples."""
    return dataclasses.replace(
        frame,
        scores=[list(scores) for scores in frame.scores],
        places=list(frame.places),
        faint=sorted(frame.faint),
        **{name: dict(getattr(frame, name)) for name in MAPS},
        log=list(frame.log),
    )


def record_game(name):
    """Return a game of the gallery, or the first moves of a random game."""
    if name in GALLERY:
        return GALLERY[name]()
    game = masume.load(name)
    return random_game(game, ["x"] * game.num_players, 1, plies=80)


@pytest.mark.parametrize("name", [*masume.games(), *GALLERY])
def test_what_games_say_of_their_looks_holds_together(name):
    recorded = record_game(name)
    first = recorded.positions[0]
    drawing = drawing_of(first)
    scene = drawing.scene(first)
    if hasattr(first, "game"):
        assert scene.hides is not first.game.is_perfect_information
    views = [{"player": player} for player in range(len(scene.players))] if scene.hides else []
    for view in ({}, *views):
        scene = drawing.scene(first, **view)
        num_cells, num_units = len(canvas.Grid(scene).spots), len(scene.units)
        marks = [tile.mark for tile in scene.tiles]
        assert len(set(marks)) == len(marks) > 0
        for tile in scene.tiles:
            assert len(tile.mark) == 1
            assert tile.shape in (SHAPES if tile.player < 0 else {"solid", "wall", "plot", "hatch"})
            assert tile.player < len(canvas.SQUARE["solid"])
            assert tile.glyph in ("", *canvas.GLYPHS, *scene.shapes)
        assert len(scene.values) in (0, num_cells)
        assert {unit.shape for unit in scene.units} <= {"", *scene.shapes}
        assert {tone for shape in scene.shapes.values() for tone, _ in shape.paths} <= TONES
        assert {verb.shape for verb in scene.verbs} <= {"none", "arrow", "arc", "ring", "cross"}
        for state in recorded.positions:
            frame = drawing.frame(state, **view)
            assert len(frame.cells) == num_cells
            assert set(frame.cells) <= set(marks)
            assert len(frame.places) == num_units
            assert all(-1 <= cell < num_cells for cell in frame.places)
            assert set(frame.faint) <= set(range(num_units))
            assert [len(scores) for scores in frame.scores] == [len(scene.score_names)] * len(scene.players)
            assert all(0 <= cell < num_cells for cell in frame.notes)
            assert all(note and note.count("\n") < 2 for note in frame.notes.values())
            assert {*frame.looks.values(), *frame.glyphs.values()} <= set(scene.shapes)
            assert {*frame.looks, *frame.pips} <= set(range(num_units))
            assert all(0 <= left <= most for left, most in frame.pips.values())
            assert set(frame.glyphs) <= set(range(num_cells))
            assert all(line and "\n" not in line for line in (frame.caption, *frame.log))
        for move, (before, after) in zip(recorded.moves, pairwise(recorded.positions), strict=True):
            for act in drawing.acts(before, move, after, **view):
                assert -1 <= act.unit < num_units
                assert all(-1 <= cell < num_cells for cell in (act.target, *act.via))
                assert 0 <= act.verb < len(scene.verbs)
                assert 0 <= act.outcome < len(scene.outcomes)


def test_a_page_unpacks_to_the_frames_of_its_games():
    fields = {"width": 9, "height": 7, "n_players": 3, "n_agents": 4, "total_turns": 25}
    chaser = random_game(masume.load("chaser", height=9, width=8, n_blocks=4, n_items=20), ["a", "b"], 3)
    games = [kakomimasu(seed=1, **fields), kakomimasu(seed=2, **fields), chaser, hexagons(), sea()]
    packed = data_of(render.page(games, title="five"))["games"]
    assert [len(game.get("views", [])) for game in packed] == [0, 0, 2, 0, 2]
    for game, found in zip(games, packed, strict=True):
        drawing = drawing_of(game.positions[0])
        for player in (None, *range(len(found.get("views", [])))):
            view = {} if player is None else {"player": player}
            frames = [plain_data(drawing.frame(state, **view)) for state in game.positions]
            assert unpack(found, player) == frames
            shown = (found if player is None else found["views"][player])["frames"]
            moves = zip(game.moves, pairwise(game.positions), shown[1:], strict=True)
            for move, (before, after), frame in moves:
                assert acts_of(frame) == [
                    dataclasses.replace(act, via=list(act.via)) for act in drawing.acts(before, move, after, **view)
                ]


def test_a_page_shows_games_in_order_and_big_seeds_exactly():
    games = [kakomimasu(["a", "b"], seed, width=2, height=2, n_agents=1, total_turns=2) for seed in (2**64 - 1, 7)]
    assert [game["seed"] for game in data_of(render.page(games, title="x"))["games"]] == [str(2**64 - 1), "7"]


def test_drawing_changes_no_state():
    game = kakomimasu(width=6, height=6, n_agents=3, total_turns=10)
    before = [state.to_bytes() for state in game.positions]
    render.page([game], title="x")
    for state in game.positions:
        render.text(state)
        render.svg(state)
    assert [state.to_bytes() for state in game.positions] == before


@pytest.mark.parametrize(
    ("games", "frames"),
    [
        ([], []),
        ([{"width": 1, "height": 1, "n_agents": 1, "total_turns": 1}], [2]),
        ([{"width": 1, "height": 30, "n_players": 4, "n_agents": 16, "total_turns": 2}, {"total_turns": 1}], [3, 2]),
    ],
)
def test_pages_of_no_game_and_of_the_smallest(games, frames):
    names = [["x"] * fields.get("n_players", 2) for fields in games]
    page = render.page([kakomimasu(who, **fields) for who, fields in zip(names, games, strict=True)], title="t")
    assert [len(game["frames"]) for game in data_of(page)["games"]] == frames


def test_a_game_without_a_move():
    game = kakomimasu(width=3, height=3, n_agents=1, total_turns=1)
    game.moves, game.positions = [], game.positions[:1]
    assert [len(found["frames"]) for found in data_of(render.page([game], title="t"))["games"]] == [1]


def test_moves_and_states_must_agree():
    game = kakomimasu(width=3, height=3, n_agents=1, total_turns=3)
    game.moves.pop()
    with pytest.raises(ValueError, match="zip"):
        render.page([game], title="t")


def test_what_users_name_is_escaped():
    game = kakomimasu([HOSTILE, "two"], width=2, height=2, n_agents=1, total_turns=1)
    page = render.page([game], title=HOSTILE, summary=[{HOSTILE: HOSTILE, "n": 1}])
    reader = Reader(page)
    assert [tag for tag, _ in reader.elements].count("script") == 2
    assert reader.texts["title"] == reader.texts["h1"] == HOSTILE
    assert reader.texts["td"] == "1"
    assert "\u2028" not in page.split('id="data">')[1]
    assert data_of(page)["games"][0]["names"] == [HOSTILE, "two"]


def test_a_page_needs_nothing_from_elsewhere():
    page = render.page([kakomimasu(width=4, height=4, n_agents=2, total_turns=3)], title="t", throughput=[(1.0, 2.0)])
    reader = Reader(page)
    linked = [value for _, attrs in reader.elements for name, value in attrs.items() if name in ("src", "href")]
    assert linked == ["data:,", "#summary"]
    policies = [attrs["content"] for tag, attrs in reader.elements if tag == "meta" and "http-equiv" in attrs]
    assert len(policies) == 1
    assert policies[0].startswith("default-src 'none';")
    assert not re.search(r"url\(|@import|fetch\(|XMLHttpRequest|WebSocket|import\(", page)


def test_the_summary_is_a_table_with_its_numbers_grouped():
    rows = [
        {"game": "kakomimasu", "games": 12345, "moves/s": 1234567.8, "mean length": 60.0},
        {"game": "toy", "games": 1, "moves/s": 3.5, "mean length": 6.25},
    ]
    page = render.page([], title="t", summary=rows, throughput=[(0.5, 10.0), (1.23456, 12.0)])
    cells = re.findall(r'<td( class="number")?>(.*?)</td>', page)
    assert [text for _, text in cells] == ["kakomimasu", "12,345", "1,234,568", "60.0", "toy", "1", "3.5", "6.25"]
    assert [bool(number) for number, _ in cells] == [False, True, True, True] * 2
    assert data_of(page)["throughput"] == [[0.5, 10.0], [1.235, 12.0]]
    assert "<table>" not in render.page([], title="t")


def test_a_summary_of_unlike_rows_is_refused():
    with pytest.raises(ValueError, match=r"summary: .*\['a'\] and \['b'\]"):
        render.page([], title="t", summary=[{"a": 1}, {"b": 2}])


def test_a_plug_in_is_drawn_as_its_text():
    game = masume.load(Counting())
    played = random_game(game, ["odd <name>", "even"])
    state = played.positions[3]
    assert render.text(state).startswith(f"counting, player {state.current_player} to move\n{state}\n")
    tree = ET.fromstring(render.svg(state))
    assert "".join(tree.itertext()).count(str(state).splitlines()[0]) == 1
    found = data_of(render.page([played], title="t"))["games"][0]
    assert [frame["text"] for frame in found["frames"]] == [str(state) for state in played.positions]
    last = unpack(found)[-1]
    assert last.caption == "the end"
    assert last.scores == [[int(score)] for score in played.positions[-1].scores()]
    assert render.text(masume.load(Counting(units=2)).new_state()).startswith("counting, all to move\n")


def test_a_player_of_a_plug_in_that_hides_things_sees_its_observation():
    state = random_game(masume.load(Counting()), ["a", "b"]).positions[3]
    other = state.game.state_from_dict(state.to_dict() | {"rng": 1, "score": [5, 0]})
    assert render.text(state) != render.text(other)
    for player in (0, 1):
        told = render.text(state, player)
        assert told.startswith(f"counting as {player} sees it, player ")
        assert all(f"{name}: " in told for name in state.game.observation_spec)
        assert told.endswith("\n   score\n0      ?\n1      ?")
        assert (told == render.text(other, player)) == (render.svg(state, player) == render.svg(other, player))


def test_a_player_that_is_not_there_sees_nothing():
    states = [kakomimasu(width=2, height=2, n_agents=1, total_turns=1).positions[0], sea().positions[0]]
    for state in states:
        for player in (-1, 2, "0"):
            for draw in (render.text, render.svg):
                with pytest.raises(ValueError, match=rf"player: expected 0\.\.1, got {player!r}"):
                    draw(state, player)


def test_where_nothing_is_hidden_every_player_sees_everything():
    state = kakomimasu(width=3, height=3, n_agents=1, total_turns=2).positions[-1]
    assert render.text(state, 1) == render.text(state)
    assert render.svg(state, 1) == render.svg(state)


# -- boards of hexagons, and all drawable things ---------------------------------------------------


def test_hexagons_lie_beside_their_six_neighbours():
    scene = hexagons().positions[0].scene
    grid = canvas.Grid(scene)
    at = dict(zip(scene.hexes, grid.centres, strict=True))
    for (x, y), (left, top) in at.items():
        for (column, row), (far, low) in at.items():
            dx, dy = column - x, row - y
            steps = max(abs(dx), abs(dy), abs(dx + dy))
            distance = math.hypot(far - left, low - top)
            assert (steps == 1) == (31 < distance < 33), ((x, y), (column, row))
    right, below = at[0, 0], at[0, 1]
    assert (at[1, 0][0] - right[0], at[1, 0][1] - right[1]) == (32, 0)
    assert (below[0] - right[0], below[1] - right[1]) == (16, 28)


def test_what_is_written_beside_a_board_touches_no_cell_and_stays_inside():
    for positions in (hexagons().positions, sea().positions):
        grid = canvas.Grid(positions[0].scene)
        width, height = grid.size
        labels = [where for _, where, _ in [*grid.rows, *grid.columns]]
        assert len(set(labels)) == len(labels) == 10
        for x, y in labels:
            assert 8 <= x <= width - 8
            assert 8 <= y <= height - 8
            assert all(math.hypot(x - left, y - top) > 20 for left, top in grid.centres)


def test_text_boards_of_hexagons_lean():
    assert render.text(hexagons().positions[1]) == textwrap.dedent("""\
        Hexagons of radius 2, robots moved
                -2 C       D
            -1 b  1234 #     3
         0 a     7 B   P 9 *   X:5
             1 A  F 12              -2               2
                 2         c123456 d             1
                            -2      -1       0
           points  cells
        A       4      1
        B      -5      2
        C   12345      4
        A moves 7 robots to 1,0
        B builds <P> & waits""")


def test_text_boards_show_units_that_share_a_cell_and_those_that_are_hidden():
    state = sea().positions[0]
    _, *lines = render.text(state).split("\n")
    rows = [[" ".join(cell.split()) for cell in re.findall(".{16}", line[1:].ljust(96))] for line in lines]
    assert rows[0] == ["A", "B", "C", "D", "E", "F"]
    assert rows[1] == ["* D0:3", "f 2", "h", "r", "s", "w"]
    assert rows[2][2] == "*S0 O0 m0 torp0"
    assert rows[4][2:5] == ["* D1", "* S1 O1:hp 2", "low"]
    faint = dataclasses.replace(state.frame, faint=[5])
    assert re.search(r"\? +D1 \* +S1 O1", render.text(dataclasses.replace(state, frame=faint)))


def test_color_of_what_is_nobodys_adds_nothing_but_escapes():
    state = sea().positions[0]
    colored = render.text(state, color=True)
    assert "\x1b[48;5;240;38;5;231m#" in colored  # a block
    assert "\x1b[38;5;220mf" in colored  # food
    assert "\x1b[1;7m*" in colored
    shown = re.sub(r"\x1b\[[0-9;]*m", "", colored).split("\n")
    assert [line.rstrip() for line in shown] == render.text(state).split("\n")


@pytest.mark.parametrize(("name", "game", "frame", "player"), [
    ("hexagons", hexagons, 1, None), ("sea", sea, 0, None), ("fog", sea, 1, 0)])  # fmt: skip
def test_pictures_of_everything_are_the_golden_ones(name, game, frame, player):
    # to update one, write render.svg(..) there and inspect it
    golden = Path(__file__).parents[1] / "data" / "render" / f"{name}.svg"
    assert render.svg(game().positions[frame], player) == golden.read_text("utf-8")


def test_whatever_is_drawn_has_a_style_in_light_and_dark():
    light, dark = style().split("@media (prefers-color-scheme: dark)")
    for kind in (*canvas.GLYPHS, "block", "water", "zone", "unknown"):
        assert f".masume .{kind} " in light or f".masume .{kind}, " in light, kind
        assert f".masume .{kind} " in dark or f".masume .{kind}, " in dark, kind


def test_a_view_hides_what_its_player_does_not_know():
    state = sea().positions[1]
    whole, fog = render.svg(state), render.svg(state, 0)
    assert 'class="unknown"' not in whole
    for hidden in ("O1", "S1", "torp1", "ships 3"):
        assert hidden in whole
        assert hidden not in fog
    assert "P1: ships ?" in fog


def test_a_long_caption_takes_several_lines_above_the_board():
    state = masume.load("nezumi").new_state()
    scene, frame = draw_seen(state, None)
    picture = ET.fromstring(render.svg(state))
    lines = [line.text for line in picture.iterfind("{*}text[@class='caption']")]
    assert len(lines) > 1
    assert " ".join(lines) == f"{scene.title}, {frame.caption}"
    tops = [int(line.get("y")) for line in picture.iterfind("{*}text[@class='caption']")]
    assert tops == sorted(set(tops))
    board = picture.find("{*}g").get("transform")
    assert int(board.removeprefix("translate(0 ").removesuffix(")")) > tops[-1]
