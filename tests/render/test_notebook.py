"""Objects show small HTML in notebooks, in which every value is escaped."""

import dataclasses
import re
from html.parser import HTMLParser

import numpy as np
import pytest

import masume
from cases import GAMES
from masume import search
from masume.agents.make import make_agent
from masume.play.arena import Standing, Standings
from masume.play.driver import play_game
from masume.play.ratings import Rating
from masume.play.summary import Summary, Tally
from masume.render import notebook

EVIL = "<script>alert(1)</script>"


class Reader(HTMLParser):
    """Reads HTML and notes its elements; AssertionError where one is not closed."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.open = set(), []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.add(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def show(thing):
    """The HTML of a thing, which is whole and has no script in it."""
    text = thing._repr_html_()
    assert "script" not in Reader(text).tags
    return text


def play(seed=1, names=("greedy", "random")):
    game = masume.load("chaser", turn_limit=10)
    return play_game(game, [make_agent(name, game) for name in ("greedy", "random")], seed).to_replay(seed, names)


@pytest.mark.parametrize("name", GAMES)
def test_games_and_batches_of_every_game_are_shown(name):
    game = masume.load(name)
    assert "<svg" in show(game)
    batch = game.batch(3)
    text = show(batch)
    assert "planes" in text
    assert "float32" in text
    state = game.new_state()
    assert state._repr_svg_().startswith("<svg")


def test_a_replay_shows_its_end_and_escapes_names():
    replay = play(names=("greedy", EVIL))
    text = show(replay)
    assert "&lt;script&gt;" in text
    assert "turn 10 of 10" in text or "wins" in text


@pytest.mark.parametrize("name", GAMES)
def test_a_game_that_was_played_shows_its_result_and_its_end(name):
    game = masume.load(name, **GAMES[name].SMALL)
    played = play_game(game, [make_agent("random", game) for _ in range(game.num_players)], 1)
    text = show(played)
    assert f"Game of {name}" in text
    assert f'<th scope="row">plies</th><td>{len(played.actions):,}</td>' in text
    for what in ("scores", "returns"):
        values = ", ".join(f"{value:,.4g}" for value in getattr(played.state, what)().tolist())
        assert f'<th scope="row">{what}</th><td>{values}</td>' in text
    assert text.endswith(f"{notebook.draw_position(played.state)}</div>")


def test_a_replay_that_cannot_be_played_says_why():
    replay = dataclasses.replace(play(), moves=[9999])
    text = show(replay)
    assert "move 1: " in text
    assert "<svg" not in text


def test_standings_and_summaries_escape_names():
    standing = Standing(EVIL, 4, 0.5, 0.2, 0.8, 1, 2, 1, 0, None)
    assert "&lt;script&gt;" in show(standing)
    assert "+12 ± 3" in show(dataclasses.replace(standing, rating=Rating(12.0, 3.0, 25.0, 8.0)))
    text = show(Standings([standing, dataclasses.replace(standing, name="b", score=0.25)]))
    assert re.findall("<tr><td>(.*?)</td>", text) == ["&lt;script&gt;alert(1)&lt;/script&gt;", "b"]
    assert "0.250 (0.200 to 0.800)" in text
    summary = Summary({EVIL: Tally(2, 8, 16, [1, 1], 0, 1.0, {})}, 1.0, [], None)
    assert "&lt;script&gt;" in show(summary)


def test_results_of_searches_are_shown():
    game = masume.load("nezumi", turns=2)
    state = game.new_state()
    result = search.MCTS(game, simulations=50).search(state, seed=1)
    text = show(result)
    assert "visits" in text
    assert text.count("<tr>") <= 10 * (notebook.MAX_ROWS + 1)
    line = search.AlphaBeta(game, nodes=100).search(state)
    assert "lead" in show(line)
    board = masume.load("kakomimasu")
    plan = search.Beam(board, simulations=50).search(board.new_state(), 0)
    assert "gain" in show(plan)
    assert "values" in show(search.Solution((1, -1), ((1, 2), (3,)), 10))


def test_a_long_table_is_cut_and_numbers_are_grouped():
    text = notebook.draw_table({"a": 1000 * number, "b": np.float64(0.5)} for number in range(12))
    Reader(text)
    assert "9,000" in text
    assert "10,000" not in text
    assert "and 2 more" in text
    assert notebook.draw_table([]) == ""


def test_choices_are_in_the_order_of_the_last_column():
    text = notebook.draw_choices(["x", "y", "z"], visits=[1, 2, 3], policy=[0.2, 0.5, 0.3])
    assert re.findall("<td>([xyz])</td>", text) == ["y", "z", "x"]
