"""The kernel over ages, with vectors and without."""

import ctypes

import numpy as np
import pytest

from kernels import BYTE, INT, POINTER, both, compile_levels


@pytest.fixture(scope="module")
def levels(tmp_path_factory):
    """Return level v2 with vectors and without."""
    fields = {"age": (None, INT, BYTE, POINTER)}
    return compile_levels(tmp_path_factory.mktemp("kernels"), fields, "chaser")


@pytest.mark.parametrize("count", [1, 31, 32, 33, 64, 100, 900])
def test_ages_without_vectors_are_the_same(levels, count):
    given = np.random.default_rng(count).integers(0, 4, count, np.uint8)

    def age(level, out):
        ctypes.memmove(out, given.ctypes.data, count)
        level.age(count, 253, out)

    assert np.array_equal(both(levels, count, np.uint8, age), np.where(given, np.minimum(given + 253.0, 255), 0))
