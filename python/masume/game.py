"""load: create a Game from its name and config."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

from . import starts
from .batch import Batch
from .core import _state, registry
from .core._game import Table
from .core._planes import Form
from .core.config import Config, choice
from .core.planes import PlaneSpec
from .errors import ConfigError, StateError


def games() -> tuple[str, ...]:
    """Return the names that `load` accepts, sorted: the games of masume and of installed plug-in packages."""
    return registry.names()


def load(game: Any, preset: str | None = None, **fields: Any) -> Game:
    """Return the game of this name with this config.

    Parameters
    ----------
    game : str or object
        A name from `games()`, or a provider: an object with ``__masume_game__() -> capsule``.
    preset : str, optional
        Name of a predefined set of config fields of the game.
    **fields
        Fields of the game's Config. `board` (Kakomimasu), `map` (CHaser, Terraforming), `stage` (Nezumi) and
        `terrain_map` (Battleship) are starts: the name of a shipped one, a path, FILE:NAME for one of several in a
        file, `daily`, the text of a file, or the object it is parsed into. `board`, `map` and `stage` mean the same.

    Returns
    -------
    Game
        The game.

    Raises
    ------
    ConfigError
        If the game, the preset or a field is unknown or has a bad value; the message names it.

    Examples
    --------
    >>> load("kakomimasu", width=10, height=10, seed=1)
    Game('kakomimasu', width=10, height=10, seed=1)
    """
    if not isinstance(game, str):
        if preset is not None or fields:
            raise ConfigError(f"{preset or next(iter(fields))}: a plug-in carries its config itself")
        return Game(game)
    return load_config(game, preset, starts.resolve(registry.package_of(game), fields))


def load_config(game: str, preset: str | None, fields: Mapping[str, Any]) -> Game:
    """Return the game of this name with this config, as `load`, but without reading a file that a field names."""
    package = registry.package_of(game)
    found = Game(package.table, package.Config.make(preset, **fields), package)
    if found.name != game:
        raise ConfigError(f"game: {game!r}: its table says that it is {found.name!r}")
    return found


class Game(Table):
    """A game with its config: immutable, picklable, equal by name and config. Created by `load`.

    Attributes
    ----------
    config : Config or None
        The config; None for a plug-in that is not in a package.
    package : module or None
        The Python package of the game; None for a plug-in that is not in a package.
    public : Game
        The game without what its config hides from the players.
    reference : module or None
        The slow implementation in plain Python.
    name, num_players, num_slots, num_actions, max_game_length, policies, observation_spec
        Description of the game, as in its function table.
    is_simultaneous, is_perfect_information : bool
        Whether all players decide at once; whether every player sees the whole state.
    """

    def __init__(self, provider: Any, config: Config | None = None, package: ModuleType | None = None) -> None:
        super().__init__(provider(config) if package else provider)
        kind = getattr(package, "State", _state.State)
        self.__dict__.update(_provider=None if package else provider, config=config, package=package, _kind=kind)

    config: Config | None
    package: ModuleType | None
    _provider: Any
    _kind: type[_state.State]

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"{name}: a game cannot be changed")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{name}: a game cannot be changed")

    @property
    def public(self) -> Game:
        """The game as its players know it, without what the config hides (`Config.public`)."""
        return self if self.config is None or not self.config.list_hidden() else self._public

    @functools.cached_property
    def _public(self) -> Game:
        assert self.config is not None
        assert self.package is not None
        return Game(self.package.table, self.config.public(), self.package)

    def redrawn(self, seed: int) -> Game:
        """Return the game for the starts of a seed.

        Where the config draws the board, that is a game on another board, unless the board is given. Everywhere else
        `new_state` draws the start, and it is this game.

        Parameters
        ----------
        seed : int
            Seed of what the config draws, 0..2**64-1.

        Returns
        -------
        Game
            A game with the same rules.

        Raises
        ------
        ConfigError
            If the config draws the board, and the seed is out of range.
        """
        config = None if self.config is None else self.config.redrawn(seed)
        if config is self.config or config is None or self.package is None:
            return self
        return Game(self.package.table, config, self.package)

    def part(self, name: str) -> ModuleType | None:
        """Return a part of the game that is a module (`agents`, `protocol`, ...).

        Parameters
        ----------
        name : str
            Name of the module, one of `masume.core.registry.MODULES`.

        Returns
        -------
        module or None
            The module of the game's package; None if it has none.

        Raises
        ------
        ConfigError
            If no game can have a part of this name.
        """
        return registry.part_of(self.package, name)

    def hook(self, name: str) -> Callable[..., Any] | None:
        """Return a function of the game's part `protocol` (`masume.referee.hooks`); None if the game has none."""
        return getattr(self.part("protocol"), name, None)

    @property
    def reference(self) -> ModuleType | None:
        """Slow implementation in plain Python, which the engine is tested against; None if the game has none."""
        return self.part("reference")

    def new_state(self, seed: int | None = None) -> _state.State:
        """Return the start of a game.

        Parameters
        ----------
        seed : int, optional
            Seed, 0..2**64-1. None: the seed in the config, 0 if it has none.

        Returns
        -------
        State
            A new state of the game's own State class.

        Raises
        ------
        ConfigError
            If the seed is out of range or has no start.
        """
        return self._kind(self, getattr(self.config, "seed", 0) if seed is None else seed)

    def state_from_bytes(self, data: bytes, *, without_memory: bool = False) -> _state.State:
        """Return a State from the bytes of `State.to_bytes`.

        Parameters
        ----------
        data : bytes, bytearray or memoryview
            The position and what its players have seen.
        without_memory : bool, optional
            True: `data` ends after the `state_size` bytes of the position, before which the players have seen nothing.
            In games of perfect information these are all bytes. Default False.

        Returns
        -------
        State
            The position, with an empty history.

        Raises
        ------
        StateError
            If the bytes are not a position of this game, or what the players have seen is missing.
        """
        if not isinstance(data, bytes | bytearray | memoryview):
            raise StateError(f"bytes: expected bytes, got {type(data).__name__}")
        return _state.from_bytes(self._kind, self, bytes(data), without_memory)

    def restore_state(self, data: bytes, *came_about: Any) -> _state.State:
        """Return a State from its bytes and its history: the inverse of pickling one.

        Parameters
        ----------
        data : bytes
            The bytes of the state.
        *came_about
            Nothing, or the State's `history`, `origin` and `past`.

        Returns
        -------
        State
            The position.

        Raises
        ------
        StateError
            If an argument is not what a State of this game reports.
        """
        if not came_about:
            return self.state_from_bytes(data)
        return _state.restore(self._kind, self, data, *came_about)

    def state_from_dict(self, variables: Mapping[str, Any]) -> _state.State:
        """Return a State from the dict of `State.to_dict`.

        Parameters
        ----------
        variables : mapping
            The variables of the position.

        Returns
        -------
        State
            The position, with an empty history.

        Raises
        ------
        StateError
            If the dict is not a position of this game; the message names the key.
        """
        if not isinstance(variables, Mapping):
            raise StateError(f"dict: expected a dict, got {type(variables).__name__}")
        return _state.from_dict(self._kind, self, getattr(self.config, "seed", 0), dict(variables))

    def parse(self, text: str) -> _state.State:
        """Return the position that a text board shows.

        Parameters
        ----------
        text : str
            The board, in the game's notation.

        Returns
        -------
        State
            The position, with an empty history.

        Raises
        ------
        NotationError
            If the text cannot be read; reports line and column.
        StateError
            If the board is not a position, or the game has no text boards.
        """
        if not isinstance(text, str):
            raise StateError(f"text: expected a str, got {type(text).__name__}")
        notation = self.part("notation")
        if notation is None:
            raise StateError(f"text: {self.name} has no text boards")
        return self.state_from_dict(self.new_state().to_dict() | notation.parse(self.config, text))

    def plane_spec(
        self, field: str = "planes", dtype: str = "uint8", crop: int | tuple[int, int] | str | None = None
    ) -> PlaneSpec:
        """Return what the arrays of a field of planes mean.

        Parameters
        ----------
        field : str, optional
            A field of float32 planes. Default "planes".
        dtype, crop
            As in `Batch`. Default uint8, everything.

        Returns
        -------
        PlaneSpec
            Shape, scale, offset and levels of the planes.

        Raises
        ------
        ConfigError
            If the game has no such field, dtype or crop.
        """
        specs = Form(self, dtype, crop).planes
        return specs[choice("field", field, tuple(specs))]

    def batch(self, size: int, **options: Any) -> Batch:
        """Return `size` games that are stepped together: `Batch(self, size, **options)`."""
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

    def draw(self, state: _state.State) -> str:
        """Return a position of this game as an SVG document, which notebooks show."""
        from .render import svg

        return svg(state)

    def _repr_html_(self) -> str:
        from .render import notebook

        facts = {
            "players": self.num_players,
            "moves": "all at once" if self.is_simultaneous else "in turn",
            "information": "perfect" if self.is_perfect_information else "imperfect",
            "slots": self.num_slots,
            "actions": self.num_actions,
            "plies": self.max_game_length,
        }
        return notebook.draw_card(repr(self), facts, notebook.draw_position(self.new_state()))

    def __copy__(self) -> Game:
        return self

    def __deepcopy__(self, _memo: object) -> Game:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        if self.config is None:
            return load, (self._provider,)
        return _restore, (self.name, self.config)


def _restore(name: str, config: Config) -> Game:
    package = registry.package_of(name)
    return Game(package.table, config, package)
