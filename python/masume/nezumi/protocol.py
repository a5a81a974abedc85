"""Hooks of Nezumi for the referee; its programs speak JSON lines."""

from __future__ import annotations

from typing import Any

from ..records.replay import Forfeit
from .notation import PHASES, RESULTS

FAULT_LIMIT = 10


def penalty(state: Any, player: int, fault: Any) -> Forfeit | list[int]:
    """Return what a faulty decision costs. [NZ-R28]

    Parameters
    ----------
    state : State
        The position in which the decision was due.
    player : int
        The player at fault.
    fault : Fault
        `fault.number` counts the player's faults in this game, from 1.

    Returns
    -------
    Forfeit or list of int
        From fault number FAULT_LIMIT on, the forfeit of the game. Before, the action that is played instead: `-` if it
        is legal, else the lowest legal action.
    """
    if fault.number >= FAULT_LIMIT:
        return Forfeit(player, "FORFEIT")
    stage = state.game.config.start_stage
    legal = state.legal_actions().tolist()
    done = 5 * stage.height * stage.width
    return [done if done in legal else legal[0]]


def reason(state: Any) -> str:
    """Return why the game ended, as the name of its result. [section 8]"""
    return RESULTS[state.to_dict()["result"]]


def phase(state: Any) -> str:
    """Return the name of the current phase. [section 3]"""
    return PHASES[state.phase]
