# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, freethreading_compatible=True
"""First layers of networks: products of rows, at the cost of the numbers alone that are not what they usually are."""
cimport numpy as cnp
import numpy as np
from libc.stdint cimport int32_t, int64_t, uint8_t, uintptr_t
from libc.string cimport memcpy
from masume.core._wide cimport kernels_of

cdef extern from "masume/nets/kernels.h" nogil:
    ctypedef struct nets_level:
        void (*add_rows)(int32_t, const int32_t *, const float *, int32_t, const float *, float *) noexcept nogil

    const nets_level *nets_pick(const char *)

cnp.import_array()


def find_usual(const float[:, ::1] rows not None):
    """Return what each number of rows usually is: the same in all, or else 1 if it is 1 in more than half, or 0.

    Parameters
    ----------
    rows : ndarray
        float32[n, inputs].

    Returns
    -------
    ndarray
        float32[inputs].

    Raises
    ------
    ValueError
        If the array has another dtype, shape, order or alignment in memory.
    """
    check_aligned("rows", &rows[0, 0])
    cdef int64_t count = rows.shape[0], inputs = rows.shape[1], i, k
    cdef int32_t[::1] same = np.zeros(inputs + 1, np.int32), ones = np.zeros(inputs + 1, np.int32)
    cdef float[::1] usual = np.zeros(inputs, np.float32)
    for i in range(count):
        for k in range(inputs):
            same[k] += rows[i, k] == rows[0, k]
            ones[k] += rows[i, k] == 1
    for k in range(inputs):
        if count:
            usual[k] = rows[0, k] if same[k] == count else 2 * ones[k] > count
    return np.asarray(usual)


def multiply(const float[:, ::1] rows not None, const float[::1] usual not None, const float[:, ::1] matrix not None,
             const float[::1] bias not None):
    """Return rows @ matrix + bias.

    Parameters
    ----------
    rows : ndarray
        float32[n, inputs].
    usual : ndarray
        float32[inputs], what the numbers usually are; any numbers give the same but for rounding.
    matrix : ndarray
        float32[inputs, width].
    bias : ndarray
        float32[width].

    Returns
    -------
    ndarray
        float32[n, width], the same on every CPU level.

    Raises
    ------
    ValueError
        If an array has another dtype, shape, order or alignment in memory.
    """
    check_aligned("rows", &rows[0, 0])
    check_aligned("usual", &usual[0])
    check_aligned("matrix", &matrix[0, 0])
    check_aligned("bias", &bias[0])
    cdef int64_t count = rows.shape[0], inputs = rows.shape[1], width = matrix.shape[1], i
    if inputs < 1 or width < 1 or usual.shape[0] != inputs or matrix.shape[0] != inputs or bias.shape[0] != width:
        raise ValueError(f"usual, matrix, bias: expected [{inputs}], [{inputs}, width] and [width], got "
                         f"[{usual.shape[0]}], [{matrix.shape[0]}, {width}] and [{bias.shape[0]}]")
    cdef const nets_level *level = nets_pick(kernels_of(None).name)
    cdef float[:, ::1] sums = np.empty((count, width), np.float32)
    cdef int32_t[::1] places = np.empty(inputs + 1, np.int32)
    cdef float[::1] factors = np.empty(inputs + 1, np.float32)
    cdef float[::1] base = np.array(bias)
    cdef const float[::1] zeros = np.zeros(inputs, np.float32)
    cdef int32_t found = find_others(&usual[0], &zeros[0], inputs, &places[0], &factors[0])
    level.add_rows(found, &places[0], &factors[0], <int32_t>width, &matrix[0, 0], &base[0])
    for i in range(count):
        found = find_others(&rows[i, 0], &usual[0], inputs, &places[0], &factors[0])
        memcpy(&sums[i, 0], &base[0], width * sizeof(float))
        level.add_rows(found, &places[0], &factors[0], <int32_t>width, &matrix[0, 0], &sums[i, 0])
    return np.asarray(sums)


def multiply_around(const float[:, ::1] rows not None, const float[::1] usual not None, int64_t begin, int64_t own,
                    const int64_t[:, ::1] around not None, const float[:, ::1] matrix not None,
                    const float[:, ::1] bias not None):
    """Return the product of the planes around the cell of each slot with a matrix, plus the slot's bias.

    Parameters
    ----------
    rows : ndarray
        float32[n, inputs], in which planes follow each other.
    usual : ndarray
        float32[inputs], as in `multiply`.
    begin : int
        Where the first plane begins.
    own : int
        The first of the planes that show the cell of a slot each, by the greatest number; none if all are 0.
    around : ndarray
        int64[cells + 1, window], the cells around each cell, and around none; `cells` for one that is not on the board.
    matrix : ndarray
        float32[window * planes, width]: the planes of the window's first cell come first.
    bias : ndarray
        float32[slots, width].

    Returns
    -------
    ndarray
        float32[n, slots, width], the same on every CPU level.

    Raises
    ------
    ValueError
        If an array has another dtype, shape, order or alignment in memory, or a number is out of range.
    """
    check_aligned("rows", &rows[0, 0])
    check_aligned("usual", &usual[0])
    check_aligned("around", &around[0, 0], sizeof(int64_t))
    check_aligned("matrix", &matrix[0, 0])
    check_aligned("bias", &bias[0, 0])
    cdef int64_t count = rows.shape[0], cells = around.shape[0] - 1, window = around.shape[1], width = matrix.shape[1]
    cdef int64_t slots = bias.shape[0], planes = matrix.shape[0] // max(window, 1), i, k
    if (cells < 1 or window < 1 or width < 1 or matrix.shape[0] != window * planes or bias.shape[1] != width
            or usual.shape[0] != rows.shape[1]
            or not 0 <= begin <= rows.shape[1] or (rows.shape[1] - begin) // cells < planes
            or not 0 <= own <= planes - slots):
        raise ValueError(f"expected planes in the rows and [window * planes, width], got rows of {rows.shape[1]}, begin"
                         f" {begin}, usual [{usual.shape[0]}], own {own}, around [{cells + 1}, {window}], matrix "
                         f"[{matrix.shape[0]}, {width}]"
                         f" and bias [{slots}, {bias.shape[1]}]")
    if np.min(around) < 0 or np.max(around) > cells:
        raise ValueError(f"around: expected 0..{cells}")
    cdef const nets_level *level = nets_pick(kernels_of(None).name)
    cdef float[:, :, ::1] sums = np.empty((count, slots, width), np.float32)
    cdef int32_t[::1] places = np.empty(window * planes + 1, np.int32)
    cdef float[::1] factors = np.empty(window * planes + 1, np.float32)
    cdef float[:, ::1] bases = np.zeros((cells + 1, width), np.float32)   # of the usual board, around each cell
    cdef uint8_t[::1] is_known = np.zeros(cells + 1, np.uint8)
    cdef const float[::1] zeros = np.zeros(planes * cells, np.float32)
    cdef uint8_t[::1] every = np.ones(cells, np.uint8), changed = np.empty(cells, np.uint8)
    cdef const float *usually = &usual[0] + begin
    cdef const float *board
    cdef int64_t cell, c
    cdef int32_t found
    for i in range(count):
        board = &rows[i, 0] + begin
        find_changed(board, usually, cells, planes, &changed[0])
        for k in range(slots):
            cell = find_cell(board + (own + k) * cells, cells)
            if not is_known[cell]:
                is_known[cell] = 1
                found = find_around(usually, &zeros[0], cells, planes, &every[0], &around[cell, 0], window, &places[0],
                                    &factors[0])
                level.add_rows(found, &places[0], &factors[0], <int32_t>width, &matrix[0, 0], &bases[cell, 0])
            found = find_around(board, usually, cells, planes, &changed[0], &around[cell, 0], window, &places[0],
                                &factors[0])
            for c in range(width):
                sums[i, k, c] = bases[cell, c] + bias[k, c]
            level.add_rows(found, &places[0], &factors[0], <int32_t>width, &matrix[0, 0], &sums[i, k, 0])
    return np.asarray(sums)


cdef int check_aligned(str name, const void *first, size_t size=sizeof(float)) except -1:
    """Raise ValueError unless numbers of this size may begin here, the one thing that a typed buffer leaves open."""
    if <uintptr_t>first % size:
        raise ValueError(f"{name}: expected an aligned array")
    return 0


cdef int32_t find_others(const float *row, const float *usual, int64_t count, int32_t *places,
                         float *factors) noexcept nogil:
    """Write what numbers are beyond the usual, and their places, and one of each after them; return how many."""
    cdef int64_t i
    cdef int32_t found = 0
    for i in range(count):
        places[found] = <int32_t>i
        factors[found] = row[i] - usual[i]
        found += factors[found] != 0
    return found


cdef int64_t find_cell(const float *plane, int64_t cells) noexcept nogil:
    """Return the first cell with the greatest number, `cells` if all are 0."""
    cdef int64_t cell, found = 0
    cdef bint is_there = False
    for cell in range(cells):
        is_there |= plane[cell] != 0
        if plane[cell] > plane[found]:
            found = cell
    return found if is_there else cells


cdef void find_changed(const float *board, const float *usual, int64_t cells, int64_t planes,
                       uint8_t *changed) noexcept nogil:
    """Write for each cell whether it is not as usual."""
    cdef int64_t cell, p
    for cell in range(cells):
        changed[cell] = 0
    for p in range(planes):
        for cell in range(cells):
            changed[cell] |= board[p * cells + cell] != usual[p * cells + cell]


cdef int32_t find_around(const float *board, const float *usual, int64_t cells, int64_t planes, const uint8_t *changed,
                         const int64_t *around, int64_t window, int32_t *places, float *factors) noexcept nogil:
    """Write what `find_others` writes, of the planes of the changed cells of a window."""
    cdef int64_t i, p, cell
    cdef int32_t found = 0
    for i in range(window):
        cell = around[i]
        if not 0 <= cell < cells:              # none, or another thread wrote what the face would have refused
            continue
        if not changed[cell]:
            continue
        for p in range(planes):
            places[found] = <int32_t>(i * planes + p)
            factors[found] = board[p * cells + cell] - usual[p * cells + cell]
            found += factors[found] != 0
    return found
