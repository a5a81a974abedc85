"""Conversion of the match server's Game JSON to a Replay and back. [section 14.4]

A Replay holds one code per agent and turn. An action that the server logged as invalid had the effect of STAY
and is read as STAY; so are entries that void each other. An entry of an agent that does not exist is dropped.
"""

from __future__ import annotations

import json
from typing import Any, cast

from ..errors import NotationError, ReplayError
from ..game import load
from ..records.replay import Replay
from .config import Config
from .protocol import Turn, game_from_json, game_to_json

STAY = 0


def read_text(text: str) -> list[Replay] | None:
    """Return the games of a text in this format.

    The reference replays each log, first by the match server's rule, then by the rule book's. [KM-R6]

    Parameters
    ----------
    text : str
        JSON of one game, or an array of games as GET /v1/matches returns it. Matches of an array that have not
        begun are left out.

    Returns
    -------
    list of Replay or None
        None if the text is in another format.

    Raises
    ------
    ReplayError
        If a log does not replay to the values it contains; the message names the place.
    """
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if _is_game(data):
        return [_read(data)]
    if isinstance(data, dict) and {"gameId", "board", "log"} <= data.keys():
        raise ReplayError("the Game JSON of a match server before 1.0.0-beta.12; only that of later ones is read")
    if not isinstance(data, list) or not data or not all(map(_is_game, data)):
        return None
    games = []
    for number, one in enumerate(data):
        try:
            games += [] if one["field"] is None else [_read(one)]
        except ReplayError as error:
            raise ReplayError(f"[{number}].{error}") from None
    return games


def _is_game(found: Any) -> bool:
    return isinstance(found, dict) and "field" in found and "log" in found


def _read(found: dict[str, Any]) -> Replay:
    config, turns = _verify(found)
    game = load("kakomimasu", **config.to_dict())
    state = game.new_state()
    moves: list[Any] = []
    for turn in turns:
        moves.append(_codes(state, turn))
        state.apply(moves[-1])
    names = [player["id"] for player in found["players"]]
    return Replay(game, 0, names, moves, state.returns().tolist(), state.scores().tolist())


def _verify(found: dict[str, Any]) -> tuple[Config, list[Turn]]:
    """Return the config and the turns by whichever rule reproduces the log; the object does not name it. [KM-R6]"""
    try:
        return game_from_json(found)
    except ReplayError as error:
        try:
            return game_from_json(found, put_on_enemy_wall="invalid")
        except ReplayError:
            raise error from None


def to_game_json(replay: Replay) -> dict[str, Any]:
    """Return the game as the object that the match server would send; STAY is logged as NONE. [KM-R19]

    Raises
    ------
    ReplayError
        If the first position of the replay is not the initial position of its config; Game JSON has no other.
    """
    game, moves = replay.game, cast(list[list[int]], replay.moves)
    if next(replay.states()).to_bytes() != game.new_state(replay.seed).to_bytes():
        raise ReplayError("start: Game JSON can only describe a game from its config's start")
    per_player = game.num_slots // game.num_players
    turns = []
    for state, move in zip(replay.states(), moves, strict=False):  # the last position has no move
        entries = [_entry(state, slot, code) for slot, code in enumerate(move)]
        turns.append([entries[first : first + per_player] for first in range(0, len(entries), per_player)])
    return game_to_json(cast(Config, game.config), turns, names=replay.names)


def _codes(state: Any, turn: Turn) -> list[int]:
    """Return a code per slot with the same effect as the entries of a turn."""
    per_player = len(state.slots) // len(turn)
    codes = [STAY] * len(state.slots)
    for player, entries in enumerate(turn):
        agents = [agent for agent, *_ in entries]
        for agent, kind, x, y in entries:
            if 0 <= agent < per_player and agents.count(agent) == 1:  # several void each other [KM-R5]
                slot = player * per_player + agent
                codes[slot] = _code(state, slot, kind, x, y)
    return codes


def _code(state: Any, slot: int, kind: str, x: int, y: int) -> int:
    if kind == "STAY":
        return STAY
    try:
        code = int(state.text_to_action(f"{kind} {x},{y}", slot))
    except NotationError:  # off the board, or not a neighbour [KM-R3]
        return STAY
    return code if code in state.legal_actions(slot) else STAY


def _entry(state: Any, slot: int, code: int) -> tuple[int, str, int, int]:
    per_player = len(state.slots) // state.game.num_players
    kind, _, target = state.action_to_text(code, slot).partition(" ")
    x, y = map(int, target.split(",")) if target else (0, 0)
    return slot % per_player, kind, x, y
