"""Hooks of Terraforming for matches (`referee/hooks.py`)."""

from __future__ import annotations

from typing import Any

from ..referee.seat import TIMEOUT, Seat
from .blocks import blocks
from .notation import FINISH
from .stdio import ProgramSeat

__all__ = ["blocks", "penalty", "program", "reason"]


def program(command: str) -> Seat:
    """Return the seat of a program that speaks this protocol; the shell command starts it in each game."""
    return ProgramSeat(command)


REASONS = ("max_turns", "score_limit", "end_all_developed")
"""Names of the config fields that end a game. [section 8.2]"""


def penalty(_state: Any, _player: int, fault: Any) -> list[int]:
    """Return the actions that replace a faulty turn. [14.6]

    A time-out is final: the player makes no further decisions.

    Returns
    -------
    list of int
        The exact codes of the commands that were complete, then FINISH.
    """
    fault.is_final = fault.is_final or fault.cause == TIMEOUT
    return [*(action for action in fault.actions if action != FINISH), FINISH]


def reason(state: Any) -> str:
    """Return why the game ended, as the name of the config field that ended it. [section 8.2]"""
    config = state.game.config
    if state.ply >= 3 * config.max_turns:
        return REASONS[0]
    return REASONS[1 if 0 < config.score_limit <= max(state.scores()) else 2]
