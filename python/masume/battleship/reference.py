"""Battleship, the rule book in plain Python: slow twin of the engine.

Implements BS-1 to BS-202 and BS-R1 to BS-R63 of docs/rules/battleship.md as far as they are rules of the game (clocks
and wires are a referee's). A panel is a pair (x, y), a fleet a list of ships, mines are a count for each owner and
panel, and what a player knows is kept by `Knowledge`, which is told nothing but the events that player receives.
"""

from __future__ import annotations

import copy
import dataclasses
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, Self

from ..checks import index, items, number, numbers, place, same_keys
from ..errors import GameOverError, IllegalActionError, StateError
from ..rng import Rng
from . import maps, notation
from .config import BATTLESHIP, DESTROYER, OILER, SCORE_MISSIONS, SUBMARINE, Config
from .knowledge import FLAGSHIP, FUELOUT, STEALTH, SURF, Knowledge
from .maps import FOG, REEF, SEA, SHALLOWS, WAVE
from .notation import DEFEATS, KINDS, REASONS, Action, View

Panel = tuple[int, int]  # x, y; x grows to the east, y to the south [BS-20]

SETUP, PLAY, OVER = range(3)
PICKING, FLAGGING, PLACING = range(3)
STEPS = {
    "N": (0, -1), "NE": (1, -1), "E": (1, 0), "SE": (1, 1), "S": (0, 1), "SW": (-1, 1), "W": (-1, 0), "NW": (-1, -1),
    "C": (0, 0),
}  # fmt: skip
TARGET, AT_MINE, AT_REEF = range(3)  # why a shot went off
ATTACKED, MINED, OUT_OF_FUEL = range(3)  # why a ship sank
CONTACT, SWEPT = range(2)  # why a mine was lost
FORFEITS = ("resign", "timeout", "illegal")
COUNTS = ("reinf_left", "flag_left", "torp_next", "qual", "active", "dealt", "kills")


@dataclasses.dataclass
class Ship:
    """A ship: its class (None before it is picked), its panel (None before it is placed) and what it has left."""

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
        """Whether it has HP left. [section 3.3]"""
        return self.hp > 0

    @property
    def flags(self) -> int:
        """1 stealth, 2 surf, 4 fuelout, 8 flagship. [section 3.2]"""
        return STEALTH * self.stealth + SURF * self.surf + FUELOUT * self.fuelout + FLAGSHIP * self.flagship

    @flags.setter
    def flags(self, value: int) -> None:
        self.stealth, self.surf = bool(value & STEALTH), bool(value & SURF)
        self.fuelout, self.flagship = bool(value & FUELOUT), bool(value & FLAGSHIP)

    @property
    def place(self) -> Panel:
        """Its panel, which it has once it is placed."""
        assert self.panel is not None
        return self.panel

    @property
    def kind(self) -> int:
        """Its class, which it has once it is picked."""
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
    """What belongs to a player; `torpedoes` in the order of their launch."""

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
        """(slot, ship) of the ships with HP, in slot order."""
        return ((slot, ship) for slot, ship in enumerate(self.fleet) if ship.is_alive)


class State:
    """A position and what each player has seen on the way to it, changed in place by `apply`.

    config : what the game is fought under. players : what belongs to each.
    phase : 0 setup, 1 play, 2 over. setup_kind, setup_i : 0 pick, 1 flag, 2 place, and the next slot.
    cur : the player who decides. order, ptr : the turn order, and the place of `cur` in it.
    round, turns : from 1. pass_run : passes in a row. winners : the sides that have won. reason : a place in
    `notation.REASONS`, -1 before the end.
    terrain : the code of each panel. known : the panels whose terrain each player knows. mines : how many, by
    (owner, panel).
    seen : the events of each player, as it sees them, since this State was made: a position read from a text or a
    dict has no past. knowledge : what each can tell from them.
    """

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
        self.last: list[Event] = []
        self.seen: list[list[View]] = [[] for _ in self.players]
        self.knowledge = [Knowledge(config.public(), p) for p in range(config.players)]
        if config.fleets is not None:
            for player, fleet in zip(self.players, config.fleets, strict=True):
                for ship, cls in zip(player.fleet, fleet, strict=True):
                    ship.cls = cls
        if config.terrain and config.terrain_known:
            self._read_map()
            self.known = [set(self.panels) for _ in self.players]
        self._next_setup()

    @classmethod
    def new(cls, config: Config, seed: int | None = None) -> Self:
        """The start of a game, before the first decision of its setup; `seed` (None: 0) gives all its chance."""
        return cls(config, seed or 0)

    # -- panels -----------------------------------------------------------------------------------

    def index(self, panel: Panel) -> int:
        """The number of a panel. [section 3.1]"""
        return panel[1] * self.config.width + panel[0]

    def ahead(self, panel: Panel, direction: str, distance: int = 1) -> Panel:
        """The panel so far away, on the map or not."""
        right, down = STEPS[direction]
        return panel[0] + right * distance, panel[1] + down * distance

    def around(self, panel: Panel) -> list[Panel]:
        """N8: the up to eight panels around. [section 3.1] [BS-51]"""
        found = [self.ahead(panel, direction) for direction in STEPS if direction != "C"]
        return [cell for cell in found if cell in self.terrain]

    def _read_map(self) -> None:
        assert self.config.terrain_map is not None
        self.terrain = dict(zip(self.panels, maps.codes(self.config.terrain_map), strict=True))

    # -- setup ------------------------------------------------------------------------------------

    def _next_setup(self) -> None:
        """Go on to the next decision of setup, from the one that has just been made. [section 4.4]"""
        config, fleet = self.config, self.players[self.cur].fleet
        if self.setup_kind == PICKING and (config.fleets is not None or self.setup_i == len(fleet)):
            self.setup_kind, self.setup_i = FLAGGING, 0
        if self.setup_kind == FLAGGING and (not config.has_flagship or any(ship.flagship for ship in fleet)):
            self.setup_kind, self.setup_i = PLACING, 0
        if self.setup_kind == PLACING and self.setup_i == len(fleet):
            self.setup_kind, self.setup_i = PICKING, 0
            if self.cur + 1 == config.players:
                self._start()
            else:
                self.cur += 1
                self._next_setup()

    def _set_up(self, action: Action) -> None:
        """One decision of setup. [BS-38] [BS-81]"""
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

    def _start(self) -> None:
        """What follows the last placement. [section 4.4]"""
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
        """[section 4.3]"""
        for i in range(len(members) - 1, 0, -1):
            j = self.rng.below(i + 1)
            members[i], members[j] = members[j], members[i]

    def _draw_order(self) -> list[int]:
        """A random turn order, in which teams alternate as far as they can. [BS-44] [BS-46] [BS-R9]"""
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

    def _make_terrain(self) -> None:
        """[section 4.5] [BS-186] [BS-189]"""
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

    # -- events -----------------------------------------------------------------------------------

    @property
    def everybody(self) -> set[int]:
        """All players."""
        return set(range(self.config.players))

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
        """An event: `full` (None: everybody) sees all of it, of the others `part` all but `hide`. [section 9.2]"""
        told = min(self.round, 32_767) if self.phase != SETUP else 0
        values = [told, player, slot, cls, None if panel is None else self.index(panel), *details]
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
        """The call is over: the players make of its events what they can."""
        for p, known in enumerate(self.knowledge):
            known.hear(view for view in (event.view(p) for event in self.last) if view is not None)

    def _learn(self, p: int, panel: Panel) -> None:
        """[section 6] [BS-188]"""
        if panel not in self.known[p]:
            self.known[p].add(panel)
            self._tell("TERRAIN", p, None, None, panel, self.terrain[panel], full={p})

    def _status(self, p: int) -> list[tuple[Any, ...]]:
        return [(ship.panel, ship.hp, ship.fp, ship.aux, ship.flags) for ship in self.players[p].fleet]

    def _tell_status(self, p: int, before: list[tuple[Any, ...]]) -> None:
        """STATUS of each own ship that is not as it was. [section 9.2]"""
        for slot, (old, new) in enumerate(zip(before, self._status(p), strict=True)):
            if old != new:
                self._tell("STATUS", p, slot, None, *new, full={p})

    # -- the course of turns ----------------------------------------------------------------------

    def _advance(self) -> None:
        """The next player's turn. [5.1] [BS-21] [BS-22] [BS-72]"""
        config = self.config
        while True:
            self.ptr += 1
            if self.ptr == config.players:
                self.ptr = 0
                if config.round_limit and self.round >= config.round_limit:  # BS-108
                    self._adjudicate("round_limit")
                    return
                if config.max_rounds and self.round >= config.max_rounds:  # BS-R43
                    self._adjudicate("max_rounds")
                    return
                self.round += 1
            p = self.order[self.ptr]
            if self.players[p].active:
                self.cur = p
                self.turns += 1
                self._begin_turn(p)
                if self.is_terminal() or self.players[p].active:
                    return

    def _begin_turn(self, p: int) -> None:
        """[5.2]"""
        config = self.config
        self._tell("TURN", p)
        before = self._status(p)
        if config.stealth and config.surface_period > 0:
            up = self.round % config.surface_period == 0  # BS-138, BS-R29
            for slot, ship in self.players[p].living:
                if ship.cls == SUBMARINE:
                    ship.surf = up and self.terrain[ship.place] != FOG  # BS-199
                    self._update_stealth(p, slot)
        self._fuel_flags(p)
        self._tell_status(p, before)
        self._check()

    def apply(self, action: int) -> None:
        """Play one decision of the player to move. [section 7]

        Raises IllegalActionError for an int that is not legal now, GameOverError at the end, ValueError for what is
        no int; the state is then as it was.
        """
        code = index("action", action)
        if self.is_terminal():
            raise GameOverError(f"the game is over: action {action!r} cannot be played\n{self}")
        if code not in self.legal_actions():
            raise IllegalActionError(f"action {action!r} of player {self.cur} is not allowed here\n{self}")
        self.last = []
        said = notation.decode(self.config, code)
        if self.phase == SETUP:
            self._set_up(said)
        elif said.kind == notation.RESIGN:
            self._leave(self.cur, "resign")
        else:
            self._turn(self.cur, said)
        self._hear()

    def _turn(self, p: int, said: Action) -> None:
        """The action, the end of the turn, and what comes then. [5.4] [5.5] [5.6]"""
        before = self._status(p)
        self.pass_run = self.pass_run + 1 if said.kind == notation.PASS else 0
        acts = {
            notation.PASS: self._pass,
            notation.ATTACK: self._attack,
            notation.MOVE: self._move,
            notation.MINE: self._lay,
            notation.TORPEDO: self._launch,
            notation.REINFORCE: self._reinforce,
            notation.FLAG: self._change_flagship,
        }
        acts[said.kind](p, said)
        if not self.is_terminal():
            self._fly(p)
        if self.is_terminal():
            self._tell_status(p, before)
            return
        self._end_turn(p, before)
        if not self.is_terminal():
            self._after_turn()

    def _end_turn(self, p: int, before: list[tuple[Any, ...]]) -> None:
        """[5.5] (2) to (7), after the torpedoes. [BS-R34]"""
        player = self.players[p]
        for _, ship in player.living:
            if self.terrain[ship.place] == WAVE and self.config.fuel:
                ship.fp = max(0, ship.fp - self.config.wave_cost)  # BS-201
        for slot, _ in player.living:
            self._update_stealth(p, slot)  # BS-R30
        self._refuel(p)
        self._fuel_flags(p)
        self._tell_status(p, before)
        self._check()

    def _after_turn(self) -> None:
        """[5.6]"""
        ships = [ship for player in self.players for _, ship in player.living if ship.cls != OILER]
        flying = any(player.torpedoes for player in self.players)
        if self.config.fuel and all(map(self.fuel_out, ships)):  # BS-127, BS-R41
            self._adjudicate("fuel")
        elif self.pass_run >= sum(player.active for player in self.players) and not flying:  # BS-R42
            self._adjudicate("stalled")
        else:
            self._advance()

    def forfeit(self, player: int, cause: str) -> None:
        """The player to move loses by "resign", "timeout" or "illegal". [7.13] [BS-24] [BS-R52]

        Raises GameOverError at the end, ValueError for another cause, in setup, and for a player not to move.
        """
        place("player", player, self.config.players)
        if self.is_terminal():
            raise GameOverError(f"the game is over: player {player} cannot forfeit\n{self}")
        if cause not in FORFEITS:
            raise ValueError(f"cause: battleship knows no forfeit by {cause!r}")
        if self.phase == SETUP or player != self.cur:
            raise ValueError(f"player: {player} is not to move in play and cannot forfeit")
        self.last = []
        self._leave(player, cause)
        self._hear()

    def _leave(self, p: int, cause: str) -> None:
        """[7.13] [BS-106] [BS-181] [BS-182]"""
        self.pass_run = 0
        self._remove(p, cause)
        self._check()
        if not self.is_terminal():  # BS-183
            self._after_turn()

    def _remove(self, p: int, cause: str) -> None:
        """The whole fleet is gone; mines stay. [7.13] [BS-150] [BS-R28]"""
        player = self.players[p]
        if player.qual:
            player.qual = False
            self._tell("DEFEATED", p, None, None, None, DEFEATS.index(cause))
        player.active = False
        for ship in player.fleet:
            ship.hp = 0
            ship.stealth = ship.surf = ship.fuelout = False
        player.torpedoes = []
        self._tell("OUT", p, None, None, None, DEFEATS.index(cause))

    # -- what ships can do ------------------------------------------------------------------------

    def ship_at(self, p: int, panel: Panel) -> Ship | None:
        """The living ship of a player on a panel, if there is one. [section 3.3]"""
        return next((ship for _, ship in self.players[p].living if ship.panel == panel), None)

    def fuel_out(self, ship: Ship) -> bool:
        """Whether it can neither attack nor move. [section 3.3] [BS-112]"""
        cheapest = min(self.config.attack_cost[ship.kind], self.config.move_cost[ship.kind])
        return self.config.fuel and ship.fp < cheapest

    def counts_sunk(self, ship: Ship) -> bool:
        """Whether it is sunk, or an Oiler that cannot attack. [section 3.3] [BS-74]"""
        unable = self.config.fuel and ship.cls == OILER and ship.fp < self.config.attack_cost[OILER]
        return not ship.is_alive or unable

    def is_able(self, ship: Ship) -> bool:
        """Whether it lives and has fuel. [section 3.3] [BS-101]"""
        return ship.is_alive and not self.fuel_out(ship)

    def enemies(self, p: int) -> list[int]:
        """The players of other sides, ascending. [section 3.2]"""
        return [v for v in range(self.config.players) if self.config.sides[v] != self.config.sides[p]]

    def _has(self, ship: Ship, cost: int) -> bool:
        """Whether it has the fuel points; where there is no fuel nothing costs any. [BS-111]"""
        return not self.config.fuel or ship.fp >= cost

    def _pay(self, ship: Ship, cost: int) -> None:
        if self.config.fuel:
            ship.fp -= cost  # BS-37

    def reinforce_cost(self, player: int, slot: int) -> int:
        """Fuel points it would take to bring the ship back now. [7.7] [BS-176] [BS-R35]"""
        config = self.config
        if not config.fuel:
            return 0  # BS-R60
        k = (self.round - 1) // config.reinforce_step_rounds
        share = Fraction(config.reinforce_num + k * config.reinforce_num_step, config.reinforce_den)
        return max(1, -int(-self.players[player].fleet[slot].fp * share // 1))

    # -- what is allowed --------------------------------------------------------------------------

    @property
    def slots(self) -> list[int]:
        """The player to move, alone; empty at the end."""
        return [] if self.is_terminal() else [self.cur]

    @property
    def current_player(self) -> int:
        """The player to move, -2 at the end."""
        return -2 if self.is_terminal() else self.cur

    def legal_actions(self, slot: int = 0) -> list[int]:
        """The legal actions, ascending; none at the end. [section 6]"""
        place("slot", slot, 1)
        if self.is_terminal():
            return []
        said = self._legal_setup() if self.phase == SETUP else self._legal_turn(self.cur)
        return sorted(notation.encode(self.config, action) for action in said)

    def legal_mask(self, slot: int = 0) -> list[int]:
        """A one for each legal action."""
        legal = set(self.legal_actions(slot))
        return [int(code in legal) for code in range(notation.num_actions(self.config))]

    def _legal_setup(self) -> Iterator[Action]:
        """[section 4.4]"""
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
            taken = {ship.panel for ship in fleet}  # BS-40; those of others do not count [BS-41]
            for panel in self.panels:
                if panel not in taken and self.terrain[panel] != REEF:  # BS-193
                    yield Action(notation.PLACE, where=self.index(panel))

    def _legal_turn(self, p: int) -> Iterator[Action]:
        """[section 6.1]"""
        found = [
            *(said for slot, ship in self.players[p].living for said in self._legal_of(p, slot, ship)),
            *self._legal_reinforcements(p),
            *self._legal_flags(p),
        ]
        yield from found
        if not found:
            yield Action(notation.PASS)  # BS-48, BS-R49
        if self.config.allow_resign:
            yield Action(notation.RESIGN)  # BS-184

    def _legal_of(self, p: int, slot: int, ship: Ship) -> Iterator[Action]:
        """What one living ship can do. [BS-54]"""
        config = self.config
        for direction, name in enumerate(STEPS):
            target = self.ahead(ship.place, name)
            if target not in self.terrain:
                continue
            if self._has(ship, config.attack_cost[ship.kind]) and self._may_attack(p, name, target):
                yield Action(notation.ATTACK, slot, direction)
            if config.mines and ship.cls == DESTROYER and ship.aux > 0 and self._has(ship, config.mine_cost):
                yield Action(notation.MINE, slot, direction)  # BS-143, BS-146
        for heading, name in enumerate(notation.HEADINGS):
            for distance in range(1, config.max_distance + 1):
                if self._has(ship, config.move_fp(ship.kind, distance)) and self._may_move(p, ship, name, distance):
                    yield Action(notation.MOVE, slot, heading, distance)
        armed = config.torpedoes and ship.cls in (DESTROYER, SUBMARINE) and ship.aux > 0  # BS-151, BS-157
        if armed and self._has(ship, config.torpedo_cost):
            for target in self.panels:
                if target != ship.panel:  # BS-154
                    yield Action(notation.TORPEDO, slot, self.index(target))

    def _is_known_reef(self, p: int, panel: Panel) -> bool:
        return panel in self.known[p] and self.terrain[panel] == REEF

    def _may_attack(self, p: int, direction: str, target: Panel) -> bool:
        """[BS-50] [BS-51] [BS-R16]"""
        if direction == "C" and not self.config.attack_own_cell:
            return False
        return self.config.attack_known_reef or not self._is_known_reef(p, target)

    def _may_move(self, p: int, ship: Ship, heading: str, distance: int) -> bool:
        """Whether nothing that the player knows of is in the way. [BS-63] [BS-64] [BS-R18] [BS-R19]"""
        path = [self.ahead(ship.place, heading, j) for j in range(1, distance + 1)]
        if path[-1] not in self.terrain:
            return False
        tested = path if self.config.move_rule == "rook" else path[-1:]
        return not any(self.ship_at(p, panel) or self._is_known_reef(p, panel) for panel in tested)

    def _legal_reinforcements(self, p: int) -> Iterator[Action]:
        """[BS-172] to [BS-179] [BS-103]"""
        player = self.players[p]
        if player.reinf_left == 0 or not player.qual or self.round > self.config.reinforce_last_round:
            return
        places = [
            panel
            for panel in self.panels
            if panel in self.known[p] and self.terrain[panel] != REEF and not self.ship_at(p, panel)
        ]
        for slot, ship in enumerate(player.fleet):
            if not ship.is_alive and self.reinforce_cost(p, slot) <= ship.fp:  # BS-175
                for panel in places:
                    yield Action(notation.REINFORCE, slot, self.index(panel))

    def _legal_flags(self, p: int) -> Iterator[Action]:
        """[BS-89] [BS-123] [BS-R36]"""
        player = self.players[p]
        if not self.config.has_flagship or player.flag_left == 0:
            return
        if any(ship.flagship and self._has(ship, self.config.flagship_cost) for _, ship in player.living):
            for slot, ship in player.living:
                if not ship.flagship:
                    yield Action(notation.FLAG, slot)

    def action_to_text(self, action: int, slot: int = 0) -> str:
        """The action's text (`notation.action_to_text`)."""
        place("slot", slot, 1)
        return notation.action_to_text(self.config, action)

    def text_to_action(self, text: str, slot: int = 0) -> int:
        """The inverse of `action_to_text` (`notation.text_to_action`)."""
        place("slot", slot, 1)
        return notation.text_to_action(self.config, text)

    # -- the actions ------------------------------------------------------------------------------

    def _pass(self, p: int, said: Action) -> None:
        """[7.12]"""
        self._tell("PASS", p)

    def _attack(self, p: int, said: Action) -> None:
        """[7.1] [BS-50] [BS-60]"""
        ship = self.players[p].fleet[said.slot]
        target = self.ahead(ship.place, notation.DIRECTIONS[said.where])
        self._pay(ship, self.config.attack_cost[ship.kind])  # BS-109
        self._shoot(p, said.slot, ship.cls, target, 0, TARGET, -1)

    def _shoot(self, p: int, slot: int | None, cls: int | None, target: Panel, *details: int) -> None:
        """The shot is told and goes off; `details` are torpedo, why and id. [BS-R13]"""
        hide = ("slot", "cls", "why", "id")
        self._tell("ATTACK", p, slot, cls, target, *details, full={p}, part=self.everybody, hide=hide)
        self._explode(p, target)
        self._check()

    def _explode(self, p: int, panel: Panel) -> None:
        """[7.2]"""
        config = self.config
        self._learn(p, panel)
        is_hit = False
        for v in self.enemies(p):  # BS-97, BS-99
            ship = self.ship_at(v, panel)
            if ship is None:
                continue
            is_hit = True
            slot = self._slot(v, ship)
            ship.hp -= 1  # BS-52
            self.players[p].dealt += 1
            hide = [] if config.hit_reveals_class else ["slot", "cls"]  # BS-56
            hide += [] if config.public_hp else ["hp"]  # BS-R15
            self._tell("HIT", v, slot, ship.cls, panel, ship.hp, full={v}, part=self.everybody, hide=hide)
            if ship.hp == 0:
                self.players[p].kills += 1
                self._sink(v, slot, ATTACKED)
        if not is_hit:
            self._tell("MISS", None, None, None, panel)
        if not is_hit or config.splash_on_hit:  # BS-58, BS-R14
            for v in self.enemies(p):
                for slot, ship in self.players[v].living:
                    if ship.panel in self.around(panel) and not ship.stealth:  # BS-136
                        self._tell("SPLASH", v, slot, ship.cls, panel)
        owner = self._take_mine(p, panel)  # BS-149
        if owner is not None:
            self._tell("MINE_SWEPT", None, None, None, panel)
            self._tell("MINE_LOST", owner, None, None, panel, 1, SWEPT, full={owner})

    def _slot(self, p: int, ship: Ship) -> int:
        return next(slot for slot, own in enumerate(self.players[p].fleet) if own is ship)

    def _sink(self, p: int, slot: int, cause: int) -> None:
        """[7.2] [BS-53] [BS-57]"""
        ship = self.players[p].fleet[slot]
        ship.hp = 0
        ship.stealth = ship.surf = ship.fuelout = False
        full = None if cause == ATTACKED else {p}
        self._tell("SUNK", p, slot, ship.cls, ship.place, cause, full=full, part=self.everybody, hide=["panel"])

    def _take_mine(self, p: int, panel: Panel) -> int | None:
        """One mine on the panel is used up, of the players after p first, of p last; its owner. [7.2] [BS-R23]"""
        start = self.order.index(p) + 1
        for owner in self.order[start:] + self.order[:start]:
            if self.mines[owner, panel]:
                self.mines[owner, panel] -= 1
                return owner
        return None

    def _move(self, p: int, said: Action) -> None:
        """[7.3] [BS-61]"""
        ship = self.players[p].fleet[said.slot]
        heading, cost = notation.HEADINGS[said.where], self.config.wave_cost
        self._pay(ship, self.config.move_fp(ship.kind, said.distance))  # BS-R20
        hidden = ship.stealth
        stop = "none"
        noted: list[Panel] = []
        touched: list[tuple[Panel, Counter[int]]] = []
        if self.config.move_rule == "jump":
            ship.panel = self.ahead(ship.place, heading, said.distance)
            self._touch_mines(p, ship, touched)
        else:
            for j in range(1, said.distance + 1):
                is_wave = j > 1 and self.config.fuel and self.terrain[ship.place] == WAVE
                if is_wave and ship.fp < cost:
                    stop = "wave"  # BS-202
                    break
                ahead = self.ahead(ship.place, heading)
                noted.append(ahead)
                if self.terrain[ahead] == REEF:
                    stop = "reef"  # BS-191, BS-192
                    break
                if is_wave:
                    self._pay(ship, cost)  # BS-200, BS-R22
                ship.panel = ahead
                self._touch_mines(p, ship, touched)
                if not ship.is_alive:
                    break
        if not ship.is_alive:
            stop = "sunk"
        self._tell_move(p, said, ship, hidden, stop)
        for panel in noted:
            self._learn(p, panel)
        self._tell_mines(p, said.slot, touched)
        self._check()

    def _tell_move(self, p: int, said: Action, ship: Ship, hidden: bool, stop: str) -> None:
        """The mover's record, and that of all others. [9.2] [BS-65] [BS-66] [BS-R21]"""
        about = (p, said.slot, ship.cls, ship.panel, said.where, said.distance)
        shown = "none" if hidden and stop == "wave" else stop
        hide = ["panel", "dir", "dist"] if hidden else ["panel"]
        self._tell("MOVE", *about, notation.STOPS.index(stop), full={p})
        self._tell("MOVE", *about, notation.STOPS.index(shown), full=(), part=self.everybody - {p}, hide=hide)

    def _touch_mines(self, p: int, ship: Ship, touched: list[tuple[Panel, Counter[int]]]) -> None:
        """[7.4] [BS-147] [BS-98]"""
        owners: Counter[int] = Counter()
        while ship.is_alive:
            owner = self._take_mine(p, ship.place)
            if owner is None:
                break
            owners[owner] += 1
            ship.hp -= 1
            if owner in self.enemies(p):
                self.players[owner].dealt += 1
                self.players[owner].kills += not ship.is_alive
        if owners:
            touched.append((ship.place, owners))

    def _tell_mines(self, p: int, slot: int, touched: list[tuple[Panel, Counter[int]]]) -> None:
        """[7.3]"""
        ship = self.players[p].fleet[slot]
        for panel, owners in touched:
            count = owners.total()
            self._tell("MINE_HIT", p, slot, ship.cls, panel, count, full={p}, part=self.everybody, hide=["panel"])
            for owner in sorted(owners):
                self._tell("MINE_LOST", owner, None, None, panel, owners[owner], CONTACT, full={owner})
        if not ship.is_alive:
            self._sink(p, slot, MINED)

    def _lay(self, p: int, said: Action) -> None:
        """[7.5] [BS-142] [BS-145] [BS-R24]"""
        ship = self.players[p].fleet[said.slot]
        panel = self.ahead(ship.place, notation.DIRECTIONS[said.where])
        ship.aux -= 1
        self._pay(ship, self.config.mine_cost)
        self.mines[p, panel] += 1
        self._tell("MINE_LAID", p, said.slot, None, panel, full={p}, part=self.everybody, hide=["slot", "panel"])

    def _launch(self, p: int, said: Action) -> None:
        """[7.6] [BS-155] [BS-156]"""
        player = self.players[p]
        ship, target = player.fleet[said.slot], self.panels[said.where]
        ship.aux -= 1
        self._pay(ship, self.config.torpedo_cost)
        torpedo = Torpedo(player.torp_next, ship.place, target)
        player.torpedoes.append(torpedo)
        player.torp_next += 1
        hide = ["slot", "panel", "id"]
        self._tell("TORP_FIRED", p, said.slot, None, target, torpedo.number, full={p}, part=self.everybody, hide=hide)

    def _fly(self, p: int) -> None:
        """The torpedoes of p go one panel each, in the order of their launch. [7.6] [BS-158] [BS-R26]"""
        player = self.players[p]
        for torpedo in list(player.torpedoes):
            if torpedo not in player.torpedoes:  # an explosion has put the player out
                return
            dx, dy = torpedo.target[0] - torpedo.panel[0], torpedo.target[1] - torpedo.panel[1]
            across = self.rng.below(abs(dx) + abs(dy)) < abs(dx) if dx and dy else dx != 0  # BS-163, BS-164
            heading = ("E" if dx > 0 else "W") if across else ("S" if dy > 0 else "N")
            torpedo.panel = self.ahead(torpedo.panel, heading)
            self._tell("TORP_MOVE", p, None, None, torpedo.panel, torpedo.number, full={p})  # BS-160
            if torpedo.panel == torpedo.target:  # BS-161
                why = TARGET
            elif any(self.mines[owner, torpedo.panel] for owner in self.everybody):  # BS-169
                why = AT_MINE
            elif self.terrain[torpedo.panel] == REEF:  # BS-171
                why = AT_REEF
            else:
                continue
            player.torpedoes.remove(torpedo)
            self._shoot(p, None, None, torpedo.panel, 1, why, torpedo.number)  # BS-162
            if self.is_terminal():
                return

    def _reinforce(self, p: int, said: Action) -> None:
        """[7.7] [BS-172]"""
        player = self.players[p]
        ship = player.fleet[said.slot]
        self._pay(ship, self.reinforce_cost(p, said.slot))  # BS-174
        player.reinf_left -= 1
        ship.hp, ship.aux = self.config.hp[ship.kind], self.config.aux[ship.kind]  # BS-178
        ship.panel = self.panels[said.where]
        ship.stealth = self.config.stealth and ship.cls == SUBMARINE
        self._tell("REINFORCED", p, said.slot, ship.cls, ship.panel, full={p}, part=self.everybody, hide=["panel"])
        touched: list[tuple[Panel, Counter[int]]] = []
        self._touch_mines(p, ship, touched)  # BS-148, BS-180
        self._tell_mines(p, said.slot, touched)
        self._check()

    def _change_flagship(self, p: int, said: Action) -> None:
        """[7.11] [BS-68] [BS-122] [BS-R37]"""
        player = self.players[p]
        old = next(ship for ship in player.fleet if ship.flagship)
        self._pay(old, self.config.flagship_cost)
        old.flagship = False
        player.fleet[said.slot].flagship = True
        player.flag_left -= 1
        self._tell("FLAG_CHANGED", p, said.slot, full={p}, part=self.everybody, hide=["slot"])

    # -- what happens at the turn's ends ----------------------------------------------------------

    def _update_stealth(self, p: int, slot: int) -> None:
        """[7.8] [BS-195] [BS-197] [BS-R59]"""
        ship = self.players[p].fleet[slot]
        is_trait = self.config.stealth and ship.cls == SUBMARINE
        terrain = self.terrain[ship.place]
        new = terrain == FOG or (is_trait and not ship.surf and terrain != SHALLOWS)
        if new == ship.stealth:
            return
        ship.stealth = new
        if is_trait:
            self._tell("DIVED" if new else "SURFACED", p, slot, ship.cls)  # BS-139, BS-R53
        else:
            self._tell("STEALTH", p, slot, None, None, int(new), full={p})

    def _refuel(self, p: int) -> None:
        """[7.9] [BS-71] [BS-128]"""
        config, player = self.config, self.players[p]
        if not config.fuel or not config.refuel:
            return
        for slot, oiler in player.living:
            if oiler.cls != OILER or oiler.fp == 0 or oiler.stealth:  # BS-199
                continue
            targets = [
                (other, ship)
                for other, ship in player.living
                if ship.cls != OILER  # BS-134
                and ship.panel in self.around(oiler.place)
                and not ship.stealth  # BS-135
                and ship.fp < config.max_fp(ship.kind)  # BS-131
            ]
            deficits = [config.max_fp(ship.kind) - ship.fp for _, ship in targets]
            for (other, ship), amount in zip(targets, split(oiler.fp, deficits, config.refuel_max), strict=True):
                if amount > 0:
                    ship.fp += amount
                    oiler.fp -= amount  # BS-129
                    self._tell("REFUEL", p, slot, None, None, other, amount, full={p})
                    self.pass_run = 0  # BS-R42

    def _fuel_flags(self, p: int) -> None:
        """[7.10] [BS-112] [BS-140] [BS-R31]"""
        for slot, ship in self.players[p].living:
            out = self.fuel_out(ship)
            if out and not ship.fuelout:
                self._tell("FUEL_OUT", p, slot, ship.cls)
            ship.fuelout = out
            if out and ship.cls == SUBMARINE and self.config.stealth and ship.stealth:
                self._sink(p, slot, OUT_OF_FUEL)

    # -- the end ----------------------------------------------------------------------------------

    def _defeat(self, p: int) -> str | None:
        """Why the player has lost the qualification to win by now, if it has. [8.1] [BS-73] [BS-76] [BS-R39]"""
        fleet = self.players[p].fleet
        if self.config.has_flagship and any(ship.flagship and not ship.is_alive for ship in fleet):
            return "flagship"
        return "annihilated" if all(map(self.counts_sunk, fleet)) else None  # BS-126

    def _sides(self, members: Iterable[int]) -> set[int]:
        return {self.config.sides[p] for p in members}

    def _qualified(self) -> list[int]:
        return [p for p, player in enumerate(self.players) if player.qual]

    def _active(self) -> list[int]:
        return [p for p, player in enumerate(self.players) if player.active]

    def _check(self) -> None:
        """[8.2] [BS-77] [BS-R40]"""
        before = self._qualified()
        for p in before:
            cause = self._defeat(p)
            if cause is not None:
                self._disqualify(p, cause)  # BS-100
        if self.config.mission == "rescue":  # BS-12
            lost = self._sides(self.everybody - set(self._qualified()))
            for p in self._qualified():
                if self.config.sides[p] in lost:
                    self._disqualify(p, "ally")
        for p in self._active():
            player = self.players[p]
            if not player.qual and not any(map(self.is_able, player.fleet)):
                self._remove(p, "unable")  # BS-104, BS-R48
        left = self._sides(self._qualified())  # BS-92
        if len(left) == 1:
            self._finish(left, "victory")
        elif not left:
            self._finish(self._sides(before) | self._sides(self._active()), "mutual")

    def _disqualify(self, p: int, cause: str) -> None:
        self.players[p].qual = False
        self._tell("DEFEATED", p, None, None, None, DEFEATS.index(cause))

    def _adjudicate(self, reason: str) -> None:
        """Time is up: the mission decides. [8.3] [BS-78]"""
        self._finish(self._judged(), reason)

    def _judged(self) -> set[int]:
        config, qualified = self.config, self._qualified()
        sides = sorted(set(config.sides))
        if config.mission == "retreat":  # BS-15
            return {config.sides[config.defender]}
        if config.teams is not None:  # BS-80, BS-93
            losses = [sum(config.sides[p] == side and p not in qualified for p in self.everybody) for side in sides]
            if losses[0] != losses[1]:
                return {sides[losses.index(min(losses))]}
        if config.mission in SCORE_MISSIONS:  # BS-79, BS-95
            averages = {side: self._average(side) for side in self._sides(qualified)}
            return {side for side, score in averages.items() if score == max(averages.values())}
        return self._sides([*qualified, *self._active()])  # BS-9, BS-11, BS-R45

    def _average(self, side: int) -> Fraction:
        scores = [score for p, score in enumerate(self.scores()) if self.config.sides[p] == side]
        return Fraction(sum(scores), len(scores))

    def _finish(self, winners: set[int], reason: str) -> None:
        self.phase = OVER
        self.winners = winners
        self.reason = REASONS.index(reason)
        mask = sum(1 << side for side in winners)
        self._tell("GAME_OVER", None, None, None, None, mask, self.reason)

    def scores(self) -> list[int]:
        """The score of each player now. [8.4] [BS-R44]"""
        return [self._score(player) for player in self.players]

    def _score(self, player: Player) -> int:
        config = self.config
        left = [ship for ship in player.fleet if not self.counts_sunk(ship)]
        earned = config.score_sunk * player.kills + config.score_hit * player.dealt
        return earned + config.score_ship * len(left) + config.score_hp * sum(ship.hp for ship in left)

    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self.phase == OVER

    def returns(self) -> list[float]:
        """What each player gets; 0 before the end. [8.5]"""
        if not self.is_terminal():
            return [0.0] * self.config.players
        sides = self._sides(self.everybody)
        losers = len(sides) - len(self.winners)
        lost = -1 / (len(sides) - 1)
        won = losers / ((len(sides) - 1) * len(self.winners))
        return [won if side in self.winners else lost for side in self.config.sides]

    # -- what a player sees -----------------------------------------------------------------------

    def events(self, player: int | None = None) -> list[dict[str, Any]]:
        """What the last call caused, as `player` sees it (None: every record, with nothing hidden), in order.

        The dicts of `notation.event_to_dict`. A MOVE is two records, the mover's and that of the others. [9.2]
        """
        if player is None:
            views = [event.columns for event in self.last]
        else:
            place("player", player, self.config.players)
            views = [view for view in (event.view(player) for event in self.last) if view is not None]
        return [notation.event_to_dict(self.config, view) for view in views]

    def information_state(self, player: int) -> str:
        """All that `player` has seen (`notation.information_state`). [9.1]"""
        place("player", player, self.config.players)
        return notation.information_state(player, self.seen[player])

    def observation(self, player: int) -> dict[str, Any]:
        """The arrays of section 9.3, as nested lists, made of what `player` may know and nothing else.

        planes : float[26][H][W]. scalars : float[5+P+P*(2+8*S)]. suspects : int[(P-1)*S][H][W], the belief planes:
        1 where the ship of the next player, and of those after it, slot by slot, may be. [9.4]
        """
        place("player", player, self.config.players)
        return {"planes": self._planes(player), "scalars": self._scalars(player), "suspects": self._suspects(player)}

    def _rows(self, plane: Mapping[int, Any], none: Any) -> list[list[Any]]:
        """The rows of a plane that holds this on some panels, by number, and `none` on the others."""
        width, height = self.config.width, self.config.height
        return [[plane.get(y * width + x, none) for x in range(width)] for y in range(height)]

    def _planes(self, p: int) -> list[list[list[float]]]:
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
            told = self.terrain[panel] if panel in self.known[p] else WAVE + 1
            planes[9 + told][self.index(panel)] = 1.0
            planes[15][self.index(panel)] = self.mines[p, panel] / 4
        for torpedo in player.torpedoes:
            planes[16][self.index(torpedo.panel)] = 1.0
            planes[17][self.index(torpedo.target)] = 1.0
        shots = [known.last_attack[seat] for seat in self._seats(p)]
        for plane, shot in zip((23 if known.is_hit else 24, 20, 21, 22), shots, strict=False):
            if shot is not None:
                planes[plane][shot] = 1.0
        planes[25] = dict.fromkeys(known.swept, 1.0)
        return [self._rows(plane, 0.0) for plane in planes]

    def _suspects(self, p: int) -> list[list[list[int]]]:
        found = []
        for q in self._seats(p)[1:]:
            row = self.knowledge[p].candidates[q]
            row = row + [set()] * (self.config.max_fleet - len(row))
            found += [self._rows(dict.fromkeys(panels, 1), 0) for panels in row]
        return found

    def _seats(self, p: int) -> list[int]:
        """The players in turn order from p on; by index before there is one. [9.3]"""
        order = self.order or sorted(self.everybody)
        start = order.index(p)
        return order[start:] + order[:start]

    def _scalars(self, p: int) -> list[float]:
        config, player, known = self.config, self.players[p], self.knowledge[p]
        rounds = (config.round_limit - self.round) / 20 if config.round_limit else 0.0
        found = [self.round / 40, rounds, player.reinf_left, player.flag_left, known.passes]
        found += [float(self.order[place] == p) if self.order else 0.0 for place in range(config.players)]
        for q in self._seats(p):
            found += [self.players[q].qual, self.players[q].active]
            for slot in range(config.max_fleet):
                if slot >= config.fleet_sizes[q]:
                    found += [0.0] * 8
                    continue
                ship = self.players[q].fleet[slot]
                is_placed = self.phase == SETUP and q == p and ship.panel is not None
                cls = ship.cls if q == p or config.fleets is not None else known.cls[q][slot]
                classes = [0.0] * 5
                classes[OILER + 1 if cls is None else cls] = 1.0
                found += [ship.is_alive or is_placed, *classes, known.fuelout[q][slot], known.notice[q][slot]]
        return [float(value) for value in found]

    # -- what may be the case, for all that a player knows ----------------------------------------

    def contradictions(self, player: int, variables: Mapping[str, Any]) -> list[str]:
        """What speaks against `variables` (a `to_dict`) being the position now, for all that `player` has seen.

        A line for each variable that the player knows to be otherwise, beginning with its name; none for a position
        that may be. [9.4] Raises StateError where the variables are no position.
        """
        place("player", player, self.config.players)
        other = type(self).from_dict(self.config, variables)
        return [f"{name}: {fault}" for name, fault in self._contradictions(player, other)]

    def _contradictions(self, p: int, other: State) -> Iterator[tuple[str, str]]:
        mine, its = self.to_dict(), other.to_dict()
        for name in ("phase", "cur", "order", "ptr", "round", "turns", "qual", "active"):
            if mine[name] != its[name]:
                yield name, f"{its[name]}, not {mine[name]}"
        for name in ("ship_cls", "ship_pos", "ship_hp", "ship_fp", "ship_aux", "ship_flags", "mines", "torp_n",
                     "torp_pos", "torp_tgt", "torp_id", "torp_next"):  # fmt: skip
            if mine[name][p] != its[name][p]:
                yield f"{name}[{p}]", f"{its[name][p]}, not {mine[name][p]}"
        for name in ("reinf_left", "flag_left", "torp_next"):  # their uses are announced
            if mine[name] != its[name]:
                yield name, f"{its[name]}, not {mine[name]}"
        if self.known[p] != other.known[p]:
            yield "known", f"player {p} knows other panels"
        for panel in self.known[p]:
            if self.terrain[panel] != other.terrain[panel]:
                yield "terrain", f"{other.terrain[panel]} on {panel}, not {self.terrain[panel]}"
        yield from self._count_contradictions(p, its)
        if self.phase == PLAY:
            yield from self._enemy_contradictions(p, other)

    def _count_contradictions(self, p: int, its: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        """Of passes a refuelling may have cut the count; of damage by mines it may not be known whose they were."""
        known = self.knowledge[p]
        if its["pass_run"] > known.passes:
            yield "pass_run", f"{its['pass_run']}, not up to {known.passes}"
        for name, sure, stray in (("dealt", known.dealt, known.stray), ("kills", known.kills, known.stray_kills)):
            for q in range(self.config.players):
                is_certain = q == p and name == "dealt"
                most = sure[q] + (0 if is_certain else sum(stray[v] for v in self.enemies(q)))
                if not sure[q] <= its[name][q] <= most:
                    yield f"{name}[{q}]", f"{its[name][q]}, not {sure[q]} to {most}"

    def _enemy_contradictions(self, p: int, other: State) -> Iterator[tuple[str, str]]:
        known = self.knowledge[p]
        for q in sorted(self.everybody - {p}):
            if len(self.players[q].torpedoes) != len(other.players[q].torpedoes):
                yield f"torp_n[{q}]", f"{len(other.players[q].torpedoes)}, not {len(self.players[q].torpedoes)}"
            for slot, ship in enumerate(other.players[q].fleet):
                cls = known.cls[q][slot]
                if cls is not None and ship.cls != cls:
                    yield f"ship_cls[{q}][{slot}]", f"{ship.cls}, not {cls}"
                if ship.is_alive != self.players[q].fleet[slot].is_alive:
                    yield f"ship_hp[{q}][{slot}]", f"{ship.hp}"
                if ship.is_alive and self.index(ship.place) not in known.candidates[q][slot]:
                    yield f"ship_pos[{q}][{slot}]", f"{ship.place}, where it cannot be"

    # -- all of a position ------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """The variables of section 3.2 under their names, as plain JSON types; events are not among them."""
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
            "phase": self.phase,
            "setup_kind": self.setup_kind,
            "setup_i": self.setup_i,
            "cur": self.cur,
            "order": list(self.order) or [-1] * config.players,
            "ptr": self.ptr,
            "round": self.round,
            "turns": self.turns,
            "pass_run": self.pass_run,
            "ship_cls": ships(lambda ship: -1 if ship.cls is None else ship.cls, -1),
            "ship_pos": ships(lambda ship: -1 if ship.panel is None else self.index(ship.panel), -1),
            "ship_hp": ships(lambda ship: ship.hp, 0),
            "ship_fp": ships(lambda ship: ship.fp, 0),
            "ship_aux": ships(lambda ship: ship.aux, 0),
            "ship_flags": ships(lambda ship: ship.flags, 0),
            "terrain": [self.terrain[panel] for panel in self.panels],
            "known": [sum((panel in its) << p for p, its in enumerate(self.known)) for panel in self.panels],
            "mines": [[self.mines[p, panel] for panel in self.panels] for p in range(config.players)],
            "torp_n": [len(player.torpedoes) for player in players],
            "torp_pos": flights(lambda torpedo: self.index(torpedo.panel)),
            "torp_tgt": flights(lambda torpedo: self.index(torpedo.target)),
            "torp_id": flights(lambda torpedo: torpedo.number),
            **{name: [int(getattr(player, name)) for player in players] for name in COUNTS},
            "winners": sum(1 << side for side in self.winners),
            "reason": self.reason,
        }

    @classmethod
    def parse(cls, config: Config, text: str) -> Self:
        """The position that a text board shows; NotationError or StateError where it is none."""
        return cls.from_dict(config, notation.parse(config, text))

    @classmethod
    def from_dict(cls, config: Config, variables: Mapping[str, Any]) -> Self:
        """The inverse of `to_dict`; StateError, which names the key and the value, where it is no position.

        The players of such a position have no past: they know what is their own and what is public, and no event.
        """
        state = cls(config)
        state._place(_checked(state, variables))
        fault = next(state._faults(), None)
        if fault is not None:
            raise StateError(fault)
        return state

    def _place(self, v: dict[str, Any]) -> None:
        """Take over the variables of section 3.2, whose types and ranges are checked, and begin there."""
        self.rng = Rng(v["rng"])
        for name in ("phase", "setup_kind", "setup_i", "cur", "ptr", "round", "turns", "pass_run", "reason"):
            setattr(self, name, v[name])
        self.order = [] if v["order"] == [-1] * self.config.players else v["order"]
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
        """A new State equal to this one, with the same past."""
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

    def check(self) -> None:
        """Check the invariants of section 3; AssertionError with the position where one does not hold."""
        fault = next(self._faults(), None)
        assert fault is None, f"{fault}\n{self}"

    def _faults(self) -> Iterator[str]:
        """What of the position cannot be reached by any game."""
        start = State(self.config)
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
                yield f"order: {self.order} is no permutation"
                return
            if config.turn_order is not None and self.order != list(config.turn_order):
                yield f"order: {self.order} is not the config's, {list(config.turn_order)}"
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
        """(classes picked, flagships named, ships placed) of a player now."""
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

    def _fleet_faults(self, p: int, player: Player, start: State) -> Iterator[str]:
        config, fleet = self.config, player.fleet
        picked, flags, placed = self._progress(p)
        if self.phase == SETUP and p == self.cur:
            allowed = {PLACING, FLAGGING if config.has_flagship else PLACING, start.setup_kind}
            last = 0 if self.setup_kind == FLAGGING else len(fleet) - 1
            if self.setup_kind not in allowed:
                yield f"setup_kind: {self.setup_kind} is no step of this setup"
            if self.setup_i > last:
                yield f"setup_i: {self.setup_i} is not in 0..{last}"
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
        """What one ship cannot be."""
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
        """What a player's mines, torpedoes and counters cannot be."""
        config = self.config
        for name, most in (("reinf_left", config.reinforce_max), ("flag_left", config.flagship_changes)):
            left = getattr(player, name)
            if left > most or (self.phase == SETUP and left != most):
                yield f"{name}[{p}]: {left} of {most}"
        for n, torpedo in enumerate(player.torpedoes):
            if torpedo.panel == torpedo.target:
                yield f"torp_pos[{p}][{n}]: it is at its target"
            if torpedo.number >= player.torp_next or (n and torpedo.number <= player.torpedoes[n - 1].number):
                yield f"torp_id[{p}][{n}]: {torpedo.number} is out of order"
        if not player.active and (player.qual or player.torpedoes or any(player.living)):
            yield f"active[{p}]: 0, but something is left"
        if self.phase == SETUP:
            mines = any(count for (owner, _), count in self.mines.items() if owner == p)
            begun = player.torp_next or player.dealt or player.kills or player.torpedoes or mines
            if begun or not (player.qual and player.active):
                yield f"active[{p}]: play has not begun"

    def _terrain_faults(self, start: State) -> Iterator[str]:
        config, every = self.config, set(self.panels)
        is_given = not config.terrain or config.terrain_known or self.phase == SETUP
        if is_given and self.terrain != start.terrain:  # of a hidden map a player may expect another [9.4]
            yield "terrain: it is not the config's"
        for p, known in enumerate(self.known):
            is_open = not config.terrain or config.terrain_known
            if self.phase == SETUP:
                if known != start.known[p]:
                    yield f"known: what player {p} knows during setup"
            elif is_open and known != every:
                yield f"known: player {p} knows all terrain"

    def _end_faults(self) -> Iterator[str]:
        """In play somebody can still win, and nobody who is defeated counts as qualified."""
        lost = self._sides(self.everybody - set(self._qualified()))
        if len(self._sides(self._qualified())) < 2:
            yield f"qual: {[int(player.qual) for player in self.players]} in play"
        for p, player in enumerate(self.players):
            if player.qual and self._defeat(p) is not None:
                yield f"qual[{p}]: 1, but {self._defeat(p)}"
            if player.qual and self.config.mission == "rescue" and self.config.sides[p] in lost:
                yield f"qual[{p}]: 1, but an ally is defeated"
            if player.active and not player.qual and not any(map(self.is_able, player.fleet)):
                yield f"active[{p}]: 1, but unable"
        if not self.players[self.cur].active:
            yield f"cur: player {self.cur} is out"


class Event:
    """What happened, and who sees how much of it. [9.2]

    columns : all of it. hidden : what those see who see part of it. full, part : who they are.
    """

    def __init__(self, columns: View, hidden: View, full: set[int], part: set[int]) -> None:
        self.columns, self.hidden, self.full, self.part = columns, hidden, full, part

    def view(self, player: int) -> View | None:
        """What the player sees; None for nothing."""
        if player in self.full:
            return self.columns
        return self.hidden if player in self.part else None


def split(budget: int, deficits: list[int], cap: int) -> list[int]:
    """What an Oiler with `budget` gives to ships that lack so much, at most `cap` each. [7.9] [BS-133] [BS-R33]"""
    needs = [min(cap, deficit) for deficit in deficits]
    if sum(needs) <= budget:
        return needs
    given = [min(need, budget * deficit // sum(deficits)) for need, deficit in zip(needs, deficits, strict=True)]
    rest = budget - sum(given)  # BS-132
    while rest > 0:
        for n in sorted(range(len(deficits)), key=lambda n: -deficits[n]):
            if rest > 0 and given[n] < needs[n]:
                given[n] += 1
                rest -= 1
    return given


# -- checks of what comes from outside --------------------------------------------------------------


def _checked(state: State, variables: Mapping[str, Any]) -> dict[str, Any]:
    """The variables of section 3.2, each of its type and in its range; StateError, which names the key, otherwise."""
    config = state.config
    if not isinstance(variables, Mapping):
        raise StateError(f"dict: a dict is wanted, not {variables!r}")
    same_keys("", variables, state.to_dict())
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
    found: dict[str, Any] = {name: number(name, variables[name], *limits) for name, limits in singles.items()}
    found |= {name: numbers(name, variables[name], *limits) for name, limits in lists.items()}
    for name, limits in tables.items():
        rows = items(name, variables[name], players)
        found[name] = [numbers(f"{name}[{p}]", row, *limits) for p, row in enumerate(rows)]
    none = {"ship_cls": -1, "ship_pos": -1, "ship_hp": 0, "ship_fp": 0, "ship_aux": 0, "ship_flags": 0}
    counts = {**dict.fromkeys(none, config.fleet_sizes), **dict.fromkeys(("torp_pos", "torp_tgt", "torp_id"), None)}
    for name, sizes in counts.items():
        for p, row in enumerate(found[name]):
            size = found["torp_n"][p] if sizes is None else sizes[p]
            for n, value in enumerate(row[size:], size):
                if value != none.get(name, 0):
                    raise StateError(f"{name}[{p}][{n}]: {value}, where there is nothing")
    return found
