# cython: language_level=3, cdivision=True
"""CHaser: what a player has seen, as arrays. [section 9.7]"""
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset
from masume.chaser.knowledge cimport *
from masume.chaser.rules cimport *
from masume.core._wide cimport wide_plane

cdef enum:
    NUM_PLANES = 7


cdef inline void observe_planes(const Params *k, const Board *board, const void *memory, int32_t player,
                                float *out) noexcept nogil:
    """What the player knows of each cell around its start. [section 9.7]"""
    cdef const Knowledge *known = knowledge_of(k, memory, player)
    cdef uint64_t streams[NUM_PLANES - 1][GRID_WORDS]
    cdef float recency[MAX_GRID]
    cdef wide_plane planes[NUM_PLANES]
    cdef uint64_t low, high
    cdef const Shape *shape
    cdef Trail trail = trail_of(k, board, memory, player)
    cdef int32_t n, column
    cdef float *seen
    cdef float value
    unfold(k, known, 2, streams)
    for n in range(k.grid_size // 64 + 1):
        low = streams[0][n]
        high = streams[1][n]
        streams[0][n] = low & ~high
        streams[1][n] = high & ~low
        streams[2][n] = high & low
        streams[3][n] = streams[4][n] = streams[5][n] = 0
    if known.sighting_half >= 0:
        mark(streams[3], grid_cell(k, known, known.sighting))
    mark(streams[4], grid_cell(k, known, known.at))
    mark(streams[5], k.centre)
    memset(recency, 0, k.grid_size * sizeof(float))
    while go_on(k, &trail):
        mark(streams[5], trail.cell)
        shape = &k.shapes[trail.around]
        seen = recency + trail.cell + shape.cell
        value = <float>(1.0 / (1 + board.half - trail.told))
        for _ in range(shape.rows):
            for column in range(shape.columns):
                seen[column] = value
            seen += k.grid_width
    for n in range(NUM_PLANES - 1):
        planes[n] = wide_plane(stream=<const uint32_t *>&streams[n][0], values=NULL)
    planes[NUM_PLANES - 1] = wide_plane(stream=NULL, values=&recency[0])
    k.level.planes(k.grid_size, NUM_PLANES, planes, out)


cdef inline void mark(uint64_t *stream, int32_t cell) noexcept nogil:
    """Set a cell's bit."""
    stream[cell >> 6] |= <uint64_t>1 << (cell & 63)


cdef inline void write_digits(const Params *k, uint32_t info, int32_t around, uint8_t *out) noexcept nogil:
    """The nine digits of an info."""
    cdef uint32_t low = info & NINE_BITS, high = info >> HIGH
    cdef uint64_t digits
    if k.shapes[around].backwards:
        low = bits_reverse(low, NINE)
        high = bits_reverse(high, NINE)
    digits = (bits_spread(low & 255) | bits_spread(high & 255) << 1) ^ bits_spread(255)
    memcpy(out, &digits, sizeof(digits))
    out[8] = <uint8_t>((low >> 8 | (high >> 8) << 1) ^ TOLD)
