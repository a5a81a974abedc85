# cython: language_level=3, cdivision=True
"""Nezumi: the observation of both players, as planes and scalars. [section 9]"""
from libc.stdint cimport int32_t, uint32_t, uint64_t
from masume.nezumi.rules cimport *
from masume.core._game cimport MASUME_BITS, masume_form, masume_plane
from masume.core._wide cimport wide_plane

cdef enum:
    NUM_PLANES = 7
    NUM_SCALARS = 16
    FOOD = 5                       # plane


cdef inline void put_word(uint32_t *stream, int32_t group, uint64_t cells) noexcept nogil:
    """Write the cells of a group into a stream of bits."""
    stream[2 * group] = <uint32_t>cells
    stream[2 * group + 1] = <uint32_t>(cells >> 32)


cdef inline void draw_planes(const Params *k, const Board *board, uint32_t (*streams)[2 * MAX_GROUPS],
                             wide_plane *planes) noexcept nogil:
    """Fill in the planes: wall, zone, cat, unmoved mice, moved mice, food, arrival. [section 9]"""
    cdef int32_t n
    for n in range(NUM_PLANES):
        planes[n].stream = streams[n]
        planes[n].values = NULL
        planes[n].bytes = NULL
    for n in range(NUM_FIXED):
        planes[n].stream = <const uint32_t *>k.fixed[n]
    planes[FOOD].values = <const float *>k.share
    planes[FOOD].bytes = <const uint8_t *>k.share_bytes
    for n in range(k.groups):
        put_word(streams[2], n, bit_of(board.cat) if board.cat >> 6 == n else 0)
        put_word(streams[3], n, board.groups[n].unmoved)
        put_word(streams[4], n, moved_of(&board.groups[n]))
        put_word(streams[5], n, board.groups[n].food)
        put_word(streams[6], n, bit_of(board.react_cell) if board.react_cell >> 6 == n else 0)


cdef inline void observe_planes(const Params *k, const Board *board, float *out) noexcept nogil:
    cdef uint32_t streams[NUM_PLANES][2 * MAX_GROUPS]
    cdef wide_plane planes[NUM_PLANES]
    draw_planes(k, board, streams, planes)
    k.level.planes(k.size, NUM_PLANES, planes, out)


cdef inline void observe_compact_planes(const Params *k, const Board *board, const masume_form *form,
                                        const masume_plane *kinds, uint8_t *out) noexcept nogil:
    cdef uint32_t streams[NUM_PLANES][2 * MAX_GROUPS]
    cdef wide_plane planes[NUM_PLANES]
    draw_planes(k, board, streams, planes)
    k.level.compact(k.size, NUM_PLANES, planes, kinds if form.dtype == MASUME_BITS else NULL, out)


cdef inline void observe_scalars(const Params *k, const Board *board, float *out) noexcept nogil:
    """Write the one-hot of six phases, then ten numbers. [section 9]"""
    cdef double stock = k.max_mice, food = max(1, k.total_food)
    cdef int32_t n
    for n in range(OVER):
        out[n] = <float>(board.phase == n)
    out[6] = <float>(board.turn / <double>k.turns)
    out[7] = <float>(board.captured / <double>k.require)
    out[8] = <float>(board.on_board / stock)
    out[9] = <float>(reserve_of(k, board) / stock)
    out[10] = <float>k.max_mice
    out[11] = <float>k.require
    out[12] = <float>k.turns
    out[13] = <float>(board.food_sum / food)
    out[14] = <float>(board.cost_sum / food)
    out[15] = <float>(left_of(k, board) / food)
