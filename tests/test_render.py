"""What all pictures share: drawings found by game, plug-ins drawn as text, pages that hold together."""

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


def unpacked(game):
    """[(cells, places)] of a packed game, by the rules that page.js follows."""
    cells = [game["tiles"][0][0]] * (game["width"] * game["height"])
    places = [-1] * len(game["units"])
    frames = []
    for frame in game["frames"]:
        for items, changes in ((cells, frame.get("cells", [])), (places, frame.get("places", []))):
            for at, new in zip(changes[::2], changes[1::2], strict=True):
                items[at] = new
        frames.append(("".join(cells), tuple(places)))
    return frames


def test_a_page_unpacks_to_the_frames_of_its_games():
    games = [kakomimasu(width=9, height=7, n_players=3, n_agents=4, total_turns=25, seed=seed) for seed in (1, 2)]
    packed = data_of(render.page(games, title="two"))["games"]
    assert len(packed) == 2
    for game, found in zip(games, packed, strict=True):
        drawing = canvas.drawing_of(game.positions[0])
        frames = [drawing.frame(state) for state in game.positions]
        assert unpacked(found) == [(frame.cells, tuple(frame.places)) for frame in frames]
        assert [frame["scores"] for frame in found["frames"]] == [[list(s) for s in frame.scores] for frame in frames]
        assert [frame["caption"] for frame in found["frames"]] == [frame.caption for frame in frames]
        for move, (before, after), frame in zip(game.moves, pairwise(game.positions), found["frames"][1:], strict=True):
            acts = drawing.acts(before, move, after)
            assert frame["acts"] == [n for act in acts for n in (act.unit, act.verb, act.target, act.outcome)]


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
    assert found["frames"][-1]["caption"] == "the end"
    assert found["frames"][-1]["scores"] == [[int(score)] for score in played.positions[-1].scores()]
    assert render.text(masume.load(Counting(units=2)).new_state()).startswith("counting, all to move\n")
