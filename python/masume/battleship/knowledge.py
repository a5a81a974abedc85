"""Knowledge: all that a player can conclude from the events it receives. [sections 9.1 and 9.4]"""

from __future__ import annotations

import copy
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
"""Knowledge about a ship's last move: it has not moved, nothing, stopped by a reef going N (1) to W (4), or unseen."""
GROUP = ("TERRAIN", "HIT", "MISS", "SUNK", "SPLASH")
"""Kinds of events that may follow a shot as its results. [7.2]"""
ACTS = ("PASS", "MOVE", "MINE_LAID", "TORP_FIRED", "REINFORCED", "FLAG_CHANGED")
"""Kinds of events that begin the action of a turn; shots by guns and forfeits also do."""
LEFT = ("resign", "timeout", "illegal")
"""Causes of DEFEATED and OUT that are such an action."""
HEADINGS = ((0, -1), (1, 0), (0, 1), (-1, 0))


@dataclasses.dataclass
class OwnShip:
    """A ship of the viewing player, as reported by STATUS events."""

    cls: int
    panel: int
    hp: int
    fp: int
    aux: int
    flags: int

    def sink(self) -> None:
        """Set HP to 0 and keep only the flag of the flagship."""
        self.hp = 0
        self.flags &= FLAGSHIP


@dataclasses.dataclass
class Contact:
    """A MINE_HIT: the damage to a ship of `victim`, and the part `own` of it done by the viewing player's mines."""

    victim: int
    damage: int
    own: int = 0


@dataclasses.dataclass
class Shot:
    """An ATTACK and its known results; `hit` holds the slot per player, -1 if it was not named."""

    player: int
    panel: int
    hit: dict[int, int] = dataclasses.field(default_factory=dict)
    is_miss: bool = False
    splashed: set[tuple[int, int]] = dataclasses.field(default_factory=set)


class Knowledge:
    """Knowledge of one player; `hear` takes in the events of a call.

    Parameters
    ----------
    config : Config
        Public config of the game (`Config.public`).
    player : int
        The player whose knowledge this is, 0..players-1.

    Attributes
    ----------
    order, round, cur : list of int, int, int
        Turn order, current round and player to move.
    qual, active : list of bool
        Whether each player is qualified and active.
    is_over : bool
        Whether the game has ended.
    ships : list of OwnShip
        The player's ships in slot order; empty before the start.
    terrain : dict of int to int
        Terrain codes of the panels that the player knows.
    mines : collections.Counter
        Number of the player's mines per panel.
    torpedoes : dict of int to list of int
        [panel, target] of each of the player's torpedoes in flight, by id.
    reinf_left, flag_left, torp_next : list of int
        These counters of each player. [section 3.2]
    laid : list of int
        Number of mines that each player has laid.
    passes : int
        PASS turns in a row, as far as the player sees them. [9.3]
    dealt, kills : list of int
        HP and ships of enemies that certainly count for each player. [8.4]
    stray, stray_kills : list of int
        HP and ships that each player has lost to mines with several possible owners.
    alive, cls, fuelout, notice : list of list
        By [player][slot]: whether the ship is alive, its class or None, 1 after FUEL_OUT, and the last notice (1 DIVED,
        -1 SURFACED, 0 none). [section 9.3]
    last_attack : list of int or None
        Panel that each player attacked last.
    is_hit : bool
        Whether the player's own last attack hit.
    swept : set of int
        Panels swept of mines since the last mine was laid.
    way : list of list of int
        By [player][slot]: UNMOVED since the start; STOPPED + heading or STOPPED_UNSEEN after a reef stopped the ship's
        last move; FREE otherwise.
    suspects : list of list of set of int
        By [player][slot]: panels where a ship of another player may be; empty for sunk ships and for the player's own.
        Terrain revealed in a call counts for all events of the call. [section 9.4]
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
        """Begin in a position without history, with the player's own values and the public ones.

        Parameters
        ----------
        variables : mapping
            The position (`State.to_dict`).
        player : int
            The player whose knowledge this is.
        """
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
        """Let every living ship of the others be anywhere."""
        for q, row in enumerate(self.alive):
            self.suspects[q] = [self._anywhere() if living and not self._is_own(q) else set() for living in row]

    # -- events -----------------------------------------------------------------------------------

    def hear(self, views: Iterable[Sequence[int]]) -> None:
        """Take in the events of one call, as the player sees them.

        Parameters
        ----------
        views : iterable of sequence of int
            Events of one call (`notation.View`).
        """
        told = list(views)
        for view in told:
            if KINDS[view[0]] == "TERRAIN":
                self.terrain[view[5]] = view[6]
        for view in told:
            self._see(view)
        self._end_shot()
        self._end_contact(is_sunk=False)

    def imagine(self, views: Iterable[Sequence[int]]) -> Knowledge:
        """Return the knowledge of the player after these events, without taking them in.

        Only `suspects` and `way` of the result may be used: it shares everything else with this knowledge.
        """
        after = copy.copy(self)
        after.suspects = [[set(panels) for panels in row] for row in self.suspects]
        after.way = [list(row) for row in self.way]
        after.last_attack = list(self.last_attack)
        after.hear(views)
        return after

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
        if cls != SUBMARINE or not self.config.stealth:  # only fog hides it
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
        """Credit the damage of mines to their owners; mines explode in turn order after the victim. [7.2] [8.4]"""
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
        """Add to the count of the only possible owner if it is an enemy; add to `stray` if there are several."""
        if len(owners) > 1:
            stray[victim] += number
        elif number and self.config.sides[owners[0]] != self.config.sides[victim]:
            sure[owners[0]] += number

    # -- suspects -------------------------------------------------------------------------------

    def around(self, panel: int) -> set[int]:
        """Return the up to eight panels around a panel (N8). [section 3.1]"""
        return {q for q in (self._beside(panel, right, down) for right in (-1, 0, 1) for down in (-1, 0, 1)
                            if right or down) if q is not None}  # fmt: skip

    def _beside(self, panel: int, right: int, down: int) -> int | None:
        """Return the panel at this offset, or None outside the map."""
        y, x = divmod(panel, self.config.width)
        x, y = x + right, y + down
        return y * self.config.width + x if 0 <= x < self.config.width and 0 <= y < self.config.height else None

    def _may_be(self, panel: int | None, terrain: int) -> bool:
        """Return whether the panel is on the map and may have this terrain."""
        return panel is not None and self.terrain.get(panel, terrain) == terrain

    def _may_have_stopped(self, panel: int, way: int) -> bool:
        """Return whether a reef may have stopped a ship on this panel."""
        courses = range(4) if way == STOPPED_UNSEEN else [way - STOPPED]
        return any(self._may_be(self._ahead(panel, course, 1), REEF) for course in courses)

    def _is_reef(self, panel: int | None) -> bool:
        return panel is not None and self.terrain.get(panel) == REEF

    def _anywhere(self) -> set[int]:
        """Return all panels that are not known reefs."""
        return {panel for panel in range(self.config.panels) if not self._is_reef(panel)}

    def _single_out(self, player: int) -> None:
        """Remove the certain panel of each ship from the candidate sets of the player's other ships."""
        row = self.suspects[player]
        done: set[int] = set()
        while singles := [slot for slot, found in enumerate(row) if len(found) == 1 and slot not in done]:
            done.add(singles[0])
            for slot, found in enumerate(row):
                if slot != singles[0] and len(found) > 1:
                    found -= row[singles[0]]

    def _narrow(self, player: int, panels: set[int]) -> None:
        """Use that a living ship of the player is on one of the panels: if only one can be, restrict it to them."""
        able = [found for found in self.suspects[player] if found & panels]
        if len(able) == 1:
            able[0] &= panels

    def _after_move(self, start: int, heading: int, distance: int, stop: str, barred: set[int]) -> Iterable[int]:
        """Yield the panels where a ship from `start` may be after a MOVE event; `heading` is -1 if hidden.

        barred : panels of other ships of the same player.
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
        """Return [the panel `steps` ahead], or [] if it is outside the map or cannot be reached."""
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
        """Narrow the candidate sets of the shooter's enemies by the results of the shot."""
        config = self.config
        near = self.around(shot.panel)
        for q in range(config.players):
            if q == self.player or config.sides[q] == config.sides[shot.player]:
                continue
            named = shot.hit.get(q)
            for slot, panels in enumerate(self.suspects[q]):
                if slot == named:
                    panels &= {shot.panel}
                elif named is None or named >= 0:
                    panels.discard(shot.panel)
                if shot.is_miss or config.splash_on_hit:
                    self._resolve_splash(q, slot, near, shot)
            if named is not None and named < 0:
                self._narrow(q, {shot.panel})
            self._single_out(q)

    def _resolve_splash(self, q: int, slot: int, near: set[int], shot: Shot) -> None:
        """Narrow a ship's candidate set by a splash or its absence: fog hides all classes, the sea only Submarines."""
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
    """Split the events of a game, as a player sees them, into calls.

    Parameters
    ----------
    views : iterable of sequence of int
        Events in order (`notation.View`).

    Returns
    -------
    list of list
        The events per call. Each call begins with the action of the player to move.
    """
    found: list[list[Sequence[int]]] = []
    for view in views:
        kind = KINDS[view[0]]
        if kind == "ATTACK":
            begins = view[6] == 0  # a shot by a gun
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
