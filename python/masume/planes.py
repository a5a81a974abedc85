"""Compact planes of observations: `PlaneSpec` says what they mean, `expand` makes floats of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .core import _planes
from .core.config import choice
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
        If an array has another dtype, shape or order, or `spec` is that of planes that are not compact.

    Examples
    --------
    >>> import masume
    >>> game = masume.load("nezumi", stage="garden")
    >>> packed = game.new_state(1).observation(0, dtype="bits")["planes"]
    >>> expand(packed, game.plane_spec(dtype="bits")).shape
    (7, 7, 7)
    """
    choice("dtype", dtype, tuple(name for name in DTYPES if name != "bits"))
    if spec.dtype not in ("uint8", "bits"):
        raise ValueError(f"spec: expected one of uint8 or bits, got {spec.dtype}")
    last = spec.array_shape
    if not isinstance(planes, np.ndarray):
        raise ValueError(f"planes: expected an ndarray, got {type(planes).__name__}")
    if planes.dtype != np.uint8 or planes.shape[planes.ndim - len(last) :] != last or not planes.flags.c_contiguous:
        raise ValueError(
            f"planes: expected C-contiguous uint8[..., {', '.join(map(str, last))}], got "
            f"{planes.dtype}{list(planes.shape)}{'' if planes.flags.c_contiguous else ', not C-contiguous'}"
        )
    shape = (*planes.shape[: planes.ndim - len(last)], *spec.shape)
    kind = np.dtype("uint16" if dtype == "bfloat16" else dtype)
    if out is None:
        out = np.empty(shape, kind)
    elif not isinstance(out, np.ndarray) or out.dtype != kind or out.shape != shape or not out.flags.carray:
        found = f"{out.dtype}{list(out.shape)}" if isinstance(out, np.ndarray) else type(out).__name__
        raise ValueError(f"out: expected C-contiguous, writable {kind}{list(shape)}, got {found}")
    elif np.may_share_memory(planes, out):
        raise ValueError("out: it overlaps planes")
    _planes.expand(planes, spec, dtype, out)
    return out
