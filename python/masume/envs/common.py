"""Parts shared by the adapters: finding the game, bounds of spaces, and asking for one flat code at a time."""

from __future__ import annotations

import copy
import threading
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ..core._planes import Form
from ..core._state import State
from ..core.config import choice
from ..core.extras import extra
from ..errors import ConfigError, ConfigTypeError, GameOverError, IllegalActionError
from ..game import Game, load

FPS = 4  # of videos
CODE = np.dtype(np.int32)
RENDER_MODES = ("ansi", "rgb_array")
Fields = dict[str, tuple[tuple[int, ...], np.dtype[Any]]]


def camel(name: str) -> str:
    """Return the name of a game in the form of environment names: ConnectFour."""
    return "".join(word.capitalize() for word in name.split("_"))


def as_game(game: Any, config: dict[str, Any]) -> Game:
    """Return a Game unchanged, else `load(game, **config)`; raise ConfigTypeError for a Game with further fields."""
    if not isinstance(game, Game):
        return load(game, **config)
    if config:
        name = next(iter(config))
        raise ConfigTypeError(f"{name}: unexpected keyword argument {name!r}: a Game carries its config itself")
    return game


def fields_of(game: Game, observe: Sequence[str], form: Form | None = None) -> Fields:
    """Return the named part of `game.observation_spec`, in a form; raise ConfigError for an unknown field."""
    spec = game.observation_spec if form is None else form.spec
    found = {choice("observe", name, tuple(spec)): spec[name] for name in observe}
    if form is not None and form.crop is not None and not set(found) & set(form.planes):
        raise ConfigError(f"crop: expected an observed field that can be cropped, got {form.crop!r}")
    return found


def bounds_of(games: Sequence[Game], name: str, form: Form | None = None) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the least and the greatest value of each entry of a field, in its shape, over all games.

    They are those of the games' `bounds` modules, otherwise those of the dtype: for floats its finite values. Those of
    planes that are not floats are 0 and 1 for planes of bits, and otherwise those of the dtype.
    """
    shape, dtype = games[0].observation_spec[name] if form is None else form.spec[name]
    limits = np.finfo(dtype) if dtype.kind == "f" else np.iinfo(dtype)
    if form is not None and name in form.planes and dtype.kind != "f":
        high = np.full(shape, limits.max, dtype)
        if form.dtype == "uint8":
            high[form.planes[name].is_bits] = 1
        return np.zeros(shape, dtype), high
    lows, highs = [], []
    for game in games:
        part = game.part("bounds")
        known = part.observation_bounds(game.config) if part else {}
        low, high = known.get(name, (limits.min, limits.max))
        lows.append(np.broadcast_to(np.asarray(low, np.float64 if dtype.kind == "f" else dtype), shape))
        highs.append(np.broadcast_to(np.asarray(high, np.float64 if dtype.kind == "f" else dtype), shape))
    low, high = np.min(lows, axis=0), np.max(highs, axis=0)
    if dtype.kind == "f":
        low, high = np.clip(low, limits.min, limits.max), np.clip(high, limits.min, limits.max)
    return low.astype(dtype), np.where(low == high, high + 1, high).astype(dtype)


def fields_space(games: Sequence[Game], fields: Fields, views: tuple[int, ...] = (), form: Form | None = None) -> Any:
    """Return the Gymnasium space of the fields of these games, with `views` before the shape of each."""
    spaces = extra("gymnasium.spaces", "envs")
    boxes = {}
    for name, (shape, dtype) in fields.items():
        low, high = (np.broadcast_to(bound, (*views, *shape)) for bound in bounds_of(games, name, form))
        boxes[name] = spaces.Box(low, high, dtype=dtype.type)
    return spaces.Dict(boxes)


def neutral_codes(game: Game) -> list[int]:
    """Return the rule book's neutral code of each slot, as at the start.

    A mask of a slot that nobody decides offers this code alone: a mask of zeros is not a distribution.
    """
    state = game.new_state()
    return [state.fallback(slot) for slot in range(game.num_slots)]


def check_render(render_mode: str | None, game: Game, modes: Sequence[str]) -> str | None:
    """Return the render mode; raise ConfigError if `modes` does not have it, or the game has no pictures."""
    if render_mode is not None:
        choice("render_mode", render_mode, modes)
        if render_mode == "rgb_array" and game.part("render") is None:
            raise ConfigError(f"render_mode: {game.name} has no pictures; expected 'ansi', got 'rgb_array'")
    return render_mode


def legal_code(state: State, code: int, slot: int) -> int:
    """Return the code if it is legal for the slot, else the rule book's neutral one."""
    mask = state.legal_mask(slot)
    return code if 0 <= code < len(mask) and mask[code] else state.fallback(slot)


def apply_codes(state: State, codes: Sequence[int]) -> None:
    """Apply one legal code per slot."""
    state.apply(state.decode(codes[0]) if state.game.num_slots == 1 else list(codes))


def to_codes(actions: NDArray[np.integer[Any]], num_envs: int) -> NDArray[np.integer[Any]]:
    """Return actions of which each fits int32; raise ValueError for one that does not, and would become another."""
    if actions.dtype == CODE or (actions.size == 1 and -(2**31) <= actions.item() < 2**31):
        return actions
    codes = actions.astype(CODE)
    if np.count_nonzero(codes != actions):  # takes less time than any()
        place = int((codes != actions).argmax())
        raise ValueError(
            f"actions: expected int32, got {actions.flat[place]} in env {place * num_envs // actions.size}"
        )
    return codes


class Turnstile:
    """Lets one thread at a time into an environment; any other gets an error at once. A copy lets its own thread in."""

    def __init__(self) -> None:
        self._lock = threading.Lock()

    def __enter__(self) -> None:
        if not self._lock.acquire(blocking=False):
            raise self.error()

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), ()

    def error(self) -> Exception:
        """Return what a second thread gets."""
        return RuntimeError("another thread is inside the environment; each thread needs one of its own")


class Turns:
    """A state that is asked for one code at a time: slots that decide together are asked one after the other.

    state : the position before the codes that are `chosen`; it advances when every slot has its code.
    """

    def __init__(self, state: State) -> None:
        self.chosen: list[int] = []
        self.state = state

    @property
    def state(self) -> State:
        """The position."""
        return self._state

    @state.setter
    def state(self, state: State) -> None:
        self._state = state
        self._read()

    def _read(self) -> None:
        """Read from a position what is asked again and again."""
        self._slots: list[int] = self._state.slots.tolist()
        self._legal: dict[Any, list[int]] = {}

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        found = copy.copy(self)
        found.chosen = copy.deepcopy(self.chosen, memo)
        found.state = copy.deepcopy(self._state, memo)
        return found

    @property
    def player(self) -> int | None:
        """The player to choose now, None when the game is over."""
        return self._slots[len(self.chosen)] if self._slots else None

    def legal_mask(self) -> NDArray[np.uint8]:
        """Return uint8[num_actions]: the codes that may be chosen now."""
        return self._state.legal_mask(len(self.chosen))

    def legal_codes(self) -> list[int]:
        """Return the codes that may be chosen now, ascending; do not change the list."""
        slot = len(self.chosen)
        if slot not in self._legal:
            self._legal[slot] = self.legal_mask().nonzero()[0].tolist()
        return self._legal[slot]

    def own(self, player: int) -> list[int]:
        """Return the codes that the player has chosen and that are not applied yet."""
        return [code for code, owner in zip(self.chosen, self._slots, strict=False) if owner == player]

    def choose(self, code: int) -> None:
        """Set the code of the slot asked now; IllegalActionError leaves everything unchanged."""
        slots, slot = self._slots, len(self.chosen)
        if not slots:
            raise GameOverError(f"the game is over: code {code} cannot be played\n{self.state}")
        mask = self.legal_mask()
        if not (0 <= code < len(mask) and mask[code]):
            raise IllegalActionError(f"code {code} of slot {slot} of player {slots[slot]} is illegal\n{self.state}")
        self.chosen.append(code)
        if len(self.chosen) == len(slots):
            apply_codes(self._state, self.chosen)
            self.chosen.clear()
            self._read()
