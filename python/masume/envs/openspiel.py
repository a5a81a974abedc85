"""OpenSpiel: every game as a Python game, `masume_<name>`, registered on import.

>>> from masume.envs import openspiel
>>> game = openspiel.load_game("chaser", width=9, height=7, n_blocks=4, n_items=6)
>>> state = game.new_initial_state()
>>> state.apply_action(5)    # the start: one of game.max_chance_outcomes()
>>> state.current_player(), state.legal_actions()[:3]
(0, [0, 1, 2])

The first node is a chance node: it draws one of `starts` starts, where start k is `new_state(k)`; with `starts=0` it
has one outcome, a start that was drawn from all when the state was made. All later chance follows from the start and
is drawn inside the game. An OpenSpiel action is a code. Where all players decide at once, each node is simultaneous and
asks every player for the code of one slot; the codes are applied when all slots have theirs. OpenSpiel's algorithms in
Python run on these games; its MCTSBot in C++ crashes on every game written in Python.
"""

from __future__ import annotations

import copy
import json
import math
import secrets
import urllib.parse
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.config import choice, integer
from ..core.extras import extra
from ..core.rng import Rng, stream
from ..errors import ConfigError, GameOverError, IllegalActionError
from ..game import Game, games, load
from ..render import text
from .common import Turns, apply_codes, camel

if TYPE_CHECKING:
    import pyspiel

    from ..core._state import State
else:
    pyspiel = extra("pyspiel", "openspiel")

STARTS = 1000
CHANCE, SIMULTANEOUS, TERMINAL = (
    int(player) for player in (pyspiel.PlayerId.CHANCE, pyspiel.PlayerId.SIMULTANEOUS, pyspiel.PlayerId.TERMINAL)
)
ENDLESS = 2**31 - 1  # max_game_length of games without a bound


def load_game(game: Any, *, starts: int = STARTS, rng_seed: int = -1, **config: Any) -> Any:
    """Load the OpenSpiel game `masume_<name>`.

    Parameters
    ----------
    game : str or Game
        A name, or a Game that `load` made of one.
    starts : int, optional
        Number of starts that the first chance node draws from, 1..2**20. 0: `new_initial_state` draws a seed in
        0..2**63 - 1, and the chance node has the one outcome 0, its start. OpenSpiel's own sampled chance cannot write
        states of games in Python as text; these states hold their seed.
    rng_seed : int, optional
        Seed of the draws of `starts=0`, 0..2**31 - 1. -1: from entropy.
    **config
        Preset and fields of the game, as JSON types.

    Returns
    -------
    SpielGame
        A `pyspiel.Game`.

    Raises
    ------
    ConfigError
        If the game is unknown or a plug-in, or if a field is invalid.

    Examples
    --------
    >>> str(load_game("kakomimasu", width=6, starts=1))
    'masume_kakomimasu(config=%7B%22width%22%3A%206%7D,rng_seed=-1,starts=1)'
    """
    if isinstance(game, Game):
        if game.config is None or config:
            raise ConfigError(f"game: {game!r} cannot be given by name and fields")
        game, config = game.name, game.config.to_dict()
    choice("game", game, games())
    integer("starts", starts, 0, 2**20)
    integer("rng_seed", rng_seed, -1, 2**31 - 1)
    told = urllib.parse.quote(json.dumps(config)) if config else ""
    return pyspiel.load_game(f"masume_{game}", {"config": told, "starts": starts, "rng_seed": rng_seed})


def _game_type(name: str, game: Game | None = None) -> Any:
    """Return OpenSpiel's description of a game; without `game`, of all games of the name."""
    kinds = pyspiel.GameType
    is_simultaneous = (game or load(name)).is_simultaneous
    hides = game is None or not game.is_perfect_information or game.num_slots > game.num_players
    return kinds(
        short_name=f"masume_{name}",
        long_name=f"{camel(name)} (masume)",
        dynamics=kinds.Dynamics.SIMULTANEOUS if is_simultaneous else kinds.Dynamics.SEQUENTIAL,
        chance_mode=kinds.ChanceMode.EXPLICIT_STOCHASTIC,
        information=kinds.Information.IMPERFECT_INFORMATION if hides else kinds.Information.PERFECT_INFORMATION,
        utility=kinds.Utility.ZERO_SUM if game and game.num_players == 2 else kinds.Utility.GENERAL_SUM,
        reward_model=kinds.RewardModel.TERMINAL,
        max_num_players=game.num_players if game else 4,
        min_num_players=game.num_players if game else 1,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={"config": "", "starts": STARTS, "rng_seed": -1},
    )


class SpielGame(pyspiel.Game):  # type: ignore[misc]
    """A game as a `pyspiel.Game`.

    params : `config`, percent-encoded JSON of preset and fields, `starts` and `rng_seed`.
    """

    name: str

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        parameters = params or {}
        config = json.loads(urllib.parse.unquote(parameters.get("config", "")) or "{}")
        self.starts: int = parameters.get("starts", STARTS)
        self.masume = game = load(self.name, **config)
        length = game.max_game_length
        seed = parameters.get("rng_seed", -1)
        self._rng = Rng(secrets.randbits(64) if seed == -1 else stream(seed, 0))
        nodes = _count_rounds(game.new_state()) if game.is_simultaneous else game.num_slots
        info = pyspiel.GameInfo(
            num_distinct_actions=game.num_actions,
            max_chance_outcomes=max(1, self.starts),
            num_players=game.num_players,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0 if game.num_players == 2 else None,
            max_game_length=ENDLESS if length is None else length * nodes,
        )
        super().__init__(_game_type(self.name, game), info, parameters)

    def draw_start(self) -> int:
        """Return the next seed, for `starts=0`."""
        return self._rng.next() >> 1

    def __reduce__(self) -> tuple[Any, ...]:
        return pyspiel.load_game, (str(self),)

    def new_initial_state(self) -> SpielState:
        """Return the chance node before the start."""
        return SpielState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: dict[str, Any] | None = None) -> Observer:
        """Return the observer with which OpenSpiel reads observations and information states."""
        if params:
            raise ConfigError(f"params: expected none, got {params}")
        return Observer(self.masume, iig_obs_type is not None and iig_obs_type.perfect_recall)


class Rounds(Turns):
    """A state in which all players decide at once, asked for one slot of every player at a time.

    state : the position before the codes of all players, in `rounds`; it advances when every slot has its code.
    """

    def __init__(self, state: State) -> None:
        self.rounds: list[list[int]] = []  # the code of each player
        super().__init__(state)

    def _read(self) -> None:
        super()._read()
        self._own: list[list[int]] = [[] for _ in range(self._state.game.num_players)]  # slots of each player
        for slot, player in enumerate(self._slots):
            self._own[player].append(slot)

    def __deepcopy__(self, memo: dict[int, Any]) -> Rounds:
        found = super().__deepcopy__(memo)
        found.rounds = copy.deepcopy(self.rounds, memo)
        return found

    @property
    def player(self) -> int | None:
        """The player of simultaneous nodes, None when the game is over."""
        return SIMULTANEOUS if self._slots else None

    def slot(self, player: int) -> int | None:
        """Return the slot of the player that is asked now; None if the player has fewer slots than others."""
        own = self._own[player]
        return own[len(self.rounds)] if len(self.rounds) < len(own) else None

    def legal_codes_of(self, player: int) -> list[int]:
        """Return the codes that the player may choose now, ascending; [0] for a player who is not asked."""
        slot = self.slot(player)
        if slot is None:
            return [0]
        if slot not in self._legal:
            self._legal[slot] = self._state.legal_mask(slot).nonzero()[0].tolist()
        return self._legal[slot]

    def own(self, player: int) -> list[int]:
        """Return the codes that the player has chosen and that are not applied yet."""
        return [codes[player] for codes in self.rounds]

    def choose_all(self, codes: list[int]) -> None:
        """Set the code of every player; IllegalActionError leaves everything unchanged."""
        if not self._slots:
            raise GameOverError(f"the game is over: codes {codes} cannot be played\n{self.state}")
        if len(codes) != len(self._own):
            raise IllegalActionError(f"actions: expected {len(self._own)} codes, one of each player, got {codes}")
        for player, code in enumerate(codes):
            if code not in self.legal_codes_of(player):
                raise IllegalActionError(f"code {code} of player {player} is illegal\n{self.state}")
        self.rounds.append(list(codes))
        if len(self.rounds) == max(map(len, self._own)):
            own = [iter(self.own(player)) for player in range(len(codes))]
            apply_codes(self._state, [next(own[player]) for player in self._slots])
            self.rounds.clear()
            self._read()

    def hide(self, player: int, rng: Rng) -> None:
        """Replace what the others have chosen, which the player has not seen, by legal codes drawn uniformly."""
        known, self.rounds = self.rounds, []
        for codes in known:
            drawn = [self.legal_codes_of(other) for other in range(len(codes))]
            self.rounds.append(
                [code if who == player else legal[rng.below(len(legal))]
                 for who, (code, legal) in enumerate(zip(codes, drawn, strict=True))]
            )  # fmt: skip


def _count_rounds(state: State) -> int:
    """Return the number of slots of the player with the most."""
    return int(np.bincount(state.slots).max())


class SpielState(pyspiel.State):  # type: ignore[misc]
    """A position as a `pyspiel.State`; `turns` is None before the start is drawn.

    OpenSpiel has no way for a game in Python to take an action out of its history: `undo_action` raises SpielError.
    """

    def __init__(self, game: SpielGame) -> None:
        super().__init__(game)
        self.turns: Turns | Rounds | None = None
        self._seed = None if game.starts else game.draw_start()

    def current_player(self) -> int:
        """Return the player to choose now; the chance player before the start."""
        if self.turns is None:
            return CHANCE
        player = self.turns.player
        return TERMINAL if player is None else player

    def is_terminal(self) -> bool:
        """Return whether the game is over."""
        return self.turns is not None and self.turns.player is None

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return every start with its probability, all equal."""
        starts = self._count_starts()
        return [(start, 1 / starts) for start in range(starts)]

    def _count_starts(self) -> int:
        starts: int = self.get_game().starts or 1
        return starts

    def _check_player(self, player: int) -> None:
        """Raise SpielError if the game has no such player."""
        if not 0 <= player < self.num_players():
            raise pyspiel.SpielError(f"player: expected 0..{self.num_players() - 1}, got {player}")

    def _legal_actions(self, player: int) -> list[int]:
        if isinstance(self.turns, Rounds):
            self._check_player(player)
            return self.turns.legal_codes_of(player)
        assert self.turns is not None
        return self.turns.legal_codes()

    def _apply_action(self, action: int) -> None:
        if self.turns is None:
            game, starts = self.get_game(), self._count_starts()
            if not 0 <= action < starts:
                raise IllegalActionError(f"start: expected 0..{starts - 1}, got {action}")
            state = game.masume.new_state(action if self._seed is None else self._seed)
            self.turns = Rounds(state) if game.masume.is_simultaneous else Turns(state)
        elif isinstance(self.turns, Rounds):
            raise IllegalActionError(f"code {action}: all players choose at once; apply_actions takes their codes")
        else:
            self.turns.choose(action)

    def _apply_actions(self, actions: list[int]) -> None:
        if not isinstance(self.turns, Rounds):
            raise IllegalActionError(f"codes {actions}: one player chooses at a time; apply_action takes a code")
        self.turns.choose_all(actions)

    def _action_to_string(self, player: int, action: int) -> str:
        if self.turns is None or player == CHANCE:
            return f"start {action}" if self.get_game().starts else "a start"
        self._check_player(player)
        slot = self.turns.slot(player) if isinstance(self.turns, Rounds) else len(self.turns.chosen)
        state = self.turns.state
        if not 0 <= action < state.game.num_actions:
            raise IllegalActionError(f"code: expected 0..{state.game.num_actions - 1}, got {action}")
        return "none" if slot is None else state.action_to_text(state.decode(action), slot)

    def resample_from_infostate(self, player: int, sampler: Callable[[], float]) -> SpielState:
        """Return a state that the player to move cannot tell from this one, for ISMCTS.

        Parameters
        ----------
        player : int
            The player to move.
        sampler : callable
            Returns random floats in [0, 1).

        Returns
        -------
        SpielState
            The state; its `history` is that of this one.

        Raises
        ------
        ValueError
            If the game hides something and has no samples, or no sample was found.
        SpielError
            If the game has no such player.
        """
        self._check_player(player)
        found: SpielState = self.clone()
        if found.turns is not None:
            rng = Rng(int(sampler() * 2**53))
            if not self.get_game().masume.is_perfect_information:
                found.turns.state = found.turns.state.resample(player, rng.next())
            if isinstance(found.turns, Rounds):
                found.turns.hide(player, rng)
        return found

    def returns(self) -> list[float]:
        """Return the result of each player, -1..1, 0 before the end."""
        if self.turns is None:
            return [0.0] * self.num_players()
        found: list[float] = self.turns.state.returns().tolist()
        return found

    def __str__(self) -> str:
        if self.turns is None:
            return "before the start"
        chosen = [code for player in range(self.num_players()) for code in self.turns.own(player)]
        return f"{self.turns.state}{_to_text(chosen)}"


class Observer:
    """Reads a player's view of a state into `tensor`, float32, and `dict`, its parts in their shapes.

    The parts are the float32 fields of `game.observation_spec` and, if players have several slots, `chosen`: the codes
    that the player has given in this turn, -1 for a slot without one.
    """

    def __init__(self, game: Game, is_recall: bool) -> None:
        self._is_recall = is_recall
        shapes = {name: shape for name, (shape, dtype) in game.observation_spec.items() if dtype == np.float32}
        if game.num_slots > 1:
            shapes["chosen"] = (game.num_slots // game.num_players,)
        sizes = [math.prod(shape) for shape in shapes.values()]
        self.tensor = np.zeros(sum(sizes), np.float32)
        parts = np.split(self.tensor, np.cumsum(sizes)[:-1])
        self.dict = {name: part.reshape(shape) for (name, shape), part in zip(shapes.items(), parts, strict=True)}
        self._fields = {name: part for name, part in self.dict.items() if name != "chosen"}

    def set_from(self, state: SpielState, player: int) -> None:
        """Read the player's view of the state; all 0 before the start."""
        self.tensor.fill(0)
        if state.turns is not None:
            state.turns.state.observation(player, self._fields)
            if "chosen" in self.dict:
                own = state.turns.own(player)
                self.dict["chosen"].fill(-1)
                self.dict["chosen"][: len(own)] = own

    def string_from(self, state: SpielState, player: int) -> str:
        """Return the board as the player sees it; with perfect recall, everything that the player has seen."""
        if state.turns is None:
            return "before the start"
        position = state.turns.state
        seen = position.information_state(player) if self._is_recall else text(position, player)
        return seen + _to_text(state.turns.own(player))


def _to_text(chosen: list[int]) -> str:
    return f"\nchosen: {' '.join(map(str, chosen))}" if chosen else ""


for _name in games():
    pyspiel.register_game(_game_type(_name), type(f"{camel(_name)}Game", (SpielGame,), {"name": _name}))
