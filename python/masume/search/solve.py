"""solve: the exact value of a position, from all relevant continuations.

For two-player games of bounded length in which players decide in turn, without chance or hidden information, and one
player's gain is the other's loss.
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
MAX_LENGTH = 10_000  # each ply takes some of the C stack
DEFAULT = 1_000_000


@dataclasses.dataclass(frozen=True)
class Solution:
    """Result of perfect play.

    Attributes
    ----------
    values : tuple of int
        What each player gets at the end.
    lines : tuple of tuple of int
        For each first action that keeps the value, in mask order: the actions of a perfect game by both players,
        starting with that action. Empty if the game is over.
    num_states : int
        Positions met, without finished ones.
    """

    values: tuple[int, int]
    lines: tuple[tuple[int, ...], ...]
    num_states: int

    def _repr_html_(self) -> str:
        from ..render import notebook

        lines = [{"plies": len(line), "line": line} for line in self.lines]
        facts = {"values": self.values, "positions": self.num_states}
        return notebook.draw_card("Solution", facts, notebook.draw_table(lines))


def solve(
    state: State, objective: str = "scores", max_states: int = DEFAULT, sums: Sequence[str] | None = None
) -> Solution:
    """Return the exact value of a position, and the optimal lines of play.

    Parameters
    ----------
    state : State
        The position; it is not changed.
    objective : str, optional
        "scores" (`State.scores` at the end, default) or "returns". Each player maximizes its own.
    max_states : int, optional
        Maximum number of positions to keep, 1..2**31-1. Each takes state_size and 40 to 56 bytes, twice that while the
        table grows. Default 1000000.
    sums : sequence of str, optional
        With "scores": fields of `game.state_dtype` that only count points. Positions that differ only in these share
        one entry, and their values differ by the points scored. None: the field names in SUMS of the game's package.

    Returns
    -------
    Solution
        Values, optimal lines and number of positions.

    Raises
    ------
    SearchError
        If the game is of another kind, or `max_states` positions are not enough.
    ConfigError
        If an argument is bad.
    """
    game = state.game
    choice("objective", objective, OBJECTIVES)
    integer("max_states", max_states, 1, MAX_STATES)
    if game.num_players != 2:
        raise SearchError(f"{game.name}: expected a game of two players, got one of {game.num_players}")
    if game.is_simultaneous or game.num_slots != 1:
        raise SearchError(f"{game.name}: expected one decision at a time, got several at once")
    if not game.is_perfect_information:
        raise SearchError(f"{game.name}: expected perfect information")
    if game.max_game_length is None or game.max_game_length > MAX_LENGTH:
        raise SearchError(
            f"{game.name}: expected games of at most {MAX_LENGTH} plies, got {game.max_game_length or 'unbounded'}"
        )
    if sums is None:
        sums = getattr(game.package, "SUMS", ()) if objective == "scores" else ()
    elif objective != "scores":
        raise ConfigError(f"sums: expected none with objective {objective!r}, got {list(sums)}")
    fields: Mapping[str, Any] = game.state_dtype.fields or {}
    for name in sums:
        choice("sums", name, fields)
    places = [(fields[name][1], fields[name][0].itemsize) for name in sums]
    value, lines, num_states = _solve(state, objective == "returns", max_states, places)
    return Solution((value, -value), tuple(map(tuple, lines)), num_states)
