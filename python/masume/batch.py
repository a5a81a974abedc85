"""Batch: n games in flat buffers, stepped together. The loops are in cython/masume/core/_batch.pyx."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from .core import system
from .core._batch import Block, Loop, Pool
from .core._game import Table
from .core.config import choice, integer
from .errors import ConfigError

if TYPE_CHECKING:
    from .game import Game

AUTORESET = ("same_step", "next_step", "disabled")


def _allocate(shape: tuple[int, ...], dtype: Any) -> NDArray[Any]:
    """A zeroed array that starts on a cache line's edge."""
    dtype = np.dtype(dtype)
    size = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
    raw = np.zeros(size + 64, np.uint8)
    start = -raw.ctypes.data % 64
    array: NDArray[Any] = raw[start : start + size].view(dtype).reshape(shape)
    return array


class Batch(Loop):
    """n states of one game (or of games that differ only in board, map or stage), stepped together.

    game : Game, or a sequence of them with equal specs and state size: each new game draws one.
    size : n >= 1.
    seed : row i draws everything from one generator started at stream(seed, i), so results do not
        depend on threads or on how games are split into batches.
    threads : 1..; 0 means as many as the machine has. Small steps use one whatever is said.
    autoreset : "same_step": a game that ends starts anew within the step (rewards and `terminated` are
        those of the end, observations and masks those of the new start); "next_step": in the step after,
        whose action is ignored and whose reward is 0; "disabled": a finished game stays, with empty masks,
        until `reset`.
    observe : the fields of `game.observation_spec` to fill in each step, or None.
    masks : True (`masks`, bytes), "packed" (`masks_packed`, bits) or False.
    rewards : "returns": the result at the end, 0 before; "score": what each score changed by.
    final_observations : keep the last observation of a game that ended, as every player sees it.
    on_illegal : "raise": IllegalActionError after the step, the games named unchanged; "fallback": the
        rule book's neutral action in the place of an illegal one, counted in `stats()`.
    buffers : {name: array} of the caller's, used in the place of own ones: `actions`, `rewards`,
        `terminated`, `masks`, `masks_packed`, `current_player`, `seeds` or a field of `observe`.

    Arrays (C-contiguous, allocated once, overwritten by every step: copy what you keep)

    actions : int32[n, slots], the codes `step()` plays. rewards : float32[n, players].
    terminated : bool[n]. current_player : int8[n]: -1 several at once, -2 over.
    masks : uint8[n, slots, num_actions] or None. masks_packed : uint32[n, slots, ceil(num_actions / 32)] or None.
    observations : {field: [n, *shape]}, the view of the player to move (player 0 when over);
        in simultaneous games, and in final_observations, [n, players, *shape].
    seeds : uint64[n], of the game in progress. states : structured [n], read-only. game_index : int32[n].

    skips_ends : bool, False at first, may be set: `step` then leaves masks and observations of a game that stays at its
    end as they were.

    Raises ConfigError for bad options, ValueError for bad buffers or unequal games. A batch serves one
    Python thread at a time: RuntimeError in a second one that calls while the first is inside.
    """

    def __init__(
        self,
        game: Game | Sequence[Game],
        size: int,
        *,
        seed: int = 0,
        threads: int = 1,
        autoreset: str = "same_step",
        observe: Sequence[str] | None = ("planes", "scalars"),
        masks: bool | str = True,
        rewards: str = "returns",
        final_observations: bool = False,
        on_illegal: str = "raise",
        buffers: Mapping[str, NDArray[Any]] | None = None,
    ) -> None:
        games = tuple(game) if isinstance(game, list | tuple) else (game,)
        first = self.game = _agreeing(games)
        self.size = n = integer("size", size, 1, 2**31 - 1)
        seed = integer("seed", seed, 0, 2**64 - 1)
        threads = integer("threads", threads, 0, 1024) or system.count_cpus()
        choice("autoreset", autoreset, AUTORESET)
        choice("rewards", rewards, ("returns", "score"))
        choice("on_illegal", on_illegal, ("raise", "fallback"))
        if not isinstance(masks, bool) and masks != "packed":
            raise ConfigError(f'masks: {masks!r} is none of True, False, "packed"')
        spec = first.observation_spec
        if isinstance(observe, str) or not isinstance(observe, Sequence | None):
            raise ConfigError(f"observe: a sequence of names of fields is wanted, or None, not {observe!r}")
        names = tuple(observe or ())
        for name in names:
            choice("observe", name, tuple(spec))

        players, slots, codes = first.num_players, first.num_slots, first.num_actions
        views = (n, players) if first.is_simultaneous else (n,)
        shapes: dict[str, tuple[tuple[int, ...], Any]] = {
            "actions": ((n, slots), np.int32),
            "rewards": ((n, players), np.float32),
            "terminated": ((n,), np.bool_),
            "current_player": ((n,), np.int8),
            "seeds": ((n,), np.uint64),
        }
        if masks == "packed":
            shapes["masks_packed"] = ((n, slots, (codes + 31) // 32), np.uint32)
        elif masks:
            shapes["masks"] = ((n, slots, codes), np.uint8)
        shapes |= {name: ((*views, *spec[name][0]), spec[name][1]) for name in names}
        given = dict(buffers or {})
        for name in given:
            choice("buffers", name, tuple(shapes))
        reachable = {name: _buffer(name, given.get(name), *shapes[name]) for name in shapes}
        for one, other in itertools.combinations(given, 2):
            if np.may_share_memory(given[one], given[other]):
                raise ValueError(f"buffers: {one} and {other} overlap")
        finals = {name: _allocate((n, players, *spec[name][0]), spec[name][1]) for name in names if final_observations}
        sizes = dict.fromkeys(("rngs", "plies", "finished", "total_plies", "fallbacks"), 8 * n)
        sizes |= {"states": n * first.state_size, "game_index": 4 * n, "over": n, "illegal": n}
        sizes["total_returns"] = 8 * n * players
        if first.memory_size and names:  # what the players have seen is kept up to date only where somebody looks
            sizes["memories"] = n * first.memory_size
        if rewards == "score":
            sizes["scores"] = 8 * n * players
        blocks = {name: Block(size) for name, size in sizes.items()}  # the engine trusts what is in there
        self.observations = {name: reachable[name] for name in names}
        self.final_observations = finals if final_observations else None
        self.actions = reachable["actions"]
        self.rewards = reachable["rewards"]
        self.terminated = reachable["terminated"]
        self.current_player = reachable["current_player"]
        self.seeds = reachable["seeds"]
        self.masks = reachable.get("masks")
        self.masks_packed = reachable.get("masks_packed")
        self._blocks = blocks
        self.states = blocks["states"].view(first.state_dtype, (n,))
        self.game_index = blocks["game_index"].view(np.int32, (n,))
        self._totals = {name: blocks[name].view(np.int64, (n,)) for name in ("finished", "total_plies", "fallbacks")}
        self._total_returns = blocks["total_returns"].view(np.float64, (n, players))
        self._bind(
            games,
            reachable,
            self.observations,
            finals,
            blocks,
            (*reachable.values(), *finals.values()),
            Pool(threads) if threads > 1 else None,
            AUTORESET.index(autoreset),
            rewards == "score",
            on_illegal == "fallback",
        )
        self._reset(seed, None)

    def reset(self, seed: int | None = None, mask: NDArray[np.bool_] | None = None) -> None:
        """Start new games, in the rows where `mask` (bool[n]) is True, or in all.

        seed : restart the rows' generators at stream(seed, i); None: go on drawing from them.
        """
        self._reset(None if seed is None else integer("seed", seed, 0, 2**64 - 1), mask)

    def stats(self) -> dict[str, Any]:
        """What was played since the batch was made.

        games (finished), mean_length (plies, NaN before the first end), mean_returns (float64[players],
        NaN likewise), fallbacks (illegal codes replaced).
        """
        games, plies, fallbacks = (int(total.sum()) for total in self._totals.values())
        with np.errstate(invalid="ignore"):
            return {
                "games": games,
                "mean_length": plies / games if games else float("nan"),
                "mean_returns": self._total_returns.sum(axis=0) / np.float64(games),
                "fallbacks": fallbacks,
            }

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Batch cannot be copied or pickled: make another one, on the same game and seed")

    def __len__(self) -> int:
        return self.size

    def __repr__(self) -> str:
        return f"Batch({self.game!r}, {self.size})"


def _agreeing(games: tuple[Game, ...]) -> Game:
    """The first of the games, if all have its sizes and specs."""
    if not games:
        raise ValueError("game: at least one is wanted")
    first = games[0]
    for game in games:
        if not isinstance(game, Table):
            raise ValueError(f"game: a Game is wanted, or a sequence of them, not {game!r}")
    for other in games[1:]:
        for name in (
            "name",
            "num_players",
            "num_slots",
            "num_actions",
            "state_size",
            "memory_size",
            "observation_spec",
        ):
            if getattr(other, name) != getattr(first, name):
                raise ValueError(f"game: {name} differs: {getattr(first, name)!r} and {getattr(other, name)!r}")
    return first


def _buffer(name: str, given: Any, shape: tuple[int, ...], dtype: Any) -> NDArray[Any]:
    """The caller's array, checked, or a new one."""
    if given is None:
        return _allocate(shape, dtype)
    if not isinstance(given, np.ndarray):
        raise ValueError(f"buffers[{name!r}]: an ndarray is wanted, not {type(given).__name__}")
    if given.dtype != dtype or given.shape != shape:
        raise ValueError(
            f"buffers[{name!r}]: {np.dtype(dtype)}{list(shape)} is wanted, not {given.dtype}{list(given.shape)}"
        )
    if not given.flags.carray:
        raise ValueError(f"buffers[{name!r}]: an aligned, C-contiguous, writable array is wanted")
    return given
