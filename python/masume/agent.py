"""Agents, which play a seat, and the View of the game that they receive.

Matches, self-play and arenas use only an agent's `name`, `start`, `act` and `close`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from .core.rng import Rng
from .errors import IllegalActionError

if TYPE_CHECKING:
    from .core._state import State
    from .game import Game


class View:
    """The part of a game that one player may use when deciding.

    Parameters
    ----------
    state : State
        The position.
    player : int
        The player who looks, 0..num_players-1.
    left_ms : int, optional
        Milliseconds left on the player's clock.
    each_ms : int, optional
        Milliseconds that each later turn may take, however long this one takes. Default 0.

    Attributes
    ----------
    game : Game
        The game as the player knows it (`Game.public`).
    player : int
        The player.
    left_ms : int or None
        Milliseconds left on the player's clock; None without a clock.
    each_ms : int
        Milliseconds that each later turn may take, however long this one takes; 0 without a clock.
    slots : list of int
        The pending slots that the player decides.
    state : State
        A clone of the position; only in games of perfect information.
    """

    def __init__(self, state: State, player: int, left_ms: int | None = None, each_ms: int = 0) -> None:
        self.game: Game = state.game.public
        self.player = player
        self.left_ms, self.each_ms = left_ms, each_ms
        self._state = state

    @property
    def slots(self) -> list[int]:
        """Slots that the player decides now, ascending; empty if there are none."""
        return [slot for slot, player in enumerate(self._state.slots) if player == self.player]

    def legal_actions(self, slot: int | None = None) -> NDArray[Any]:
        """Return the legal actions of a slot (None: the player's first slot); see `State.legal_actions`."""
        return self._state.legal_actions(self._slot(slot))

    def legal_mask(self, slot: int | None = None) -> NDArray[np.uint8]:
        """Return the mask of a slot (None: the player's first slot) as uint8[num_actions]; see `State.legal_mask`."""
        return self._state.legal_mask(self._slot(slot))

    def _slot(self, slot: int | None) -> int:
        return next(iter(self.slots), 0) if slot is None else slot

    def is_legal(self, action: int, slot: int) -> bool:
        """Return whether an action may be played in a slot; an exact action need not be in `legal_actions`."""
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
        """Return the player's observation, {field: array}, with shapes and dtypes from `game.observation_spec`."""
        return self._state.observation(self.player)

    def information_state(self) -> str:
        """Return everything that the player has seen, as text."""
        return self._state.information_state(self.player)

    def events(self) -> list[dict[str, Any]]:
        """Return the events of the last action, as the player sees them."""
        return self._state.events(self.player)

    def resample(self, seed: int) -> State:
        """Return a random State that the player cannot distinguish from the true one; see `State.resample`."""
        return self._state.resample(self.player, seed)

    @property
    def state(self) -> State:
        """A clone of the position; AttributeError in games of imperfect information."""
        if not self.game.is_perfect_information:
            raise AttributeError(f"state: {self.game.name} hides things; a view offers what the player may know")
        return self._state.clone()


def position_of(view: View) -> State:
    """Return the position behind a view, including what its player may not know.

    For referees, searches and pages, which keep it from the player. The methods of a view do not reveal it.
    """
    return view._state


class Thought(NamedTuple):
    """An agent's evaluation of the position in which it acted; self-play records it.

    Attributes
    ----------
    policy : sequence of (actions, weights)
        One pair per slot that the agent decided. The weights are at least 0 and sum to 1.
    value : float
        The result that the agent expects for itself, in -1..1.
    """

    policy: Sequence[tuple[Sequence[int], Sequence[float]]]
    value: float


class ViewError(ValueError):
    """An error of `act_many` about one of its views.

    Parameters
    ----------
    place : int
        The index of the view, so that the error can name its game.
    what : str
        What is wrong.
    """

    def __init__(self, place: int, what: str) -> None:
        super().__init__(what)
        self.place = place


@runtime_checkable
class Agent(Protocol):
    """Protocol of a player of a seat.

    An agent whose `policy` attribute names a policy of the table (`game.policies`) plays inside the C loops.

    Attributes
    ----------
    name : str
        Name of the agent.

    Notes
    -----
    An agent may also have:

    thought : Thought or None
        Its evaluation at the last `act`.
    act_many(views, seeds)
        Return a list of (answer of `act`, Thought or None), one per view. All random numbers of answer k derive from
        seeds[k]. Self-play then asks one object about many games at once. A ViewError says which view is at fault.
    """

    name: str

    def start(self, game: Game, player: int, seed: int) -> None:
        """Start a game.

        Parameters
        ----------
        game : Game
            The game as the player knows it.
        player : int
            The seat to play, 0..num_players-1.
        seed : int
            Seed of all random numbers of the agent in this game.
        """

    def act(self, view: View) -> Any:
        """Return the player's decision.

        Parameters
        ----------
        view : View
            What the player may use of the position.

        Returns
        -------
        int, or list, tuple or array of int
            One action for each of `view.slots`; if that is one, it may stand alone.
        """

    def close(self) -> None:
        """Release resources; no further game follows."""


def list_answer(answer: Any, wanted: int) -> list[Any]:
    """Return what `Agent.act` has returned as a list of actions, which are not checked.

    Parameters
    ----------
    answer : object
        A list, tuple or array of one action for each slot; or an action, if there is one slot.
    wanted : int
        Number of slots that were asked for.

    Raises
    ------
    IllegalActionError
        If it is another number of actions.
    """
    given = answer.tolist() if hasattr(answer, "tolist") else answer
    actions = list(given) if isinstance(given, Iterable) and not isinstance(given, str | bytes) else [given]
    if len(actions) != wanted:
        raise IllegalActionError(f"expected {wanted} actions, one for each of view.slots, got {answer!r:.60}")
    return actions


class PolicyAgent:
    """Agent that plays a policy of the game's table; every game has the policy "random".

    Parameters
    ----------
    policy : str
        One of `game.policies`.

    Attributes
    ----------
    name, policy : str
        The policy.
    """

    def __init__(self, policy: str) -> None:
        self.name = self.policy = policy
        self._rng = Rng(0)

    def start(self, game: Game, player: int, seed: int) -> None:
        """Start a game; actions are drawn from a generator in state `seed`."""
        self._rng = Rng(seed)

    def act(self, view: View) -> Any:
        """Return the actions the table chooses (random: `legal[below(len(legal))]` for each slot in order)."""
        actions, self._rng.state = position_of(view)._choose(view.player, self.policy, self._rng.state)
        return actions if view.game.num_slots > 1 else actions[0]

    def close(self) -> None:
        """Do nothing."""


class ScriptedAgent:
    """Base class of the agents in plain Python; all random numbers derive from the seed passed to `start`.

    Attributes
    ----------
    name : str
        Name of the agent; set by subclasses.
    rng : Rng
        Generator of the agent in the current game.
    """

    name: str

    def __init__(self) -> None:
        self.rng = Rng(0)

    def start(self, game: Game, player: int, seed: int) -> None:
        """Start a game with a new generator."""
        self.rng = Rng(seed)

    def one_of(self, actions: Sequence[int]) -> int:
        """Return one of the actions, each with the same probability; always takes one draw."""
        return actions[self.rng.below(len(actions))]

    def close(self) -> None:
        """Do nothing."""
