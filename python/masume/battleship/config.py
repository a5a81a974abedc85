"""Config: the options of a game of Battleship, section 2 of the rules, and values derived from them."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any, Self

from ..core import config
from ..core.config import boolean, choice, integer
from ..errors import ConfigError, ConfigTypeError
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

INTEGERS = {
    "width": maps.SIZES,  # BS-39, BS-R3
    "height": maps.SIZES,
    "players": (2, 4),  # BS-R2
    "move_flat_dist": (0, 8),
    "torpedo_cost": (0, 9999),
    "mine_cost": (0, 9999),
    "flagship_cost": (0, 9999),
    "wave_cost": (0, 9999),
    "refuel_max": (0, 9999),
    "surface_period": (0, 1000),
    "reinforce_last_round": (0, 10_000),
    "reinforce_step_rounds": (1, 10_000),
    "reinforce_num": (0, 9999),
    "reinforce_num_step": (0, 9999),
    "reinforce_den": (1, 9999),
    "flagship_changes": (0, 99),
    "score_sunk": (0, 9999),
    "score_hit": (0, 9999),
    "score_ship": (0, 9999),
    "score_hp": (0, 9999),
    "time_main_s": (1, 10**6),
    "time_floor_s": (0, 10**6),
}
OPTIONAL_INTEGERS = {
    "round_limit": (0, 1000),
    "max_rounds": (0, 10_000),
    "fp_base": (1, 9999),
    "oiler_fp": (1, 3 * 9999 // 2),
    "reinforce_max": (0, 12),
}
LISTS = {  # name: (length, low, high)
    "hp": (4, 1, 9),
    "aux": (4, 0, 9),
    "attack_cost": (4, 1, 9999),
    "move_cost": (4, 1, 9999),
    "move_step_cost": (4, 0, 9999),
    "terrain_weights": (5, 0, 65_535),
}
BOOLEANS = (
    "fuel",
    "refuel",
    "mines",
    "torpedoes",
    "stealth",
    "terrain",
    "terrain_known",
    "hit_reveals_class",
    "splash_on_hit",
    "public_hp",
    "attack_own_cell",
    "attack_known_reef",
    "allow_resign",
)
CHOICES = {"mission": MISSIONS, "fleet_select": ("free", "fixed"), "move_rule": ("rook", "jump")}

FOLLOWS: Any = None
"""Default of options that follow from other options if not given; a finished config never contains it."""

Fleet = tuple[int, ...]


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

    width: int = 5
    height: int = 5
    players: int = 2
    teams: tuple[int, ...] | None = None
    mission: str = "sea_control"
    round_limit: int = FOLLOWS
    max_rounds: int = FOLLOWS
    defender: int = 0
    turn_order: tuple[int, ...] | None = None
    fleet_select: str = "free"
    fleets: tuple[Fleet, ...] | None = None
    fleet_sizes: tuple[int, ...] = FOLLOWS
    equalize_fleets: bool = FOLLOWS
    hp: tuple[int, ...] = (3, 2, 1, 2)  # BS-19, BS-26 to BS-29
    aux: tuple[int, ...] = (0, 2, 3, 0)  # BS-153, BS-R25
    fuel: bool = True
    fp_base: int = FOLLOWS
    oiler_fp: int = FOLLOWS
    attack_cost: tuple[int, ...] = (10, 12, 16, 50)  # BS-30 to BS-33
    move_cost: tuple[int, ...] = (16, 8, 10, 10)  # BS-119
    move_step_cost: tuple[int, ...] = (4, 2, 0, 0)  # BS-120
    move_flat_dist: int = 3
    torpedo_cost: int = 20  # BS-155
    mine_cost: int = 0  # BS-121
    flagship_cost: int = 5  # BS-117
    wave_cost: int = 5  # BS-200
    refuel: bool = True
    refuel_max: int = 30  # BS-128
    mines: bool = True
    torpedoes: bool = True
    stealth: bool = True
    surface_period: int = 3  # BS-138
    reinforce_max: int = FOLLOWS
    reinforce_last_round: int = 20  # BS-177
    reinforce_step_rounds: int = 5  # BS-176
    reinforce_num: int = 2
    reinforce_num_step: int = 1
    reinforce_den: int = 6
    flagship_changes: int = 3  # BS-124
    terrain: bool = True
    terrain_weights: tuple[int, ...] = (17, 2, 2, 2, 2)  # BS-R11
    terrain_map: str | None = dataclasses.field(default=None, repr=False)
    terrain_known: bool = False
    hit_reveals_class: bool = False
    splash_on_hit: bool = False
    public_hp: bool = False
    attack_own_cell: bool = False
    attack_known_reef: bool = True
    move_rule: str = "rook"
    score_sunk: int = 30
    score_hit: int = 10
    score_ship: int = 30
    score_hp: int = 10
    allow_resign: bool = True
    time_main_s: int = 1200  # BS-23
    time_floor_s: int = 60

    # -- given options ----------------------------------------------------------------------------

    def __post_init__(self) -> None:
        errors: list[ConfigError] = []
        found = {
            **self._each(errors, dict.fromkeys(BOOLEANS), boolean),
            **self._each(errors, CHOICES, choice),
            **self._each(errors, INTEGERS, integer),
            **self._each(errors, OPTIONAL_INTEGERS, _optional(integer)),
            **self._each(errors, LISTS, _integers),
            **self._each(errors, {"equalize_fleets": ()}, _optional(boolean)),
            **self._each(errors, dict.fromkeys(("teams", "turn_order", "fleet_sizes"), ()), _optional(_sequence)),
            **self._each(errors, {"defender": (0, 3)}, integer),
            **self._each(errors, {"fleets": ()}, _optional(_classes)),
        }
        if errors:  # errors of type take precedence over errors of range
            raise min(errors, key=lambda error: not isinstance(error, ConfigTypeError))
        self._set(found)
        self._set_sides()
        self._set_ends()
        self._set_fleets()
        self._set_fuel()
        self._set_terrain()

    def _each(self, errors: list[ConfigError], specs: dict[str, Any], check: Callable[..., Any]) -> dict[str, Any]:
        """Return the fields of `specs` as `check` returns them; append the errors it raises to `errors`."""
        found = {}
        for name, spec in specs.items():
            limits = () if spec is None else (spec,) if check is choice else spec
            try:
                found[name] = check(name, getattr(self, name), *limits)
            except ConfigError as error:
                errors.append(error)
        return found

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
            teams = _integers("teams", self.teams, count, 0, 1)
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
            order = _integers("turn_order", self.turn_order, count, 0, count - 1)
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
        self._set({"fleet_sizes": _integers("fleet_sizes", self.fleet_sizes, self.players, 1, most)})
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
                told = f"{terrain.count(maps.SEA)} panels of sea are too few for {max(self.fleet_sizes)} ships"
                raise ConfigError(f"terrain_map: {told}")
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
            "fuel": False,
            "refuel": False,
            "mines": False,
            "torpedoes": False,
            "stealth": False,
            "terrain": False,
            "reinforce_max": 0,
        }
        submarine = {
            **classic,
            "terrain_known": True,
            "hit_reveals_class": True,
            "splash_on_hit": True,
            "public_hp": True,
            "attack_own_cell": True,
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


# -- checks of single fields ----------------------------------------------------------------------


def _optional(check: Callable[..., Any]) -> Callable[..., Any]:
    """Return a check that accepts None in addition."""
    return lambda name, value, *limits: None if value is None else check(name, value, *limits)


def _sequence(name: str, value: Any) -> tuple[Any, ...]:
    """Return the items of a list; raise ConfigTypeError for other values."""
    if isinstance(value, str | bytes | dict | set):
        raise ConfigTypeError(f"{name}: expected a list, got {value!r}")
    try:
        return tuple(value)
    except TypeError:
        raise ConfigTypeError(f"{name}: expected a list, got {value!r}") from None


def _integers(name: str, value: Any, count: int, low: int, high: int) -> tuple[int, ...]:
    """Return `count` ints in low..high; raise ConfigError otherwise."""
    items = _sequence(name, value)
    if len(items) != count:
        raise ConfigError(f"{name}: expected {count} ints of {low}..{high}, got {list(items)!r}")
    return tuple(integer(f"{name}[{n}]", item, low, high) for n, item in enumerate(items))


def _classes(name: str, value: Any) -> tuple[Fleet, ...]:
    """Return the fleets of lists of classes, given as numbers or letters."""
    return tuple(
        tuple(_class(f"{name}[{k}][{slot}]", item) for slot, item in enumerate(_letters(f"{name}[{k}]", fleet)))
        for k, fleet in enumerate(_sequence(name, value))
    )


def _letters(name: str, fleet: Any) -> Sequence[Any]:
    return fleet if isinstance(fleet, str) else _sequence(name, fleet)


def _class(name: str, value: Any) -> int:
    if isinstance(value, str):
        return CLASSES.index(choice(name, value, tuple(CLASSES)))
    return integer(name, value, BATTLESHIP, OILER)
