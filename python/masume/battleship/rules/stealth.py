"""Battleship: stealth by the trait of Submarines and by fog, and its loss in shallows. [section 7.8]"""

from __future__ import annotations

from ..config import SUBMARINE
from ..maps import FOG, SHALLOWS
from .events import Events


class Stealth(Events):
    """Stealth of ships."""

    def _update_stealth(self, p: int, slot: int) -> None:
        """Update a ship's stealth by its panel and the surface cycle. [7.8] [BS-195] [BS-197] [BS-R59]"""
        ship = self.players[p].fleet[slot]
        is_trait = self.config.stealth and ship.cls == SUBMARINE
        terrain = self.terrain[ship.place]
        new = terrain == FOG or (is_trait and not ship.surf and terrain != SHALLOWS)
        if new == ship.stealth:
            return
        ship.stealth = new
        if is_trait:
            self._tell("DIVED" if new else "SURFACED", p, slot, ship.cls)  # BS-139, BS-R53
        else:
            self._tell("STEALTH", p, slot, None, None, int(new), full={p})
