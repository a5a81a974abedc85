"""Drawing of Kakomimasu: walls of bricks, hatched territory, agents as masons, the points of every cell."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..core.language import say
from ..core.language import translate as _
from ..render.canvas import Act, Frame, Outcome, Scene, Tile, Unit, Verb
from .notation import DIRECTIONS, FIRST_MOVE, FIRST_PUT, FIRST_REMOVE, NEUTRAL, PLAYERS
from .shapes import SHAPES

STAY, MOVE, REMOVE, PUT = range(4)  # indices into VERBS
VERBS = (Verb("stay", "none"), Verb("move", "arrow"), Verb("remove", "cross"), Verb("put", "ring"))
OUTCOMES = (  # by result code                                                               [KM, section 6]
    Outcome("done", ""),
    Outcome("conflict", "!"),
    Outcome("blocked", "×"),
    Outcome("several actions", "?"),
    Outcome("no such agent", "?"),
    Outcome("invalid", "?"),
)


def scene(state: Any) -> Scene:
    """Return the fixed part of the drawing: the board, the points of its cells, and all agents. [KM-8, KM-10, KM-11]"""
    config = state.to_dict()["config"]
    width, height = config["width"], config["height"]
    players = PLAYERS[: config["n_players"]]
    walls = [
        Tile(letter, "wall", player, say("wall of {player}", player=letter)) for player, letter in enumerate(players)
    ]
    territory = [
        Tile(letter.lower(), "hatch", player, say("territory of {player}", player=letter))
        for player, letter in enumerate(players)
    ]
    return Scene(
        title=f"{_('Kakomimasu')} {width}×{height}",
        width=width,
        height=height,
        players=players,
        score_names=("total", "walls", "territory"),
        tiles=(Tile(NEUTRAL, "plain", -1, "neutral"), *walls, *territory),
        values=tuple(config["points"]),
        units=tuple(
            Unit(player, f"{letter}{agent}", f"mason {letter}", str(agent))
            for player, letter in enumerate(players)
            for agent in range(config["n_agents"])
        ),
        verbs=VERBS,
        outcomes=OUTCOMES,
        shapes={name: shape for name, shape in SHAPES.items() if name[-1] in players},
    )


def frame(state: Any) -> Frame:
    """Return walls, territory, agents and scores of one position. [KM-45]"""
    variables = state.to_dict()
    config, walls, territory = variables["config"], variables["wall"], variables["area"]
    scores = []
    for player, total in enumerate(state.scores()):
        wall_points = sum(point for point, owner in zip(config["points"], walls, strict=True) if owner == player)
        scores.append((int(total), wall_points, int(total) - wall_points))
    return Frame(
        caption=_caption(state, variables["played"], config["total_turns"]),
        scores=scores,
        cells="".join(map(_mark, walls, territory)),
        places=tuple(cell for cells in variables["pos"] for cell in cells),
    )


def acts(before: Any, move: Sequence[int], after: Any) -> list[Act]:
    """Return the action of each agent in a turn, with its result code. [KM-16, section 6]

    Parameters
    ----------
    before, after : State
        The positions before and after the turn.
    move : sequence of int
        The code of each agent, player by player.
    """
    variables = before.to_dict()
    width, height = variables["config"]["width"], variables["config"]["height"]
    places = [cell for cells in variables["pos"] for cell in cells]
    return [
        Act(unit, *_aim(int(code), place, width, height), int(result))
        for unit, (code, place, result) in enumerate(zip(move, places, after.results, strict=True))
    ]


def _mark(wall: int, territory: int) -> str:
    if wall >= 0:
        return PLAYERS[wall]
    return PLAYERS[territory].lower() if territory >= 0 else NEUTRAL


def _caption(state: Any, played: int, total_turns: int) -> str:
    """Return the turn and, at the end, the winner. [KM-49, KM-50, KM-51, KM-R22]"""
    if not state.is_terminal():
        return say(
            "after turn {turn} of {turns}" if played else "start of {turns} turns", turn=played, turns=total_turns
        )
    first = [letter for letter, value in zip(PLAYERS, state.returns(), strict=False) if value >= 0]
    if len(first) == 1:
        return say("end after turn {turn}: {player} wins", turn=played, player=first[0])
    return say("end after turn {turn}: draw of {players}", turn=played, players=_(" and ").join(first))


def _aim(code: int, place: int, width: int, height: int) -> tuple[int, int]:
    """Return (verb, target cell) of a code for an agent on `place`; -1 for a target off the board or no place."""
    if code == 0:
        return STAY, -1
    if code >= FIRST_PUT:
        return PUT, code - FIRST_PUT
    verb = MOVE if code < FIRST_REMOVE else REMOVE
    if place < 0:
        return verb, -1
    dx, dy = DIRECTIONS[(code - FIRST_MOVE) % 8]
    x, y = place % width + dx, place // width + dy
    return verb, y * width + x if 0 <= x < width and 0 <= y < height else -1
