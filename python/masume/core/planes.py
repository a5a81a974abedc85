"""What compact planes mean: PlaneSpec. The loops are in cython/masume/core/_planes.pyx."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
from numpy.typing import NDArray

DTYPES = ("float32", "uint8", "bits", "float16", "bfloat16")
MASKS = "masks"
"""Name among the fields that an evaluator observes: uint8[n, num_slots, num_actions], 1 for the legal codes."""


@dataclasses.dataclass(frozen=True, eq=False)
class PlaneSpec:
    """What an array of planes means.

    Attributes
    ----------
    shape : tuple of int
        (planes, rows, columns), or (planes, cells): the shape of the planes, one value for each cell.
    dtype : str
        "float32", "uint8", "bits", "float16" or "bfloat16".
    levels : ndarray of float32
        float32[planes, 256], the float of each byte: `levels[p, byte]`.
    scale, offset : ndarray of float32
        float32[planes]: the float is `byte * scale + offset`, computed in float32. NaN for planes that need `levels`.
    is_bits : ndarray of bool
        bool[planes], whether only 0 and 1 occur in a plane.
    """

    shape: tuple[int, ...]
    dtype: str
    levels: NDArray[np.float32]
    scale: NDArray[np.float32]
    offset: NDArray[np.float32]
    is_bits: NDArray[np.bool_]

    @property
    def array_shape(self) -> tuple[int, ...]:
        """Shape of the array of a view: `shape`, or of bits (bytes,).

        Of a plane with `is_bits` the bits are ceil(cells / 8) bytes, the first cell in the lowest bit; other planes are
        one byte for each cell. All planes follow one another.
        """
        if self.dtype != "bits":
            return self.shape
        cells = int(np.prod(self.shape[1:]))
        return (int(np.where(self.is_bits, (cells + 7) // 8, cells).sum()),)

    @property
    def array_dtype(self) -> np.dtype[Any]:
        """dtype of the array; of bfloat16, which NumPy lacks, it is uint16 with the same bits."""
        return np.dtype({"bits": "uint8", "bfloat16": "uint16"}.get(self.dtype, self.dtype))


def halves_of(levels: NDArray[np.float32], dtype: str) -> NDArray[np.uint16]:
    """Return the bits of the levels as float16 or bfloat16, rounded to the nearest, ties to even."""
    if dtype == "float16":
        return levels.astype(np.float16).view(np.uint16)
    bits = levels.view(np.uint32)
    return ((bits + (0x7FFF + (bits >> 16 & 1))) >> 16).astype(np.uint16)
