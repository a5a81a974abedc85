from ..core._state import State

def solve(
    state: State, by_returns: bool, max_states: int, sums: list[tuple[int, int]]
) -> tuple[int, list[list[int]], int]: ...
