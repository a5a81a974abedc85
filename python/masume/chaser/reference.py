"""The rules of CHaser in plain Python: slow twin of the engine.

Implements those of CH-1 to CH-38, CH-45 and CH-R1 to CH-R32 of docs/rules/chaser.md that are rules of the game; those
of the wire are in the server. A field is two sets of cells; a player's knowledge is deduced only from the infos it has
received.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Self

from ..core.checks import action_of, place
from ..core.positions import Reference
from ..core.shapes import Int, Items, read
from ..errors import GameOverError, IllegalActionError, StateError
from . import notation
from .config import Config
from .knowledge import Knowledge, ahead, info_cells
from .maps import BLOCK, FLOOR, ITEM, OPPONENT, PLAYERS, Cell, mirror, neighbours
from .notation import (
    ATTACK,
    COLLISION,
    CONFINED,
    FOUL,
    NONE,
    PUT,
    REASONS,
    SCORE,
    TRAPPED,
    WALK,
)

ONGOING, DRAW = -1, 2  # values of `winner` in addition to the players 0 COOL and 1 HOT
ACTIONS = range(16)
KINDS = {"R": "ready", "A": "action", "M": "method", "E": "end"}


def distance(one: Cell, other: Cell) -> int:
    """Return the number of steps between two cells."""
    return abs(one[0] - other[0]) + abs(one[1] - other[1])


def methods_of(player: int, since: int, half: int) -> int:
    """Return the number of the player's methods among `since`, ..., `half` - 1; COOL has the even ones."""
    return (half + 1 - player) // 2 - (since + 1 - player) // 2


class State(Reference[Config]):
    """A CHaser position with the events that each player has seen, changed in place by `apply`.

    Attributes
    ----------
    config : Config
        Config of the game.
    blocks, items_left : set of (row, column)
        Cells that are blocks or hold an item; all other cells are floor.
    position : list of (row, column)
        Cells of COOL and HOT; one step outside the field for a player who has walked off.
    items : list of int
        Items collected by each player.
    half : int
        Number of methods played by both players.
    winner : int
        -1 ongoing, 0 COOL, 1 HOT, 2 draw.
    reason : int
        Reason for the end, an index into `notation.REASONS`.
    seen : list of list of str
        Events of each player since `begin`, as in its information state.
    begin : int
        The `half` at which this State was created: 0 for a new game; that of the position if it was read from a text
        or a dict, which contain no earlier events.
    begin_items : list of int
        Items of each player at `begin`.
    """

    notation = notation

    def __init__(self, config: Config) -> None:
        self.config = config
        self.blocks: set[Cell] = set()
        self.items_left: set[Cell] = set()
        self.position: list[Cell] = [(0, 0), (0, 0)]
        self.items = [0, 0]
        self.half = 0
        self.winner, self.reason = ONGOING, NONE
        self.begin = 0
        self.begin_items = [0, 0]
        self.is_generated = False
        self.seen: list[list[str]] = [[], []]
        self.last: list[tuple[int, str]] = []  # (player, event) pairs caused by the last call

    @classmethod
    def new(cls, config: Config, seed: int | None = None) -> Self:
        """Return the initial position; the seed (None: the config's) generates the map if the config has none."""
        start = config.start_map(config.seed if seed is None else seed)
        cells = [value for row in start.rows for value in row]
        state = cls(config)
        row, col = ([cell[k] for cell in start.starts] for k in range(2))
        nothing = {"items": [0, 0], "half": 0, "winner": ONGOING, "reason": NONE}
        state._load(cls._sizes(config) | {"cells": cells, "row": row, "col": col} | nothing)
        state.is_generated = config.map is None
        return state

    @classmethod
    def parse(cls, config: Config, text: str) -> Self:
        """Return the position that a text board shows; errors are those of `Reference.parse`."""
        return cls.from_dict(config, cls._sizes(config) | notation.parse(config, text))

    @staticmethod
    def _sizes(config: Config) -> dict[str, Any]:
        return {"height": config.height, "width": config.width, "turn_limit": config.turn_limit}

    def _load(self, variables: Mapping[str, Any]) -> None:
        """Check types and ranges of the variables of section 3, set them, and begin there."""
        config = self.config
        sizes = self._sizes(config)
        given = _check_variables(sizes, variables)
        columns = config.width
        for n, value in enumerate(given["cells"]):
            if value != FLOOR:
                (self.blocks if value == BLOCK else self.items_left).add(divmod(n, columns))
        self.position = list(zip(given["row"], given["col"], strict=True))
        self.items = list(given["items"])
        self.begin_items = list(given["items"])
        self.begin = self.half = given["half"]
        self.winner, self.reason = given["winner"], given["reason"]
        if not self.is_terminal():
            self._tell(self.mover, "R" + self._read_info(self.mover))

    def to_dict(self) -> dict[str, Any]:
        """Return the variables of section 3 under their names, as plain JSON types; seen events are not included."""
        return {
            **self._sizes(self.config),
            "cells": [self.raw((r, c)) for r in range(self.config.height) for c in range(self.config.width)],
            "row": [row for row, _ in self.position],
            "col": [column for _, column in self.position],
            "items": list(self.items),
            "half": self.half,
            "winner": self.winner,
            "reason": self.reason,
        }

    def clone(self) -> Self:
        """Return a new State equal to this one, with the same seen events."""
        other = type(self)(self.config)
        other.blocks, other.items_left = set(self.blocks), set(self.items_left)
        other.position, other.items = list(self.position), list(self.items)
        other.half, other.winner, other.reason = self.half, self.winner, self.reason
        other.begin, other.begin_items, other.is_generated = self.begin, list(self.begin_items), self.is_generated
        other.seen, other.last = [list(events) for events in self.seen], list(self.last)
        return other

    def __str__(self) -> str:
        return notation.to_text(self.to_dict())

    def _faults(self) -> Iterator[str]:
        """Yield the parts of the position that no game can reach."""
        if (self.winner == ONGOING) != (self.reason == NONE):
            yield f"reason: {REASONS[self.reason]} with winner {self.winner}"
            return
        for q, player in enumerate(PLAYERS):
            if self.items[q] > methods_of(q, 0, self.half):
                yield f"items[{q}]: {self.items[q]} of {methods_of(q, 0, self.half)} methods of {player}"
        # a foul ends the game in any position; every other end follows from the last method
        claim = self.winner, self.reason
        truth = self._judge()
        if self.reason == FOUL:
            if self.winner == DRAW:
                yield f"winner: {self.winner} by a foul"
            claim = ONGOING, NONE
        elif self.half == 0 and claim != (ONGOING, NONE):
            yield f"half: 0, but over by {REASONS[self.reason]}"
        if claim != truth:
            yield f"winner: {claim[0]} by {REASONS[claim[1]]}, but the position says {truth[0]} by {REASONS[truth[1]]}"
            return
        loser = {ATTACK: 1 - self.winner, COLLISION: 1 - self.winner}.get(self.reason)
        for q, cell in enumerate(self.position):
            if q != loser and self.raw(cell) != FLOOR:
                yield f"row[{q}]: {PLAYERS[q]} does not stand on floor but on {cell[0]},{cell[1]}"
            if q == loser and self.reason == ATTACK and not self._is_inside(cell):
                yield f"row[{q}]: {PLAYERS[q]} is outside the field on {cell[0]},{cell[1]}"

    # -- the field ------------------------------------------------------------------------------------

    def _is_inside(self, cell: Cell) -> bool:
        return 0 <= cell[0] < self.config.height and 0 <= cell[1] < self.config.width

    def raw(self, cell: Cell) -> int:
        """Return 0 for floor, 2 for a block or outside the field, 3 for an item; players do not count. [section 3]"""
        if not self._is_inside(cell) or cell in self.blocks:
            return BLOCK
        return ITEM if cell in self.items_left else FLOOR

    def digit(self, player: int, cell: Cell) -> int:
        """Return the digit that `player` reads there: 2 outside, else 1 for its opponent, else the cell.

        [CH-37] [CH-R15]
        """
        if not self._is_inside(cell):
            return BLOCK
        return OPPONENT if self.position[1 - player] == cell else self.raw(cell)  # nothing hides it [CH-R16]

    def _read_info(self, player: int, action: int | None = None) -> str:
        """Return the ten digits of an info. [CH-7] [CH-34]"""
        control = "0" if self.is_terminal() else "1"  # CH-35, CH-R17
        cells = info_cells(action, self.position[player])
        return control + "".join(str(self.digit(player, cell)) for cell in cells)

    def _tell(self, player: int, event: str) -> None:
        self.seen[player].append(event)
        self.last.append((player, event))

    # -- slots and legal actions ----------------------------------------------------------------------

    @property
    def mover(self) -> int:
        """Player of the next method: COOL first, then alternating. [CH-3] [CH-4] [CH-R2]"""
        return self.half % 2

    @property
    def slots(self) -> list[int]:
        """List with the player to move; empty at the end."""
        return [] if self.is_terminal() else [self.mover]

    @property
    def turns_left(self) -> int:
        """Remaining turns of the player to move, including this one; 0 at the turn limit. [CH-5]"""
        return self.config.turn_limit - self.half // 2

    def legal_actions(self, slot: int = 0) -> list[int]:
        """Return all 16 methods; none at the end. [CH-8] [CH-R23]"""
        place("slot", slot, 1)
        return [] if self.is_terminal() else list(ACTIONS)

    def legal_mask(self, slot: int = 0) -> list[int]:
        """Return 16 ones; zeros at the end."""
        place("slot", slot, 1)
        return [int(not self.is_terminal())] * len(ACTIONS)

    @property
    def safe_mask(self) -> list[int]:
        """Legal mask without the walks onto cells that read 2 in the ready info. [section 6]"""
        mask = self.legal_mask()
        if not self.is_terminal():
            for direction in range(4):
                target = ahead(self.position[self.mover], direction)
                mask[4 * WALK + direction] = int(self.digit(self.mover, target) != BLOCK)
        return mask

    def _context(self, slot: int) -> tuple[()]:
        place("slot", slot, 1)
        return ()

    # -- a method -------------------------------------------------------------------------------------

    def apply(self, action: int) -> None:
        """Play one method of the player to move. [section 7]

        The state is unchanged after an error.

        Parameters
        ----------
        action : int
            4 * kind + direction, 0..15.

        Raises
        ------
        IllegalActionError
            If the action is out of range.
        GameOverError
            If the game is over.
        ValueError
            If the action is not an int.
        """
        code = action_of(self, "action", action)
        if self.is_terminal():
            raise GameOverError(f"the game is over: action {action!r} cannot be played\n{self}")
        if code not in ACTIONS:
            raise IllegalActionError(f"action of player {self.mover}: expected 0..15, got {action!r}\n{self}")
        p = self.mover
        kind, direction = divmod(code, 4)
        here, target = self.position[p], ahead(self.position[p], direction)
        if kind == WALK:  # CH-27: always, even into a block, off the field, or onto the opponent [CH-R7] [CH-R10]
            self.position[p] = target
            if target in self.items_left:
                self.items_left.remove(target)
                self.items[p] += 1
                self.blocks.add(here)  # CH-15, CH-R5: also if the opponent is on it [CH-R6]
        elif kind == PUT and self._is_inside(target):  # CH-32; no effect outside [CH-R11]
            self.items_left.discard(target)  # CH-R12: nobody scores
            self.blocks.add(target)  # CH-R13: also on the opponent
        self.half += 1
        self.winner, self.reason = self._judge()
        self.last = []
        self._tell(p, "A" + notation.CODES[code])
        self._tell(p, "M" + self._read_info(p, code))  # CH-46: after the judgement, whose result is the control digit
        o = 1 - p
        self._tell(o, ("E" if self.is_terminal() else "R") + self._read_info(o))

    def _is_buried(self, player: int) -> bool:
        return self.raw(self.position[player]) == BLOCK

    def _is_boxed(self, player: int) -> bool:
        """Return whether all four sides are blocks or outside; an opponent is not a block. [CH-18] [CH-R8]"""
        return all(self.raw(cell) == BLOCK for cell in neighbours(self.position[player]))

    def _judge(self) -> tuple[int, int]:
        """Return (winner, reason) after the last method. [CH-12] [CH-R4]"""
        p = 1 - self.mover
        o = 1 - p
        if self._is_buried(o):  # CH-17; the opponent is judged before the mover [CH-R9]
            return p, ATTACK
        if self._is_boxed(o):
            return p, TRAPPED
        if self._is_buried(p):  # CH-19
            return o, COLLISION
        if self._is_boxed(p):
            return o, CONFINED
        if self.half < 2 * self.config.turn_limit:  # CH-R18: even if no item is left
            return ONGOING, NONE
        if self.items[0] == self.items[1]:  # CH-21
            return DRAW, SCORE
        return (0 if self.items[0] > self.items[1] else 1), SCORE  # CH-16

    def forfeit(self, player: int, cause: str = "FOUL") -> None:
        """End the game with a loss of `player`, to move or not; only the result changes. [CH-20] [CH-R24]

        Raises
        ------
        GameOverError
            If the game is over.
        ValueError
            If the cause is not FOUL.
        """
        place("player", player, 2)
        if self.is_terminal():
            raise GameOverError(f"the game is over: player {player} cannot forfeit\n{self}")
        if cause != "FOUL":
            raise ValueError(f"cause: chaser knows no forfeit by {cause!r}")
        self.winner, self.reason = 1 - player, FOUL
        self.last = []
        for q in range(2):
            self._tell(q, "E" + self._read_info(q))

    # -- scores and the end ---------------------------------------------------------------------------

    def scores(self) -> list[int]:
        """Return the items of each player."""
        return list(self.items)

    def is_terminal(self) -> bool:
        """Return whether the game is won or drawn."""
        return self.winner != ONGOING

    def returns(self) -> list[float]:
        """Return 1 for the winner and -1 for the loser; 0 for both in a draw and before the end. [section 8]"""
        if self.winner in (ONGOING, DRAW):
            return [0.0, 0.0]
        return [1.0, -1.0] if self.winner == 0 else [-1.0, 1.0]

    # -- views of the players -------------------------------------------------------------------------

    def events(self, player: int | None = None) -> list[dict[str, Any]]:
        """Return the events of the last call, in order. [section 9.3]

        Parameters
        ----------
        player : int, optional
            The player whose events are returned; None: those of both.

        Returns
        -------
        list of dict
            {"player": p, "event": "action", "action": two letters} or
            {"player": p, "event": "ready" | "method" | "end", "info": ten digits}. The start of a game causes COOL's
            ready event.
        """
        if player is not None:
            place("player", player, 2)
        return [
            {"player": q, "event": KINDS[event[0]], "action" if event[0] == "A" else "info": event[1:]}
            for q, event in self.last
            if player in (None, q)
        ]

    def information_state(self, player: int) -> str:
        """Return all events of `player`: C or H, then |R digits, |A letters, |M digits, |E digits. [section 9.3]"""
        place("player", player, 2)
        return "|".join([PLAYERS[player][0], *self.seen[player]])

    def knowledge(self, player: int) -> Knowledge:
        """Return the knowledge that `player` can deduce from its events. [section 9.4]"""
        place("player", player, 2)
        return Knowledge(player, self.seen[player], self.begin, self.half, self.begin_items[player])

    def observation(self, player: int) -> dict[str, Any]:
        """Return the observation of a player as nested lists, made only from its knowledge. [section 9.7]

        Returns
        -------
        dict
            ready : int[9]. last_action : int, -1 before the first. last_info : int[10]. scalars : int[5].
            planes : float[7][2H+17][2W+17]. mask : int[16].
        """
        known = self.knowledge(player)
        rows, columns = self.config.height + 8, self.config.width + 8

        def plane(values: Mapping[Cell, float]) -> list[list[float]]:
            cells = [[0.0] * (2 * columns + 1) for _ in range(2 * rows + 1)]
            for (row, column), value in values.items():
                cells[row + rows][column + columns] = value
            return cells

        def reading(value: int) -> dict[Cell, float]:
            return {cell: 1.0 for cell, (last, _) in known.last.items() if last == value}

        since = -1 if known.sighting is None else self.half - known.sighting[1]
        return {
            "ready": known.ready,
            "last_action": known.last_action,
            "last_info": known.last_info,
            "scalars": [player, self.half // 2, self.config.turn_limit, known.items, since],
            "planes": [
                plane(reading(FLOOR)),
                plane(reading(ITEM)),
                plane(reading(BLOCK)),
                plane({} if known.sighting is None else {known.sighting[0]: 1.0}),
                plane({known.place: 1.0}),
                plane(dict.fromkeys(known.visited, 1.0)),
                plane({cell: 1 / (1 + self.half - half) for cell, (_, half) in known.last.items()}),
            ],
            "mask": self.legal_mask(),
        }

    def full_observation(self) -> list[list[list[float]]]:
        """Return float[6][H][W], hidden from the players: floor, block, item, COOL, HOT, ones if HOT is to move."""
        cells = [[(r, c) for c in range(self.config.width)] for r in range(self.config.height)]
        cool, hot = self.position
        hot_moves = float(self.current_player == 1)
        return [
            *([[float(self.raw(cell) == value) for cell in row] for row in cells] for value in (FLOOR, BLOCK, ITEM)),
            *([[float(cell == place) for cell in row] for row in cells] for place in (cool, hot)),
            [[hot_moves for _ in row] for row in cells],
        ]

    # -- positions that a player considers possible ---------------------------------------------------

    def contradictions(self, player: int, variables: Mapping[str, Any]) -> list[str]:
        """Return the contradictions between a position and the events that `player` has seen. [section 9.6]

        Parameters
        ----------
        player : int
            The player to move.
        variables : mapping
            A position, as `to_dict` returns it.

        Returns
        -------
        list of str
            One line for each broken condition D1 to D10, beginning with its name; empty for a possible position.

        Raises
        ------
        ValueError
            If `player` is not to move.
        StateError
            If the variables are malformed.
        """
        place("player", player, 2)
        if self.current_player != player:
            raise ValueError(f"player: {player} is not to move")
        other = type(self)(self.config)
        other._load(variables)
        return [f"{name}: {fault}" for name, fault in self._contradictions(player, other)]

    def _contradictions(self, p: int, x: State) -> Iterator[tuple[str, str]]:
        known, o, half = self.knowledge(p), 1 - p, self.half
        played = methods_of(o, 0, half)
        own, foe = x.position[p], x.position[o]
        start = own[0] - known.place[0], own[1] - known.place[1]
        if (x.winner, x.half) != (ONGOING, half):
            yield "D1", f"winner {x.winner} and half {x.half}"
            return
        if x.items[p] != known.items:
            yield "D2", f"{x.items[p]} own items"
        if "R" + x._read_info(p) != self.seen[p][-1]:
            yield "D3", f"the ready info {x._read_info(p)}"
        if not known.is_possible(start, self.config.height, self.config.width):
            yield "D4", f"the start {start[0]},{start[1]}"
        changed = []
        for (row, column), (last, when) in known.last.items():
            cell = start[0] + row, start[1] + column
            if not x._is_inside(cell):
                continue
            now = x.raw(cell)
            reachable = {BLOCK: {BLOCK}, FLOOR: {FLOOR, BLOCK}, ITEM: {ITEM, FLOOR, BLOCK}}[last]
            if now not in (reachable if when < half else {last}):
                yield "D5", f"{now} on {cell[0]},{cell[1]}, which was {last}"
            if now != last:
                changed.append(when)
        for since in sorted(set(changed)):
            count = sum(when >= since for when in changed)
            if count > 2 * methods_of(o, since, half):
                yield "D6", f"{count} cells changed since half {since}"
        if x.raw(foe) != FLOOR:
            yield "D7", f"the opponent on {foe[0]},{foe[1]}"
        if known.sighting is not None:
            (row, column), when = known.sighting
            if distance(foe, (start[0] + row, start[1] + column)) > methods_of(o, when, half):
                yield "D8", f"the opponent on {foe[0]},{foe[1]}"
        elif self.is_generated and distance(foe, mirror(start, self.config.height, self.config.width)) > played:
            yield "D8", f"the opponent on {foe[0]},{foe[1]}"
        if not 0 <= x.items[o] <= played:
            yield "D9", f"{x.items[o]} items of the opponent"
        if any(x._is_buried(q) or x._is_boxed(q) for q in range(2)):
            yield "D10", "a player who has lost"


# -- checks of arguments ----------------------------------------------------------------------------


def _check_variables(sizes: Mapping[str, int], variables: Mapping[str, Any]) -> dict[str, Any]:
    """Return the variables of section 3, checked for type and range; raise StateError, which names the key."""
    height, width = sizes["height"], sizes["width"]
    shape = {name: Int(size, size) for name, size in sizes.items()} | {
        "half": Int(0, 2 * sizes["turn_limit"]), "winner": Int(ONGOING, DRAW), "reason": Int(NONE, SCORE),
        "cells": Items(Int(FLOOR, ITEM), height * width), "row": Items(Int(-1, height), 2),
        "col": Items(Int(-1, width), 2), "items": Items(Int(0, height * width - 2), 2),
    }  # fmt: skip
    values: dict[str, Any] = read("", variables, shape, StateError)
    if OPPONENT in values["cells"]:
        raise StateError(f"cells[{values['cells'].index(OPPONENT)}]: expected 0, 2 or 3, got 1")
    for player, (row, column) in enumerate(zip(values["row"], values["col"], strict=True)):
        if row in (-1, height) and column in (-1, width):
            raise StateError(f"row[{player}]: {row},{column} is more than a step outside the field")
    return values
