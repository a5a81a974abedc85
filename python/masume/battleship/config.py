"""Config: the options of a game of Battleship, section 2 of the rules, and values derived from them."""

from __future__ import annotations

import dataclasses
from typing import Any, Self

from ..core import config
from ..core.config import choice, integer
from ..core.shapes import Choice, Int, Items, Maybe, check_fields, field, read
from ..errors import ConfigError
from . import maps

CLASSES = "BDSO"
"""Letters of the classes: 0 Battleship, 1 Destroyer, 2 Submarine, 3 Oiler. [BS-18]"""
BATTLESHIP, DESTROYER, SUBMARINE, OILER = range(4)
MAX_FLEET = 12
FLEET = (BATTLESHIP, DESTROYER, SUBMARINE, OILER, DESTROYER, SUBMARINE)
"""The fixed fleet: slot i has class FLEET[i mod 6]. [section 4.1]"""
SUPPLY = {3: 80, 4: 90, 5: 100, 6: 105, 7: 110, 8: 115, 9: 120}
"""Fuel points by the side length of the map in panels. [BS-113] [BS-114]"""

MISSIONS = (
    "sea_control",
    "annihilation",
    "flagship",
    "rescue",
    "recon",
    "assault",
    "flagship_raid",
    "blitz",
    "retreat",
)
FLAGSHIP_MISSIONS = ("flagship", "flagship_raid", "blitz")
"""Missions that are lost with the flagship. [BS-10] [BS-14]"""
LIMITED_MISSIONS = ("recon", "assault", "flagship_raid", "blitz", "retreat")
"""Missions that end at the round limit. [BS-13] [BS-15]"""
SCORE_MISSIONS = ("sea_control", "rescue", "recon", "blitz")
"""Missions that the score decides when time is up. [BS-7] [BS-79]"""

FOLLOWS: Any = None
"""Default of options that follow from other options if not given; a finished config never contains it."""

Fleet = tuple[int, ...]


def _read_fleets(name: str, value: Any) -> tuple[Fleet, ...]:
    """Return the fleets of lists of classes, given as numbers or letters."""
    fleets = read(name, value, Items(object))
    return tuple(
        read(f"{name}[{k}]", list(fleet) if isinstance(fleet, str) else fleet, Items(_read_class))
        for k, fleet in enumerate(fleets)
    )


def _read_class(name: str, value: Any) -> int:
    if isinstance(value, str):
        return CLASSES.index(choice(name, value, tuple(CLASSES)))
    return integer(name, value, BATTLESHIP, OILER)


@dataclasses.dataclass(frozen=True)
class Config(config.Config):
    """Options of a game, section 2.2 of the rules.

    `Config.make` builds a config; its errors name the invalid field. Lists per class are in the order B, D, S, O.
    None lets an option follow from the others. A finished config holds the resulting values, so that only `teams`,
    `turn_order`, `fleets` and `terrain_map` may be None in it.

    Parameters
    ----------
    width, height : int
        Size of the map, 3..9 panels.
    players : int
        Number of players, 2..4.
    mission : str
        One of MISSIONS. [section 2.3]
    teams : sequence of int, optional
        Side of each player, 0 or 1; None lets each player fight alone, except in `retreat`.
    round_limit : int, optional
        Last round, 1..1000 in the limited missions (None: 20), else 0.
    max_rounds : int, optional
        Round after which every game ends, 0..10000; 0 for no limit, only with fuel. None: 0 with fuel, else 200.
    defender : int
        The player who is attacked in `retreat`.
    turn_order : sequence of int, optional
        Permutation of the players; None draws it.
    fleet_select : {"free", "fixed"}
        Whether players choose the classes of their ships.
    fleet_sizes : sequence of int, optional
        Number of ships of each player, 1..12. [section 4.1]
    fleets : sequence, optional
        Classes of each player's ships as numbers or letters, or one list for all; None if players choose.
    equalize_fleets : bool, optional
        Whether both teams get the same number of ships. [section 4.1]
    hp, aux : sequence of int
        HP (1..9) and auxiliary weapons (0..9) per class.
    fuel : bool
        Whether ships need fuel points (FP).
    fp_base, oiler_fp : int, optional
        FP of a combat ship and of an Oiler. [section 4.2]
    attack_cost, move_cost, move_step_cost : sequence of int
        FP of an attack, of a move, and of each further panel of a move, per class. [section 3.3]
    move_flat_dist : int
        Number of panels that `move_cost` covers, 0..8.
    torpedo_cost, mine_cost, flagship_cost, wave_cost : int
        FP of a torpedo, a mine, a change of flagship, and a panel of high wave, 0..9999.
    refuel : bool
        Whether Oilers refuel ships. [section 7.9]
    refuel_max : int
        Most FP that a ship receives at once, 0..9999.
    mines, torpedoes, stealth : bool
        Whether the original rules of these names apply.
    surface_period : int
        Submarines surface in rounds divisible by this number, 0..1000; 0 never, 1 always.
    reinforce_max : int, optional
        Number of reinforcements per player, 0..12; None: 1, but 0 in `retreat`.
    reinforce_last_round : int
        Last round with reinforcements, 0..10000.
    reinforce_num, reinforce_num_step, reinforce_den, reinforce_step_rounds : int
        A reinforcement in round r costs
        ceil(fp * (reinforce_num + (r - 1) // reinforce_step_rounds * reinforce_num_step) / reinforce_den) FP.
    flagship_changes : int
        Number of flagship changes per player, 0..99.
    terrain : bool
        Whether there is terrain other than sea.
    terrain_weights : sequence of int
        Weights of sea, reef, shallows, fog and wave in generated terrain.
    terrain_map : str or sequence of int, optional
        The map as text or codes (`maps.read`); None draws it from `terrain_weights`.
    terrain_known : bool
        Whether all players know the map from the start.
    hit_reveals_class, splash_on_hit, public_hp, attack_own_cell, attack_known_reef : bool
        Variants of the rules, as in the plain game. [BS-R56]
    move_rule : {"rook", "jump"}
        "rook" tests every panel on the way of a move, "jump" only the last one. [BS-R56]
    score_sunk, score_hit, score_ship, score_hp : int
        Points, 0..9999. [section 8.4]
    allow_resign : bool
        Whether players may resign.
    time_main_s, time_floor_s : int
        Time on the clock in seconds, 1..10**6 and 0..10**6; for referees only. [BS-23]
    """

    width: int = field(5, Int(*maps.SIZES))
    height: int = field(5, Int(*maps.SIZES))
    players: int = field(2, Int(2, 4))
    teams: tuple[int, ...] | None = field(None, Maybe(Items(object)))
    mission: str = field("sea_control", Choice(*MISSIONS))
    round_limit: int = field(FOLLOWS, Maybe(Int(0, 1000)))
    max_rounds: int = field(FOLLOWS, Maybe(Int(0, 10_000)))
    defender: int = field(0, Int(0, 3))
    turn_order: tuple[int, ...] | None = field(None, Maybe(Items(object)))
    fleet_select: str = field("free", Choice("free", "fixed"))
    fleets: tuple[Fleet, ...] | None = field(None, Maybe(_read_fleets))
    fleet_sizes: tuple[int, ...] = field(FOLLOWS, Maybe(Items(object)))
    equalize_fleets: bool = field(FOLLOWS, Maybe(bool))
    hp: tuple[int, ...] = field((3, 2, 1, 2), Items(Int(1, 9), 4))  # BS-19, BS-26 to BS-29
    aux: tuple[int, ...] = field((0, 2, 3, 0), Items(Int(0, 9), 4))  # BS-153, BS-R25
    fuel: bool = True
    fp_base: int = field(FOLLOWS, Maybe(Int(1, 9999)))
    oiler_fp: int = field(FOLLOWS, Maybe(Int(1, 3 * 9999 // 2)))
    attack_cost: tuple[int, ...] = field((10, 12, 16, 50), Items(Int(1, 9999), 4))  # BS-30 to BS-33
    move_cost: tuple[int, ...] = field((16, 8, 10, 10), Items(Int(1, 9999), 4))  # BS-119
    move_step_cost: tuple[int, ...] = field((4, 2, 0, 0), Items(Int(0, 9999), 4))  # BS-120
    move_flat_dist: int = field(3, Int(0, 8))
    torpedo_cost: int = field(20, Int(0, 9999))  # BS-155
    mine_cost: int = field(0, Int(0, 9999))  # BS-121
    flagship_cost: int = field(5, Int(0, 9999))  # BS-117
    wave_cost: int = field(5, Int(0, 9999))  # BS-200
    refuel: bool = True
    refuel_max: int = field(30, Int(0, 9999))  # BS-128
    mines: bool = True
    torpedoes: bool = True
    stealth: bool = True
    surface_period: int = field(3, Int(0, 1000))  # BS-138
    reinforce_max: int = field(FOLLOWS, Maybe(Int(0, 12)))
    reinforce_last_round: int = field(20, Int(0, 10_000))  # BS-177
    reinforce_step_rounds: int = field(5, Int(1, 10_000))  # BS-176
    reinforce_num: int = field(2, Int(0, 9999))
    reinforce_num_step: int = field(1, Int(0, 9999))
    reinforce_den: int = field(6, Int(1, 9999))
    flagship_changes: int = field(3, Int(0, 99))  # BS-124
    terrain: bool = True
    terrain_weights: tuple[int, ...] = field((17, 2, 2, 2, 2), Items(Int(0, 65_535), 5))  # BS-R11
    terrain_map: str | None = dataclasses.field(default=None, repr=False)
    terrain_known: bool = False
    hit_reveals_class: bool = False
    splash_on_hit: bool = False
    public_hp: bool = False
    attack_own_cell: bool = False
    attack_known_reef: bool = True
    move_rule: str = field("rook", Choice("rook", "jump"))
    score_sunk: int = field(30, Int(0, 9999))
    score_hit: int = field(10, Int(0, 9999))
    score_ship: int = field(30, Int(0, 9999))
    score_hp: int = field(10, Int(0, 9999))
    allow_resign: bool = True
    time_main_s: int = field(1200, Int(1, 10**6))  # BS-23
    time_floor_s: int = field(60, Int(0, 10**6))

    # -- given options ----------------------------------------------------------------------------

    def __post_init__(self) -> None:
        check_fields(self)
        self._set_sides()
        self._set_ends()
        self._set_fleets()
        self._set_fuel()
        self._set_terrain()

    def _set(self, found: dict[str, Any]) -> None:
        for name, value in found.items():
            object.__setattr__(self, name, value)

    def _follows(self, name: str, value: Any) -> None:
        """Set the option to `value` if it was not given."""
        if getattr(self, name) is FOLLOWS:
            self._set({name: value})

    def _set_sides(self) -> None:
        """Check and set teams, defender and turn_order. [BS-90] [BS-R2] [BS-R8]"""
        count = self.players
        retreat = self.mission == "retreat"
        if self.teams is not None:
            teams = read("teams", self.teams, Items(Int(0, 1), count))
            if len(set(teams)) < 2:
                raise ConfigError(f"teams: both sides 0 and 1 need a player, got {list(teams)}")
            if count == 2 and not retreat:
                raise ConfigError(f"teams: two players may only be teams in retreat, got {list(teams)}")
            self._set({"teams": teams})
        if retreat:
            integer("defender", self.defender, 0, count - 1)
            wanted = tuple(int(player != self.defender) for player in range(count))
            if self.teams not in (None, wanted):
                raise ConfigError(f"teams: retreat needs {list(wanted)}, the defender alone, got {list(self.teams)}")
            self._set({"teams": wanted})
        if self.mission == "rescue" and self.teams is None:
            raise ConfigError("teams: mission rescue needs teams")
        if self.turn_order is not None:
            order = read("turn_order", self.turn_order, Items(Int(0, count - 1), count))
            if len(set(order)) < count:
                raise ConfigError(f"turn_order: expected a permutation of 0..{count - 1}, got {list(order)}")
            self._set({"turn_order": order})

    def _set_ends(self) -> None:
        """Check and set round_limit, max_rounds and reinforce_max. [BS-107] [BS-R38] [BS-R43] [BS-16]"""
        if self.mission in LIMITED_MISSIONS:
            self._follows("round_limit", 20)
            integer("round_limit", self.round_limit, 1, 1000)
        elif self.round_limit:
            raise ConfigError(f"round_limit: {self.round_limit}, but mission {self.mission} has no limit: None or 0")
        else:
            self._set({"round_limit": 0})
        self._follows("max_rounds", 0 if self.fuel else 200)
        if self.max_rounds == 0 and not self.fuel:
            raise ConfigError("max_rounds: expected 1..10000, got 0, as a game without fuel may never end")
        self._follows("reinforce_max", 0 if self.mission == "retreat" else 1)

    def _set_fleets(self) -> None:
        """Check and set equalize_fleets, fleet_sizes, fleets and fleet_select. [section 4.1] [BS-R6]"""
        most = min(MAX_FLEET, self.width * self.height)
        self._follows("equalize_fleets", self.teams is not None and self.mission != "retreat")
        if self.fleets is not None:
            fleets = self.fleets * self.players if len(self.fleets) == 1 else self.fleets
            if len(fleets) != self.players:
                raise ConfigError(f"fleets: expected 1 or {self.players} lists, got {len(fleets)}")
            for player, fleet in enumerate(fleets):
                integer(f"fleets[{player}]: length", len(fleet), 1, most)
                if set(fleet) == {OILER}:  # BS-86
                    raise ConfigError(f"fleets[{player}]: {len(fleet)} Oilers without a combat ship")
            sizes = tuple(map(len, fleets))
            self._follows("fleet_sizes", sizes)
            if self.fleet_sizes != sizes:
                raise ConfigError(f"fleet_sizes: {list(self.fleet_sizes)} is not the fleets' {list(sizes)}")
            self._set({"fleets": fleets, "fleet_select": "fixed"})
            return
        self._follows("fleet_sizes", self._default_sizes())
        self._set({"fleet_sizes": read("fleet_sizes", self.fleet_sizes, Items(Int(1, most), self.players))})
        if self.fleet_select == "fixed":
            fixed = tuple(tuple(FLEET[slot % 6] for slot in range(size)) for size in self.fleet_sizes)
            self._set({"fleets": fixed})

    def _default_sizes(self) -> tuple[int, ...]:
        """Return the default number of ships of each player. [BS-83] [BS-84] [BS-91] [BS-R7]"""
        panels = self.width * self.height
        size = 3 if panels <= 25 else 4 if panels <= 49 else 5
        if self.players >= 3:
            size -= 1
        if self.teams is None or not self.equalize_fleets:
            return (size,) * self.players
        members = [[p for p in range(self.players) if self.teams[p] == side] for side in (0, 1)]
        total = size * max(map(len, members))
        sizes = [0] * self.players
        for team in members:
            for place, player in enumerate(team):
                sizes[player] = total // len(team) + (place < total % len(team))
        return tuple(sizes)

    def _set_fuel(self) -> None:
        """Set and check fp_base and oiler_fp. [section 4.2] [BS-R4] [BS-R5]"""
        self._follows("fp_base", (SUPPLY[self.width] + SUPPLY[self.height]) // 2)
        self._follows("oiler_fp", 3 * self.fp_base // 2)
        if self.oiler_fp != 3 * self.fp_base // 2:  # the derived value may exceed the range of given ones
            integer("oiler_fp", self.oiler_fp, 1, 9999)

    def _set_terrain(self) -> None:
        """Check and set the options of terrain, and check the requirements of `jump`. [section 4.5]"""
        if self.terrain_weights[maps.SEA] == 0:
            raise ConfigError(f"terrain_weights: expected a weight of sea above 0, got {list(self.terrain_weights)}")
        integer("terrain_weights: sum", sum(self.terrain_weights), 1, 65_535)
        if self.terrain_map is not None:
            self._set({"terrain_map": maps.read(self.terrain_map, self.width, self.height), "terrain": True})
        if self.terrain and self.terrain_known:
            if self.terrain_map is None:
                raise ConfigError("terrain_known: True needs a terrain_map")
            terrain = maps.codes(self.terrain_map)
            if set(terrain) - {maps.SEA, maps.REEF}:
                raise ConfigError(f"terrain_map: terrain_known needs sea and reef only, got {self.terrain_map!r}")
            if terrain.count(maps.SEA) < max(self.fleet_sizes):
                problem = f"{terrain.count(maps.SEA)} panels of sea are too few for {max(self.fleet_sizes)} ships"
                raise ConfigError(f"terrain_map: {problem}")
        if self.move_rule == "jump" and self.terrain and not self.terrain_known:
            raise ConfigError("move_rule: jump needs terrain_known, or no terrain")

    @classmethod
    def make(cls, preset: str | None = None, **fields: Any) -> Self:
        """Return the config with these fields; the others have the values of the preset or their defaults.

        Parameters
        ----------
        preset : str, optional
            Name of a preset (`presets`).
        **fields
            Values of fields. A `terrain_map` as text also determines width and height, unless one of them is given.

        Raises
        ------
        ConfigError
            If a field or the combination of fields is invalid. The message begins with the name of the field.
        """
        given = fields.get(maps.KIND)
        if isinstance(given, str) and "width" not in fields and "height" not in fields:
            rows = maps.rows_of(given)
            fields = {"width": len(rows[0]), "height": len(rows), **fields}
        return super().make(preset, **fields)

    @classmethod
    def presets(cls) -> dict[str, dict[str, Any]]:
        """Return the presets of section 2.4 by name. [BS-3] [BS-R57] [BS-R56]"""
        classic = {
            "mission": "annihilation",
            "fleets": [[BATTLESHIP, DESTROYER, SUBMARINE]],
            **dict.fromkeys(("fuel", "refuel", "mines", "torpedoes", "stealth", "terrain"), False),
            "reinforce_max": 0,
        }
        submarine = {
            **classic,
            **dict.fromkeys(
                ("terrain_known", "hit_reveals_class", "splash_on_hit", "public_hp", "attack_own_cell"), True
            ),
            "move_rule": "jump",
            "attack_known_reef": False,
            "max_rounds": 5000,
            "turn_order": [0, 1],
            "allow_resign": False,
        }
        return {
            "standard": {},
            "classic": classic,
            "tag": {"players": 4, "teams": [0, 1, 0, 1]},
            "multi": {"players": 3},
            "submarine": submarine,
        }

    def list_hidden(self) -> tuple[str, ...]:
        """Return the fields hidden from players: terrain_map, unless all know it. [section 9.1]"""
        return () if self.terrain_known or self.terrain_map is None else ("terrain_map",)

    # -- derived values ---------------------------------------------------------------------------

    @property
    def has_flagship(self) -> bool:
        """Whether the mission is lost with the flagship. [BS-87]"""
        return self.mission in FLAGSHIP_MISSIONS

    @property
    def sides(self) -> tuple[int, ...]:
        """Side of each player: its team, or its own number without teams. [section 3.2]"""
        return tuple(range(self.players)) if self.teams is None else self.teams

    @property
    def panels(self) -> int:
        """Number of panels, N."""
        return self.width * self.height

    @property
    def max_fleet(self) -> int:
        """Number of ships of the largest fleet, S."""
        return max(self.fleet_sizes)

    @property
    def max_torpedoes(self) -> int:
        """Capacity T for torpedoes in flight per player, which is never exceeded. [section 12, T7]"""
        return self.width + self.height - 2

    @property
    def max_distance(self) -> int:
        """Longest move in panels, Dm."""
        return max(self.width, self.height) - 1

    def max_fp(self, cls: int) -> int:
        """Return the fuel points of a full ship of this class; 0 without fuel. [BS-115]"""
        return (self.oiler_fp if cls == OILER else self.fp_base) if self.fuel else 0

    def move_fp(self, cls: int, distance: int) -> int:
        """Return the fuel points of a move over `distance` panels. [BS-118] [BS-119] [BS-120]"""
        return self.move_cost[cls] + max(0, distance - self.move_flat_dist) * self.move_step_cost[cls]
