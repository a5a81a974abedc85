"""Battleship: the flagship and its change. [section 7.11]"""

from __future__ import annotations

from collections.abc import Iterator

from .. import notation
from ..notation import Action
from .fuel import Fuel


class Flagship(Fuel):
    """Changes of the flagship."""

    def _legal_flags(self, p: int) -> Iterator[Action]:
        """Yield the legal changes of the flagship. [BS-89] [BS-123] [BS-124] [BS-R36]"""
        player = self.players[p]
        if not self.config.has_flagship or player.flag_left == 0:
            return
        if any(ship.flagship and self._has(ship, self.config.flagship_cost) for _, ship in player.living):
            for slot, ship in player.living:
                if not ship.flagship:
                    yield Action(notation.FLAG, slot)

    def _change_flagship(self, p: int, said: Action) -> None:
        """Make another ship the flagship. [7.11] [BS-68] [BS-122] [BS-R37]"""
        player = self.players[p]
        old = next(ship for ship in player.fleet if ship.flagship)
        self._pay(old, self.config.flagship_cost)
        old.flagship = False
        player.fleet[said.slot].flagship = True
        player.flag_left -= 1
        self._tell("FLAG_CHANGED", p, said.slot, full={p}, part=self.everybody, hide=["slot"])
