"""What the page of the game says is so."""

import re
from pathlib import Path

import masume
from masume.chaser import agents, maps
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


def test_every_name_is_told():
    state = State.new(Config())
    for name in [*Config().to_dict(), *Config.presets(), *agents.AGENTS]:
        assert f"`{name}`" in PAGE
    for name in state.observation(0):
        assert f"| `{name}` |" in PAGE
    for name in REASONS[1:]:
        assert f"| {name} |" in PAGE
    assert f"`{' '.join(CODES)}`" in PAGE


def test_the_shipped_maps_are_told_as_they_are():
    rows = re.findall(r"^\| (\w+) \| (\d+)x(\d+) \| (\d+) \|", PAGE, re.MULTILINE)
    told = {name: tuple(map(int, numbers)) for name, *numbers in rows}
    assert told == {name: (its.height, its.width, its.turn_limit) for name, its in maps.shipped().items()}


def test_the_sizes_are_those_of_the_engine():
    rows = {
        name: rest for name, *rest in re.findall(r"^\| ([a-z ]+) \| [^|]* \| (\d+) \| ([\d.]*) ?\|", PAGE, re.MULTILINE)
    }
    smallest, game, largest = (
        masume.load("chaser", **fields)
        for fields in (
            {"map": maps.Map([[0, 0]], (0, 0), (0, 1), 1)},
            {},
            {"height": 64, "width": 64, "turn_limit": 10_000},
        )
    )
    assert rows["players"][0] == str(game.num_players)
    assert rows["slots"][0] == str(game.num_slots)
    assert rows["actions a slot"][0] == str(game.num_actions)
    for name, field in (
        ("plies", "max_game_length"),
        ("bytes of a state", "state_size"),
        ("bytes of what both players have seen", "memory_size"),
    ):
        told = [str(getattr(game, field)), f"{getattr(smallest, field)}..{getattr(largest, field)}"]
        assert rows[name] == told
    for name, (shape, dtype) in game.observation_spec.items():
        sizes = ", ".join(map(str, shape)) if name != "planes" else "7, 2H + 17, 2W + 17"
        assert f"| `{name}` | {dtype} [{sizes}] |" in PAGE


def test_the_numbers_are_those_of_the_config():
    rows = dict(re.findall(r"^\| (`[a-z_`, ]+) \| ([\d, None]+) \|", PAGE, re.MULTILINE))
    config = Config()
    for names, values in rows.items():
        told = [value.strip() for value in values.split(",")]
        assert told == [str(getattr(config, name)) for name in re.findall(r"`(\w+)`", names)]
    assert len(rows) == 6
