from typing import Any

from ._state import State

MAX_ROOTS: int

def divide(state: State, depth: int) -> dict[Any, int]: ...
def perft(state: State, depth: int) -> int: ...
