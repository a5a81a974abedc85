"""Battleship: the course of turns. [section 5]"""

from __future__ import annotations

from typing import Any

from .. import notation
from ..config import OILER, SUBMARINE
from ..maps import FOG, WAVE
from ..notation import Action
from .fire import Fire
from .flagship import Flagship
from .movement import Movement
from .reinforcement import Reinforcement
from .stealth import Stealth


class Turn(Fire, Flagship, Movement, Reinforcement, Stealth):
    """Beginning, end and order of turns."""

    def _take_turn(self, p: int, said: Action) -> None:
        """Play an action, end the turn, and go on with the next one. [5.4] [5.5] [5.6]"""
        before = self._read_status(p)
        self.pass_run = self.pass_run + 1 if said.kind == notation.PASS else 0
        acts = {
            notation.PASS: self._pass,
            notation.ATTACK: self._attack,
            notation.MOVE: self._move,
            notation.MINE: self._lay_mine,
            notation.TORPEDO: self._fire_torpedo,
            notation.REINFORCE: self._reinforce,
            notation.FLAG: self._change_flagship,
        }
        acts[said.kind](p, said)
        if not self.is_terminal():
            self._fly_torpedoes(p)
        if self.is_terminal():
            self._tell_status(p, before)
            return
        self._end_turn(p, before)
        if not self.is_terminal():
            self._after_turn()

    def _pass(self, p: int, said: Action) -> None:
        """Pass. [7.12]"""
        self._tell("PASS", p)

    def _begin_turn(self, p: int) -> None:
        """Begin the turn of a player. [5.2]"""
        config = self.config
        self._tell("TURN", p)
        before = self._read_status(p)
        if config.stealth and config.surface_period > 0:
            up = self.round % config.surface_period == 0  # BS-138, BS-R29
            for slot, ship in self.players[p].living:
                if ship.cls == SUBMARINE:
                    ship.surf = up and self.terrain[ship.place] != FOG  # BS-199
                    self._update_stealth(p, slot)
        self._flag_fuel(p)
        self._tell_status(p, before)
        self._judge()

    def _end_turn(self, p: int, before: list[tuple[Any, ...]]) -> None:
        """End the turn of a player: steps (2) to (7) of [5.5], after the torpedoes. [BS-R34]"""
        player = self.players[p]
        for _, ship in player.living:
            if self.terrain[ship.place] == WAVE and self.config.fuel:
                ship.fp = max(0, ship.fp - self.config.wave_cost)  # BS-201
        for slot, _ in player.living:
            self._update_stealth(p, slot)  # BS-R30
        self._refuel(p)
        self._flag_fuel(p)
        self._tell_status(p, before)
        self._judge()

    def _after_turn(self) -> None:
        """End the game if due, or go on with the next turn. [5.6]"""
        ships = [ship for player in self.players for _, ship in player.living if ship.cls != OILER]
        flying = any(player.torpedoes for player in self.players)
        if self.config.fuel and all(map(self.is_fuel_out, ships)):  # BS-127, BS-R41
            self._adjudicate("fuel")
        elif self.pass_run >= sum(player.active for player in self.players) and not flying:  # BS-R42
            self._adjudicate("stalled")
        else:
            self._advance()

    def _advance(self) -> None:
        """Begin the next player's turn, or end the game after the last round. [5.1] [BS-21] [BS-22] [BS-72]"""
        config = self.config
        while True:
            self.ptr += 1
            if self.ptr == config.players:
                self.ptr = 0
                if config.round_limit and self.round >= config.round_limit:  # BS-108
                    self._adjudicate("round_limit")
                    return
                if config.max_rounds and self.round >= config.max_rounds:  # BS-R43
                    self._adjudicate("max_rounds")
                    return
                self.round += 1
            p = self.order[self.ptr]
            if self.players[p].active:
                self.cur = p
                self.turns += 1
                self._begin_turn(p)
                if self.is_terminal() or self.players[p].active:
                    return

    def _give_up(self, p: int, cause: str) -> None:
        """Remove a player from the game by a forfeit. [7.13] [BS-106] [BS-181] [BS-182]"""
        self.pass_run = 0
        self._remove_player(p, cause)
        self._judge()
        if not self.is_terminal():  # BS-183
            self._after_turn()
