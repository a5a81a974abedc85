"""Stable-Baselines3: `VecEnv`, its vector environment over a Batch.

Take `MultiInputPolicy`, because observations are dicts; sb3-contrib's MaskablePPO reads the masks.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..core._loans import Infos
from ..core.extras import extra
from ..errors import ConfigError
from .gymnasium import Observation, VectorEnv

if TYPE_CHECKING:
    from stable_baselines3.common import vec_env
else:
    vec_env = extra("stable_baselines3.common.vec_env", "sb3")


class VecEnv(vec_env.VecEnv):  # type: ignore[misc]
    """`num_envs` games as a Stable-Baselines3 vector environment, stepped together.

    Parameters
    ----------
    game : str, Game or sequence of Game
        As in `masume.envs.gymnasium.VectorEnv`.
    num_envs : int
        Number of environments n, 1..2**31 - 1.
    opponents : str, callable or sequence, optional
        The agents of the other seats, as in `VectorEnv`. Default "random". None is refused: Stable-Baselines3 learns
        for one player.
    **options
        `player`, `threads`, `observe`, `rewards`, `on_illegal`, `dtype`, `crop`, `render_mode` and config fields, as in
        `VectorEnv`.

    Raises
    ------
    ConfigError
        If an option is invalid.
    ExtraError
        If Stable-Baselines3 is not installed.

    Notes
    -----
    A game that ends restarts within the step. Its info has `terminal_observation`, `TimeLimit.truncated` (False) and
    `episode`, the sum of its rewards `r`, its steps `l` and the seconds `t` since the environment was made, as SB3's
    Monitor gives them. Observations, rewards and masks are new in each step.
    """

    def __init__(self, game: Any, num_envs: int, *, opponents: Any = "random", **options: Any) -> None:
        if opponents is None:
            raise ConfigError("opponents: expected agents, got None; Stable-Baselines3 learns for one player")
        for name, value in (("autoreset_mode", "SameStep"), ("copy", True), ("only_changes", False)):
            if name in options:
                raise ConfigError(f"{name}: expected none; it is {value!r}")
        self.vector = VectorEnv(game, num_envs, autoreset_mode="SameStep", opponents=opponents, **options)
        self._actions: Any = None
        self._masks: NDArray[np.bool_] = np.ones((num_envs, 1), np.bool_)
        self._gained = np.zeros(num_envs)
        self._infos = Infos(num_envs)
        self._steps, self._begun = 0, np.zeros(num_envs, np.int64)  # of this environment; by env, when its game began
        self._start_s = time.perf_counter()
        super().__init__(num_envs, self.vector.single_observation_space, self.vector.single_action_space)

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"_start_s": time.perf_counter() - self._start_s}  # another process has another clock

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._start_s = time.perf_counter() - self._start_s

    def reset(self) -> Observation:
        """Start new games, from the seed of `seed` if it was called; return {field: array[n, *shape]}."""
        seed = self._seeds[0]
        observation, info = self.vector.reset(seed=seed)
        self._reset_seeds()
        self._reset_options()
        self._gained[:] = 0
        self._begun[:] = self._steps
        self._keep_masks(info)
        return observation

    def step_async(self, actions: NDArray[Any]) -> None:
        """Keep the actions for `step_wait`."""
        self._actions = actions

    def step_wait(self) -> tuple[Observation, NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        """Play the actions.

        Returns
        -------
        observations : dict of ndarray
            One array per field, [n, *shape].
        rewards : float32[n]
            Rewards since the last step.
        dones : bool[n]
            Whether each game has ended.
        infos : list of dict
            Empty where a game goes on; otherwise as in the notes of the class.

        Raises
        ------
        ValueError
            If the actions have another shape, or are not integers.
        gymnasium.error.ResetNeeded, ClosedEnvironmentError, AlreadyPendingCallError
            Before `reset`, after `close`, and on a second thread, as from `VectorEnv`.
        AgentError
            If an opponent raises or answers with an action that it may not play.
        """
        observation, rewards, dones, _, info = self.vector.step(self._actions)
        self._gained += rewards
        self._steps += 1
        infos = self._infos.take()
        rows = dones.nonzero()[0]
        if rows.size:
            seconds = round(time.perf_counter() - self._start_s, 6)
            lengths = (self._steps - self._begun[rows]).tolist()
            for i, last, gained, length in zip(
                rows.tolist(), info["final_obs"][rows].tolist(), self._gained[rows].tolist(), lengths, strict=True
            ):
                episode = {"r": gained, "l": length, "t": seconds}
                infos[i] = {"terminal_observation": last, "TimeLimit.truncated": False, "episode": episode}
            self._gained[rows] = 0
            self._begun[rows] = self._steps
        self._keep_masks(info)
        return observation, rewards, dones, infos

    def _keep_masks(self, info: dict[str, Any]) -> None:
        self._masks = info["action_mask"].reshape(self.num_envs, -1).view(np.bool_)

    def action_masks(self) -> NDArray[np.bool_]:
        """Return the legal codes, bool[n, num_actions]; those of several slots are concatenated."""
        return self._masks

    def close(self) -> None:
        """Close the opponents."""
        self.vector.close()

    def get_images(self) -> Sequence[NDArray[np.uint8] | None]:
        """Return a picture of each board; Nones without `render_mode="rgb_array"`."""
        found = self.vector.render() if self.render_mode == "rgb_array" else None
        return [None] * self.num_envs if found is None else list(found)

    def has_attr(self, attr_name: str) -> bool:
        """Return whether `get_attr` or `env_method` knows the name."""
        return attr_name == "action_masks" or hasattr(self.vector, attr_name)

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """Return an attribute of the VectorEnv, once for each of the envs."""
        return [getattr(self.vector, attr_name) for _ in self._places(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Raise AttributeError: the environments share everything."""
        raise AttributeError(f"{attr_name}: the environments of a batch have no attributes of their own")

    def env_method(self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any) -> list[Any]:
        """Return `action_masks()` of each of the envs; AttributeError for any other method."""
        if method_name != "action_masks" or method_args or method_kwargs:
            raise AttributeError(f"{method_name}: the environments of a batch have only action_masks()")
        return [self._masks[i] for i in self._places(indices)]

    def env_is_wrapped(self, wrapper_class: type, indices: Any = None) -> list[bool]:
        """Return False for each of the envs."""
        return [False for _ in self._places(indices)]

    def _places(self, indices: Any) -> Iterable[int]:
        places: Iterable[int] = self._get_indices(indices)
        return places
