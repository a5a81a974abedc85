"""Battleship: checks of the invariants of positions. [section 3]"""

from __future__ import annotations

from collections.abc import Iterator

from ..config import OILER
from ..knowledge import FLAGSHIP
from ..maps import REEF
from .judging import Judging
from .state import FLAGGING, OVER, PICKING, PLACING, PLAY, SETUP, Player, Ship

MAX_USES = 2 * 12 * 9  # mines and torpedoes of a fleet of 12 ships and its reinforcements, 9 each


class Check(Judging):
    """Checks of a position's invariants."""

    def _faults(self) -> Iterator[str]:
        """Yield a text for each part of the position that no game can reach."""
        start = type(self)(self.config)
        yield from self._turn_faults()
        for p, player in enumerate(self.players):
            yield from self._fleet_faults(p, player, start)
            yield from self._property_faults(p, player)
        yield from self._terrain_faults(start)
        if self.phase == PLAY:
            yield from self._end_faults()

    def _turn_faults(self) -> Iterator[str]:
        config = self.config
        if self.phase == SETUP:
            for name, wanted in (("order", []), ("ptr", -1), ("round", 0), ("turns", 0), ("pass_run", 0)):
                if getattr(self, name) != wanted:
                    yield f"{name}: {getattr(self, name)} during setup"
        else:
            if sorted(self.order) != sorted(self.everybody):
                yield f"order: expected a permutation, got {self.order}"
                return
            if config.turn_order is not None and self.order != list(config.turn_order):
                yield f"order: expected the config's {list(config.turn_order)}, got {self.order}"
            if self.setup_kind or self.setup_i:
                yield f"setup_i: {self.setup_i} of setup_kind {self.setup_kind} after setup"
            for name in ("round", "turns"):
                if getattr(self, name) < 1:
                    yield f"{name}: {getattr(self, name)} in play"
            if self.phase == PLAY and (self.ptr < 0 or self.order[self.ptr] != self.cur):
                yield f"ptr: {self.ptr}, but player {self.cur} is to move"
            if config.round_limit and self.round > config.round_limit:
                yield f"round: {self.round} is past the limit {config.round_limit}"
            elif config.max_rounds and self.round > config.max_rounds:
                yield f"round: {self.round} is past the limit {config.max_rounds}"
        if (self.phase == OVER) != (self.reason >= 0):
            yield f"reason: {self.reason} in phase {self.phase}"
        if (self.phase == OVER) != bool(self.winners) or not self.winners <= set(config.sides):
            yield f"winners: {sorted(self.winners)} in phase {self.phase}"

    def _progress(self, p: int) -> tuple[int, int, int]:
        """Return (classes picked, flagships named, ships placed) of a player."""
        size, flags = self.config.fleet_sizes[p], int(self.config.has_flagship)
        whole = (size, flags, size)
        if self.phase != SETUP or p < self.cur:
            return whole
        picked = size if self.config.fleets is not None else 0
        if p > self.cur:
            return picked, 0, 0
        if self.setup_kind == PICKING:
            return self.setup_i, 0, 0
        return size, flags * (self.setup_kind == PLACING), self.setup_i * (self.setup_kind == PLACING)

    def _fleet_faults(self, p: int, player: Player, start: Check) -> Iterator[str]:
        config, fleet = self.config, player.fleet
        picked, flags, placed = self._progress(p)
        if self.phase == SETUP and p == self.cur:
            allowed = {PLACING, FLAGGING if config.has_flagship else PLACING, start.setup_kind}
            last = 0 if self.setup_kind == FLAGGING else len(fleet) - 1
            if self.setup_kind not in allowed:
                yield f"setup_kind: {self.setup_kind} is not a step of this setup"
            if self.setup_i > last:
                yield f"setup_i: expected 0..{last}, got {self.setup_i}"
        for slot, ship in enumerate(fleet):
            here = f"[{p}][{slot}]"
            if (ship.cls is None) != (slot >= picked):
                yield f"ship_cls{here}: {-1 if ship.cls is None else ship.cls} at this point of the game"
                return
            if config.fleets is not None and ship.cls != config.fleets[p][slot]:
                yield f"ship_cls{here}: {ship.cls} is not the config's"
            if (ship.panel is None) != (slot >= placed):
                yield f"ship_pos{here}: {-1 if ship.panel is None else self.index(ship.panel)} at this point"
            yield from self._ship_faults(here, ship)
        if picked == len(fleet) and all(ship.cls == OILER for ship in fleet):
            yield f"ship_cls[{p}]: no combat ship"
        if sum(ship.flagship for ship in fleet) != flags:
            yield f"ship_flags[{p}]: {sum(ship.flagship for ship in fleet)} flagships, not {flags}"
        standing = [ship.panel for ship in fleet if ship.panel and (self.phase == SETUP or ship.is_alive)]
        if len(set(standing)) < len(standing):
            yield f"ship_pos[{p}]: two ships on one panel"

    def _ship_faults(self, here: str, ship: Ship) -> Iterator[str]:
        """Yield the faults of a ship."""
        config = self.config
        if self.phase == SETUP:
            if ship.hp or ship.fp or ship.aux or ship.flags & ~FLAGSHIP:
                yield f"ship_hp{here}: {ship.hp}, {ship.fp}, {ship.aux} and {ship.flags} are not yet given"
        else:
            for name, value, most in (
                ("hp", ship.hp, config.hp[ship.kind]),
                ("fp", ship.fp, config.max_fp(ship.kind)),
                ("aux", ship.aux, config.aux[ship.kind]),
            ):
                if value > most:
                    yield f"ship_{name}{here}: {value} is more than {most}"
            if not ship.is_alive and ship.flags & ~FLAGSHIP:
                yield f"ship_flags{here}: {ship.flags} of a sunk ship"
        if ship.panel and self.terrain[ship.panel] == REEF:
            yield f"ship_pos{here}: a reef"

    def _property_faults(self, p: int, player: Player) -> Iterator[str]:
        """Yield the faults of a player's mines, torpedoes and counters."""
        config = self.config
        for name, most in (("reinf_left", config.reinforce_max), ("flag_left", config.flagship_changes)):
            left = getattr(player, name)
            if left > most or (self.phase == SETUP and left != most):
                yield f"{name}[{p}]: {left} of {most}"
        laid = sum(count for (owner, _), count in self.mines.items() if owner == p)
        if laid + 9 * player.reinf_left + sum(ship.aux for ship in player.fleet) > MAX_USES:
            yield f"mines[{p}]: {laid} are more than can have been laid"
        for n, torpedo in enumerate(player.torpedoes):
            if torpedo.panel == torpedo.target:
                yield f"torp_pos[{p}][{n}]: it is at its target"
            if torpedo.number >= player.torp_next or (n and torpedo.number <= player.torpedoes[n - 1].number):
                yield f"torp_id[{p}][{n}]: {torpedo.number} is out of order"
        if not player.active and (player.qual or player.torpedoes or any(player.living)):
            yield f"active[{p}]: 0, but something is left"
        if self.phase == SETUP:
            begun = player.torp_next or player.dealt or player.kills or player.torpedoes or laid
            if begun or not (player.qual and player.active):
                yield f"active[{p}]: play has not begun"

    def _terrain_faults(self, start: Check) -> Iterator[str]:
        config, every = self.config, set(self.panels)
        is_given = not config.terrain or config.terrain_known or self.phase == SETUP
        if is_given and self.terrain != start.terrain:  # a sampled hidden map may differ [9.4]
            yield "terrain: it is not the config's"
        for p, known in enumerate(self.known):
            is_open = not config.terrain or config.terrain_known
            if self.phase == SETUP:
                if known != start.known[p]:
                    yield f"known: what player {p} knows during setup"
            elif is_open and known != every:
                yield f"known: player {p} knows all terrain"
            elif not {ship.panel for ship in self.players[p].fleet} <= known:
                yield f"known: player {p} knows where its own ships are, or have sunk"

    def _end_faults(self) -> Iterator[str]:
        """Yield faults of a position in play: the game would be over, or a defeated player counts as qualified."""
        lost = self._sides_of(self.everybody - set(self._list_qualified()))
        if len(self._sides_of(self._list_qualified())) < 2:
            yield f"qual: {[int(player.qual) for player in self.players]} in play"
        for p, player in enumerate(self.players):
            if player.qual and self._defeat_of(p) is not None:
                yield f"qual[{p}]: 1, but {self._defeat_of(p)}"
            if player.qual and self.config.mission == "rescue" and self.config.sides[p] in lost:
                yield f"qual[{p}]: 1, but an ally is defeated"
            if player.active and not player.qual and not any(map(self.is_able, player.fleet)):
                yield f"active[{p}]: 1, but unable"
        if not self.players[self.cur].active:
            yield f"cur: player {self.cur} is out"
