"""The kernel of the beginning of a turn, with vectors and without."""

import ctypes

import numpy as np
import pytest

from kernels import BYTE, INT, POINTER, both, compile_levels


@pytest.fixture(scope="module")
def levels(tmp_path_factory):
    """Return level v2 with vectors and without."""
    fields = {"offers": (INT, INT, POINTER, POINTER, BYTE, BYTE, POINTER, POINTER, POINTER)}
    return compile_levels(tmp_path_factory.mktemp("kernels"), fields, "terraforming")


@pytest.mark.parametrize("count", [1, 7, 19, 37, 64, 127, 331])
def test_offers_without_vectors_are_the_same(levels, count):
    rng = np.random.default_rng(count)
    room, size, sums = count + 32, (count + 63) // 64 * 8, set()
    for largest in (1, 6, 2**31 - 1):
        amounts = rng.integers(0, largest, room, np.int32, endpoint=True)
        cells, ways = rng.integers(0, 4, room, np.uint8), np.zeros(room, np.uint8)
        ways[:count] = rng.integers(0, 64, count)
        num_ways = np.bitwise_count(ways)
        given = (count, amounts.ctypes.data, cells.ctypes.data, 2, 2)

        def find(level, out, given=given, ways=ways):
            cleared = np.full(count, 7, np.int32)
            ctypes.memmove(out + size, ways.ctypes.data, room)
            sums.add(level.offers(*given, out + size, cleared.ctypes.data, out))
            assert not cleared.any()

        found = both(levels, size + room, np.uint8, find)
        assert len(sums) == 1
        is_ready = (cells & 2 == 2) & (amounts > 0) & (ways > 0)
        more = sum((amounts > limit).astype(np.int64) for limit in (1, 2, 4))
        moves = (ways & 63 | np.where(is_ready, more << 6, 0))[:count]
        assert np.array_equal(found[size : size + count], moves)
        assert np.array_equal(np.unpackbits(found[:size], bitorder="little")[:count], is_ready[:count])
        assert sums.pop() == ((1 + more) * num_ways * is_ready)[:count].sum()
