"""What a referee asks of the game; its programs speak JSON lines."""

from __future__ import annotations

from typing import Any

from ..records.replay import Forfeit
from .notation import PHASES, RESULTS

FAULT_LIMIT = 10


def penalty(state: Any, player: int, fault: Any) -> Forfeit | list[int]:
    """What a decision that went wrong costs: the tenth the game. [NZ-R28]

    Before that `-` is played in its place where it is legal, else the lowest action.
    """
    if fault.number >= FAULT_LIMIT:
        return Forfeit(player, "FORFEIT")
    stage = state.game.config.start_stage
    legal = state.legal_actions().tolist()
    done = 5 * stage.height * stage.width
    return [done if done in legal else legal[0]]


def reason(state: Any) -> str:
    """Why the game ended, by the name of its result. [section 8]"""
    return RESULTS[state.to_dict()["result"]]


def phase(state: Any) -> str:
    """What is decided, by the name of section 3."""
    return PHASES[state.phase]
