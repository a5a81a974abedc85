"""PettingZoo: `env`, `raw_env` and `parallel_env` of every game.

>>> from masume.envs import pettingzoo
>>> env = pettingzoo.env("chaser", width=9, height=7, n_blocks=4, n_items=6)
>>> env.reset(seed=1)
>>> observation, reward, terminated, truncated, info = env.last()
>>> env.step(observation["action_mask"].argmax())
>>> env.agent_selection
'player_1'

PettingZoo 1.27 and later also make them by id: `pettingzoo.make("aec", "masume/chaser_v0")`, or "parallel".
"""

from __future__ import annotations

import operator
import secrets
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..core._planes import Form
from ..core.config import choice, integer
from ..core.extras import extra
from ..core.rng import Rng, stream
from ..errors import GameOverError, IllegalActionError
from ..game import games
from ..render.pixels import pixels
from .common import (
    FPS,
    RENDER_MODES,
    Turns,
    Turnstile,
    apply_codes,
    as_game,
    bounds_of,
    check_render,
    fields_of,
    fields_space,
    legal_code,
    neutral_codes,
)

if TYPE_CHECKING:
    import pettingzoo
    from gymnasium import spaces
    from pettingzoo import AECEnv, ParallelEnv
    from pettingzoo.utils import wrappers
    from pettingzoo.utils.env_logger import EnvLogger

    from ..core._state import State
else:
    pettingzoo = extra("pettingzoo", "envs")
    spaces = extra("gymnasium.spaces", "envs")
    from pettingzoo import AECEnv, ParallelEnv
    from pettingzoo.utils import wrappers
    from pettingzoo.utils.env_logger import EnvLogger


def env(
    game: Any,
    *,
    observe: Sequence[str] = ("planes", "scalars"),
    dtype: str = "float32",
    crop: int | tuple[int, int] | str | None = None,
    render_mode: str | None = None,
    **config: Any,
) -> Any:
    """Make a `raw_env` that checks calls and actions as PettingZoo's usual wrappers do.

    An illegal action ends the game with reward -1 for the player who played it; one outside the space of actions is
    an AssertionError.

    Parameters
    ----------
    game, observe, dtype, crop, render_mode, **config
        As in `raw_env`.

    Returns
    -------
    AECEnv

    Raises
    ------
    ConfigError
        If an option is invalid.
    """
    found = raw_env(game, observe=observe, dtype=dtype, crop=crop, render_mode=render_mode, **config)
    return _CheckedEnv(found)


class _CheckedEnv(wrappers.OrderEnforcingWrapper):  # type: ignore[misc]
    """`raw_env` in one wrapper, which does what three of PettingZoo's do: each of them passes on every attribute."""

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Return observation, reward, whether the game has ended, False and info of the player who is asked."""
        found: tuple[Any, float, bool, bool, dict[str, Any]]
        found = self.env.last(observe) if self._has_reset else super().last(observe)
        return found

    def step(self, action: Any) -> None:
        """Set the code of the slot that is asked now; an illegal one ends the game with -1 for who played it."""
        raw = self.env
        if self._has_reset and raw.agents and not raw.terminations[raw.agent_selection]:
            space = raw.action_spaces[raw.agent_selection]
            assert space.contains(action), (
                f"action is not in action space: expected one of {space}, got {action!r:.100}"
            )
        try:
            super().step(action)
        except IllegalActionError:
            EnvLogger.warn_on_illegal_move()
            raw._lose()

    def __str__(self) -> str:
        return str(self.env)


class _Table:
    """Parts of both kinds of environment: the game, its players' spaces, and the seed of the next game."""

    def __init__(
        self,
        game: Any,
        observe: Sequence[str],
        dtype: str,
        crop: int | tuple[int, int] | str | None,
        render_mode: str | None,
        config: dict[str, Any],
    ) -> None:
        self.game = as_game(game, config)
        self.form = Form(self.game, dtype, crop)
        self.fields = fields_of(self.game, observe, self.form)
        check_render(render_mode, self.game, RENDER_MODES)
        self.metadata = {
            "name": f"{self.game.name}_v0",
            "render_modes": list(RENDER_MODES),
            "render_fps": FPS,
            "is_parallelizable": self.game.is_simultaneous,
        }
        self.players = [f"player_{player}" for player in range(self.game.num_players)]
        self.neutral = np.zeros((self.game.num_slots, self.game.num_actions), np.int8)
        self.neutral[np.arange(self.game.num_slots), neutral_codes(self.game)] = 1
        self.neutral.flags.writeable = False
        self._rng: Rng | None = None

    def space(self, mask: spaces.Space[Any], **more: spaces.Space[Any]) -> spaces.Space[Any]:
        """Return the space of a player's observations, with a mask of this space."""
        return spaces.Dict(
            {"observation": fields_space([self.game], self.fields, form=self.form), "action_mask": mask, **more}
        )

    def mask_space(self) -> spaces.Space[Any]:
        """Return the space of the mask of one slot."""
        return spaces.Box(0, 1, (self.game.num_actions,), np.int8)

    def start(self, seed: int | None) -> State:
        """Return a new game: the first drawn by the generator stream(seed, 0); without a seed, its next."""
        if seed is not None:
            self._rng = Rng(stream(integer("seed", seed, 0, 2**64 - 1), 0))
        elif self._rng is None:
            self._rng = Rng(secrets.randbits(64))
        return self.game.new_state(self._rng.next() >> 1)

    def observation(self, state: State, player: int) -> dict[str, Any]:
        """Return the named fields, as the player sees them."""
        out = {name: np.empty(shape, dtype) for name, (shape, dtype) in self.fields.items()}
        return state.observation(player, out, dtype=self.form.dtype, crop=self.form.crop)

    def global_space(self) -> spaces.Space[Any]:
        """Return the space of `global_state`."""
        bounds = [bounds_of([self.game], name, self.form) for name in self.fields]
        ends = ([end.ravel().astype(np.float32) for end in side] for side in zip(*bounds, strict=True))
        low, high = (np.tile(np.concatenate(list(side)), self.game.num_players) for side in ends)
        return spaces.Box(low, high, dtype=np.float32)

    def global_state(self, state: State) -> NDArray[np.float32]:
        """Return the views of all players, from `player_0` on, as one float32 vector."""
        views = [self.observation(state, player) for player in range(self.game.num_players)]
        return np.concatenate([view[name].ravel() for view in views for name in self.fields], dtype=np.float32)

    def render(self, state: State, render_mode: str | None) -> Any:
        """Return the full board: text, or uint8[height, width, 3]; None without a render mode."""
        return None if render_mode is None else str(state) if render_mode == "ansi" else pixels(state)


class _Env:
    """Parts of both kinds of environment, over a table."""

    def __init__(
        self,
        game: Any,
        *,
        observe: Sequence[str] = ("planes", "scalars"),
        dtype: str = "float32",
        crop: int | tuple[int, int] | str | None = None,
        render_mode: str | None = None,
        **config: Any,
    ) -> None:
        super().__init__()
        self._table = table = _Table(game, observe, dtype, crop, render_mode, config)
        self.metadata = table.metadata
        self.render_mode = render_mode
        self.possible_agents = list(table.players)
        self.observation_spaces: dict[str, spaces.Space[Any]] = {}
        self.action_spaces: dict[str, spaces.Space[Any]] = {}
        self.state_space = table.global_space()
        self._turnstile = Turnstile()
        self._set_spaces(table.game.new_state().slots.tolist())

    def _set_spaces(self, owners: list[int]) -> None:
        """Set the spaces of each player; owners : the player of each slot of the start."""
        raise NotImplementedError

    def _now(self, call: str) -> State:
        """Return the position; raise PettingZoo's AssertionError if there is none yet."""
        raise NotImplementedError

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of the player's observations."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of the player's actions."""
        return self.action_spaces[agent]

    def state(self) -> NDArray[np.float32]:
        """Return the fields of all players, from `player_0` on, as one float32 vector, for a critic."""
        return self._table.global_state(self._now("state"))

    def render(self) -> Any:
        """Return the full board: text, or uint8[height, width, 3]; None without a render mode."""
        return self._table.render(self._now("render"), self.render_mode)

    def close(self) -> None:
        """Do nothing: there is nothing to release."""


class raw_env(_Env, AECEnv):  # type: ignore[misc]  # noqa: N801  (PettingZoo's name)
    """Sequential environment (AEC) that asks the players for one code at a time.

    Players are `player_0`, `player_1`, ... An observation is a dict:

    - `observation`: a dict of the fields in `observe`.
    - `action_mask`: int8[num_actions]; for a player who is not asked now, 1 for the neutral action alone.
    - `chosen`, if players have several slots: int32[slots of a player], the codes that the player has given its slots
      in this turn, -1 from the slot that is asked next.

    Slots are asked one after the other, and all codes of a turn are applied together. Rewards are the returns, at the
    end.

    Parameters
    ----------
    game : str or Game
        A name (with its preset and fields in `config`) or a Game.
    dtype, crop : optional
        dtype of the planes and the part of them around the player, as in `Batch`.
    observe : sequence of str, optional
        Fields of the game's `observation_spec`.
    render_mode : {"ansi", "rgb_array", None}, optional
        What `render` returns: text, or a picture.
    **config
        Preset and fields of the game, if `game` is a name.

    Raises
    ------
    ConfigError
        If an option is invalid.
    """

    def _set_spaces(self, owners: list[int]) -> None:
        table = self._table
        codes = table.game.num_actions
        self._slots = max(owners.count(player) for player in owners) if table.game.is_simultaneous else 1
        chosen = {"chosen": spaces.Box(-1, codes - 1, (self._slots,), np.int32)} if self._slots > 1 else {}
        self.observation_spaces = {agent: table.space(table.mask_space(), **chosen) for agent in self.possible_agents}
        self.action_spaces = {agent: spaces.Discrete(codes) for agent in self.possible_agents}
        self._players = {agent: player for player, agent in enumerate(self.possible_agents)}
        self._turns: Turns | None = None

    def _now(self, call: str) -> State:
        return self._game(call).state

    def _game(self, call: str) -> Turns:
        if self._turns is None:
            raise AssertionError(f"reset() needs to be called before {call}.")
        return self._turns

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a new game.

        Parameters
        ----------
        seed : int, optional
            The game is the first one drawn from stream(seed, 0), seed in 0..2**64 - 1. None: draw the next one, the
            first time from entropy.
        options : dict, optional
            Ignored.
        """
        with self._turnstile:
            self._turns = Turns(self._table.start(seed))
            self.agents = list(self.possible_agents)
            self.rewards = dict.fromkeys(self.agents, 0.0)
            self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
            self.terminations = dict.fromkeys(self.agents, False)
            self.truncations = dict.fromkeys(self.agents, False)
            self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
            player = self._turns.player
            assert player is not None
            self.agent_selection = self.possible_agents[player]

    def observe(self, agent: str) -> dict[str, Any]:
        """Return the player's observation of the current position."""
        turns, player = self._game("observe"), self._players.get(agent)
        if player is None:
            player = self._players[choice("agent", agent, self.possible_agents)]  # which says what is wrong
        mask = turns.legal_mask().view(np.int8) if turns.player == player else self._table.neutral[0].copy()
        found = {"observation": self._table.observation(turns.state, player), "action_mask": mask}
        if self._slots > 1:
            own = turns.own(player)
            found["chosen"] = np.array(own + [-1] * (self._slots - len(own)), np.int32)
        return found

    def step(self, action: Any) -> None:
        """Set the code of the slot that is asked now.

        Parameters
        ----------
        action : int or None
            A code; None for a player whose game is over.

        Raises
        ------
        IllegalActionError
            If the code is illegal, or GameOverError, which is one, if no player is left; the game is unchanged.
        TypeError
            If the action is no int.
        ValueError
            If the player's game is over, and the action is not None.
        AssertionError
            Before the first `reset`.
        RuntimeError
            If another thread is inside the environment.
        """
        turns = self._game("step")
        if not self.agents:
            raise GameOverError(f"the game is over: {action!r} cannot be played; reset() starts another")
        with self._turnstile:
            if self.terminations[self.agent_selection]:
                self._was_dead_step(action)
                return
            turns.choose(operator.index(action))
            player = turns.player
            if player is not None:
                self.agent_selection = self.possible_agents[player]  # all rewards are still 0
            else:
                self._end(turns.state.returns().tolist())
                self.agent_selection = self.agents[0]

    def _end(self, rewards: list[float]) -> None:
        """End the game with these rewards."""
        self.rewards = dict(zip(self.possible_agents, rewards, strict=True))
        self.terminations = dict.fromkeys(self.agents, True)
        self._accumulate_rewards()

    def _lose(self) -> None:
        """End the game with reward -1 for the player who is asked, as PettingZoo's TerminateIllegalWrapper does."""
        self._end([-1.0 if agent == self.agent_selection else 0.0 for agent in self.possible_agents])
        self.truncations = dict.fromkeys(self.agents, True)
        self._deads_step_first()


class parallel_env(_Env, ParallelEnv):  # type: ignore[misc]  # noqa: N801  (PettingZoo's name)
    """Parallel environment, in which every player gives an action in each step.

    In simultaneous games a player's action is one code per slot, and `action_mask` is a tuple with an int8[num_actions]
    per slot. In sequential games an action is a code and `action_mask` int8[num_actions]; the mover's action is played
    and the others are ignored, whose masks have 1 for the neutral action alone. The rule book's neutral action replaces
    an illegal one. Rewards are the returns, at the end.

    Parameters
    ----------
    game, observe, dtype, crop, render_mode, **config
        As in `raw_env`.

    Raises
    ------
    ConfigError
        If an option is invalid.
    """

    def _set_spaces(self, owners: list[int]) -> None:
        table = self._table
        self.agents: list[str] = []
        self._state: State | None = None
        self._own = [np.flatnonzero(np.array(owners) == player).tolist() for player in range(table.game.num_players)]
        for own, agent in zip(self._own, self.possible_agents, strict=True):
            mask: spaces.Space[Any] = table.mask_space()
            action: spaces.Space[Any] = spaces.Discrete(table.game.num_actions)
            if table.game.is_simultaneous:
                codes = np.full(len(own), table.game.num_actions)
                mask, action = spaces.Tuple([mask] * len(own)), spaces.MultiDiscrete(codes)
            self.observation_spaces[agent] = table.space(mask)
            self.action_spaces[agent] = action

    def _now(self, call: str) -> State:
        if self._state is None:
            raise AssertionError(f"reset() needs to be called before {call}.")
        return self._state

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, dict[str, Any]], dict[str, dict[str, Any]]]:
        """Start a new game.

        Parameters
        ----------
        seed : int, optional
            As in `raw_env.reset`.
        options : dict, optional
            Ignored.

        Returns
        -------
        observations : dict
            The observation of each player.
        infos : dict
            An empty dict for each player.
        """
        with self._turnstile:
            self._state = state = self._table.start(seed)
            self.agents = list(self.possible_agents)
            return {agent: self._observe_all(state, agent) for agent in self.agents}, {
                agent: {} for agent in self.agents
            }

    def step(
        self, actions: dict[str, Any]
    ) -> tuple[
        dict[str, dict[str, Any]], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]
    ]:
        """Play the players' actions.

        Parameters
        ----------
        actions : dict
            The action of each player, by name; in sequential games only the mover's is read.

        Returns
        -------
        observations, rewards, terminations, truncations, infos : dict
            By player. Rewards are floats, 0 before the end; truncations are always False.

        Raises
        ------
        GameOverError
            If the game is over; `agents` is empty then.
        ValueError
            If an action that is read is missing, or is no code or not one code per slot.
        AssertionError
            Before the first `reset`.
        RuntimeError
            If another thread is inside the environment.
        """
        state, agents = self._now("step"), self.agents
        if not agents:
            raise GameOverError(f"the game is over: {actions!r} cannot be played; reset() starts another")
        with self._turnstile:
            codes = [0] * len(state.slots)
            if self._table.game.is_simultaneous:
                for agent, own in zip(self.possible_agents, self._own, strict=True):
                    for slot, code in zip(own, _read_action(actions, agent, len(own)), strict=True):
                        codes[slot] = code
            else:
                (codes[0],) = _read_action(actions, self.possible_agents[state.current_player], 0)
            try:
                apply_codes(state, codes)
            except (ValueError, OverflowError):
                apply_codes(state, [legal_code(state, code, slot) for slot, code in enumerate(codes)])
            is_over = state.is_terminal()
            if is_over:
                self.agents = []
            return (
                {agent: self._observe_all(state, agent) for agent in agents},
                dict(zip(agents, state.returns().tolist(), strict=True)),
                dict.fromkeys(agents, is_over),
                dict.fromkeys(agents, False),
                {agent: {} for agent in agents},
            )

    def _observe_all(self, state: State, agent: str) -> dict[str, Any]:
        player = self.possible_agents.index(agent)
        mask: Any
        if self._table.game.is_simultaneous:
            masks = self._table.neutral if state.is_terminal() else None
            own = self._own[player]
            mask = tuple(state.legal_mask(slot).view(np.int8) if masks is None else masks[slot].copy() for slot in own)
        elif state.current_player == player:
            mask = state.legal_mask().view(np.int8)
        else:
            mask = self._table.neutral[0].copy()
        return {"observation": self._table.observation(state, player), "action_mask": mask}


def _read_action(actions: Any, agent: str, slots: int) -> list[int]:
    """Return a player's action as a list of codes, one for each of its slots; slots 0: a code by itself."""
    if not isinstance(actions, Mapping) or agent not in actions:
        raise ValueError(f"actions: expected a dict with an action of {agent}, got {actions!r:.100}")
    given = actions[agent]
    try:
        codes = [operator.index(code) for code in (given if slots else [given])]
    except TypeError:
        codes = []
    if len(codes) != max(slots, 1):
        expected = f"{slots} codes, one for each slot" if slots else "a code"
        raise ValueError(f"actions[{agent!r}]: expected {expected}, got {given!r:.100}")
    return codes


if hasattr(pettingzoo, "register"):
    for _name in games():
        for _kind, _maker in (("aec", "env"), ("parallel", "parallel_env")):
            pettingzoo.register(_kind, f"masume/{_name}_v0", entry_point=f"{__name__}:{_maker}", kwargs={"game": _name})
