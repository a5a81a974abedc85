"""Battleship: events and their visibility. [section 9.2]"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from .. import notation
from ..config import Config
from ..knowledge import Knowledge
from ..notation import BY_ATTACK, KINDS, View
from .state import SETUP, Panel, Position


class Event:
    """An event and its visibility. [9.2]

    columns : all values. hidden : the values that players in `part` see. full : players who see all values.
    """

    def __init__(self, columns: View, hidden: View, full: set[int], part: set[int]) -> None:
        self.columns, self.hidden, self.full, self.part = columns, hidden, full, part

    def view(self, player: int) -> View | None:
        """Return the event as the player sees it; None if it does not."""
        if player in self.full:
            return self.columns
        return self.hidden if player in self.part else None


class Events(Position):
    """Emission of events to the players who may see them.

    last : events of the last call. seen : per player, all events as it has seen them since this State was created; a
    position read from a text or a dict has no history. knowledge : per player, its conclusions from them.
    """

    def __init__(self, config: Config, seed: int = 0) -> None:
        super().__init__(config, seed)
        self.last: list[Event] = []
        self.seen: list[list[View]] = [[] for _ in self.players]
        self.knowledge = [Knowledge(config.public(), p) for p in range(config.players)]

    def _tell(
        self,
        kind: str,
        player: int | None = None,
        slot: int | None = None,
        cls: int | None = None,
        panel: Panel | None = None,
        *details: int,
        full: Iterable[int] | None = None,
        part: Iterable[int] = (),
        hide: Sequence[str] = (),
    ) -> None:
        """Emit an event: `full` (None: all players) sees all of it, `part` all values except `hide`. [section 9.2]"""
        number = min(self.round, 32_767) if self.phase != SETUP else 0
        values = [number, player, slot, cls, None if panel is None else self.index(panel), *details]
        columns = [KINDS.index(kind), *(-1 if value is None else value for value in values)]
        columns += [-1] * (11 - len(columns))
        names = ("", "", "player", "slot", "cls", "panel", *notation.EVENTS[kind])
        hidden = [-1 if place < len(names) and names[place] in hide else value for place, value in enumerate(columns)]
        event = Event(tuple(columns), tuple(hidden), self.everybody if full is None else set(full), set(part))
        self.last.append(event)
        for p in self.everybody:
            view = event.view(p)
            if view is not None:
                self.seen[p].append(view)

    def _hear(self) -> None:
        """Update the players' knowledge by the events of the call."""
        for p, known in enumerate(self.knowledge):
            known.hear(view for view in (event.view(p) for event in self.last) if view is not None)

    def _learn(self, p: int, panel: Panel) -> None:
        """Let the player know the terrain of a panel. [section 6] [BS-188]"""
        if panel not in self.known[p]:
            self.known[p].add(panel)
            self._tell("TERRAIN", p, None, None, panel, self.terrain[panel], full={p})

    def _read_status(self, p: int) -> list[tuple[Any, ...]]:
        return [(ship.panel, ship.hp, ship.fp, ship.aux, ship.flags) for ship in self.players[p].fleet]

    def _tell_status(self, p: int, before: list[tuple[Any, ...]]) -> None:
        """Emit STATUS for each ship of the player that has changed. [section 9.2]"""
        for slot, (old, new) in enumerate(zip(before, self._read_status(p), strict=True)):
            if old != new:
                self._tell("STATUS", p, slot, None, *new, full={p})

    def _sink(self, p: int, slot: int, cause: int) -> None:
        """Sink a ship. [7.2] [BS-53] [BS-57]"""
        ship = self.players[p].fleet[slot]
        ship.hp = 0
        ship.stealth = ship.surf = ship.fuelout = False
        full = None if cause == BY_ATTACK else {p}
        self._tell("SUNK", p, slot, ship.cls, ship.place, cause, full=full, part=self.everybody, hide=["panel"])
