"""Battleship: guns, torpedoes and their explosions. [sections 7.1, 7.2 and 7.6]"""

from __future__ import annotations

from .. import notation
from ..maps import REEF
from ..notation import BY_ATTACK, Action
from .judging import Judging
from .mines import Mines
from .state import SWEPT, Panel, Torpedo

TARGET, AT_MINE, AT_REEF = range(3)  # why a shot exploded


class Fire(Judging, Mines):
    """Attacks by guns and torpedoes."""

    def _attack(self, p: int, said: Action) -> None:
        """Attack a panel with a gun. [7.1] [BS-50] [BS-60]"""
        ship = self.players[p].fleet[said.slot]
        target = self.ahead(ship.place, notation.DIRECTIONS[said.where])
        self._pay(ship, self.config.attack_cost[ship.kind])  # BS-109
        self._shoot(p, said.slot, ship.cls, target, 0, TARGET, -1)

    def _shoot(self, p: int, slot: int | None, cls: int | None, target: Panel, *details: int) -> None:
        """Emit ATTACK and explode; `details` are torpedo, why and id. [BS-R13]"""
        hide = ("slot", "cls", "why", "id")
        self._tell("ATTACK", p, slot, cls, target, *details, full={p}, part=self.everybody, hide=hide)
        self._explode(p, target)
        self._judge()

    def _explode(self, p: int, panel: Panel) -> None:
        """Explode a shell or torpedo of p on a panel. [7.2]"""
        config = self.config
        self._learn(p, panel)
        is_hit = False
        for v in self.enemies(p):  # BS-97, BS-99
            ship = self.ship_at(v, panel)
            if ship is None:
                continue
            is_hit = True
            slot = self._slot(v, ship)
            ship.hp -= 1  # BS-52
            self.players[p].dealt += 1
            hide = [] if config.hit_reveals_class else ["slot", "cls"]  # BS-56
            hide += [] if config.public_hp else ["hp"]  # BS-R15
            self._tell("HIT", v, slot, ship.cls, panel, ship.hp, full={v}, part=self.everybody, hide=hide)
            if ship.hp == 0:
                self.players[p].kills += 1
                self._sink(v, slot, BY_ATTACK)
        if not is_hit:
            self._tell("MISS", None, None, None, panel)
        if not is_hit or config.splash_on_hit:  # BS-58, BS-R14
            for v in self.enemies(p):
                for slot, ship in self.players[v].living:
                    if ship.panel in self.around(panel) and not ship.stealth:  # BS-136
                        self._tell("SPLASH", v, slot, ship.cls, panel)
        owner = self._take_mine(p, panel)  # BS-149
        if owner is not None:
            self._tell("MINE_SWEPT", None, None, None, panel)
            self._tell("MINE_LOST", owner, None, None, panel, 1, SWEPT, full={owner})

    def _fire_torpedo(self, p: int, said: Action) -> None:
        """Fire a torpedo. [7.6] [BS-155] [BS-156]"""
        player = self.players[p]
        ship, target = player.fleet[said.slot], self.panels[said.where]
        ship.aux -= 1
        self._pay(ship, self.config.torpedo_cost)
        torpedo = Torpedo(player.torp_next, ship.place, target)
        player.torpedoes.append(torpedo)
        player.torp_next += 1
        hide = ["slot", "panel", "id"]
        self._tell("TORP_FIRED", p, said.slot, None, target, torpedo.number, full={p}, part=self.everybody, hide=hide)

    def _fly_torpedoes(self, p: int) -> None:
        """Move the torpedoes of p by one panel each, in order of launch. [7.6] [BS-158] to [BS-171] [BS-R26]"""
        player = self.players[p]
        for torpedo in list(player.torpedoes):
            if torpedo not in player.torpedoes:  # an explosion has removed the player
                return
            dx, dy = torpedo.target[0] - torpedo.panel[0], torpedo.target[1] - torpedo.panel[1]
            across = self.rng.below(abs(dx) + abs(dy)) < abs(dx) if dx and dy else dx != 0  # BS-163, BS-164
            heading = ("E" if dx > 0 else "W") if across else ("S" if dy > 0 else "N")
            torpedo.panel = self.ahead(torpedo.panel, heading)
            self._tell("TORP_MOVE", p, None, None, torpedo.panel, torpedo.number, full={p})  # BS-160
            if torpedo.panel == torpedo.target:  # BS-161
                why = TARGET
            elif any(self.mines[owner, torpedo.panel] for owner in self.everybody):  # BS-169
                why = AT_MINE
            elif self.terrain[torpedo.panel] == REEF:  # BS-171
                why = AT_REEF
            else:
                continue
            player.torpedoes.remove(torpedo)
            self._shoot(p, None, None, torpedo.panel, 1, why, torpedo.number)  # BS-162
            if self.is_terminal():
                return
