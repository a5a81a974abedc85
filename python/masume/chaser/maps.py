"""Maps: what one is, the generator CH-GEN-1, the text files of map editors and servers, and the shipped ones."""

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
from ..errors import ConfigError, ConfigTypeError, NotationError

if TYPE_CHECKING:
    from .config import Config

Cell = tuple[int, int]  # row, column; row 0 on top, column 0 at the left

FLOOR, OPPONENT, BLOCK, ITEM = range(4)  # OPPONENT: no map has it, but what a player reads [CH-37]
STEPS = ((-1, 0), (0, 1), (0, -1), (1, 0))
"""(rows, columns) of direction 0..3: up, right, left, down. [CH-25]"""
SIZES = (1, 64)
TURN_LIMITS = (1, 10_000)
GENERATED = "[RANDOM MAP]"
PLAYERS = ("COOL", "HOT")
KIND = "map"  # the argument of `load` that takes a start


@dataclasses.dataclass(frozen=True)
class Map:
    """A field with two starts, as section 4.2 of the rules allows it; symmetry is not asked for. [CH-R20]

    rows : the values of the cells, 0 floor, 2 block, 3 item; 1..64 rows of 1..64, kept as tuples.
    cool, hot : the (row, column) where the players start: floor, apart, and not closed in. [CH-R22]
    turn_limit : turns of each player, 1..10000. name : text of one line.

    Raises ConfigError or ConfigTypeError, which begins with "map" and names what is wrong.
    """

    rows: tuple[tuple[int, ...], ...]
    cool: Cell
    hot: Cell
    turn_limit: int = 100
    name: str = ""

    def __post_init__(self) -> None:
        rows = tuple(
            tuple(_number(f"map: rows[{r}][{c}]", value) for c, value in enumerate(_items(f"map: rows[{r}]", row)))
            for r, row in enumerate(_items("map: rows", self.rows))
        )
        starts = [_start(player, getattr(self, player.lower())) for player in PLAYERS]
        turn_limit = _number("map: turn_limit", self.turn_limit)
        if not isinstance(self.name, str):
            raise ConfigTypeError(f"map: name: a string is wanted, not {self.name!r}")
        values = {"rows": rows, "cool": starts[0], "hot": starts[1], "turn_limit": turn_limit}
        for field, value in values.items():
            object.__setattr__(self, field, value)
        self._check()

    def _check(self) -> None:
        """The checks of section 4.2, in their order."""
        integer("map: height", self.height, *SIZES)
        for r, row in enumerate(self.rows):
            if len(row) != self.width:
                raise ConfigError(f"map: rows[{r}]: {self.width} values are wanted, as in the first, not {len(row)}")
        integer("map: width", self.width, *SIZES)
        if self.height * self.width < 2:
            raise ConfigError("map: rows: one cell is too few for two starts")
        for r, row in enumerate(self.rows):
            for c, value in enumerate(row):
                if value not in (FLOOR, BLOCK, ITEM):
                    raise ConfigError(f"map: rows[{r}][{c}]: {value} is none of 0, 2, 3")
        for player, start in zip(PLAYERS, self.starts, strict=True):
            if not (0 <= start[0] < self.height and 0 <= start[1] < self.width):
                raise ConfigError(f"map: {player.lower()}: {start} is outside the field")
            if self.value(start) != FLOOR:
                raise ConfigError(f"map: {player.lower()}: {start} is no floor")
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
        """Rows, 1..64."""
        return len(self.rows)

    @property
    def width(self) -> int:
        """Columns, 1..64."""
        return len(self.rows[0])

    @property
    def starts(self) -> tuple[Cell, Cell]:
        """The (row, column) of COOL and of HOT."""
        return self.cool, self.hot

    def value(self, cell: Cell) -> int:
        """0 floor, 2 block or 3 item; 2 outside the field. [section 3]"""
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
        """The map of a map file (section 14.9), given as text or as its bytes.

        Raises NotationError with line and column where the file is malformed, else what `Map` raises.
        """
        return cls(**_read(source))

    def to_text(self) -> str:
        """The map as a map file: the lines N, T, S, D.., C, H, each ended by LF; `parse` reads it."""
        lines = [f"N:{self.name}", f"T:{self.turn_limit}", f"S:{self.width},{self.height}"]
        lines += ["D:" + ",".join(map(str, row)) for row in self.rows]
        lines += [f"{player[0]}:{column},{row}" for player, (row, column) in zip(PLAYERS, self.starts, strict=True)]
        return "".join(line + "\n" for line in lines)


def neighbours(cell: Cell) -> list[Cell]:
    """The cells above, right, left and below, inside the field or not."""
    return [(cell[0] + down, cell[1] + right) for down, right in STEPS]


def mirror(cell: Cell, height: int, width: int) -> Cell:
    """The cell reflected in the centre of the field."""
    return height - 1 - cell[0], width - 1 - cell[1]


def _items(name: str, value: Any) -> tuple[Any, ...]:
    if not isinstance(value, list | tuple):
        raise ConfigTypeError(f"{name}: a list is wanted, not {value!r}")
    return tuple(value)


def _number(name: str, value: Any) -> int:
    """An int of whatever size; what size it may have is checked when all types are."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise ConfigTypeError(f"{name}: an int is wanted, not {value!r}")
    return value


def _start(player: str, value: Any) -> Cell:
    name = f"map: {player.lower()}"
    found = [_number(f"{name}[{n}]", item) for n, item in enumerate(_items(name, value))]
    if len(found) != 2:
        raise ConfigError(f"{name}: (row, column) is wanted, not {value!r}")
    return found[0], found[1]


# -- the generator ----------------------------------------------------------------------------------


def start_cells(height: int, width: int) -> list[Cell]:
    """The cells of COOL's half on which a generated game may start, in order. [CH-GEN-1 step 2]

    There the 3 x 3 windows of the two players are apart; there are none on fields too small for that.
    """
    return [
        (row, column)
        for row in range(height)
        for column in range(width)
        if (column < width - 1 - column or (column == width - 1 - column and row < height - 1 - row))
        and max(abs(height - 1 - 2 * row), abs(width - 1 - 2 * column)) >= 3
    ]


def room(height: int, width: int) -> int:
    """How many pairs of cells can be filled beside every pair of starts, -1 where there is no such pair.

    The start and its neighbours stay floor, and so do their mirror cells [CH-GEN-1 step 4]; the two groups never
    meet, because the starts are at least three rows or columns apart.
    """
    kept = [
        1 + sum(0 <= row < height and 0 <= column < width for row, column in neighbours(start))
        for start in start_cells(height, width)
    ]
    return height * width // 2 - max(kept) if kept else -1


def generate(height: int, width: int, turn_limit: int, n_blocks: int, n_items: int, seed: int) -> Map:
    """The map that CH-GEN-1 makes of these numbers, which a Config has checked. [CH-14] [CH-R21]"""
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
    """The fields of the Map that a map file holds. [section 14.9]"""
    found: dict[str, Any] = {}
    rows: list[tuple[int, ...]] = []
    size_line = 0
    number = 0
    for number, (key, value) in _lines(source):
        if key in found:
            raise NotationError(f"{key}: it is told twice", number, 1)
        if key == "N":
            found[key] = _text(value)
        elif key == "D":
            rows.append(_numbers(value, number))
        elif key == "T":
            found[key] = _numbers(value, number, 1)
        elif key in ("S", "C", "H"):
            found[key] = _numbers(value, number, 2)
            size_line = number if key == "S" else size_line
        else:
            raise NotationError(f"{key!r} is none of the keys N, T, S, D, C, H", number, 1)
    for key in ("C", "H"):
        if key not in found:
            raise NotationError(f"{key}: missing", max(1, number), 1)
    if not rows:
        raise NotationError("D: missing", max(1, number), 1)
    if found.get("S", (len(rows[0]), len(rows))) != (len(rows[0]), len(rows)):
        told = f"{len(rows[0])},{len(rows)}"
        raise NotationError(f"S: {found['S'][0]},{found['S'][1]} is not the size of the rows, {told}", size_line, 3)
    return {
        "rows": tuple(rows),
        "cool": found["C"][::-1],  # the file has x,y
        "hot": found["H"][::-1],
        "turn_limit": found.get("T", (100,))[0],
        "name": found.get("N", ""),
    }


def _lines(source: str | bytes) -> Iterator[tuple[int, tuple[str, bytes]]]:
    """(line number, (key, what follows the colon)) of each line that is not blank."""
    data = source.encode("utf-8", "surrogatepass") if isinstance(source, str) else bytes(source)
    for number, line in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        content = line.removesuffix(b"\r")
        if b"\r" in content:
            raise NotationError("a CR inside a line", number, content.index(b"\r") + 1)
        if content.strip(b" \t"):
            if content[1:2] != b":":
                raise NotationError(f"{_text(content)!r} has no colon as its second character", number, 2)
            yield number, (content[:1].decode("latin-1"), content[2:])


def _text(data: bytes) -> str:
    """The bytes as text: UTF-8, or else CP932 with replacement."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("cp932", "replace")


def _numbers(value: bytes, line: int, count: int = 0) -> tuple[int, ...]:
    """The numbers of a line, of which there must be `count` (0: any)."""
    found = []
    column = 3
    words = value.split(b",")
    for word in words:
        match = _NUMBER.fullmatch(word)
        if not match:
            raise NotationError(f"{_text(word)!r} is no number", line, column)
        found.append(int(match[1] + match[2]))
        column += len(word) + 1
    if count and len(found) != count:
        raise NotationError(f"{count} numbers are wanted, not {len(found)}", line, 3)
    return tuple(found)


# -- the shipped maps -------------------------------------------------------------------------------


@functools.cache
def load_shipped() -> Mapping[str, Map]:
    """The shipped maps by name, in alphabetical order."""
    paths = sorted((Path(__file__).parent / "shipped").glob("*.map"))
    return MappingProxyType({path.stem: Map.parse(path.read_bytes()) for path in paths})


def load_file(path: Path) -> dict[str, Map]:
    """The map of a map file, under its name; NotationError or ConfigError where it holds none."""
    found = Map.parse(path.read_bytes())
    return {found.name: found}


def generate_fields(config: Config, seed: int) -> dict[str, Any]:
    """The fields that, with the others of `config`, give the map of `seed` to every game. [CH-14]

    The seed of the config would not: it is not that of a game with a seed of its own.
    """
    return {KIND: config.start_map(seed)}


def facts(name: str, its: Map) -> dict[str, Any]:
    """What there is to say of a map in a line."""
    values = [value for row in its.rows for value in row]
    return {
        "name": name,
        "height": its.height,
        "width": its.width,
        "turn_limit": its.turn_limit,
        "blocks": values.count(BLOCK),
        "items": values.count(ITEM),
    }


def the_map(source: Any) -> Map:
    """The map that a Map is, or the text or the bytes of a map file.

    ConfigTypeError for anything else; else what `Map.parse` raises.
    """
    if isinstance(source, Map):
        return source
    if not isinstance(source, str | bytes):
        raise ConfigTypeError(f"map: a Map or the text of a map file is wanted, not {source!r}")
    return Map.parse(source)
