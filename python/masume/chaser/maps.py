"""Maps: the class, the generator CH-GEN-1, the text files of map editors and servers, and the shipped maps."""

from __future__ import annotations

import dataclasses
import functools
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self

from ..core.config import integer
from ..core.rng import Rng
from ..core.shapes import Items, read
from ..errors import ConfigError, ConfigTypeError, NotationError

if TYPE_CHECKING:
    from .config import Config

Cell = tuple[int, int]  # row, column; row 0 on top, column 0 at the left

FLOOR, OPPONENT, BLOCK, ITEM = range(4)  # OPPONENT: only in what a player reads, never in a map [CH-37]
STEPS = ((-1, 0), (0, 1), (0, -1), (1, 0))
"""(rows, columns) of direction 0..3: up, right, left, down. [CH-25]"""
SIZES = (1, 64)
TURN_LIMITS = (1, 10_000)
GENERATED = "[RANDOM MAP]"
PLAYERS = ("COOL", "HOT")
KIND = "map"  # name of the argument of `load` that takes a map


@dataclasses.dataclass(frozen=True)
class Map:
    """A field with two starts, valid by section 4.2 of the rules; it need not be symmetric. [CH-R20]

    Attributes
    ----------
    rows : tuple of tuple of int
        Values of the cells, 0 floor, 2 block, 3 item; 1..64 rows of 1..64 columns.
    cool, hot : (int, int)
        (row, column) of the players' starts: two different cells, both floor and not closed in. [CH-R22]
    turn_limit : int
        Turns of each player, 1..10000.
    name : str
        Name of the map, one line.

    Raises
    ------
    ConfigError
        If a value is bad (ConfigTypeError for a wrong type); the message begins with "map" and names the value.
    """

    rows: tuple[tuple[int, ...], ...]
    cool: Cell
    hot: Cell
    turn_limit: int = 100
    name: str = ""

    def __post_init__(self) -> None:
        start = Items(int, 2)
        shapes = {"rows": Items(Items(int)), "cool": start, "hot": start, "turn_limit": int, "name": str}
        for name, shape in shapes.items():
            object.__setattr__(self, name, read(f"map: {name}", getattr(self, name), shape))
        self._check()

    def _check(self) -> None:
        """Make the checks of section 4.2, in their order."""
        integer("map: height", self.height, *SIZES)
        for r, row in enumerate(self.rows):
            if len(row) != self.width:
                raise ConfigError(f"map: rows[{r}]: expected {self.width} values, as in the first, got {len(row)}")
        integer("map: width", self.width, *SIZES)
        if self.height * self.width < 2:
            raise ConfigError("map: rows: one cell is too few for two starts")
        for r, row in enumerate(self.rows):
            for c, value in enumerate(row):
                if value not in (FLOOR, BLOCK, ITEM):
                    raise ConfigError(f"map: rows[{r}][{c}]: expected 0, 2 or 3, got {value}")
        for player, start in zip(PLAYERS, self.starts, strict=True):
            if not (0 <= start[0] < self.height and 0 <= start[1] < self.width):
                raise ConfigError(f"map: {player.lower()}: {start} is outside the field")
            if self.value(start) != FLOOR:
                raise ConfigError(f"map: {player.lower()}: {start} is not floor")
        if self.cool == self.hot:
            raise ConfigError(f"map: hot: {self.hot} is the start of COOL")
        integer("map: turn_limit", self.turn_limit, *TURN_LIMITS)
        for player, start in zip(PLAYERS, self.starts, strict=True):
            if all(self.value(cell) == BLOCK for cell in neighbours(start)):
                raise ConfigError(f"map: {player.lower()}: {start} is closed in on all four sides")
        if "\n" in self.name or "\r" in self.name:
            raise ConfigError(f"map: name: {self.name!r} has a line end")
        if any("\ud800" <= letter <= "\udfff" for letter in self.name):
            raise ConfigError(f"map: name: {self.name!r} has half a character")

    @property
    def height(self) -> int:
        """Number of rows, 1..64."""
        return len(self.rows)

    @property
    def width(self) -> int:
        """Number of columns, 1..64."""
        return len(self.rows[0])

    @property
    def starts(self) -> tuple[Cell, Cell]:
        """(row, column) of the starts of COOL and HOT."""
        return self.cool, self.hot

    def value(self, cell: Cell) -> int:
        """Return the value of a cell: 0 floor, 2 block or 3 item; 2 outside the field. [section 3]"""
        row, column = cell
        return self.rows[row][column] if 0 <= row < self.height and 0 <= column < self.width else BLOCK

    @property
    def is_symmetric(self) -> bool:
        """Whether cells and starts are point symmetric about the centre. [CH-14] [CH-R20]"""
        return self.rows == tuple(row[::-1] for row in self.rows[::-1]) and self.hot == mirror(
            self.cool, self.height, self.width
        )

    @classmethod
    def parse(cls, source: str | bytes) -> Self:
        """Return the map of a map file, given as text or as bytes. [section 14.9]

        Raises
        ------
        NotationError
            If the file is malformed; it gives line and column.
        ConfigError
            If the map is invalid, as in `Map`.
        """
        return cls(**_read(source))

    def to_text(self) -> str:
        """Return the map as a map file, which `parse` reads: the lines N, T, S, D.., C, H, each ended by LF."""
        lines = [f"N:{self.name}", f"T:{self.turn_limit}", f"S:{self.width},{self.height}"]
        lines += ["D:" + ",".join(map(str, row)) for row in self.rows]
        lines += [f"{player[0]}:{column},{row}" for player, (row, column) in zip(PLAYERS, self.starts, strict=True)]
        return "".join(line + "\n" for line in lines)


def neighbours(cell: Cell) -> list[Cell]:
    """Return the cells above, right, left and below, inside the field or not."""
    return [(cell[0] + down, cell[1] + right) for down, right in STEPS]


def mirror(cell: Cell, height: int, width: int) -> Cell:
    """Return the cell reflected in the centre of the field."""
    return height - 1 - cell[0], width - 1 - cell[1]


# -- the generator ----------------------------------------------------------------------------------


def start_cells(height: int, width: int) -> list[Cell]:
    """Return the cells of COOL's half on which a generated game may start, in order. [CH-GEN-1 step 2]

    From these cells the 3 x 3 windows of the two players do not overlap. Fields too small for that have none.
    """
    return [
        (row, column)
        for row in range(height)
        for column in range(width)
        if (column < width - 1 - column or (column == width - 1 - column and row < height - 1 - row))
        and max(abs(height - 1 - 2 * row), abs(width - 1 - 2 * column)) >= 3
    ]


def room(height: int, width: int) -> int:
    """Return the number of cell pairs that can be filled for every pair of starts; -1 if there is no such pair.

    The start and its neighbours stay floor, and so do their mirror cells [CH-GEN-1 step 4]. The two groups never
    overlap, because the starts are at least three rows or columns apart.
    """
    kept = [
        1 + sum(0 <= row < height and 0 <= column < width for row, column in neighbours(start))
        for start in start_cells(height, width)
    ]
    return height * width // 2 - max(kept) if kept else -1


def generate(height: int, width: int, turn_limit: int, n_blocks: int, n_items: int, seed: int) -> Map:
    """Return the map that CH-GEN-1 generates. [CH-14] [CH-R21]

    The arguments must be those of a valid Config; they are not checked here.

    Parameters
    ----------
    height, width : int
        Rows and columns, 1..64 each.
    turn_limit : int
        Turns of each player, 1..10000.
    n_blocks, n_items : int
        Number of blocks and items.
    seed : int
        Seed of the draws, 0..2**64-1.
    """
    rng = Rng(seed)
    last = height * width - 1
    candidates = start_cells(height, width)
    cool = candidates[rng.below(len(candidates))]  # step 3
    hot = mirror(cool, height, width)
    free = []
    for k in range(height * width):  # step 4
        row, column = divmod(k, width)
        near = min(abs(row - start[0]) + abs(column - start[1]) for start in (cool, hot)) < 2
        if k < last - k and not near:
            free.append(k)
    cells = [FLOOR] * (height * width)
    for i in range(n_blocks // 2 + n_items // 2):  # step 5
        j = i + rng.below(len(free) - i)
        free[i], free[j] = free[j], free[i]
        cells[free[i]] = cells[last - free[i]] = BLOCK if i < n_blocks // 2 else ITEM
    if n_items % 2:  # step 6
        cells[last // 2] = ITEM
    rows = tuple(tuple(cells[start : start + width]) for start in range(0, height * width, width))
    return Map(rows, cool, hot, turn_limit, GENERATED)


# -- map files --------------------------------------------------------------------------------------

_NUMBER = re.compile(rb"[ \t]*(-?)0*([0-9]{1,18})[ \t]*")


def _read(source: str | bytes) -> dict[str, Any]:
    """Return the fields of the Map in a map file. [section 14.9]"""
    if source[:1] in ("{", "[", b"{", b"["):
        raise NotationError("JSON, not a map file, whose lines begin with N:, T:, S:, D:, C: and H:", 1, 1)
    values: dict[str, Any] = {}
    rows: list[tuple[int, ...]] = []
    size_line = 0
    number = 0
    for number, (key, value) in _lines(source):
        if key in values:
            raise NotationError(f"{key}: given twice", number, 1)
        if key == "N":
            values[key] = _text(value)
        elif key == "D":
            rows.append(_numbers(value, number))
        elif key == "T":
            values[key] = _numbers(value, number, 1)
        elif key in ("S", "C", "H"):
            values[key] = _numbers(value, number, 2)
            size_line = number if key == "S" else size_line
        else:
            raise NotationError(f"expected one of the keys N, T, S, D, C, H, got {key!r}", number, 1)
    for key in ("C", "H"):
        if key not in values:
            raise NotationError(f"{key}: missing", max(1, number), 1)
    if not rows:
        raise NotationError("D: missing", max(1, number), 1)
    if values.get("S", (len(rows[0]), len(rows))) != (len(rows[0]), len(rows)):
        size = f"{len(rows[0])},{len(rows)}"
        raise NotationError(f"S: {values['S'][0]},{values['S'][1]} is not the size of the rows, {size}", size_line, 3)
    return {
        "rows": tuple(rows),
        "cool": values["C"][::-1],  # the file has x,y order
        "hot": values["H"][::-1],
        "turn_limit": values.get("T", (100,))[0],
        "name": values.get("N", ""),
    }


def _lines(source: str | bytes) -> Iterator[tuple[int, tuple[str, bytes]]]:
    """Yield (line number, (key, bytes after the colon)) for each line that is not blank."""
    data = source.encode("utf-8", "surrogatepass") if isinstance(source, str) else bytes(source)
    for number, line in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        content = line.removesuffix(b"\r")
        if b"\r" in content:
            raise NotationError("a CR inside a line", number, content.index(b"\r") + 1)
        if content.strip(b" \t"):
            if content[1:2] != b":":
                raise NotationError(f"{_text(content)!r:.60} has no colon as its second character", number, 2)
            yield number, (content[:1].decode("latin-1"), content[2:])


def _text(data: bytes) -> str:
    """Decode bytes as UTF-8, or else as CP932 with replacement."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("cp932", "replace")


def _numbers(value: bytes, line: int, count: int = 0) -> tuple[int, ...]:
    """Return the numbers of a line; there must be `count` of them (0: any number)."""
    found = []
    column = 3
    words = value.split(b",")
    for word in words:
        match = _NUMBER.fullmatch(word)
        if not match:
            raise NotationError(f"expected a number, got {_text(word)!r}", line, column)
        found.append(int(match[1] + match[2]))
        column += len(word) + 1
    if count and len(found) != count:
        raise NotationError(f"expected {count} numbers, got {len(found)}", line, 3)
    return tuple(found)


# -- the shipped maps -------------------------------------------------------------------------------


@functools.cache
def load_shipped() -> Mapping[str, Map]:
    """Return the shipped maps by name, in alphabetical order."""
    paths = sorted((Path(__file__).parent / "shipped").glob("*.map"))
    return MappingProxyType({path.stem: Map.parse(path.read_bytes()) for path in paths})


def load_file(path: Path) -> dict[str, Map]:
    """Return the map of a file under its name; raise NotationError or ConfigError if it is not a map file."""
    found = Map.parse(path.read_bytes())
    return {found.name: found}


def generate_fields(config: Config, seed: int) -> dict[str, Any]:
    """Return the fields that turn `config` into a config whose games all have the map of `seed`. [CH-14]

    They contain the map and not the seed, because a game with its own seed ignores the seed of the config.
    """
    return {KIND: config.start_map(seed)}


def facts(name: str, its: Map) -> dict[str, Any]:
    """Return the facts about a map that fit in one line."""
    values = [value for row in its.rows for value in row]
    return {
        "name": name,
        "width": its.width,
        "height": its.height,
        "turn_limit": its.turn_limit,
        "blocks": values.count(BLOCK),
        "items": values.count(ITEM),
    }


def the_map(source: Any) -> Map:
    """Return the map of a Map, or of the text or the bytes of a map file.

    Raises
    ------
    ConfigTypeError
        If `source` is anything else.
    NotationError, ConfigError
        As in `Map.parse`.
    """
    if isinstance(source, Map):
        return source
    if not isinstance(source, str | bytes):
        raise ConfigTypeError(f"map: expected a Map or the text of a map file, got {source!r}")
    return Map.parse(source)
