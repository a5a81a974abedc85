"""Stages: the Stage class, stage files, the built-in stages and the random generator. [sections 4.2 to 4.4]"""

from __future__ import annotations

import dataclasses
import functools
import json
import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from ..core.config import choice, describe_unknown, integer
from ..core.rng import Rng
from ..core.shapes import Int, Items, read
from ..errors import ConfigError, ConfigTypeError, StageError

if TYPE_CHECKING:
    from .config import Config

Cell = tuple[int, int]  # row, column; row 0 on top, column 0 at the left

STEPS = ((-1, 0), (0, 1), (1, 0), (0, -1))
"""(rows, columns) of direction 0..3: north, east, south, west. [section 3]"""
DIAGONALS = ((-1, -1), (-1, 1), (1, 1), (1, -1))
SIDES = (1, 32)
LIMITS = {"max_mice": (1, 255), "require": (1, 255), "turns": (1, 9999)}
MAX_AMOUNT = 10**12  # mg of one food
DEFAULT = "garden"
KIND = "stage"  # the config field that holds the start
FIRST_LINE = "nezumi-stage 1"
BLANKS = " \t"
UNITS = {"mg": 1, "g": 1000, "kg": 1_000_000}  # [NZ-R24]
MAX_KIND = 32  # code points in the name of a food


class Food(NamedTuple):
    """A food of a stage: its letter on the map, its kind (several letters may share one) and its mg. [NZ-53] [NZ-54]"""

    letter: str
    kind: str
    amount: int


@dataclasses.dataclass(frozen=True, repr=False)
class Stage:
    """The fixed part of a game: walls, zone, food, the cat's start and the numbers of the stage. [NZ-4]

    A cell is row * width + column. Zone and food may overlap, and the cat may start in the zone or on food.

    Parameters
    ----------
    name : str
        One line of text, without blanks at its ends.
    height, width : int
        Size in cells, 1..32.
    wall, zone : sequence of int
        0 or 1 for each of the height * width cells, row by row.
    food : sequence of int
        mg on each cell, 0..10**12; 0 for none.
    cat : int
        Cell where the cat starts.
    max_mice : int
        Stock of mice, 1..255.
    require : int
        Quota of captures, 1..max_mice.
    turns : int
        Turn limit, 1..9999.
    foods : sequence of Food, optional
        The foods of a stage file. If `foods` and `letters` are omitted, each distinct amount gets a letter.
    letters : str, optional
        Letter of the food on each cell, "." for none.

    Raises
    ------
    StageError
        If the stage is invalid; `code` is S04, S05, S08, S11, S13, S14 or S15. [section 4.2]
    """

    name: str
    height: int
    width: int
    wall: tuple[int, ...]
    zone: tuple[int, ...]
    food: tuple[int, ...]
    cat: int
    max_mice: int
    require: int
    turns: int
    foods: tuple[Food, ...] = ()
    letters: str = ""

    def __post_init__(self) -> None:
        self._set("name", _name(self.name))
        for field in ("height", "width"):
            self._check(field, Int(*SIDES), "S08")
        count = self.height * self.width
        for field, high in (("wall", 1), ("zone", 1), ("food", MAX_AMOUNT)):
            self._check(field, Items(Int(0, high), count), "S15")
        self._check("cat", Int(0, count - 1), "S15")
        for field, limits in LIMITS.items():
            self._check(field, Int(*limits), "S04")
        if self.require > self.max_mice:
            raise StageError(f"stage: require: {self.require} is more than max_mice, {self.max_mice}", "S05")
        for cell in range(count):
            if self.wall[cell] and (self.zone[cell] or self.food[cell] or self.cat == cell):
                thing = "the cat" if self.cat == cell else "zone" if self.zone[cell] else "food"
                raise StageError(f"stage: wall[{cell}]: {thing} is on it", "S15")
        if self.letters or self.foods:
            self._check_letters()
        else:
            self._set_letters()
        self.check_playable()

    def _set(self, field: str, value: Any) -> None:
        object.__setattr__(self, field, value)

    def _check(self, field: str, shape: Any, code: str) -> None:
        """Set a field to what its shape reads; raise StageError of this code if it has another shape."""
        self._set(field, read(f"stage: {field}", getattr(self, field), shape, functools.partial(StageError, code=code)))

    def _check_letters(self) -> None:
        """Check that `foods` and `letters` agree with the amounts in `food`."""
        self._set("foods", tuple(Food(*food) for food in self.foods))
        amounts = {food.letter: food.amount for food in self.foods}
        told = tuple(amounts.get(letter, 0) for letter in self.letters)
        if told != self.food:
            raise StageError("stage: letters: they do not match the amounts of food", "S15")

    def _set_letters(self) -> None:
        """Assign a letter to each amount; with more than 26 amounts no stage file can hold the stage."""
        amounts = sorted(set(self.food) - {0})
        foods = tuple(Food(chr(ord("a") + n), "food", amount) for n, amount in enumerate(amounts))
        letter_of = {food.amount: food.letter for food in foods}
        self._set("foods", foods)
        self._set("letters", "".join(letter_of.get(amount, ".") for amount in self.food))

    def check_playable(self) -> None:
        """Check that zone, food and cat are connected, and that placement alone cannot decide the game. [NZ-R27]

        Raises
        ------
        StageError
            If the stage is not playable; `code` is S11, S13 or S14.
        """
        for code, message, _ in _faults(**{field: getattr(self, field) for field in _PLAYABLE}):
            raise StageError(f"stage: {message}", code)

    def __repr__(self) -> str:
        return f"Stage({self.name!r}, {self.width}x{self.height})"

    @property
    def rows(self) -> list[str]:
        """The map as in a stage file, one str per row; the cat hides food, food hides the zone."""
        marks = [
            "#" if wall else "Z" if zone and letter == "." else letter
            for wall, zone, letter in zip(self.wall, self.zone, self.letters, strict=True)
        ]
        marks[self.cat] = "C"
        return ["".join(marks[start : start + self.width]) for start in range(0, len(marks), self.width)]

    @property
    def has_text(self) -> bool:
        """Whether a stage file can hold the stage: at most 26 foods; zone, food and cat start on different cells."""
        apart = not any(zone and food for zone, food in zip(self.zone, self.food, strict=True))
        return apart and not self.zone[self.cat] and not self.food[self.cat] and len(self.foods) <= 26

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the stage of a stage file, given as text.

        Raises
        ------
        StageError
            If the text is not a valid stage; the error has `code`, `line` and `column`.
        """
        return cls(**_read(text))

    def to_text(self) -> str:
        """Return the stage as the text of a stage file in canonical form; `parse` reads it. [section 4.2]

        Raises
        ------
        ValueError
            If `has_text` is False.
        """
        if not self.has_text:
            raise ValueError(f"stage: {self.name!r}: no stage file can hold it")
        lines = [FIRST_LINE, f"name: {self.name}".rstrip(BLANKS)]
        lines += [f"{field}: {getattr(self, field)}" for field in LIMITS]
        lines += [f"food: {food.letter} {food.kind} {food.amount}mg" for food in sorted(self.foods)]
        return "".join(line + "\n" for line in [*lines, "map:", *self.rows])

    def to_json(self) -> str | dict[str, Any]:
        """Return the stage as plain JSON types: its text, or a dict of its arrays if `has_text` is False.

        `the_stage` reads both.
        """
        if self.has_text:
            return self.to_text()
        return {name: list(value) if isinstance(value, tuple) else value for name, value in self._arrays()}

    def _arrays(self) -> Iterator[tuple[str, Any]]:
        for field in ARRAYS:
            yield field, getattr(self, field)


ARRAYS = tuple(field.name for field in dataclasses.fields(Stage) if field.name not in ("foods", "letters"))


def neighbours(cell: int, height: int, width: int, steps: Iterable[Cell] = STEPS) -> list[int]:
    """Return the cells one step away that are on the board, in the order of `steps`.

    Parameters
    ----------
    cell : int
        row * width + column.
    height, width : int
        Size of the board.
    steps : iterable of (int, int), optional
        (rows, columns) of each step. Default: north, east, south, west.
    """
    row, column = divmod(cell, width)
    return [
        (row + down) * width + column + right
        for down, right in steps
        if 0 <= row + down < height and 0 <= column + right < width
    ]


def distances(start: int, height: int, width: int, wall: Sequence[int]) -> dict[int, int]:
    """Return the number of steps from a cell to each reachable cell.

    Parameters
    ----------
    start : int
        The cell to start from.
    height, width : int
        Size of the board.
    wall : sequence of int
        1 for a wall, 0 otherwise, for each cell, row by row.

    Returns
    -------
    dict of int to int
        Steps by cell, in the order of a breadth-first search with directions N, E, S, W.
    """
    found = {start: 0}
    queue = deque([start])
    while queue:
        cell = queue.popleft()
        for following in neighbours(cell, height, width):
            if not wall[following] and following not in found:
                found[following] = found[cell] + 1
                queue.append(following)
    return found


_PLAYABLE = ("height", "width", "wall", "zone", "food", "cat", "max_mice")


def _faults(
    height: int, width: int, wall: Sequence[int], zone: Sequence[int], food: Sequence[int], cat: int, max_mice: int
) -> Iterator[tuple[str, str, int]]:
    """Yield (code, message, cell) for each reason why the stage is not playable: S11, S13, S14. [NZ-R27]"""
    if not any(is_zone and cell != cat for cell, is_zone in enumerate(zone)):
        yield "S11", "zone: empty, except for the cat's start", cat
    reached = distances(cat, height, width, wall)
    if not any(zone[cell] for cell in reached):
        yield "S13", "zone: no way leads from the cat to it", cat
    for cell, amount in enumerate(food):
        if amount and cell not in reached:
            yield "S13", f"food: no way leads from the cat to {cell // width},{cell % width}", cell
    near = [cell for cell in neighbours(cat, height, width, DIAGONALS) if not wall[cell]]
    if 1 <= len(near) <= max_mice and all(zone[cell] for cell in near):
        yield "S14", "cat: mice put into the zone surround it before its first move", cat


def _name(value: Any) -> str:
    if not isinstance(value, str):
        raise ConfigTypeError(f"stage: name: expected a string, got {value!r}")
    if "\n" in value or value.lstrip(BLANKS).rstrip(BLANKS + "\r") != value:
        raise StageError(f"stage: name: {value!r} has a line end, or a blank at an end", "S15")
    return value


# -- stage files ------------------------------------------------------------------------------------

_INTEGER = re.compile(r"[0-9]{1,9}")
_WORD = re.compile(r"[^ \t]+")
_AMOUNT = re.compile(r"([0-9]{1,15})(?:\.([0-9]{1,6}))?(mg|g|kg)")
_KEYS = ("name", *LIMITS)


class _Header(NamedTuple):
    """The value of a header line and its position."""

    value: str
    line: int
    column: int


def _read(text: str) -> dict[str, Any]:
    """Return the Stage fields in the text of a stage file."""
    lines = [line.rstrip(BLANKS + "\r") for line in text.split("\n")]
    headers: dict[str, _Header] = {}
    foods: dict[str, Food] = {}
    is_begun = False
    number = 0
    for number, line in enumerate(lines, 1):
        if not line or line.startswith(";"):
            continue
        if not is_begun:
            if line != FIRST_LINE:
                raise StageError(f"expected {FIRST_LINE!r} as the first line, got {line!r:.60}", "S01", number, 1)
            is_begun = True
        elif line == "map:":
            break
        else:
            _read_header(line, number, headers, foods)
    else:
        code, missing = ("S03", "map") if is_begun else ("S01", FIRST_LINE)
        raise StageError(f"{missing}: missing", code, number, 1)
    for key in _KEYS:
        if key not in headers:
            raise StageError(f"{key}: missing", "S03", number, 1)
    numbers = {key: int(headers[key].value) for key in LIMITS}
    if numbers["require"] > numbers["max_mice"]:
        problem = f"require: {numbers['require']} is more than max_mice, {numbers['max_mice']}"
        raise StageError(problem, "S05", *headers["require"][1:])
    rows = lines[number:]
    while rows and not rows[-1]:
        rows.pop()
    fields = _read_map(rows, number, foods)
    fields |= {"name": headers["name"].value, **numbers, "foods": tuple(foods[letter] for letter in sorted(foods))}
    for code, message, cell in _faults(**{field: fields[field] for field in _PLAYABLE}):
        row, column = divmod(cell, fields["width"])
        raise StageError(message, code, number + 1 + row, column + 1)
    return fields


def _read_header(line: str, number: int, headers: dict[str, _Header], foods: dict[str, Food]) -> None:
    """Read a header line into `headers` or `foods`."""
    key, colon, rest = line.partition(":")
    value = rest.lstrip(BLANKS)
    column = 1 + len(line) - len(value)
    if not colon:
        raise StageError(f"{line!r:.60} has no colon", "S02", number, 1)
    if key == "food":
        food = _read_food(line, number, 1 + len(key) + 1)
        if food.letter in foods:
            raise StageError(f"food: {food.letter} is given twice", "S06", number, column)
        foods[food.letter] = food
        return
    if key not in _KEYS:
        raise StageError(f"expected one of the headers {', '.join(_KEYS)}, food, map, got {key!r}", "S02", number, 1)
    if key in headers:
        raise StageError(f"{key}: given twice", "S02", number, 1)
    if key in LIMITS:
        low, high = LIMITS[key]
        if not _INTEGER.fullmatch(value) or not low <= int(value) <= high:
            raise StageError(f"{key}: expected {low}..{high}, got {value!r}", "S04", number, column)
    headers[key] = _Header(value, number, column)


def _read_food(line: str, number: int, start: int) -> Food:
    """Return the food of a line `food: letter kind amount`; the words begin after column `start`."""
    words = list(_WORD.finditer(line, start - 1))
    if len(words) != 3:
        raise StageError(f"food: expected a letter, a kind and an amount, got {len(words)} words", "S06", number, start)
    letter, kind, amount = (word[0] for word in words)
    columns = [word.start() + 1 for word in words]
    if not ("a" <= letter <= "z" and len(letter) == 1):
        raise StageError(f"food: expected a letter a..z, got {letter!r}", "S06", number, columns[0])
    if len(kind) > MAX_KIND:
        raise StageError(f"food: {kind!r} has more than {MAX_KIND} letters", "S06", number, columns[1])
    return Food(letter, kind, _read_amount(amount, number, columns[2]))


def _read_amount(text: str, line: int, column: int) -> int:
    """Return the mg of an amount such as 1.5g. [NZ-54]"""
    match = _AMOUNT.fullmatch(text)
    if not match:
        raise StageError(f"food: expected an amount in mg, g or kg, got {text!r}", "S06", line, column)
    millionths = int(match[1] + (match[2] or "").ljust(6, "0")) * UNITS[match[3]]
    amount, rest = divmod(millionths, 1_000_000)
    if rest or not 1 <= amount <= MAX_AMOUNT:
        raise StageError(f"food: expected a whole number of mg in 1..{MAX_AMOUNT}, got {text!r}", "S06", line, column)
    return amount


def _read_map(rows: list[str], above: int, foods: Mapping[str, Food]) -> dict[str, Any]:
    """Return the Stage fields in the rows of a map; `above` is the number of the line before them."""
    width = len(rows[0]) if rows else 0
    if not width:
        raise StageError("map: empty", "S07", above + bool(rows), 1)
    for number, row in enumerate(rows, above + 1):
        if len(row) != width:
            raise StageError(f"map: expected {width} cells, as in the first row, got {len(row)}", "S07", number, 1)
    if len(rows) > SIDES[1]:
        raise StageError(f"map: {len(rows)} rows are more than {SIDES[1]}", "S08", above + SIDES[1] + 1, 1)
    if width > SIDES[1]:
        raise StageError(f"map: {width} columns are more than {SIDES[1]}", "S08", above + 1, SIDES[1] + 1)
    cats = []
    for number, row in enumerate(rows, above + 1):
        for column, mark in enumerate(row, 1):
            if "a" <= mark <= "z":
                if mark not in foods:
                    raise StageError(f"map: {mark!r} has no food line", "S12", number, column)
            elif mark == "C":
                cats.append((number, column))
            elif mark not in "#.Z":
                raise StageError(f"map: expected one of # . Z C a..z, got {mark!r}", "S09", number, column)
    if len(cats) != 1:
        raise StageError(f"map: expected one C, got {len(cats)}", "S10", *(cats[1] if cats else (above + 1, 1)))
    marks = "".join(rows)
    return {
        "height": len(rows),
        "width": width,
        "wall": tuple(int(mark == "#") for mark in marks),
        "zone": tuple(int(mark == "Z") for mark in marks),
        "food": tuple(foods[mark].amount if mark in foods else 0 for mark in marks),
        "cat": marks.index("C"),
        "letters": "".join(mark if mark in foods else "." for mark in marks),
    }


def the_stage(source: Any) -> Stage:
    """Return the Stage that `source` describes.

    Parameters
    ----------
    source : Stage, str or dict
        A Stage, the text of a stage file (a str with a line break), the name of a built-in stage or one of the
        course, or the result of `Stage.to_json`.

    Raises
    ------
    StageError
        If the stage is invalid.
    ConfigError
        If the name is unknown or a field is missing or unknown.
    ConfigTypeError
        If `source` has another type.
    """
    if isinstance(source, Stage):
        return source
    if isinstance(source, str):
        return Stage.parse(source) if "\n" in source else load_named()[choice(KIND, source, load_named())]
    if not isinstance(source, Mapping):
        raise ConfigTypeError(f"{KIND}: expected a Stage, a name or a stage file's text, got {source!r}")
    for name in (*source, *ARRAYS):
        if name not in ARRAYS or name not in source:
            what = "missing" if name in ARRAYS else f"no such field; the fields are {', '.join(ARRAYS)}"
            raise ConfigError(f"{KIND}: {name}: {what}")
    return Stage(**source)


def load_file(path: Path) -> dict[str, Stage]:
    """Return the stage of a stage file as {name: Stage}.

    Raises
    ------
    ConfigError
        If the file is not UTF-8.
    StageError
        If the text is not a valid stage.
    """
    try:
        text = path.read_bytes().decode()
    except UnicodeDecodeError as error:
        raise ConfigError(f"{KIND}: {path}: not UTF-8: {error}") from None
    found = Stage.parse(text)
    return {found.name: found}


# -- the built-in stages ----------------------------------------------------------------------------

NAMES = ("garden", "pantry", "ring", "pillars", "vault", "crossroads", "siege", "warren", "feast", "granary")


@functools.cache
def load_shipped() -> Mapping[str, Stage]:
    """Return the built-in stages by name, in order of difficulty. [section 4.3]"""
    folder = Path(__file__).parent / "shipped"
    return MappingProxyType({name: Stage.parse((folder / f"{name}.stage").read_text("utf-8")) for name in NAMES})


GROUPS = ("tutorial", "food", "crowd", "cat", "siege")
"""Kinds of stages of the course."""


class CourseStage(NamedTuple):
    """A stage of the course, which leads from easy to hard.

    Attributes
    ----------
    name : str
        Name of the stage.
    stage : Stage
    group : str
        One of GROUPS; a crowd needs all its mice, or more than half of them, a siege has no food.
    side : str
        "cat" or "mice": who reaches the par, and wins with it.
    par : int
        The final score, mg, that the mice reach against the best cat; in a siege, the turns in which they surround it.
    is_exact : bool
        Whether perfect play has been worked out; else the par is the best play known.
    teaches : dict of str to str
        What the stage teaches, by language.
    """

    name: str
    stage: Stage
    group: str
    side: str
    par: int
    is_exact: bool
    teaches: Mapping[str, str]


@functools.cache
def load_course() -> Mapping[str, CourseStage]:
    """Return the thirty stages of the course by name, from easy to hard."""
    folder = Path(__file__).parent / "shipped" / "course"
    listed = json.loads((folder / "index.json").read_text("utf-8"))
    found = {}
    for one in listed:
        stage = Stage.parse((folder / f"{one['name']}.stage").read_text("utf-8"))
        told = (one[field] for field in ("group", "side", "par", "exact", "teaches"))
        found[one["name"]] = CourseStage(one["name"], stage, *told)
    return MappingProxyType(found)


@functools.cache
def load_named() -> Mapping[str, Stage]:
    """Return all stages that a name can mean: the built-in ones, then those of the course."""
    course = {name: lesson.stage for name, lesson in load_course().items()}
    return MappingProxyType({**load_shipped(), **course})


def facts(name: str, its: Stage) -> dict[str, Any]:
    """Return the numbers of a stage for one line of a list.

    Returns
    -------
    dict
        name, height, width, max_mice, require, turns, zone (number of cells), foods (number of cells with food) and
        food_mg (total food, mg).
    """
    return {
        "name": name,
        "width": its.width,
        "height": its.height,
        "max_mice": its.max_mice,
        "require": its.require,
        "turns": its.turns,
        "zone": sum(its.zone),
        "foods": sum(map(bool, its.food)),
        "food_mg": sum(its.food),
    }


def picture(its: Stage) -> str:
    """Return the map of a stage as in a stage file."""
    return "\n".join(its.rows)


# -- the generator ----------------------------------------------------------------------------------

PARAMETERS = {
    "seed": (0, 2**64 - 1),
    "height": (5, 32),
    "width": (5, 32),
    "walls_pct": (0, 40),
    "max_mice": (1, 255),
    "zone": (1, 64),
    "foods": (0, 256),
    "turns": (0, 9999),
    "require": (0, 255),
    "richness": (1, 10_000),
}


def generate(
    seed: int,
    height: int = 9,
    width: int = 9,
    walls_pct: int = 20,
    max_mice: int = 5,
    zone: int = 4,
    foods: int = 10,
    turns: int = 0,
    require: int = 0,
    richness: int = 150,
) -> str:
    """Return the text of a random stage with these parameters, connected and playable. [section 4.4]

    Parameters
    ----------
    seed : int
        0..2**64 - 1.
    height, width : int, optional
        Size in cells, 5..32.
    walls_pct : int, optional
        Number of cells drawn as walls, in percent of all cells, 0..40. Draws that repeat a cell or would split the
        floor have no effect.
    max_mice : int, optional
        Stock of mice, 1..255.
    zone : int, optional
        Number of zone cells, 1..64.
    foods : int, optional
        Number of cells with food, 0..256.
    turns : int, optional
        Turn limit, 1..9999; 0 for height + width.
    require : int, optional
        Quota of captures, 1..max_mice; 0 for max(1, (max_mice + 1) // 2).
    richness : int, optional
        Amount of food, 1..10000, in percent of the cost of (max_mice + 1) // 2 mice for the whole game.

    Returns
    -------
    str
        Text of a stage file named `random-<seed>`.

    Raises
    ------
    StageError
        If a parameter is not an int or out of range (code G01), or the cells do not suffice (code G02).
    """
    values = (seed, height, width, walls_pct, max_mice, zone, foods, turns, require, richness)
    for (name, (low, high)), value in zip(PARAMETERS.items(), values, strict=True):
        try:
            integer(name, value, low, max_mice if name == "require" else high)
        except ConfigError as error:
            raise StageError(str(error), "G01") from None
    count = height * width
    walls = count * walls_pct // 100
    if count - walls < zone + foods + 10:
        problem = (
            f"height: {height} rows of width {width} and {walls} walls have no room for {zone} zone and {foods} food"
        )
        raise StageError(f"{problem} cells", "G02")
    rng = Rng(seed)
    wall = [0] * count
    _draw_walls(rng, wall, height, width, walls)  # step 1
    floor = [cell for cell in range(count) if not wall[cell]]
    cat = floor[rng.below(len(floor))]  # step 2
    zone_cells = _far_zone(cat, height, width, wall, zone)  # step 3
    candidates = [cell for cell in floor if cell != cat and cell not in zone_cells]
    letters = ["."] * count
    for i in range(foods):  # step 4
        j = i + rng.below(len(candidates) - i)
        candidates[i], candidates[j] = candidates[j], candidates[i]
        q = rng.below(10)
        letters[candidates[i]] = "a" if q < 6 else "b" if q < 9 else "c"
    turns = turns or height + width  # step 5
    shares = {"a": 1, "b": 3, "c": 8}
    units = sum(shares.get(letter, 0) for letter in letters)
    target = richness * ((max_mice + 1) // 2) * (turns + 1)
    unit = max(1, target // (100 * units)) if units else 1
    listed = [Food(*food, shares[food[0]] * unit) for food in (("a", "crumb"), ("b", "cheese"), ("c", "ham"))]
    amount = {food.letter: food.amount for food in listed}
    return Stage(  # step 6
        f"random-{seed}",
        height,
        width,
        tuple(wall),
        tuple(int(cell in zone_cells) for cell in range(count)),
        tuple(amount.get(letter, 0) for letter in letters),
        cat,
        max_mice,
        require or max(1, (max_mice + 1) // 2),
        turns,
        tuple(listed),
        "".join(letters),
    ).to_text()


@functools.lru_cache(maxsize=1024)
def generate_by(parameters: str, seed: int) -> Stage:
    """Return the random stage of a seed with parameters in words. [section 4.4]

    Parameters
    ----------
    parameters : str
        Those of `generate` but for the seed, such as "height=5 width=5"; none is needed.
    seed : int
        0..2**64-1.

    Raises
    ------
    ConfigError
        If a parameter is unknown, is given twice or is no int.
    StageError
        If one is out of range (code G01), or the cells do not suffice (code G02).
    """
    given: dict[str, int] = {}
    for word in parameters.split():
        name, _, value = word.partition("=")
        if name not in PARAMETERS or name == "seed":
            known = [other for other in PARAMETERS if other != "seed"]
            raise ConfigError(f"generated: {describe_unknown('parameter', name, known)}")
        if name in given or not value.isdecimal():
            raise ConfigError(f"generated: {name}: expected one whole number, got {word!r}")
        given[name] = int(value)
    try:
        return Stage.parse(generate(seed, **given))
    except StageError as error:
        raise StageError(f"generated: {error.args[0]}", error.code) from None


def _draw_walls(rng: Rng, wall: list[int], height: int, width: int, draws: int) -> None:
    """Draw `draws` cells; each becomes a wall unless that would split the floor."""
    floor = height * width
    for _ in range(draws):
        cell = rng.below(height * width)
        if wall[cell]:
            continue
        wall[cell] = 1
        start = next(other for other in range(height * width) if not wall[other])
        if len(distances(start, height, width, wall)) == floor - 1:
            floor -= 1
        else:
            wall[cell] = 0


def _far_zone(cat: int, height: int, width: int, wall: Sequence[int], size: int) -> set[int]:
    """Return the zone: floor cells around the one farthest from the cat, none within a king's move of the cat."""

    def is_far(cell: int) -> bool:
        return max(abs(cell // width - cat // width), abs(cell % width - cat % width)) >= 2

    steps = distances(cat, height, width, wall)
    first = max((cell for cell in steps if is_far(cell)), key=lambda cell: (steps[cell], -cell))
    return set([cell for cell in distances(first, height, width, wall) if is_far(cell)][:size])


def generate_fields(config: Config, seed: int) -> dict[str, Any]:  # noqa: ARG001
    """Return the fields that, added to those of `config`, start every game on the generated stage of `seed`."""
    return {KIND: Stage.parse(generate(seed))}
