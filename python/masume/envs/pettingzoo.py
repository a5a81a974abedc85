"""PettingZoo: `env`, `raw_env` and `parallel_env` of every game.

>>> from masume.envs import pettingzoo
>>> env = pettingzoo.env("chaser", width=9, height=7, n_blocks=4, n_items=6)
>>> env.reset(seed=1)
>>> observation, reward, terminated, truncated, info = env.last()
>>> env.step(observation["action_mask"].argmax())
>>> env.agent_selection
'player_1'
"""

from __future__ import annotations

import operator
import secrets
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.config import choice, integer
from ..core.extras import extra
from ..core.rng import Rng, stream
from ..errors import GameOverError
from .common import Turns, apply_codes, as_game, fields_of, fields_space, legal_code

if TYPE_CHECKING:
    from gymnasium import spaces
    from pettingzoo import AECEnv, ParallelEnv
    from pettingzoo.utils import wrappers

    from ..core._state import State
else:
    extra("pettingzoo", "envs")
    spaces = extra("gymnasium.spaces", "envs")
    from pettingzoo import AECEnv, ParallelEnv
    from pettingzoo.utils import wrappers


def env(
    game: Any, *, observe: Sequence[str] = ("planes", "scalars"), render_mode: str | None = None, **config: Any
) -> Any:
    """`raw_env` in PettingZoo's usual wrappers: an illegal action ends the game with reward -1 for who played it."""
    found = raw_env(game, observe=observe, render_mode=render_mode, **config)
    return wrappers.OrderEnforcingWrapper(
        wrappers.AssertOutOfBoundsWrapper(wrappers.TerminateIllegalWrapper(found, illegal_reward=-1))
    )


class _Table:
    """What both kinds of environment are made of: the game, its players' spaces, the seed of the next game."""

    def __init__(self, game: Any, observe: Sequence[str], render_mode: str | None, config: dict[str, Any]) -> None:
        self.game = as_game(game, config)
        self.fields = fields_of(self.game, observe)
        if render_mode is not None:
            choice("render_mode", render_mode, ("ansi",))
        self.metadata = {
            "name": f"{self.game.name}_v0",
            "render_modes": ["ansi"],
            "is_parallelizable": self.game.is_simultaneous,
        }
        self.players = [f"player_{player}" for player in range(self.game.num_players)]
        self._rng: Rng | None = None

    def space(self, mask: spaces.Space[Any], **more: spaces.Space[Any]) -> spaces.Space[Any]:
        """The space of a player's observations, with a mask of this space."""
        return spaces.Dict({"observation": fields_space(self.fields), "action_mask": mask, **more})

    def mask_space(self) -> spaces.Space[Any]:
        """The space of the mask of one slot."""
        return spaces.Box(0, 1, (self.game.num_actions,), np.int8)

    def start(self, seed: int | None) -> State:
        """A new game: the next one that the generator stream(seed, 0) draws, or goes on to draw where seed is None."""
        if seed is not None:
            self._rng = Rng(stream(integer("seed", seed, 0, 2**64 - 1), 0))
        elif self._rng is None:
            self._rng = Rng(secrets.randbits(64))
        return self.game.new_state(self._rng.next() >> 1)

    def observation(self, state: State, player: int) -> dict[str, Any]:
        """The named fields, as the player sees them."""
        out = {name: np.empty(shape, dtype) for name, (shape, dtype) in self.fields.items()}
        return state.observation(player, out)


class raw_env(AECEnv):  # type: ignore[misc]  # noqa: N801  (PettingZoo's name)
    """A game whose players are asked one code at a time.

    game : a name (with its preset and fields in `config`) or a Game. observe : fields of its `observation_spec`.
    render_mode : "ansi" or None.

    Players are player_0, ...; an observation is a dict of `observation` (the fields), `action_mask`, int8[num_actions],
    all 0 unless the player is asked, and, where players have several slots, `chosen`, int32[slots of a player]: the
    codes that the player has given its slots in this turn, -1 from the slot that is asked next. Slots are asked one
    after the other, all of a turn are applied together. Rewards are the returns, at the end.

    IllegalActionError leaves the game as it was.
    """

    def __init__(
        self,
        game: Any,
        *,
        observe: Sequence[str] = ("planes", "scalars"),
        render_mode: str | None = None,
        **config: Any,
    ) -> None:
        super().__init__()
        self._table = table = _Table(game, observe, render_mode, config)
        self.metadata = table.metadata
        self.render_mode = render_mode
        self.possible_agents = list(table.players)
        codes = table.game.num_actions
        owners = table.game.new_state().slots.tolist()
        self._slots = max(owners.count(player) for player in owners) if table.game.is_simultaneous else 1
        chosen = {"chosen": spaces.Box(-1, codes - 1, (self._slots,), np.int32)} if self._slots > 1 else {}
        self.observation_spaces = {agent: table.space(table.mask_space(), **chosen) for agent in self.possible_agents}
        self.action_spaces = {agent: spaces.Discrete(codes) for agent in self.possible_agents}

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The space of the player's observations."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """The space of the codes."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a new game: the first that stream(seed, 0) draws; None: the next one, the first time from entropy."""
        self._turns = Turns(self._table.start(seed))
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self._ask()

    def _ask(self) -> str:
        player = self._turns.player
        assert player is not None
        return self.possible_agents[player]

    def observe(self, agent: str) -> dict[str, Any]:
        """What the player sees now."""
        turns, player = self._turns, self.possible_agents.index(agent)
        is_asked = turns.player == player
        mask = turns.legal_mask().view(np.int8) if is_asked else np.zeros(self._table.game.num_actions, np.int8)
        found = {"observation": self._table.observation(turns.state, player), "action_mask": mask}
        if self._slots > 1:
            own = turns.own(player)
            found["chosen"] = np.array(own + [-1] * (self._slots - len(own)), np.int32)
        return found

    def step(self, action: Any) -> None:
        """Give the slot that is asked its code; None for a player whose game is over."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._turns.choose(operator.index(action))
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        if self._turns.player is None:
            returns = self._turns.state.returns().tolist()
            self.rewards = dict(zip(self.possible_agents, returns, strict=True))
            self.terminations = dict.fromkeys(self.agents, True)
            self.agent_selection = self.agents[0]
        else:
            self.agent_selection = self._ask()
        self._accumulate_rewards()

    def render(self) -> str | None:
        """The whole board as text; None without a render mode."""
        return str(self._turns.state) if self.render_mode else None

    def close(self) -> None:
        """Nothing to let go."""


class parallel_env(ParallelEnv):  # type: ignore[misc]  # noqa: N801  (PettingZoo's name)
    """A game whose players all give an action in every step.

    game, observe, render_mode, config : as in `raw_env`. A player's action is a code, `action_mask` int8[num_actions];
    in simultaneous games it is a code for each of its slots, and `action_mask` a tuple with a mask for each. In
    sequential games the mover's action is played and the others' are ignored: their masks are all 0. The rule book's
    neutral action stands in for an illegal one. Rewards are the returns, at the end.
    """

    def __init__(
        self,
        game: Any,
        *,
        observe: Sequence[str] = ("planes", "scalars"),
        render_mode: str | None = None,
        **config: Any,
    ) -> None:
        self._table = table = _Table(game, observe, render_mode, config)
        self.metadata = table.metadata
        self.render_mode = render_mode
        self.possible_agents = list(table.players)
        self.agents: list[str] = []
        codes, owners = table.game.num_actions, table.game.new_state().slots
        self._own = [np.flatnonzero(owners == player).tolist() for player in range(table.game.num_players)]
        self.observation_spaces = {}
        self.action_spaces = {}
        for own, agent in zip(self._own, self.possible_agents, strict=True):
            mask: spaces.Space[Any] = table.mask_space()
            action: spaces.Space[Any] = spaces.Discrete(codes)
            if table.game.is_simultaneous:
                mask, action = spaces.Tuple([mask] * len(own)), spaces.MultiDiscrete(np.full(len(own), codes))
            self.observation_spaces[agent] = table.space(mask)
            self.action_spaces[agent] = action

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The space of the player's observations."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """The space of the player's actions."""
        return self.action_spaces[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, dict[str, Any]], dict[str, dict[str, Any]]]:
        """Start a new game: the first that stream(seed, 0) draws; None: the next one, the first time from entropy."""
        self._state = self._table.start(seed)
        self.agents = list(self.possible_agents)
        return {agent: self._observe_all(agent) for agent in self.agents}, {agent: {} for agent in self.agents}

    def step(
        self, actions: dict[str, Any]
    ) -> tuple[
        dict[str, dict[str, Any]], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]
    ]:
        """Play the players' actions; `agents` is empty after the end, and GameOverError follows."""
        state, agents = self._state, self.agents
        if not agents:
            raise GameOverError(f"the game is over: {actions!r} cannot be played; reset() starts another")
        codes = [0] * len(state.slots)
        if self._table.game.is_simultaneous:
            for agent, own in zip(self.possible_agents, self._own, strict=True):
                for slot, code in zip(own, actions[agent], strict=True):
                    codes[slot] = operator.index(code)
        else:
            codes[0] = operator.index(actions[self.possible_agents[state.current_player]])
        apply_codes(state, [legal_code(state, code, slot) for slot, code in enumerate(codes)])
        is_over = state.is_terminal()
        rewards = dict(zip(agents, state.returns().tolist(), strict=True))
        if is_over:
            self.agents = []
        return (
            {agent: self._observe_all(agent) for agent in agents},
            rewards,
            dict.fromkeys(agents, is_over),
            dict.fromkeys(agents, False),
            {agent: {} for agent in agents},
        )

    def _observe_all(self, agent: str) -> dict[str, Any]:
        state, player = self._state, self.possible_agents.index(agent)
        mask: Any
        if self._table.game.is_simultaneous:
            mask = tuple(state.legal_mask(slot).view(np.int8) for slot in self._own[player])
        elif state.current_player == player:
            mask = state.legal_mask().view(np.int8)
        else:
            mask = np.zeros(self._table.game.num_actions, np.int8)
        return {"observation": self._table.observation(state, player), "action_mask": mask}

    def render(self) -> str | None:
        """The whole board as text; None without a render mode."""
        return str(self._state) if self.render_mode else None

    def close(self) -> None:
        """Nothing to let go."""
