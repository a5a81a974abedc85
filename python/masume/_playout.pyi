from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._game import Table

def record(game: Table, seeds: NDArray[np.uint64], policies: NDArray[np.int32]) -> dict[str, NDArray[Any]]: ...
