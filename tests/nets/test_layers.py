"""First layers of networks: the products of NumPy, on every CPU level the same."""

import numpy as np
import pytest

from masume.core._wide import levels
from masume.nets._layers import find_usual, multiply, multiply_around

WIDTHS = [1, 3, 4, 7, 8, 31, 32, 64, 71, 256, 300]


def draw(rng, shape, density=1.0):
    """Return random numbers of which a share is not 0."""
    found = rng.standard_normal(shape).astype(np.float32)
    return np.where(rng.random(shape) < density, found, np.float32(0))


def on_every_level(monkeypatch, call):
    """Return what a call gives, the same on every level."""
    found = []
    for level in levels():
        monkeypatch.setenv("MASUME_CPU", level)
        found.append(call())
    assert all(one.tobytes() == found[0].tobytes() for one in found)
    assert found[0].dtype == np.float32
    return found[0]


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("density", [0, 0.1, 1])
def test_rows_times_a_matrix(width, density, monkeypatch):
    rng = np.random.default_rng(width)
    for count, inputs in ((0, 5), (1, 1), (17, 129)):
        rows, matrix, bias = draw(rng, (count, inputs), density), draw(rng, (inputs, width)), draw(rng, width)
        usual = rng.integers(2, size=inputs).astype(np.float32)
        rows = np.where(rng.random(rows.shape) < 0.5, usual, rows)
        arguments = rows, usual, matrix, bias
        found = on_every_level(monkeypatch, lambda arguments=arguments: multiply(*arguments))
        np.testing.assert_allclose(found, rows @ matrix + bias, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("width", WIDTHS)
def test_the_planes_around_the_cell_of_each_slot(width, monkeypatch):
    rng = np.random.default_rng(width)
    planes, cells, slots, window, begin = 5, 12, 2, 9, 3
    own = 1
    rows = draw(rng, (20, begin + planes * cells + 4), 0.3)
    at = rng.integers(cells + 1, size=(20, slots))  # `cells`: nowhere
    board = rows[:, begin : begin + planes * cells].reshape(20, planes, cells)
    for k in range(slots):
        board[:, own + k] = np.arange(cells) == at[:, k, None]
    around = rng.integers(cells + 1, size=(cells + 1, window))
    around[cells] = cells
    board[:, 4][rng.random((20, cells)) < 0.8] = 1
    matrix, bias = draw(rng, (window * planes, width)), draw(rng, (slots, width))
    usual = np.where(np.arange(rows.shape[1]) % 3, find_usual(rows), rows[7])
    found = on_every_level(monkeypatch, lambda: multiply_around(rows, usual, begin, own, around, matrix, bias))
    seen = np.concatenate([board, np.zeros((20, planes, 1), np.float32)], axis=2).transpose(0, 2, 1)
    wanted = seen[np.arange(20)[:, None, None], around[at]].reshape(20, slots, -1) @ matrix + bias
    np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-4)


def test_what_is_usual():
    """The same in all rows, else 1 where most are 1, and 0 elsewhere."""
    rows = np.array([[5, 1, 1, 0, 3], [5, 1, 0, 0, 4], [5, 0, 0, 0, 3]], np.float32)
    assert find_usual(rows).tolist() == [5, 1, 0, 0, 0]
    assert find_usual(rows[:1]).tolist() == rows[0].tolist()
    assert find_usual(rows[:0]).tolist() == [0] * 5


def test_numbers_that_are_not_finite_stay():
    rows = np.array([[0, np.nan], [np.inf, 0], [0, -0.0]], np.float32)
    found = multiply(rows, np.zeros(2, np.float32), np.ones((2, 8), np.float32), np.zeros(8, np.float32))
    assert np.isnan(found[0]).all()
    assert np.isposinf(found[1]).all()
    assert not found[2].any()


ROWS, AROUND = np.zeros((2, 30), np.float32), np.full((11, 4), 10)
USUAL, MATRIX, BIAS = np.ones(30, np.float32), np.zeros((12, 8), np.float32), np.zeros((2, 8), np.float32)


@pytest.mark.parametrize(
    "arguments",
    [
        (ROWS, USUAL, -1, 0, AROUND, MATRIX, BIAS),
        (ROWS, USUAL, 1, 0, AROUND, MATRIX, BIAS),  # the last plane ends beyond the row
        (ROWS, USUAL, 0, 2, AROUND, MATRIX, BIAS),  # only one plane is left for two slots
        (ROWS, USUAL, 0, -1, AROUND, MATRIX, BIAS),
        (ROWS, USUAL, 0, 0, AROUND, MATRIX[:11], BIAS),
        (ROWS, USUAL[:2], 0, 0, AROUND, MATRIX, BIAS),
        (ROWS, USUAL, 0, 0, AROUND, MATRIX, BIAS[:, :7].copy()),
        (ROWS, USUAL, 0, 0, AROUND + 1, MATRIX, BIAS),
        (ROWS, USUAL, 0, 0, AROUND - 11, MATRIX, BIAS),
        (ROWS, USUAL, 0, 0, AROUND[:1], MATRIX, BIAS),
        (ROWS, USUAL, 0, 0, AROUND[:, :0].copy(), MATRIX, BIAS),
        (ROWS.astype(np.float64), USUAL, 0, 0, AROUND, MATRIX, BIAS),
        (ROWS[:, ::2], USUAL, 0, 0, AROUND, MATRIX, BIAS),
    ],
)
def test_arrays_that_do_not_fit_are_refused(arguments):
    multiply_around(ROWS, USUAL, 0, 1, AROUND, MATRIX, BIAS)
    with pytest.raises(ValueError, match=r"expected|contiguous"):
        multiply_around(*arguments)


def test_a_matrix_that_does_not_fit_is_refused():
    with pytest.raises(ValueError, match=r"\[30\], \[30, width\] and \[width\], got \[30\], \[12, 8\] and \[8\]"):
        multiply(ROWS, USUAL, MATRIX, BIAS[0])
    with pytest.raises(ValueError, match=r"got \[30\], \[12, 8\] and \[8\]"):
        multiply(ROWS[:, :12].copy(), USUAL, MATRIX, BIAS[0])
    with pytest.raises(ValueError, match="expected"):
        multiply(ROWS[:, :12].copy(), USUAL[:12], MATRIX, BIAS[0, :7].copy())
    with pytest.raises(ValueError, match=r"\[0, width\]"):
        multiply(np.zeros((3, 0), np.float32), USUAL[:0], np.zeros((0, 8), np.float32), BIAS[0])
