"""Points of CHaser's contests: the official ones, and those of the exchange contest."""

from __future__ import annotations

from typing import Any

from ..contest.points import Rule
from .maps import ITEM
from .notation import ATTACK, COLLISION, CONFINED, FOUL, TRAPPED

ITEM_POINTS, BLOW, SWEEP, PENALTY = 10, 50, 6, 3
EXCHANGE_ITEM = 3


def official(state: Any) -> list[dict[str, int]]:
    """Return the official points of a finished game.

    items : 10 for each item taken. blow : 50 for the winner by a block on the opponent or by enclosing it; for a loser
    by a collision, by enclosing itself or by a foul, -3 for each item it took. sweep : for the winner, 6 for each item
    left on the field.
    """
    taken = state.items.tolist()
    left = int((state.cells == ITEM).sum())
    found = []
    for player in range(2):
        parts = {"items": ITEM_POINTS * taken[player], "blow": 0, "sweep": 0}
        if state.winner == player:
            parts["blow"] = BLOW if state.reason in (ATTACK, TRAPPED) else 0
            parts["sweep"] = SWEEP * left
        elif state.winner == 1 - player and state.reason in (COLLISION, CONFINED, FOUL):
            parts["blow"] = -PENALTY * taken[player]
        found.append(parts)
    return found


def exchange(state: Any) -> list[dict[str, int]]:
    """Return the points of the exchange contest: 3 for each item, and the turns left, which a loser loses."""
    taken = state.items.tolist()
    left = int(state.turns_left)
    sign = {player: 1 if state.winner == player else -1 if state.winner == 1 - player else 0 for player in range(2)}
    return [{"items": EXCHANGE_ITEM * taken[player], "turns": sign[player] * left} for player in range(2)]


RULES = {
    "official": Rule(official, order=("blow", "items")),
    "exchange": Rule(exchange, ties=("items",)),
}
