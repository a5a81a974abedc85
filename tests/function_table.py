"""The functions of a game's table, called as C calls them: what generic code asks of an engine, and no State shows."""

from __future__ import annotations

import ctypes

import numpy as np
from numpy.typing import NDArray

import masume
import toy

TERMINAL = 1


class Table:
    """The function table of a game: `call("slots", state, players)`; arrays are given by their address."""

    def __init__(self, game: masume.Game) -> None:
        get = ctypes.pythonapi.PyCapsule_GetPointer
        get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
        self.game = game  # keeps the capsule
        self.address = get(game.capsule, b"masume.game.v1")
        self.entries = toy.Game.from_address(self.address)

    def has(self, name: str) -> bool:
        """Whether the game has this optional function."""
        return bool(getattr(self.entries, name))

    def call(self, name: str, *arguments: NDArray | int | None) -> int:
        """Call a function of the table."""
        function = getattr(self.entries, name)
        kinds = toy.TYPES[name]._argtypes_[1:]
        given = [
            ctypes.cast(argument.ctypes.data, kind) if isinstance(argument, np.ndarray) else argument
            for kind, argument in zip(kinds, arguments, strict=True)
        ]
        return function(self.address, *given)

    def parts_of(self, state: masume.State) -> tuple[NDArray, NDArray | None]:
        """Return copies of the bytes of a state and of its memory, None where the game keeps none."""
        data = np.frombuffer(state.to_bytes(), np.uint8).copy()
        size = self.game.state_size
        return data[:size].copy(), data[size:].copy() if len(data) > size else None
