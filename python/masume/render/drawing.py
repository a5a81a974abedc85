"""What draws a state: the `render` module of its game, or `plain` for a plug-in that has none."""

from __future__ import annotations

import dataclasses
import importlib
from typing import Any

from ..core.language import say
from . import plain
from .canvas import TOGETHER, Frame, Scene


def drawing_of(state: Any) -> Any:
    """Return the Drawing of the state's game; `plain` for a plug-in, which has none.

    state : of an engine or a reference; neither is changed.
    """
    if hasattr(state, "game"):
        found = state.game.part("render")
    else:
        found = importlib.import_module(f"{type(state).__module__.rpartition('.')[0]}.render")
    return found or plain


def draw_seen(state: Any, player: int | None) -> tuple[Scene, Frame]:
    """Return the scene and frame of a state as `player` sees it; None: everything.

    Raises ValueError for a player that the game does not have.
    """
    drawing = drawing_of(state)
    scene: Scene = drawing.scene(state)
    if player == TOGETHER and getattr(drawing, "SEEN_TOGETHER", False):
        return drawing.scene(state, player), drawing.frame(state, player)
    if player is not None and player not in range(len(scene.players)):
        raise ValueError(f"player: expected 0..{len(scene.players) - 1}, got {player!r}")
    if player is None or not scene.hides:
        return scene, drawing.frame(state)
    title = say("{title} as {player} sees it", title=scene.title, player=scene.players[player])
    return dataclasses.replace(drawing.scene(state, player), title=title), drawing.frame(state, player)
