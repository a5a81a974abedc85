"""Shapes of data from outside: kind, range, length and nesting; errors name the field and the value.

A shape is one of these; a bool is a number in none of them:

    Number(int, 0, 9)        an int in 0..9, also one of NumPy; without the last one: of at least 0
    Int(0, 9), Real(0, 9)    the same, a number
    Choice("a", "b")         one of these words
    Maybe(shape)             None, or a value of the shape
    Items(shape, 3)          three values of the shape, which become a tuple; without the number: any number of them
    str, int, dict | None    a value of the type
    {"key": shape}           an object with these keys; "*" stands for all others
    [shape], (one, other)    an array: any number of values of the shape, or one value of each shape
    a function               what it returns for the name and the value
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from types import UnionType
from typing import Any, NamedTuple

from ..errors import ConfigError, ConfigTypeError
from .config import MakeError, boolean, choice, integer, real, refuse, string


class Number(NamedTuple):
    """An int, or any number, in low..high; without `high` of at least `low`, and one that NumPy can hold."""

    kind: type | UnionType
    low: float
    high: float | None = None


def Int(low: int, high: int) -> Number:  # noqa: N802 - as the classes beside it
    """Return the shape of an int in low..high."""
    return Number(int, low, high)


def Real(low: float, high: float) -> Number:  # noqa: N802
    """Return the shape of a number in low..high."""
    return Number(int | float, low, high)


class Choice:
    """One of some words."""

    def __init__(self, *words: str) -> None:
        self.words = words


class Maybe(NamedTuple):
    """None, or a value of the shape."""

    shape: Any


class Items(NamedTuple):
    """A list, tuple or array of `length` values (None: any number) of the shape."""

    shape: Any
    length: int | None = None


COUNT, POSITIVE = Number(int, 0), Number(int, 1)
INTEGER, REAL = Number(int, -(2**63)), Number(int | float, -(2.0**63))


def read(name: str, value: Any, shape: Any, error: MakeError = ConfigError) -> Any:
    """Return a value of a shape as plain Python types; raise `error`, which names the place, if it has another one."""
    reader = _READERS.get(type(shape))
    return shape(name, value) if reader is None else reader(name, value, shape, error)


def _read_maybe(name: str, value: Any, shape: Maybe, error: MakeError) -> Any:
    return None if value is None else read(name, value, shape.shape, error)


def _read_choice(name: str, value: Any, shape: Choice, error: MakeError) -> str:
    return choice(name, value, shape.words, error)


def _read_type(name: str, value: Any, shape: Any, error: MakeError) -> Any:
    if shape is bool:
        return boolean(name, value, error)
    if shape is str:
        return string(name, value, error)
    if not isinstance(value, shape) or (isinstance(value, bool) and shape is not object):
        what = "an int" if shape is int else f"a {shape.__name__}" if isinstance(shape, type) else str(shape)
        refuse(name or "line", value, what, error)
    return value


def _read_array(name: str, value: Any, shape: Any, error: MakeError) -> list[Any]:
    _require(name, value, isinstance(value, list), "an array", error)
    parts = shape if isinstance(shape, tuple) else shape * len(value)
    _require(name, value, len(parts) == len(value), f"an array of {len(parts)}", error)
    return [read(f"{name}[{n}]", *pair, error) for n, pair in enumerate(zip(value, parts, strict=True))]


def _read_number(name: str, value: Any, shape: Number, error: MakeError) -> float:
    if shape.high is None:
        is_number = isinstance(value, shape.kind) and not isinstance(value, bool)
        _require(name, value, is_number and shape.low <= value < 2**64, f"a number from {shape.low}", error)
        return value  # type: ignore[no-any-return]
    check: Callable[..., float] = integer if shape.kind is int else real
    return check(name, value, shape.low, shape.high, error)


def _read_items(name: str, value: Any, shape: Items, error: MakeError) -> tuple[Any, ...]:
    is_list = hasattr(value, "__iter__") and not isinstance(value, str | bytes | dict | set)
    _require(name, value, is_list, "a list", error)
    found = tuple(value)
    if shape.length not in (None, len(found)):
        raise error(f"{name}: expected {shape.length} values, got {len(found)}")
    return tuple(read(f"{name}[{n}]", one, shape.shape, error) for n, one in enumerate(found))


def _read_object(name: str, value: Any, shape: dict[str, Any], error: MakeError) -> dict[str, Any]:
    _require(name, value, isinstance(value, dict), "an object", error)
    prefix = f"{name}." if name else ""
    for key in shape:
        if key not in value and key != "*":
            raise error(f"{prefix}{key}: missing")
    for key in value:
        if key not in shape and "*" not in shape:
            raise error(f"{prefix}{key}: no such key; the keys are {', '.join(shape)}")
    return {key: read(f"{prefix}{key}", one, shape.get(key, shape.get("*")), error) for key, one in value.items()}


def _require(name: str, value: Any, is_so: bool, what: str, error: MakeError) -> None:
    if not is_so:
        refuse(name or "line", value, what, error)


_READERS: dict[type, Callable[..., Any]] = {
    Number: _read_number, Maybe: _read_maybe, Choice: _read_choice, Items: _read_items, dict: _read_object,
    list: _read_array, tuple: _read_array, type: _read_type, UnionType: _read_type,
}  # fmt: skip


# -- fields of dataclasses ----------------------------------------------------------------------------


def field(default: Any, shape: Any, **options: Any) -> Any:
    """Return a field of a dataclass with a shape; options : further ones of `dataclasses.field`."""
    return dataclasses.field(default=default, metadata={"shape": shape}, **options)


def shapes_of(made: Any) -> dict[str, Any]:
    """Return the shapes of the fields of a dataclass or an object of one; those of type bool need none."""
    found = {}
    for one in dataclasses.fields(made):
        if "shape" in one.metadata or one.type == "bool":
            found[one.name] = one.metadata.get("shape", bool)
    return found


def check_fields(made: Any) -> None:
    """Set the fields of a frozen dataclass to what their shapes read; raise ConfigError, for types before ranges."""
    errors: list[ConfigError] = []
    for name, shape in shapes_of(made).items():
        try:
            object.__setattr__(made, name, read(name, getattr(made, name), shape))
        except ConfigError as error:
            errors.append(error)
    if errors:
        raise min(errors, key=lambda error: not isinstance(error, ConfigTypeError))
