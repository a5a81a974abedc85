"""Environment of external programs: the variables that a program needs to run, without others of masume's."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from ..errors import ConfigError
from . import system
from .files import make_folder

PASSED = "MASUME_ENV"
"""Name of the variable that lists additional variables to pass, separated by commas; worker processes inherit it."""
LOG = "MASUME_LOG"
"""Name of the variable that names the folder for the programs' transcripts (`referee.transcript`)."""
LIMITS = "MASUME_LIMITS"
"""Name of the variable that holds the limits of programs, as JSON (`referee.process.Limits`)."""


def of_programs(mine: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the variables for a new program: those in `system.KEPT`, and those named in the variable PASSED.

    A name that ends in `*` selects all variables with that prefix. mine : the environment; None: this process's.
    """
    mine = os.environ if mine is None else mine
    names = (*system.KEPT, *(name for name in mine.get(PASSED, "").split(",") if name))
    exact = {name for name in names if not name.endswith("*")}
    beginnings = tuple(name[:-1] for name in names if name.endswith("*"))
    return {name: value for name, value in mine.items() if name in exact or name.startswith(beginnings)}


@contextlib.contextmanager
def passing(names: Iterable[str]) -> Iterator[None]:
    """Pass these variables to the programs that are started in the block, also by workers.

    ConfigError for a name that no variable has, or that contains a comma.
    """
    names = list(names)
    for name in names:
        if not name or "," in name or "=" in name:
            raise ConfigError(f"env: expected the name of a variable, got {name!r}")
        if not name.endswith("*") and name not in os.environ:
            raise ConfigError(f"env: {name}: the variable is not set")
    before = os.environ.get(PASSED)
    with setting(PASSED, ",".join([*([before] if before else []), *names])):
        yield


@contextlib.contextmanager
def setting(name: str, value: str | None) -> Iterator[None]:
    """Set a variable of this process in the block, also for workers that are started there; None: leave it."""
    before = os.environ.get(name)
    if value is not None:
        os.environ[name] = value
    try:
        yield
    finally:
        if before is not None:
            os.environ[name] = before
        elif value is not None:
            del os.environ[name]


def log_folder() -> Path | None:
    """Return the folder that the variable LOG names, created if needed; None if it is not set."""
    found = os.environ.get(LOG)
    return make_folder(found) if found else None
