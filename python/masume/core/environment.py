"""The environment of foreign programs: what a program needs to run, and nothing else of masume's own."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator, Mapping

from ..errors import ConfigError
from . import system

PASSED = "MASUME_ENV"
"""The variable that names further ones to be handed on, separated by commas; worker processes inherit it."""


def of_programs(mine: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the variables that a program is started with: those of `system.KEPT`, and those that PASSED names.

    A name that ends in `*` stands for all that begin so. mine : the environment to choose from; None: this process's.
    """
    mine = os.environ if mine is None else mine
    names = (*system.KEPT, *(name for name in mine.get(PASSED, "").split(",") if name))
    exact = {name for name in names if not name.endswith("*")}
    beginnings = tuple(name[:-1] for name in names if name.endswith("*"))
    return {name: value for name, value in mine.items() if name in exact or name.startswith(beginnings)}


@contextlib.contextmanager
def passing(names: Iterable[str]) -> Iterator[None]:
    """Hand these variables on to the programs that are started in the block, by workers too.

    ConfigError for a name that no variable has or that holds a comma.
    """
    names = list(names)
    for name in names:
        if not name or "," in name or "=" in name:
            raise ConfigError(f"env: {name!r} is no name of a variable")
        if not name.endswith("*") and name not in os.environ:
            raise ConfigError(f"env: {name}: there is no such variable")
    before = os.environ.get(PASSED)
    os.environ[PASSED] = ",".join([*([before] if before else []), *names])
    try:
        yield
    finally:
        del os.environ[PASSED]
        if before is not None:
            os.environ[PASSED] = before
