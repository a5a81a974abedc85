"""Text boards and action texts: convert a position and an action to text and back.

A text board has `height` rows of `width` letters: `.` is floor, `#` a block, `*` an item, `C` and `H` are the
players on floor, `B` is both of them on one cell. A line `cool:` or `hot:` gives the row and column of a player; it
is optional, but required for a player who is buried in a block or has walked off the field. A line `items:` gives
the items that COOL and HOT have collected, `half:` the number of methods played, `over:` the winner and the reason.
Without these lines nobody has items, no method is played and the game is ongoing. Blank lines, and blanks at both
ends of a line, are ignored::

    ....
    .#C#
    ...H
    cool: 1,2
    hot: 2,3
    items: 1 0
    half: 3
    over: COOL SCORE
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ..core.board import KeyValue, one_of, read_board
from ..errors import NotationError
from .config import Config
from .maps import BLOCK, FLOOR, ITEM, PLAYERS

CODES = tuple(kind + direction for kind in "wlsp" for direction in "urld")
"""Letters of the 16 methods, indexed by action: 4 * kind + direction. [CH-45]"""
WALK, LOOK, SEARCH, PUT = range(4)
NONE, ATTACK, TRAPPED, COLLISION, CONFINED, FOUL, SCORE = range(7)
REASONS = ("NONE", "ATTACK", "TRAPPED", "COLLISION", "CONFINED", "FOUL", "SCORE")
WINNERS = (*PLAYERS, "draw")

LETTERS = {".": FLOOR, "#": BLOCK, "*": ITEM, "C": FLOOR, "H": FLOOR, "B": FLOOR}
_PLACE = re.compile(r"(-?[0-9]{1,4})\s*,\s*(-?[0-9]{1,4})", re.ASCII)
_COUNTS = {"items": re.compile(r"([0-9]{1,9})\s+([0-9]{1,9})", re.ASCII), "half": re.compile(r"([0-9]{1,9})", re.ASCII)}
_OVER = re.compile(rf"({'|'.join(WINNERS)})\s+({'|'.join(REASONS[1:])})")


def parse(config: Config, text: str) -> dict[str, Any]:
    """Return the variables of the position that a text board shows.

    The invariants of a position are not checked here; `State.parse` checks them.

    Parameters
    ----------
    config : Config
        Config of the game.
    text : str
        A text board.

    Returns
    -------
    dict
        `cells` (flat list of 0, 2, 3), `row`, `col` and `items` (of COOL and HOT), `half`, `winner` and `reason`.

    Raises
    ------
    NotationError
        If the text is not a board of this config; it gives line and column.
    """
    board = read_board(text, config.width, config.height, one_of(LETTERS, "cells"), "cells")
    letters, end = board.letters, board.end
    told = {key: _read(entry) for key, entry in board.by_key().items()}
    places = [_place(config, letters, player, told, end) for player in PLAYERS]
    winner, reason = told.get("over", (-1, NONE))
    return {
        "cells": [LETTERS[letter] for letter in letters],
        "row": [row for row, _ in places],
        "col": [column for _, column in places],
        "items": list(told.get("items", (0, 0))),
        "half": told.get("half", (0,))[0],
        "winner": winner,
        "reason": reason,
    }


def _read(entry: KeyValue) -> tuple[int, ...]:
    """Return the numbers that a line gives."""
    key, rest, line, column = entry
    if key in ("cool", "hot"):
        match = _PLACE.fullmatch(rest)
    elif key in _COUNTS:
        match = _COUNTS[key].fullmatch(rest)
    elif key == "over":
        match = _OVER.fullmatch(rest)
        if match:
            return WINNERS.index(match[1]), REASONS.index(match[2])
    else:
        raise NotationError(f"expected one of cool, hot, items, half, over, got {key!r}", line, column - len(key) - 1)
    if not match:
        wanted = {"items": "two counts", "half": "a count", "over": "a winner and a reason"}
        raise NotationError(f"{key}: expected {wanted.get(key, 'row,column')}, got {rest!r}", line, column)
    return tuple(map(int, match.groups()))


def _place(config: Config, letters: str, player: str, told: Mapping[str, Any], end: int) -> tuple[int, int]:
    """Return (row, column) of a player, from the drawing and from its line."""
    drawn = [divmod(n, config.width) for n, letter in enumerate(letters) if letter in (player[0], "B")]
    if len(drawn) > 1:
        raise NotationError(f"{player} is drawn {len(drawn)} times", end, 1)
    place: tuple[int, int] | None = told.get(player.lower())
    if place is None and not drawn:
        raise NotationError(f"{player} is neither drawn nor given", end, 1)
    if place is None or not drawn:
        return place or drawn[0]
    if place != drawn[0]:
        raise NotationError(
            f"{player} is drawn on {drawn[0][0]},{drawn[0][1]} and told on {place[0]},{place[1]}", end, 1
        )
    return place


def to_text(variables: Mapping[str, Any]) -> str:
    """Return the text board of a position (`State.to_dict`), in the form that `parse` reads."""
    lines = board(variables)
    for player, name in enumerate(PLAYERS):
        lines.append(f"{name.lower()}: {variables['row'][player]},{variables['col'][player]}")
    lines.append(f"items: {variables['items'][0]} {variables['items'][1]}")
    lines.append(f"half: {variables['half']}")
    if variables["winner"] >= 0:
        lines.append(f"over: {WINNERS[variables['winner']]} {REASONS[variables['reason']]}")
    return "\n".join(lines)


def board(variables: Mapping[str, Any]) -> list[str]:
    """Return the rows of a text board; a player who is not on floor is not drawn."""
    width, cells = variables["width"], variables["cells"]
    letters = [{FLOOR: ".", BLOCK: "#", ITEM: "*"}[value] for value in cells]
    for player, name in enumerate(PLAYERS):
        row, column = variables["row"][player], variables["col"][player]
        if 0 <= row < variables["height"] and 0 <= column < width and cells[row * width + column] == FLOOR:
            n = row * width + column
            letters[n] = name[0] if letters[n] == "." else "B"
    return ["".join(letters[start : start + width]) for start in range(0, len(letters), width)]


def action_to_text(action: int) -> str:
    """Return the two letters of an action 0..15; raise ValueError for any other number. [CH-45]"""
    if not 0 <= action < len(CODES):
        raise ValueError(f"action: expected 0..{len(CODES) - 1}, got {action}")
    return CODES[action]


def text_to_action(text: str) -> int:
    """Return the action, 0..15, of two letters; raise NotationError for any other text."""
    if text.strip() not in CODES:
        raise NotationError(f"expected one of {' '.join(CODES)}, got {text!r}")
    return CODES.index(text.strip())
