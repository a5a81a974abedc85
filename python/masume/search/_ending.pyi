from typing import Self

import numpy as np
from numpy.typing import NDArray

from ..core._game import Table
from ..core._state import State

class Ending:
    def __new__(cls, game: Table) -> Self: ...
    @property
    def game(self) -> Table: ...
    @property
    def was_interrupted(self) -> bool: ...
    @property
    def simulations(self) -> int: ...
    @property
    def value(self) -> float: ...
    def run(
        self, state: State, player: int, simulations: int, seconds: float
    ) -> tuple[NDArray[np.int32], NDArray[np.float64]] | None: ...
