"""Beliefs of a player about the ships of the others: all possible fleets, or a sample of them.

A Belief receives only the events of its player. If all moves are visible and nothing else hides a ship, it holds every
possible placement with equal weight: the exact posterior. Otherwise it holds particles: sampled fleets that go through
every event and are deleted if it contradicts them. [section 9.4]
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ..core.config import integer
from ..core.rng import Rng
from .config import SUBMARINE, Config
from .knowledge import DIVED, SURFACED, Knowledge
from .maps import FOG, REEF
from .notation import KINDS, STOPS

MAX_PLACEMENTS = 50_000  # most placements held at once
UNKNOWN = -1
HEADINGS = ((0, -1), (1, 0), (0, 1), (-1, 0))
RESULTS = ("TERRAIN", "HIT", "MISS", "SUNK", "SPLASH", "MINE_SWEPT", "MINE_LOST")
"""Kinds of events that may follow a shot as its results. [section 7.2]"""


@dataclasses.dataclass
class Fleet:
    """One possible fleet of a player, in slot order.

    Attributes
    ----------
    panels : list of int
        Panel of each ship, 0..panels-1; a sunk ship stays where it sank.
    classes : list of int
        Class of each ship, 0..3; -1 if it is not public and does not follow from anything else.
    damage : list of int
        HP that each ship has lost.
    is_exact : bool
        False if the fleet was drawn from the candidate sets because no particle had survived.
    """

    panels: list[int]
    classes: list[int]
    damage: list[int]
    is_exact: bool = True

    def copy(self) -> Fleet:
        """Return an independent copy of the fleet."""
        return Fleet(self.panels[:], self.classes[:], self.damage[:], self.is_exact)


@dataclasses.dataclass
class Shot:
    """A shot at `panel` with its visible results; `slots` holds the hit slots that were named, per player."""

    panel: int
    player: int
    is_gun: bool
    hits: dict[int, int] = dataclasses.field(default_factory=dict)  # {player: HP left, -1 if hidden}
    slots: dict[int, int] = dataclasses.field(default_factory=dict)
    sunk: set[int] = dataclasses.field(default_factory=set)  # players
    splashed: set[tuple[int, int]] = dataclasses.field(default_factory=set)
    is_miss: bool = False


class Belief:
    """Belief of a player about the other fleets; `hear` takes in the events of a call, from the start of the game.

    Parameters
    ----------
    config : Config
        Config of the game.
    player : int
        Player who believes, 0..players-1.
    particles : int, optional
        Number of fleets held per other player if not all possible ones are, 1..1000000.
    seed : int, optional
        Seed of all randomness, 0..2**64-1.

    Attributes
    ----------
    fleets : dict of int to list of Fleet
        Equally likely fleets of each other player; empty before play and for players who are out.
    known : Knowledge
        Certain knowledge of the player.

    Raises
    ------
    ConfigError
        If a number is out of range.
    """

    def __init__(self, config: Config, player: int, particles: int = 2000, seed: int = 0) -> None:
        self.config = config.public()
        self.player = integer("player", player, 0, config.players - 1)
        self.particles = integer("particles", particles, 1, 10**6)
        self.rng = Rng(integer("seed", seed, 0, 2**64 - 1))
        self.known = Knowledge(self.config, player)
        self.fleets: dict[int, list[Fleet]] = {}
        self._alive: dict[int, set[int]] = {}
        self._notice: dict[tuple[int, int], int] = {}

    @property
    def is_exact(self) -> bool:
        """Whether every possible fleet is held: classes and terrain are known, nothing is hidden, few placements."""
        config = self.config
        hidden = config.stealth or config.mines or config.torpedoes or config.reinforce_max
        if hidden or config.fleets is None or (config.terrain and not config.terrain_known):
            return False
        return all(math.perm(config.panels, size) <= MAX_PLACEMENTS for size in config.fleet_sizes)

    # -- queries ------------------------------------------------------------------------------------

    def chances(self, player: int) -> list[list[float]]:
        """Return the probability of each ship of a player being on each panel.

        Parameters
        ----------
        player : int
            Another player.

        Returns
        -------
        list of list of float
            Indexed [slot][panel], 0..1; all 0 for a sunk ship, and if the player has no fleets.
        """
        fleets = self.fleets.get(player, [])
        counts = [[0] * self.config.panels for _ in range(self.config.fleet_sizes[player])]
        for fleet in fleets:
            for slot in self._alive[player]:
                counts[slot][fleet.panels[slot]] += 1
        return [[count / max(1, len(fleets)) for count in row] for row in counts]

    def sample(self, player: int) -> Fleet:
        """Return a copy of a random fleet of a player, each with equal probability.

        Raises
        ------
        ValueError
            If there is no fleet: before play, for the believing player, and for a player who is out.
        """
        fleets = self.fleets.get(player)
        if not fleets:
            raise ValueError(f"player: {player} has no fleet that could be estimated")
        return fleets[self.rng.below(len(fleets))].copy()

    # -- events -------------------------------------------------------------------------------------

    def hear(self, views: Iterable[Sequence[int]]) -> None:
        """Take in the events of one call, as the player sees them.

        Parameters
        ----------
        views : iterable of sequence of int
            Events of one call (`State.views`, `knowledge.calls`).
        """
        seen = list(views)
        self.known.hear(seen)
        place = 0
        while place < len(seen):
            kind, _, player, slot, cls, *_ = seen[place]
            name = KINDS[kind]
            if name == "START":
                self._start()
            elif name == "ATTACK":
                self._see_shot(self._read_shot(seen[place:]))
            elif player >= 0 and player in self.fleets:
                self._see(name, player, slot, seen[place])
            if slot >= 0 and cls >= 0 and player in self.fleets:
                self._keep(player, self._is_named, slot, cls)
            place += 1
        for player in self.fleets:
            self._settle(player)

    def _start(self) -> None:
        for player in range(self.config.players):
            if player != self.player:
                size = self.config.fleet_sizes[player]
                self._alive[player] = set(range(size))
                self._notice |= {(player, slot): 0 for slot in range(size)}
                self.fleets[player] = (
                    self._list_fleets(player) if self.is_exact else self._draw_fleets(player, self.particles)
                )

    def _list_fleets(self, player: int) -> list[Fleet]:
        """Return every possible placement."""
        classes = [UNKNOWN if cls is None else cls for cls in self.known.cls[player]]
        panels = [q for q in range(self.config.panels) if self.known.terrain.get(q) != REEF]
        return [
            Fleet(list(chosen), classes[:], [0] * len(classes))
            for chosen in itertools.permutations(panels, len(classes))
        ]

    def _draw_fleets(self, player: int, count: int, is_exact: bool = True) -> list[Fleet]:
        """Draw fleets from the candidate sets: the ship with the fewest panels first, each on a free panel."""
        found = []
        suspects = self.known.suspects[player]
        order = sorted(self._alive[player], key=lambda slot: len(suspects[slot]))
        classes = [UNKNOWN if cls is None else cls for cls in self.known.cls[player]]
        everywhere = range(self.config.panels)
        for _ in range(count):
            panels = [0] * len(classes)
            taken: set[int] = set()
            for slot in order:
                open_ = sorted(suspects[slot] - taken) or [q for q in everywhere if q not in taken]
                panels[slot] = open_[self.rng.below(len(open_))]
                taken.add(panels[slot])
            found.append(Fleet(panels, classes[:], [0] * len(classes), is_exact))
        return found

    def _settle(self, player: int) -> None:
        """Delete fleets that the candidate sets exclude, and draw copies up to the number of particles again."""
        self._keep(player, self._is_afloat, player)
        fleets = self.fleets[player]
        if not self._alive[player]:
            self.fleets[player] = []
        elif not fleets:
            self.fleets[player] = self._draw_fleets(player, self.particles, is_exact=False)
        elif not self.is_exact:
            missing = self.particles - len(fleets)
            fleets += [fleets[self.rng.below(len(fleets))].copy() for _ in range(missing)]

    def _is_afloat(self, fleet: Fleet, player: int) -> bool:
        """Return whether every living ship has HP left and is on a panel where it may be."""
        suspects = self.known.suspects[player]
        return all(
            fleet.panels[slot] in suspects[slot] and fleet.damage[slot] < self._hp(fleet.classes[slot])
            for slot in self._alive[player]
        )

    def _keep(self, player: int, test: Callable[..., bool], *about: Any) -> None:
        """Keep the fleets that pass the test; the test may change them."""
        self.fleets[player] = [fleet for fleet in self.fleets[player] if test(fleet, *about)]

    def _hp(self, cls: int) -> int:
        """Return the HP of a class; for an unknown class, the maximum of all."""
        return max(self.config.hp) if cls == UNKNOWN else self.config.hp[cls]

    @staticmethod
    def _is_named(fleet: Fleet, slot: int, cls: int) -> bool:
        """Set the class of a ship to the revealed one; return False if the fleet contradicts it."""
        if fleet.classes[slot] in (UNKNOWN, cls):
            fleet.classes[slot] = cls
            return True
        return False

    def _see(self, name: str, player: int, slot: int, view: Sequence[int]) -> None:
        """Take in an event of another player other than a shot."""
        if name == "MOVE":
            heading, distance, stop = view[6:9]
            self._keep(player, self._moves, player, slot, heading, distance, STOPS[stop])
        elif name == "MINE_HIT":
            for fleet in self.fleets[player]:
                fleet.damage[slot] += view[6]
        elif name == "SUNK":
            self._alive[player].discard(slot)
            self._notice[player, slot] = 0
        elif name in ("DIVED", "SURFACED"):
            self._notice[player, slot] = DIVED if name == "DIVED" else SURFACED
        elif name == "REINFORCED":
            self._alive[player].add(slot)
            self._notice[player, slot] = 0
            for fleet in self.fleets[player]:
                self._return(player, fleet, slot)
        elif name == "OUT":
            self._alive[player] = set()

    def _return(self, player: int, fleet: Fleet, slot: int) -> None:
        """Put a ship that comes back on a random free panel."""
        taken = {fleet.panels[other] for other in self._alive[player] if other != slot}
        open_ = [q for q in range(self.config.panels) if q not in taken and self.known.terrain.get(q) != REEF]
        fleet.panels[slot] = open_[self.rng.below(len(open_))]
        fleet.damage[slot] = 0

    # -- moves --------------------------------------------------------------------------------------

    def _moves(self, fleet: Fleet, player: int, slot: int, heading: int, distance: int, stop: str) -> bool:
        """Move the ship as the event says, by a random way of several; return False if it cannot. [section 7.3]"""
        start = fleet.panels[slot]
        others = {fleet.panels[other] for other in self._alive[player] if other != slot}
        if heading >= 0:
            ends = self._ends(start, heading, distance, stop, others)
        else:
            ends = [start] if stop == "reef" else []
            for course in range(4):
                for steps in range(1, self.config.max_distance + 1):
                    ends += self._ends(start, course, steps, "none", others)
        if not ends:
            return False
        fleet.panels[slot] = ends[0] if len(ends) == 1 else ends[self.rng.below(len(ends))]
        return True

    def _ends(self, start: int, heading: int, distance: int, stop: str, others: set[int]) -> list[int]:
        """Return the panels where a ship may end after an ordered move; `others`, its own ships, bar the way."""
        way = [start]
        for steps in range(1, distance + 1):
            panel = self._ahead(start, heading, steps)
            if panel is None:
                return []
            way.append(panel)
        if self.config.move_rule == "jump":
            return [] if way[-1] in others or self._is_reef(way[-1]) else way[-1:]
        if any(panel in others for panel in way[1:]):
            return []
        free = next((n for n, panel in enumerate(way) if self._is_reef(panel)), len(way))  # number within reach
        if stop == "none":
            return way[-1:] if free == len(way) else []
        if stop == "reef":
            return [way[n] for n in range(min(free, distance)) if self.known.terrain.get(way[n + 1], REEF) == REEF]
        return way[1:free]

    def _ahead(self, panel: int, heading: int, distance: int) -> int | None:
        y, x = divmod(panel, self.config.width)
        x, y = x + HEADINGS[heading][0] * distance, y + HEADINGS[heading][1] * distance
        return y * self.config.width + x if 0 <= x < self.config.width and 0 <= y < self.config.height else None

    def _is_reef(self, panel: int) -> bool:
        return self.known.terrain.get(panel) == REEF

    # -- shots --------------------------------------------------------------------------------------

    def _read_shot(self, views: list[Sequence[int]]) -> Shot:
        """Return the shot of the first event with its results from the events that follow."""
        _, _, player, _, _, panel, torpedo, *_ = views[0]
        shot = Shot(panel, player, not torpedo)
        for kind, _, victim, slot, _, _, a, *_ in views[1:]:
            name = KINDS[kind]
            if name not in RESULTS or (name == "SUNK" and a != 0):
                break
            if name == "HIT":
                shot.hits[victim] = a
                if slot >= 0:
                    shot.slots[victim] = slot
            elif name == "SUNK":
                shot.slots[victim] = slot
                shot.sunk.add(victim)
            elif name == "SPLASH":
                shot.splashed.add((victim, slot))
            elif name == "MISS":
                shot.is_miss = True
        return shot

    def _see_shot(self, shot: Shot) -> None:
        for player in self.fleets:
            if player == shot.player:
                if shot.is_gun:
                    own = {shot.panel} if self.config.attack_own_cell else set()
                    self._keep(player, self._stands, player, self.known.around(shot.panel) | own)
            elif self.config.sides[player] != self.config.sides[shot.player]:
                self._keep(player, self._bears, player, shot)

    def _stands(self, fleet: Fleet, player: int, panels: set[int]) -> bool:
        """Return whether a living ship is on one of the panels."""
        return any(fleet.panels[slot] in panels for slot in self._alive[player])

    def _bears(self, fleet: Fleet, player: int, shot: Shot) -> bool:
        """Return whether the fleet agrees with the results of the shot; record the hit in it. [section 7.2]"""
        at = [slot for slot in self._alive[player] if fleet.panels[slot] == shot.panel]
        if (player in shot.hits) != bool(at):
            return False
        hit = at[0] if at else None
        if hit is not None:
            if shot.slots.get(player, hit) != hit:
                return False
            fleet.damage[hit] += 1
            left = self._hp(fleet.classes[hit]) - fleet.damage[hit]
            is_sunk = player in shot.sunk
            if not is_sunk and left <= 0:
                return False
            if is_sunk and left != 0 and self._is_counted(fleet, hit):
                return False
            if shot.hits[player] > 0 and left != shot.hits[player] and self._is_counted(fleet, hit):
                return False
        if not shot.is_miss and not self.config.splash_on_hit:
            return True
        near = self.known.around(shot.panel)
        afloat = self._alive[player] - ({hit} if hit is not None and player in shot.sunk else set())
        return all(
            self._splashes(fleet, player, slot, fleet.panels[slot] in near, (player, slot) in shot.splashed)
            for slot in afloat
        )

    @staticmethod
    def _is_counted(fleet: Fleet, slot: int) -> bool:
        """Return whether the ship's damage is certain in this fleet."""
        return fleet.is_exact and fleet.classes[slot] != UNKNOWN

    def _splashes(self, fleet: Fleet, player: int, slot: int, is_near: bool, splashed: bool) -> bool:
        """Return whether the fleet agrees with a ship's splash or its absence; a ship that must have dived is named."""
        if splashed or not is_near:
            return splashed == is_near
        if self.known.terrain.get(fleet.panels[slot], FOG) == FOG:
            return True
        if not self.config.stealth or self._notice[player, slot] == SURFACED:
            return False
        return self._is_named(fleet, slot, SUBMARINE)
