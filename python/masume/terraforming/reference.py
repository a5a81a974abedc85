"""Terraforming reference: the rules in plain Python, written to be read; slow twin of the engine.

Implements TF-1 to TF-55 and TF-R1 to TF-R45 of docs/rules/terraforming.md as far as they are rules of the game (those
of the wire are in `protocol` or a referee). The board is a dict from (x, y) to Land; derived values are computed when
they are read.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any, Self

from ..core.checks import action_of, place
from ..core.checks import index as checked_index
from ..core.positions import Reference
from ..core.shapes import Int, Items, read
from ..errors import GameOverError, IllegalActionError, StateError
from . import hexes, notation
from .buildings import (
    AXIS_RANGE,
    BONUSES,
    BRIDGE,
    BUILDABLE,
    DEVELOPED,
    FACTORY,
    HOME,
    LAND,
    NONE,
    PARK,
    PIT,
    PLAZA,
    PRODUCTION,
    PUBLIC,
    PUBLIC_BONUS,
    SHIELD,
    SHOT,
    TOWER,
    TOWER_RANGE,
    WIDEST,
)
from .config import Config
from .hexes import Cell
from .notation import BUCKETS, BUILT, CHOOSE, FINISH, MOVE, NOBODY, PER_AMOUNT, PRE, Build, Move

PLAYERS = range(3)  # [TF-1]
MAX_ROBOTS = 2**24  # total robots of a position that is read
PLANES = 24
COLUMNS = ("owner", "robots", "moved", "hole", "building", "bonus")


@dataclasses.dataclass
class Land:
    """The contents of a cell; robots belong to the owner, and `moved` of them may no longer move this turn."""

    owner: int = NOBODY
    robots: int = 0
    moved: int = 0
    hole: bool = False
    building: int = NONE
    bonus: int = 0


class State(Reference[Config]):
    """A Terraforming position, changed in place by `apply` and `attempt`.

    Attributes
    ----------
    config : Config
        The settings of the game.
    land : dict of (int, int) to Land
        The Land of each cell (x, y), in index order.
    player : int
        The player whose turn it is, 0..2; at the end, the player who would be next.
    ply : int
        Number of turns begun by all players.
    phase : int
        CHOOSE, MOVE, BUILT or PRE.
    finished : bool
        Whether the game is over.
    """

    notation = notation

    def __init__(self, config: Config) -> None:
        self.config = config
        self.land = {cell: Land() for cell in hexes.cells(config.radius)}
        self.player, self.ply, self.phase = 0, 0, PRE
        self.finished = False

    @classmethod
    def new(cls, config: Config, seed: int | None = None) -> Self:
        """Return the start of a game, player 0 to move.

        Parameters
        ----------
        config : Config
        seed : int, optional
            Seed of the map, -2**63..2**64 - 1; default `config.seed`. It has no effect if the config has a map.

        Raises
        ------
        ConfigError
            If the seed has no valid map (`maps.generate`).
        """
        start = config.start_map(config.seed if seed is None else seed)
        state = cls(config)
        state._load(start.variables())
        state.start()
        return state

    def _load(self, variables: Mapping[str, Any]) -> None:
        """Set the variables of section 3.2 after checking their types and ranges."""
        count = len(self.land)
        columns = {
            "owner": Items(Int(NOBODY, 2), count), "robots": Items(Int(0, MAX_ROBOTS), count),
            "moved": Items(Int(0, MAX_ROBOTS), count), "hole": Items(bool, count),
            "building": Items(Int(NONE, self._buildable[-1].code), count), "bonus": Items(Int(*BONUSES), count),
        }  # fmt: skip
        single = {
            "player": Int(0, 2), "ply": Int(0, 3 * self.config.max_turns), "phase": Int(CHOOSE, PRE), "finished": bool,
        }  # fmt: skip
        values = read("", variables, columns | single, StateError)
        for n, cell in enumerate(self.land):
            self.land[cell] = Land(**{name: values[name][n] for name in columns})
        for name in single:
            setattr(self, name, values[name])
        if sum(land.robots for land in self.land.values()) > MAX_ROBOTS:  # so that doubling stays below 2**31
            raise StateError(f"robots: there are more than {MAX_ROBOTS} in all")

    def to_dict(self) -> dict[str, Any]:
        """Return the variables of section 3.2 under their names, as plain JSON types; lists are in cell index order."""
        return {
            **{name: [getattr(land, name) for land in self.land.values()] for name in COLUMNS},
            "player": self.player,
            "ply": self.ply,
            "phase": self.phase,
            "finished": self.finished,
        }

    def clone(self) -> Self:
        """Return a new State equal to this one."""
        other = type(self)(self.config)
        other.land = {cell: dataclasses.replace(land) for cell, land in self.land.items()}
        other.player, other.ply, other.phase, other.finished = self.player, self.ply, self.phase, self.finished
        return other

    def __str__(self) -> str:
        return notation.to_text(self.to_dict())

    def _faults(self) -> Iterator[str]:
        """Yield each broken invariant. [section 3.2]"""
        for n, land in enumerate(self.land.values()):
            if land.owner == NOBODY and (land.robots, land.moved, land.building, land.bonus) != (0, 0, 0, 0):
                yield f"owner[{n}]: {NOBODY} where there are robots or a building"
            if land.hole and land.building:
                yield f"hole[{n}]: {land.hole} under building {land.building}"
            if land.moved > land.robots:
                yield f"moved[{n}]: {land.moved} of {land.robots} robots"
            if land.moved and (land.owner != self.player or self.finished):
                yield f"moved[{n}]: {land.moved} of a player who is not to move"
            if land.bonus not in self._bonuses(land.building):
                yield f"bonus[{n}]: {land.bonus} of building {land.building}"
        if (self.ply == 0) != (self.phase == PRE):
            yield f"phase: {self.phase} with ply {self.ply}"
        if self.finished and self.phase != CHOOSE:
            yield f"phase: {self.phase} in a finished game"
        begun = self.ply - (not self.finished)  # the turn that is being played does not count
        if self.player != max(0, begun) % 3:
            yield f"player: {self.player} with ply {self.ply}"
        if self.ply == 0:
            homes = [land.owner for land in self.land.values() if land.building == HOME]
            if sorted(homes) != list(PLAYERS):
                yield f"building: a map has one home of each player, not of {homes}"
            if any(land.owner != NOBODY and (land.building != HOME or land.robots) for land in self.land.values()):
                yield "owner: a map has homes without robots, and nothing else is owned"

    def _bonuses(self, building: int) -> range:
        """Return the bonuses that a building can have."""
        if building == PUBLIC:
            return range(PUBLIC_BONUS, PUBLIC_BONUS + 1)
        if building == PLAZA and self.config.ruleset == "contest":
            return range(BONUSES[0], BONUSES[1] + 1)
        return range(1)

    # -- the board ------------------------------------------------------------------------------------

    @property
    def _buildable(self) -> tuple[Any, ...]:
        return BUILDABLE[self.config.ruleset]

    def _around(self, cell: Cell) -> list[Cell]:
        """Return the neighbours on the board."""
        return [side for side in hexes.neighbours(cell) if side in self.land]

    def _own(self, player: int) -> list[tuple[Cell, Land]]:
        return [(cell, land) for cell, land in self.land.items() if land.owner == player]

    def _is_territory(self, cell: Cell, player: int) -> bool:
        """Return whether the player owns the cell and it is neither a hole nor developed. [TF-4]"""
        land = self.land[cell]
        return land.owner == player and not land.hole and land.building == NONE

    def _material_of(self, cell: Cell) -> int:
        """Return 1 plus the adjacent pits of the owner on territory, 0 elsewhere. [TF-6] [TF-52] [TF-R27]"""
        land = self.land[cell]
        if land.owner == NOBODY or not self._is_territory(cell, land.owner):
            return 0
        beside = [self.land[side] for side in self._around(cell)]
        return 1 + sum(its.building == PIT and its.owner == land.owner for its in beside)  # TF-R43: always current

    def _material_sum(self, cell: Cell, player: int) -> int:
        """Return the player's material on the cell and around it. [TF-45] [TF-46]"""
        return sum(self._material_of(side) for side in (cell, *self._around(cell)) if self.land[side].owner == player)

    def _shields(self, cell: Cell) -> int:
        """Return the number of adjacent shields of the cell's owner; a shield does not cover its own cell. [TF-R10]"""
        owner = self.land[cell].owner
        beside = [self.land[side] for side in self._around(cell)]
        return sum(its.building == SHIELD and its.owner == owner != NOBODY for its in beside)

    def _in_range(self, tower: Cell) -> list[Cell]:
        """Return the cells that a tower can hit, whatever their owner. [TF-50] [TF-R18]"""
        if self.config.ruleset == "contest":
            lines = [
                hexes.ahead(tower, direction, steps) for direction in range(6) for steps in range(1, AXIS_RANGE + 1)
            ]
            return [cell for cell in lines if cell in self.land]
        return [cell for cell in self.land if 1 <= hexes.distance(tower, cell) <= TOWER_RANGE]

    @property
    def material(self) -> list[int]:
        """The material of each cell for its owner, 0..7, in index order. [section 3.3]"""
        return [self._material_of(cell) for cell in self.land]

    def material_sum(self, cell: int, player: int) -> int:
        """Return the Material, 0..49, that `player` can build with on the cell of this index. [section 3.3]"""
        place("player", player, 3)
        return self._material_sum(hexes.cells(self.config.radius)[place("cell", cell, len(self.land))], player)

    # -- player to move and legal actions -------------------------------------------------------------

    @property
    def turn(self) -> int:
        """The round, from 1; 0 before the first. [TF-R7]"""
        return (self.ply + 2) // 3

    @property
    def _is_playing(self) -> bool:
        return self.phase != PRE and not self.finished

    @property
    def slots(self) -> list[int]:
        """A list with the player to move; empty before the start and at the end."""
        return [self.player] if self._is_playing else []

    def why_illegal(self, action: int) -> str | None:
        """Return the first rule of section 6.1 that forbids an exact code, None if the code is legal.

        Parameters
        ----------
        action : int
            Exact code. [section 6.4]

        Returns
        -------
        str or None
            "M1" to "M7" or "B1" to "B8". Before these, "6.4" for a code that is not an action, "pre" before the start,
            "finished" at the end.

        Raises
        ------
        ValueError
            If the action is not an int.
        """
        command = notation.command_of(self.config, checked_index("action", action))
        if command is None:
            return "6.4"
        if self.phase == PRE:
            return "pre"
        if self.finished:
            return "finished"
        if isinstance(command, Move):
            return next(self._faults_of_move(command), None)
        return next(self._faults_of_build(command), None) if isinstance(command, Build) else None  # TF-32

    def _faults_of_move(self, move: Move) -> Iterator[str]:
        source, target = self.land[move.cell], self.land.get(hexes.ahead(move.cell, move.direction))
        if self.phase not in (CHOOSE, MOVE):  # TF-30, TF-R25
            yield "M1"
        if move.amount < 1:  # TF-R22
            yield "M2"
        if target is None:
            yield "M3"
            return
        if source.hole:  # TF-10, TF-41
            yield "M4"
        if source.owner != self.player:
            yield "M5"
        if move.amount > source.robots - source.moved:  # TF-35, TF-R20
            yield "M6"
        if target.building != NONE and target.owner != self.player:  # TF-9, TF-15, TF-36
            yield "M7"

    def _faults_of_build(self, build: Build) -> Iterator[str]:
        site = self.land[build.cell]
        price = self._buildable[build.building - FACTORY]
        if self.phase != CHOOSE:  # TF-30, TF-R25
            yield "B1"
        # B2 and B3 always hold: every code has a cell of the board and a building of the ruleset
        if site.owner != self.player:  # TF-13
            yield "B4"
        if site.building != NONE:  # TF-15
            yield "B5"
        if site.hole != (build.building == BRIDGE):  # TF-12, TF-16, TF-48
            yield "B6"
        least = price.robots + (self.config.ruleset == "rulebook")  # TF-44, TF-R24: rulebook: more than the price
        if site.robots < least:
            yield "B7"
        if self._material_sum(build.cell, self.player) < price.material:  # TF-45
            yield "B8"

    def _amounts(self, cell: Cell) -> list[int]:
        """Return the amounts of buckets 0..3 of a cell, 0 for a bucket that is a duplicate. [section 6.4]"""
        movable = self.land[cell].robots - self.land[cell].moved
        amounts = [movable, movable - movable // 2, (movable + 3) // 4, 1]
        return [amount if movable and amount not in amounts[:k] else 0 for k, amount in enumerate(amounts)]

    def decode(self, code: int) -> int:
        """Return the exact code of an RL code in this position, -1 if it has none. [section 6.4]"""
        code = checked_index("code", code)
        count, kinds = len(self.land), len(self._buildable)
        if code == FINISH:
            return FINISH
        if 1 <= code <= 24 * count:
            of_cell, bucket = divmod(code - 1, BUCKETS)
            amount = self._amounts(hexes.cells(self.config.radius)[of_cell // 6])[bucket]
            return 1 + of_cell + PER_AMOUNT * amount if amount else -1  # both encodings use cell * 6 + direction
        if 24 * count < code <= (24 + kinds) * count:
            return code - 18 * count  # in both encodings the builds follow the moves
        return -1

    def encode(self, action: int) -> int:
        """Return the RL code of an exact code, -1 if the mask has no entry for its amount."""
        command = notation.command_of(self.config, checked_index("action", action))
        if command is None:
            return -1
        if isinstance(command, Move):
            amounts = self._amounts(command.cell)
            if command.amount == 0 or command.amount not in amounts:
                return -1
            return 1 + BUCKETS * (action % PER_AMOUNT - 1) + amounts.index(command.amount)
        return action + 18 * len(self.land) if isinstance(command, Build) else FINISH

    def _legal_codes(self) -> list[int]:
        """Return the legal RL codes, ascending; empty before the start and at the end."""
        if not self._is_playing:
            return []
        codes = [FINISH]
        manned = [(n, *own) for n, own in enumerate(self.land.items()) if own[1].owner == self.player and own[1].robots]
        if self.phase != BUILT:  # else M1 forbids every move
            for n, cell, _ in manned:
                amounts = self._amounts(cell)
                for direction in range(6) if any(amounts) else ():
                    if next(self._faults_of_move(Move(cell, direction, 1)), None) is None:
                        first = 1 + 24 * n + BUCKETS * direction
                        codes += [first + bucket for bucket in range(BUCKETS) if amounts[bucket]]
        if self.phase == CHOOSE:  # else B1 forbids every build
            for n, cell, land in manned:
                first = 1 + 24 * len(self.land) + len(self._buildable) * n - FACTORY
                for building in self._buildable if land.building == NONE else ():  # B5
                    if next(self._faults_of_build(Build(cell, building.code)), None) is None:
                        codes.append(first + building.code)
        return codes

    def legal_actions(self, slot: int = 0) -> list[int]:
        """Return the exact codes of the mask's ones, in mask order; empty before the start and at the end.

        A move may be legal with other amounts too; see `why_illegal`.
        """
        place("slot", slot, 1)
        return [self.decode(code) for code in self._legal_codes()]

    def legal_mask(self, slot: int = 0) -> list[int]:
        """Return a list of (24 + B)N + 1 values, 1 for each legal RL code and 0 for the others. [section 6.4]"""
        place("slot", slot, 1)
        mask = [0] * (1 + (24 + len(self._buildable)) * len(self.land))
        for code in self._legal_codes():
            mask[code] = 1
        return mask

    def _context(self, slot: int) -> tuple[Config]:
        place("slot", slot, 1)
        return (self.config,)

    # -- play -----------------------------------------------------------------------------------------

    def apply(self, action: int) -> None:
        """Play one action of the player to move; it takes effect at once. [section 6.2] [TF-R19]

        Parameters
        ----------
        action : int or str
            A legal exact code, or its command as text.

        Raises
        ------
        IllegalActionError
            If the action is not legal now; the state is unchanged.
        GameOverError
            If the game is over.
        ValueError
            If the action is neither an int nor a command (NotationError).
        """
        action = action_of(self, "action", action)
        fault = self.why_illegal(action)
        if self.finished:
            raise GameOverError(f"the game is over: action {action!r} cannot be played\n{self}")
        if fault is not None:
            raise IllegalActionError(f"action {action!r} of player {self.player} breaks {fault}\n{self}")
        command = notation.command_of(self.config, action)
        if isinstance(command, Move):
            self._move(command)
        elif isinstance(command, Build):
            self._build(command)
        else:
            self._end_turn()

    def attempt(self, action: int) -> bool:
        """Play an exact code if it is legal, and return whether it was: the referee's entry. [section 6.3]

        An illegal code changes nothing, with one exception: under `illegal_locks`, if nothing has been chosen in this
        turn, an illegal move makes it a turn of moves, and an illegal build uses up the build. [TF-R26]

        Raises
        ------
        ValueError
            If the action is not an int.
        """
        fault = self.why_illegal(action)
        if fault is None:
            self.apply(action)
        elif fault[0] in "MB" and self.config.illegal_locks and self.phase == CHOOSE:
            self.phase = MOVE if fault[0] == "M" else BUILT
        return fault is None

    def start(self) -> None:
        """Begin the first turn, after which player 0 decides; IllegalActionError if the game has begun."""
        if self.phase != PRE:
            raise IllegalActionError(f"start: the game has begun\n{self}")
        self._begin_turn()

    def _begin_turn(self) -> None:
        """Begin a turn, in the order of section 5.2. [TF-28] [TF-29] [TF-R38]"""
        for _, land in self._own(self.player):
            land.robots += PRODUCTION.get(land.building, 0)  # before the halving [TF-R8]
        if self.config.ruleset == "rulebook":
            for cell, land in self._own(self.player):
                land.robots //= 2 ** self._shields(cell)  # TF-R9, TF-R11, TF-R12
        else:
            for tower, land in self._own(self.player):
                if land.building == TOWER:
                    self._fire_along_axes(tower)
        for land in self.land.values():
            land.moved = 0
        self.ply += 1
        self.phase = CHOOSE

    def _end_turn(self) -> None:
        """End a turn, in the order of section 5.3. [TF-33] [TF-34] [TF-R37]"""
        if self.config.ruleset == "rulebook":
            for cell, land in self._own(self.player):
                land.robots *= 2 ** self._shields(cell)  # TF-49, TF-R44
            self._fire_at_nearest()
        self.player = (self.player + 1) % 3
        if self._is_over():
            self.finished = True
            self.phase = CHOOSE
            for land in self.land.values():
                land.moved = 0
        else:
            self._begin_turn()

    def _fire_at_nearest(self) -> None:
        """Fire all towers of the player whose turn ends, at the same time. [section 7.5] [TF-50] [TF-R13] [TF-R16]"""
        damage = dict.fromkeys(self.land, 0)
        for tower, own_land in self._own(self.player):
            if own_land.building != TOWER:
                continue
            targets = [
                cell
                for cell in self._in_range(tower)
                if self.land[cell].owner not in (self.player, NOBODY) and self.land[cell].robots
            ]
            nearest = min((hexes.distance(tower, cell) for cell in targets), default=0)
            for cell in targets:
                if hexes.distance(tower, cell) == nearest:  # all of them [TF-R14]
                    damage[cell] += max(1, self.land[cell].robots // 10)  # TF-R15
        for cell, land in self.land.items():
            land.robots = max(0, land.robots - damage[cell])  # the owner stays [TF-R17]

    def _fire_along_axes(self, tower: Cell) -> None:
        """Fire a contest tower: it removes two robots from each cell in range that is not the player's. [TF-R18]"""
        for cell in self._in_range(tower):
            land = self.land[cell]
            if land.owner != self.player:
                land.robots = max(0, land.robots - SHOT)

    def _move(self, move: Move) -> None:
        """Move robots. [section 7.1]"""
        source, target = self.land[move.cell], self.land[hexes.ahead(move.cell, move.direction)]
        source.robots -= move.amount  # and it keeps its owner
        if target.owner == self.player:
            target.robots += move.amount
            target.moved += move.amount  # TF-R20: robots already there may still move
        elif move.amount > target.robots:  # TF-5, TF-37, TF-39, TF-40, TF-42; holes too [TF-R23]
            target.robots = target.moved = move.amount - target.robots
            target.owner = self.player
        else:  # TF-38, TF-R21: at equal numbers the defender keeps the cell
            target.robots -= move.amount
        self.phase = MOVE

    def _build(self, build: Build) -> None:
        """Build. [section 7.3] [TF-8] [TF-43]"""
        site = self.land[build.cell]
        total = self._material_sum(build.cell, self.player)  # before anything changes [TF-R39]
        site.robots -= self._buildable[build.building - FACTORY].robots  # the rest stay [TF-R42]
        site.hole = False  # TF-11
        site.building = build.building
        if build.building == PUBLIC:
            site.bonus = PUBLIC_BONUS  # TF-20, TF-R29
        if build.building == PLAZA and self.config.ruleset == "contest":
            site.bonus = total - self._buildable[PLAZA - FACTORY].material
        reach = WIDEST.get(build.building, 0)
        for cell, land in self.land.items():  # the site is no longer territory [TF-R28]
            if hexes.distance(build.cell, cell) <= reach and self._is_territory(cell, self.player):
                land.building = PARK
        self.phase = BUILT

    # -- scores and the end ---------------------------------------------------------------------------

    def scores(self) -> list[int]:
        """Return each player's points.

        Territory counts 1, a base 3 plus its bonus, a hole 0. [TF-20] [TF-21] [TF-22] [TF-R23] [TF-R30]
        """
        return [
            sum(DEVELOPED + land.bonus if land.building else LAND * (not land.hole) for _, land in self._own(player))
            for player in PLAYERS
        ]

    def _is_over(self) -> bool:
        """Return whether the game ends; called only at the end of a player's turn. [section 8.2]"""
        if self.ply >= 3 * self.config.max_turns:  # TF-18
            return True
        if 0 < self.config.score_limit <= max(self.scores()):
            return True
        return self.config.end_all_developed and all(land.building for land in self.land.values())  # TF-17, TF-R31

    def is_terminal(self) -> bool:
        """Return whether the game is over."""
        return self.finished

    @property
    def ranks(self) -> list[int]:
        """The rank of each player by its current score, 1 to 3. [TF-R32]

        Of equal scores the later player ranks higher; with tie_break "shared" they share the rank.
        """
        scores = self.scores()
        order = [(score, player if self.config.tie_break == "later" else 0) for player, score in enumerate(scores)]
        return [1 + sum(other > own for other in order) for own in order]

    @property
    def winner(self) -> int:
        """The player with rank 1, -1 if several share it. [TF-2] [TF-19]"""
        ranks = self.ranks
        return ranks.index(1) if ranks.count(1) == 1 else -1

    def returns(self) -> list[float]:
        """Return (players ranked below - players ranked above) / 2 for each player; 0 before the end. [section 8.3]"""
        if not self.finished:
            return [0.0, 0.0, 0.0]
        ranks = self.ranks
        return [sum((rank > own) - (rank < own) for rank in ranks) / 2 for own in ranks]

    # -- events and observations ----------------------------------------------------------------------

    def events(self, player: int | None = None) -> list[dict[str, Any]]:
        """Return no events: everything is visible on the board."""
        if player is not None:
            place("player", player, 3)
        return []

    def observation(self, player: int) -> dict[str, Any]:
        """Return the arrays of section 9 as nested lists.

        Returns
        -------
        dict
            planes : float[24][N], by cell index.
            grid : float[24][2R+1][2R+1], the planes at row y + R and column x + R, 0 outside the board.
            scalars : float[12].
            canonical_planes, canonical_grid : planes and grid of the board rotated so that the third of `player` is T0.
        """
        v = place("player", player, 3)
        seen = {cell: self._look(cell, v) for cell in self.land}
        shown = {hexes.rotate(cell, -v): values for cell, values in seen.items()}
        scores = self.scores()
        scalars = [
            self.turn / self.config.max_turns,
            *(float(self.phase == phase) for phase in (CHOOSE, MOVE, BUILT)),
            *(scores[(v + k) % 3] for k in PLAYERS),
            *(float(v == seat) for seat in PLAYERS),
            (self.player - v) % 3,
            self.config.score_limit,
        ]
        return {
            "planes": self._planes(seen),
            "scalars": scalars,
            "grid": self._grid(seen),
            "canonical_planes": self._planes(shown),
            "canonical_grid": self._grid(shown),
        }

    def _look(self, cell: Cell, v: int) -> list[float]:
        """Return the 24 values of a cell as player v sees it."""
        land = self.land[cell]
        is_owner = [land.owner == (v + k) % 3 for k in PLAYERS]
        can_move = land.owner == self.player and not land.hole
        towers = [
            tower for tower, own_land in self._own(v) if own_land.building == TOWER and cell in self._in_range(tower)
        ]
        return [
            *map(float, is_owner),
            float(land.owner == NOBODY),
            float(land.hole),
            *(float(land.building == code) for code in range(HOME, PUBLIC + 1)),
            *(land.robots if owner else 0 for owner in is_owner),
            land.robots - land.moved if can_move else 0,
            self._material_of(cell),
            self._material_sum(cell, v) if land.owner == v and not land.building else 0,
            land.bonus,
            self._shields(cell),
            len(towers),
            1.0,
        ]

    def _planes(self, seen: Mapping[Cell, list[float]]) -> list[list[float]]:
        return [[seen[cell][plane] for cell in self.land] for plane in range(PLANES)]

    def _grid(self, seen: Mapping[Cell, list[float]]) -> list[list[list[float]]]:
        side = range(-self.config.radius, self.config.radius + 1)
        nothing = [0.0] * PLANES
        return [[[seen.get((x, y), nothing)[plane] for x in side] for y in side] for plane in range(PLANES)]
