from collections.abc import Callable, Iterable, Mapping
from typing import Any, Self, final

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ._game import Table
from ._state import State

@final
class Pool:
    def __new__(cls, threads: int = 1) -> Self: ...
    @property
    def threads(self) -> int: ...

@final
class Block:
    def __new__(cls, size: int) -> Self: ...
    @property
    def nbytes(self) -> int: ...
    def view(self, dtype: DTypeLike, shape: tuple[int, ...]) -> NDArray[Any]: ...

class Loop:
    def __new__(cls, *_: Any, **__: Any) -> Self: ...
    @property
    def games(self) -> tuple[Table, ...]: ...
    @property
    def pool(self) -> Pool | None: ...
    skips_ends: bool
    def step(
        self,
        actions: NDArray[np.int32] | None = None,
        mask: NDArray[np.bool_] | None = None,
        exact: NDArray[np.int64] | None = None,
    ) -> None: ...
    def sample_actions(self, mask: NDArray[np.bool_] | None = None) -> None: ...
    def choose_actions(
        self,
        policies: NDArray[np.int8],
        generators: NDArray[np.uint64],
        mask: NDArray[np.bool_] | None = None,
    ) -> None: ...
    def _show_only(self, seats: NDArray[np.int8]) -> None: ...
    def look(
        self,
        players: NDArray[np.int8],
        mask: NDArray[np.bool_] | None = None,
        out: Mapping[str, NDArray[Any]] | None = None,
    ) -> None: ...
    def playout(self) -> int: ...
    def _bind(
        self,
        games: tuple[Table, ...],
        arrays: dict[str, NDArray[Any]],
        observations: dict[str, NDArray[Any]],
        finals: dict[str, NDArray[Any]],
        blocks: dict[str, Block],
        watched: tuple[NDArray[Any], ...],
        pool: Pool | None,
        autoreset: int,
        score_rewards: bool,
        fallback: bool,
        dtype: str,
        crop: int | tuple[int, int] | str | None,
    ) -> None: ...
    def _read(self, row: int) -> bytes: ...
    def _load(self, rows: NDArray[np.int64], states: tuple[State, ...]) -> None: ...
    def _swap(self, arrays: dict[str, NDArray[Any]]) -> None: ...
    def _save(self) -> dict[str, Any]: ...
    def _restore(self, saved: dict[str, Any]) -> None: ...
    def _raise_illegal(self) -> None: ...
    def _reset(self, seed: int | NDArray[np.uint64] | None, mask: NDArray[np.bool_] | None) -> None: ...

@final
class Single:
    def __new__(
        cls,
        loop: Loop,
        learner: int,
        slots: Iterable[int],
        policies: NDArray[np.int8] | None,
        generators: NDArray[np.uint64] | None,
        neutral: NDArray[np.uint8],
        fields: dict[str, NDArray[Any]],
        read: Callable[[Any, tuple[int, ...]], Any],
    ) -> Self: ...
    @property
    def is_over(self) -> bool: ...
    def step(self, action: Any) -> tuple[dict[str, NDArray[Any]], float, bool, bool, dict[str, Any]]: ...
    def start(self, tries: int) -> tuple[dict[str, NDArray[Any]], dict[str, Any]] | None: ...
