"""How games end: who won, and why."""

from __future__ import annotations

from collections.abc import Iterable

from .core._state import State


def winners(returns: Iterable[float]) -> list[int]:
    """Return the players whose return is 1; a shared first place has no winner."""
    return [player for player, value in enumerate(returns) if value == 1]


def reason_of(state: State) -> str | None:
    """Return why a game ended, in a word; None if it goes on, or its game does not say."""
    reason = state.game.hook("reason")
    return None if reason is None or not state.is_terminal() else str(reason(state))
