"""What the adapters share: finding the game, spaces' bounds, and asking for one flat code at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..core.config import choice
from ..core.extras import extra
from ..errors import ConfigError, GameOverError, IllegalActionError
from ..game import Game, load

if TYPE_CHECKING:
    from ..core._state import State

Fields = dict[str, tuple[tuple[int, ...], np.dtype[Any]]]


def camel(name: str) -> str:
    """The name of a game as libraries write names of environments: ConnectFour."""
    return "".join(word.capitalize() for word in name.split("_"))


def as_game(game: Any, config: dict[str, Any]) -> Game:
    """A Game as it is, or what `load(game, **config)` makes; ConfigError for a Game with further fields."""
    if not isinstance(game, Game):
        return load(game, **config)
    if config:
        raise ConfigError(f"{next(iter(config))}: a Game carries its config itself")
    return game


def fields_of(game: Game, observe: Sequence[str]) -> Fields:
    """The part of `game.observation_spec` that is named; ConfigError for a field it does not have."""
    spec = game.observation_spec
    return {choice("observe", name, tuple(spec)): spec[name] for name in observe}


def fields_space(fields: Fields, views: tuple[int, ...] = ()) -> Any:
    """The Gymnasium space of the fields, `views` before the shape of each; floats have no bounds."""
    spaces = extra("gymnasium.spaces", "envs")
    boxes = {}
    for name, (shape, dtype) in fields.items():
        low, high = (-np.inf, np.inf) if dtype.kind == "f" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
        boxes[name] = spaces.Box(low, high, (*views, *shape), dtype.type)
    return spaces.Dict(boxes)


def legal_code(state: State, code: int, slot: int) -> int:
    """The code where it is legal for the slot, the rule book's neutral one where it is not."""
    mask = state.legal_mask(slot)
    return code if 0 <= code < len(mask) and mask[code] else state.fallback(slot)


def apply_codes(state: State, codes: Sequence[int]) -> None:
    """Apply one legal code a slot."""
    state.apply(state.decode(codes[0]) if state.game.num_slots == 1 else list(codes))


class Turns:
    """A state asked for one code at a time: slots that decide together are asked one after the other.

    state : the position before the codes that are `chosen`; it moves on when every slot has its code.
    """

    def __init__(self, state: State) -> None:
        self.state = state
        self.chosen: list[int] = []

    @property
    def player(self) -> int | None:
        """Who is asked now, None when the game is over."""
        slots = self.state.slots
        return int(slots[len(self.chosen)]) if len(slots) else None

    def legal_mask(self) -> NDArray[np.uint8]:
        """uint8[num_actions]: the codes among which to choose now."""
        return self.state.legal_mask(len(self.chosen))

    def own(self, player: int) -> list[int]:
        """The codes that the player has chosen and that are not applied yet."""
        return [code for code, owner in zip(self.chosen, self.state.slots, strict=False) if owner == player]

    def choose(self, code: int) -> None:
        """Give the slot asked now its code; IllegalActionError leaves everything as it was."""
        slots = self.state.slots
        if not len(slots):
            raise GameOverError(f"the game is over: code {code} cannot be played\n{self.state}")
        slot = len(self.chosen)
        mask = self.legal_mask()
        if not (0 <= code < len(mask) and mask[code]):
            raise IllegalActionError(f"code {code} of slot {slot} of player {slots[slot]} is illegal\n{self.state}")
        self.chosen.append(code)
        if len(self.chosen) == len(slots):
            apply_codes(self.state, self.chosen)
            self.chosen.clear()
