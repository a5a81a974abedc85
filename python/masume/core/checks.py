"""Checks of variables that come from outside as plain JSON types: a serialised state, a list of moves."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping
from typing import Any

from ..errors import StateError


def index(name: str, value: Any) -> int:
    """`value` as an int, NumPy's counted; ValueError for anything else, a bool included."""
    try:
        if isinstance(value, bool):
            raise TypeError
        return operator.index(value)
    except TypeError:
        raise ValueError(f"{name}: an int is wanted, not {value!r}") from None


def action_of(state: Any, name: str, action: Any, slot: int = 0) -> int:
    """An action, an int or its text; ValueError (NotationError) for anything else."""
    return int(state.text_to_action(action, slot)) if isinstance(action, str) else index(name, action)


def place(name: str, value: Any, count: int) -> int:
    """`value` as an int in 0..count-1; ValueError otherwise."""
    found = index(name, value)
    if not 0 <= found < count:
        raise ValueError(f"{name}: {found} is not in 0..{count - 1}")
    return found


def same_keys(where: str, found: Mapping[str, Any], wanted: Iterable[str]) -> None:
    """StateError unless `found` has the wanted keys and no other; `where` stands before a key in the message."""
    keys = list(wanted)
    for key in keys:
        if key not in found:
            raise StateError(f"{where}{key}: missing")
    for key in found:
        if key not in keys:
            raise StateError(f"{where}{key}: no such key; the keys are {', '.join(keys)}")


def number(name: str, value: Any, low: int, high: int) -> int:
    """`value`, an int in low..high and no bool; StateError otherwise."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise StateError(f"{name}: an int is wanted, not {value!r}")
    if not low <= value <= high:
        raise StateError(f"{name}: {value} is not in {low}..{high}")
    return value


def items(name: str, values: Any, count: int | None = None) -> list[Any]:
    """`values` as a list, of `count` items unless that is None; StateError for what is no list or tuple."""
    if not isinstance(values, list | tuple):
        raise StateError(f"{name}: a list is wanted, not {values!r}")
    if count is not None and len(values) != count:
        raise StateError(f"{name}: {count} values are wanted, not {len(values)}")
    return list(values)


def numbers(name: str, values: Any, count: int, low: int, high: int) -> list[int]:
    """`values`, a list of `count` ints in low..high; StateError, which names the item, otherwise."""
    return [number(f"{name}[{n}]", value, low, high) for n, value in enumerate(items(name, values, count))]
