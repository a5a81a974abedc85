from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ..core._game import Table
from ..core._state import State
from ..core.planes import MASKS as MASKS

class Forest:
    def __new__(
        cls,
        game: Table,
        roots: int,
        threads: int,
        limit: int,
        *,
        exploration: float,
        wide: float,
        widening: float,
        scale: float,
        lead_share: float,
        per_sample: int,
        policy: int,
        prior: int,
        horizon: int,
        regret: bool,
        noise: float,
        leaves: int,
        observe: tuple[str, ...],
        dtype: str = "float32",
        crop: int | tuple[int, int] | str | None = None,
        considered: int = 0,
        trust: float = 0,
        playout_share: float = 0,
    ) -> Self: ...
    @property
    def game(self) -> Table: ...
    @property
    def was_interrupted(self) -> bool: ...
    def set_root(self, place: int, state: State, player: int, seed: int) -> int: ...
    def run(self, simulations: int, seconds: float, evaluator: Callable[..., Any] | None = None) -> float: ...
    def grant(self, place: int, simulations: int) -> None: ...
    def collect(self) -> tuple[dict[str, NDArray[Any]], NDArray[np.int8], NDArray[np.int32]] | None: ...
    def answer(self, priors: NDArray[np.float32], values: NDArray[np.float32]) -> None: ...
    def observe_roots(self) -> tuple[dict[str, NDArray[Any]], NDArray[np.int8]]: ...
    def improve(
        self, logits: NDArray[np.float32], values: NDArray[np.float32]
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]: ...
    def slots(self, place: int) -> list[dict[str, Any]]: ...
    def sizes(self, place: int) -> tuple[int, int, int, bool]: ...
    def line(self, place: int, first: list[int]) -> list[list[int]]: ...
