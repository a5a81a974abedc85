"""What a player can tell from the infos it receives, and from nothing else. [sections 9.1 and 9.4]"""

from __future__ import annotations

from collections.abc import Sequence

from . import notation
from .maps import BLOCK, FLOOR, ITEM, OPPONENT, STEPS, Cell
from .notation import LOOK, SEARCH, WALK


def square(centre: Cell) -> list[Cell]:
    """The 3 x 3 cells around `centre`, row by row. [CH-36]"""
    return [(centre[0] + down, centre[1] + right) for down in (-1, 0, 1) for right in (-1, 0, 1)]


def ahead(cell: Cell, direction: int, distance: int = 1) -> Cell:
    """The cell so many steps away."""
    down, right = STEPS[direction]
    return cell[0] + down * distance, cell[1] + right * distance


def info_cells(action: int | None, position: Cell) -> list[Cell]:
    """The nine cells of the info after `action` (None: ready or end info) of a player who stands on `position`."""
    if action is not None:
        kind, direction = divmod(action, 4)
        if kind == LOOK:  # CH-29, CH-30, CH-R14: not rotated
            return square(ahead(position, direction, 2))
        if kind == SEARCH:  # CH-31: nearest first
            return [ahead(position, direction, distance) for distance in range(1, 10)]
    return square(position)  # CH-23, CH-28, CH-33


class Knowledge:
    """What a player can deduce from its events alone; cells are relative to its own start. [section 9.4]

    place : where it is. visited : the cells it has stood on. items : what it has collected.
    first, last : of each observed cell the first value seen, and the last one with the `half` it was seen at.
    sighting : where the opponent was last seen and at which `half`, or None.
    ready, last_action, last_info : the nine digits of the last ready info, the last own method and the ten digits
    of its info; zeros and -1 before.
    """

    def __init__(self, player: int, events: Sequence[str], begin: int, half: int, items: int) -> None:
        self.place: Cell = (0, 0)
        self.visited = {self.place}
        self.items = items  # its own count is what even a player without a past knows
        self.first: dict[Cell, int] = {}
        self.last: dict[Cell, tuple[int, int]] = {}
        self.sighting: tuple[Cell, int] | None = None
        self.ready = [0] * 9
        self.last_action = -1
        self.last_info = [0] * 10
        turn = begin + (begin - player) % 2  # the half of the own turn: public [CH-R32]
        for event in events:
            kind, text = event[0], event[1:]
            if kind == "A":
                self.last_action = notation.CODES.index(text)
                self._walk(self.last_action)
                continue
            digits = [int(digit) for digit in text]
            if kind == "R":
                self.ready = digits[1:]
                self._see(info_cells(None, self.place), digits[1:], turn)
            elif kind == "M":
                self.last_info = digits
                self._see(info_cells(self.last_action, self.place), digits[1:], turn + 1)
                turn += 2
            else:
                self._see(info_cells(None, self.place), digits[1:], half)

    def _walk(self, action: int) -> None:
        """A walk always displaces; it takes an item where the ready info showed one."""
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
        """Whether the own start can be this cell of a field of this size."""

        def is_inside(cell: Cell) -> bool:
            return 0 <= start[0] + cell[0] < height and 0 <= start[1] + cell[1] < width

        outside = [cell for cell in self.last if not is_inside(cell)]
        return all(map(is_inside, self.visited)) and all(
            self.first[cell] == BLOCK and self.last[cell][0] == BLOCK for cell in outside
        )

    def possible_starts(self, height: int, width: int) -> list[Cell]:
        """The cells that the own start can be, in order."""
        cells = [(row, column) for row in range(height) for column in range(width)]
        return [cell for cell in cells if self.is_possible(cell, height, width)]
