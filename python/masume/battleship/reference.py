"""Battleship in plain Python: the reference implementation, slow twin of the engine.

Implements BS-1 to BS-202 and BS-R1 to BS-R63 of docs/rules/battleship.md as far as they are rules of the game; clocks
and protocols are part of the referee. A panel is a pair (x, y), a fleet is a list of ships, mines are counted per owner
and panel, and `Knowledge` holds a player's knowledge, derived only from the events that the player receives.

Each system of the rules is a class in `rules`, in a file with the name of the engine's file; State inherits from all.
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
    """Position of Battleship with everything its players have seen; `apply` changes it in place."""

    @classmethod
    def new(cls, config: Config, seed: int | None = None) -> Self:
        """Return the start of a game, before the first setup decision.

        Parameters
        ----------
        config : Config
            Options of the game.
        seed : int, optional
            Seed of all randomness, 0..2**64-1; None is 0.
        """
        return cls(config, seed or 0)

    def apply(self, action: int) -> None:
        """Play one action of the player to move. [section 7]

        Parameters
        ----------
        action : int or str
            Action code, or the text of an action. [section 6]

        Raises
        ------
        IllegalActionError
            If the action is not legal.
        GameOverError
            If the game is over.
        ValueError
            If `action` is neither an int nor the text of an action.

        Notes
        -----
        An error leaves the state unchanged.
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
        """Let the player to move lose. [7.13] [BS-24] [BS-R52]

        Parameters
        ----------
        player : int
            Player to move; the game must be in play.
        cause : {"resign", "timeout", "illegal"}
            Cause of the forfeit.

        Raises
        ------
        GameOverError
            If the game is over.
        ValueError
            If the cause is unknown, the player is not to move, or the game is in setup.
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

    def _context(self, slot: int) -> tuple[Config]:
        place("slot", slot, 1)
        return (self.config,)
