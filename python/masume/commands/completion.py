"""Completion in bash, zsh and fish, by argcomplete: games, options, starts, agents and presets."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator

from ..agents.make import agents_of
from ..core.extras import extra
from ..game import games, load
from ..starts import DAILY, named_starts, starts_of


def complete(parser: argparse.ArgumentParser) -> None:
    """If a shell asks for completions, print them and end the process."""
    argcomplete = extra("argcomplete", "completion")
    for action in _actions(parser):
        if action.dest in COMPLETERS:
            action.completer = COMPLETERS[action.dest]  # type: ignore[attr-defined]
    argcomplete.autocomplete(parser)


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """Yield the actions of the parser and of its commands."""
    for action in parser._actions:
        yield action
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                yield from _actions(command)


def _games(arguments: argparse.Namespace) -> list[str]:
    """Return the game named so far, or all games: `selfplay` takes "all"."""
    given = getattr(arguments, "game", None)
    return [given] if given in games() else list(games())


def _starts(prefix: str, parsed_args: argparse.Namespace, **_: object) -> list[str]:
    files: Iterable[str] = extra("argcomplete.completers", "completion").FilesCompleter()(prefix)
    modules = filter(None, map(starts_of, _games(parsed_args)))
    return [*(name for starts in modules for name in [*named_starts(starts), DAILY]), *files]


def _agents(parsed_args: argparse.Namespace, **_: object) -> list[str]:
    found = [load(name) for name in _games(parsed_args)]
    return [*dict.fromkeys(name for game in found for name in [*game.policies, *agents_of(game), *AGENTS])]


def _presets(parsed_args: argparse.Namespace, **_: object) -> list[str]:
    configs = [load(name).config for name in _games(parsed_args)]
    return [preset for config in configs if config is not None for preset in config.presets()]


AGENTS = ("human", "best:1s")
"""Agents of every game that a shell offers."""
COMPLETERS: dict[str, Callable[..., list[str]]] = {
    "boards": _starts,
    "stage": _starts,
    "agents": _agents,
    "agent": _agents,
    "preset": _presets,
}
"""Completions of an argument, by the name that argparse gives it."""
