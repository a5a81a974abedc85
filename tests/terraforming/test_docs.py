"""The facts on the page of the game agree with the game."""

import re
from pathlib import Path

import masume
from masume import render
from masume.agent import View
from masume.terraforming import agents, blocks, maps, notation
from masume.terraforming.buildings import BUILDABLE, LETTERS
from masume.terraforming.config import Config
from masume.terraforming.reference import State

PAGE = (Path(__file__).parents[2] / "docs" / "games" / "terraforming.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def test_the_picture_is_a_game_of_greedy():
    state = masume.load("terraforming", radius=3, max_turns=14, seed=2).new_state()
    players = [agents.Greedy() for _ in range(3)]
    for player, agent in enumerate(players):
        agent.start(None, player, player)
    while not state.is_terminal():
        state.apply(players[state.current_player].act(View(state, state.current_player)))
    (picture,) = [block for block in BLOCKS if block.startswith("Terraforming")]
    drawn = [re.split(r" {4,}(?=a   t|A P d|b 5 f)", line)[0].rstrip() for line in picture.splitlines()]
    assert drawn == [line.rstrip() for line in render.text(state).splitlines()]


def test_the_text_board_can_be_read():
    (board,) = [block for block in BLOCKS if block.startswith("player")]
    state = State.parse(Config(radius=2), board)
    assert str(state).split() == board.split()


def test_the_state_block_is_one():
    (block,) = [block for block in BLOCKS if block.startswith("START")]
    config = Config(radius=1)
    assert blocks.block(config, blocks.parse_block(config, block), 0) == block
    assert blocks.parse_block(config, block) == State.new(config, 1).to_dict()


def test_every_variable_is_told():
    state = masume.load("terraforming").new_state()
    for name in state.to_dict():
        assert f"`{name}`" in PAGE or f"`state.{name}`" in PAGE
    for name in ("owner", "robots", "moved", "hole", "building", "bonus", "material", "turn", "ranks", "winner"):
        assert hasattr(state, name)
    assert [phase in PAGE for phase in notation.PHASES[:3]] == [True] * 3


def test_the_prices_are_those_of_the_rulesets():
    rows = re.findall(r"^\| ([A-Z]) \|([^|]*)\|([^|]*)\|([^|]*)\|([^|]*)\|", PAGE, re.MULTILINE)
    told = {
        ruleset: [
            (row[0], row[1 + 2 * n].strip(" `"), row[2 + 2 * n].strip()) for row in rows if row[1 + 2 * n].strip()
        ]
        for n, ruleset in enumerate(BUILDABLE)
    }
    assert told == {
        ruleset: [(LETTERS[one.code], one.word, f"{one.material}, {one.robots}") for one in kinds]
        for ruleset, kinds in BUILDABLE.items()
    }


def test_the_numbers_are_those_of_the_config():
    rows = re.findall(r"^\| `(\w+)` \| (\w+) \| (\w+) \|", PAGE, re.MULTILINE)
    for n, ruleset in enumerate(BUILDABLE, 1):
        assert {row[0]: row[n] for row in rows} == {
            name: str(value) for name, value in Config(ruleset=ruleset).to_dict().items()
        }


def test_the_cells_are_those_of_the_board():
    smallest, default, largest = (Config(radius=radius).num_cells for radius in (1, 6, 10))
    assert f"| cells | N | {default} | {smallest}..{largest} |" in PAGE
    assert masume.load("terraforming").max_game_length is None


def test_the_shipped_maps_are_told_as_they_are():
    rows = re.findall(r"^\| (\w+) \| (\d+) \| (\d+) \| [a-z]", PAGE, re.MULTILINE)
    told = {name: tuple(map(int, numbers)) for name, *numbers in rows}
    assert told == {name: (its.radius, len(its.holes)) for name, its in maps.load_shipped().items()}
