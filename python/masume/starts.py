"""Starts of games by name: shipped boards, maps and stages, files, and one of several in a file."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from .core import registry
from .core.config import choice, describe_unknown
from .core.rng import Rng
from .errors import ConfigError, NotationError

NAMES = ("board", "map", "stage")
"""What a start may be called, as an argument of `load` and as an option, whatever the game calls it."""
DAILY = "daily"
"""The name that means the start of today, in UTC."""
MAX_NAME = 1024  # characters; longer texts are no names of files


def starts_of(name: str) -> Any:
    """Return the game's module of starts: KIND (an argument of `load`), load_file, load_shipped, generate_fields, ...

    None if the game has none: its config determines the start.
    """
    return getattr(registry.package_of(name), "starts", None)


def named_starts(starts: Any) -> Mapping[str, Any]:
    """Return the starts that a name can mean, from a game's module of starts."""
    found: Mapping[str, Any] = getattr(starts, "load_named", starts.load_shipped)()
    return found


def daily(starts: Any, day: date) -> str:
    """Return the name of the start of a day.

    Every start comes once before one comes again, in an order that changes from round to round.

    Parameters
    ----------
    starts : module
        The starts of a game (`game.package.starts`).
    day : date
        The day.

    Returns
    -------
    str
        A name that `masume.load` and `--board` know.
    """
    names = sorted(named_starts(starts))
    turn, place = divmod(day.toordinal(), len(names))
    rng = Rng(turn)
    for last in range(len(names) - 1, 0, -1):
        other = rng.below(last + 1)
        names[last], names[other] = names[other], names[last]
    return names[place]


def find_boards(starts: Any, given: str) -> list[Any]:
    """Return the starts that one --board names, from a game's module of starts."""
    shipped = named_starts(starts)
    if given == DAILY:
        given = daily(starts, datetime.now(UTC).date())
    if given in shipped:
        return [shipped[given]]
    path, _, pick = given.rpartition(":")
    if _is_file(given):
        return list(load_start_file(starts, Path(given)).values())
    if path and _is_file(path):
        found = load_start_file(starts, Path(path))
        return [found[choice(starts.KIND, pick, found)]]
    raise ConfigError(f"{starts.KIND}: no such file, and {describe_unknown(starts.KIND, given, shipped)}")


def load_start_file(starts: Any, path: Path) -> dict[str, Any]:
    """Return the starts of a file, by name; raise ConfigError, which names the file, if it has none."""
    try:
        found: dict[str, Any] = starts.load_file(path)
    except (ConfigError, NotationError) as error:
        text = str(error)
        if path.name in text:
            raise
        raise ConfigError(f"{starts.KIND}: {path}: {text.removeprefix(f'{starts.KIND}: ')}") from None
    return found


def _is_file(path: str) -> bool:
    return len(path) <= MAX_NAME and os.path.isfile(path)  # noqa: PTH113  # Path raises for a name that is too long


def resolve(package: Any, fields: dict[str, Any]) -> dict[str, Any]:
    """Return config fields in which a start that is given by a name has become the start itself.

    A name is that of a shipped start, a path, FILE:NAME or `daily`; `board`, `map` and `stage` mean the same. Anything
    else, such as the text of a file, is left to the game's config. Raises ConfigError for an unknown name, and for a
    file with several starts.
    """
    starts = getattr(package, "starts", None)
    if starts is None:
        return fields
    kind = starts.KIND
    known = {field.name for field in dataclasses.fields(package.Config)}
    for name in NAMES:
        if name in fields and name not in (kind, *known):
            if kind in fields:
                raise ConfigError(f"{name}: {kind} is given too, which means the same")
            fields = {kind if key == name else key: value for key, value in fields.items()}
    start = fields.get(kind)
    if isinstance(start, os.PathLike):
        start = os.fspath(start)
    if not isinstance(start, str) or not _is_name(start, starts):
        return fields
    boards = find_boards(starts, start)
    if len(boards) > 1:
        raise ConfigError(f"{kind}: expected one, got {len(boards)}; FILE:NAME picks one of a file")
    return fields | {kind: boards[0]}


def _is_name(text: str, starts: Any) -> bool:
    """Return whether a text is meant as a name or a path, and is not the text of a start.

    It is the text of a start if the game says so (`starts.is_text`), or else if it has more than one line.
    """
    if text in named_starts(starts) or _is_file(text):
        return True
    is_text: Callable[[str], bool] = getattr(starts, "is_text", _has_lines)
    return len(text) <= MAX_NAME and not is_text(text)


def _has_lines(text: str) -> bool:
    return "\n" in text
