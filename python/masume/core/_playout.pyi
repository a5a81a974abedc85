from collections.abc import Collection, Sequence
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from ..game import Game
from ._game import Table

def check_start(game: Game, seed: int) -> NoReturn: ...
def record(game: Table, seeds: NDArray[np.uint64], policies: NDArray[np.int32]) -> dict[str, NDArray[Any]]: ...
def replay(
    game: Table,
    seeds: NDArray[np.uint64],
    lengths: NDArray[np.int64],
    actions: NDArray[np.int64],
    masks: bool = False,
    fields: Collection[str] = (),
    numbers: Sequence[int] | NDArray[np.int64] | None = None,
) -> dict[str, NDArray[Any]]: ...
