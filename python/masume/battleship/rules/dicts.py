"""Battleship: conversion of positions to and from plain JSON types. [section 3.2]"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from operator import attrgetter
from typing import Any, Self

from ...core.rng import Rng
from ...core.shapes import Int, Items, read
from ...errors import StateError
from .. import notation
from ..config import OILER
from ..maps import SEA, WAVE
from ..notation import REASONS
from .check import Check
from .legal import Legal
from .state import OVER, PICKING, PLACING, SETUP, Torpedo

COUNTS = ("reinf_left", "flag_left", "torp_next", "qual", "active", "dealt", "kills")


class Dicts(Check, Legal):
    """Conversion of a position to a dict, a text or a copy."""

    def to_dict(self) -> dict[str, Any]:
        """Return the variables of section 3.2 by name, as plain JSON types, without events."""
        config = self.config
        players, width = self.players, config.max_fleet

        def ships(value: Any, none: int) -> list[list[int]]:
            return [[*map(value, player.fleet)] + [none] * (width - len(player.fleet)) for player in players]

        def flights(value: Any) -> list[list[int]]:
            return [
                [*map(value, player.torpedoes)] + [0] * (config.max_torpedoes - len(player.torpedoes))
                for player in players
            ]

        return {
            "rng": self.rng.state,
            **{name: getattr(self, name) for name in ("phase", "setup_kind", "setup_i", "cur")},
            "order": list(self.order) or [-1] * config.players,
            **{name: getattr(self, name) for name in ("ptr", "round", "turns", "pass_run")},
            "ship_cls": ships(lambda ship: -1 if ship.cls is None else ship.cls, -1),
            "ship_pos": ships(lambda ship: -1 if ship.panel is None else self.index(ship.panel), -1),
            **{f"ship_{name}": ships(attrgetter(name), 0) for name in ("hp", "fp", "aux", "flags")},
            "terrain": [self.terrain[panel] for panel in self.panels],
            "known": [sum((panel in known) << p for p, known in enumerate(self.known)) for panel in self.panels],
            "mines": [[self.mines[p, panel] for panel in self.panels] for p in range(config.players)],
            "torp_n": [len(player.torpedoes) for player in players],
            "torp_pos": flights(lambda torpedo: self.index(torpedo.panel)),
            "torp_tgt": flights(lambda torpedo: self.index(torpedo.target)),
            "torp_id": flights(lambda torpedo: torpedo.number),
            **{name: [int(getattr(player, name)) for player in players] for name in COUNTS},
            "winners": sum(1 << side for side in self.winners),
            "reason": self.reason,
        }

    def _load(self, variables: Mapping[str, Any]) -> None:
        """Take over variables of section 3.2, and begin without history."""
        v = _check_variables(self, variables)
        self.rng = Rng(v["rng"])
        for name in ("phase", "setup_kind", "setup_i", "cur", "ptr", "round", "turns", "pass_run", "reason"):
            setattr(self, name, v[name])
        self.order = [] if set(v["order"]) == {-1} else list(v["order"])
        self.winners = {side for side in range(self.config.players) if v["winners"] >> side & 1}
        self.terrain = dict(zip(self.panels, v["terrain"], strict=True))
        for p, player in enumerate(self.players):
            self.known[p] = {panel for panel, bits in zip(self.panels, v["known"], strict=True) if bits >> p & 1}
            for panel, count in zip(self.panels, v["mines"][p], strict=True):
                self.mines[p, panel] = count
            for slot, ship in enumerate(player.fleet):
                cls, panel = v["ship_cls"][p][slot], v["ship_pos"][p][slot]
                ship.cls = None if cls < 0 else cls
                ship.panel = None if panel < 0 else self.panels[panel]
                ship.hp, ship.fp, ship.aux = (v[name][p][slot] for name in ("ship_hp", "ship_fp", "ship_aux"))
                ship.flags = v["ship_flags"][p][slot]
            flights = zip(v["torp_id"][p], v["torp_pos"][p], v["torp_tgt"][p], strict=True)
            player.torpedoes = [
                Torpedo(t, self.panels[panel], self.panels[target])
                for t, panel, target in list(flights)[: v["torp_n"][p]]
            ]
            for name in COUNTS:
                setattr(player, name, bool(v[name][p]) if name in ("qual", "active") else v[name][p])
        for p, known in enumerate(self.knowledge):
            known.begin(self.to_dict(), p)

    def clone(self) -> Self:
        """Return a new State equal to this one, with the same history."""
        return copy.deepcopy(self)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        other = type(self).__new__(type(self))
        memo[id(self)] = other
        for name, value in vars(self).items():
            shared = name in ("config", "panels")
            setattr(other, name, value if shared else copy.deepcopy(value, memo))
        return other

    def __str__(self) -> str:
        return notation.to_text(self.config, self.to_dict())


def _check_variables(state: Dicts, variables: Mapping[str, Any]) -> dict[str, Any]:
    """Return the variables of section 3.2, checked for types and ranges; raise StateError, which names the key."""
    config = state.config
    players, ships, panels, flights = config.players, config.max_fleet, config.panels, config.max_torpedoes
    int16, int32 = 2**15 - 1, 2**31 - 1
    singles = {
        "rng": (0, 2**64 - 1), "phase": (SETUP, OVER), "setup_kind": (PICKING, PLACING), "setup_i": (0, ships - 1),
        "cur": (0, players - 1), "ptr": (-1, players - 1), "round": (0, int32), "turns": (0, int32),
        "pass_run": (0, int16), "winners": (0, 2**players - 1), "reason": (-1, len(REASONS) - 1),
    }  # fmt: skip
    lists = {
        "order": (players, -1, players - 1), "terrain": (panels, SEA, WAVE), "known": (panels, 0, 2**players - 1),
        "torp_n": (players, 0, flights), "torp_next": (players, 0, int16), "reinf_left": (players, 0, 12),
        "flag_left": (players, 0, 99), "qual": (players, 0, 1), "active": (players, 0, 1),
        "dealt": (players, 0, int16), "kills": (players, 0, int16),
    }  # fmt: skip
    tables = {
        "ship_cls": (ships, -1, OILER), "ship_pos": (ships, -1, panels - 1), "ship_hp": (ships, 0, 9),
        "ship_fp": (ships, 0, int16), "ship_aux": (ships, 0, 9), "ship_flags": (ships, 0, 15),
        "mines": (panels, 0, 255), "torp_pos": (flights, 0, panels - 1), "torp_tgt": (flights, 0, panels - 1),
        "torp_id": (flights, 0, int16),
    }  # fmt: skip
    shape: dict[str, Any] = {name: Int(*limits) for name, limits in singles.items()}
    shape |= {name: Items(Int(*limits), count) for name, (count, *limits) in lists.items()}
    shape |= {name: Items(Items(Int(*limits), count), players) for name, (count, *limits) in tables.items()}
    values: dict[str, Any] = read("", variables, shape, StateError)
    none = {"ship_cls": -1, "ship_pos": -1, "ship_hp": 0, "ship_fp": 0, "ship_aux": 0, "ship_flags": 0}
    counts = {**dict.fromkeys(none, config.fleet_sizes), **dict.fromkeys(("torp_pos", "torp_tgt", "torp_id"), None)}
    for name, sizes in counts.items():
        for p, row in enumerate(values[name]):
            size = values["torp_n"][p] if sizes is None else sizes[p]
            for n, value in enumerate(row[size:], size):
                if value != none.get(name, 0):
                    raise StateError(f"{name}[{p}][{n}]: {value}, where there is nothing")
    return values
