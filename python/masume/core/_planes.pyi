from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._game import Table
from .planes import PlaneSpec

DTYPES: tuple[str, ...]

class Form:
    def __init__(self, game: Table, dtype: Any, crop: Any) -> None: ...
    @property
    def dtype(self) -> str: ...
    @property
    def crop(self) -> tuple[int, int] | str | None: ...
    @property
    def spec(self) -> Mapping[str, tuple[tuple[int, ...], np.dtype[Any]]]: ...
    @property
    def changing(self) -> frozenset[str]: ...
    @property
    def note_size(self) -> int: ...
    @property
    def planes(self) -> dict[str, PlaneSpec]: ...

def expand(
    planes: NDArray[np.uint8], spec: PlaneSpec, dtype: str = "float32", out: NDArray[Any] | None = None
) -> NDArray[Any]: ...
