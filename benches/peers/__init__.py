"""Comparisons with masume's own cases: floors, and other programs that do similar work.

Every module in here has `cases()`, a list of masume.bench.Case for one game (`game=`) or for all of them. A module
whose packages are missing raises ImportError, and its cases are left out.
"""

import functools
import importlib
import pkgutil

from masume.bench import Case


@functools.cache
def find_cases() -> tuple[list[Case], list[str]]:
    """Return (the cases of all modules that can be imported, a line for each that cannot)."""
    cases: list[Case] = []
    absent = []
    for module in pkgutil.iter_modules(__path__, f"{__name__}."):
        try:
            cases += importlib.import_module(module.name).cases()
        except ImportError as error:
            absent.append(f"{module.name} is left out: {error}")
    return cases, absent


def cases(game: str) -> list[Case]:
    """Return the cases of a game."""
    return [case for case in find_cases()[0] if case.game in (None, game)]
