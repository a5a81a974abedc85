"""Compact planes of observations: `PlaneSpec` says what they mean, `expand` makes floats of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .core import _planes
from .core.planes import DTYPES, PlaneSpec

__all__ = ["DTYPES", "PlaneSpec", "expand"]


def expand(
    planes: NDArray[np.uint8], spec: PlaneSpec, dtype: str = "float32", out: NDArray[Any] | None = None
) -> NDArray[Any]:
    """Return planes in another dtype.

    Parameters
    ----------
    planes : ndarray of uint8
        uint8[..., *spec.array_shape], C-contiguous, as an observation with ``dtype="uint8"`` or ``"bits"`` has them.
    spec : PlaneSpec
        What they mean, from `Batch.plane_specs` or `Game.plane_spec`.
    dtype : {"float32", "uint8", "float16", "bfloat16"}, optional
        dtype of the result; bfloat16, which NumPy lacks, as uint16 with the same bits. Default float32.
    out : ndarray, optional
        [..., *spec.shape] of that dtype, C-contiguous, to write into. It must not overlap `planes`.

    Returns
    -------
    ndarray
        The planes, [..., *spec.shape]: the very values that an observation of that dtype has.

    Raises
    ------
    ConfigError
        If `dtype` is none of these.
    ValueError
        If an array, also one of `spec`, has another dtype, shape or order, the arrays overlap, or `spec` is that of
        planes that are not compact.

    Examples
    --------
    >>> import masume
    >>> game = masume.load("nezumi", stage="garden")
    >>> packed = game.new_state(1).observation(0, dtype="bits")["planes"]
    >>> expand(packed, game.plane_spec(dtype="bits")).shape
    (7, 7, 7)
    """
    return _planes.expand(planes, spec, dtype, out)
