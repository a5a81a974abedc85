from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ..core import _state
from ..core._batch import Loop
from .config import Config

KINDS: Final[tuple[str, ...]]
DIRECTIONS: Final[tuple[tuple[int, int], ...]]
BOARD_MAKERS: Final[tuple[str, ...]]
VERSION: Final[int]

def mark_territory(batch: Loop) -> None: ...
def table(config: Config, level: str | None = None) -> Any: ...

class State(_state.State):
    @property
    def played(self) -> int: ...
    @property
    def turn(self) -> int: ...
    @property
    def walls(self) -> NDArray[np.int8]: ...
    @property
    def territory(self) -> NDArray[np.int8]: ...
    @property
    def agents(self) -> NDArray[np.int16]: ...
    @property
    def points(self) -> NDArray[np.int16]: ...
    @property
    def wall_points(self) -> NDArray[np.int64]: ...
    @property
    def territory_points(self) -> NDArray[np.int64]: ...
    @property
    def results(self) -> NDArray[np.int8]: ...
    def apply(self, actions: Sequence[int] | NDArray[np.int32], on_illegal: str = "raise") -> None: ...  # type: ignore[override]
    def apply_lists(
        self, lists: Sequence[Sequence[tuple[int, str, int, int]]], on_illegal: str = "raise"
    ) -> list[list[int]]: ...
