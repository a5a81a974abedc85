"""What a referee asks of the game; its programs speak JSON lines."""

from __future__ import annotations

from typing import Any

from .notation import PHASES, RESULTS


def penalty(state: Any, _player: int, _fault: Any) -> list[int]:
    """What is played in the place of a decision that went wrong: `-` where it is legal, else the lowest. [NZ-R28]"""
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
