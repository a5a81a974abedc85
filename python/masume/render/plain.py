"""The drawing of games that bring none: their text."""

from __future__ import annotations

from typing import Any

from .canvas import Frame, Scene


def scene(state: Any) -> Scene:
    """The game's name and its players."""
    players = [str(player) for player in range(state.game.num_players)]
    return Scene(state.game.name, players, ["score"])


def frame(state: Any) -> Frame:
    """The state as text."""
    mover = state.current_player
    when = {-1: "all to move", -2: "the end"}.get(mover, f"player {mover} to move")
    return Frame(when, [[int(score)] for score in state.scores()], text=str(state))


def acts(before: Any, move: Any, after: Any) -> tuple[()]:  # noqa: ARG001
    """Nothing: only the game knows what its actions are."""
    return ()
