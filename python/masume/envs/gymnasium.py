"""Gymnasium: `Env` for one game, `VectorEnv` over a Batch, and an id for each game, registered on import.

>>> import gymnasium
>>> import masume.envs.gymnasium
>>> env = gymnasium.make("masume/Chaser-v0", width=9, height=7, n_blocks=4, n_items=6)
>>> observation, info = env.reset(seed=1)
>>> action = env.action_space.sample(mask=info["action_mask"])
>>> observation, reward, terminated, truncated, info = env.step(action)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..batch import Batch, read_seeds
from ..core._batch import Single
from ..core._planes import Form
from ..core.config import boolean, integer
from ..core.extras import extra
from ..errors import ConfigError, IllegalActionError
from ..game import games
from ..render.pixels import pixels
from .common import (
    FPS,
    RENDER_MODES,
    Turnstile,
    as_game,
    camel,
    check_render,
    fields_of,
    fields_space,
    neutral_codes,
    to_codes,
)
from .opponents import OVER, Opponent, Opponents

if TYPE_CHECKING:
    import gymnasium
    from gymnasium import error, spaces
    from gymnasium.vector import AutoresetMode
    from gymnasium.vector.utils import batch_space

else:
    gymnasium = extra("gymnasium", "envs")
    from gymnasium import error, spaces
    from gymnasium.vector import AutoresetMode
    from gymnasium.vector.utils import batch_space

Observation = dict[str, NDArray[Any]]
MAX_STARTS = 10_000  # games in a row that may end before the learner's first decision
NO_DECISION = f"opponents: {MAX_STARTS} games in a row ended before the learner could decide anything"


class InvalidActionError(error.InvalidAction, ValueError):
    """Raised for actions of a wrong shape or dtype: Gymnasium's error, and a ValueError."""


class GymnasiumTurnstile(Turnstile):
    """Turnstile whose error is Gymnasium's."""

    def error(self) -> Exception:
        """Return what a second thread gets."""
        return error.AlreadyPendingCallError(str(super().error()), "step")


class VectorEnv(gymnasium.vector.VectorEnv[Observation, NDArray[Any], NDArray[Any]]):
    """`num_envs` games as a Gymnasium vector environment.

    Parameters
    ----------
    game : str, Game or sequence of Game
        A name (with its preset and fields in `config`), a Game, or several as `Batch` takes them.
    num_envs : int, optional
        Number of environments n, 1..2**31 - 1.
    autoreset_mode : AutoresetMode or str, optional
        Any of Gymnasium's three modes: "NextStep" (default), "SameStep", or "Disabled", which starts new games by
        `reset(options={"reset_mask": bool[n]})`.
    opponents : str, Agent, callable, League, sequence or None, optional
        None: self-play, where each step is one ply of the player to move. Otherwise the agents of the other seats,
        which move within the step: an agent as `make_agent` takes it (a name, an agent, a class or function that makes
        one), or a sequence with one per other seat. The policies of the game play inside the batch; agents with
        `act_many` are made once, and asked once for all envs that wait, other agents one by one; these may play any
        legal action, including those that no mask offers, such as Terraforming's amounts. A `League` gives each game a
        member.
    player : int or None, optional
        The learner's seat if there are opponents. None: env i plays seat i modulo the number of players.
    copy : bool, optional
        True (default): every step writes into arrays that nobody refers to, so that what earlier steps returned stays
        as it is. Memory that nobody refers to any more is used again. False: all steps write into the same arrays,
        which is faster, above all with `only_changes`: copy what you keep.
    threads, observe, rewards, on_illegal, dtype, crop
        As in `Batch`; by default `on_illegal="fallback"` replaces an illegal action by the neutral one.
    only_changes : bool or None, optional
        As in `Batch`, and only with `copy=False`: planes are then read-only arrays. None (default): where it pays,
        which is with `copy=False` and opponents, in games that can write only what has changed (CHaser).
    render_mode : {"ansi", "rgb_array", None}, optional
        What `render` returns: text, or pictures.
    **config
        Preset and fields of the game, if `game` is a name.

    Raises
    ------
    ConfigError
        If an option is invalid.
    AgentError
        From `reset` and `step`, if an opponent raises or answers with an action that it may not play.
    gymnasium.error.ResetNeeded
        From `step` and `render` before the first `reset`.
    gymnasium.error.ClosedEnvironmentError
        From `reset`, `step` and `render` after `close`.
    gymnasium.error.AlreadyPendingCallError
        From `reset` and `step`, if another thread is inside the environment, which goes on undisturbed.

    Notes
    -----
    Actions: an action is a code. In simultaneous games it is one code per slot of the learner, in self-play of all
    players.

    Rewards: a step's reward is the learner's; in self-play that of the player who moved (player 0 in simultaneous
    games). The last observation of a game is that player's too. A game that ends before the learner's first decision is
    replaced by another. Games are never truncated.

    Infos: `action_mask`, int8[n, num_actions], or [n, slots, num_actions] in simultaneous games; that of a game that is
    over has 1 for the neutral action alone, so that no mask is empty. In self-play also
    `current_player`, int8[n], and `rewards`, float32[n, players]. In "SameStep" also `final_obs` and `final_info`, as
    in Gymnasium's own vector environments. Each key has its `_key`, bool[n].

    Memory: all results of a step are new. With `copy=False` observations, `final_obs`, `action_mask` and
    `current_player` are views of arrays that the next call overwrites; with `only_changes` observations of planes are
    read-only.

    Copies: `pickle` and `copy.deepcopy` make an environment that plays on as this one does, with agents, leagues and
    random streams of its own. What the caller gave as opponents has to allow it.
    """

    def __init__(
        self,
        game: Any,
        num_envs: int = 1,
        *,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        opponents: Opponent | Sequence[Opponent] | None = None,
        player: int | None = 0,
        copy: bool = True,
        threads: int = 1,
        observe: Sequence[str] = ("planes", "scalars"),
        rewards: str = "returns",
        on_illegal: str = "fallback",
        dtype: str = "float32",
        crop: int | tuple[int, int] | str | None = None,
        only_changes: bool | None = None,
        render_mode: str | None = None,
        **config: Any,
    ) -> None:
        self._opponents: Opponents | None = None  # first, because Gymnasium also closes half-made objects
        integer("num_envs", num_envs, 1, 2**31 - 1)
        games = game if isinstance(game, list | tuple) else (game,)
        self._games = tuple(as_game(one, config) for one in games)
        check_render(render_mode, self._games[0], RENDER_MODES)
        self._mode = _mode(autoreset_mode)
        form = Form(self._games[0], dtype, crop)
        self._is_copying = boolean("copy", copy)
        if only_changes is None:
            only_changes = not copy and opponents is not None and not form.changing.isdisjoint(observe or ())
        elif only_changes and copy:
            raise ConfigError("only_changes: expected False with copy=True, by which each step fills other arrays")
        self.batch = Batch(
            self._games,
            num_envs,
            threads=threads,
            autoreset="disabled",
            observe=observe,
            rewards=rewards,
            on_illegal=on_illegal,
            dtype=dtype,
            crop=crop,
            only_changes=only_changes,
            memory=opponents is not None,
        )
        first, n = self._games[0], self.batch.size
        self._rows = np.arange(n)
        self._firsts = self._rows * first.num_players  # index of each env's first entry in the flat rewards
        self._all = _all_true(n)
        self._is_simultaneous = first.is_simultaneous
        # elsewhere observations and masks are taken out of the batch's arrays, and are new
        self._is_renewing = self._is_copying and not (self._is_simultaneous and opponents is not None)
        self._is_started = False
        self._turnstile = GymnasiumTurnstile()
        self._seats: NDArray[np.int8] | None = None
        views, slots = ((first.num_players,), first.num_slots) if self._is_simultaneous else ((), 1)
        if opponents is not None:
            seat = integer("player", 0 if player is None else player, 0, first.num_players - 1)
            seats = np.full(n, seat) if player is not None else self._rows % first.num_players
            self._seats = seats.astype(np.int8)
            self._opponents = Opponents(opponents, self.batch, self._seats)
            if self._is_simultaneous:
                owners = first.new_state().slots
                self._own = np.stack([np.flatnonzero(owners == seat) for seat in self._seats])
                views, slots = (), self._own.shape[1]

        self.num_envs = n
        self.render_mode = render_mode
        self.metadata = {"render_modes": list(RENDER_MODES), "render_fps": FPS, "autoreset_mode": self._mode}
        self.single_observation_space = fields_space(self._games, fields_of(first, observe, form), views, form)
        codes = first.num_actions
        self.single_action_space = (
            spaces.MultiDiscrete(np.full(slots, codes)) if self._is_simultaneous else spaces.Discrete(codes)
        )
        self.observation_space = batch_space(self.single_observation_space, n)
        self.action_space = batch_space(self.single_action_space, n)
        self._num_codes = n * slots
        self._neutral = np.zeros((first.num_slots, codes), np.uint8)
        self._neutral[np.arange(first.num_slots), neutral_codes(first)] = 1
        self._finals: Observation = {}
        if self._mode is AutoresetMode.SAME_STEP:
            self.batch.skips_ends = not self._is_simultaneous  # `_last` reads them into arrays of its own
            if not self._is_copying:
                self._finals = {name: np.zeros_like(array) for name, array in self._observation().items()}

    # -- called by Gymnasium -----------------------------------------------------------------

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._all = _all_true(self.num_envs)  # copies of arrays are writeable

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | NDArray[np.integer[Any]] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Observation, dict[str, Any]]:
        """Start new games.

        Parameters
        ----------
        seed : int or sequence of int, optional
            Env i draws its games from stream(seed, i), seed in 0..2**64 - 1. A list, tuple or array of n seeds: env i
            plays the games of `Env` after `reset(seed=seed[i])`, later ones included; with None in a seed's place it
            continues. None: continue drawing, the first time from entropy.
        options : dict, optional
            `reset_mask`, bool[n]: reset only the envs where it is True.

        Returns
        -------
        observations : dict of ndarray
            One array per field, [n, *shape] (in simultaneous self-play [n, players, *shape]).
        infos : dict
            As in the notes of the class.
        """
        self._check_open("reset")
        with self._turnstile:
            rows = (options or {}).get("reset_mask", self._all)
            if not isinstance(rows, np.ndarray) or rows.dtype != np.bool_ or rows.shape != (self.num_envs,):
                raise ValueError(f"reset_mask: expected bool[{self.num_envs}], got {rows!r:.200}")
            seeded, seeds = self._read_seed(seed)
            self._is_started = True
            self._renew(~rows)
            self._restart(rows & seeded, seeds)
            self._restart(rows & ~seeded)
            return self._observation(), self._info(np.zeros_like(self.batch.rewards))

    def _check_open(self, call: str) -> None:
        """Raise ClosedEnvironmentError after `close`."""
        if self.closed:
            raise error.ClosedEnvironmentError(f"{call}: the environment is closed; make another one")

    def _check_started(self, call: str) -> None:
        """Raise ClosedEnvironmentError after `close`, ResetNeeded before `reset`."""
        self._check_open(call)
        if not self._is_started:
            raise error.ResetNeeded(f"{call}: there is no game yet; reset() starts one")

    def _read_seed(self, seed: Any) -> tuple[NDArray[np.bool_], int | NDArray[np.uint64] | None]:
        """Return which envs have a seed, and the seed of all or the seeds of each; the first ones from entropy."""
        if isinstance(seed, list | tuple | np.ndarray):
            seeds = read_seeds([0 if one is None else one for one in seed], self.num_envs)
            seeded = np.array([one is not None for one in seed], np.bool_)
            super().reset()
            if not self._is_started:
                seeds[~seeded] = self.np_random.integers(2**63, size=np.count_nonzero(~seeded))
                seeded = self._all
            return seeded, seeds
        if seed is not None:
            seed = integer("seed", seed, 0, 2**64 - 1)
        super().reset(seed=seed)
        if seed is None and not self._is_started:
            seed = int(self.np_random.integers(2**63))
        return self._all, seed

    def _renew(self, kept: NDArray[np.bool_] | None) -> Observation:
        """Give the batch arrays that nobody refers to, with the `kept` rows; return the arrays that it had."""
        if not self._is_renewing:
            return {}
        old = self.batch._renew()
        if kept is not None:
            self._keep(old, kept)
        return old

    def _keep(self, old: Observation, rows: NDArray[np.bool_]) -> None:
        """Copy these rows, which nothing has written, out of arrays that the batch had."""
        if rows.any():
            for name, array in self.batch._shown().items():
                array[rows] = old[name][rows]

    def step(
        self, actions: NDArray[Any]
    ) -> tuple[Observation, NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:
        """Play one action per env; an env whose game is over restarts or stays, as `autoreset_mode` says.

        Parameters
        ----------
        actions : integer ndarray
            Codes in the shape of `action_space`.

        Returns
        -------
        observations : dict of ndarray
            As for `reset`.
        rewards : float32[n]
            Rewards since the last step.
        terminations : bool[n]
            Whether each game has ended.
        truncations : bool[n]
            All False.
        infos : dict
            As in the notes of the class.

        Raises
        ------
        InvalidActionError
            If `actions` has another shape, is not of integers, or one of them is beyond int32; then nothing is played.
            It is a `gymnasium.error.InvalidAction` and a ValueError.
        IllegalActionError
            With `on_illegal="raise"`, if actions were illegal: the games that it names are unchanged, the others have
            moved, and the next step returns where they are.
        AgentError
            If an opponent raises or answers with an action that it may not play.
        """
        self._check_started("step")
        codes = self._read_actions(actions, self.action_space.shape)
        with self._turnstile:
            return self._play(codes)

    def _read_actions(self, given: Any, shape: tuple[int, ...] | None) -> NDArray[np.integer[Any]]:
        """Return actions as codes of this shape; raise InvalidActionError if they are none."""
        try:
            actions = np.asarray(given)
        except ValueError:  # a list of lists of unequal lengths
            raise InvalidActionError(f"actions: expected shape {shape}, got {given!r:.100}") from None
        if actions.dtype.kind not in "iu":
            raise InvalidActionError(f"actions: expected integers, got {actions.dtype}: {given!r:.100}")
        if actions.shape != shape:
            raise InvalidActionError(f"actions: expected shape {shape}, got {actions.shape}")
        try:
            return to_codes(actions, self.num_envs)
        except ValueError as refused:
            raise InvalidActionError(str(refused)) from None

    def _play(
        self, codes: NDArray[np.integer[Any]]
    ) -> tuple[Observation, NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:
        """Play codes in the shape of `action_space`."""
        batch = self.batch
        played = batch.current_player != OVER
        who = np.maximum(batch.current_player, 0) if self._seats is None else self._seats
        opponents = self._opponents
        if self._is_simultaneous and opponents is not None:
            opponents.choose(played)
            batch.actions[self._rows[:, None], self._own] = codes.reshape(self._own.shape)
        else:
            batch.actions[:] = codes.reshape(batch.actions.shape)
        old = self._renew(~played if self._mode is AutoresetMode.DISABLED else None)
        refused, starting = None, ~played
        try:
            if opponents is None:
                batch.step(mask=played)
            else:
                opponents.step(played)
        except IllegalActionError as illegal:  # the games it names are unchanged; the step of the others is completed
            if old:
                self._keep(old, batch._illegal | ~played)
            refused, played = illegal, played & ~batch._illegal
        rewards = batch.rewards * played[:, None]
        if opponents is not None:
            opponents.advance(played, rewards)
        terminated = batch.current_player == OVER
        ended = terminated & played
        if opponents is not None:
            opponents.tell(ended)
        info: dict[str, Any] = {}
        if self._mode is AutoresetMode.SAME_STEP:
            if ended.any():
                info = self._last(ended, who, rewards)
                self._restart(ended)
        else:
            elsewhere = ended & (who != 0)  # after the end the batch holds player 0's view
            if elsewhere.any() and not self._is_simultaneous:
                batch.look(who, elsewhere)
            if self._mode is AutoresetMode.NEXT_STEP:
                terminated = ended
                self._restart(starting)
        if refused is not None:
            raise refused
        info |= self._info(rewards)
        gained = rewards.ravel().take(self._firsts + who)
        return self._observation(), gained, terminated, np.zeros(self.num_envs, np.bool_), info

    def render(self) -> tuple[Any, ...] | None:
        """Return the full board of each env: text, or uint8[height, width, 3]; None without a render mode."""
        self._check_started("render")
        if self.render_mode is None:
            return None
        draw = str if self.render_mode == "ansi" else pixels
        # nothing of what players have seen is drawn
        return tuple(draw(self.batch.state(i, without_memory=True)) for i in range(self.num_envs))

    def close_extras(self, **kwargs: Any) -> None:
        """Close the opponents."""
        if self._opponents is not None:
            self._opponents.close()

    def _restart(self, rows: NDArray[np.bool_], seed: int | NDArray[np.uint64] | None = None) -> None:
        """Start new games in these rows and play them to the learner's first decision."""
        for _ in range(MAX_STARTS):
            if not rows.any():
                return
            self.batch.reset(seed, rows)
            seed = None
            if self._opponents is not None:
                self._opponents.begin(rows)
                self._opponents.advance(rows)
            rows = rows & (self.batch.current_player == OVER)
        raise ConfigError(NO_DECISION)

    # -- results ------------------------------------------------------------------------------

    def _observation(self) -> Observation:
        if self._is_simultaneous and self._seats is not None:
            return {name: array[self._rows, self._seats] for name, array in self.batch.observations.items()}
        return dict(self.batch.observations)

    def _info(self, rewards: NDArray[Any]) -> dict[str, Any]:
        masks = self.batch.masks
        assert masks is not None
        if self._mode is not AutoresetMode.SAME_STEP:
            over = self.batch.current_player == OVER
            if over.any():
                masks[over] = self._neutral
        if not self._is_simultaneous:
            masks = masks[:, 0]
        elif self._seats is not None:
            masks = masks[self._rows[:, None], self._own]
        info: dict[str, Any] = {"action_mask": masks.view(np.int8)}
        if self._seats is None:
            mover = self.batch.current_player
            info |= {"current_player": mover.copy() if self._is_copying else mover, "rewards": rewards}
        return info | {f"_{key}": self._all for key in info}

    def _last(self, ended: NDArray[np.bool_], who: NDArray[np.int8], rewards: NDArray[Any]) -> dict[str, Any]:
        """Return final_obs and final_info of the rows that ended, as `who` sees them."""
        observations, rows = np.full(self.num_envs, None, object), np.flatnonzero(ended)
        finals = {name: array[: len(rows)] for name, array in self._finals.items()}
        if self._is_simultaneous:
            for name, array in self._observation().items():
                finals[name] = array.take(rows, axis=0, out=finals.get(name), mode="clip")
        else:
            for name, array in self.batch.observations.items() if self._is_copying else ():
                finals[name] = np.empty((len(rows), *array.shape[1:]), array.dtype)
            self.batch.look(who, ended, finals)  # cheaper than copying arrays that have left the cache
        for place, i in enumerate(rows.tolist()):
            observations[i] = {name: array[place] for name, array in finals.items()}
        told = {"rewards": rewards, "_rewards": ended} if self._seats is None else {}
        return {"final_obs": observations, "_final_obs": ended, "final_info": told, "_final_info": ended}


class Env(gymnasium.Env[Observation, Any]):
    """One game as a Gymnasium environment, which `reset` starts and which never restarts by itself.

    Observations, infos and rewards are those of a `VectorEnv` of one env without the leading axis; all arrays are
    copies.

    Parameters
    ----------
    game : str or Game
        A name (with its preset and fields in `options`) or a Game.
    render_mode : {"ansi", "rgb_array", None}, optional
        What `render` returns: text, or pictures.
    **options
        `opponents`, `player`, `observe`, `rewards`, `on_illegal`, `dtype`, `crop`, `only_changes` and config fields, as
        in `VectorEnv`.

    Raises
    ------
    ConfigError
        If an option is invalid.
    """

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": FPS}  # noqa: RUF012  (Gymnasium's own)

    def __init__(self, game: Any, *, render_mode: str | None = None, **options: Any) -> None:
        self._vector = VectorEnv(
            game, 1, autoreset_mode=AutoresetMode.DISABLED, copy=False, render_mode=render_mode, **options
        )
        self.render_mode = render_mode
        self.observation_space = self._vector.single_observation_space
        self.action_space = self._vector.single_action_space
        self._single = self._make_single()

    def _make_single(self) -> Single | None:
        """Return the game as one that is played in C; None if agents in Python play in it."""
        vector = self._vector
        opponents, seats = vector._opponents, vector._seats
        own = vector._is_simultaneous and seats is not None
        if opponents is not None and opponents.asks:
            return None
        seat = -1 if seats is None else int(seats[0])
        at = (0, seat) if own else 0
        return Single(
            vector.batch,
            seat,
            vector._own[0] if own else range(len(vector._neutral)),
            None if opponents is None else opponents.policies,
            None if opponents is None else opponents.generators,
            vector._neutral,
            {name: array[at] for name, array in vector.batch.observations.items()},
            vector._read_actions,
        )

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_single"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._single = self._make_single()

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Start a new game.

        Parameters
        ----------
        seed : int, optional
            The game is the first one drawn from stream(seed, 0). None: draw the next one, the first time from entropy.
        options : dict, optional
            Ignored.

        Returns
        -------
        observation : dict of ndarray
            One array per field.
        info : dict
            `action_mask`, int8[num_actions] (simultaneous games: [slots, num_actions]); in self-play also
            `current_player` and `rewards`.
        """
        super().reset(seed=seed)
        vector = self._vector
        if seed is not None or self._single is None or not vector._is_started:
            observation, info = vector.reset(seed=seed)
            return self._one(observation), self._one_info(info)
        vector._check_open("reset")
        with vector._turnstile:
            found: tuple[Observation, dict[str, Any]] | None = self._single.start(MAX_STARTS)
        if found is None:
            raise ConfigError(NO_DECISION)
        return found

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Play an action.

        Parameters
        ----------
        action : int or sequence of int
            A code; in simultaneous games one per slot.

        Returns
        -------
        observation : dict of ndarray
            One array per field.
        reward : float
            The reward since the last step.
        terminated : bool
            Whether the game has ended.
        truncated : bool
            Always False.
        info : dict
            As for `reset`.

        Raises
        ------
        gymnasium.error.ResetNeeded
            Before the first `reset`, and after the end of a game.
        InvalidActionError, IllegalActionError, AgentError
            As from `VectorEnv.step`.
        """
        vector, single = self._vector, self._single
        if vector.closed or not vector._is_started:
            vector._check_started("step")
        if vector.batch.current_player[0] == OVER if single is None else single.is_over:
            raise error.ResetNeeded(f"step: the game is over, and {action!r:.100} cannot be played; reset() starts one")
        if single is None:
            codes = vector._read_actions(action, self.action_space.shape)
            observation, reward, terminated, _, info = vector.step(codes[None])
            return self._one(observation), float(reward[0]), bool(terminated[0]), False, self._one_info(info)
        with vector._turnstile:
            found: tuple[Observation, float, bool, bool, dict[str, Any]] = single.step(action)
        return found

    def action_masks(self) -> NDArray[np.bool_]:
        """Return the legal codes as bool[num_actions], concatenated over slots if there are several."""
        self._vector._check_started("action_masks")
        found: NDArray[np.bool_] = self._vector._info(self._vector.batch.rewards)["action_mask"].reshape(-1) == 1
        return found

    def render(self) -> Any:
        """Return the full board: text, or uint8[height, width, 3]; None without a render mode."""
        found = self._vector.render()
        return found[0] if found else None

    def close(self) -> None:
        """Close the opponents."""
        self._vector.close()

    @staticmethod
    def _one(arrays: Observation) -> Observation:
        return {name: array[0].copy() for name, array in arrays.items()}

    def _one_info(self, info: dict[str, Any]) -> dict[str, Any]:
        return {key: value[0].copy() for key, value in info.items() if not key.startswith("_")}


def _all_true(count: int) -> NDArray[np.bool_]:
    """Return a read-only array of True: infos share it."""
    found = np.ones(count, np.bool_)
    found.flags.writeable = False
    return found


def _mode(given: AutoresetMode | str) -> AutoresetMode:
    try:
        return AutoresetMode(given)
    except ValueError:
        modes = ", ".join(mode.value for mode in AutoresetMode)
        raise ConfigError(f"autoreset_mode: expected one of {modes}, got {given!r}") from None


for _name in games():
    gymnasium.register(
        f"masume/{camel(_name)}-v0",
        entry_point=f"{__name__}:Env",
        vector_entry_point=f"{__name__}:VectorEnv",
        kwargs={"game": _name},
    )
