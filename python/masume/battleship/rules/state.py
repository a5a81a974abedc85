"""Battleship: the parts of a position, which are ships, torpedoes, players and the map. [section 3]"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterator

from ...core.positions import Reference
from ...core.rng import Rng
from .. import notation
from ..config import Config
from ..knowledge import FLAGSHIP, FUELOUT, STEALTH, SURF
from ..maps import SEA

Panel = tuple[int, int]  # x, y; x grows to the east, y to the south [BS-20]

SETUP, PLAY, OVER = range(3)
PICKING, FLAGGING, PLACING = range(3)
STEPS = {
    "N": (0, -1), "NE": (1, -1), "E": (1, 0), "SE": (1, 1), "S": (0, 1), "SW": (-1, 1), "W": (-1, 0), "NW": (-1, -1),
    "C": (0, 0),
}  # fmt: skip
CONTACT, SWEPT = range(2)  # why a mine was lost


@dataclasses.dataclass
class Ship:
    """A ship: class (None before it is picked), panel (None before it is placed), HP, FP, Aux and flags."""

    cls: int | None = None
    panel: Panel | None = None
    hp: int = 0
    fp: int = 0
    aux: int = 0
    stealth: bool = False
    surf: bool = False
    fuelout: bool = False
    flagship: bool = False

    @property
    def is_alive(self) -> bool:
        """Whether the ship has HP left. [section 3.3]"""
        return self.hp > 0

    @property
    def flags(self) -> int:
        """Bits 1 stealth, 2 surf, 4 fuelout, 8 flagship. [section 3.2]"""
        return STEALTH * self.stealth + SURF * self.surf + FUELOUT * self.fuelout + FLAGSHIP * self.flagship

    @flags.setter
    def flags(self, value: int) -> None:
        self.stealth, self.surf = bool(value & STEALTH), bool(value & SURF)
        self.fuelout, self.flagship = bool(value & FUELOUT), bool(value & FLAGSHIP)

    @property
    def place(self) -> Panel:
        """Panel of a placed ship."""
        assert self.panel is not None
        return self.panel

    @property
    def kind(self) -> int:
        """Class of a picked ship."""
        assert self.cls is not None
        return self.cls


@dataclasses.dataclass
class Torpedo:
    """A torpedo in flight."""

    number: int
    panel: Panel
    target: Panel


@dataclasses.dataclass
class Player:
    """The fleet, torpedoes (in order of launch) and counters of a player."""

    fleet: list[Ship]
    reinf_left: int
    flag_left: int
    torp_next: int = 0
    qual: bool = True
    active: bool = True
    dealt: int = 0
    kills: int = 0
    torpedoes: list[Torpedo] = dataclasses.field(default_factory=list)

    @property
    def living(self) -> Iterator[tuple[int, Ship]]:
        """Pairs (slot, ship) of the living ships, in slot order."""
        return ((slot, ship) for slot, ship in enumerate(self.fleet) if ship.is_alive)


class Position(Reference[Config]):
    """Base class of the reference State: the variables of a position.

    config : options of the game. players : fleet, torpedoes and counters per player.
    phase : 0 setup, 1 play, 2 over. setup_kind, setup_i : 0 pick, 1 flag, 2 place; the next slot.
    cur : the player who decides. order, ptr : the turn order; the index of `cur` in it.
    round, turns : numbers from 1. pass_run : passes in a row. winners : the sides that have won.
    reason : index into `notation.REASONS`, -1 before the end.
    terrain : terrain code per panel. known : per player, the panels whose terrain it knows.
    mines : number of mines by (owner, panel).
    """

    notation = notation

    def __init__(self, config: Config, seed: int = 0) -> None:
        self.config = config
        self.rng = Rng(seed)
        self.phase, self.setup_kind, self.setup_i = SETUP, PICKING, 0
        self.cur, self.ptr = 0, -1
        self.order: list[int] = []
        self.round = self.turns = self.pass_run = 0
        self.winners: set[int] = set()
        self.reason = -1
        self.players = [
            Player([Ship() for _ in range(size)], config.reinforce_max, config.flagship_changes)
            for size in config.fleet_sizes
        ]
        self.panels = [(x, y) for y in range(config.height) for x in range(config.width)]
        self.terrain = dict.fromkeys(self.panels, SEA)
        self.known: list[set[Panel]] = [set() for _ in self.players]
        self.mines: Counter[tuple[int, Panel]] = Counter()
        if config.fleets is not None:
            for player, fleet in zip(self.players, config.fleets, strict=True):
                for ship, cls in zip(player.fleet, fleet, strict=True):
                    ship.cls = cls

    def index(self, panel: Panel) -> int:
        """Return the number of a panel. [section 3.1]"""
        return panel[1] * self.config.width + panel[0]

    def ahead(self, panel: Panel, direction: str, distance: int = 1) -> Panel:
        """Return the panel at this distance in a direction; it may be outside the map."""
        right, down = STEPS[direction]
        return panel[0] + right * distance, panel[1] + down * distance

    def around(self, panel: Panel) -> list[Panel]:
        """Return the up to eight panels around a panel (N8). [section 3.1] [BS-51]"""
        found = [self.ahead(panel, direction) for direction in STEPS if direction != "C"]
        return [cell for cell in found if cell in self.terrain]

    @property
    def everybody(self) -> set[int]:
        """Set of all players."""
        return set(range(self.config.players))

    def is_terminal(self) -> bool:
        """Return whether the game is over."""
        return self.phase == OVER

    def ship_at(self, p: int, panel: Panel) -> Ship | None:
        """Return the living ship of a player on a panel, or None. [section 3.3]"""
        return next((ship for _, ship in self.players[p].living if ship.panel == panel), None)

    def enemies(self, p: int) -> list[int]:
        """Return the players of other sides, ascending. [section 3.2]"""
        return [v for v in range(self.config.players) if self.config.sides[v] != self.config.sides[p]]

    def _slot(self, p: int, ship: Ship) -> int:
        return next(slot for slot, own in enumerate(self.players[p].fleet) if own is ship)
