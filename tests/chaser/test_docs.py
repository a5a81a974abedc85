"""The statements on the page of the game are true."""

import re
from pathlib import Path

from masume.chaser import maps
from masume.chaser.config import Config
from masume.chaser.notation import CODES, REASONS
from masume.chaser.reference import State

from .conftest import meadow

PAGE = (Path(__file__).parents[2] / "docs" / "games" / "chaser.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def test_the_text_board_can_be_read():
    (board,) = [block for block in BLOCKS if block.startswith("....")]
    state = State.parse(Config.make(map=meadow(3, 4)), board)
    assert str(state).split() == board.split()


def test_the_map_file_can_be_read():
    (text,) = [block for block in BLOCKS if block.startswith("N:")]
    assert maps.Map.parse(text).to_text() == text


def test_every_method_and_reason_is_told():
    for name in REASONS[1:]:
        assert f"| {name} |" in PAGE
    assert f"`{' '.join(CODES)}`" in PAGE


def test_the_shipped_maps_are_told_as_they_are():
    rows = re.findall(r"^\| (\w+) \| (\d+)x(\d+) \| (\d+) \|", PAGE, re.MULTILINE)
    told = {name: tuple(map(int, numbers)) for name, *numbers in rows}
    assert told == {name: (its.width, its.height, its.turn_limit) for name, its in maps.load_shipped().items()}
