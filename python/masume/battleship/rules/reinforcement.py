"""Battleship: reinforcements, sunk ships that come back. [section 7.7]"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction

from .. import notation
from ..config import SUBMARINE
from ..maps import REEF
from ..notation import Action
from .judging import Judging
from .mines import Mines
from .state import Panel


class Reinforcement(Judging, Mines):
    """Reinforcements."""

    def reinforce_cost(self, player: int, slot: int) -> int:
        """Return the fuel points that a sunk ship pays to come back now. [7.7] [BS-176] [BS-R35]"""
        config = self.config
        if not config.fuel:
            return 0  # BS-R60
        k = (self.round - 1) // config.reinforce_step_rounds
        share = Fraction(config.reinforce_num + k * config.reinforce_num_step, config.reinforce_den)
        return max(1, -int(-self.players[player].fleet[slot].fp * share // 1))

    def _legal_reinforcements(self, p: int) -> Iterator[Action]:
        """Yield the legal reinforcements. [BS-103] [BS-172] to [BS-179]"""
        player = self.players[p]
        if player.reinf_left == 0 or not player.qual or self.round > self.config.reinforce_last_round:
            return
        places = [
            panel
            for panel in self.panels
            if panel in self.known[p] and self.terrain[panel] != REEF and not self.ship_at(p, panel)
        ]
        for slot, ship in enumerate(player.fleet):
            if not ship.is_alive and self.reinforce_cost(p, slot) <= ship.fp:  # BS-175
                for panel in places:
                    yield Action(notation.REINFORCE, slot, self.index(panel))

    def _reinforce(self, p: int, said: Action) -> None:
        """Bring back a sunk ship. [7.7] [BS-172]"""
        player = self.players[p]
        ship = player.fleet[said.slot]
        self._pay(ship, self.reinforce_cost(p, said.slot))  # BS-174
        player.reinf_left -= 1
        ship.hp, ship.aux = self.config.hp[ship.kind], self.config.aux[ship.kind]  # BS-178
        ship.panel = self.panels[said.where]
        ship.stealth = self.config.stealth and ship.cls == SUBMARINE
        self._tell("REINFORCED", p, said.slot, ship.cls, ship.panel, full={p}, part=self.everybody, hide=["panel"])
        touched: list[tuple[Panel, Counter[int]]] = []
        self._touch_mines(p, ship, touched)  # BS-148, BS-180
        self._tell_mines(p, said.slot, touched)
        self._judge()
