"""What a match asks of Terraforming (`referee/hooks.py`)."""

from __future__ import annotations

from typing import Any

from ..referee.seat import TIMEOUT, Seat
from .blocks import blocks
from .notation import FINISH
from .stdio import ProgramSeat

__all__ = ["blocks", "penalty", "program", "reason"]


def program(command: str) -> Seat:
    """The seat of a program that speaks this protocol, started by this command of the shell in each game."""
    return ProgramSeat(command)


def penalty(_state: Any, _player: int, fault: Any) -> list[int]:
    """What is played in the place of a turn that went wrong: the commands that were complete, and `finish`.

    Whoever was late plays no more. [14.6]
    """
    fault.is_final = fault.is_final or fault.cause == TIMEOUT
    return [*(action for action in fault.actions if action != FINISH), FINISH]


def reason(state: Any) -> str:
    """Why the game ended, by the field of the config that made it end. [section 8.2]"""
    config = state.game.config
    if state.ply >= 3 * config.max_turns:
        return "max_turns"
    return "score_limit" if 0 < config.score_limit <= max(state.scores()) else "end_all_developed"
