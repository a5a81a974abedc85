"""Battleship: moves of ships. [section 7.3]"""

from __future__ import annotations

from collections import Counter

from .. import notation
from ..maps import REEF, WAVE
from ..notation import Action
from .judging import Judging
from .mines import Mines
from .state import Panel, Ship


class Movement(Judging, Mines):
    """Moves of ships."""

    def _move(self, p: int, said: Action) -> None:
        """Move a ship. [7.3] [BS-61]"""
        ship = self.players[p].fleet[said.slot]
        heading, cost = notation.HEADINGS[said.where], self.config.wave_cost
        self._pay(ship, self.config.move_fp(ship.kind, said.distance))  # BS-R20
        hidden = ship.stealth
        stop = "none"
        noted: list[Panel] = []
        touched: list[tuple[Panel, Counter[int]]] = []
        if self.config.move_rule == "jump":
            ship.panel = self.ahead(ship.place, heading, said.distance)
            self._touch_mines(p, ship, touched)
        else:
            for j in range(1, said.distance + 1):
                is_wave = j > 1 and self.config.fuel and self.terrain[ship.place] == WAVE
                if is_wave and ship.fp < cost:
                    stop = "wave"  # BS-202
                    break
                ahead = self.ahead(ship.place, heading)
                noted.append(ahead)
                if self.terrain[ahead] == REEF:
                    stop = "reef"  # BS-191, BS-192
                    break
                if is_wave:
                    self._pay(ship, cost)  # BS-200, BS-R22
                ship.panel = ahead
                self._touch_mines(p, ship, touched)
                if not ship.is_alive:
                    break
        if not ship.is_alive:
            stop = "sunk"
        self._tell_move(p, said, ship, hidden, stop)
        for panel in noted:
            self._learn(p, panel)
        self._tell_mines(p, said.slot, touched)
        self._judge()

    def _tell_move(self, p: int, said: Action, ship: Ship, hidden: bool, stop: str) -> None:
        """Emit the record of a move for the mover, and that for all others. [9.2] [BS-65] [BS-66] [BS-R21]"""
        about = (p, said.slot, ship.cls, ship.panel, said.where, said.distance)
        shown = "none" if hidden and stop == "wave" else stop
        hide = ["panel", "dir", "dist"] if hidden else ["panel"]
        self._tell("MOVE", *about, notation.STOPS.index(stop), full={p})
        self._tell("MOVE", *about, notation.STOPS.index(shown), full=(), part=self.everybody - {p}, hide=hide)
