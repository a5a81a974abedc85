"""Config: the options a battle is fought under, section 2 of the rules, and what they come to."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any, Self

from ..core import config
from ..core.config import boolean, choice, integer
from ..errors import ConfigError, ConfigTypeError
from . import maps

CLASSES = "BDSO"
"""Letters of the classes 0 Battleship, 1 Destroyer, 2 Submarine, 3 Oiler. [BS-18]"""
BATTLESHIP, DESTROYER, SUBMARINE, OILER = range(4)
MAX_FLEET = 12
FLEET = (BATTLESHIP, DESTROYER, SUBMARINE, OILER, DESTROYER, SUBMARINE)
"""The fixed fleet: slot i has class FLEET[i mod 6]. [section 4.1]"""
SUPPLY = {3: 80, 4: 90, 5: 100, 6: 105, 7: 110, 8: 115, 9: 120}
"""Fuel points for a side of so many panels. [BS-113] [BS-114]"""

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
"""Lost with the flagship. [BS-10] [BS-14]"""
LIMITED_MISSIONS = ("recon", "assault", "flagship_raid", "blitz", "retreat")
"""Over at the round limit. [BS-13] [BS-15]"""
SCORE_MISSIONS = ("sea_control", "rescue", "recon", "blitz")
"""Decided by score when time is up. [BS-7] [BS-79]"""

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
LISTS = {  # name: (how many, low, high)
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
"""Of an option that follows from the others where it is not given: never seen in a config that is made."""

Fleet = tuple[int, ...]


@dataclasses.dataclass(frozen=True)
class Config(config.Config):
    """The options of section 2.2 of the rules; made by `make`, which names what is wrong.

    A list for the classes is in the order B, D, S, O. None lets an option follow from the others; once made, a config
    holds what it came to, so that only `teams`, `turn_order`, `fleets` and `terrain_map` may still be None.

    width, height : 3..9 panels. players : 2..4. teams : None, or the side 0 or 1 of each player.
    mission : one of MISSIONS. [section 2.3]
    round_limit : 1..1000 in the limited missions (None: 20), else 0. max_rounds : 0..10000, 0 for no end.
    defender : the player who is attacked in `retreat`. turn_order : None for a random one, or a permutation.
    fleet_select : "free" or "fixed". fleets : the classes of each player's ships, None if they choose them.
    fleet_sizes : ships of each player, 1..12. equalize_fleets : whether both teams get as many. [section 4.1]
    hp, aux : 1..9 and 0..9 of a class. fuel : whether there are fuel points.
    fp_base, oiler_fp : fuel points of a combat ship and of an Oiler. [section 4.2]
    attack_cost, move_cost, move_step_cost, move_flat_dist : fuel points an attack or a move takes. [section 3.3]
    torpedo_cost, mine_cost, flagship_cost, wave_cost : fuel points.
    refuel, refuel_max : whether an Oiler refuels, and how much at most. [section 7.9]
    mines, torpedoes, stealth : the original rules of those names. surface_period : rounds; 0 never, 1 always.
    reinforce_max, reinforce_last_round : how often, and until when. The cost in round r is
        ceil(fp * (reinforce_num + (r - 1) // reinforce_step_rounds * reinforce_num_step) / reinforce_den).
    flagship_changes : how often. terrain, terrain_weights : whether panels differ, and the weights of
        sea, reef, shallows, fog and wave. terrain_map : None, or the map; terrain_known : everybody knows it.
    hit_reveals_class, splash_on_hit, public_hp, attack_own_cell, attack_known_reef, move_rule : where the rules of the
        plain game differ. [BS-R56]
    score_sunk, score_hit, score_ship, score_hp : points. [section 8.4] allow_resign : whether one may.
    time_main_s, time_floor_s : seconds on the clock; for referees only. [BS-23]
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

    # -- what is given ----------------------------------------------------------------------------

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
        if errors:  # all types before any range
            raise min(errors, key=lambda error: not isinstance(error, ConfigTypeError))
        self._set(found)
        self._set_sides()
        self._set_ends()
        self._set_fleets()
        self._set_fuel()
        self._set_terrain()

    def _each(self, errors: list[ConfigError], specs: dict[str, Any], check: Callable[..., Any]) -> dict[str, Any]:
        """The fields of `specs` as `check` returns them; what it raises is put into `errors`."""
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
        """Let the option be `value` where it was not given."""
        if getattr(self, name) is FOLLOWS:
            self._set({name: value})

    def _set_sides(self) -> None:
        """teams, defender and turn_order. [BS-90] [BS-R2] [BS-R8]"""
        count = self.players
        retreat = self.mission == "retreat"
        if self.teams is not None:
            teams = _integers("teams", self.teams, count, 0, 1)
            if len(set(teams)) < 2:
                raise ConfigError(f"teams: both sides 0 and 1 need a player, not {list(teams)}")
            if count == 2 and not retreat:
                raise ConfigError(f"teams: two players are no teams, except in retreat; not {list(teams)}")
            self._set({"teams": teams})
        if retreat:
            integer("defender", self.defender, 0, count - 1)
            wanted = tuple(int(player != self.defender) for player in range(count))
            if self.teams not in (None, wanted):
                raise ConfigError(f"teams: retreat wants {list(wanted)}, the defender alone, not {list(self.teams)}")
            self._set({"teams": wanted})
        if self.mission == "rescue" and self.teams is None:
            raise ConfigError("teams: mission rescue needs them")
        if self.turn_order is not None:
            order = _integers("turn_order", self.turn_order, count, 0, count - 1)
            if len(set(order)) < count:
                raise ConfigError(f"turn_order: a permutation of 0..{count - 1} is wanted, not {list(order)}")
            self._set({"turn_order": order})

    def _set_ends(self) -> None:
        """round_limit, max_rounds and reinforce_max. [BS-107] [BS-R38] [BS-R43] [BS-16]"""
        if self.mission in LIMITED_MISSIONS:
            self._follows("round_limit", 20)
            integer("round_limit", self.round_limit, 1, 1000)
        elif self.round_limit:
            raise ConfigError(f"round_limit: {self.round_limit}, but mission {self.mission} has no limit: None or 0")
        else:
            self._set({"round_limit": 0})
        self._follows("max_rounds", 0 if self.fuel else 200)
        if self.max_rounds == 0 and not self.fuel:
            raise ConfigError("max_rounds: 0 is not in 1..10000, as a game without fuel may never end")
        self._follows("reinforce_max", 0 if self.mission == "retreat" else 1)

    def _set_fleets(self) -> None:
        """equalize_fleets, fleet_sizes, fleets and fleet_select. [section 4.1] [BS-R6]"""
        most = min(MAX_FLEET, self.width * self.height)
        self._follows("equalize_fleets", self.teams is not None and self.mission != "retreat")
        if self.fleets is not None:
            fleets = self.fleets * self.players if len(self.fleets) == 1 else self.fleets
            if len(fleets) != self.players:
                raise ConfigError(f"fleets: 1 or {self.players} lists are wanted, not {len(fleets)}")
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
        """Ships of each player where nothing says otherwise. [BS-83] [BS-84] [BS-91] [BS-R7]"""
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
        """fp_base and oiler_fp. [section 4.2] [BS-R4] [BS-R5]"""
        self._follows("fp_base", (SUPPLY[self.width] + SUPPLY[self.height]) // 2)
        self._follows("oiler_fp", 3 * self.fp_base // 2)
        if self.oiler_fp != 3 * self.fp_base // 2:  # what follows may be more than what can be given
            integer("oiler_fp", self.oiler_fp, 1, 9999)

    def _set_terrain(self) -> None:
        """terrain_weights, terrain_map, terrain and terrain_known; and what `jump` needs. [section 4.5]"""
        if self.terrain_weights[maps.SEA] == 0:
            raise ConfigError(f"terrain_weights: the weight of sea is 0, not above it: {list(self.terrain_weights)}")
        integer("terrain_weights: sum", sum(self.terrain_weights), 1, 65_535)
        if self.terrain_map is not None:
            self._set({"terrain_map": maps.read(self.terrain_map, self.width, self.height), "terrain": True})
        if self.terrain and self.terrain_known:
            if self.terrain_map is None:
                raise ConfigError("terrain_known: True needs a terrain_map")
            terrain = maps.codes(self.terrain_map)
            if set(terrain) - {maps.SEA, maps.REEF}:
                raise ConfigError(f"terrain_map: known terrain is of sea and reef only, not {self.terrain_map!r}")
            if terrain.count(maps.SEA) < max(self.fleet_sizes):
                told = f"{terrain.count(maps.SEA)} panels of sea are too few for {max(self.fleet_sizes)} ships"
                raise ConfigError(f"terrain_map: {told}")
        if self.move_rule == "jump" and self.terrain and not self.terrain_known:
            raise ConfigError("move_rule: jump needs terrain_known, or no terrain")

    @classmethod
    def make(cls, preset: str | None = None, **fields: Any) -> Self:
        """The config with these fields, the others at their defaults (or the preset's).

        A `terrain_map` given as text also gives width and height where these are not given.

        Raises ConfigError, which begins with the name of the field.
        """
        given = fields.get(maps.KIND)
        if isinstance(given, str) and "width" not in fields and "height" not in fields:
            rows = maps.rows_of(given)
            fields = {"width": len(rows[0]), "height": len(rows), **fields}
        return super().make(preset, **fields)

    @classmethod
    def presets(cls) -> dict[str, dict[str, Any]]:
        """The presets of section 2.4. [BS-3] [BS-R57] [BS-R56]"""
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
        """The terrain_map, unless everybody knows it. [section 9.1]"""
        return () if self.terrain_known or self.terrain_map is None else ("terrain_map",)

    # -- what the options come to -----------------------------------------------------------------

    @property
    def has_flagship(self) -> bool:
        """Whether the mission is lost with the flagship. [BS-87]"""
        return self.mission in FLAGSHIP_MISSIONS

    @property
    def sides(self) -> tuple[int, ...]:
        """The side of each player: its team, or itself. [section 3.2]"""
        return tuple(range(self.players)) if self.teams is None else self.teams

    @property
    def panels(self) -> int:
        """N, the number of panels."""
        return self.width * self.height

    @property
    def max_fleet(self) -> int:
        """S, the ships of the largest fleet."""
        return max(self.fleet_sizes)

    @property
    def max_torpedoes(self) -> int:
        """T, more than a player can have in flight. [section 12, T7]"""
        return self.width + self.height - 2

    @property
    def max_distance(self) -> int:
        """Dm, the longest move."""
        return max(self.width, self.height) - 1

    def max_fp(self, cls: int) -> int:
        """Fuel points of a full ship of this class; 0 without fuel. [BS-115]"""
        return (self.oiler_fp if cls == OILER else self.fp_base) if self.fuel else 0

    def move_fp(self, cls: int, distance: int) -> int:
        """Fuel points of a move over so many panels. [BS-118] [BS-119] [BS-120]"""
        return self.move_cost[cls] + max(0, distance - self.move_flat_dist) * self.move_step_cost[cls]


# -- checks of single fields ----------------------------------------------------------------------


def _optional(check: Callable[..., Any]) -> Callable[..., Any]:
    """The same check, which lets None pass."""
    return lambda name, value, *limits: None if value is None else check(name, value, *limits)


def _sequence(name: str, value: Any) -> tuple[Any, ...]:
    """The items of a list; ConfigTypeError for what is none."""
    if isinstance(value, str | bytes | dict | set):
        raise ConfigTypeError(f"{name}: a list is wanted, not {value!r}")
    try:
        return tuple(value)
    except TypeError:
        raise ConfigTypeError(f"{name}: a list is wanted, not {value!r}") from None


def _integers(name: str, value: Any, count: int, low: int, high: int) -> tuple[int, ...]:
    """`count` ints in low..high."""
    items = _sequence(name, value)
    if len(items) != count:
        raise ConfigError(f"{name}: {count} ints of {low}..{high} are wanted, not {list(items)!r}")
    return tuple(integer(f"{name}[{n}]", item, low, high) for n, item in enumerate(items))


def _classes(name: str, value: Any) -> tuple[Fleet, ...]:
    """The fleets that lists of classes, given as numbers or letters, show."""
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
