"""What a person types at the terminal: steps of the cat, and mice by their cells."""

from __future__ import annotations

import re
from typing import Any

from ..core.language import say
from ..core.language import translate as _
from ..errors import NotationError
from .notation import ADD, CAT1, MOVE, PLACE, REACT, UNMOVED

WAYS = {"up": "N", "right": "E", "down": "S", "left": "W", "n": "N", "e": "E", "s": "S", "w": "W"}
NOTHING = ("-", ".", "done", "pass", "stay", "leave", "no", "end")
_PUT = re.compile(r"(?:(?:put|add)\s+)?([0-9]{1,4})[\s,]+([0-9]{1,4})\s*\+?")
_MOVE = re.compile(rf"(?:move\s+)?(?:([0-9]{{1,4}})[\s,]+([0-9]{{1,4}})\s*)?({'|'.join(WAYS)}|x|retire)")


def _waiting(state: Any) -> list[str]:
    """Return the cells of the mice that have not moved yet, as `row,column`."""
    width = state.game.config.start_stage.width
    mice = state.to_dict()["mouse"]
    return [f"{cell // width},{cell % width}" for cell, flag in enumerate(mice) if flag == UNMOVED]


def question(state: Any, slot: int) -> str:  # noqa: ARG001
    """Return what is decided, with the cells of those who decide."""
    if state.phase == PLACE:
        return say("put a mouse into the zone ({number} left), or done", number=state.reserve)
    if state.phase == ADD:
        return _("add a mouse in the zone, or -")
    if state.phase == MOVE:
        return say("move a mouse: {cells}", cells=" ".join(_waiting(state)))
    if state.phase == REACT:
        row, column = state.arrival
        return say("a mouse came to {row},{column}: ! captures it, - leaves it", row=row, column=column)
    row, column = state.cat
    first = _("cat on {row},{column}: a step, or - to stay")
    return (first if state.phase == CAT1 else _("cat on {row},{column}: a second step, or -")).format(
        row=row, column=column
    )


def read(state: Any, slot: int, text: str) -> str | None:  # noqa: ARG001
    """Return the action text of `n`, `2,1 n`, `2,1` or `done`."""
    if text in NOTHING:
        return "-"
    if state.phase == REACT and text in ("!", "capture", "yes"):
        return "!"
    if state.phase in (PLACE, ADD) and (match := _PUT.fullmatch(text)):
        return f"{int(match[1])},{int(match[2])}+"
    if state.phase == MOVE and (match := _MOVE.fullmatch(text)):
        waiting = _waiting(state)
        if match[1] is None and len(waiting) > 1:
            raise NotationError(f"expected the cell of a mouse too, such as {waiting[0]} {match[3]}, got {text!r}")
        place = waiting[0] if match[1] is None else f"{int(match[1])},{int(match[2])}"
        return place + WAYS.get(match[3], "X")
    return WAYS.get(text)


def explain(state: Any, slot: int) -> list[str]:  # noqa: ARG001
    """Return what the board shows and what may be done in this phase."""
    lines = [
        _(
            "C is the cat, M a mouse that has not moved this turn, m one that has; # is a wall, Z the zone, * food "
            "with its mg. Cells are row,column: the numbers at the left and above."
        ),
        _(
            "The mice win with a score (food - cost) of 0 or more, or by surrounding the cat: walls or mice on all "
            "its four diagonal neighbours. Every turn costs mice on the board x (captured + 1)."
        ),
    ]
    if state.phase in (PLACE, ADD):
        return [*lines, _("2,1    puts a mouse on row 2, column 1 of the zone"), _("-      puts no more mice")]
    if state.phase == MOVE:
        return [
            *lines,
            _("2,1 n  moves the mouse on row 2, column 1 north; n alone if one mouse is left to move"),
            _("A mouse jumps over mice; if a wall is behind them it leaves the board. Every mouse must move."),
            _("2,1 x  takes a mouse off that has walls on all sides"),
        ]
    if state.phase == REACT:
        return [*lines, _("!      captures the mouse"), _("-      leaves it alone")]
    return [
        *lines,
        _("n e s w   moves the cat; onto a mouse it captures it, and may make a second step"),
        _("-         stays"),
    ]


def tell(state: Any, slot: int, action: int) -> str:
    """Return the short form of an action."""
    text: str = state.action_to_text(action, slot)
    if text[-1:] in ("N", "E", "S", "W", "X"):
        return f"{text[:-1]} {text[-1].lower()}".strip()
    return text.removesuffix("+")


def may_undo(state: Any) -> bool:  # noqa: ARG001
    """Return True: nothing is hidden and nothing is left to chance."""
    return True
