"""What all pictures share: drawings found by game, plug-ins drawn as text, pages that hold together."""

import dataclasses
import json
import re
import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from itertools import pairwise

import pytest

import masume
from masume import render
from masume.render import canvas
from recorded import kakomimasu, random_game
from toy import Counting

HOSTILE = "</script><script>alert(1)</script><!-- & \"quotes\" 'and' \u2028\u2029 囲み"


class Reader(HTMLParser):
    """The elements of a page with their attributes, and the text inside the last of each."""

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
    """What the page's script reads."""
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page).group(1))


def unpacked(game, view=None):
    """The frames of a packed game, or of a player's view, as data of `canvas`; by the rules that page.js follows."""
    whole, game = game, game if view is None else game | game["views"][view]
    num_cells = len(game["hexes"]) // 2 or game["width"] * game["height"]
    cells = [game["tiles"][0][0]] * num_cells if game["tiles"] else []
    places, notes, scores, faint = [-1] * len(game["units"]), {}, [], []
    frames = []
    for frame, beside in zip(game["frames"], whole["frames"], strict=True):
        for items, changes in ((cells, "cells"), (places, "places"), (notes, "notes")):
            changed = frame.get(changes, [])
            for at, new in zip(changed[::2], changed[1::2], strict=True):
                items[at] = new
        notes = {cell: note for cell, note in notes.items() if note}
        scores, faint = frame.get("scores", scores), frame.get("faint", faint)
        frames.append(
            canvas.Frame(
                caption=frame.get("caption", beside["caption"]),
                scores=scores,
                cells="".join(cells),
                places=list(places),
                faint=faint,
                notes=notes,
                log=frame.get("log", []),
                text=frame.get("text", ""),
            )
        )
    return frames


def plain_data(frame):
    """The frame with lists where it may have tuples."""
    return dataclasses.replace(
        frame,
        scores=[list(scores) for scores in frame.scores],
        places=list(frame.places),
        faint=sorted(frame.faint),
        notes=dict(frame.notes),
        log=list(frame.log),
    )


def test_a_page_unpacks_to_the_frames_of_its_games():
    fields = {"width": 9, "height": 7, "n_players": 3, "n_agents": 4, "total_turns": 25}
    chaser = random_game(masume.load("chaser", height=9, width=8, n_blocks=4, n_items=20), ["a", "b"], 3)
    games = [kakomimasu(seed=1, **fields), kakomimasu(seed=2, **fields), chaser]
    packed = data_of(render.page(games, title="three"))["games"]
    assert len(packed) == 3
    assert ["views" in game for game in packed] == [False, False, True]
    for game, found in zip(games, packed, strict=True):
        drawing = canvas.drawing_of(game.positions[0])
        for player in (None, *range(len(found.get("views", [])))):
            view = {} if player is None else {"player": player}
            frames = [plain_data(drawing.frame(state, **view)) for state in game.positions]
            assert unpacked(found, player) == frames
            shown = (found if player is None else found["views"][player])["frames"]
            moves = zip(game.moves, pairwise(game.positions), shown[1:], strict=True)
            for move, (before, after), frame in moves:
                acts = drawing.acts(before, move, after, **view)
                assert frame.get("acts", []) == [n for a in acts for n in (a.unit, a.verb, a.target, a.outcome)]


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
    assert linked == ["data:,"]
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
    last = unpacked(found)[-1]
    assert last.caption == "the end"
    assert last.scores == [[int(score)] for score in played.positions[-1].scores()]
    assert render.text(masume.load(Counting(units=2)).new_state()).startswith("counting, all to move\n")
