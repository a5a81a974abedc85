"""Battleship: the legal actions of the player to move. [section 6]"""

from __future__ import annotations

from collections.abc import Iterator

from ...core.checks import place
from .. import notation
from ..config import DESTROYER, SUBMARINE
from ..maps import REEF
from ..notation import Action
from .setup import Setup
from .state import SETUP, STEPS, Panel, Ship


class Legal(Setup):
    """Legal actions."""

    @property
    def slots(self) -> list[int]:
        """List with the player to move; empty at the end."""
        return [] if self.is_terminal() else [self.cur]

    def legal_actions(self, slot: int = 0) -> list[int]:
        """Return the codes of the legal actions, ascending; empty at the end. [section 6]"""
        place("slot", slot, 1)
        if self.is_terminal():
            return []
        said = self._legal_setup() if self.phase == SETUP else self._legal_turn(self.cur)
        return sorted(notation.encode(self.config, action) for action in said)

    def legal_mask(self, slot: int = 0) -> list[int]:
        """Return the mask of legal actions: for each code 1 if it is legal, else 0."""
        legal = set(self.legal_actions(slot))
        return [int(code in legal) for code in range(notation.num_actions(self.config))]

    def _legal_turn(self, p: int) -> Iterator[Action]:
        """Yield the legal actions in play. [section 6.1]"""
        found = [
            *(said for slot, ship in self.players[p].living for said in self._legal_of(p, slot, ship)),
            *self._legal_reinforcements(p),
            *self._legal_flags(p),
        ]
        yield from found
        if not found:
            yield Action(notation.PASS)  # BS-48, BS-R49
        if self.config.allow_resign:
            yield Action(notation.RESIGN)  # BS-184

    def _legal_of(self, p: int, slot: int, ship: Ship) -> Iterator[Action]:
        """Yield the legal actions of one living ship. [BS-54]"""
        config = self.config
        for direction, name in enumerate(STEPS):
            target = self.ahead(ship.place, name)
            if target not in self.terrain:
                continue
            if self._has(ship, config.attack_cost[ship.kind]) and self._may_attack(p, name, target):
                yield Action(notation.ATTACK, slot, direction)
            if config.mines and ship.cls == DESTROYER and ship.aux > 0 and self._has(ship, config.mine_cost):
                yield Action(notation.MINE, slot, direction)  # BS-142, BS-143, BS-146
        for heading, name in enumerate(notation.HEADINGS):
            for distance in range(1, config.max_distance + 1):
                if self._has(ship, config.move_fp(ship.kind, distance)) and self._may_move(p, ship, name, distance):
                    yield Action(notation.MOVE, slot, heading, distance)
        armed = config.torpedoes and ship.cls in (DESTROYER, SUBMARINE) and ship.aux > 0  # BS-151 to BS-157
        if armed and self._has(ship, config.torpedo_cost):
            for target in self.panels:
                if target != ship.panel:  # BS-154
                    yield Action(notation.TORPEDO, slot, self.index(target))

    def _is_known_reef(self, p: int, panel: Panel) -> bool:
        return panel in self.known[p] and self.terrain[panel] == REEF

    def _may_attack(self, p: int, direction: str, target: Panel) -> bool:
        """Return whether the player may attack a panel on the map. [BS-50] [BS-51] [BS-R16]"""
        if direction == "C" and not self.config.attack_own_cell:
            return False
        return self.config.attack_known_reef or not self._is_known_reef(p, target)

    def _may_move(self, p: int, ship: Ship, heading: str, distance: int) -> bool:
        """Return whether no obstacle known to the player bars the move. [BS-61] to [BS-64] [BS-R18] [BS-R19]"""
        path = [self.ahead(ship.place, heading, j) for j in range(1, distance + 1)]
        if path[-1] not in self.terrain:
            return False
        tested = path if self.config.move_rule == "rook" else path[-1:]
        return not any(self.ship_at(p, panel) or self._is_known_reef(p, panel) for panel in tested)
