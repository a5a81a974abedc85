"""Samples: what a network learns from, a row for each decision of a player."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..errors import ReplayError

ILLEGAL = -1.0


@dataclasses.dataclass(frozen=True)
class Samples:
    """Rows of what a player saw, what the search made of it, and how the game ended.

    Attributes
    ----------
    rows : ndarray of float16
        float16[n, inputs], as `Network.rows`.
    policies : ndarray of float16
        float16[n, heads, num_actions], the improved policy; -1 for codes that were not legal.
    results : ndarray of float16
        float16[n, num_players], the results, the viewer's first.
    """

    rows: NDArray[np.float16]
    policies: NDArray[np.float16]
    results: NDArray[np.float16]

    def __len__(self) -> int:
        return len(self.rows)

    def to_arrays(self) -> dict[str, NDArray[np.float16]]:
        """Return the arrays by name."""
        return {"rows": self.rows, "policies": self.policies, "results": self.results}

    @classmethod
    def join(cls, parts: Sequence[Samples]) -> Samples:
        """Return all rows of several samples, at least one."""
        return cls(*(np.concatenate([getattr(one, name) for one in parts]) for name in ("rows", "policies", "results")))

    @classmethod
    def check(cls, arrays: dict[str, NDArray[np.float16]], shapes: dict[str, tuple[int, ...]]) -> Samples:
        """Return the samples of arrays; ReplayError unless they have these shapes, after a common number of rows."""
        if arrays.keys() != shapes.keys():
            raise ReplayError(f"samples: expected {', '.join(shapes)}, got {', '.join(arrays)}")
        for name, array in arrays.items():
            wanted = (len(arrays["rows"]), *shapes[name])
            if array.dtype != np.float16 or array.shape != wanted or not np.isfinite(array).all():
                found = f"{array.dtype}{list(array.shape)}"
                raise ReplayError(f"{name}: expected finite float16{list(wanted)}, got {found}")
        return cls(**arrays)
