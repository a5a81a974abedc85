"""Config: the stage a game of Nezumi is played on, and what overrides it."""

from __future__ import annotations

import dataclasses
import functools
from typing import Any

from ..core import config
from ..core.config import boolean, integer
from ..errors import ConfigError, StageError
from .stages import DEFAULT, KIND, LIMITS, Stage, load_shipped, the_stage


@dataclasses.dataclass(frozen=True)
class Config(config.Config):
    """The fields of section 2 of the rules; made by `make`, which names what is wrong.

    stage : a Stage; where it is given, also the name of a built-in one, the text of a stage file, or `Stage.to_json`.
    max_mice, require, turns : None, or what holds in the place of the stage's: stock of mice, quota of captures,
        turn limit. The stage must be playable with them.
    surround_flip : whether a surround turns a negative score into a positive one, as it is reported. [NZ-20] [NZ-R23]

    Raises StageError for a stage that is none (S01 to S15), ConfigError and ConfigTypeError for other fields.
    """

    stage: Stage = dataclasses.field(default_factory=lambda: load_shipped()[DEFAULT], repr=False)
    max_mice: int | None = None
    require: int | None = None
    turns: int | None = None
    surround_flip: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "surround_flip", boolean("surround_flip", self.surround_flip))
        object.__setattr__(self, KIND, the_stage(self.stage))
        for name, limits in LIMITS.items():
            value = getattr(self, name)
            if value is not None:
                try:
                    object.__setattr__(self, name, integer(name, value, *limits))
                except ConfigError as error:
                    raise StageError(str(error), "S04") from None
        _ = self.start_stage  # whether it is one is to be known now

    @functools.cached_property
    def start_stage(self) -> Stage:
        """The stage that is played: the given one with what overrides it. [section 2]"""
        given = {name: getattr(self, name) for name in LIMITS if getattr(self, name) is not None}
        return dataclasses.replace(self.stage, **given) if given else self.stage

    def to_dict(self) -> dict[str, Any]:
        """Every field under its name, as plain JSON types; the stage as the text of its file (`Stage.to_json`)."""
        return {**super().to_dict(), KIND: self.stage.to_json()}
