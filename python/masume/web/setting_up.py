"""Setting up: an agent of the game sets up the pieces of a person, so that the first turn can begin at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..agent import View, position_of
from ..agents.asking import close_agent
from ..agents.make import make_agent
from ..game import Game


class SetUp:
    """Answers for a person as long as its pieces are set up.

    A game whose module `people` has `is_setting_up(state)` and `SET_UP`, the name of an agent, can be set up.

    Parameters
    ----------
    game : Game
        The game.
    player : int
        The player of the person.
    seed : int
        From which the agent's draws come.
    """

    def __init__(self, game: Game, player: int, seed: int) -> None:
        self._game, self._player, self._seed = game, player, seed
        self._agent: Any = None

    def answer(self, view: View) -> Sequence[int] | None:
        """Return the answer to a question of the set-up; None when the pieces stand."""
        part: Any = self._game.part("people")
        if not hasattr(part, "is_setting_up") or not part.is_setting_up(position_of(view)):
            if self._agent is not None:
                close_agent(self._agent)
            return None
        if self._agent is None:
            self._agent = make_agent(part.SET_UP, self._game)
            self._agent.start(view.game, self._player, self._seed)
        answer = self._agent.act(view)
        return list(answer) if self._game.num_slots > 1 else [int(answer)]
