"""What a person types at the terminal: walk, look, search and put, with a direction."""

from __future__ import annotations

import re
from typing import Any

from ..core.language import translate as _
from .notation import CODES

VERBS = {"walk": "w", "look": "l", "search": "s", "put": "p"}
WAYS = {
    "up": "u", "right": "r", "left": "l", "down": "d", "u": "u", "r": "r", "l": "l", "d": "d",
    "n": "u", "e": "r", "w": "l", "s": "d",
}  # fmt: skip
_WORDS = re.compile(rf"(?:({'|'.join(VERBS)}|[wlsp])\s+)?({'|'.join(WAYS)})")


def question(state: Any, slot: int) -> str:  # noqa: ARG001
    """Return what is decided."""
    return _("walk, look, search or put")


def read(state: Any, slot: int, text: str) -> str | None:  # noqa: ARG001
    """Return the method of `n`, `look n` or `wu`."""
    match = _WORDS.fullmatch(text)
    if not match:
        return text if text in CODES else None
    verb = match[1] or "walk"
    return VERBS.get(verb, verb) + WAYS[match[2]]


def explain(state: Any, slot: int) -> list[str]:  # noqa: ARG001
    """Return what the board shows and what a player can do."""
    return [
        _("C is COOL, H is HOT, # a block, * an item, : a cell that you have not seen. Your start is row 0, column 0."),
        _("n e s w         walks up, right, down, left; up, right, down, left and the arrows do so too"),
        _("look n          sees the 3x3 cells two steps away, for each direction"),
        _("search n        sees the 9 cells in a line"),
        _("put n           puts a block: on the other player it wins, and it also blocks your own way"),
        _("Walking into a block loses, so does being shut in by blocks on all four sides."),
    ]


def tell(state: Any, slot: int, action: int) -> str:
    """Return the short form of a method."""
    verb, way = state.action_to_text(action, slot)
    direction = {"u": "n", "r": "e", "l": "w", "d": "s"}[way]
    word = next(word for word, letter in VERBS.items() if letter == verb)
    return direction if word == "walk" else f"{word} {direction}"
