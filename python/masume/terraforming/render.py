"""Rendering of Terraforming: hexagons, hatched territory, developed land with its building, the number of robots."""

from __future__ import annotations

from typing import Any

from ..core.language import say
from ..core.language import translate as _
from ..render.canvas import Act, Frame, Outcome, Scene, Tile, Verb
from . import hexes
from .buildings import LETTERS, NONE
from .notation import BUILT, MOVE, NOBODY, PLAYERS, PRE, Build, Move, command_of
from .shapes import SHAPES

WASTELAND, HOLE = ".", "#"
FALLEN = "xyz"  # marks of holes owned by players 0, 1, 2
TILES = (
    Tile(WASTELAND, "plain", -1, "wasteland"),
    Tile(HOLE, "plain", -1, "hole", "hole"),
    *(Tile(letter, "hatch", player, f"territory of {letter}") for player, letter in enumerate(PLAYERS)),
    *(Tile(letter.upper(), "plot", player, f"developed by {letter}") for player, letter in enumerate(PLAYERS)),
    *(Tile(mark, "hatch", player, f"hole of {PLAYERS[player]}", "hole") for player, mark in enumerate(FALLEN)),
)
WHOLE_TURNS = True  # a turn has dozens of moves
FINISH_VERB, MOVE_VERB, BUILD_VERB = range(3)
VERBS = (Verb("finish", "none"), Verb("move", "arrow"), Verb("build", "ring"))
DONE, TOOK, FOUGHT = range(3)
OUTCOMES = (Outcome("done", ""), Outcome("took the cell", ""), Outcome("was fought off", "×"))


def scene(state: Any) -> Scene:
    """Return the board of hexagons and its players."""
    config = _config(state)
    return Scene(
        title=f"{_('Terraforming')}, {config.ruleset}, radius {config.radius}",
        players=PLAYERS,
        score_names=("points", "developed", "robots"),
        hexes=hexes.cells(config.radius),
        tiles=TILES,
        verbs=VERBS,
        outcomes=OUTCOMES,
        shapes=SHAPES[config.ruleset],
    )


def frame(state: Any) -> Frame:
    """Return land, buildings, robots and scores of one position."""
    variables = state.to_dict()
    cells = []
    notes, glyphs = {}, {}
    developed, robots_of = [0] * len(PLAYERS), [0] * len(PLAYERS)
    land = zip(*(variables[name] for name in ("owner", "hole", "building", "robots")), strict=True)
    for n, (owner, is_hole, building, robots) in enumerate(land):
        cells.append(_mark(owner, is_hole, building))
        if building != NONE:
            glyphs[n] = LETTERS[building]
        if robots:
            notes[n] = str(robots)
        if owner != NOBODY:
            developed[owner] += building != NONE
            robots_of[owner] += robots
    return Frame(
        caption=_caption(state, variables),
        scores=[*zip(map(int, state.scores()), developed, robots_of, strict=True)],
        cells="".join(cells),
        notes=notes,
        glyphs=glyphs,
    )


def acts(before: Any, move: int, after: Any) -> list[Act]:
    """Return the act of a move: the robots' way and its outcome, or the building site. [section 7]"""
    config = _config(before)
    index = hexes.indices(config.radius)
    command = command_of(config, move)
    if isinstance(command, Build):
        return [Act(-1, BUILD_VERB, index[command.cell], DONE)]
    if not isinstance(command, Move):
        return [Act(-1, FINISH_VERB, -1, DONE)]
    target = index[hexes.ahead(command.cell, command.direction)]
    was, now, player = before.to_dict()["owner"][target], after.to_dict()["owner"][target], before.to_dict()["player"]
    outcome = DONE if was == player else TOOK if now == player else FOUGHT
    return [Act(-1, MOVE_VERB, target, outcome, via=[index[command.cell]])]


def _config(state: Any) -> Any:
    return state.game.config if hasattr(state, "game") else state.config


def _mark(owner: int, is_hole: bool, building: int) -> str:
    if owner == NOBODY:
        return HOLE if is_hole else WASTELAND
    return FALLEN[owner] if is_hole else PLAYERS[owner].upper() if building else PLAYERS[owner]


def _caption(state: Any, variables: dict[str, Any]) -> str:
    """Return the turn and the player to move, or at the end the winner. [section 8]"""
    rounds = _config(state).max_turns
    if variables["finished"]:
        winner = state.winner
        template = (
            "end in turn {turn} of {turns}: {player} wins"
            if winner >= 0
            else "end in turn {turn} of {turns}: no winner"
        )
        return say(template, turn=state.turn, turns=rounds, player=PLAYERS[winner])
    if variables["phase"] == PRE:
        return say("before the first of {turns} turns", turns=rounds)
    template = {
        MOVE: "turn {turn} of {turns}, {player} has moved",
        BUILT: "turn {turn} of {turns}, {player} has built",
    }.get(variables["phase"], "turn {turn} of {turns}, {player} to move")
    return say(template, turn=state.turn, turns=rounds, player=PLAYERS[variables["player"]])
