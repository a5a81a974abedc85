"""The function table (src/masume/game.h) seen from Python: its struct for ctypes, and calls of its functions.

No State and no batch is between: this is for tests, and for tables that are filled in Python.
"""

from __future__ import annotations

import ctypes as ct
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from ..game import Game
    from ._state import State

TERMINAL = 1
p, i32, i64, u32, u64 = ct.c_void_p, ct.c_int32, ct.c_int64, ct.c_uint32, ct.c_uint64


class FieldStruct(ct.Structure):
    """`masume_field`: a named array in the state or in an observation."""

    _fields_ = [("name", ct.c_char_p), ("dtype", ct.c_char_p), ("ndim", u32), ("shape", u32 * 4), ("offset", u32)]


# of struct masume_game, in order: the result, then the arguments after the table itself
FUNCTIONS: dict[str, tuple[Any, ...]] = {
    "init": (None, p, p, u64),
    "slots": (i32, p, ct.POINTER(i32)),
    "legal": (i32, p, i32, ct.POINTER(i32)),
    "mask": (None, p, i32, ct.POINTER(ct.c_uint8)),
    "sample": (i32, p, i32, ct.POINTER(u64)),
    "fallback": (i32, p, i32),
    "apply": (i32, p, p, ct.POINTER(i32)),
    "returns": (None, p, ct.POINTER(ct.c_float)),
    "scores": (None, p, ct.POINTER(i64)),
    "observe": (None, p, p, i32, u32, ct.POINTER(p)),
    "key": (u64, p),
    "check": (p, p, p),
    "decode": (i64, p, i32),
    "encode": (i32, p, i64),
    "apply_action": (i32, p, p, i64),
    "forfeit": (i32, p, p, i32, i32),
    "resample": (i32, p, p, i32, u64, p, p),
    "policy": (None, p, p, i32, i32, ct.POINTER(u64), ct.POINTER(i32)),
    "playout": (i64, p, ct.POINTER(u64)),
    "step_many": (None, i64, p, p, ct.POINTER(i32), ct.POINTER(i32), ct.POINTER(i32)),
    "mask_bits": (None, p, i32, ct.POINTER(u32)),
    "news": (u64, p, p, i32, ct.POINTER(i32)),
    "forecast": (None, p, ct.POINTER(ct.c_double)),
    "prepare": (i32, p, p, i32, p),
    "draw": (i32, p, u64, p, p),
    "observe_compact": (None, p, p, i32, u32, p, ct.POINTER(p)),
    "observe_changes": (i32, p, p, i32, u32, p, p, p, ct.POINTER(p)),
}
TYPES = {name: ct.CFUNCTYPE(result, p, *arguments) for name, (result, *arguments) in FUNCTIONS.items()}


class Struct(ct.Structure):
    """`struct masume_game`."""

    _fields_ = [
        ("abi", u32), ("struct_size", u32), ("name", ct.c_char_p), ("params", p),
        ("state_size", u32), ("memory_size", u32), ("num_players", u32), ("num_slots", u32),
        ("num_actions", u32), ("max_legal", u32), ("flags", u32), ("max_game_length", i64),
        ("num_state_fields", u32), ("num_fields", u32),
        ("state_fields", ct.POINTER(FieldStruct)), ("fields", ct.POINTER(FieldStruct)),
        ("num_policies", u32), ("policy_names", ct.POINTER(ct.c_char_p)),
        *((name, TYPES[name]) for name in list(TYPES)[:-2]), ("sampler_size", u64),
        ("observe_compact", TYPES["observe_compact"]), ("planes", ct.POINTER(p)), ("centred", u32),
        ("observe_changes", TYPES["observe_changes"]), ("note_size", u32), ("changing", u32), ("seen", ct.POINTER(i32)),
    ]  # fmt: skip


class FunctionTable:
    """The functions of a game: `call("slots", state, players)`; arrays are given by their address."""

    def __init__(self, game: Game) -> None:
        get = ct.pythonapi.PyCapsule_GetPointer
        get.restype, get.argtypes = ct.c_void_p, [ct.py_object, ct.c_char_p]
        self.game = game  # keeps the capsule
        self.address = get(game.capsule, b"masume.game.v1")
        self.entries = Struct.from_address(self.address)

    def has(self, name: str) -> bool:
        """Whether the game has this optional function."""
        return bool(getattr(self.entries, name))

    def call(self, name: str, *arguments: NDArray[Any] | int | None) -> Any:
        """Call a function of the table; `void` returns None."""
        function = getattr(self.entries, name)
        kinds: Any = FUNCTIONS[name][1:]
        given = [
            ct.cast(argument.ctypes.data, kind) if isinstance(argument, np.ndarray) else argument
            for kind, argument in zip(kinds, arguments, strict=True)
        ]
        return function(self.address, *given)

    def parts_of(self, state: State) -> tuple[NDArray[np.uint8], NDArray[np.uint8] | None]:
        """Return copies of the bytes of a state and of its memory, None where the game keeps none."""
        data = np.frombuffer(state.to_bytes(), np.uint8).copy()
        size = self.game.state_size
        return data[:size].copy(), data[size:].copy() if len(data) > size else None
