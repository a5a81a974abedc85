"""Hooks of a game for the referee: optional functions of its `protocol.py`.

penalty(state, player, fault) -> Forfeit or actions : the cost of a fault: a Forfeit, or the actions that are played
    instead (the rest of the turn; one per slot in a game with several; empty if the player is not to move, and is
    judged when it is). `fault.number` counts the player's faults; the hook may set `fault.is_final`, after which the
    player is not asked again. A Forfeit in a game without forfeits (`game.has_forfeits`) ends the match. Without this
    hook the lowest legal action is played; if an answer is illegal in some slots only, in these slots only.
reason(state) -> str : why a game ended, in a word.
phase(state) -> str : what is being decided, in a word; "play" without this hook.
clock(config) -> TimeControl : the default time of each player; no limit without this hook.
program(command) -> Seat : the seat of a program that speaks the game's own protocol over stdin and stdout; without this
    hook programs speak JSON lines.
blocks(states) -> texts : what such programs are sent, one text per turn of a game.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..core._state import State
    from ..game import Game


def hook(game: Game, name: str) -> Callable[..., Any] | None:
    """Return the function of this name in the game's `protocol.py`; None if it has none."""
    return getattr(game.part("protocol"), name, None)


def reason_of(state: State) -> str | None:
    """Return why a game ended, in a word; None if it goes on, or its game does not say."""
    reason = hook(state.game, "reason")
    return None if reason is None or not state.is_terminal() else str(reason(state))
