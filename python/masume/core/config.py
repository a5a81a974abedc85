"""What the configs of all games have in common: fields are checked by name, unknown ones refused.

A game's Config is a frozen dataclass that extends `Config` and checks its fields in
`__post_init__` with the functions below. Each raises an error that begins with the field's name.
"""

from __future__ import annotations

import copy
import dataclasses
import operator
from collections.abc import Collection
from typing import Any, Self

from ..errors import ConfigError, ConfigTypeError


def integer(name: str, value: Any, low: int, high: int) -> int:
    """`value` as an int in low..high; NumPy integers count, bools do not."""
    if isinstance(value, bool) or type(value).__name__ in ("bool_", "bool"):
        raise ConfigTypeError(f"{name}: an int is wanted, not {value!r}")
    try:
        number = operator.index(value)
    except TypeError:
        raise ConfigTypeError(f"{name}: an int is wanted, not {value!r}") from None
    if not low <= number <= high:
        raise ConfigError(f"{name}: {number} is not in {low}..{high}")
    return number


def real(name: str, value: Any, low: float, high: float) -> float:
    """`value` as a float in low..high; ints count, bools do not."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ConfigTypeError(f"{name}: a number is wanted, not {value!r}")
    if not low <= value <= high:
        raise ConfigError(f"{name}: {value} is not in {low}..{high}")
    return float(value)


def boolean(name: str, value: Any) -> bool:
    """`value`, which must be True or False."""
    if type(value).__name__ not in ("bool", "bool_"):
        raise ConfigTypeError(f"{name}: True or False is wanted, not {value!r}")
    return bool(value)


def choice(name: str, value: Any, choices: Collection[str]) -> str:
    """`value`, which must be one of the strings of `choices`."""
    if not isinstance(value, str):
        raise ConfigTypeError(f"{name}: a string is wanted, not {value!r}")
    if value not in choices:
        raise ConfigError(f"{name}: {value!r} is none of {', '.join(choices)}")
    return value


@dataclasses.dataclass(frozen=True)
class Config:
    """The fields a game is built from; every game extends it.

    What is too long to be shown, such as the start of a game, is a field with `repr=False`.
    """

    @classmethod
    def make(cls, preset: str | None = None, **fields: Any) -> Self:
        """The config with these fields, the others at their defaults (or the preset's).

        Raises ConfigError for an unknown preset or field and whatever the fields' own checks raise.
        """
        presets = cls.presets()
        if preset is not None:
            if not presets:
                raise ConfigError(f"preset: {preset!r}: the game has no presets")
            choice("preset", preset, presets)
            fields = {**presets[preset], **fields}
        known = [field.name for field in dataclasses.fields(cls)]
        for name in fields:
            if name not in known:
                raise ConfigError(f"{name}: no such field; the fields are {', '.join(known) or 'none'}")
        return cls(**fields)

    @classmethod
    def presets(cls) -> dict[str, dict[str, Any]]:
        """The named sets of fields of this game."""
        return {}

    def list_hidden(self) -> tuple[str, ...]:
        """The names of the fields that players may not know, as they would tell a start that is hidden."""
        return ()

    def public(self) -> Self:
        """The config as a player may know it: hidden fields are at their defaults. It is not checked again."""
        hidden = self.list_hidden()
        if not hidden:
            return self
        other = copy.copy(self)
        for field in dataclasses.fields(self):
            if field.name in hidden:
                object.__setattr__(other, field.name, field.default)
        return other

    def to_dict(self) -> dict[str, Any]:
        """Every field under its name, as plain JSON types."""
        return {field.name: _plain(getattr(self, field.name)) for field in dataclasses.fields(self)}


def _plain(value: Any) -> Any:
    return [_plain(item) for item in value] if isinstance(value, tuple) else value
