"""Battleship: mines that are laid, touched and swept. [sections 7.2, 7.4 and 7.5]"""

from __future__ import annotations

from collections import Counter

from .. import notation
from ..notation import BY_MINE, Action
from .fuel import Fuel
from .state import CONTACT, Panel, Ship


class Mines(Fuel):
    """Mines and their effects."""

    def _take_mine(self, p: int, panel: Panel) -> int | None:
        """Remove a mine and return its owner: the players after p come first, p last; None if none. [7.2] [BS-R23]"""
        start = self.order.index(p) + 1
        for owner in self.order[start:] + self.order[:start]:
            if self.mines[owner, panel]:
                self.mines[owner, panel] -= 1
                return owner
        return None

    def _touch_mines(self, p: int, ship: Ship, touched: list[tuple[Panel, Counter[int]]]) -> None:
        """Explode the mines on the panel that a ship has entered. [7.4] [BS-147] [BS-98]"""
        owners: Counter[int] = Counter()
        while ship.is_alive:
            owner = self._take_mine(p, ship.place)
            if owner is None:
                break
            owners[owner] += 1
            ship.hp -= 1
            if owner in self.enemies(p):
                self.players[owner].dealt += 1
                self.players[owner].kills += not ship.is_alive
        if owners:
            touched.append((ship.place, owners))

    def _tell_mines(self, p: int, slot: int, touched: list[tuple[Panel, Counter[int]]]) -> None:
        """Emit the events of touched mines; sink the ship if it has no HP left. [7.3]"""
        ship = self.players[p].fleet[slot]
        for panel, owners in touched:
            count = owners.total()
            self._tell("MINE_HIT", p, slot, ship.cls, panel, count, full={p}, part=self.everybody, hide=["panel"])
            for owner in sorted(owners):
                self._tell("MINE_LOST", owner, None, None, panel, owners[owner], CONTACT, full={owner})
        if not ship.is_alive:
            self._sink(p, slot, BY_MINE)

    def _lay_mine(self, p: int, said: Action) -> None:
        """Lay a mine. [7.5] [BS-142] [BS-144] [BS-145] [BS-R24]"""
        ship = self.players[p].fleet[said.slot]
        panel = self.ahead(ship.place, notation.DIRECTIONS[said.where])
        ship.aux -= 1
        self._pay(ship, self.config.mine_cost)
        self.mines[p, panel] += 1
        self._tell("MINE_LAID", p, said.slot, None, panel, full={p}, part=self.everybody, hide=["slot", "panel"])
