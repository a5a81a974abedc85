"""The page of the game agrees with the code."""

import re
from pathlib import Path

import numpy as np

import masume
from masume.battleship import Belief, maps, notation
from masume.battleship.config import MISSIONS, Config
from masume.battleship.reference import State

PAGE = (Path(__file__).parents[2] / "docs" / "games" / "battleship.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```\w*\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def test_the_text_board_can_be_read():
    (board,) = [block for block in BLOCKS if block.startswith("....")]
    assert str(State.parse(Config.make(fleets=["B"]), board)) == board.rstrip()


def test_every_mission_reason_and_event_is_told():
    for name in [*MISSIONS, *notation.REASONS, *notation.KINDS]:
        assert f"`{name}`" in PAGE


def test_the_shipped_maps_are_told_as_they_are():
    for name, text in maps.load_shipped().items():
        its = maps.facts(name, text)
        counts = " | ".join(str(its[kind]) for kind in maps.NAMES)
        assert f"| {name} | {its['width']}x{its['height']} | {counts} |" in PAGE


def test_actions_are_told_as_they_are():
    for text in re.findall(r"^\| `([A-Z]\w*)` \|", PAGE, re.MULTILINE):
        assert notation.action_to_text(Config(), notation.text_to_action(Config(), text)) == text


def test_the_lines_on_belief_run():
    (lines,) = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    game = masume.load("battleship", preset="classic", turn_order=[0, 1])
    state = game.new_state(1)
    while state.phase == 0:
        state.apply(int(state.legal_actions()[0]))
    scope = {"Belief": Belief, "game": game, "state": state, "player": 0}
    exec(lines, scope)
    assert np.allclose(scope["belief"].chances(1), 1 / 25)
