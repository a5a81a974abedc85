"""Battleship: fleets, turn order and terrain before play. [section 4]"""

from __future__ import annotations

from collections.abc import Iterator

from .. import maps, notation
from ..config import BATTLESHIP, DESTROYER, OILER, SUBMARINE, Config
from ..maps import REEF, SEA
from ..notation import Action
from .state import FLAGGING, PICKING, PLACING, PLAY
from .turn import Turn


class Setup(Turn):
    """Decisions and draws before the first turn."""

    def __init__(self, config: Config, seed: int = 0) -> None:
        super().__init__(config, seed)
        if config.terrain and config.terrain_known:
            self._read_map()
            self.known = [set(self.panels) for _ in self.players]
        self._next_setup()

    def _legal_setup(self) -> Iterator[Action]:
        """Yield the legal setup decisions. [section 4.4]"""
        fleet = self.players[self.cur].fleet
        if self.setup_kind == PICKING:
            is_last = self.setup_i == len(fleet) - 1
            needs_warship = is_last and all(ship.cls == OILER for ship in fleet[: self.setup_i])  # BS-86
            for cls in (BATTLESHIP, DESTROYER, SUBMARINE, OILER):  # BS-82, BS-85
                if cls != OILER or not needs_warship:
                    yield Action(notation.PICK, where=cls)
        elif self.setup_kind == FLAGGING:
            for slot in range(len(fleet)):
                yield Action(notation.FLAG, slot)
        else:
            taken = {ship.panel for ship in fleet}  # BS-40; others' ships do not count [BS-41]
            for panel in self.panels:
                if panel not in taken and self.terrain[panel] != REEF:  # BS-193
                    yield Action(notation.PLACE, where=self.index(panel))

    def _set_up(self, action: Action) -> None:
        """Play a setup decision. [BS-38] [BS-81]"""
        fleet = self.players[self.cur].fleet
        if action.kind == notation.PICK:
            fleet[self.setup_i].cls = action.where
            self.setup_i += 1
        elif action.kind == notation.FLAG:
            fleet[action.slot].flagship = True
        else:
            fleet[self.setup_i].panel = self.panels[action.where]
            self.setup_i += 1
        self._next_setup()

    def _next_setup(self) -> None:
        """Go on to the next setup decision. [section 4.4]"""
        config, fleet = self.config, self.players[self.cur].fleet
        if self.setup_kind == PICKING and (config.fleets is not None or self.setup_i == len(fleet)):
            self.setup_kind, self.setup_i = FLAGGING, 0
        if self.setup_kind == FLAGGING and (not config.has_flagship or any(ship.flagship for ship in fleet)):
            self.setup_kind, self.setup_i = PLACING, 0
        if self.setup_kind == PLACING and self.setup_i == len(fleet):
            self.setup_kind, self.setup_i = PICKING, 0
            if self.cur + 1 == config.players:
                self._start_play()
            else:
                self.cur += 1
                self._next_setup()

    def _start_play(self) -> None:
        """Begin play after the last placement. [section 4.4]"""
        config = self.config
        for player in self.players:
            for ship in player.fleet:
                ship.hp, ship.aux, ship.fp = config.hp[ship.kind], config.aux[ship.kind], config.max_fp(ship.kind)
                ship.stealth = config.stealth and ship.cls == SUBMARINE
        self.order = list(config.turn_order) if config.turn_order is not None else self._draw_order()
        self._make_terrain()
        for p, player in enumerate(self.players):
            self.known[p] |= {ship.place for ship in player.fleet}
            if not config.terrain or config.terrain_known:
                self.known[p] = set(self.panels)
        for p, player in enumerate(self.players):
            for slot, ship in enumerate(player.fleet):
                self._tell("SETUP", p, slot, ship.cls, ship.place, int(ship.flagship), full={p})
        self._tell("START", None, None, None, None, *self.order)
        self.phase = PLAY
        self.round = 1
        self._advance()

    def _shuffle(self, members: list[int]) -> None:
        """Shuffle the members in place. [section 4.3]"""
        for i in range(len(members) - 1, 0, -1):
            j = self.rng.below(i + 1)
            members[i], members[j] = members[j], members[i]

    def _draw_order(self) -> list[int]:
        """Return a random turn order; teams alternate as long as both have players left. [BS-44] [BS-46] [BS-R9]"""
        config = self.config
        everybody = list(range(config.players))
        if config.teams is None:
            self._shuffle(everybody)
            return everybody
        teams = [[p for p in everybody if config.sides[p] == side] for side in (0, 1)]
        for members in teams:
            self._shuffle(members)
        sizes = [len(members) for members in teams]
        first = self.rng.below(2) if sizes[0] == sizes[1] else int(sizes[1] > sizes[0])
        order = []
        waiting = [teams[first], teams[1 - first]]
        while waiting[0] and waiting[1]:
            order += [waiting[0].pop(0), waiting[1].pop(0)]
        return order + waiting[0] + waiting[1]

    def _read_map(self) -> None:
        assert self.config.terrain_map is not None
        self.terrain = dict(zip(self.panels, maps.codes(self.config.terrain_map), strict=True))

    def _make_terrain(self) -> None:
        """Set the terrain at the start of play. [section 4.5] [BS-186] [BS-189] [BS-R11]"""
        config = self.config
        if not config.terrain or config.terrain_known:
            return
        if config.terrain_map is not None:
            self._read_map()
        occupied = {ship.place for player in self.players for ship in player.fleet}
        for panel in self.panels:
            if panel in occupied:
                self.terrain[panel] = SEA
            elif config.terrain_map is None:
                self.terrain[panel] = maps.draw(config.terrain_weights, self.rng)
