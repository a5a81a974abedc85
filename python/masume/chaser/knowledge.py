"""Knowledge of a player, deduced only from the infos it receives. [sections 9.1 and 9.4]"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from . import notation
from .maps import BLOCK, FLOOR, ITEM, OPPONENT, STEPS, Cell
from .notation import LOOK, SEARCH, WALK


def square(centre: Cell) -> list[Cell]:
    """Return the 3 x 3 cells around `centre`, row by row. [CH-36]"""
    return [(centre[0] + down, centre[1] + right) for down in (-1, 0, 1) for right in (-1, 0, 1)]


def ahead(cell: Cell, direction: int, distance: int = 1) -> Cell:
    """Return the cell `distance` steps away in a direction."""
    down, right = STEPS[direction]
    return cell[0] + down * distance, cell[1] + right * distance


def info_cells(action: int | None, position: Cell) -> list[Cell]:
    """Return the nine cells of the info after `action` (None: ready or end info) of a player on `position`."""
    if action is not None:
        kind, direction = divmod(action, 4)
        if kind == LOOK:  # CH-29, CH-30, CH-R14: not rotated
            return square(ahead(position, direction, 2))
        if kind == SEARCH:  # CH-31: nearest first
            return [ahead(position, direction, distance) for distance in range(1, 10)]
    return square(position)  # CH-23, CH-28, CH-33


class Knowledge:
    """Knowledge that a player can deduce from its events; cells are relative to its start. [section 9.4]

    Parameters
    ----------
    player : int
        0 COOL, 1 HOT.
    events : sequence of str
        Events of the player, as in its information state.
    begin : int
        The `half` at which the events begin.
    half : int
        The present `half`.
    items : int
        Items of the player at `begin`.

    Attributes
    ----------
    player : int
        The player.
    half : int
        The `half` of its next turn, or of this one after its ready info.
    place : (int, int)
        Cell of the player.
    visited : set of (int, int)
        Cells that it has stood on.
    items : int
        Number of items that it has collected.
    first : dict
        First value seen of each observed cell.
    last : dict
        Last value seen of each observed cell, with the `half` of that observation.
    sighting : tuple or None
        Cell and `half` of the last sighting of the opponent.
    ready : list of int
        Nine digits of the last ready info; zeros before the first.
    last_action : int
        Last own method; -1 before the first.
    last_info : list of int
        Ten digits of the info of that method; zeros before the first.
    """

    def __init__(self, player: int, events: Sequence[str], begin: int, half: int, items: int) -> None:
        self.place: Cell = (0, 0)
        self.visited = {self.place}
        self.items = items  # a player knows its own count even if its game began in the middle
        self.first: dict[Cell, int] = {}
        self.last: dict[Cell, tuple[int, int]] = {}
        self.sighting: tuple[Cell, int] | None = None
        self.ready = [0] * 9
        self.last_action = -1
        self.last_info = [0] * 10
        self.player = player
        self._end = half
        self.half = begin + (begin - player) % 2  # half of its next turn; public [CH-R32]
        self.hear(events)

    def hear(self, events: Iterable[str]) -> None:
        """Take in the following events."""
        for event in events:
            kind, text = event[0], event[1:]
            if kind == "A":
                self.last_action = notation.CODES.index(text)
                self._walk(self.last_action)
                continue
            digits = [int(digit) for digit in text]
            if kind == "R":
                self.ready = digits[1:]
                self._see(info_cells(None, self.place), digits[1:], self.half)
            elif kind == "M":
                self.last_info = digits
                self._see(info_cells(self.last_action, self.place), digits[1:], self.half + 1)
                self.half += 2
            else:
                self._see(info_cells(None, self.place), digits[1:], self._end)

    def _walk(self, action: int) -> None:
        """Record a walk: it always moves the player, and takes an item if the ready info showed one."""
        kind, direction = divmod(action, 4)
        if kind == WALK:
            target = ahead(self.place, direction)
            self.items += self.ready[square(self.place).index(target)] == ITEM
            self.place = target
            self.visited.add(target)

    def _see(self, cells: list[Cell], digits: list[int], half: int) -> None:
        for cell, digit in zip(cells, digits, strict=True):
            if digit == OPPONENT:
                self.sighting = cell, half
            value = FLOOR if digit == OPPONENT else digit
            self.first.setdefault(cell, value)
            self.last[cell] = value, half

    def is_possible(self, start: Cell, height: int, width: int) -> bool:
        """Return whether the start can be this cell of a field of this size."""

        def is_inside(cell: Cell) -> bool:
            return 0 <= start[0] + cell[0] < height and 0 <= start[1] + cell[1] < width

        outside = [cell for cell in self.last if not is_inside(cell)]
        return all(map(is_inside, self.visited)) and all(
            self.first[cell] == BLOCK and self.last[cell][0] == BLOCK for cell in outside
        )

    def possible_starts(self, height: int, width: int) -> list[Cell]:
        """Return the possible cells of the start, in row-major order."""
        cells = [(row, column) for row in range(height) for column in range(width)]
        return [cell for cell in cells if self.is_possible(cell, height, width)]
