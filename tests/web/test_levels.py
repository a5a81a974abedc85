"""The levels for people: three to five a game, with names, each of which was measured against the one before."""

import importlib
import re
from pathlib import Path

import pytest

import masume
from masume.core.language import speaking
from masume.web.offers import offer

GAMES = masume.game.games()
PAGE = Path(__file__).parents[2] / "docs" / "notes" / "levels.md"
ROW = re.compile(r"^\| (\w+) \| `([^`]+)` \| `([^`]+)` \| ([\d.]+) \([\d. to]+\) \| (\d+) \|$", re.MULTILINE)
ROWS = ROW.findall(PAGE.read_text("utf-8"))
LEAST = 0.65  # of the games against the level before
LEAST_OF_THREE = 0.5  # of the games in which it is the first of three, against two of the level before


@pytest.mark.parametrize("game", GAMES)
def test_levels_have_names_and_sentences_in_both_languages(game):
    levels = importlib.import_module(f"masume.{game}.people").LEVELS
    assert 3 <= len(levels) <= 5
    assert (levels[0].name, levels[-1].name) == ("First steps", "Best")
    assert len({level.name for level in levels}) == len(levels)
    with speaking("ja"):
        japanese = offer(game)
    with speaking("en"):
        english = offer(game)
    assert english["levels"] == japanese["levels"] == [level.agent for level in levels]
    for level in levels:
        assert english["called"][level.agent] == [level.name, level.text]
        assert all(re.search(r"[ぁ-んァ-ヶ一-龠]", text) for text in japanese["called"][level.agent])


def test_five_games_were_measured():
    assert len({name for name, *_ in ROWS}) == 5


@pytest.mark.parametrize("game", sorted({name for name, *_ in ROWS}))
def test_each_level_was_measured_to_beat_the_one_before(game):
    rows = {
        (stronger, weaker): (float(share), int(games)) for name, stronger, weaker, share, games in ROWS if name == game
    }
    agents = offer(game)["levels"]
    assert set(rows) == set(zip(agents[1:], agents, strict=False))
    for share, games in rows.values():
        assert share >= (LEAST_OF_THREE if offer(game)["players"] == 3 else LEAST)
        assert games >= 12
