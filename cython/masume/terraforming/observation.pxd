# cython: language_level=3, cdivision=True
"""Terraforming: the observation of a player, as planes and scalars. [section 9]"""
from libc.stdint cimport int16_t, int32_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset
from masume.core._game cimport masume_plane
from masume.core._wide cimport WIDE_BLOCK, WIDE_TAIL, wide_byte_match, wide_match
from masume.terraforming.state cimport *

cdef extern from "masume/terraforming/counts.h" nogil:
    void counts_pack(const int32_t *, const int32_t *, int32_t, uint8_t *)
    void counts_keep(const uint8_t *, const uint8_t *, uint8_t, int32_t, uint8_t *)

cdef enum:
    NUM_PLANES = 24
    NUM_SCALARS = 12

cdef enum:                         # views
    MAX_PLACES = 441               # of the square grid, 21 x 21
    ON_BOARD = 128
    IS_BASE_AT = 8
    IS_BASE = 256
    OWNER_BITS = 96                # of a `land`
    MOST = 255                     # that a byte counts
    VECTOR = 16                    # bytes
    FIELD = (MAX_COLUMNS + 2) * (MAX_COLUMNS + 1) + VECTOR

ctypedef fused count_t:
    float
    uint8_t

cdef struct Sight:                 # the data behind the planes of a view, by place
    uint32_t lands[MAX_PLACES + WIDE_TAIL]       # on a cell: its land, ON_BOARD and IS_BASE; 0 elsewhere
    float robots[MAX_PLACES + WIDE_TAIL]
    float movable[MAX_PLACES + WIDE_TAIL]        # robots that have not moved
    float worth[MAX_PLACES + WIDE_TAIL]
    float sums[MAX_PLACES + WIDE_TAIL]           # on the viewer's land: Material sum with the neighbours


cdef struct ByteSight:             # the same in bytes; counts are at most MOST
    uint8_t lands[MAX_PLACES + WIDE_BLOCK]       # on a cell: its land and ON_BOARD
    uint8_t robots[MAX_PLACES + WIDE_BLOCK]
    uint8_t movable[MAX_PLACES + WIDE_BLOCK]
    uint8_t worth[MAX_PLACES + WIDE_BLOCK]       # where there is no base
    uint8_t bonus[MAX_PLACES + WIDE_BLOCK]       # where there is one
    uint8_t sums[MAX_PLACES + WIDE_BLOCK]        # on the viewer's land without a base


cdef inline void look(const Params *k, const void *state, int32_t viewer, Sight *seen) noexcept nogil:
    """Fill in a view whose places are the cells."""
    cdef const uint8_t *land = land_of(k, state)
    cdef const uint8_t *worth = worth_of(k, state)
    cdef const int32_t *robots = robots_of(k, state)
    cdef const int32_t *moved = moved_of(k, state)
    cdef uint8_t own_worth[MAX_CELLS + WIDE_BLOCK]
    cdef uint8_t sums[MAX_CELLS + WIDE_BLOCK]
    cdef uint8_t mine = owned_by(viewer)
    cdef int32_t cell
    for cell in range(k.cells):
        seen.lands[cell] = land[cell] | ON_BOARD | <uint32_t>((land[cell] & BUILDING) != 0) << IS_BASE_AT
        seen.robots[cell] = <float>robots[cell]
        seen.movable[cell] = <float>(robots[cell] - moved[cell])
        seen.worth[cell] = <float>worth[cell]
        own_worth[cell] = worth[cell] & -<int32_t>(land[cell] == mine)
    add_up(k, own_worth, sums)
    for cell in range(k.cells):
        seen.sums[cell] = <float>sums[cell]


cdef inline void look_in_bytes(const Params *k, const void *state, int32_t viewer, ByteSight *seen) noexcept nogil:
    """Fill in a view whose places are the cells; every loop is over one or two arrays, for vectors.

    Loops end with a whole vector: only `worth` has no room after the last cell.
    """
    cdef const uint8_t *land = land_of(k, state)
    cdef uint8_t worth[MAX_CELLS + WIDE_BLOCK]
    cdef uint8_t own_worth[MAX_CELLS + WIDE_BLOCK]
    cdef int32_t cell, count = k.cells + VECTOR - 1 & -VECTOR
    memcpy(worth, worth_of(k, state), k.cells)
    counts_keep(worth, land, owned_by(viewer), k.cells, own_worth)
    for cell in range(count):
        seen.lands[cell] = land[cell] | ON_BOARD
    counts_pack(robots_of(k, state), NULL, k.cells, seen.robots)
    counts_pack(robots_of(k, state), moved_of(k, state), k.cells, seen.movable)
    for cell in range(count):
        seen.worth[cell] = worth[cell] & -<int32_t>((land[cell] & BUILDING) == 0)
    for cell in range(count):
        seen.bonus[cell] = worth[cell] & -<int32_t>((land[cell] & BUILDING) != 0)
    add_up(k, own_worth, seen.sums)
    for cell in range(count):                        # elsewhere they are not shown
        seen.sums[cell] = seen.sums[cell] & -<int32_t>((land[cell] & BUILDING) == 0)


cdef inline void add_up(const Params *k, const uint8_t *own_worth, uint8_t *sums) noexcept nogil:
    """Write the sum of each cell and its neighbours, and some bytes after the last one.

    The columns of the board stand in a field with a row of zeros before and after each, so that every direction is the
    same step everywhere. Eight bytes beyond the last cell may be read.
    """
    cdef uint8_t field[FIELD + 8 * COLUMN_WORDS]
    cdef uint8_t summed[FIELD + 8 * COLUMN_WORDS]
    cdef uint64_t words[COLUMN_WORDS]
    cdef const Column *column
    cdef int32_t x, n, columns = 2 * k.radius + 1, pitch = columns + 1
    memset(field, 0, sizeof(field))
    for x in range(columns):
        column = &k.columns[x]
        memcpy(words, own_worth + column.first, sizeof(words))
        for n in range(COLUMN_WORDS):
            words[n] &= column.cells[n]
        memcpy(field + column.place, words, sizeof(words))
    for n in range(pitch, pitch + (columns * pitch + VECTOR - 1 & -VECTOR)):
        summed[n] = (field[n] + field[n - 1] + field[n + 1] + field[n - pitch] + field[n - pitch + 1]
                     + field[n + pitch - 1] + field[n + pitch])
    for x in range(columns):
        memcpy(sums + k.columns[x].first, summed + k.columns[x].place, sizeof(words))


cdef inline void arrange(const Sight *seen, const int16_t *shown, int32_t cells, int32_t size,
                         Sight *out) noexcept nogil:
    """Write the same view for `size` places; cell c goes to place shown[c]."""
    cdef int32_t cell, place
    memset(out.lands, 0, size * sizeof(uint32_t))
    for cell in range(cells):
        place = shown[cell]
        out.lands[place] = seen.lands[cell]
        out.robots[place] = seen.robots[cell]
        out.movable[place] = seen.movable[cell]
        out.worth[place] = seen.worth[cell]
        out.sums[place] = seen.sums[cell]


cdef inline void arrange_bytes(const ByteSight *seen, const int16_t *shown, int32_t cells, int32_t size,
                               ByteSight *out) noexcept nogil:
    """Write the same view for `size` places; cell c goes to place shown[c]."""
    cdef int32_t cell, place
    memset(out.lands, 0, size)
    memset(out.worth, 0, size)
    memset(out.bonus, 0, size)
    for cell in range(cells):
        place = shown[cell]
        out.lands[place] = seen.lands[cell]
        out.robots[place] = seen.robots[cell]
        out.movable[place] = seen.movable[cell]
        out.worth[place] = seen.worth[cell]
        out.bonus[place] = seen.bonus[cell]
        out.sums[place] = seen.sums[cell]


cdef inline void match(wide_match *plane, uint32_t mask, uint32_t value, const float *values) noexcept nogil:
    plane.mask = mask
    plane.value = value
    plane.values = values


cdef inline void count_devices(const Params *k, const void *state, int32_t viewer, const int16_t *shown,
                               count_t *shields, count_t *towers) noexcept nogil:
    """Count, into planes of zeros, the adjacent shields of each cell's owner and the viewer's towers in range."""
    cdef const uint8_t *land = land_of(k, state)
    cdef uint64_t bits, rest
    cdef int32_t word, cell, cell_of, i, building
    for word in range(k.words):
        bits = sets_of(state)[word].devices
        while bits:
            cell = next_of(&bits, word)
            building = land[cell] & BUILDING
            if building == SHIELD:
                for i in range(1, k.within[cell][1]):
                    if owner_of(land[k.near[cell][i]]) == owner_of(land[cell]):
                        shields[shown[k.near[cell][i]]] += 1
            elif building == TOWER and owner_of(land[cell]) == viewer:
                for i in range(k.words):
                    rest = k.reach[cell * k.words + i]
                    while rest:
                        cell_of = shown[next_of(&rest, i)]
                        if count_t is float or towers[cell_of] < MOST:
                            towers[cell_of] += 1


cdef inline void observe_planes(const Params *k, const void *state, int32_t viewer, const Sight *seen,
                                const int16_t *shown, int32_t size, float *out) noexcept nogil:
    """Write the planes of the view `seen`, of `size` places each; cell c is at place shown[c]."""
    cdef Sight arranged
    cdef wide_match planes[NUM_PLANES]
    cdef uint32_t whose = ON_BOARD | OWNER_BITS
    cdef int32_t i
    if shown != k.flat[0]:
        arrange(seen, shown, k.cells, size, &arranged)
        seen = &arranged
    for i in range(NUM_PLAYERS):
        match(&planes[i], whose, ON_BOARD | owned_by((viewer + i) % NUM_PLAYERS), NULL)
        match(&planes[14 + i], whose, planes[i].value, seen.robots)
    match(&planes[3], whose, ON_BOARD, NULL)
    match(&planes[4], HOLE, HOLE, NULL)
    for i in range(HOME, NUM_BUILDINGS):
        match(&planes[4 + i], BUILDING, i, NULL)
    match(&planes[17], whose | HOLE, ON_BOARD | owned_by(header_of(state).player), seen.movable)
    match(&planes[18], ON_BOARD | IS_BASE, ON_BOARD, seen.worth)
    match(&planes[19], whose | IS_BASE, ON_BOARD | owned_by(viewer), seen.sums)
    match(&planes[20], IS_BASE, IS_BASE, seen.worth)
    match(&planes[21], 0, 1, NULL)                       # matches nowhere: zeros
    match(&planes[22], 0, 1, NULL)
    match(&planes[23], ON_BOARD, ON_BOARD, NULL)
    k.level.matches(size, seen.lands, NUM_PLANES, planes, out)
    count_devices(k, state, viewer, shown, out + 21 * size, out + 22 * size)


cdef inline void match_bytes(wide_byte_match *plane, uint8_t mask, uint8_t value, const uint8_t *values) noexcept nogil:
    plane.mask = mask
    plane.value = value
    plane.values = values


cdef inline void observe_bytes(const Params *k, const void *state, int32_t viewer, const int16_t *shown, int32_t size,
                               const masume_plane *kinds, uint8_t *out) noexcept nogil:
    """Write the planes of `size` places each as MASUME_BITS, as MASUME_BYTES if `kinds` is NULL; cell c is at place
    shown[c].
    """
    cdef ByteSight looked
    cdef ByteSight arranged
    cdef const ByteSight *seen = &looked
    cdef wide_byte_match planes[NUM_PLANES]
    cdef uint8_t whose = ON_BOARD | OWNER_BITS
    cdef int32_t i
    look_in_bytes(k, state, viewer, &looked)
    if shown != k.flat[0]:
        arrange_bytes(&looked, shown, k.cells, size, &arranged)
        seen = &arranged
    for i in range(NUM_PLAYERS):
        match_bytes(&planes[i], whose, ON_BOARD | owned_by((viewer + i) % NUM_PLAYERS), NULL)
        match_bytes(&planes[14 + i], whose, planes[i].value, seen.robots)
    match_bytes(&planes[3], whose, ON_BOARD, NULL)
    match_bytes(&planes[4], HOLE, HOLE, NULL)
    for i in range(HOME, NUM_BUILDINGS):
        match_bytes(&planes[4 + i], BUILDING, i, NULL)
    match_bytes(&planes[17], whose | HOLE, ON_BOARD | owned_by(header_of(state).player), seen.movable)
    match_bytes(&planes[18], 0, 0, seen.worth)
    match_bytes(&planes[19], whose, ON_BOARD | owned_by(viewer), seen.sums)
    match_bytes(&planes[20], 0, 0, seen.bonus)
    match_bytes(&planes[21], 0, 1, NULL)                 # matches nowhere: zeros
    match_bytes(&planes[22], 0, 1, NULL)
    match_bytes(&planes[23], ON_BOARD, ON_BOARD, NULL)
    if kinds == NULL:
        k.level.byte_matches(size, seen.lands, NUM_PLANES, planes, out)
        out += 21 * size
    else:
        k.level.bit_matches(size, seen.lands, NUM_PLANES, planes, kinds, out)
        for i in range(21):
            out += (size + 7) // 8 if kinds[i].is_bits else size
    count_devices(k, state, viewer, shown, out, out + size)


cdef inline void observe_scalars(const Params *k, const void *state, int32_t viewer, float *out) noexcept nogil:
    """Write the share of rounds begun, the one-hot of three phases, scores, seat, player to move and score limit."""
    cdef const Header *header = header_of(state)
    cdef int32_t n
    out[0] = <float>(<double>((header.ply + 2) // 3) / (k.last_ply // NUM_PLAYERS))
    for n in range(3):
        out[1 + n] = header.phase == n
        out[4 + n] = header.scores[(viewer + n) % NUM_PLAYERS]
        out[7 + n] = viewer == n
    out[10] = <float>((header.player + NUM_PLAYERS - viewer) % NUM_PLAYERS)
    out[11] = <float>k.score_limit
