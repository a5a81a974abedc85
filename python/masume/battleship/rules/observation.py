"""Battleship: what players see, as events, texts and arrays. [section 9]"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...core.checks import place
from .. import notation
from ..config import OILER
from ..maps import WAVE
from ..notation import Action
from .events import Events
from .state import SETUP


class Observation(Events):
    """Events, information states and observations, made only of what the player may know."""

    def events(self, player: int | None = None) -> list[dict[str, Any]]:
        """Return the events of the last call in order, as dicts (`notation.event_to_dict`). [9.2]

        Parameters
        ----------
        player : int, optional
            Player whose view is returned; None returns all records with nothing hidden. Then a MOVE has two records,
            one for the mover and one for the others.
        """
        if player is None:
            views = [event.columns for event in self.last]
        else:
            place("player", player, self.config.players)
            views = [view for view in (event.view(player) for event in self.last) if view is not None]
        return [notation.event_to_dict(self.config, view) for view in views]

    def information_state(self, player: int) -> str:
        """Return all that `player` has seen, as text; in setup, its decisions (`notation.information_state`). [9.1]"""
        place("player", player, self.config.players)
        if self.phase == SETUP:
            return notation.setup_state(self.config, player, self.cur, self._decided(player))
        return notation.information_state(player, self.seen[player])

    def _decided(self, p: int) -> Iterator[Action]:
        """Yield the setup decisions of a player, in order. [4.4]"""
        fleet = self.players[p].fleet
        if self.config.fleets is None:
            yield from (Action(notation.PICK, where=ship.cls) for ship in fleet if ship.cls is not None)
        yield from (Action(notation.FLAG, slot) for slot, ship in enumerate(fleet) if ship.flagship)
        yield from (Action(notation.PLACE, where=self.index(ship.panel)) for ship in fleet if ship.panel is not None)

    def observation(self, player: int) -> dict[str, Any]:
        """Return the observation of a player as nested lists, made only of what it may know. [9.3]

        Parameters
        ----------
        player : int
            Player who observes, 0..players-1.

        Returns
        -------
        dict of str to list
            "planes", float[26][H][W]; "scalars", float[5+P+P*(2+8*S)]; "suspects", int[(P-1)*S][H][W]: 1 on the panels
            where a ship may be, slot by slot for each other player in turn order. [9.4]
        """
        place("player", player, self.config.players)
        return {
            "planes": self._observe_planes(player),
            "scalars": self._observe_scalars(player),
            "suspects": self._observe_suspects(player),
        }

    def _rows(self, plane: Mapping[int, Any], none: Any) -> list[list[Any]]:
        """Return the rows of a plane with the given values by panel number, and `none` on the other panels."""
        width, height = self.config.width, self.config.height
        return [[plane.get(y * width + x, none) for x in range(width)] for y in range(height)]

    def _observe_planes(self, p: int) -> list[list[list[float]]]:
        config, player, known = self.config, self.players[p], self.knowledge[p]
        planes: list[dict[int, float]] = [{} for _ in range(26)]
        for ship in player.fleet:
            if ship.panel is None or (self.phase != SETUP and not ship.is_alive):
                continue
            cls, q, new = ship.kind, self.index(ship.panel), self.phase == SETUP
            planes[cls][q] = 1.0
            planes[4][q] = 1.0 if new else ship.hp / config.hp[cls]
            planes[5][q] = float(config.fuel) if new else ship.fp / max(1, config.max_fp(cls))
            planes[6][q] = (config.aux[cls] if new else ship.aux) / 9
            for plane, flag in ((7, ship.stealth), (8, ship.flagship), (18, ship.fuelout), (19, ship.surf)):
                planes[plane][q] = float(flag)
        for panel in self.panels:
            terrain = self.terrain[panel] if panel in self.known[p] else WAVE + 1
            planes[9 + terrain][self.index(panel)] = 1.0
            planes[15][self.index(panel)] = self.mines[p, panel] / 4
        for torpedo in player.torpedoes:
            planes[16][self.index(torpedo.panel)] = 1.0
            planes[17][self.index(torpedo.target)] = 1.0
        shots = [known.last_attack[seat] for seat in self._players_from(p)]
        for plane, shot in zip((23 if known.is_hit else 24, 20, 21, 22), shots, strict=False):
            if shot is not None:
                planes[plane][shot] = 1.0
        planes[25] = dict.fromkeys(known.swept, 1.0)
        return [self._rows(plane, 0.0) for plane in planes]

    def _observe_suspects(self, p: int) -> list[list[list[int]]]:
        found = []
        for q in self._players_from(p)[1:]:
            row = self.knowledge[p].suspects[q]
            row = row + [set()] * (self.config.max_fleet - len(row))
            found += [self._rows(dict.fromkeys(panels, 1), 0) for panels in row]
        return found

    def _players_from(self, p: int) -> list[int]:
        """Return the players in turn order, beginning with p; in setup, by number. [9.3]"""
        order = self.order or sorted(self.everybody)
        start = order.index(p)
        return order[start:] + order[:start]

    def _observe_scalars(self, p: int) -> list[float]:
        config, player, known = self.config, self.players[p], self.knowledge[p]
        rounds = (config.round_limit - self.round) / 20 if config.round_limit else 0.0
        scalars = [self.round / 40, rounds, player.reinf_left, player.flag_left, known.passes]
        scalars += [float(self.order[place] == p) if self.order else 0.0 for place in range(config.players)]
        for q in self._players_from(p):
            scalars += [self.players[q].qual, self.players[q].active]
            for slot in range(config.max_fleet):
                if slot >= config.fleet_sizes[q]:
                    scalars += [0.0] * 8
                    continue
                ship = self.players[q].fleet[slot]
                is_placed = self.phase == SETUP and q == p and ship.panel is not None
                cls = ship.cls if q == p or config.fleets is not None else known.cls[q][slot]
                classes = [0.0] * 5
                classes[OILER + 1 if cls is None else cls] = 1.0
                scalars += [ship.is_alive or is_placed, *classes, known.fuelout[q][slot], known.notice[q][slot]]
        return [float(value) for value in scalars]
