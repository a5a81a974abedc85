"""Agents given as objects, classes or functions where others are given by name."""

from __future__ import annotations

import copy
import inspect
import pickle
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Self

from ..agent import Agent
from ..core.extras import call_maker
from ..errors import ConfigError

AgentLike = str | Agent | Callable[..., Any]
"""A name for `make_agent`, an agent, an evaluator, or a class or function that makes one of these without arguments."""


class GivenAgent(str):
    """The name of an agent that was given itself, with what was given.

    It is py:MODULE:CLASS for a class or function, and py:MODULE:CLASS() for an object. Each agent that is made of an
    agent object is a copy; an evaluator is shared by all agents that are made of it.
    """

    given: Any

    def __new__(cls, name: str, given: Any) -> Self:
        found = super().__new__(cls, name)
        found.given = given
        return found

    def __getnewargs__(self) -> tuple[str, Any]:  # type: ignore[override]
        return str(self), self.given

    def make(self) -> Agent:
        """Return an agent; raise ConfigError if what was given makes none, AgentError if making it raises."""
        agent = self.given
        if is_maker(agent):
            made = call_maker(str(self), agent)
        elif isinstance(agent, Agent):
            try:
                made = copy.deepcopy(agent)
            except Exception as error:
                what = f"cannot be copied for each seat ({type(error).__name__}: {error}); give its class"
                raise ConfigError(f"agents: {self}: {what}") from error
        else:
            made = agent
        if isinstance(made, Agent):
            return made
        if not (callable(made) and _takes(made, 2)):
            raise ConfigError(f"agents: {self}: {made!r:.60} lacks name, start, act or close")
        from .net import NetAgent

        return NetAgent(made, str(self))

    def check_sendable(self) -> None:
        """Raise ConfigError if another process cannot receive what was given."""
        try:
            pickle.dumps(self.given)
            kind = self.given if hasattr(self.given, "__qualname__") else type(self.given)
            reason = ""
            main = getattr(sys.modules["__main__"], "__file__", "")
            if kind.__module__ == "__main__" and not Path(main).is_file():
                reason = "it is defined in a shell or notebook"
        except Exception as error:
            reason = f"{type(error).__name__}: {error}"
        if reason:
            raise ConfigError(f"agents: {self} cannot be sent to other processes ({reason}); define it in a module")


def is_maker(given: Any) -> bool:
    """Whether this is a class, or another callable that makes something without arguments and is no agent."""
    return isinstance(given, type) or (not isinstance(given, Agent) and _takes(given, 0))


def name_agent(given: Any) -> str:
    """Return a name unchanged, else the GivenAgent of an object, class or function; ConfigError for anything else."""
    if isinstance(given, str):
        return given
    if not (isinstance(given, Agent) or callable(given)):
        raise ConfigError(f"agents: expected names, agents, or what makes them, got {given!r:.60}")
    is_named = hasattr(given, "__qualname__")  # a class or a function
    kind = given if is_named else type(given)
    return GivenAgent(f"py:{kind.__module__}:{kind.__qualname__}{'' if is_named else '()'}", given)


def name_agents(given: Iterable[Any]) -> tuple[str, ...]:
    """Return the names of agents; different objects whose names are equal get numbers: py:mine:Mine() (2)."""
    found: list[str] = []
    for one in map(name_agent, given):
        name, count = one, 1
        if isinstance(one, GivenAgent):
            while any(name == other and getattr(other, "given", None) is not one.given for other in found):
                count += 1
                name = GivenAgent(f"{one} ({count})", one.given)
        found.append(name)
    return tuple(found)


def _takes(function: Any, count: int) -> bool:
    """Whether a callable can be called with this number of arguments."""
    try:
        inspect.signature(function).bind(*[None] * count)
    except (TypeError, ValueError):
        return False
    return True
