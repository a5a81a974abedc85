"""Hooks of a game for the referee: optional functions of its `protocol.py` (`Game.hook`).

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

from ..game import Game
from .clock import TimeControl


def clock_of(game: Game) -> TimeControl:
    """Return the time of each player that the game gives; without a limit if it gives none."""
    clock = game.hook("clock")
    return TimeControl() if clock is None else clock(game.config)
