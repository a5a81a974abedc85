"""Methods of compiled modules, called with a self that is not theirs.

    python tests/foreign.py masume.core._state connect_four._engine    these modules; without a name, all of masume's

Every method of every extension type is called in every way in which Python can pass a self, with objects of other types
and with other numbers of arguments. Each must raise TypeError. Prints every method before it is called, so that one
that ends the process is the last line, and at the end the number of methods.
"""

from __future__ import annotations

import functools
import importlib
import operator
import pkgutil
import sys
from collections.abc import Callable, Iterator
from importlib.machinery import EXTENSION_SUFFIXES
from types import ModuleType
from typing import Any

import numpy as np

import masume
from masume.core import _game, _state


def compiled_modules() -> list[ModuleType]:
    """Return the compiled modules of masume, without what Cython shares among them."""
    return [
        importlib.import_module(part.name)
        for part in pkgutil.walk_packages(masume.__path__, "masume.")
        if part.name.rpartition(".")[2].startswith("_")
        and not part.ispkg
        and part.name != "masume.core._cyutility"
        and is_compiled(part.name)
    ]


def is_compiled(name: str) -> bool:
    found = importlib.util.find_spec(name)
    return found is not None and (found.origin or "").endswith(tuple(EXTENSION_SUFFIXES))


def list_methods(module: ModuleType) -> Iterator[tuple[type, str, Any]]:
    """Yield (class, name, function) of the methods that Cython made for the extension types of a module."""
    for kind in vars(module).values():
        if isinstance(kind, type) and kind.__module__ == module.__name__:
            for name, function in vars(kind).items():
                if type(function).__name__ == "cython_function_or_method":
                    yield kind, name, function


def list_ways(kind: type, name: str, function: Any, self: Any) -> list[Callable[..., Any]]:
    """Return the calls of a method that take all arguments but self."""
    ways = [
        functools.partial(getattr(kind, name), self),
        functools.partial(function.__call__, self),
        functools.partial(operator.call, function, self),
        lambda *arguments: next(map(function, [self], *([argument] for argument in arguments))),
        lambda *arguments: function(self, *arguments, odd=1),
    ]
    if self is not None:
        ways.append(function.__get__(self))
    if not isinstance(self, kind):
        ways.append(getattr(type("Thief", (), {name: function})(), name))
    return ways


def others() -> list[Any]:
    states = [masume.load(name).new_state(1) for name in ("nezumi", "chaser")]
    plain = [None, 1, "a", 1.5, object(), [], {}, np.zeros(3), int, _state.State, _game.Table.__new__(_game.Table)]
    return [*plain, *states, masume.load("nezumi").batch(2)]


def refuse_all(module: ModuleType) -> int:
    """Call the methods of a module with other objects; return their number."""
    count = 0
    for kind, name, function in list_methods(module):
        print(f"{module.__name__}.{kind.__name__}.{name}", flush=True)
        count += 1
        told = refusal(function)
        assert "argument" in told, told
        for self in others():
            if not isinstance(self, kind):
                for way in list_ways(kind, name, function, self):
                    for size in range(6):
                        told = refusal(way, *[0] * size)
                        assert "does not apply to a" in told, (self, told)
    return count


def refusal(call: Callable[..., Any], *arguments: Any) -> str:
    """Return the message of the TypeError that a call raises, otherwise what it returned."""
    try:
        return f"returned {call(*arguments)!r}"
    except TypeError as error:
        return str(error)


def main() -> None:
    modules = [importlib.import_module(name) for name in sys.argv[1:]] or compiled_modules()
    print(sum(refuse_all(module) for module in modules), "methods")


if __name__ == "__main__":
    main()
