"""solve: the exact value of a position, by going through all that can matter of what follows it.

For two-player games that end, decided by one player at a time, without chance and without secrets, in which one
player gets what the other loses.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from ..core._state import State
from ..core.config import choice, integer
from ..errors import ConfigError, SearchError
from ._solve import solve as _solve

OBJECTIVES = ("scores", "returns")
MAX_STATES = 2**31 - 1
MAX_LENGTH = 10_000  # plies; each takes some of the C stack
DEFAULT = 1_000_000


@dataclasses.dataclass(frozen=True)
class Solution:
    """What perfect play comes to.

    values : what each player gets at the end. lines : for each action that keeps to it, in mask order, the whole of
    such a play by both, that action first; none at the end of a game. num_states : positions met, the ends not counted.
    """

    values: tuple[int, int]
    lines: tuple[tuple[int, ...], ...]
    num_states: int


def solve(
    state: State, objective: str = "scores", max_states: int = DEFAULT, sums: Sequence[str] | None = None
) -> Solution:
    """The exact value of a position, and the plays that have it.

    objective : "scores" (State.scores at the end, each player wants the most) or "returns".
    max_states : positions that may be kept, 1..2**31-1; each takes state_size and 40 to 56 bytes, twice while more room
        is made.
    sums : with "scores", fields of `game.state_dtype` that only count points: positions that differ in nothing else
        are one, and their values differ by what has been scored. None: those that the game's package calls SUMS.

    Raises SearchError for a game of another kind, or where max_states is not enough; ConfigError for a wrong argument.
    """
    game = state.game
    choice("objective", objective, OBJECTIVES)
    integer("max_states", max_states, 1, MAX_STATES)
    if game.num_players != 2:
        raise SearchError(f"{game.name}: {game.num_players} players, two are wanted")
    if game.is_simultaneous or game.num_slots != 1:
        raise SearchError(f"{game.name}: several decisions at once")
    if not game.is_perfect_information:
        raise SearchError(f"{game.name}: its players do not see everything")
    if game.max_game_length is None or game.max_game_length > MAX_LENGTH:
        raise SearchError(f"{game.name}: {game.max_game_length or 'unbounded'} plies, {MAX_LENGTH} are the most")
    if sums is None:
        sums = getattr(game.package, "SUMS", ()) if objective == "scores" else ()
    elif objective != "scores":
        raise ConfigError(f"sums: {list(sums)} are points, which returns do not add up")
    fields: Mapping[str, Any] = game.state_dtype.fields or {}
    for name in sums:
        choice("sums", name, fields)
    places = [(fields[name][1], fields[name][0].itemsize) for name in sums]
    value, lines, num_states = _solve(state, objective == "returns", max_states, places)
    return Solution((value, -value), tuple(map(tuple, lines)), num_states)
