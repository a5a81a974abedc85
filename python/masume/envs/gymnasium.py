"""Gymnasium: `VectorEnv` over a Batch, `Env` for one game, and an id for each game once this module is imported.

>>> import gymnasium
>>> import masume.envs.gymnasium
>>> env = gymnasium.make("masume/Chaser-v0", width=9, height=7, n_blocks=4, n_items=6)
>>> observation, info = env.reset(seed=1)
>>> action = env.action_space.sample(mask=info["action_mask"])
>>> observation, reward, terminated, truncated, info = env.step(action)
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..agent import Agent, View, position_of
from ..batch import Batch
from ..core.config import choice, integer
from ..core.extras import extra
from ..core.rng import stream
from ..errors import AgentError, ConfigError
from ..game import Game, games
from ..play.agents import Blame, close_agent, make_agent
from .common import apply_codes, as_game, camel, fields_of, fields_space, legal_code

if TYPE_CHECKING:
    import gymnasium
    from gymnasium import spaces
    from gymnasium.vector import AutoresetMode
    from gymnasium.vector.utils import batch_space

    from ..core._state import State
else:
    gymnasium = extra("gymnasium", "envs")
    from gymnasium import spaces
    from gymnasium.vector import AutoresetMode
    from gymnasium.vector.utils import batch_space

Opponent = str | Callable[[], Agent]
Observation = dict[str, NDArray[Any]]
OVER = -2  # of `Batch.current_player`
MAX_STARTS = 10_000  # games in a row that may end before the learner has had anything to decide


class VectorEnv(gymnasium.vector.VectorEnv[Observation, NDArray[Any], NDArray[Any]]):
    """`num_envs` games as a Gymnasium vector environment.

    game : a name (with its preset and fields in `config`), a Game, or a sequence of Games as `Batch` takes it.
    opponents : None: self-play, a step is one ply, played for whoever is to move. Otherwise the agents of the
        other seats, who move within the step: a name that `make_agent` knows, a callable that makes an Agent, or a
        sequence with one of these for each other seat. `random` plays inside the batch; others are asked in Python,
        and may play whatever the rules allow them (AgentError), as Terraforming's amounts that no mask offers.
    player : the learner's seat where there are opponents; None: env i plays seat i modulo the number of players.
    autoreset_mode : any of Gymnasium's three; "Disabled" starts anew by `reset(options={"reset_mask": bool[n]})`.
    threads, observe, rewards, on_illegal : as in `Batch`; by default the neutral action stands in for an illegal one.
    render_mode : "ansi" or None.

    An action is a code; in simultaneous games one for each slot of the learner, in self-play of all players.
    Observations, final_obs, action_mask and current_player are views of arrays that the next call overwrites: copy what
    you keep. All else that a step returns is new.

    A step's reward is the learner's, in self-play that of the player who moved (player 0's in simultaneous games);
    the last observation of a game is that player's too. A game that ends before the learner has had anything to
    decide is replaced by another. Nothing is ever truncated.

    info : action_mask, int8[n, num_actions], or [n, slots, num_actions] in simultaneous games; in self-play also
        current_player, int8[n], and rewards, float32[n, players]. In "SameStep" also final_obs and final_info, as
        Gymnasium's own vector environments give them. Each key has its `_key`, bool[n].

    ConfigError for bad options.
    """

    def __init__(
        self,
        game: Any,
        num_envs: int = 1,
        *,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        opponents: Opponent | Sequence[Opponent] | None = None,
        player: int | None = 0,
        threads: int = 1,
        observe: Sequence[str] = ("planes", "scalars"),
        rewards: str = "returns",
        on_illegal: str = "fallback",
        render_mode: str | None = None,
        **config: Any,
    ) -> None:
        self._agents: list[dict[int, Agent]] = []  # first, since Gymnasium closes what was not finished too
        integer("num_envs", num_envs, 1, 2**31 - 1)
        games = game if isinstance(game, list | tuple) else (game,)
        self._games = tuple(as_game(one, config) for one in games)
        if render_mode is not None:
            choice("render_mode", render_mode, ("ansi",))
        self._mode = _mode(autoreset_mode)
        self.batch = Batch(
            self._games,
            num_envs,
            threads=threads,
            autoreset="disabled",
            observe=observe,
            rewards=rewards,
            on_illegal=on_illegal,
        )
        first, n = self._games[0], self.batch.size
        self._rows = np.arange(n)
        self._firsts = self._rows * first.num_players  # of each env, in the rewards of all players
        self._all = np.ones(n, np.bool_)
        self._all.flags.writeable = False
        self._is_simultaneous = first.is_simultaneous
        self._is_started = False
        self._seats: NDArray[np.int8] | None = None
        self._states: list[State] = []
        self._exact: NDArray[np.int64] | None = None  # what is played where actions are more than codes
        views, slots = ((first.num_players,), first.num_slots) if self._is_simultaneous else ((), 1)
        if opponents is not None:
            seat = integer("player", 0 if player is None else player, 0, first.num_players - 1)
            seats = np.full(n, seat) if player is not None else self._rows % first.num_players
            self._seats = seats.astype(np.int8)
            self._agents = [_make_opponents(opponents, first, seat) for seat in seats.tolist()]
            if any(self._agents):
                self._states = [first.new_state() for _ in range(n)]
                self._exact = np.zeros(n, np.int64) if first.has_exact_actions else None
            if self._is_simultaneous:
                owners = first.new_state().slots
                self._own = np.stack([np.flatnonzero(owners == seat) for seat in self._seats])
                views, slots = (), self._own.shape[1]

        self.num_envs = n
        self.render_mode = render_mode
        self.metadata = {"render_modes": ["ansi"], "autoreset_mode": self._mode}
        self.single_observation_space = fields_space(fields_of(first, observe), views)
        codes = first.num_actions
        self.single_action_space = (
            spaces.MultiDiscrete(np.full(slots, codes)) if self._is_simultaneous else spaces.Discrete(codes)
        )
        self.observation_space = batch_space(self.single_observation_space, n)
        self.action_space = batch_space(self.single_action_space, n)
        self._num_codes = n * slots
        self._finals: Observation = {}
        if self._mode is AutoresetMode.SAME_STEP:
            self.batch.skips_ends = not self._is_simultaneous  # they are looked at into `_finals`
            self._finals = {name: np.zeros_like(array) for name, array in self._observation().items()}

    # -- what Gymnasium calls -----------------------------------------------------------------

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Start new games: in all envs, or where `options["reset_mask"]` (bool[n]) is True.

        seed : env i draws its games from stream(seed, i); None: it goes on drawing, the first time from entropy.
        """
        if seed is not None:
            seed = integer("seed", seed, 0, 2**64 - 1)
        super().reset(seed=seed)
        if seed is None and not self._is_started:
            seed = int(self.np_random.integers(2**63))
        self._is_started = True
        self._restart((options or {}).get("reset_mask", self._all), seed)
        return self._observation(), self._info(np.zeros_like(self.batch.rewards))

    def step(
        self, actions: NDArray[Any]
    ) -> tuple[Observation, NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:
        """Play the actions; an env that is over starts anew, or stays, as `autoreset_mode` says.

        ValueError for actions of another dtype or size.
        """
        actions = np.asarray(actions)
        if actions.dtype.kind not in "iu":
            raise ValueError(f"actions: integers are wanted, not {actions.dtype}")
        if actions.size != self._num_codes:
            raise ValueError(f"actions: shape {self.action_space.shape} is wanted, not {actions.shape}")
        batch = self.batch
        played = batch.current_player != OVER
        who = np.maximum(batch.current_player, 0) if self._seats is None else self._seats
        if self._is_simultaneous and self._seats is not None:
            self._ask(played)
            batch.actions[self._rows[:, None], self._own] = actions.reshape(self._own.shape)
        else:
            batch.actions[:] = actions.reshape(batch.actions.shape)
        self._play(played)
        rewards = batch.rewards * played[:, None]
        self._advance(played, rewards)
        terminated = batch.current_player == OVER
        ended = terminated & played
        info: dict[str, Any] = {}
        if self._mode is AutoresetMode.SAME_STEP:
            if ended.any():
                info = self._last(ended, who, rewards)
                self._restart(ended)
        else:
            elsewhere = ended & (who != 0)  # the batch shows player 0's view of the end
            if elsewhere.any() and not self._is_simultaneous:
                batch.look(who, elsewhere)
            if self._mode is AutoresetMode.NEXT_STEP:
                terminated = ended
                self._restart(~played)
        info |= self._info(rewards)
        gained = rewards.ravel().take(self._firsts + who)
        return self._observation(), gained, terminated, np.zeros(self.num_envs, np.bool_), info

    def render(self) -> tuple[str, ...] | None:
        """The whole boards as text; None without a render mode."""
        if self.render_mode is None:
            return None
        found = zip(self.batch.game_index, self.batch.states, strict=True)
        return tuple(str(self._games[index].state_from_bytes(row.tobytes())) for index, row in found)

    def close_extras(self, **kwargs: Any) -> None:
        """Let the opponents go, each once: Gymnasium closes again what was not closed to its end."""
        for agents in self._agents:
            while agents:
                close_agent(agents.popitem()[1])

    # -- games and opponents ------------------------------------------------------------------

    def _restart(self, rows: NDArray[np.bool_], seed: int | None = None) -> None:
        """New games in these rows, played to the learner's first decision."""
        for _ in range(MAX_STARTS):
            if not rows.any():
                return
            self.batch.reset(seed, rows)
            seed = None
            for i in np.flatnonzero(rows) if self._states else ():
                game, begun = self._games[self.batch.game_index[i]], int(self.batch.seeds[i])
                self._states[i] = game.new_state(begun)
                for player, agent in self._agents[i].items():
                    with Blame(agent, f"player {player}, game of seed {begun}"):
                        agent.start(game.public, player, stream(begun, player))
            self._advance(rows)
            rows = rows & (self.batch.current_player == OVER)
        raise ConfigError(f"opponents: {MAX_STARTS} games in a row ended before the learner could decide anything")

    def _advance(self, rows: NDArray[np.bool_], rewards: NDArray[Any] | None = None) -> None:
        """Let the opponents move in these rows until the learner is to move, and add what everybody gets."""
        if self._seats is None or self._is_simultaneous:
            return
        while True:
            mover = self.batch.current_player
            waiting = rows & (mover != OVER) & (mover != self._seats)
            if not waiting.any():
                return
            self._play(waiting, self._ask(waiting))
            if rewards is not None:
                rewards += self.batch.rewards * waiting[:, None]

    def _ask(self, rows: NDArray[np.bool_]) -> dict[int, int]:
        """The opponents' codes in these rows, into the batch's actions; where those are exact, the actions by row."""
        self.batch.sample_actions(mask=rows)
        exact: dict[int, int] = {}
        for i in np.flatnonzero(rows).tolist() if self._states else ():
            for player, agent in self._agents[i].items():
                view = View(self._states[i], player)
                if slots := view.slots:
                    actions = _answer(agent, view, slots)
                    if self._exact is None:
                        self.batch.actions[i, slots] = actions
                    else:
                        (exact[i],) = actions
        return exact

    def _play(self, rows: NDArray[np.bool_], exact: Mapping[int, int] = MappingProxyType({})) -> None:
        """One step of these rows, of the actions or else of the batch's codes, and of the states that opponents see."""
        watched = np.flatnonzero(rows).tolist() if self._states else []
        if self._exact is not None:
            for i in watched:
                code = int(self.batch.actions[i, 0])
                self._exact[i] = exact[i] if i in exact else self._states[i].decode(code)
        self.batch.step(mask=rows, exact=self._exact)
        for i in watched:
            state, codes = self._states[i], self.batch.actions[i].tolist()
            if i in exact:
                state.apply(exact[i])
            else:
                apply_codes(state, [legal_code(state, code, slot) for slot, code in enumerate(codes)])

    # -- what goes out ------------------------------------------------------------------------

    def _observation(self) -> Observation:
        if self._is_simultaneous and self._seats is not None:
            return {name: array[self._rows, self._seats] for name, array in self.batch.observations.items()}
        return dict(self.batch.observations)

    def _info(self, rewards: NDArray[Any]) -> dict[str, Any]:
        masks = self.batch.masks
        assert masks is not None
        if not self._is_simultaneous:
            masks = masks[:, 0]
        elif self._seats is not None:
            masks = masks[self._rows[:, None], self._own]
        info: dict[str, Any] = {"action_mask": masks.view(np.int8)}
        if self._seats is None:
            info |= {"current_player": self.batch.current_player, "rewards": rewards}
        return info | {f"_{key}": self._all for key in info}

    def _last(self, ended: NDArray[np.bool_], who: NDArray[np.int8], rewards: NDArray[Any]) -> dict[str, Any]:
        """final_obs and final_info of the rows that ended, as `who` sees them."""
        observations, rows = np.full(self.num_envs, None, object), np.flatnonzero(ended)
        if self._is_simultaneous:
            for name, array in self._observation().items():
                array.take(rows, axis=0, out=self._finals[name][: len(rows)], mode="clip")
        else:
            self.batch.look(who, ended, self._finals)  # cheaper than to copy what has left the cache
        for place, i in enumerate(rows.tolist()):
            observations[i] = {name: array[place] for name, array in self._finals.items()}
        told = {"rewards": rewards, "_rewards": ended} if self._seats is None else {}
        return {"final_obs": observations, "_final_obs": ended, "final_info": told, "_final_info": ended}


class Env(gymnasium.Env[Observation, Any]):
    """One game: a VectorEnv of one whose arrays are copied, never started anew by itself.

    game, options : as in VectorEnv. observation, info : without the leading axis.
    """

    metadata = {"render_modes": ["ansi"], "render_fps": 4}  # noqa: RUF012  (Gymnasium's own)

    def __init__(self, game: Any, *, render_mode: str | None = None, **options: Any) -> None:
        self._vector = VectorEnv(game, 1, autoreset_mode=AutoresetMode.DISABLED, render_mode=render_mode, **options)
        self.render_mode = render_mode
        self.observation_space = self._vector.single_observation_space
        self.action_space = self._vector.single_action_space

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Start a new game, drawn from stream(seed, 0); None: go on drawing, the first time from entropy."""
        super().reset(seed=seed)
        observation, info = self._vector.reset(seed=seed)
        return self._one(observation), self._one_info(info)

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Play the action; after the end the game stays as it is."""
        observation, reward, terminated, _, info = self._vector.step(np.asarray(action)[None])
        return self._one(observation), float(reward[0]), bool(terminated[0]), False, self._one_info(info)

    def action_masks(self) -> NDArray[np.bool_]:
        """bool[num_actions], slot after slot where there are several: what is legal now."""
        found: NDArray[np.bool_] = self._vector._info(self._vector.batch.rewards)["action_mask"].reshape(-1) == 1
        return found

    def render(self) -> str | None:
        """The whole board as text; None without a render mode."""
        found = self._vector.render()
        return found[0] if found else None

    def close(self) -> None:
        """Let the opponents go."""
        self._vector.close()

    @staticmethod
    def _one(arrays: Observation) -> Observation:
        return {name: array[0].copy() for name, array in arrays.items()}

    def _one_info(self, info: dict[str, Any]) -> dict[str, Any]:
        return {key: value[0].copy() for key, value in info.items() if not key.startswith("_")}


def _mode(given: AutoresetMode | str) -> AutoresetMode:
    try:
        return AutoresetMode(given)
    except ValueError:
        modes = ", ".join(mode.value for mode in AutoresetMode)
        raise ConfigError(f"autoreset_mode: {given!r} is none of {modes}") from None


def _make_opponents(opponents: Opponent | Sequence[Opponent], game: Game, seat: int) -> dict[int, Agent]:
    """The agents of the seats other than the learner's, but those that play inside the batch."""
    others = [player for player in range(game.num_players) if player != seat]
    wanted = [opponents] * len(others) if isinstance(opponents, str) or callable(opponents) else list(opponents)
    if len(wanted) != len(others):
        raise ConfigError(f"opponents: {len(others)} are wanted, one for each other seat, not {len(wanted)}")
    pairs = zip(others, wanted, strict=True)
    return {player: make_agent(it, game) if isinstance(it, str) else it() for player, it in pairs if it != "random"}


def _answer(agent: Agent, view: View, slots: list[int]) -> list[int]:
    """The agent's actions, one a slot; AgentError where it raises or answers with what it may not play."""
    with Blame(agent, f"player {view.player}"):
        answer = agent.act(view)
        actions = list(answer) if view.game.num_slots > 1 else [answer]
        found = [operator.index(action) for action in actions]
    if len(found) != len(slots) or not all(
        view.is_legal(action, slot) for slot, action in zip(slots, found, strict=True)
    ):
        raise AgentError(f"{agent.name}: player {view.player}: {answer!r} is not allowed\n{position_of(view)}")
    return found


for _name in games():
    gymnasium.register(
        f"masume/{camel(_name)}-v0",
        entry_point=f"{__name__}:Env",
        vector_entry_point=f"{__name__}:VectorEnv",
        kwargs={"game": _name},
    )
