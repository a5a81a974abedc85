"""Config: the stage of a game of Nezumi and the overrides of its numbers."""

from __future__ import annotations

import dataclasses
import functools
from typing import Any, Self

from ..core import config
from ..core.config import boolean, integer, string
from ..errors import ConfigError, StageError
from .stages import DEFAULT, KIND, LIMITS, Stage, generate_by, load_shipped, the_stage


@functools.cache
def _default() -> Stage:
    """Return an object that no caller passes: a `stage` that is this object was not given."""
    return dataclasses.replace(load_shipped()[DEFAULT])


@dataclasses.dataclass(frozen=True)
class Config(config.Config):
    """The settings of a game, the fields of section 2 of the rules. `make` names the field that is wrong.

    Parameters
    ----------
    stage : Stage, str or dict, optional
        The stage: a Stage, the name of a built-in stage or one of the course, the text of a stage file (a str with a
        line break), or the result of `Stage.to_json`. Default "garden". The attribute is always a Stage.
    max_mice : int or None, optional
        Stock of mice, 1..255; None keeps the stage's value.
    require : int or None, optional
        Quota of captures, 1..max_mice; None keeps the stage's value.
    turns : int or None, optional
        Turn limit, 1..9999; None keeps the stage's value.
    surround_flip : bool, optional
        Whether a surround reports a negative score as its opposite. Default False. [NZ-20] [NZ-R23]
    generated : str or None, optional
        Parameters of `stages.generate` but for its seed, such as "height=5 width=5 max_mice=2": the stage is drawn by
        them from `seed`, and arenas, contests and trainings draw one for each of their seeds. None: `stage` is played.
        Default None. [section 4.4]
    seed : int, optional
        Seed of the generated stage, 0..2**64-1; 0 without one. Default 0.

    Raises
    ------
    StageError
        If the stage is invalid, an override is not an int in its range (S04, S05), or the stage is not playable with
        the overrides; `code` is S01 to S15. A parameter of a generated stage is out of range (G01, G02).
    ConfigError
        If the name of a stage or a parameter of a generated one is unknown, another stage is given beside it, or `seed`
        is out of range.
    ConfigTypeError
        If `stage`, `surround_flip` or `generated` has the wrong type.
    """

    stage: Stage = dataclasses.field(default_factory=_default, repr=False)
    max_mice: int | None = None
    require: int | None = None
    turns: int | None = None
    surround_flip: bool = False
    generated: str | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "surround_flip", boolean("surround_flip", self.surround_flip))
        object.__setattr__(self, KIND, the_stage(self.stage))
        object.__setattr__(self, "seed", integer("seed", self.seed, 0, 2**64 - 1))
        if self.generated is not None:
            drawn = generate_by(string("generated", self.generated), self.seed)
            if self.stage is not _default() and self.stage != drawn:
                raise ConfigError(f"{KIND}: expected none beside a generated one, got {self.stage.name!r}")
            object.__setattr__(self, KIND, drawn)
        elif self.seed:
            raise ConfigError(f"seed: expected 0 without a generated stage, got {self.seed}")
        for name, limits in LIMITS.items():
            value = getattr(self, name)
            if value is not None:
                try:
                    object.__setattr__(self, name, integer(name, value, *limits))
                except ConfigError as error:
                    raise StageError(str(error), "S04") from None
        _ = self.start_stage  # raises now if the overrides make the stage invalid

    @functools.cached_property
    def start_stage(self) -> Stage:
        """The stage that is played: `stage` with the overrides applied. [section 2]"""
        given = {name: getattr(self, name) for name in LIMITS if getattr(self, name) is not None}
        return dataclasses.replace(self.stage, **given) if given else self.stage

    def redrawn(self, seed: int) -> Self:
        """Return the config with the generated stage of this seed; itself if its stage is given."""
        if self.generated is None:
            return self
        return dataclasses.replace(self, stage=_default(), seed=seed)

    def to_dict(self) -> dict[str, Any]:
        """Return every field under its name as plain JSON types, the stage as in `Stage.to_json`.

        `generated` and `seed` are only there if the stage is generated.
        """
        found = {**super().to_dict(), KIND: self.stage.to_json()}
        if self.generated is None:
            del found["generated"], found["seed"]
        return found
