"""load: from a game's name and config to a Game."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping
from types import ModuleType
from typing import Any

from .batch import Batch
from .core import _state, registry
from .core._game import Table
from .core.config import Config
from .errors import ConfigError, StateError


def games() -> tuple[str, ...]:
    """Return the names that `load` knows, sorted: masume's own games, and those of installed packages."""
    return registry.names()


def load(game: Any, preset: str | None = None, **fields: Any) -> Game:
    """The Game of this name with this config.

    game : one of `games()`, or a provider: an object with ``__masume_game__() -> capsule``.
    preset : a named set of fields of the game.
    fields : fields of the game's Config; `board=` (Kakomimasu), `map=` (CHaser, Terraforming), `stage=` (Nezumi) and
        `terrain_map=` (Battleship) are starts given as the text of a file or as the object it is read into.

    Raises ConfigError, which names the game or the field.

    >>> load("kakomimasu", width=10, height=10, seed=1)
    Game('kakomimasu', width=10, height=10, seed=1)
    """
    if not isinstance(game, str):
        if preset is not None or fields:
            raise ConfigError(f"{preset or next(iter(fields))}: a plug-in carries its config itself")
        return Game(game)
    package = registry.package_of(game)
    found = Game(package.table, package.Config.make(preset, **fields), package)
    if found.name != game:
        raise ConfigError(f"game: {game!r}: its table says that it is {found.name!r}")
    return found


class Game(Table):
    """A game with its config: immutable, picklable, equal by name and config. Made by `load`."""

    def __init__(self, provider: Any, config: Config | None = None, package: ModuleType | None = None) -> None:
        super().__init__(provider(config) if package else provider)
        kind = getattr(package, "State", _state.State)
        self.__dict__.update(_provider=None if package else provider, config=config, package=package, _kind=kind)

    config: Config | None
    package: ModuleType | None
    _provider: Any
    _kind: type[_state.State]

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"{name}: a game does not change")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{name}: a game does not change")

    @property
    def public(self) -> Game:
        """The game as its players know it: what the config hides is not in there (`Config.public`)."""
        return self if self.config is None or not self.config.list_hidden() else self._public

    @functools.cached_property
    def _public(self) -> Game:
        assert self.config is not None
        assert self.package is not None
        return Game(self.package.table, self.config.public(), self.package)

    def part(self, name: str) -> ModuleType | None:
        """Return the module `name` of the game's package (`agents`, `protocol`, ...); None if it has none."""
        return registry.part_of(self.package, name) if self.package else None

    @property
    def reference(self) -> ModuleType | None:
        """The slow twin in plain Python; None if the game has none."""
        return self.part("reference")

    def new_state(self, seed: int | None = None) -> _state.State:
        """The start of the game `seed`, in 0..2**64-1; None: the config's own seed, 0 where it has none."""
        return self._kind(self, getattr(self.config, "seed", 0) if seed is None else seed)

    def state_from_bytes(self, data: bytes) -> _state.State:
        """The inverse of `State.to_bytes`; StateError where the bytes are no position."""
        if not isinstance(data, bytes | bytearray | memoryview):
            raise StateError(f"bytes: bytes are wanted, not {type(data).__name__}")
        return _state.from_bytes(self._kind, self, bytes(data))

    def restore_state(self, data: bytes, *came_about: Any) -> _state.State:
        """Return a State from its bytes and what has come about in it: the inverse of pickling one.

        came_about : nothing, or the State's history, origin and past. StateError where it is none of these.
        """
        if not came_about:
            return self.state_from_bytes(data)
        return _state.restore(self._kind, self, data, *came_about)

    def state_from_dict(self, variables: Mapping[str, Any]) -> _state.State:
        """The inverse of `State.to_dict`; StateError, which names the key, where it is no position."""
        if not isinstance(variables, Mapping):
            raise StateError(f"dict: a dict is wanted, not {type(variables).__name__}")
        return _state.from_dict(self._kind, self, getattr(self.config, "seed", 0), dict(variables))

    def parse(self, text: str) -> _state.State:
        """The position that a text board shows; NotationError (line, column) or StateError where it is none."""
        if not isinstance(text, str):
            raise StateError(f"text: a str is wanted, not {type(text).__name__}")
        notation = self.part("notation")
        if notation is None:
            raise StateError(f"text: {self.name} has no text boards")
        return self.state_from_dict(self.new_state().to_dict() | notation.parse(self.config, text))

    def batch(self, size: int, **options: Any) -> Batch:
        """`size` games stepped together: `Batch(self, size, **options)`."""
        return Batch(self, size, **options)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Game):
            return NotImplemented
        if self.config is None:
            return self._provider is other._provider
        return self.name == other.name and self.config == other.config

    def __hash__(self) -> int:
        return hash((self.name, self.config))

    def __repr__(self) -> str:
        if self.config is None:
            return f"Game({self.name!r})"
        default, own = type(self.config)(), self.config
        told = "".join(
            f", {field.name}={getattr(own, field.name)!r}"
            for field in dataclasses.fields(own)
            if field.repr and getattr(own, field.name) != getattr(default, field.name)
        )
        return f"Game({self.name!r}{told})"

    def __reduce__(self) -> tuple[Any, ...]:
        if self.config is None:
            return load, (self._provider,)
        return _restore, (self.name, self.config)


def _restore(name: str, config: Config) -> Game:
    package = registry.package_of(name)
    return Game(package.table, config, package)
