"""Agents: what plays a seat, and the View of the game that it gets.

Matches, self-play and arenas know agents by `name`, `start`, `act` and `close` and nothing else.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TextIO, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from .core.rng import Rng
from .errors import ConfigError, NotationError

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


PROGRAMS = ("cmd", "json", "tcp")
"""What begins the name of a program (`referee.seats.make_seat`)."""


NAMED = (
    "mcts:SIMULATIONS",
    "mcts:MSms",
    "mcts:BUDGET/turn",
    "net:MODULE:ATTR",
    "net:MODULE:ATTR:SIMULATIONS",
    "human",
    "py:MODULE:ATTR",
)
"""How agents are named that play every game, beside those of the table."""


class Thought(NamedTuple):
    """What an agent thought before it acted; self-play keeps it.

    policy : for each of the slots it decided, (actions, weights), the weights being at least 0 and of sum 1.
    value : the result, -1..1, that it expected for itself.
    """

    policy: Sequence[tuple[Sequence[int], Sequence[float]]]
    value: float


@runtime_checkable
class Agent(Protocol):
    """A player of a seat. An agent with a `policy` of the table (`game.policies`) plays inside native loops.

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


class Native:
    """An agent that is one of the table's own policies; `random` is in every game."""

    def __init__(self, policy: str) -> None:
        self.name = self.policy = policy
        self._rng = Rng(0)

    def start(self, game: Game, player: int, seed: int) -> None:
        """Draw from a generator in state `seed`."""
        self._rng = Rng(seed)

    def act(self, view: View) -> Any:
        """What the table chooses (random: `legal[below(len(legal))]` for each slot in order)."""
        state = view._state
        actions, self._rng.state = state._choose(view.player, self.policy, self._rng.state)
        return actions if view.game.num_slots > 1 else actions[0]

    def close(self) -> None:
        """Nothing to let go."""


class Scripted:
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


class Human:
    """A person at the terminal, asked for each slot; `?` lists the legal actions, an empty line is an error."""

    name = "human"

    def __init__(self, stdin: TextIO | None = None, stdout: TextIO | None = None) -> None:
        self._in = stdin or sys.stdin
        self._out = stdout or sys.stdout

    def start(self, game: Game, player: int, seed: int) -> None:
        """Say which seat is the person's."""
        print(f"You are player {player} of {game.name}.", file=self._out)

    def act(self, view: View) -> Any:
        """The actions typed, one line each; an illegal or unreadable one is asked for again.

        The board is shown as the player sees it.
        """
        from .render import text, wants_color

        print(text(view._state, view.player, color=wants_color(self._out)), file=self._out)
        actions = [self._ask(view, slot) for slot in view.slots]
        return actions if view.game.num_slots > 1 else actions[0]

    def _ask(self, view: View, slot: int) -> int:
        legal = view.legal_actions(slot).tolist()
        where = f" for slot {slot}" if view.game.num_slots > 1 else ""
        while True:
            print(f"action{where} (? lists the legal ones): ", end="", file=self._out, flush=True)
            line = self._in.readline()
            if not line:
                print(file=self._out)  # behind the question
                raise EOFError("the input ended before the game")
            if line.strip() == "?":
                print("  ".join(view._state.action_to_text(action, slot) for action in legal), file=self._out)
                continue
            try:
                action = view._state.text_to_action(line.strip(), slot)
            except NotationError as error:
                print(error, file=self._out)
                continue
            if action in legal:
                return int(action)
            print(f"{line.strip()} is not allowed now", file=self._out)

    def close(self) -> None:
        """Nothing to let go."""


def is_program(spec: str) -> bool:
    """Whether `spec` names a program (`referee.seats.make_seat`)."""
    kind, _, rest = spec.partition(":")
    return kind in PROGRAMS and rest != ""


def make_agent(spec: str, game: Game) -> Agent:
    """The agent that `spec` names: random, a name of the game's own, or one of NAMED.

    MODULE:ATTR is imported and called without arguments: by py to make an agent, by net to make an evaluator
    (`search.net.Net`). ConfigError for what is none of these.
    """
    kind, _, rest = spec.partition(":")
    if kind == "py":
        return _imported(rest)
    if is_program(spec):
        raise ConfigError(f"agents: {spec!r}: programs play in matches, arenas and self-play only")
    if kind == "net":
        from .search.net import Net

        return Net(rest, game)
    if kind == "mcts":
        from .search import Searcher

        return Searcher(rest)
    plans = game.is_simultaneous and game.is_perfect_information
    if kind == "beam" and plans:
        from .search import Planner

        return Planner(rest)
    duels = game.num_players == 2 and game.num_slots == 1 and game.is_perfect_information
    if kind == "alphabeta" and duels:
        from .search import Deepener

        return Deepener(rest)
    if spec == "human":
        return Human()
    if spec in game.policies:
        return Native(spec)
    named = agents_of(game)
    if spec in named:
        return named[spec]()
    searches = plans * ["beam:SIMULATIONS", "beam:MSms"] + duels * ["alphabeta:NODES", "alphabeta:MSms"]
    known = [*dict.fromkeys([*game.policies, *named]), *searches, *NAMED]
    raise ConfigError(f"agents: {spec!r} is none of {', '.join(known)}")


def agents_of(game: Game) -> Mapping[str, Callable[[], Agent]]:
    """The game's own agents that are written in Python, by name."""
    return getattr(agents_module(game), "AGENTS", {})


def agents_module(game: Game) -> ModuleType | None:
    """The game's module of agents; None for a plug-in."""
    return importlib.import_module(f"masume.{game.name}.agents") if game.package else None


def made(spec: str, where: str) -> Any:
    """What MODULE:ATTR makes when it is called without arguments; ConfigError, which names `spec`, if there is none."""
    module, _, attribute = where.partition(":")
    if not module or not attribute:
        raise ConfigError(f"agents: {spec}: MODULE:ATTR is wanted after {spec.partition(':')[0]}:")
    try:
        maker = getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError, ValueError) as error:
        raise ConfigError(f"agents: {spec}: {error}") from None
    return maker()


def _imported(rest: str) -> Agent:
    agent = made(f"py:{rest}", rest)
    if not isinstance(agent, Agent):
        raise ConfigError(f"agents: py:{rest}: {agent!r} lacks name, start, act or close")
    return agent
