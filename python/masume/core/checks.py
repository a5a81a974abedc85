"""Checks of external data in plain JSON types: a serialised state, a list of moves."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping
from typing import Any

from ..errors import StateError
from .config import integer


def index(name: str, value: Any) -> int:
    """Return `value` as an int; NumPy integers are accepted; ValueError for anything else, including a bool."""
    try:
        if isinstance(value, bool):
            raise TypeError
        return operator.index(value)
    except TypeError:
        raise ValueError(f"{name}: expected an int, got {value!r}") from None


def action_of(state: Any, name: str, action: Any, slot: int = 0) -> int:
    """Return an action from an int or its text; ValueError (NotationError) for anything else."""
    return int(state.text_to_action(action, slot)) if isinstance(action, str) else index(name, action)


def place(name: str, value: Any, count: int) -> int:
    """Return `value` as an int in 0..count-1; ValueError otherwise."""
    found = index(name, value)
    if not 0 <= found < count:
        raise ValueError(f"{name}: expected 0..{count - 1}, got {found}")
    return found


def same_keys(where: str, found: Mapping[str, Any], wanted: Iterable[str]) -> None:
    """Raise StateError unless `found` has exactly the wanted keys; the message puts `where` before the key."""
    keys = list(wanted)
    for key in keys:
        if key not in found:
            raise StateError(f"{where}{key}: missing")
    for key in found:
        if key not in keys:
            raise StateError(f"{where}{key}: no such key; the keys are {', '.join(keys)}")


def number(name: str, value: Any, low: int, high: int) -> int:
    """Return `value`, an int in low..high; StateError otherwise, also for a bool."""
    return integer(name, value, low, high, StateError)


def items(name: str, values: Any, count: int | None = None) -> list[Any]:
    """Return `values` as a list of `count` items (None: any number); StateError if it is not a list or tuple."""
    if not isinstance(values, list | tuple):
        raise StateError(f"{name}: expected a list, got {values!r}")
    if count is not None and len(values) != count:
        raise StateError(f"{name}: expected {count} values, got {len(values)}")
    return list(values)


def numbers(name: str, values: Any, count: int, low: int, high: int) -> list[int]:
    """Return `values`, a list of `count` ints in low..high; StateError, which names the item, otherwise."""
    return [number(f"{name}[{n}]", value, low, high) for n, value in enumerate(items(name, values, count))]
