"""Base class of all games' configs: fields are checked by name, unknown ones are rejected.

A game's Config is a frozen dataclass that extends `Config` and checks its fields in
`__post_init__` with the functions below, or by their shapes (shapes.py). Each raises an error that begins with the
field's name: a ConfigTypeError for a value of the wrong type and a ConfigError for others, or an error of another class
where one is given.
"""

from __future__ import annotations

import copy
import dataclasses
import difflib
import operator
from collections.abc import Callable, Collection, Iterable
from typing import Any, NoReturn, Self

from ..errors import ConfigError, ConfigTypeError

MakeError = Callable[[str], Exception]
"""A class of errors, or a function that makes one from its message."""

LONGEST_NAME = 100  # for which a near one is looked for: the search takes quadratic time


def refuse(name: str, value: Any, wanted: str, error: MakeError = ConfigError) -> NoReturn:
    """Raise `error`, or ConfigTypeError for ConfigError: the value has another type than wanted."""
    kind: MakeError = ConfigTypeError if error is ConfigError else error
    raise kind(f"{name}: expected {wanted}, got {value!r:.60}") from None


def integer(name: str, value: Any, low: int, high: int, error: MakeError = ConfigError) -> int:
    """Return `value` as an int in low..high; NumPy integers are accepted, bools are not."""
    if isinstance(value, bool) or type(value).__name__ in ("bool_", "bool"):
        refuse(name, value, "an int", error)
    try:
        number = operator.index(value)
    except TypeError:
        refuse(name, value, "an int", error)
    if not low <= number <= high:
        raise error(f"{name}: expected {low}..{high}, got {number}")
    return number


def real(name: str, value: Any, low: float, high: float, error: MakeError = ConfigError) -> float:
    """Return `value` as a float in low..high; ints are accepted, bools are not."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        refuse(name, value, "a number", error)
    if not low <= value <= high:
        raise error(f"{name}: expected {low}..{high}, got {value}")
    return float(value)


def boolean(name: str, value: Any, error: MakeError = ConfigError) -> bool:
    """Return `value`, which must be True or False."""
    if type(value).__name__ not in ("bool", "bool_"):
        refuse(name, value, "True or False", error)
    return bool(value)


def string(name: str, value: Any, error: MakeError = ConfigError) -> str:
    """Return `value`, a string."""
    if not isinstance(value, str):
        refuse(name, value, "a string", error)
    return value


def choice(name: str, value: Any, choices: Collection[str], error: MakeError = ConfigError) -> str:
    """Return `value`, which must be one of the strings of `choices`."""
    chosen = string(name, value, error)
    if chosen not in choices:
        raise error(f"{name}: expected one of {', '.join(choices)}, got {chosen!r}{suggest(chosen, choices)}")
    return chosen


def describe_unknown(kind: str, name: str, known: Iterable[str]) -> str:
    """Return the message for a name that is not known: the known names, and the nearest one if one is near."""
    names = list(known)
    return f"unknown {kind} {name!r} (known: {', '.join(names)}{suggest(name, names)})"


def suggest(name: str, known: Iterable[str]) -> str:
    """Return which known name is near, as the end of a message; an empty text if none is."""
    near = difflib.get_close_matches(name, known, 1) if len(name) <= LONGEST_NAME else []
    return f"; did you mean {near[0]!r}?" if near else ""


@dataclasses.dataclass(frozen=True)
class Config:
    """Base class of the games' configs; a config holds the fields that define a game.

    Fields that are too long to show, such as the start of a game, are declared with `repr=False`.
    """

    @classmethod
    def make(cls, preset: str | None = None, **fields: Any) -> Self:
        """Return the config with these fields; the other fields have their defaults, or the preset's values.

        Parameters
        ----------
        preset : str, optional
            Name of a predefined set of fields, one of `presets()`.
        **fields
            Fields of the config.

        Returns
        -------
        Config
            The config.

        Raises
        ------
        ConfigError
            If the preset is unknown, or a field has a bad value; the message names it.
        ConfigTypeError
            If a field is unknown.
        """
        presets = cls.presets()
        if preset is not None:
            if not presets:
                raise ConfigError(f"preset: {preset!r}: the game has no presets")
            if string("preset", preset) not in presets:
                raise ConfigError(f"preset: {describe_unknown('preset', preset, presets)}")
            fields = {**presets[preset], **fields}
        known = [field.name for field in dataclasses.fields(cls)]
        for name in fields:
            if name not in known:
                near = suggest(name, known)
                # the words in brackets are Python's, by which other libraries tell which options an environment has
                what = f"no such field (unexpected keyword argument {name!r})"
                raise ConfigTypeError(f"{name}: {what}; the fields are {', '.join(known) or 'none'}{near}")
        return cls(**fields)

    @classmethod
    def presets(cls) -> dict[str, dict[str, Any]]:
        """Return the predefined sets of fields of this game, by name."""
        return {}

    def redrawn(self, seed: int) -> Self:
        """Return the config with all that it draws from its seed drawn from this one, 0..2**64-1.

        That is itself where `new_state` draws the start, or where the start is given.
        """
        return self

    def list_hidden(self) -> tuple[str, ...]:
        """Return the names of the fields that players may not know, because they would reveal a hidden start."""
        return ()

    def public(self) -> Self:
        """Return the config as players may know it, with hidden fields at their defaults; it is not checked again."""
        hidden = self.list_hidden()
        if not hidden:
            return self
        other = copy.copy(self)
        for field in dataclasses.fields(self):
            if field.name in hidden:
                object.__setattr__(other, field.name, field.default)
        return other

    def to_dict(self) -> dict[str, Any]:
        """Return every field by name, as plain JSON types."""
        return {field.name: _plain(getattr(self, field.name)) for field in dataclasses.fields(self)}


def _plain(value: Any) -> Any:
    return [_plain(item) for item in value] if isinstance(value, tuple) else value
