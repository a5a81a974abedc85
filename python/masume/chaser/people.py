"""How people play CHaser on the page: a method and a direction, on the part of the field that they know."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.language import say, translate
from ..play.menu import FirstBoard, Level
from ..render.canvas import Choice
from .maps import PLAYERS, STEPS
from .notation import LOOK, PUT, SEARCH, WALK
from .render import REACH, VERBS, _cell, _planes

LEVELS = (
    Level("random", "First steps", "moves at random"),
    Level("safe", "Beginner", "moves at random, but into no block that it sees"),
    Level("forager", "Skilled", "collects what it sees"),
    Level("best:300ms", "Best", "tries what could be in the dark, and plans ahead"),
)
LEVEL = "safe"
SEATS = PLAYERS
CLOCKS = ("none", "move=30000", "move=5000")
AIMS = {LOOK: 2, SEARCH: 3}
"""Distance of the cell to press, so that the four verbs have different cells but for walk and put."""
WAYS = ("n", "e", "w", "s")
PAD = {"keys": "arrows", "groups": [[[WALK], ""], [[PUT], "Shift"], [[LOOK], "l"], [[SEARCH], "s"]], "only": True}
"""Arrows walk, with Shift they put; l and s make the next arrow look and search."""
ABOUT = "Collect more items than the other, or shut it in. You see only what your moves have shown."
HELP = (
    "Each turn is one method in one of four directions: walk, look, search or put a block.",
    "Walking into a block loses. A taken item leaves a block behind you.",
    "A block put on the other player wins. A player with blocks on all four sides loses.",
    "Keys: arrows walk, Shift with an arrow puts, l and s then an arrow look and search.",
)

FIRST_BOARD = FirstBoard(
    "Collect items in the dark. Do not get boxed in.",
    seconds=32,
    source="21 games of safe against random, benches/page_minutes.py",
)
ENDINGS = {
    "ATTACK": "{loser} was buried under a block",
    "TRAPPED": "{winner} shut {loser} in",
    "COLLISION": "{loser} walked into a block",
    "CONFINED": "{loser} shut itself in",
    "FOUL": "{loser} broke the rules of play",
    "SCORE": "the turns are over, and items count",
}
"""How a game ended, in words, by its reason; {winner} and {loser} are names. [section 8]"""


def choices(state: Any, player: int) -> list[Choice]:
    """Return the legal methods, aimed from where the player stands in its own view."""
    variables = state.to_dict()
    width, height = 2 * variables["width"] - 1, 2 * variables["height"] - 1
    planes = _planes(state, player)
    (row,), (column,) = np.nonzero(planes[4])
    offered = []
    legal = state.legal_actions().tolist()
    for verb in range(len(VERBS)):
        codes = [code for code in legal if code // 4 == verb]
        reach = AIMS.get(verb, 1)
        cells = [
            _cell(int(row) + reach * STEPS[code % 4][0], int(column) + reach * STEPS[code % 4][1], width, height)
            for code in codes
        ]
        if codes:
            ways = [WAYS[code % 4] for code in codes]
            warns = [_warn(planes, verb, code % 4, int(row), int(column)) for code in codes]
            brings = [_foretell(planes, verb, code % 4, int(row), int(column)) for code in codes]
            offered.append(Choice(codes, cells, verb, units=[player], ways=ways, warns=warns, brings=brings))
    return offered


def _foretell(planes: Any, verb: int, way: int, row: int, column: int) -> str:
    """Return what a method brings, as far as the player knows the field. [section 9.4]"""
    floor, items, blocks, opponent, *_rest = np.pad(planes, ((0, 0), (REACH, REACH), (REACH, REACH))) > 0
    here = row + REACH, column + REACH
    down, right = STEPS[way]
    if verb in (LOOK, SEARCH):
        ahead = range(1, 1 + REACH) if verb == SEARCH else range(1, 4)
        aside = (0,) if verb == SEARCH else (-1, 0, 1)
        cells = [(here[0] + n * down + k * right, here[1] + n * right + k * down) for n in ahead for k in aside]
        unseen = sum(not (floor[cell] or items[cell] or blocks[cell]) for cell in cells)
        return say("cells that you have not seen: {number} of {count}", number=unseen, count=len(cells))
    target = here[0] + down, here[1] + right
    if verb == PUT:
        return translate("the other player was seen there: a block on it wins") if opponent[target] else ""
    if blocks[target]:
        return ""  # the warning says it
    around = [(target[0] + n, target[1] + k) for n in (-1, 0, 1) for k in (-1, 0, 1)]
    unseen = sum(not (floor[cell] or items[cell] or blocks[cell]) for cell in around)
    text = say("cells that you have not seen: {number} of {count}", number=unseen, count=len(around))
    return translate("an item, and a block stays behind you") + "; " + text if items[target] else text


def _warn(planes: Any, verb: int, way: int, row: int, column: int) -> str:
    """Return what the player knows that it would lose by; empty for nothing. [section 8]"""
    _floor, items, blocks, opponent, *_rest = np.pad(planes, ((0, 0), (2, 2), (2, 2))) > 0
    here = row + 2, column + 2
    around = [(here[0] + down, here[1] + right) for down, right in STEPS]
    target = around[way]
    if verb == WALK and blocks[target]:
        return translate("there is a block: you would lose")
    if verb == WALK and items[target]:
        around = [(target[0] + down, target[1] + right) for down, right in STEPS]
        is_shut = all(blocks[cell] or cell == here for cell in around)
    else:
        is_shut = verb == PUT and not opponent[target] and all(blocks[cell] or cell == target for cell in around)
    return translate("you would shut yourself in and lose") if is_shut else ""
