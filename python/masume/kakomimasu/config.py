"""Config of Kakomimasu: the settings of a game and the board they define."""

from __future__ import annotations

import dataclasses
import functools
from typing import Any, Self

from ..core import config
from ..core.config import boolean, choice, integer
from ..core.rng import Rng
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

    width: int = 20
    height: int = 20
    n_players: int = 2
    n_agents: int = 8
    total_turns: int = 60
    points: tuple[int, ...] | None = dataclasses.field(default=None, repr=False)
    seed: int = 0
    symmetry: str = "quad"
    positive_ratio: int = 80
    max_point: int = 16
    min_point: int = -16
    put_on_enemy_wall: str = "invalid"
    official: bool = False
    operation_sec: float = 3
    transition_sec: float = 1

    def __post_init__(self) -> None:
        checked: dict[str, Any] = {
            name: integer(name, getattr(self, name), *limits) for name, limits in HARD_RANGES.items()
        }
        checked["symmetry"] = choice("symmetry", self.symmetry, SYMMETRIES)
        checked["put_on_enemy_wall"] = choice("put_on_enemy_wall", self.put_on_enemy_wall, ("invalid", "server"))
        checked["official"] = boolean("official", self.official)
        checked["operation_sec"] = seconds("operation_sec", self.operation_sec, positive=True)
        checked["transition_sec"] = seconds("transition_sec", self.transition_sec, positive=False)
        if self.points is not None:
            checked["points"] = flat_points("points", self.points, checked["width"], checked["height"])
        for name, value in checked.items():
            object.__setattr__(self, name, value)
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
