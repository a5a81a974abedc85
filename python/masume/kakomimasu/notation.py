"""Text boards and action texts: convert a position and a code to text and back.

A text board has `height` rows of `width` letters: A to D are walls of players 0 to 3, a to d their
territory, a dot is a neutral cell. Lines that begin with `agents:` name the placed and, optionally, the
unplaced agents; a line `played:` gives the number of resolved turns. Agents that no line names are not
placed, and played is 0 without its line. Blank lines, and blanks at both ends of a line, are ignored::

    AAA.
    AaA.
    AAA.
    agents: A0@2,1 A1@unplaced
    agents: B0@unplaced B1@unplaced
    played: 9

An action is STAY, PUT x,y, MOVE x,y or REMOVE x,y with the column and row of its target, as on the wire.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ..core.board import one_of, read_board
from ..errors import NotationError
from .config import Config

PLAYERS = "ABCD"
NEUTRAL = "."
DIRECTIONS = ((0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1))
"""(dx, dy) of direction 0..7, clockwise from north."""
FIRST_MOVE, FIRST_REMOVE, FIRST_PUT = 1, 9, 17
"""Codes: 0 is STAY, then 8 MOVEs and 8 REMOVEs by direction, then a PUT for each cell."""

_AGENT = re.compile(r"([A-D])([0-9]{1,4})@(?:([0-9]{1,4}),([0-9]{1,4})|unplaced)", re.ASCII)
_PLAYED = re.compile(r"[0-9]{1,9}", re.ASCII)
_TARGETED = re.compile(r"(PUT|MOVE|REMOVE)\s+(-?[0-9]{1,4})\s*,\s*(-?[0-9]{1,4})", re.ASCII)


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
        `played` (int), `wall` and `area` (flat lists of owners, -1 for nobody) and `pos` (a list of cells per
        player, -1 for an agent that is not placed).

    Raises
    ------
    NotationError
        If the text is not a board of this config; it gives line and column.
    """
    letters = {NEUTRAL: (-1, -1)}
    for player, letter in enumerate(PLAYERS[: config.n_players]):
        letters |= {letter: (player, -1), letter.lower(): (-1, player)}
    board = read_board(text, config.width, config.height, one_of(letters, "cells"), "cells")
    cells = [letters[letter] for letter in board.letters]
    agents: dict[tuple[int, int], int] = {}
    played = None
    for key, value, line, column in board.entries:
        if key == "agents":
            _read_agents(config, value, line, column, agents)
        elif key == "played" and played is None and _PLAYED.fullmatch(value.strip()):
            played = int(value)
        elif key == "played":
            problem = "given twice" if played is not None else f"expected a count, got {value.strip()!r}"
            raise NotationError(f"played: {problem}", line, column - len("played:"))
        else:
            raise NotationError(f"expected agents or played, got {key!r}", line, column - len(key) - 1)
    return {
        "played": played or 0,
        "wall": [wall for wall, _ in cells],
        "area": [territory for _, territory in cells],
        "pos": [[agents.get((p, a), -1) for a in range(config.n_agents)] for p in range(config.n_players)],
    }


def _read_agents(config: Config, text: str, line: int, start: int, agents: dict[tuple[int, int], int]) -> None:
    """Add the agents of a line to `agents`; `start` is the column where `text` begins."""
    for word in re.finditer(r"\S+", text):
        column = start + word.start()
        match = _AGENT.fullmatch(word[0])
        if not match:
            raise NotationError(f"expected an agent like A0@3,1 or A0@unplaced, got {word[0]!r}", line, column)
        agent = PLAYERS.index(match[1]), int(match[2])
        if agent[0] >= config.n_players or agent[1] >= config.n_agents:
            raise NotationError(f"{word[0]!r}: no such agent", line, column)
        if agent in agents:
            raise NotationError(f"{word[0]!r}: the agent is given twice", line, column)
        agents[agent] = -1
        if match[3] is not None:
            x, y = int(match[3]), int(match[4])
            if x >= config.width or y >= config.height:
                raise NotationError(f"{word[0]!r}: the cell is off the board", line, column)
            agents[agent] = y * config.width + x


def to_text(variables: Mapping[str, Any]) -> str:
    """Return the text board of a serialised position (`State.to_dict`), in the form that `parse` reads."""
    width = variables["config"]["width"]
    letters = [
        PLAYERS[wall] if wall >= 0 else PLAYERS[territory].lower() if territory >= 0 else NEUTRAL
        for wall, territory in zip(variables["wall"], variables["area"], strict=True)
    ]
    lines = ["".join(letters[start : start + width]) for start in range(0, len(letters), width)]
    for player, cells in zip(PLAYERS, variables["pos"], strict=False):
        agents = (f"{player}{a}@{_place(width, cell)}" for a, cell in enumerate(cells))
        lines.append(f"agents: {' '.join(agents)}")
    lines.append(f"played: {variables['played']}")
    return "\n".join(lines)


def _place(width: int, cell: int) -> str:
    y, x = divmod(cell, width)
    return f"{x},{y}" if cell >= 0 else "unplaced"


def action_to_text(config: Config, cell: int, code: int) -> str:
    """Return the text of a code, with its target as column and row.

    Parameters
    ----------
    config : Config
        Config of the game.
    cell : int
        Cell of the agent, y * width + x; -1 if it is not placed.
    code : int
        The code of the action.

    Raises
    ------
    ValueError
        If the code is out of range, or is a direction and the agent is not placed.
    """
    if code == 0:
        return "STAY"
    if FIRST_PUT <= code < FIRST_PUT + config.width * config.height:
        return f"PUT {_place(config.width, code - FIRST_PUT)}"
    if cell < 0 or not FIRST_MOVE <= code < FIRST_PUT:
        raise ValueError(f"action: {code} means nothing for an agent @{_place(config.width, cell)}")
    y, x = divmod(cell, config.width)
    dx, dy = DIRECTIONS[(code - FIRST_MOVE) % 8]
    return f"{'MOVE' if code < FIRST_REMOVE else 'REMOVE'} {x + dx},{y + dy}"


def text_to_action(config: Config, cell: int, text: str) -> int:
    """Return the code of an action's text.

    Parameters
    ----------
    config : Config
        Config of the game.
    cell : int
        Cell of the agent, y * width + x; -1 if it is not placed.
    text : str
        STAY, PUT x,y, MOVE x,y or REMOVE x,y.

    Raises
    ------
    NotationError
        If the text is none of these, or this agent has no code for its target.
    """
    if text.strip() == "STAY":
        return 0
    match = _TARGETED.fullmatch(text.strip())
    if not match:
        raise NotationError(f"expected STAY, PUT x,y, MOVE x,y or REMOVE x,y, got {text!r}")
    kind, x, y = match[1], int(match[2]), int(match[3])
    if kind == "PUT":
        if not (0 <= x < config.width and 0 <= y < config.height):
            raise NotationError(f"{text!r}: the cell is off the board")
        return FIRST_PUT + y * config.width + x
    if cell < 0:
        raise NotationError(f"{text!r}: the agent is not placed")
    offset = (x - cell % config.width, y - cell // config.width)
    if offset not in DIRECTIONS:
        raise NotationError(f"{text!r}: expected a neighbour of {_place(config.width, cell)}")
    return (FIRST_MOVE if kind == "MOVE" else FIRST_REMOVE) + DIRECTIONS.index(offset)
