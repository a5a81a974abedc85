"""PyTorch: `expand` makes floats of compact planes on any device; `buffers` makes tensors that a batch writes into."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..core._planes import Form
from ..core.config import choice, integer
from ..core.extras import extra
from ..core.planes import PlaneSpec
from ..game import Game

if TYPE_CHECKING:
    import torch
else:
    torch = extra("torch", "sb3")


def expand(planes: torch.Tensor, spec: PlaneSpec, dtype: Any = None, device: Any = None) -> torch.Tensor:
    """Return compact planes as floats, by plain torch operations on the device of the result.

    Parameters
    ----------
    planes : Tensor of uint8
        uint8[..., *spec.array_shape], as an observation with ``dtype="uint8"`` or ``"bits"`` has them, on any device.
    spec : PlaneSpec
        What they mean, from `Batch.plane_specs` or `Game.plane_spec`.
    dtype : torch.dtype, optional
        A floating dtype. Default torch.float32.
    device : torch.device or str, optional
        Where the result is; the compact planes are copied there. Default: their device.

    Returns
    -------
    Tensor
        [..., *spec.shape]; as float32, the very values that a float32 observation has. Other dtypes are rounded from
        these.

    Raises
    ------
    ValueError
        If `planes` has another dtype or shape, `dtype` is no floating one, or `spec` is that of planes that are not
        compact.
    """
    dtype = torch.float32 if dtype is None else dtype
    if not (isinstance(dtype, torch.dtype) and dtype.is_floating_point):
        raise ValueError(f"dtype: expected a floating torch.dtype, got {dtype!r}")
    if spec.dtype not in ("uint8", "bits"):
        raise ValueError(f"spec: expected one of uint8 or bits, got {spec.dtype}")
    last = spec.array_shape
    if not isinstance(planes, torch.Tensor):
        raise ValueError(f"planes: expected a Tensor, got {type(planes).__name__}")
    if planes.dtype != torch.uint8 or tuple(planes.shape[planes.ndim - len(last) :]) != last:
        raise ValueError(
            f"planes: expected torch.uint8[..., {', '.join(map(str, last))}], got {planes.dtype}{list(planes.shape)}"
        )
    device = planes.device if device is None else torch.device(device)
    planes = planes.to(device, non_blocking=True)
    if spec.dtype == "bits":
        planes = _unpack(planes, spec)
    ones = [1] * (len(spec.shape) - 1)

    def each(values: Any) -> torch.Tensor:
        """Return a number a plane as a tensor that fits the planes."""
        return torch.tensor(values, device=device).view(-1, *ones)

    floats = planes.float().mul_(each(spec.scale)).add_(each(spec.offset))
    axis = floats.ndim - len(spec.shape)
    for plane in (spec.scale != spec.scale).nonzero()[0].tolist():  # NaN: a plane with levels
        levels = torch.tensor(spec.levels[plane], device=device)
        floats.select(axis, plane).copy_(levels[planes.select(axis, plane).long()])
    return floats.to(dtype)


def _unpack(packed: torch.Tensor, spec: PlaneSpec) -> torch.Tensor:
    """Return planes of bits as bytes."""
    cells = 1
    for length in spec.shape[1:]:
        cells *= length
    shifts = torch.arange(8, dtype=torch.uint8, device=packed.device)
    found, at = [], 0
    for is_bits in spec.is_bits.tolist():
        size = (cells + 7) // 8 if is_bits else cells
        plane = packed[..., at : at + size]
        if is_bits:
            plane = ((plane.unsqueeze(-1) >> shifts) & 1).flatten(-2)[..., :cells]
        found.append(plane)
        at += size
    return torch.stack(found, dim=-2).unflatten(-1, spec.shape[1:])


def buffers(
    game: Game,
    size: int,
    *,
    observe: Sequence[str] = ("planes", "scalars"),
    dtype: str = "float32",
    crop: int | tuple[int, int] | str | None = None,
) -> dict[str, torch.Tensor]:
    """Return tensors on the CPU for the observations of a batch: the `buffers=` of `Batch`.

    They are pinned where CUDA is, so that ``tensor.to("cuda", non_blocking=True)`` copies while the batch goes on.

    Parameters
    ----------
    game : Game
        The game.
    size : int
        Number of games, 1..2**31 - 1.
    observe, dtype, crop
        As in `Batch`.

    Returns
    -------
    dict of Tensor
        {field: tensor}, zeros in the shapes and dtypes of `Batch.observations`. Those of bfloat16 are uint16:
        `tensor.view(torch.bfloat16)` shows the values.

    Raises
    ------
    ConfigError
        If an option is bad.

    Examples
    --------
    >>> import masume
    >>> from masume.envs.torch import buffers, expand                # doctest: +SKIP
    >>> game = masume.load("nezumi", stage="garden")
    >>> own = buffers(game, 64, dtype="uint8")                       # doctest: +SKIP
    >>> batch = game.batch(64, dtype="uint8", buffers=own)           # doctest: +SKIP
    >>> expand(own["planes"], batch.plane_specs["planes"]).shape     # doctest: +SKIP
    torch.Size([64, 7, 7, 7])
    """
    size = integer("size", size, 1, 2**31 - 1)
    spec = Form(game, dtype, crop).spec
    views = (size, game.num_players) if game.is_simultaneous else (size,)
    tensors = {}
    for name in observe:
        shape, kind = spec[choice("observe", name, tuple(spec))]
        of_torch = getattr(torch, kind.name)
        tensors[name] = torch.zeros((*views, *shape), dtype=of_torch, pin_memory=torch.cuda.is_available())
    return tensors
