"""What a person types at the terminal: moves and builds, without what can be left out."""

from __future__ import annotations

import re
from typing import Any

from ..core.language import say
from ..core.language import translate as _
from ..errors import NotationError
from .buildings import BUILDABLE, words
from .hexes import DIRECTIONS
from .notation import FINISH, PLAYERS, Build, Move, command_of

COMPASS = {"e": "r", "w": "l", "ne": "ur", "nw": "ul", "se": "dr", "sw": "dl", "right": "r", "left": "l"}
_CELL = r"(-?[0-9]{1,4})[\s,]+(-?[0-9]{1,4})"
_WAYS = "|".join(sorted((*DIRECTIONS, *COMPASS), key=len, reverse=True))
_MOVE = re.compile(rf"(?:move\s+)?(?:{_CELL}\s+)?({_WAYS})(?:\s+([0-9]{{1,9}}))?")
_BUILD = re.compile(rf"(?:build\s+)?{_CELL}\s+([a-z]+)")


def _moves(state: Any) -> list[Move]:
    """Return the moves that are listed as legal."""
    found = (command_of(state.game.config, action) for action in state.legal_actions().tolist())
    return [command for command in found if isinstance(command, Move)]


def question(state: Any, slot: int) -> str:  # noqa: ARG001
    """Return who decides what, with the cells whose robots can move."""
    cells = dict.fromkeys(move.cell for move in _moves(state))
    if not cells:
        return say("{player}: build, or finish", player=PLAYERS[state.player])
    told = "  ".join(f"{x},{y}" for x, y in list(cells)[:8]) + (" ..." if len(cells) > 8 else "")
    return say("{player}: move robots of {cells}, build, or finish", player=PLAYERS[state.player], cells=told)


def read(state: Any, slot: int, text: str) -> str | None:  # noqa: ARG001
    """Return the command of `0,5 e`, `0,5 e 3`, `e` or `0,5 factory`."""
    if text in ("finish", "done", "end", "pass", "-"):
        return "finish"
    if match := _MOVE.fullmatch(text):
        direction = COMPASS.get(match[3], match[3])
        moves = [move for move in _moves(state) if DIRECTIONS[move.direction] == direction]
        cells = list(dict.fromkeys(move.cell for move in _moves(state)))
        if match[1] is None and len(cells) > 1:
            raise NotationError(f"expected a cell too, such as {cells[0][0]},{cells[0][1]} {match[3]}, got {text!r}")
        if match[1] is None and not cells:
            return None
        cell = cells[0] if match[1] is None else (int(match[1]), int(match[2]))
        amount = match[4] or max((move.amount for move in moves if move.cell == cell), default=1)
        return f"move {cell[0]} {cell[1]} {direction} {amount}"
    if match := _BUILD.fullmatch(text):
        return f"build {match[1]} {match[2]} {match[3]}"
    return None


def explain(state: Any, slot: int) -> list[str]:  # noqa: ARG001
    """Return what the board shows, the prices, and what may be typed."""
    ruleset = state.game.config.ruleset
    prices = ", ".join(f"{one.word} {one.robots}" for one in BUILDABLE[ruleset])
    return [
        _(
            "a, b, c and their numbers are territory and its robots; capital letters are developed cells, followed by "
            "the letter of the building (I the first base); # is a hole, x y z holes of a b c."
        ),
        _("A cell is x,y: x is the number at the end of its diagonal at the right or below, y the number of its row."),
        _("0,5 e 3       moves 3 robots of cell 0,5 east; e w ne nw se sw are the six directions"),
        _("0,5 e         moves all that can move"),
        say("0,5 factory   builds on cell 0,5; prices in robots: {prices}", prices=prices),
        _("finish        ends your turn"),
    ]


def tell(state: Any, slot: int, action: int) -> str:  # noqa: ARG001
    """Return the short form of a command."""
    config = state.game.config
    command = command_of(config, action)
    back = {way: compass for compass, way in list(COMPASS.items())[:6]}
    if isinstance(command, Move):
        return f"{command.cell[0]},{command.cell[1]} {back[DIRECTIONS[command.direction]]} {command.amount}"
    if isinstance(command, Build):
        return f"{command.cell[0]},{command.cell[1]} {words(config.ruleset)[command.building]}"
    assert action == FINISH
    return "finish"


def may_undo(state: Any) -> bool:  # noqa: ARG001
    """Return True: nothing is hidden and nothing is left to chance."""
    return True
