"""What a game says to the referee: functions that its `protocol.py` may have.

penalty(state, player, fault) -> Forfeit or actions : what a fault costs: a Forfeit, or the actions that are played
    instead (all that are left of the turn; one a slot where the game has several; none where the player is not to
    move, and is judged when it is). `fault.number` counts the player's; `fault.is_final` may be set, after which the
    player is asked nothing more. A Forfeit in a game that knows none (`game.has_forfeits`) ends the match. Without this
    hook the lowest legal action is played, where an answer is illegal in some slots alone in these.
reason(state) -> str : why a game ended, in a word.
phase(state) -> str : what is being decided, in a word; without it, "play".
clock(config) -> TimeControl : the time of each player where nothing else is asked for; without it, no limit.
program(command) -> Seat : of a program that speaks the game's own protocol over stdin and stdout; without it, programs
    speak JSON lines.
blocks(states) -> texts : what such programs are sent, one for each turn of a game.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..game import Game


def hook(game: Game, name: str) -> Callable[..., Any] | None:
    """The function of this name in the game's `protocol.py`; None where it has none."""
    return getattr(game.part("protocol"), name, None)
