"""What a person types at the terminal: agents by the names on the board, and directions."""

from __future__ import annotations

import re
from typing import Any

from ..core.language import say
from ..core.language import translate as _
from .notation import DIRECTIONS, PLAYERS

COMPASS = ("n", "ne", "e", "se", "s", "sw", "w", "nw")
"""Words of the directions 0..7."""
_TARGET = re.compile(r"(?:(put|move|remove)\s+)?([0-9]{1,4})[\s,]+([0-9]{1,4})")
_AIM = re.compile(r"(?:(move|m|remove|x)\s+)?(n|ne|e|se|s|sw|w|nw)")


def _agent(state: Any, slot: int) -> tuple[str, int, int]:
    """Return (name, x, y) of the agent of a slot; x and y are -1 if it is not placed."""
    variables = state.to_dict()
    player, agent = divmod(slot, variables["config"]["n_agents"])
    y, x = divmod(variables["pos"][player][agent], variables["config"]["width"])
    return f"{PLAYERS[player]}{agent}", *((x, y) if y >= 0 else (-1, -1))


def question(state: Any, slot: int) -> str:
    """Return the agent's name and place."""
    name, x, y = _agent(state, slot)
    if x < 0:
        return say("{agent}, not placed yet", agent=name)
    return say("{agent} on {x},{y}", agent=name, x=x, y=y)


def read(state: Any, slot: int, text: str) -> str | None:
    """Return the action text of `ne`, `x ne`, `3,4`, `put 3,4` or `stay`."""
    _name, x, y = _agent(state, slot)
    if text in (".", "stay"):
        return "STAY"
    verb, target = "", ""
    if match := _TARGET.fullmatch(text):
        verb, target = match[1] or "", f"{int(match[2])},{int(match[3])}"
    elif (match := _AIM.fullmatch(text)) and x >= 0:
        dx, dy = DIRECTIONS[COMPASS.index(match[2])]
        verb, target = {"m": "move", "x": "remove"}.get(match[1], match[1] or ""), f"{x + dx},{y + dy}"
    if not target:
        return None
    if verb:
        return f"{verb.upper()} {target}"
    legal = {state.action_to_text(action, slot) for action in state.legal_actions(slot).tolist()}
    meant = "PUT" if x < 0 else "REMOVE" if f"MOVE {target}" not in legal and f"REMOVE {target}" in legal else "MOVE"
    return f"{meant} {target}"


def explain(state: Any, slot: int) -> list[str]:
    """Return what the board shows and what this agent can do."""
    name, x, _y = _agent(state, slot)
    letter = name[0]
    lines = [
        say(
            "A cell is its points, with {letter} before them for your wall and {small} for your territory; * {agent} "
            "is an agent. Cells are column,row: the numbers above and at the left.",
            letter=letter, small=letter.lower(), agent=name,
        ),
        _("All agents of all players act at once. Walls score; what your walls enclose is your territory and scores."),
    ]  # fmt: skip
    if x < 0:
        return [*lines, _("3,4    puts the agent on column 3, row 4, where it builds a wall"), _(".      waits")]
    return [
        *lines,
        _("n ne e se s sw w nw   moves the agent and builds a wall there, or removes an opponent's wall"),
        _("x ne   removes the wall at the north-east, also one of your own"),
        _("3,4    the same for the neighbour on column 3, row 4"),
        _(".      stays"),
    ]


def tell(state: Any, slot: int, action: int) -> str:
    """Return the short form of an action."""
    _name, x, y = _agent(state, slot)
    text: str = state.action_to_text(action, slot)
    verb, _blank, target = text.partition(" ")
    if verb == "STAY":
        return "."
    if verb == "PUT":
        return target
    column, row = map(int, target.split(","))
    direction = COMPASS[DIRECTIONS.index((column - x, row - y))]
    return direction if verb == "MOVE" else f"x {direction}"
