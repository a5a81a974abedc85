"""The kernels over the panels of a map, with vectors and without."""

import ctypes

import numpy as np
import pytest

from kernels import INT, POINTER, both, compile_levels


class Grid(ctypes.Structure):
    _fields_ = (("width", INT), ("count", INT), ("west", INT * 96), ("east", INT * 96))


@pytest.fixture(scope="module")
def levels(tmp_path_factory):
    """Return level v2 with vectors and without."""
    fields = {
        "share": (INT, INT, INT, POINTER, POINTER, INT, POINTER),
        "highest": (INT, POINTER, INT, POINTER, POINTER),
    }
    return compile_levels(tmp_path_factory.mktemp("kernels"), fields, "battleship")


@pytest.mark.parametrize(("width", "height"), [(1, 1), (1, 9), (3, 3), (5, 5), (8, 4), (9, 8), (9, 9)])
def test_shares_and_the_highest_around_without_vectors_are_the_same(levels, width, height):
    rng, count = np.random.default_rng(width * height), width * height
    room = (count + 31) // 32 * 32
    is_in = rng.integers(0, 2, (4, 128), np.uint8)
    is_in[1:3, count:], is_in[0], is_in[3, 1:] = 0, 0, 0  # one set is empty, one has at most one cell
    sets, shares = np.packbits(is_in, axis=1, bitorder="little"), rng.integers(1, 1 << 20, 129, np.int32)
    shares[0] = 0
    firsts = []

    def share(level, out):
        level.share(count, 2, sets.ctypes.data, shares.ctypes.data, 1, out)
        firsts.append(level.share(count, 2, sets[2:].ctypes.data, shares.ctypes.data, 0, out))

    found = both(levels, room, np.int32, share)
    sums = (is_in * shares[is_in.sum(axis=1)][:, None]).sum(axis=0)
    assert np.array_equal(found, sums[:room])
    assert firsts == [sums.argmax()] * 2
    column = np.arange(96) % width
    grid = Grid(width, count, (INT * 96)(*-(column > 0).astype(int)), (INT * 96)(*-(column < width - 1).astype(int)))
    table = np.zeros((height + 2, width + 2), np.int32)
    table[1:-1, 1:-1] = found[:count].reshape(height, width)
    for own in (0, 1):
        firsts.clear()

        def highest(level, out, own=own):
            whole = np.zeros(room, np.int32)
            firsts.append(level.highest(ctypes.addressof(grid), own, found.ctypes.data, whole.ctypes.data))
            ctypes.memmove(out, whole.ctypes.data, whole[:count].nbytes)

        near = [(x, y) for x in (0, 1, 2) for y in (0, 1, 2) if own or (x, y) != (1, 1)]
        around = np.max([table[y : y + height, x : x + width] for x, y in near], axis=0)
        assert np.array_equal(both(levels, count, np.int32, highest), around.ravel())
        assert firsts == [around.argmax()] * 2
