"""Battleship: positions that are possible given a player's knowledge. [section 9.4]"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...core.checks import place
from .. import notation
from ..knowledge import FREE, STOPPED, STOPPED_UNSEEN, UNMOVED
from ..maps import REEF, SEA
from .dicts import Dicts
from .state import PLAY


class Contradictions(Dicts):
    """Comparison of a position with a player's knowledge."""

    def contradictions(self, player: int, variables: Mapping[str, Any]) -> list[str]:
        """Return the contradictions between a position and the knowledge of a player. [9.4]

        Parameters
        ----------
        player : int
            Player whose knowledge counts, 0..players-1.
        variables : mapping
            The other position (`to_dict`).

        Returns
        -------
        list of str
            One line for each variable that the player knows to differ, beginning with its name; empty if the position
            is possible.

        Raises
        ------
        StateError
            If `variables` is not a position.
        """
        place("player", player, self.config.players)
        other = type(self).from_dict(self.config, variables)
        return [f"{name}: {fault}" for name, fault in self._contradictions(player, other)]

    def _contradictions(self, p: int, other: Contradictions) -> Iterator[tuple[str, str]]:
        truth, claim = self.to_dict(), other.to_dict()
        for name in ("phase", "cur", "order", "ptr", "round", "turns", "qual", "active"):
            if truth[name] != claim[name]:
                yield name, f"{claim[name]}, not {truth[name]}"
        for name in ("ship_cls", "ship_pos", "ship_hp", "ship_fp", "ship_aux", "ship_flags", "mines", "torp_n",
                     "torp_pos", "torp_tgt", "torp_id", "torp_next"):  # fmt: skip
            if truth[name][p] != claim[name][p]:
                yield f"{name}[{p}]", f"{claim[name][p]}, not {truth[name][p]}"
        for name in ("reinf_left", "flag_left", "torp_next"):  # their uses are public
            if truth[name] != claim[name]:
                yield name, f"{claim[name]}, not {truth[name]}"
        if self.known[p] != other.known[p]:
            yield "known", f"player {p} knows other panels"
        for panel in self.known[p]:
            if self.terrain[panel] != other.terrain[panel]:
                yield "terrain", f"{other.terrain[panel]} on {panel}, not {self.terrain[panel]}"
        yield from self._count_contradictions(p, claim)
        if self.phase == PLAY:
            yield from self._enemy_contradictions(p, other)

    def _count_contradictions(self, p: int, its: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        """Yield contradictions of counts: refuelling may have reset the passes, and owners of mines may be unknown."""
        known = self.knowledge[p]
        if its["pass_run"] > known.passes:
            yield "pass_run", f"{its['pass_run']}, not up to {known.passes}"
        for name, sure, stray in (("dealt", known.dealt, known.stray), ("kills", known.kills, known.stray_kills)):
            for q in range(self.config.players):
                is_certain = q == p and name == "dealt"
                most = sure[q] + (0 if is_certain else sum(stray[v] for v in self.enemies(q)))
                if not sure[q] <= its[name][q] <= most:
                    yield f"{name}[{q}]", f"{its[name][q]}, not {sure[q]} to {most}"

    def _sea_contradictions(self, p: int, other: Contradictions) -> Iterator[tuple[str, str]]:
        """Yield terrain that contradicts the start of an unmoved ship, or the reef that stopped a ship's last move."""
        known = self.knowledge[p]
        for q in sorted(self.everybody - {p}):
            for slot, ship in enumerate(other.players[q].fleet):
                way = known.way[q][slot]
                if not ship.is_alive or way == FREE:
                    continue
                ahead = [self.ahead(ship.place, heading) for heading in notation.HEADINGS]
                if way == UNMOVED and not self.config.terrain_known and other.terrain[ship.place] != SEA:
                    yield "terrain", f"{other.terrain[ship.place]} on {ship.place}, where a ship began"
                beside = ahead if way == STOPPED_UNSEEN else [ahead[way - STOPPED]]
                if way >= STOPPED and not any(other.terrain.get(panel) == REEF for panel in beside):
                    yield "terrain", f"no reef beside {ship.place}, where one stopped a ship"

    def _enemy_contradictions(self, p: int, other: Contradictions) -> Iterator[tuple[str, str]]:
        known = self.knowledge[p]
        yield from self._sea_contradictions(p, other)
        for q in sorted(self.everybody - {p}):
            if len(self.players[q].torpedoes) != len(other.players[q].torpedoes):
                yield f"torp_n[{q}]", f"{len(other.players[q].torpedoes)}, not {len(self.players[q].torpedoes)}"
            for slot, ship in enumerate(other.players[q].fleet):
                cls = known.cls[q][slot]
                if cls is not None and ship.cls != cls:
                    yield f"ship_cls[{q}][{slot}]", f"{ship.cls}, not {cls}"
                if ship.is_alive != self.players[q].fleet[slot].is_alive:
                    yield f"ship_hp[{q}][{slot}]", f"{ship.hp}"
                if ship.is_alive and self.index(ship.place) not in known.suspects[q][slot]:
                    yield f"ship_pos[{q}][{slot}]", f"{ship.place}, where it cannot be"
