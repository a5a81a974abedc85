"""Battleship: fuel, ships that have run out of it, and refuelling by Oilers. [sections 3.3, 7.9 and 7.10]"""

from __future__ import annotations

from ..config import OILER, SUBMARINE
from ..notation import BY_FUEL_OUT
from .events import Events
from .state import Ship


class Fuel(Events):
    """Fuel points: costs, refuelling, and ships out of fuel."""

    def is_fuel_out(self, ship: Ship) -> bool:
        """Return whether the ship can neither attack nor move. [section 3.3] [BS-112]"""
        cheapest = min(self.config.attack_cost[ship.kind], self.config.move_cost[ship.kind])
        return self.config.fuel and ship.fp < cheapest

    def _has(self, ship: Ship, cost: int) -> bool:
        """Return whether the ship can pay `cost` fuel points; without fuel everything is free. [BS-111]"""
        return not self.config.fuel or ship.fp >= cost

    def _pay(self, ship: Ship, cost: int) -> None:
        if self.config.fuel:
            ship.fp -= cost  # BS-37

    def _refuel(self, p: int) -> None:
        """Let the player's Oilers refuel ships. [7.9] [BS-71] [BS-128] [BS-130]"""
        config, player = self.config, self.players[p]
        if not config.fuel or not config.refuel:
            return
        for slot, oiler in player.living:
            if oiler.cls != OILER or oiler.fp == 0 or oiler.stealth:  # BS-199
                continue
            targets = [
                (other, ship)
                for other, ship in player.living
                if ship.cls != OILER  # BS-134
                and ship.panel in self.around(oiler.place)
                and not ship.stealth  # BS-135
                and ship.fp < config.max_fp(ship.kind)  # BS-131
            ]
            deficits = [config.max_fp(ship.kind) - ship.fp for _, ship in targets]
            for (other, ship), amount in zip(targets, split(oiler.fp, deficits, config.refuel_max), strict=True):
                if amount > 0:
                    ship.fp += amount
                    oiler.fp -= amount  # BS-129
                    self._tell("REFUEL", p, slot, None, None, other, amount, full={p})
                    self.pass_run = 0  # BS-R42

    def _flag_fuel(self, p: int) -> None:
        """Flag ships that are out of fuel; dived Submarines among them sink. [7.10] [BS-112] [BS-140] [BS-R31]"""
        for slot, ship in self.players[p].living:
            out = self.is_fuel_out(ship)
            if out and not ship.fuelout:
                self._tell("FUEL_OUT", p, slot, ship.cls)
            ship.fuelout = out
            if out and ship.cls == SUBMARINE and self.config.stealth and ship.stealth:
                self._sink(p, slot, BY_FUEL_OUT)


def split(budget: int, deficits: list[int], cap: int) -> list[int]:
    """Split an Oiler's `budget` among ships with these deficits, at most `cap` each. [7.9] [BS-133] [BS-R33]"""
    needs = [min(cap, deficit) for deficit in deficits]
    if sum(needs) <= budget:
        return needs
    given = [min(need, budget * deficit // sum(deficits)) for need, deficit in zip(needs, deficits, strict=True)]
    rest = budget - sum(given)  # BS-132
    while rest > 0:
        for n in sorted(range(len(deficits)), key=lambda n: -deficits[n]):
            if rest > 0 and given[n] < needs[n]:
                given[n] += 1
                rest -= 1
    return given
