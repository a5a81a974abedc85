"""The examples of docs/games/nezumi.md agree with the game."""

import re
from pathlib import Path

import masume
from masume import render
from masume.nezumi.stages import load_shipped

from .conftest import draw

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "games" / "nezumi.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```\n(.*?)```", PAGE, re.DOTALL)


def test_the_picture_is_that_of_a_game():
    state = masume.load("nezumi").new_state()
    for text in ("3,1+", "2,0+", "-", "W", "-", "3,1N"):
        state.apply(state.text_to_action(text))
    drawn = [line[:41].rstrip() if re.match(r"\d ", line) else line for line in BLOCKS[0].splitlines()]
    assert drawn == render.text(state).splitlines()


def test_the_text_board_is_a_position():
    game = masume.load("nezumi", stage=draw(["M..7", "Z.C$"], under=[(1, 3, 12)]).config.stage)
    text = next(block for block in BLOCKS if "react:" in block)
    assert str(game.parse(text)) == text.rstrip("\n")


def test_the_stage_file_is_the_garden():
    assert load_shipped()["garden"].to_text() in BLOCKS


def test_every_stage_is_in_the_table_and_no_side_wins_all():
    rows = re.findall(r"^\| (\w+) \| ([\d.]+) % \| ([\d.]+) % \| \d+ \|$", PAGE, re.MULTILINE)
    assert [row[0] for row in rows] == list(load_shipped())
    for _, cat, mice in rows:
        assert float(cat) + float(mice) == 100
        assert 0 < float(cat) < 100
