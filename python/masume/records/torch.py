"""PyTorch: `RecordDataset`, the batches of a run's records for a DataLoader."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.config import integer
from ..core.extras import extra
from ..errors import ConfigError
from .arrays import Arrays, Records, load_records

if TYPE_CHECKING:
    import torch
else:
    torch = extra("torch", "sb3")
    extra("torch.utils.data", "sb3")


class RecordDataset(torch.utils.data.IterableDataset):  # type: ignore[misc]
    """Shuffled batches of plies: each rank gets its own shards, and an epoch can be continued.

    Give it to `DataLoader(dataset, batch_size=None)`: it makes the batches itself. Workers of the loader count as
    further ranks.

    Parameters
    ----------
    path : path-like
        Folder of the run.
    size : int
        Plies in a batch, 1..2**31 - 1.
    seed : int, optional
        Seed of all epochs, 0..2**63 - 1. Default 0.
    fields : sequence of str, optional
        Names of the arrays, as in `Records.batches`; all by default.
    rank, num_ranks : int, optional
        The place of this process among the processes that train together: it reads every num_ranks-th shard of each
        epoch. Default 0 and 1.
    game : str, optional
        Only games of this name, with their own fields (`Records.of`). None: all.

    Attributes
    ----------
    epoch : int
        The number of the epoch that the next iteration gives; each order of shards and plies depends on it and `seed`.
        The end of an iteration adds 1. Workers of a DataLoader do so in copies of their own: with workers, set it
        before each epoch.

    Raises
    ------
    ConfigError
        If an argument is out of range, the run has no such game, or there are fewer shards than ranks.
    ReplayError
        As `load_records`.
    ExtraError
        If torch is not installed.

    Notes
    -----
    Batches are dicts of tensors, those of `Records.batches`; all are whole. In an epoch every rank gives equally many,
    so that ranks that wait for each other all end: plies that do not fill a batch of the rank with the fewest are left
    out. `seed` of the records (uint64) is given as int64.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        size: int,
        *,
        seed: int = 0,
        fields: Sequence[str] | None = None,
        rank: int = 0,
        num_ranks: int = 1,
        game: str | None = None,
    ) -> None:
        super().__init__()
        self.size = integer("size", size, 1, 2**31 - 1)
        self.seed = integer("seed", seed, 0, 2**63 - 1)
        self.num_ranks = integer("num_ranks", num_ranks, 1, 2**20)
        self.rank = integer("rank", rank, 0, num_ranks - 1)
        self._path = os.fspath(path)
        self._fields = None if fields is None else tuple(fields)
        self.epoch = 0
        self._skip = 0  # batches of the epoch that were given before `load_state_dict`
        self._given = 0
        self._game = game
        records = self._load()
        records.batches(1, fields=fields)  # names a bad field now
        self._plies = [records._rows(shard)["ply"] for shard in records._shards]
        self._check_ranks(self.num_ranks)

    def _load(self) -> Records:
        records = load_records(self._path)
        return records if self._game is None else records.of(self._game)

    def _check_ranks(self, ranks: int) -> None:
        if ranks > len(self._plies):
            raise ConfigError(
                f"num_ranks: expected at most {len(self._plies)}, the number of shards, for all ranks and workers, got "
                f"{ranks}; play with a smaller chunk"
            )

    def state_dict(self) -> dict[str, int]:
        """Return the place in the epoch, for `load_state_dict`: batches that this object has given.

        With workers of a DataLoader the batches are given elsewhere: count them, and set `batches` yourself.
        """
        return {"epoch": self.epoch, "batches": self._given}

    def load_state_dict(self, state: dict[str, int]) -> None:
        """Continue where `state_dict` was called; raise ConfigError for anything else than its result."""
        if not isinstance(state, dict) or set(state) != {"epoch", "batches"}:
            raise ConfigError(f"state: expected epoch and batches, got {state!r}")
        self.epoch = integer("epoch", state["epoch"], 0, 2**62)
        self._skip = integer("batches", state["batches"], 0, 2**62)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        worker = torch.utils.data.get_worker_info()
        workers, place = (1, 0) if worker is None else (worker.num_workers, worker.id)
        ranks, rank = self.num_ranks * workers, self.rank * workers + place
        self._check_ranks(ranks)
        rng = np.random.default_rng([self.seed, self.epoch])
        order = rng.permutation(len(self._plies))
        count = min(sum(self._plies[shard] for shard in order[one::ranks]) for one in range(ranks)) // self.size
        records = self._load()
        records._shards = [records._shards[shard] for shard in order[rank::ranks]]
        batches = records.batches(self.size, seed=int(rng.integers(2**62)), fields=self._fields)
        skip = -(-(self._skip - place) // workers) if workers > 1 else self._skip
        self._given, self._skip = self._skip, 0
        for batch in itertools.islice(batches, skip, count):
            self._given += 1
            yield _tensors(batch)
        self.epoch, self._given = self.epoch + 1, 0


def _tensors(batch: Arrays) -> dict[str, Any]:
    signed = {np.dtype(np.uint64): np.int64, np.dtype(np.uint32): np.int64, np.dtype(np.uint16): np.int32}
    return {name: torch.from_numpy(array.astype(signed.get(array.dtype, array.dtype))) for name, array in batch.items()}
