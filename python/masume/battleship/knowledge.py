"""What a player can tell from the events it receives, and from nothing else. [sections 9.1 and 9.4]"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from . import maps
from .config import SUBMARINE, Config
from .maps import FOG, REEF, SEA, WAVE
from .notation import BY_MINE, DEFEATS, KINDS, STOPS

STEALTH, SURF, FUELOUT, FLAGSHIP = 1, 2, 4, 8
"""The bits of `ship_flags`. [section 3.2]"""
DIVED, SURFACED = 1, -1  # the last notice of a ship
UNMOVED, FREE, STOPPED, STOPPED_UNSEEN = -1, 0, 1, 5
"""What is known of the last move of a ship: none yet; nothing; a reef stopped it going N (1) to W (4), or anywhere."""
GROUP = ("TERRAIN", "HIT", "MISS", "SUNK", "SPLASH")
"""What may follow a shot and belongs to it. [7.2]"""
ACTS = ("PASS", "MOVE", "MINE_LAID", "TORP_FIRED", "REINFORCED", "FLAG_CHANGED")
"""What, like the shot of a gun or a forfeit, is the first event of a turn's action."""
LEFT = ("resign", "timeout", "illegal")
"""The causes of a DEFEATED and an OUT that are such an action."""
HEADINGS = ((0, -1), (1, 0), (0, 1), (-1, 0))


@dataclasses.dataclass
class OwnShip:
    """A ship of the player's own, as STATUS tells of it."""

    cls: int
    panel: int
    hp: int
    fp: int
    aux: int
    flags: int

    def sink(self) -> None:
        """HP 0; only the flag of the flagship stays."""
        self.hp = 0
        self.flags &= FLAGSHIP


@dataclasses.dataclass
class Contact:
    """A MINE_HIT: the damage to a ship of `victim`, and how much of it the player's own mines have done."""

    victim: int
    damage: int
    own: int = 0


@dataclasses.dataclass
class Shot:
    """An ATTACK and what has been told of it so far; `hit` and `sunk` are slots of a player, -1 for one not named."""

    player: int
    panel: int
    hit: dict[int, int] = dataclasses.field(default_factory=dict)
    is_miss: bool = False
    splashed: set[tuple[int, int]] = dataclasses.field(default_factory=set)


class Knowledge:
    """What `player` knows; `hear` takes what a call has told it.

    config : the public one. order, round, cur : the turn order, the round and the player to move. qual, active : of
    each player. is_over : whether the game has ended.
    ships : its own, in slot order; none before the start. terrain : of the panels it knows. mines, torpedoes : its
    own; a torpedo is [panel, target] under its id. reinf_left, flag_left, torp_next : of each player.
    laid : mines that each player has laid. passes : PASS turns in a row, as far as told. [9.3]
    dealt, kills : `[player]`: HP and ships of enemies that are certainly its to count. [8.4]
    stray, stray_kills : `[player]`: those it has lost to mines of several possible owners.
    alive, cls, fuelout, notice : `[player][slot]`: whether the ship lives, its class or None, 1 from FUEL_OUT on, and
    the last notice (1 DIVED, -1 SURFACED, 0 none). [section 9.3]
    last_attack : the panel each player has attacked last, or None. is_hit : whether the own last attack hit.
    swept : panels where mines were swept since the last was laid.
    way : `[player][slot]`: UNMOVED since the start, or STOPPED by a reef since when it has not moved; FREE else.
    suspects : `[player][slot]`: the panels where a ship of another player may be; none for one that does not live,
    and for its own. The terrain that a call tells of counts for all of the call's events. [section 9.4]
    """

    def __init__(self, config: Config, player: int) -> None:
        self.config = config
        self.player = player
        count, sizes = config.players, config.fleet_sizes
        self.order: list[int] = []
        self.round = 0
        self.cur = 0
        self.is_over = False
        self.qual, self.active = [True] * count, [True] * count
        self.ships: list[OwnShip] = []
        self.terrain: dict[int, int] = {}
        if config.terrain and config.terrain_known and config.terrain_map is not None:
            self.terrain = dict(enumerate(maps.codes(config.terrain_map)))
        self.mines: Counter[int] = Counter()
        self.torpedoes: dict[int, list[int]] = {}
        self.reinf_left, self.flag_left = [config.reinforce_max] * count, [config.flagship_changes] * count
        self.torp_next = [0] * count
        self.laid = [0] * count
        self.passes = 0
        self.dealt, self.kills = [0] * count, [0] * count
        self.stray, self.stray_kills = [0] * count, [0] * count
        self.alive = [[False] * size for size in sizes]
        self.cls: list[list[int | None]] = [[None] * size for size in sizes]
        if config.fleets is not None:
            self.cls = [list(fleet) for fleet in config.fleets]
        self.fuelout = [[0] * size for size in sizes]
        self.notice = [[0] * size for size in sizes]
        self.last_attack: list[int | None] = [None] * count
        self.is_hit = False
        self.swept: set[int] = set()
        self.way = [[FREE] * size for size in sizes]
        self.suspects: list[list[set[int]]] = [[set() for _ in range(size)] for size in sizes]
        self._shot: Shot | None = None
        self._contact: Contact | None = None

    def begin(self, variables: Mapping[str, Any], player: int) -> None:
        """Begin in a position without a past: with what is the player's own and what is public there."""
        v = variables
        self.order = [p for p in v["order"] if p >= 0]
        self.round, self.cur, self.is_over = v["round"], v["cur"], v["phase"] == 2
        self.qual, self.active = [bool(bit) for bit in v["qual"]], [bool(bit) for bit in v["active"]]
        self.terrain = {q: code for q, code in enumerate(v["terrain"]) if v["known"][q] >> player & 1}
        self.mines = Counter({q: count for q, count in enumerate(v["mines"][player]) if count})
        flights = zip(v["torp_id"][player], v["torp_pos"][player], v["torp_tgt"][player], strict=True)
        self.torpedoes = {number: [q, to] for number, q, to in list(flights)[: v["torp_n"][player]]}
        self.reinf_left, self.flag_left = list(v["reinf_left"]), list(v["flag_left"])
        self.torp_next = list(v["torp_next"])
        self.laid = [sum(row) for row in v["mines"]]
        self.passes, self.dealt, self.kills = v["pass_run"], list(v["dealt"]), list(v["kills"])
        for q, row in enumerate(self.alive):
            row[:] = [hp > 0 for hp in v["ship_hp"][q][: len(row)]]
        own = [v[f"ship_{name}"][player] for name in ("cls", "pos", "hp", "fp", "aux", "flags")]
        ships = list(zip(*own, strict=True))[: self.config.fleet_sizes[player]]
        if v["phase"] > 0:
            self.ships = [OwnShip(*ship) for ship in ships]
            self.cls[player] = [ship.cls for ship in self.ships]
        self._begin_suspects()

    def _begin_suspects(self) -> None:
        """Every living ship of the others may be anywhere."""
        for q, row in enumerate(self.alive):
            self.suspects[q] = [self._anywhere() if living and not self._is_own(q) else set() for living in row]

    # -- events -----------------------------------------------------------------------------------

    def hear(self, views: Iterable[Sequence[int]]) -> None:
        """Take in the events of one call, as the player sees them (`notation.View`)."""
        told = list(views)
        for view in told:
            if KINDS[view[0]] == "TERRAIN":
                self.terrain[view[5]] = view[6]
        for view in told:
            self._see(view)
        self._end_shot()
        self._end_contact(is_sunk=False)

    def _end_shot(self) -> None:
        if self._shot is not None:
            self._resolve_shot(self._shot)
            self._shot = None

    def _end_contact(self, is_sunk: bool) -> None:
        if self._contact is not None:
            self._credit_contact(self._contact, is_sunk)
            self._contact = None

    def _see(self, view: Sequence[int]) -> None:
        kind = KINDS[view[0]]
        if kind not in GROUP:
            self._end_shot()
        if kind != "MINE_LOST":
            self._end_contact(is_sunk=kind == "SUNK" and view[6] == BY_MINE)
        if kind in ACTS:
            self.passes = self.passes + 1 if kind == "PASS" else 0
        self.round = view[1]
        player, slot, cls = view[2:5]
        if player >= 0 and slot >= 0 and cls >= 0:
            self.cls[player][slot] = cls
        told: Callable[..., None] | None = getattr(self, f"_see_{kind.lower()}", None)
        if told is not None:
            told(*view[2:])

    def _is_own(self, player: int) -> bool:
        return player == self.player

    def _see_setup(self, player: int, slot: int, cls: int, panel: int, flagship: int, *_: int) -> None:
        config = self.config
        flags = FLAGSHIP * flagship + STEALTH * (config.stealth and cls == SUBMARINE)
        self.ships.append(OwnShip(cls, panel, config.hp[cls], config.max_fp(cls), config.aux[cls], flags))
        self.terrain[panel] = SEA

    def _see_start(self, *columns: int) -> None:
        self.order = list(columns[4 : 4 + self.config.players])
        for row in self.alive:
            row[:] = [True] * len(row)
        if not self.config.terrain:
            self.terrain = dict.fromkeys(range(self.config.panels), SEA)
        self.way = [[UNMOVED] * len(row) for row in self.way]
        self._begin_suspects()
        for q in range(self.config.players):
            self._single_out(q)

    def _see_turn(self, player: int, *_: int) -> None:
        self.cur = player

    def _see_attack(self, player: int, slot: int, cls: int, panel: int, torpedo: int, why: int, number: int,
                    *_: int) -> None:  # fmt: skip
        self.last_attack[player] = panel
        if not torpedo:
            self.passes = 0
        if self._is_own(player):
            self.is_hit = False
            self.torpedoes.pop(number, None)
        elif not torpedo:
            self._narrow(player, self.around(panel) | ({panel} if self.config.attack_own_cell else set()))
            self._single_out(player)
        self._shot = Shot(player, panel)

    def _see_hit(self, player: int, slot: int, cls: int, panel: int, hp: int, *_: int) -> None:
        if self._shot is not None:
            self._shot.hit[player] = slot
            self.dealt[self._shot.player] += 1
            self.is_hit |= self._is_own(self._shot.player)
        if self._is_own(player):
            self.ships[slot].hp = hp

    def _see_miss(self, *_: int) -> None:
        if self._shot is not None:
            self._shot.is_miss = True

    def _see_splash(self, player: int, slot: int, *_: int) -> None:
        if self._shot is not None:
            self._shot.splashed.add((player, slot))

    def _see_sunk(self, player: int, slot: int, *_: int) -> None:
        self.alive[player][slot] = False
        self.fuelout[player][slot] = self.notice[player][slot] = 0
        self.suspects[player][slot] = set()
        if self._shot is not None:
            self._shot.hit[player] = slot
            self.kills[self._shot.player] += 1
        if self._is_own(player):
            self.ships[slot].sink()

    def _see_move(self, player: int, slot: int, cls: int, panel: int, heading: int, distance: int, stop: int,
                  *_: int) -> None:  # fmt: skip
        if self._is_own(player):
            self.ships[slot].panel = panel
            return
        starts = self.suspects[player][slot]
        if cls != SUBMARINE or not self.config.stealth:  # fog alone hides it
            starts = {q for q in starts if (self._may_be(q, FOG) if heading < 0 else self.terrain.get(q) != FOG)}
        others = [found for other, found in enumerate(self.suspects[player]) if other != slot]
        barred = {q for found in others if len(found) == 1 for q in found}
        after = {end for q in starts for end in self._after_move(q, heading, distance, STOPS[stop], barred)}
        self.suspects[player][slot] = after
        is_stopped = STOPS[stop] == "reef"
        self.way[player][slot] = FREE if not is_stopped else STOPPED_UNSEEN if heading < 0 else STOPPED + heading
        self._single_out(player)

    def _see_mine_laid(self, player: int, slot: int, cls: int, panel: int, *_: int) -> None:
        self.swept = set()
        self.laid[player] += 1
        if self._is_own(player):
            self.mines[panel] += 1

    def _see_mine_hit(self, player: int, slot: int, cls: int, panel: int, damage: int, *_: int) -> None:
        self._contact = Contact(player, damage)

    def _see_mine_lost(self, player: int, slot: int, cls: int, panel: int, count: int, *_: int) -> None:
        self.mines[panel] -= count
        if self._contact is not None:
            self._contact.own = count

    def _see_mine_swept(self, player: int, slot: int, cls: int, panel: int, *_: int) -> None:
        self.swept.add(panel)

    def _see_torp_fired(self, player: int, slot: int, cls: int, panel: int, number: int, *_: int) -> None:
        self.torp_next[player] += 1
        if self._is_own(player):
            self.torpedoes[number] = [self.ships[slot].panel, panel]

    def _see_torp_move(self, player: int, slot: int, cls: int, panel: int, number: int, *_: int) -> None:
        self.torpedoes[number][0] = panel

    def _see_surfaced(self, player: int, slot: int, *_: int) -> None:
        self.notice[player][slot] = SURFACED

    def _see_dived(self, player: int, slot: int, *_: int) -> None:
        self.notice[player][slot] = DIVED

    def _see_fuel_out(self, player: int, slot: int, *_: int) -> None:
        self.fuelout[player][slot] = 1

    def _see_refuel(self, *_: int) -> None:
        self.passes = 0

    def _see_reinforced(self, player: int, slot: int, *_: int) -> None:
        self.alive[player][slot] = True
        self.fuelout[player][slot] = self.notice[player][slot] = 0
        self.reinf_left[player] -= 1
        self.way[player][slot] = FREE
        if not self._is_own(player):
            self.suspects[player][slot] = self._anywhere()
            self._single_out(player)

    def _see_flag_changed(self, player: int, *_: int) -> None:
        self.flag_left[player] -= 1

    def _see_terrain(self, player: int, slot: int, cls: int, panel: int, terrain: int, *_: int) -> None:
        for q, row in enumerate(self.suspects):
            for slot, found in enumerate(row):
                if terrain == REEF or (terrain != SEA and self.way[q][slot] == UNMOVED):
                    found.discard(panel)
                elif self.way[q][slot] >= STOPPED:
                    found -= {start for start in found if not self._may_have_stopped(start, self.way[q][slot])}
            self._single_out(q)

    def _see_status(self, player: int, slot: int, cls: int, panel: int, hp: int, fp: int, aux: int, flags: int,
                    *_: int) -> None:  # fmt: skip
        ship = self.ships[slot]
        ship.panel, ship.hp, ship.fp, ship.aux, ship.flags = panel, hp, fp, aux, flags

    def _see_defeated(self, player: int, *_: int) -> None:
        self.qual[player] = False

    def _see_out(self, player: int, slot: int, cls: int, panel: int, cause: int, *_: int) -> None:
        if DEFEATS[cause] in LEFT:
            self.passes = 0
        self.active[player] = False
        self.alive[player] = [False] * len(self.alive[player])
        self.fuelout[player] = [0] * len(self.fuelout[player])
        self.suspects[player] = [set() for _ in self.suspects[player]]
        if self._is_own(player):
            self.torpedoes = {}
            for ship in self.ships:
                ship.sink()

    def _see_game_over(self, *_: int) -> None:
        self.is_over = True

    def _credit_contact(self, contact: Contact, is_sunk: bool) -> None:
        """Count what mines have done for their owners, who are tried in turn order from the victim on. [7.2] [8.4]"""
        victim, rest = contact.victim, contact.damage - contact.own
        others = [q for q, laid in enumerate(self.laid) if laid and not self._is_own(q)]
        start = self.order.index(victim) + 1
        tried = [q for q in self.order[start:] + self.order[:start] if q in others or self._is_own(q)]
        self._credit(self.dealt, self.stray, victim, [self.player], contact.own)
        self._credit(self.dealt, self.stray, victim, others, rest)
        if is_sunk:
            is_mine = not rest or (contact.own and self._is_own(tried[-1]))
            self._credit(self.kills, self.stray_kills, victim, [self.player] if is_mine else others, 1)

    def _credit(self, sure: list[int], stray: list[int], victim: int, owners: list[int], number: int) -> None:
        """Add to the count of the only possible owner, if it is an enemy of the victim."""
        if len(owners) > 1:
            stray[victim] += number
        elif number and self.config.sides[owners[0]] != self.config.sides[victim]:
            sure[owners[0]] += number

    # -- suspects -------------------------------------------------------------------------------

    def around(self, panel: int) -> set[int]:
        """N8: the panels around."""
        return {q for q in (self._beside(panel, right, down) for right in (-1, 0, 1) for down in (-1, 0, 1)
                            if right or down) if q is not None}  # fmt: skip

    def _beside(self, panel: int, right: int, down: int) -> int | None:
        """The panel so far away; None off the map."""
        y, x = divmod(panel, self.config.width)
        x, y = x + right, y + down
        return y * self.config.width + x if 0 <= x < self.config.width and 0 <= y < self.config.height else None

    def _may_be(self, panel: int | None, terrain: int) -> bool:
        """Whether the panel is on the map and may be of this terrain."""
        return panel is not None and self.terrain.get(panel, terrain) == terrain

    def _may_have_stopped(self, panel: int, way: int) -> bool:
        """Whether a reef may have stopped a ship here."""
        courses = range(4) if way == STOPPED_UNSEEN else [way - STOPPED]
        return any(self._may_be(self._ahead(panel, course, 1), REEF) for course in courses)

    def _is_reef(self, panel: int | None) -> bool:
        return panel is not None and self.terrain.get(panel) == REEF

    def _anywhere(self) -> set[int]:
        """All panels that are not known to be reef."""
        return {panel for panel in range(self.config.panels) if not self._is_reef(panel)}

    def _single_out(self, player: int) -> None:
        """A panel that one ship must be on is none of the others'."""
        row = self.suspects[player]
        done: set[int] = set()
        while singles := [slot for slot, found in enumerate(row) if len(found) == 1 and slot not in done]:
            done.add(singles[0])
            for slot, found in enumerate(row):
                if slot != singles[0] and len(found) > 1:
                    found -= row[singles[0]]

    def _narrow(self, player: int, panels: set[int]) -> None:
        """One of the player's living ships is on one of these panels: if only one can be, it is that one."""
        able = [found for found in self.suspects[player] if found & panels]
        if len(able) == 1:
            able[0] &= panels

    def _after_move(self, start: int, heading: int, distance: int, stop: str, barred: set[int]) -> Iterable[int]:
        """Where a ship that was on `start` may be after a MOVE of another player; -1 for what was not told.

        barred : panels of other ships of the player.
        """
        if heading < 0:  # BS-137
            for course in range(4):
                for steps in range(int(stop != "reef"), self.config.max_distance + 1):
                    if stop != "reef" or self._may_be(self._ahead(start, course, steps + 1), REEF):
                        yield from self._reach(start, course, steps, barred)
            return
        is_jump = self.config.move_rule == "jump"
        path = [self._ahead(start, heading, steps) for steps in range(1, distance + 1)]
        if path[-1] is None or not barred.isdisjoint(path[-1:] if is_jump else path):
            return
        first = distance if is_jump else {"reef": 0, "none": distance}.get(stop, 1)
        last = distance - 1 if stop in ("reef", "wave") else distance
        for steps in range(first, last + 1):
            if stop == "reef" and not self._may_be(path[steps], REEF):
                continue
            if stop != "wave" or self._may_be(path[steps - 1], WAVE):
                yield from self._reach(start, heading, steps, barred)

    def _reach(self, start: int, heading: int, steps: int, barred: set[int]) -> list[int]:
        """The panel so many steps ahead, unless it is off the map or something keeps the ship from it."""
        panel = self._ahead(start, heading, steps)
        first = steps if self.config.move_rule == "jump" else 1
        path = [self._ahead(start, heading, j) for j in range(first, steps + 1)]
        if panel is None or any(self._is_reef(q) or q in barred for q in path):
            return []
        return [panel]

    def _ahead(self, panel: int, heading: int, distance: int) -> int | None:
        right, down = HEADINGS[heading]
        return self._beside(panel, right * distance, down * distance)

    def _resolve_shot(self, shot: Shot) -> None:
        """What the shot tells of the ships of each enemy of the one who fired it."""
        config = self.config
        near = self.around(shot.panel)
        for q in range(config.players):
            if q == self.player or config.sides[q] == config.sides[shot.player]:
                continue
            named = shot.hit.get(q)
            for slot, found in enumerate(self.suspects[q]):
                if slot == named:
                    found &= {shot.panel}
                elif named is None or named >= 0:
                    found.discard(shot.panel)
                if shot.is_miss or config.splash_on_hit:
                    self._resolve_splash(q, slot, near, shot)
            if named is not None and named < 0:
                self._narrow(q, {shot.panel})
            self._single_out(q)

    def _resolve_splash(self, q: int, slot: int, near: set[int], shot: Shot) -> None:
        """What a splash, or none, tells of a ship; a fog may hide any class, the sea only a Submarine."""
        found, cls = self.suspects[q][slot], self.cls[q][slot]
        dives = cls == SUBMARINE and self.config.stealth
        if (q, slot) in shot.splashed:
            found &= near
            if not dives:
                found -= {panel for panel in near if self.terrain.get(panel) == FOG}
        elif dives:
            if self.notice[q][slot] == SURFACED:
                found -= near
        elif cls is not None:
            found -= {panel for panel in near if self.terrain.get(panel, FOG) != FOG}


def calls(views: Iterable[Sequence[int]]) -> list[list[Sequence[int]]]:
    """The events of a game, as a player sees them, call by call: each begins with what the player to move did."""
    found: list[list[Sequence[int]]] = []
    for view in views:
        kind = KINDS[view[0]]
        if kind == "ATTACK":
            begins = view[6] == 0  # a gun's
        elif kind in ("DEFEATED", "OUT"):
            left = DEFEATS[view[6]] in LEFT
            begins = left and (kind == "DEFEATED" or not _is_defeat(found[-1][-1]))
        else:
            begins = kind in ACTS
        if begins or not found:
            found.append([])
        found[-1].append(view)
    return found


def _is_defeat(view: Sequence[int]) -> bool:
    return KINDS[view[0]] == "DEFEATED" and DEFEATS[view[6]] in LEFT
