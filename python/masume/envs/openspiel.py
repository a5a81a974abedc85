"""OpenSpiel: every game as a Python game, `masume_<name>`, once this module is imported.

>>> from masume.envs import openspiel
>>> game = openspiel.load_game("chaser", width=9, height=7, n_blocks=4, n_items=6)
>>> state = game.new_initial_state()
>>> state.apply_action(5)    # the start: one of game.max_chance_outcomes()
>>> state.current_player(), state.legal_actions()[:3]
(0, [0, 1, 2])

The first node is chance: it draws one of `starts` starts, start k being `new_state(k)`. All later chance follows from
the start and is drawn inside. Slots that decide together are asked one after the other and applied together. An
OpenSpiel action is a code. OpenSpiel's algorithms in Python run on these games; its MCTSBot in C++ crashes on every
game written in Python.
"""

from __future__ import annotations

import json
import math
import urllib.parse
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.config import choice, integer
from ..core.extras import extra
from ..errors import ConfigError
from ..game import Game, games, load
from ..render import text
from .common import Turns, camel

if TYPE_CHECKING:
    import pyspiel
else:
    pyspiel = extra("pyspiel", "openspiel")

STARTS = 1000
ENDLESS = 2**31 - 1  # the length of games that have no bound


def load_game(game: Any, *, starts: int = STARTS, **config: Any) -> Any:
    """The OpenSpiel game `masume_<name>`.

    game : a name, or a Game that `load` made of one. starts : 1..2**20. config : preset and fields, as in JSON.

    >>> str(load_game("kakomimasu", width=6, starts=1))
    'masume_kakomimasu(config=%7B%22width%22%3A%206%7D,starts=1)'
    """
    if isinstance(game, Game):
        if game.config is None or config:
            raise ConfigError(f"game: {game!r} cannot be told by name and fields")
        game, config = game.name, game.config.to_dict()
    choice("game", game, games())
    integer("starts", starts, 1, 2**20)
    told = urllib.parse.quote(json.dumps(config)) if config else ""
    return pyspiel.load_game(f"masume_{game}", {"config": told, "starts": starts})


def _game_type(name: str, game: Game | None = None) -> Any:
    """What OpenSpiel asks about a game; without one, about all games of the name."""
    kinds = pyspiel.GameType
    hides = game is None or not game.is_perfect_information or game.num_slots > 1
    return kinds(
        short_name=f"masume_{name}",
        long_name=f"{camel(name)} (masume)",
        dynamics=kinds.Dynamics.SEQUENTIAL,
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
        parameter_specification={"config": "", "starts": STARTS},
    )


class SpielGame(pyspiel.Game):  # type: ignore[misc]
    """A game in OpenSpiel's terms. params : `config`, percent-encoded JSON of preset and fields, and `starts`."""

    name: str

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        told = params or {}
        config = json.loads(urllib.parse.unquote(told.get("config", "")) or "{}")
        self.starts: int = told.get("starts", STARTS)
        self.masume = game = load(self.name, **config)
        length = game.max_game_length
        info = pyspiel.GameInfo(
            num_distinct_actions=game.num_actions,
            max_chance_outcomes=self.starts,
            num_players=game.num_players,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0 if game.num_players == 2 else None,
            max_game_length=ENDLESS if length is None else length * game.num_slots,
        )
        super().__init__(_game_type(self.name, game), info, told)

    def __reduce__(self) -> tuple[Any, ...]:
        return pyspiel.load_game, (str(self),)

    def new_initial_state(self) -> SpielState:
        """The chance node before the start."""
        return SpielState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: dict[str, Any] | None = None) -> Observer:
        """What OpenSpiel reads observations and information states with."""
        if params:
            raise ConfigError(f"observer: parameters are not known: {params}")
        return Observer(self.masume, iig_obs_type is not None and iig_obs_type.perfect_recall)


class SpielState(pyspiel.State):  # type: ignore[misc]
    """A position in OpenSpiel's terms; `turns` is None before the start is drawn."""

    def __init__(self, game: SpielGame) -> None:
        super().__init__(game)
        self.turns: Turns | None = None

    def current_player(self) -> int:
        """Who is asked now; chance before the start."""
        if self.turns is None:
            return int(pyspiel.PlayerId.CHANCE)
        player = self.turns.player
        return int(pyspiel.PlayerId.TERMINAL) if player is None else player

    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self.turns is not None and self.turns.player is None

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Every start, all equally likely."""
        starts = self.get_game().starts
        return [(start, 1 / starts) for start in range(starts)]

    def _legal_actions(self, player: int) -> list[int]:
        assert self.turns is not None
        found: list[int] = np.flatnonzero(self.turns.legal_mask()).tolist()
        return found

    def _apply_action(self, action: int) -> None:
        if self.turns is None:
            self.turns = Turns(self.get_game().masume.new_state(action))
        else:
            self.turns.choose(action)

    def _action_to_string(self, player: int, action: int) -> str:
        if self.turns is None or player == pyspiel.PlayerId.CHANCE:
            return f"start {action}"
        state = self.turns.state
        return state.action_to_text(state.decode(action), len(self.turns.chosen))

    def returns(self) -> list[float]:
        """The result of each player, 0 before the end."""
        if self.turns is None:
            return [0.0] * self.num_players()
        found: list[float] = self.turns.state.returns().tolist()
        return found

    def __str__(self) -> str:
        return "before the start" if self.turns is None else f"{self.turns.state}{_to_text(self.turns.chosen)}"


class Observer:
    """Reads a state for a player into `tensor`, float32, and `dict`, its parts in their shapes.

    The parts are the float32 fields of `game.observation_spec` and, where players have several slots, `chosen`: the
    codes that the player has given in this turn, -1 for a slot that has none.
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
        """What the player sees now; all 0 before the start."""
        self.tensor.fill(0)
        if state.turns is not None:
            state.turns.state.observation(player, self._fields)
            if "chosen" in self.dict:
                own = state.turns.own(player)
                self.dict["chosen"].fill(-1)
                self.dict["chosen"][: len(own)] = own

    def string_from(self, state: SpielState, player: int) -> str:
        """The board as the player sees it; with perfect recall, all that the player has seen."""
        if state.turns is None:
            return "before the start"
        position = state.turns.state
        seen = position.information_state(player) if self._is_recall else text(position, player)
        return seen + _to_text(state.turns.own(player))


def _to_text(chosen: list[int]) -> str:
    return f"\nchosen: {' '.join(map(str, chosen))}" if chosen else ""


for _name in games():
    pyspiel.register_game(_game_type(_name), type(f"{camel(_name)}Game", (SpielGame,), {"name": _name}))
