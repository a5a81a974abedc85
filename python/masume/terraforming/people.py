"""How people play Terraforming on the page: robots move from a cell to a neighbour, or one building is built."""

from __future__ import annotations

from typing import Any

from ..core.language import say
from ..core.language import translate as _
from ..play.menu import FirstBoard, Level
from ..render.canvas import Choice
from . import hexes
from .buildings import BRIDGE, BUILDABLE, LETTERS
from .notation import BUILT, CHOOSE, NOBODY, PER_AMOUNT, PLAYERS, Build, Move, command_of
from .notation import MOVE as MOVED
from .render import BUILD_VERB, FINISH_VERB, MOVE_VERB, _config
from .shapes import SHAPES

LEVELS = (
    Level("random", "First steps", "moves at random"),
    Level("settler", "Beginner", "takes land and builds as soon as it can"),
    Level("builder", "Skilled", "aims at one site at a time, a large one if it can"),
    Level("best:300ms", "Best", "plans ahead"),
)
LEVEL = "random"
HINT = "builder"  # a search of a second sees too little of a turn
STARTS = ("islet", "crater", "ridges")
SEATS = PLAYERS
VARIANTS: dict[str, dict[str, Any]] = {
    "contest, 40 rounds": {"ruleset": "contest", "radius": 3, "max_turns": 40},
    "8 rounds": {"radius": 3, "max_turns": 8},
}
FIRST_BOARD = FirstBoard(
    "Spread your robots, build your city, make the most points.",
    variant="8 rounds",
    seconds=144,
    source="21 games of settler against random, benches/page_minutes.py",
)

PAD = {"keys": "letters", "groups": [[[MOVE_VERB], ""], [[FINISH_VERB], "f", False]], "tools": True}
WAYS = {"r": "e", "ur": "ne", "dr": "se", "l": "w", "ul": "nw", "dl": "sw"}
ABOUT = "Robots take the land they walk on; buildings develop it. Most points after the last turn win."
HELP = (
    "In a turn you either move robots, as many groups as you like, or build one building. Then finish.",
    "Robots fight one for one. Who is left owns the cell.",
    "A building costs robots; Material is counted, not spent.",
    "Keys: W E, A D, Z X move all robots of the chosen cell, + and - change how many, f finishes.",
)

ENDINGS = {
    "max_turns": "the turns are over: the most points win",
    "score_limit": "the limit of points is reached",
    "end_all_developed": "all land is developed: the most points win",
}
"""How a game ended, in words, by its reason. [section 8]"""


def task(state: Any, player: int) -> str:  # noqa: ARG001
    """Return what the player is asked for, in words."""
    phase = state.to_dict()["phase"]
    if phase == BUILT:
        return _("it is built: finish the turn")
    if phase == MOVED:
        return _("move on, or finish the turn")
    return _("move robots, or build one building")


def notebook(state: Any, player: int) -> list[dict[str, Any]]:
    """Return each building with its price, and the cells where it may be built or what is missing. [TF-44] [TF-45]"""
    config, variables = _config(state), state.to_dict()
    index = hexes.indices(config.radius)
    shapes = SHAPES[config.ruleset]
    more = config.ruleset == "rulebook"  # there must be more robots than the price [TF-R24]
    sites: dict[int, list[int]] = {}
    for code in state.legal_actions().tolist():
        command = command_of(config, code)
        if isinstance(command, Build):
            sites.setdefault(command.building, []).append(index[command.cell])
    own = [cell for cell, owner in enumerate(variables["owner"]) if owner == player and not variables["building"][cell]]
    lines = []
    for building in BUILDABLE[config.ruleset]:
        cells = sites.get(building.code, [])
        robots = building.robots + more
        text = say("{robots} robots, Material {material}", robots=robots, material=building.material)
        if variables["phase"] == CHOOSE:
            free = [cell for cell in own if bool(variables["hole"][cell]) == (building.code == BRIDGE)]
            material = max((state.material_sum(cell, player) for cell in free), default=0)
            there = max((variables["robots"][cell] for cell in free), default=0)
            if cells:
                text += say("; cells where it may stand: {count}", count=len(cells))
            elif not free:
                text += _("; no hole of yours") if building.code == BRIDGE else _("; no free cell of yours")
            elif material < building.material:
                text += say("; Material at most {number}", number=material)
            elif there < robots:
                text += say("; robots on a cell at most {number}", number=there)
            else:
                text += _("; not both on one cell")
        lines.append({"name": _(shapes[LETTERS[building.code]].name), "text": text, "cells": cells})
    return lines


def choices(state: Any, player: int) -> list[Choice]:
    """Return the moves from each cell with the largest amount, the buildings with their price, and finish."""
    config = _config(state)
    index = hexes.indices(config.radius)
    most: dict[int, int] = {}
    moves: dict[int, list[tuple[int, int]]] = {}
    builds: dict[int, list[tuple[int, int]]] = {}
    offered = []
    variables = state.to_dict()
    for code in state.legal_actions().tolist():
        command = command_of(config, code)
        if isinstance(command, Move):
            if code % PER_AMOUNT not in most:
                target = index[hexes.ahead(command.cell, command.direction)]
                moves.setdefault(index[command.cell], []).append((code % PER_AMOUNT, target))
            most[code % PER_AMOUNT] = max(command.amount, most.get(code % PER_AMOUNT, 0))
        elif isinstance(command, Build):
            builds.setdefault(command.building, []).append((code, index[command.cell]))
        else:
            offered.append(Choice([code], [-1], FINISH_VERB, word=_("finish the turn")))
    for cell, pairs in moves.items():
        offered.append(
            Choice(
                [code + PER_AMOUNT for code, _ in pairs], [target for _, target in pairs], MOVE_VERB, start=cell,
                most=[most[code] for code, _ in pairs], times=PER_AMOUNT,
                ways=[WAYS[hexes.DIRECTIONS[(code - 1) % 6]] for code, _ in pairs],
                brings=[_march(variables, player, cell, target) for _code, target in pairs],
            )
        )  # fmt: skip
    prices = {building.code: building.robots for building in BUILDABLE[config.ruleset]}
    shapes = SHAPES[config.ruleset]
    for kind, pairs in builds.items():
        offered.append(
            Choice(
                [code for code, _ in pairs], [target for _, target in pairs], BUILD_VERB,
                word=_(shapes[LETTERS[kind]].name), notes=[f"-{prices[kind]}"] * len(pairs),
                brings=[_raise(state, player, code, cell) for code, cell in pairs],
            )
        )  # fmt: skip
    return offered


def _march(variables: dict[str, Any], player: int, cell: int, target: int) -> str:
    """Return what a move brings: who goes, who stays, and what is on the target. [section 7.1]"""
    moved = variables["moved"][cell]
    text = _("{amount} go, {rest} stay")
    if moved:
        text += say(", beside {count} that have moved", count=moved)
    owner, robots = variables["owner"][target], variables["robots"][target]
    if variables["hole"][target]:
        text += _("; into a hole: they can never leave it")
    if owner == player:
        return text + say("; {count} of yours are there", count=robots)
    if owner == NOBODY:
        return text + ("" if variables["hole"][target] else _("; the land becomes yours"))
    name = PLAYERS[owner]
    if robots:
        return text + say("; {player} has {count} there: more than that take it", player=name, count=robots)
    return text + say("; it is taken from {player}", player=name)


def _raise(state: Any, player: int, code: int, cell: int) -> str:
    """Return what a building brings: the robots that stay, and points. [section 7.3]"""
    after = state.clone()
    after.apply(code)
    points = int(after.scores()[player] - state.scores()[player])
    return say("{points} points, {robots} robots stay", points=f"{points:+d}", robots=int(after.robots[cell]))
