"""Batch: n games in flat arrays, stepped together. The loops are in cython/masume/core/_batch.pyx."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .core import system
from .core._batch import Block, Loop, Pool
from .core._game import Table
from .core._loans import Lender
from .core._planes import Form
from .core.config import boolean, choice, integer
from .core.planes import PlaneSpec
from .errors import ConfigError, StateError

if TYPE_CHECKING:
    from .core._state import State
    from .game import Game

AUTORESET = ("same_step", "next_step", "disabled")


def _allocate(shape: tuple[int, ...], dtype: Any) -> NDArray[Any]:
    """Return a zeroed array that starts on a cache line."""
    dtype = np.dtype(dtype)
    size = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
    raw = np.zeros(size + 64, np.uint8)
    start = -raw.ctypes.data % 64
    array: NDArray[Any] = raw[start : start + size].view(dtype).reshape(shape)
    return array


class Batch(Loop):
    """States of one game, stepped together in flat arrays.

    The arrays are C-contiguous, allocated once, and overwritten by every step: copy what you want to keep. A batch
    serves one Python thread at a time. It pickles and deep-copies with everything, random streams and what the players
    have seen included; the copy has arrays of its own in place of `buffers`.

    Parameters
    ----------
    game : Game or sequence of Game
        The game, or several that differ only in board, map or stage, with equal specs and state size. Each new game
        draws one of them.
    size : int
        Number of games n, 1..2**31-1.
    seed : int, optional
        Seed, 0..2**64-1. Row i draws all its random numbers from one generator that starts at stream(seed, i), so
        results depend neither on threads nor on how games are split into batches. Default 0.
    threads : int, optional
        Number of threads, 1..1024; 0: one per CPU. Small steps always use one thread. Default 1.
    autoreset : str, optional
        "same_step" (default): a game that ends starts again within the step; `rewards` and `terminated` are those of
        the end, observations and masks those of the new start. "next_step": it starts again in the following step,
        which ignores its action and gives reward 0. "disabled": a finished game stays, with empty masks, until `reset`.
    observe : sequence of str, optional
        Fields of `game.observation_spec` to fill in each step; None: no fields. Default "planes" and "scalars".
    masks : bool or str, optional
        True (default): fill `masks`, one byte per code. "packed": fill `masks_packed`, one bit per code. False:
        neither.
    rewards : str, optional
        "returns" (default): the result at the end, 0 before. "score": the change of each player's score.
    final_observations : bool, optional
        Whether to keep the last observation of a game that ended, as every player sees it. Default False.
    on_illegal : str, optional
        "raise" (default): raise IllegalActionError after the step; the games it names are unchanged. "fallback": play
        the neutral action of the rules instead of an illegal one, and count it in `stats()`.
    dtype : {"float32", "uint8", "bits", "float16", "bfloat16"}, optional
        dtype of the fields of planes. `plane_specs` says what uint8 and bits mean; `masume.planes.expand` makes the
        same floats of them. bfloat16 is given as uint16 with the same bits. Default float32.
    crop : int, (int, int) or "seen", optional
        Odd numbers of rows and columns, 1..63: planes show only the part around the player, in games where a player is
        in one place (CHaser); beyond their edge everything is 0. "seen": the part that holds all that a player can have
        seen (CHaser: as large as the field with nine cells around it). None (default): everything.
    only_changes : bool, optional
        True: write into the arrays of `observations` only what has changed since the last view of the same game by the
        same player, in games that can do so (CHaser's planes), and everything where another player's view or another
        game was. It pays where the views of a row are always the same player's, as in `VectorEnv` with opponents.
        Those arrays are then read-only, and cannot be given as `buffers`. Default False.
    memory : bool, optional
        True: keep what players have seen, in games that hide something, even if no field is observed: policies that
        play in the batch and `state` need it. Default False.
    buffers : mapping, optional
        Arrays to use instead of new ones, {name: array}: `actions`, `rewards`, `terminated`, `masks`, `masks_packed`,
        `current_player`, `seeds` or a field of `observe`. Objects with DLPack, such as torch tensors on the CPU, are
        used as they are.

    Attributes
    ----------
    game : Game
        The game, or the first of several.
    games : tuple of Game
        All games.
    size : int
        Number of games n.
    pool : Pool or None
        The worker threads; None with one thread.
    actions : ndarray of int32
        int32[n, slots], the codes that `step()` plays.
    rewards : ndarray of float32
        float32[n, players], since the last step.
    terminated : ndarray of bool
        bool[n], whether the game ended in the last step.
    current_player : ndarray of int8
        int8[n], the player to move; -1 if several decide at once, -2 if the game is over.
    masks : ndarray of uint8 or None
        uint8[n, slots, num_actions], 1 for each legal code.
    masks_packed : ndarray of uint32 or None
        uint32[n, slots, ceil(num_actions / 32)]; bit c % 32 of word c // 32 belongs to code c.
    observations : dict
        {field: array[n, *shape]}, the view of the player to move (of player 0 if the game is over); if all players
        decide at once, {field: array[n, players, *shape]}.
    plane_specs : dict
        {field: PlaneSpec} of the observed fields that `dtype` or `crop` change.
    final_observations : dict or None
        {field: array[n, players, *shape]}, every player's view at the end of the last finished game.
    seeds : ndarray of uint64
        uint64[n], the seeds of the games in progress.
    states : ndarray
        Read-only structured array [n] of the states.
    game_index : ndarray of int32
        int32[n], the index of each row's game if there are several.
    skips_ends : bool
        If set to True, `step` leaves the masks and observations of games that stay finished unchanged. Initially False.

    Raises
    ------
    ConfigError
        If an option is bad.
    ValueError
        If a buffer is bad or the games are unequal.
    RuntimeError
        From every method, if another thread is inside the batch.

    Examples
    --------
    >>> import masume
    >>> batch = masume.load("nezumi", stage="garden").batch(4, seed=1)
    >>> batch.sample_actions()
    >>> batch.step()
    >>> batch.terminated
    array([False, False, False, False])
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
        dtype: str = "float32",
        crop: int | tuple[int, int] | str | None = None,
        only_changes: bool = False,
        memory: bool = False,
        buffers: Mapping[str, Any] | None = None,
    ) -> None:
        games = tuple(game) if isinstance(game, list | tuple) else (game,)
        first = self.game = _agreeing(games)
        self.size = n = integer("size", size, 1, 2**31 - 1)
        seed = integer("seed", seed, 0, 2**64 - 1)
        threads = integer("threads", threads, 0, 1024) or system.count_cpus()
        choice("autoreset", autoreset, AUTORESET)
        choice("rewards", rewards, ("returns", "score"))
        choice("on_illegal", on_illegal, ("raise", "fallback"))
        boolean("memory", memory)
        if not isinstance(masks, bool) and masks != "packed":
            raise ConfigError(f'masks: expected True, False or "packed", got {masks!r}')
        form = Form(first, dtype, crop)
        spec = form.spec
        if isinstance(observe, str) or not isinstance(observe, Sequence | None):
            raise ConfigError(f"observe: expected a sequence of names of fields, or None, got {observe!r}")
        names = tuple(observe or ())
        for name in names:
            choice("observe", name, tuple(spec))
        self.plane_specs = {name: planes for name, planes in form.planes.items() if name in names}
        _check_planes(self.plane_specs, games, dtype, crop)

        kept_fields = _kept(only_changes, games, form, names, buffers or {})
        self._options = {
            "threads": threads,
            "autoreset": autoreset,
            "observe": names,
            "masks": masks,
            "rewards": rewards,
            "final_observations": final_observations,
            "on_illegal": on_illegal,
            "dtype": dtype,
            "crop": crop,
            "only_changes": only_changes,
            "memory": memory,
        }

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
        for name in buffers or {}:
            choice("buffers", name, tuple(shapes))
        own_arrays = {name: _array(name, array) for name, array in (buffers or {}).items()}
        reachable = {name: _buffer(name, own_arrays.get(name), *shapes[name]) for name in shapes}
        for one, other in itertools.combinations(own_arrays, 2):
            if np.may_share_memory(own_arrays[one], own_arrays[other]):
                raise ValueError(f"buffers: {one} and {other} overlap")
        finals = {name: _allocate((n, players, *spec[name][0]), spec[name][1]) for name in names if final_observations}
        sizes = dict.fromkeys(("rngs", "plies", "finished", "total_plies", "fallbacks"), 8 * n)
        sizes |= {"states": n * first.state_size, "game_index": 4 * n, "over": n, "illegal": n}
        sizes["total_returns"] = 8 * n * players
        if first.memory_size and (names or memory):
            sizes["memories"] = n * first.memory_size
        if rewards == "score":
            sizes["scores"] = 8 * n * players
        if kept_fields:
            sizes["notes"] = int(np.prod(views)) * form.note_size
        blocks = {name: Block(size) for name, size in sizes.items()}  # the engine trusts their contents
        observations = {name: reachable[name] for name in names}
        self.observations = {
            name: _sealed(array) if name in kept_fields else array for name, array in observations.items()
        }
        self.final_observations = finals if final_observations else None
        self.actions = reachable["actions"]
        self.rewards = reachable["rewards"]
        self.terminated = reachable["terminated"]
        self.current_player = reachable["current_player"]
        self.seeds = reachable["seeds"]
        self.masks = reachable.get("masks")
        self.masks_packed = reachable.get("masks_packed")
        self._blocks = blocks
        self._lenders: dict[str, Lender] = {}
        self.states = blocks["states"].view(first.state_dtype, (n,))
        self.game_index = blocks["game_index"].view(np.int32, (n,))
        self._illegal = blocks["illegal"].view(np.bool_, (n,))
        self._totals = {name: blocks[name].view(np.int64, (n,)) for name in ("finished", "total_plies", "fallbacks")}
        self._total_returns = blocks["total_returns"].view(np.float64, (n, players))
        self._bind(
            games,
            reachable,
            observations,
            finals,
            blocks,
            (*reachable.values(), *finals.values()),
            Pool(threads) if threads > 1 else None,
            AUTORESET.index(autoreset),
            rewards == "score",
            on_illegal == "fallback",
            dtype,
            crop,
        )
        self._reset(seed, None)

    def reset(
        self, seed: int | Sequence[int] | NDArray[np.integer[Any]] | None = None, mask: NDArray[np.bool_] | None = None
    ) -> None:
        """Start new games.

        Parameters
        ----------
        seed : int or sequence of int, optional
            Seed, 0..2**64-1: restart the generator of row i at stream(seed, i). A list, tuple or array of n seeds:
            restart it at stream(seed[i], 0), so that row i plays what the only row of a batch of that seed plays. None:
            continue the generators.
        mask : ndarray of bool, optional
            bool[n], the rows to reset. None: all.

        Raises
        ------
        ConfigError
            If the seed is out of range, or a seed drawn for a game has no start.
        ValueError
            If `mask` has another dtype, shape or order, or an array of the batch was resized.
        """
        if isinstance(seed, list | tuple | np.ndarray):
            seed = read_seeds(seed, self.size)
        elif seed is not None:
            seed = integer("seed", seed, 0, 2**64 - 1)
        self._reset(seed, mask)

    def _shown(self) -> dict[str, NDArray[Any]]:
        """Return the arrays that a step writes for the players: the fields of the observations, and masks."""
        return self.observations if self.masks is None else self.observations | {"masks": self.masks}

    def _renew(self) -> dict[str, NDArray[Any]]:
        """Replace these arrays by others of arbitrary contents, to which nobody else refers; return the old ones."""
        old = self._shown()
        if not self._lenders:
            self._lenders = {name: Lender(array.shape, array.dtype) for name, array in old.items()}
        new = {name: lender.take() for name, lender in self._lenders.items()}
        self._swap(new)
        self.masks = new.pop("masks", None)
        self.observations = new
        return old

    def state(self, row: int, *, without_memory: bool = False) -> State:
        """Return the game of a row as a State, with what its players have seen.

        Parameters
        ----------
        row : int
            The row, 0..size-1.
        without_memory : bool, optional
            True: the position alone, before which the players have seen nothing. Default False.

        Returns
        -------
        State
            The position, with an empty history. Later steps of the batch do not change it.

        Raises
        ------
        ConfigError
            If there is no such row.
        StateError
            If the game hides something and the batch, without `observe` and `memory`, does not keep what players have
            seen.
        """
        row = integer("row", row, 0, self.size - 1)
        game: Game = self.games[self.game_index[row]]
        if game.memory_size and "memories" not in self._blocks and not without_memory:
            raise StateError(
                "row: the batch does not keep what players have seen; make it with memory=True, "
                "or take the position alone by without_memory=True"
            )
        data = self._read(row)
        return game.state_from_bytes(data[: game.state_size] if without_memory else data, without_memory=without_memory)

    def load(self, rows: Sequence[int] | NDArray[np.integer[Any]], states: Sequence[State]) -> None:
        """Put States into rows, with what their players have seen: all of them or, if one is refused, none.

        Masks, observations and `current_player` are those of the positions, rewards are 0, and `terminated` says which
        games are over. What a game draws while it is played (Battleship's torpedoes) follows from its State; actions
        and the seed of the row's next game are drawn from the row's generator, as if nothing had been loaded. `seeds`
        keeps the seed that the row drew last, and `stats` counts plies from here on.

        Parameters
        ----------
        rows : sequence or ndarray of int
            int[k], the rows to fill, 0..size-1, each once.
        states : sequence of State
            A State for each row, of the batch's game or one of its games. They are copied.

        Raises
        ------
        ConfigError
            If there is no such row.
        ValueError
            If a row is named twice, a State is missing or belongs to another game, or an array of the batch was
            resized.
        StateError
            If a State of an equal game is no position of the batch's.
        RuntimeError
            If another thread is inside the batch.

        Examples
        --------
        >>> import masume
        >>> game = masume.load("chaser")
        >>> batch = game.batch(4, seed=1)
        >>> start = batch.state(0)
        >>> batch.sample_actions()
        >>> batch.step()
        >>> batch.load([0, 3], [start, start])
        >>> batch.state(3) == start
        True
        """
        if not isinstance(rows, Sequence) and np.ndim(rows) != 1:
            raise ValueError(f"rows: expected a sequence of ints, got {rows!r}")
        if not isinstance(states, Sequence):
            raise ValueError(f"states: expected a sequence of States, got {states!r}")
        places = np.array([integer("rows", row, 0, self.size - 1) for row in rows], np.int64)
        if len(places) != len(states):
            raise ValueError(f"states: expected {len(places)}, one for each row, got {len(states)}")
        self._load(places, tuple(states))

    def stats(self) -> dict[str, Any]:
        """Return statistics of the games played since the batch was created.

        Returns
        -------
        dict
            games: int, number of finished games. mean_length: float, in plies. mean_returns: float64[players]. Both
            means are NaN before the first end. fallbacks: int, number of illegal codes that were replaced.
        """
        games, plies, fallbacks = (int(total.sum()) for total in self._totals.values())
        with np.errstate(invalid="ignore"):
            return {
                "games": games,
                "mean_length": plies / games if games else float("nan"),
                "mean_returns": self._total_returns.sum(axis=0) / np.float64(games),
                "fallbacks": fallbacks,
            }

    def __reduce__(self) -> tuple[Any, ...]:
        return _make, (type(self), self.games, self.size, self._options), self._save()

    def __setstate__(self, saved: dict[str, Any]) -> None:
        self._restore(saved)

    def __len__(self) -> int:
        return self.size

    def __repr__(self) -> str:
        return f"Batch({self.game!r}, {self.size})"

    def _repr_html_(self) -> str:
        from .render import notebook

        names = ("actions", "rewards", "terminated", "current_player", "seeds", "masks", "masks_packed")
        arrays = {name: getattr(self, name) for name in names} | self.observations
        stats = self.stats()
        facts = {"rows": self.size, "games finished": stats["games"], "mean length": stats["mean_length"]}
        shown = {name: array for name, array in arrays.items() if array is not None}
        return notebook.draw_card(repr(self.game), facts, notebook.draw_arrays(shown))


def read_seeds(given: Sequence[int] | NDArray[np.integer[Any]], count: int) -> NDArray[np.uint64]:
    """Return a seed for each of the rows; raise ConfigError for another number of them or a bad one."""
    if (isinstance(given, np.ndarray) and given.ndim != 1) or len(given) != count:
        raise ConfigError(f"seed: expected one seed, or {count}, one for each game, got {given!r:.200}")
    seeds = (integer(f"seed[{i}]", one, 0, 2**64 - 1) for i, one in enumerate(given))
    return np.fromiter(seeds, np.uint64, count)


def _make(kind: type[Batch], games: tuple[Game, ...], size: int, options: dict[str, Any]) -> Batch:
    return kind(games, size, **options)


def _agreeing(games: tuple[Game, ...]) -> Game:
    """Return the first game, if all have the same sizes and specs; else raise ValueError."""
    if not games:
        raise ValueError("game: expected at least one")
    first = games[0]
    for game in games:
        if not isinstance(game, Table):
            raise ValueError(f"game: expected a Game, or a sequence of them, got {game!r}")
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


def _check_planes(specs: dict[str, PlaneSpec], games: tuple[Game, ...], dtype: str, crop: Any) -> None:
    """Raise ConfigError if no field has the crop, or the planes of the games mean different values."""
    if crop is not None and not specs:
        raise ConfigError(f"crop: expected an observed field that can be cropped, got {crop!r}")
    for game in games[1:] if dtype != "float32" else ():
        for name, spec in Form(game, dtype, crop).planes.items():
            if name in specs and not np.array_equal(spec.levels, specs[name].levels):
                raise ConfigError(f"dtype: the bytes of {name!r} mean other values in {game!r}; expected 'float32'")


def _kept(
    only_changes: bool, games: tuple[Game, ...], form: Form, names: tuple[str, ...], buffers: Mapping[str, Any]
) -> set[str]:
    """Return the observed fields of which only changes are written; raise ConfigError if the option is bad."""
    if not boolean("only_changes", only_changes):
        return set()
    found = set(names) & form.changing
    if not found:
        able = f"only {sorted(form.changing)} of its fields" if form.changing else "no field of its observations"
        raise ConfigError(f"only_changes: expected False, as {games[0].name} can write so {able}, got True")
    for name in sorted(found & set(buffers)):
        raise ConfigError(f"only_changes: expected False with buffers[{name!r}], which others can write, got True")
    return found


def _sealed(array: NDArray[Any]) -> NDArray[Any]:
    """Return a read-only view of the array."""
    view = array.view()
    view.flags.writeable = False
    return view


def _array(name: str, given: Any) -> NDArray[Any]:
    """Return the caller's array: itself, or one over the memory of an object with DLPack."""
    if isinstance(given, np.ndarray):
        return given
    if not hasattr(given, "__dlpack__"):
        raise ValueError(f"buffers[{name!r}]: expected an ndarray or an object with DLPack, got {type(given).__name__}")
    try:
        return np.from_dlpack(given)
    except (BufferError, RuntimeError, TypeError, ValueError) as error:
        raise ValueError(f"buffers[{name!r}]: expected memory that NumPy can use, got {error}") from error


def _buffer(name: str, given: NDArray[Any] | None, shape: tuple[int, ...], dtype: Any) -> NDArray[Any]:
    """Return the caller's array after checking it, or a new array."""
    if given is None:
        return _allocate(shape, dtype)
    if given.dtype != dtype or given.shape != shape:
        raise ValueError(
            f"buffers[{name!r}]: expected {np.dtype(dtype)}{list(shape)}, got {given.dtype}{list(given.shape)}"
        )
    if not given.flags.carray:
        raise ValueError(f"buffers[{name!r}]: expected an aligned, C-contiguous, writable array")
    return given
