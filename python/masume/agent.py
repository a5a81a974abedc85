"""Agents: what plays a seat, and the View of the game that it gets.

Matches, self-play and arenas know agents by `name`, `start`, `act` and `close` and nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from .core.rng import Rng

if TYPE_CHECKING:
    from .core._state import State
    from .game import Game


class View:
    """What `player` may use of the game now.

    game : as the player knows it (`Game.public`). player. slots : the places, among the slots wanted now, of those
    that the player decides.
    left_ms : milliseconds left on the player's clock, None without one.
    """

    def __init__(self, state: State, player: int, left_ms: int | None = None) -> None:
        self.game: Game = state.game.public
        self.player = player
        self.left_ms = left_ms
        self._state = state

    @property
    def slots(self) -> list[int]:
        """Places of the player's slots, ascending; empty when the player has nothing to decide."""
        return [slot for slot, player in enumerate(self._state.slots) if player == self.player]

    def legal_actions(self, slot: int | None = None) -> NDArray[Any]:
        """The legal actions of a slot (None: the player's first), in mask order (`State.legal_actions`)."""
        return self._state.legal_actions(self._slot(slot))

    def legal_mask(self, slot: int | None = None) -> NDArray[np.uint8]:
        """uint8[num_actions] of a slot (None: the player's first) (`State.legal_mask`)."""
        return self._state.legal_mask(self._slot(slot))

    def _slot(self, slot: int | None) -> int:
        return next(iter(self.slots), 0) if slot is None else slot

    def is_legal(self, action: int, slot: int) -> bool:
        """Whether the action may be played; an exact one need not be in `legal_actions`."""
        if action in self.legal_actions(slot):
            return True
        if self.game.num_slots > 1:
            return False
        try:
            self._state.clone().apply(action)
        except ValueError:
            return False
        return True

    def observation(self) -> dict[str, NDArray[Any]]:
        """The arrays of `game.observation_spec`, as the player sees them."""
        return self._state.observation(self.player)

    def information_state(self) -> str:
        """All that the player has seen, as text."""
        return self._state.information_state(self.player)

    def events(self) -> list[dict[str, Any]]:
        """What the last action caused, as the player sees it."""
        return self._state.events(self.player)

    def resample(self, seed: int) -> State:
        """A State sampled among those that the player cannot tell from the true one."""
        return self._state.resample(self.player, seed)

    @property
    def state(self) -> State:
        """A clone of the state, in games of perfect information; AttributeError in the others."""
        if not self.game.is_perfect_information:
            raise AttributeError(f"state: {self.game.name} hides things; a view offers what the player may know")
        return self._state.clone()


def position_of(view: View) -> State:
    """Return the position behind a view, with what its player may not know.

    For referees, searches and pages, which keep that from the player; a view's own methods do not.
    """
    return view._state


class Thought(NamedTuple):
    """What an agent thought before it acted; self-play keeps it.

    policy : for each of the slots it decided, (actions, weights), the weights being at least 0 and of sum 1.
    value : the result, -1..1, that it expected for itself.
    """

    policy: Sequence[tuple[Sequence[int], Sequence[float]]]
    value: float


@runtime_checkable
class Agent(Protocol):
    """A player of a seat. An agent with a `policy` of the table (`game.policies`) plays inside the loops in C.

    What an agent may have beside the following:

    thought : Thought or None, that of its last `act`.
    act_many(views, seeds) : a list of (what `act` would answer, Thought or None), one for each view, all chance of
        answer k coming from seeds[k]. Self-play then asks one object about many games at once.
    """

    name: str

    def start(self, game: Game, player: int, seed: int) -> None:
        """A game begins: the agent plays `player`; all its chance comes from `seed`."""

    def act(self, view: View) -> Any:
        """An action, or one action for each of `view.slots` where the game has several."""

    def close(self) -> None:
        """No game follows."""


class PolicyAgent:
    """An agent that is one of the table's own policies; `random` is in every game."""

    def __init__(self, policy: str) -> None:
        self.name = self.policy = policy
        self._rng = Rng(0)

    def start(self, game: Game, player: int, seed: int) -> None:
        """Draw from a generator in state `seed`."""
        self._rng = Rng(seed)

    def act(self, view: View) -> Any:
        """What the table chooses (random: `legal[below(len(legal))]` for each slot in order)."""
        actions, self._rng.state = position_of(view)._choose(view.player, self.policy, self._rng.state)
        return actions if view.game.num_slots > 1 else actions[0]

    def close(self) -> None:
        """Nothing to let go."""


class ScriptedAgent:
    """What the games' players in plain Python have in common: all their chance comes from the seed given to `start`."""

    name: str

    def __init__(self) -> None:
        self.rng = Rng(0)

    def start(self, game: Game, player: int, seed: int) -> None:
        """A game begins."""
        self.rng = Rng(seed)

    def one_of(self, actions: Sequence[int]) -> int:
        """One of the actions, all as likely: one draw always."""
        return actions[self.rng.below(len(actions))]

    def close(self) -> None:
        """Nothing to let go."""
