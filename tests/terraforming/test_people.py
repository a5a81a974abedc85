"""What the page says to people who play."""

import re

import pytest

import masume
from masume.terraforming import hexes, people
from masume.terraforming.notation import BUILT, CHOOSE, Build, command_of
from random_games import random_game


@pytest.mark.parametrize("ruleset", ["rulebook", "contest"])
def test_tf_44_the_notebook_says_where_each_building_may_stand_or_what_is_missing(ruleset):
    """TF-44: Cost differs by building; more robots than the cost must be on the site."""
    game = masume.load("terraforming", ruleset=ruleset, radius=3, max_turns=12)
    index = hexes.indices(3)
    seen = set()
    for seed in range(6):
        for state in random_game(game, ["x"] * 3, seed).positions[:-1]:
            player = state.current_player
            commands = [command_of(game.config, code) for code in state.legal_actions().tolist()]
            sites = {}
            for command in commands:
                if isinstance(command, Build):
                    sites.setdefault(command.building, []).append(index[command.cell])
            lines = people.notebook(state, player)
            for building, line in zip(people.BUILDABLE[ruleset], lines, strict=True):
                assert line["cells"] == sites.get(building.code, [])
                price, _, rest = line["text"].partition("; ")
                robots = building.robots + (ruleset == "rulebook")
                assert price == f"{robots} robots, Material {building.material}"
                assert bool(rest) == (state.phase == CHOOSE)
                number = int((re.search(r"(\d+)$", rest) or [0, -1])[1])
                kind = rest.rstrip("0123456789")
                seen.add(kind)
                if kind == "cells where it may stand: ":
                    assert number == len(line["cells"]) > 0
                else:
                    assert not line["cells"]
                if kind == "Material at most ":
                    assert number < building.material
                if kind == "robots on a cell at most ":
                    assert number < robots
            if state.phase == BUILT:
                assert not any(line["cells"] for line in lines)
    assert len(seen) >= 5
