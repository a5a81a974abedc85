"""Text boards and action texts: a position <-> text, an action <-> its two letters on the wire.

A text board has `height` rows of `width` letters: `.` is floor, `#` a block, `*` an item, `C` and `H` are the
players on floor, `B` is both of them on one cell. Where the players are may be said, and must be for one who is
buried in a block or has walked off the field, in a line `cool:` or `hot:` with row and column. A line `items:`
gives the items that COOL and HOT have collected, `half:` the number of methods played, `over:` the winner and the
reason. Without their lines nobody has items, no method is played and the game goes on. Blank lines, and blanks at
both ends of a line, mean nothing::

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

from ..core.board import Entry, one_of, read_board
from ..errors import NotationError
from .config import Config
from .maps import BLOCK, FLOOR, ITEM, PLAYERS

CODES = tuple(kind + direction for kind in "wlsp" for direction in "urld")
"""The 16 methods by their number, 4 * kind + direction. [CH-45]"""
WALK, LOOK, SEARCH, PUT = range(4)
NONE, ATTACK, TRAPPED, COLLISION, CONFINED, FOUL, SCORE = range(7)
REASONS = ("NONE", "ATTACK", "TRAPPED", "COLLISION", "CONFINED", "FOUL", "SCORE")
WINNERS = (*PLAYERS, "draw")

LETTERS = {".": FLOOR, "#": BLOCK, "*": ITEM, "C": FLOOR, "H": FLOOR, "B": FLOOR}
_PLACE = re.compile(r"(-?[0-9]{1,4})\s*,\s*(-?[0-9]{1,4})", re.ASCII)
_COUNTS = {"items": re.compile(r"([0-9]{1,9})\s+([0-9]{1,9})", re.ASCII), "half": re.compile(r"([0-9]{1,9})", re.ASCII)}
_OVER = re.compile(rf"({'|'.join(WINNERS)})\s+({'|'.join(REASONS[1:])})")


def parse(config: Config, text: str) -> dict[str, Any]:
    """The variables `cells`, `row`, `col`, `items`, `half`, `winner` and `reason` that a text board shows.

    Raises NotationError with line and column where the text is none of this config's boards; whether the
    position keeps the invariants is the State's to say.
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


def _read(entry: Entry) -> tuple[int, ...]:
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
        raise NotationError(f"{key!r} is none of cool, hot, items, half, over", line, column - len(key) - 1)
    if not match:
        wanted = {"items": "two counts", "half": "a count", "over": "a winner and a reason"}
        raise NotationError(f"{key}: {rest!r} is not {wanted.get(key, 'row,column')}", line, column)
    return tuple(map(int, match.groups()))


def _place(config: Config, letters: str, player: str, told: Mapping[str, Any], end: int) -> tuple[int, int]:
    """(row, column) of a player, by the drawing and by its own line."""
    drawn = [divmod(n, config.width) for n, letter in enumerate(letters) if letter in (player[0], "B")]
    if len(drawn) > 1:
        raise NotationError(f"{player} is drawn {len(drawn)} times", end, 1)
    place: tuple[int, int] | None = told.get(player.lower())
    if place is None and not drawn:
        raise NotationError(f"{player} is neither drawn nor told", end, 1)
    if place is None or not drawn:
        return place or drawn[0]
    if place != drawn[0]:
        raise NotationError(
            f"{player} is drawn on {drawn[0][0]},{drawn[0][1]} and told on {place[0]},{place[1]}", end, 1
        )
    return place


def to_text(variables: Mapping[str, Any]) -> str:
    """The text board of a position (`State.to_dict`): what `parse` reads."""
    lines = board(variables)
    for player, name in enumerate(PLAYERS):
        lines.append(f"{name.lower()}: {variables['row'][player]},{variables['col'][player]}")
    lines.append(f"items: {variables['items'][0]} {variables['items'][1]}")
    lines.append(f"half: {variables['half']}")
    if variables["winner"] >= 0:
        lines.append(f"over: {WINNERS[variables['winner']]} {REASONS[variables['reason']]}")
    return "\n".join(lines)


def board(variables: Mapping[str, Any]) -> list[str]:
    """The rows of a text board; a player who is not on floor is not drawn."""
    width, cells = variables["width"], variables["cells"]
    letters = [{FLOOR: ".", BLOCK: "#", ITEM: "*"}[value] for value in cells]
    for player, name in enumerate(PLAYERS):
        row, column = variables["row"][player], variables["col"][player]
        if 0 <= row < variables["height"] and 0 <= column < width and cells[row * width + column] == FLOOR:
            n = row * width + column
            letters[n] = name[0] if letters[n] == "." else "B"
    return ["".join(letters[start : start + width]) for start in range(0, len(letters), width)]


def action_to_text(action: int) -> str:
    """The two letters of an action; ValueError for what is no action. [CH-45]"""
    if not 0 <= action < len(CODES):
        raise ValueError(f"action: {action} is not in 0..{len(CODES) - 1}")
    return CODES[action]


def text_to_action(text: str) -> int:
    """The inverse of `action_to_text`; NotationError for a text that is no action."""
    if text.strip() not in CODES:
        raise NotationError(f"{text!r} is none of {' '.join(CODES)}")
    return CODES.index(text.strip())
