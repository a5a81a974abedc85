"""Battleship, the rule book in plain Python: slow twin of the engine.

Implements BS-1 to BS-202 and BS-R1 to BS-R63 of docs/rules/battleship.md as far as they are rules of the game (clocks
and wires are a referee's). A panel is a pair (x, y), a fleet a list of ships, mines are a count for each owner and
panel, and what a player knows is kept by `Knowledge`, which is told nothing but the events that player receives.

Each system of the rules is a class in `rules`, in a file named as the engine's; a State is all of them.
"""

from __future__ import annotations

from typing import Self

from ..core.checks import action_of, place
from ..errors import GameOverError, IllegalActionError
from . import notation
from .config import Config
from .rules.contradictions import Contradictions
from .rules.observation import Observation
from .rules.state import SETUP

FORFEITS = ("resign", "timeout", "illegal")


class State(Contradictions, Observation):
    """A position and what each player has seen on the way to it, changed in place by `apply`."""

    @classmethod
    def new(cls, config: Config, seed: int | None = None) -> Self:
        """The start of a game, before the first decision of its setup; `seed` (None: 0) gives all its chance."""
        return cls(config, seed or 0)

    def apply(self, action: int) -> None:
        """Play one decision of the player to move. [section 7]

        Raises IllegalActionError for an int that is not legal now, GameOverError at the end, ValueError for what is
        no int; the state is then as it was.
        """
        code = action_of(self, "action", action)
        if self.is_terminal():
            raise GameOverError(f"the game is over: action {action!r} cannot be played\n{self}")
        if code not in self.legal_actions():
            raise IllegalActionError(f"action {action!r} of player {self.cur} is not allowed here\n{self}")
        self.last = []
        said = notation.decode(self.config, code)
        if self.phase == SETUP:
            self._set_up(said)
        elif said.kind == notation.RESIGN:
            self._give_up(self.cur, "resign")
        else:
            self._take_turn(self.cur, said)
        self._hear()

    def forfeit(self, player: int, cause: str) -> None:
        """The player to move loses by "resign", "timeout" or "illegal". [7.13] [BS-24] [BS-R52]

        Raises GameOverError at the end, ValueError for another cause, in setup, and for a player not to move.
        """
        place("player", player, self.config.players)
        if self.is_terminal():
            raise GameOverError(f"the game is over: player {player} cannot forfeit\n{self}")
        if cause not in FORFEITS:
            raise ValueError(f"cause: battleship knows no forfeit by {cause!r}")
        if self.phase == SETUP or player != self.cur:
            raise ValueError(f"player: {player} is not to move in play and cannot forfeit")
        self.last = []
        self._give_up(player, cause)
        self._hear()

    def action_to_text(self, action: int, slot: int = 0) -> str:
        """The action's text (`notation.action_to_text`)."""
        place("slot", slot, 1)
        return notation.action_to_text(self.config, action)

    def text_to_action(self, text: str, slot: int = 0) -> int:
        """The inverse of `action_to_text` (`notation.text_to_action`)."""
        place("slot", slot, 1)
        return notation.text_to_action(self.config, text)
