"""The match server's Game JSON as a Replay, and back. [section 14.4]

A Replay holds codes, one an agent. What the server logged as invalid did what STAY does and becomes it, as do
entries that void each other; an entry of an agent that is none is left out.
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
    """The games of a text in this format, None where it is in another: an object, or an array as from GET /v1/matches.

    Matches of an array that have not begun are left out. A log is played again by the reference, by the match server's
    rule or else the seed's [KM-R6]; ReplayError names the place where anything comes out otherwise.
    """
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if _is_game(found):
        return [_read(found)]
    if not isinstance(found, list) or not found or not all(map(_is_game, found)):
        return None
    games = []
    for number, one in enumerate(found):
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
    """The config and the turns, by the rule that the log was played by, which the object does not name. [KM-R6]"""
    try:
        return game_from_json(found)
    except ReplayError as error:
        try:
            return game_from_json(found, put_on_enemy_wall="invalid")
        except ReplayError:
            raise error from None


def to_game_json(replay: Replay) -> dict[str, Any]:
    """The game as the object that the match server would show; STAY is logged as NONE. [KM-R19]

    ReplayError where the replay's first position is not its config's start, which is all that a log can follow.
    """
    game, moves = replay.game, cast(list[list[int]], replay.moves)
    if next(replay.states()).to_bytes() != game.new_state(replay.seed).to_bytes():
        raise ReplayError("start: Game JSON cannot tell of a game that began elsewhere than at its config's start")
    per_player = game.num_slots // game.num_players
    turns = []
    for state, move in zip(replay.states(), moves, strict=False):  # the last position has no move
        entries = [_entry(state, slot, code) for slot, code in enumerate(move)]
        turns.append([entries[first : first + per_player] for first in range(0, len(entries), per_player)])
    return game_to_json(cast(Config, game.config), turns, names=replay.names)


def _codes(state: Any, turn: Turn) -> list[int]:
    """The code of each slot that does what the entries of a turn do."""
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
