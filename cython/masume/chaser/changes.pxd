# cython: language_level=3, cdivision=True
"""CHaser: the planes of an observation where an array still holds an earlier view of the same player. [section 9.7]

Only the cells of the infos since then have other sights, and every cell that was seen is older. Bytes of recency are
raised by that number of methods; floats, of which one over each age would have to be taken, follow from the trail.
"""
from libc.stdint cimport INT32_MAX, int32_t, uint8_t, uint16_t, uint32_t
from masume.chaser.knowledge cimport *
from masume.chaser.observation cimport MOST, RECENCY, SIGHTS
from masume.chaser.rules cimport *
from masume.core._game cimport MASUME_BITS, MASUME_FLOATS, MASUME_HALVES, MASUME_SEEN, masume_form

cdef enum:
    NEAR_MIDDLE = NEAR_WIDTH // 2

cdef struct Note:                  # what an array holds
    int32_t half                   # of the view, and 1; 0: anything
    int32_t player
    int32_t infos                  # number of infos of the player
    int32_t row                    # of the player, from its start
    int32_t column
    int32_t start                  # cell of the player's start in an array of the frame
    int32_t sighting               # cell of the array with the last sighting, -1 for none
    int32_t first                  # all cells with a recency are among `first`, ..., `last`
    int32_t last
    int32_t unused                 # to a multiple of 8 bytes

ctypedef fused ink_t:              # of a cell: a float, 16 bits that stand for one, or a byte
    float
    uint16_t
    uint8_t


cdef inline int32_t observe_changed_planes(const Params *k, const Board *board, const void *memory, int32_t player,
                                           const masume_form *form, const uint16_t *halves, Note *note,
                                           uint8_t *out) noexcept nogil:
    """Write what has changed since the note, and renew it; return whether the array holds the view of the player."""
    cdef const Knowledge *known = knowledge_of(k, memory, player)
    cdef Trail trail = trail_of(k, board, memory, player)
    cdef bint is_frame = form.rows != 0 and form.part == MASUME_SEEN, is_near = form.rows != 0 and not is_frame
    cdef bint was = note.half != 0 and note.player == player
    cdef const Canvas *canvas = &k.frame if is_frame else &k.grid
    cdef int32_t start = known.start if is_frame else k.centre, count = k.frame_size if is_frame else k.grid_size
    cdef int32_t width = k.frame_width, most = MOST if is_frame else INT32_MAX
    cdef Note last = note[0]
    note.half = board.half + 1
    note.player = player
    note.infos = 2 * trail.count + trail.ends
    note.row = known.at // width - known.start // width
    note.column = known.at % width - known.start % width
    note.start = start
    note.sighting = sighting_in(k, known, form)
    if is_near:
        was &= (last.row == note.row) & (last.column == note.column) & (form.dtype <= MASUME_BITS)
    elif is_frame:
        was &= last.start == start
    if not was:
        note.first = 0
        note.last = form.rows * form.columns - 1
        if not is_near:
            span(&trail, canvas, start, note)
        return False
    if is_near:
        change_near(k, known, &trail, form, &last, note, out)
    elif form.dtype == MASUME_FLOATS:
        change(k, known, &trail, canvas, count, most, False, &last, note, <float>1, <float *>NULL, <float *>out)
    elif form.dtype == MASUME_HALVES:
        change(k, known, &trail, canvas, count, MOST, False, &last, note, halves[1], halves + 256 * RECENCY,
               <uint16_t *>out)
    else:
        change(k, known, &trail, canvas, count, MOST, form.dtype == MASUME_BITS, &last, note, <uint8_t>1,
               <uint8_t *>NULL, out)
    return True


cdef inline int32_t sighting_in(const Params *k, const Knowledge *known, const masume_form *form) noexcept nogil:
    """Return the cell of the array that shows the last sighting, -1 for none."""
    cdef int32_t row, column, width = k.frame_width
    if known.sighting_half < 0:
        return -1
    if form.rows == 0:
        return grid_cell(k, known, known.sighting)
    if form.part == MASUME_SEEN:
        return known.sighting
    row = known.sighting // width - known.at // width + form.rows // 2
    column = known.sighting % width - known.at % width + form.columns // 2
    return row * form.columns + column if 0 <= row < form.rows and 0 <= column < form.columns else -1


cdef inline int32_t answered(const Trail *trail, int32_t n) noexcept nogil:
    """Return the action that the n-th info answers, one that stays for a ready or end info: it shows the same cells."""
    return trail.methods[n >> 2] >> (n & 2) * 2 & 15 if n & 1 else 4 * PUT


cdef inline void span(const Trail *trail, const Canvas *canvas, int32_t at, Note *note) noexcept nogil:
    """Set the first and last cell of the infos on a canvas; `at` is the start."""
    cdef int32_t n, code
    note.first = note.last = at
    for n in range(note.infos):
        code = answered(trail, n)
        at += canvas.step[code]
        note.first = min(note.first, at + canvas.least[code])
        note.last = max(note.last, at + canvas.most[code])


cdef inline void put(ink_t *plane, int32_t cell, bint in_bits, bint given, ink_t one) noexcept nogil:
    """Write 1 or 0 on a cell of a plane."""
    cdef uint8_t *byte
    if in_bits:
        byte = <uint8_t *>plane + (cell >> 3)
        byte[0] = <uint8_t>((byte[0] & ~(1 << (cell & 7))) | given << (cell & 7))
    else:
        plane[cell] = one if given else <ink_t>0


cdef inline void put_sight(ink_t *planes, int32_t size, int32_t cell, bint in_bits, uint32_t sight,
                           ink_t one) noexcept nogil:
    """Write a sight on the planes of floor, items and blocks."""
    put(planes, cell, in_bits, sight == SAW_FLOOR, one)
    put(planes + size, cell, in_bits, sight == SAW_ITEM, one)
    put(planes + 2 * size, cell, in_bits, sight == SAW_BLOCK, one)


cdef inline ink_t ink_of(int32_t age, int32_t most, ink_t one, const ink_t *levels) noexcept nogil:
    """Return the recency of a cell seen `age` - 1 methods ago, at most `most` - 1."""
    age = min(most, max(1, age))
    if ink_t is float:
        return <float>(1.0 / age)
    elif ink_t is uint16_t:
        return levels[age]
    else:
        return <uint8_t>age


cdef inline void change(const Params *k, const Knowledge *known, const Trail *trail, const Canvas *canvas,
                        int32_t count, int32_t most, bint in_bits, const Note *last, Note *note, ink_t one,
                        const ink_t *levels, ink_t *out) noexcept nogil:
    """Write what has changed on a canvas of `count` cells; ages are at most `most`."""
    cdef int32_t size = (count + 7) // 8 if in_bits else count
    cdef int32_t at = note.start + last.row * canvas.width + last.column
    cdef int32_t cell = known.start + last.row * k.frame_width + last.column
    cdef int32_t n, i, code, age = 1 + trail.half - trail.first
    cdef ink_t *opponent = out + SIGHTS * size
    cdef ink_t *visited = out + (RECENCY - 1) * size
    cdef ink_t *recency = out + RECENCY * size
    cdef ink_t value
    note.first = last.first
    note.last = last.last
    if last.sighting >= 0:
        put(opponent, last.sighting, in_bits, False, one)
    if note.sighting >= 0:
        put(opponent, note.sighting, in_bits, True, one)
    put(opponent + size, at, in_bits, False, one)
    if ink_t is uint8_t:
        k.kernels.age(last.last + 1 - last.first, <uint8_t>min(<int32_t>MOST, note.half - last.half),
                      recency + last.first)
    for n in range(last.infos, note.infos):
        code = answered(trail, n)
        at += canvas.step[code]
        cell += k.frame.step[code]
        put(visited, at, in_bits, True, one)
        note.first = min(note.first, at + canvas.least[code])
        note.last = max(note.last, at + canvas.most[code])
        value = ink_of(age - n, most, one, levels)
        for i in range(NINE):
            put_sight(out, size, at + canvas.cells[code][i], in_bits,
                      sight_at(k, known, cell + k.frame.cells[code][i], LAST_LOW), one)
            if ink_t is uint8_t:
                recency[at + canvas.cells[code][i]] = value
    put(opponent + size, at, in_bits, True, one)
    if ink_t is not uint8_t:
        at = note.start
        for n in range(note.infos):
            code = answered(trail, n)
            at += canvas.step[code]
            value = ink_of(age - n, most, one, levels)
            for i in range(NINE):
                recency[at + canvas.cells[code][i]] = value


cdef inline void change_near(const Params *k, const Knowledge *known, const Trail *trail, const masume_form *form,
                             const Note *last, const Note *note, uint8_t *out) noexcept nogil:
    """Write what has changed around a player who is where it was."""
    cdef bint in_bits = form.dtype == MASUME_BITS
    cdef int32_t count = form.rows * form.columns, size = (count + 7) // 8 if in_bits else count
    cdef int32_t row = last.row - note.row + form.rows // 2, column = last.column - note.column + form.columns // 2
    cdef int32_t cell = known.start + last.row * k.frame_width + last.column
    cdef int32_t n, i, code, down, right, age = 1 + trail.half - trail.first
    cdef uint8_t *opponent = out + SIGHTS * size
    cdef uint8_t *visited = out + (RECENCY - 1) * size
    cdef uint8_t *recency = out + RECENCY * size
    if last.sighting >= 0:
        put(opponent, last.sighting, in_bits, False, <uint8_t>1)
    if note.sighting >= 0:
        put(opponent, note.sighting, in_bits, True, <uint8_t>1)
    k.kernels.age(count, <uint8_t>min(<int32_t>MOST, note.half - last.half), recency)
    for n in range(last.infos, note.infos):
        code = answered(trail, n)
        row += k.near.rows[code]
        column += k.near.columns[code]
        cell += k.frame.step[code]
        if <uint32_t>row < <uint32_t>form.rows and <uint32_t>column < <uint32_t>form.columns:
            put(visited, row * form.columns + column, in_bits, True, <uint8_t>1)
        for i in range(NINE):
            right = (k.near.cells[code][i] + NEAR_MIDDLE & NEAR_WIDTH - 1) - NEAR_MIDDLE
            down = row + (k.near.cells[code][i] - right) // NEAR_WIDTH
            right += column
            if <uint32_t>down < <uint32_t>form.rows and <uint32_t>right < <uint32_t>form.columns:
                put_sight(out, size, down * form.columns + right, in_bits,
                          sight_at(k, known, cell + k.frame.cells[code][i], LAST_LOW), <uint8_t>1)
                recency[down * form.columns + right] = <uint8_t>min(<int32_t>MOST, max(1, age - n))
