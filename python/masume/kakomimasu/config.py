"""Config of Kakomimasu: the settings of a game and the board they define."""

from __future__ import annotations

import dataclasses
import functools
from typing import Any, Self

from ..core import config
from ..core.config import integer
from ..core.rng import Rng
from ..core.shapes import Choice, Int, check_fields, field
from ..errors import ConfigError
from .boards import the_board
from .fields import HARD_RANGES, flat_points, seconds

SYMMETRIES = ("none", "horizontal", "vertical", "rotate180", "quad")
OFFICIAL_RANGES = {  # [KM-R1]
    "width": (10, 24),  # [KM-9]
    "height": (10, 24),
    "n_agents": (6, 14),  # [KM-13]
    "max_point": (0, 16),
    "min_point": (-16, -1),
}
OFFICIAL_POINT_RANGE = (-16, 16)  # [KM-10]


@dataclasses.dataclass(frozen=True)
class Config(config.Config):
    """Settings of a game: the fields of section 2 of the rules.

    Create configs with `make`, whose errors name the bad field.

    Attributes
    ----------
    width, height : int
        Size of the board in cells, 1..30 each.
    n_players : int
        Number of players, 2..4.
    n_agents : int
        Agents per player, 1..16. Agents in excess of the number of cells can never be placed.
    total_turns : int
        Number of turns of a game, 1..10000.
    points : tuple of int or None
        Points of the cells, -32768..32767 each. Pass width * height ints in row-major order, or height rows of
        width; they are kept as a flat tuple. None selects the random board of `seed`.
    seed, symmetry, positive_ratio, max_point, min_point
        Parameters of the random board, used if `points` is None. [KM-R23]
    put_on_enemy_wall : str
        "invalid", or "server" for the behaviour of the match server. [KM-R6]
    official : bool
        Whether to enforce the ranges of the contest as well. [KM-R1]
    operation_sec, transition_sec : float
        Length of a turn (> 0) and pause between two turns (>= 0) in seconds; used by referees only.
    """

    width: int = field(20, Int(*HARD_RANGES["width"]))
    height: int = field(20, Int(*HARD_RANGES["height"]))
    n_players: int = field(2, Int(*HARD_RANGES["n_players"]))
    n_agents: int = field(8, Int(*HARD_RANGES["n_agents"]))
    total_turns: int = field(60, Int(*HARD_RANGES["total_turns"]))
    points: tuple[int, ...] | None = dataclasses.field(default=None, repr=False)
    seed: int = field(0, Int(*HARD_RANGES["seed"]))
    symmetry: str = field("quad", Choice(*SYMMETRIES))
    positive_ratio: int = field(80, Int(*HARD_RANGES["positive_ratio"]))
    max_point: int = field(16, Int(*HARD_RANGES["max_point"]))
    min_point: int = field(-16, Int(*HARD_RANGES["min_point"]))
    put_on_enemy_wall: str = field("invalid", Choice("invalid", "server"))
    official: bool = False
    operation_sec: float = field(3, functools.partial(seconds, positive=True))
    transition_sec: float = field(1, functools.partial(seconds, positive=False))

    def __post_init__(self) -> None:
        check_fields(self)
        if self.points is not None:
            object.__setattr__(self, "points", flat_points("points", self.points, self.width, self.height))
        if self.official:
            self._check_official()

    def _check_official(self) -> None:
        for name, limits in OFFICIAL_RANGES.items():
            integer(name, getattr(self, name), *limits)
        if self.width != self.height:
            raise ConfigError(f"height: expected the width {self.width}, as on official boards, got {self.height}")
        for n, point in enumerate(self.points or ()):
            integer(f"points[{n}]", point, *OFFICIAL_POINT_RANGE)

    @classmethod
    def make(cls, preset: str | None = None, board: Any = None, **fields: Any) -> Self:
        """Return the config with these fields, some of them taken from a board.

        Parameters
        ----------
        preset : str, optional
            Name of a preset that supplies the fields not given.
        board : str, mapping or Board, optional
            A board as JSON text, as the parsed object or as a `Board`. It supplies width, height, points,
            n_players, n_agents, total_turns, operation_sec and transition_sec. The last five may also be given
            as fields, which then take precedence.
        **fields
            Fields of the config.

        Raises
        ------
        ConfigError
            If a field is bad; the message begins with the name of the field.
        """
        if board is None:
            return super().make(preset, **fields)
        for name in ("width", "height", "points"):
            if name in fields:
                raise ConfigError(f"{name}: the board gives it; got {fields[name]!r} too")
        return super().make(preset, **{**the_board(board).config_fields(), **fields})

    def redrawn(self, seed: int) -> Self:
        """Return the config with the random board of this seed; itself if its points are given. [KM-R23]"""
        return self if self.points is not None else dataclasses.replace(self, seed=seed)

    def board_points(self) -> tuple[int, ...]:
        """Return the points of all cells, row-major: `points`, or the random board of `seed`. [KM-10] [KM-R23]"""
        return self._board_points

    @functools.cached_property
    def _board_points(self) -> tuple[int, ...]:
        return self.points if self.points is not None else random_points(self)

    def to_dict(self) -> dict[str, Any]:
        """Return every field under its name, as plain JSON types; the points of the board are written out."""
        return {**super().to_dict(), "points": list(self.board_points())}


def random_points(config: Config) -> tuple[int, ...]:
    """Return the random board of the config's seed, symmetry and point range, row-major. [KM-R23]"""
    width, height, symmetry, rng = config.width, config.height, config.symmetry, Rng(config.seed)
    points: list[int | None] = [None] * (width * height)
    for y in range(height):
        for x in range(width):
            if points[y * width + x] is not None:
                continue
            if rng.below(100) < config.positive_ratio:
                point = rng.below(config.max_point + 1)
            else:
                point = -1 - rng.below(-config.min_point)
            columns = {x, width - 1 - x} if symmetry in ("horizontal", "quad") else {x}
            rows = {y, height - 1 - y} if symmetry in ("vertical", "quad") else {y}
            images = {(column, row) for column in columns for row in rows}
            if symmetry == "rotate180":
                images.add((width - 1 - x, height - 1 - y))
            for column, row in images:
                points[row * width + column] = point
    return tuple(point for point in points if point is not None)
