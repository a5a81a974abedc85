"""Drawing of games without a `render` module: their text."""

from __future__ import annotations

from typing import Any

import numpy as np

from .canvas import Frame, Scene


def scene(state: Any, player: int | None = None) -> Scene:  # noqa: ARG001
    """Return the game's name and its players."""
    players = [str(number) for number in range(state.game.num_players)]
    return Scene(state.game.name, players, ["score"], hides=not state.game.is_perfect_information)


def frame(state: Any, player: int | None = None) -> Frame:
    """Return the state as text.

    In a game of imperfect information, a player's view is the arrays of its observation, without scores.
    """
    mover = state.current_player
    caption = {-1: "all to move", -2: "the end"}.get(mover, f"player {mover} to move")
    if player is None:
        return Frame(caption, [(int(score),) for score in state.scores()], text=str(state))
    lines = [f"{name}: {np.array2string(array)}" for name, array in state.observation(player).items()]
    return Frame(caption, [(None,)] * state.game.num_players, text="\n".join(lines))


def acts(before: Any, move: Any, after: Any, player: int | None = None) -> tuple[()]:  # noqa: ARG001
    """Return nothing: only the game knows what its actions are."""
    return ()
