# cython: language_level=3, cdivision=True
"""CHaser: observations of a player as arrays. [section 9.7]

The planes of floor, items and blocks are bits of the frame. The others are mostly zeros: they are cleared, and the
cells that differ written one by one, without a branch on the kind of a method.
"""
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset
from masume.chaser.knowledge cimport *
from masume.chaser.rules cimport *
from masume.core._game cimport MASUME_BITS, MASUME_MAX_CROP, MASUME_SEEN, masume_form, masume_plane
from masume.core._wide cimport wide_plane

cdef enum:
    SIGHTS = 3                     # planes of what cells are; then the opponent, the player, visited and recency
    RECENCY = 6                    # plane
    NUM_PLANES = 7
    CROP_WORDS = 64                # of MASUME_MAX_CROP ** 2 bits, and one more
    WORD_ROW = 57                  # bits of a row that a word holds wherever in a byte the row begins
    MOST = 255                     # that a byte counts
    AWAY = 2 * MARGIN + 1          # rows and columns around a crop for cells that are not in it

ctypedef fused value_t:            # floats, or bytes: for recency 1 + methods since, at most MOST; 0 for cells not seen
    float
    uint8_t


cdef inline void observe_planes(const Params *k, const Board *board, const void *memory, int32_t player,
                                float *out) noexcept nogil:
    """Write the planes of the player's knowledge of the cells around its start. [section 9.7]"""
    cdef const Knowledge *known = knowledge_of(k, memory, player)
    cdef int32_t size = k.grid_size
    draw_grid_sights(k, known, NULL, out)
    out += SIGHTS * size
    memset(out, 0, (NUM_PLANES - SIGHTS) * size * sizeof(float))
    if known.sighting_half >= 0:
        out[grid_cell(k, known, known.sighting)] = 1
    out[size + grid_cell(k, known, known.at)] = 1
    draw_trail(k, board, memory, player, &k.grid, k.centre, False, out + 2 * size, out + 3 * size)


cdef inline void observe_compact_planes(const Params *k, const Board *board, const void *memory, int32_t player,
                                        const masume_form *form, const masume_plane *kinds,
                                        uint8_t *out) noexcept nogil:
    """Write the same planes in a compact form, or a part of them."""
    if form.dtype == MASUME_BITS:
        observe_form(k, board, memory, player, form, kinds, True, out)
    else:
        observe_form(k, board, memory, player, form, NULL, False, out)


cdef inline void observe_form(const Params *k, const Board *board, const void *memory, int32_t player,
                              const masume_form *form, const masume_plane *kinds, bint in_bits,
                              uint8_t *out) noexcept nogil:
    """Write the planes as bits, or as bytes."""
    cdef const Knowledge *known = knowledge_of(k, memory, player)
    cdef int32_t count = form.rows * form.columns if form.rows else k.grid_size
    cdef int32_t size = (count + 7) // 8 if in_bits else count               # bytes of each plane but the last
    cdef int32_t row, column, width = k.frame_width
    if form.rows == 0:
        draw_grid_sights(k, known, kinds, out)
    elif form.part == MASUME_SEEN:
        draw_frame_sights(k, known, kinds, out)
    else:
        draw_near_sights(k, known, form, kinds, out)
    out += SIGHTS * size
    memset(out, 0, (RECENCY - SIGHTS) * size + count)
    if form.rows == 0:
        if known.sighting_half >= 0:
            mark(out, grid_cell(k, known, known.sighting), in_bits)
        mark(out + size, grid_cell(k, known, known.at), in_bits)
        draw_trail(k, board, memory, player, &k.grid, k.centre, in_bits, out + 2 * size, out + 3 * size)
    elif form.part == MASUME_SEEN:
        if known.sighting_half >= 0:
            mark(out, known.sighting, in_bits)
        mark(out + size, known.at, in_bits)
        draw_trail(k, board, memory, player, &k.frame, known.start, in_bits, out + 2 * size, out + 3 * size)
    else:
        row = known.sighting // width - known.at // width + form.rows // 2
        column = known.sighting % width - known.at % width + form.columns // 2
        if known.sighting_half >= 0 and 0 <= row < form.rows and 0 <= column < form.columns:
            mark(out, row * form.columns + column, in_bits)
        mark(out + size, count // 2, in_bits)
        draw_near_trail(k, board, memory, player, form, in_bits, out + 2 * size, out + 3 * size)


# -- floor, items and blocks ----------------------------------------------------------------------

cdef inline void write_sights(const Params *k, int32_t count, uint64_t *streams, int32_t stride,
                              const masume_plane *kinds, value_t *out) noexcept nogil:
    """Write the planes of these streams, `stride` words each."""
    cdef wide_plane planes[SIGHTS]
    cdef int32_t n
    for n in range(SIGHTS):
        planes[n] = wide_plane(stream=<const uint32_t *>(streams + n * stride), values=NULL, bytes=NULL)
    if value_t is float:
        k.level.planes(count, SIGHTS, planes, out)
    else:
        k.level.compact(count, SIGHTS, planes, kinds, out)


cdef inline void draw_grid_sights(const Params *k, const Knowledge *known, const masume_plane *kinds,
                                  value_t *out) noexcept nogil:
    """Write floor, items and blocks of the grid."""
    cdef uint64_t streams[SIGHTS][GRID_WORDS]
    cdef uint64_t low, high
    cdef int32_t n
    if k.frame_width <= WORD_ROW and k.width >= 8:
        for n in range(SIGHTS):
            memset(streams[n], 0, (k.grid_size // 64 + 3) * sizeof(uint64_t))
        unfold_sights(k, known, streams)
    else:
        unfold(k, known, 2, streams)
        for n in range(k.grid_size // 64 + 1):
            low = streams[0][n]
            high = streams[1][n]
            streams[0][n] = low & ~high
            streams[1][n] = high & ~low
            streams[2][n] = high & low
    write_sights(k, k.grid_size, &streams[0][0], GRID_WORDS, kinds, out)


cdef inline uint64_t row_at(const uint8_t *bits, int32_t n) noexcept nogil:
    """Return the bits n, ..., at least WORD_ROW of them."""
    cdef uint64_t word
    memcpy(&word, bits + (n >> 3), sizeof(word))
    return word >> (n & 7)


cdef inline void put_row(uint64_t *bits, int32_t n, uint64_t word) noexcept nogil:
    """Set bits n, ... to those of the word; the next row begins in another byte than it ends."""
    word <<= n & 7
    memcpy(<uint8_t *>bits + (n >> 3), &word, sizeof(word))


cdef inline void unfold_sights(const Params *k, const Knowledge *known,
                               uint64_t (*streams)[GRID_WORDS]) noexcept nogil:
    """Write floor, items and blocks as bits of the grid, a row of at most WORD_ROW cells at a time, downwards."""
    cdef const uint8_t *lows = plane_of(k, known, LAST_LOW)
    cdef const uint8_t *highs = plane_of(k, known, LAST_HIGH)
    cdef uint64_t low, high, mask = bits_low64(k.frame_width)
    cdef int32_t cell = 0, place = grid_cell(k, known, 0)
    for _ in range(k.frame_height):
        low = row_at(lows, cell) & mask
        high = row_at(highs, cell) & mask
        put_row(streams[0], place, low & ~high)
        put_row(streams[1], place, high & ~low)
        put_row(streams[2], place, high & low)
        cell += k.frame_width
        place += k.grid_width


cdef inline void draw_frame_sights(const Params *k, const Knowledge *known, const masume_plane *kinds,
                                   uint8_t *out) noexcept nogil:
    """Write floor, items and blocks of the frame."""
    cdef uint64_t streams[SIGHTS][FRAME_WORDS]
    cdef const uint64_t *lows = <const uint64_t *>plane_of(k, known, LAST_LOW)
    cdef const uint64_t *highs = <const uint64_t *>plane_of(k, known, LAST_HIGH)
    cdef int32_t n
    for n in range(<int32_t>k.plane_size // 8):
        streams[0][n] = lows[n] & ~highs[n]
        streams[1][n] = highs[n] & ~lows[n]
        streams[2][n] = highs[n] & lows[n]
    write_sights(k, k.frame_size, &streams[0][0], FRAME_WORDS, kinds, out)


cdef inline void draw_near_sights(const Params *k, const Knowledge *known, const masume_form *form,
                                  const masume_plane *kinds, uint8_t *out) noexcept nogil:
    """Write floor, items and blocks around the player; all that it has seen is in the frame."""
    cdef uint64_t streams[SIGHTS][CROP_WORDS]
    cdef const uint8_t *lows = plane_of(k, known, LAST_LOW)
    cdef const uint8_t *highs = plane_of(k, known, LAST_HIGH)
    cdef int32_t first = known.at // k.frame_width - form.rows // 2
    cdef int32_t left = known.at % k.frame_width - form.columns // 2, skip = max(0, -left)
    cdef int32_t row, n, cell, place
    cdef uint64_t low, high, mask = bits_low64(min(k.frame_width, left + form.columns) - left - skip)
    for n in range(SIGHTS):
        memset(streams[n], 0, (form.rows * form.columns // 64 + 2) * sizeof(uint64_t))
    for row in range(max(0, -first), min(form.rows, k.frame_height - first)):
        cell = (first + row) * k.frame_width + left + skip
        place = row * form.columns + skip
        low = bits_at(lows, cell) & mask
        high = bits_at(highs, cell) & mask
        put_word(streams[0], place, low & ~high)
        put_word(streams[1], place, high & ~low)
        put_word(streams[2], place, high & low)
    write_sights(k, form.rows * form.columns, &streams[0][0], CROP_WORDS, kinds, out)


# -- the trail ------------------------------------------------------------------------------------

cdef inline void mark(value_t *plane, int32_t cell, bint in_bits) noexcept nogil:
    """Write 1 on a cell of a plane of bits or of values."""
    if value_t is float:
        plane[cell] = 1
    elif in_bits:
        plane[cell >> 3] |= <uint8_t>(1 << (cell & 7))
    else:
        plane[cell] = 1


cdef inline value_t recency_of(int32_t age, const value_t *unused) noexcept nogil:
    """Return the value of a cell seen `age` - 1 methods ago."""
    if value_t is float:
        return <float>(1.0 / age)
    else:
        return <uint8_t>min(<int32_t>MOST, age)


cdef inline void put_square(value_t *recency, int32_t width, value_t value) noexcept nogil:
    """Write the value on a cell and its eight neighbours."""
    cdef int32_t column
    for column in range(-1, 2):
        recency[column - width] = recency[column] = recency[column + width] = value


cdef inline void draw_trail(const Params *k, const Board *board, const void *memory, int32_t player,
                            const Canvas *canvas, int32_t at, bint in_bits, value_t *visited,
                            value_t *recency) noexcept nogil:
    """Mark the cells that the player visited, and write the recency of each cell; `at` is the start."""
    cdef Trail trail = trail_of(k, board, memory, player)
    cdef int32_t i, n, code, age = 1 + board.half - trail.first
    cdef value_t value
    mark(visited, at, in_bits)
    for i in range(trail.count):
        code = trail.methods[i >> 1] >> 4 * (i & 1) & 15
        put_square(recency + at, canvas.width, recency_of(age, recency))     # the ready info
        at += canvas.step[code]
        mark(visited, at, in_bits)
        value = recency_of(age - 1, recency)                                 # the method info
        for n in range(NINE):
            recency[at + canvas.cells[code][n]] = value
        age -= 2
    if trail.ends:
        put_square(recency + at, canvas.width, recency_of(max(1, age), recency))


cdef inline void draw_near_trail(const Params *k, const Board *board, const void *memory, int32_t player,
                                 const masume_form *form, bint in_bits, uint8_t *visited,
                                 uint8_t *recency) noexcept nogil:
    """Do the same around the player. Infos are drawn on a larger canvas, those that are far off beside the crop; a
    visited cell that is not in the crop is marked in the next plane, recency, which is written after it."""
    cdef const Canvas *canvas = &k.near
    cdef const Knowledge *known = knowledge_of(k, memory, player)
    cdef Trail trail = trail_of(k, board, memory, player)
    cdef uint8_t near[(MASUME_MAX_CROP + 2 * AWAY) * NEAR_WIDTH]
    cdef uint8_t *first = &near[AWAY * NEAR_WIDTH + AWAY]                     # of the crop
    cdef int32_t row = known.start // k.frame_width - known.at // k.frame_width + form.rows // 2
    cdef int32_t column = known.start % k.frame_width - known.at % k.frame_width + form.columns // 2
    cdef int32_t i, n, code, age = 1 + board.half - trail.first
    cdef int32_t beyond = (form.rows * form.columns + 7) // 8 * 8 if in_bits else form.rows * form.columns
    cdef uint8_t value
    cdef uint8_t *here = place_near(first, form, row, column)
    memset(first, 0, form.rows * NEAR_WIDTH)
    mark(visited, cell_near(form, row, column, beyond), in_bits)
    for i in range(trail.count):
        code = trail.methods[i >> 1] >> 4 * (i & 1) & 15
        put_square(here, NEAR_WIDTH, recency_of(age, first))
        row += canvas.rows[code]
        column += canvas.columns[code]
        here = place_near(first, form, row, column)
        mark(visited, cell_near(form, row, column, beyond), in_bits)
        value = recency_of(age - 1, first)
        for n in range(NINE):
            here[canvas.cells[code][n]] = value
        age -= 2
    if trail.ends:
        put_square(here, NEAR_WIDTH, recency_of(max(1, age), first))
    for n in range(form.rows):
        memcpy(recency + n * form.columns, first + n * NEAR_WIDTH, form.columns)


cdef inline uint8_t *place_near(uint8_t *first, const masume_form *form, int32_t row, int32_t column) noexcept nogil:
    """Return the place of a cell, or one beside the crop from which no info reaches into it."""
    row = max(-MARGIN - 1, min(form.rows + MARGIN, row))
    column = max(-MARGIN - 1, min(form.columns + MARGIN, column))
    return first + row * NEAR_WIDTH + column


cdef inline int32_t cell_near(const masume_form *form, int32_t row, int32_t column, int32_t beyond) noexcept nogil:
    """Return the number of a cell in the crop; `beyond` for others."""
    cdef bint inside = (<uint32_t>row < <uint32_t>form.rows) & (<uint32_t>column < <uint32_t>form.columns)
    return row * form.columns + column if inside else beyond


cdef inline void write_digits(const Params *k, uint32_t info, int32_t around, uint8_t *out) noexcept nogil:
    """Write the nine digits of an info."""
    cdef uint32_t low = info & NINE_BITS, high = info >> HIGH
    cdef uint64_t digits
    if k.shapes[around].backwards:
        low = bits_reverse(low, NINE)
        high = bits_reverse(high, NINE)
    digits = (bits_spread(low & 255) | bits_spread(high & 255) << 1) ^ bits_spread(255)
    memcpy(out, &digits, sizeof(digits))
    out[8] = <uint8_t>((low >> 8 | (high >> 8) << 1) ^ TOLD)
